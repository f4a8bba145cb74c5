"""What is most often missed and invented in a corpus."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given

import oracle
from chrfect import Bleu, ChrF, UsageError, explain, explain_corpus, parse
from chrfect.explanation.matches import Matcher
from chrfect.explanation.ranking import Tally
from strategies import corpora


def unmatched(text, other, n):
    grams = Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1))
    return grams - Counter(tuple(other[i : i + n]) for i in range(len(other) - n + 1))


@given(corpora())
def test_every_unmatched_ngram_is_counted_as_often_as_by_hand(pairs):
    metric = ChrF(char_order=3, word_order=2, unreferenced="count")
    hypotheses, references = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    orders = explain_corpus(metric, hypotheses, references).orders
    for which in (0, 1):
        tally = Tally(orders)
        levels = Matcher(metric.levels).matches([hypotheses, references])
        tally.count(levels, which)
        tally.choose(10_000)
        tally.find(levels, which, 0)
        for order in orders:
            split = oracle.characters if order.kind == "character" else oracle.words
            expected, segments = Counter(), Counter()
            for pair in pairs:
                here = unmatched(split(pair[which]), split(pair[1 - which]), order.n)
                expected += here
                segments += Counter(here.keys())
            found = [entry for entry in tally.found.values() if (entry.kind, entry.n) == (order.kind, order.n)]
            assert sorted(entry.count for entry in found) == sorted(expected.values())
            assert sorted(entry.segments for entry in found) == sorted(segments.values())


def test_the_most_frequent_come_first_with_examples():
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


def test_what_always_stands_together_is_folded_into_one_run():
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


def test_blocks_do_not_change_what_is_found(monkeypatch):
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


def test_an_ngram_within_a_listed_one_is_left_out():
    hypotheses, references = ["x y"] * 3, ["over the hill"] * 3
    why = explain_corpus(parse("chrF++"), hypotheses, references)
    texts = [("".join(ngram.text.split()), ngram.kind) for ngram in why.missed]
    assert texts[0] == ("overthehill", "character")
    assert len({text for text, _ in texts}) == len(texts)


@pytest.mark.parametrize("name", ["chrF", "chrF++", "wordF", "BLEU(tokenize=none)"])
def test_a_passage_that_stands_twice_does_not_come_before_what_is_often_missed(name):
    passage = " ".join(f"{i}{word}" for i in range(20) for word in ("old", "ships", "pass"))
    references = [f"nearly {i}" for i in range(40)] + [passage] * 2
    hypotheses = [f"zz {i}" for i in range(40)] + ["yy"] * 2
    missed = explain_corpus(parse(name), hypotheses, references).missed
    assert (missed[0].text, missed[0].count) == ("nearly", 40)


def test_of_ngrams_that_differ_by_a_letter_of_the_next_word_one_is_listed():
    references = ["bread the", "red the", "sold the", "often the", "can the"]
    why = explain_corpus(ChrF(char_order=4), ["xxxx"] * 5, references)
    assert [ngram.text for ngram in why.missed if ngram.text in ("d the", "n the")] == ["d the"]


def test_words_written_together_and_apart_are_both_listed():
    why = explain_corpus(parse("wordF"), ["x"] * 4, ["percent", "per cent"] * 2)
    assert [ngram.text for ngram in why.missed] == ["per cent", "percent"]


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
