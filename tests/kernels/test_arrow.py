"""Arrow string arrays have the same results as the same Python strings, for every layout, slice and chunk."""

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from chrfect import Bleu, ChrF, UsageError, kernels, pairwise
from chrfect.text.tokens import BUILT_IN
from realdata import read_tsv
from strategies import corpora

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

compiled = pytest.mark.skipif(kernels.compiled is None, reason="pyarrow reads arrays for the readable kernel")

LAYOUTS = [pa.string(), pa.large_string(), pa.string_view()]
HYPOTHESES = ["the cat", "héé 日本 x", "", "a 😀 text that is longer than the twelve bytes kept inline", "x" * 5_000]
REFERENCES = ["the cap", "hée 日本 y", "a", "a 😀 text that was longer than the twelve bytes kept inline", "x" * 4_999]
METRICS = [
    ChrF(word_order=2),
    ChrF(lowercase=True, whitespace="keep"),
    ChrF(unit="byte"),
    ChrF(unit="grapheme", word_order=1),
    Bleu(tokenize="none", lowercase=True),
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_every_layout_gives_the_same_result(layout, metric):
    want = metric.both(HYPOTHESES, REFERENCES).to_dict()
    hypotheses, references = pa.array(HYPOTHESES, layout), pa.array(REFERENCES, layout)
    assert metric.both(hypotheses, references).to_dict() == want
    assert metric.both(hypotheses, REFERENCES).to_dict() == want
    assert metric.both(HYPOTHESES, {"A": references}).to_dict() == want
    assert metric.corpus(hypotheses, references, threads=3).score_text == want["score_text"]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_slices_and_chunks_are_read_where_they_begin(layout):
    want = ChrF().both(HYPOTHESES, REFERENCES).to_dict()
    cut = pa.array(["before", *HYPOTHESES, "after"], layout)[1:-1]
    chunks = pa.chunked_array([pa.array(part, layout) for part in (REFERENCES[:2], [], REFERENCES[2:])])
    assert ChrF().both(cut, chunks).to_dict() == want


@given(corpora(), st.sampled_from(LAYOUTS))
def test_any_corpus_in_any_layout(pairs, layout):
    hypotheses, references = map(list, zip(*pairs, strict=True))
    want = ChrF(word_order=2).corpus(hypotheses, references).values
    assert ChrF(word_order=2).corpus(pa.array(hypotheses, layout), pa.array(references, layout)).values == want


@given(corpora(), st.sampled_from(LAYOUTS), st.sampled_from(BUILT_IN), st.booleans())
def test_bleu_counts_arrow_arrays_as_lists(pairs, layout, tokenize, lowercase):
    metric = Bleu(tokenize=tokenize, lowercase=lowercase)
    hypotheses, references = map(list, zip(*pairs, strict=True))
    arrays = pa.array(hypotheses, layout), pa.array(references, layout)
    assert metric.corpus(*arrays).values == metric.corpus(hypotheses, references).values
    several = {"A": arrays[1], "B": arrays[0]}
    want = metric.count(hypotheses, {"A": references, "B": hypotheses}).rows
    assert list(metric.count(arrays[0], several, threads=2).rows) == list(want)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_bleu_of_real_arrow_arrays_equals_sacrebleu(data, layout):
    rows = read_tsv(data / "wmt23" / "generaltest2023.en-zh.tsv")
    system = next(name for name in rows[0] if name.startswith("hyp"))
    hypotheses, references = [row[system] for row in rows], [row["ref_refA"] for row in rows]
    want = BLEU(tokenize="zh").corpus_score(hypotheses, [references]).score
    chunks = pa.chunked_array([pa.array(part, layout) for part in (hypotheses[:700], hypotheses[700:])])
    assert Bleu(tokenize="zh").corpus(chunks, pa.array(references, layout)).score == want


def test_more_segments_than_a_block():
    hypotheses, references = HYPOTHESES[:4] * 5_000, REFERENCES[:4] * 5_000
    table = ChrF().count(pa.array(hypotheses), pa.array(references))
    assert list(table.rows) == list(ChrF().count(hypotheses, references).rows)


def test_slice_in_a_garbage_cycle_is_released_once():
    code = """
import gc
import pyarrow
from chrfect import kernels
for _ in range(50):
    texts = kernels.arrow_texts(pyarrow.array(["one", "zwei", "trois"] * 1_000))
    loop = [texts[1:], texts[:2]]
    loop.append(loop)
    del texts, loop
    gc.collect()
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_a_null_is_a_missing_text():
    with pytest.raises(UsageError, match=r"hypotheses\[1\] is None, a missing text"):
        ChrF().corpus(pa.array(["a", None]), ["a", "b"])
    named = {"A": pa.array(["a", None]), "B": pa.array(["x", "b"])}
    assert [segment.reference for segment in ChrF().segments(["a", "b"], named)] == ["A", "B"]


def test_a_text_is_found_in_an_array_as_in_a_list():
    fast = pytest.importorskip("chrfect.kernels._fast", reason="the compiled kernel was not built here")
    texts = ["the cat", "Ä 漢", "", None]
    for part in (slice(0, 4), slice(0, 2), slice(1, 3)):
        array, listed = fast.ArrowTexts(pa.array(texts)[part]), texts[part]
        for text in ("the cat", "the", "Ä 漢", "漢", "", "\ud800", 3):
            assert (text in array) == (text in listed)
    assert None in fast.ArrowTexts(pa.array(texts))


def test_an_array_of_another_type_is_rejected_with_its_type():
    with pytest.raises(UsageError, match=r"format 'l'|of int64"):
        ChrF().corpus(pa.array([1, 2]), ["a", "b"])


@pytest.mark.parametrize(
    "wrong",
    [b"a\xff", b"\xc3", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe0\x80\x80", b"\xf8\x88\x80\x80\x80"],
)
def test_error_names_a_segment_with_invalid_utf8(wrong):
    offsets = pa.array([0, 1, 1 + len(wrong)], pa.int32()).buffers()[1]
    array = pa.StringArray.from_buffers(2, offsets, pa.py_buffer(b"a" + wrong))
    with pytest.raises(UsageError, match=r"Segment 1 .* not valid UTF-8"):
        ChrF().corpus(array, ["a", "b"])
    with pytest.raises(UnicodeDecodeError):
        wrong.decode()


def test_pyarrow_is_not_imported_for_python_strings():
    code = "import sys, chrfect; chrfect.ChrF().corpus(['a'], ['a']); print('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_the_readable_kernel_reads_arrow_too():
    code = """
import pyarrow, chrfect
array = pyarrow.array(["a b", "c"])
print(chrfect.ChrF().corpus(array, pyarrow.chunked_array([["a b"], ["d"]])).values)
"""
    environment = {**os.environ, "CHRFECT_KERNEL": "reference"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    want = ChrF().corpus(["a b", "c"], ["a b", "d"]).values
    assert done.stdout == f"{list(want)}\n"


def test_arrays_of_other_libraries_use_the_same_interface():
    polars = pytest.importorskip("polars", reason="polars is not installed")
    want = ChrF().both(HYPOTHESES, REFERENCES).to_dict()
    assert ChrF().both(polars.Series(HYPOTHESES), polars.Series(REFERENCES)).to_dict() == want


class Again:
    """Somebody who hands out one export again and again."""

    def __init__(self, array):
        self.capsules = array.__arrow_c_array__()

    def __arrow_c_array__(self, requested_schema=None):
        return self.capsules


class Stream(Again):
    def __init__(self, chunks):
        self.capsule = chunks.__arrow_c_stream__()

    def __arrow_c_stream__(self, requested_schema=None):
        return self.capsule


@compiled
def test_rejects_an_export_that_was_already_consumed():
    array, stream = Again(pa.array(["ab", "cd"])), Stream(pa.chunked_array([["ab"], ["cd"]]))
    assert ChrF().corpus(array, ["ab", "cd"]).score == 100
    with pytest.raises(UsageError, match="Arrow array was already imported"):
        ChrF().corpus(array, ["ab", "cd"])
    assert pa.chunked_array(stream).to_pylist() == ["ab", "cd"]
    with pytest.raises(UsageError, match="Arrow stream was already read"):
        ChrF().corpus(stream, ["ab", "cd"])


@compiled
@pytest.mark.parametrize("offsets", [[0, 3, 1], [0, -1, 2]])
@pytest.mark.parametrize("kind", [pa.StringArray, pa.LargeStringArray])
def test_rejects_invalid_offsets(offsets, kind):
    width = pa.int32() if kind is pa.StringArray else pa.int64()
    array = kind.from_buffers(2, pa.array(offsets, width).buffers()[1], pa.py_buffer(b"abcde"))
    with pytest.raises(UsageError, match="offsets that go backwards or leave their buffer"):
        ChrF().corpus(array, ["ab", "cd"])


@compiled
@pytest.mark.parametrize("view", [(20, 0, 1, 0), (20, 0, 0, 6), (20, 0, 0, -1), (20, 0, -1, 0), (-1, 0, 0, 0)])
def test_rejects_views_outside_their_buffers(view):
    views = pa.py_buffer(np.array(view, np.int32))
    array = pa.Array.from_buffers(pa.string_view(), 1, [None, views, pa.py_buffer(b"x" * 25)])
    with pytest.raises(UsageError, match="offsets that go backwards or leave their buffer"):
        ChrF().corpus(array, ["ab"])


@compiled
def test_a_table_of_texts_is_rejected_with_a_fix():
    with pytest.raises(UsageError, match=r"Table with the columns 'text', 'note'; pass the one column"):
        ChrF().corpus(pa.table({"text": ["a", "b"], "note": ["", ""]}), ["a", "b"])


@pytest.mark.parametrize("metric", [ChrF(), ChrF(lowercase=True), Bleu()], ids=str)
def test_error_names_invalid_utf8_after_the_first_block(metric):
    number = 9_000
    offsets = pa.array(range(number + 1), pa.int32()).buffers()[1]
    array = pa.StringArray.from_buffers(number, offsets, pa.py_buffer(b"a" * (number - 1) + b"\xff"))
    for call in (metric.corpus, metric.segments):
        with pytest.raises(UsageError, match=r"Segment 8999 .* not valid UTF-8"):
            call(array, ["a"] * number)
        with pytest.raises(UsageError, match=r"Segment 8999 .* not valid UTF-8"):
            call(["a"] * number, array)


@compiled
def test_accepts_an_exporter_that_is_not_iterable():
    assert not hasattr(Again, "__iter__")
    assert ChrF().corpus(Again(pa.array(["ab", "cd"])), ["ab", "cd"]).score == 100


@compiled
def test_series_is_iterated_if_its_export_needs_a_missing_pyarrow():
    class Series(list):
        def __arrow_c_stream__(self, requested_schema=None):
            raise ImportError("`Import pyarrow` failed.")

    assert ChrF().corpus(Series(["ab"]), Series(["ab"])).score == 100
    assert pairwise(ChrF(), Series(["ab"]), Series(["ab"])).tolist() == [[100]]


def test_matrices_are_made_of_arrow_arrays():
    columns = pa.chunked_array([["the cat"], ["a dog"]])
    want = pairwise(ChrF(), ["the cat", "a dog"], ["the cat", "a dog"])
    assert np.array_equal(pairwise(ChrF(), columns.combine_chunks(), columns), want)


@compiled
def test_the_message_of_a_broken_stream_need_not_be_utf8():
    call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    fails, says = call(lambda *_: 5), ctypes.create_string_buffer(b"caf\xe9")
    message = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(lambda _: ctypes.addressof(says))
    stream = (ctypes.c_void_p * 5)(
        *(ctypes.cast(f, ctypes.c_void_p).value for f in (fails, fails, message, fails)), None
    )
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

    class Broken:
        def __arrow_c_stream__(self, requested_schema=None):
            return new(ctypes.addressof(stream), b"arrow_array_stream", None)

    with pytest.raises(UsageError, match="stream stopped: caf�"):
        ChrF().corpus(Broken(), ["a"])
