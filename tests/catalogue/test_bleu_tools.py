"""The four BLEU tools compared with the naive oracle, sacreBLEU and JSON Schema; the order of their checks."""

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from sacrebleu.metrics import BLEU

import bleu_oracle
from chrfect import ContractError, catalogue

CORPUS = ["bleu-ngrams-count", "bleu-corpus-compute"]
SENTENCE = ["bleu-sentence-components", "bleu-sentence-compute"]
PARAMETERS = {
    "bleu-ngrams-count": ["max_order", "clipping_tables"],
    "bleu-corpus-compute": ["max_order"],
    "bleu-sentence-components": ["max_order"],
    "bleu-sentence-compute": ["max_order", "smoothing"],
}
OURS_ALONE = {"segment_count_mismatch", "text_too_large", "lone_surrogate", "table_too_large"}
SPACES = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
SPACES += "\u2028\u2029\u202f\u205f\u3000"

words = st.lists(st.sampled_from(["a", "b", "the", "語", "e\u0301", "\U0001f600"]), max_size=9)
corpora = st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=3)), min_size=1, max_size=4)


def run(tool, **value):
    return catalogue.run(tool, "1.0.0", value)


@given(corpora, st.integers(1, 9))
def test_corpus_bleu_equals_the_oracle(corpus, max_order):
    hypotheses, references = map(list, zip(*corpus, strict=True))
    answer = run("bleu-corpus-compute", hypotheses=hypotheses, references=references, max_order=max_order)
    rows = [bleu_oracle.row(h, r, max_order) for h, r in corpus]
    row = [sum(column) for column in zip(*rows, strict=True)]
    assert answer["score"] == bleu_oracle.six_decimals(bleu_oracle.score(row))
    assert answer["brevity_penalty"] == bleu_oracle.six_decimals(bleu_oracle.penalty(row))
    assert [answer["hypothesis_length"], answer["reference_length"]] == row[:2]
    assert (answer["totals"], answer["matches"]) == (row[2::2], row[3::2])
    peer = BLEU(tokenize="none", smooth_method="none", max_ngram_order=max_order, force=True)
    streams = itertools.zip_longest(*([" ".join(tokens) for tokens in lists] for lists in references))
    expected = peer.corpus_score([" ".join(tokens) for tokens in hypotheses], list(streams))
    assert float(answer["score"]) == pytest.approx(expected.score, abs=5.1e-7)
    assert float(answer["brevity_penalty"]) == pytest.approx(expected.bp, abs=5.1e-7)
    assert (answer["totals"], answer["matches"]) == (expected.totals, expected.counts)


@given(words, st.lists(words, min_size=1, max_size=4), st.integers(1, 9))
def test_sentence_tools_equal_the_oracle(hypothesis, references, max_order):
    value = {"hypothesis": hypothesis, "references": references, "max_order": max_order}
    row = bleu_oracle.row(hypothesis, references, max_order)
    assert run("bleu-sentence-components", **value) == {
        "max_order": max_order,
        "matches": row[3::2],
        "totals": row[2::2],
        "hypothesis_length": row[0],
        "reference_lengths": list(map(len, references)),
        "closest_reference_length": row[1],
    }
    for smoothing in ("none", "method1", "method2", "method3"):
        answer = run("bleu-sentence-compute", **value, smoothing=smoothing)
        assert answer["score"] == bleu_oracle.six_decimals(bleu_oracle.score(row, smoothing))
        smoothed = [p if p is None else 100 * p for p in bleu_oracle.smoothed(row, smoothing)]
        written = [p if p is None else f"{p.numerator}/{p.denominator}" for p in smoothed]
        assert [order["smoothed_fraction"] for order in answer["orders"]] == written


@given(corpora, st.integers(1, 5), st.booleans())
def test_ngram_counts_equal_the_oracle(corpus, max_order, tables):
    hypotheses, references = map(list, zip(*corpus, strict=True))
    answer = run(
        "bleu-ngrams-count",
        hypotheses=hypotheses,
        references=references,
        max_order=max_order,
        clipping_tables=tables,
    )
    for (hypothesis, of_segment), segment in zip(corpus, answer["segments"], strict=True):
        for n, order in enumerate(segment["orders"], 1):
            assert (order["total"], order["matches"]) == bleu_oracle.clipped(hypothesis, of_segment, n)
            assert ("table" in order) == tables
            rows = order.get("table", [])
            ngrams = [row["ngram"] for row in rows]
            assert ngrams == sorted(ngrams)
            places = [hypothesis[i : i + n] for i in range(len(hypothesis) - n + 1)]
            for row in rows:
                assert row["hypothesis_count"] == places.count(row["ngram"]) > 0
                assert row["clipped"] == min(row["hypothesis_count"], row["max_reference_count"])
            if tables:
                assert sum(row["hypothesis_count"] for row in rows) == order["total"]
                assert sum(row["clipped"] for row in rows) == order["matches"]
    for n, order in enumerate(answer["orders"], 1):
        same = [segment["orders"][n - 1] for segment in answer["segments"]]
        sums = {key: sum(segment[key] for segment in same) for key in ("total", "matches")}
        assert order == {"n": n, **sums}


def test_tables_have_at_most_20000_rows():
    tokens = [str(i) for i in range(20_000)]
    value = {"references": [[[]]], "max_order": 1, "clipping_tables": True}
    answer = run("bleu-ngrams-count", hypotheses=[tokens[:10_000]], **value)
    assert len(answer["segments"][0]["orders"][0]["table"]) == 10_000
    exact = {**value, "hypotheses": [[chr(0x4E00 + i) for i in range(20_000)]]}
    assert len(run("bleu-ngrams-count", **exact)["segments"][0]["orders"][0]["table"]) == 20_000
    over = {"references": [[[]], [[]]], "max_order": 1, "hypotheses": [*exact["hypotheses"], ["a"]]}
    with pytest.raises(ContractError) as caught:
        run("bleu-ngrams-count", **over, clipping_tables=True)
    assert (caught.value.code, caught.value.pointer) == ("table_too_large", "/clipping_tables")
    assert run("bleu-ngrams-count", **over)["orders"][0]["total"] == 20_001


def keys_of(tool):
    return ["hypothesis" if tool in SENTENCE else "hypotheses", "references"]


def broken_tokens(tokens, path):
    if not isinstance(tokens, list):
        return "not_an_array", path
    for i, token in enumerate(tokens):
        if not isinstance(token, str):
            return "not_a_string", f"{path}/{i}"
    return None


def broken_references(lists, path):
    if not isinstance(lists, list):
        return "not_an_array", path
    if len(lists) > 64:
        return "too_many_references", path
    if not lists:
        return "no_references", path
    return next(filter(None, (broken_tokens(tokens, f"{path}/{i}") for i, tokens in enumerate(lists))), None)


def broken_segments(segments, path, of_segment):
    if not isinstance(segments, list):
        return "not_an_array", path
    if len(segments) > 256:
        return "too_many_segments", path
    if not segments:
        return "no_segments", path
    return next(filter(None, (of_segment(segment, f"{path}/{i}") for i, segment in enumerate(segments))), None)


def tokens_in(value, tool):
    """Every token with its pointer, hypotheses first."""
    first, _ = keys_of(tool)

    def walk(inner, path):
        if isinstance(inner, str):
            yield path, inner
        else:
            for i, item in enumerate(inner):
                yield from walk(item, f"{path}/{i}")

    return [*walk(value[first], f"/{first}"), *walk(value["references"], "/references")]


def first_violated(tool, value):
    """Return (code, pointer) of the first rule that is broken, each rule written out on its own."""
    first, second = keys_of(tool)
    if not isinstance(value, dict):
        return "not_an_object", ""
    for key in value:
        if key not in (first, second, *PARAMETERS[tool]):
            return "unknown_key", "/" + key
    if not (first in value and second in value):
        return "missing_key", ""
    if tool in SENTENCE:
        broken = broken_tokens(value[first], f"/{first}") or broken_references(value[second], f"/{second}")
    else:
        broken = broken_segments(value[first], f"/{first}", broken_tokens)
        broken = broken or broken_segments(value[second], f"/{second}", broken_references)
        if not broken and len(value[first]) != len(value[second]):
            broken = "segment_count_mismatch", ""
    if broken:
        return broken
    tokens = tokens_in(value, tool)
    if len("".join(token for _, token in tokens).encode("utf-8", "surrogatepass")) > 65_536:
        return "text_too_large", ""
    for pointer, token in tokens:
        if re.search("[\ud800-\udfff]", token):
            return "lone_surrogate", pointer
    for pointer, token in tokens:
        if not token or set(token) & set(SPACES):
            return "invalid_token", pointer
    order = value.get("max_order", 4)
    if type(order) not in (int, float) or order not in range(1, 10):
        return "invalid_max_order", "/max_order"
    if type(value.get("clipping_tables", False)) is not bool:
        return "invalid_clipping_tables", "/clipping_tables"
    if value.get("smoothing", "none") not in ("none", "method1", "method2", "method3"):
        return "invalid_smoothing", "/smoothing"
    return None


odd = st.sampled_from(
    [None, True, 3, 2.5, "", "a", "a b", "method1", "x\u3000", "\ud83d", {}, {"a": []}, "語" * 22_000]
)
good = st.sampled_from(["a", "b", "cat", "é"])
some_tokens = st.lists(good, max_size=3)
token_arrays = st.one_of(some_tokens, some_tokens, some_tokens, st.lists(st.one_of(good, odd), max_size=3), odd)
reference_arrays = st.one_of(
    st.lists(token_arrays, min_size=1, max_size=3), st.sampled_from([[], [["a"]] * 64, [["a"]] * 65]), odd
)
orders = st.one_of(st.integers(1, 9), st.sampled_from([0, 10, 4.0, 4.5, True, None, "4", 10**30, float("inf")]))
parameters = {
    "max_order": orders,
    "clipping_tables": st.sampled_from([True, False, False, 1, None, "yes"]),
    "smoothing": st.sampled_from(["none", "method1", "method2", "method3", "method4", None, ["none"], 1]),
}


def inputs(tool):
    first, second = keys_of(tool)
    optional = {name: parameters[name] for name in PARAMETERS[tool]}
    if tool in SENTENCE:
        texts = {first: token_arrays, second: reference_arrays}
    else:
        texts = {
            first: st.one_of(st.lists(token_arrays, min_size=1, max_size=3), st.sampled_from([[], [["a"]] * 257]), odd),
            second: st.one_of(st.lists(reference_arrays, min_size=1, max_size=3), odd),
        }
    loose = st.fixed_dictionaries({}, optional={**texts, **optional, "tokenize": odd})
    return st.one_of(*[st.fixed_dictionaries(texts, optional=optional)] * 3, loose, odd)


@pytest.mark.parametrize("tool", CORPUS + SENTENCE)
def test_the_verdict_is_that_of_json_schema_and_the_first_broken_rule_is_reported(tool):
    schema = Draft202012Validator(catalogue.contract(tool, "1.0.0")["input_schema"])

    @settings(max_examples=300)
    @given(inputs(tool))
    def check(value):
        try:
            catalogue.run(tool, "1.0.0", value)
            found = None
        except ContractError as error:
            found = error.code, error.pointer
        assert found == first_violated(tool, value)
        if found is None or found[0] not in OURS_ALONE:
            assert schema.is_valid(value) == (found is None)

    check()


@pytest.mark.parametrize("space", SPACES)
def test_rejects_every_whitespace_code_point_in_a_token(space):
    assert len(SPACES) == 29
    with pytest.raises(ContractError, match=rf"hypothesis\[0\] contains whitespace \(U\+{ord(space):04X}\)") as caught:
        run("bleu-sentence-components", hypothesis=[f"a{space}"], references=[["a"]])
    assert (caught.value.code, caught.value.pointer) == ("invalid_token", "/hypothesis/0")


@pytest.mark.parametrize("character", ["\u200b", "\ufeff", "\u180e", "\u2060", "\x00"])
def test_other_code_points_are_allowed_in_a_token(character):
    assert run("bleu-sentence-components", hypothesis=[character], references=[[character]])["matches"][0] == 1


def test_a_message_contains_the_fix():
    with pytest.raises(ContractError, match=r"references\[0\] is empty; at least one reference was expected"):
        run("bleu-corpus-compute", hypotheses=[["a"]], references=[[]])
    with pytest.raises(ContractError, match=r"hypotheses\[0\] is a string; an array of tokens was expected"):
        run("bleu-corpus-compute", hypotheses=["a cat"], references=[[["a"]]])
    with pytest.raises(ContractError, match=r"lower max_order"):
        run(
            "bleu-ngrams-count",
            hypotheses=[[chr(0x4E00 + i) for i in range(20_001)]],
            references=[[[]]],
            clipping_tables=True,
        )


@pytest.mark.parametrize("order", [4.0, 4])
def test_whole_numbers_may_be_written_with_a_decimal_point(order):
    answer = run("bleu-sentence-components", hypothesis=["a"], references=[["a"]], max_order=order)
    assert catalogue.dumps(answer).startswith('{"max_order":4,')


@pytest.mark.parametrize("tool", CORPUS + SENTENCE)
def test_examples_equal_sacrebleu(tool):
    """Each example's score, counts and penalty come from a peer too, not from this package alone."""
    for example in catalogue.contract(tool, "1.0.0")["examples"]:
        value, output = example["input"], example["output"]
        sentence = tool in SENTENCE
        hypotheses = [value["hypothesis"]] if sentence else value["hypotheses"]
        references = [value["references"]] if sentence else value["references"]
        smoothing = {"method1": "floor", "method3": "exp"}.get(value.get("smoothing"), "none")
        order = value.get("max_order", 4)
        peer = BLEU(tokenize="none", smooth_method=smoothing, max_ngram_order=order, force=True)
        streams = itertools.zip_longest(*([" ".join(tokens) for tokens in lists] for lists in references))
        expected = peer.corpus_score([" ".join(tokens) for tokens in hypotheses], list(streams))
        if "score" in output:
            assert float(output["score"]) == pytest.approx(expected.score, abs=5.1e-7)
            assert float(output["brevity_penalty"]) == pytest.approx(expected.bp, abs=5.1e-7)
        if "orders" in output:
            assert [o["matches"] for o in output["orders"]] == expected.counts
            assert [o["total"] for o in output["orders"]] == expected.totals
        else:
            assert (output["matches"], output["totals"]) == (expected.counts, expected.totals)
