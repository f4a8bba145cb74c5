"""Counts: the integer statistics that every score comes from.

A segment's statistics are integers, and a corpus is their sum, so files, threads, processes, machines and resamples
all meet in one :class:`CountTable`. A :class:`CountRecipe` says how the integers were counted; parts add up if their
recipes agree.
"""

from chrfect.counts.recipe import CountRecipe, order_columns
from chrfect.counts.sums import Counts, ReferenceNumber
from chrfect.counts.table import CountTable

__all__ = ["CountRecipe", "CountTable", "Counts", "ReferenceNumber", "order_columns"]
