"""Columns of DuckDB and nanoarrow, plain, encoded and in lists, have the results of the same lists."""

import pytest

from chrfect import Bleu, ChrF, Ter

HYPOTHESES = ["the cat", "日本 x", "a", "the cat"]
REFERENCES = [["the cap", None, "a cat"], ["日本 y"], [None, "b"], ["a cat", "the cat"]]


def assert_counted_alike(hypotheses, references):
    for metric in (ChrF(word_order=2), Bleu(), Ter()):
        want = metric.count(HYPOTHESES, references_per_segment=REFERENCES)
        for table in (
            metric.count(hypotheses, references),
            metric.count(hypotheses, references_per_segment=references),
            metric.count(HYPOTHESES, references),
        ):
            assert table.rows.tolist() == want.rows.tolist()
            assert table.origins == want.origins


def test_enums_and_lists_of_duckdb():
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install duckdb")
    pytest.importorskip("pyarrow")
    connection = duckdb.connect()
    connection.execute(
        "CREATE TYPE kind AS ENUM ('unused', 'a', 'b', 'a cat', 'the cat', 'the cap', '日本 x', '日本 y')"
    )
    connection.execute("CREATE TABLE rows (hyp kind, refs kind[], texts VARCHAR[])")
    for hypothesis, references in zip(HYPOTHESES, REFERENCES, strict=True):
        connection.execute("INSERT INTO rows VALUES (?, ?, ?)", [hypothesis, references, references])
    rows = connection.table("rows")
    assert_counted_alike(rows["hyp"], rows["refs"])
    assert_counted_alike(rows["hyp"], rows["texts"])


def test_arrays_of_nanoarrow():
    nanoarrow = pytest.importorskip("nanoarrow", reason="nanoarrow is not installed: pip install nanoarrow")
    pa = pytest.importorskip("pyarrow")
    lists = pa.array(REFERENCES)
    assert_counted_alike(nanoarrow.Array(HYPOTHESES, nanoarrow.string()), nanoarrow.Array(lists))
    encoded = pa.chunked_array([["before", *HYPOTHESES[:1]], HYPOTHESES[1:]]).dictionary_encode()[1:]
    assert_counted_alike(nanoarrow.Array(encoded), nanoarrow.ArrayStream(pa.chunked_array([lists])).read_all())
