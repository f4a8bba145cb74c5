"""The exceptions and warnings of chrfect.

::

    Exception
    └── ChrfectError             everything that chrfect raises on purpose
        ├── UsageError           the input or the arguments are wrong (also a ValueError); exit status 2
        │   ├── InputFileError   the content of a file cannot be read
        │   └── ContractError    an input breaks a tool's contract; has .code and .pointer
        └── WorkError            the work failed: network, disk, server; exit status 1

    Warning
    └── UserWarning
        └── ChrfectWarning       the input is unusual; the result is valid
"""

from __future__ import annotations

import numbers
import re

_SURROGATE = re.compile("[\ud800-\udfff]")


class ChrfectError(Exception):
    """Base of every error that chrfect raises on purpose."""


class UsageError(ChrfectError, ValueError):
    """The input or the arguments are wrong; the message says what was given, what was expected, and the fix."""


class InputFileError(UsageError):
    """The content of a file cannot be read; the message names the file and, where possible, the line and the byte."""


class ContractError(UsageError):
    """An input breaks a tool's contract.

    Parameters
    ----------
    code : str
        The stable name of the broken rule, such as ``"not_a_string"``.
    detail : str
        What was given, what was expected, and the fix. Lone surrogates in it and in the pointer become U+FFFD.
    pointer : str or None
        A JSON Pointer (RFC 6901) into the input; ``""`` for the whole input, None if there is no input.

    Examples
    --------
    >>> error = ContractError("not_a_string", "hypotheses[0] is a number.", "/hypotheses/0")
    >>> error.code, error.pointer
    ('not_a_string', '/hypotheses/0')
    """

    def __init__(self, code: str, detail: str, pointer: str | None) -> None:
        detail = without_surrogates(detail)
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.pointer = None if pointer is None else without_surrogates(pointer)

    def __reduce__(self) -> tuple[type[ContractError], tuple[str, str, str | None]]:
        return type(self), (self.code, self.detail, self.pointer)


class WorkError(ChrfectError):
    """The input is valid, but the work failed: an error of the network, the disk or a server."""


class ChrfectWarning(UserWarning):
    """The input is unusual; the result is valid."""


def without_surrogates(text: str) -> str:
    """Return the text with each lone surrogate replaced by U+FFFD, so that it can be encoded.

    Examples
    --------
    >>> without_surrogates("a\\ud83d")
    'a\ufffd'
    """
    return _SURROGATE.sub("\ufffd", text)


def quantity(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is 1.

    Examples
    --------
    >>> quantity(1, "line"), quantity(2000, "line")
    ('1 line', '2,000 lines')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def shown(value: object) -> str:
    """Return a value as a message shows it: a number as written, anything else by its repr, cut to 60 characters.

    Lone surrogates are replaced by U+FFFD.

    Examples
    --------
    >>> shown("k\\ud800"), shown(10**5000)
    ("'k\ufffd'", 'a number of over 4,300 digits')
    """
    try:
        if isinstance(value, numbers.Number):
            text = str(value)
        else:
            text = repr(without_surrogates(value) if isinstance(value, str) else value)
    except ValueError:
        return "a number of over 4,300 digits"
    return text if len(text) <= 60 else text[:57] + "..."
