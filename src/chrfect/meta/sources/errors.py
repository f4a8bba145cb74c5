"""The penalty points of MQM errors."""

from __future__ import annotations

from collections.abc import Mapping

from chrfect.errors import InputFileError
from chrfect.meta.sources.scores import number

SEVERITIES = {"critical": 25.0, "major": 5.0, "minor": 1.0, "neutral": 0.0, "no-error": 0.0}
"""Points by severity, for errors without a score; minor punctuation has 0.1 points, non-translation 25."""


TEST = "hotw-test"
"""The severity of rows that test the attention of a rater with an error added on purpose; they are not ratings."""


def points(path: str, line: int, error: Mapping[str, object]) -> float:
    """Return the points of an error with its `category`, `severity` and optional `score`.

    Examples
    --------
    >>> points("file", 1, {"category": "Fluency/Punctuation", "severity": "Minor"})
    0.1
    """
    score = number(error.get("score"), path, line, "rating")
    if score is not None:
        return abs(score)
    category, severity = (str(error.get(name) or "").strip().lower() for name in ("category", "severity"))
    if "non-translation" in category:
        return SEVERITIES["critical"]
    if severity == "minor" and "punctuation" in category:
        return 0.1
    if severity not in SEVERITIES:
        raise InputFileError(
            f"{path}: line {line}, column rating: the severity {severity!r} is not one of {', '.join(SEVERITIES)}."
        )
    return SEVERITIES[severity]
