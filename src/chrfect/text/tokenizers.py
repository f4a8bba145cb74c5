"""Tokenizers for BLEU: sacreBLEU's own, imported when used and never downloading anything."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, Literal, get_args

from chrfect.errors import UsageError, shown

Tokenizer = Literal["13a", "none", "intl", "char", "zh", "ja-mecab", "ko-mecab", "spm"]
NAMES = get_args(Tokenizer)

_CLASSES = {
    "13a": ("tokenizer_13a", "Tokenizer13a"),
    "intl": ("tokenizer_intl", "TokenizerV14International"),
    "char": ("tokenizer_char", "TokenizerChar"),
    "zh": ("tokenizer_zh", "TokenizerZh"),
    "ja-mecab": ("tokenizer_ja_mecab", "TokenizerJaMecab"),
    "ko-mecab": ("tokenizer_ko_mecab", "TokenizerKoMecab"),
}
_EXTRAS = {"ja-mecab": "ja", "ko-mecab": "ko"}


@cache
def tokenizer(name: str, spm_model: str | None = None) -> Callable[[str], list[str]]:
    """Return the function that takes a text apart into tokens, as sacreBLEU's tokenizer of that name does.

    Parameters
    ----------
    name : str
        One of :data:`NAMES`; ``none`` splits on whitespace alone, ``spm`` is SentencePiece.
    spm_model : str, optional
        The file of the SentencePiece model, for ``spm`` alone.

    Raises
    ------
    UsageError
        If the package or the file it needs is not there.

    Examples
    --------
    >>> tokenizer("none")("Hello,  world!")
    ['Hello,', 'world!']
    >>> tokenizer("13a")("Hello,  world!")
    ['Hello', ',', 'world', '!']
    """
    if name == "none":
        return str.split
    if name == "spm":
        return _checked(name, _sentencepiece(spm_model or ""))
    one_line = _sacrebleu(name)

    def split(text: str) -> list[str]:
        return one_line(text.rstrip()).split()  # type: ignore[no-any-return]

    return _checked(name, split) if name in _EXTRAS else split


def described(name: str, spm_model: str | None = None) -> str:
    """Return the tokenizer with what it depends on: the package's version, its dictionary, the SHA-256 of the model.

    Raises
    ------
    UsageError
        If the package or the file is not there.

    Examples
    --------
    >>> described("none")
    'none'
    """
    if name == "none":
        return name
    from importlib.metadata import version

    tokenizer(name, spm_model)
    if name == "spm":
        return f"spm (sha256 {_sha256(spm_model or '')}, sentencepiece {version('sentencepiece')})"
    dictionary = f", {_sacrebleu(name).signature()}" if name in _EXTRAS else ""
    return f"{name} (sacrebleu {version('sacrebleu')}{dictionary})"


def _sacrebleu(name: str) -> Any:
    module, of_class = _CLASSES[name]
    try:
        return getattr(import_module(f"sacrebleu.tokenizers.{module}"), of_class)()
    except (ImportError, RuntimeError) as error:
        package = f"sacrebleu[{_EXTRAS[name]}]" if name in _EXTRAS else "chrfect[tokenizers]"
        raise UsageError(
            f"The tokenizer {name} is not installed: pip install '{package}'; or score tokens with tokenize=none."
        ) from error


def _sentencepiece(file: str) -> Callable[[str], list[str]]:
    try:
        from sentencepiece import SentencePieceProcessor
    except ImportError:
        raise UsageError("The tokenizer spm needs SentencePiece: pip install 'chrfect[tokenizers]'.") from None
    try:
        model: Any = SentencePieceProcessor(model_file=file)
    except (OSError, RuntimeError) as error:
        raise UsageError(f"{file!r} cannot be read as a SentencePiece model: {error}") from None
    return lambda text: " ".join(model.encode(text.rstrip(), out_type=str)).split()


def _checked(name: str, split: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    """Return the function for a tokenizer in C, which reads nothing that UTF-8 cannot hold."""

    def checked(text: str) -> list[str]:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                f"{shown(text)} holds the unpaired surrogate U+{ord(text[error.start]):04X} at character "
                f"{error.start}, which the tokenizer {name} cannot read; take it out of the text."
            ) from None
        return split(text)

    return checked


@cache
def _sha256(file: str) -> str:
    import hashlib

    with open(file, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
