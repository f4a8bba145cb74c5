"""An evaluator has the corpus scores of its metrics, regardless of how the segments are added."""

import pickle
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chrfect import ChrF, Evaluator, UsageError, parse

METRICS = ["chrF++", "BLEU", "TER", "chrF(beta=3)"]
WORDS = st.sampled_from(["the", "cat", "sat", "on", "a", "mat", ".", "日本", "x"])
TEXTS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)


@st.composite
def corpora(draw):
    number = draw(st.integers(1, 6))
    hypotheses = draw(st.lists(TEXTS, min_size=number, max_size=number))
    layout = draw(st.sampled_from(["one", "named", "per segment"]))
    if layout == "one":
        return hypotheses, {"references": draw(st.lists(TEXTS, min_size=number, max_size=number))}
    if layout == "named":
        second = draw(st.lists(st.one_of(st.none(), TEXTS), min_size=number, max_size=number))
        first = draw(st.lists(TEXTS, min_size=number, max_size=number))
        return hypotheses, {"references": {"A": first, "B": second}}
    lists = st.lists(TEXTS, min_size=1, max_size=3)
    return hypotheses, {"references_per_segment": draw(st.lists(lists, min_size=number, max_size=number))}


@pytest.mark.filterwarnings("ignore:The references are in a script without spaces:UserWarning")
@settings(max_examples=60)
@given(corpora(), st.data())
def test_any_split_into_workers_and_batches_gives_the_corpus_score(corpus, data):
    hypotheses, references = corpus
    order = data.draw(st.permutations(range(len(hypotheses))))
    repeated = [*order, *data.draw(st.lists(st.sampled_from(order), max_size=3))]
    workers = [Evaluator(METRICS, **references) for _ in range(2)]
    while repeated:
        size = data.draw(st.integers(1, 3))
        batch, repeated = repeated[:size], repeated[size:]
        data.draw(st.sampled_from(workers)).add_batch([hypotheses[i] for i in batch], batch)
    first, second = (pickle.loads(pickle.dumps(worker)) for worker in workers)
    first.merge(second)
    assert len(first) == len(hypotheses)
    for name, result in first.compute().items():
        whole = parse(name).corpus(hypotheses, **references)
        assert (result.score, result.score_text) == (whole.score, whole.score_text)
        assert result.signature == whole.signature


def test_another_hypothesis_for_an_index_is_an_error_and_changes_nothing():
    evaluator = Evaluator("chrF", ["the cat", "a dog"])
    evaluator.add_batch(["the cat"], [0])
    with pytest.raises(UsageError, match="The index 0 was added before with other counts of 'chrF'"):
        evaluator.add_batch(["a dog", "the cow"], [1, 0])
    with pytest.raises(UsageError, match="The index 1 was added before"):
        evaluator.add_batch(["a dog", "a cow"], [1, 1])
    assert len(evaluator) == 1
    other = Evaluator("chrF", ["the cat", "a dog"])
    other.add_batch(["a dog"], [1])
    other.add_batch(["the cow"], [0])
    with pytest.raises(UsageError, match="The index 0"):
        evaluator.merge(other)
    assert len(evaluator) == 1
    assert evaluator.compute(partial=True)["chrF"].score == 100


def test_missing_segments_are_an_error_unless_allowed():
    evaluator = Evaluator("chrF", ["the cat", "a dog"])
    with pytest.raises(UsageError, match="2 of 2 segments have no row, the first at index 0"):
        evaluator.compute(partial=True)
    evaluator.add_batch(["the cat"], [0])
    with pytest.raises(UsageError, match="1 of 2 segments have no row, the first at index 1"):
        evaluator.compute()
    assert evaluator.compute(partial=True)["chrF"].score == 100
    evaluator.reset()
    assert len(evaluator) == 0


def test_an_evaluator_keeps_no_hypotheses():
    evaluator = Evaluator("chrF", ["the cat"])
    evaluator.add_batch(["zebra crossing"], [0])
    assert b"zebra" not in pickle.dumps(evaluator)


def test_accepts_numpy_integers_as_indices():
    np = pytest.importorskip("numpy")
    evaluator = Evaluator(ChrF(), np.array(["the cat", "a dog"]))
    evaluator.add_batch(np.array(["a dog", "the cat"]), np.array([1, 0]))
    assert evaluator.compute()["chrF"].score == 100


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Evaluator([], ["a"]), "metrics is empty"),
        (lambda: Evaluator("chrF", []), "There are no segments"),
        (lambda: Evaluator("chrF", "abc"), "references is a str"),
        (lambda: Evaluator("chrF", ["a"]).add_batch("a", [0]), "hypotheses is a str"),
        (lambda: Evaluator("chrF", ["a"]).add_batch(["a"], [1]), "The index 1 has no references: there are 1"),
        (lambda: Evaluator("chrF", ["a"]).add_batch(["a"], [-1]), "The index -1 has no references"),
        (lambda: Evaluator("chrF", ["a"]).add_batch(["a"], [0.5]), "indices has a float"),
        (lambda: Evaluator("chrF", ["a"]).add_batch(["a"], []), "1 hypotheses and 0 indices"),
        (lambda: Evaluator("chrF", ["a"]).merge(Evaluator("BLEU", ["a"])), "different metrics: chrF; BLEU"),
        (lambda: Evaluator("chrF", ["a"]).merge(Evaluator("chrF", ["b"])), "different references"),
    ],
)
def test_errors_name_the_wrong_input(call, message):
    with pytest.raises(UsageError, match=message):
        call()


def test_merged_workers_are_computed_in_under_a_millisecond():
    random.seed(3)
    words = ["the", "cat", "sat", "on", "a", "mat"]
    texts = [" ".join(random.choices(words, k=8)) for _ in range(16_000)]
    workers = []
    for rank in range(8):
        worker = Evaluator(["chrF++", "BLEU"], texts)
        worker.add_batch(texts[rank::8], range(rank, 16_000, 8))
        workers.append(worker)
    workers[0].merge(*workers[1:])
    best = 1.0
    for _ in range(20):
        start = time.process_time()
        results = workers[0].compute()
        best = min(best, time.process_time() - start)
    assert {name: result.score for name, result in results.items()} == {
        name: parse(name).corpus(texts, texts).score for name in results
    }
    assert best < 0.001
