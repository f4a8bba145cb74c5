"""Contributions sum to the exact score, and printed contributions to the printed score."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from chrfect import ChrF
from chrfect.explanation import explain
from chrfect.explanation.matches import Matcher
from chrfect.formulas.decimals import apportion

TEXTS = st.one_of(
    st.text(alphabet="ab .", max_size=40),
    st.text(alphabet="abcdeé \u3000,!日本👍🏽\u200dİΣς", max_size=30),
    st.text(max_size=20),
)
METRICS = st.builds(
    ChrF,
    char_order=st.integers(1, 7),
    word_order=st.integers(0, 4),
    beta=st.one_of(st.integers(1, 4), st.fractions(Fraction(1, 4), 4, max_denominator=8)),
    lowercase=st.booleans(),
    whitespace=st.sampled_from(["remove", "keep"]),
    averaging=st.sampled_from(["mean_precision_recall", "per_order_f"]),
    unreferenced=st.sampled_from(["drop", "count"]),
    unit=st.sampled_from(["codepoint", "byte", "grapheme"]),
) | st.builds(ChrF, char_order=st.just(0), word_order=st.integers(1, 4), beta=st.integers(1, 3))


@given(metric=METRICS, hypothesis=TEXTS, reference=TEXTS)
@example(ChrF(averaging="per_order_f"), "", "")
@example(ChrF(averaging="per_order_f"), "a", "b")
@example(ChrF(averaging="per_order_f"), "abcdef", "abc")
@example(ChrF(word_order=2), "xgy", "xg gy")
@example(ChrF(lowercase=True, word_order=1), "İİ ΑΣ", "i̇ ΑΣ")
def test_orders_and_matched_runs_add_up_to_the_score(metric, hypothesis, reference):
    why = explain(metric, hypothesis, reference, limit=None, text_limit=None)
    score = why.result.score_fraction
    assert sum(order.contribution for order in why.orders) == score
    assert sum((run.points for run in why.matched.shown), why.smoothing) == score
    assert why.matched.points + why.smoothing == score


@given(metric=METRICS, hypothesis=TEXTS, reference=TEXTS)
@example(ChrF(word_order=2), "xgy", "xg gy")
@example(ChrF(), "aaaa", "aa")
@example(ChrF(char_order=2, unreferenced="drop"), "ab", "a")
def test_runs_contain_every_ngram_once(metric, hypothesis, reference):
    why = explain(metric, hypothesis, reference, limit=None)
    orders = why.result.orders
    assert why.matched.ngrams == tuple(order.matches for order in orders)
    assert why.missed.ngrams == tuple(order.reference_ngrams - order.matches for order in orders)
    assert why.invented.ngrams == tuple(order.hypothesis_ngrams - order.matches for order in orders)
    for runs in (why.matched, why.missed, why.invented):
        assert len(runs.shown) == runs.total
        assert runs.ngrams == tuple(sum(run.ngrams[i] for run in runs.shown) for i in range(len(orders)))


@given(metric=METRICS, hypothesis=TEXTS, reference=TEXTS)
def test_stretches_cover_the_text_and_count_every_ngram_once_for_each_unit(metric, hypothesis, reference):
    why = explain(metric, hypothesis, reference, text_limit=None)
    for side, total in ((why.hypothesis, "hypothesis_ngrams"), (why.reference, "reference_ngrams")):
        places = [place for stretch in side.stretches for place in range(stretch.start, stretch.end)]
        assert places == list(range(side.length))
        if metric.unit != "codepoint":
            continue
        kind = "character" if metric.char_order else "word"
        if kind == "character" and not metric.lowercase:
            orders = [order for order in why.orders if order.kind == kind]
            for counted, mine in ((total, "ngrams"), ("matches", "matched")):
                covered = sum(getattr(s, mine) * (s.end - s.start) for s in side.stretches)
                assert covered == sum(order.n * getattr(order, counted) for order in orders)


@given(st.lists(st.fractions(0, 100, max_denominator=997), max_size=12), st.integers(0, 6))
def test_apportioned_parts_add_up_as_printed_and_are_within_one_last_digit(parts, decimals):
    printed = apportion(parts, decimals)
    total = Fraction(round(sum(parts, Fraction(0)) * 10**decimals), 10**decimals)
    assert sum(map(Fraction, printed), Fraction(0)) == total
    assert all(
        abs(Fraction(text) - part) < Fraction(1, 10**decimals) for text, part in zip(printed, parts, strict=True)
    )


@pytest.mark.parametrize(("averaging", "factor"), [("mean_precision_recall", 1), ("per_order_f", 1)])
def test_contribution_of_a_match_is_the_slope_of_the_score(averaging, factor):
    """By hand: P = R = 1/2 with one order of two n-grams, so F = 50, and its one match is all of it."""
    why = explain(ChrF(char_order=1, averaging=averaging), "ab", "ac")
    assert why.orders[0].worth == 50
    assert why.matched.shown[0].points == 50


def test_contributions_of_unequal_orders_equal_manual_results():
    """cat against cats: p = (3/3, 2/2), r = (3/4, 2/3), P = 1, R = 17/24, beta 2, F = 5PR/(4P+R).

    dF/dP = 5R²/(4P+R)² = 1445/12769 and dF/dR = 20P²/(4P+R)² = 11520/12769; order 1 contributes
    (1445 · 1 + 11520 · 3/4) / (2 · 12769) = 10085/25538 of 1.
    """
    orders = explain(ChrF(char_order=2), "cat", "cats").orders
    assert orders[0].contribution == Fraction(100 * 10085, 25538)
    assert orders[1].contribution == Fraction(100 * (1445 + 11520 * Fraction(2, 3)), 25538)


def test_gains_are_scores_of_changed_counts():
    """dog in place of cat: the unigrams d, o, g and what touches them, added to hypothesis and matches."""
    metric = ChrF(char_order=2)
    why = explain(metric, "The cats sat.", "The dogs sat.")
    (missed,) = why.missed.shown
    assert (missed.text, missed.ngrams) == ("dog", (3, 4))
    # P = (11/14 + 10/14)/2 with 8+3 of 11+3 and 6+4 of 10+4; R = 1: F = 5P/(4P+1)
    p = Fraction(11 + 10, 28)
    assert missed.points == 100 * 5 * p / (4 * p + 1) - why.result.score_fraction
    assert metric.changed_counts(why.result.values, (0, 0), (0, 0)) == list(why.result.values)


@given(metric=METRICS, hypothesis=TEXTS, reference=TEXTS)
def test_gains_equal_oracle_scores_with_runs_added_or_removed(metric, hypothesis, reference):
    why = explain(metric, hypothesis, reference, limit=None)
    rows = [(o.hypothesis_ngrams, o.reference_ngrams, o.matches) for o in why.result.orders]
    score = oracle.score([n for row in rows for n in row], metric.exact_beta, metric.averaging)
    assert score == why.result.score_fraction
    for run in why.missed.shown:
        there = [(h + x, r, m + x) for (h, r, m), x in zip(rows, run.ngrams, strict=True)]
        assert (
            run.points == oracle.score([n for row in there for n in row], metric.exact_beta, metric.averaging) - score
        )
    for run in why.invented.shown:
        away = [(h - x, r, m) for (h, r, m), x in zip(rows, run.ngrams, strict=True)]
        assert run.points == oracle.score([n for row in away for n in row], metric.exact_beta, metric.averaging) - score
    for runs in (why.matched, why.missed, why.invented):
        assert [run.points for run in runs.shown] == sorted((run.points for run in runs.shown), reverse=True)


def naive_places(text, other, n):
    """How often each n-gram may match, by counting."""
    grams = Counter(text[i : i + n] for i in range(len(text) - n + 1))
    return grams & Counter(other[i : i + n] for i in range(len(other) - n + 1))


@given(st.text(alphabet="abc", max_size=14), st.text(alphabet="abc", max_size=14))
def test_marked_positions_are_clipped_for_each_ngram(hypothesis, reference):
    (level,) = Matcher(ChrF(unreferenced="count").levels).matches([[hypothesis], [reference]])
    for n in range(1, 7):
        expected = naive_places(hypothesis, reference, n)
        for text, side in zip((hypothesis, reference), level.sides, strict=True):
            marked = Counter(text[i : i + n] for i in side.matched[n - 1].nonzero()[0])
            assert marked == expected
