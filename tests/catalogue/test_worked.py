"""The examples worked by hand: their input runs, and every step of their arithmetic is true to the last digit."""

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
def test_every_step_is_true_to_the_last_digit(tool):
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
def test_the_tool_gives_what_the_page_works_out(tool):
    text = catalogue.worked(tool)
    answer = catalogue.run(tool, "1.0.0", json.loads(blocks(text, "json")[0]))
    last = [expressions[-1] for _, expressions in steps(text)]
    if "score" in answer:
        assert answer["score"] in last
    if "score_fraction" in answer:
        assert any(answer["score_fraction"] in expressions for _, expressions in steps(text))
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")
    ]
    counts = [cell for row in rows for cell in row]
    for order in answer.get("orders", []):
        for key in ("hypothesis_ngrams", "reference_ngrams", "matches", "total"):
            assert key not in order or {str(order[key])} & {*counts, *last, *re.findall(r"\d+", text)}
    for total, matches in zip(answer.get("totals", []), answer.get("matches", []), strict=True):
        shown = [str(total), str(matches)]
        assert any(row[-2:] == shown for row in rows) or "c" in dict(steps(text))
