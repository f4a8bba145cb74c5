"""Explanations of signatures, including sacreBLEU's; all citations are valid BibTeX."""

import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from chrfect import Bleu, ChrF, Ter, parse
from chrfect.cli import main
from chrfect.cli.cite import ENTRIES
from chrfect.metrics.foreign import from_sacrebleu

TEXTS, REFERENCES = ["a b c d e f", "the Cat sat"], [["a b c d f e", "the cat sat"]]


def run(capsys, *arguments):
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize(
    "theirs",
    [
        CHRF(),
        CHRF(word_order=2),
        CHRF(word_order=1, beta=3, lowercase=True),
        CHRF(char_order=4, whitespace=True, eps_smoothing=True),
        BLEU(),
        BLEU(tokenize="intl", smooth_method="floor", smooth_value=0.25),
        BLEU(tokenize="none", lowercase=True, smooth_method="none"),
        BLEU(tokenize="char", effective_order=True),
        TER(),
        TER(normalized=True, no_punct=True, asian_support=True, case_sensitive=True),
    ],
    ids=["chrF", "chrF++", "chrF3+", "chrF eps", "BLEU", "BLEU intl", "BLEU none", "BLEU char", "TER", "TER asian"],
)
def test_a_signature_of_sacrebleu_names_a_metric_with_the_same_score(theirs, short):
    score = theirs.corpus_score(TEXTS, REFERENCES)
    name = from_sacrebleu(f"{score.name}|{theirs.get_signature().format(short)}")
    assert parse(name).corpus(TEXTS, REFERENCES[0]).score == score.score


@pytest.mark.parametrize(
    "metric",
    [
        ChrF(),
        ChrF(word_order=2, beta=3, lowercase=True),
        Bleu(tokenize="none", smoothing="floor"),
        Bleu(tokenize="intl", smoothing="floor"),
        Ter(asian_support=True),
    ],
)
def test_every_part_of_our_signatures_has_a_meaning(capsys, metric):
    signature = metric.corpus(TEXTS, REFERENCES[0]).signature
    status, output, _ = run(capsys, "signature", signature)
    assert status == 0
    assert max(map(len, output.splitlines()[:-1])) <= 80
    table = output.splitlines()[4:-2]
    rows = [line.split(None, 1) for line in table if not line.startswith(" ")]
    assert [row[0] for row in rows] == [part.partition(":")[0] for part in signature.split("|")[1:]]
    assert f"-m '{metric}'" in output
    assert all(len(row) == 2 and len(row[1].split("  ", 1)) == 2 for row in rows)


def test_rejects_values_that_are_not_signatures(capsys):
    status, output, errors = run(capsys, "signature", "chrX|a:b")
    assert (status, output) == (2, "")
    assert "chrX" in errors


def test_citations_are_bibtex(capsys):
    status, output, _ = run(capsys, "cite")
    assert status == 0
    assert output.count("\n@") + 1 == len(ENTRIES)
    assert output.count("{") == output.count("}")
    _, output, _ = run(capsys, "cite", "BLEU")
    assert "papineni-etal-2002-bleu" in output
    assert "popovic" not in output
    status, _, errors = run(capsys, "cite", "COMET")
    assert status == 2
    assert "one of chrfect, chrF, chrF++, BLEU" in errors
