"""Both kernels clip BLEU's n-grams as the naive oracle does, whatever the lengths."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bleu_oracle
from chrfect import UsageError
from chrfect.kernels import readable

tokens = st.lists(st.sampled_from(["a", "b", "c", "é", "e\u0301", "語", "\U0001f600", "\udc00"]), max_size=14)
segments = st.lists(st.tuples(tokens, st.lists(tokens, min_size=1, max_size=4)), max_size=4)


@pytest.fixture(params=["reference", "fast"])
def kernel(request):
    if request.param == "reference":
        return readable
    return pytest.importorskip("chrfect.kernels._fast", reason="the compiled kernel was not built here")


def naive(corpus, max_order):
    return [n for hypothesis, references in corpus for n in bleu_oracle.row(hypothesis, references, max_order)[2:]]


@pytest.mark.parametrize("max_order", [1, 4, 9, 30])
def test_the_counts_are_the_oracles(kernel, max_order):
    @settings(max_examples=150)
    @given(segments)
    def check(corpus):
        hypotheses, references = [h for h, _ in corpus], [r for _, r in corpus]
        assert kernel.clipped(hypotheses, references, max_order).tolist() == naive(corpus, max_order)

    check()


@pytest.mark.parametrize("vocabulary", [2, 5_000])
@pytest.mark.parametrize("length", [1, 63, 64, 65, 128, 129, 511, 512, 513, 4_095, 4_097])
@pytest.mark.parametrize("number", [1, 3])
def test_lengths_around_every_change_of_method(vocabulary, length, number):
    fast = pytest.importorskip("chrfect.kernels._fast", reason="the compiled kernel was not built here")
    draw = random.Random(length)
    words = [f"w{i}" for i in range(vocabulary)]
    hypothesis = draw.choices(words, k=length)
    references = [
        [word if draw.random() < 0.7 else draw.choice(words) for word in hypothesis[: length - k]]
        for k in range(number)
    ]
    for max_order in (1, 4, 9):
        want = readable.clipped([hypothesis], [references], max_order)
        assert fast.clipped([hypothesis], [references], max_order) == want
        assert fast.clipped([references[0]], [[hypothesis, *references[1:]]], max_order) == (
            readable.clipped([references[0]], [[hypothesis, *references[1:]]], max_order)
        )


@given(tokens, st.lists(tokens, min_size=1, max_size=4), st.integers(1, 5))
def test_clip_lists_exactly_the_ngrams_of_the_hypothesis(hypothesis, references, n):
    table = readable.clip(hypothesis, references, n)
    places = [tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)]
    assert {ngram: count for ngram, (count, _) in table.items()} == {ngram: places.count(ngram) for ngram in places}
    assert sum(map(min, table.values())) == bleu_oracle.clipped(hypothesis, references, n)[1]


def test_a_hypothesis_too_long_for_marks_is_counted_all_the_same(kernel):
    hypothesis = ["a", "b"] * 40_000
    counts = kernel.clipped([hypothesis], [[["a", "b"], ["b", "a", "b"]]], 1_000)
    assert counts[:6].tolist() == [80_000, 3, 79_999, 2, 79_998, 1]
    assert set(counts[7::2]) == {0}


def test_fewer_lists_of_references_than_hypotheses_are_an_error():
    fast = pytest.importorskip("chrfect.kernels._fast", reason="the compiled kernel was not built here")
    with pytest.raises(UsageError, match="3 hypotheses and 1 lists of references"):
        fast.clipped([["a"], ["b"], ["c"]], [[["a"]]], 4)
    with pytest.raises(ValueError, match="shorter"):
        readable.clipped([["a"], ["b"], ["c"]], [[["a"]]], 4)


def test_a_list_of_tokens_that_grows_while_it_is_read_does_no_harm():
    fast = pytest.importorskip("chrfect.kernels._fast", reason="the compiled kernel was not built here")

    class Token(str):
        def __hash__(self):
            if len(tokens) < 5_000:
                tokens.extend(["x"] * 5_000)
            return 1

    tokens = [Token("a"), "b"]
    assert fast.clipped([["c"]], [[tokens, ["c"]]], 1).tolist() == [1, 1]
    assert len(tokens) > 5_000
