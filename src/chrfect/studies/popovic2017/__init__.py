"""Popović (2017), the paper that introduced chrF++, computed again."""

from chrfect.studies.popovic2017.layouts import summary_table
from chrfect.studies.popovic2017.output import write
from chrfect.studies.popovic2017.study import Study, run_study

__all__ = ["Study", "run_study", "summary_table", "write"]
