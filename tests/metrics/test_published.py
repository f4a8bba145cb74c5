"""Published scores, recomputed from the texts."""

import pytest

from chrfect import ChrF
from realdata import read_tsv


def test_the_published_chrf_of_wmt_2023(data):
    published = [row for row in read_tsv(data / "wmt23" / "automatic-scores.tsv") if "chrf" in row["metric"].lower()]
    assert len(published) == 20
    for pair in sorted({row["pair"] for row in published}):
        rows = read_tsv(data / "wmt23" / f"generaltest2023.{pair}.tsv")
        references = [row["ref_refA"] for row in rows]
        for entry in (entry for entry in published if entry["pair"] == pair):
            hypotheses = [row[f"hyp_{entry['system']}"] for row in rows]
            assert f"{ChrF().corpus(hypotheses, references).score:.2f}" == f"{float(entry['score']):.2f}"


def example(data, language):
    from chrfect.files.texts import read_aligned

    folder = data / "chrf-examples"
    return read_aligned([str(folder / f"example.{side}.{language}") for side in ("hyp", "ref")])


@pytest.mark.parametrize(
    ("language", "metric", "document", "mean"),
    [
        ("en", ChrF(word_order=2, averaging="per_order_f"), "54.9482", "52.1829"),
        ("ru", ChrF(word_order=2, averaging="per_order_f"), "42.2905", "42.6974"),
        ("zh", ChrF(word_order=0, averaging="per_order_f"), "32.6986", "33.5167"),
        ("en", ChrF(word_order=2, averaging="per_order_f", beta=1), "53.9267", "50.9922"),
        ("en", ChrF(word_order=2, averaging="per_order_f", beta=0.4), "52.7434", "50.0280"),
    ],
)
def test_the_examples_of_the_original_tool(data, language, metric, document, mean):
    result = metric.both(*example(data, language))
    assert (f"{result.score:.4f}", f"{result.mean_segment_score:.4f}") == (document, mean)


def test_the_segments_of_the_original_tools_english_example(data):
    segments = ChrF(word_order=2, averaging="per_order_f").segments(*example(data, "en"))
    assert [f"{score:.4f}" for score in segments.scores] == (
        ["64.0368", "70.8799", "21.5461", "31.9252", "44.5054", "45.0953", "45.6882", "54.8102", "81.0330", "62.3084"]
    )


def test_the_two_averagings_are_two_formulas(data):
    chinese = example(data, "zh")
    assert f"{ChrF(word_order=2).corpus(*chinese).score:.4f}" == "28.0274"
    assert f"{ChrF(word_order=2, averaging='per_order_f').corpus(*chinese).score:.4f}" == "24.5239"
