"""What a difference of one chrF means: agreement with humans by the size of a difference."""

from collections.abc import Callable

from chrfect.studies.difference.paper import paper as document
from chrfect.studies.difference.paper import quick_reference as summary_table
from chrfect.studies.difference.study import Study, measure, run_study
from chrfect.studies.files import write_study

__all__ = ["Study", "measure", "run_study", "summary_table", "write"]


def write(study: Study, folder: str, progress: Callable[[int, int], None] | None = None) -> list[str]:
    """Write the study into a folder; see `chrfect.studies.files.write_study`."""
    return write_study("difference", document(study), study.to_dict(), folder, progress)
