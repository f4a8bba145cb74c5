"""The studies of systems: scores equal those of other tools, and the findings contain the computed numbers."""

import json
import lzma
from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from chrfect import Bleu, ChrF
from chrfect.cli import main
from chrfect.errors import InputFileError
from chrfect.studies import difference, targets
from chrfect.studies.difference import paper as difference_paper
from chrfect.studies.difference import study as difference_study
from chrfect.studies.targets import paper as targets_paper
from chrfect.studies.targets import study as targets_study
from chrfect.studies.testsets import count, count_testsets, read_names, read_testset


@pytest.fixture(scope="session")
def counted(data):
    return count_testsets(str(data))


@pytest.fixture(scope="session")
def differences(counted):
    return difference_study.measure(counted)


@pytest.fixture(scope="session")
def languages(counted):
    return targets_study.measure(counted)


@pytest.mark.long
def test_pairwise_accuracy_equals_mt_metrics_eval(data, counted):
    golden = json.loads((data / "mt-metrics-eval" / "goldens.json").read_bytes())["wmt-systems"]
    scores = {"chrF": lambda c: c.scores(), "chrF++": lambda c: c.scores(words=2), "BLEU": lambda c: c.bleu}
    for metric, of in scores.items():
        agreeing = pairs = 0
        for one in counted:
            values = of(one)
            for i, j in combinations(range(len(one.systems)), 2):
                agreeing += np.sign(values[i] - values[j]) == np.sign(one.human[i] - one.human[j])
                pairs += 1
        expected = golden["pooled pairwise accuracy"]["all"][metric]
        assert (agreeing, pairs) == (expected["agreeing pairs"], expected["pairs"])


def test_scores_from_counts_equal_the_metrics(data):
    folder, human = read_names(str(data))
    whole = read_testset(folder, "newstest2019.en-gu", human["newstest2019", "en-gu"])
    few = {system: texts[:40] for system, texts in list(whole.outputs.items())[:3]}
    testset = type(whole)(whole.name, whole.references[:40], few, {system: whole.human[system] for system in few})
    found = count(testset)
    for at, texts in enumerate(few.values()):
        references = testset.references
        for metric, score in (
            (ChrF(), found.scores()),
            (ChrF(6, 2, beta=3), found.scores(words=2, beta=3.0)),
            (ChrF(0, 4), found.scores(0, 4)),
            (ChrF(whitespace="keep"), found.scores(unit="keep")),
            (ChrF(10, unit="byte"), found.scores(10, unit="byte")),
            (ChrF(unit="grapheme"), found.scores(unit="grapheme")),
            (ChrF(averaging="per_order_f"), found.scores(averaging="per_order_f")),
            (Bleu(), found.bleu),
        ):
            assert score[at] == pytest.approx(metric.corpus(texts, references).score, abs=1e-10), metric
        assert found.means["chrF++"][at] == pytest.approx(np.mean(ChrF(6, 2).segments(texts, references).scores))
        assert found.means["BLEU"][at] == pytest.approx(np.mean(Bleu().segments(texts, references).scores))
    first, second = list(few.values())[:2]
    both = [ChrF().corpus(first, second).score, ChrF().corpus(second, first).score]
    assert found.similarity[0] == pytest.approx(np.mean(both))


@pytest.mark.long
def test_the_findings_about_differences_contain_the_computed_numbers(differences, root):
    written = (root / "docs" / "findings" / "difference.md").read_text(encoding="utf-8")
    assert written == difference_paper.paper(differences).markdown(), "run scripts/findings"


@pytest.mark.long
def test_the_findings_about_targets_contain_the_computed_numbers(languages, root):
    written = (root / "docs" / "findings" / "targets.md").read_text(encoding="utf-8")
    assert written == targets_paper.paper(languages).markdown(), "run scripts/findings"


@pytest.mark.long
def test_conclusions_about_differences_follow_from_the_numbers(differences):
    study = differences
    assert study.overall["chrF"].pairs == 1577
    assert all(gain[1] <= 0 <= gain[2] for gain in study.gains.values())
    yes, no = study.groups["significant on the test set"], study.groups["not significant on the test set"]
    assert sum(share.pairs for share in yes[1:]) >= 0.99 * sum(share.pairs for share in (*yes[1:], *no[1:]))
    best, everything = study.groups["both among the 5 best systems"], study.bins["chrF"]
    assert best[0].value < 0.6
    assert everything[0].low < 0.5  # a difference below half a point may be a coin toss
    assert everything[-2].low > 0.95


@pytest.mark.long
def test_intervals_over_test_sets_and_systems_are_wider_than_those_of_independent_pairs(differences):
    share = differences.overall["chrF"]
    independent = scipy.stats.binomtest(round(share.value * share.pairs), share.pairs).proportion_ci()
    assert share.high - share.low > 1.5 * (independent.high - independent.low)


def test_needed_difference_equals_isotonic_regression():
    generator = np.random.default_rng(0)
    size = np.sort(generator.uniform(0, 5, 300))
    agrees = (generator.random(300) < 0.5 + 0.1 * size).astype(float)
    fitted = scipy.optimize.isotonic_regression(agrees).x
    expected = [size[np.argmax(fitted >= level)] if (fitted >= level).any() else np.inf for level in (0.8, 0.9, 0.95)]
    assert difference_study._thresholds(size, agrees, np.ones(300)) == pytest.approx(expected)
    doubled = np.where(np.arange(300) % 2, 2.0, 1.0)
    fitted = scipy.optimize.isotonic_regression(agrees, weights=doubled).x
    expected = [size[np.argmax(fitted >= level)] if (fitted >= level).any() else np.inf for level in (0.8, 0.9, 0.95)]
    assert difference_study._thresholds(size, agrees, doubled) == pytest.approx(expected)


def test_the_published_curves_give_the_published_thresholds():
    """Kocmi et al. (2024), their table of thresholds."""
    for metric, apart, accuracy in (
        ("chrF", 0.14, 0.50),
        ("chrF", 1.00, 0.70),
        ("chrF", 3.05, 0.90),
        ("BLEU", 0.27, 0.50),
        ("BLEU", 2.34, 0.80),
        ("BLEU", 3.35, 0.85),
    ):
        assert difference_study.published(metric, apart) == pytest.approx(accuracy, abs=0.002)


@pytest.mark.long
def test_conclusion_about_targets_follows_from_the_numbers(languages):
    assert languages.significant == ()
    assert languages.held_out_p > 0.05
    assert len(targets_study.CONFIGURATIONS) == 396
    together = languages.targets[-1]
    at = targets_study.CONFIGURATIONS.index(targets_study.BASELINE)
    assert together.gain == pytest.approx(max(together.pearson) - together.pearson[at])


def test_the_family_p_value_keeps_its_level_and_detects_a_clear_gain():
    generator = np.random.default_rng(0)
    found = []
    for _ in range(400):
        gains = generator.normal(size=(200, 40)) * np.linspace(0.1, 3, 40)
        found.append(targets_study.family_p_value(gains[0], gains[1:]))
    rejected = np.mean([family <= 0.05 for family, _ in found])
    assert 0.02 <= rejected <= 0.08
    assert np.mean([alone <= 0.05 for _, alone in found]) > 0.8  # uncorrected, some configuration nearly always is
    gains = np.zeros(40)
    gains[3] = 100.0
    assert targets_study.family_p_value(gains, generator.normal(size=(99, 40)))[0] == 1 / 100


@pytest.fixture
def folder(tmp_path):
    """Two small test sets in the layout of the real ones."""
    generator = np.random.default_rng(0)
    words = ["the", "cat", "sat", "on", "a", "mat", "while", "dogs", "ran", "home"]
    rows = ["testset\tlp\tsystem\tda"]
    for pair in ("de-en", "en-de"):
        systems = [f"S{i}" for i in range(6)]
        lines = ["\t".join(["segid", "source", "reference", *systems])]
        for segment in range(12):
            reference = list(generator.choice(words, 7))
            outputs = [
                " ".join(w if generator.random() < 0.3 + 0.1 * i else generator.choice(words) for w in reference)
                for i in range(6)
            ]
            lines.append("\t".join([str(segment), "x", " ".join(reference), *outputs]))
        path = tmp_path / f"news.{pair}.tsv.xz"
        path.write_bytes(lzma.compress(("\n".join(lines) + "\n").encode()))
        rows += [f"news\t{pair}\tS{i}\t{i / 4 + generator.normal() / 9:.4f}" for i in range(6)]
    (tmp_path / "DA-syslevel.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", ["difference", "targets"])
def test_the_command_writes_every_file_and_ends_with_the_verdict(folder, tmp_path, capsys, name):
    output = tmp_path / "out"
    assert main(["reproduce", name, "--data", str(folder), "--output", str(output)]) == 0
    names = {f"{name}.md", "tables.tex", "summary.json", "index.html"}
    assert {path.name for path in output.iterdir()} == names
    summary = json.loads((output / "summary.json").read_text(encoding="utf-8"))
    assert capsys.readouterr().out.splitlines()[-1] == summary["verdict"]


def test_each_of_several_studies_has_a_folder(folder, tmp_path, capsys):
    alone, together = tmp_path / "alone", tmp_path / "together"
    for name in ("difference", "targets"):
        assert main(["reproduce", name, "--data", str(folder), "--output", str(alone / name)]) == 0
    assert main(["reproduce", "difference", "targets", "--data", str(folder), "--output", str(together)]) == 0
    files = sorted(path.relative_to(alone) for path in alone.rglob("*.*"))
    assert files == sorted(path.relative_to(together) for path in together.rglob("*.*"))
    assert len(files) == 8
    assert all((alone / file).read_bytes() == (together / file).read_bytes() for file in files)


def test_error_names_content_that_cannot_be_read(folder):
    table = folder / "DA-syslevel.tsv"
    good = table.read_text(encoding="utf-8")
    for text, said in (
        (
            good + "news\tde-en\tS9\thigh\n",
            r"DA-syslevel\.tsv: line 14: four columns were expected, of which the last is a number",
        ),
        (good + "news\tde-en\tS9\t0.5\n", "there is no column 'S9'"),
        (good + "news\tfr-en\tS1\t0.5\n", r"news\.fr-en\.tsv\.xz: no such file"),
        (good.replace("da\n", "score\n", 1), "line 1 has the columns testset lp system score"),
    ):
        table.write_text(text, encoding="utf-8")
        with pytest.raises(InputFileError, match=said):
            count_testsets(str(folder))
    table.write_text(good, encoding="utf-8")
    (folder / "news.de-en.tsv.xz").write_bytes(b"not xz")
    with pytest.raises(InputFileError, match="the file cannot be decompressed"):
        count_testsets(str(folder))
    table.unlink()
    with pytest.raises(InputFileError, match=r"DA-syslevel\.tsv: no such file\. The folder, or its"):
        count_testsets(str(folder))


def test_modules_of_studies_have_the_interface_of_the_command():
    for module in (difference, targets):
        assert {"run_study", "write", "summary_table"} <= set(module.__all__)
