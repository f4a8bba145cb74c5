"""The code of docs/training.md runs with the libraries that it names."""

import re
import sys

import pytest
from sacrebleu.metrics import BLEU, CHRF

from conftest import ROOT

PAGE = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
SECTIONS = {part.partition("\n")[0]: part for part in PAGE.split("\n## ")[1:]}


def blocks(section, language="python"):
    return re.findall(rf"```{language}\n(.*?)```", SECTIONS[section], re.DOTALL)


def run(section):
    names = {}
    for block in blocks(section):
        exec(block, names)
    return names


def installed(*names):
    for name in names:
        pytest.importorskip(name, reason=f"{name} is not installed: pip install {name}")


def test_the_loop_prints_the_corpus_scores(capsys):
    run("Your own loop")
    hypotheses = ["The cat sat on a mat.", "A dog ran off.", "It rained."]
    references = [["The cat sat on the mat.", "A dog ran away.", "It rained."]]
    expected = {
        "chrF++": round(CHRF(word_order=2).corpus_score(hypotheses, references).score, 2),
        "BLEU": round(BLEU().corpus_score(hypotheses, references).score, 2),
    }
    assert capsys.readouterr().out == f"{expected}\n"


def test_the_code_for_torchmetrics_runs(capsys):
    installed("torch", "torchmetrics")
    run("torchmetrics")
    score = CHRF(word_order=2).sentence_score(
        "The cat sat on a mat.", ["The cat sat on the mat.", "A cat sat on the mat."]
    )
    assert capsys.readouterr().out == f"{round(score.score, 2)}\n"


def test_the_code_for_evaluate_runs(capsys, tmp_path, monkeypatch):
    installed("evaluate")
    import evaluate

    monkeypatch.setattr(evaluate.config, "HF_METRICS_CACHE", tmp_path / "metrics")
    monkeypatch.setattr(evaluate.config, "HF_MODULES_CACHE", tmp_path / "modules")
    run("Hugging Face evaluate")
    score = CHRF(word_order=2).sentence_score("The cat sat on a mat.", ["The cat sat on the mat."]).score
    assert f"'score': {score!r}" in capsys.readouterr().out


def test_the_code_for_tables_prints_the_scores_of_segments(capsys):
    names = run("pandas, Polars, Arrow and DuckDB")
    peer = CHRF(word_order=2)
    rows = names["frame"].rows()
    expected = [peer.sentence_score(mt, [text for text in texts if text]).score for mt, *texts in rows]
    assert names["segments"].to_polars()["score"].to_list() == expected
    assert f"{expected[0]:.6f}" in capsys.readouterr().out
    frame = names["frame"].to_pandas().set_index("mt")
    segments = names["segments"]
    assert frame.assign(score=segments.score_array)["score"].tolist() == expected
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install duckdb")
    assert [score for score, *_ in duckdb.sql("SELECT * FROM segments").fetchall()] == expected


@pytest.mark.filterwarnings("default")
def test_a_trainer_of_transformers_logs_the_corpus_scores(tmp_path):
    installed("transformers", "torch", "accelerate", "tokenizers")
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import (
        DataCollatorForSeq2Seq,
        PreTrainedTokenizerFast,
        Seq2SeqTrainer,
        Seq2SeqTrainingArguments,
        T5Config,
        T5ForConditionalGeneration,
    )

    words = ["<pad>", "</s>", "<unk>", *["the", "cat", "sat", "on", "a", "mat", "and", "dog", "ran"]]
    core = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=core, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")
    torch.manual_seed(1)
    model = T5ForConditionalGeneration(
        T5Config(
            vocab_size=len(words), d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2,
            decoder_start_token_id=0, pad_token_id=0, eos_token_id=1,
        )
    )  # fmt: skip
    texts = ["the cat sat", "a dog ran on the mat", "the dog"]
    rows = [{"input_ids": tokenizer(text)["input_ids"], "labels": tokenizer(text)["input_ids"]} for text in texts]
    trainer = Seq2SeqTrainer(
        model=model,
        args=Seq2SeqTrainingArguments(
            str(tmp_path), predict_with_generate=True, generation_max_length=6, use_cpu=True, report_to="none",
            per_device_eval_batch_size=2,
        ),
        data_collator=DataCollatorForSeq2Seq(tokenizer, model),
        compute_metrics=run("transformers: compute_metrics")["compute_metrics_with"](tokenizer),
    )  # fmt: skip
    found = trainer.predict(rows)
    ids = found.predictions.copy()
    ids[ids < 0] = 0
    hypotheses = tokenizer.batch_decode(ids, skip_special_tokens=True)
    assert found.metrics["test_chrF++"] == CHRF(word_order=2).corpus_score(hypotheses, [texts]).score
    assert found.metrics["test_BLEU"] == BLEU().corpus_score(hypotheses, [texts]).score


@pytest.mark.filterwarnings("default")
def test_the_harness_reports_the_corpus_score(tmp_path, monkeypatch):
    installed("lm_eval")
    import lm_eval
    from lm_eval.tasks import TaskManager

    (tmp_path / "chrfect_metric.py").write_text(blocks("lm-evaluation-harness")[0])
    targets = ["the cat sat", "lol a dog", "lol"]
    rows = "".join(f'{{"source": "x", "target": "{target}"}}\n' for target in targets)
    (tmp_path / "data.jsonl").write_text(rows)
    (tmp_path / "task.yaml").write_text(
        "task: recipe\n"
        "dataset_path: json\n"
        f"dataset_kwargs:\n  data_files: {tmp_path / 'data.jsonl'}\n"
        "test_split: train\n"
        "output_type: generate_until\n"
        'doc_to_text: "{{source}}"\n'
        'doc_to_target: "{{target}}"\n' + blocks("lm-evaluation-harness", "yaml")[0]
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    manager = TaskManager(include_path=str(tmp_path), include_defaults=False)
    found = lm_eval.simple_evaluate(
        model="dummy", tasks=["recipe"], task_manager=manager, bootstrap_iters=0, log_samples=True
    )
    hypotheses = [sample["filtered_resps"][0] for sample in found["samples"]["recipe"]]
    expected = CHRF(word_order=2).corpus_score(hypotheses, [targets]).score
    assert found["results"]["recipe"]["chrf++,none"] == expected > 0
