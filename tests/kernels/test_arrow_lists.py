"""Dictionaries and lists of Arrow strings have the same results as the same Python lists."""

import os
import subprocess
import sys
import tracemalloc
from collections import Counter

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chrfect import Bleu, ChrF, Evaluator, Ter, UsageError, evaluate, kernels, mbr, pairwise
from strategies import texts

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pl = pytest.importorskip("polars", reason="polars is not installed")

compiled = pytest.mark.skipif(kernels.compiled is None, reason="pyarrow reads arrays for the readable kernel")
pytestmark = pytest.mark.filterwarnings("ignore::chrfect.ChrfectWarning")

METRICS = [ChrF(word_order=2), ChrF(lowercase=True), Bleu(), Ter()]
INDICES = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]
STRINGS = [pa.string(), pa.large_string(), pa.string_view()]
LISTS = [pa.list_, pa.large_list, pa.list_view, pa.large_list_view]

HYPOTHESES = ["the cat", "héé 日本 x", "a", "a 😀 text that is longer than the twelve bytes kept inline"]
REFERENCES = [["the cap", "a cat", None], ["hée 日本 y"], [None, "b", "a"], ["", "a 😀 text that was longer", "a"]]


def counted(metric, *references, hypotheses=HYPOTHESES, **named):
    """Return everything in a table of counts."""
    table = metric.count(hypotheses, *references, **named)
    return table.rows.tolist(), table.recipe, table.offsets, list(table.origins or ()), table.references


def dictionary(values, index=None, strings=None):
    """Return values as a dictionary that has unused values, a null and a value twice, in no order."""
    kept = ["unused", *sorted(set(values) - {None}, reverse=True), None, *sorted(set(values) - {None})]
    places = [None if i % 3 and value is None else kept.index(value) for i, value in enumerate(values)]
    return pa.DictionaryArray.from_arrays(pa.array(places, index or pa.int8()), pa.array(kept, strings or pa.string()))


def lists(values, kind, inner):
    """Return lists of texts, between which the texts of null lists are left out."""
    flat = [text for row in values for text in row or ()]
    ends = np.cumsum([0, *(len(row or ()) for row in values)])
    offsets = pa.array(ends, pa.int64() if "large" in str(kind(pa.string())) else pa.int32())
    nulls = pa.array([row is None for row in values], pa.bool_())
    array = {pa.list_: pa.ListArray, pa.large_list: pa.LargeListArray}.get(kind)
    if array is not None:
        return array.from_arrays(offsets, inner(flat), mask=nulls)
    sizes = pa.array(np.diff(ends), offsets.type)
    array = pa.ListViewArray if kind is pa.list_view else pa.LargeListViewArray
    return array.from_arrays(offsets[:-1], sizes, inner(flat), mask=nulls)


@pytest.mark.parametrize("strings", STRINGS, ids=str)
@pytest.mark.parametrize("index", INDICES, ids=str)
def test_every_dictionary_counts_as_its_texts(index, strings):
    several = {"A": ["the cap", None, "c", None], "B": [None, "hée 日本 y", None, "b"]}
    columns = {name: dictionary(column, index, strings) for name, column in several.items()}
    hypotheses = dictionary(HYPOTHESES, index, strings)
    for metric in METRICS:
        assert counted(metric, columns, hypotheses=hypotheses) == counted(metric, several)
        assert counted(metric, columns) == counted(metric, several)
        assert metric.corpus(hypotheses, hypotheses).values == metric.corpus(HYPOTHESES, HYPOTHESES).values


@pytest.mark.parametrize("strings", STRINGS, ids=str)
@pytest.mark.parametrize("kind", LISTS, ids=lambda kind: str(kind(pa.string())))
def test_lists_are_the_references_of_each_segment(kind, strings):
    plain = lists(REFERENCES, kind, lambda flat: pa.array(flat, strings))
    encoded = lists(REFERENCES, kind, lambda flat: dictionary(flat, pa.int16(), strings))
    for metric in METRICS:
        want = counted(metric, references_per_segment=REFERENCES)
        for column in (plain, encoded, pa.chunked_array([plain[:1], plain[1:1], plain[1:]]), pa.table({"r": plain})):
            assert counted(metric, column) == want
            assert counted(metric, references_per_segment=column) == want
            assert counted(metric, column, hypotheses=pa.array(HYPOTHESES, strings), threads=2) == want


def test_lists_of_one_length_are_the_references_of_each_segment():
    rows = [["skipped", None], ["a cat", None], None, ["x", "y"], [None, "a"], ["b", "b"], ["skipped", "too"]]
    column = pa.array(rows, pa.list_(pa.string(), 2))
    kept = [1, 3, 4, 5]
    want = counted(ChrF(), references_per_segment=[rows[i] for i in kept])
    assert counted(ChrF(), pa.chunked_array([column[1:2], column[3:6]])) == want
    assert counted(ChrF(), pl.Series([rows[i] for i in kept], dtype=pl.Array(pl.String, 2))) == want
    with pytest.raises(UsageError, match=r"Segment 1 \(counted from 0\) has no reference"):
        ChrF().count(HYPOTHESES, column[1:5])


@given(st.data())
def test_any_corpus_however_it_is_sliced_chunked_and_encoded(data):
    number = data.draw(st.integers(1, 9))
    text = st.one_of(st.sampled_from(["", "a cat", "日本"]), texts(12))
    hypotheses = data.draw(st.lists(text, min_size=number, max_size=number))
    row = st.lists(st.none() | text, max_size=4).filter(lambda row: set(row) - {None})
    references = data.draw(st.lists(row, min_size=number, max_size=number))

    def cut(values, build, unused):
        """Build the chunks of a column, each a slice of a longer array."""
        bounds = sorted(data.draw(st.lists(st.integers(0, number), max_size=3)))
        kind = st.sampled_from(STRINGS)
        strings, index = data.draw(kind), data.draw(st.sampled_from([None, *INDICES]))

        def inner(flat):
            return pa.array(flat, strings) if index is None else dictionary(flat, index, strings)

        chunks = []
        for start, stop in zip([0, *bounds], [*bounds, number], strict=True):
            before, after = data.draw(st.tuples(st.integers(0, 9), st.integers(0, 2)))
            whole = build([unused] * before + values[start:stop] + [unused] * after, inner)
            chunks.append(whole[before : before + stop - start])
        return pa.chunked_array(chunks)

    kind = data.draw(st.sampled_from(LISTS))
    column = cut(hypotheses, lambda values, inner: inner(values), None)
    unused = data.draw(st.sampled_from([None, ["unused"]]))
    of_lists = cut(references, lambda values, inner: lists(values, kind, inner), unused)
    metric = data.draw(st.sampled_from(METRICS))
    want = counted(metric, hypotheses=hypotheses, references_per_segment=references)
    assert counted(metric, of_lists, hypotheses=column) == want
    assert counted(metric, of_lists, hypotheses=hypotheses) == want


def test_dictionaries_that_grow_from_batch_to_batch():
    grown = [pa.array(["a cat"]), pa.array(["a cat", "x y"])]
    batches = [
        pa.record_batch({"hyp": pa.DictionaryArray.from_arrays(pa.array([0, n], pa.int8()), values)})
        for n, values in enumerate(grown)
    ]
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
    with pa.ipc.new_stream(sink, batches[0].schema, options=options) as writer:
        for batch in batches:
            writer.write(batch)
        assert writer.stats.num_dictionary_deltas == 1
    column = pa.ipc.open_stream(sink.getvalue()).read_all()["hyp"]
    assert counted(ChrF(), HYPOTHESES, hypotheses=column) == counted(
        ChrF(), HYPOTHESES, hypotheses=["a cat", "a cat", "a cat", "x y"]
    )


COLUMNS = {
    "Polars categories": lambda: (pl.Series(HYPOTHESES, dtype=pl.Categorical), pl.Series(REFERENCES)),
    "Polars enum": lambda: (
        pl.Series(HYPOTHESES, dtype=pl.Enum(HYPOTHESES)),
        pl.Series(REFERENCES, dtype=pl.List(pl.Categorical)),
    ),
    "pandas categories": lambda: (pandas.Series(HYPOTHESES, dtype="category"), pandas.Series(REFERENCES)),
    "pandas on Arrow": lambda: (
        pandas.Series(HYPOTHESES, dtype="string[pyarrow]"),
        pandas.Series(REFERENCES, dtype=pandas.ArrowDtype(pa.list_(pa.string()))),
    ),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_of_data_frames(kind):
    hypotheses, references = COLUMNS[kind]()
    for metric in METRICS:
        want = counted(metric, references_per_segment=REFERENCES)
        assert counted(metric, references, hypotheses=hypotheses) == want
        assert counted(metric, references.to_frame(), hypotheses=hypotheses.to_frame()) == want


def test_column_without_any_text_is_a_missing_reference():
    several = {"A": pa.nulls(4), "B": pa.array(HYPOTHESES)}
    assert counted(ChrF(), several) == counted(ChrF(), {"A": [None] * 4, "B": HYPOTHESES})
    with pytest.raises(UsageError, match=r"hypotheses\[0\] is None, a missing text"):
        ChrF().count(pa.nulls(4), HYPOTHESES)


@pytest.mark.parametrize("row", [None, [], [None, None]])
def test_segment_without_references_is_an_error_that_names_it(row):
    array = pa.array([["a"], ["b"], row, ["c"]], pa.list_(pa.string()))
    for column in (array, pa.chunked_array([array[:2], array[2:]]), pl.Series(array)):
        with pytest.raises(UsageError, match=r"Segment 2 \(counted from 0\) has no reference"):
            ChrF().count(HYPOTHESES, column)


def test_error_names_the_null_of_a_dictionary():
    with pytest.raises(UsageError, match=r"hypotheses\[1\] is None, a missing text"):
        ChrF().count(dictionary(["a", None, None]), ["a", "b", "c"])


def test_lists_are_no_hypotheses_and_no_named_references():
    column = pa.array(REFERENCES)
    with pytest.raises(UsageError, match="hypotheses is a ListArray of lists; one text for each segment was expected"):
        ChrF().count(column, HYPOTHESES)
    with pytest.raises(UsageError, match=r"references\['A'\] is a ListArray of lists"):
        ChrF().count(HYPOTHESES, {"A": column, "B": HYPOTHESES})
    with pytest.raises(UsageError, match=r"number of hypotheses is 4 and that of references is 3"):
        ChrF().count(HYPOTHESES, column[1:])


@pytest.mark.parametrize(
    ("values", "named"),
    [
        (["a", 3, "b", "c"], r"references\[1\] is a int"),
        ([["a"], ["b", 3], ["c"], ["d"]], r"references_per_segment\[1\]\[1\] is a int"),
        ([["a"], "b", ["c"], ["d"]], r"references_per_segment\[1\] is a str"),
    ],
)
def test_series_that_pandas_cannot_export_is_read_as_a_list(values, named):
    given = {"references" if values[0] == "a" else "references_per_segment": pandas.Series(values)}
    with pytest.raises(UsageError, match=named):
        ChrF().count(HYPOTHESES, **given)


@pytest.mark.parametrize(
    ("column", "shown"),
    [
        (pa.array([[["a"]], [["b"]]]), "list"),
        (pa.array([1, 2]).dictionary_encode(), "int64|'l'"),
        (pa.array([b"a", b"b"]), "binary|'z'"),
        (pa.array([[1], [2]]), "int64|'l'"),
        (pa.RunEndEncodedArray.from_arrays([1, 2], ["a", "b"]), "run_end_encoded|'[+]r'"),
        (pa.DictionaryArray.from_arrays([0, 1], pa.array([["a"], ["b"]])), r"list|'\+l'"),
        (pa.array([[("a", "b")], []], pa.map_(pa.string(), pa.string())), r"map|'\+m'"),
        (pa.array([{"a": "b"}, {}]), "struct|Arrow table"),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_error_names_a_type_that_has_no_texts(column, shown):
    with pytest.raises(UsageError, match=shown):
        ChrF().count(["a", "b"], column)


def test_extension_types_are_read_as_their_storage():
    column = pa.ExtensionArray.from_storage(pa.json_(pa.string()), pa.array(["[1]", "[2]"]))
    assert counted(ChrF(), ["[1]", "[3]"], hypotheses=column) == counted(
        ChrF(), ["[1]", "[3]"], hypotheses=["[1]", "[2]"]
    )


@pytest.mark.parametrize("metric", METRICS, ids=str)
@pytest.mark.parametrize("number", [3, 9_000])
def test_error_names_the_segment_of_invalid_utf8_in_lists(metric, number):
    flat = pa.StringArray.from_buffers(
        2 * number,
        pa.array(range(2 * number + 1), pa.int32()).buffers()[1],
        pa.py_buffer(b"a" * (2 * number - 3) + b"\xffaa"),
    )
    column = pa.ListArray.from_arrays(pa.array(range(0, 2 * number + 1, 2), pa.int32()), flat)
    hypotheses = ["a"] * number
    for either in (hypotheses, pa.array(hypotheses)):
        for call in (metric.count, metric.corpus, metric.segments):
            with pytest.raises(UsageError, match=rf"Segment {number - 2} .* not valid UTF-8"):
                call(either, column)
    wrong = pa.StringArray.from_buffers(
        number, pa.array(range(number + 1), pa.int32()).buffers()[1], pa.py_buffer(b"a" * (number - 1) + b"\xff")
    )
    with pytest.raises(UsageError, match=rf"Segment {number - 1} .* not valid UTF-8"):
        metric.segments(wrong, references_per_segment=[["a", "a"]] * number)


@compiled
@pytest.mark.parametrize("metric", [ChrF(word_order=2), Bleu(), Ter()], ids=str)
def test_texts_are_not_copied(metric):
    long = " ".join(f"word{i}" for i in range(2_000))
    hypotheses = pa.array([long[i:] for i in range(200)])
    references = pa.array([[long[i:], None, long[2 * i :]] for i in range(200)])
    bytes_of_texts = hypotheses.nbytes + references.nbytes
    named = {"A": hypotheses, "B": hypotheses.dictionary_encode()}
    metric.count(hypotheses[:1], references[:1])
    allocated = pa.total_allocated_bytes()
    for several in (references, named):
        tracemalloc.start()
        metric.count(hypotheses, several)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < bytes_of_texts / 20
        assert pa.total_allocated_bytes() == allocated


def test_evaluations_read_lists_as_counts_do():
    want = ChrF().both(HYPOTHESES, references_per_segment=REFERENCES)
    hypotheses = {"A": pa.array(HYPOTHESES)}
    columns = pa.array(REFERENCES), pl.Series(REFERENCES), pandas.Series(REFERENCES), pl.DataFrame({"r": REFERENCES})
    for column in columns:
        for parameter in ("references", "references_per_segment"):
            either = {parameter: column}
            for normalize in (None, "NFC"):
                found = evaluate(hypotheses, metrics="chrF", normalize=normalize, **either)
                assert found.score("A").score == want.score
            evaluator = Evaluator("chrF", **either)
            evaluator.add_batch(HYPOTHESES, range(4))
            assert evaluator.compute()["chrF"].score == want.score


def test_matrices_and_selections_read_columns_of_lists():
    columns = [["the cat", "a cat"], ["a dog"]]
    want = pairwise(ChrF(), ["the cat", "x"], columns)
    assert np.array_equal(pairwise(ChrF(), ["the cat", "x"], pa.array(columns)), want)
    assert np.array_equal(pairwise(ChrF(), pl.Series(["the cat", "x"]), pl.Series(columns)), want)
    candidates = [["a cat", "the cat", "the cat"], ["a", "b"]]
    for column in (pa.array(candidates), pl.Series(candidates), pandas.Series(candidates)):
        assert mbr.select("chrF", column) == mbr.select("chrF", candidates)
    with pytest.raises(UsageError, match=r"candidates\[1\]\[1\] is a NoneType"):
        mbr.select("chrF", pl.Series([["a"], ["b", None]]))


def test_the_readable_kernel_reads_dictionaries_and_lists():
    code = """
import polars, pyarrow, chrfect
from chrfect import kernels
print(kernels.NAME)
hypotheses = pyarrow.array(["a cat", "日本", "a cat"]).dictionary_encode()
references = [["a cat", "b"], [None, "日本人"], ["c", None]]
for column in (pyarrow.array(references), polars.Series(references), pyarrow.chunked_array([references])):
    table = chrfect.ChrF(char_order=1).count(hypotheses, column)
    print(table.rows.tolist(), list(table.origins))
damaged = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 9]), pyarrow.array(["a"]), safe=False)
try:
    chrfect.ChrF().count(damaged, ["a", "b"])
except chrfect.UsageError as error:
    print(error)
for wrong in ([["a"], None, ["b"]], [[["a"]]] * 3):
    try:
        chrfect.ChrF().count(hypotheses, pyarrow.array(wrong))
    except chrfect.UsageError as error:
        print(error)
"""
    environment = {**os.environ, "CHRFECT_KERNEL": "readable"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    table = ChrF(char_order=1).count(
        ["a cat", "日本", "a cat"], references_per_segment=[["a cat", "b"], [None, "日本人"], ["c", None]]
    )
    name, *found, damaged, empty, nested = done.stdout.splitlines()
    assert name == "readable"
    assert Counter(found) == {f"{table.rows.tolist()} {list(table.origins)}": 3}
    assert damaged.startswith("An Arrow array is damaged; create it again. pyarrow reports: ")
    assert empty.startswith("Segment 1 (counted from 0) has no reference")
    assert nested.startswith("An Arrow array is of list<item: list<item: string>>; string")
