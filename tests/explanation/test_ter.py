"""The edits of TER sum to the score, and convert the hypothesis to the reference."""

import json
import random
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chrfect import Ter, explain, explain_corpus
from chrfect.explanation.report import terminal
from chrfect.report.colour import Colours

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
        numbers = ("28.57", "14.29", "14.28") if ending == "html" else ("28.571429", "14.285714", "14.285715")
        for part in ("shift", "1: the mat", "5: the mat", "7: now", "keep (shifted)", *numbers):
            assert part in page, (ending, part)
    assert "| keep (shifted) | 1: the mat | 5: the mat |" in (tmp_path / "why.md").read_text()
    assert "insertions 1 + deletions 0 + substitutions 0 + shifts 1: edits 2" in repr(why)
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


def test_long_segments_are_explained_by_the_compiled_kernel():
    """10,000 words drawn from 30, for which the readable kernel would take minutes."""
    pytest.importorskip("chrfect.kernels._fast", reason="the compiled kernel was not built here")
    draw = random.Random(2)
    hypothesis, reference = (" ".join(draw.choices([f"w{i}" for i in range(30)], k=10_000)) for _ in range(2))
    why = explain("TER", hypothesis, reference)
    assert sum((edit.points for edit in why.edits), Fraction(0)) == why.score > 0
    assert [word for edit in why.edits if edit.kind != "shift" for word in edit.reference] == reference.split()


@pytest.mark.parametrize("colours", list(Colours)[1:])
def test_error_rates_have_no_colour_scale_of_matches(colours):
    """The shades of a terminal say how much matches: TER has none, with few edits or with many."""
    for hypothesis in ("a b c", "x y z"):
        shown = terminal(explain("TER", hypothesis, "a b c"), colours=colours)
        assert set(re.findall("\x1b\\[([0-9;]+)m", shown)) == {"0", "1"}
        assert not re.search(r'class="s\d', explain("TER", hypothesis, "a b c")._repr_html_())
