"""The search finds tools by a description of a task, or states that no tool supports it."""

import re

import pytest

from chrfect import catalogue
from chrfect.service.search import operations, search

SERVED = {
    "chrf-compute": [
        "compute chrF",
        "score a translation against its reference",
        "character n-gram F-score",
        "chrF3 with beta 3",
        "לחשב chrF",
        "ציון chrF",
        "chrF score",
        "chrF לתרגום מכונה",
    ],
    "chrf-plus-plus-compute": [
        "chrF++",
        "chrF with word bigrams",
        "which word tokens did chrF++ use",
        "ציון chrF++ לתרגום",
    ],
    "chrf-components": [
        "precision and recall per order",
        "keep whitespace in character n-grams",
        "word F alone",
        "wordF",
        "chrF+",
        "פירוק ציון chrF",
        "分解 chrF 得分",
    ],
    "bleu-corpus-compute": [
        "corpus BLEU",
        "BLEU score of a corpus",
        "BLEU score of a corpus of segments",
        "BLEU score of a test set",
        "BLEU of a document",
        "BLEU scores for 100 segments",
        "brevity penalty of a corpus",
        "חישוב BLEU לקורפוס",
        "计算语料级 BLEU 分数",
        "语料级 BLEU",
        "语料 BLEU",
        "BLEU",
    ],
    "bleu-sentence-compute": [
        "sentence BLEU with smoothing",
        "smoothed BLEU for one sentence",
        "חישוב BLEU למשפט",
        "句子级 BLEU 平滑",
        "句子 BLEU",
    ],
    "bleu-ngrams-count": ["clipped n-gram counts", "count matching n-grams", "which n-grams were clipped"],
    "bleu-sentence-components": ["closest reference length", "statistics of sentence BLEU"],
}


@pytest.mark.parametrize(("tool", "query"), [(tool, query) for tool, queries in SERVED.items() for query in queries])
def test_a_need_finds_its_tool_first(tool, query):
    found = search(query)
    best = found["tools"][0]
    assert (found["query"], best["id"], best["version"]) == (query, tool, catalogue.newest(tool))
    contract = catalogue.newest_contract(tool)
    assert best["description"] == contract["description"]
    assert best["operation"] in [*contract["supported_operations"], contract["description"]]


@pytest.mark.parametrize("query", ["BLEU score", "BLEU score of a test set", "score several documents with BLEU"])
def test_a_need_for_a_score_finds_what_scores_before_what_counts(query):
    first, second, *_ = (tool["id"] for tool in search(query)["tools"])
    assert {first, second} == {"bleu-corpus-compute", "bleu-sentence-compute"}


def test_counts_are_found_though_they_are_for_a_score():
    for query in ("clipped n-gram counts for my BLEU score", "which n-grams were clipped in my score"):
        assert search(query)["tools"][0]["id"] == "bleu-ngrams-count"


@pytest.mark.parametrize(
    "operation", [line for line in operations() if line.words], ids=lambda operation: operation.text[:40]
)
def test_every_line_of_a_contract_finds_its_tool(operation):
    found = search(re.sub(r"\((use )?\w+-.*\)", "", operation.text))
    tools = [tool["id"] for tool in found["tools"]]
    if operation.supported:
        assert operation.tool in tools
    else:
        served = [id for id in tools[:1] if id in operation.text]
        assert served or operation.text in [line["operation"] for line in found["unsupported"]]


@pytest.mark.parametrize(
    ("query", "use"),
    [
        ("chrF without word n-grams", "chrf-compute"),
        ("the epsilon-smoothed mean of chrF++.py", "chrf-components"),
        ("a smoothed corpus score", "bleu-sentence-compute"),
        ("reference lengths of segments", "bleu-sentence-components"),
    ],
)
def test_a_need_that_a_tool_does_not_serve_names_the_one_that_does(query, use):
    found = search(query)
    assert found["unsupported"][0]["use"] == use
    assert found["unsupported"][0]["tool"] != use
    assert found["tools"][0]["id"] == use


@pytest.mark.parametrize("query", ["COMET", "METEOR score", "TER", "Unicode normalization", "significance test", "13a"])
def test_an_unsupported_task_is_reported_as_unsupported(query):
    found = search(query)
    assert found["unsupported"][0]["use"] is None
    assert found["unsupported"][0]["operation"]


@pytest.mark.parametrize(
    "query", ["chrF with multiple references", "chrF against many references", "several references for chrF++"]
)
def test_an_unsupported_task_is_recognised_in_other_words(query):
    found = search(query)
    assert found["unsupported"][0]["operation"].startswith("several references for a segment")
    assert found["unsupported"][0]["use"] is None


def test_no_need_takes_long():
    long = " ".join(f"chrf{i} word{i}" for i in range(100_000))
    assert search(long)["tools"][0]["id"] == search(long[:500])["tools"][0]["id"]


@pytest.mark.parametrize("query", ["", "   ", "xyzzy", "weather in Paris", "the of and", "\ud800", "++", "a" * 10_000])
def test_a_need_from_elsewhere_finds_nothing(query):
    found = search(query)
    assert (found["tools"], found["unsupported"]) == ([], [])
    assert found["query"] == query.replace("\ud800", "\ufffd")
