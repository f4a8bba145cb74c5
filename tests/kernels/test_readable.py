from hypothesis import given
from hypothesis import strategies as st

import oracle
from chrfect.kernels import Plan, readable
from strategies import corpora


@given(corpora(surrogates=True), st.integers(0, 8), st.integers(0, 4), st.booleans(), st.booleans())
def test_rows_and_totals_equal_the_naive_oracle(pairs, char_order, word_order, keep, drop):
    hypotheses, references = map(list, zip(*pairs, strict=True))
    plan = Plan(char_order, word_order, keep, drop)
    naive = [oracle.row(h, r, *plan) for h, r in pairs]
    rows = readable.rows(hypotheses, references, plan)
    assert rows.tolist() == [value for row in naive for value in row]
    assert readable.total(hypotheses, references, plan) == oracle.total(naive)


def test_counts_equal_manual_results():
    # characters: "aab" has a,a,b and aa,ab; "abab" has a,b,a,b and ab,ba,ab. words: one each, different.
    assert readable.rows(["aab"], ["ab ab"], Plan(2, 1)).tolist() == [3, 4, 3, 2, 3, 1, 1, 2, 0]


def test_hypothesis_ngrams_without_reference_ngrams_are_only_dropped_on_request():
    assert readable.total(["abc"], ["ab"], Plan(3, 0)) == [3, 2, 2, 2, 1, 1, 1, 0, 0]
    assert readable.total(["abc"], ["ab"], Plan(3, 0, drop_unreferenced=True)) == [3, 2, 2, 2, 1, 1, 0, 0, 0]
