"""The counts of BLEU in the readable kernel: two lengths, and n-gram matches clipped over all references of a segment.

The row of a segment is ``hypothesis length, reference length`` and then, for each order, ``hypothesis n-grams,
matches``. The counts of a corpus are the sum of the rows of its segments (Papineni et al. 2002, section 2).
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

from chrfect.errors import UsageError
from chrfect.text.tokens import split

Tokens = Sequence[str]


def bleu_rows(
    hypotheses: Sequence[str] | Sequence[Tokens],
    references: Sequence[str] | Sequence[Tokens],
    starts: Sequence[int] | None,
    tokenizer: str | None,
    max_order: int,
    threads: int = 1,
) -> array[int]:
    """Return the counts of each segment, flattened: 2 + 2 × max_order integers for each segment.

    Parameters
    ----------
    hypotheses : sequence of str, or of sequences of str
        Texts, or lists of tokens.
    references : sequence of str, or of sequences of str
        The references of all segments, in the order of the segments.
    starts : sequence of int or None
        The index of the first reference of each segment, and the number of references; None if each segment has one
        reference. A reference without tokens is a candidate for the closest length too.
    tokenizer : {"13a", "intl", "char", "zh", "none"} or None
        The tokenizer of the texts; None if tokens are passed.
    max_order : int
        The largest n-gram order, at least 1.
    threads : int
        The number of threads of the compiled kernel; this one runs in the calling thread.

    Raises
    ------
    UsageError
        If the numbers of segments differ, a segment has no reference, or an element is not a text.

    Examples
    --------
    >>> bleu_rows(["the cat"], ["the cat sat", "a cat"], [0, 2], "none", 3).tolist()
    [2, 2, 2, 2, 1, 1, 0, 0]
    >>> bleu_rows([["the", "cat"]], [["the", "cat", "sat"]], None, None, 1).tolist()
    [2, 3, 2, 2]
    """
    check_starts(len(hypotheses), len(references), starts)
    table = array("q")
    for i, hypothesis in enumerate(hypotheses):
        first, last = (i, i + 1) if starts is None else (starts[i], starts[i + 1])
        own = _tokens(hypothesis, tokenizer, f"hypotheses[{i}]")
        table.extend(
            segment(own, [_tokens(references[k], tokenizer, f"references[{k}]") for k in range(first, last)], max_order)
        )
    return table


def bleu_row(hypothesis: str, reference: str, tokenizer: str, max_order: int) -> tuple[int, ...]:
    """Return the counts of one text and one reference; the parameters are those of :func:`bleu_rows`.

    Examples
    --------
    >>> bleu_row("the cat", "the cat sat", "13a", 1)
    (2, 3, 2, 2)
    """
    return tuple(segment(split(hypothesis, tokenizer), [split(reference, tokenizer)], max_order))


def bleu_total(
    hypotheses: Sequence[str] | Sequence[Tokens],
    references: Sequence[str] | Sequence[Tokens],
    starts: Sequence[int] | None,
    tokenizer: str | None,
    max_order: int,
    threads: int = 1,
) -> list[int]:
    """Return the sum of the rows; the parameters are those of :func:`bleu_rows`.

    Examples
    --------
    >>> bleu_total(["the cat", "sat"], ["the cat sat", "sat"], None, "13a", 1)
    [3, 4, 3, 3]
    """
    rows = bleu_rows(hypotheses, references, starts, tokenizer, max_order)
    width = 2 + 2 * max_order
    return [sum(rows[column::width]) for column in range(width)]


def segment(hypothesis: Tokens, references: Sequence[Tokens], max_order: int) -> list[int]:
    """Return the counts of one segment of tokens.

    Examples
    --------
    >>> segment(["the", "the", "cat"], [["the", "cat"], ["the", "the"]], 2)
    [3, 2, 3, 3, 2, 2]
    """
    length = len(hypothesis)
    row = [length, closest_length(length, map(len, references))]
    matches = length
    for n in range(1, max_order + 1):
        if matches:  # no longer n-gram can match if no shorter one does
            matches = sum(map(min, clip(hypothesis, references, n).values()))
        row += (max(0, length - n + 1), matches)
    return row


def closest_length(length: int, reference_lengths: Iterable[int]) -> int:
    """Return the reference length closest to a hypothesis length; of two equally close lengths, the shorter.

    Examples
    --------
    >>> closest_length(6, [8, 4, 1])
    4
    """
    return min(reference_lengths, key=lambda other: (abs(other - length), other))


def clip(hypothesis: Tokens, references: Iterable[Tokens], n: int) -> dict[tuple[str, ...], tuple[int, int]]:
    """Return, for each n-gram of the hypothesis, its count in it and its largest count in any one reference.

    The smaller of the two is the number of matches of the n-gram (Papineni et al. 2002, section 2.1).

    Examples
    --------
    >>> clip(["the", "the", "cat"], [["the", "cat"], ["the", "the"]], 1)
    {('the',): (2, 2), ('cat',): (1, 1)}
    """
    counts = _ngrams(hypothesis, n)
    largest = dict.fromkeys(counts, 0)
    for reference in references:
        held = _ngrams(reference, n)
        for ngram in counts.keys() & held.keys():
            largest[ngram] = max(largest[ngram], held[ngram])
    return {ngram: (count, largest[ngram]) for ngram, count in counts.items()}


def clip_tables(hypothesis: Tokens, references: Sequence[Tokens], max_order: int) -> list[array[int]]:
    """Return the sorted n-grams of each order, three integers for each.

    They are the position of the first occurrence in the hypothesis, the count there, and the largest count in any one
    reference.

    Examples
    --------
    >>> [table.tolist() for table in clip_tables(["the", "the", "cat"], [["the", "cat"], ["the", "the"]], 2)]
    [[2, 1, 1, 0, 2, 2], [1, 1, 1, 0, 1, 1]]
    """
    tables = []
    for n in range(1, max_order + 1):
        first: dict[tuple[str, ...], int] = {}
        for at in range(len(hypothesis) - n + 1):
            first.setdefault(tuple(hypothesis[at : at + n]), at)
        clipped = clip(hypothesis, references, n)
        tables.append(array("q", [number for ngram in sorted(first) for number in (first[ngram], *clipped[ngram])]))
    return tables


def check_starts(segments: int, references: int, starts: Sequence[int] | None) -> None:
    """Raise a UsageError unless every segment has a reference."""
    if starts is None:
        if segments != references:
            raise UsageError(f"There are {segments} hypotheses and {references} references.")
        return
    if len(starts) != segments + 1:
        raise UsageError(
            f"There are {segments} hypotheses and {len(starts)} starts of references; one more was expected."
        )
    if starts[0] < 0 or starts[segments] > references:
        raise UsageError(f"There are {references} references, and starts run from {starts[0]} to {starts[segments]}.")
    for i in range(segments):
        if starts[i] >= starts[i + 1]:
            raise UsageError(f"Segment {i} (counted from 0) has no reference.")


def _tokens(segment: str | Tokens, tokenizer: str | None, name: str) -> Tokens:
    if tokenizer is not None:
        if not isinstance(segment, str):
            raise UsageError(f"{name} is a {type(segment).__name__}; a text (str) was expected.")
        return split(segment, tokenizer)
    if isinstance(segment, str):
        raise UsageError(f"{name} is a text; a list of tokens was expected.")
    tokens = tuple(segment)
    for token in tokens:
        if not isinstance(token, str):
            raise UsageError(f"{name} has a {type(token).__name__} among its tokens; str was expected.")
    return tokens


def _ngrams(tokens: Tokens, n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(n)), strict=False))
