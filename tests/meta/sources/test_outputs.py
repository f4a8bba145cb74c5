"""Scores of texts agree with human judgements in the same direction, whether higher or lower is better."""

import json
import random

import pytest
import scipy.stats
from sacrebleu.metrics import CHRF, TER

from chrfect import ChrF, Ter, cli
from chrfect.meta.sources.outputs import Texts, score_texts
from chrfect.meta.sources.scores import Key


@pytest.fixture(scope="module")
def damaged():
    """Four systems, each of which replaces more words than the one before."""
    draw = random.Random(4)
    references = [" ".join(draw.choices("abcdefghijklm", k=12)) for _ in range(20)]
    rows = []
    for system in range(4):
        for item, reference in enumerate(references):
            words = [f"x{word}" if draw.random() < 0.2 * system else word for word in reference.split()]
            rows.append((f"S{system}", str(item), " ".join(words), reference, 3 - system + draw.random()))
    return rows


def test_ter_is_negated_and_chrf_is_not(damaged):
    keys = [Key("", system, item) for system, item, *_ in damaged]
    texts = Texts(keys, [row[2] for row in damaged], {"ref": [row[3] for row in damaged]})
    for metric, peer, sign in ((ChrF(), CHRF(), 1), (Ter(), TER(), -1)):
        found = score_texts(texts, metric, "texts", whole_systems=False).values
        assert list(found.values()) == [sign * peer.sentence_score(row[2], [row[3]]).score for row in damaged]
        whole = score_texts(texts, metric, "texts", whole_systems=True).values
        for system in ("S0", "S1", "S2", "S3"):
            of_system = [row for row in damaged if row[0] == system]
            want = peer.corpus_score([row[2] for row in of_system], [[row[3] for row in of_system]]).score
            assert whole[Key("", system, "")] == sign * want


def test_correlate_finds_that_ter_agrees_with_humans_as_chrf_does(damaged, tmp_path, capsys):
    path = tmp_path / "rated.tsv"
    lines = ["system\titem\thyp\tref\thuman", *("\t".join(map(str, row)) for row in damaged)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = ["correlate", str(path), "--hypothesis", "hyp", "--references", "ref", "-m", "TER", "chrF"]
    assert cli.main([*command, "--interval", "none", "--test", "none", "--format", "json"]) == 0
    judged = json.loads(capsys.readouterr().out)["judged"][0]
    found = {metric["metric"]: metric["value"] for metric in judged["metrics"]}
    humans = [row[4] for row in damaged]
    for peer, name, sign in ((TER(), "TER", -1), (CHRF(), "chrF", 1)):
        scores = [sign * peer.sentence_score(row[2], [row[3]]).score for row in damaged]
        assert found[name] == pytest.approx(scipy.stats.pearsonr(scores, humans)[0])
        assert found[name] > 0.5
