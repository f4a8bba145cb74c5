"""The inputs of the BLEU tools: token arrays, validated in the order that the contracts specify."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain
from typing import Any, NoReturn

from chrfect import kernels
from chrfect.catalogue import validate
from chrfect.errors import ContractError
from chrfect.text.whitespace import WHITESPACE

MAX_REFERENCES = 64
MAX_ORDER = 9

Path = tuple[str | int, ...]
Segment = tuple[list[str], list[list[str]]]

_WHITESPACE = re.compile(f"[{re.escape(WHITESPACE)}]")


def check_sentence(value: dict[str, Any]) -> Segment:
    """Return the tokens of a hypothesis and of its references after validation."""
    hypothesis, references = value["hypothesis"], value["references"]
    _check_tokens(hypothesis, ("hypothesis",))
    _check_references(references, ("references",))
    segment = list(hypothesis), [list(tokens) for tokens in references]
    _check_texts([(("hypothesis",), segment[0])], [(("references",), segment[1])])
    return segment


def check_corpus(value: dict[str, Any]) -> list[Segment]:
    """Return the tokens of the hypothesis and the references of each segment after validation."""
    hypotheses, references = value["hypotheses"], value["references"]
    validate.check_segment_array(hypotheses, "hypotheses", "token arrays")
    for i, tokens in enumerate(hypotheses):
        _check_tokens(tokens, ("hypotheses", i))
    validate.check_segment_array(references, "references", "arrays of token arrays")
    for i, of_segment in enumerate(references):
        _check_references(of_segment, ("references", i))
    validate.check_same_number(hypotheses, references)
    segments = [(list(h), [list(tokens) for tokens in r]) for h, r in zip(hypotheses, references, strict=True)]
    _check_texts(
        [(("hypotheses", i), tokens) for i, (tokens, _) in enumerate(segments)],
        [(("references", i), lists) for i, (_, lists) in enumerate(segments)],
    )
    return segments


def max_order(value: dict[str, Any]) -> int:
    """Return the maximum n-gram order, from 1 to 9, by default 4."""
    return validate.integer(value, "max_order", 1, MAX_ORDER, 4)


def rows(segments: Sequence[Segment], max_order: int) -> array[int]:
    """Return the counts of validated segments as flat rows: two lengths, then n-grams and matches of each order."""
    starts = [0, *accumulate(len(references) for _, references in segments)]
    references = [tokens for _, references in segments for tokens in references]
    return kernels.bleu_rows([hypothesis for hypothesis, _ in segments], references, starts, None, max_order)


def _check_tokens(tokens: Any, path: Path) -> None:
    validate.check_array(tokens, path, "tokens")
    validate.check_strings(tokens, path)


def _check_references(references: Any, path: Path) -> None:
    validate.check_array(references, path, "token arrays, one a reference,")
    if len(references) > MAX_REFERENCES:
        raise ContractError(
            "too_many_references",
            f"{validate.where(path)} has {len(references)} references; the maximum is {MAX_REFERENCES}.",
            validate.pointer(*path),
        )
    if not references:
        raise ContractError(
            "no_references",
            f"{validate.where(path)} is empty; at least one reference was expected, [] within it for an empty one.",
            validate.pointer(*path),
        )
    if set(map(type, references)) == {list} and set(map(type, chain.from_iterable(references))) <= {str}:
        return
    for i, tokens in enumerate(references):
        _check_tokens(tokens, (*path, i))


def _check_texts(
    hypotheses: Sequence[tuple[Path, list[str]]], references: Sequence[tuple[Path, list[list[str]]]]
) -> None:
    lists = chain((tokens for _, tokens in hypotheses), chain.from_iterable(tokens for _, tokens in references))
    every = list(chain.from_iterable(lists))
    joined = "".join(every)
    validate.check_texts(every, lambda: _each(hypotheses, references))
    if joined.split() != ([joined] if joined else []) or not all(every):
        _refuse_token(_each(hypotheses, references))


def _refuse_token(tokens: Iterable[tuple[Path, str]]) -> NoReturn:
    path, token = next((path, token) for path, token in tokens if not token or _WHITESPACE.search(token))
    found = _WHITESPACE.search(token)
    fault = f"contains whitespace (U+{ord(found[0]):04X})" if found else "is empty"
    raise ContractError(
        "invalid_token",
        f"{validate.where(path)} {fault}; a token must be text without whitespace. Split or omit it.",
        validate.pointer(*path),
    )


def _each(
    hypotheses: Sequence[tuple[Path, list[str]]], references: Sequence[tuple[Path, list[list[str]]]]
) -> Iterator[tuple[Path, str]]:
    """Yield all tokens with their paths: those of the hypotheses, then those of the references."""
    arrays = [*hypotheses, *(((*path, i), tokens) for path, lists in references for i, tokens in enumerate(lists))]
    return (((*path, i), token) for path, tokens in arrays for i, token in enumerate(tokens))
