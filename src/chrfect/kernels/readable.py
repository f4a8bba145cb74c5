"""The readable kernel: what the compiled one must equal, integer for integer.

An n-gram of characters is a slice of a unit string, an n-gram of words a tuple of tokens. For each order three
integers are counted: the hypothesis's n-grams, the reference's n-grams, and the clipped matches, that is the sum over
distinct n-grams of the smaller of its two counts.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from chrfect.text.whitespace import remove_whitespace
from chrfect.text.words import split_words

NAME = "reference"


def row(
    hypothesis: str,
    reference: str,
    char_order: int,
    word_order: int,
    keep_whitespace: bool,
    drop_unreferenced: bool = False,
) -> tuple[int, ...]:
    """Return the counts of one pair; the parameters are those of :func:`rows`.

    Examples
    --------
    >>> row("ab a", "ab", 2, 0, False)
    (3, 2, 2, 2, 1, 1)
    """
    return tuple(_pair(hypothesis, reference, char_order, word_order, keep_whitespace, drop_unreferenced))


def rows(
    hypotheses: Sequence[str],
    references: Sequence[str],
    char_order: int,
    word_order: int,
    keep_whitespace: bool,
    drop_unreferenced: bool = False,
    threads: int = 1,
) -> array[int]:
    """Return the counts of each pair, flattened: 3 × (char_order + word_order) integers a pair.

    Parameters
    ----------
    hypotheses, references : sequence of str
        As many of one as of the other; word n-grams are taken from the same texts.
    char_order, word_order : int
        The longest n-grams of each kind, 0 or more.
    keep_whitespace : bool
        Whether whitespace code points are characters like others.
    drop_unreferenced : bool
        Whether a pair's hypothesis n-grams count as none at an order where its reference has none (sacreBLEU's rule).
    threads : int
        Taken for the sake of the compiled kernel; this one runs in the calling thread.

    Examples
    --------
    >>> rows(["ab a"], ["ab"], 2, 1, False).tolist()
    [3, 2, 2, 2, 1, 1, 2, 1, 1]
    """
    table = array("q")
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        table.extend(_pair(hypothesis, reference, char_order, word_order, keep_whitespace, drop_unreferenced))
    return table


def total(
    hypotheses: Sequence[str],
    references: Sequence[str],
    char_order: int,
    word_order: int,
    keep_whitespace: bool,
    drop_unreferenced: bool,
    threads: int = 1,
) -> list[int]:
    """Return the sum of the rows, in memory that does not grow with the corpus.

    Examples
    --------
    >>> total(["ab", "xyz"], ["ab", ""], 1, 0, False, False)
    [5, 2, 2]
    >>> total(["ab", "xyz"], ["ab", ""], 1, 0, False, True)
    [2, 2, 2]
    """
    sums = [0] * (3 * (char_order + word_order))
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        row = _pair(hypothesis, reference, char_order, word_order, keep_whitespace, drop_unreferenced)
        sums = [a + b for a, b in zip(sums, row, strict=True)]
    return sums


def only_texts(sequence: Sequence[object]) -> bool:
    """Return whether every element is a str and no subclass of it."""
    return set(map(type, sequence)) <= {str}


def _pair(
    hypothesis: str,
    reference: str,
    char_order: int,
    word_order: int,
    keep_whitespace: bool,
    drop_unreferenced: bool,
) -> Iterator[int]:
    if word_order:
        hypothesis_words, reference_words = tuple(split_words(hypothesis)), tuple(split_words(reference))
    if not keep_whitespace:
        hypothesis, reference = remove_whitespace(hypothesis), remove_whitespace(reference)
    for n in range(1, char_order + 1):
        yield from _order(hypothesis, reference, n, drop_unreferenced)
    for n in range(1, word_order + 1):
        yield from _order(hypothesis_words, reference_words, n, drop_unreferenced)


def _order(
    hypothesis: str | tuple[str, ...], reference: str | tuple[str, ...], n: int, drop_unreferenced: bool
) -> tuple[int, int, int]:
    in_hypothesis = Counter(hypothesis[i : i + n] for i in range(len(hypothesis) - n + 1))
    in_reference = Counter(reference[i : i + n] for i in range(len(reference) - n + 1))
    matches = (in_hypothesis & in_reference).total()
    if drop_unreferenced and not in_reference:
        return 0, 0, 0
    return in_hypothesis.total(), in_reference.total(), matches


def clipped(
    hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[Sequence[str]]], max_order: int
) -> array[int]:
    """Return the counts that BLEU clips over all references of a segment, flattened: 2 × max_order integers a segment.

    Parameters
    ----------
    hypotheses : sequence of sequences of str
        The tokens of each segment's hypothesis.
    references : sequence of sequences of sequences of str
        The tokens of each of the references, one or more, of each segment.
    max_order : int
        The longest n-grams, at least 1.

    Returns
    -------
    array of int
        For each order the hypothesis n-grams and the matches.

    Examples
    --------
    >>> clipped([["the", "the", "cat"]], [[["the", "cat"], ["the", "the"]]], 2).tolist()
    [3, 3, 2, 2]
    """
    table = array("q")
    for hypothesis, of_segment in zip(hypotheses, references, strict=True):
        matches = len(hypothesis)
        for n in range(1, max_order + 1):
            if matches:  # where no shorter n-gram matches, no longer one can
                matches = sum(map(min, clip(hypothesis, of_segment, n).values()))
            table.extend((max(0, len(hypothesis) - n + 1), matches))
    return table


def clip(
    hypothesis: Sequence[str], references: Iterable[Sequence[str]], n: int
) -> dict[tuple[str, ...], tuple[int, int]]:
    """Return for each n-gram of the hypothesis its count there and its largest count in any one reference.

    The smaller of the two is what the n-gram adds to the matches (Papineni et al. 2002, section 2.1).

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


def _ngrams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(n)), strict=False))
