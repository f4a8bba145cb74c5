"""What commands that print share."""

from __future__ import annotations

import json
import sys
from typing import Any

from chrfect.errors import without_surrogates


def print_json(document: Any) -> None:
    """Print a document as indented JSON, in UTF-8 whatever the terminal speaks."""
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.flush()
    sys.stdout.buffer.write(without_surrogates(text).encode() + b"\n")
