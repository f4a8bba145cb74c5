"""The adapter for torchmetrics has the corpus score, in one process and in two."""

import pickle

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch torchmetrics")
pytest.importorskip("torchmetrics", reason="torchmetrics is not installed: pip install torchmetrics")

from sacrebleu.metrics import BLEU, CHRF, TER  # noqa: E402

from chrfect import UsageError  # noqa: E402
from chrfect.compat.torchmetrics import ChrfectMetric  # noqa: E402

HYPOTHESES = ["the cat sat on the mat", "a dog ran away", "it rained all day long", "hello there", "x"]
REFERENCES = ["the cat sat on a mat", "the dog ran away", "it rained the whole day", "hello you there", "y"]
ORACLES = {"chrF": CHRF(), "chrF++": CHRF(word_order=2), "BLEU": BLEU(), "TER": TER()}


@pytest.mark.parametrize("name", ORACLES)
def test_batches_have_the_corpus_score(name):
    metric = ChrfectMetric(name)
    for start in range(0, 5, 2):
        metric.update(HYPOTHESES[start : start + 2], REFERENCES[start : start + 2])
    expected = ORACLES[name].corpus_score(HYPOTHESES, [REFERENCES]).score
    assert metric.compute().dtype == torch.float64
    assert metric.compute().item() == expected
    assert pickle.loads(pickle.dumps(metric)).compute().item() == expected
    assert metric.higher_is_better == (name != "TER")
    metric.reset()
    with pytest.warns(UserWarning, match="before the"), pytest.raises(UsageError, match="nothing to score"):
        metric.compute()


@pytest.mark.parametrize("name", ["chrF", "BLEU"])
def test_several_references_have_the_corpus_score(name):
    metric = ChrfectMetric(name)
    metric.update(HYPOTHESES, [[reference, "hello there all"] for reference in REFERENCES])
    expected = ORACLES[name].corpus_score(HYPOTHESES, [REFERENCES, ["hello there all"] * 5]).score
    assert metric.compute().item() == expected


def test_forward_returns_the_score_of_the_batch():
    metric = ChrfectMetric("chrF")
    for start in range(0, 4, 2):
        batch = HYPOTHESES[start : start + 2], REFERENCES[start : start + 2]
        assert metric(*batch).item() == ORACLES["chrF"].corpus_score(batch[0], [batch[1]]).score
    assert metric.compute().item() == ORACLES["chrF"].corpus_score(HYPOTHESES[:4], [REFERENCES[:4]]).score


def test_a_repeated_index_counts_once_and_must_have_the_same_counts():
    metric = ChrfectMetric("chrF")
    metric.update([*HYPOTHESES, HYPOTHESES[0]], [*REFERENCES, REFERENCES[0]], [0, 1, 2, 3, 4, 0])
    assert metric.compute().item() == ORACLES["chrF"].corpus_score(HYPOTHESES, [REFERENCES]).score
    metric.update(["another"], [REFERENCES[1]], [1])
    with pytest.raises(UsageError, match="The index 1 was added with different counts"):
        metric.compute()


def test_rejects_wrong_arguments():
    metric = ChrfectMetric("TER")
    with pytest.raises(UsageError, match="TER takes one reference for each segment here"):
        metric.update(["a"], [["a", "b"]])
    with pytest.raises(UsageError, match="1 hypotheses and 2 indices"):
        metric.update(["a"], ["b"], [0, 1])
    with pytest.raises(UsageError, match="numbers from 0"):
        metric.update(["a"], ["b"], [-1])


def _work(rank, address, shares, results):
    torch.distributed.init_process_group("gloo", init_method=address, rank=rank, world_size=2)
    metric = ChrfectMetric("chrF++")
    if shares[rank]:
        metric.update([HYPOTHESES[i] for i in shares[rank]], [REFERENCES[i] for i in shares[rank]], shares[rank])
    results.put((rank, metric.compute().item()))
    torch.distributed.destroy_process_group()


@pytest.mark.parametrize("shares", [([0, 2, 4], [1, 3, 0]), ([0, 1, 2, 3, 4], [])], ids=["padded", "nothing in one"])
def test_two_processes_have_the_score_of_one(shares, tmp_path):
    context = torch.multiprocessing.get_context("spawn")
    results = context.SimpleQueue()
    address = f"file://{tmp_path / 'store'}"
    workers = [context.Process(target=_work, args=(rank, address, shares, results), daemon=True) for rank in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert [worker.exitcode for worker in workers] == [0, 0]
    expected = ORACLES["chrF++"].corpus_score(HYPOTHESES, [REFERENCES]).score
    assert sorted(results.get() for _ in workers) == [(0, expected), (1, expected)]
