"""The catalogue: versioned tools, each validated input → exact result, the same answer by every door."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chrfect.catalogue import (
    bleu_corpus_compute,
    bleu_ngrams_count,
    bleu_sentence_components,
    bleu_sentence_compute,
    chrf_components,
    chrf_compute,
    chrf_plus_plus_compute,
)
from chrfect.catalogue.contract import (
    contract,
    contract_bytes,
    ids,
    index,
    newest,
    newest_contract,
    resolve,
    versions,
    worked,
)
from chrfect.catalogue.jsontext import dumps, loads
from chrfect.catalogue.problem import problem

__all__ = [
    "contract",
    "contract_bytes",
    "dumps",
    "ids",
    "index",
    "loads",
    "newest",
    "newest_contract",
    "problem",
    "resolve",
    "run",
    "versions",
    "worked",
]

_TOOLS: dict[tuple[str, str], Callable[[Any], dict[str, Any]]] = {
    ("chrf-compute", "1.0.0"): chrf_compute.execute,
    ("chrf-plus-plus-compute", "1.0.0"): chrf_plus_plus_compute.execute,
    ("chrf-components", "1.0.0"): chrf_components.execute,
    ("bleu-ngrams-count", "1.0.0"): bleu_ngrams_count.execute,
    ("bleu-sentence-components", "1.0.0"): bleu_sentence_components.execute,
    ("bleu-sentence-compute", "1.0.0"): bleu_sentence_compute.execute,
    ("bleu-corpus-compute", "1.0.0"): bleu_corpus_compute.execute,
}


def run(id: str, version: str, input: Any) -> dict[str, Any]:
    """Execute a tool of the catalogue and return its result.

    Parameters
    ----------
    id, version : str
        The tool, such as ``"chrf-compute"``, and its version, such as ``"1.0.0"``.
    input : dict
        What the tool's contract asks for; it is never changed.

    Returns
    -------
    dict
        The result, with its keys in the order of the output schema.

    Raises
    ------
    ContractError
        If there is no such tool or version, or the input breaks the contract.

    Examples
    --------
    >>> run("chrf-compute", "1.0.0", {"hypotheses": ["cat"], "references": ["the cat sat on the mat"]})["score"]
    '14.882486'
    """
    return _TOOLS[resolve(id, version)](input)
