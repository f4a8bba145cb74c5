"""The tokenizers of BLEU by name: built-in, from a library, from a SentencePiece model, or registered."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any

from chrfect.errors import UsageError, shown
from chrfect.text import categories, sentencepiece
from chrfect.text.tokens import BUILT_IN, split

LIBRARIES = {
    "ja-mecab": ("tokenizer_ja_mecab", "TokenizerJaMecab", "ja"),
    "ko-mecab": ("tokenizer_ko_mecab", "TokenizerKoMecab", "ko"),
}
"""Tokenizers of sacreBLEU that need a library: the module and class of sacreBLEU, and the extra with the library."""

Split = Callable[[str], list[str]]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class _Registered:
    version: str
    function: Callable[[str], list[str]]


_registered: dict[str, _Registered] = {}


def register_tokenizer(name: str, version: str, function: Callable[[str], list[str]]) -> None:
    """Register a function as the tokenizer of ``Bleu(tokenize=name)``.

    Parameters
    ----------
    name : str
        Letters, digits, ``.``, ``_`` and ``-``; not the name of another tokenizer.
    version : str
        The version of the function; change it when its tokens change. It is part of signatures, and counts of
        different versions cannot be added.
    function : callable
        Takes a text and returns its tokens, a list of str.

    Raises
    ------
    UsageError
        If the name is already used, or a parameter is invalid.

    Examples
    --------
    >>> register_tokenizer("letters", "1.0", list)
    >>> tokenizer("letters")("abc"), described("letters")
    (['a', 'b', 'c'], 'letters (version 1.0)')
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise UsageError(f"The name of a tokenizer is {shown(name)}; letters, digits, '.', '_' and '-' were expected.")
    if not isinstance(version, str) or not version.strip():
        raise UsageError(f"The version of the tokenizer {name} is {shown(version)}; a text such as '1.0' was expected.")
    if not callable(function):
        raise UsageError(f"The tokenizer {name} is a {type(function).__name__}; a callable was expected.")
    registered = _Registered(version, function)
    if (
        name in BUILT_IN
        or name in LIBRARIES
        or name in sentencepiece.NAMES
        or _registered.get(name, registered) != registered
    ):
        raise UsageError(f"The tokenizer {name} already exists; register this one under another name.")
    _registered[name] = registered


def names() -> tuple[str, ...]:
    """Return the names of all tokenizers.

    Examples
    --------
    >>> names()[:6]
    ('13a', 'intl', 'char', 'zh', 'none', 'ja-mecab')
    """
    return (*BUILT_IN, *LIBRARIES, *sentencepiece.NAMES, *_registered)


def tokenizer(name: str, spm_model: str | None = None) -> Split:
    """Return the function that splits a text into tokens.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    spm_model : str, optional
        The file of the SentencePiece model, for ``spm``, ``flores101`` and ``flores200``.

    Raises
    ------
    UsageError
        If the tokenizer, its package or its file does not exist. The returned function raises it for a text that the
        tokenizer cannot read, and if a registered function fails.

    Examples
    --------
    >>> tokenizer("none")("Hello,  world!")
    ['Hello,', 'world!']
    >>> tokenizer("13a")("Hello,  world!")
    ['Hello', ',', 'world', '!']
    """
    if name in BUILT_IN:
        return partial(split, tokenizer=name)
    if name in LIBRARIES:
        return _checked(name, _of_library(name))
    if name in sentencepiece.NAMES:
        return _checked(name, sentencepiece.splitter(sentencepiece.find_model(name, spm_model)))
    return _guarded(name, _find_registered(name).function)


def described(name: str, spm_model: str | None = None) -> str:
    """Return the name of a tokenizer with the version, or the SHA-256 of the model, on which its tokens depend.

    Raises
    ------
    UsageError
        If the tokenizer, its package or its file does not exist.

    Examples
    --------
    >>> described("13a"), described("intl")
    ('13a', 'intl (Unicode 18.0.0)')
    """
    if name in BUILT_IN:
        return f"{name} (Unicode {categories.UNICODE_VERSION})" if name == "intl" else name
    if name in LIBRARIES:
        from importlib.metadata import version

        return f"{name} (sacrebleu {version('sacrebleu')}, {_library(name).signature()})"
    if name in sentencepiece.NAMES:
        return f"{name} ({sentencepiece.identity(sentencepiece.find_model(name, spm_model))})"
    return f"{name} (version {_find_registered(name).version})"


def _find_registered(name: str) -> _Registered:
    try:
        return _registered[name]
    except KeyError:
        raise UsageError(
            f"There is no tokenizer {shown(name)} in this process; call register_tokenizer first."
        ) from None


def _of_library(name: str) -> Split:
    one_line = _library(name)
    return lambda text: one_line(text.rstrip()).split()


@cache
def _library(name: str) -> Any:
    module, of_class, extra = LIBRARIES[name]
    try:
        library = import_module(f"sacrebleu.tokenizers.{module}")
    except ModuleNotFoundError:
        library = None
    if library is None or getattr(library, "MeCab", library) is None:  # sacreBLEU sets it to None if it is missing
        raise UsageError(
            f"The tokenizer {name} is not installed: pip install 'sacrebleu[{extra}]'; or tokenize the texts yourself "
            "and use tokenize=none."
        )
    return getattr(library, of_class)()


def _checked(name: str, split: Split) -> Split:
    """Return a tokenizer function that raises UsageError for texts that UTF-8 cannot encode."""

    def checked(text: str) -> list[str]:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                f"{shown(text)} has the unpaired surrogate U+{ord(text[error.start]):04X} at character "
                f"{error.start}, which the tokenizer {name} cannot read; remove it from the text."
            ) from None
        return split(text)

    return checked


def _guarded(name: str, function: Callable[[str], Any]) -> Split:
    """Return a registered function whose failures raise UsageError."""

    def guarded(text: str) -> list[str]:
        try:
            tokens = function(text)
        except MemoryError:
            raise
        except Exception as error:
            raise UsageError(
                f"The tokenizer {name} failed on {shown(text)}: {type(error).__name__}: {error}"
            ) from error
        if not isinstance(tokens, list):
            raise UsageError(
                f"The tokenizer {name} returned a {type(tokens).__name__} for {shown(text)}; "
                "a list of str was expected."
            )
        for i, token in enumerate(tokens):
            if not isinstance(token, str):
                raise UsageError(
                    f"The tokenizer {name} returned a list with a {type(token).__name__} at {i} for {shown(text)}; "
                    "a list of str was expected."
                )
        return tokens

    return guarded
