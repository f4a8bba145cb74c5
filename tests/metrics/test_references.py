import subprocess
import sys

import pandas as pd
import pytest

from chrfect import ChrF, UsageError, kernels
from chrfect.metrics.references import align

METRIC = ChrF()


def test_the_three_layouts_are_equivalent():
    hypotheses = ["a b c", "d e f"]
    named = METRIC.both(hypotheses, {"A": ["a b c", "x"], "B": ["y", "d e f"]})
    listed = METRIC.both(hypotheses, references_per_segment=[["a b c", "y"], ["x", "d e f"]])
    assert named.score == listed.score == 100
    assert [segment.reference for segment in named.segments] == ["A", "B"]
    assert [segment.reference for segment in listed.segments] == [0, 1]


def test_missing_reference_differs_from_empty_reference():
    missing = METRIC.segments(["abc"], {"A": ["abd"], "B": [None]})
    assert missing.scores == METRIC.segments(["abc"], ["abd"]).scores
    with pytest.raises(UsageError, match=r"Segment 0 .* has no reference"):
        METRIC.segments(["abc"], {"A": [None], "B": [None]})
    assert METRIC.segments(["abc"], {"A": [None], "B": [""]}).scores == [0]


def test_the_index_of_a_chosen_reference_counts_missing_ones():
    assert METRIC.segments(["abc"], references_per_segment=[[None, "xyz", "abc"]])[0].reference == 2


@pytest.mark.skipif(kernels.compiled is None, reason="the readable kernel takes minutes")
@pytest.mark.skipif(sys.platform == "win32", reason="no module resource there")
@pytest.mark.parametrize(("name", "best"), [("chrF", "100.000000"), ("BLEU", "100.000000"), ("TER", "0.000000")])
def test_a_million_references_of_one_segment_need_less_than_400_bytes_each(name, best):
    code = f"""
import resource
from chrfect import parse

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if {sys.platform == "darwin"} else 1024)

references = [f"the cat sat {{i % 977}}" for i in range(999_999)] + ["the cat sat on the mat"]
before = peak()
result = parse({name!r}).corpus(["the cat sat on the mat"], references_per_segment=[references])
print(result.score_text, peak() - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    score, used = done.stdout.split()
    assert score == best
    assert int(used) < 400 * 1_000_000


def test_the_first_of_equally_good_references_is_chosen():
    assert METRIC.sentence("abc", ["abd", "abx", "abd"]).reference == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a", "b"], ["a"]), "hypotheses is 2 and that of references is 1"),
        ((["a", "b"], {"A": ["a", "b"], "B": ["a"]}), r"hypotheses is 2 and that of references\['B'\] is 1"),
        (("abc", ["a", "b", "c"]), "hypotheses is a str; a list of texts was expected. One text belongs in a list"),
        ((["a"], "a"), "references is a str"),
        ((["a"], {"A": "a"}), r"references\['A'\] is a str"),
        ((["a", "b"], [["a", "b"]]), r"references\[0\] is a list.*\{\"refA\".*references_per_segment="),
        ((["a", "b"], [["a"], ["b"]]), r"references\[0\] is a list"),
        ((["a"], [None]), r"references\[0\] is None, a missing text"),
        (([None], ["a"]), r"hypotheses\[0\] is None"),
        (([1], ["a"]), r"hypotheses\[0\] is a int"),
        ((["a"], [b"a"]), r"references\[0\] is a bytes"),
        (([], []), "no segments"),
        ((["a"], {}), "empty mapping"),
        ((["a"], None), "either references or references_per_segment"),
    ],
)
def test_a_wrong_layout_is_rejected_with_the_expected_one(arguments, message):
    for call in (METRIC.corpus, METRIC.segments, METRIC.both):
        with pytest.raises(UsageError, match=message):
            call(*arguments)


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        (["a", "b"], r"references_per_segment\[0\] is a str"),
        ([["a"]], "hypotheses is 2 and that of references_per_segment is 1"),
        ([["a"], []], "Segment 1 .* has no reference"),
        ("ab", "references_per_segment is a str"),
    ],
)
def test_a_wrong_list_of_lists_is_an_error(lists, message):
    with pytest.raises(UsageError, match=message):
        METRIC.corpus(["a", "b"], references_per_segment=lists)


def test_rejects_both_kinds_of_references_together():
    with pytest.raises(UsageError, match="either references or references_per_segment"):
        METRIC.corpus(["a"], ["a"], references_per_segment=[["a"]])


def test_accepts_other_sequences_and_generators():
    import numpy as np

    expected = METRIC.corpus(["ab", "cd"], ["ab", "ce"]).values
    assert METRIC.corpus(np.array(["ab", "cd"]), (text for text in ["ab", "ce"])).values == expected


def test_a_sentence_takes_one_reference_or_several():
    assert METRIC.sentence("abc", "abc").score == METRIC.sentence("abc", ["x", "abc"]).score == 100
    with pytest.raises(UsageError, match="hypothesis is a list"):
        METRIC.sentence(["abc"], "abc")


@pytest.mark.parametrize(
    ("references", "message"),
    [
        ([], "references is empty; one text, or a list of at least one, was expected"),
        (None, "references is a NoneType; one text, or a list"),
        ({}, "references is an empty mapping"),
        ({"A": ["abc"]}, "a text"),
        (b"abc", "references is a bytes; one text, or a list"),
        ([None], "Segment 0 .* has no reference"),
    ],
)
def test_error_names_wrong_references_of_a_sentence(references, message):
    with pytest.raises(UsageError, match=message):
        METRIC.sentence("abc", references)


class Shouting(str):
    def __str__(self):
        return "not the text"


def test_a_subclass_of_str_is_counted_as_its_text():
    import numpy as np

    for text in (Shouting("abc"), np.array(["abc"])[0]):
        assert METRIC.sentence(text, "abc").score == METRIC.sentence("abc", text).score == 100
        assert METRIC.sentence("abc", [text, "x"]).score == 100
        assert METRIC.corpus([text], ["abc"]).score == METRIC.corpus(["abc"], {"A": [text]}).score == 100


@pytest.mark.parametrize("values", [{"a", "b"}, frozenset("ab")])
def test_rejects_values_without_order_of_segments(values):
    with pytest.raises(UsageError, match="no order of segments"):
        METRIC.corpus(values, ["a", "b"])


def test_table_is_not_read_as_a_list_of_column_names():
    class Frame:
        columns = ("hypothesis", "reference")

        def __iter__(self):
            return iter(self.columns)

    with pytest.raises(UsageError, match="hypotheses is a Frame"):
        METRIC.corpus(Frame(), ["a", "b"])


def test_rejects_an_array_without_dimensions():
    import numpy as np

    with pytest.raises(UsageError, match="hypotheses is a ndarray"):
        METRIC.corpus(np.array("a"), ["a"])


def test_rejects_two_names_with_equal_text():
    with pytest.raises(UsageError, match="equal as text: 1, '1'"):
        METRIC.corpus(["a"], {1: ["a"], "1": ["b"]})


def test_a_single_named_reference_is_named_in_the_results():
    assert METRIC.segments(["a", "b"], {"A": ["a", "b"]})[1].reference == "A"


def test_accepts_any_number_of_threads():
    assert METRIC.corpus(["a"], ["a"], threads=10**30).score == 100


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_error_names_a_wrong_number_of_threads(threads):
    with pytest.raises(UsageError, match="threads is"):
        METRIC.corpus(["a"], ["a"], threads=threads)


def test_later_changes_of_a_list_have_no_effect():
    hypotheses, references = ["a b", "c"], ["a b", "d"]
    aligned = align(hypotheses, references)
    named = align(hypotheses, {"A": references})
    del hypotheses[:], references[:]
    for taken in (aligned, named):
        assert (list(taken.hypotheses), list(taken.references)) == (["a b", "c"], ["a b", "d"])


def test_a_missing_text_in_a_single_named_list_leaves_its_segment_without_a_reference():
    with pytest.raises(UsageError, match=r"Segment 1 .* has no reference"):
        METRIC.corpus(["a", "b"], {"A": ["a", None]})


def test_missing_value_of_pandas_is_an_error_that_names_its_type():
    with pytest.raises(UsageError, match=r"hypotheses\[1\] is a NAType; a text \(str\) was expected"):
        METRIC.corpus(["a", pd.NA], ["a", "b"])
