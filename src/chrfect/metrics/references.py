"""Alignment of hypotheses and references. Input is checked; a layout is never guessed, and nothing is truncated.

There are three layouts: one list, a mapping of named lists, or ``references_per_segment``. An Arrow column of lists has
the references of each segment, whichever parameter it is passed as. A missing reference is None; an empty string is an
empty reference.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from chrfect import kernels
from chrfect.counts import ReferenceNumber
from chrfect.errors import UsageError, shown

if TYPE_CHECKING:
    from typing import TypeGuard

    from chrfect.kernels._fast import ArrowTexts

Texts = Iterable[str]
"""Texts in the order of the segments: a list, a generator, an array, a series, or an Arrow array."""

References = Texts | Mapping[str, Iterable[str | None]]
"""One reference for each segment, or several lists of references by name, in which None is a missing reference.

A table with an Arrow stream (pandas, Polars, Arrow, DuckDB) is a mapping from its column names to its columns. A column
of lists has the references of each segment.
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

    @property
    def pairs(self) -> tuple[Sequence[str], Sequence[str]]:
        """The references, and for each its hypothesis."""
        if self.starts is None:
            return self.hypotheses, self.references
        references = self.references[self.starts[0] : self.starts[-1]]
        if _is_arrow(self.hypotheses):
            return self.hypotheses.repeat(self.starts), references
        spans = zip(self.hypotheses, pairwise(self.starts), strict=True)
        return [text for text, (start, stop) in spans for _ in range(start, stop)], references

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
    columns = named_columns(references)
    if isinstance(columns, Mapping):
        lists = _is_table(references) and len(columns) == 1
        streams = {
            str(name): _texts(stream, f"references[{name!r}]", missing=True, lists=lists)
            for name, stream in columns.items()
        }
        if len(streams) < len(columns):
            raise UsageError(f"Two names in references are equal as text: {', '.join(map(shown, columns))}.")
        if not streams:
            raise UsageError(f"references is an empty mapping. {LAYOUTS}")
        for name, stream in streams.items():
            _same_number(len(texts), f"references[{name!r}]", stream)
        names = tuple(streams)
        first = streams[names[0]]
        if _holds_lists(first):
            return _flatten(texts, first, None)
        if len(streams) == 1 and None not in first:
            return Aligned(texts, first, names=names)
        if kernels.compiled is not None and all(map(_is_arrow, streams.values())):
            return _flatten(texts, kernels.compiled.interleave([*streams.values()]), names)
        return _flatten(texts, list(zip(*streams.values(), strict=True)), names)
    single = _texts(columns, "references", lists=True)
    _same_number(len(texts), "references", single)
    return _flatten(texts, single, None) if _holds_lists(single) else Aligned(texts, single)


def check_text(value: Any, name: str) -> str:
    """Return a text as a plain str, since subclasses may print differently; raise UsageError for other values."""
    if isinstance(value, str):
        return str.__str__(value)
    if value is None:
        raise UsageError(f"{name} is None, a missing text. A reference may be missing only if there are several.")
    if isinstance(value, float) and value != value:
        raise UsageError(f"{name} is NaN, a missing value; a text (str) was expected. A missing reference is None.")
    raise UsageError(f"{name} is a {type(value).__name__}; a text (str) was expected.")


def arrow_values(values: Any) -> list[Any] | None:
    """Return the texts, or lists of texts, of an object with the Arrow C data interface; None for other objects."""
    exported = _exported(values)
    if _is_arrow(exported) and exported.starts is not None:
        return [list(exported[start:stop]) for start, stop in pairwise(exported.starts)]
    return None if exported is None else list(exported)


def read_references(references: Any, references_per_segment: Any) -> tuple[Any, list[list[Any]] | None]:
    """Return both parameters as lists or mappings to lists; an Arrow column of lists has the references per segment."""
    if references_per_segment is not None:
        name = "references_per_segment"
        lists = _read(_column(references_per_segment, name), name)
        return references, [_read(inner, f"{name}[{i}]") for i, inner in enumerate(lists)]
    columns = named_columns(references)
    if isinstance(columns, Mapping) and not (_is_table(references) and len(columns) == 1):
        return {name: _read(stream, f"references[{name!r}]") for name, stream in columns.items()}, None
    column = next(iter(columns.values())) if isinstance(columns, Mapping) else columns
    read = _read(column, "references")
    if _holds_lists(read) and not isinstance(column, list | tuple):
        return None, read
    return dict.fromkeys(columns, read) if isinstance(columns, Mapping) else read, None


def _read(values: Any, name: str) -> list[Any]:
    exported = arrow_values(values)
    return _listed(values, name) if exported is None else exported


def _exported(values: Any) -> Sequence[Any] | None:
    """Return what :func:`kernels.arrow_texts` reads; None for an object without the Arrow C data interface."""
    if _is_arrow(values):
        return values
    if not exports_arrow(values):
        return None
    try:
        return kernels.arrow_texts(values)
    except UsageError:
        raise
    except (ImportError, TypeError, ValueError):
        if not isinstance(values, Iterable):
            raise
        return None  # pandas needs pyarrow, and values of one type; otherwise a series is an iterable like any other


def exports_arrow(values: Any) -> bool:
    """Return whether a value has the Arrow C data interface."""
    return hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__")


def _is_arrow(values: Any) -> TypeGuard[ArrowTexts]:
    return kernels.compiled is not None and isinstance(values, kernels.compiled.ArrowTexts)


def _holds_lists(values: Any) -> bool:
    """Return whether what :func:`_exported` returned are lists of texts."""
    return values.starts is not None if _is_arrow(values) else bool(values) and isinstance(values[0], list)


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


def _column(values: Any, name: str) -> Any:
    """Return the only column of a table; other values unchanged."""
    if not _is_table(values):
        return values
    columns = named_columns(values)
    if len(columns) != 1:
        raise UsageError(
            f"{name} is a {type(values).__name__} with the columns {_listing(list(columns))}; pass the one column "
            "with the texts. Only references can have several columns, one for each reference set."
        )
    return next(iter(columns.values()))


def _texts(values: Any, name: str, missing: bool = False, lists: bool = False) -> Sequence[Any]:
    """Return the values as a sequence of str, or of str and None if `missing` is true.

    If `lists` is true, an Arrow column may have lists of texts; it is returned as :func:`_exported` returns it.
    """
    values = _column(values, name)
    exported = _exported(values)
    if exported is not None:
        if _holds_lists(exported) and not lists:
            kind = type(values).__name__
            raise UsageError(f"{name} is a {kind} of lists; one text for each segment was expected. {LAYOUTS}")
        if _holds_lists(exported) or (_is_arrow(exported) and (missing or not exported.nulls)):
            return exported
        values = list(exported)
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
    """Return an iterable as a list; raise UsageError for a type that is none, or has no order of segments."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        hint = "One text belongs in a list: [text]." if isinstance(values, str) else LAYOUTS
        raise UsageError(f"{name} is a {type(values).__name__}; a list of texts was expected. {hint}")
    if not isinstance(values, Set) and not hasattr(values, "columns"):
        try:
            return list(values)
        except TypeError:
            pass
    raise UsageError(
        f"{name} is a {type(values).__name__}, which has no order of segments; a list of texts was expected."
    )


def _per_segment(lists: Any, number: int) -> Any:
    name = "references_per_segment"
    lists = _column(lists, name)
    exported = _exported(lists)
    if exported is None and (isinstance(lists, str | bytes | Mapping) or not isinstance(lists, Iterable)):
        raise UsageError(f"{name} is a {type(lists).__name__}; a list of lists was expected. {LAYOUTS}")
    outer = list(lists) if exported is None else exported
    _same_number(number, name, outer)
    if _holds_lists(exported):
        return exported
    return [_texts(inner, f"{name}[{i}]", missing=True) for i, inner in enumerate(outer)]


def _same_number(hypotheses: int, name: str, references: Any) -> None:
    starts = references.starts if _is_arrow(references) else None
    number = len(references) if starts is None else len(starts) - 1
    if hypotheses != number:
        raise UsageError(
            f"The number of hypotheses is {hypotheses:,} and that of {name} is {number:,}; equal numbers were "
            f"expected. {LAYOUTS}"
        )


def _flatten(hypotheses: Sequence[str], lists: Any, names: tuple[str, ...] | None) -> Aligned:
    """Align hypotheses with the references of each, which are lists, or an Arrow array of lists."""
    references: list[str] | ArrowTexts
    starts: list[int] | array[int]
    origins: list[int] | array[int]
    if _is_arrow(lists):
        references, starts, origins = lists.kept()
    else:
        references, starts, origins = [], [0], []
        for inner in lists:
            for origin, text in enumerate(inner):
                if text is not None:
                    references.append(text)
                    origins.append(origin)
            starts.append(len(references))
    for i, (start, stop) in enumerate(pairwise(starts)):
        if start == stop:
            raise UsageError(f"Segment {i} (counted from 0) has no reference: leave the segment out of both sides.")
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
