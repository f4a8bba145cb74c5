"""Arrow string arrays give what the same Python strings give, of every layout, cut and chunked."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chrfect import Bleu, ChrF, UsageError
from strategies import corpora

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

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


def test_more_segments_than_a_block():
    hypotheses, references = HYPOTHESES[:4] * 5_000, REFERENCES[:4] * 5_000
    segments = ChrF().segments(pa.array(hypotheses), pa.array(references))
    assert segments.rows == ChrF().segments(hypotheses, references).rows


def test_a_null_is_a_missing_text():
    with pytest.raises(UsageError, match=r"hypotheses\[1\] is None, a missing text"):
        ChrF().corpus(pa.array(["a", None]), ["a", "b"])
    named = {"A": pa.array(["a", None]), "B": pa.array(["x", "b"])}
    assert ChrF().segments(["a", "b"], named).chosen == ["A", "B"]


def test_an_array_of_no_texts_is_an_error_that_names_its_format():
    with pytest.raises(UsageError, match="format 'l'"):
        ChrF().corpus(pa.array([1, 2]), ["a", "b"])


@pytest.mark.parametrize(
    "wrong",
    [b"a\xff", b"\xc3", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe0\x80\x80", b"\xf8\x88\x80\x80\x80"],
)
def test_what_is_no_utf8_is_named(wrong):
    offsets = pa.array([0, 1, 1 + len(wrong)], pa.int32()).buffers()[1]
    array = pa.StringArray.from_buffers(2, offsets, pa.py_buffer(b"a" + wrong))
    with pytest.raises(UsageError, match=r"Segment 1 .* no valid UTF-8"):
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
    done = subprocess.run(
        [sys.executable, "-c", code], env={"CHRFECT_KERNEL": "reference"}, capture_output=True, text=True
    )
    want = ChrF().corpus(["a b", "c"], ["a b", "d"]).values
    assert done.stdout == f"{list(want)}\n"


def test_other_libraries_come_by_the_same_interface():
    polars = pytest.importorskip("polars", reason="polars is not installed")
    want = ChrF().both(HYPOTHESES, REFERENCES).to_dict()
    assert ChrF().both(polars.Series(HYPOTHESES), polars.Series(REFERENCES)).to_dict() == want
