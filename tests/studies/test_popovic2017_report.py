"""The report of the reproduction is complete: a self-contained page, tables, numbers and figures."""

import json
import re
from html.parser import HTMLParser

import pytest

from chrfect.cli import main
from chrfect.errors import ChrfectWarning, WorkError
from chrfect.report import figures
from chrfect.studies.popovic2017 import run_study
from chrfect.studies.popovic2017.output import write
from realdata import read_tsv

VOID = {"meta", "img", "br"}


class Checker(HTMLParser):
    """Every element is closed in order; links and sources are collected."""

    def __init__(self):
        super().__init__()
        self.open, self.sources, self.tables = [], [], 0

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.sources += [values[key] for key in ("src", "href") if key in values]
        self.tables += tag == "table"
        if tag == "img":
            assert values["alt"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="session")
def written(study, tmp_path_factory):
    folder = tmp_path_factory.mktemp("popovic") / "made" / "here"
    return folder, write(study, str(folder))


def test_exactly_the_documented_files_are_written(written):
    folder, names = written
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)
    assert {"index.html", "popovic2017.md", "tables.tex", "summary.json", "figure1.svg", "figure2.svg"} <= set(names)


def test_page_is_well_formed_and_self_contained(written):
    page = (written[0] / "index.html").read_text(encoding="utf-8")
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert checker.tables == 22
    assert all(source.startswith("data:image/svg+xml;base64,") for source in checker.sources)
    assert len(checker.sources) == 4


def test_the_markdown_links_the_figures_beside_it(written):
    folder, _ = written
    links = re.findall(r"!\[[^]]+\]\(([^)]+)\)", (folder / "popovic2017.md").read_text(encoding="utf-8"))
    assert len(links) == 4
    assert all((folder / link).is_file() for link in links)


def test_text_comes_before_the_long_tables(written):
    text = (written[0] / "popovic2017.md").read_text(encoding="utf-8")
    story, _, appendix = text.partition("\n## Appendix")
    assert "## What follows for users" in story
    assert max(line.count("|") for line in story.splitlines()) <= 10
    assert "Table 1 of the paper" in appendix


def test_latex_has_every_table_and_the_printed_numbers(written):
    latex = (written[0] / "tables.tex").read_text(encoding="utf-8")
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 22
    assert "chrF1 & printed & 0.644 & 0.542 & 0.452" in latex


def test_every_printed_cell_is_in_the_summary(written, data):
    summary = json.loads((written[0] / "summary.json").read_text(encoding="utf-8"))
    at = {(cell["row"], cell["text"]): cell["published"] for cell in summary["cells"]}
    for row in read_tsv(data / "wmt-da" / "popovic2017-cells.tsv"):
        assert at[row["row"], row["text"]] == float(row["pearson"])


@pytest.mark.long
def test_figures_are_the_same_bytes_every_time(written, data, tmp_path):
    write(run_study(str(data)), str(tmp_path))
    for name in ("figure1.svg", "gains.svg", "index.html", "summary.json"):
        assert (tmp_path / name).read_bytes() == (written[0] / name).read_bytes()


@pytest.mark.long
def test_the_command_ends_with_the_verdict(data, tmp_path, capsys):
    output = tmp_path / "out"
    assert main(["reproduce", "popovic2017", "--data", str(data), "--output", str(output)]) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines()[-1] == "232 of 237 single-text cells equal at three decimals"
    assert max(map(len, printed.out.splitlines()[:24])) <= 80
    assert printed.err == ""


def test_without_matplotlib_everything_but_the_figures_is_written(study, tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "available", lambda: False)
    with pytest.warns(ChrfectWarning, match=r"the figures are left out\. Figures need matplotlib"):
        names = write(study, str(tmp_path))
    assert sorted(names) == ["index.html", "popovic2017.md", "summary.json", "tables.tex"]
    assert "<img" not in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_rejects_a_folder_without_the_texts_and_shows_the_layout(tmp_path, capsys):
    assert main(["reproduce", "popovic2017", "--data", str(tmp_path), "--output", str(tmp_path / "out")]) == 2
    assert "newstest2016.cs-en.tsv: no such file. The folder holds newstest2015.LP.tsv" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_folder_that_cannot_be_created_is_a_work_error(study, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkError, match="a folder to write into was expected"):
        write(study, str(tmp_path / "file" / "out"))
