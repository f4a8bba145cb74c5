import json

import pytest
from hypothesis import given

from chrfect import ChrF, parse
from strategies import corpora


@given(corpora())
def test_a_result_can_be_recomputed_from_its_orders(pairs):
    hypotheses, references = map(list, zip(*pairs, strict=True))
    result = ChrF(word_order=2).corpus(hypotheses, references)
    effective = [order for order in result.orders if order.effective]
    if not effective:
        assert result.score_fraction == 0
        assert result.precision_fraction is None
        return
    precision = sum(order.precision_fraction for order in effective) / len(effective)
    recall = sum(order.recall_fraction for order in effective) / len(effective)
    assert (result.precision_fraction, result.recall_fraction) == (precision, recall)
    if precision + recall:
        assert result.score_fraction == 5 * precision * recall / (4 * precision + recall)


def test_the_dictionary_is_json_and_names_its_recipe():
    data = json.loads(json.dumps(ChrF(word_order=1).both(["a b", "c"], ["a b", "d"]).to_dict()))
    assert data["metric"] == "chrF+"
    assert data["segment_scores"] == [100.0, 0.0]
    assert data["mean_segment_score"] == 50.0
    assert data["parameters"]["unreferenced"] == "drop"
    assert parse(data["signature"]) == ChrF(word_order=1)
    assert data["orders"][0] == {
        "kind": "character", "n": 1, "hypothesis_ngrams": 3, "reference_ngrams": 3, "matches": 2,
        "effective": True, "precision": 200 / 3, "recall": 200 / 3, "f": 200 / 3,
    }  # fmt: skip


def test_orders_without_ngrams_have_no_precision_or_recall():
    order = ChrF(char_order=3).sentence("abc", "a").orders[1]
    assert (order.hypothesis_ngrams, order.reference_ngrams) == (0, 0)
    order = ChrF(char_order=3, unreferenced="count").sentence("abc", "a").orders[1]
    assert (order.hypothesis_ngrams, order.precision, order.recall, order.f, order.effective) == (
        2,
        0,
        None,
        None,
        False,
    )


def test_per_order_f_has_no_mean_precision():
    result = ChrF(averaging="per_order_f").sentence("abc", "abd")
    assert result.precision_fraction is result.recall_fraction is None
    assert result.to_dict()["precision"] is None


def test_segments_are_a_sequence():
    segments = ChrF().segments(["a", "b", "c"], ["a", "x", "c"])
    assert len(segments) == 3
    assert segments[-1].score == 100
    assert [segment.score for segment in segments[:2]] == [100, 0]
    assert [segment.score for segment in segments] == segments.scores
    with pytest.raises(IndexError):
        segments[3]


def test_results_of_the_same_counts_are_equal():
    first, second = ChrF().sentence("abc", "abd"), ChrF().segments(["abc"], ["abd"])[0]
    assert first == second
    assert hash(first) == hash(second)
    assert first != ChrF(beta=3).sentence("abc", "abd")
    assert first != 5


def test_a_fraction_of_thousands_of_digits_is_written():
    text = "".join(map(chr, range(0x20000, 0x20000 + 40_000)))
    data = ChrF(char_order=1000).sentence(text, text[1:] + "xy").to_dict()
    numerator, denominator = data["score_fraction"].split("/")
    assert min(len(numerator), len(denominator)) > 4_300


def test_segments_have_a_short_repr():
    assert repr(ChrF().segments(["a", "b"], ["a", "c"])) == "<chrF of 2 segments, 50.000000 on average>"


def test_a_result_has_a_short_repr():
    assert repr(ChrF().corpus(["a", "b"], ["a", "c"])) == "<chrF 50.000000 over 2 segments>"
