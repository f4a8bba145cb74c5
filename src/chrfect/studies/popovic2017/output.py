"""Output files of the study."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

from chrfect.errors import ChrfectWarning
from chrfect.files.save import make_folder, write_text
from chrfect.report import figures
from chrfect.studies.popovic2017.paper import paper
from chrfect.studies.popovic2017.pictures import draw

if TYPE_CHECKING:
    from chrfect.studies.popovic2017.study import Study


def write(study: Study, folder: str, progress: Callable[[int, int], None] | None = None) -> list[str]:
    """Write the files of the study atomically into a folder, which is created if necessary.

    Parameters
    ----------
    study : Study
        The results.
    folder : str
        The output folder; existing files are overwritten.
    progress : callable, optional
        Called with the numbers of written and of all files.

    Returns
    -------
    list of str
        The names of the files: ``index.html`` (everything on one page), ``popovic2017.md``, ``tables.tex``,
        ``summary.json``, and the figures as SVG. Without matplotlib, figures are omitted with a warning.

    Raises
    ------
    WorkError
        If the folder cannot be written.
    """
    make_folder(folder)
    drawn = {}
    if figures.available():
        drawn = draw(study)
    else:
        warnings.warn(f"the figures are left out. {figures.MISSING}", ChrfectWarning, stacklevel=2)
    names = [*drawn, "popovic2017.md", "tables.tex", "summary.json", "index.html"]
    images = {}
    for done, (name, figure) in enumerate(drawn.items(), 1):
        path = os.path.join(folder, name)
        figures.save(figure, path)
        with open(path, "rb") as file:
            images[name] = file.read()
        if progress:
            progress(done, len(names))
    document = paper(study, images=drawn)
    texts = {
        "popovic2017.md": document.markdown(),
        "tables.tex": document.latex(),
        "summary.json": json.dumps(study.to_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n",
        "index.html": document.html(images),
    }
    for done, (name, text) in enumerate(texts.items(), len(drawn) + 1):
        write_text(os.path.join(folder, name), text)
        if progress:
            progress(done, len(names))
    return names
