"""Output files of a study without figures."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from chrfect.files.save import make_folder, write_text
from chrfect.report.document import Document


def write_study(
    name: str,
    document: Document,
    summary: Mapping[str, Any],
    folder: str,
    progress: Callable[[int, int], None] | None = None,
) -> list[str]:
    """Write the files of a study atomically into a folder, which is created if necessary.

    Parameters
    ----------
    name : str
        The name of the study.
    document : Document
        The paper.
    summary : mapping
        All numbers, which can be serialized as JSON.
    folder : str
        The output folder; existing files are overwritten.
    progress : callable, optional
        Called with the numbers of written and of all files.

    Returns
    -------
    list of str
        The names of the files: ``NAME.md``, ``tables.tex``, ``summary.json`` and ``index.html``.

    Raises
    ------
    WorkError
        If the folder cannot be written.
    """
    make_folder(folder)
    texts = {
        f"{name}.md": document.markdown(),
        "tables.tex": document.latex(),
        "summary.json": json.dumps(summary, ensure_ascii=False, indent=1, allow_nan=False) + "\n",
        "index.html": document.html({}),
    }
    for done, (file, text) in enumerate(texts.items(), 1):
        write_text(os.path.join(folder, file), text)
        if progress:
            progress(done, len(texts))
    return list(texts)
