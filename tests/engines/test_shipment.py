"""A plan that is sent to another machine counts there as here, or is rejected."""

import json
import pickle
from dataclasses import replace

import pytest

from chrfect import WorkError, parse
from chrfect.engines import shipment
from chrfect.engines.count import Plan
from chrfect.engines.data import Unit
from chrfect.engines.shipment import SentMetric, SentPlan

PLAN = Plan(tuple(map(parse, ("chrF++(beta=1/3)", "BLEU(tokenize=zh)", "TER"))), "h", ("a", "b"), ("system",))


def test_received_plan_equals_the_sent_plan():
    assert pickle.loads(pickle.dumps(SentPlan.of(PLAN))).receive() == PLAN


def test_a_metric_that_is_counted_differently_is_rejected_with_the_difference():
    sent = SentMetric.of(parse("BLEU"))
    recipe = json.loads(sent.recipe)
    recipe["parameters"]["tokenize"] = "13a of another version"
    other = replace(sent, recipe=json.dumps(recipe), version="0.0.1")
    with pytest.raises(WorkError, match=r"does not count BLEU as chrfect 0\.0\.1 .*tokenize is 13a of another version"):
        other.receive()


def test_a_metric_that_this_machine_lacks_is_rejected_by_name():
    sent = replace(SentMetric.of(parse("chrF")), name="COMET")
    with pytest.raises(WorkError, match=r"does not count COMET .*'COMET' is not the name of a metric"):
        sent.receive()


def test_small_units_share_tasks_and_large_data_has_few():
    small, large = Unit("a", None, 10 << 20), Unit("b", None, 100 << 20)
    assert [len(group) for group in shipment.grouped([small] * 14 + [large, small])] == [6, 6, 2, 1, 1]
    many = shipment.grouped([Unit("c", i, 1 << 30) for i in range(100_000)])
    assert [len(group) for group in many] == [10] * 10_000
