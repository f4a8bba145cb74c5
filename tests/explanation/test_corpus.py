"""What is missed more than invented in a corpus, and invented more than missed."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given

import oracle
from chrfect import Bleu, ChrF, UsageError, explain, explain_corpus, parse
from chrfect.explanation.contrast import indices_of, occurrences
from chrfect.explanation.matches import Matcher
from strategies import corpora

WORDS = ChrF(char_order=0, word_order=3, unreferenced="count")


def unmatched(text, other, n):
    grams = Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1))
    return grams - Counter(tuple(other[i : i + n]) for i in range(len(other) - n + 1))


@given(corpora())
def test_the_counts_of_unmatched_ngrams_equal_manual_results(pairs):
    hypotheses, references = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    for metric, split in ((ChrF(char_order=3, unreferenced="count"), oracle.characters), (WORDS, oracle.words)):
        (level,) = Matcher(metric.levels).matches([hypotheses, references])
        sides = [occurrences(level.symbols[which], level.sides[which].unmatched) for which in (1, 0)]
        for index in indices_of([[side] for side in sides]):
            missed, invented = Counter(), Counter()
            for hypothesis, reference in pairs:
                missed += unmatched(split(reference), split(hypothesis), index.n)
                invented += unmatched(split(hypothesis), split(reference), index.n)
            expected = sorted((missed[ngram], invented[ngram]) for ngram in missed.keys() | invented.keys())
            assert sorted(zip(*(side.tolist() for side in index.more(0, 1)), strict=True)) == expected


def test_most_frequent_ngrams_come_first_with_examples():
    hypotheses = ["a cat sat", "a dog sat", "a bird sang here"]
    references = ["the cat sat", "the dog sat", "one bird sang there"]
    why = explain_corpus(parse("wordF(word_order=1)"), hypotheses, references)
    assert [(ngram.text, ngram.count, ngram.segments) for ngram in why.missed] == [
        ("the", 2, 2),
        ("one", 1, 1),
        ("there", 1, 1),
    ]
    first = why.missed[0].examples
    assert [(example.segment, example.before, example.text, example.after) for example in first] == [
        (0, "", "the", " cat sat"),
        (1, "", "the", " dog sat"),
    ]
    assert [(ngram.text, ngram.count) for ngram in why.invented] == [("a", 3), ("here", 1)]


def test_ngrams_that_always_occur_together_are_one_run():
    hypotheses = ["he went home", "they went home soon"]
    references = ["he remembered", "they remembered soon"]
    why = explain_corpus(ChrF(), hypotheses, references)
    assert why.missed[0].text == "remembered"
    assert why.missed[0].count == 2


@given(corpora())
def test_contributions_add_up_over_a_corpus(pairs):
    hypotheses, references = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    for metric in (ChrF(word_order=2), ChrF(averaging="per_order_f"), ChrF(char_order=0, word_order=3)):
        why = explain_corpus(metric, hypotheses, references)
        expected = metric.corpus(hypotheses, references)
        assert tuple(why.result.values) == tuple(expected.values)
        assert sum(order.contribution for order in why.orders) == expected.score_fraction


def test_the_best_of_several_references_counts():
    hypotheses = ["the cat", "a dog ran", "x"]
    references = {"A": ["a dog", "a dog ran", "x"], "B": ["the cat", "dogs", None]}
    why = explain_corpus(ChrF(), hypotheses, references)
    assert dict(why.chosen) == {"A": 2, "B": 1}
    assert why.result.score == ChrF().corpus(hypotheses, references).score == 100
    assert (why.missed, why.invented) == ((), ())


def test_bleu_clips_over_references_that_differ_in_number():
    hypotheses = ["the cat sat here", "a dog ran"]
    lists = [["the cat sat", "it sat right here"], ["a dog ran"]]
    metric = Bleu(max_order=2, tokenize="none")
    why = explain_corpus(metric, hypotheses, references_per_segment=lists)
    assert tuple(why.result.values) == tuple(metric.corpus(hypotheses, references_per_segment=lists).values)
    assert sum(order.contribution for order in why.orders) == Fraction(why.result.score_text)


def test_blocks_do_not_change_the_result(monkeypatch):
    from chrfect.explanation import corpus

    hypotheses = ["a cat sat", "a dog sat", "a bird sang"] * 4
    references = ["the cat sat", "the dog lay", "the bird sang"] * 4
    whole = explain_corpus(parse("chrF++"), hypotheses, references)
    monkeypatch.setattr(corpus, "_BLOCK", 30)
    parts = explain_corpus(parse("chrF++"), hypotheses, references)
    assert (parts.missed, parts.invented) == (whole.missed, whole.invented)


def test_a_real_corpus_and_one_of_its_segments(data):
    from realdata import read_tsv

    rows = read_tsv(data / "wmt-da" / "newstest2015.cs-en.tsv")
    hypotheses, references = [row["hypothesis"] for row in rows], [row["reference"] for row in rows]
    metric = parse("chrF++")
    why = explain_corpus(metric, hypotheses, references)
    assert why.result.score_text == metric.corpus(hypotheses, references).score_text
    assert sum(order.contribution for order in why.orders) == why.result.score_fraction
    assert why.missed[0].count > 20
    one = explain(metric, hypotheses[7], references[7])
    assert one.matched.points == one.result.score_fraction


@pytest.mark.parametrize("limit", [0, None, True, 2.0])
def test_a_limit_that_is_not_a_whole_number_of_at_least_one_is_an_error(limit):
    with pytest.raises(UsageError, match=f"limit is {limit}; a whole number of at least 1 was expected"):
        explain_corpus(ChrF(), ["a"], ["a"], limit=limit)


def test_only_one_of_redundant_overlapping_ngrams_is_listed():
    hypotheses, references = ["x y"] * 3, ["over the hill"] * 3
    why = explain_corpus(parse("chrF++"), hypotheses, references)
    assert [(ngram.text, ngram.count, ngram.kind) for ngram in why.missed] == [("over the hill", 3, "word")]
    why = explain_corpus(ChrF(), ["a big red bus came by today"] * 2, ["one two three four five six seven"] * 2)
    assert [(ngram.text, ngram.n) for ngram in why.missed] == [("one two three four five six seven", 7)]


def test_characters_of_texts_without_spaces_are_listed():
    why = explain_corpus(ChrF(), ["我们喜欢狗在花园里"] * 2, ["我们喜欢猫在花园里"] * 2)
    assert [(ngram.text, ngram.kind, ngram.count) for ngram in why.missed] == [("猫", "character", 2)]
    assert [(ngram.text, ngram.kind, ngram.count) for ngram in why.invented] == [("狗", "character", 2)]


def test_misses_and_inventions_of_an_ngram_are_balanced():
    hypotheses = ["the a", "x b", "the c", "y d"] * 5 + ["we buy"] * 4
    references = ["x a", "the b", "z c", "the d"] * 5 + ["we purchase"] * 4
    why = explain_corpus("chrF", hypotheses, references)
    assert "the" not in {ngram.text for ngram in (*why.missed, *why.invented)}
    assert ("purchase", 4, 0) in {(ngram.text, ngram.count, ngram.opposite) for ngram in why.missed}
    assert ("buy", 4, 0) in {(ngram.text, ngram.count, ngram.opposite) for ngram in why.invented}


def test_ngrams_missed_at_the_average_rate_rank_last():
    words = ["red", "green", "blue", "black", "white"]
    references = [f"{a} {b} {c}" for a in words for b in words for c in words]
    hypotheses = [" ".join(text.split()[:2]) for text in references] + ["we"] * 4
    references += ["we purchased"] * 4
    assert explain_corpus("wordF(word_order=1)", hypotheses, references).length_ratio < 0.7
    hypotheses = [text + " the" if i % 2 else text for i, text in enumerate(hypotheses)]
    references = [text if i % 2 else text + " the" for i, text in enumerate(references)]
    why = explain_corpus("wordF(word_order=1)", hypotheses, references)
    rank = [ngram.text for ngram in why.missed]
    assert rank.index("purchased") < (rank.index("the") if "the" in rank else len(rank))


@pytest.mark.parametrize("name", ["chrF", "chrF++", "wordF", "BLEU(tokenize=none)"])
def test_a_repeated_passage_is_ranked_below_frequent_ngrams(name):
    passage = " ".join(f"{i}{word}" for i in range(20) for word in ("old", "ships", "pass"))
    references = [f"nearly {i}" for i in range(40)] + [passage] * 2
    hypotheses = [f"zz {i}" for i in range(40)] + ["yy"] * 2
    missed = explain_corpus(parse(name), hypotheses, references).missed
    assert (missed[0].text, missed[0].count) == ("nearly", 40)


def test_words_joined_in_one_text_and_split_in_the_other_are_listed():
    why = explain_corpus(parse("wordF"), ["x"] * 4, ["percent", "per cent"] * 2)
    assert [ngram.text for ngram in why.missed] == ["percent", "per cent"]


def test_texts_are_consumed_once():
    hypotheses, references = ["a cat", "a dog sat"], ["the cat", "the dog sat"]
    whole = explain_corpus("chrF++", hypotheses, references)
    assert explain_corpus("chrF++", (t for t in hypotheses), (t for t in references)) == whole
    lists = [[text] for text in references]
    several = explain_corpus("chrF++", iter(hypotheses), references_per_segment=(iter(one) for one in lists))
    assert several.result.values == whole.result.values
    named = explain_corpus(
        "BLEU(max_order=2,tokenize=none)", iter(hypotheses), {"A": iter(references), "B": iter(hypotheses)}
    )
    assert named.result.score_text == "100.000000"


def test_examples_have_sixteen_code_points_of_text_on_each_side():
    reference = "a" * 30 + " word " + "b" * 30
    (missed,) = explain_corpus("wordF(word_order=1)", [reference.replace("word", "x")], [reference]).missed
    assert [(e.before, e.text, e.after) for e in missed.examples] == [("a" * 15 + " ", "word", " " + "b" * 15)]
