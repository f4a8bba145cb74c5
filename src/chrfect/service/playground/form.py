"""The form of the interactive page: its fields, and the tool's input that they stand for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

from chrfect import catalogue
from chrfect.errors import ContractError
from chrfect.text.tokenizers import tokenizer

NAMES = {
    "chrf-compute": "chrF",
    "chrf-plus-plus-compute": "chrF++",
    "chrf-components": "chrF with any orders",
    "bleu-corpus-compute": "BLEU",
    "bleu-sentence-compute": "BLEU of one sentence",
    "bleu-sentence-components": "counts of BLEU, one sentence",
    "bleu-ngrams-count": "counts of BLEU, all segments",
}
"""The tools as the form names them."""

DEFAULTS = {
    "beta": "2",
    "lowercase": "",
    "char_order": "6",
    "word_order": "0",
    "whitespace": "remove",
    "averaging": "mean_precision_recall",
    "max_order": "4",
    "smoothing": "none",
    "clipping_tables": "",
}
"""The parameters of all tools, and the defaults of their contracts; an unchecked box is empty."""

LABELS = {
    "beta": "Beta (weight of recall)",
    "lowercase": "Lowercase the texts",
    "char_order": "Character order",
    "word_order": "Word order",
    "whitespace": "Whitespace",
    "averaging": "Averaging",
    "max_order": "Longest n-gram",
    "smoothing": "Smoothing",
    "clipping_tables": "List every n-gram in the JSON",
}

TOKENIZERS = {
    "13a": "13a, as sacreBLEU",
    "intl": "intl, Unicode punctuation",
    "zh": "zh, Chinese",
    "char": "char, single characters",
    "none": "none, split at spaces",
}

SORTS = {"given": "as given", "low": "lowest score first", "high": "highest score first", "apart": "largest difference"}

SIDES = {"hypotheses": "hypotheses", "other": "second hypotheses", "references": "references"}
"""The fields of texts, as messages name them."""

MAX_FIELDS = 40

_SENTENCE = ("bleu-sentence-compute", "bleu-sentence-components")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter with its contract's schema, and the tools that take it."""

    name: str
    label: str
    schema: dict[str, Any]
    tools: tuple[str, ...]


@cache
def parameters() -> tuple[Parameter, ...]:
    """Return the parameters of all tools, each once."""
    schemas = {id: catalogue.newest_contract(id)["input_schema"]["properties"] for id in NAMES}
    return tuple(
        Parameter(
            name,
            LABELS[name],
            next(schema[name] for schema in schemas.values() if name in schema),
            tuple(id for id, schema in schemas.items() if name in schema),
        )
        for name in DEFAULTS
    )


class FieldError(Exception):
    """A text that cannot be scored: why, in which field, and in which segment if it is one (counted from 0)."""

    def __init__(self, detail: str, field: str = "", segment: int | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.field = field
        self.segment = segment


@dataclass(frozen=True, slots=True)
class Form:
    """What a person entered.

    Parameters
    ----------
    tool : str
        The id of a tool.
    hypotheses, references : str
        One segment in each line. For BLEU, tabs part several references of a segment.
    other : str
        Other hypotheses for the same references; empty for none.
    tokenize : str
        The tokenizer for BLEU, whose tools take tokens.
    sort : str
        The order in which segments are shown.
    values : dict of str to str
        The parameters as they were entered.
    """

    tool: str = "chrf-compute"
    hypotheses: str = ""
    other: str = ""
    references: str = ""
    tokenize: str = "13a"
    sort: str = "given"
    values: dict[str, str] = field(default_factory=lambda: dict(DEFAULTS))

    @classmethod
    def read(cls, body: bytes) -> tuple[Form, dict[str, str]]:
        """Return the form in a body of the type ``application/x-www-form-urlencoded``, and its other fields.

        Raises
        ------
        ContractError
            ``bad_request``, if the body has no such type, or too many fields.
        """
        try:
            pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="replace", max_num_fields=MAX_FIELDS)
        except ValueError as error:
            detail = f"The form cannot be read: {error}. Send at most {MAX_FIELDS} fields, URL-encoded, in UTF-8."
            raise ContractError("bad_request", detail, None) from None
        given = {name: value.replace("\r\n", "\n").replace("\r", "\n") for name, value in pairs}
        values = {
            name: given.pop(name, "" if name in ("lowercase", "clipping_tables") else default)
            for name, default in DEFAULTS.items()
        }
        form = cls(values=values)
        known: dict[str, Any] = {name: given.pop(name) for name in cls.__slots__ if name != "values" and name in given}
        for name, choices in (("tool", NAMES), ("tokenize", TOKENIZERS), ("sort", SORTS)):
            if known.get(name) not in choices:
                known.pop(name, None)
        return replace(form, **known), given

    @property
    def version(self) -> str:
        """The newest version of the tool."""
        return catalogue.newest(self.tool)

    @property
    def is_bleu(self) -> bool:
        """Whether the tool takes tokens."""
        return self.tool.startswith("bleu")

    @property
    def entered(self) -> bool:
        """Whether there is anything to score."""
        return bool(self.hypotheses.strip() and self.references.strip())

    def sides(self) -> list[str]:
        """Return the names of the fields with hypotheses."""
        return ["hypotheses", "other"] if self.other.strip() else ["hypotheses"]

    def segments(self, name: str) -> list[str]:
        """Return the segments in a field, one in each line; a last line break ends the last segment."""
        return str(getattr(self, name)).removesuffix("\n").split("\n")

    def input(self, side: str) -> dict[str, Any]:
        """Return the tool's input for one side.

        Raises
        ------
        FieldError
            If the tool takes one segment and there are more.
        """
        hypotheses: list[Any] = self.segments(side)
        references: list[Any] = self.segments("references")
        if self.is_bleu:
            split = tokenizer(self.tokenize)
            hypotheses = [split(text) for text in hypotheses]
            references = [[split(text) for text in several.split("\t")] for several in references]
        given = self._parameters()
        if self.tool not in _SENTENCE:
            return {"hypotheses": hypotheses, "references": references, **given}
        for name, values in ((side, hypotheses), ("references", references)):
            if len(values) > 1:
                detail = f"There are {len(values)} lines, but this tool scores one sentence. Choose BLEU for several."
                raise FieldError(detail, name, 1)
        return {"hypothesis": hypotheses[0], "references": references[0], **given}

    def _parameters(self) -> dict[str, Any]:
        """Return the parameters that differ from the defaults."""
        return {
            parameter.name: _value(self.values[parameter.name], parameter.schema)
            for parameter in parameters()
            if self.tool in parameter.tools and self.values[parameter.name] != DEFAULTS[parameter.name]
        }


def place(error: ContractError, side: str, input: dict[str, Any]) -> tuple[str, int | None]:
    """Return the field of the form that an error points to, and the segment if it is one.

    Examples
    --------
    >>> place(ContractError("too_many_references", "…", "/references/2"), "other", {})
    ('references', 2)
    """
    if error.code == "segment_count_mismatch":
        sizes = {side: len(input["hypotheses"]), "references": len(input["references"])}
        shorter = min(sizes, key=lambda name: sizes[name])
        return shorter, sizes[shorter]
    found: Sequence[str] = re.findall("[^/]+", error.pointer or "")
    if not found:
        return side, None
    if found[0] in DEFAULTS:
        return found[0], None
    name = "references" if found[0] == "references" else side
    return name, int(found[1]) if len(found) > 1 and found[1].isdecimal() else None


def _value(text: str, schema: dict[str, Any]) -> Any:
    if schema["type"] == "boolean":
        return bool(text)
    if schema["type"] == "integer" and re.fullmatch(r"\s*-?\d{1,9}\s*", text, re.ASCII):
        return int(text)
    return text
