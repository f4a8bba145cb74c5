"""Metrics as values: what to measure, with the same name everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chrfect.counts import table as _table
from chrfect.exports import first_use as _first_use

if TYPE_CHECKING:
    from chrfect.metrics.base import Metric
    from chrfect.metrics.bleu import Bleu
    from chrfect.metrics.chrf import ChrF
    from chrfect.metrics.family import score_corpus
    from chrfect.metrics.order import Order
    from chrfect.metrics.references import References, ReferencesPerSegment, Texts
    from chrfect.metrics.registry import metric_names, parse, register
    from chrfect.metrics.result import CorpusResult, Result, Segments
    from chrfect.metrics.scoring import Scoring
    from chrfect.metrics.shares import Level, OrderShare
    from chrfect.metrics.ter import Ter

__all__ = [
    "Bleu",
    "ChrF",
    "CorpusResult",
    "Level",
    "Metric",
    "Order",
    "OrderShare",
    "References",
    "ReferencesPerSegment",
    "Result",
    "Scoring",
    "Segments",
    "Ter",
    "Texts",
    "metric_names",
    "parse",
    "register",
    "score_corpus",
]

_MODULES = {
    "base": ["Metric"],
    "bleu": ["Bleu"],
    "chrf": ["ChrF"],
    "family": ["score_corpus"],
    "order": ["Order"],
    "references": ["References", "ReferencesPerSegment", "Texts"],
    "registry": ["metric_names", "parse", "register"],
    "result": ["CorpusResult", "Result", "Segments"],
    "scoring": ["Scoring"],
    "shares": ["Level", "OrderShare"],
    "ter": ["Ter"],
}

if not TYPE_CHECKING:  # a type checker would accept every name

    def __getattr__(name: str) -> object:
        return _first_use(globals(), _MODULES, name)


def _parse(name: str) -> Metric:
    from chrfect.metrics.registry import parse

    return parse(name)


_table.parse_metric = _parse
