"""From a metric and the texts of a segment to an explanation."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from chrfect.explanation.contribution import arithmetic, shares
from chrfect.explanation.counted import Counted
from chrfect.explanation.listing import INVENTED, MATCHED, MISSED, listed
from chrfect.explanation.runs import Folded, fold_matched, fold_unmatched, join
from chrfect.explanation.shade import shade
from chrfect.explanation.units import Reader
from chrfect.explanation.value import Candidate, Explanation
from chrfect.metrics import Bleu, Metric, Result


def explanation(
    metric: Metric,
    hypothesis: str,
    references: str | Sequence[str | None],
    names: Sequence[str] | None,
    limit: int | None,
    text_limit: int | None,
) -> Explanation:
    """Return the explanation of one segment; see :func:`chrfect.explanation.explain`."""
    result = metric.sentence(hypothesis, references)
    given = [references] if isinstance(references, str) else list(references)
    present = [(i if names is None else names[i], text) for i, text in enumerate(given) if text is not None]
    candidates = tuple(Candidate(name, metric.sentence(hypothesis, text)) for name, text in present)
    chosen = _chosen(result, candidates)
    texts = (hypothesis, present[chosen][1], *(text for i, (_, text) in enumerate(present) if i != chosen))
    counted = Counted(Reader(metric), [[text] for text in texts])
    orders = shares(result)
    matched, missed, invented = (
        listed(kind, _runs(counted, which, kind == MATCHED), texts[which], result, orders, limit)
        for kind, which in ((MATCHED, 0), (MISSED, 1), (INVENTED, 0))
    )
    assert matched.points is not None
    return Explanation(
        result=result,
        orders=orders,
        smoothing=sum((order.contribution for order in orders), Fraction(0)) - matched.points,
        arithmetic=arithmetic(result),
        chosen=candidates[chosen].name,
        candidates=candidates,
        hypothesis=shade(hypothesis, counted, 0, text_limit),
        reference=shade(texts[1], counted, 1, text_limit),
        matched=matched,
        missed=missed,
        invented=invented,
    )


def _chosen(result: Result, candidates: Sequence[Candidate]) -> int:
    """Return the reference to show: for chrF the one that counts, for BLEU the one closest in length."""
    if isinstance(result.metric, Bleu):
        lengths = [candidate.result.values[1] for candidate in candidates]
        return lengths.index(result.values[1])
    return max(range(len(candidates)), key=lambda i: candidates[i].result.score)


def _runs(counted: Counted, which: int, matched: bool) -> Folded:
    """Return the runs of one of the two texts, its words' n-grams among those of its characters."""
    fold = fold_matched if matched else fold_unmatched
    kinds = [(sides[which], units[which][0]) for sides, units in counted.kinds()]
    folded = fold(*kinds[0])
    return join(folded, *kinds[1], matched) if len(kinds) > 1 else folded
