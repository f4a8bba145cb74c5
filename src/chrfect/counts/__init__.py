"""Counts: the integer statistics from which every score is computed.

The statistics of a segment are integers, and those of a corpus are their sum. A :class:`CountTable` holds the counts of
segments, whether they come from files, threads, processes, machines or resamples. A :class:`CountRecipe` states how
they were counted. Counts can be added if their recipes agree.
"""

from chrfect.counts.recipe import CountRecipe, order_columns
from chrfect.counts.sums import Counts, ReferenceNumber
from chrfect.counts.table import CountTable

__all__ = ["CountRecipe", "CountTable", "Counts", "ReferenceNumber", "order_columns"]
