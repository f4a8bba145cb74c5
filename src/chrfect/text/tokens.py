"""The built-in tokenizers of BLEU in pure Python. The compiled kernel must return the same tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from chrfect.text import categories

BuiltIn = Literal["13a", "intl", "char", "zh", "none"]
BUILT_IN: tuple[str, ...] = get_args(BuiltIn)

REPLACED = (
    ("<skipped>", ""),
    ("-\n", ""),
    ("\n", " "),
    ("&quot;", '"'),
    ("&amp;", "&"),
    ("&lt;", "<"),
    ("&gt;", ">"),
)
"""The replacements of ``13a`` before it splits a text, applied in this order, each from left to right."""

CHINESE: categories.Ranges = (
    (0x2001, 0x2A6D),
    (0x2E80, 0x2FDF),
    (0x2FF0, 0x303F),
    (0x3100, 0x312F),
    (0x31A0, 0x31BF),
    (0x31C0, 0x31EF),
    (0x3200, 0x4DB5),
    (0x4E00, 0x9FBB),
    (0xF900, 0xFA2D),
    (0xFA30, 0xFA6A),
    (0xFA70, 0xFAD9),
    (0xFE10, 0xFE1F),
    (0xFE30, 0xFE4F),
    (0xFF00, 0xFFEF),
)
"""The code points that ``zh`` makes separate tokens.

sacreBLEU writes ``\\u20000`` to ``\\u2a6d6`` and ``\\u2f800`` to ``\\u2fa1d`` for ideographs beyond U+FFFF. Python
reads these escapes as U+2001 to U+2A6D and U+2F81 to U+2FA1, so the ranges have mathematical signs and arrows, and no
ideograph beyond U+FFFF.
"""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules by which a tokenizer splits a text, besides whitespace.

    Parameters
    ----------
    alone : callable
        Whether a symbol is always a separate token.
    mark : callable
        Whether a symbol is a separate token unless it is between digits.
    digit : callable
        Whether a symbol is a digit.
    dash : str
        The symbols that are separate tokens after a digit.
    padded : bool
        Whether a text is treated as if it had whitespace at both ends.
    """

    alone: Callable[[str], bool]
    mark: Callable[[str], bool]
    digit: Callable[[str], bool]
    dash: str
    padded: bool


def split(text: str, tokenizer: str) -> list[str]:
    """Return the tokens of a text.

    Parameters
    ----------
    text : str
    tokenizer : {"13a", "intl", "char", "zh", "none"}
        A name of :data:`BUILT_IN`.

    Examples
    --------
    >>> split("Hello,  world! 3.5-", "13a")
    ['Hello', ',', 'world', '!', '3.5', '-']
    >>> split("他说OK。", "zh")
    ['他', '说', 'OK', '。']
    """
    if tokenizer == "none":
        return text.split()
    if tokenizer == "char":
        return list("".join(text.split()))
    text = text.strip() if tokenizer == "zh" else text.rstrip()
    if tokenizer == "13a":
        for old, new in REPLACED:
            text = text.replace(old, new)
    return _cut(text, rules(tokenizer))


@cache
def rules(name: str) -> Rules:
    """Return the rules of ``13a``, ``intl`` or ``zh``."""
    if name == "intl":
        return Rules(
            frozenset(_characters(categories.SYMBOLS)).__contains__,
            frozenset(_characters(categories.PUNCTUATION)).__contains__,
            frozenset(_characters(categories.NUMBERS)).__contains__,
            dash="",
            padded=False,
        )
    latin = frozenset('!"#$%&()*+/:;<=>?@[\\]^_`{|}~')
    alone = latin if name == "13a" else latin.union(_characters(CHINESE))
    return Rules(
        alone.__contains__, frozenset(".,").__contains__, frozenset("0123456789").__contains__, "-", name == "13a"
    )


def _cut(text: str, rules: Rules) -> list[str]:
    """Split a text on whitespace and by rules.

    A mark is paired with the symbol before it, unless that symbol is a digit or a paired mark. A paired mark is a
    token. An unpaired mark is a token unless a digit follows it. Otherwise it is joined to that digit, and to a digit
    before it.
    """
    tokens: list[str] = []
    edge = not rules.padded  # whether the start and the end of the text count as digits
    joined = False  # whether the next symbol continues the last token
    paired = False  # whether the last symbol is a paired mark
    for i, symbol in enumerate(text):
        behind_digit = rules.digit(text[i - 1]) if i else edge
        before_digit = rules.digit(text[i + 1]) if i + 1 < len(text) else edge
        mark = rules.mark(symbol)
        paired = mark and not behind_digit and not paired
        alone = rules.alone(symbol) or (mark and (paired or not before_digit))
        alone = alone or (symbol in rules.dash and i > 0 and behind_digit)
        if symbol.isspace():
            joined = False
            continue
        if joined and not alone and (behind_digit or not mark):
            tokens[-1] += symbol
        else:
            tokens.append(symbol)
        joined = not alone
    return tokens


def _characters(ranges: categories.Ranges) -> list[str]:
    return [chr(code) for first, last in ranges for code in range(first, last + 1)]
