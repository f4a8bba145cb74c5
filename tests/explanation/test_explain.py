"""The explanation of a segment: runs, reference, shades, and errors."""

import re
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chrfect import Bleu, ChrF, UsageError, explain, explain_corpus, parse
from chrfect.metrics import Metric
from conftest import ROOT
from strategies import pairs

BLEUS = st.builds(
    Bleu,
    max_order=st.integers(1, 4),
    smoothing=st.sampled_from(["none", "exp", "floor", "add-k", "method1", "method2", "method3"]),
    effective_order=st.sampled_from(["segments", "always", "never"]),
    lowercase=st.booleans(),
    tokenize=st.just("none"),
)


def texts(runs):
    return [run.text for run in runs.shown]


def test_a_replaced_word_is_missed_on_one_side_and_invented_on_the_other():
    why = explain(parse("chrF++"), "The cats sat down.", "The dogs sat down.")
    assert texts(why.missed) == ["dog"]
    assert texts(why.invented) == ["cat"]
    (missed,) = why.missed.shown
    assert (missed.before, missed.after) == ("The ", "s sat d")
    # characters d o g and the n-grams that touch them; the words dogs, The dogs and dogs sat
    assert missed.ngrams == (3, 4, 5, 6, 6, 6, 1, 2)


def test_matches_below_half_the_longest_order_do_not_split_a_gap():
    """Of orders up to 3 the half is 2, so b, which matches alone, does not divide the gap."""
    why = explain(ChrF(char_order=3), "abc", "xbz")
    assert texts(why.missed) == ["xbz"]
    assert texts(explain(ChrF(char_order=2), "abc", "xbz").missed) == ["x", "z"]


def test_swapped_words_are_shown_as_one_run():
    why = explain(ChrF(), "between cats and dogs", "between dogs and cats")
    assert texts(why.missed) == ["dogs and cats"]
    assert texts(why.invented) == ["cats and dogs"]
    assert {"cats", "dogs"} <= {text.strip() for text in texts(why.matched)}


def test_a_clipped_repetition_is_invented():
    why = explain(parse("wordF(word_order=1)"), "the the the cat", "the cat")
    assert [(run.text, run.places) for run in why.invented.shown] == [("the the", 1)]
    assert why.missed.total == 0


def test_positions_in_longer_matches_match_first():
    """Of two ``the`` in the reference one may match: the one in ``the dog``."""
    why = explain(parse("wordF(word_order=2)"), "see the dog", "the cat and the dog")
    token = {(t.start, why.reference.text[t.start : t.end]): (t.matched, t.ngrams) for t in why.reference.tokens}
    assert token[0, "the"] == (0, 2)
    assert token[12, "the"] == (2, 3)


def test_shades_count_the_matched_ngrams_over_each_character():
    why = explain(ChrF(char_order=2), "ab c", "abd")
    # a: a, ab; b: b, ab matched, bc not; c: c, bc; the space is not counted
    shades = [(s.start, s.end, s.matched, s.ngrams) for s in why.hypothesis.stretches]
    assert shades == [(0, 1, 2, 2), (1, 2, 2, 3), (2, 3, 0, 0), (3, 4, 0, 2)]


def test_counted_reference_is_shown_with_scores_of_all_references():
    why = explain(ChrF(), "the cat", {"A": "a dog", "B": None, "C": "the cat", "D": "the cat"})
    assert why.chosen == "C"
    assert [(c.name, c.result.score) for c in why.candidates] == [
        (name, ChrF().sentence("the cat", text).score)
        for name, text in (("A", "a dog"), ("C", "the cat"), ("D", "the cat"))
    ]
    assert why.reference.text == "the cat"
    assert explain(ChrF(), "the cat", ["a dog", None, "the cat", "the cat"]).chosen == 2


def test_bleu_clips_over_all_references_and_shows_the_closest_in_length():
    metric = Bleu(max_order=2, tokenize="none")
    why = explain(metric, "the cat sat", ["a cat sat on it", "the dog ran"])
    assert why.chosen == 1
    assert why.result.values == metric.sentence("the cat sat", ["a cat sat on it", "the dog ran"]).values
    assert why.matched.ngrams == (3, 1)
    assert texts(why.missed) == ["dog ran"]


@given(metric=BLEUS, pair=pairs(20), other=st.one_of(st.none(), st.text("ab ", max_size=8)))
def test_bleu_shares_add_up_to_the_printed_score(metric, pair, other):
    references = [pair[1]] if other is None else [pair[1], other]
    why = explain(metric, pair[0], references, limit=None)
    score = Fraction(why.result.score_text)
    assert why.score == score
    assert sum(order.contribution for order in why.orders) == score
    assert sum((run.points for run in why.matched.shown), why.smoothing) == score
    assert why.matched.ngrams == tuple(order.matches for order in why.orders)
    assert why.smoothing >= 0


def spans(text):
    return [text.text[token.start : token.end] for token in text.tokens]


def test_entities_that_13a_reads_as_characters_are_whole_tokens():
    why = explain(Bleu(), '&quot;Hi&quot; &lt;b&gt; you&amp;me "', "&quot;")
    assert spans(why.hypothesis) == ["&quot;", "Hi", "&quot;", "&lt;", "b", "&gt;", "you", "&amp;", "me", '"']
    assert spans(why.reference) == ["&quot;"]
    assert spans(explain(Bleu(tokenize="intl"), "&amp;", "x").hypothesis) == ["&", "amp", ";"]


@given(st.text(alphabet='a &quot;ampltg<>"-\n.İ1', max_size=30), st.sampled_from(["13a", "intl", "zh", "char"]))
@example("&quot;", "13a")
@example("&amp;quot;", "13a")
@example("<skipped>a", "13a")
def test_any_text_is_explained_with_any_tokenizer(text, name):
    for hypothesis, reference in ((text, "a"), ("a", text), (text, text)):
        why = explain(Bleu(tokenize=name, lowercase=True), hypothesis, reference)
        for side in (why.hypothesis, why.reference):
            assert all(0 <= token.start <= token.end <= len(side.text) for token in side.tokens)
            starts = [token.start for token in side.tokens]
            assert starts == sorted(starts)


@pytest.mark.parametrize("metric", ["chrF", "chrF++", "wordF", "BLEU(tokenize=none)", "chrF(unit=grapheme)"])
@pytest.mark.parametrize(("hypothesis", "reference"), [("", ""), ("a", ""), ("", "a"), (" ", "\n"), ("a", "a")])
def test_empty_texts_are_explained_too(metric, hypothesis, reference):
    why = explain(parse(metric), hypothesis, reference)
    assert why.result.score_text == ("100.000000" if hypothesis == reference == "a" else "0.000000")
    assert why.to_dict()["result"]["score"] == why.result.score


@pytest.mark.parametrize("metric", [Bleu(tokenize="none"), ChrF(averaging="per_order_f"), parse("chrF++")])
@pytest.mark.parametrize("seed", [0, 1, 223])
def test_short_list_is_a_prefix_of_the_whole_list(metric, seed):
    chance = Random(seed)
    words = ["".join(chance.choices("abcdefgh", k=chance.randint(1, 9))) for _ in range(300)]
    reference = chance.choices(words, k=150)
    hypothesis = [word if chance.random() < 0.6 else chance.choice(words) for word in reference]
    whole, short = (explain(metric, " ".join(hypothesis), " ".join(reference), limit=limit) for limit in (None, 1))
    for side in ("matched", "missed", "invented"):
        assert getattr(short, side).shown[0].points == getattr(whole, side).shown[0].points


def test_lists_and_texts_are_truncated_with_a_note():
    words = " ".join(f"word{i}" for i in range(300))
    why = explain(ChrF(), words.upper(), words, limit=1, text_limit=100)
    assert len(why.missed.shown) == 1
    assert why.missed.to_dict()["left_out"] == why.missed.total - 1 > 0
    assert why.reference.text == words[:100]
    assert why.reference.to_dict()["left_out"] == len(words) - 100
    assert why.reference.stretches[-1].end == 100


def test_a_text_is_never_cut_inside_a_cluster():
    family = "👨‍👩‍👧"
    assert explain(ChrF(), "ab" + family, "x", text_limit=4).hypothesis.text == "ab"
    assert explain(ChrF(), "ab" + family + "c", "x", text_limit=7).hypothesis.text == "ab" + family


def test_lower_case_that_changes_the_length_keeps_its_places():
    why = explain(ChrF(char_order=1, lowercase=True), "İb", "xb")
    assert [(s.start, s.end, s.matched, s.ngrams) for s in why.hypothesis.stretches] == [(0, 1, 0, 2), (1, 2, 1, 1)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"limit": 0}, "limit is 0; a whole number of at least 1"),
        ({"text_limit": True}, "text_limit is True"),
    ],
)
def test_error_names_wrong_arguments(arguments, message):
    with pytest.raises(UsageError, match=message):
        explain(ChrF(), "a", ["a", "b"], **arguments)


def test_a_metric_may_be_given_by_its_name():
    assert explain("chrF++", "a cat", "the cat") == explain(parse("chrF++"), "a cat", "the cat")
    assert explain_corpus("wordF", ["a"], ["b"]) == explain_corpus(parse("wordF"), ["a"], ["b"])
    with pytest.raises(UsageError, match="'chrf---' is not the name of a metric"):
        explain("chrf---", "a", "b")
    with pytest.raises(UsageError, match=r"metric is 3; a metric was expected, such as ChrF\(\) or 'chrF\+\+'"):
        explain(3, "a", "b")


@pytest.mark.parametrize(
    ("metric", "pair", "said"),
    [
        ("BLEU(tokenize=none)", ("a b", "c d"), "score = 0, because no n-gram matches"),
        ("BLEU(tokenize=none,smoothing=none)", ("a c b d", "a b c d"), "score = 0, because an order has no match"),
        ("BLEU(tokenize=none,effective_order=never)", ("a b", "a b"), "score = 0, because an order has no match"),
        ("BLEU(tokenize=none)", ("a", "a" + " b" * 900), "ln BP = -900.000000"),
        ("chrF", ("", "a"), "score = 0, because no order has n-grams on both sides"),
        ("chrF(averaging=per_order_f)", ("a", "b"), "over all 6 orders = 0.000000"),
    ],
)
def test_the_cause_of_a_score_of_zero_is_shown(metric, pair, said):
    why = explain(parse(metric), *pair)
    assert why.result.score_text == "0.000000"
    assert said in " ".join(why.arithmetic)


def test_explanations_can_be_pickled():
    import pickle

    why = explain(parse("chrF++"), "a cat sat", ["the cat sat", "a dog"])
    assert pickle.loads(pickle.dumps(why)).to_dict() == why.to_dict()


def test_an_explanation_is_json_and_its_fractions_add_up():
    import json

    data = json.loads(json.dumps(explain(parse("chrF++"), "a cat sat", "the cat sat down").to_dict()))
    total = sum(Fraction(order["contribution_fraction"]) for order in data["orders"])
    assert total == Fraction(data["result"]["score_fraction"])


def fields(data):
    """Return every field name of some JSON, without what `result` holds."""
    if isinstance(data, dict):
        return set(data).union(*(fields(value) for name, value in data.items() if name != "result"))
    return set().union(*map(fields, data)) if isinstance(data, list) else set()


def test_the_guide_names_every_field_of_the_json():
    section = (ROOT / "docs" / "explain.md").read_text(encoding="utf-8").split("## In JSON\n")[1]
    named = set(re.findall(r"`([a-z_]+)`", section))
    segment = explain(parse("chrF++"), "a cat sat", ["the cat sat down", "a dog"]).to_dict()
    corpus = explain_corpus(parse("chrF++"), ["a cat sat"] * 2, ["the cat sat down"] * 2).to_dict()
    edits = explain(parse("TER"), "a cat sat", "the cat sat down").to_dict()
    found = {name.removesuffix("_fraction") for name in fields(segment) | fields(corpus) | fields(edits)}
    assert found <= named
    assert named - found <= {"_fraction"}


def test_a_representation_is_short():
    why = explain("chrF++", "xy " * 300, "ab " * 300)
    corpus = explain_corpus("wordF", ["x"], ["a b"])
    assert repr(why) == "<Explanation of chrF++ 0.000000: runs 0 matched, 1 missed, 1 invented>"
    assert repr(corpus) == "<CorpusExplanation of wordF 0.000000: 1 n-gram missed, 1 invented>"
    assert all(len(repr(part)) < 60 for part in (why.missed, why.hypothesis))


def test_the_types_of_explanations_are_exported():
    from chrfect import explanation

    assert type(explain("chrF", "a", "b")) is explanation.Explanation
    assert type(explain_corpus("chrF", ["a"], ["b"])) is explanation.CorpusExplanation


@dataclass(frozen=True)
class WordsMissing(Metric):
    """A metric of a third party that only counts and scores: the share of a reference's words that are missing."""

    name = "WordsMissing"
    lower_is_better = True
    columns = ("missing", "reference_words")

    def count_pair(self, hypothesis, reference):
        words = reference.split()
        return sum(word not in hypothesis.split() for word in words), len(words)

    def exact_score(self, values):
        return Fraction(100 * values[0], values[1]) if values[1] else Fraction(0)


@dataclass(frozen=True)
class ShowsTheLast(WordsMissing):
    """A metric that decides which reference is shown."""

    name = "ShowsTheLast"

    def shown_reference(self, candidates, values):
        return len(candidates) - 1


def test_a_metric_without_hooks_is_explained_by_its_score_and_its_counts():
    import json

    from chrfect.explanation.report import document, terminal

    why = explain(WordsMissing(), "a b", ["a c", "b b a", "x"])
    assert (why.orders, why.arithmetic, why.smoothing) == ((), (), 0)
    assert {runs.total for runs in (why.matched, why.missed, why.invented)} == {0}
    assert (why.chosen, why.result.score) == (1, 0)
    printed = terminal(why)
    assert "Nothing was missed" not in printed
    assert re.search(r"^reference_words +3$", printed, re.MULTILINE)
    assert "WordsMissing counts no n-grams" in printed
    assert "Of 3 references no. 2 counts, which gives the best score." in printed
    assert "covered by matched n-grams" not in document(why).html()
    assert "Hypothesis" in why._repr_html_()
    assert json.loads(json.dumps(why.to_dict()))["orders"] == []
    corpus = explain_corpus(WordsMissing(), ["a b", "c"], {"A": ["x", "c"], "B": ["a b", None]})
    assert (corpus.missed, corpus.invented, dict(corpus.chosen)) == ((), (), {"A": 1, "B": 1})
    assert re.search(r"^reference_words +3$", terminal(corpus), re.MULTILINE)


def test_a_metric_decides_which_reference_is_shown():
    assert explain(ShowsTheLast(), "a cat", ["a cat", "x", "y"]).chosen == 2
    why = explain_corpus(ShowsTheLast(), ["a cat", "b"], references_per_segment=[["a cat", "x"], ["b"]])
    assert dict(why.chosen) == {1: 1, 0: 1}


def test_a_metric_with_levels_and_no_changed_counts_is_an_error_that_names_the_method():
    class Unfinished(WordsMissing):
        pass

    with pytest.raises(NotImplementedError, match="Unfinished has levels and must define changed_counts"):
        Unfinished().changed_counts((), (), ())


def test_save_writes_the_format_of_the_extension(tmp_path):
    import json

    from chrfect.explanation.report import PAGE_DECIMALS, document, terminal

    for why in (explain("chrF++", "a cat", "the cat"), explain_corpus("BLEU(tokenize=none)", ["a b"], ["a c"])):
        for ending, text in (
            ("html", document(why, "it", PAGE_DECIMALS).html()),
            ("HTM", document(why, "it", PAGE_DECIMALS).html()),
            ("md", document(why, "it").markdown()),
            ("txt", terminal(why, "it")),
        ):
            why.save(tmp_path / f"why.{ending}", "it")
            assert (tmp_path / f"why.{ending}").read_text(encoding="utf-8") == text
        why.save(str(tmp_path / "why.json"))
        assert json.loads((tmp_path / "why.json").read_text(encoding="utf-8")) == json.loads(json.dumps(why.to_dict()))


def test_unknown_extension_is_an_error_that_names_the_formats(tmp_path):
    with pytest.raises(UsageError, match=r"why\.pdf' ends in \.pdf, which is .* use \.txt, \.md, \.html or \.json"):
        explain("chrF", "a", "b").save(tmp_path / "why.pdf")
    assert list(tmp_path.iterdir()) == []


def test_notebook_fragment_does_not_style_other_elements():
    why = explain("chrF++", "The cats <b>sat.", "The dogs sat.")
    shown = why._repr_html_()
    assert shown.startswith('<div class="chrfect">')
    assert "&lt;b&gt;" in shown
    style = shown.split("<style>")[1].split("</style>")[0]
    style = re.sub(r"/\*.*?\*/|:(?:is|not)\([^)]*\)|@media[^{]*\{", "", style)
    selectors = re.findall(r"([^{}@]+)\{", style)
    assert selectors
    assert all(part.strip().startswith(".chrfect") for selector in selectors for part in selector.split(","))
    assert "<html" not in shown
