"""Search for tools by a need in plain words, in the languages of the contracts and some more.

``terms.toml`` lists the words for what a need may speak of, and ``topics.toml`` what no tool supports and where else
to find it. ``match`` finds them in a need, ``rules`` chooses the tools.
"""

from __future__ import annotations

from typing import Any

from chrfect import catalogue
from chrfect.errors import without_surrogates
from chrfect.service.search.match import tokens
from chrfect.service.search.rules import choose

NOTHING = {
    "topic": "other",
    "operation": "tasks other than to score translations against references with chrF, chrF++ and BLEU",
    "elsewhere": "Not in this catalogue. If the task is to score translations, name the metric, such as chrF.",
}
"""What is returned if nothing in a need is known."""


def search(query: str) -> dict[str, Any]:
    """Return the tools that serve a need, the best first, and what of it no tool supports.

    Parameters
    ----------
    query : str
        The need, such as ``"score a translation against its reference"``: a few words, paragraphs or code.

    Returns
    -------
    dict
        ``query``; ``tools``, each with its id, version, title, description and the ``operation`` that is closest to
        the need; ``unsupported``, each with its ``topic``, the ``operation`` that no tool supports, and ``elsewhere``:
        where to find it. At least one of the two lists has an element.

    Examples
    --------
    >>> search("chrF with word bigrams")["tools"][0]["id"]
    'chrf-plus-plus-compute'
    >>> found = search("chrF and TER of my translations")
    >>> [tool["id"] for tool in found["tools"]], found["unsupported"][0]["topic"]
    (['chrf-compute'], 'TER')
    """
    given = tokens(query)
    ids, topics = choose(given)
    if not ids and not topics and (quoted := tokens(query, quoted=True)) != given:
        ids, topics = choose(quoted)  # the need may be what somebody is quoted with
    words = {word.casefold() for word in given}
    unsupported = [{key: topic[key] for key in NOTHING} for topic in topics]
    return {
        "query": without_surrogates(query),
        "tools": [_shown(id, words) for id in ids],
        "unsupported": unsupported if unsupported or ids else [NOTHING],
    }


def _shown(id: str, words: set[str]) -> dict[str, Any]:
    contract = catalogue.newest_contract(id)
    entry = next(entry for entry in catalogue.index() if entry["id"] == id)
    operations = contract["supported_operations"]
    operation = max(
        operations, key=lambda text: (len(words & {word.casefold() for word in tokens(text)}), -operations.index(text))
    )
    return {
        "id": id,
        "version": contract["version"],
        "title": entry["title"],
        "description": contract["description"],
        "operation": operation,
    }
