"""Metrics as values: what to measure, named the same everywhere."""

from chrfect.metrics.base import Metric
from chrfect.metrics.bleu import Bleu
from chrfect.metrics.chrf import ChrF
from chrfect.metrics.registry import parse
from chrfect.metrics.result import Order, Result, Segments

__all__ = ["Bleu", "ChrF", "Metric", "Order", "Result", "Segments", "parse"]
