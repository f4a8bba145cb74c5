"""The points that MQM errors cost."""

from __future__ import annotations

from collections.abc import Mapping

from chrfect.errors import InputFileError
from chrfect.meta.sources.scores import number

SEVERITIES = {"critical": 25.0, "major": 5.0, "minor": 1.0, "neutral": 0.0, "no-error": 0.0}
"""Points an error costs where its rating gives none of its own; minor punctuation costs 0.1, non-translation 25."""


def points(path: str, line: int, error: Mapping[str, object]) -> float:
    """Return the points of one error with its `category`, `severity` and perhaps its own `score`.

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
            f"{path}: line {line}, column rating: severity {severity!r} is none of {', '.join(SEVERITIES)}."
        )
    return SEVERITIES[severity]
