"""Reading ratings and scores: tables long and wide, and the layouts of the WMT metrics task."""

from chrfect.meta.sources.matching import join
from chrfect.meta.sources.requests import Request, gather
from chrfect.meta.sources.scores import Key, Scores
from chrfect.meta.sources.sheet import read_sheet
from chrfect.meta.sources.wmt import read_wmt, write_metrics_task

__all__ = ["Key", "Request", "Scores", "gather", "join", "read_sheet", "read_wmt", "write_metrics_task"]
