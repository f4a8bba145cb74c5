import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from wcwidth import wcswidth

from chrfect import explain, explain_corpus, parse
from chrfect.cli import main
from conftest import ROOT
from processes import started

EXAMPLES = ROOT / "examples"
REFERENCE, SYSTEM = str(EXAMPLES / "reference.txt"), str(EXAMPLES / "systemB.txt")


def lines(path):
    return Path(path).read_text(encoding="utf-8").split("\n")[:-1]


def test_a_segment_is_explained_with_its_texts_marked(capsys):
    assert main(["explain", REFERENCE, "-i", SYSTEM, "--segment", "1"]) == 0
    output = capsys.readouterr().out
    score = parse("chrF++").sentence(lines(SYSTEM)[0], lines(REFERENCE)[0]).score_text
    assert output.startswith(f"chrF++ {score}: segment 1 of systemB.txt\n")
    assert lines(SYSTEM)[0] in output
    assert "What would raise the score most: missed runs" in output
    assert "\x1b" not in output


def test_without_a_segment_the_corpus_is_explained(capsys):
    assert main(["explain", REFERENCE, "-i", SYSTEM, "-m", "chrF", "--limit", "3"]) == 0
    output = capsys.readouterr().out
    score = parse("chrF").corpus(lines(SYSTEM), lines(REFERENCE)).score_text
    assert output.startswith(f"chrF {score}: systemB.txt\n")
    assert "Missed more than invented" in output
    assert "Invented more than missed" in output


def test_json_is_the_value_of_the_library(capsys):
    assert main(["explain", REFERENCE, "-i", SYSTEM, "--segment", "2", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    why = explain(parse("chrF++"), lines(SYSTEM)[1], {"reference.txt": lines(REFERENCE)[1]}, limit=10)
    assert data == json.loads(json.dumps(why.to_dict()))
    assert main(["explain", REFERENCE, "-i", SYSTEM, "--format", "json", "-m", "wordF"]) == 0
    data = json.loads(capsys.readouterr().out)
    whole = explain_corpus(parse("wordF"), lines(SYSTEM), lines(REFERENCE), limit=10)
    assert data == json.loads(json.dumps(whole.to_dict()))


def test_output_extension_selects_the_format(tmp_path, capsys):
    for name, start in (("a.html", "<!DOCTYPE html>"), ("a.md", "# chrF++ "), ("a.json", "{"), ("a.txt", "chrF++ ")):
        path = tmp_path / name
        assert main(["explain", REFERENCE, "-i", SYSTEM, "--segment", "3", "-o", str(path)]) == 0
        assert path.read_text(encoding="utf-8").startswith(start)
    assert capsys.readouterr().out == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "a.json", "a.md", "a.txt"]


def test_several_references_are_named_by_their_files(tmp_path, capsys):
    other = tmp_path / "other.txt"
    other.write_text("".join(f"{line}\n" for line in lines(SYSTEM)), encoding="utf-8")
    assert main(["explain", REFERENCE, str(other), "-i", SYSTEM, "--segment", "4"]) == 0
    output = capsys.readouterr().out
    assert "Of 2 references other.txt counts, which gives the best score." in output
    assert main(["explain", REFERENCE, str(other), "-i", SYSTEM]) == 0
    assert "Of the references counts: other.txt in 10." in capsys.readouterr().out


@pytest.mark.parametrize("segment", ["0", "11", "-1"])
def test_a_segment_out_of_range_names_the_range(segment, capsys):
    assert main(["explain", REFERENCE, "-i", SYSTEM, "--segment", segment]) == 2
    assert f"--segment is {segment}, but the files have 10 segments: use 1 to 10" in capsys.readouterr().err


def test_errors_name_other_wrong_arguments(capsys, tmp_path):
    assert main(["explain", REFERENCE, "-i", SYSTEM, "--limit", "0"]) == 2
    assert "limit is 0; a whole number of at least 1" in capsys.readouterr().err
    assert main(["explain", REFERENCE, "-i", SYSTEM, "-m", "meteor"]) == 2
    assert "is not the name of a metric" in capsys.readouterr().err
    assert main(["explain", REFERENCE, "-i", SYSTEM, "-o", str(tmp_path / "no" / "where.html")]) == 1
    assert "no such file" in capsys.readouterr().err


def run(arguments, **environment):
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR", "COLORTERM")}
    return subprocess.run(
        [sys.executable, "-m", "chrfect", "explain", REFERENCE, "-i", SYSTEM, *arguments],
        env={**kept, "TERM": "xterm-256color", **environment},
        capture_output=True,
        timeout=120,
    )


def on_a_terminal(arguments, **environment):
    """Run on a pseudo terminal and return what it gets."""
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR", "COLORTERM")}
    parent, child = pty.openpty()
    command = [sys.executable, "-m", "chrfect", "explain", REFERENCE, "-i", SYSTEM, *arguments]
    environment = {**kept, "TERM": "xterm-256color", **environment}
    with started(command, env=environment, stdout=child, stdin=child, close_fds=True) as process:
        os.close(child)
        data = b""
        while True:
            try:
                part = os.read(parent, 65536)
            except OSError:
                break
            if not part:
                break
            data += part
        os.close(parent)
        assert process.wait(60) == 0
    return data


def test_colours_are_used_only_on_terminals():
    assert b"\x1b[48;5;" in on_a_terminal(["--segment", "1"])
    assert b"\x1b[48;2;" in on_a_terminal(["--segment", "1"], COLORTERM="truecolor")
    assert b"\x1b[41;97" in on_a_terminal(["--segment", "1"], TERM="linux")
    assert b"\x1b" not in on_a_terminal(["--segment", "1"], NO_COLOR="1")
    assert b"\x1b" not in run(["--segment", "1"]).stdout
    assert b"\x1b[48;5;" in run(["--segment", "1"], FORCE_COLOR="2").stdout


def test_marks_are_below_their_characters_where_the_encoding_escapes_some(tmp_path):
    (tmp_path / "reference.txt").write_text("Zwölf Äpfel × 3 fielen\n", encoding="utf-8")
    (tmp_path / "system.txt").write_text("Zwölf Öpfel × 4 fielen\n", encoding="utf-8")
    paths = [str(tmp_path / "reference.txt"), "-i", str(tmp_path / "system.txt")]
    done = subprocess.run(
        [sys.executable, "-m", "chrfect", "explain", *paths, "-m", "chrF(char_order=1)"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    printed = done.stdout.decode("ascii").splitlines()
    at = printed.index("Hypothesis")
    assert printed[at + 1 : at + 3] == ["  Zw\\xf6lf \\xd6pfel \\xd7 4 fielen", " " * 11 + "xxxx" + " " * 10 + "x"]
    table = printed[printed.index("What each order contributes to the score") + 1 :]
    assert len({len(line) for line in table[1:4]}) == 1
    assert max(map(len, printed[:-1])) <= 80


def test_columns_sets_the_width_of_a_pipe():
    for columns in (60, 120):
        printed = run(["--segment", "1"], COLUMNS=str(columns)).stdout.decode()
        texts = printed.split("What each order")[0].splitlines()
        assert max(map(wcswidth, texts)) <= columns
        assert max(map(wcswidth, texts)) > columns - 20
    assert max(map(wcswidth, run(["--segment", "1"], COLUMNS="").stdout.decode().split("What")[0].splitlines())) <= 80


def test_a_corpus_is_explained_within_the_width_of_a_pipe():
    for columns in (80, 120):
        lines = run([], COLUMNS=str(columns)).stdout.decode().splitlines()
        assert "Missed more than invented" in lines
        assert max(map(wcswidth, lines[:-1])) <= columns


def test_an_output_that_is_also_an_input_is_an_error(tmp_path, capsys):
    reference, system = tmp_path / "reference.txt", tmp_path / "system.txt"
    for path, source in ((reference, REFERENCE), (system, SYSTEM)):
        path.write_text(Path(source).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "link.txt").symlink_to(system)
    os.link(reference, tmp_path / "hard.txt")
    before = reference.read_bytes(), system.read_bytes()
    for output in ("system.txt", "reference.txt", "link.txt", "hard.txt"):
        path = str(tmp_path / output)
        assert main(["explain", str(reference), "-i", str(system), "-o", path]) == 2
        assert "would overwrite the input" in capsys.readouterr().err
    assert (reference.read_bytes(), system.read_bytes()) == before
    assert main(["explain", str(reference), "-i", str(system), "-o", str(tmp_path / "new.txt")]) == 0


def test_unknown_extension_is_an_error_that_names_the_formats(tmp_path, capsys):
    path = tmp_path / "why.pdf"
    assert main(["explain", REFERENCE, "-i", SYSTEM, "-o", str(path)]) == 2
    assert "'why.pdf' ends in .pdf, which is not a supported format; use .txt, .md, .html or .json" in (
        capsys.readouterr().err
    )
    assert not path.exists()
    assert main(["explain", REFERENCE, "-i", SYSTEM, "-o", str(path), "--format", "html"]) == 0
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_help_explains_the_default_metric(capsys):
    with pytest.raises(SystemExit):
        main(["explain", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "The default metric is chrF++, which also counts words" in shown
    assert "the default of `chrfect score` is chrF" in shown


def test_json_stays_json_in_any_encoding():
    done = run(["--segment", "10", "--format", "json"], PYTHONIOENCODING="ascii")
    assert "🏡" in json.loads(done.stdout)["reference"]["text"]


def test_a_dash_is_standard_output(capsys):
    assert main(["explain", REFERENCE, "-i", SYSTEM, "--segment", "1", "-o", "-"]) == 0
    assert capsys.readouterr().out.startswith("chrF++ ")


@pytest.mark.long
def test_explanation_of_a_megabyte_has_shortened_lists_and_texts(tmp_path, capsys):
    words = [f"word{i * 7919 % 5003}" for i in range(120_000)]
    hypothesis, reference = tmp_path / "h.txt", tmp_path / "r.txt"
    hypothesis.write_text(" ".join(words) + "\n")
    reference.write_text(" ".join(word[::-1] if i % 3 == 0 else word for i, word in enumerate(words)) + "\n")
    assert hypothesis.stat().st_size > 1_000_000
    assert main(["explain", str(reference), "-i", str(hypothesis)]) == 0
    output = capsys.readouterr().out
    assert "(the first 2,000 of 1," in output
    assert "missed runs (the first 10 of " in output
    assert len(output) < 20_000


def test_the_worst_segments_are_explained_the_worst_first(capsys, tmp_path):
    assert main(["explain", REFERENCE, "-i", SYSTEM, "--worst", "3", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["explanations"]
    scores = parse("chrF++").segments(lines(SYSTEM), lines(REFERENCE)).scores
    worst = sorted(range(len(scores)), key=lambda i: scores[i])[:3]
    assert [one["title"] for one in found] == [f"segment {i + 1} of systemB.txt" for i in worst]
    assert [one["result"]["score"] for one in found] == [scores[i] for i in worst]
    page = tmp_path / "worst.html"
    assert main(["explain", REFERENCE, "-i", SYSTEM, "--worst", "3", "-o", str(page)]) == 0
    assert page.read_text(encoding="utf-8").count("<h2>chrF++ ") == 3


def test_several_systems_are_explained_one_after_another(capsys):
    other = str(EXAMPLES / "systemA.txt")
    assert main(["explain", REFERENCE, "-i", other, SYSTEM, "--segment", "2", "--limit", "1"]) == 0
    output = capsys.readouterr().out
    assert output.index("segment 2 of systemA.txt") < output.index("segment 2 of systemB.txt")
    assert main(["explain", REFERENCE, "-i", other, SYSTEM, "--worst", "1", "-m", "TER", "--format", "json"]) == 0
    titles = [one["title"] for one in json.loads(capsys.readouterr().out)["explanations"]]
    ter = parse("TER")
    sums = [
        sum(ter.sentence(lines(path)[i], text).score for path in (other, SYSTEM))
        for i, text in enumerate(lines(REFERENCE))
    ]
    worst = sums.index(max(sums)) + 1
    assert titles == [f"segment {worst} of systemA.txt", f"segment {worst} of systemB.txt"]


def test_the_number_of_worst_segments_is_at_least_one(capsys):
    assert main(["explain", REFERENCE, "-i", SYSTEM, "--worst", "0"]) == 2
    assert "--worst is 0; a whole number of at least 1 was expected" in capsys.readouterr().err
