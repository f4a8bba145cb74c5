"""The examples in the help of every command run."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from chrfect.cli import COMMANDS, main, parser_with
from conftest import ROOT

EXAMPLES = ROOT / "examples"
NOT_RUN = re.compile(r"chrfect (serve|reproduce)|--base-url|--engine|-t wmt17")
"""Examples that need a server, a cluster, a study's data or a cache of sacreBLEU: only their arguments are checked."""


def examples(command):
    """Return the examples in the help of a command, without the explanations after two spaces."""
    commands = parser_with([command])._subparsers._group_actions[0].choices
    text = re.sub(r"\s*\\\n\s*", " ", commands[command].epilog)
    lines = text.partition("example")[2].partition("\n\n")[0].splitlines()[1:]
    found = [line.strip().partition("  ")[0] for line in lines]
    return [line for line in found if "chrfect " in line and not line.endswith(":") and not line.startswith("{")]


CASES = [(command, line) for command in COMMANDS for line in examples(command)]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A folder with every file that the examples name."""
    folder = tmp_path_factory.mktemp("examples")
    reference, good, poor = (
        (EXAMPLES / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        for name in ("reference", "systemA", "systemB")
    )
    texts = {
        "reference": ["reference", "ref", "ref1", "ref2", "refA", "refB", "source"],
        "good": ["system", "systemA", "new", "A", "run1", "run2", "outputs/one"],
        "poor": ["systemB", "systemC", "base", "B", "run3", "run4", "outputs/two"],
        "labels": ["documents", "domain"],
    }
    (folder / "outputs").mkdir()
    lines = {"reference": reference, "good": good, "poor": poor, "labels": ["news"] * 5 + ["talks"] * 5}
    for kind, names in texts.items():
        for name in names:
            write(folder / f"{name}.txt", lines[kind])
    write(folder / "data.tsv", ["reference\tA\tB", *map("\t".join, zip(reference, good, poor, strict=True))])
    sets = {"news": {"systems": {"A": "A.txt", "B": "B.txt"}, "references": {"ref": "ref.txt"}}}
    (folder / "sets.json").write_text(json.dumps(sets))
    (folder / "input.json").write_text(json.dumps({"hypotheses": ["cat"], "references": ["the cat"]}))
    write_candidates(folder)
    write_ratings(folder, reference, good, poor)
    write_tables(folder, reference, good, poor)
    programs = folder / "bin"
    programs.mkdir()
    for name, code in {
        "chrfect": f'exec {sys.executable} -m chrfect "$@"',
        "jq": f'exec {sys.executable} -c "import json, sys; print(json.load(sys.stdin)[sys.argv[1][1:]])" "$@"',
        "translate": f"cat {folder}/system.txt",
    }.items():
        (programs / name).write_text(f"#!/bin/sh\n{code}\n")
        (programs / name).chmod(0o755)
    return folder


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def write_candidates(folder):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")
    from pyarrow import parquet

    lists = [json.loads(line) for line in (EXAMPLES / "candidates.jsonl").read_text().splitlines()]
    for name in ("samples", "beams"):
        shutil.copy(EXAMPLES / "candidates.jsonl", folder / f"{name}.jsonl")
    weights = [[1 / len(texts)] * len(texts) for texts in lists]
    parquet.write_table(pyarrow.table({"candidates": lists, "probabilities": weights}), folder / "samples.parquet")


def write_ratings(folder, reference, good, poor):
    """Write ratings of three systems in the layouts that `correlate` reads."""
    systems = {"good": good, "poor": poor, "same": reference}
    rated = [
        (system, item, text, reference[item], -2.0 * index - item % 3, 50 + 10 * index + item % 4)
        for index, (system, texts) in enumerate(systems.items())
        for item, text in enumerate(texts)
    ]
    rows = [f"{system}\t{item}\t{text}\t{right}\t{mqm}" for system, item, text, right, mqm, _ in rated]
    write(folder / "en-de.mqm.tsv", ["system\titem\thypothesis\tref_A\tmqm", *rows])
    rows = [f"{system},{item},{da},{da + item},{da - item}" for system, item, _, _, _, da in rated]
    write(folder / "scores.csv", ["system,item,da,chrF,COMET", *rows])
    for name, place in (("en-de.mqm", 4), ("chrF-refA", 5), ("BLEU-refA", 1)):
        write(folder / f"{name}.seg.score", [f"{row[0]}\t{row[place]}" for row in rated])
    write(folder / "DA-syslevel.tsv", ["lp\tsystem\tda", "gu-en\tgood\t80", "gu-en\tpoor\t20", "gu-en\tsame\t90"])
    rows = map("\t".join, zip(reference, good, poor, reference, strict=True))
    write(folder / "newstest2019.gu-en.tsv", ["reference\tgood\tpoor\tsame", *rows])


def write_tables(folder, reference, good, poor):
    """Write data sets for `counts`."""
    import pyarrow
    from pyarrow import parquet

    (folder / "shards").mkdir()
    (folder / "folder").mkdir()
    table = {"hypothesis": good, "reference": reference, "system": ["A", "B"] * 5, "dataset": ["news"] * 10}
    for name in ("data", "folder/data"):
        parquet.write_table(pyarrow.table(table), folder / f"{name}.parquet")
    rows = [{"mt": text, "refA": right, "refB": right} for text, right in zip(poor, reference, strict=True)]
    with pyarrow.CompressedOutputStream(folder / "shards" / "one.jsonl.zst", "zstd") as out:
        out.write("".join(f"{json.dumps(row)}\n" for row in rows).encode())
    with pyarrow.CompressedOutputStream(folder / "data.tsv.zst", "zstd") as out:
        lines = ["hypothesis\treference", *map("\t".join, zip(good, reference, strict=True))]
        out.write("".join(f"{line}\n" for line in lines).encode())
    command = ["counts", str(folder / "data.parquet"), "--by", "system", "--metrics", "chrF"]
    assert main([*command, "-o", str(folder / "part1.parquet")]) == 0


def test_every_command_has_examples():
    assert {command for command, _ in CASES} == set(COMMANDS)


@pytest.mark.parametrize(("command", "line"), CASES, ids=[line for _, line in CASES])
def test_an_example_runs(command, line, stored, tmp_path, monkeypatch, capsys):
    if NOT_RUN.search(line):
        words = line.partition("&&")[0].split()
        assert parser_with([command]).parse_args(words[1:]).command == command
        return
    if command == "completion":
        pytest.importorskip("shtab", reason="shtab is not installed: pip install shtab")
        monkeypatch.setenv("HOME", str(tmp_path))
        for folder in (".local/share/bash-completion/completions", ".zfunc"):
            (tmp_path / folder).mkdir(parents=True)
    for entry in stored.iterdir():
        (tmp_path / entry.name).symlink_to(entry)
    if command != "mcp" and not re.search(r"[|<>$]", line):
        monkeypatch.chdir(tmp_path)
        steps = [main(shlex.split(step)[1:]) for step in line.split("&&")]
        assert steps == [0] * len(steps), capsys.readouterr().err
        return
    environment = {**os.environ, "PATH": f"{stored / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
