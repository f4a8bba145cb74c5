"""Warnings about misleading texts and scores; each names the location."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Iterator, Mapping, Sequence

from chrfect.errors import ChrfectWarning

ENOUGH = 10
"""The number of segments below which equal texts are not reported."""

_ODD = {
    "\0": "a NUL character (U+0000); it may not be plain text",
    "\r": "a carriage return (U+000D), which is text and does not end a line",
    "\ufeff": "a byte order mark (U+FEFF), which counts as text",
    "\u200b": "a zero-width space (U+200B), which counts as text",
    "\u2060": "a word joiner (U+2060), which counts as text",
    "\ufffd": "a replacement character (U+FFFD): it was decoded wrongly before",
}

Streams = Mapping[str, Sequence[str | None]]


def warn_of_texts(systems: Streams, references: Streams, sources: Sequence[str] | None = None) -> None:
    """Warn about suspicious characters, mixed normalization forms, equal systems, and copies of sources or references.

    Parameters
    ----------
    systems, references : mapping of str to sequence of (str or None)
        The texts, by their names in messages.
    sources : sequence of str, optional
        The source of each segment.
    """
    streams = {**references, **systems}
    for message in _oddities(streams):
        _warn(message)
    for message in _equal(systems, references, sources):
        _warn(message)


def warn_of_scores(notices: Mapping[str, Sequence[str]]) -> None:
    """Warn once about what metrics noticed, given by system; a notice that not every system has names the system."""
    systems: dict[str, list[str]] = {}
    for system, messages in notices.items():
        for message in messages:
            systems.setdefault(message, []).append(system)
    for message, having in systems.items():
        _warn(message if len(having) == len(notices) else f"{', '.join(having)}: {message}")


def _warn(message: str) -> None:
    warnings.warn(message, ChrfectWarning, stacklevel=4)


def _oddities(streams: Streams) -> Iterator[str]:
    decomposed: list[str] = []
    composed = False
    for name, texts in streams.items():
        joined = "\n".join(text for text in texts if text)
        for character, what in _ODD.items():
            if character in joined:
                places = [i for i, text in enumerate(texts, 1) if text and character in text]
                if character == "\ufeff" and (texts[places[0] - 1] or "").startswith(character):
                    yield f"{name}: segment {places[0]} begins with U+FEFF, which counts as text."
                else:
                    more = f", as do {len(places) - 1:,} more" if len(places) > 1 else ""
                    yield f"{name}: segment {places[0]} has {what}{more}."
        if "\t" in joined and len(texts) > 1 and len(tabs := {text.count("\t") for text in texts if text}) == 1:
            yield (
                f"{name}: the number of TABs in every segment is {tabs.pop()}, and they are text; if these are rows of "
                "a table, name the column to read, as in FILE#COLUMN."
            )
        if joined.isascii():
            continue
        if not unicodedata.is_normalized("NFC", joined):
            first = next((i for i, t in enumerate(texts, 1) if t and not unicodedata.is_normalized("NFC", t)), None)
            decomposed += [] if first is None else [f"{name}, segment {first}"]
        composed = composed or not unicodedata.is_normalized("NFD", joined)
    if decomposed and composed:
        yield (
            f"Composed and decomposed characters are mixed (not in NFC: {'; '.join(decomposed)}); they do not match "
            "each other. Normalize the texts, for instance with --normalize NFC."
        )


def _equal(systems: Streams, references: Streams, sources: Sequence[str] | None) -> Iterator[str]:
    known: dict[int, list[str]] = {}
    for name, texts in systems.items():
        key = hash(tuple(texts))
        for other in known.get(key, ()):
            if list(systems[other]) == list(texts):
                yield f"The systems {other} and {name} have the same outputs."
                break
        known.setdefault(key, []).append(name)
        others = {"source": sources} if sources is not None else {}
        for kind, beside in [*others.items(), *references.items()]:
            equal = sum(a == b for a, b in zip(texts, beside or (), strict=False))
            if len(texts) >= ENOUGH and 2 * equal > len(texts):
                of_what = f"their {kind[:-1] if kind == 'references' else kind}"
                if kind in references and kind != "references":
                    of_what = kind if kind.startswith("reference ") else f"the reference {kind}"
                yield f"{name}: {equal:,} of {len(texts):,} hypotheses equal {of_what}."
