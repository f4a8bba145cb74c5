"""What an explanation says of places in a text: runs of n-grams, and how much of each character matched ones cover."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from chrfect.formulas.decimals import numbers


@dataclass(frozen=True, slots=True)
class Run:
    """Overlapping n-grams folded into one run of text, wherever it stands.

    Parameters
    ----------
    before, text, after : str
        The run at its first place; what is before and after the focus is what its n-grams reach into.
    start, end : int
        Where the focus stands first, in code points of its text.
    places : int
        How often the run occurs.
    ngrams : tuple of int
        How many n-grams it folds in, an order each, over all places.
    points : Fraction
        For a matched run what it contributes to the score. For a missed one what the score would gain if the
        hypothesis had its n-grams too; for an invented one if it did not have them.
    """

    before: str
    text: str
    after: str
    start: int
    end: int
    places: int
    ngrams: tuple[int, ...]
    points: Fraction

    def to_dict(self) -> dict[str, Any]:
        """Return the run as JSON-ready data."""
        return {
            "text": self.text,
            "before": self.before,
            "after": self.after,
            "start": self.start,
            "end": self.end,
            "places": self.places,
            "ngrams": list(self.ngrams),
            **numbers(points=self.points),
        }


@dataclass(frozen=True, slots=True)
class Runs:
    """The most telling runs of a kind, and how many there are.

    Parameters
    ----------
    shown : tuple of Run
        Those with the most points first.
    total : int
        How many different runs there are.
    ngrams : tuple of int
        How many n-grams all of them fold in, an order each.
    points : Fraction or None
        What all matched runs contribute together; None for the others, whose gains do not add up.
    """

    shown: tuple[Run, ...]
    total: int
    ngrams: tuple[int, ...]
    points: Fraction | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the runs as JSON-ready data, with how many were left out."""
        data: dict[str, Any] = {
            "total": self.total,
            "left_out": self.total - len(self.shown),
            "ngrams": list(self.ngrams),
            "shown": [run.to_dict() for run in self.shown],
        }
        return data | (numbers(points=self.points) if self.points is not None else {})


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring code points that are covered alike.

    Parameters
    ----------
    start, end : int
        Offsets into the text, in code points.
    matched, ngrams : int
        How many matched n-grams, and how many at all, cover each of them; both 0 for whitespace that is not counted.
    """

    start: int
    end: int
    matched: int
    ngrams: int


@dataclass(frozen=True, slots=True)
class Token:
    """A word token: where it stands, and how many of the word n-grams that hold it match."""

    start: int
    end: int
    matched: int
    ngrams: int


@dataclass(frozen=True, slots=True)
class Shaded:
    """A text, or the beginning of a long one, with how much of it is covered by matched n-grams.

    Parameters
    ----------
    text : str
        As it was passed, at most as long as was asked for.
    length : int
        How many code points the whole text has.
    stretches : tuple of Stretch
        From the first code point of `text` to the last, without gaps.
    tokens : tuple of Token
        The word tokens, empty where the metric counts no words.
    """

    text: str
    length: int
    stretches: tuple[Stretch, ...]
    tokens: tuple[Token, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the text as JSON-ready data; stretches and tokens as [start, end, matched, n-grams]."""
        return {
            "text": self.text,
            "length": self.length,
            "left_out": self.length - len(self.text),
            "stretches": [[s.start, s.end, s.matched, s.ngrams] for s in self.stretches],
            "tokens": [[t.start, t.end, t.matched, t.ngrams] for t in self.tokens],
        }
