"""Find terms in a text: whole words, beginnings of words, sequences of them, and single misspellings."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

MAX_CHARACTERS = 8_192
"""The number of characters of a text that are read: half at its beginning, half at its end."""

MAX_WORD = 60
"""The maximum length of a word; longer words are ignored."""

MAX_MISSPELLINGS = 300
"""The number of unknown words of a text that are compared with the terms."""

MIN_MISSPELLED = 6
"""The minimum length of a word that may be misspelled: `rough` is not `rouge`."""

BREAK = "|"
"""The token between two clauses."""

_CJK = "\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_TOKEN = re.compile(rf"[{_CJK}]|(?:(?![{_CJK}])[^\W_]|[\u0900-\u0963\u0966-\u097f])+\+*|[.,;:!?()\n。、।]")
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


@dataclass(frozen=True, slots=True)
class _Term:
    concept: str
    words: tuple[str, ...]
    """The words in lower case, or in capitals, which match only capitals; `*` at the end stands for any ending."""


def tokens(text: str) -> list[str]:
    """Return the words of a text without accents, Chinese and Japanese characters one by one, and clause breaks.

    Examples
    --------
    >>> tokens("Qualität, chrF++を")
    ['Qualitat', '|', 'chrF++', 'を']
    """
    if len(text) > MAX_CHARACTERS:
        text = text[: MAX_CHARACTERS // 2] + "\n" + text[-MAX_CHARACTERS // 2 :]
    text = _QUOTED.sub(" ", unicodedata.normalize("NFKC", text))
    text = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", text)))
    return [
        BREAK if len(word) == 1 and not word.isalnum() else word
        for word in _TOKEN.findall(text)
        if len(word) <= MAX_WORD
    ]


class Matcher:
    """Finds the terms of concepts in texts.

    Parameters
    ----------
    concepts : mapping of str to iterable of str
        The terms of each concept.
    """

    def __init__(self, concepts: Mapping[str, Iterable[str]]) -> None:
        self._whole: dict[str, list[_Term]] = defaultdict(list)
        self._pairs: dict[tuple[str, str], list[_Term]] = defaultdict(list)
        self._begun: dict[str, list[_Term]] = defaultdict(list)
        for concept, terms in concepts.items():
            for text in terms:
                words = tuple(_pattern(text))
                first = words[0].casefold()
                term = _Term(concept, words)
                if first.endswith("*"):
                    self._begun[first.rstrip("*")].append(term)
                elif len(words) > 1 and not words[1].endswith("*"):
                    self._pairs[first, words[1].casefold()].append(term)
                    self._whole.setdefault(first, [])
                else:
                    self._whole[first].append(term)
        self._spelled: dict[str, list[str]] = defaultdict(list)
        for word in sorted({*self._whole, *self._begun}):
            if len(word) >= MIN_MISSPELLED - (word not in self._begun):  # `contain` is not `count*`
                for form in _with_one_letter_less(word):
                    self._spelled[form].append(word)
        self._longest = max(map(len, self._spelled), default=0)

    def find(self, given: list[str]) -> list[Span]:
        """Return the terms in the tokens of a text in their order, without those inside a longer one."""
        words = [self._forms(word) for word in given]
        self._correct(words)
        terms = {form: self._beginning(form) for forms in words for form in forms}
        found = {
            Span(term.concept, start, start + len(term.words))
            for start, forms in enumerate(words)
            for form in forms
            for term in [*terms[form], *self._pairs_at(form, words[start + 1 : start + 2])]
            if _fits(given, words, start, term.words)
        }
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

    def _pairs_at(self, form: str, next: list[list[str]]) -> list[_Term]:
        """Return the terms whose first word is the form, and whose second word fits the forms of the next."""
        return [term for forms in next for second in forms for term in self._pairs.get((form, second), ())]

    def _forms(self, word: str) -> list[str]:
        """Return a word in lower case, without each prefix that Hebrew writes at its beginning, and `n` for a digit."""
        forms = [word.casefold()]
        if word.isdecimal() and len(word) == 1:  # a 4-gram is an n-gram
            forms.append("n")
        if "\u05d0" <= word[0] <= "\u05ea":
            while len(forms) < 4 and len(forms[-1]) > 2 and forms[-1][0] in _HEBREW_PREFIXES:
                forms.append(forms[-1][1:])
        return forms

    def _known(self, word: str) -> bool:
        return word in self._whole or any(word[:end] in self._begun for end in range(1, len(word) + 1))

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
                    if (begun == word or term in self._begun) and term[0] == word[0] and _one_edit(begun, term):
                        found.add(term)
        return min(found, default="")

    def _beginning(self, form: str) -> list[_Term]:
        """Return the terms whose first word fits."""
        begun = [term for end in range(1, len(form) + 1) for term in self._begun.get(form[:end], ())]
        return [*self._whole.get(form, ()), *begun]


def _pattern(term: str) -> list[str]:
    """Return the words of a term; a Chinese or Japanese one is split into characters."""
    found: list[str] = []
    for piece in term.split():
        split = tokens(piece)
        found += [*split[:-1], split[-1].casefold() + "*"] if piece.endswith("*") else split
    return found


def _fits(given: list[str], words: list[list[str]], start: int, patterns: tuple[str, ...]) -> bool:
    """Return whether the words from a place on fit the patterns."""
    end = start + len(patterns)
    if end > len(words):
        return False
    for place in range(end - 1, start - 1, -1):  # backwards: the first word is known to fit
        pattern = patterns[place - start]
        if pattern in words[place]:
            continue
        if pattern[-1] == "*":
            if not any(form.startswith(pattern[:-1]) for form in words[place]):
                return False
        elif given[place] != pattern:  # capitals
            return False
    return True


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
