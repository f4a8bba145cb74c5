"""The code of docs/scale.md runs, and gives the scores of the corpora."""

import csv
import re
import sys

import pytest

from chrfect import parse
from conftest import ROOT
from engine_rows import columns, rows

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

RECORDS = [(h, r, i % 7) for i, (h, r, _) in enumerate(rows(2_000))]
PAGE = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split()[1].rstrip(","))
def test_the_code_gives_the_scores_of_the_corpora(block, tmp_path, monkeypatch):
    for module in re.findall(r"^(?:import|from) (\w+)", block, re.MULTILINE):
        pytest.importorskip(module)
    table = pa.table(columns(RECORDS, ("hypothesis", "reference", "checkpoint")))
    pq.write_table(table, tmp_path / "rows.parquet")
    with open(tmp_path / "rows.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("hypothesis", "reference", "checkpoint"), *RECORDS])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("RAY_ADDRESS", "local")  # not a cluster that somebody left running or dead
    names = {}
    try:
        exec(block, names)
    finally:
        if "ray" in names:
            names["ray"].shutdown()
        if "spark" in names:
            names["spark"].stop()
    metric = parse("chrF++")
    groups = [[record for record in RECORDS if record[2] == i] for i in range(7)]
    scores = [(i, metric.corpus([h for h, _, _ in own], [r for _, r, _ in own]).score) for i, own in enumerate(groups)]
    if "scores" in names:
        assert names["scores"] == scores
    else:
        assert names["score"] == metric.corpus([h for h, _, _ in RECORDS], [r for _, r, _ in RECORDS]).score
