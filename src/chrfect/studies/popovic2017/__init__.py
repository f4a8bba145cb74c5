"""Popović (2017), the founding paper of chrF++, computed again."""

from chrfect.studies.popovic2017.study import Study, run_study

__all__ = ["Study", "run_study"]
