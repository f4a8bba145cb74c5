"""Tokenizers for BLEU by name: built in, from a library, from a SentencePiece model, or registered."""

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
"""Tokenizers that sacreBLEU builds from a library: its module, its class, and the extra that installs the library."""

Split = Callable[[str], list[str]]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class _Registered:
    version: str
    function: Callable[[str], list[str]]


_registered: dict[str, _Registered] = {}


def register_tokenizer(name: str, version: str, function: Callable[[str], list[str]]) -> None:
    """Let ``Bleu(tokenize=name)`` cut texts with a function.

    Parameters
    ----------
    name : str
        Letters, digits, ``.``, ``_`` and ``-``; not the name of another tokenizer.
    version : str
        What tells apart versions that cut differently. Signatures have it beside the name, and counts of different
        versions are not added.
    function : callable
        Takes a text and returns its tokens, a list of str.

    Raises
    ------
    UsageError
        If the name is taken, or a parameter is not what it should be.

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
    made = _Registered(version, function)
    if name in BUILT_IN or name in LIBRARIES or name in sentencepiece.NAMES or _registered.get(name, made) != made:
        raise UsageError(f"There is a tokenizer {name} already; register this one under another name.")
    _registered[name] = made


def names() -> tuple[str, ...]:
    """Return the names of all tokenizers.

    Examples
    --------
    >>> names()[:6]
    ('13a', 'intl', 'char', 'zh', 'none', 'ja-mecab')
    """
    return (*BUILT_IN, *LIBRARIES, *sentencepiece.NAMES, *_registered)


def tokenizer(name: str, spm_model: str | None = None) -> Split:
    """Return the function that cuts a text into tokens.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    spm_model : str, optional
        The file of the SentencePiece model, for ``spm``, ``flores101`` and ``flores200``.

    Raises
    ------
    UsageError
        If the tokenizer, its package or its file is not there. The function raises it for a text that the tokenizer
        cannot read, and where a registered function fails.

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
    """Return the tokenizer with what its tokens depend on: a version, or the SHA-256 of a model.

    Raises
    ------
    UsageError
        If the tokenizer, its package or its file is not there.

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
            f"There is no tokenizer {shown(name)} in this process: call register_tokenizer before it is used."
        ) from None


def _of_library(name: str) -> Split:
    one_line = _library(name)
    return lambda text: one_line(text.rstrip()).split()


@cache
def _library(name: str) -> Any:
    module, of_class, extra = LIBRARIES[name]
    try:
        return getattr(import_module(f"sacrebleu.tokenizers.{module}"), of_class)()
    except (ImportError, RuntimeError) as error:
        if not isinstance(error, ModuleNotFoundError) and not isinstance(error.__context__, ModuleNotFoundError):
            raise  # sacreBLEU reports a missing module by a RuntimeError; any other error is its own
        raise UsageError(
            f"The tokenizer {name} is not installed: pip install 'sacrebleu[{extra}]'; or cut the texts yourself and "
            "use tokenize=none."
        ) from error


def _checked(name: str, split: Split) -> Split:
    """Return the function of a tokenizer that cannot read what UTF-8 cannot hold."""

    def checked(text: str) -> list[str]:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                f"{shown(text)} has the unpaired surrogate U+{ord(text[error.start]):04X} at character "
                f"{error.start}, which the tokenizer {name} cannot read; take it out of the text."
            ) from None
        return split(text)

    return checked


def _guarded(name: str, function: Callable[[str], Any]) -> Split:
    """Return a registered function with its errors explained."""

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
