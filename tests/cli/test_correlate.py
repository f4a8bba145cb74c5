"""`chrfect correlate`: tables, measures, output formats and errors."""

import json
import re
import subprocess
import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest

from chrfect import ChrF
from chrfect.cli import main
from chrfect.meta.sources import read_wmt
from chrfect.meta.statistics import STATISTICS
from conftest import in_long
from realdata import read_tsv

QUICK = ["--resamples", "10", "--permutations", "10"]


@pytest.fixture
def table(tmp_path):
    generator = np.random.default_rng(0)
    lines = ["system\titem\thuman\tgood\tbad"]
    for system in "ABCDE":
        for item in range(12):
            human = generator.normal() + ord(system) / 9
            lines.append(
                f"{system}\t{item}\t{human:.4f}\t{human + generator.normal() / 5:.4f}\t{generator.normal():.4f}"
            )
    path = tmp_path / "en-de.tsv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_a_table_with_its_whole_measure_at_80_columns(table, capsys):
    assert main(["correlate", table, "--scores", "bad", "good"]) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert lines[0] == "en-de: pearson"
    assert lines[1].split() == ["rank", "metric", "pearson", "low", "high"]
    assert lines[3].split()[:2] == ["1", "good"]
    assert lines[4].split()[:2] == ["2", "bad"]
    assert max(map(len, lines)) <= 80
    for said in (
        "measure: segment level, not grouped, pearson; Pearson's r",
        "mask: 60 of 60 cells rated and scored",
        "systems (5): A, B, C, D, E",
        "interval: 95% bootstrap over systems and items, 1,000 resamples, seed 12345",
        "test: paired bootstrap over systems and items, two-sided, 1,000 resamples, seed",
        "null hypothesis: the agreement of the two metrics is equal for other samples of",
        "correction: holm over 1 comparison",
        "ranks: a new one where the corrected p-value",
    ):
        assert said in out


def test_json_is_complete_and_full_precision(table, capsys):
    command = ["correlate", table, "--scores", "good", "bad", "--group", "item", *QUICK, "--format", "json"]
    assert main([*command, "--statistic", "kendall-b", "accuracy-calibrated"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [one["metrics"][0]["statistic"] for one in document["judged"]] == ["kendall-b", "accuracy-calibrated"]
    assert document["judged"][1]["metrics"][0]["epsilon"] >= 0
    assert document["judged"][0]["metrics"][0]["grouping"] == "item"


def test_a_detail_selects_its_method(table, capsys):
    assert main(["correlate", table, "--scores", "good", "bad", "--swap", "items", "--resample", "both", *QUICK]) == 0
    out = capsys.readouterr().out
    assert "test: permutation of items, two-sided, 10 permutations" in out
    assert "interval: 95% bootstrap over systems and items, 10 resamples" in out


@pytest.mark.parametrize(
    ("form", "start"), [("markdown", "en-de: pearson"), ("latex", "% en-de: pearson"), ("html", "<!DOCTYPE html>")]
)
def test_output_formats_contain_the_table(table, capsys, form, start):
    assert main(["correlate", table, "--scores", "good", "--format", form]) == 0
    out = capsys.readouterr().out
    assert out.startswith(start)
    assert "measure: segment level" in out


def test_every_statistic_runs_on_both_levels(table, capsys):
    single = [name for name in STATISTICS if name != "soft-accuracy"]
    assert main(["correlate", table, "--scores", "good", "bad", *QUICK, "--margin", "0.1", "--statistic", *single]) == 0
    command = ["correlate", table, "--scores", "good", *QUICK, "--margin", "0.1", "--level", "system"]
    assert main([*command, "--statistic", *STATISTICS]) == 0
    assert "soft-accuracy" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["svg", *in_long("png", "pdf")])
def test_figures_are_written(table, tmp_path, capsys, form):
    folder = tmp_path / "figures" / form
    command = [
        "correlate",
        table,
        "--scores",
        "good",
        "bad",
        "--group",
        "item",
        "--statistic",
        "kendall-b",
        "accuracy-calibrated",
        "--resamples",
        "9",
    ]
    assert main([*command, "--permutations", "9", "--figures", str(folder), "--figure-format", form]) == 0
    names = {
        "en-de-scatter",
        "en-de-distributions",
        "en-de-accuracy-calibrated-calibration",
        "en-de-accuracy-calibrated-significance",
        "en-de-kendall-b-significance",
        "accuracy-calibrated-by-panel",
        "kendall-b-by-panel",
    }
    assert {path.name for path in folder.iterdir()} == {f"{name}.{form}" for name in names}
    magic = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[form]
    assert all(path.read_bytes().startswith(magic) for path in folder.iterdir())


def test_a_page_contains_tables_measures_and_figures(table, tmp_path, capsys):
    command = ["correlate", table, "--scores", "good", "bad", "--format", "html", "--figures", str(tmp_path / "f")]
    assert main(command) == 0
    page = capsys.readouterr().out
    assert page.count("<table ") == 2
    assert page.count('src="data:image/svg+xml;base64,') == 4
    assert "<p>test: paired bootstrap over systems and items" in page


def test_scores_are_written_in_the_metrics_tasks_layout(table, tmp_path, capsys):
    path = tmp_path / "good.seg.score"
    assert main(["correlate", table, "--scores", "good", "--write-wmt", str(path), "--test-set", "wmt99"]) == 0
    first = path.read_text().splitlines()[0].split("\t")
    assert first[:7] == ["good", "en-de", "wmt99", "all", "refA", "A", "0"]
    assert len(read_wmt(str(path))[0].values) == 60
    capsys.readouterr()
    assert main(["correlate", "--ratings", table, "--scores", f"good={path}", "--format", "json"]) == 0
    again = json.loads(capsys.readouterr().out)
    main(["correlate", table, "--scores", "good", "--format", "json"])
    assert (
        again["judged"][0]["metrics"][0]["value"]
        == json.loads(capsys.readouterr().out)["judged"][0]["metrics"][0]["value"]
    )


@pytest.mark.parametrize("option", ["table", "scores", "ratings"])
def test_scores_that_would_replace_an_input_are_an_error_before_the_work(table, tmp_path, capsys, option):
    scores = tmp_path / "good.seg"
    assert main(["correlate", table, "--scores", "good", "--write-wmt", str(scores), *QUICK]) == 0
    capsys.readouterr()
    arguments, output = {
        "table": ([table, "--scores", "good"], table),
        "scores": (["--ratings", table, "--scores", f"good={scores}"], str(scores)),
        "ratings": (["--ratings", table, "--scores", f"good={scores}"], table),
    }[option]
    before = scores.read_bytes(), Path(table).read_bytes()
    assert main(["correlate", *arguments, "--write-wmt", output, *QUICK]) == 2
    assert "would overwrite the input" in capsys.readouterr().err
    assert (scores.read_bytes(), Path(table).read_bytes()) == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--scores", "good", "--human", "da"], "there is no column 'da' of human ratings; specify it with --human"),
        (["--scores", "good", "--statistic", "r"], "statistic is 'r'; one of pearson, spearman"),
        (["--scores", "good", "--group", "item", "--level", "system"], "the system level has no groups"),
        (["--scores", "good", "bad", "--group", "item", "--test", "williams"], "use the permutation test"),
        (["--scores", "good", "--decimals", "99"], "--decimals is 99"),
        (["--scores", "good", "--margin", "25"], "--margin requires a statistic of pairs, not pearson"),
        (["--scores", "good", "--epsilon", "1"], "--epsilon requires a statistic that counts ties"),
        (["--scores", "good", "--swap", "items", "--test", "williams"], "--swap requires --test permutation"),
        (
            ["--scores", "good", "--resample", "both", "--interval", "fisher"],
            "--resample requires --interval bootstrap",
        ),
        (
            ["--scores", "good", "bad", "--epsilon", "1", "--statistic", "accuracy", "--swap", "cells"],
            "swaps standardized scores",
        ),
        (["--scores", "good", "--seed", "-1"], "seed is -1; at least 0"),
        (["--scores", "good", "--alpha", "5"], "alpha is 5.0; a number between 0 and 1"),
        (["--metrics", "chrF"], "specify their columns with --references"),
        ([], "there are no metrics"),
    ],
)
def test_rejects_a_wrong_command_line_with_advice(table, capsys, arguments, said):
    assert main(["correlate", table, *arguments]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


def test_rejects_fewer_than_three_systems(tmp_path, capsys):
    path = tmp_path / "t.tsv"
    path.write_text("system\titem\thuman\tm\nA\t1\t1\t2\nA\t2\t2\t1\nB\t1\t3\t4\nB\t2\t1\t1\n", encoding="utf-8")
    assert main(["correlate", str(path), "--scores", "m", "--level", "system"]) == 2
    assert "2 systems with ratings and scores; comparing systems needs at least 3" in capsys.readouterr().err


def test_a_closed_pipe_ends_silently(table):
    command = f"{sys.executable} -m chrfect correlate {table} --scores good bad | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "en-de: pearson\n", "")


def test_correlation_with_mqm_of_real_systems_is_the_expected_one(data, capsys):
    path = str(data / "wmt21-mqm" / "newstest2021.en-de.mqm.tsv")
    command = [
        "correlate",
        path,
        "--human",
        "mqm",
        "--references",
        "ref_A",
        "-m",
        "chrF",
        "--group",
        "item",
        "--statistic",
    ]
    assert main([*command, "kendall-b", "--interval", "none", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["judged"][0]["metrics"][0]

    import scipy.stats

    rows = read_tsv(data / "wmt21-mqm" / "newstest2021.en-de.mqm.tsv")
    scores = ChrF().segments([row["hypothesis"] for row in rows], [row["ref_A"] for row in rows]).scores
    by_item = {}
    for row, score in zip(rows, scores, strict=True):
        by_item.setdefault(row["segid"], []).append((float(row["mqm"]), score))
    taus = [scipy.stats.kendalltau(*zip(*members, strict=True)).statistic for members in by_item.values()]
    assert found["value"] == pytest.approx(np.nanmean(taus), abs=1e-12)
    assert found["undefined_groups"] == np.isnan(taus).sum()


def test_a_score_file_without_ids_is_read_in_the_order_of_a_table_whose_ids_have_gaps(data, tmp_path, capsys):
    """The score of a segment is its rating with noise. Read as scores of segments 1 to 527, r would be .160."""
    table = data / "wmt21-mqm" / "newstest2021.en-de.mqm.tsv"
    rows = sorted(read_tsv(table), key=lambda row: (row["system"], int(row["segid"])))
    noise = Random(1)
    scores = {(row["system"], int(row["segid"])): float(row["mqm"]) + noise.gauss(0, 3) for row in rows}
    ratings = {(row["system"], int(row["segid"])): float(row["mqm"]) for row in rows}
    (tmp_path / "c2.seg.score").write_text("".join(f"{system}\t{score}\n" for (system, _), score in scores.items()))

    of_system = {}
    for (system, _), score in scores.items():
        of_system.setdefault(system, []).append(score)
    wrong = [(ratings[key], of_system[key[0]][key[1] - 1]) for key in ratings if key[1] <= 527]
    assert round(float(np.corrcoef(*zip(*wrong, strict=True))[0, 1]), 3) == 0.160

    command = ["correlate", str(table), "--human", "mqm", "--scores", f"m={tmp_path / 'c2.seg.score'}"]
    assert main([*command, "--interval", "none", "--format", "json"]) == 0
    output = capsys.readouterr()
    value = json.loads(output.out)["judged"][0]["metrics"][0]["value"]
    assert value == pytest.approx(np.corrcoef([ratings[key] for key in scores], list(scores.values()))[0, 1], abs=1e-12)
    assert round(value, 3) == 0.675
    assert output.err == ""


@pytest.mark.long
def test_wmt19_systems_from_a_wide_table_of_texts(data, capsys):
    folder = data / "wmt19"
    command = ["correlate", "--ratings", str(folder / "DA-syslevel.tsv"), "--human", "da", "--only", "gu-en"]
    command += ["--texts", str(folder / "newstest2019.gu-en.tsv"), "--references", "reference", "-m", "chrF"]
    assert main([*command, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["judged"][0]["metrics"][0]

    import sacrebleu
    import scipy.stats

    rows = read_tsv(folder / "newstest2019.gu-en.tsv")
    rated = {r["system"]: float(r["da"]) for r in read_tsv(folder / "DA-syslevel.tsv") if r["lp"] == "gu-en"}
    references = [[row["reference"] for row in rows]]
    scores = [sacrebleu.corpus_chrf([row[system] for row in rows], references).score for system in rated]
    assert found["level"] == "system"
    assert found["value"] == pytest.approx(scipy.stats.pearsonr(list(rated.values()), scores).statistic, abs=1e-12)


def test_tasks_are_ranked_together_in_latex(table, tmp_path, capsys):
    second = tmp_path / "en-cs.tsv"
    second.write_text(Path(table).read_text(encoding="utf-8"), encoding="utf-8")
    command = ["correlate", table, str(second), "--scores", "good", "bad", "--level", "system", "--interval", "none"]
    assert main([*command, "--overall", "en-cs=3", "--format", "json"]) == 0
    overall = json.loads(capsys.readouterr().out)["overall"]
    assert overall["weights"] == [0.25, 0.75]
    assert [one["metric"] for one in overall["metrics"]] == ["good", "bad"]
    assert main([*command, "--overall", "--format", "latex"]) == 0
    latex = capsys.readouterr().out
    assert r"rank & metric & mean & en-de & rank & en-cs & rank \\" in latex
    assert r" & good & \textbf{" in latex
    assert main([*command, "--overall", "en-cs=many"]) == 2
    assert "--overall en-cs=many: TASK=WEIGHT was expected" in capsys.readouterr().err


def test_the_report_names_outlying_systems_and_segments_without_a_rating(tmp_path, capsys):
    path = tmp_path / "en-de.tsv"
    lines = ["system\titem\thuman\thypothesis\tref"]
    for system, quality in (("A", 70), ("B", 74), ("C", 71), ("D", 72), ("E", 3)):
        lines += [f"{system}\t1\t{quality}\tthe {system} cat\tthe cat", f"{system}\t2\t\ta {system} dog\tthe dog"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert main(["correlate", str(path), "--metrics", "chrF", "--references", "ref", "--level", "system"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "outliers: the human scores of E are more than 2.5 scaled median absolute deviations from the median" in out
    assert "metric scores: the corpus score of each system over 2 segments, of which 1 are rated" in out


def test_calibrated_accuracy_leaves_out_resamples_of_one_system_as_accuracy_does(root, capsys):
    table = str(root / "examples" / "ratings.tsv")
    command = ["correlate", table, "--scores", "chrF", "--group", "item", "--statistic"]
    undefined = []
    for statistic in ("accuracy", "accuracy-calibrated"):
        assert main([*command, statistic]) == 0
        undefined.append(re.search(r"undefined resamples, left out: chrF in (\d+)", capsys.readouterr().out)[1])
    assert undefined[0] == undefined[1] != "0"
