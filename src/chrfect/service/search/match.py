"""Find terms in a text: whole words, beginnings of words, sequences of them, and single misspellings."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

MAX_CHARACTERS = 8_192
"""The number of characters of a text that are read: half at its beginning, half at its end."""

MAX_TOKENS = 3_000
"""The number of words, or Chinese and Japanese characters, of a text that are read, likewise."""

MAX_WORD = 60
"""The maximum length of a word; longer words are ignored."""

MAX_MISSPELLINGS = 300
"""The number of unknown words of a text that are compared with the terms."""

MIN_MISSPELLED = 6
"""The minimum length of a word that may be misspelled: `rough` is not `rouge`."""

BREAK = "|"
"""The token between two clauses."""

COLON = ":"
"""The token between two clauses of which the first announces the second."""

BREAKS = (BREAK, COLON)

_CJK = "\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_TOKEN = re.compile(rf"[{_CJK}]|(?:(?![{_CJK}])[^\W_]|[\u0900-\u0963\u0966-\u097f])+\+*|\+\+|[.,;:!?()\n。、।]")
_KEY = re.compile(r"[\"']\s*:\s*")
_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7]")
_QUOTED = re.compile(
    r"\"[^\"\n]{25,}\"|(?<!\w)'[^'\n]{25,}'(?!\w)|«[^«»]{25,}»|“[^“”]{25,}”|„[^„“]{25,}“|「[^「」]{15,}」"
)
_HEBREW_PREFIXES = frozenset("ושהכלבמ")


@dataclass(frozen=True, slots=True)
class Span:
    """A term in a text: the concept, the first token, and the token after the last."""

    concept: str
    start: int
    end: int


class _Node:
    """What may follow the words before: whole words, words in capitals as they are, and beginnings of words."""

    __slots__ = ("begun", "concepts", "whole")

    def __init__(self) -> None:
        self.whole: dict[str, _Node] = {}
        self.begun: dict[str, _Node] = {}
        self.concepts: list[str] = []

    def next(self, form: str) -> list[_Node]:
        """Return the nodes after a form of a word."""
        found = [self.whole[form]] if form in self.whole else []
        if self.begun:
            found += [self.begun[form[:end]] for end in range(1, len(form) + 1) if form[:end] in self.begun]
        return found


def tokens(text: str, *, quoted: bool = False) -> list[str]:
    """Return the words of a text without accents, Chinese and Japanese characters one by one, and clause breaks.

    Long quotations are left out unless `quoted`.

    Examples
    --------
    >>> tokens("Qualität, chrF++を")
    ['Qualitat', '|', 'chrF++', 'を']
    """
    if len(text) > MAX_CHARACTERS:
        text = text[: MAX_CHARACTERS // 2] + "\n" + text[-MAX_CHARACTERS // 2 :]
    text = _KEY.sub(" ", unicodedata.normalize("NFKC", text))
    if not quoted:
        text = _QUOTED.sub(" ", text)
    text = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", text)))
    found = [
        BREAK if len(word) == 1 and word != COLON and not word.isalnum() else word
        for word in _TOKEN.findall(text)
        if len(word) <= MAX_WORD
    ]
    if len(found) > MAX_TOKENS:
        return [*found[: MAX_TOKENS // 2], BREAK, *found[-MAX_TOKENS // 2 :]]
    return found


class Matcher:
    """Finds the terms of concepts in texts.

    Parameters
    ----------
    concepts : mapping of str to iterable of str
        The terms of each concept.
    """

    def __init__(self, concepts: Mapping[str, Iterable[str]]) -> None:
        self._root = _Node()
        for concept, terms in concepts.items():
            for text in terms:
                node = self._root
                for word in _pattern(text):
                    following = node.begun if word.endswith("*") else node.whole
                    node = following.setdefault(word.rstrip("*"), _Node())
                node.concepts.append(concept)
        self._spelled: dict[str, list[str]] = defaultdict(list)
        for word in sorted({*self._root.whole, *self._root.begun}):
            if len(word) >= MIN_MISSPELLED - (word not in self._root.begun):  # `contain` is not `count*`
                for form in _with_one_letter_less(word):
                    self._spelled[form].append(word)
        self._longest = max(map(len, self._spelled), default=0)

    def find(self, given: list[str]) -> list[Span]:
        """Return the terms in the tokens of a text in their order, without those inside a longer one."""
        words = [self._forms(word) for word in given]
        self._correct(words)
        found: set[Span] = set()
        for start in range(len(words)):
            nodes, end = [self._root], start
            while nodes and end < len(words):
                nodes = [after for node in nodes for form in words[end] for after in node.next(form)]
                end += 1
                for node in nodes:
                    for concept in node.concepts:
                        found.add(Span(concept, start, end))
        longest: dict[int, int] = {}
        for span in found:
            for place in range(span.start, span.end):
                longest[place] = max(longest.get(place, 0), span.end - span.start)
        kept = [
            span
            for span in found
            if any(longest[place] <= span.end - span.start for place in range(span.start, span.end))
        ]
        return sorted(kept, key=lambda span: (span.start, span.end, span.concept))

    def _forms(self, word: str) -> list[str]:
        """Return a word in lower case, as it is if it has capitals, without Hebrew prefixes, and a digit as `n`."""
        forms = [word.casefold()]
        if forms[0] != word:
            forms.append(word)
        if word.isdecimal() and len(word) == 1:  # a 4-gram is an n-gram
            forms.append("n")
        if "\u05d0" <= word[0] <= "\u05ea":
            while len(forms) < 4 and len(forms[-1]) > 2 and forms[-1][0] in _HEBREW_PREFIXES:
                forms.append(forms[-1][1:])
        return forms

    def _known(self, word: str) -> bool:
        return bool(self._root.next(word))

    def _correct(self, words: list[list[str]]) -> None:
        """Add to each unknown word the term of which it is a misspelling."""
        unknown = {forms[0] for forms in words if len(forms[0]) >= MIN_MISSPELLED and not self._known(forms[0])}
        corrected = {word: self._correction(word) for word in sorted(unknown)[:MAX_MISSPELLINGS]}
        for forms in words:
            if corrected.get(forms[0]):
                forms.append(corrected[forms[0]])

    def _correction(self, word: str) -> str:
        """Return the first term that the word, or a beginning of it for a term with any ending, misspells."""
        found = set()
        for length in range(MIN_MISSPELLED - 1, min(len(word), self._longest + 1) + 1):
            begun = word[:length]
            for form in _with_one_letter_less(begun):
                for term in self._spelled.get(form, ()):
                    if (begun == word or term in self._root.begun) and term[0] == word[0] and _one_edit(begun, term):
                        found.add(term)
        return min(found, default="")


def _pattern(term: str) -> list[str]:
    """Return the words of a term; a Chinese or Japanese one is split into characters."""
    found: list[str] = []
    for piece in term.split():
        split = tokens(piece)
        found += [*split[:-1], split[-1].casefold() + "*"] if piece.endswith("*") else split
    return found


def _with_one_letter_less(word: str) -> set[str]:
    """Return a word, and without each of its letters: two words that are one edit apart have such a form in common."""
    return {word, *(word[:place] + word[place + 1 :] for place in range(len(word)))}


def _one_edit(a: str, b: str) -> bool:
    """Return whether one insertion, deletion, substitution or transposition makes a from b."""
    if abs(len(a) - len(b)) > 1:
        return False
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    rest_a, rest_b = a[start:], b[start:]
    if len(a) != len(b):
        return rest_a[1:] == rest_b or rest_a == rest_b[1:]
    return rest_a[1:] == rest_b[1:] or (rest_a[1::-1] == rest_b[:2] and rest_a[2:] == rest_b[2:])
