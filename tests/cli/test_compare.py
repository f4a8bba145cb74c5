import csv
import io
import json
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import get_args

import pytest

from chrfect import ChrF, evaluate
from chrfect.cli import main
from chrfect.inference.corrections import Correction
from processes import started

REFERENCES = ["the cat sat on the mat", "a dog ran off", "it rains again today", "he said so", "we are here", "good"]
A = ["the cat sat on a mat", "a dog ran", "it is raining today", "he said so", "we were here", "good"]
B = ["a cat is on the mat", "dog", "rain", "she said it", "we are not here", "goods"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, lines in {"ref": REFERENCES, "A": A, "B_1": B}.items():
        (tmp_path / name).write_text("".join(line + "\n" for line in lines))
    return tmp_path


def run(capsys, *arguments):
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_table_equals_the_library(folder, capsys):
    status, output, errors = run(capsys, "compare", "ref", "-i", "A", "B_1", "--trials", "200", "--decimals", "3")
    assert (status, errors) == (0, "")
    found = evaluate({"A": A, "B_1": B}, REFERENCES).compare(trials=200)
    one = found.differences[0]
    row = next(line for line in output.splitlines() if line.startswith("B_1 ")).replace("†", "").split()
    assert row[:6] == [
        "B_1",
        "A",
        *(
            f"{v:.3f}"
            for v in (ChrF().corpus(B, REFERENCES).score, one.difference, one.interval.lower, one.interval.upper)
        ),
    ]
    assert row[6] == f"{one.p_value:.3f}"
    assert "randomization, 200 trials, seed 12345" in output
    assert "Kocmi et al. 2024" in output
    assert ChrF().signature_with(1) in output


def test_json_equals_to_dict(folder, capsys):
    _, output, _ = run(
        capsys, "compare", "ref", "-i", "A", "B_1", "--format", "json", "--trials", "50", "--resamples", "20"
    )
    expected = evaluate({"A": A, "B_1": B}, REFERENCES).compare(trials=50, resamples=20).to_dict()
    assert json.loads(output) == json.loads(json.dumps(expected))


def test_csv_has_a_header_and_full_precision(folder, capsys):
    _, output, _ = run(
        capsys, "compare", "ref", "-i", "A", "B_1", "--baseline", "B_1", "--format", "csv", "--trials", "50"
    )
    (row,) = csv.DictReader(io.StringIO(output))
    one = evaluate({"A": A, "B_1": B}, REFERENCES).compare("B_1", trials=50).differences[0]
    assert (row["system"], float(row["difference"]), float(row["p_value"])) == ("A", one.difference, one.p_value)


def test_latex_escapes_names_and_marks_the_best_and_the_significant(folder, capsys):
    _, output, _ = run(capsys, "compare", "ref", "-i", "A", "B_1", "--format", "latex", "--level", "0.5")
    assert "B\\_1" in output
    assert "\\textbf{" in output
    assert "\\dag{}" in output
    assert output.count("\\toprule") == 2
    assert all(line.startswith("% ") for line in output.splitlines()[-4:])


def test_test_sets_of_a_manifest_are_compared_one_by_one(folder, capsys):
    (folder / "sub").mkdir()
    manifest = {
        "news": {"systems": {"A": "../A", "B": "../B_1"}, "references": "../ref"},
        "again": {"systems": {"A": ["../A", "../B_1"], "B": "../A"}, "references": {"r": "../ref"}},
    }
    (folder / "sub" / "sets.json").write_text(json.dumps(manifest))
    status, output, _ = run(capsys, "compare", "--manifest", "sub/sets.json", "--trials", "50", "--format", "tsv")
    assert status == 0
    header, *lines = [line.split("\t") for line in output.splitlines()]
    assert [header[0], *(line[0] for line in lines)] == ["test_set", "news", "again", "mean"]
    differences = [float(line[header.index("difference")]) for line in lines]
    assert differences[2] == pytest.approx((differences[0] + differences[1]) / 2)
    status, output, _ = run(capsys, "compare", "--manifest", "sub/sets.json", "--trials", "50")
    assert f"{differences[2]:.2f}" in output.partition("mean over test sets")[2]
    status, output, _ = run(capsys, "compare", "--manifest", "sub/sets.json", "--trials", "50", "--format", "json")
    assert list(json.loads(output)["test_sets"]) == ["news", "again"]
    assert json.loads(output)["mean_differences"][0]["difference"] == differences[2]
    status, output, _ = run(capsys, "score", "--manifest", "sub/sets.json", "--decimals", "4")
    row = output.splitlines()[3].split()
    assert row[0] == "A"
    assert row[1] == f"{ChrF().corpus(A, REFERENCES).score:.4f}"
    assert float(row[3]) == pytest.approx((float(row[1]) + float(row[2])) / 2, abs=1e-4)


def test_scores_of_test_sets_have_intervals_and_groups(folder, capsys):
    sets = {name: {"systems": {"A": "A", "B": "B_1"}, "references": "ref"} for name in ("news", "again")}
    (folder / "sets.json").write_text(json.dumps(sets))
    asked = ["score", "--manifest", "sets.json", "--intervals", "--by", "reference-length", "--trials", "50"]
    status, output, errors = run(capsys, *asked)
    assert (status, errors) == (0, "")
    found = evaluate({"A": A, "B": B}, REFERENCES, by="reference-length")
    bounds = found.with_intervals(trials=50).score("A").interval
    assert output.count(f"{bounds.lower:.2f}  {bounds.upper:.2f}") == 2
    assert output.count("chrF by reference-length") == 2
    status, output, _ = run(capsys, *asked, "--format", "json")
    document = json.loads(output)["test_sets"]["again"]["scores"][0]
    assert (document["interval"]["lower"], list(document["groups"])) == (bounds.lower, ["reference-length"])
    status, _, errors = run(capsys, *asked, "--documents", "ref")
    assert status == 2
    assert 'With --manifest, name the files of each test set in it, as "documents"' in errors


def test_a_manifest_names_labels_of_segments(folder, capsys):
    (folder / "labels").write_text("x\nx\ny\ny\nz\nz\n")
    sets = {"news": {"systems": {"A": "A"}, "references": "ref", "by": ["labels", "length"]}}
    (folder / "sets.json").write_text(json.dumps(sets))
    status, output, _ = run(capsys, "score", "--manifest", "sets.json", "--by", "length", "--format", "json")
    assert status == 0
    groups = json.loads(output)["test_sets"]["news"]["scores"][0]["groups"]
    assert list(groups) == ["length", "labels"]
    assert [group["score"] for group in groups["labels"]["scores"]] == [
        ChrF().corpus(A[i : i + 2], REFERENCES[i : i + 2]).score for i in (0, 2, 4)
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-i", "A"], "leave out REF"),
        (["--references", "r=ref"], "leave out REF"),
        (["--source", "ref"], "--names and --source are for one test set"),
        (["--names", "x"], "--names and --source are for one test set"),
        (["--segments"], "--segments applies to one test set"),
    ],
)
def test_rejects_options_for_one_test_set_with_a_manifest(folder, capsys, arguments, message):
    (folder / "sets.json").write_text(json.dumps({"news": {"systems": {"A": "A"}, "references": "ref"}}))
    status, output, errors = run(capsys, "score", "--manifest", "sets.json", *arguments)
    assert (status, output) == (2, "")
    assert message in errors


@pytest.mark.parametrize(
    "text", ["[]", "{}", "no JSON", '{"a": {"systems": {}}}', '{"a": {"systems": {}, "references": "ref", "b": 1}}']
)
def test_error_for_an_invalid_manifest_shows_an_example(folder, capsys, text):
    (folder / "sets.json").write_text(text)
    status, _, errors = run(capsys, "compare", "--manifest", "sets.json")
    assert status == 2
    assert "invalid manifest" in errors
    assert '{"news": {"systems"' in errors


def test_a_folder_of_test_sets_is_a_manifest(folder, capsys):
    manifest = {}
    for name in ("again", "news"):
        for kind, files in (("systems", ("A", "B_1")), ("references", ("ref",))):
            (folder / "sets" / name / kind).mkdir(parents=True)
            for file in files:
                (folder / "sets" / name / kind / file).write_text((folder / file).read_text())
        (folder / "sets" / name / "documents.txt").write_text("x\nx\ny\ny\nz\nz\n")
        systems, documents = {"A": "A", "B_1": "B_1"}, f"sets/{name}/documents.txt"
        manifest[name] = {"systems": systems, "references": {"ref": "ref"}, "documents": documents}
    (folder / "sets.json").write_text(json.dumps(manifest))
    for command in (["score"], ["compare", "--trials", "50"]):
        found = [run(capsys, *command, "--manifest", path, "--format", "json") for path in ("sets", "sets.json")]
        assert found[0] == found[1]
        assert found[0][0] == 0
    (folder / "sets" / "news" / "references" / "ref").unlink()
    status, output, errors = run(capsys, "score", "--manifest", "sets")
    assert (status, output) == (2, "")
    assert "references: not a folder, or without files" in errors


@pytest.mark.parametrize("command", ["compare", "score"])
def test_a_full_disk_keeps_the_old_output(folder, command):
    (folder / "out").write_text("old")
    # -B: Python would cut its bytecode off at the limit as well, and other processes would load it
    arguments = [
        sys.executable,
        "-B",
        "-m",
        "chrfect",
        command,
        "ref",
        "-i",
        "A",
        "B_1",
        "--format",
        "json",
        "-o",
        "out",
    ]

    def few_bytes():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    done = subprocess.run(arguments, capture_output=True, text=True, preexec_fn=few_bytes, check=False, timeout=60)
    assert done.returncode == 1
    assert "out" in done.stderr
    assert "Traceback" not in done.stderr
    assert (folder / "out").read_text() == "old"
    assert {path.name for path in folder.iterdir()} == {"ref", "A", "B_1", "out"}


def test_ctrl_c_ends_with_130_and_keeps_the_old_output(folder):
    (folder / "out").write_text("old")
    arguments = [sys.executable, "-m", "chrfect", "compare", "ref", "-i", "A", "B_1", "-o", "out"]
    with started([*arguments, "--trials", "2000000000"], stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 60
        while "_fast" not in Path(f"/proc/{process.pid}/maps").read_text() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, b"")
    assert (folder / "out").read_text() == "old"
    assert {path.name for path in folder.iterdir()} == {"ref", "A", "B_1", "out"}


def test_an_output_file_is_written_whole_and_never_over_an_input(folder, capsys):
    status, output, _ = run(
        capsys, "compare", "ref", "-i", "A", "B_1", "-o", "out.tsv", "--format", "tsv", "--trials", "9"
    )
    assert (status, output) == (0, "")
    assert (folder / "out.tsv").read_text().startswith("metric\tbaseline")
    status, _, errors = run(capsys, "compare", "ref", "-i", "A", "B_1", "-o", "A", "--trials", "9")
    assert status == 2
    assert "would overwrite the input" in errors
    assert (folder / "A").read_text().splitlines() == A


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-i", "A"], "There is one system, A; at least two are needed"),
        (["-i", "A", "B_1", "--baseline", "C"], "There is no system 'C'; one of A, B_1"),
        (["-i", "x=A", "x=B_1"], "The name x is repeated among the systems"),
        (["-i", "A", "B_1", "--test", "t"], "invalid choice: 't'"),
        (["-i", "A", "B_1", "--trials", "0"], "trials is 0"),
        (["-i", "A", "B_1", "--decimals", "-1"], "--decimals is -1"),
        (["-i", "A", "B_1", "--names", "one"], "--names has 1 names for 2 systems"),
        (["-i", "A", "B_1", "--seed", "-1"], "seed is -1; a whole number of at least 0"),
        (["--manifest", "A"], "leave out REF"),
    ],
)
def test_bad_input_ends_with_2(folder, capsys, arguments, message):
    status, output, errors = run(capsys, "compare", "ref", *arguments)
    assert (status, output) == (2, "")
    assert message in errors


def test_tables_fit_into_80_columns(folder, capsys):
    metrics = ["chrF", "chrF(beta=3,lowercase=yes)", "BLEU", "TER"]
    commands = (
        ["compare"],
        ["compare", "--test", "sacrebleu-ar"],
        ["score", "--intervals", "--by", "reference-length"],
    )
    for command in commands:
        status, output, _ = run(capsys, command[0], "ref", "-i", "A", "B_1", "-m", *metrics, *command[1:])
        assert status == 0
        lines = output.splitlines()
        assert max(len(line) for line in lines if "|version:" not in line) <= 80
        assert [line.partition("|")[0] for line in lines if "|version:" in line] == metrics


def test_where_equals_the_library(folder, capsys):
    (folder / "labels").write_text("x\ny\nx\ny\nx\ny\n")
    common = ("compare", "ref", "-i", "A", "B_1", "--trials", "20", "--resamples", "50", "--by", "labels")
    _, output, _ = run(capsys, *common, "--where", "2", "--format", "json")
    (where,) = json.loads(output)["where"]
    evaluation = evaluate({"A": A, "B_1": B}, REFERENCES, by={"labels": list("xyxyxy")})
    assert where == json.loads(json.dumps(evaluation.contrast("A", "B_1", limit=2, trials=50).to_dict()))
    _, output, _ = run(capsys, *common, "--where", "2")
    assert "The texts" in output
    identical = sum(a == b for a, b in zip(A, B, strict=True))
    assert output.split("identical outputs\n")[1].splitlines()[2].split() == ["B_1", "A", str(identical)]
    assert "chrF: B_1 minus A, by labels" in output
    assert "What A matches and B_1 misses" in output
    names = [line.split()[0] for line in output.split("by labels")[1].splitlines()[3:5]]
    assert names == ["x", "y"]


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("c.csv", "metric,"),
        ("c.TSV", "metric\t"),
        ("c.json", "{"),
        ("c.md", "chrF: ranks\n\n| rank |"),
        ("c.txt", "chrF: ranks\nrank "),
    ],
)
def test_the_extension_of_the_output_names_the_format(folder, capsys, name, beginning):
    command = ("compare", "ref", "-i", "A", "B_1", "--trials", "20", "--resamples", "50")
    assert run(capsys, *command, "-o", name)[:2] == (0, "")
    assert (folder / name).read_text().startswith(beginning)


def test_a_page_and_figures_are_written(folder, capsys):
    pytest.importorskip("matplotlib")
    common = ("compare", "ref", "-i", "A", "B_1", "--trials", "20", "--resamples", "50")
    assert run(capsys, *common, "-o", "report.html", "--title", "Our test", "--figures", "figures")[0] == 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert '<h1 dir="auto">Our test</h1>' in page
    names = {f"chrF-{name}.{form}" for form in ("svg", "png", "pdf") for name in FIGURES}
    assert {path.name for path in (folder / "figures").iterdir()} == names
    signs = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF-"}
    assert all(path.read_bytes().startswith(signs[path.suffix[1:]]) for path in (folder / "figures").iterdir())


FIGURES = ["systems", "pairs", "distributions", "B_1-segments", "B_1-groups"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--where", "0"], "--where is 0; a whole number of at least 1 was expected"),
        (["--where", "--format", "tsv"], "--where has several tables, and tsv has one"),
        (["--manifest", "sets.json", "-o", "page.html"], "apply to one test set"),
    ],
)
def test_rejects_incompatible_options(folder, capsys, arguments, message):
    status, _, errors = run(capsys, "compare", "ref", "-i", "A", "B_1", *arguments)
    assert status == 2
    assert message in " ".join(errors.split())


def test_a_page_does_not_replace_an_input(folder, capsys):
    (folder / "A.html").write_bytes((folder / "A").read_bytes())
    status, _, errors = run(capsys, "compare", "ref", "-i", "A.html", "B_1", "-o", "A.html", "--trials", "20")
    assert status == 2
    assert "would overwrite the input" in errors


@pytest.mark.parametrize("correction", get_args(Correction))
def test_every_correction_has_a_name_in_tables_and_pages(folder, capsys, correction):
    command = ("compare", "ref", "-i", "A", "B_1", "--trials", "20", "--resamples", "20", "--correction", correction)
    for form in ("table", "html"):
        status, output, _ = run(capsys, *command, "--format", form)
        assert (status, "†: p" in output) == (0, True)
