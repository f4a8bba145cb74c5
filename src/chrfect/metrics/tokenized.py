"""Segments given as lists of tokens. They are joined with spaces, on which the tokenizer ``none`` splits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chrfect.errors import UsageError, shown


def join_tokens(values: Any, name: str, depth: int = 1) -> Any:
    """Return lists of tokens as texts.

    Parameters
    ----------
    values : list of lists of str, mapping to such lists, or None
        Each segment is a list of tokens, or None if it is missing.
    name : str
        The name of the values in error messages.
    depth : int
        The number of lists around a segment.

    Raises
    ------
    UsageError
        If a segment is not a list, or a token is not a text, is empty, or contains whitespace.

    Examples
    --------
    >>> join_tokens([["a", "cat"], []], "hypotheses")
    ['a cat', '']
    """
    if values is None:
        return None
    if depth == 0:
        return _join_segment(values, name)
    if isinstance(values, Mapping):
        return {key: join_tokens(value, f"{name}[{key!r}]", depth) for key, value in values.items()}
    if not isinstance(values, list | tuple):
        raise UsageError(f"{name} is a {type(values).__name__}; lists of tokens were expected, as in hypotheses.")
    return [join_tokens(value, f"{name}[{i}]", depth - 1) for i, value in enumerate(values)]


def _join_segment(tokens: Any, name: str) -> str:
    if not isinstance(tokens, list | tuple):
        raise UsageError(f"{name} is a {type(tokens).__name__}; a list of tokens was expected, as in hypotheses.")
    for i, token in enumerate(tokens):
        if not isinstance(token, str):
            raise UsageError(f"{name}[{i}] is a {type(token).__name__}; a token (str) was expected.")
        if token.split() != [token]:
            fault = "has whitespace in it" if token.strip() else "is empty or whitespace"
            raise UsageError(f"{name}[{i}] is {shown(token)}, which {fault}; a token is text without whitespace.")
    return " ".join(tokens)
