"""Agreement, tests and ranks equal those of the field's own tool, mt-metrics-eval, on the same data.

Differences that are meant:

- Soft pairwise accuracy: ties count half on each side here, and in full there, where the result therefore depends on
  the order of the systems; random signs differ. Values agree within the spread over that tool's seeds.
- Permutation tests: 1 is added above and below; all swaps of up to 10 systems are made instead of 1,000 random ones.
- Tie calibration: of thresholds that are equally good the smallest is reported.
- NaN ratings are missing here, and poison the result there.
- A group without a value is left out of the mean here. That tool counts it as 0 for the mean (macro) of `kendall-like`,
  so that the means are equal only if every group has pairs.
- `kendall-like` with margin 0 counts human ties as pairs there; here a pair needs a difference.
- Pearson's r over the differences of pairs of systems is not offered here.
"""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from chrfect.meta import (
    Measure,
    Panel,
    Statistic,
    calibrate,
    compare_permuted,
    compare_williams,
    correlate,
    rank_clusters,
    soft_accuracy,
    williams,
)
from chrfect.meta.sources import Request, gather
from conftest import in_long

FOLDER = os.environ.get("CHRFECT_DATA")
pytestmark = [
    pytest.mark.skipif(not FOLDER, reason="CHRFECT_DATA is not set: the real texts are not shipped"),
    pytest.mark.filterwarnings("ignore:.*undefined in:chrfect.errors.ChrfectWarning"),
]

GOLDENS = json.loads((Path(FOLDER) / "mt-metrics-eval" / "goldens.json").read_bytes()) if FOLDER else {}
MQM = GOLDENS.get("en-de MQM", {})
METRICS = ("chrF", "chrF++", "BLEU")
PAIRS = (("BLEU", "chrF"), ("chrF", "chrF++"), ("BLEU", "chrF++"))
STATISTICS = {"pearson": "pearson", "kendall-b": "kendall-b", "accuracy": "accuracy"}


@pytest.fixture(scope="module")
def panels(data):
    """The panel with corpus scores, and the one with means of segment scores."""
    table = str(data / "wmt21-mqm" / "newstest2021.en-de.mqm.tsv")
    found = {}
    for kind in ("corpus", "mean"):
        request = Request(tables=[table], human="mqm", references=["ref_A"], metrics=list(METRICS), system_scores=kind)
        [panel], _ = gather(request, "system")
        order = np.argsort(panel.systems)
        found[kind] = Panel(
            panel.name,
            [panel.systems[at] for at in order],
            panel.items,
            panel.human[order],
            {name: scores[order] for name, scores in panel.metrics.items()},
            {name: scores[order] for name, scores in panel.corpus.items()},
        )
    return found


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("kind", "heading"), [("corpus", "corpus score"), ("mean", "mean of segment scores")])
def test_system_level_agreement(panels, kind, heading, metric):
    golden = MQM["system level"][heading][metric]
    for name in ("pearson", "spearman", "kendall-b", "kendall-c"):
        found = correlate(panels[kind], metric, Measure(Statistic(name), level="system"))
        assert found.value == pytest.approx(golden[name], abs=1e-12)
    found = correlate(panels[kind], metric, Measure(Statistic("accuracy"), level="system"))
    assert found.value == pytest.approx(golden["pairwise accuracy"], abs=1e-15)
    assert found.corpus == (kind == "corpus")


def test_system_scores_are_those_of_the_whole_corpus(panels):
    for metric in METRICS:
        assert panels["corpus"].corpus[metric].tolist() == MQM["inputs"]["system corpus score"][metric]


@pytest.mark.parametrize(
    ("grouping", "metric"),
    [
        *(("item", metric) for metric in METRICS),
        ("system", "chrF"),
        *in_long(("system", "chrF++"), ("system", "BLEU"), ("none", "chrF")),
    ],
)
def test_segment_level_agreement(panels, metric, grouping):
    golden, panel = MQM["segment level"][metric][grouping], panels["mean"]

    def value(statistic, average="macro"):
        return correlate(panel, metric, Measure(statistic, grouping=grouping, average=average)).value

    for name in ("pearson", "spearman", "kendall-b", "kendall-c"):
        assert value(Statistic(name)) == pytest.approx(golden[name]["value"], abs=1e-12)
    for epsilon in (0, 1, 5, 20, 50):
        expected = golden[f"acc_eq, epsilon {epsilon}"]["value"]
        assert value(Statistic("accuracy", epsilon=epsilon)) == pytest.approx(expected, abs=1e-12)
    calibrated = value(Statistic("accuracy-calibrated"))
    assert calibrated == pytest.approx(golden["acc_eq, calibrated"]["value"], abs=1e-12)
    for margin in (25, 5, 1, 0.1):
        found = value(Statistic("darr", margin=margin), "micro")
        assert found == pytest.approx(golden[f"kendall-like, micro, margin {margin:g}"]["value"], abs=1e-12)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize(("first", "second"), PAIRS)
@pytest.mark.parametrize(("kind", "heading"), [("corpus", "corpus score"), ("mean", "mean of segment scores")])
def test_swapping_systems_gives_the_p_values_of_all_swaps(panels, statistic, first, second, kind, heading):
    exact = MQM["exact permutation test, system level (all 256 exchanges)"][heading][f"{first}|{second}"][statistic]
    measure = Measure(Statistic(statistic), level="system")
    found = compare_permuted(panels[kind], second, first, measure, swapped="systems")
    assert found.difference == pytest.approx(exact["delta"], abs=1e-12)
    assert found.p_value == exact["two-sided"]
    assert found.one_sided == exact["one-sided"]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_random_swaps_of_systems_approach_all_swaps(panels, first, second):
    golden = MQM["permutation tests (metric1|metric2)"]["system, corpus"]["pearson"][f"{first}|{second}"]
    measure = Measure(Statistic("pearson"), level="system")
    found = compare_permuted(panels["corpus"], second, first, measure, swapped="systems", permutations=100)
    assert "100 permutations" in found.test
    assert found.p_value == pytest.approx(golden["p_two_sided_mean"], abs=0.15)


@pytest.mark.parametrize(("first", "second"), PAIRS)
@pytest.mark.parametrize(
    ("place", "test", "measure"),
    [
        ("system, corpus", "accuracy pairs test, epsilon 0", Measure(Statistic("accuracy"), level="system")),
        ("system, mean of segments", "accuracy pairs test, epsilon 0", Measure(Statistic("accuracy"), level="system")),
        ("segment, item", "accuracy pairs test, epsilon 0", Measure(Statistic("accuracy"), grouping="item")),
        (
            "segment, item",
            "accuracy pairs test, calibrated epsilon",
            Measure(Statistic("accuracy-calibrated"), grouping="item"),
        ),
    ],
    ids=str,
)
def test_swapping_outcomes_of_pairs(panels, place, test, measure, first, second):
    golden = MQM["permutation tests (metric1|metric2)"][place][test][f"{first}|{second}"]
    panel = panels["corpus" if place == "system, corpus" else "mean"]
    found = compare_permuted(panel, second, first, measure, swapped="pairs", permutations=20_000, seed=1)
    assert found.difference == pytest.approx(golden["delta"], abs=1e-12)
    draws = golden["draws"] * 10
    spread = 4 * np.sqrt(max(golden["p_two_sided_mean"] * (1 - golden["p_two_sided_mean"]), 1e-4) / draws) + 1e-3
    assert found.p_value == pytest.approx(golden["p_two_sided_mean"], abs=spread)


@pytest.mark.parametrize(("first", "second"), PAIRS)
@pytest.mark.parametrize("statistic", ["pearson", "kendall-b"])
def test_swapping_cells_within_items(panels, statistic, first, second):
    golden = MQM["permutation tests (metric1|metric2)"]["segment, item"][statistic][f"{first}|{second}"]
    measure = Measure(Statistic(statistic), grouping="item")
    found = compare_permuted(panels["mean"], second, first, measure, swapped="cells", permutations=1000)
    assert found.p_value == pytest.approx(golden["p_two_sided_mean"], abs=0.07)


@pytest.mark.parametrize("metric", METRICS)
def test_soft_pairwise_accuracy_is_within_the_spread_of_that_tool(panels, metric):
    golden = MQM["soft pairwise accuracy"][metric]["10000 permutations, seeds 0..9"]
    panel = panels["mean"]
    found = float(soft_accuracy(panel.human, panel.metrics[metric], permutations=10_000))
    assert found == pytest.approx(golden["mean"], abs=4 * golden["sd"])


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_swapping_cells_for_soft_pairwise_accuracy(panels, first, second):
    """Each value is uncertain by the sign vectors, and each p-value also by the swaps."""
    golden = MQM["permutation tests (metric1|metric2)"]["system, mean of segments"]["soft-accuracy"]
    expected = golden[f"{first}|{second}"]
    measure = Measure(Statistic("soft-accuracy"), level="system")
    found = compare_permuted(panels["mean"], second, first, measure, swapped="cells", permutations=300)
    spread = [MQM["soft pairwise accuracy"][name]["1000 permutations, seeds 0..9"]["sd"] for name in (first, second)]
    assert found.difference == pytest.approx(expected["delta"], abs=3 * np.hypot(*spread))
    assert found.p_value == pytest.approx(expected["p_two_sided_mean"], abs=0.1)
    assert found.one_sided == pytest.approx(expected["p_one_sided_mean"], abs=0.1)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_williams(panels, first, second):
    level = MQM["williams, system level, corpus scores"][f"{first} against {second}"]
    measure = Measure(Statistic("pearson"), level="system")
    assert compare_williams(panels["corpus"], first, second, measure).p_value == pytest.approx(level["two-sided"])
    segments = MQM["williams, segment level, not grouped"][f"{first} against {second}"]
    found = compare_williams(panels["mean"], first, second, Measure(Statistic("pearson")))
    assert found.p_value == pytest.approx(segments["two-sided"])
    assert min(found.one_sided, 1 - found.one_sided) == pytest.approx(
        min(segments["one-sided"], 1 - segments["one-sided"])
    )


@pytest.mark.parametrize("case", GOLDENS.get("williams", []), ids=lambda case: f"n={case['n']}")
def test_williams_of_given_correlations(case):
    assert williams(case["r12"], case["r13"], case["r23"], case["n"])[1] == pytest.approx(case["two-sided"])


@pytest.mark.parametrize("name", GOLDENS.get("ranks", {}).get("matrices", {}))
def test_ranks_by_the_rule_of_wmt(name):
    golden = GOLDENS["ranks"]["matrices"][name]
    [matrix] = [value for key, value in golden.items() if key.startswith("p ")]
    metrics = list(range(len(matrix)))
    values = {str(at): float(-at) for at in metrics}
    p_values = {(str(i), str(j)): matrix[i][j] for i in metrics for j in metrics if i < j}
    assert list(rank_clusters(values, p_values, golden["level"], "wmt").values()) == golden["ranks"]


def test_ratings_removed(panels):
    golden, panel = GOLDENS["en-de MQM, ratings removed"], panels["mean"]
    missing = np.array([[(i + int(s)) % 7 == 0 or int(s) % 50 == 0 for s in panel.items] for i in range(8)])
    holed = Panel("holed", panel.systems, panel.items, np.where(missing, np.nan, panel.human), panel.metrics)
    assert holed.cells == golden["cells left"]
    for metric in METRICS:
        for grouping, expected in golden["segment level"][metric].items():
            if grouping not in ("none", "item", "system"):
                continue
            for name in ("pearson", "kendall-b"):
                found = correlate(holed, metric, Measure(Statistic(name), grouping=grouping)).value
                assert found == pytest.approx(expected[name]["value"], abs=1e-12)


LEFT_OUT = ("rating NaN instead of None", "metric NaN", "metric None")
"""That tool does not treat NaN as missing, and raises an exception where a metric has no score."""

SYNTHETIC = GOLDENS.get("synthetic", {})


@pytest.mark.parametrize("name", [name for name in SYNTHETIC if name not in LEFT_OUT])
def test_small_tables(name):
    golden = SYNTHETIC[name]
    human, metric = (
        np.array([[np.nan if x is None else x for x in row] for row in golden[side]], float)
        for side in ("human", "metric")
    )
    for grouping in ("none", "item", "system"):
        for statistic, label in (
            ("pearson", "pearson"),
            ("spearman", "spearman"),
            ("kendall-b", "kendall-b"),
            ("accuracy", "acc_eq, epsilon 0"),
        ):
            expected = golden[grouping][label]
            measure = Measure(Statistic(statistic), grouping=grouping)
            found = float(measure.values(human, metric))
            if expected["n"] == 0:
                assert np.isnan(found), (grouping, statistic)
            else:
                assert found == pytest.approx(expected["value"], abs=1e-12), (grouping, statistic)


@pytest.mark.parametrize("metric", METRICS)
def test_the_calibrated_threshold_is_among_the_equally_good_ones(panels, metric):
    golden = MQM["segment level"][metric]["item"]["acc_eq, calibrated"]
    found = calibrate(panels["mean"].human.T, panels["mean"].metrics[metric].T, average="macro")
    assert found.epsilon == min(golden["equally good thresholds (within 1e-12)"])
