"""Many segments at once have the shades and the gains of each alone."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chrfect import Bleu, ChrF, explain, parse
from chrfect.explanation import many
from chrfect.explanation.many import LETTERS, marked_texts
from chrfect.explanation.matches import Matcher
from chrfect.explanation.report.shading import shaded_stretches
from strategies import corpora

METRICS = [
    ChrF(),
    ChrF(word_order=2),
    ChrF(word_order=2, unit="grapheme", whitespace="keep", lowercase=True),
    ChrF(char_order=0, word_order=2),
    Bleu(tokenize="none"),
]

PAIRS = [
    ("The cats sat on the mat.", "The dogs sat on a mat."),
    ("red green blue", "red yellow blue"),
    ("nothing alike", "0123456789"),
    ("equal texts", "equal texts"),
]


def marked(metric, pairs, limit=1_000, text_limit=10_000):
    hypotheses, references = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    rows = metric.count(hypotheses, references).to_numpy()
    scorer = metric.segmental
    matcher = Matcher(scorer.levels, remember=True)
    found = marked_texts(scorer, hypotheses, [[text] for text in references], rows, limit, text_limit, matcher)
    return list(found)


def decoded(text):
    """Return the stretches of a marked text with their steps, as `explain` shows them."""
    units = text.shown.encode("utf-16-le", "surrogatepass")
    at, found = 0, []
    for letter, length in re.findall(r"([a-f])(\d+)", text.steps):
        piece = units[2 * at : 2 * (at + int(length))].decode("utf-16-le", "surrogatepass")
        found.append((piece, LETTERS.index(letter) - 1))
        at += int(length)
    assert 2 * at == len(units)
    return found


@settings(max_examples=80)
@given(st.sampled_from(METRICS), corpora())
def test_shades_equal_those_of_single_segments(metric, pairs):
    for (hypothesis, reference), sides in zip(pairs, marked(metric, pairs), strict=True):
        why = explain(metric, hypothesis, reference)
        for text, expected in zip(sides, (why.hypothesis, why.reference), strict=True):
            merged = []
            for piece, level in decoded(text):
                if merged and merged[-1][1] == level:
                    merged[-1] = merged[-1][0] + piece, level
                else:
                    merged.append((piece, level))
            assert merged == shaded_stretches(expected)


@settings(max_examples=80)
@given(st.sampled_from(METRICS), corpora())
def test_gains_equal_those_of_single_segments(metric, pairs):
    for (hypothesis, reference), sides in zip(pairs, marked(metric, pairs), strict=True):
        why = explain(metric, hypothesis, reference, limit=None)
        for text, runs in zip(sides, (why.invented, why.missed), strict=True):
            alone = [float(run.points) for run in runs.shown if run.places == 1]
            gains = [run.gain for run in text.runs]
            assert len(gains) == sum(run.places for run in runs.shown)
            for gain in alone:  # runs that occur twice are one run in an explanation
                assert min((abs(gain - other) for other in gains), default=1) < 1e-6


def test_the_runs_with_the_largest_gains_are_kept():
    pairs = [("one two three four", "one xx three yyyyyyyyyy"), ("a cat", "a dog")]
    whole, cut = marked(ChrF(), pairs), marked(ChrF(), pairs, limit=1)
    for all_sides, sides in zip(whole, cut, strict=True):
        for every, kept in zip(all_sides, sides, strict=True):
            assert kept.runs == every.runs[:1]
            assert [run.gain for run in every.runs] == sorted((run.gain for run in every.runs), reverse=True)


def test_positions_of_runs_count_utf_16_units_of_the_shown_text():
    (sides,) = marked(ChrF(), [("👍\x07 we see a cat", "👍\x07 we see a dog")])
    for text, expected in zip(sides, ("cat", "dog"), strict=True):
        units = text.shown.encode("utf-16-le")
        shown = [units[2 * run.start : 2 * run.end].decode("utf-16-le") for run in text.runs]
        assert shown == [expected]


def test_texts_beyond_the_limit_are_cut_between_clusters():
    text = "e\u0301" * 50 + "x"
    ((hypothesis, _),) = marked(ChrF(), [(text, "y")], text_limit=21)
    assert (hypothesis.shown, hypothesis.length) == ("e\u0301" * 10, 101)
    assert sum(map(int, re.findall(r"\d+", hypothesis.steps))) == 20


def test_blocks_do_not_change_the_result(monkeypatch):
    pairs = [("a cat sat", "the cat sat"), ("", "x"), ("a dog", ""), ("we are here", "we were here")] * 5
    whole = marked(ChrF(word_order=2), pairs)
    monkeypatch.setattr(many, "_BLOCK", 10)
    assert marked(ChrF(word_order=2), pairs) == whole


def test_several_references_are_clipped_over():
    metric = Bleu(tokenize="none", max_order=1)
    rows = metric.count(["a b c"], references_per_segment=[["a", "b"]]).to_numpy()
    scorer = metric.segmental
    ((hypothesis, _),) = marked_texts(scorer, ["a b c"], [["a", "b"]], rows, 5, 100, Matcher(scorer.levels))
    assert hypothesis.steps == "f1a1f1a1b1"


@pytest.mark.parametrize("name", ["chrF", "chrF++", "wordF(word_order=2)", "BLEU(smoothing=add-k)"])
def test_runs_and_gains_are_those_of_the_explanations(name):
    metric = parse(name)
    hypotheses, references = [h for h, _ in PAIRS], [r for _, r in PAIRS]
    rows = metric.count(hypotheses, references).to_numpy()
    marked = list(marked_texts(metric.segmental, hypotheses, [[r] for r in references], rows, 100, 1000))
    seen = 0
    for (hypothesis, reference), texts in zip(PAIRS, marked, strict=True):
        why = explain(metric, hypothesis, reference, limit=None)
        assert [text.shown for text in texts] == [hypothesis, reference]
        for text, runs in zip(texts, (why.invented.shown, why.missed.shown), strict=True):
            found = {(run.start, run.end): run.gain for run in text.runs}
            for run in runs:
                if run.places == 1:
                    assert found[run.start, run.end] == pytest.approx(float(run.points), abs=1e-6)
                    seen += 1
    assert seen > 5
