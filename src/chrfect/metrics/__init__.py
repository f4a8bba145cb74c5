"""Metrics as values: what to measure, with the same name everywhere."""

from chrfect.metrics.base import Metric
from chrfect.metrics.bleu import Bleu
from chrfect.metrics.chrf import ChrF
from chrfect.metrics.order import Order
from chrfect.metrics.registry import parse, register
from chrfect.metrics.result import CorpusResult, Result, Segments
from chrfect.metrics.scoring import Scoring

__all__ = ["Bleu", "ChrF", "CorpusResult", "Metric", "Order", "Result", "Scoring", "Segments", "parse", "register"]

for _metric in (ChrF, Bleu):
    register(_metric)
