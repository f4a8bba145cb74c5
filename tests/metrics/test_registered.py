"""A metric from outside the package is accepted wherever built-in metrics are."""

import inspect
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

import chrfect
from chrfect import UsageError, cli
from chrfect.metrics import registry
from conftest import ROOT

PAGE = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
CODE = re.search(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]


@pytest.fixture(scope="module")
def per():
    names = {}
    exec(CODE.partition("metric = chrfect.parse")[0], names)
    yield names["Per"]
    del registry._METRICS["PER"]


def per_by_hand(hypothesis, reference):
    left = hypothesis.split()
    matches = 0
    for word in reference.split():
        if word in left:
            left.remove(word)
            matches += 1
    return max(len(hypothesis.split()), len(reference.split())) - matches, len(reference.split())


def test_the_example_has_at_most_thirty_lines_and_prints_its_comments():
    body = CODE[CODE.index("@chrfect.register") : CODE.index("metric = chrfect.parse")]
    assert len(body.strip().splitlines()) <= 30
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [line[2:] for line in CODE.splitlines() if line.startswith("# ")]


def test_it_is_parsed_scored_and_written_as_json(per):
    assert chrfect.parse("per(lowercase=yes)") == per(lowercase=True)
    result = chrfect.parse("PER").both(["a cat sat", "the dog"], ["the cat sat", "the dog ran"])
    errors = [per_by_hand("a cat sat", "the cat sat"), per_by_hand("the dog", "the dog ran")]
    assert result.score_fraction == Fraction(100 * sum(e for e, _ in errors), sum(w for _, w in errors))
    assert result.segments.scores == [100 * e / w for e, w in errors]
    data = json.loads(json.dumps(result.to_dict()))
    assert data["counts"] == {"errors": 2, "reference_words": 6}
    assert chrfect.parse(data["signature"]) == per()


def test_the_best_of_several_references_is_the_one_with_the_lowest_score(per):
    result = per().sentence("a cat", {"refA": "no match here", "refB": "a dog", "refC": "a cat sat"})
    assert (result.reference, result.values) == ("refC", (1, 3))
    table = per().count(["a cat", "x"], references_per_segment=[["a", "a cat"], ["x"]])
    assert (len(table), table.row_count, per().score(table).score) == (2, 3, 0.0)


def test_matrices_contain_its_sentence_scores(per):
    hypotheses, columns = ["a cat", "the dog"], ["a dog", ["the dog", "a cat sat"]]
    want = [[per().sentence(h, column).score for column in columns] for h in hypotheses]
    assert np.array_equal(chrfect.pairwise("PER", hypotheses, columns), want)


def test_the_command_accepts_it_with_other_metrics(per, capsys):
    files = ["examples/reference.txt", "-i", "examples/systemA.txt"]
    files = [str(ROOT / name) if name.startswith("ex") else name for name in files]
    assert cli.main(["score", *files, "-m", "chrF", "PER", "PER(lowercase=yes)"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0].split() == ["system", "chrF", "PER", "PER(lowercase=yes)"]
    assert "PER(lowercase=yes)|references:1|lowercase:yes|version:" in out
    assert cli.main(["score", *files, "-m", "PER", "--json"]) == 0
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    assert system["results"][0]["metric"] == "PER"


def test_correlation_negates_an_error_rate(per, tmp_path, capsys):
    texts = ["the cat sat", "the cat ran", "a cat ran", "no words match"]
    rows = [f"s\t{i}\t{4 - i}\t{text}\tthe cat sat\n" for i, text in enumerate(texts)]
    table = tmp_path / "ratings.tsv"
    table.write_text("system\titem\thuman\thypothesis\treference\n" + "".join(rows))
    arguments = ["correlate", str(table), "--human", "human", "--references", "reference", "--metrics", "PER"]
    assert cli.main([*arguments, "--statistic", "kendall-b", "--format", "json"]) == 0
    values = [entry["value"] for entry in _values(json.loads(capsys.readouterr().out))]
    assert values == [1.0]


def _values(document):
    if isinstance(document, dict):
        if document.get("metric") == "PER" and "value" in document:
            yield document
        for value in document.values():
            yield from _values(value)
    elif isinstance(document, list):
        for value in document:
            yield from _values(value)


def test_it_is_explained_by_its_counts(per):
    why = chrfect.explain("PER", "a cat", "the cat")
    assert why.result.values == (1, 2)
    assert "50.000000" in repr(why)


def test_rejects_counts_of_a_wrong_width():
    @dataclass(frozen=True)
    class Narrow(chrfect.Metric):
        name = "Narrow"
        columns = ("a", "b")

        def count_pair(self, hypothesis, reference):
            return (1,)

        def exact_score(self, values):
            return Fraction(0)

    with pytest.raises(UsageError, match="count_pair of Narrow returned 1 integers; one for each of the 2 columns"):
        Narrow().corpus(["a"], ["a"])


def test_rejects_classes_that_are_not_frozen_dataclasses_and_taken_names():
    @dataclass
    class Mutable(chrfect.Metric):
        name = "Mutable"
        columns = ("a",)

        def count_pair(self, hypothesis, reference):
            return (1,)

        def exact_score(self, values):
            return Fraction(0)

    @dataclass(frozen=True)
    class Taken(Mutable.__base__):
        name = "bleu"
        columns = ("a",)
        count_pair = Mutable.count_pair
        exact_score = Mutable.exact_score

    with pytest.raises(UsageError, match="is not a metric; a dataclass that derives from"):
        chrfect.register(int)
    with pytest.raises(UsageError, match="a frozen dataclass with a default for each parameter"):
        chrfect.register(Mutable)
    with pytest.raises(UsageError, match="'bleu' already belongs to Bleu"):
        chrfect.register(Taken)
    assert str(chrfect.parse("BLEU")) == "BLEU"


def test_an_installed_package_provides_a_metric_by_an_entry_point(tmp_path):
    (tmp_path / "per_metric.py").write_text(
        CODE.partition("metric = chrfect.parse")[0].replace("@chrfect.register\n", "")
    )
    info = tmp_path / "per_metric-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: per_metric\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[chrfect.metrics]\nPER = per_metric:Per\n")
    code = "import chrfect; print(chrfect.parse('per').sentence('a', 'b').score)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "100.0\n"


def test_every_hook_of_a_metric_is_documented():
    hooks = [name for name, value in vars(chrfect.Scoring).items() if not name.startswith("_") and callable(value)]
    assert all(inspect.getdoc(getattr(chrfect.Scoring, name)) for name in hooks)
