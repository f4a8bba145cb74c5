"""Bleu over texts: sacreBLEU's scores, several and missing references, and names that can be parsed."""

import inspect
import pickle
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from chrfect import Bleu, ChrF, ChrfectWarning, UsageError, parse
from strategies import pairs

WORDS = ["The", "cat", "sat,", "on", "the", "mat.", "It's", "3.5", "語", "“so”", "a"]


def corpus(segments, streams, seed):
    draw = random.Random(seed)
    hypotheses = [" ".join(draw.choices(WORDS, k=draw.randint(0, 9))) for _ in range(segments)]
    references = []
    for _ in range(streams):
        kept = [" ".join(word for word in text.split() if draw.random() < 0.8) for text in hypotheses]
        references.append([f"{text} {draw.choice(WORDS)}" for text in kept])
    return hypotheses, references


@pytest.mark.parametrize("tokenize", ["13a", "none", "intl", "char", "zh"])
@pytest.mark.parametrize("smoothing", ["exp", "floor", "add-k", "none"])
@pytest.mark.parametrize("streams", [1, 3])
def test_scores_equal_sacrebleu_bit_for_bit(tokenize, smoothing, streams):
    hypotheses, references = corpus(60, streams, seed=3)
    named = {str(i): stream for i, stream in enumerate(references)}
    mine = Bleu(smoothing=smoothing, tokenize=tokenize).both(hypotheses, named)
    peer = BLEU(smooth_method=smoothing, tokenize=tokenize, force=True)
    assert mine.score == peer.corpus_score(hypotheses, references).score
    peer.effective_order = True
    each = [peer.sentence_score(h, list(r)).score for h, *r in zip(hypotheses, *references, strict=True)]
    assert mine.segments.scores == each


@pytest.mark.parametrize("tokenize", ["13a", "none", "intl", "char", "zh"])
@given(pairs(max_size=60, surrogates=True), st.booleans())
def test_score_of_any_text_equals_sacrebleu_bit_for_bit(tokenize, pair, lowercase):
    hypothesis, reference = pair
    peer = BLEU(tokenize=tokenize, lowercase=lowercase, effective_order=True, force=True)
    metric = Bleu(tokenize=tokenize, lowercase=lowercase)
    assert metric.sentence(hypothesis, reference).score == peer.sentence_score(hypothesis, [reference]).score


@pytest.mark.parametrize("max_order", [1, 2, 7])
def test_order_case_and_smoothing_value_equal_sacrebleu(max_order):
    hypotheses, references = corpus(40, 2, seed=4)
    mine = Bleu(max_order=max_order, smoothing="floor", smoothing_value=0.3, lowercase=True)
    peer = BLEU(lowercase=True, smooth_method="floor", smooth_value=0.3, max_ngram_order=max_order, force=True)
    named = dict(enumerate(references))
    assert mine.corpus(hypotheses, named).score == peer.corpus_score(hypotheses, references).score


def test_missing_reference_is_ignored_and_empty_one_is_not():
    metric = Bleu(tokenize="none", smoothing="none", max_order=1)
    hypotheses = ["a b"]
    missing = metric.corpus(hypotheses, {"A": ["a b c d e"], "B": [None]})
    empty = metric.corpus(hypotheses, {"A": ["a b c d e"], "B": [""]})
    peer = BLEU(tokenize="none", smooth_method="none", max_ngram_order=1, force=True)
    assert missing.score == peer.corpus_score(hypotheses, [["a b c d e"], [None]]).score < 30
    assert empty.score == peer.corpus_score(hypotheses, [["a b c d e"], [""]]).score == pytest.approx(100.0)


def test_references_per_segment_equal_named_lists():
    hypotheses, references = corpus(20, 2, seed=6)
    per_segment = list(zip(*references, strict=True))
    named = Bleu().corpus(hypotheses, dict(enumerate(references)))
    assert Bleu().corpus(hypotheses, references_per_segment=per_segment).score == named.score


def test_segments_use_the_effective_order_and_corpora_do_not():
    metric = Bleu(tokenize="none", smoothing="none")
    assert metric.sentence("a b", "a b").score == pytest.approx(100.0)
    assert metric.sentence("a b", "a b").score_text == "100.000000"
    assert metric.corpus(["a b"], ["a b"]).score_text == "0.000000"
    never = Bleu(tokenize="none", smoothing="none", effective_order="never")
    assert never.sentence("a b", "a b").score_text == "0.000000"
    always = Bleu(tokenize="none", smoothing="none", effective_order="always")
    assert always.corpus(["a b"], ["a b"]).score_text == "100.000000"


@pytest.mark.parametrize("smoothing", ["add-k", "method2"])
def test_smoothing_applies_to_orders_that_a_short_segment_lacks(smoothing):
    result = Bleu(tokenize="none", smoothing=smoothing).sentence("a b", "a b c")
    assert result.to_dict()["precisions"] == [100.0, 100.0, 100.0, 100.0]
    peer = BLEU(tokenize="none", smooth_method="add-k", effective_order=True)
    assert result.score == peer.sentence_score("a b", ["a b c"]).score


def test_segments_add_up_to_the_corpus():
    hypotheses, references = corpus(50, 1, seed=8)
    result = Bleu().both(hypotheses, references[0])
    summed = sum((segment.counts for segment in result.segments[1:]), result.segments[0].counts)
    assert summed == result.counts
    assert Bleu().corpus(hypotheses, references[0]).counts == result.counts


def test_a_result_explains_itself():
    data = Bleu(tokenize="none", max_order=2).sentence("the cat sat", "the cat sat down").to_dict()
    assert data["brevity_penalty_exact"] == "exp(1-4/3)"
    assert (data["hypothesis_length"], data["reference_length"]) == (3, 4)
    assert data["precisions"] == [100.0, 100.0]
    assert [(order["n"], order["hypothesis_ngrams"], order["matches"]) for order in data["orders"]] == [
        (1, 3, 3),
        (2, 2, 2),
    ]
    assert data["orders"][0]["reference_ngrams"] is data["orders"][0]["recall"] is None
    assert data["parameters"]["effective_order"] == "segments"


def test_score_fraction_is_none():
    result = Bleu(tokenize="none").sentence("a", "a")
    assert result.score_fraction is result.precision_fraction is None
    assert hasattr(result, "score_fraction")
    assert dict(inspect.getmembers(result))["score_text"] == "100.000000"


@pytest.mark.parametrize(
    ("metric", "text"),
    [
        (Bleu(), "BLEU"),
        (Bleu(max_order=2, smoothing="method1"), "BLEU(max_order=2,smoothing=method1)"),
        (Bleu(smoothing="floor", smoothing_value=0.25), "BLEU(smoothing=floor,smoothing_value=0.25)"),
        (Bleu(smoothing="floor", smoothing_value=0.1), "BLEU(smoothing=floor)"),
        (
            Bleu(lowercase=True, tokenize="zh", effective_order="never"),
            "BLEU(effective_order=never,lowercase=yes,tokenize=zh)",
        ),
        (
            Bleu(tokenize="spm", spm_model="my models/a,b(1)%.model"),
            "BLEU(tokenize=spm,spm_model=my%20models/a%2Cb%281%29%25.model)",
        ),
    ],
)
def test_the_name_is_short_and_parses_back(metric, text):
    assert str(metric) == text
    assert parse(text) == metric
    assert hash(pickle.loads(pickle.dumps(metric))) == hash(metric)


def test_the_signature_parses_back():
    metric = Bleu(max_order=3, smoothing="add-k", smoothing_value=2)
    assert parse(metric.signature) == metric
    assert "|tokenize:13a|" in metric.signature
    assert "smoothing_value:2" in metric.signature


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_order": 0}, "max_order is 0"),
        ({"max_order": True}, "max_order is True"),
        ({"smoothing": "exponential"}, "smoothing is 'exponential'"),
        ({"smoothing_value": 1}, "smoothing=exp takes none"),
        ({"smoothing": "floor", "smoothing_value": -1}, "smoothing_value is -1"),
        ({"tokenize": "flores300"}, "tokenize is 'flores300'"),
        ({"tokenize": "spm"}, "spm_model=FILE"),
        ({"spm_model": "x.model"}, "which tokenize=13a does not read"),
        ({"effective_order": True}, "effective_order is True"),
        ({"lowercase": 1}, "lowercase is 1"),
    ],
)
def test_error_names_a_parameter_out_of_range(parameters, message):
    with pytest.raises(UsageError, match=message.replace("(", r"\(")):
        Bleu(**parameters)


def test_rejects_adding_counts_of_two_metrics():
    with pytest.raises(UsageError, match="cannot be added"):
        _ = Bleu(tokenize="none").sentence("a", "a").counts + ChrF().sentence("a", "a").counts


def test_warns_about_a_corpus_that_looks_tokenized():
    with pytest.warns(ChrfectWarning, match="tokenize=none"):
        assert Bleu().corpus(["it is so ."] * 100, ["it is so ."] * 100).score == pytest.approx(100.0)
    Bleu().corpus(["it is so ."] * 99, ["it is so ."] * 99)
    Bleu(tokenize="none").corpus(["it is so ."] * 100, ["it is so ."] * 100)


@pytest.mark.parametrize("metric", [Bleu(), Bleu(smoothing="method1"), Bleu(max_order=2, smoothing="floor")])
def test_scores_in_bulk_are_those_of_single_rows(metric):
    texts = ["a b c d e", "a b", "", "x", "a b c d e f"]
    table = metric.count(texts, ["a b c d f", "a b", "a", "", "a b c x e f"])
    for scorer in (metric, metric.segmental):
        single = [scorer.float_score(counts.values) for counts in table]
        assert scorer.float_scores(table.rows) == scorer.float_array(table.rows).tolist() == single
