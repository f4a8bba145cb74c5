"""For any arguments there is sacreBLEU's score, its exception, or an error where it would score only a part."""

import logging

import sacrebleu as peer
from hypothesis import given, settings
from hypothesis import strategies as st

from chrfect import UsageError
from chrfect.compat import sacrebleu as ours
from chrfect.compat.sacrebleu.metrics.base import TextTypeError

TEXTS = st.sampled_from(["", " ", "the cat sat", "the cat sat on the mat .", "x", "日本語", "a b c d e"])
THINGS = st.one_of(TEXTS, TEXTS, TEXTS, st.none(), st.sampled_from([1, b"bytes", ["a"], ("a", "b"), 2.5]))


def containers(elements, size):
    """Draw a builder of what a caller may pass where a list belongs, so that each side gets its own generator."""
    texts = st.lists(elements, min_size=size[0], max_size=size[1])
    return st.tuples(
        texts, st.sampled_from([list, list, list, tuple, lambda values: (value for value in values), dict.fromkeys])
    )


def built(drawn):
    values, kind = drawn
    try:
        return kind([built(value) if isinstance(value, tuple) and callable(value[-1]) else value for value in values])
    except TypeError:  # a dict of lists
        return [built(value) if isinstance(value, tuple) and callable(value[-1]) else value for value in values]


METRICS = st.sampled_from(["BLEU", "CHRF", "TER"])


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
    hypotheses, streams = list(hypotheses), [list(stream) for stream in streams]
    return {len(stream) for stream in streams} != {len(hypotheses)} or any(
        all(text is None for text in row) for row in zip(*streams, strict=True)
    )


def agree(mine, theirs):
    return mine == theirs or (mine[0] is TextTypeError and issubclass(TextTypeError, theirs[0]))


@settings(max_examples=250)
@given(METRICS, st.data(), st.booleans())
def test_any_arguments_give_the_outcome_of_sacrebleu_or_a_stricter_error(kind, data, cached):
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    number = data.draw(st.integers(0, 3))
    hypotheses = data.draw(containers(THINGS, (number, number)))
    near = st.sampled_from([(number, number)] * 4 + [(0, 3)])
    streams = data.draw(containers(near.flatmap(lambda size: containers(THINGS, size)), (0, 3)))

    def call(module):
        texts, references = built(hypotheses), built(streams)
        if cached:
            return getattr(module, kind)(references=references).corpus_score(texts, None)
        return getattr(module, kind)().corpus_score(texts, references)

    theirs, mine = result(lambda: call(peer)), result(lambda: call(ours))
    if not agree(mine, theirs):
        assert mine[0] is UsageError, (mine, theirs)
        assert misread(built(hypotheses), built(streams)), (mine, theirs)


@settings(max_examples=300)
@given(METRICS, THINGS, containers(THINGS, (0, 3)))
def test_any_sentence_arguments_give_the_outcome_of_sacrebleu(kind, hypothesis, references):
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)

    def call(module):
        return getattr(module, kind)().sentence_score(hypothesis, built(references))

    theirs, mine = result(lambda: call(peer)), result(lambda: call(ours))
    if not agree(mine, theirs):
        assert mine[0] is UsageError, (mine, theirs)
        assert all(text is None for text in built(references)), (mine, theirs)
