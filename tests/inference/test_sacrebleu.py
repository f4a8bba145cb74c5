"""sacreBLEU's tests and intervals: equal p-values, means and half widths for the same seed, on real systems."""

import lzma

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

import realdata
from chrfect.formulas import bleu, fscore
from chrfect.inference.sacrebleu import corpus_interval, paired_bootstrap, paired_randomization
from conftest import in_long


class Metric:
    """One of sacreBLEU's metrics, counting each text once, and our scores of the same counts."""

    def __init__(self, theirs, width, score, single):
        self.theirs, self.width = theirs, width
        self.score = lambda sums: score(np.ascontiguousarray(sums).reshape(-1))
        self.single = lambda sums: single(np.ascontiguousarray(sums).reshape(-1))
        self.known = {}
        extract = theirs._extract_corpus_statistics

        def once(hypotheses, references):
            key = id(hypotheses)
            if key not in self.known:
                self.known[key] = hypotheses, extract(hypotheses, references)
            return self.known[key][1]

        theirs._extract_corpus_statistics = once

    def table(self, hypotheses, references):
        counted = np.array(self.theirs._extract_corpus_statistics(hypotheses, references), np.int64)
        if isinstance(self.theirs, BLEU):  # it has all matches before all totals
            order = (counted.shape[1] - 2) // 2
            places = [2 + n + side * order for n in range(order) for side in (1, 0)]
            return counted[:, [0, 1, *places]]
        return counted


def chrf(word_order, beta=2, **settings):
    width = 3 * (6 + word_order)
    averaging = "per_order_f" if settings.get("eps_smoothing") else "mean_precision_recall"
    return Metric(
        CHRF(word_order=word_order, beta=beta, **settings),
        width,
        lambda rows: fscore.score_array(rows, width, float(beta), averaging),
        lambda rows: fscore.single_precision(rows, width, beta, averaging),
    )


def bleu_of(smoothing="exp", value=None, **settings):
    return Metric(
        BLEU(tokenize="none", smooth_method=smoothing, smooth_value=value, **settings),
        10,
        lambda rows: bleu.score_array(rows, 10, smoothing, value),
        lambda rows: bleu.single_precision(rows, 10, smoothing, value),
    )


def theirs(metric, systems, references, kind, monkeypatch, seed, **options):
    monkeypatch.setenv("SACREBLEU_SEED", str(seed))
    _, found = PairedTest(systems, {"metric": metric.theirs}, references, test_type=kind, **options)()
    return [(r.p_value, r.mean, r.ci) for name, results in found.items() if name != "System" for r in results]


def ours(results):
    return [(result.p_value, result.mean, result.half_width) for result in results]


@pytest.fixture(scope="module")
def many(data):
    """The 22 systems of the widest set, 150 segments."""
    text = lzma.decompress((data / "wmt-systems" / "newstest2019.en-de.tsv.xz").read_bytes()).decode("utf-8")
    head, *rows = [line.split("\t") for line in text.split("\n")[:151]]
    columns = list(zip(*rows, strict=True))
    return [(name, list(columns[place])) for place, name in enumerate(head) if place > 2], [list(columns[2])]


@pytest.fixture(scope="module")
def wmt23(data):
    rows = realdata.read_tsv(data / "wmt23" / "generaltest2023.de-en.tsv")
    names = [name for name in rows[0] if name.startswith("hyp_")]
    return [(name, [row[name] for row in rows]) for name in names], [[row["ref_refA"] for row in rows]]


@pytest.mark.parametrize("make", [lambda: chrf(0), bleu_of], ids=["chrF", "BLEU"])
def test_all_pairs_of_22_systems(many, make, whole, monkeypatch):
    systems, references = many
    metric = make()
    assert len(systems) == 22
    tables = [metric.table(texts, references) for _, texts in systems]
    for first in range(21) if whole else (0, 20):
        for kind, test, trials in (("bs", paired_bootstrap, 60), ("ar", paired_randomization, 250)):
            options = {"n_ar_confidence": 40} if kind == "ar" else {}
            expected = theirs(
                metric, systems[first:], references, kind, monkeypatch, 12345, n_samples=trials, **options
            )
            extra = {"resamples": 40} if kind == "ar" else {}
            found = test(tables[first:], metric.score, metric.single, trials=trials, seed=12345, **extra)
            assert ours(found) == expected


@pytest.mark.parametrize("seed", [12345, *in_long(7)])
@pytest.mark.parametrize("make", [lambda: chrf(2), bleu_of], ids=["chrF++", "BLEU"])
def test_wmt_2023_with_the_default_numbers_of_trials(wmt23, make, seed, whole, monkeypatch):
    systems, references = wmt23[0][: None if whole else 3], wmt23[1]
    metric = make()
    tables = [metric.table(texts, references) for _, texts in systems]
    expected = theirs(metric, systems, references, "bs", monkeypatch, seed)
    assert ours(paired_bootstrap(tables, metric.score, metric.single, seed=seed, threads=2)) == expected
    expected = theirs(metric, systems, references, "ar", monkeypatch, seed, n_ar_confidence=0)
    found = paired_randomization(tables, metric.score, metric.single, resamples=1000, seed=seed, threads=2)
    assert ours(found) == expected


@pytest.mark.parametrize("make", [lambda: chrf(2), bleu_of], ids=["chrF++", "BLEU"])
def test_the_seed_zero_is_lost_for_compared_systems_only(wmt23, make, monkeypatch):
    systems, references = wmt23
    metric = make()
    tables = [metric.table(texts, references) for _, texts in systems[:2]]
    for kind, test, extra in (("bs", paired_bootstrap, {}), ("ar", paired_randomization, {"resamples": 300})):
        options = {"n_ar_confidence": 300} if kind == "ar" else {}
        first, other = theirs(metric, systems[:2], references, kind, monkeypatch, 0, n_samples=300, **options)
        once, again = (test(tables, metric.score, metric.single, trials=300, seed=0, **extra) for _ in range(2))
        assert ours(once)[0] == ours(again)[0] == first
        assert len({ours(once)[1][1:], ours(again)[1][1:], other[1:]}) == 3


@pytest.mark.parametrize(
    "make",
    [
        lambda: chrf(2),
        lambda: chrf(0, beta=3),
        lambda: chrf(1, eps_smoothing=True),
        bleu_of,
        lambda: bleu_of("add-k"),
        lambda: bleu_of("add-k", 0.7),
        lambda: bleu_of("floor", 0.05),
        lambda: bleu_of("none"),
    ],
)
@pytest.mark.parametrize("seed", [0, *in_long(12345)])
def test_intervals_of_one_system(wmt23, make, seed, monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", str(seed))
    (_, texts), references = wmt23[0][0], wmt23[1]
    for few in (texts, texts[:9]):  # nine lines often lack matches of a long order
        metric = make()
        expected = metric.theirs.corpus_score(few, [references[0][: len(few)]], n_bootstrap=200)
        table = metric.table(few, [references[0][: len(few)]])
        found = corpus_interval(table, metric.single, trials=200, seed=seed)
        assert (found.mean, found.method, found.trials) == (expected._mean, "sacrebleu", 200)
        assert found.half_width == expected._ci


def test_sums_beyond_single_precision_are_rounded_like_in_sacrebleu(monkeypatch):
    metric = chrf(0)
    generator = np.random.default_rng(1)
    table = np.sort(generator.integers(10**6, 4 * 10**6, (40, 6, 3)), axis=2)[:, :, [2, 1, 0]].reshape(40, 18)
    single = table.astype(np.float32)
    scores = np.array(
        [
            metric.theirs._compute_score_from_stats(single[drawn].sum(0)).score
            for drawn in np.random.default_rng(5).choice(40, (100, 40))
        ]
    )
    ordered = np.sort(scores)
    found = corpus_interval(table, metric.single, trials=100, seed=5)
    assert (found.lower, found.upper) == (float(ordered[2]), float(ordered[97]))


@pytest.mark.parametrize("single", [fscore.single_precision, fscore.score_array])
def test_empty_rows_have_a_score(single):
    assert single([0] * 18, 18, 2.0, "mean_precision_recall").tolist() == [0.0]
