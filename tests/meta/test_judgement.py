"""Several metrics on several panels: default intervals and tests match the data, and all results are reported."""

import json

import numpy as np
import pytest

from chrfect.errors import ChrfectWarning, UsageError
from chrfect.meta import (
    NULLS,
    Measure,
    Panel,
    Statistic,
    compare_bootstrapped,
    compare_permuted,
    compare_williams,
    fisher,
)
from chrfect.meta.judgement import Settings, judge


def panel(name="en-de", systems=5, items=30, seed=0):
    generator = np.random.default_rng(seed)
    human = generator.normal(size=(systems, items))
    metrics = {
        label: human + s * generator.normal(size=human.shape)
        for label, s in (("far", 4.0), ("near", 0.3), ("mid", 1.0))
    }
    return Panel(name, [f"S{i}" for i in range(systems)], [f"i{i}" for i in range(items)], human, metrics)


PEARSON = Measure(Statistic("pearson"))
GROUPED = Measure(Statistic("kendall-b"), grouping="item")
FEW = Settings(resamples=40, permutations=60)


def test_metrics_come_best_first_with_fisher_and_williams_for_the_segments_of_one_system():
    data = panel(systems=1, items=150)
    [one] = judge([data], [PEARSON], FEW).judged
    assert [a.metric for a in one.agreements] == ["near", "mid", "far"]
    assert one.intervals["near"] == fisher("pearson", one.agreements[0].value, 150)
    assert one.comparisons[0] == compare_williams(data, "near", "mid", PEARSON)
    assert one.ranks == {"near": 1, "mid": 2, "far": 3}


@pytest.mark.parametrize("measure", [PEARSON, GROUPED], ids=str)
def test_segments_of_several_systems_take_the_bootstrap_over_systems_and_items(measure):
    data = panel()
    [one] = judge([data], [measure], FEW).judged
    assert str(one.intervals["near"]) == "95% bootstrap over systems and items, 40 resamples, seed 12345"
    assert one.comparisons[0] == compare_bootstrapped(data, "near", "mid", measure, resampled="both", resamples=40)
    assert one.comparisons[0].null == (
        "the agreement of the two metrics is equal for other samples of systems and items"
    )


@pytest.mark.parametrize("name", ["pearson", "accuracy", "kendall-b", "soft-accuracy"])
def test_the_system_level_swaps_whole_systems(name):
    data, measure = panel(), Measure(Statistic(name), level="system")
    [one] = judge([data], [measure], FEW).judged
    assert one.comparisons[0] == compare_permuted(
        data, *(a.metric for a in one.agreements[:2]), measure, swapped="systems", permutations=60
    )
    assert one.comparisons[0].test == "permutation of systems, two-sided, all 32 swaps"
    assert one.comparisons[0].null == NULLS["systems"]
    interval = one.intervals["near"]
    assert (interval.method, interval.resampled) == (
        ("fisher", None) if name in ("pearson", "kendall-b") else ("bootstrap", "systems")
    )


def test_methods_that_assume_independent_scores_warn_where_they_are_not():
    with pytest.warns(ChrfectWarning, match="Fisher's z treats the scores of one system, and of one item, as independ"):
        judge([panel()], [PEARSON], Settings(interval="fisher", test="none"))
    with pytest.warns(ChrfectWarning, match="Williams's test treats the scores"):
        judge([panel()], [PEARSON], Settings(interval="none", test="williams"))


def test_ranks_follow_the_rule_that_is_named():
    measure = Measure(Statistic("accuracy"), grouping="item")
    settings = {"interval": "none", "test": "permutation", "permutations": 60, "correction": "bonferroni"}
    data = panel(systems=4, items=12, seed=6)
    [wmt] = judge([data], [measure], Settings(**settings, ranks="wmt", alpha=0.2)).judged
    one_sided = {(c.first, c.second): c.one_sided for c in wmt.comparisons}
    best, second, third = (a.metric for a in wmt.agreements)
    expected = 1 + (one_sided[best, second] <= 0.2)
    assert wmt.ranks[second] == expected
    cluster = [second] if expected == 2 else [best, second]
    assert wmt.ranks[third] == expected + any(one_sided[one, third] <= 0.2 for one in cluster)


def test_panels_are_averaged_and_each_keeps_its_own_measure():
    judgement = judge([panel("a"), panel("b", seed=1)], [PEARSON, GROUPED], FEW)
    assert [(one.panel, one.measure) for one in judgement.judged] == [
        ("a", PEARSON),
        ("a", GROUPED),
        ("b", PEARSON),
        ("b", GROUPED),
    ]
    mean, number = judgement.over_panels(PEARSON)["near"]
    values = [one.agreements[0].value for one in judgement.judged if one.measure == PEARSON]
    assert (mean, number) == (pytest.approx(np.mean(values)), 2)


def test_everything_is_json_with_its_measure():
    document = json.loads(json.dumps(judge([panel()], [PEARSON, GROUPED], FEW).to_dict(), allow_nan=False))
    first = document["judged"][0]["metrics"][0]
    assert first["measure"] == "segment level, not grouped, pearson"
    assert first["mask"] == "150 of 150 cells rated and scored"
    assert first["systems"] == ["S0", "S1", "S2", "S3", "S4"]
    assert first["interval"]["resampled"] == "both"
    comparison = document["judged"][1]["comparisons"][0]
    assert comparison["test"] == "paired bootstrap over systems and items, two-sided, 40 resamples, seed 12345"
    assert comparison["null"].startswith("the agreement of the two metrics is equal")
    assert 0 < comparison["one_sided"] <= comparison["p_value"]
    assert document["settings"]["seed"] == 12345


def test_undefined_metric_has_no_rank_interval_or_test():
    data = panel()
    flat = Panel("p", data.systems, data.items, data.human, data.metrics | {"flat": np.full((5, 30), 0.1)})
    with pytest.warns(ChrfectWarning, match="flat is undefined"):
        [one] = judge([flat], [PEARSON], FEW).judged
    assert one.agreements[-1].metric == "flat"
    assert one.agreements[-1].value is None
    assert one.intervals["flat"] is None
    assert one.ranks["flat"] is None
    assert one.corrected[-1] is None


def test_without_tests_there_are_no_ranks():
    [one] = judge([panel()], [PEARSON], Settings(test="none", interval="none")).judged
    assert (one.comparisons, one.ranks, set(one.intervals.values())) == ((), {}, {None})


def test_rejects_options_that_do_not_apply():
    with pytest.raises(UsageError, match="Fisher's z gives no interval for segment level, grouped by item"):
        judge([panel()], [GROUPED], Settings(interval="fisher"))
    with pytest.raises(UsageError, match="Williams's test requires one ungrouped"):
        judge([panel()], [GROUPED], Settings(test="williams", interval="none"))


def test_progress_reaches_the_total():
    seen = []
    judge([panel()], [PEARSON], FEW, lambda *now: seen.append(now))
    assert seen == sorted(seen)
    assert seen[-1] == (6000, 6000)
    seen.clear()
    judge([panel()], [GROUPED], FEW, lambda *now: seen.append(now))
    assert seen[-1] == (6000, 6000)


def test_pairs_of_all_panels_are_pooled():
    accuracy = Measure(Statistic("accuracy"), level="system")
    panels = [panel("a"), panel("b", systems=9, seed=1)]
    judgement = judge(panels, [accuracy], FEW)
    right = total = 0
    for data in panels:
        human, scores = data.human.mean(axis=1), data.metrics["mid"].mean(axis=1)
        for i in range(len(human)):
            for j in range(i):
                right += (human[i] > human[j]) == (scores[i] > scores[j])
                total += 1
    assert judgement.pooled(accuracy)["mid"] == right / total
    assert judgement.pooled(PEARSON) == {}


@pytest.mark.parametrize("wrong", [{"alpha": 5}, {"confidence": 0}, {"seed": -1}])
def test_rejects_settings_out_of_range(wrong):
    with pytest.raises(UsageError, match=f"{next(iter(wrong))} is"):
        Settings(**wrong)


def test_a_task_with_two_systems_among_others_is_left_out_with_a_warning():
    measure = Measure(Statistic("accuracy"), level="system")
    with pytest.warns(ChrfectWarning, match="xx-de: 2 systems with ratings .* It is excluded"):
        judgement = judge([panel(), panel("xx-de", systems=2)], [measure], FEW)
    assert [one.panel for one in judgement.judged] == ["en-de"]
    with pytest.raises(UsageError, match="none of the 2 panels has enough systems"), pytest.warns(ChrfectWarning):
        judge([panel(systems=2), panel("xx-de", systems=2)], [measure], FEW)
