"""A metric with the settings of another tool has the results of that tool."""

import contextlib
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chrfect import Bleu, ChrF, UsageError, parse
from chrfect.cli import main
from chrfect.metrics.compatibility import TOOLS, as_computed_by
from conftest import ROOT

TEXTS = st.lists(st.sampled_from(["the", "cat", "sat.", "a", "日本", "naïve,"]), min_size=1, max_size=5).map(" ".join)
PAIRS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4)


@given(PAIRS, st.integers(1, 6))
def test_scores_equal_nltk(pairs, order):
    from nltk.translate.chrf_score import corpus_chrf

    hypotheses, references = map(list, zip(*pairs, strict=True))
    metric = as_computed_by("nltk", ChrF(char_order=order))
    theirs = 100 * corpus_chrf(references, hypotheses, max_len=order)
    assert metric.both(hypotheses, references).mean_segment_score == pytest.approx(theirs, abs=1e-9)


@given(PAIRS, st.sampled_from([0, 2]))
def test_scores_equal_sacrebleu(pairs, words):
    import sacrebleu

    hypotheses, references = map(list, zip(*pairs, strict=True))
    metric = as_computed_by("sacrebleu", ChrF(word_order=words))
    assert metric.corpus(hypotheses, references).score == (
        sacrebleu.corpus_chrf(hypotheses, [references], word_order=words).score
    )


@given(PAIRS, st.sampled_from([0, 2]))
def test_scores_equal_torchmetrics(pairs, words):
    chrf = pytest.importorskip("torchmetrics.functional.text").chrf_score
    hypotheses, references = map(list, zip(*pairs, strict=True))
    theirs = 100 * float(chrf(hypotheses, [[text] for text in references], n_word_order=words))
    metric = as_computed_by("torchmetrics", ChrF(word_order=words))
    # torchmetrics does not count a reference with which the hypothesis shares nothing
    counted = [r if metric.sentence(h, r).score > 1e-9 else "" for h, r in zip(hypotheses, references, strict=True)]
    assert metric.corpus(hypotheses, counted).score == pytest.approx(theirs, rel=1e-5)


@given(PAIRS)
def test_the_original_tool_sums_counts_and_averages_the_f_score_of_each_order(pairs):
    hypotheses, references = map(list, zip(*pairs, strict=True))
    total = 0.0
    for n in range(1, 7):
        match = hypothesis = reference = 0
        for h, r in pairs:
            grams = [["".join(t.split())[i : i + n] for i in range(len("".join(t.split())) - n + 1)] for t in (h, r)]
            match += sum(min(grams[0].count(gram), grams[1].count(gram)) for gram in set(grams[0]))
            hypothesis += len(grams[0])
            reference += len(grams[1])
        if match:
            precision, recall = match / hypothesis, match / reference
            total += 5 * precision * recall / (4 * precision + recall)
    metric = as_computed_by("chrF++.py", ChrF())
    assert metric.corpus(hypotheses, references).score == pytest.approx(100 * total / 6, abs=1e-9)


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
