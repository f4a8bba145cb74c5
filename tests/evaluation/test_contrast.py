"""Where two systems differ: groups, segments and n-grams, against what is counted by hand."""

from collections import Counter

import pytest
from hypothesis import given, settings

import oracle
from chrfect import ChrF, UsageError, evaluate
from chrfect.evaluation.where import text_counts
from strategies import corpora

REFERENCES = ["the cat sat on the mat", "a dog ran", "it rains again", "he said so", "we are here", "good"]
A = ["the cat sat on a mat", "a dog ran", "it rained", "he said so", "we were here", ""]
B = ["a cat is on the mat", "a dog", "it rains again", "she said it", "we were here", "it rains"]


@pytest.fixture(scope="module")
def found():
    return evaluate({"A": A, "B": B}, REFERENCES, documents=list("xxyyyy"), sources=["", *A[1:]])


def test_groups_have_the_scores_of_their_segments(found):
    where = found.contrast("A", "B", trials=100)
    for group in where.groups:
        if group.group == "document":
            rows = [i for i, label in enumerate("xxyyyy") if label == group.label]
            references = [REFERENCES[i] for i in rows]
            first, second = (ChrF().corpus([texts[i] for i in rows], references).score for texts in (A, B))
            assert (group.baseline, group.system) == (first, second)
            assert group.difference == second - first
            assert group.lower <= group.upper
    assert [(g.label, g.segments) for g in where.groups if g.group == "document"] == [("x", 2), ("y", 4)]
    labels = [g.label for g in where.groups if g.group == "reference-length"]
    assert labels == ["0-10", "11-25"]


def test_segments_are_sorted_by_influence_gain_and_loss(found):
    where = found.contrast("A", "B", trials=100)

    def difference(kept):
        references = [REFERENCES[i] for i in kept]
        first, second = (ChrF().corpus([texts[i] for i in kept], references).score for texts in (A, B))
        return second - first

    every = range(len(REFERENCES))
    for one in where.influential:
        expected = difference(every) - difference([i for i in every if i != one.segment])
        assert one.influence == pytest.approx(expected, abs=1e-9)
    sizes = [abs(one.influence) for one in where.influential]
    assert sizes == sorted(sizes, reverse=True)
    gains = [one.difference for one in where.better]
    assert gains == sorted(gains, reverse=True)
    assert all(gain > 0 for gain in gains)
    assert all(one.difference < 0 for one in where.worse)
    assert where.identical == 1


def matched(hypothesis, reference, n):
    grams = [
        Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
        for words in map(oracle.words, (hypothesis, reference))
    ]
    return grams[0] & grams[1]


@pytest.mark.filterwarnings("ignore::chrfect.ChrfectWarning")
@settings(max_examples=40, deadline=None)
@given(corpora())
def test_ngram_counts_equal_manual_results(pairs):
    first, references = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    second = [*references[1:], references[0]]
    metric = ChrF(char_order=0, word_order=1)
    where = evaluate({"A": first, "B": second}, references, metric).contrast("A", "B", limit=1000, trials=10)
    for ngrams, (one, other) in ((where.missed, (first, second)), (where.matched, (second, first))):
        for ngram in ngrams:
            words = oracle.words(ngram.text)
            if len(words) != 1:
                continue
            counts = [
                (matched(x, r, 1)[tuple(words)], matched(y, r, 1)[tuple(words)])
                for x, y, r in zip(one, other, references, strict=True)
            ]
            assert ngram.count == sum(max(x - y, 0) for x, y in counts)
            assert ngram.opposite == sum(max(y - x, 0) for x, y in counts)
            assert ngram.segments == tuple(i for i, (x, y) in enumerate(counts) if x > y)


def test_adjacent_matched_words_form_one_run(found):
    where = found.contrast("A", "B", trials=10)
    assert ("rains again", 1, (2,)) in [(n.text, n.count, n.segments) for n in where.matched]
    assert ("he", 1, (3,)) in [(n.text, n.count, n.segments) for n in where.missed]


def test_both_directions_have_the_same_ngrams_with_sides_exchanged(found):
    forth, back = found.contrast("A", "B", trials=10), found.contrast("B", "A", trials=10)
    assert (forth.matched, forth.missed) == (back.missed, back.matched)
    assert [(g.label, -g.difference) for g in forth.groups] == [(g.label, g.difference) for g in back.groups]


def test_ngrams_match_any_of_several_references():
    references = {"R": ["the cat sat"], "S": ["a cat slept"]}
    where = evaluate({"A": ["a cat sat"], "B": ["one cat slept"]}, references).contrast("B", "A", trials=10)
    assert {ngram.text for ngram in where.matched} == {"a", "sat"}
    assert {ngram.text for ngram in where.missed} == {"slept"}


def test_an_error_rate_is_better_where_it_is_lower():
    found = evaluate({"A": A, "B": B}, REFERENCES, "TER").contrast("A", "B", trials=10)
    assert all(one.difference < 0 for one in found.better)
    assert all(one.difference > 0 for one in found.worse)


def test_contrast_counts_empty_and_copied_texts_and_lengths(found):
    first, second = text_counts(found)
    assert (first.empty, first.equal_to_reference, first.copies) == (1, 2, 5)
    assert (second.empty, second.equal_to_reference, second.copies) == (0, 1, 1)
    assert first.length_ratio == sum(map(len, A)) / sum(map(len, REFERENCES))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("A", "A"), "compared with itself"),
        (("A", "X"), "There is no system 'X'"),
        (("A", "B", "BLEU"), "'BLEU' was not measured"),
    ],
)
def test_a_pair_that_does_not_exist_is_an_error(found, arguments, message):
    with pytest.raises(UsageError, match=message):
        found.contrast(*arguments)


@pytest.mark.parametrize("limit", [0, None, True, 2.0])
def test_a_limit_is_a_whole_number_of_at_least_one(found, limit):
    with pytest.raises(UsageError, match="at least 1 was expected"):
        found.contrast("A", "B", limit=limit)
