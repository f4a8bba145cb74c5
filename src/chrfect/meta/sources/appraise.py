"""The CSV files that Appraise exports, of direct assessments with scalar quality metrics (DA+SQM) or error spans (ESA).

There is no heading. The columns are rater, system, segment, kind of item, source and target language, and score.
Campaigns of documents add the document and whether the score is of the whole document. ESA adds error spans. Times come
last.
"""

from __future__ import annotations

import csv
import io

from chrfect.errors import InputFileError
from chrfect.files.lines import decode_lines, read_bytes
from chrfect.meta.sources.raters import Rating
from chrfect.meta.sources.scores import Key, number

RATED = ("TGT", "CHK")
"""Kinds of items that count: system outputs, and their repetitions for checks. Damaged outputs (BAD) do not."""

KINDS = (*RATED, "BAD", "REF")


def read_appraise(path: str) -> list[Rating] | None:
    """Return the ratings of segments, or None where the file is no export of Appraise.

    Raises
    ------
    InputFileError
        If a line has fewer than 7 columns, or a score is no number.
    """
    if not path.lower().endswith(".csv"):
        return None
    text = "\n".join(decode_lines(read_bytes(path), path))
    reader = csv.reader(io.StringIO(text), strict=True)
    ratings: list[tuple[Rating, str, bool]] = []
    try:
        for cells in reader:
            if not cells:
                continue
            if len(cells) < 7 or not cells[3].startswith(KINDS):
                if not ratings:
                    return None
                raise InputFileError(
                    f"{path}: line {reader.line_num}: rater, system, segment, kind of item ({', '.join(KINDS)}), two "
                    "languages and a score were expected."
                )
            rater, system, segment, kind, source, target, score = cells[:7]
            document, whole = (cells[7], cells[8] == "True") if len(cells) > 9 else ("", False)
            item = f"{document}:{segment}" if document else segment
            value = number(score, path, reader.line_num, "7 (score)")
            ratings.append(
                (Rating(reader.line_num, Key(f"{source}-{target}", system, item), rater, value), kind, whole)
            )
    except csv.Error as error:
        if not ratings:
            return None
        raise InputFileError(f"{path}: line {reader.line_num}: {error}.") from None
    return [rating for rating, kind, whole in ratings if kind in RATED and not whole] or None
