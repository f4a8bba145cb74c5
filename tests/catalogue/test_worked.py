"""The worked examples: their inputs are valid, and every step of the calculation is correct."""

import json
import re

import mpmath
import pytest

from chrfect import catalogue

STEP = re.compile(r"[0-9./*+() -]|exp|\*\*")


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def value_of(expression):
    python = expression.replace("×", "*").replace("^", "**")
    assert not STEP.sub("", python), expression
    python = re.sub(r"\d+\.\d+|\d+", lambda number: f"mpf('{number[0]}')", python)
    return eval(python, {"mpf": mpmath.mpf, "exp": mpmath.exp})  # only digits, operators and exp get here


def steps(text):
    """Yield each line of arithmetic as its name and the expressions that it says are equal."""
    for block in blocks(text, "text"):
        for line in block.splitlines():
            name, *expressions = line.split(" = ")
            yield name, expressions


@pytest.mark.parametrize("tool", catalogue.ids())
def test_every_step_is_exact_at_60_digits(tool):
    found = list(steps(catalogue.worked(tool)))
    assert found
    with mpmath.workdps(60):
        for name, expressions in found:
            first = value_of(expressions[0])
            for expression in expressions[1:]:
                written = re.fullmatch(r"\d+\.(\d{6})", expression)
                allowed = mpmath.mpf("5e-7") if written else mpmath.mpf("1e-50")
                assert abs(value_of(expression) - first) <= allowed, (name, expression)


@pytest.mark.parametrize("tool", catalogue.ids())
def test_tool_result_equals_the_worked_example(tool):
    text = catalogue.worked(tool)
    answer = catalogue.run(tool, "1.0.0", json.loads(blocks(text, "json")[0]))
    last = [expressions[-1] for _, expressions in steps(text)]
    if "score" in answer:
        assert answer["score"] in last
    if "score_fraction" in answer:
        assert any(answer["score_fraction"] in expressions for _, expressions in steps(text))


COUNTED = {
    "chrf-components": [[4, 4, 4], [3, 3, 2]],
    "bleu-ngrams-count": [[5, 3], [4, 3]],
    "bleu-sentence-components": [[6, 6], [5, 3], [4, 2], [3, 1]],
    "bleu-sentence-compute": [[3, 3], [2, 1], [1, 0]],
    "bleu-corpus-compute": [[8, 8], [6, 4]],
}
"""Hypothesis n-grams, reference n-grams where they are counted, and matches of each order, counted by hand."""


@pytest.mark.parametrize("tool", COUNTED)
def test_the_tool_has_the_counts_of_the_worked_example(tool):
    answer = catalogue.run(tool, "1.0.0", json.loads(blocks(catalogue.worked(tool), "json")[0]))
    if "totals" in answer:
        counts = [list(pair) for pair in zip(answer["totals"], answer["matches"], strict=True)]
    else:
        names = ("hypothesis_ngrams", "reference_ngrams", "total", "matches")
        counts = [[order[name] for name in names if name in order] for order in answer["orders"]]
    assert counts == COUNTED[tool]
