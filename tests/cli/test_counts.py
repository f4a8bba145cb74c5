import json
import os
import signal
import subprocess
import sys
import time

import pytest

from chrfect import parse
from chrfect.cli import main
from chrfect.inference.bootstrap import bootstrap
from processes import started

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

HYPOTHESES = ["the cat sat", "a dog ran", "it rains", "he said so"]
REFERENCES = ["the cat sat down", "the dog ran", "it rained", "she said so"]
DOCUMENTS = ["x", "x", "y", "z"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, rows in {"a": slice(0, 2), "b": slice(2, 4)}.items():
        columns = {"hypothesis": HYPOTHESES[rows], "reference": REFERENCES[rows], "doc": DOCUMENTS[rows]}
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    return tmp_path


def run(capsys, *arguments):
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_parts_are_merged_to_the_scores_of_the_corpus(folder, capsys):
    for name in "ab":
        arguments = [f"{name}.parquet", "-m", "chrF++", "BLEU", "-o", f"part{name}.parquet"]
        assert run(capsys, "counts", *arguments) == (0, "", "")
    status, output, _ = run(capsys, "merge", "part*.parquet", "--json")
    assert status == 0
    for record, name in zip(json.loads(output), ("chrF++", "BLEU"), strict=True):
        result = parse(name).corpus(HYPOTHESES, REFERENCES)
        assert (record["score"], record["score_text"]) == (result.score, result.score_text)
        assert (record["segments"], record["signature"]) == (4, result.signature)
    _, output, _ = run(capsys, "merge", "parta.parquet", "partb.parquet")
    assert f"{parse('chrF++').corpus(HYPOTHESES, REFERENCES).score:.2f}" in output
    assert not os.path.exists("parta.parquet.unfinished")


def test_parts_are_merged_without_importing_pandas(folder, capsys):
    assert run(capsys, "counts", "a.parquet", "-o", "part.parquet") == (0, "", "")
    code = "import sys; from chrfect.cli import main; main(['merge', 'part.parquet']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"pandas", "pyarrow.compute"} & set(done.stdout.split())


def test_groups_have_scores_and_are_resampled(folder, capsys):
    run(capsys, "counts", "*.parquet", "--by", "doc", "-o", "part")
    _, output, _ = run(capsys, "merge", "part", "--by", "doc", "--json")
    found = {record["group"]["doc"]: record["score"] for record in json.loads(output)}
    metric = parse("chrF")
    for doc in "xyz":
        own = [i for i, document in enumerate(DOCUMENTS) if document == doc]
        assert found[doc] == metric.corpus([HYPOTHESES[i] for i in own], [REFERENCES[i] for i in own]).score
    _, output, _ = run(capsys, "merge", "part", "--intervals", "--trials", "200", "--json")
    interval = json.loads(output)[0]["interval"]
    rows = metric.count(HYPOTHESES, REFERENCES).sum_by(DOCUMENTS).to_numpy()
    scores = sorted(bootstrap([rows], lambda sums: metric.float_array(sums.ravel()), trials=200)[0])
    assert interval["groups"] == 3
    assert scores[0] <= interval["lower"] <= scores[10] < scores[-10] <= interval["upper"] <= scores[-1]


def test_a_sum_of_parts_is_a_part(folder, capsys):
    for name in "ab":
        run(capsys, "counts", f"{name}.parquet", "-o", f"{name}.part")
    assert run(capsys, "merge", "a.part", "b.part", "-o", "all.part") == (0, "", "")
    assert run(capsys, "merge", "all.part") == run(capsys, "merge", "a.part", "b.part")
    status, _, errors = run(capsys, "merge", "all.part", "a.part")
    assert status == 2
    assert "both contain the counts of" in errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["counts", "none*", "-o", "p"], "none*: no data file found"),
        (["counts", "a.parquet", "-o", "a.parquet"], "would overwrite the input"),
        (["counts", "a.parquet", "--hypothesis", "hypothesys", "-o", "p"], "Did you mean 'hypothesis'?"),
        (["merge", "a.parquet"], "a.parquet is not a part"),
        (["merge", "part", "--by", "system"], "no groups by 'system'; they have none"),
        (["merge", "part", "--intervals"], "--intervals resamples the groups of the parts"),
    ],
)
def test_errors_name_the_cause_and_the_position(folder, capsys, arguments, message):
    run(capsys, "counts", "a.parquet", "-o", "part")
    status, output, errors = run(capsys, *arguments)
    assert (status, output) == (2, "")
    assert message in errors


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_run_continues_and_gives_the_same_part(tmp_path):
    columns = {
        "hypothesis": ["a cat sat on the mat " * 20] * 4_000,
        "reference": ["the cat sat on a mat " * 20] * 4_000,
    }
    for number in range(12):
        pq.write_table(pa.table(columns), tmp_path / f"{number}.parquet")
    command = [sys.executable, "-m", "chrfect", "counts", "*.parquet", "-m", "TER", "-o", "part", "--threads", "1"]
    kept = tmp_path / "part.unfinished"
    with started(command, cwd=tmp_path) as process:
        while process.poll() is None and not list(kept.glob("[0-9a-f]*.parquet")):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    assert 0 < len(list(kept.glob("[0-9a-f]*.parquet"))) < 12
    assert not (tmp_path / "part").exists()
    subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
    merged = subprocess.run(
        [sys.executable, "-m", "chrfect", "merge", "part", "--json"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        timeout=120,
    )
    result = parse("TER").corpus(columns["hypothesis"] * 12, columns["reference"] * 12)
    (record,) = json.loads(merged.stdout)
    assert list(record["counts"].values()) == list(result.counts.values)
    assert record["segments"] == 48_000
