"""Finding the tool for a need that is said in plain words, in any language that an operation is written in."""

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

ENOUGH = 0.3
"""The least part of a need's weight that an operation must cover to be an answer."""

ALIKE = 0.62
"""The least likeness of two words that counts: ``תרגום`` and ``לתרגום``, ``smoothed`` and ``smoothing``."""

UNSCORED = 0.7
"""What a tool that only counts is worth to a need for a score."""

MOST_CHARACTERS = 500
"""How much of a need is read: a sentence or two, so that no need takes long."""

_CHINESE = re.compile("[\u4e00-\u9fff]{2,}")
_WORD = re.compile(r"[\u4e00-\u9fff]+|[^\W_\u4e00-\u9fff]+\+*")
_CHINESE_COMMON = re.compile("计算|分数|得分|[的与和用对各]")
_SAME = {"multiple": "several", "many": "several"}
_COMMON = re.compile(
    r"against|an?|and|are|as|at|be|by|calculate|can|compute|does?|find|for|from|get|give|how|i|in|is|its?|me|my|need|"
    r"of|on|or|our|scor(?:es?|ing)|see|show|than|that|the|this|to|use|want|we|what|which|with|"
    r"את|חישוב|לחשב|מול|עבור|על|עם|ציון|של"
)
_CORPUS = re.compile(r"\b(?:test ?sets?|data ?sets?|documents?)\b")
_SCORE = re.compile(r"\bscor(?:es?|ing)\b|ציון|分数|得分")
_WITHOUT = frozenset({"without", "ללא", "בלי"})


@dataclass(frozen=True, slots=True)
class Operation:
    """A line of a contract: something that a tool does or does not do."""

    tool: str
    text: str
    words: tuple[str, ...]
    supported: bool


def search(query: str, most: int = 3) -> dict[str, Any]:
    """Return the tools that serve a need, the best first, and what stands against it.

    Parameters
    ----------
    query : str
        The need, such as ``"score a translation against its reference"``; its first 500 characters are read.
    most : int
        How many tools to return at most.

    Returns
    -------
    dict
        ``query``; ``tools``: id, version, title, description and the ``operation`` that matched; ``unsupported``:
        where the need is what a tool does not do, that ``operation``, its ``tool`` and the tool to ``use`` instead
        (null if there is none).

    Examples
    --------
    >>> search("chrF with word bigrams")["tools"][0]["id"]
    'chrf-plus-plus-compute'
    """
    need = _CORPUS.sub("corpus", query[:MOST_CHARACTERS].casefold())
    words = split(need)
    unscored = _unscored() if _SCORE.search(need) else frozenset()
    ranked = sorted(
        ((_cover(words, line) * (UNSCORED if line.tool in unscored else 1.0), line) for line in operations()),
        key=lambda pair: -pair[0],
    )
    ranked = [(score, operation) for score, operation in ranked if score >= ENOUGH]
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


def split(text: str) -> tuple[str, ...]:
    """Return the words that carry a text's meaning, folded; of Chinese, which has no spaces, every two characters.

    Examples
    --------
    >>> split("Get the chrF++ of it")
    ('chrf++',)
    >>> split("计算语料级 BLEU")
    ('语料', '料级', 'bleu')
    """
    words = _WORD.findall(_CHINESE_COMMON.sub(" ", text.casefold()))
    return tuple(part for word in words if not _COMMON.fullmatch(word) for part in _parts(_SAME.get(word, word)))


def _parts(word: str) -> list[str]:
    """Return a word whole, or what pairs of characters a run of Chinese has."""
    return [word[i : i + 2] for i in range(len(word) - 1)] if _CHINESE.fullmatch(word) else [word]


@cache
def operations() -> tuple[Operation, ...]:
    """Return every line of every tool's newest contract that says what it does or does not do."""
    found = []
    for id in catalogue.ids():
        contract = catalogue.newest_contract(id)
        for text in contract["supported_operations"]:
            found.append(Operation(id, text, split(text), True))
        for text in contract["unsupported_operations"]:
            found.append(Operation(id, text, split(" ".join([*_metrics(id)[:1], _without_ids(text)])), False))
        about = contract["description"]
        found.append(Operation(id, about, split(" ".join([*_metrics(id), about])), True))
    return tuple(found)


@cache
def _weights() -> dict[str, float]:
    """Return how rare each word is among the operations; the name of a metric counts as rare."""
    all = operations()
    counts = Counter(word for operation in all for word in set(operation.words))
    weights = {word: math.log(1 + len(all) / count) for word, count in counts.items()}
    names = {word for id in catalogue.ids() for word in split(" ".join(_metrics(id)))}
    return weights | dict.fromkeys(names & weights.keys(), max(weights.values()))


def _metrics(id: str) -> list[str]:
    """Return the names that a tool's results may give their metric."""
    metric = catalogue.newest_contract(id)["output_schema"]["properties"].get("metric", {})
    return [metric["const"]] if "const" in metric else metric.get("enum", [])


@cache
def _unscored() -> frozenset[str]:
    """Return the tools whose results have no score."""
    return frozenset(
        id for id in catalogue.ids() if "score" not in catalogue.newest_contract(id)["output_schema"]["properties"]
    )


def _cover(words: Iterable[str], operation: Operation) -> float:
    """Return how much of the words' weight the operation holds, 0..1.

    A little of it is for being about nothing else, and a little for being of a tool whose metric is named.
    """
    words = set(words)
    weights = _weights()
    unknown = max(weights.values()) / 2
    total = covered = 0.0
    used = set()
    for word in words:
        likeness, other = max(((_likeness(word, other), other) for other in operation.words), default=(0.0, ""))
        alike = likeness >= ALIKE
        weight = weights.get(word, weights[other] if alike else unknown)
        total += weight
        if alike:
            covered += weight * likeness
            used.add(other)
    if not used:
        return 0.0
    precision = sum(weights[word] for word in used) / sum(weights[word] for word in set(operation.words))
    contrary = bool(_WITHOUT & words) != bool(_WITHOUT & set(operation.words))
    named = operation.supported and not words.isdisjoint(split(" ".join(_metrics(operation.tool))))
    return (covered / total) * (0.8 + 0.1 * precision + 0.1 * named) * (0.8 if contrary else 1.0)


def _likeness(a: str, b: str) -> float:
    """Return how alike two words are: the F-score of their character pairs, ends included.

    A number is no difference (chrF2, chrF), and other pluses are the least likeness that counts (chrF++, chrF).
    """
    stem_a, stem_b = (re.sub(r"\d", "", word) for word in (a, b))
    if a == b or stem_a == stem_b != "":
        return 1.0 if a == b else 0.95
    if "+" in a or "+" in b:
        return ALIKE if stem_a.rstrip("+") == stem_b.rstrip("+") else 0.0
    if min(len(a), len(b)) < 4:
        return 0.0
    pairs_a, pairs_b = (Counter(zip(f" {word}", f"{word} ", strict=True)) for word in (a, b))
    return 2 * (pairs_a & pairs_b).total() / (pairs_a.total() + pairs_b.total())


def _named(text: str, own: str) -> str | None:
    """Return the first other tool that a line names."""
    return next((id for id in re.findall(r"[a-z]+(?:-[a-z]+)+", text) if id in catalogue.ids() and id != own), None)


def _without_ids(text: str) -> str:
    """Return a line without the remark that names the tool to use."""
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
