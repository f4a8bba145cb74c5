"""Counts of data sets on disk are equal for any split, order and number of threads."""

import bz2
import gzip
import json
import lzma
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chrfect import UsageError, WorkError, parse
from chrfect.engines import count, data
from chrfect.engines.count import Plan, count_data
from chrfect.engines.part import read_part, read_parts, write_part
from chrfect.errors import InputFileError
from strategies import texts

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

METRICS = tuple(map(parse, ("chrF++", "chrF", "BLEU(tokenize=none)", "TER")))
PLAN = Plan(METRICS, "hypothesis", ("reference",), ("system",))
rows = st.lists(st.tuples(texts(), texts(), st.sampled_from(["A", "B", "日"])), min_size=1, max_size=12)


def table(records, names=("hypothesis", "reference", "system")):
    return {name: [record[i] for record in records] for i, name in enumerate(names)}


def values(part):
    """Return the sums of each metric and group as plain integers."""
    return [
        {label: (table[i].segments, table[i].values) for i, label in enumerate(table.labels)} for table in part.tables
    ]


def expected(records):
    found = []
    for metric in METRICS:
        groups = {}
        for system in sorted({record[2] for record in records}):
            own = [record for record in records if record[2] == system]
            counts = metric.corpus([h for h, _, _ in own], [r for _, r, _ in own]).counts
            groups[(system,)] = (counts.segments, counts.values)
        found.append(groups)
    return found


@pytest.mark.filterwarnings("ignore::chrfect.ChrfectWarning")
@settings(max_examples=25)
@given(rows, st.randoms(use_true_random=False), st.integers(1, 3), st.integers(1, 3), st.integers(1, 5))
def test_any_split_order_and_number_of_threads_gives_the_same_integers(
    tmp_path_factory, records, draw, files, threads, batch
):
    folder = tmp_path_factory.mktemp("split")
    shuffled = list(records)
    draw.shuffle(shuffled)
    for number in range(files):
        own = shuffled[number::files]
        if own:
            pq.write_table(pa.table(table(own)), folder / f"{number}.parquet", row_group_size=draw.randint(1, 4))
    before, data.BATCH = data.BATCH, batch
    try:
        whole = count_data([str(folder)], PLAN, threads=threads)
        parts = [folder / f"{number}.part" for number in range(files) if number < len(shuffled)]
        for number, path in enumerate(parts):
            write_part(count_data([str(folder / f"{number}.parquet")], PLAN, threads=threads), str(path))
    finally:
        data.BATCH = before
    draw.shuffle(parts)
    assert values(whole) == values(read_parts(list(map(str, parts)))) == expected(records)


RECORDS = [("a cat", "the cat", "A"), ('a "dog", too', "the dog\u2028x", "B"), ("", "x", "A")]


def lines_of(form):
    if form == "jsonl":
        return "".join(json.dumps(dict(zip(table(RECORDS), record, strict=True))) + "\n" for record in RECORDS)
    if form == "tsv":
        return "hypothesis\treference\tsystem\n" + "".join("\t".join(record) + "\n" for record in RECORDS)
    cells = ['"' + cell.replace('"', '""') + '"' for record in RECORDS for cell in record]
    return "hypothesis,reference,system\r\n" + "".join(",".join(cells[i : i + 3]) + "\r\n" for i in (0, 3, 6))


@pytest.mark.parametrize("form", ["jsonl", "tsv", "csv"])
@pytest.mark.parametrize("packed", ["", ".gz", ".xz", ".bz2", ".zst"])
def test_text_files_compressed_or_not_count_like_their_rows(tmp_path, form, packed):
    content = lines_of(form).encode()
    pack = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}
    pack[".zst"] = lambda content: pa.compress(content, "zstd", asbytes=True)
    (tmp_path / f"rows.{form}{packed}").write_bytes(pack[packed](content))
    assert values(count_data([str(tmp_path)], PLAN, threads=1)) == expected(RECORDS)


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.dictionary(pa.int8(), pa.large_string()),
    ],
)
def test_every_type_of_text_is_read(tmp_path, kind):
    columns = {name: pa.array(cells).cast(kind) for name, cells in table(RECORDS).items()}
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table(columns), path)
    assert values(count_data([str(path)], PLAN)) == expected(RECORDS)


@pytest.mark.parametrize(
    "kind",
    [pa.list_(pa.string()), pa.large_list(pa.string()), pa.list_(pa.dictionary(pa.int32(), pa.string()))],
    ids=str,
)
def test_lists_and_several_columns_are_several_references(tmp_path, kind):
    hypotheses, a, b = ["a cat", "dogs", "x y"], ["the cat", None, "x"], ["cats", "dogs", None]
    lists = [[r for r in pair if r is not None] for pair in zip(a, b, strict=True)]
    pq.write_table(
        pa.table({"hypothesis": hypotheses, "a": a, "b": b, "both": pa.array(lists, kind)}), tmp_path / "rows.parquet"
    )
    for references in (("both",), ("a", "b")):
        part = count_data([str(tmp_path)], Plan(METRICS, "hypothesis", references))
        for metric, counted in zip(METRICS, part.tables, strict=True):
            assert counted[0].values == metric.corpus(hypotheses, references_per_segment=lists).counts.values


def test_completed_units_are_not_counted_again(tmp_path, monkeypatch):
    for number in range(3):
        pq.write_table(pa.table(table(RECORDS)), tmp_path / f"{number}.parquet")
    (tmp_path / "9.jsonl").write_text("broken\n{\n")
    unfinished = str(tmp_path / "kept.unfinished")
    with pytest.raises(InputFileError, match=r"9\.jsonl"):
        count_data([str(tmp_path)], PLAN, unfinished=unfinished, threads=1)
    (tmp_path / "9.jsonl").write_text(lines_of("jsonl"))
    counted = []
    original = count.count_unit
    monkeypatch.setattr(
        count, "count_unit", lambda plan, unit, *rest: counted.append(unit.path) or original(plan, unit, *rest)
    )
    whole = count_data([str(tmp_path)], PLAN, unfinished=unfinished, threads=1)
    assert counted == [str(tmp_path / "9.jsonl")]
    assert values(whole) == expected(RECORDS * 4)
    pq.write_table(pa.table(table(RECORDS[:1])), tmp_path / "0.parquet")
    changed = count_data([str(tmp_path)], PLAN, unfinished=unfinished, threads=1)
    assert values(changed) == expected(RECORDS * 3 + RECORDS[:1])


def corrupt(path):
    content = bytearray(path.read_bytes())
    at = len(content) // 3
    content[at : at + 40] = bytes(40)
    path.write_bytes(content)


def test_error_names_a_corrupt_row_group(tmp_path):
    draw = random.Random(1)
    records = [("".join(draw.choices("abcdefgh", k=50)), "ref", "A") for _ in range(400)]
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table(table(records)), path, row_group_size=200, compression="zstd", use_dictionary=False)
    corrupt(path)
    with pytest.raises(InputFileError, match=r"rows\.parquet: row group 0"):
        count_data([str(path)], PLAN, threads=1)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"hypothesis": ["a", None]}, r"row group 0, row 1 \(from 0\): hypothesis is null; a text was expected"),
        ({"reference": [None, "a"]}, r"row group 0, row 0 \(from 0\): there is no reference \(reference\)"),
        ({"hypothesis": [1, 2]}, r"row group 0, row 0 \(from 0\): hypothesis is a int; a text was expected"),
        ({"hypothesis": [b"a", b"b"]}, r"row 0 \(from 0\): hypothesis is binary; a text was expected"),
        ({"hypothesis": pa.array(["a", None]).dictionary_encode()}, r"row 1 \(from 0\): hypothesis is null; a text"),
        ({"hypothesis": [["a"], ["b"]]}, r"row 0 \(from 0\): hypothesis is a list; a text was expected"),
        ({"reference": [[], ["a"]]}, r"row 0 \(from 0\): there is no reference"),
        ({"reference": [["a"], None]}, r"row 1 \(from 0\): there is no reference"),
        ({"reference": [["a"], [None]]}, r"row 1 \(from 0\): there is no reference"),
        ({"reference": [[["b"]]] * 2}, r"row 0 \(from 0\): a reference is a list; a text was expected"),
        ({"system": None}, "has no column 'system'"),
    ],
)
def test_error_names_invalid_rows(tmp_path, columns, message):
    given = {"hypothesis": ["a", "b"], "reference": ["a", "b"], "system": ["A", "A"]} | columns
    pq.write_table(pa.table({k: v for k, v in given.items() if v is not None}), tmp_path / "rows.parquet")
    with pytest.raises(UsageError, match=message):
        count_data([str(tmp_path)], PLAN)


def test_error_names_the_row_of_invalid_utf8(tmp_path):
    offsets, content = pa.py_buffer(b"".join(n.to_bytes(4, "little") for n in (0, 1, 3))), pa.py_buffer(b"a\xff\xfe")
    broken = pa.Array.from_buffers(pa.string(), 2, [None, offsets, content])
    pq.write_table(
        pa.table({"hypothesis": broken, "reference": ["a", "b"], "system": ["A", "A"]}), tmp_path / "r.parquet"
    )
    with pytest.raises(InputFileError, match=r"row group 0, row 1 \(from 0\): hypothesis is not valid UTF-8"):
        count_data([str(tmp_path)], PLAN)
    lists = pa.ListArray.from_arrays([0, 1, 2], broken)
    pq.write_table(
        pa.table({"hypothesis": ["a", "b"], "reference": lists, "system": ["A", "A"]}), tmp_path / "r.parquet"
    )
    with pytest.raises(InputFileError, match=r"row group 0, row 1 \(from 0\): a reference is not valid UTF-8"):
        count_data([str(tmp_path)], PLAN)
    (tmp_path / "r.parquet").unlink()
    (tmp_path / "r.tsv").write_bytes(b"hypothesis\treference\tsystem\na\tb\tA\n\xff\tb\tA\n")
    with pytest.raises(InputFileError, match=r"r\.tsv: line 3, byte 1 of the line is not UTF-8"):
        count_data([str(tmp_path)], PLAN)


@pytest.mark.parametrize("name", ["none*.parquet", "none", "."])
def test_rejects_an_empty_set_of_files(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputFileError, match="no data file found"):
        count_data([name], PLAN)


def test_error_names_a_truncated_file(tmp_path):
    packed = gzip.compress(lines_of("tsv").encode() * 50)
    (tmp_path / "r.tsv.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(InputFileError, match=r"r\.tsv\.gz"):
        count_data([str(tmp_path)], PLAN)


@pytest.fixture
def part(tmp_path):
    pq.write_table(pa.table(table(RECORDS)), tmp_path / "rows.parquet")
    return count_data([str(tmp_path / "rows.parquet")], PLAN)


def test_part_round_trips_through_a_file(tmp_path, part):
    write_part(part, str(tmp_path / "part"))
    found = read_part(str(tmp_path / "part"))
    assert (found.metrics, found.by, found.inputs, values(found)) == (part.metrics, part.by, part.inputs, values(part))


def test_rejects_adding_parts_of_the_same_data(tmp_path, part):
    write_part(part, str(tmp_path / "one"))
    write_part(part, str(tmp_path / "two"))
    with pytest.raises(InputFileError, match=r"one and .*two both contain the counts of .*rows\.parquet"):
        read_parts([str(tmp_path / "one"), str(tmp_path / "two")])


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (Plan(METRICS, "hypothesis", ("reference",)), "the groups are by 'system' in one and none in the other"),
        (Plan(METRICS[:2], "hypothesis", ("reference",), ("system",)), "the metrics are 'chrF\\+\\+', .* in one"),
    ],
)
def test_rejects_adding_parts_that_were_counted_differently(tmp_path, part, plan, message):
    write_part(part, str(tmp_path / "one"))
    pq.write_table(pa.table(table(RECORDS)), tmp_path / "other.parquet")
    write_part(count_data([str(tmp_path / "other.parquet")], plan), str(tmp_path / "two"))
    with pytest.raises(InputFileError, match=message):
        read_parts([str(tmp_path / "one"), str(tmp_path / "two")])


def test_a_file_that_is_not_parquet_is_not_a_part(tmp_path, part):
    write_part(part, str(tmp_path / "part.parquet"))
    (tmp_path / "scores.txt").write_text("chrF 55.2\n")
    with pytest.raises(
        InputFileError, match=r"scores.txt is not a part; a file written by `chrfect counts` was expected"
    ):
        read_parts([str(tmp_path / "part.parquet"), str(tmp_path / "scores.txt")])


def test_error_names_a_damaged_part_among_many(tmp_path, part):
    paths = [str(tmp_path / f"{number}.parquet") for number in range(3)]
    for number, path in enumerate(paths):
        write_part(replace(part, inputs=((path, number),)), path)
    rows = pq.read_table(paths[1])
    renamed = rows.rename_columns([name.replace("segments", "sizes") for name in rows.column_names])
    pq.write_table(renamed.replace_schema_metadata(rows.schema.metadata), paths[1])
    with pytest.raises(InputFileError, match=r"1\.parquet: the part cannot be read"):
        read_parts(paths)


def test_rejects_other_schemas_and_other_files(tmp_path, part):
    path = tmp_path / "part"
    write_part(part, str(path))
    held = pq.read_table(path)
    metadata = held.schema.metadata
    stated = json.loads(metadata[b"chrfect-part"]) | {"schema": 99}
    pq.write_table(held.replace_schema_metadata({**metadata, b"chrfect-part": json.dumps(stated)}), path)
    with pytest.raises(InputFileError, match="schema 99; this version reads 1"):
        read_part(str(path))
    kind = held.schema.field("counts.0").type
    lists = pa.array([[1] * kind.list_size] * held.num_rows, kind)
    wrong = (
        lists.cast(pa.list_(pa.int32(), kind.list_size)),
        pa.nulls(held.num_rows, kind),
        lists.cast(pa.list_(pa.int64())),
    )
    for column in wrong:
        place = held.schema.get_field_index("counts.0")
        pq.write_table(held.set_column(place, "counts.0", column).replace_schema_metadata(metadata), path)
        with pytest.raises(InputFileError, match=r"part: the part cannot be read: "):
            read_part(str(path))
    with pytest.raises(InputFileError, match="is not a part"):
        read_part(str(tmp_path / "rows.parquet"))
    for damaged in (b"PAR1", path.read_bytes()[:-20]):
        path.write_bytes(damaged)
        with pytest.raises(InputFileError, match="part: the Parquet file cannot be read; a complete, undamaged file"):
            read_part(str(path))


def test_full_disk_keeps_the_old_part(tmp_path, part, monkeypatch):
    path = tmp_path / "part"
    write_part(part, str(path))
    before = path.read_bytes()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(WorkError, match="no space left on device"):
        write_part(part, str(path))
    assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["part", "rows.parquet"]


def test_progress_reaches_the_total(tmp_path):
    pq.write_table(pa.table(table(RECORDS)), tmp_path / "rows.parquet", row_group_size=1)
    (tmp_path / "rows.tsv").write_text(lines_of("tsv"))
    calls = []
    count_data([str(tmp_path)], PLAN, threads=2, progress=lambda done, whole: calls.append((done, whole)))
    assert calls == sorted(calls)
    assert calls[-1][0] == calls[-1][1] > 0
