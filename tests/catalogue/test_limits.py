"""The limits bound the size of every answer: the largest valid inputs are accepted."""

import importlib.util

import pytest

from chrfect import catalogue
from conftest import ROOT

LARGEST = 45 * 65_536 * 6
"""Every byte of text in n-grams of 1 to 9 tokens, each byte written as six characters."""


def worst():
    spec = importlib.util.spec_from_file_location("limits", ROOT / "bench" / "limits.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.worst()


WORST = worst()


@pytest.mark.parametrize("name", WORST)
def test_worst_inputs_are_answered_within_the_time_limit(name):
    tool, value = WORST[name]
    assert len(catalogue.dumps(catalogue.run(tool, "1.0.0", value))) < LARGEST


def test_every_expensive_tool_has_a_worst_input():
    assert {tool for tool, _ in WORST.values()} >= {"chrf-components", "bleu-corpus-compute", "bleu-ngrams-count"}


def test_fractions_of_all_orders_stay_short():
    tool, value = WORST["their fractions, by order"]
    answer = catalogue.run(tool, "1.0.0", value)
    assert max(len(segment["score_fraction"]) for segment in answer["segments"]) < 600
    assert len(answer["score_fraction"]) < 1_200
