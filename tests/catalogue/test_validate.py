"""Validation compared with a JSON Schema library, and with a list of the rules in their order."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from chrfect import ContractError, catalogue

OURS_ALONE = {"segment_count_mismatch", "text_too_large", "lone_surrogate"}
KEYS = ["hypotheses", "references", "beta", "lowercase"]

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 20),
    st.just(10**30),
    st.sampled_from([1.0, 1.5, 2.0, 16.0, 16.5, float("inf")]),
    st.sampled_from(["", "a", "the cat", "\ud83d", "\u8a9e" * 30_000]),
)
anything = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text("ab/~", max_size=2), inner, max_size=2)
    ),
    max_leaves=6,
)
segments = st.one_of(
    st.lists(st.sampled_from(["", "a", "the cat", "\udc00", "x" * 40_000]), min_size=1, max_size=3),
    st.lists(st.one_of(st.just("a"), scalars), max_size=3),
    st.sampled_from([["a"] * 256, ["a"] * 257, [1] * 257]),
    anything,
)
beta = st.one_of(st.integers(1, 16), st.integers(1, 16).map(float), anything)
objects = st.one_of(
    st.fixed_dictionaries(
        {"hypotheses": segments, "references": segments}, optional={"beta": beta, "lowercase": st.booleans()}
    ),
    st.fixed_dictionaries(
        {},
        optional={
            "hypotheses": segments, "references": segments, "beta": beta, "lowercase": anything,
            "a/b": anything, "char_order": anything,
        },
    ),
    anything,
)  # fmt: skip


def verdict(tool, value):
    try:
        catalogue.run(tool, "1.0.0", value)
    except ContractError as error:
        return error.code, error.pointer
    return None


def first_violated(value):
    """Return (code, pointer) of the first rule that is broken, each rule written out on its own."""
    if not isinstance(value, dict):
        return "not_an_object", ""
    for key in value:
        if key not in KEYS:
            return "unknown_key", "/" + key.replace("~", "~0").replace("/", "~1")
    if any(key not in value for key in KEYS[:2]):
        return "missing_key", ""
    for key in KEYS[:2]:
        texts = value[key]
        if not isinstance(texts, list):
            return "not_an_array", f"/{key}"
        if len(texts) > 256:
            return "too_many_segments", f"/{key}"
        if len(texts) == 0:
            return "no_segments", f"/{key}"
        for i, text in enumerate(texts):
            if not isinstance(text, str):
                return "not_a_string", f"/{key}/{i}"
    if len(value["hypotheses"]) != len(value["references"]):
        return "segment_count_mismatch", ""
    if len("".join(value["hypotheses"] + value["references"]).encode("utf-8", "surrogatepass")) > 65_536:
        return "text_too_large", ""
    for key in KEYS[:2]:
        for i, text in enumerate(value[key]):
            if re.search("[\ud800-\udfff]", text):
                return "lone_surrogate", f"/{key}/{i}"
    number = value.get("beta", 2)
    if type(number) not in (int, float) or number not in range(1, 17):
        return "invalid_beta", "/beta"
    if value.get("lowercase", False) not in (True, False) or type(value.get("lowercase", False)) is not bool:
        return "invalid_lowercase", "/lowercase"
    return None


@pytest.mark.parametrize("tool", ["chrf-compute", "chrf-plus-plus-compute"])
@settings(max_examples=300)
@given(objects)
def test_the_verdict_is_that_of_json_schema_and_the_first_broken_rule_is_reported(tool, value):
    found = verdict(tool, value)
    assert found == first_violated(value)
    allowed = Draft202012Validator(catalogue.contract(tool, "1.0.0")["input_schema"]).is_valid(value)
    if found is None:
        assert allowed
    elif found[0] not in OURS_ALONE:
        assert not allowed


def test_a_message_contains_the_given_and_the_expected_value_and_the_path():
    with pytest.raises(ContractError, match=r"hypotheses\[1\] is the number 7; a string was expected"):
        catalogue.run("chrf-compute", "1.0.0", {"hypotheses": ["a", 7], "references": ["a", "b"]})
    with pytest.raises(ContractError, match="hypotheses and references have 2 and 1 elements"):
        catalogue.run("chrf-compute", "1.0.0", {"hypotheses": ["a", "b"], "references": ["a"]})
    with pytest.raises(ContractError, match=r"unpaired surrogate U\+D83D at character 1"):
        catalogue.run("chrf-compute", "1.0.0", {"hypotheses": ["a\ud83d"], "references": ["a"]})


def test_tuples_are_arrays_to_python_callers():
    value = {"hypotheses": ("a",), "references": ("a",)}
    assert catalogue.run("chrf-compute", "1.0.0", value)["score"] == "100.000000"


@given(
    st.integers(1, 16),
    st.booleans(),
    st.lists(st.tuples(st.text("aAbB .", max_size=9), st.text("aAbB .", max_size=9)), min_size=1, max_size=4),
)
def test_the_tools_give_the_score_of_the_naive_oracle(beta, lowercase, pairs):
    import oracle

    cased = [(h.lower(), r.lower()) if lowercase else (h, r) for h, r in pairs]
    hypotheses, references = map(list, zip(*pairs, strict=True))
    value = {"hypotheses": hypotheses, "references": references, "beta": beta, "lowercase": lowercase}
    for tool, word_order in [("chrf-compute", 0), ("chrf-plus-plus-compute", 2)]:
        answer = catalogue.run(tool, "1.0.0", value)
        score = oracle.score(oracle.total([oracle.row(h, r, 6, word_order) for h, r in cased]), beta)
        assert answer["score"] == oracle.six_decimals(score)
        assert answer["score_fraction"] == f"{score.numerator}/{score.denominator}"
    assert answer["word_tokens"] == [{"hypothesis": oracle.words(h), "reference": oracle.words(r)} for h, r in cased]
