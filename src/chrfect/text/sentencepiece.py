"""SentencePiece models as tokenizers: found in files, identified by their SHA-256, never downloaded."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from chrfect.errors import UsageError

SOURCES = {
    "flores101": (
        "sacrebleu_tokenizer_spm.model",
        "https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model",
    ),
    "flores200": ("flores200sacrebleuspm", "https://tinyurl.com/flores200sacrebleuspm"),
}
"""For each named model, the file name that sacreBLEU uses and the address of the file."""

NAMES = ("spm", *SOURCES)


def find_model(name: str, spm_model: str | None) -> str:
    """Return the file of a model: `spm_model`, else a file in ``CHRFECT_MODELS``, else the file that sacreBLEU stored.

    Parameters
    ----------
    name : {"spm", "flores101", "flores200"}
    spm_model : str, optional
        The file; needed for ``spm``.

    Raises
    ------
    UsageError
        If there is no file. Models are never downloaded.
    """
    if spm_model is not None:
        return spm_model
    if name not in SOURCES:
        raise UsageError("tokenize=spm needs the file of its model: BLEU(tokenize=spm,spm_model=FILE) or --spm-model.")
    kept, url = SOURCES[name]
    places = [os.path.join(_sacrebleu_folder(), "models", kept)]
    if folder := os.environ.get("CHRFECT_MODELS"):
        places[:0] = [os.path.join(folder, file) for file in (f"{name}.model", kept)]
    for place in places:
        if os.path.isfile(place):
            return place
    raise UsageError(
        f"The tokenizer {name} is a SentencePiece model, and none of these files exists: {', '.join(places)}. "
        f"Download it from {url} and name it with --spm-model (spm_model=FILE), or keep it as {name}.model in a folder "
        "that CHRFECT_MODELS names. chrfect downloads nothing by itself."
    )


def splitter(file: str) -> Callable[[str], list[str]]:
    """Return the function that splits a text into the pieces of a model, as sacreBLEU does.

    Raises
    ------
    UsageError
        If the file is not a model, cannot be read, or the package SentencePiece is not installed.
    """
    model = _read(file).processor
    return lambda text: " ".join(model.encode(text.rstrip(), out_type=str)).split()


def identity(file: str) -> str:
    """Return the identity of a model: its SHA-256 and the version of SentencePiece.

    Raises
    ------
    UsageError
        As :func:`splitter`.
    """
    from importlib.metadata import version

    return f"sha256 {_read(file).digest}, sentencepiece {version('sentencepiece')}"


class _State(NamedTuple):
    file: str
    modified: int
    size: int


class _Model(NamedTuple):
    digest: str
    processor: Any


def _read(file: str) -> _Model:
    try:
        status = os.stat(file)
        return _read_state(_State(file, status.st_mtime_ns, status.st_size))
    except OSError as error:
        raise UsageError(f"{file!r} cannot be read as a SentencePiece model: {error.strerror}.") from None


@cache
def _read_state(state: _State) -> _Model:
    """Read a file once; read it again only if it has changed."""
    try:
        from sentencepiece import SentencePieceProcessor
    except ModuleNotFoundError:
        raise UsageError("SentencePiece models need the sentencepiece module: pip install sentencepiece.") from None
    import hashlib

    with open(state.file, "rb") as file:
        data = file.read()
    try:
        return _Model(hashlib.sha256(data).hexdigest(), SentencePieceProcessor(model_proto=data))
    except (RuntimeError, ValueError):
        raise UsageError(
            f"{state.file!r} is not a SentencePiece model; it has {len(data):,} bytes. Download it again if the "
            "download was incomplete."
        ) from None


def _sacrebleu_folder() -> str:
    return os.environ.get("SACREBLEU") or os.path.join(os.path.expanduser("~"), ".sacrebleu")
