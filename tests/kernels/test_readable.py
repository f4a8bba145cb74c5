from hypothesis import given
from hypothesis import strategies as st

import oracle
from chrfect.kernels import readable
from strategies import corpora


@given(corpora(surrogates=True), st.integers(0, 8), st.integers(0, 4), st.booleans(), st.booleans())
def test_rows_and_totals_equal_the_naive_oracle(pairs, char_order, word_order, keep, drop):
    hypotheses, references = map(list, zip(*pairs, strict=True))
    naive = [oracle.row(h, r, char_order, word_order, keep, drop) for h, r in pairs]
    rows = readable.rows(hypotheses, references, char_order, word_order, keep, drop)
    assert rows.tolist() == [value for row in naive for value in row]
    assert readable.total(hypotheses, references, char_order, word_order, keep, drop) == oracle.total(naive)


def test_counts_by_hand():
    # characters: "aab" has a,a,b and aa,ab; "abab" has a,b,a,b and ab,ba,ab. words: one each, different.
    assert readable.rows(["aab"], ["ab ab"], 2, 1, False).tolist() == [3, 4, 3, 2, 3, 1, 1, 2, 0]


def test_hypothesis_ngrams_without_reference_ngrams_are_dropped_only_when_asked():
    assert readable.total(["abc"], ["ab"], 3, 0, False, False) == [3, 2, 2, 2, 1, 1, 1, 0, 0]
    assert readable.total(["abc"], ["ab"], 3, 0, False, True) == [3, 2, 2, 2, 1, 1, 0, 0, 0]
