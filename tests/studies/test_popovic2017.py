"""The reproduction of Popović (2017): cells, counts, tests, and errors of the data folder."""

import json
from itertools import product

import numpy as np
import pytest

from chrfect import ChrF
from chrfect.errors import InputFileError
from chrfect.studies.popovic2017 import layouts, run_study
from chrfect.studies.popovic2017.cells import PLAIN_CHRF, count_equal
from chrfect.studies.popovic2017.dataset import read_texts
from chrfect.studies.popovic2017.gains import GROUPS
from chrfect.studies.popovic2017.published import MEAN, PUBLISHED, TEXTS, UNSEEN
from chrfect.studies.popovic2017.rows import ROWS, TABLES, Orders, single, uniform
from realdata import read_tsv

HYPOTHESES = ["the cat sat on the mat", "a", "", "Ein größerer Hund", "кот сел на коврик", "x y"]
AVERAGINGS = ("per_order_f", "mean_precision_recall")
REFERENCES = ["a cat sat on a mat", "b a", "nothing here", "Ein großer Hund", "кошка сидела на коврике", ""]


@pytest.mark.parametrize("averaging", AVERAGINGS)
@pytest.mark.parametrize("unit", ["codepoint", "byte", "grapheme"])
@pytest.mark.parametrize(("characters", "words"), [(6, 0), (6, 1), (6, 2), (0, 4), (10, 4), (3, 0)])
@pytest.mark.parametrize("beta", [1, 2, 3])
def test_weighted_orders_equal_the_metric(averaging, unit, characters, words, beta):
    metric = ChrF(characters, words, beta=beta, averaging=averaging, unit=unit)
    orders = Orders(HYPOTHESES, REFERENCES, unit)
    ours = orders.scores(uniform(characters, words), beta, averaging)
    assert ours.tolist() == pytest.approx(metric.segments(HYPOTHESES, REFERENCES).scores, abs=1e-10)


def test_a_single_order_is_its_f_score():
    orders = Orders(HYPOTHESES, REFERENCES, "codepoint")
    bigrams = ChrF(2, 0).segments(HYPOTHESES, REFERENCES)
    expected = [result.orders[1].f or 0.0 for result in bigrams]
    assert orders.scores(single("character", 2)).tolist() == pytest.approx(expected, abs=1e-10)
    words = ChrF(0, 1).segments(HYPOTHESES, REFERENCES).scores
    assert orders.scores(single("word", 1)).tolist() == pytest.approx(words, abs=1e-10)


def test_the_tables_contain_every_row_and_every_legible_cell():
    assert {row for rows in TABLES.values() for row in rows} == set(ROWS)
    assert len([1 for row, text in PUBLISHED if text != MEAN]) == 237
    assert {row for row, _ in PUBLISHED} == set(ROWS)


def test_the_printed_cells_equal_the_transcription(data):
    rows = read_tsv(data / "wmt-da" / "popovic2017-cells.tsv")
    assert {(row["row"], row["text"]): float(row["pearson"]) for row in rows} == PUBLISHED


def test_232_of_237_cells_are_reproduced_with_bytes_for_plain_chrf_alone(study):
    assert study.verdict == "232 of 237 single-text cells equal at three decimals"
    assert count_equal(study.cells, "byte", PLAIN_CHRF) == (35, 36)
    assert count_equal(study.cells, "codepoint", PLAIN_CHRF) == (8, 36)
    differing = [c for c in study.cells if c.text != MEAN and c.published is not None and not c.equal("paper")]
    assert {cell.text for cell in differing} == {"cs-en.2015"}
    assert max(abs(cell.paper - cell.published) for cell in differing) <= 0.0011


def test_the_gain_for_russian_is_an_artefact_of_bytes(study):
    at = {(cell.row, cell.text): cell for cell in study.cells}
    assert round(at["chrF2", "en-ru.2016"].codepoint, 3) == 0.681
    assert round(at["chrF2", "en-ru.2015"].codepoint, 3) == 0.650
    plain = study.question("c6w2", "chrF2", "Russian")
    printed = study.question("c6w2", "chrF2", "Russian", ("codepoint", "byte"))
    assert plain.low < 0 < plain.high
    assert plain.significant == 0
    assert printed.low > 0
    english = study.question("c6w2", "chrF2", "English")
    assert english.low > 0
    assert english.texts_low > 0
    assert english.better == 9


def test_the_tables_were_not_produced_by_the_formula_that_the_paper_states(study):
    words, combinations = ("wordF1", "wordF2", "wordF3", "word2F"), ("c6w4", "c6w3", "c6w2", "c6w1")
    assert count_equal(study.cells, "codepoint", words) == (48, 48)
    assert count_equal(study.cells, "formula", words) == (14, 48)
    assert count_equal(study.cells, "codepoint", combinations) == (47, 48)
    assert count_equal(study.cells, "formula", combinations) == (32, 48)
    assert count_equal(study.cells, "formula", PLAIN_CHRF) == (32, 36)


def test_on_unseen_texts_the_gain_of_chrf_plus_is_confirmed_and_that_of_chrf_plus_plus_is_not(study):
    plus_plus, plus = (study.question(row, "chrF2", "English, unseen") for row in ("c6w2", "c6w1"))
    means = [plus.second_mean, plus.first_mean, plus_plus.first_mean]
    assert [round(mean, 4) for mean in means] == [0.5681, 0.5729, 0.5710]
    assert plus_plus.low < 0 < plus_plus.mean < 0.5 * study.question("c6w2", "chrF2", "English").mean
    assert plus.low > 0
    assert plus.texts_low > 0
    assert study.question("c6w2", "c6w1", "English, unseen").mean < 0
    assert max(abs(study.question(row, "chrF2", g).mean) for row in ("c6w1", "c6w2") for g in GROUPS) < 0.02


def test_the_sign_flip_test_counts_all_ways_to_flip_signs(study):
    for question in study.questions:
        differences = [gain.difference for gain in question.gains]
        means = [
            abs(sum(sign * d for sign, d in zip(signs, differences, strict=True)))
            for signs in product((1, -1), repeat=len(differences))
        ]
        share = np.mean([mean >= abs(sum(differences)) - 1e-12 for mean in means])
        assert question.texts_p == pytest.approx(share)


def test_long_byte_ngrams_recover_most_of_the_loss_of_bytes(study):
    at = {span.order: span for span in study.spans}
    assert round(at[6].russian_codepoint, 4) == 0.6655
    assert round(at[6].russian_byte, 4) == 0.6424
    assert round(at[10].russian_byte, 4) == 0.6618
    assert list(at) == list(range(6, 19))
    english = [span.english_byte for span in study.spans]
    assert english == sorted(english, reverse=True)


def test_one_printed_mean_differs_from_its_cells(study):
    [row] = layouts.means_table(study).rows
    assert row[:2] == ["wordF1", "0.519"]
    assert [round(value, 3) for value in row[2:]] == [0.518, 0.518]


def test_coefficient_of_variation_of_word_f_is_larger_in_every_quarter(study):
    assert all(spread.wordf_relative > spread.chrf_relative for spread in study.spreads)
    first = study.spreads[0]
    assert (round(first.wordf_relative, 2), round(first.chrf_relative, 2)) == (0.53, 0.30)


def test_conclusions_of_the_findings_follow_from_the_numbers(study):
    at = {(v.name, v.unit): v for v in study.sweep if v.beta == 2}
    for target in ("english", "russian"):
        r = {key: getattr(variant, target) for key, variant in at.items()}
        for words in range(5):
            along = [r[f"c{characters}w{words}", "codepoint"] for characters in range(6, 11)]
            assert along == sorted(along, reverse=True)  # every character order beyond six lowers the correlation
        for name in ("c6w0", "c6w1", "c6w2"):
            assert r[name, "grapheme"] == pytest.approx(r[name, "codepoint"], abs=5e-4)
    for name in ("c6w0", "c6w1", "c6w2"):
        assert at[name, "byte"].russian < at[name, "codepoint"].russian - 0.005  # bytes cost Russian agreement
        assert at[name, "byte"].english == pytest.approx(at[name, "codepoint"].english, abs=1e-3)
    wider = [spread.wordf_deviation - spread.chrf_deviation for spread in study.spreads]
    assert wider == sorted(wider)  # the better the rating, the wider word F beside chrF
    assert wider[0] < 0 < wider[-1]
    beta = {v.beta: v.mean for v in study.precision if v.name == "chrF"}
    assert beta[0.25] < beta[0.5] < beta[1] < beta[2] == pytest.approx(beta[3], abs=1e-3)
    assert study.question("c6w2", "c6w1", "Russian").better == 0
    assert study.question("c6w1", "chrF2", "Russian").low < 0
    assert study.question("c6w2", "c6w1", "English").low > 0
    assert study.question("chrF2", "chrF1", "English, unseen").texts_low < 0  # other texts may differ
    assert study.question("chrF3", "chrF2", "English, unseen").high < 0  # beta 3 brings no more
    assert max(abs(v.mean - study.unigrams[0].mean) for v in study.unigrams[:4]) < 1e-3
    means = {cell.row: cell.codepoint for cell in study.cells if cell.text == MEAN}
    for prefix, highest in (("chr", {"chr3", "chr4"}), ("word", {"word1", "word2"}), ("c6w", {"c6w2", "c6w1"})):
        single_rows = [row for row in means if row[:-1] == prefix]
        assert set(sorted(single_rows, key=means.__getitem__)[-2:]) == highest
    assert means["c6w2"] > means["c6w1"]
    f_first, means_first = (next(v.mean for v in study.averagings[4:] if v.averaging == a) for a in AVERAGINGS)
    assert f_first == pytest.approx(means_first, abs=5e-4)


def test_the_findings_contain_the_computed_numbers(study, root):
    from chrfect.studies.popovic2017.paper import paper

    written = (root / "docs" / "findings" / "popovic2017.md").read_text(encoding="utf-8")
    assert written == paper(study, images=["gains.svg"]).markdown(), "run scripts/findings"


def test_the_summary_is_plain_json_and_complete(study):
    summary = json.loads(json.dumps(study.to_dict(), allow_nan=False))
    assert len(summary["cells"]) == len(ROWS) * (len(TEXTS) + 1)
    assert summary["equal_cells"]["paper"]["all"] == [232, 237]
    assert sum(summary["segments"].values()) == 5 * 500 + 7 * 560 + 7 * 560


@pytest.fixture
def folder(tmp_path):
    """Small texts in the layout of the real ones."""
    generator = np.random.default_rng(0)
    words = ["the", "cat", "sat", "on", "a", "mat", "while", "dogs", "ran", "home", "кот", "дома"]
    for text in (*TEXTS, *UNSEEN):
        pair, year = text.split(".")
        lines = ["source\treference\thypothesis\tda"]
        for _ in range(30):
            reference = " ".join(generator.choice(words, 6))
            hypothesis = " ".join(generator.choice(words, 2)) + " " + reference[: generator.integers(1, 20)]
            lines.append(f"source\t{reference}\t{hypothesis}\t{generator.normal():.6f}")
        (tmp_path / f"newstest{year}.{pair}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_any_texts_can_be_measured(folder):
    seen = []
    study = run_study(str(folder), lambda *now: seen.append(now))
    assert study.verdict.endswith("of 237 single-text cells equal at three decimals")
    assert seen[-1] == (seen[-1][1],) * 2
    assert all(-1 <= cell.codepoint <= 1 for cell in study.cells)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("s\tr\th", "line 32 has 3 columns; 4 were expected"),
        ("s\tr\th\thigh", "line 32, column da: 'high' is not a finite number"),
        ("s\tr\th\tinf", "line 32, column da: 'inf' is not a finite number"),
        ("s\tr\th\tnan", "line 32, column da: 'nan' is not a finite number"),
    ],
)
def test_error_names_a_line_that_cannot_be_read(folder, line, said):
    path = folder / "newstest2015.ru-en.tsv"
    path.write_text(path.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    with pytest.raises(InputFileError, match=rf"newstest2015\.ru-en\.tsv: {said}"):
        read_texts(str(folder))


def test_a_missing_text_and_a_wrong_header_are_rejected_with_the_layout(folder):
    (folder / "newstest2015.fi-en.tsv").write_text("text\tscore\nx\t1\n", encoding="utf-8")
    with pytest.raises(InputFileError, match=r"line 1 has no column reference hypothesis da, .* The folder"):
        read_texts(str(folder))
    (folder / "newstest2016.cs-en.tsv").unlink()
    with pytest.raises(InputFileError, match=r"cs-en\.tsv: no such file\. The folder holds"):
        read_texts(str(folder))
