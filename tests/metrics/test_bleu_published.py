"""Published BLEU scores, recomputed from the texts, and sacreBLEU's scores of the same texts."""

import pytest
from sacrebleu.metrics import BLEU

from chrfect import Bleu
from realdata import read_tsv


def test_the_published_bleu_of_wmt_2023(data):
    published = [row for row in read_tsv(data / "wmt23" / "automatic-scores.tsv") if row["metric"] == "bleu"]
    assert len(published) == 20
    for pair in sorted({row["pair"] for row in published}):
        rows = read_tsv(data / "wmt23" / f"generaltest2023.{pair}.tsv")
        references = [row["ref_refA"] for row in rows]
        metric = Bleu(tokenize="zh" if pair == "en-zh" else "13a")
        for entry in (entry for entry in published if entry["pair"] == pair):
            hypotheses = [row[f"hyp_{entry['system']}"] for row in rows]
            assert f"{metric.corpus(hypotheses, references).score:.2f}" == f"{float(entry['score']):.2f}"


@pytest.mark.parametrize("smoothing", ["exp", "floor", "add-k", "none"])
def test_scores_of_five_captions_equal_sacrebleu_bit_for_bit(data, smoothing):
    rows = read_tsv(next((data / "multi30k").iterdir()))[:200]
    hypotheses, *references = zip(*(list(row.values())[-5:] for row in rows), strict=True)
    mine = Bleu(smoothing=smoothing).both(hypotheses, dict(enumerate(references)))
    assert mine.score == BLEU(smooth_method=smoothing).corpus_score(hypotheses, references).score
    peer = BLEU(smooth_method=smoothing, effective_order=True)
    each = [peer.sentence_score(h, list(r)).score for h, *r in zip(hypotheses, *references, strict=True)]
    assert mine.segments.scores == each


def test_scores_of_real_segments_equal_sacrebleu_bit_for_bit(data):
    rows = read_tsv(data / "wmt-da" / "newstest2015.cs-en.tsv")
    hypotheses, references = [row["hypothesis"] for row in rows], [row["reference"] for row in rows]
    peer = BLEU(effective_order=True)
    each = [peer.sentence_score(h, [r]).score for h, r in zip(hypotheses, references, strict=True)]
    assert Bleu().segments(hypotheses, references).scores == each
