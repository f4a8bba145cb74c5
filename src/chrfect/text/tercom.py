"""The tokenizer of Tercom, the tool that defined TER (Snover et al. 2006), with the options of sacreBLEU."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_MARK = r"[\x20-&(-+/:-@\[-`{-~]"
_AFTER_NO_DIGIT = r"([^0-9])([.,])"
_BEFORE_NO_DIGIT = r"([.,])([^0-9])"
_DASH_AFTER_DIGIT = r"([0-9])-"

_ASIAN_PUNCTUATION = (
    "\u3001\u3002\u3008-\u3011\u3014-\u301f\u30fb\uff01\uff02\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f\uff61-\uff65"
)
# The range from U+3200 on ends where sacreBLEU's does, inside CJK Extension A, which is listed anyway.
_ASIAN = f"[\u2e80-\u2eff\u31c0-\u31ef\u3200-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f{_ASIAN_PUNCTUATION}]"
_PUNCTUATION = r'[.,?:;!"()]'
_PUNCTUATION_AND_ASIAN = f'[.,?:;!"(){_ASIAN_PUNCTUATION}]'

_compiled = cache(re.compile)
"""Compile a pattern when it is first used, so that the import is quick."""


class Tercom(NamedTuple):
    """The processing of a text before it is split on whitespace.

    Parameters
    ----------
    normalized : bool
        Join lines, decode the entities of XML, and split off punctuation and ``'s``.
    no_punct : bool
        Remove punctuation.
    asian_support : bool
        With `normalized`, make a word of each CJK character. With `no_punct`, remove CJK punctuation too. Without
        either it has no effect.
    case_sensitive : bool
        Keep case; otherwise texts are lower-cased (``str.lower``).
    """

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False


PLAIN = Tercom()


def words(text: str, choices: Tercom = PLAIN) -> list[str]:
    """Return the words of a text.

    Examples
    --------
    >>> words("It's 3.5 km, he SAID.")
    ["it's", '3.5', 'km,', 'he', 'said.']
    >>> words("It's 3.5 km, he SAID.", Tercom(normalized=True))
    ['it', "'s", '3.5', 'km', ',', 'he', 'said', '.']
    >>> words("It's 3.5 km, he SAID.", Tercom(no_punct=True, case_sensitive=True))
    ["It's", '35', 'km', 'he', 'SAID']
    >>> words("猫は12匹。", Tercom(normalized=True, asian_support=True))
    ['猫', 'は12', '匹', '。']
    """
    text = text.rstrip()
    if not choices.case_sensitive:
        text = text.lower()
    if choices.normalized:
        text = _normalized(text)
        if choices.asian_support:
            text = _compiled(_ASIAN).sub(r" \g<0> ", text)
    if choices.no_punct:
        text = _compiled(_PUNCTUATION_AND_ASIAN if choices.asian_support else _PUNCTUATION).sub("", text)
    return text.split()


def reference_words(text: str, choices: Tercom = PLAIN) -> list[str]:
    """Return the words of a reference, which sacreBLEU 2.6.0 prepares twice; normalizing twice differs from once.

    Examples
    --------
    >>> words("Martin's, he said", Tercom(normalized=True))
    ["martin's", ',', 'he', 'said']
    >>> reference_words("Martin's, he said", Tercom(normalized=True))
    ['martin', "'s", ',', 'he', 'said']
    """
    once = words(text, choices)
    return words(" ".join(once), choices) if choices.normalized else once


_UNSPACED = (
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
"""Thai, Lao, Burmese, Khmer, kana and Han: scripts whose words are written without spaces between them."""


def is_unspaced(text: str) -> bool:
    """Return whether at least half of a text is in a script without spaces.

    Examples
    --------
    >>> is_unspaced("猫は座った。"), is_unspaced("The cat (猫) sat."), is_unspaced("")
    (True, False, False)
    """
    return not text.isascii() and 2 * sum(map(len, _compiled(_UNSPACED).findall(text))) >= len(text)


def _normalized(text: str) -> str:
    text = text.replace("\n-", "").replace("\n", " ")
    for entity, mark in _ENTITIES:
        text = text.replace(entity, mark)
    text = _compiled(_MARK).sub(r" \g<0> ", f" {text} ").replace("'s ", " 's ")
    text = _compiled(_AFTER_NO_DIGIT).sub(r"\1 \2 ", text)
    text = _compiled(_BEFORE_NO_DIGIT).sub(r" \1 \2", text)
    return _compiled(_DASH_AFTER_DIGIT).sub(r"\1 - ", text)
