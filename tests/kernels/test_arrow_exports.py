"""What an exporter of Arrow arrays gets wrong is an error that names the segment; arrays are released exactly once."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrow_exports import Export, packed, strings
from chrfect import ChrF, UsageError, kernels

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="pyarrow reads arrays for the readable kernel")

LEAST, LARGEST = -(2**63), 2**63 - 1


def encoded(format, kind, *indices, of):
    return Export(format, len(indices), [None, packed(kind, *indices)], dictionary=of)


def lists(format, kind, *offsets):
    """Return two lists of the texts "a" and "b"."""
    return Export(format, 2, [None, packed(kind, *offsets)], [strings("a", "b")])


def views(format, kind, offsets, sizes):
    return Export(format, 2, [None, packed(kind, *offsets), packed(kind, *sizes)], [strings("a", "b")])


def view(*buffers):
    """Return a text of 20 bytes."""
    return Export(b"vu", 1, [None, packed("i", 20, 0, 0, 0), *buffers])


OFFSETS = "offsets that go backwards or leave their buffer"
FIRST, SECOND, INDEX = (
    f"Segment 0 .*{OFFSETS}",
    f"Segment 1 .*{OFFSETS}",
    "Segment 1 .* an index outside its dictionary",
)
WRONG = {
    "index too large": (lambda: encoded(b"i", "i", 0, 2, of=strings("a", "b")), INDEX),
    "index negative": (lambda: encoded(b"c", "b", 0, -1, of=strings("a", "b")), INDEX),
    "index of 64 bits": (lambda: encoded(b"L", "Q", 1, 2**64 - 1, of=strings("a", "b")), INDEX),
    "index into nothing": (lambda: encoded(b"i", "i", 0, of=strings()), r"Segment 0 .* an index"),
    "value of a dictionary": (lambda: encoded(b"i", "i", 0, 1, of=strings("a", "b", offsets=[0, 1, 0])), SECOND),
    "index that is a text": (
        lambda: Export(b"u", 1, [None, packed("i", 0, 1), b"a"], dictionary=strings("a")),
        "indices that are no integers",
    ),
    "dictionary of a dictionary": (
        lambda: encoded(b"i", "i", 0, of=encoded(b"i", "i", 0, of=strings("a"))),
        "The dictionary of an Arrow array has the format 'i'",
    ),
    "list that ends before it begins": (lambda: lists(b"+l", "i", 0, 1, 0), SECOND),
    "list of a negative offset": (lambda: lists(b"+l", "i", -1, 0, 1), FIRST),
    "list beyond its texts": (lambda: lists(b"+l", "i", 0, 1, 3), SECOND),
    "large list beyond its texts": (lambda: lists(b"+L", "q", 0, 1, LARGEST), SECOND),
    "large list to the least integer": (lambda: lists(b"+L", "q", 0, 1, LEAST), SECOND),
    "list view beyond its texts": (lambda: views(b"+vl", "i", [1, 1], [1, 2]), SECOND),
    "list view of a negative size": (lambda: views(b"+vL", "q", [1, 1], [1, -1]), SECOND),
    "list view from the largest integer": (lambda: views(b"+vL", "q", [1, LARGEST], [1, 1]), SECOND),
    "lists of one length, too few texts": (lambda: Export(b"+w:2", 2, [None], [strings("a", "b", "c")]), SECOND),
    "lists of a huge length": (lambda: Export(b"+w:%d" % LARGEST, 2, [None], [strings("a", "b")]), FIRST),
    "lists of no length": (lambda: Export(b"+w:", 1, [None], [strings("a")]), r"format '\+w:'"),
    "lists without a child": (lambda: Export(b"+l", 1, [None, packed("i", 0, 1)]), r"format '\+l'"),
    "lists with a null pointer": (lambda: Export(b"+l", 1, [None, packed("i", 0, 1)], [None]), r"format '\+l'"),
    "lists with two children": (
        lambda: Export(b"+l", 1, [None, packed("i", 0, 1)], [strings("a"), strings("b")]),
        r"format '\+l'",
    ),
    "lists of lists": (
        lambda: Export(b"+l", 1, [None, packed("i", 0, 1)], [lists(b"+l", "i", 0, 1, 2)]),
        r"Each list of an Arrow array has the format '\+l'",
    ),
    "text that ends before it begins": (lambda: strings("ab", "cd", offsets=[0, 3, 1]), SECOND),
    "text to the least integer": (lambda: Export(b"U", 2, [None, packed("q", 0, 1, LEAST), b"ab"]), SECOND),
    "text without bytes": (lambda: Export(b"u", 2, [None, packed("i", 0, 0, 1), None]), SECOND),
    "view without buffers": (lambda: view(None), FIRST),
    "view without sizes": (lambda: view(b"a" * 20, None), FIRST),
    "view without a buffer": (lambda: view(None, packed("q", 20)), FIRST),
    "negative length": (lambda: Export(b"u", -1, [None, b"", b""]), "negative length"),
    "negative offset": (lambda: strings("a", "b", offset=-1), "negative length"),
    "length and offset that overflow": (lambda: Export(b"u", 2**62, [None, b"", b""], offset=2**62), "negative length"),
    "too few buffers": (lambda: strings("a", "b", number=2), "lacks a buffer"),
    "no buffers": (lambda: Export(b"u", 2, [], number=3), "lacks a buffer"),
    "no offsets": (lambda: Export(b"u", 2, [None, None, b"ab"]), "lacks a buffer"),
    "no indices": (lambda: Export(b"i", 2, [None, None], dictionary=strings("a")), "lacks a buffer"),
    "no views": (lambda: Export(b"vu", 2, [None, None, None]), "lacks a buffer"),
    "no format": (lambda: Export(None, 1, [None]), "format ''"),
    "format that is not UTF-8": (lambda: Export(b"\xff", 1, [None]), "format '�'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_error_names_what_an_exporter_gets_wrong(case):
    build, named = WRONG[case]
    export = build()
    with pytest.raises(UsageError, match=named):
        ChrF().count(["ab", "cd"], export)


@given(st.data())
def test_lists_with_any_offsets_and_sizes_are_read_or_rejected(data):
    texts = data.draw(st.lists(st.sampled_from(["", "a", "日本", "more than twelve bytes"]), max_size=5))
    number = len(texts)
    format, kind, largest = data.draw(
        st.sampled_from(
            [(b"+l", "i", 2**31 - 1), (b"+L", "q", LARGEST), (b"+vl", "i", 2**31 - 1), (b"+vL", "q", LARGEST)]
        )
    )
    inside = st.integers(0, number)
    any_integer = inside | inside | inside | st.sampled_from([-1, number + 1, largest, -largest - 1])
    offsets = data.draw(st.lists(any_integer, min_size=2, max_size=6))
    before = data.draw(st.integers(0, len(offsets) - 2))
    valid = data.draw(st.lists(st.booleans(), min_size=len(offsets) - 1, max_size=len(offsets) - 1))
    buffers = [sum(bit << i for i, bit in enumerate(valid)).to_bytes(1, "little"), packed(kind, *offsets)]
    ends = offsets[1:]
    if b"v" in format:
        sizes = data.draw(st.lists(any_integer, min_size=len(valid), max_size=len(valid)))
        buffers.append(packed(kind, *sizes))
        ends = [start + size for start, size in zip(offsets, sizes, strict=False)]
    bounds = [(start, end) if bit else (0, 0) for start, end, bit in zip(offsets, ends, valid, strict=False)][before:]
    export = Export(format, len(bounds), buffers, [strings(*texts)], offset=before)
    wrong = [i for i, (start, end) in enumerate(bounds) if not 0 <= start <= end <= number]
    if wrong:
        with pytest.raises(UsageError, match=f"Segment {wrong[0]} .*{OFFSETS}"):
            kernels.arrow_texts(export)
    else:
        found = kernels.arrow_texts(export)
        lists = [list(found[start:stop]) for start, stop in pairwise(found.starts)]
        assert lists == [texts[start:end] for start, end in bounds]


def test_an_array_is_released_once_whether_it_is_read_or_not():
    good = Export(b"+l", 2, [None, packed("i", 0, 1, 3)], [strings("a", "b", "c")])
    want = ChrF().count(["a", "c"], references_per_segment=[["a"], ["b", "c"]])
    assert ChrF().count(["a", "c"], good).rows.tolist() == want.rows.tolist()
    assert good.released == 1
    bad = Export(b"+l", 2, [None, packed("i", 0, 1, 4)], [strings("a", "b", "c")])
    with pytest.raises(UsageError, match="offsets"):
        ChrF().count(["a", "c"], bad)
    assert bad.released == 1
    kept = strings("a", "b")
    column = kernels.arrow_texts(kept)
    parts = [column[1:], column.repeat([0, 2, 3])]
    del column
    assert kept.released == 0
    assert [list(part) for part in parts] == [["b"], ["a", "a", "b"]]
    parts.clear()
    assert kept.released == 1


def test_rejects_a_schema_that_was_already_consumed():
    export = strings("a", "b")
    capsules = export.__arrow_c_array__()
    pa.DataType._import_from_c_capsule(capsules[0])

    class Again:
        def __arrow_c_array__(self, requested_schema=None):
            return capsules

    with pytest.raises(UsageError, match="An Arrow schema was already imported"):
        ChrF().count(["a", "b"], Again())


def test_a_length_beyond_memory_is_a_memory_error():
    with pytest.raises(MemoryError):
        ChrF().count(["a"], Export(b"u", 2**56, [None, b"\0", b"\0"]))


def test_the_offsets_and_indices_of_nulls_are_not_read():
    valid = b"\x02"
    column = Export(b"i", 2, [valid, packed("i", 99, 0)], dictionary=strings("a"))
    want = ChrF().count(["a", "b"], {"A": [None, "a"], "B": ["x", "y"]})
    assert ChrF().count(["a", "b"], {"A": column, "B": ["x", "y"]}).rows.tolist() == want.rows.tolist()
    column = Export(b"+vl", 2, [valid, packed("i", 7, 0), packed("i", 7, 1)], [strings("a")])
    with pytest.raises(UsageError, match=r"Segment 0 \(counted from 0\) has no reference"):
        ChrF().count(["a", "b"], column)


def test_the_error_of_an_exporter_that_is_not_iterable_is_passed_on():
    class Swapped:
        def __arrow_c_array__(self, requested_schema=None):
            return strings("a", "b").__arrow_c_array__()[::-1]

    with pytest.raises(ValueError, match="incorrect name"):
        ChrF().count(["a", "b"], Swapped())
