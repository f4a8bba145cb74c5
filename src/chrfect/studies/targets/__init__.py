"""Which chrF for which target language: units, orders, beta, words and whitespace."""

from collections.abc import Callable

from chrfect.studies.files import write_study
from chrfect.studies.targets.paper import best_table as summary_table
from chrfect.studies.targets.paper import paper as document
from chrfect.studies.targets.study import Study, measure, run_study

__all__ = ["Study", "measure", "run_study", "summary_table", "write"]


def write(study: Study, folder: str, progress: Callable[[int, int], None] | None = None) -> list[str]:
    """Write the study into a folder; see `chrfect.studies.files.write_study`."""
    return write_study("targets", document(study), study.to_dict(), folder, progress)
