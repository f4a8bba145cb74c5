"""TER equals sacreBLEU's bit for bit, and its exact value is correct."""

import json
import pickle
import random
import warnings
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import TER
from sacrebleu.significance import PairedTest

from chrfect import ChrF, ChrfectWarning, Counts, CountTable, Ter, UsageError, evaluate, pairwise, parse
from chrfect.evaluation.report.tables import comparison_tables
from realdata import read_tsv
from strategies import texts

FLAGS = ["normalized", "no_punct", "asian_support", "case_sensitive"]
SETTINGS = [{}, {"normalized": True}, {"no_punct": True, "case_sensitive": True}, dict.fromkeys(FLAGS, True)]

words = st.lists(st.sampled_from(["a", "b", "A", "c,", "d.", "(x)", "3.5"]), max_size=8).map(" ".join)


def quietly(call, *arguments, **options):
    """Return what a call returns, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChrfectWarning)
        return call(*arguments, **options)


def columns(lists):
    """Return references for each segment as sacreBLEU's streams, None where one is missing."""
    longest = max(map(len, lists))
    return [[inner[k] if k < len(inner) else None for inner in lists] for k in range(longest)]


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_corpus_scores_equal_sacrebleu_for_any_number_of_references(options):
    segment = st.tuples(words, st.lists(words, min_size=1, max_size=5))

    @settings(max_examples=80)
    @given(st.lists(segment, min_size=1, max_size=7))
    def check(corpus):
        hypotheses, lists = [list(side) for side in zip(*corpus, strict=True)]
        metric, peer = Ter(**options), TER(**options)
        want = peer.corpus_score(hypotheses, columns(lists))
        result = quietly(metric.both, hypotheses, references_per_segment=lists)
        for found in (result, quietly(metric.corpus, hypotheses, references_per_segment=lists)):
            assert found.score == want.score
            details = found.to_dict()
            assert details["edits"] == want.num_edits
            assert details["reference_length"] == pytest.approx(want.ref_length, abs=1e-9)
        for hypothesis, inner, got in zip(hypotheses, lists, result.segments, strict=True):
            assert got.score == peer.sentence_score(hypothesis, inner).score
            assert metric.sentence(hypothesis, inner).score == got.score
        assert result.segments.scores == [got.score for got in result.segments]

    check()


@given(texts(surrogates=True), texts(surrogates=True), st.fixed_dictionaries({flag: st.booleans() for flag in FLAGS}))
def test_sentence_scores_of_any_script_equal_sacrebleu(hypothesis, reference, options):
    peer = TER(**options)
    assert Ter(**options).sentence(hypothesis, reference).score == peer.sentence_score(hypothesis, [reference]).score


def test_float_of_many_segments_with_three_references_equals_sacrebleu():
    """Thirds added one after another are not the exact sum rounded once."""
    draw = random.Random(3)
    make = lambda: " ".join(draw.choices("abcdefg", k=draw.randrange(1, 12)))  # noqa: E731
    hypotheses = [make() for _ in range(3_000)]
    streams = {name: [make() for _ in hypotheses] for name in ("A", "B", "C")}
    want = TER().corpus_score(hypotheses, list(streams.values())).score
    table = Ter().count(hypotheses, streams)
    assert Ter().corpus(hypotheses, streams).score == want
    assert Ter().score(table).score == want
    assert Ter().both(hypotheses, streams).score == want
    merged = Ter().score(table.sum())
    assert merged.score == pytest.approx(want, rel=1e-12)
    assert (
        merged.score_fraction == Ter().score(table).score_fraction == Ter().corpus(hypotheses, streams).score_fraction
    )


@given(
    st.lists(st.integers(0, 10**7), min_size=4, max_size=4),
    st.dictionaries(st.integers(1, 40), st.integers(0, 10**8), min_size=1, max_size=4),
)
def test_six_decimals_are_the_exact_fraction_rounded_once(edits, lengths):
    numbers = sorted(lengths)
    words = sum((Fraction(lengths[number], number) for number in numbers), Fraction(0))
    exact = 100 * Fraction(sum(edits)) / words if words else Fraction(100 if any(edits) else 0)
    counts = Counts(Ter()._reading(tuple(numbers)).count_recipe, (*edits, *(lengths[n] for n in numbers)), 1, "var")
    result = Ter().score(counts)
    assert result.score_fraction == exact
    assert result.score_text == f"{Decimal(round(exact * 10**6)).scaleb(-6):f}"
    assert result.score == pytest.approx(float(exact), rel=1e-12)


def test_ties_of_six_decimals_go_to_the_even_digit():
    texts = []
    for edits in (1, 3, 5):
        counts = Counts(Ter().count_recipe, (0, 0, edits, 0, 2 * 10**8), 1, 1)
        assert Ter().score(counts).score_fraction * 10**6 % 1 == Fraction(1, 2)
        texts.append(Ter().score(counts).score_text)
    assert texts == ["0.000000", "0.000002", "0.000002"]


def test_the_exact_score_is_edits_over_the_mean_length():
    result = Ter().sentence("a b", ["c", "a b c d e"])
    assert (result.values, result.score_fraction, result.score_text) == ((0, 1, 1, 0, 6), Fraction(200, 3), "66.666667")
    assert result.reference == 0
    assert result.counts.recipe.columns[4:] == ("reference_length.2",)
    tied = Ter().sentence("a", ["b", "c"])
    assert tied.reference == 0


def test_counts_of_different_numbers_of_references_add_up():
    one = Ter().corpus(["a b"], ["a c"]).counts
    three = Ter().corpus(["a b"], {"A": ["x"], "B": ["a b c"], "C": ["a b d e"]}).counts
    both = one + three
    assert both.recipe.columns[4:] == ("reference_length.1", "reference_length.3")
    assert (both.values, both.segments, both.references) == ((1, 0, 1, 0, 2, 8), 2, "var")
    assert Ter().score(both).score_fraction == 100 * 2 / (2 + Fraction(8, 3))
    assert Counts.from_dict(json.loads(json.dumps(both.to_dict()))) == both
    tables = [Ter().count(["a b"], ["a c"]), Ter().count(["a b"], references_per_segment=[["x", "a b c", "a b d e"]])]
    joined = CountTable.concatenate(tables)
    assert joined.sum() == both
    assert (tables[1] + tables[0]).sum().values == both.values
    assert Ter().scores(joined) == [50.0, 37.5]
    assert Ter().scores(joined.sum_by(["d", "d"])) == [Ter().score(both).score]


def test_rejects_adding_counts_of_other_settings():
    with pytest.raises(UsageError, match="case_sensitive is no in one and yes in the other"):
        Ter().corpus(["a"], ["a"]).counts + Ter(case_sensitive=True).corpus(["a"], ["a"]).counts
    with pytest.raises(UsageError, match="counted for TER"):
        ChrF().score(Ter().count(["a"], ["a"]))
    with pytest.raises(UsageError, match="counted for chrF"):
        Ter().score(ChrF().count(["a"], ["a"]))


NAMES = ["TER", "TER(normalized=yes)", "TER(no_punct=yes,asian_support=yes,case_sensitive=yes)"]


@pytest.mark.parametrize("name", NAMES)
def test_names_parse_back(name):
    metric = parse(name)
    assert str(metric) == name
    assert parse(name.lower()) == metric == parse(metric.signature) == pickle.loads(pickle.dumps(metric))
    result = metric.corpus(["a"], ["a"])
    assert parse(result.signature) == metric


def test_metrics_are_values():
    read = Ter().sentence("a", ["a", "b"]).scorer
    assert read == Ter()
    assert hash(read) == hash(Ter())
    assert Ter().lower_is_better
    with pytest.raises(UsageError, match="normalized is 1; True or False was expected"):
        Ter(normalized=1)


def test_a_result_has_the_edits_of_each_kind():
    data = Ter().corpus(["the mat the cat sat on", "x"], ["the cat sat on the mat now", "y"]).to_dict()
    assert {key: data[key] for key in ("edits", "insertions", "deletions", "substitutions", "shifts")} == {
        "edits": 3, "insertions": 1, "deletions": 0, "substitutions": 1, "shifts": 1
    }  # fmt: skip
    assert (data["reference_length"], data["reference_length_fraction"], data["score_fraction"]) == (8.0, "8/1", "75/2")
    json.dumps(data)


def test_the_matrix_has_the_score_of_each_pair():
    hypotheses, references = ["a b c", "c b a", ""], ["a b c", "x", "b c a"]
    want = [[Ter().sentence(h, r).score for r in references] for h in hypotheses]
    assert pairwise(Ter(), hypotheses, references).tolist() == want


def test_the_matrix_of_texts_with_several_references_is_that_of_sentences():
    hypotheses, columns = ["a b c", "c b a"], [["a b c", "x"], "b c a d"]
    want = [[Ter().sentence(text, column).score for column in columns] for text in hypotheses]
    assert pairwise(Ter(), hypotheses, columns, threads=2).tolist() == want


def test_a_table_marks_the_lowest_score_as_the_best():
    systems = {"worse": ["x y z", "b"], "better": ["a b z", "b c"], "worst": ["x", "y"]}
    comparison = evaluate(systems, ["a b c", "b c"], [Ter()]).compare(trials=20, resamples=20)
    ranks = next(table for table in comparison_tables(comparison) if table.caption == "TER: ranks")
    assert [row[2] for row in ranks.rows] == ["better", "worse", "worst"]
    assert ranks.bold == {(0, 3)}
    found = comparison.difference("worse", "better", "TER")
    assert found.difference < 0
    assert (found.wins, found.losses) == (2, 0)


def test_bootstrap_p_values_equal_sacrebleu(data, monkeypatch):
    rows = [row for row in read_tsv(data / "wmt23" / "generaltest2023.de-en.tsv") if len(row["ref_refA"]) < 160][:60]
    systems = {name: [row[name] for row in rows] for name in rows[0] if name.startswith("hyp_")}
    references = [row["ref_refA"] for row in rows]
    monkeypatch.setenv("SACREBLEU_SEED", "12345")
    for kind, trials in (("bs", 1_000), ("ar", 400)):
        peer = PairedTest(
            list(systems.items()), {"TER": TER()}, [references], test_type=kind, n_samples=trials, n_ar_confidence=0
        )
        want = [result.p_value for result in peer()[1]["TER"]][1:]
        baseline = next(iter(systems))
        comparison = evaluate(systems, references, [Ter()]).compare(
            baseline, test=f"sacrebleu-{kind}", trials=trials, resamples=20, seed=12345
        )
        assert [comparison.difference(baseline, name, "TER").p_value for name in list(systems)[1:]] == want


def test_threads_do_not_change_the_result(data):
    rows = read_tsv(data / "wmt23" / "generaltest2023.de-en.tsv")
    system = next(name for name in rows[0] if name.startswith("hyp"))
    hypotheses, references = [row[system] for row in rows], [row["ref_refA"] for row in rows]
    assert Ter().corpus(hypotheses, references, threads=2) == Ter().corpus(hypotheses, references, threads=1)


def test_scores_of_several_real_references_equal_sacrebleu(data):
    rows = read_tsv(data / "multi30k" / "task2_test_2016.5captions.en.tsv")[:150]
    names = list(rows[0])[-5:]
    hypotheses, streams = [row[names[0]] for row in rows], {name: [row[name] for row in rows] for name in names[1:]}
    for options in SETTINGS:
        want = TER(**options).corpus_score(hypotheses, list(streams.values()))
        assert Ter(**options).corpus(hypotheses, streams).score == want.score


def test_warns_once_about_texts_without_spaces():
    lines = ["猫は座った。", "今日はいい天気ですね。"] * 10
    for metric in (Ter(), Ter(asian_support=True), Ter(normalized=True)):
        with pytest.warns(ChrfectWarning, match="normalized=yes,asian_support=yes") as caught:
            metric.corpus(lines, lines)
        assert len(caught) == 1
    assert Ter(normalized=True, asian_support=True).corpus(lines, lines[1:] + lines[:1]).score > 0
    assert Ter().corpus(["The cat (猫) sat."], ["The cat (猫) sat."]).score == 0


def test_warns_if_all_references_are_empty():
    with pytest.warns(ChrfectWarning, match="All references are empty"):
        assert Ter().corpus(["a", ""], ["", " "]).score == 100.0
    with pytest.warns(ChrfectWarning, match="All references are empty"):
        assert Ter().corpus(["", ""], ["", ""]).score == 0.0
    assert Ter().corpus(["a b", "c"], ["", "c"]).score == 200.0


def test_punctuation_alone_is_not_a_word_if_punctuation_is_removed():
    assert Ter(no_punct=True).sentence("?!", "...").score == 0.0
    assert Ter(no_punct=True).sentence("a", "...").score == 100.0
    assert Ter(no_punct=True).sentence("?!", "a").score == 100.0


def test_systems_are_compared_with_several_references_and_the_lower_score_is_better():
    draw = random.Random(8)
    lines = [" ".join(draw.choices("abcdef", k=8)) for _ in range(60)]
    worse = ["z z z"] * len(lines)
    references = {"A": lines, "B": [f"{line} y" for line in lines], "C": lines[::-1]}
    evaluation = evaluate({"good": [line[2:] for line in lines], "bad": worse}, references, [Ter()])
    streams = list(references.values())
    for system, texts_ in (("good", [line[2:] for line in lines]), ("bad", worse)):
        assert evaluation.score(system, Ter()).score == TER().corpus_score(texts_, streams).score
    comparison = evaluation.compare(trials=200, resamples=200)
    ranks = {system: rank.best for (_, system), rank in comparison.ranks.items()}
    assert ranks["good"] < ranks["bad"]


def test_ter_is_counted_with_other_metrics_over_several_references():
    from chrfect import parse
    from chrfect.metrics.family import score_corpus

    metrics = [parse("TER"), parse("chrF")]
    hypotheses, references = ["the cat sat", "a dog"], {"r": ["the cat", "the dog"], "s": ["a cat sat", "dogs"]}
    for segments in (False, True):
        found = score_corpus(metrics, hypotheses, references, segments=segments)
        assert [result.score for result in found] == [metric.corpus(hypotheses, references).score for metric in metrics]


def test_the_metric_of_a_result_counts_and_scores_other_texts_as_the_metric_does():
    """It has read the counts of segments with three references, which are others than those of one."""
    scorer = Ter().corpus(["a b", "c d"], {"A": ["a", "c"], "B": ["a b c", "d"], "C": ["x", "y"]}).scorer
    for metric in (Ter(), scorer):
        assert metric.sentence("a b", "c").score_text == "200.000000"
        assert metric.corpus(["a"], ["b"]).score == metric.score(metric.count(["a"], ["b"])).score == 100.0
        assert metric.count(["a"], ["b"]).columns[4:] == ("reference_length.1",)
        assert metric.sentence("a", ["b", "c d", "e f g h i j"]).score == pytest.approx(100 / 3)
