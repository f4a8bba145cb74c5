import json

import pytest

from chrfect import mbr
from chrfect.cli import main

CANDIDATES = [["a cat sat", "the cat sat", "the cat sits"], ["yes", "no"]]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [{"candidates": each, "weights": [1, 2, 3][: len(each)]} for each in CANDIDATES]
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "r.jsonl").write_text('["the dog"]\n["no"]\n')
    return tmp_path


def run(capsys, *arguments):
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_output_has_one_translation_for_each_line(folder, capsys):
    assert run(capsys, "mbr", "s.jsonl#candidates") == (0, "the cat sat\nyes\n", "")


def test_top_candidates_equal_the_library(folder, capsys):
    arguments = ["s.jsonl#candidates", "--weights", "s.jsonl#weights", "-m", "TER", "--top", "2", "-o", "out.jsonl"]
    assert run(capsys, "mbr", *arguments) == (0, "", "")
    weights = [[1, 2, 3], [1, 2]]
    want = mbr.select("TER", CANDIDATES, weights=weights, top=2)
    found = [json.loads(line)["selected"] for line in (folder / "out.jsonl").read_text().splitlines()]
    assert found == [[{"text": c.text, "index": c.index, "utility": c.utility} for c in each] for each in want]


def test_pseudo_references_and_the_aggregate(folder, capsys):
    _, output, _ = run(
        capsys, "mbr", "s.jsonl#candidates", "--references", "r.jsonl", "--method", "aggregate", "-m", "chrF++"
    )
    assert output.splitlines() == [
        c.text for c in mbr.select("chrF++", CANDIDATES, [["the dog"], ["no"]], method="aggregate")
    ]


def test_a_translation_with_line_ends_stays_on_one_line(folder, capsys):
    (folder / "n.jsonl").write_text('["a\\nb"]\n')
    assert run(capsys, "mbr", "n.jsonl")[1] == "a b\n"


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        ('["a"]\n[]\n', [], "x.jsonl: list 2 is empty; at least one text"),
        ('["a"]\n["b", 3]\n', [], "x.jsonl: list 2[1] is a int; a text"),
        ('["a"]\n', ["--references", "r.jsonl"], "x.jsonl has 1 lists and r.jsonl has 2"),
        ('["a"]\n', ["--top", "0"], "top is 0"),
        ('["a"]\n', ["--top", "2", "--format", "text"], "--format text writes one translation per line"),
        ('["a"]\n', ["-o", "x.jsonl"], "would overwrite the input"),
        ('["a"]\n', ["--references", "-", "--weights", "-"], "standard input) is given more than once"),
    ],
)
def test_errors_name_the_file_and_the_list(folder, capsys, content, arguments, message):
    (folder / "x.jsonl").write_text(content)
    status, output, errors = run(capsys, "mbr", "x.jsonl", *arguments)
    assert (status, output) == (2, "")
    assert message in errors


def test_help_has_examples(capsys):
    with pytest.raises(SystemExit):
        main(["mbr", "--help"])
    assert "chrfect mbr samples.jsonl" in capsys.readouterr().out
