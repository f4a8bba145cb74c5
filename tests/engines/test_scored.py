"""Rows are written with their scores, in order, and filtered by exact comparison."""

import json
import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chrfect import UsageError, WorkError, parse
from chrfect.cli import main
from chrfect.engines import count, data, scored
from chrfect.engines.count import Plan, count_data
from chrfect.engines.scored import parse_filter
from chrfect.engines.shipment import SentPlan
from chrfect.errors import InputFileError
from strategies import texts

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

METRICS = tuple(map(parse, ("chrF++", "BLEU", "TER")))
PLAN = Plan(METRICS, "hypothesis", ("reference",))
rows = st.lists(st.tuples(texts(), texts()), min_size=1, max_size=12)


def written(folder, plan=PLAN, sources=None, threads=1):
    part = count_data(
        sources or [str(folder / "rows.parquet")],
        plan,
        segments=str(folder / "out.parquet"),
        unfinished=str(folder / "unfinished"),
        threads=threads,
    )
    return part, pq.read_table(folder / "out.parquet").to_pylist()


@pytest.mark.filterwarnings("ignore::chrfect.ChrfectWarning")
@settings(max_examples=20)
@given(rows, st.integers(1, 3), st.integers(1, 4), st.integers(1, 5), st.integers(1, 4))
def test_rows_have_the_scores_of_their_segments_in_any_split(tmp_path_factory, records, files, group, batch, held):
    folder = tmp_path_factory.mktemp("rows")
    size = -(-len(records) // files)
    for number, at in enumerate(range(0, len(records), size)):
        own = records[at : at + size]
        table = pa.table(
            {"id": range(at, at + len(own)), "hypothesis": [h for h, _ in own], "reference": [r for _, r in own]}
        )
        pq.write_table(table, folder / f"{number}.parquet", row_group_size=group)
    before = data.BATCH, scored.ROWS
    data.BATCH, scored.ROWS = batch, held
    try:
        part, found = written(folder, sources=[str(folder / "*.parquet")], threads=2)
    finally:
        data.BATCH, scored.ROWS = before
    assert [(row["id"], row["hypothesis"], row["reference"]) for row in found] == [
        (i, *record) for i, record in enumerate(records)
    ]
    for metric, table in zip(METRICS, part.tables, strict=True):
        assert [row[str(metric)] for row in found] == [metric.sentence(h, r).score for h, r in records]
        corpus = metric.corpus([h for h, _ in records], [r for _, r in records])
        assert metric.score(table.sum()).score == corpus.score


def thirds(folder, number=200):
    """Write rows whose chrF is often exactly a multiple of 100/3, 50 or 25."""
    draw = random.Random(7)
    records = [("".join(draw.choices("ab", k=3)), "".join(draw.choices("ab", k=3))) for _ in range(number)]
    table = {"hypothesis": [h for h, _ in records], "reference": [r for _, r in records]}
    pq.write_table(pa.table(table), folder / "rows.parquet")
    return records


@pytest.mark.parametrize("comparison", [">=", "<=", ">", "<"])
@pytest.mark.parametrize("bound", ["50", "0", "100", "25.0", "33.333333"])
def test_a_filter_compares_the_exact_score(tmp_path, comparison, bound):
    metric = parse("chrF(char_order=1)")
    records = thirds(tmp_path)
    plan = Plan(
        (metric,), "hypothesis", ("reference",), (), (parse_filter(f"{metric} {comparison} {bound}", [metric]),)
    )
    part, found = written(tmp_path, plan)
    exact = [metric.sentence(h, r).score_fraction for h, r in records]
    compare = {">=": Fraction.__ge__, "<=": Fraction.__le__, ">": Fraction.__gt__, "<": Fraction.__lt__}[comparison]
    kept = [record for record, score in zip(records, exact, strict=True) if compare(score, Fraction(bound))]
    assert [(row["hypothesis"], row["reference"]) for row in found] == kept
    assert part.tables[0].sum().segments == len(kept)


def test_a_perfect_bleu_is_100_though_its_float_is_more(tmp_path):
    table = pa.table({"hypothesis": ["the cat sat", "a"], "reference": ["the cat sat", "b"]})
    pq.write_table(table, tmp_path / "rows.parquet")
    bleu = parse("BLEU")
    assert bleu.sentence("the cat sat", "the cat sat").score > 100
    plan = Plan((bleu,), "hypothesis", ("reference",), (), (parse_filter("BLEU > 100", [bleu]),))
    assert written(tmp_path, plan)[1] == []
    plan = Plan((bleu,), "hypothesis", ("reference",), (), (parse_filter("BLEU>=100", [bleu]),))
    assert [row["hypothesis"] for row in written(tmp_path, plan)[1]] == ["the cat sat"]


def test_all_conditions_must_hold_and_groups_count_the_kept_rows(tmp_path):
    table = {"hypothesis": ["a b", "a", "x"], "reference": ["a b", "a b", "a b"], "system": ["A", "B", "B"]}
    pq.write_table(pa.table(table), tmp_path / "rows.parquet")
    filters = tuple(parse_filter(text, METRICS) for text in ("chrF++ > 0", "TER <= 50"))
    part, found = written(tmp_path, Plan(METRICS, "hypothesis", ("reference",), ("system",), filters))
    assert [row["hypothesis"] for row in found] == ["a b", "a"]
    assert [(key, part.tables[0][i].segments) for i, key in enumerate(part.tables[0].labels)] == [
        (("A",), 1),
        (("B",), 1),
    ]


def test_an_interrupted_run_writes_every_row_once(tmp_path, monkeypatch):
    table = pa.table({"hypothesis": ["a", "b", "c", "d"], "reference": ["a", "b", "x", "y"]})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=1)
    whole, seen = count.count_unit, []

    def stopped(plan, unit, *rest):
        if len(seen) == 2:
            raise KeyboardInterrupt
        seen.append(unit.group)
        return whole(plan, unit, *rest)

    monkeypatch.setattr(count, "count_unit", stopped)
    with pytest.raises(KeyboardInterrupt):
        written(tmp_path)
    assert not (tmp_path / "out.parquet").exists()
    seen_before, seen[:] = list(seen), []
    monkeypatch.setattr(
        count, "count_unit", lambda plan, unit, *rest: seen.append(unit.group) or whole(plan, unit, *rest)
    )
    part, found = written(tmp_path)
    assert (seen_before, seen) == ([0, 1], [2, 3])
    assert [row["hypothesis"] for row in found] == ["a", "b", "c", "d"]
    assert part.tables[0].sum().segments == 4


def test_jsonl_keeps_types_and_an_unknown_key_is_named(tmp_path):
    path = tmp_path / "rows.jsonl"
    records = [
        {"hypothesis": "a", "reference": "b", "id": 1, "tags": ["x"]},
        {"hypothesis": "c", "reference": "d", "id": 2, "tags": []},
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    found = written(tmp_path, sources=[str(path)])[1]
    assert [{key: row[key] for key in records[0]} for row in found] == records
    path.write_text(json.dumps(records[0]) + "\n" + json.dumps(records[1] | {"more": 1}) + "\n")
    with pytest.raises(InputFileError, match=r"rows.jsonl: row 1 \(from 0\) has the key 'more'"):
        written(tmp_path, sources=[str(path)])


def test_values_of_several_types_are_named_by_their_column(tmp_path):
    path = tmp_path / "rows.jsonl"
    records = [{"hypothesis": "a", "reference": "b", "id": value} for value in (1, "one")]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    with pytest.raises(InputFileError, match="the column 'id' has values of several types"):
        written(tmp_path, sources=[str(path)])


def test_files_with_other_columns_are_named(tmp_path):
    pq.write_table(pa.table({"hypothesis": ["a"], "reference": ["b"], "id": [1]}), tmp_path / "0.parquet")
    pq.write_table(pa.table({"hypothesis": ["a"], "reference": ["b"]}), tmp_path / "1.parquet")
    with pytest.raises(
        InputFileError, match=r"1.parquet: row group 0, rows from 0: the columns are .* those of .*0.parquet"
    ):
        written(tmp_path, sources=[str(tmp_path / "[01].parquet")])


def test_a_column_with_the_name_of_a_metric_is_an_error(tmp_path):
    pq.write_table(pa.table({"hypothesis": ["a"], "reference": ["b"], "TER": [1.0]}), tmp_path / "rows.parquet")
    with pytest.raises(InputFileError, match="already a column 'TER'"):
        written(tmp_path)


def test_a_full_disk_leaves_the_old_rows(tmp_path, monkeypatch):
    thirds(tmp_path, 5)
    (tmp_path / "out.parquet").write_bytes(b"old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(scored.RowWriter, "write", full)
    with pytest.raises(WorkError, match="no space left on device"):
        written(tmp_path)
    assert (tmp_path / "out.parquet").read_bytes() == b"old"


@pytest.mark.parametrize("text", ["chrF++", "chrF++ = 3", "chrF++ >= much", ">= 3", "chrF++ >= -1"])
def test_rejects_invalid_filters(text):
    with pytest.raises(UsageError, match="is not a filter; METRIC"):
        parse_filter(text, METRICS)


def test_a_filter_needs_a_metric_that_is_counted():
    with pytest.raises(UsageError, match="needs the score of chrF; add it to the metrics"):
        parse_filter("chrF > 3", METRICS)
    metric = parse("chrF(beta=3)")
    assert parse_filter("chrF3 > 3", [metric]).metric == metric


def test_filters_and_rows_are_never_left_out_silently(tmp_path):
    thirds(tmp_path, 2)
    source = [str(tmp_path / "rows.parquet")]
    filtered = Plan(METRICS, "hypothesis", ("reference",), (), (parse_filter("TER < 50", METRICS),))
    with pytest.raises(UsageError, match="needs segments to apply them"):
        count_data(source, filtered)
    with pytest.raises(UsageError, match="on a cluster a plan has none"):
        SentPlan.of(filtered)
    with pytest.raises(UsageError, match="segments needs unfinished"):
        count_data(source, PLAN, segments=str(tmp_path / "out.parquet"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "There is no output"),
        (["-o", "part.parquet", "--filter", "chrF > 3"], "add --segments"),
        (["--segments", "rows.csv"], "end the name in .parquet"),
        (["--segments", "x.parquet", "-o", "x.parquet"], "name the same file"),
        (["--segments", "x.parquet", "--engine", "ray"], "on this machine; omit --engine"),
    ],
)
def test_options_that_do_not_go_together_are_errors(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    thirds(tmp_path, 2)
    assert main(["counts", "rows.parquet", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_the_command_writes_rows_and_counts(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    records = thirds(tmp_path, 50)
    command = ["counts", "rows.parquet", "-m", "chrF", "--segments", "out.parquet", "-o", "part.parquet"]
    assert main([*command, "--filter", "chrF >= 50"]) == 0
    exact = [parse("chrF").sentence(h, r).score_fraction for h, r in records]
    assert pq.read_table("out.parquet").num_rows == sum(score >= 50 for score in exact)
    assert {path.name for path in tmp_path.iterdir()} == {"rows.parquet", "out.parquet", "part.parquet"}
    assert main(["merge", "part.parquet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["segments"] == sum(score >= 50 for score in exact)
