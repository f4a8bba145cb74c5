"""Comparison with sacreBLEU 2.6.0: identical floats for corpora and segments."""

import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

from chrfect import ChrF
from realdata import read_tsv
from strategies import texts

SETTINGS = [(order, averaging) for order in (0, 1, 2) for averaging in ("mean_precision_recall", "per_order_f")]


def assert_equal_to_sacrebleu(hypotheses, streams, word_order, averaging, **options):
    """Compare corpus and segments; sacreBLEU counts once and scores from its own counts."""
    peer = CHRF(word_order=word_order, eps_smoothing=averaging == "per_order_f", **options)
    statistics = peer._extract_corpus_statistics(hypotheses, streams)
    whitespace = "keep" if options.pop("whitespace", False) else "remove"
    metric = ChrF(word_order=word_order, averaging=averaging, whitespace=whitespace, **options)
    references = {str(i): stream for i, stream in enumerate(streams)} if len(streams) > 1 else streams[0]
    result = metric.both(hypotheses, references)
    assert result.score == peer._aggregate_and_compute(statistics).score
    assert result.segments.scores == [peer._compute_score_from_stats(row).score for row in statistics]
    assert metric.corpus(hypotheses, references).score == result.score


def test_installed_sacrebleu_has_the_documented_version():
    assert sacrebleu.__version__ == "2.6.0"


@pytest.mark.parametrize(("word_order", "averaging"), SETTINGS)
@settings(max_examples=60)
@given(
    st.integers(1, 5).flatmap(
        lambda n: st.lists(
            st.tuples(*[st.one_of(st.text("ab .", max_size=4), texts(20))] * (n + 1)), min_size=1, max_size=8
        )
    ),
    st.booleans(),
)
def test_random_corpora_with_many_short_segments_equal_sacrebleu(word_order, averaging, rows, lowercase):
    hypotheses, *streams = map(list, zip(*rows, strict=True))
    assert_equal_to_sacrebleu(hypotheses, streams, word_order, averaging, lowercase=lowercase)
    assert_equal_to_sacrebleu(hypotheses, streams, word_order, averaging, whitespace=True, beta=3)


@settings(max_examples=300)
@given(st.text("ab", max_size=5), st.lists(st.text("ab", max_size=5), min_size=2, max_size=5))
def test_exact_ties_between_references_equal_sacrebleu(hypothesis, references):
    streams = [[reference, reference] for reference in references]
    assert_equal_to_sacrebleu([hypothesis, hypothesis + "a"], streams, 2, "mean_precision_recall")
    assert_equal_to_sacrebleu([hypothesis, hypothesis + "a"], streams, 0, "per_order_f")


def test_missing_references_are_ignored_like_in_sacrebleu():
    hypotheses = ["the cat sat", "a dog", "birds fly"]
    streams = [["the cat sat down", None, "birds flew"], ["cats sit", "dogs", None], [None, "a dog ran", "birds"]]
    for word_order, averaging in SETTINGS:
        assert_equal_to_sacrebleu(hypotheses, streams, word_order, averaging)


@pytest.mark.parametrize(("word_order", "averaging"), SETTINGS)
def test_scores_of_all_direct_assessment_texts_equal_sacrebleu(data, word_order, averaging, whole):
    files = sorted((data / "wmt-da").glob("newstest*.tsv"))
    assert len(files) == 12
    for file in files:
        rows = read_tsv(file)[:: 1 if whole else 10]
        hypotheses = [row["hypothesis"] for row in rows]
        assert_equal_to_sacrebleu(hypotheses, [[row["reference"] for row in rows]], word_order, averaging)


@pytest.mark.parametrize(("word_order", "averaging"), SETTINGS)
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_scores_with_one_to_five_references_equal_sacrebleu(data, number, word_order, averaging, whole):
    (file,) = (data / "multi30k").glob("*.tsv")
    captions = [list(row.values()) for row in read_tsv(file)[:: 1 if whole else 20]]
    columns = list(map(list, zip(*captions, strict=True)))[-5:]
    hypotheses = columns[0][1:] + columns[0][:1]
    assert_equal_to_sacrebleu(hypotheses, columns[:number], word_order, averaging)
