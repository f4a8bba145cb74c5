"""The tokenizer classes of sacreBLEU, whose instances return the tokens of a text separated by spaces."""

from __future__ import annotations

from typing import ClassVar

from chrfect.text import tercom
from chrfect.text.tokenizers import tokenizer

DEFAULT_TOKENIZER = "13a"


class BaseTokenizer:
    """The base class of tokenizers, with a signature and a call."""

    NAME: ClassVar[str] = "none"

    def __init__(self) -> None:
        self._split = tokenizer(self.NAME)

    def signature(self) -> str:
        """Return the name of the tokenizer in signatures."""
        return self.NAME

    def __call__(self, line: str) -> str:
        """Return the tokens of a text, separated by spaces."""
        return " ".join(self._split(line))


class NoneTokenizer(BaseTokenizer):
    """Returns the text unchanged."""

    def __call__(self, line: str) -> str:
        """Return the text."""
        return line


class Tokenizer13a(BaseTokenizer):
    """The tokenizer of mteval-v13a."""

    NAME = "13a"


class TokenizerV14International(BaseTokenizer):
    """The international tokenizer of mteval-v14."""

    NAME = "intl"


class TokenizerZh(BaseTokenizer):
    """Separates Chinese characters, and tokenizes the rest like 13a."""

    NAME = "zh"


class TokenizerChar(BaseTokenizer):
    """Separates all characters."""

    NAME = "char"

    def __call__(self, line: str) -> str:
        """Return the characters of a text, including its spaces, separated by spaces."""
        return " ".join(line)


class Flores101Tokenizer(BaseTokenizer):
    """The SentencePiece model of FLORES-101."""

    NAME = "flores101"


class Flores200Tokenizer(BaseTokenizer):
    """The SentencePiece model of FLORES-200."""

    NAME = "flores200"


class TercomTokenizer(BaseTokenizer):
    """The tokenizer of TER.

    Parameters
    ----------
    normalized, no_punct, asian_support, case_sensitive : bool
        As in :class:`chrfect.Ter`.

    Examples
    --------
    >>> TercomTokenizer(normalized=True)("Hi, there")
    'hi , there'
    """

    NAME = "tercom"

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ) -> None:
        choices = tercom.Tercom(normalized, no_punct, asian_support, case_sensitive)
        self._split = lambda text: tercom.words(text, choices)


MODULES = {
    "base": (BaseTokenizer,),
    "none": (NoneTokenizer,),
    "13a": (Tokenizer13a,),
    "intl": (TokenizerV14International,),
    "zh": (TokenizerZh,),
    "char": (TokenizerChar,),
    "spm": (Flores101Tokenizer, Flores200Tokenizer),
    "ter": (TercomTokenizer,),
}
"""The tokenizer classes by the suffix of their module in sacreBLEU."""
