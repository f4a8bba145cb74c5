"""A plan that is sent to another machine counts there as here, or is rejected."""

import json
import pickle
from dataclasses import replace

import pytest

from chrfect import WorkError, parse
from chrfect.engines.count import Plan
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
