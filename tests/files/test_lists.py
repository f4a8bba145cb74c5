import gzip
import json

import pytest

from chrfect.errors import InputFileError
from chrfect.files.lists import read_lists

LISTS = [["a", "b"], ["c"]]


def test_lines_of_lists_and_of_objects_are_read_compressed_or_not(tmp_path):
    lines = "".join(json.dumps(each) + "\n" for each in LISTS).encode()
    (tmp_path / "plain").write_bytes(lines)
    (tmp_path / "packed").write_bytes(gzip.compress(lines))
    objects = "".join(json.dumps({"c": each, "w": [1]}) + "\n" for each in LISTS)
    (tmp_path / "objects").write_text(objects)
    for name in ("plain", "packed", "objects#c"):
        assert read_lists(str(tmp_path / name)) == LISTS


def test_a_parquet_column_of_lists_is_read(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "lists.parquet"
    pq.write_table(pa.table({"c": LISTS, "t": ["x", "y"]}), path)
    assert read_lists(f"{path}#c") == LISTS
    with pytest.raises(InputFileError, match="row 1 holds a str; a list was expected"):
        read_lists(f"{path}#t")
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputFileError, match=r"lists.parquet: the Parquet file cannot be read"):
        read_lists(str(path))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('["a"]\nnull\n', "line 2 holds null; a list was expected"),
        ('["a"]\n"b"\n', "line 2 holds a str; a list was expected"),
        ('["a"]\n[\n', "line 2 is not JSON"),
        ('{"c": ["a"], "d": []}\n', "has the columns 'c', 'd'; name one of them"),
        ("", "the file is empty"),
    ],
)
def test_error_names_the_line_that_is_not_a_list(tmp_path, content, message):
    path = tmp_path / "lists.jsonl"
    path.write_text(content)
    with pytest.raises(InputFileError, match=message):
        read_lists(str(path))
