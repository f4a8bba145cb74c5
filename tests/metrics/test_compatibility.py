"""A metric with the settings of another tool has the results of that tool."""

import contextlib
import io
import re
from dataclasses import replace
from itertools import zip_longest

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chrfect import Bleu, ChrF, UsageError, pairwise, parse
from chrfect.cli import main
from chrfect.metrics.compatibility import TOOLS, as_computed_by
from conftest import ROOT

TEXTS = st.lists(
    st.sampled_from(["the", "cat", "sat.", "a", "日本", "naïve,", "(x)", "ß", "É"]), min_size=1, max_size=5
).map(" ".join)
PAIRS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4)
CORPORA = st.lists(st.tuples(TEXTS | st.just(""), st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=5)
ORDERS = st.tuples(st.integers(1, 6), st.sampled_from([0, 2]))


def are_tied(metric, hypothesis, references):
    """Return whether a tool that computes with other floats may choose another reference of the same score."""
    scores = sorted((metric.sentence(hypothesis, reference).score for reference in references), reverse=True)
    return len(scores) > 1 and scores[0] > 0 and scores[0] - scores[1] < 1e-3


@given(PAIRS, st.integers(1, 6), st.sampled_from([1, 2, 3]))
def test_scores_equal_nltk(pairs, order, beta):
    from nltk.translate.chrf_score import corpus_chrf, sentence_chrf

    hypotheses, references = map(list, zip(*pairs, strict=True))
    metric = replace(as_computed_by("nltk", ChrF(char_order=order)), beta=beta)
    theirs = 100 * corpus_chrf(references, hypotheses, max_len=order, beta=beta)
    result = metric.both(hypotheses, references)
    assert result.mean_segment_score == pytest.approx(theirs, abs=1e-9)
    for score, hypothesis, reference in zip(result.segments.scores, hypotheses, references, strict=True):
        assert score == pytest.approx(100 * sentence_chrf(reference, hypothesis, max_len=order, beta=beta), abs=1e-9)


def test_beta_and_the_mean_are_the_defaults_of_nltk():
    from nltk.translate.chrf_score import corpus_chrf

    hypotheses, references = ["the cat sat", "a dog"], ["the cat", "a dog ran"]
    result = as_computed_by("nltk", ChrF()).both(hypotheses, references)
    assert result.mean_segment_score == pytest.approx(100 * corpus_chrf(references, hypotheses), abs=1e-9)
    assert abs(result.score - result.mean_segment_score) > 1


@given(PAIRS, st.sampled_from([0, 2]))
def test_scores_equal_sacrebleu(pairs, words):
    import sacrebleu

    hypotheses, references = map(list, zip(*pairs, strict=True))
    metric = as_computed_by("sacrebleu", ChrF(word_order=words))
    assert metric.corpus(hypotheses, references).score == (
        sacrebleu.corpus_chrf(hypotheses, [references], word_order=words).score
    )


@given(CORPORA, ORDERS, st.sampled_from([0.5, 1, 2, 3]), st.booleans(), st.booleans())
def test_scores_equal_torchmetrics(corpus, orders, beta, lowercase, keep):
    chrf = pytest.importorskip("torchmetrics.functional.text").chrf_score
    hypotheses, references = map(list, zip(*corpus, strict=True))
    metric = as_computed_by("torchmetrics", ChrF(*orders, lowercase=lowercase, whitespace="keep" if keep else "remove"))
    metric = replace(metric, beta=beta)
    assume(not any(are_tied(metric, *segment) for segment in corpus))
    score, segments = chrf(
        hypotheses, references, *orders, beta, lowercase, whitespace=keep, return_sentence_level_score=True
    )
    result = metric.both(hypotheses, references_per_segment=references)
    assert result.score == pytest.approx(100 * float(score), rel=1e-5, abs=1e-5)
    assert metric.corpus(hypotheses, references_per_segment=references).score == result.score
    assert result.segments.scores == pytest.approx([100 * float(one) for one in segments], rel=1e-5, abs=1e-5)


def test_beta_is_the_default_of_torchmetrics():
    chrf = pytest.importorskip("torchmetrics.text").CHRFScore()
    chrf.update(["the cat sat", "a dog", "xy"], [["the cat"], ["a dog ran"], ["no"]])
    score = as_computed_by("torchmetrics", ChrF(word_order=2)).corpus(
        ["the cat sat", "a dog", "xy"], ["the cat", "a dog ran", "no"]
    )
    assert score.score == pytest.approx(100 * float(chrf.compute()), rel=1e-5)


@pytest.mark.parametrize(
    ("tool", "words", "score"),
    [  # as printed by chrF++.py of 2020 and chrf_score of torchmetrics 1.9.0
        ("chrF++.py", 0, "61.7769"),
        ("chrF++.py", 2, "60.3318"),
        ("torchmetrics", 0, "67.3520"),
        ("torchmetrics", 2, "66.9026"),
    ],
)
def test_scores_equal_those_that_the_tools_print(tool, words, score):
    hypotheses = ["The cat sat on the mat.", "Yes, that is right.", "zzzzz", "Guten Morgen, Welt!"]
    references = ["The cat sat on a mat.", "Yes.", "A dog ran", "Guten Morgen!"]
    metric = as_computed_by(tool, ChrF(word_order=words))
    assert f"{metric.corpus(hypotheses, references).score:.4f}" == score


@given(CORPORA, ORDERS, st.sampled_from([1, 2, 3]))
def test_scores_equal_the_smoothing_of_sacrebleu_that_repeats_the_original_tool(corpus, orders, beta):
    from sacrebleu.metrics import CHRF

    hypotheses, references = map(list, zip(*corpus, strict=True))
    metric = replace(as_computed_by("chrF++.py", ChrF(*orders)), beta=beta)
    peer = CHRF(*orders, beta, eps_smoothing=True)
    assume(not any(are_tied(metric, *segment) for segment in corpus))
    streams = [list(stream) for stream in zip_longest(*references)]
    result = metric.both(hypotheses, references_per_segment=references)
    assert result.score == pytest.approx(peer.corpus_score(hypotheses, streams).score, abs=1e-9)
    theirs = [peer.sentence_score(hypothesis, own).score for hypothesis, own in corpus]
    assert result.segments.scores == pytest.approx(theirs, abs=1e-9)


@given(CORPORA, st.sampled_from(list(TOOLS)), st.sampled_from(["codepoint", "byte"]), st.booleans())
def test_all_ways_to_score_agree(corpus, tool, unit, lowercase):
    hypotheses, references = map(list, zip(*corpus, strict=True))
    wide = as_computed_by(tool, ChrF(word_order=2, unit=unit, lowercase=lowercase))
    narrow = as_computed_by(tool, ChrF(unit=unit, lowercase=lowercase))
    table = wide.count(hypotheses, references_per_segment=references)
    assert (
        table.project(narrow).choose(narrow).sum() == narrow.both(hypotheses, references_per_segment=references).counts
    )
    first = [own[0] for own in references]
    expected = narrow.both(hypotheses, first)
    assert narrow.corpus(hypotheses, first).counts == expected.counts
    assert (
        narrow.score(wide.count(hypotheses, first).sum_by("x" * len(first)).project(narrow)).counts == expected.counts
    )
    rows = [
        tuple(narrow.count_pair(hypothesis, reference)) for hypothesis, reference in zip(hypotheses, first, strict=True)
    ]
    assert rows == [tuple(counts.values) for counts in expected.segments.table]
    matrix = pairwise(narrow, hypotheses, first)
    assert matrix.diagonal().tolist() == pytest.approx(expected.segments.scores, abs=1e-9)


def test_a_reference_is_left_out_only_if_it_shares_no_character():
    metric = as_computed_by("torchmetrics", ChrF(2, 1))
    assert list(metric.sentence("ab", "cd").values) == [2, 0, 0, 1, 0, 0, 1, 0, 0]
    assert list(metric.sentence("ab", "ca").values) == [2, 2, 1, 1, 1, 0, 1, 1, 0]
    with pytest.raises(UsageError, match="'count_matched', which compares characters; char_order is 0"):
        as_computed_by("torchmetrics", parse("wordF"))


def test_errors_name_the_wrong_setting():
    with pytest.raises(UsageError, match=r"compat is 'moses'; one of sacrebleu, chrF\+\+\.py"):
        as_computed_by("moses", ChrF())
    with pytest.raises(UsageError, match="BLEU cannot be computed as by nltk"):
        as_computed_by("nltk", Bleu())


@pytest.mark.parametrize("tool", TOOLS)
def test_the_command_scores_as_the_tool(tool, tmp_path, capsys):
    hypotheses, references = ["the cat sat", "a dog", "x"], ["the cat", "a dog ran", "xy z"]
    for name, texts in (("hyp", hypotheses), ("ref", references)):
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts))
    files = [str(tmp_path / "ref"), "-i", str(tmp_path / "hyp")]
    assert main(["score", *files, "-m", "chrF", "--compat", tool, "--decimals", "6"]) == 0
    output = capsys.readouterr().out
    result = as_computed_by(tool, parse("chrF")).both(hypotheses, references)
    expected = result.mean_segment_score if TOOLS[tool].macro else result.score
    assert f"{expected:.6f}" in output
    assert ("means of the scores of segments" in output) == TOOLS[tool].macro


def test_a_mean_of_segments_has_no_other_forms(tmp_path, capsys):
    (tmp_path / "ref").write_text("a\n")
    assert main(["score", str(tmp_path / "ref"), "-i", str(tmp_path / "ref"), "--compat", "nltk", "--json"]) == 2
    assert "mean of its segments" in capsys.readouterr().err


def test_docs_show_the_output_of_their_script():
    page = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    ((script, table),) = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", page, re.DOTALL)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(script, {})
    assert out.getvalue() == table
