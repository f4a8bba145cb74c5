"""Several metrics at once: what one metric counts serves all others that can be projected from it."""

import pytest

from chrfect import kernels, parse
from chrfect.metrics.family import count_segments, score_corpus

FAMILY = ["chrF", "chrF+", "chrF++", "chrF(beta=3)", "wordF"]
HYPOTHESES, REFERENCES = ["the cat sat", "hi there", ""], ["a cat sat", "hello there", "x"]


@pytest.fixture
def calls(monkeypatch):
    """The names and the orders of the calls of the kernel that count pairs."""
    found = []
    for name in ("total", "rows"):
        whole = getattr(kernels, name)

        def counted(hypotheses, references, plan, threads, name=name, whole=whole):
            found.append((name, plan.char_order, plan.word_order))
            return whole(hypotheses, references, plan, threads)

        monkeypatch.setattr(kernels, name, counted)
    return found


def test_a_family_counts_each_text_once_and_keeps_no_rows(calls):
    results = score_corpus(FAMILY, HYPOTHESES, REFERENCES)
    assert calls == [("total", 6, 4)]
    assert [result.score_fraction for result in results] == [
        parse(name).corpus(HYPOTHESES, REFERENCES).score_fraction for name in FAMILY
    ]


def test_a_family_with_segments_counts_each_text_once_and_keeps_its_rows(calls):
    results = score_corpus(FAMILY, HYPOTHESES, REFERENCES, segments=True)
    assert calls == [("rows", 6, 4)]
    assert [result.segments.score_texts for result in results] == [
        parse(name).segments(HYPOTHESES, REFERENCES).score_texts for name in FAMILY
    ]


def test_another_preparation_is_counted_separately(calls):
    score_corpus(["chrF", "chrF(whitespace=keep)"], HYPOTHESES, REFERENCES)
    assert len(calls) == 2


def test_tables_of_segments_are_those_of_each_metric():
    metrics = [parse(name) for name in [*FAMILY, "BLEU", "TER"]]
    tables = count_segments(metrics, HYPOTHESES, REFERENCES)
    assert tables == [metric.count(HYPOTHESES, REFERENCES) for metric in metrics]
