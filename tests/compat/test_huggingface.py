"""The adapter for `evaluate` has sacreBLEU's scores, loaded by class or by path."""

import pytest

evaluate = pytest.importorskip("evaluate", reason="evaluate is not installed: pip install evaluate")

from sacrebleu.metrics import BLEU, CHRF, TER  # noqa: E402

from chrfect.compat import huggingface  # noqa: E402

HYPOTHESES = ["the cat sat on the mat", "a dog ran away", "it rained all day long"]
REFERENCES = ["the cat sat on a mat", "the dog ran away", "it rained the whole day"]
SECOND = ["a cat sat on a mat", "a dog ran off", "it was raining"]
ORACLES = {"chrF": CHRF(), "chrF++": CHRF(word_order=2), "BLEU": BLEU(), "TER": TER(), "chrF(beta=3)": CHRF(beta=3)}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(evaluate.config, "HF_METRICS_CACHE", tmp_path / "metrics")
    monkeypatch.setattr(evaluate.config, "HF_MODULES_CACHE", tmp_path / "modules")


@pytest.mark.parametrize("name", ORACLES)
def test_score_equals_sacrebleu(name, tmp_path):
    metric = huggingface.ChrfectMetric(name, cache_dir=str(tmp_path))
    got = metric.compute(predictions=HYPOTHESES, references=REFERENCES)
    assert got["score"] == ORACLES[name].corpus_score(HYPOTHESES, [REFERENCES]).score
    assert got["signature"].startswith(f"{name}|references:1|")
    several = metric.compute(predictions=HYPOTHESES, references=[*map(list, zip(REFERENCES, SECOND, strict=True))])
    assert several["score"] == ORACLES[name].corpus_score(HYPOTHESES, [REFERENCES, SECOND]).score


def test_batches_have_the_corpus_score_and_segment_scores(tmp_path):
    metric = huggingface.ChrfectMetric("chrF", cache_dir=str(tmp_path))
    metric.add(prediction=HYPOTHESES[0], reference=REFERENCES[0])
    metric.add_batch(predictions=HYPOTHESES[1:], references=REFERENCES[1:])
    got = metric.compute(segment_scores=True)
    assert got["score"] == CHRF().corpus_score(HYPOTHESES, [REFERENCES]).score
    assert got["segment_scores"] == [
        CHRF().sentence_score(hypothesis, [reference]).score
        for hypothesis, reference in zip(HYPOTHESES, REFERENCES, strict=True)
    ]


def test_it_is_loaded_by_path_without_a_network(tmp_path):
    metric = evaluate.load(huggingface.__file__, "chrF++", cache_dir=str(tmp_path))
    got = metric.compute(predictions=HYPOTHESES, references=REFERENCES)
    assert got["score"] == ORACLES["chrF++"].corpus_score(HYPOTHESES, [REFERENCES]).score
