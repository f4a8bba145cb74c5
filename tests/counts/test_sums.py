import json

import pytest
from hypothesis import given

from chrfect import ChrF, Counts, UsageError
from chrfect.counts import order_columns
from strategies import corpora


@given(corpora(), corpora())
def test_counts_of_parts_add_up_to_the_counts_of_the_whole(first, second):
    metric = ChrF(word_order=2)

    def counts(pairs):
        return metric.corpus(*map(list, zip(*pairs, strict=True))).counts

    assert counts(first) + counts(second) == counts(first + second)


def test_counts_round_trip_through_json():
    counts = ChrF(word_order=1).corpus(["a b"], ["a c"]).counts
    assert Counts.from_dict(json.loads(json.dumps(counts.to_dict(), sort_keys=True))) == counts


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"counts": [1]}, "18 columns and 1 numbers"),
        ({"counts": ["1"] * 18}, "character-1.hypothesis of these counts is '1'"),
        ({"counts": [-1] * 18}, "character-1.hypothesis of these counts is -1"),
        ({"segments": 1.5}, "segments of these counts is 1.5"),
        ({"segments": True}, "segments of these counts is True"),
        ({"counts": None}, "incomplete"),
    ],
)
def test_rejects_incomplete_counts(change, message):
    with pytest.raises(UsageError, match=message):
        Counts.from_dict(ChrF().corpus(["a"], ["a"]).counts.to_dict() | change)


@pytest.mark.parametrize(
    ("data", "message"), [({"schema": 2}, "incomplete"), (None, "schema None"), ([], "schema None")]
)
def test_rejects_json_that_is_not_counts(data, message):
    with pytest.raises(UsageError, match=message):
        Counts.from_dict(data)


def test_rejects_adding_counts_and_other_types():
    with pytest.raises(TypeError, match="unsupported operand"):
        ChrF().corpus(["a"], ["a"]).counts + 5


def test_rejects_adding_counts_of_two_metrics():
    with pytest.raises(UsageError, match="only one of them has the column word-1"):
        ChrF().corpus(["a"], ["a"]).counts + ChrF(word_order=2).corpus(["a"], ["a"]).counts


def test_rejects_counts_of_another_schema():
    data = ChrF().corpus(["a"], ["a"]).counts.to_dict() | {"schema": 99}
    with pytest.raises(UsageError, match="schema 99"):
        Counts.from_dict(data)


def test_columns_are_characters_first_and_three_per_order():
    assert order_columns(2, 1) == (
        "character-1.hypothesis", "character-1.reference", "character-1.matches",
        "character-2.hypothesis", "character-2.reference", "character-2.matches",
        "word-1.hypothesis", "word-1.reference", "word-1.matches",
    )  # fmt: skip


def test_counts_and_recipes_have_a_short_repr():
    counts = ChrF(word_order=2).count(["a", "b"], ["a", "c"]).sum()
    assert repr(counts) == "<Counts of chrF: 24 columns, sums of 2 segments>"
    settings = "case:mixed, unit:codepoint, unreferenced:drop, whitespace:remove"
    assert repr(counts.recipe) == f"<CountRecipe of chrF: 24 columns, {settings}>"
