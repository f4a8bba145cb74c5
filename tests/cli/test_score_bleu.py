"""BLEU and chrF in `chrfect score`."""

import json

import pytest
import sentencepiece
from sacrebleu.metrics import BLEU

from chrfect.cli import main

HYPOTHESES = ["The cat sat, on a mat.", "Hi there", "It's 3.5 degrees"]
REFERENCES = ["The cat sat on the mat.", "Hi, there!", "It is 3.5 degrees"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hyp").write_text("\n".join(HYPOTHESES) + "\n", encoding="utf-8")
    (tmp_path / "ref").write_text("\n".join(REFERENCES) + "\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def model(folder):
    (folder / "text").write_text("\n".join(REFERENCES * 20), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input="text", model_prefix="small", vocab_size=60, hard_vocab_limit=False, minloglevel=2
    )
    return "small.model"


def run(capsys, *arguments):
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_table_equals_sacrebleu(folder, capsys):
    status, output, errors = run(
        capsys, "score", "ref", "-i", "hyp", "-m", "chrF", "BLEU", "BLEU(tokenize=char)", "--decimals", "4"
    )
    assert (status, errors) == (0, "")
    expected = [BLEU(tokenize=name).corpus_score(HYPOTHESES, [REFERENCES]).score for name in ("13a", "char")]
    assert output.splitlines()[2].split()[2:] == [f"{score:.4f}" for score in expected]


def test_segment_scores_equal_sacrebleu(folder, capsys):
    _, output, _ = run(capsys, "score", "ref", "-i", "hyp", "-m", "BLEU", "--segments")
    peer = BLEU(effective_order=True)
    expected = [peer.sentence_score(h, [r]).score for h, r in zip(HYPOTHESES, REFERENCES, strict=True)]
    assert [float(line) for line in output.splitlines()] == expected


def test_json_has_lengths_penalty_and_counts(folder, capsys):
    _, output, _ = run(capsys, "score", "ref", "-i", "hyp", "-m", "BLEU", "--json")
    result = json.loads(output)["systems"][0]["results"][0]
    peer = BLEU().corpus_score(HYPOTHESES, [REFERENCES])
    assert result["score"] == peer.score
    assert (result["hypothesis_length"], result["reference_length"]) == (peer.sys_len, peer.ref_len)
    assert result["brevity_penalty"] == peer.bp
    assert [order["matches"] for order in result["orders"]] == peer.counts
    assert result["precisions"] == pytest.approx(peer.precisions)


def test_score_with_a_large_floor_may_exceed_100_like_sacrebleu(folder, capsys):
    _, output, _ = run(
        capsys, "score", "ref", "-i", "hyp", "-m", "BLEU(smoothing=floor,smoothing_value=90,max_order=6)"
    )
    peer = BLEU(smooth_method="floor", smooth_value=90, max_ngram_order=6)
    expected = peer.corpus_score(HYPOTHESES, [REFERENCES]).score
    assert output.splitlines()[2].split() == ["hyp", f"{expected:.2f}"]
    assert expected > 100


def test_a_sentencepiece_model_is_named_by_its_file(model, capsys):
    status, output, errors = run(capsys, "score", "ref", "-i", "hyp", "-m", "BLEU", "--spm-model", model)
    assert (status, errors) == (0, "")
    pieces = sentencepiece.SentencePieceProcessor(model_file=model)
    tokens = [[" ".join(pieces.encode(text, out_type=str)) for text in texts] for texts in (HYPOTHESES, REFERENCES)]
    expected = BLEU(tokenize="none", force=True).corpus_score(tokens[0], [tokens[1]]).score
    assert output.splitlines()[2].split()[-1] == f"{expected:.2f}"
    assert "tokenize:spm (sha256 " in output


def test_model_option_does_not_change_a_bleu_with_its_own_tokenizer(model, capsys):
    metrics = ["-m", "BLEU", "BLEU(tokenize=char)", "chrF", "--spm-model", model]
    status, output, errors = run(capsys, "score", "ref", "-i", "hyp", *metrics)
    assert (status, errors) == (0, "")
    assert output.split()[1:4] == ["BLEU(tokenize=spm,spm_model=small.model)", "BLEU(tokenize=char)", "chrF"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "chrF", "--spm-model", "x.model"], "add -m BLEU"),
        (["-m", "BLEU(tokenize=zh)", "--spm-model", "x.model"], "add -m BLEU"),
        (["-m", "BLEU", "--spm-model", "absent.model"], "absent.model"),
        (["-m", "BLEU(tokenize=moses)"], "tokenize is 'moses'"),
        (["-m", "BLEU(order=2)"], "max_order"),
    ],
)
def test_error_messages_have_one_line(folder, capsys, arguments, message):
    status, output, errors = run(capsys, "score", "ref", "-i", "hyp", *arguments)
    assert (status, output) == (2, "")
    assert errors.startswith("chrfect: error: ")
    assert message in errors
    assert errors.count("\n") == 1
