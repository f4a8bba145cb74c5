"""Valid code, which tests/test_public.py type-checks and runs."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

import chrfect
from chrfect import Bleu, ChrF, Counts, CountTable, Explanation, Metric, Result, Scoring, Segments
from chrfect.metrics import score_corpus


def texts() -> Iterator[str]:
    yield "the cat"
    yield "a dog"


metric = ChrF(word_order=2, beta=0.5)
listed = ["the cat", "a dog"]
hypotheses = np.array(listed)

corpus: Result = metric.corpus(texts(), texts())
array: Result = metric.corpus(hypotheses, hypotheses)
named: Result = metric.corpus(listed, {"refA": listed, "refB": ["the cat", None]})
nested: Result = metric.corpus(listed, references_per_segment=[["the cat", None, "cats"], ("a dog",)])
segments: Segments = metric.both(tuple(listed), texts()).segments
mean: float = metric.both(listed, listed).mean_segment_score
one: Result = metric.sentence("the cat", ["a cat", None])
by_name: Result = metric.sentence("the cat", {"refA": "a cat", "refB": None})
number: float = float(corpus)
text: str = f"{corpus:.2f}"
exact: Fraction | None = corpus.score_fraction
measured: Scoring = corpus.metric

table: CountTable = metric.count(listed, listed)
total: Counts = table.sum() + table[:1].sum()
rescored: Result = ChrF(word_order=2, beta=3).score(total)
fewer: Result = ChrF().score(table.project(ChrF()))
documents: list[float] = metric.scores(table.sum_by(["A", "A"]))

parsed: Metric = chrfect.parse("BLEU(tokenize=none)")
results: list[Result] = score_corpus([metric, Bleu(tokenize="none")], texts(), listed)
cells: float = chrfect.pairwise("chrF", texts(), ["the cat", ["a dog", "dogs"]]).sum()
sources: int = len(chrfect.pairwise(metric, [listed, ["x"]], [["the cat"], listed], by_source=True))
why: Explanation = chrfect.explain("chrF++", "the cat", "a cat")
answer: dict[str, object] = chrfect.run("chrf-compute", "1.0.0", {"hypotheses": ["a"], "references": ["a"]})
