"""The catalogue: versioned tools with exact results, which are the same through all interfaces."""

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
    typed,
)
from chrfect.catalogue.jsontext import dumps, encode, loads
from chrfect.catalogue.problems import problem
from chrfect.catalogue.published import (
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

__all__ = [
    "answer",
    "contract",
    "contract_bytes",
    "dumps",
    "encode",
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

_TO_ENCODE = {("bleu-ngrams-count", "1.0.0"): bleu_ngrams_count.execute_to_encode}
"""Functions to call instead if the result is only encoded as JSON, which they make faster."""


def run(id: str, version: str, input: Any) -> dict[str, Any]:
    """Execute a tool of the catalogue and return its result.

    Parameters
    ----------
    id, version : str
        The id of the tool, such as ``"chrf-compute"``, and its version, such as ``"1.0.0"``.
    input : dict
        An input that conforms to the contract of the tool; it is not modified.

    Returns
    -------
    dict
        The result, with its keys in the order of the output schema.

    Raises
    ------
    ContractError
        If the tool or version does not exist, or the input violates the contract.

    Examples
    --------
    >>> run("chrf-compute", "1.0.0", {"hypotheses": ["cat"], "references": ["the cat sat on the mat"]})["score"]
    '14.882486'
    """
    return _TOOLS[resolve(id, version)](input)


def answer(id: str, version: str, body: bytes) -> bytes:
    """Execute a tool on a JSON input, and return the result as JSON: ``{"result": …}``.

    Parameters
    ----------
    id, version : str
        As in :func:`run`.
    body : bytes
        The input as strict JSON in UTF-8.

    Raises
    ------
    ContractError
        ``invalid_json``, or as :func:`run`.

    Examples
    --------
    >>> body = b'{"hypothesis": ["a"], "references": [["a"]], "max_order": 1}'
    >>> answer("bleu-sentence-components", "1.0.0", body)[:40]
    b'{"result":{"max_order":1,"matches":[1],"'
    """
    tool = resolve(id, version)
    execute = _TO_ENCODE.get(tool, _TOOLS[tool])
    value = typed.read(id, version, body)
    return encode({"result": execute(loads(body) if value is None else value)})
