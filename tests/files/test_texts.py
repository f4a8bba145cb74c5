"""Texts are read from all supported formats; other formats are rejected by name."""

import csv
import io
import json

import pytest

from chrfect import InputFileError
from chrfect.files.texts import read_aligned, read_texts

TEXTS = ['a "quoted" text', "tab\tinside", "comma, inside", "", "\u2028 line"]


@pytest.fixture
def write(tmp_path):
    def write(name, data):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return str(path)

    return write


def test_csv_column_round_trips(write):
    out = io.StringIO()
    csv.writer(out).writerows([["id", "text"], *([str(i), text] for i, text in enumerate([*TEXTS, "two\nlines"]))])
    assert read_texts(write("data.csv", out.getvalue()) + "#text") == [*TEXTS, "two\nlines"]


def test_tsv_is_split_only_at_tabs(write):
    texts = ['a "quoted" text', "comma, inside", "", '"', "\u2028 line"]
    path = write("data.tsv", "id\ttext\n" + "".join(f"{i}\t{text}\n" for i, text in enumerate(texts)))
    assert read_texts(path + "#text") == texts
    assert read_texts(path + "#") == ["id\ttext", *(f"{i}\t{text}" for i, text in enumerate(texts))]


def test_jsonl_has_missing_texts(write):
    texts = [*TEXTS, None, "two\nlines"]
    path = write("data.txt", "".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate(texts)))
    assert read_texts(path + "#text") == texts
    assert read_texts(write("one.jsonl", "".join(json.dumps({"t": text}) + "\n" for text in texts))) == texts
    assert read_texts(write("strings", "".join(json.dumps(text) + "\n" for text in texts))) == texts


def test_parquet_is_recognised_under_any_name(write, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = str(tmp_path / "data")
    parquet.write_table(pyarrow.table({"id": list(range(6)), "text": [*TEXTS, None]}), path)
    assert read_texts(path + "#text") == [*TEXTS, None]
    with pytest.raises(InputFileError, match=r"row 1 holds a int; a text or null was expected"):
        read_texts(path + "#id")
    with pytest.raises(InputFileError, match="cannot be read"):
        read_texts(write("cut.parquet", (tmp_path / "data").read_bytes()[:100]))


def test_text_that_resembles_another_format_is_read_as_text(write):
    for lines in (["{not json", "b"], ['"quoted" and more', "b"], ["{}x", "b"], ["a\tb", "c"], ["a,b", "c"]):
        assert read_texts(write("plain.txt", "\n".join(lines))) == lines
    path = write("a#b.txt", "x\n")
    assert read_texts(path) == ["x"]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.tsv", "id\ttext\n1\tx\n", r"a\.tsv looks like a table of 2 columns.*a\.tsv#COLUMN; or .*a\.tsv#\."),
        ("a.csv", "id,text\n1,x\n", "looks like a table of 2 columns, the first of which is 'id'"),
        ("a.jsonl", '{"hyp":"a","ref":"b"}\n', r"has the columns 'hyp', 'ref'; name one of them: .*#COLUMN"),
        ("a.jsonl#reff", '{"hyp":"a","ref":"b"}\n', "has no column 'reff'; it has 'hyp', 'ref'. Did you mean 'ref'"),
        ("a.jsonl#ref", '{"ref":"b"}\n{"hyp":"a"}\n', "line 2 has no 'ref'; write null"),
        ("a.jsonl#ref", '{"ref":"b"}\nplain\n', "line 2 is not JSON"),
        ("a.jsonl#ref", '{"ref":1}\n', "line 1 holds a int"),
        ("a.tsv#c", "a\tb\n1\t2\n", "has no column 'c'; it has 'a', 'b'"),
        ("a.tsv#b", "a\tb\n1\t2\t3\n", "row 2 has 3 cells, and the header has 2"),
        ("a.tsv#b", "a\tb\n", "a header and no row"),
        ("a.csv#b", 'a,b\n1,"x" y\n', "line 2 is not CSV .*To read the file as plain text, write .*#"),
        ("a.csv#b", "a,b\n1," + "x" * 200_000 + "\n", "line 2 is not CSV .*field larger than"),
        (
            "a.txt",
            "ä\n".encode("utf-16"),
            "the byte order mark of UTF-16; UTF-8 was expected.*iconv -f UTF-16 -t UTF-8",
        ),
        ("a.txt", "ä\n".encode("utf-32"), "the byte order mark of UTF-32"),
        ("a.txt", b"PK\x03\x04abc", "is a zip archive"),
        ("a.txt", b"%PDF-1.7", "is a PDF document"),
        ("a.txt", b"", "the file is empty"),
    ],
)
def test_error_names_content_that_cannot_be_read(write, name, data, message):
    path, mark, column = name.partition("#")
    with pytest.raises(InputFileError, match=message):
        read_texts(write(path, data) + mark + column)


def test_error_names_a_directory_and_a_missing_file(tmp_path):
    with pytest.raises(InputFileError, match="is a directory"):
        read_texts(str(tmp_path))
    with pytest.raises(InputFileError, match="no such file"):
        read_texts(str(tmp_path / "none.txt"))


def test_error_for_different_numbers_of_lines_names_the_first_unpaired_line(write):
    short, long = write("short.txt", "a\nb\n"), write("long.txt", "a\nb\nc\n\n")
    message = (
        r"short\.txt has 2 lines and .*long\.txt has 4 lines; .* The first line without a partner is line 3 of "
        r".*long\.txt, and .*long\.txt ends in an empty line\."
    )
    with pytest.raises(InputFileError, match=message):
        read_aligned([short, long])
    with pytest.raises(InputFileError, match=r"line 2 of .*short\.txt\.$"):
        read_aligned([write("one.txt", "a\n"), short])


def test_parquet_without_its_extra_is_an_error(write, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    with pytest.raises(InputFileError, match=r"table\.parquet is Parquet; .* pip install pyarrow"):
        read_texts(write("table.parquet", "PAR1"))
