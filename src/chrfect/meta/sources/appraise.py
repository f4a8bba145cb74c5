"""The CSV files that Appraise exports for direct assessment with scalar quality metrics (DA+SQM) or error spans (ESA).

There is no header. The columns are rater, system, segment, kind of item, source and target language, and score.
Document-level campaigns, such as those of WMT 2023 and 2024, add the document and whether the score applies to the
whole document; segments are then numbered within documents. ESA adds error spans. The last two columns are times, which
some exports lack.
"""

from __future__ import annotations

import csv
import io

from chrfect.errors import InputFileError
from chrfect.files.lines import decode_lines, read_bytes
from chrfect.meta.sources.raters import Rating
from chrfect.meta.sources.scores import Key, number

RATED = ("TGT", "CHK")
"""The kinds of items that are used: system outputs and their repetitions. Damaged outputs (BAD) are ignored."""

KINDS = (*RATED, "BAD", "REF")


def read_appraise(path: str) -> list[Rating] | None:
    """Return the ratings of segments, or None if the file is not an export of Appraise.

    Raises
    ------
    InputFileError
        If a line has fewer than 7 columns, or a score is not a number.
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
            document, whole = (cells[7], cells[8] == "True") if cells[8:9] in (["True"], ["False"]) else ("", False)
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
