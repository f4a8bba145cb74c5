"""Alignment of hypotheses and references. Input is checked; a layout is never guessed, and nothing is truncated.

There are three layouts: one list, a mapping of named lists, or ``references_per_segment``. A missing reference is None;
an empty string is an empty reference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from chrfect import kernels
from chrfect.counts import ReferenceNumber
from chrfect.errors import UsageError, shown

Texts = Iterable[str]
"""Texts in the order of the segments: a list, a generator, an array, a series, or an Arrow array."""

References = Texts | Mapping[str, Iterable[str | None]]
"""One reference for each segment, or several lists of references by name, in which None is a missing reference.

A table with an Arrow stream (pandas, Polars, Arrow, DuckDB) is a mapping from its column names to its columns.
"""

ReferencesPerSegment = Iterable[Iterable[str | None]]
"""The references of each segment."""

BLOCK = 8_192

LAYOUTS = (
    "Pass references as one list with one text for each segment; as a mapping from names to such lists "
    '({"refA": [...], "refB": [...]}) for several reference sets; or references_per_segment=[[...], ...] for one '
    "list of references a segment."
)


@dataclass(frozen=True, slots=True)
class Aligned:
    """Hypotheses and their references, flattened.

    Parameters
    ----------
    hypotheses : sequence of str
    references : sequence of str
        The references of all segments, in the order of the segments.
    starts : sequence of int or None
        The index of the first reference of each segment, and the number of references; None if each segment has
        exactly one reference.
    origins : sequence of int or None
        For each flattened reference, its index among the references that were passed for its segment.
    names : tuple of str or None
        The names of the reference sets, where they have any.
    first : int
        The number of the first segment, which is 0 unless the texts are a block of a corpus.
    """

    hypotheses: Sequence[str]
    references: Sequence[str]
    starts: Sequence[int] | None = None
    origins: Sequence[int] | None = None
    names: tuple[str, ...] | None = None
    first: int = 0

    @property
    def number(self) -> ReferenceNumber:
        """The number of references of each segment; ``"var"`` if it varies."""
        if self.starts is None:
            return 1
        numbers = {stop - start for start, stop in pairwise(self.starts)}
        return numbers.pop() if len(numbers) == 1 else "var"

    def reference_names(self) -> list[int | str] | None:
        """Return the name, or else the index, of each flattened reference; None for one list without a name."""
        if self.starts is None or self.origins is None:
            return None if self.names is None else [self.names[0]] * len(self.hypotheses)
        origins = self.origins[self.starts[0] : self.starts[-1]]
        return list(origins) if self.names is None else [self.names[origin] for origin in origins]


def align(
    hypotheses: Texts, references: References | None, references_per_segment: ReferencesPerSegment | None = None
) -> Aligned:
    """Check hypotheses and references in one of the three layouts, and align them.

    Raises
    ------
    UsageError
        If the layout is not one of the three, an element is not a text, the numbers of segments differ, or a segment
        has no reference.
    """
    texts = _texts(hypotheses, "hypotheses")
    if not texts:
        raise UsageError("There are no segments: hypotheses is empty.")
    if (references is None) == (references_per_segment is None):
        raise UsageError(f"Pass either references or references_per_segment. {LAYOUTS}")
    if references_per_segment is not None:
        lists = _per_segment(references_per_segment, len(texts))
        return _flatten(texts, lists, None)
    references = named_columns(references)
    if isinstance(references, Mapping):
        streams = {
            str(name): _texts(stream, f"references[{name!r}]", missing=True) for name, stream in references.items()
        }
        if len(streams) < len(references):
            raise UsageError(f"Two names in references are equal as text: {', '.join(map(shown, references))}.")
        if not streams:
            raise UsageError(f"references is an empty mapping. {LAYOUTS}")
        for name, stream in streams.items():
            _same_number(len(texts), f"references[{name!r}]", len(stream))
        names = tuple(streams)
        if len(streams) == 1 and None not in streams[names[0]]:
            return Aligned(texts, streams[names[0]], names=names)
        return _flatten(texts, list(zip(*streams.values(), strict=True)), names)
    single = _texts(references, "references")
    _same_number(len(texts), "references", len(single))
    return Aligned(texts, single)


def check_text(value: Any, name: str) -> str:
    """Return a text as a plain str, since subclasses may print differently; raise UsageError for other values."""
    if isinstance(value, str):
        return str.__str__(value)
    if value is None:
        raise UsageError(f"{name} is None, a missing text. A reference may be missing only if there are several.")
    if isinstance(value, float) and value != value:
        raise UsageError(f"{name} is NaN, a missing value; a text (str) was expected. A missing reference is None.")
    raise UsageError(f"{name} is a {type(value).__name__}; a text (str) was expected.")


def from_arrow(values: Any) -> Sequence[str | None] | None:
    """Return the texts of an object with the Arrow C data interface; None for other objects."""
    if kernels.compiled is not None and isinstance(values, kernels.compiled.ArrowTexts):
        return list(values) if values.nulls else values
    if not hasattr(values, "__arrow_c_stream__") and not hasattr(values, "__arrow_c_array__"):
        return None
    try:
        return kernels.arrow_texts(values)
    except ImportError:  # pandas needs pyarrow for the export; without it a series is an iterable like any other
        return None


def named_columns(values: Any) -> Any:
    """Return the columns of a table with an Arrow stream by name; other values unchanged.

    Raises
    ------
    UsageError
        If two columns have the same name, or the table is DuckDB's and pyarrow is missing.
    """
    if not _is_table(values):
        return values
    names = list(getattr(values, "column_names", values.columns))
    if len(set(names)) < len(names):
        raise UsageError(f"Two columns of a {type(values).__name__} have the same name: {_listing(names)}.")
    columns = {name: values[name] for name in names}
    if any(map(_is_table, columns.values())):  # a column of DuckDB is a table again
        try:
            from pyarrow import table
        except ModuleNotFoundError:
            raise UsageError(f"A {type(values).__name__} needs the pyarrow module: pip install pyarrow.") from None
        columns = dict(zip(names, table(values).columns, strict=True))
    return columns


def _is_table(values: Any) -> bool:
    if type(values).__name__ == "LazyFrame":
        raise UsageError("A LazyFrame has no rows yet: pass the frame that its method collect() returns.")
    return hasattr(values, "columns") and hasattr(values, "__arrow_c_stream__")


def _listing(names: Sequence[Any]) -> str:
    return ", ".join(map(shown, names[:10]))


def _texts(values: Any, name: str, missing: bool = False) -> Sequence[Any]:
    """Return the values as a sequence of str, or of str and None if `missing` is true."""
    if _is_table(values):
        columns = named_columns(values)
        if len(columns) != 1:
            raise UsageError(
                f"{name} is a {type(values).__name__} with the columns {_listing(list(columns))}; pass the one column "
                "with the texts. Only references can have several columns, one for each reference set."
            )
        (values,) = columns.values()
    exported = from_arrow(values)
    if exported is not None:
        if not isinstance(exported, list):
            return exported
        values = exported
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        hint = "One text belongs in a list: [text]." if isinstance(values, str) else LAYOUTS
        raise UsageError(f"{name} is a {type(values).__name__}; a list of texts was expected. {hint}")
    # a tuple, which other threads cannot change
    sequence = tuple(values) if isinstance(values, list | tuple) else _listed(values, name)
    if kernels.only_texts(sequence):
        return sequence
    if missing and set(map(type, sequence)) <= {str, type(None)}:
        return sequence
    for i, value in enumerate(sequence):
        if value is None and missing:
            continue
        if isinstance(value, list | tuple) and name != "hypotheses":
            raise UsageError(f"{name}[{i}] is a {type(value).__name__}, not a text. {LAYOUTS}")
        check_text(value, f"{name}[{i}]")
    return [value if value is None else str.__str__(value) for value in sequence]


def _listed(values: Any, name: str) -> list[Any]:
    """Return an iterable as a list; raise UsageError for a type without an order of segments."""
    if not isinstance(values, Set) and not hasattr(values, "columns"):
        try:
            return list(values)
        except TypeError:
            pass
    raise UsageError(
        f"{name} is a {type(values).__name__}, which has no order of segments; a list of texts was expected."
    )


def _per_segment(lists: Any, number: int) -> list[Sequence[str | None]]:
    if isinstance(lists, str | bytes | Mapping) or not isinstance(lists, Iterable):
        raise UsageError(f"references_per_segment is a {type(lists).__name__}; a list of lists was expected. {LAYOUTS}")
    outer = list(lists)
    _same_number(number, "references_per_segment", len(outer))
    return [_texts(inner, f"references_per_segment[{i}]", missing=True) for i, inner in enumerate(outer)]


def _same_number(hypotheses: int, name: str, number: int) -> None:
    if hypotheses != number:
        raise UsageError(
            f"The number of hypotheses is {hypotheses:,} and that of {name} is {number:,}; equal numbers were "
            f"expected. {LAYOUTS}"
        )


def _flatten(
    hypotheses: Sequence[str], lists: Sequence[Sequence[str | None]], names: tuple[str, ...] | None
) -> Aligned:
    references: list[str] = []
    origins: list[int] = []
    starts = [0]
    for i, inner in enumerate(lists):
        for origin, text in enumerate(inner):
            if text is not None:
                references.append(text)
                origins.append(origin)
        if len(references) == starts[-1]:
            raise UsageError(f"Segment {i} (counted from 0) has no reference: leave the segment out of both sides.")
        starts.append(len(references))
    return Aligned(hypotheses, references, starts, origins, names)


def blocks(aligned: Aligned) -> list[Aligned]:
    """Split a corpus into blocks of segments, so that working memory does not grow with the corpus."""
    number = len(aligned.hypotheses)
    if number <= BLOCK:
        return [aligned]
    blocks = []
    for at in range(0, number, BLOCK):
        hypotheses = aligned.hypotheses[at : at + BLOCK]
        if aligned.starts is None:
            references = aligned.references[at : at + BLOCK]
            blocks.append(Aligned(hypotheses, references, names=aligned.names, first=at))
        else:
            starts = aligned.starts[at : at + BLOCK + 1]
            blocks.append(Aligned(hypotheses, aligned.references, starts, aligned.origins, aligned.names, at))
    return blocks
