"""The simulation of clusters gives the times that can be calculated by hand, and counts every task once."""

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from math import ceil

import pytest

from conftest import ROOT


@pytest.fixture(scope="module")
def script():
    loader = SourceFileLoader("simulate_cluster", str(ROOT / "scripts" / "simulate-cluster"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module


@pytest.mark.parametrize(("workers", "tasks"), [(1, 5), (4, 4), (4, 9), (10, 3)])
def test_equal_tasks_on_equal_workers_take_whole_rounds(script, workers, tasks):
    outcome = script.simulate(script.Cluster(workers=workers, spread=0.0), tasks, 10.0, 1)
    assert outcome.seconds == pytest.approx(10.0 * ceil(tasks / workers))
    assert outcome.busy == pytest.approx(10.0 * tasks)
    assert outcome.runs == tasks


def test_the_driver_handles_results_one_after_another(script):
    outcome = script.simulate(script.Cluster(workers=8, spread=0.0, driver=3.0), 8, 10.0, 1)
    assert outcome.seconds == pytest.approx(10.0 + 8 * 3.0)


def test_slow_workers_delay_the_end_and_backups_shorten_it(script):
    slow = script.Cluster(workers=10, spread=0.0, slow=0.1, factor=10.0)
    seed = next(s for s in range(100) if script.simulate(slow, 10, 1.0, s).seconds == pytest.approx(10.0))
    backups = script.Cluster(workers=10, spread=0.0, slow=0.1, factor=10.0, backups=True)
    found = script.simulate(backups, 10, 1.0, seed).seconds
    assert found in (2.0, 3.0)  # a backup of a slow task starts at 1, or at 2 if idle workers took other tasks first


@pytest.mark.parametrize("backups", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_every_task_is_counted_once_despite_failures(script, backups, seed):
    cluster = script.Cluster(workers=20, slow=0.2, lifetime=30.0, repair=5.0, driver=0.01, backups=backups)
    outcome = script.simulate(cluster, 300, 4.0, seed)
    assert outcome.counted == 300 * 301 // 2
    assert outcome.runs > 300
    assert outcome.seconds > 300 * 4.0 / 20


def test_the_page_has_the_table_that_the_simulation_gives(script):
    page = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    assert script.table(**vars(script.arguments([]))) in page
