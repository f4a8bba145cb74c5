"""Comparisons: p-values, intervals, corrections and ranks equal naive computations and sacreBLEU's."""

import json
from itertools import combinations

import numpy as np
import pytest
import scipy.stats
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

import realdata
from chrfect import ChrF, ChrfectWarning, Runs, UsageError, evaluate
from chrfect.evaluation.report.tables import CORRECTED, comparison_tables, contrast_tables, p_text
from conftest import in_long

REFERENCES = ["the cat sat on the mat", "a dog ran off", "it rains again today", "he said so", "we are here", "good"]
SYSTEMS = {
    "A": ["the cat sat on a mat", "a dog ran", "it is raining today", "he said so", "we were here", "good"],
    "B": ["a cat is on the mat", "dog", "rain", "she said it", "we are not here", "good"],
    "C": ["cat", "a dog ran off", "it rains today", "he says", "here", "bad"],
}


@pytest.fixture(scope="module")
def found():
    return evaluate(SYSTEMS, REFERENCES, ["chrF", "BLEU(tokenize=none)"])


@pytest.fixture(scope="module")
def wmt23(data):
    rows = realdata.read_tsv(data / "wmt23" / "generaltest2023.de-en.tsv")
    systems = {name: [row[name] for row in rows] for name in rows[0] if name.startswith("hyp_")}
    return systems, [row["ref_refA"] for row in rows]


def test_p_values_equal_a_naive_loop_over_exact_scores(found):
    metric, trials = ChrF(), 80
    coins = np.random.default_rng(12345).integers(2, size=(trials, len(REFERENCES)), dtype=bool)
    compared = found.compare(trials=trials, resamples=20)
    for first, second in combinations(SYSTEMS, 2):

        def exact(texts):
            return metric.corpus(texts, REFERENCES).score_fraction

        observed = abs(exact(SYSTEMS[first]) - exact(SYSTEMS[second]))
        pairs = list(zip(SYSTEMS[first], SYSTEMS[second], strict=True))
        beyond = sum(
            abs(
                exact([a if coin else b for coin, (a, b) in zip(trial, pairs, strict=True)])
                - exact([b if coin else a for coin, (a, b) in zip(trial, pairs, strict=True)])
            )
            >= observed
            for trial in coins
        )
        assert compared.difference(first, second, "chrF").p_value == (1 + beyond) / (1 + trials)


def test_differences_count_segments(found):
    for metric in found.metrics:
        for baseline, system in combinations(SYSTEMS, 2):
            one = found.compare(trials=10, resamples=10).difference(baseline, system, metric)
            mine, theirs = (metric.segments(SYSTEMS[name], REFERENCES).scores for name in (system, baseline))
            assert one.difference == pytest.approx(
                metric.corpus(SYSTEMS[system], REFERENCES).score - metric.corpus(SYSTEMS[baseline], REFERENCES).score
            )
            assert one.wins == sum(m > t for m, t in zip(mine, theirs, strict=True))
            assert one.losses == sum(m < t for m, t in zip(mine, theirs, strict=True))
            assert one.wins + one.losses + one.ties == len(REFERENCES)
            t = scipy.stats.ttest_rel(mine, theirs).statistic
            assert one.effect_size == pytest.approx(t / len(REFERENCES) ** 0.5)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_the_interval_of_a_difference_equals_scipy(found, method):
    metric = ChrF()
    tables = [metric.count(SYSTEMS[name], REFERENCES).to_numpy() for name in ("A", "B")]

    def statistic(indices, axis):
        def difference(chosen):
            sums = [metric.float_score(table[chosen].sum(0).tolist()) for table in tables]
            return sums[1] - sums[0]

        return np.apply_along_axis(difference, axis, indices)

    expected = scipy.stats.bootstrap(
        (np.arange(len(REFERENCES)),),
        statistic,
        n_resamples=300,
        batch=300,
        method={"bca": "BCa"}.get(method, method),
        rng=np.random.default_rng(12345),
    ).confidence_interval
    bounds = found.compare("A", trials=10, resamples=300, method=method).difference("A", "B", "chrF").interval
    assert (bounds.lower, bounds.upper) == pytest.approx(tuple(expected), rel=1e-9)


def test_corrections_are_over_the_pairs_of_one_metric(found):
    compared = found.compare(trials=200, resamples=10, correction="benjamini-hochberg")
    for metric in found.metrics:
        of_metric = [one for one in compared.differences if one.metric == metric]
        p_values = [one.p_value for one in of_metric]
        expected = scipy.stats.false_discovery_control(p_values, method="bh")
        assert [one.benjamini_hochberg for one in of_metric] == pytest.approx(expected.tolist())
        assert max(one.holm for one in of_metric) <= 1.0
        assert all(one.holm >= one.p_value for one in of_metric)
        assert [one.significant for one in of_metric] == [one.benjamini_hochberg <= 0.05 for one in of_metric]


@pytest.mark.parametrize("correction", ["none", "bonferroni", "holm", "benjamini-hochberg", "benjamini-yekutieli"])
def test_the_corrected_p_value_decides_and_has_a_column(found, correction):
    compared = found.compare(trials=200, resamples=10, correction=correction)
    for metric in found.metrics:
        of_metric = [one for one in compared.differences if one.metric == metric]
        p_values = np.array([one.p_value for one in of_metric])
        expected = {
            "none": p_values,
            "bonferroni": np.minimum(3 * p_values, 1),
            "holm": [max(min(1, (3 - i) * q) for i, q in enumerate(np.sort(p_values)) if q <= p) for p in p_values],
            "benjamini-hochberg": scipy.stats.false_discovery_control(p_values, method="bh"),
            "benjamini-yekutieli": scipy.stats.false_discovery_control(p_values, method="by"),
        }[correction]
        assert [one.corrected for one in of_metric] == pytest.approx(list(expected))
        assert [one.significant for one in of_metric] == [one.corrected <= 0.05 for one in of_metric]
        (table,) = (t for t in comparison_tables(compared) if t.caption == f"{metric}: differences")
        shown = [row[table.columns.index(CORRECTED[correction])] for row in table.rows]
        assert shown == [p_text(one.corrected) for one in of_metric]


def test_levels_are_written_with_the_decimals_that_they_need(found):
    compared = found.compare(trials=10, resamples=10, level=0.999)
    assert all("99.9% from" in table.columns for table in comparison_tables(compared))
    assert str(compared.differences[0].interval).startswith("99.9% percentile bootstrap")
    assert "99.9% from" in contrast_tables(found.contrast("A", "B", "chrF", trials=10, level=0.999))[1].columns
    assert "95% from" in contrast_tables(found.contrast("A", "B", "chrF", trials=10))[1].columns


def test_p_value_of_identical_systems_is_one():
    with pytest.warns(ChrfectWarning, match="The systems A and same have the same outputs"):
        found = evaluate({"A": SYSTEMS["A"], "same": list(SYSTEMS["A"])}, REFERENCES)
    one = found.compare("A", trials=100, resamples=50).differences[0]
    assert (one.p_value, one.difference, one.effect_size, one.significant) == (1.0, 0.0, None, False)
    assert (one.wins, one.losses, one.ties) == (0, 0, len(REFERENCES))
    assert (one.interval.lower, one.interval.upper) == (0.0, 0.0)


def test_results_do_not_depend_on_threads(found):
    one, two = (found.compare(trials=300, resamples=100, threads=threads) for threads in (1, 2))
    assert one.to_dict() == two.to_dict()


@pytest.mark.filterwarnings("ignore:.*zero-width space")
@pytest.mark.parametrize("seed", [12345, *in_long(99)])
def test_tests_named_after_sacrebleu_equal_its_results(wmt23, seed, monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", str(seed))
    systems, references = wmt23
    metrics = {"chrF": CHRF(), "BLEU": BLEU()}
    found = evaluate(systems, references, list(metrics))
    for kind, trials in (("ar", 500), ("bs", 300)):
        options = {"test_type": kind, "n_samples": trials, "n_ar_confidence": 20}
        _, theirs = PairedTest(list(systems.items()), metrics, [references], **options)()
        compared = found.compare(next(iter(systems)), test=f"sacrebleu-{kind}", trials=trials, resamples=20, seed=seed)
        for metric, name in (("chrF", "chrF2"), ("BLEU", "BLEU")):
            expected = [result.p_value for result in theirs[name][1:]]
            assert [one.p_value for one in compared.differences if str(one.metric) == metric] == expected
            scores = [compared.evaluation.score(system, metric) for system in systems]
            assert [score.score for score in scores] == [result.score for result in theirs[name]]
            bounds = [score.interval for score in scores]
            assert [(one.mean, one.half_width) for one in bounds] == [(one.mean, one.ci) for one in theirs[name]]
            assert {one.method for one in bounds} == {"sacrebleu"}


@pytest.mark.filterwarnings("ignore:.*zero-width space")
def test_intervals_equal_those_of_the_paired_test_against_the_baseline(wmt23, monkeypatch):
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    systems, references = wmt23
    names = list(systems)
    found = evaluate(systems, references)
    for baseline, order in ((None, names), (names[2], [names[2], *names[:2], *names[3:]])):
        given = [(name, systems[name]) for name in order]
        options = {"test_type": "ar", "n_samples": 100, "n_ar_confidence": 40}
        theirs = PairedTest(given, {"chrF": CHRF()}, [references], **options)()[1]["chrF2"]
        compared = found.compare(baseline, test="sacrebleu-ar", trials=100, resamples=40).evaluation
        bounds = [compared.score(name).interval for name in order]
        assert [(one.mean, one.half_width) for one in bounds] == [(one.mean, one.ci) for one in theirs]


@pytest.mark.parametrize("number", [1, 2])
def test_ter_significance_equals_sacrebleu(number, monkeypatch):
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    references = [REFERENCES, [*REFERENCES[1:], "so it goes"]][:number]
    found = evaluate(SYSTEMS, {str(i): texts for i, texts in enumerate(references)}, "TER", documents=list("aabbcc"))
    for kind, trials in (("ar", 300), ("bs", 100)):
        _, theirs = PairedTest(list(SYSTEMS.items()), {"TER": TER()}, references, test_type=kind, n_samples=trials)()
        compared = found.compare("A", test=f"sacrebleu-{kind}", trials=trials, resamples=20)
        assert [one.p_value for one in compared.differences] == [result.p_value for result in theirs["TER"][1:]]
    for score in found.scores:
        assert score.groups["document"][0].score == pytest.approx(
            TER().corpus_score(SYSTEMS[score.system][:2], [texts[:2] for texts in references]).score
        )


@pytest.mark.filterwarnings("ignore:.*zero-width space")
def test_all_pairs_of_real_systems_are_ranked(wmt23):
    systems, references = wmt23
    systems = {**systems, "half": [text[: len(text) // 2] for text in next(iter(systems.values()))]}
    compared = evaluate(systems, references).compare(trials=400, resamples=50)
    ranks = {system: rank for (_, system), rank in compared.ranks.items()}
    assert (ranks["half"].best, ranks["half"].worst) == (len(systems), len(systems))
    assert ranks["half"].cluster == max(rank.cluster for rank in ranks.values())
    assert min(rank.best for rank in ranks.values()) == 1


def test_lower_is_better_reverses_wins_and_ranks(found):
    class Errors(ChrF):
        lower_is_better = True

    right = evaluate(SYSTEMS, REFERENCES, ChrF()).compare(trials=50, resamples=10)
    turned = evaluate(SYSTEMS, REFERENCES, Errors()).compare(trials=50, resamples=10)
    for one, other in zip(right.differences, turned.differences, strict=True):
        assert (one.wins, one.losses, one.p_value) == (other.losses, other.wins, other.p_value)


def test_runs_are_exchanged_together():
    with pytest.warns(ChrfectWarning, match="The systems A, run 1 and A, run 2 have the same outputs"):
        twice = evaluate({"A": Runs(SYSTEMS["A"], SYSTEMS["A"]), "B": SYSTEMS["B"]}, REFERENCES)
    once = evaluate({"A": SYSTEMS["A"], "B": SYSTEMS["B"]}, REFERENCES)
    one, two = (found.compare("B", trials=200, resamples=50).differences[0] for found in (once, twice))
    assert one.p_value == two.p_value
    assert (one.interval.lower, one.difference) == pytest.approx((two.interval.lower, two.difference))
    with pytest.raises(UsageError, match="compares single runs"):
        twice.compare("B", test="sacrebleu-bs")


def test_comparison_converts_to_tables(found):
    pytest.importorskip("pandas")
    compared = found.compare("B", trials=20, resamples=20)
    frame = compared.to_pandas()
    assert frame["system"].tolist() == ["A", "C"] * 2
    assert frame["p_value"].tolist() == [one.p_value for one in compared.differences]
    document = json.loads(json.dumps(compared.to_dict(), allow_nan=False))
    assert document["test"] == "randomization"
    assert document["human_agreement_source"] == "Kocmi et al. 2024"
    assert [entry["interval"]["trials"] for entry in document["differences"]] == [20] * 4
    shown = compared._repr_html_()
    assert shown.startswith('<div class="chrfect">')
    assert shown.count("<small>humans") == sum(one.human_agreement is not None for one in compared.differences)
    assert repr(compared) == "<Comparison of 3 systems, the baseline B, randomization>"


@pytest.mark.parametrize(
    ("baseline", "options", "message"),
    [
        ("D", {}, "no system 'D'; one of A, B, C"),
        (None, {"test": "t"}, "test is 't'; one of randomization, sacrebleu-ar, sacrebleu-bs"),
        (None, {"correction": "fdr"}, "correction is 'fdr'"),
        (None, {"trials": 0}, "trials is 0"),
        (None, {"level": 2}, "confidence is 2"),
    ],
)
def test_rejects_input_that_cannot_be_compared(found, baseline, options, message):
    with pytest.raises(UsageError, match=message):
        found.compare(baseline, **options)
    with pytest.raises(UsageError, match="one system, A; at least two"):
        evaluate({"A": SYSTEMS["A"]}, REFERENCES).compare()
