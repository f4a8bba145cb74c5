"""Texts come from columns and tables of pandas, Polars, Arrow and DuckDB, and scores go back to them."""

import pandas
import polars
import pyarrow
import pytest
from sacrebleu.metrics import CHRF

from chrfect import ChrF, Evaluator, UsageError, evaluate

HYPOTHESES = ["the cat sat", "a dog"]
STREAMS = [["a cat sat", "a dog ran"], ["the cat is sat", None]]
DATA = {"hypothesis": HYPOTHESES, "A": STREAMS[0], "B": STREAMS[1]}
EXPECTED = CHRF().corpus_score(HYPOTHESES, STREAMS).score


def duckdb_table():
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install duckdb")
    return duckdb.from_arrow(pyarrow.table(DATA))


TABLES = {
    "pandas": lambda: pandas.DataFrame(DATA),
    "polars": lambda: polars.DataFrame(DATA),
    "pyarrow": lambda: pyarrow.table(DATA),
    "duckdb": duckdb_table,
}


def select(table, *names):
    return table.select(*names) if "duckdb" in type(table).__module__ else table.select(list(names))


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_of_several_columns_is_named_references(kind):
    table = TABLES[kind]()
    hypotheses = table["hypothesis"]
    references = table[["A", "B"]] if kind == "pandas" else select(table, "A", "B")
    result = ChrF().both(hypotheses, references)
    assert result.score == EXPECTED
    assert [segment.reference for segment in result.segments] == ["A", "A"]
    evaluator = Evaluator("chrF", references)
    evaluator.add_batch(HYPOTHESES, [0, 1])
    assert evaluator.compute()["chrF"].score == EXPECTED
    assert evaluate({"system": hypotheses}, references, "chrF").score("system").score == EXPECTED
    with pytest.raises(UsageError, match=r"hypotheses is a .* with the columns 'A', 'B'; pass the one column"):
        ChrF().corpus(references, STREAMS[0])


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_an_evaluator_takes_a_column(kind):
    evaluator = Evaluator("chrF", TABLES[kind]()["A"])
    evaluator.add_batch(HYPOTHESES, [0, 1])
    assert evaluator.compute()["chrF"].score == CHRF().corpus_score(HYPOTHESES, STREAMS[:1]).score


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_with_a_column_for_each_system_is_evaluated(kind):
    table = TABLES[kind]()
    systems = table[["hypothesis", "A"]] if kind == "pandas" else select(table, "hypothesis", "A")
    found = evaluate(systems, STREAMS[0], "chrF")
    assert [score.system for score in found.scores] == ["hypothesis", "A"]
    assert found.score("hypothesis").score == CHRF().corpus_score(HYPOTHESES, STREAMS[:1]).score


def test_a_lazy_frame_is_to_be_collected():
    frame = polars.LazyFrame(DATA)
    for call in (
        lambda: ChrF().corpus(HYPOTHESES, frame),
        lambda: ChrF().corpus(frame.select("hypothesis"), STREAMS[0]),
        lambda: evaluate({"system": HYPOTHESES}, frame, "chrF"),
        lambda: evaluate(frame, STREAMS[0], "chrF"),
        lambda: Evaluator("chrF", frame),
    ):
        with pytest.raises(UsageError, match=r"A LazyFrame has no rows yet: pass the frame .* collect\(\) returns"):
            call()


def test_two_columns_of_one_name_are_an_error():
    table = pandas.DataFrame([["a", "b"]], columns=["A", "A"])
    with pytest.raises(UsageError, match="Two columns of a DataFrame have the same name: 'A', 'A'"):
        ChrF().corpus(["a"], table)


def test_segment_scores_become_tables():
    segments = ChrF().segments(HYPOTHESES, {"A": STREAMS[0], "B": STREAMS[1]})
    rows = [
        {"score": score, "score_text": text, "reference": "A"}
        for score, text in zip(segments.scores, segments.score_texts, strict=True)
    ]
    assert segments.to_arrow().to_pylist() == rows
    assert segments.to_polars().to_dicts() == rows
    assert segments.to_pandas().to_dict("records") == rows
    assert pyarrow.table(segments).to_pylist() == rows
    assert pandas.DataFrame.from_arrow(segments).to_dict("records") == rows
    assert ChrF().segments(HYPOTHESES, STREAMS[0]).to_arrow().column_names == ["score", "score_text"]
