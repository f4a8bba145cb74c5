"""chrf-components 1.0.0: all counts of a chrF score, with any orders and averaging."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from chrfect import kernels
from chrfect.catalogue import validate
from chrfect.catalogue.numbers import exact
from chrfect.errors import ContractError
from chrfect.formulas import fscore
from chrfect.formulas.decimals import ratio_text
from chrfect.kernels import Plan
from chrfect.text.preparation import Preparation, Whitespace

KEYS = ("hypotheses", "references", "char_order", "word_order", "beta", "lowercase", "whitespace", "averaging")
NAMES = {(6, 0): "chrF", (6, 1): "chrF+", (6, 2): "chrF++"}


def execute(value: Any) -> dict[str, Any]:
    """Return the tool's result for an input; raise ContractError if the input violates the contract."""
    validate.check_object(value, KEYS, KEYS[:2])
    hypotheses, references = validate.check_segments(value)
    char_order = validate.integer(value, "char_order", 0, 24, 6)
    word_order = validate.integer(value, "word_order", 0, 8, 0)
    if not (char_order or word_order):
        raise ContractError("no_orders", "char_order and word_order are both 0; increase one of them.", "")
    beta = validate.integer(value, "beta", 1, 16, 2)
    lowercase = validate.boolean(value, "lowercase", False)
    whitespace = cast(Whitespace, validate.choice(value, "whitespace", ("remove", "keep")))
    averaging = cast(fscore.Averaging, validate.choice(value, "averaging", ("mean_precision_recall", "per_order_f")))
    preparation = Preparation(lowercase, whitespace)
    plan = Plan(char_order, word_order, preparation.kernel_keeps_whitespace)
    rows = kernels.rows(preparation.cased(hypotheses), preparation.cased(references), plan, 1)
    total = kernels.column_sums(rows, plan.width)
    segments = [rows[at : at + plan.width].tolist() for at in range(0, len(rows), plan.width)]
    return {
        "metric": "wordF" if not char_order else NAMES.get((char_order, word_order), "custom"),
        "char_order": char_order,
        "word_order": word_order,
        "beta": beta,
        "lowercase": lowercase,
        "whitespace": whitespace,
        "averaging": averaging,
        "segment_count": len(hypotheses),
        **exact("score", fscore.ratio(total, beta, averaging)),
        **_means(total, averaging),
        "orders": [
            _order(
                "character" if i < char_order else "word", 1 + (i if i < char_order else i - char_order), counts, beta
            )
            for i, counts in enumerate(fscore.triples(total))
        ],
        "segments": [
            {**exact("score", fscore.ratio(row, beta, averaging)), "counts": list(map(list, fscore.triples(row)))}
            for row in segments
        ],
    }


def _means(total: Sequence[int], averaging: fscore.Averaging) -> dict[str, str | None]:
    means = None if averaging == "per_order_f" else fscore.mean_precision_recall(total)
    if means is None:
        return {"precision_fraction": None, "recall_fraction": None}
    (precision, h), (recall, r) = means
    return {"precision_fraction": ratio_text(100 * precision, h), "recall_fraction": ratio_text(100 * recall, r)}


def _order(kind: str, n: int, counts: tuple[int, int, int], beta: int) -> dict[str, Any]:
    h, r, m = counts
    f = fscore.order_f(h, r, m, beta)
    return {
        "kind": kind,
        "n": n,
        "hypothesis_ngrams": h,
        "reference_ngrams": r,
        "matches": m,
        "effective": h > 0 and r > 0,
        **exact("precision", (100 * m, h) if h else None),
        **exact("recall", (100 * m, r) if r else None),
        **exact("f", None if f is None else f.as_integer_ratio()),
    }
