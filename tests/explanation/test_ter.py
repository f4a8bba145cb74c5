"""TER is explained by its edits: they add up to the score and make the hypothesis the reference."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chrfect import Ter, explain, explain_corpus

words = st.lists(st.sampled_from("abcde"), max_size=9).map(" ".join)


@given(words, st.lists(words, min_size=1, max_size=3))
def test_the_points_of_the_edits_add_up_to_the_score(hypothesis, references):
    why = explain("TER", hypothesis, references)
    assert sum((edit.points for edit in why.edits), Fraction(0)) == why.result.score_fraction == why.score
    assert all((edit.points == 0) == (edit.kind == "keep") for edit in why.edits)
    assert why.chosen == why.result.reference or len(references) == 1


@given(words, words)
def test_edits_make_the_hypothesis_the_reference(hypothesis, reference):
    why = explain(Ter(), hypothesis, reference)
    left, right = hypothesis.split(), reference.split()
    aligned = [edit for edit in why.edits if edit.kind != "shift"]
    assert [word for edit in aligned for word in edit.reference] == right
    used = [
        k
        for edit in aligned
        if edit.hypothesis
        for k in range(edit.hypothesis_start, edit.hypothesis_start + len(edit.hypothesis))
    ]
    assert sorted(used) == list(range(len(left)))
    for edit in why.edits:
        if edit.hypothesis:
            assert (
                edit.kind == "shift" or list(edit.hypothesis) == left[edit.hypothesis_start :][: len(edit.hypothesis)]
            )
        if edit.kind == "keep":
            assert edit.hypothesis == edit.reference
    counts = dict.fromkeys(("insert", "delete", "substitute", "shift"), 0)
    for edit in why.edits:
        if edit.kind in counts:
            counts[edit.kind] += 1 if edit.kind == "shift" else max(len(edit.hypothesis), len(edit.reference))
    assert tuple(counts.values()) == tuple(why.result.values[:4])
    moved = {
        k
        for edit in aligned
        if edit.shifted
        for k in range(edit.hypothesis_start, edit.hypothesis_start + len(edit.hypothesis))
    }
    assert bool(moved) == bool(counts["shift"])


def test_every_format_shows_the_alignment(tmp_path):
    why = explain("TER", "the mat the cat sat on", "the cat sat on the mat now")
    for ending in ("txt", "md", "html"):
        why.save(tmp_path / f"why.{ending}")
        page = (tmp_path / f"why.{ending}").read_text()
        for part in ("shift", "1: the mat", "5: the mat", "7: now", "keep (shifted)", "28.571429", "14.285714"):
            assert part in page, (ending, part)
    data = json.loads(json.dumps(why.to_dict()))
    assert data["edits"][0] == {
        "kind": "shift", "hypothesis": ["the", "mat"], "reference": [], "hypothesis_start": 0, "reference_start": None,
        "shifted": True, "points": 100 / 7, "points_fraction": "100/7",
    }  # fmt: skip


def test_the_reference_with_the_fewest_edits_is_shown():
    """The second reference has the better score alone, the first fewer edits."""
    why = explain("TER", "a b c", ["a", "x y c d e f g h i j k l m n o p q r s t"])
    assert why.chosen == 0
    alone = [candidate.result.score for candidate in why.candidates]
    assert alone[0] > alone[1]
    assert why.score == Fraction(2 * 100 * 2, 21)


@pytest.mark.parametrize("references", [{"A": ["a b", "c"]}, {"A": ["a b", "c"], "B": ["a", "c d e"], "C": ["b", "c"]}])
def test_a_corpus_is_explained_by_its_counts(references):
    why = explain_corpus("TER", ["a x", "c c"], references)
    assert why.result == Ter().corpus(["a x", "c c"], references)
    assert why.result.score_text in why.arithmetic[-1]
