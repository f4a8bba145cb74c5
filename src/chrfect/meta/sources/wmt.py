"""The file formats of the WMT metrics task and of its evaluation tool.

- ``*.seg.score``, ``*.sys.score``: two columns, system and score, with segments in the order of the test set; ``None``
  is a missing score.
- ``*.seg.rating``: system, a JSON object of error spans (or ``None``), and optionally the rater.
- The tab-separated files of the metrics task, distinguished by their number of columns and by the numeric columns::

    8  metric  pair  testset  domain    reference  system   segment    score      2022, 2023
    7  metric  pair  testset  domain    reference  system              score      2022, 2023 (systems)
    9  metric  pair  testset  domain    document   reference  system  segment  score   2021, 2024
    8  metric  pair  testset  system    segment    score    ensemble   available  2019, 2020
    7  metric  pair  testset  system    score      ensemble available             2019, 2020 (systems)
    6  metric  pair  testset  system    segment    score                          2015 to 2018
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from chrfect.errors import InputFileError
from chrfect.meta.sources.columns import ordinals
from chrfect.meta.sources.comments import numbered_lines
from chrfect.meta.sources.errors import points
from chrfect.meta.sources.scores import Key, Scores, collect, number

SUFFIXES = (".seg.score", ".sys.score", ".seg.rating")


def is_wmt(path: str) -> bool:
    """Return whether a file has a suffix of these formats."""
    return path.endswith(SUFFIXES)


def read_wmt(path: str, name: str | None = None) -> list[Scores]:
    """Read a file in one of these formats.

    Parameters
    ----------
    path : str
        The file. Its suffix determines whether it has scores of segments, scores of systems, or ratings.
    name : str, optional
        The name of scores in a file without metric names; by default the file name without suffixes.

    Returns
    -------
    list of Scores
        One for each metric in the file (and reference, if there are several).

    Raises
    ------
    InputFileError
        If a line has a wrong number of columns, or its score is not a number.
    """
    lines = [(at, line.split("\t") if "\t" in line else line.split()) for at, line in numbered_lines(path, "\t")]
    name = name or path.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".gz").rsplit(".", 2)[0]
    if path.endswith(".seg.rating"):
        return [collect(name, path, _ratings(path, lines), by_position=True)]
    if len(lines[0][1]) == 2:
        return [collect(name, path, _two_columns(path, lines), by_position=path.endswith(".seg.score"))]
    return _metrics_task(path, lines)


def _two_columns(path: str, lines: list[tuple[int, list[str]]]) -> Iterator[tuple[int, Key, float | None]]:
    segments = path.endswith(".seg.score")
    for at, cells in lines:
        if len(cells) != 2:
            raise InputFileError(f"{path}: line {at} has {len(cells)} columns; system and score were expected.")
    items = ordinals(cells[0] for _, cells in lines) if segments else [""] * len(lines)
    for (at, (system, score)), item in zip(lines, items, strict=True):
        yield at, Key("", system, item), number(score, path, at, "score")


def _ratings(path: str, lines: list[tuple[int, list[str]]]) -> Iterator[tuple[int, Key, float | None]]:
    for at, cells in lines:
        if len(cells) not in (2, 3):
            raise InputFileError(f"{path}: line {at} has {len(cells)} columns; system, rating and rater were expected.")
    for (at, cells), item in zip(lines, ordinals(cells[0] for _, cells in lines), strict=True):
        yield at, Key("", cells[0], item), None if cells[1] == "None" else _rated(path, at, cells[1])


def _rated(path: str, line: int, text: str) -> float:
    """Return the negative sum of the points of all errors, so that higher is better."""
    try:
        errors = [dict(error) for error in json.loads(text)["errors"]]
    except (ValueError, KeyError, TypeError):
        raise InputFileError(
            f'{path}: line {line}, column rating: a JSON object {{"errors": [{{"severity": …}}, …]}} was expected.'
        ) from None
    return 0.0 - sum(points(path, line, error) for error in errors)


def _metrics_task(path: str, lines: list[tuple[int, list[str]]]) -> list[Scores]:
    found: dict[tuple[str, str], list[tuple[int, Key, float | None]]] = {}
    for at, cells in lines:
        metric, pair, reference, system, item, score = _line(path, at, cells)
        entry = at, Key(pair, system, item), number(score, path, at, "score")
        found.setdefault((metric, reference), []).append(entry)
    metrics = [metric for metric, _ in found]
    return [
        collect(metric if metrics.count(metric) == 1 else f"{metric}-{reference}", path, entries)
        for (metric, reference), entries in found.items()
    ]


def _line(path: str, at: int, cells: list[str]) -> tuple[str, str, str, str, str, str]:
    """Return metric, pair, reference, system, segment and score of a line."""
    number_of_cells, segments = len(cells), not path.endswith(".sys.score")
    if number_of_cells == 6 and segments:
        return cells[0], cells[1], "", cells[3], cells[4], cells[5]
    if number_of_cells == 8 and segments and cells[6].isdecimal():
        return cells[0], cells[1], cells[4], cells[5], cells[6], cells[7]
    if number_of_cells == 8 and segments and cells[4].isdecimal():
        return cells[0], cells[1], "", cells[3], cells[4], cells[5]
    if number_of_cells == 9 and segments:
        return cells[0], cells[1], cells[5], cells[6], cells[7], cells[8]
    if number_of_cells == 7 and not segments:
        if _is_number(cells[6]):
            return cells[0], cells[1], cells[4], cells[5], "", cells[6]
        return cells[0], cells[1], "", cells[3], "", cells[4]
    kind = "segment" if segments else "system"
    raise InputFileError(
        f"{path}: line {at} has {number_of_cells} columns, not those of a {kind}-level file of the metrics task: "
        "metric, language pair, test set, domain, reference, system, segment, score."
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def write_metrics_task(
    scores: Iterable[Scores], *, testset: str, domain: str = "all", reference: str = "refA"
) -> Iterator[str]:
    """Yield lines in the format of the metrics task of 2022 and 2023: eight columns, seven for whole systems.

    A missing score is ``None``. Floats are written as Python prints them, so that they are read back unchanged.

    Examples
    --------
    >>> scores = Scores("chrF", "memory", {Key("en-de", "A", "1"): 61.5})
    >>> list(write_metrics_task([scores], testset="newstest2021"))
    ['chrF\\ten-de\\tnewstest2021\\tall\\trefA\\tA\\t1\\t61.5']
    """
    for one in scores:
        for key, value in one.values.items():
            item = [key.item] if key.item else []
            yield "\t".join([one.name, key.panel or "-", testset, domain, reference, key.system, *item, repr(value)])
