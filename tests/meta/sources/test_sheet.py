"""Tables in all formats are read in the same way; errors name the file and the line."""

import pytest

from chrfect.errors import ChrfectWarning, InputFileError, UsageError
from chrfect.meta.sources import read_sheet

TSV = 'system\titem\thuman\ttext\nA\t1\t0.5\tsay "hi"\nA\t2\t\ta,b\n'
CSV = 'system,item,human,text\nA,1,0.5,"say ""hi"""\nA,2,,"a,b"\n'
JSONL = '{"system": "A", "item": 1, "human": 0.5, "text": "say \\"hi\\""}\n{"system": "A", "item": 2, "text": "a,b"}\n'


def write(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def parquet(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    columns = {"system": ["A", "A"], "item": [1, 2], "human": [0.5, None], "text": ['say "hi"', "a,b"]}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    return str(tmp_path / "t.parquet")


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl", "parquet"])
def test_every_format_gives_the_same_table(tmp_path, form):
    path = (
        parquet(tmp_path)
        if form == "parquet"
        else write(tmp_path, f"t.{form}", {"tsv": TSV, "csv": CSV, "jsonl": JSONL}[form])
    )
    sheet = read_sheet(path)
    assert sheet.columns == ["system", "item", "human", "text"]
    assert sheet.texts("item") == ["1", "2"]
    assert sheet.texts("text") == ['say "hi"', "a,b"]
    assert [float(c) if c not in ("", None) else None for c in sheet.cells("human")] == [0.5, None]


def test_line_separators_inside_a_tsv_cell_are_text(tmp_path):
    sheet = read_sheet(write(tmp_path, "t.tsv", 'a\tb\nx\u2028y\t"\n'))
    assert sheet.rows == [["x\u2028y", '"']]


def test_byte_order_mark_is_not_part_of_the_first_column(tmp_path):
    with pytest.warns(ChrfectWarning, match="byte order mark"):
        assert read_sheet(write(tmp_path, "t.tsv", "\ufeffa\tb\n1\t2\n")).columns == ["a", "b"]


def test_a_csv_cell_may_contain_a_line_break_and_line_numbers_stay_correct(tmp_path):
    sheet = read_sheet(write(tmp_path, "t.csv", 'a,b\n"x\ny",1\nz,2\n'))
    assert sheet.rows == [["x\ny", "1"], ["z", "2"]]
    assert sheet.lines == [3, 4]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("t.tsv", "a\tb\n1\t2\n3\n", "line 3 has 1 cells; the header has 2"),
        ("t.tsv", "a\tb\n1\t2\n# note\n3\t4\n", "line 3 has 1 cells; .* Comments are possible only at the start"),
        ("t.csv", 'a,b\n1,"2\n', "line 2: unexpected end of data"),
        ("t.csv", "a,b\n1,2,3\n", "line 2 has 3 cells; the header has 2"),
        ("t.jsonl", '{"a": 1}\n{"a": \n', "line 2 is not JSON"),
        ("t.jsonl", '{"a": 1}\n[1]\n', "line 2 is not a JSON object"),
        ("t.tsv", "a\ta\n1\t2\n", "the column 'a' is repeated"),
        ("t.tsv", "a\tb\n", "no rows below the header"),
        ("t.csv", "\n", "there is no header"),
        ("t.parquet", "no parquet", "the Parquet file cannot be read; a complete, undamaged file was expected"),
    ],
)
def test_error_names_content_that_cannot_be_read(tmp_path, name, text, said):
    with pytest.raises(InputFileError, match=said):
        read_sheet(write(tmp_path, name, text))


def test_rejects_an_unknown_extension_and_a_missing_column(tmp_path):
    with pytest.raises(UsageError, match=r"one of \.tsv, \.csv, \.jsonl, \.parquet was expected"):
        read_sheet(write(tmp_path, "t.txt", "a"))
    with pytest.raises(UsageError, match=r"no column 'da'\. The columns are system, item, human, text"):
        read_sheet(write(tmp_path, "t.tsv", TSV)).column("da")
    with pytest.raises(InputFileError, match="line 2, column human: the cell is empty"):
        read_sheet(write(tmp_path, "t.jsonl", JSONL)).texts("human")


@pytest.mark.parametrize("name", ["t.tsv", "t.csv"])
@pytest.mark.parametrize("delimiter", ["\t", ",", ";", "   "])
def test_a_table_with_another_delimiter_is_read(tmp_path, name, delimiter):
    sheet = read_sheet(write(tmp_path, name, "a|b|c\n1|x|2.5\n3|y|4\n".replace("|", delimiter)))
    assert sheet.columns == ["a", "b", "c"]
    assert sheet.rows == [["1", "x", "2.5"], ["3", "y", "4"]]


def test_file_without_a_consistent_delimiter_has_one_column(tmp_path):
    assert read_sheet(write(tmp_path, "t.tsv", "my text\na b c\n")).rows == [["a b c"]]


@pytest.mark.parametrize("name", ["t.tsv", "t.csv"])
def test_comments_and_trailing_empty_lines_are_ignored(tmp_path, name):
    delimiter = "\t" if name == "t.tsv" else ","
    text = "# ratings of May\n# by two raters\na|b\n1|2\n#3|4\n\n# end\n\n".replace("|", delimiter)
    with pytest.warns(ChrfectWarning, match="3 lines at the start or the end beginning with #, .* being line 1"):
        sheet = read_sheet(write(tmp_path, name, text))
    assert sheet.rows == [["1", "2"], ["#3", "4"]]
    assert sheet.lines == [4, 5]


def test_a_tsv_whose_headings_are_quoted_is_read_as_quoted(tmp_path):
    sheet = read_sheet(write(tmp_path, "t.tsv", '"system"\t"text"\n"A"\t"say ""hi"""\nB\tx\n'))
    assert sheet.columns == ["system", "text"]
    assert sheet.rows == [["A", 'say "hi"'], ["B", "x"]]


def test_spaces_around_headings_are_ignored(tmp_path):
    sheet = read_sheet(write(tmp_path, "t.tsv", "system \t human\n A\t 1.5 \n"))
    assert sheet.columns == ["system", "human"]
    assert sheet.texts("system") == ["A"]
