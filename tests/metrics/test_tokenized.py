"""Segments given as lists of tokens have the scores of the texts with these tokens."""

import pytest

from chrfect import Bleu, UsageError

HYPOTHESES = [["the", "cat", "sat", "on", "it"], [], ["a", "dog"]]
REFERENCES = [["the", "cat", "sat", "on", "mats"], ["x"], ["a", "dog"]]


def joined(lists):
    return [" ".join(tokens) for tokens in lists]


def test_every_layout_takes_lists_of_tokens():
    metric = Bleu(tokenize="none")
    want = metric.both(joined(HYPOTHESES), joined(REFERENCES))
    assert metric.both(HYPOTHESES, REFERENCES) == want
    per_segment = [[tokens] for tokens in REFERENCES]
    assert metric.corpus(HYPOTHESES, references_per_segment=per_segment).score == want.score
    named = {"A": REFERENCES, "B": [None, ["y"], None]}
    texts = {"A": joined(REFERENCES), "B": [None, "y", None]}
    assert metric.corpus(HYPOTHESES, named).counts == metric.corpus(joined(HYPOTHESES), texts).counts


@pytest.mark.parametrize(
    ("hypotheses", "references", "message"),
    [
        ([["a"]], ["a"], r"references\[0\] is a str; a list of tokens"),
        ([["a"], "a"], [["a"], ["a"]], r"hypotheses\[1\] is a str"),
        ([["a", 1]], [["a"]], r"hypotheses\[0\]\[1\] is a int"),
        ([["a b"]], [["a"]], r"hypotheses\[0\]\[0\] is 'a b', which has whitespace in it"),
        ([["a"]], {"A": [["a", ""]]}, r"references\['A'\]\[0\]\[1\] is '', which is empty"),
    ],
)
def test_error_names_input_that_is_not_a_list_of_tokens(hypotheses, references, message):
    with pytest.raises(UsageError, match=message):
        Bleu(tokenize="none").corpus(hypotheses, references)


def test_tokens_with_a_text_tokenizer_are_rejected_with_a_fix():
    with pytest.raises(UsageError, match=r"hypotheses\[0\] is a list, and tokenize=13a splits texts.*tokenize=none"):
        Bleu().corpus([["a", "b"]], [["a", "b"]])
