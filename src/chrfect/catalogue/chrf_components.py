"""chrf-components 1.0.0: every count behind a chrF score, with its orders and averaging free."""

from __future__ import annotations

from typing import Any, cast

from chrfect.catalogue import validate
from chrfect.catalogue.numbers import exact, fraction_or_null
from chrfect.errors import ContractError
from chrfect.formulas.fscore import Averaging, triples
from chrfect.metrics import ChrF, Order, Result
from chrfect.text.preparation import Whitespace

KEYS = ("hypotheses", "references", "char_order", "word_order", "beta", "lowercase", "whitespace", "averaging")
NAMES = {(6, 0): "chrF", (6, 1): "chrF+", (6, 2): "chrF++"}


def execute(value: Any) -> dict[str, Any]:
    """Return the tool's result for an input; ContractError if the input breaks the contract."""
    validate.check_object(value, KEYS, KEYS[:2])
    hypotheses, references = validate.check_segments(value)
    metric = _metric(value)
    result = metric.both(hypotheses, references, threads=1)
    return {
        "metric": "wordF" if not metric.char_order else NAMES.get((metric.char_order, metric.word_order), "custom"),
        "char_order": metric.char_order,
        "word_order": metric.word_order,
        "beta": metric.beta,
        "lowercase": metric.lowercase,
        "whitespace": metric.whitespace,
        "averaging": metric.averaging,
        "segment_count": len(hypotheses),
        **_score(result),
        "precision_fraction": fraction_or_null(result.precision_fraction),
        "recall_fraction": fraction_or_null(result.recall_fraction),
        "orders": [_order(order) for order in result.orders],
        "segments": [
            {**_score(segment), "counts": [list(counts) for counts in triples(segment.values)]}
            for segment in result.segments or ()
        ],
    }


def _metric(value: dict[str, Any]) -> ChrF:
    char_order = validate.integer(value, "char_order", 0, 24, 6)
    word_order = validate.integer(value, "word_order", 0, 8, 0)
    if not (char_order or word_order):
        raise ContractError("no_orders", "char_order and word_order are both 0; raise one of them.", "")
    return ChrF(
        char_order,
        word_order,
        beta=validate.integer(value, "beta", 1, 16, 2),
        lowercase=validate.boolean(value, "lowercase", False),
        whitespace=cast(Whitespace, validate.choice(value, "whitespace", ("remove", "keep"))),
        averaging=cast(Averaging, validate.choice(value, "averaging", ("mean_precision_recall", "per_order_f"))),
        unreferenced="count",
    )


def _score(result: Result) -> dict[str, str | None]:
    return exact("score", result.score_fraction)


def _order(order: Order) -> dict[str, Any]:
    return {
        "kind": order.kind,
        "n": order.n,
        "hypothesis_ngrams": order.hypothesis_ngrams,
        "reference_ngrams": order.reference_ngrams,
        "matches": order.matches,
        "effective": order.effective,
        **exact("precision", order.precision_fraction),
        **exact("recall", order.recall_fraction),
        **exact("f", order.f_fraction),
    }
