"""For any arguments there is sacreBLEU's score, its exception, or an error where it would score only a part."""

import logging

import numpy as np
import pandas as pd
import pytest
import sacrebleu as peer
from hypothesis import given, settings
from hypothesis import strategies as st

from chrfect import UsageError
from chrfect.compat import sacrebleu as ours
from chrfect.compat.sacrebleu.metrics.base import TextTypeError

TEXTS = st.sampled_from(["", " ", "the cat sat", "the cat sat on the mat .", "x", "日本語", "a b c d e"])
OTHERS = [1, b"bytes", bytearray(b"bytes"), ["a"], ("a", "b"), 2.5, float("nan"), pd.NA, np.bytes_(b"bytes")]
THINGS = st.one_of(TEXTS, TEXTS, TEXTS.map(np.str_), st.none(), st.sampled_from(OTHERS))
PARAMETERS = {
    "BLEU": st.fixed_dictionaries(
        {},
        optional={
            "effective_order": st.booleans(),
            "tokenize": st.sampled_from(["13a", "none", "intl", "char", "zh"]),
            "smooth_method": st.sampled_from(["exp", "none", "floor", "add-k"]),
            "lowercase": st.booleans(),
        },
    ),
    "CHRF": st.fixed_dictionaries(
        {}, optional={"word_order": st.integers(0, 2), "lowercase": st.booleans(), "eps_smoothing": st.booleans()}
    ),
    "TER": st.fixed_dictionaries({}, optional={name: st.booleans() for name in ("normalized", "case_sensitive")}),
}
METRICS = st.sampled_from(sorted(PARAMETERS)).flatmap(lambda kind: st.tuples(st.just(kind), PARAMETERS[kind]))


def array(values):
    """Return a NumPy array: of strings where all values are, else of objects."""
    if values and all(isinstance(value, str) for value in values):
        return np.array(values)
    made = np.empty(len(values), object)
    for i, value in enumerate(values):
        made[i] = value
    return made


def series(values):
    return pd.Series(array(values), dtype="str" if all(isinstance(value, str) for value in values) else object)


def containers(elements, size):
    """Draw a builder of what a caller may pass where a list belongs, so that each side gets its own generator."""
    texts = st.lists(elements, min_size=size[0], max_size=size[1])
    kinds = [list] * 5 + [tuple, lambda values: (value for value in values), iter, dict.fromkeys, array, series]
    return st.tuples(texts, st.sampled_from(kinds))


def rarely(odd, usual):
    return st.sampled_from([usual] * 9 + [odd]).flatmap(lambda chosen: chosen)


def built(drawn):
    """Return a new container, in which drawn containers are built too; anything else as it is."""
    if not (isinstance(drawn, tuple) and callable(drawn[-1])):
        return drawn
    values, kind = drawn
    try:
        return kind([built(value) for value in values])
    except TypeError:  # a dict of what has no hash
        return [built(value) for value in values]


def result(function):
    try:
        score = function()
    except Exception as error:
        return type(error), str(error)
    return str(score)


def misread(hypotheses, streams):
    """Return whether sacreBLEU scores a part of the input, characters, or a segment without references."""
    if any(isinstance(stream, str) for stream in streams):
        return True
    hypotheses = [] if hypotheses is None else list(hypotheses)
    streams = [list(stream) for stream in streams]
    return {len(stream) for stream in streams} != {len(hypotheses)} or any(
        all(text is None for text in row) for row in zip(*streams, strict=True)
    )


def given_to(hypotheses, streams, twice):
    """Return new arguments; `twice` passes one object, which may be a generator, for the last two reference sets."""
    texts, references = built(hypotheses), built(streams)
    if twice and isinstance(references, list) and len(references) > 1:
        references[-1] = references[-2]
    return texts, references


def agree(mine, theirs):
    """Return whether outcomes agree; sacreBLEU takes bytes for words that match nothing, if no tokenizer reads them."""
    if mine == theirs or mine[0] is not TextTypeError:
        return mine == theirs
    return " is a bytes" in mine[1] if isinstance(theirs, str) else issubclass(TextTypeError, theirs[0])


def test_bytes_that_sacrebleu_scores_are_an_error():
    for metric, text in (("BLEU", b"bytes"), ("CHRF", b""), ("TER", b"")):
        parameters = {"tokenize": "none", "effective_order": True} if metric == "BLEU" else {}
        scored = [getattr(peer, metric)(**parameters).sentence_score("x", given) for given in (["x"], ["x", text])]
        assert scored[0].score == scored[1].score
        with pytest.raises(TextTypeError, match=r"references_per_segment\[0\]\[1\] is a bytes; a text"):
            getattr(ours, metric)(**parameters).sentence_score("x", ["x", text])


@settings(max_examples=250)
@given(METRICS, st.data(), st.booleans())
def test_any_arguments_give_the_outcome_of_sacrebleu_or_a_stricter_error(metric, data, cached):
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    kind, parameters = metric
    number = data.draw(st.integers(0, 3))
    hypotheses = data.draw(rarely(st.none(), containers(THINGS, (number, number))))
    near = st.sampled_from([(number, number)] * 4 + [(0, 3)])
    stream = rarely(st.none(), near.flatmap(lambda size: containers(THINGS, size)))
    streams = data.draw(rarely(st.none(), containers(stream, (0, 3))))
    twice = data.draw(st.sampled_from([False] * 9 + [True]))

    def call(module):
        texts, references = given_to(hypotheses, streams, twice)
        if cached:
            return getattr(module, kind)(**parameters, references=references).corpus_score(texts, None)
        return getattr(module, kind)(**parameters).corpus_score(texts, references)

    theirs, mine = result(lambda: call(peer)), result(lambda: call(ours))
    if not agree(mine, theirs):
        assert mine[0] is UsageError, (mine, theirs)
        assert misread(*given_to(hypotheses, streams, twice)), (mine, theirs)


@settings(max_examples=300)
@given(METRICS, THINGS, containers(THINGS, (0, 3)))
def test_any_sentence_arguments_give_the_outcome_of_sacrebleu(metric, hypothesis, references):
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    kind, parameters = metric

    def call(module):
        return getattr(module, kind)(**parameters).sentence_score(hypothesis, built(references))

    theirs, mine = result(lambda: call(peer)), result(lambda: call(ours))
    if not agree(mine, theirs):
        assert mine[0] is UsageError, (mine, theirs)
        assert all(text is None for text in built(references)), (mine, theirs)
