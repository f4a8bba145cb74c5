"""Inputs on the command line: references, runs, folders, groups, and missing files."""

import io
import json
import sys

import pytest

from chrfect import ChrF
from chrfect.cli import main

REFERENCES = ["the cat sat on the mat", "hi there", "so it was"]
A, B = ["the cat sat on a mat", "hi", "so it is"], ["a cat is on the mat", "ho", "so"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "outputs").mkdir()
    files = {"ref": REFERENCES, "other": ["a cat sat", "", "it was so"], "A": A, "outputs/B": B, "outputs/A": A}
    for name, lines in (files | {"documents": ["one", "one", "two"]}).items():
        (tmp_path / name).write_text("".join(line + "\n" for line in lines))
    return tmp_path


def run(capsys, *arguments):
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def scores(capsys, *arguments):
    status, output, errors = run(capsys, "score", *arguments, "--json")
    assert status == 0, errors
    return {entry["system"]: entry["results"][0]["score"] for entry in json.loads(output)["systems"]}


def test_a_folder_and_names(folder, capsys):
    expected = {name: ChrF().corpus(texts, REFERENCES).score for name, texts in (("A", A), ("B", B))}
    assert scores(capsys, "ref", "-i", "outputs") == expected
    assert scores(capsys, "ref", "-i", "B=outputs/B", "A=A") == expected
    assert list(scores(capsys, "ref", "-i", "outputs", "--names", "x", "y")) == ["x", "y"]


def test_references_with_names_and_missing_ones(folder, capsys):
    streams = {"r": REFERENCES, "o": ["a cat sat", "", "it was so"]}
    assert scores(capsys, "--references", "r=ref", "o=other", "-i", "A") == {"A": ChrF().corpus(A, streams).score}
    streams["o"] = ["a cat sat", None, "it was so"]
    for arguments in (["ref", "other"], ["--references", "r=ref", "o=other"]):
        found = scores(capsys, *arguments, "-i", "A", "--empty", "missing")
        assert found == {"A": ChrF().corpus(A, streams).score}
    status, _, errors = run(capsys, "score", "other", "-i", "A", "--empty", "missing")
    assert status == 2
    assert "other: segment 2 has no reference" in errors


def test_references_in_one_line(folder, capsys):
    (folder / "both").write_text("the cat sat on the mat*#a cat sat\nhi there\nso it was*#it was so\n")
    streams = {"1": REFERENCES, "2": ["a cat sat", None, "it was so"]}
    found = scores(capsys, "both", "--reference-separator", "*#", "-i", "A")
    assert found == {"A": ChrF().corpus(A, streams).score}


def test_null_is_allowed_as_reference_but_not_as_hypothesis(folder, capsys):
    lines = ["a cat sat", None, "it was so"]
    (folder / "null.jsonl").write_text("".join(json.dumps({"text": line}) + "\n" for line in lines))
    found = scores(capsys, "ref", "null.jsonl", "-i", "A")
    assert found == {"A": ChrF().corpus(A, {"r": REFERENCES, "o": lines}).score}
    status, _, errors = run(capsys, "score", "ref", "-i", "null.jsonl")
    assert status == 2
    assert "null.jsonl: segment 2 is missing (null)" in errors


def test_runs_are_averaged_with_their_deviation(folder, capsys):
    _, output, _ = run(capsys, "score", "ref", "-i", "both=outputs/A,outputs/B", "--decimals", "3")
    each = [ChrF().corpus(texts, REFERENCES).score for texts in (A, B)]
    deviation = abs(each[0] - each[1]) / 2**0.5
    assert output.splitlines()[2].split() == ["both", f"{sum(each) / 2:.3f}", f"{deviation:.3f}"]


def test_systems_may_have_different_numbers_of_runs(folder, capsys):
    for systems in (["A=A,outputs/B", "outputs/B"], ["outputs/B", "A=A,outputs/B"]):
        for command in (["score", "-m", "chrF", "BLEU"], ["compare", "--trials", "20"], ["score", "--intervals"]):
            status, output, _ = run(capsys, command[0], "ref", "-i", *systems, *command[1:])
            assert status == 0
            assert "sd of runs" in output


def test_buckets_are_in_order_for_every_system(folder, capsys):
    (folder / "short").write_text("a\n" * len((folder / "ref").read_text().splitlines()))
    status, output, _ = run(capsys, "score", "ref", "-i", "A", "short", "--by", "length")
    labels = [line.split()[0] for line in output.partition("by length")[2].splitlines()[3:] if "-" in line[:6]]
    assert status == 0
    assert labels == sorted(labels, key=lambda label: int(label.split("-")[0]))
    assert labels[0] == "0-10"


def test_a_column_of_standard_input_is_an_argument(folder, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"x\ty\na cat\tb\n")))
    (folder / "one").write_text("a cat\n")
    status, output, _ = run(capsys, "score", "-#x", "-i", "one")
    assert status == 0
    assert "100.00" in output


def test_documents_and_buckets_have_tables(folder, capsys):
    _, output, _ = run(
        capsys, "score", "ref", "-i", "A", "--documents", "documents", "--by", "reference-length", "documents"
    )
    rows = [line.split() for line in output.splitlines()]
    first = f"{ChrF().corpus(A[:2], REFERENCES[:2]).score:.2f}"
    assert rows.count(["one", "2", first]) == 2
    assert ["0-10", "2", f"{ChrF().corpus(A[1:], REFERENCES[1:]).score:.2f}"] in rows
    _, output, _ = run(capsys, "score", "ref", "-i", "A", "--documents", "documents", "--format", "tsv")
    assert output.splitlines()[0].split("\t")[:5] == ["system", "metric", "group", "label", "segments"]
    (folder / "short").write_text("one\n")
    status, _, errors = run(capsys, "score", "ref", "-i", "A", "--documents", "short")
    assert status == 2
    assert "ref has 3 lines and short has 1 line" in errors


def test_segments_as_tsv_have_a_header_and_numbers(folder, capsys):
    _, output, _ = run(capsys, "score", "ref", "-i", "A", "--segments", "--format", "tsv")
    rows = [line.split("\t") for line in output.splitlines()]
    assert rows[0] == ["segment", "A chrF"]
    expected = ChrF().segments(A, REFERENCES).scores
    assert [(int(n), float(score)) for n, score in rows[1:]] == list(enumerate(expected, 1))


def test_intervals_equal_the_library(folder, capsys):
    from chrfect import evaluate

    _, output, _ = run(capsys, "score", "ref", "-i", "A", "--intervals", "--interval-method", "bca", "--format", "json")
    (found,) = json.loads(output)["scores"]
    assert found["interval"] == evaluate({"A": A}, REFERENCES).with_intervals("bca").scores[0].interval.to_dict()


def test_normalization_is_part_of_the_signature(folder, capsys):
    for arguments in ([], ["--json"]):
        _, output, _ = run(capsys, "score", "ref", "-i", "A", "--normalize", "NFKC", *arguments)
        assert "|normalize:NFKC|version:" in output


def test_a_copy_of_the_source_is_warned_about(folder, capsys):
    (folder / "many").write_text("".join(f"line {i}\n" for i in range(12)))
    (folder / "target").write_text("".join(f"Zeile {i}\n" for i in range(12)))
    status, _, errors = run(capsys, "score", "target", "-i", "many", "--source", "many")
    assert status == 0
    assert "many: 12 of 12 hypotheses equal their source." in errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["scores"], "'scores' is not a command. Did you mean `chrfect score`?"),
        (["ref", "-i", "A"], "ref is a file; did you mean `chrfect score ref -i A`?"),
        (["score", "ref", "-i", "A", "-w", "4"], "-w is an option of sacreBLEU; here it is --decimals N."),
        (["score", "ref", "-i", "A", "--confidence"], "here it is chrfect score --intervals."),
        (["score", "ref", "-i", "A", "--json", "--format", "tsv"], "--json and --format exclude each other"),
        (["score", "ref", "other", "--reference-separator", "#", "-i", "A"], "requires exactly one file of references"),
        (["score", "miss\033[2Jing", "-i", "A"], "miss\\x1b[2Jing: no such file"),
        (["score", "ref", "-i", "empty"], "empty: not a folder, or without files"),
    ],
)
def test_errors_suggest_the_intended_option(folder, capsys, arguments, message):
    (folder / "empty").mkdir()
    status, output, errors = run(capsys, *arguments)
    assert (status, output) == (2, "")
    assert message in errors


def test_waiting_for_a_terminal_is_mentioned(folder, capsys, monkeypatch):
    import io

    class Terminal(io.TextIOWrapper):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdin", Terminal(io.BytesIO("".join(f"{line}\n" for line in A).encode())))
    status, _, errors = run(capsys, "score", "ref")
    assert (status, errors) == (0, "chrfect: reading hypotheses from standard input; specify a file with -i HYP.\n")
