"""Search for tools by a description of the task, in any language in which the contracts list operations."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from chrfect import catalogue
from chrfect.errors import without_surrogates

MIN_SCORE = 0.3
"""The minimum score of an operation that is returned."""

MIN_SIMILARITY = 0.62
"""The minimum similarity of two matching words, such as ``תרגום`` and ``לתרגום``, ``smoothed`` and ``smoothing``."""

UNSCORED_FACTOR = 0.7
"""The factor on the score of a tool that only counts if the query asks for a score."""

MAX_CHARACTERS = 500
"""The number of characters of a query that are read: a sentence or two, which limits the search time."""

_CHINESE = re.compile("[\u4e00-\u9fff]{2,}")
_WORD = re.compile(r"[\u4e00-\u9fff]+|[^\W_\u4e00-\u9fff]+\+*")
_CHINESE_STOP_WORDS = re.compile("计算|分数|得分|[的与和用对各]")
_SYNONYMS = {"multiple": "several", "many": "several"}
_STOP_WORDS = re.compile(
    r"against|an?|and|are|as|at|be|by|calculate|can|compute|does?|find|for|from|get|give|how|i|in|is|its?|me|my|need|"
    r"of|on|or|our|scor(?:es?|ing)|see|show|than|that|the|this|to|use|want|we|what|which|with|"
    r"את|חישוב|לחשב|מול|עבור|על|עם|ציון|של"
)
_CORPUS = re.compile(r"\b(?:test ?sets?|data ?sets?|documents?)\b")
_SCORE = re.compile(r"\bscor(?:es?|ing)\b|ציון|分数|得分")
_WITHOUT = frozenset({"without", "ללא", "בלי"})


@dataclass(frozen=True, slots=True)
class Operation:
    """A line of a contract that describes what a tool does or does not do."""

    tool: str
    text: str
    words: tuple[str, ...]
    supported: bool


def search(query: str, most: int = 3) -> dict[str, Any]:
    """Return the tools that match a query, the best first, and the operations that no tool supports.

    Parameters
    ----------
    query : str
        A description of the task, such as ``"score a translation against its reference"``.
    most : int
        The maximum number of tools.

    Returns
    -------
    dict
        ``query``; ``tools``, each with its id, version, title, description and the ``operation`` that matched;
        ``unsupported``: if the best match is something that a tool does not do, that ``operation``, its ``tool``, and
        the tool to ``use`` instead, or null.

    Examples
    --------
    >>> search("chrF with word bigrams")["tools"][0]["id"]
    'chrf-plus-plus-compute'
    """
    text = _CORPUS.sub("corpus", query[:MAX_CHARACTERS].casefold())
    words = keywords(text)
    unscored = _unscored() if _SCORE.search(text) else frozenset()
    ranked = sorted(
        ((_score(words, line) * (UNSCORED_FACTOR if line.tool in unscored else 1.0), line) for line in operations()),
        key=lambda pair: -pair[0],
    )
    ranked = [(score, operation) for score, operation in ranked if score >= MIN_SCORE]
    unsupported = []
    if ranked and not ranked[0][1].supported:
        best = ranked[0][1]
        use = _named(best.text, best.tool)
        unsupported.append({"operation": best.text, "tool": best.tool, "use": use})
        ranked = [(0.0, operation) for operation in operations() if operation.tool == use][:1] + ranked
    found: dict[str, Operation] = {}
    for _, operation in ranked:
        if operation.supported:
            found.setdefault(operation.tool, operation)
    tools = [_shown(operation) for operation in list(found.values())[:most]]
    return {"query": without_surrogates(query), "tools": tools, "unsupported": unsupported}


def keywords(text: str) -> tuple[str, ...]:
    """Return the case-folded words of a text without stop words; Chinese text as pairs of adjacent characters.

    Examples
    --------
    >>> keywords("Get the chrF++ of it")
    ('chrf++',)
    >>> keywords("计算语料级 BLEU")
    ('语料', '料级', 'bleu')
    """
    words = _WORD.findall(_CHINESE_STOP_WORDS.sub(" ", text.casefold()))
    return tuple(
        part for word in words if not _STOP_WORDS.fullmatch(word) for part in _parts(_SYNONYMS.get(word, word))
    )


def _parts(word: str) -> list[str]:
    """Return the character pairs of a Chinese word, and any other word unchanged."""
    return [word[i : i + 2] for i in range(len(word) - 1)] if _CHINESE.fullmatch(word) else [word]


@cache
def operations() -> tuple[Operation, ...]:
    """Return the operations of the newest contract of every tool, supported and unsupported."""
    found = []
    for id in catalogue.ids():
        contract = catalogue.newest_contract(id)
        for text in contract["supported_operations"]:
            found.append(Operation(id, text, keywords(text), True))
        for text in contract["unsupported_operations"]:
            found.append(Operation(id, text, keywords(" ".join([*_metrics(id)[:1], _without_ids(text)])), False))
        about = contract["description"]
        found.append(Operation(id, about, keywords(" ".join([*_metrics(id), about])), True))
    return tuple(found)


@cache
def _weights() -> dict[str, float]:
    """Return the inverse document frequency of each word; metric names get the highest weight."""
    all = operations()
    counts = Counter(word for operation in all for word in set(operation.words))
    weights = {word: math.log(1 + len(all) / count) for word, count in counts.items()}
    names = {word for id in catalogue.ids() for word in keywords(" ".join(_metrics(id)))}
    return weights | dict.fromkeys(names & weights.keys(), max(weights.values()))


def _metrics(id: str) -> list[str]:
    """Return the metric names that may occur in a tool's results."""
    metric = catalogue.newest_contract(id)["output_schema"]["properties"].get("metric", {})
    return [metric["const"]] if "const" in metric else metric.get("enum", [])


@cache
def _unscored() -> frozenset[str]:
    """Return the tools whose results contain no score."""
    return frozenset(
        id for id in catalogue.ids() if "score" not in catalogue.newest_contract(id)["output_schema"]["properties"]
    )


def _score(words: Iterable[str], operation: Operation) -> float:
    """Return the score of an operation, 0 to 1: the weighted share of the words that it contains.

    One tenth each is for precision and for a tool whose metric is among the words.
    """
    words = set(words)
    weights = _weights()
    unknown = max(weights.values()) / 2
    total = covered = 0.0
    used = set()
    for word in words:
        similarity, other = max(((_similarity(word, other), other) for other in operation.words), default=(0.0, ""))
        matches = similarity >= MIN_SIMILARITY
        weight = weights.get(word, weights[other] if matches else unknown)
        total += weight
        if matches:
            covered += weight * similarity
            used.add(other)
    if not used:
        return 0.0
    precision = sum(weights[word] for word in used) / sum(weights[word] for word in set(operation.words))
    contrary = bool(_WITHOUT & words) != bool(_WITHOUT & set(operation.words))
    named = operation.supported and not words.isdisjoint(keywords(" ".join(_metrics(operation.tool))))
    return (covered / total) * (0.8 + 0.1 * precision + 0.1 * named) * (0.8 if contrary else 1.0)


def _similarity(a: str, b: str) -> float:
    """Return the similarity of two words: the F-score of their character pairs, including the word boundaries.

    Digits are ignored (chrF2, chrF). Words that differ only in pluses have the minimum similarity (chrF++, chrF).
    """
    stem_a, stem_b = (re.sub(r"\d", "", word) for word in (a, b))
    if a == b or stem_a == stem_b != "":
        return 1.0 if a == b else 0.95
    if "+" in a or "+" in b:
        return MIN_SIMILARITY if stem_a.rstrip("+") == stem_b.rstrip("+") else 0.0
    if min(len(a), len(b)) < 4:
        return 0.0
    pairs_a, pairs_b = (Counter(zip(f" {word}", f"{word} ", strict=True)) for word in (a, b))
    return 2 * (pairs_a & pairs_b).total() / (pairs_a.total() + pairs_b.total())


def _named(text: str, own: str) -> str | None:
    """Return the first other tool that a line mentions."""
    return next((id for id in re.findall(r"[a-z]+(?:-[a-z]+)+", text) if id in catalogue.ids() and id != own), None)


def _without_ids(text: str) -> str:
    """Return a line without the remark that mentions another tool."""
    return re.sub(r"\([^()]*\)", lambda remark: "" if _named(remark[0], "") else remark[0], text)


def _shown(operation: Operation) -> dict[str, Any]:
    contract = catalogue.newest_contract(operation.tool)
    entry = next(entry for entry in catalogue.index() if entry["id"] == operation.tool)
    return {
        "id": contract["id"],
        "version": contract["version"],
        "title": entry["title"],
        "description": contract["description"],
        "operation": operation.text,
    }
