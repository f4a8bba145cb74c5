"""Every agreement has its measure; missing cells are masked, and undefined values are None, never NaN."""

import warnings

import numpy as np
import pytest
import scipy.stats

from chrfect.errors import ChrfectWarning, UsageError
from chrfect.meta import Measure, Panel, Statistic, correlate
from chrfect.meta.measure import mean_of_items
from chrfect.meta.statistics import STATISTICS

NAN = float("nan")
HUMAN = [[1, 2, 4, 3], [2, 2, 5, 1], [3, 4, 1, NAN]]
SCORES = [[10, 20, 30, 40], [20, 10, 50, 30], [30, 40, 20, 10]]


def panel(human=HUMAN, **metrics):
    systems, items = np.shape(human)
    return Panel("en-de", [f"S{i}" for i in range(systems)], [f"i{i}" for i in range(items)], human, metrics)


def value(name, **measure):
    return correlate(panel(m=SCORES), "m", Measure(Statistic(name), **measure))


def test_groupings_and_averages_equal_scipy():
    human, scores = np.array(HUMAN), np.array(SCORES, float)
    known = ~np.isnan(human)
    r = scipy.stats.pearsonr
    assert value("pearson").value == pytest.approx(r(human[known], scores[known]).statistic)
    by_item = [r(human[known[:, i], i], scores[known[:, i], i]).statistic for i in range(4)]
    assert value("pearson", grouping="item").value == pytest.approx(np.mean(by_item))
    by_system = [r(human[s, known[s]], scores[s, known[s]]).statistic for s in range(3)]
    assert value("pearson", grouping="system").value == pytest.approx(np.mean(by_system))
    centred = [(row[k] - row[k].mean(), m[k] - m[k].mean()) for row, m, k in zip(human, scores, known, strict=True)]
    x, y = (np.concatenate(side) for side in zip(*centred, strict=True))
    micro = (x @ y) / np.sqrt((x @ x) * (y @ y))
    assert value("pearson", grouping="system", average="micro").value == pytest.approx(micro)


def test_the_system_level_compares_means_over_rated_cells():
    means = [np.mean(row) for row in (HUMAN[0], HUMAN[1], HUMAN[2][:3])]
    scores = [25.0, 27.5, 30.0]
    agreement = value("pearson", level="system")
    assert agreement.value == pytest.approx(scipy.stats.pearsonr(means, scores).statistic)
    assert value("accuracy", level="system").value == pytest.approx(2 / 3)
    assert (agreement.members, agreement.groups) == (3, 1)


def test_system_score_is_the_mean_of_rated_segments():
    cells = np.array([[[1.0, NAN, 5.0], [NAN, NAN, NAN]], [[1.0, 2.0, 3.0], [4.0, 4.0, 7.0]]])
    assert np.array_equal(mean_of_items(cells), [[3.0, NAN], [2.0, 5.0]], equal_nan=True)


def test_micro_pools_the_pairs_of_all_groups():
    human, scores = [[1, 1], [2, 2], [3, NAN]], [[1, 2], [2, 1], [3, 9]]
    for average, expected in (("micro", 3 / 4), ("macro", (1 + 0) / 2)):
        with warnings.catch_warnings():
            measure = Measure(Statistic("accuracy"), grouping="item", average=average)
            assert correlate(panel(human, m=scores), "m", measure).value == expected


def test_darr_pooled_over_items_is_the_number_of_the_wmt_metrics_task():
    generator = np.random.default_rng(2)
    human = generator.integers(0, 5, (6, 40)) * 12.5
    scores = np.round(human / 30 + generator.normal(size=human.shape), 1)
    right = wrong = 0
    for item in range(40):
        for a in range(6):
            for b in range(a):
                difference = human[a, item] - human[b, item]
                if abs(difference) >= 25:  # a metric tie is as wrong as the opposite order
                    better = (scores[a, item] - scores[b, item]) * difference > 0
                    right, wrong = right + better, wrong + (not better)
    measure = Measure(Statistic("darr"), grouping="item", average="micro")
    assert measure.values(human, scores) == (right - wrong) / (right + wrong)
    assert str(measure).endswith("micro average, darr (human differences below 25 tied)")


def test_value_is_printed_with_its_measure():
    agreement = correlate(panel(m=SCORES), "m", Measure(Statistic("accuracy", margin=2, epsilon=5), grouping="item"))
    assert str(agreement.measure) == (
        "segment level, grouped by item, macro average, accuracy "
        "(human differences below 2 tied, metric differences up to 5 tied)"
    )
    assert agreement.mask == "11 of 12 cells rated and scored"
    assert agreement.systems == ("S0", "S1", "S2")
    assert set(agreement.to_dict()) >= {"level", "grouping", "average", "statistic", "margin", "epsilon", "mask"}


def test_calibrated_accuracy_reports_its_threshold():
    agreement = value("accuracy-calibrated", grouping="item")
    assert agreement.epsilon is not None
    again = Measure(Statistic("accuracy", epsilon=agreement.epsilon), grouping="item")
    assert correlate(panel(m=SCORES), "m", again).value == agreement.value


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall-b", "kendall-c"])
def test_a_constant_metric_is_undefined_with_a_warning(name):
    flat = panel(m=SCORES, flat=np.full((3, 4), 0.1))
    with pytest.warns(ChrfectWarning, match=f"{name} of flat is undefined: all scores of the metric are equal"):
        assert correlate(flat, "flat", Measure(Statistic(name))).value is None


def test_constant_ratings_are_undefined():
    with pytest.warns(ChrfectWarning, match="all human ratings are equal"):
        assert correlate(panel([[5, 5, 5]], m=[[1, 2, 3]]), "m", Measure(Statistic("pearson"))).value is None


def test_warning_names_a_margin_above_all_differences():
    with pytest.warns(ChrfectWarning, match="no human ratings differ by the margin of 25; the largest difference is 4"):
        assert correlate(panel([[1, 2, 5]], m=[[1, 2, 3]]), "m", Measure(Statistic("darr"))).value is None


def test_a_metric_constant_in_some_groups_is_left_out_there_and_counted():
    human = [[1, 2], [2, 3], [3, 1]]
    with pytest.warns(ChrfectWarning, match="undefined in 1 of 2 groups"):
        agreement = correlate(
            panel(human, m=[[1, 7], [2, 7], [4, 7]]), "m", Measure(Statistic("pearson"), grouping="item")
        )
    assert agreement.undefined_groups == 1
    assert agreement.value == pytest.approx(scipy.stats.pearsonr([1, 2, 3], [1, 2, 4]).statistic)


def test_rejects_fewer_than_three_systems_at_system_level():
    two = panel([[1, 2, 3], [2, 3, 4]], m=[[1, 2, 3], [2, 3, 5]])
    for measure in (Measure(Statistic("pearson"), level="system"), Measure(Statistic("kendall-b"), grouping="item")):
        with pytest.raises(UsageError, match=r"2 systems with ratings and scores; .* at least 3"):
            correlate(two, "m", measure)
    assert correlate(two, "m", Measure(Statistic("pearson"))).value is not None


def test_rejects_infinite_and_tiny_scores_and_duplicates():
    with pytest.raises(UsageError, match="m: the score of system 'S1', item 'i0' is infinite"):
        panel([[1, 2], [3, 4]], m=[[1, 2], [np.inf, 4]])
    with pytest.raises(UsageError, match="m: all scores are between -4e-310 and 4e-310, too small"):
        panel([[1, 2], [3, 4]], m=[[1e-310, 2e-310], [-3e-310, 4e-310]])
    with pytest.raises(UsageError, match="the system 'A' is repeated"):
        Panel("p", ["A", "A"], ["1"], [[1], [2]], {})
    with pytest.raises(UsageError, match=r"m have shape \(1, 2\); \(2, 2\)"):
        panel([[1, 2], [3, 4]], m=[[1, 2]])


def test_one_mask_for_all_metrics_and_a_warning_for_lost_scores():
    with pytest.warns(ChrfectWarning, match="half has no score for 1 of 4 rated cells"):
        masked = panel([[1, 2], [3, 4]], m=[[1, 2], [3, 4]], half=[[1, NAN], [3, 4]])
    assert np.isnan(masked.metric("m")[0, 1])
    assert masked.mask == "3 of 4 cells rated and scored"
    with pytest.raises(UsageError, match="no cell has both"):
        panel([[NAN, NAN]], m=[[1, 2]])


def test_the_five_kinds_of_pairs_come_with_the_value():
    pairs = value("kendall-b", grouping="item").pairs
    assert pairs.pairs == 3 * 3 + 1
    assert value("pearson").pairs is None


def test_rejects_inconsistent_measures():
    with pytest.raises(UsageError, match="pearson does not compare pairs and has no margin; margin 25"):
        Statistic("pearson", margin=25)
    with pytest.raises(UsageError, match="accuracy-calibrated has no tie threshold to set; epsilon 1"):
        Statistic("accuracy-calibrated", epsilon=1)
    with pytest.raises(UsageError, match="at least 0 was expected"):
        Statistic("accuracy", epsilon=-1)
    with pytest.raises(UsageError, match="statistic is 'r'"):
        Statistic("r")
    with pytest.raises(UsageError, match="grouping is 'row'"):
        Measure(Statistic("pearson"), grouping="row")
    with pytest.raises(UsageError, match="no groups; grouping is 'item'"):
        Measure(Statistic("pearson"), level="system", grouping="item")
    with pytest.raises(UsageError, match="level 'system' was expected"):
        Measure(Statistic("soft-accuracy"))
    with pytest.raises(UsageError, match="no micro average"):
        value("kendall-c", grouping="item", average="micro")


@pytest.mark.parametrize("name", STATISTICS)
def test_order_of_systems_and_items_does_not_matter(name):
    generator = np.random.default_rng(5)
    human, scores = generator.integers(0, 60, (2, 6, 10)).astype(float)
    measure = Measure(Statistic(name), level="system" if name == "soft-accuracy" else "segment")
    rows = generator.permutation(6)
    turned = measure.values(human[rows], scores[rows])
    assert turned == pytest.approx(measure.values(human, scores), abs=0.02 if name == "soft-accuracy" else 1e-12)


def test_memory_stays_linear_for_many_ungrouped_segments():
    import tracemalloc

    generator = np.random.default_rng(0)
    human = np.round(generator.normal(size=(1, 20_000)), 1)
    scores = human + generator.normal(size=(1, 20_000))
    tracemalloc.start()
    for name in ("pearson", "kendall-b", "accuracy"):
        Measure(Statistic(name)).values(human, scores)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000 * 1000  # an n × n matrix of single bytes would take 400 MB


def test_warning_names_the_margin_and_not_the_metric_if_no_rating_differs():
    flat = Panel("p", ["A", "B", "C"], ["1"], [[1], [2], [3]], {"m": [[5], [5], [5]]})
    with pytest.warns(ChrfectWarning, match="by the margin of 25; the largest difference is 2"):
        assert correlate(flat, "m", Measure(Statistic("darr"), grouping="item")).value is None


def test_the_margin_of_darr_is_25_unless_given():
    assert Statistic("darr").margin == 25
    assert Statistic("darr", margin=0).margin == 0
    assert Statistic("darr", margin=0).tie_rule == "equal human ratings; equal metric scores"
    assert Statistic("accuracy").margin == 0
