import io
import json
import subprocess
import sys

import pytest

from chrfect import parse
from chrfect.cli import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ref").write_bytes(b"the cat sat on the mat\nhi\n")
    (tmp_path / "other").write_bytes(b"a cat sat\nho\n")
    (tmp_path / "hyp").write_bytes(b"cat\nhi\n")
    return tmp_path


def run(capsys, *arguments):
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_table_has_a_row_for_each_system_and_the_signatures(folder, capsys):
    status, output, errors = run(capsys, "score", "ref", "-i", "hyp", "other", "-m", "chrF", "chrf3++")
    assert (status, errors) == (0, "")
    lines = output.splitlines()
    assert lines[0].split() == ["system", "chrF", "chrF++(beta=3)"]
    assert [line.split()[0] for line in lines[2:4]] == ["hyp", "other"]
    assert lines[5] == "2 segments, 1 reference"
    assert [str(parse(line)) for line in lines[6:]] == ["chrF", "chrF++(beta=3)"]


def test_table_shows_the_score_of_sacrebleu(folder, capsys):
    from sacrebleu.metrics import CHRF

    expected = CHRF().corpus_score(["cat", "hi"], [["the cat sat on the mat", "hi"]]).score
    _, output, _ = run(capsys, "score", "ref", "-i", "hyp", "--decimals", "4")
    assert output.splitlines()[2].split() == ["hyp", f"{expected:.4f}"]


def test_json_has_everything_in_full_precision(folder, capsys):
    _, output, _ = run(capsys, "score", "ref", "other", "-i", "hyp", "-m", "chrF", "--json")
    document = json.loads(output)
    metric = parse("chrF")
    expected = metric.both(["cat", "hi"], {"ref": ["the cat sat on the mat", "hi"], "other": ["a cat sat", "ho"]})
    assert document["references"] == ["ref", "other"]
    assert document["systems"][0]["system"] == "hyp"
    assert document["systems"][0]["results"] == [json.loads(json.dumps(expected.to_dict()))]


def test_segments_prints_one_line_a_segment(folder, capsys):
    _, output, _ = run(capsys, "score", "ref", "-i", "hyp", "other", "-m", "chrF", "chrF++", "--segments")
    rows = [list(map(float, line.split("\t"))) for line in output.splitlines()]
    expected = [
        parse(name).segments(texts, ["the cat sat on the mat", "hi"]).scores
        for texts in (["cat", "hi"], ["a cat sat", "ho"])
        for name in ("chrF", "chrF++")
    ]
    assert rows == [list(row) for row in zip(*expected, strict=True)]


def test_hypotheses_come_from_standard_input_when_no_file_is_named(folder, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"cat\nhi\n")))
    _, piped, _ = run(capsys, "score", "ref", "--segments")
    _, named, _ = run(capsys, "score", "ref", "-i", "hyp", "--segments")
    assert piped == named


def test_tab_is_text_and_does_not_separate_systems(folder, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"the cat\tsat on the mat\nhi\n")))
    _, output, _ = run(capsys, "score", "ref", "--segments")
    hypotheses, references = ["the cat\tsat on the mat", "hi"], ["the cat sat on the mat", "hi"]
    assert output.splitlines() == list(map(repr, parse("chrF").segments(hypotheses, references).scores))


def test_files_with_the_same_name_get_different_names(folder, capsys):
    (folder / "a").mkdir()
    (folder / "a" / "hyp").write_bytes(b"x\ny\n")
    _, output, _ = run(capsys, "score", "ref", "-i", "hyp", "a/hyp", "hyp")
    assert [line.rsplit(None, 1)[0] for line in output.splitlines()[2:5]] == ["hyp", "a/hyp", "hyp (2)"]


def test_a_text_score_never_exceeds_100(folder, capsys):
    from chrfect import Bleu

    line = "a b c d"
    assert 100 < Bleu(tokenize="none").corpus([line], [line]).score < 100.000001
    (folder / "line").write_text(line)
    _, output, _ = run(capsys, "score", "line", "-i", "line", "--decimals", "15", "-m", "BLEU(tokenize=none)")
    assert output.splitlines()[2].split()[1:] == ["100.000000000000000"]
    text = "sea and sky and sea\n" * 3
    (folder / "same").write_text(text)
    _, output, _ = run(capsys, "score", "same", "-i", "same", "--decimals", "15", "-m", "chrF", "chrF++", "wordF")
    assert output.splitlines()[2].split()[1:] == ["100.000000000000000"] * 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "ref", "-i", "nowhere"], "nowhere: no such file or directory"),
        (["score", "ref", "-i", "long"], "ref has 2 lines and long has 3 lines"),
        (["score", "empty", "-i", "hyp"], "empty: the file is empty"),
        (["score", "ref", "-i", "latin"], "latin: line 2, byte 1 of the line is 0xE9"),
        (["score", "ref", "-i", "hyp", "-m", "chr"], "'chr' is not the name of a metric"),
        (["score", "ref", "-i", "hyp", "--threads", "0"], "threads is 0"),
        (["score", "ref", "-i", "hyp", "--decimals", "99"], "--decimals is 99"),
        (["score", "-", "-i", "-"], "- (standard input) is given more than once"),
        (["score"], "the following arguments are required: REF"),
        (["score", "ref", "--jsn"], "unrecognized arguments: --jsn"),
        (["scoer", "ref"], "'scoer' is not a command. Did you mean `chrfect score`?"),
        (["score", ".", "-i", "hyp"], ".: is a directory"),
        (["score", "ref", "-i", "hyp", "--json", "--decimals", "3"], "--decimals applies to the table"),
        (["score", "ref", "-i", "hyp", "--no"], "See `chrfect score --help`"),
        (["score", "ref", "-i", "empty"], "empty: the file is empty, and ref has 2 lines"),
    ],
)
def test_wrong_input_ends_with_status_2_and_a_message(folder, capsys, arguments, message):
    (folder / "long").write_text("a\nb\nc\n")
    (folder / "empty").write_text("")
    (folder / "latin").write_bytes(b"a\n\xe9\n")
    status, output, errors = run(capsys, *arguments)
    assert (status, output) == (2, "")
    assert errors.startswith("chrfect: error: ")
    assert message in errors
    assert "Traceback" not in errors


def test_one_segment_is_written_in_the_singular(folder, capsys):
    (folder / "one").write_text("hi\n")
    assert "1 segment, 1 reference\n" in run(capsys, "score", "one", "-i", "one")[1]


def test_unusual_input_is_scored_with_a_warning(folder, capsys):
    (folder / "marked").write_bytes("\ufeffcat\nhi\n".encode())
    (folder / "inside").write_bytes("cat\n\ufeffhi\n".encode())
    status, output, errors = run(capsys, "score", "ref", "-i", "marked", "--segments")
    assert (status, errors) == (
        0,
        "chrfect: warning: marked: removed a byte order mark (U+FEFF) from the start of the file.\n",
    )
    assert output == run(capsys, "score", "ref", "-i", "hyp", "--segments")[1]
    _, _, errors = run(capsys, "score", "ref", "-i", "inside", "--segments")
    assert errors == "chrfect: warning: inside: segment 2 begins with U+FEFF, which counts as text.\n"


@pytest.mark.parametrize("options", [(), ("--segments",)])
@pytest.mark.parametrize(
    ("name", "form"), [("s.csv", "csv"), ("s.TSV", "tsv"), ("s.json", "json"), ("s.md", "markdown")]
)
def test_the_extension_of_the_output_names_the_format(folder, capsys, options, name, form):
    command = ("score", "ref", "-i", "hyp", *options)
    printed = run(capsys, *command, "--format", form)
    assert printed[0] == 0
    assert run(capsys, *command, "-o", name) == (0, "", printed[2])
    assert (folder / name).read_text() == printed[1]


def test_rejects_a_page_as_a_format_of_scores(folder, capsys):
    status, _, errors = run(capsys, "score", "ref", "-i", "hyp", "-o", "s.html")
    assert status == 2
    assert "`chrfect compare`" in errors
    assert not (folder / "s.html").exists()


@pytest.mark.parametrize(
    "command", ["score ref -i hyp -m chrF BLEU TER", "score ref -i hyp --json", "sacrebleu ref -i hyp"]
)
def test_scoring_starts_without_importing_numpy(folder, command):
    code = f"import sys; from chrfect.cli import main; main({command.split()!r}); sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60).returncode == 0


@pytest.mark.parametrize(
    ("command", "used", "unused"),
    [
        ("score ref -i hyp", "chrf", ["bleu", "ter", "shares"]),
        ("sacrebleu ref -i hyp -b", "bleu", ["chrf", "ter", "order", "shares", "registry"]),
        ("sacrebleu ref -i hyp -b -m chrf", "chrf", ["bleu", "ter", "order", "shares", "registry"]),
    ],
)
def test_scoring_imports_only_the_metrics_that_it_uses(folder, command, used, unused):
    code = f"import sys; from chrfect.cli import main; main({command.split()!r}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, text=True, check=True)
    modules = done.stdout.split()
    assert f"chrfect.metrics.{used}" in modules
    assert not {f"chrfect.metrics.{name}" for name in unused} & set(modules)
