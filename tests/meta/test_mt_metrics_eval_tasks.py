"""Domains, rankings over several tasks, and whole test sets equal the values of mt-metrics-eval."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from chrfect.errors import ChrfectWarning
from chrfect.meta import Measure, Panel, Statistic, better_p_values, correlate
from chrfect.meta.aggregate import aggregate
from chrfect.meta.judgement import Settings, judge
from chrfect.meta.sources import Request, gather

FOLDER = os.environ.get("CHRFECT_DATA")
pytestmark = pytest.mark.skipif(not FOLDER, reason="CHRFECT_DATA is not set: the real texts are not shipped")

GOLDENS = json.loads((Path(FOLDER) / "mt-metrics-eval" / "goldens.json").read_bytes()) if FOLDER else {}
METRICS = ("chrF", "chrF++", "BLEU")
TEXTS_2017 = GOLDENS.get("wmt17-da (560 segments a pair, all rows one group)", {}).get("pairs", {})


@pytest.fixture(scope="module")
def domains(data, tmp_path_factory):
    """The seven texts of 2017 as seven domains of one table, each a panel."""
    rows = ["pair\tsegid\tsystem\tdomain\treference\thypothesis\tda"]
    for pair in TEXTS_2017:
        lines = (data / "wmt17-da" / f"newstest2017.{pair}.tsv").read_text(encoding="utf-8").split("\n")[1:]
        for item, system, _, reference, hypothesis, rating in (line.split("\t") for line in lines if line):
            rows.append(f"x-en\t{pair}-{item}\t{system}\t{pair}\t{reference}\t{hypothesis}\t{rating}")
    path = tmp_path_factory.mktemp("domains") / "texts.tsv"
    path.write_text("\n".join(rows), encoding="utf-8")
    request = Request(tables=[str(path)], human="da", references=["reference"], metrics=list(METRICS), domain="domain")
    with pytest.warns(ChrfectWarning, match="seem to be tokenized already"):
        panels, _ = gather(request, "segment")
    return {panel.name.removeprefix("x-en "): panel for panel in panels}


@pytest.mark.parametrize("pair", TEXTS_2017)
def test_agreement_by_domain(domains, pair):
    panel = domains[pair]
    assert panel.cells == 560
    halves = Panel(pair, panel.systems, panel.items, np.floor(2 * panel.human + 0.5) / 2, panel.metrics)
    for metric in METRICS:
        golden = TEXTS_2017[pair][metric]
        assert np.nansum(panel.metric(metric)) == pytest.approx(golden["sum of scores"])
        for name in ("pearson", "spearman", "kendall-b", "kendall-c"):
            found = correlate(panel, metric, Measure(Statistic(name))).value
            assert found == pytest.approx(golden[name], abs=1e-12)
        rounded = golden["rounded da"]
        for label, statistic in {
            "kendall-b": Statistic("kendall-b"),
            "kendall-c": Statistic("kendall-c"),
            "acc_eq, epsilon 0": Statistic("accuracy"),
            "acc_eq, epsilon 10": Statistic("accuracy", epsilon=10),
            "kendall-like, margin 0.5": Statistic("darr", margin=0.5),
            "kendall-like, margin 1": Statistic("darr", margin=1),
        }.items():
            found = correlate(halves, metric, Measure(statistic)).value
            assert found == pytest.approx(rounded[label], abs=1e-12), label
        calibrated = correlate(halves, metric, Measure(Statistic("accuracy-calibrated"))).value
        assert calibrated == pytest.approx(rounded["acc_eq, calibrated"]["value"], abs=1e-12)


def test_the_overall_value_is_the_weighted_mean_over_the_tasks(domains):
    """The weighted mean and its order are computed here from that tool's values of each task."""
    settings = Settings(interval="none", test="none")
    judgement = judge(
        list(domains.values()), [Measure(Statistic("pearson")), Measure(Statistic("kendall-b"))], settings
    )
    overall = aggregate(judgement, {"x-en zh-en": 3.0, "x-en lv-en:pearson": 0.5, "pearson": 2.0})
    shares = {(pair, name): 1.0 for pair in TEXTS_2017 for name in ("pearson", "kendall-b")}
    for pair, name in shares:
        shares[pair, name] *= (3 if pair == "zh-en" else 1) * (2 if name == "pearson" else 1)
    shares["lv-en", "pearson"] *= 0.5
    total = sum(shares.values())
    expected = {
        metric: sum(share * TEXTS_2017[pair][metric][name] for (pair, name), share in shares.items()) / total
        for metric in METRICS
    }
    assert overall.values == pytest.approx(expected)
    assert list(overall.values) == sorted(METRICS, key=expected.__getitem__, reverse=True)


PAIRS_OF_SYSTEMS = GOLDENS.get("wmt-systems", {}).get("pairs", {})


def rated_systems(testset):
    """Return the panel of a test set from that tool's corpus scores and the human scores of the data folder."""
    golden = PAIRS_OF_SYSTEMS[testset]
    lines = (Path(FOLDER) / "wmt-systems" / "DA-syslevel.tsv").read_text(encoding="utf-8").split("\n")[1:]
    rows = (line.split("\t") for line in lines if line)
    human = {system: float(da) for year, pair, system, da in rows if f"{year} {pair}" == testset}
    systems = [system for system in golden["systems"] if system in human]
    scores = {metric: [[golden["systems"][system][at]] for system in systems] for at, metric in enumerate(METRICS)}
    return Panel(testset, systems, [""], [[human[system]] for system in systems], scores)


@pytest.mark.parametrize("years", ["newstest2018", "newstest2019", "all"])
def test_systems_of_twenty_test_sets(years):
    measures = [
        Measure(Statistic(name), level="system")
        for name in ("pearson", "spearman", "kendall-b", "kendall-c", "accuracy")
    ]
    panels = [rated_systems(testset) for testset in PAIRS_OF_SYSTEMS if years == "all" or testset.startswith(years)]
    judgement = judge(panels, measures, Settings(interval="none", test="none"))
    for one in judgement.judged:
        name = one.measure.statistic.name
        for agreement in one.agreements:
            golden = PAIRS_OF_SYSTEMS[one.panel][agreement.metric]
            label = "pairwise accuracy" if name == "accuracy" else name
            assert agreement.value == pytest.approx(golden[label], abs=1e-12)
    pooled = GOLDENS["wmt-systems"]["pooled pairwise accuracy"][years]
    found = judgement.pooled(measures[-1])
    assert found == pytest.approx({metric: pooled[metric]["accuracy"] for metric in METRICS}, abs=1e-15)


@pytest.mark.parametrize("case", GOLDENS.get("KendallLike on vectors", []), ids=lambda case: str(case["human"]))
@pytest.mark.parametrize("margin", [25, 1])
def test_darr_of_given_vectors(case, margin):
    """Without a pair beyond the margin that tool gives 0; the value is undefined here."""
    golden = case[f"margin {margin}"]
    human, metric = (np.array([case[side]], float) for side in ("human", "metric"))
    found = float(Measure(Statistic("darr", margin=margin)).values(human, metric))
    assert found == pytest.approx(golden["value"] if golden["pairs"] else float("nan"), abs=1e-15, nan_ok=True)


@pytest.mark.parametrize("name", GOLDENS.get("soft accuracy p-values, small", {}))
def test_p_values_of_soft_accuracy_approach_all_sign_vectors(name):
    """Ties count half here, which is the mean of the two shares."""
    golden = GOLDENS["soft accuracy p-values, small"][name]
    found = better_p_values(golden["scores"], permutations=20_000)
    for pair, shares in golden["all sign vectors, enumerated"].items():
        i, j = map(int, pair.split(","))
        expected = (shares["share at least as large"] + shares["share larger"]) / 2
        assert found[i, j] == pytest.approx(expected, abs=0.015)


def test_tau_23_is_a_linear_function_of_accuracy():
    """tau_23 is (right - wrong) / all pairs, so that it ranks metrics as pairwise accuracy does."""
    for metric in METRICS:
        for grouping in ("none", "item", "system"):
            golden = GOLDENS["en-de MQM"]["segment level"][metric][grouping]
            assert golden["tau_23, epsilon 0"]["value"] == pytest.approx(2 * golden["acc_eq, epsilon 0"]["value"] - 1)
