"""The interactive page over HTTP: what the form returns without script, and what it refuses."""

import ast
import html
import json
import re
import shlex
import subprocess
import sys
from urllib.parse import urlencode

import pytest

from cases import cases
from chrfect import catalogue
from chrfect.service.playground.examples import EXAMPLES
from chrfect.service.playground.form import DEFAULTS, NAMES
from serving import call

FORM = {"Content_Type": "application/x-www-form-urlencoded"}


def send(address, **fields):
    """Return the status, the headers and the text of the answer to a form."""
    status, headers, body = call(address, "POST", "/try", urlencode(fields), **FORM, Accept="text/html")
    return status, headers, body.decode()


def written(page):
    """Return the calls on a page by name."""
    found = re.findall(r"<summary>([^<]+)</summary>\s*<pre[^>]*><code[^>]*>(.*?)</code>", page, re.DOTALL)
    return {name: html.unescape(text) for name, text in found}


def can_be_typed(case):
    """Return whether the lines of a form can hold the texts of a case."""
    sides = [case["input"][side] for side in ("hypotheses", "references")] if "result" in case else [[""]]
    lines = [text for texts in sides for text in texts]
    whole = not any(re.search("[\r\n\ud800-\udfff]", text) for text in lines)
    return whole and all("".join(texts).strip() for texts in sides)


@pytest.mark.parametrize(
    "case", [case for case in cases("chrf-compute-1.0.0") if can_be_typed(case)], ids=lambda case: case["name"]
)
def test_the_page_shows_the_score_of_the_tool(address, case):
    joined = {side: "".join(text + "\n" for text in case["input"][side]) for side in ("hypotheses", "references")}
    lower = {"lowercase": "1"} if case["input"].get("lowercase") else {}
    status, _, page = send(address, tool="chrf-compute", **joined, beta=int(case["input"].get("beta", 2)), **lower)
    assert status == 200
    assert re.search(r"<strong>([\d.]+)</strong>", page)[1] == case["result"]["score"]
    shown = re.findall(r'<div class="scores"><h3>\d+</h3>\s*<span>([\d.]+)</span>', page)
    assert shown == case["result"]["segment_scores"]


@pytest.mark.parametrize("smoothing", ["none", "method1", "method2", "method3"])
def test_the_segment_of_a_sentence_has_the_score_of_the_tool(address, smoothing):
    texts = {"hypotheses": "a cat sat here", "references": "the cat sat on the mat"}
    _, _, page = send(address, tool="bleu-sentence-compute", smoothing=smoothing, **texts)
    input = {"hypothesis": texts["hypotheses"].split(), "references": [texts["references"].split()]}
    score = catalogue.run("bleu-sentence-compute", "1.0.0", {**input, "smoothing": smoothing})["score"]
    assert re.findall(r"<(?:strong|span)>([\d.]+)</", page) == [score, score]


@pytest.mark.parametrize("tool", NAMES)
def test_every_tool_can_be_chosen_and_its_result_downloaded(address, tool):
    fields = {"tool": tool, "hypotheses": "The cat sat.", "references": "The cats sat.", "tokenize": "13a"}
    status, headers, body = send(address, **fields, download="input-hypotheses")
    assert (status, headers["content-disposition"]) == (200, 'attachment; filename="input.json"')
    version = catalogue.newest(tool)
    result = send(address, **fields, download="result-hypotheses")[2]
    assert result == catalogue.answer(tool, version, body.encode()).decode()
    page = send(address, **fields)[2]
    if "score" in json.loads(result)["result"]:
        assert f"<strong>{json.loads(result)['result']['score']}</strong>" in page


def test_the_form_offers_the_tools_and_parameters_of_all_contracts(address):
    page = call(address, "GET", "/", Accept="text/html")[2].decode()
    assert set(NAMES) == set(catalogue.ids())
    for id in NAMES:
        schema = catalogue.newest_contract(id)["input_schema"]["properties"]
        parameters = {name for name, value in schema.items() if value["type"] != "array"}
        assert parameters == {name for name in DEFAULTS if name in schema}
        for name in parameters:
            assert re.search(rf'data-tools="[^"]*\b{id}\b[^"]*">[^>]*<(input|select)[^>]* name="{name}"', page) or (
                re.search(rf'data-tools="[^"]*\b{id}\b[^"]*"><input type="checkbox" name="{name}"', page)
            )


def test_the_calls_on_the_page_return_its_result(address, tmp_path):
    texts = {"hypotheses": 'It\'s 5 < 6 & "so".\n$HOME `ls` \\n', "references": "It is 5 < 6.\n$HOME"}
    fields = {"tool": "chrf-components", "word_order": "2", "lowercase": "1", **texts}
    made = written(send(address, **fields)[2])
    answer = send(address, **fields, download="result-hypotheses")[2]
    assert list(made) == ["curl", "Python", "Command line", "MCP: execute", "Call with raw JSON"][: len(made)]
    chrfect = f"{shlex.quote(sys.executable)} -m chrfect"
    for command in (made["curl"].replace("curl", "curl -s", 1), made["Command line"].replace("chrfect", chrfect, 1)):
        done = subprocess.run(["sh", "-c", command], capture_output=True, check=True, timeout=60, cwd=tmp_path)
        assert done.stdout.decode().rstrip("\n") == answer
    input = json.loads(made["MCP: execute"])["input"]
    assert catalogue.dumps({"result": catalogue.run("chrf-components", "1.0.0", input)}) == answer
    called = ast.parse(made["Python"]).body[-1].value
    assert [ast.literal_eval(value) for value in called.args] == ["chrf-components", "1.0.0", input]


def test_a_long_input_is_read_from_a_file_by_the_calls(address):
    fields = {"hypotheses": "word " * 1_000, "references": "word " * 999}
    made = written(send(address, **fields)[2])
    assert "-d @input.json" in made["curl"]
    assert "--input input.json" in made["Command line"]


def test_two_hypotheses_are_scored_against_the_same_references(address):
    page = send(address, hypotheses="a cat\nthe dog", other="the cat\na dog", references="the cat\nthe dog")[2]
    expected = [
        catalogue.run("chrf-compute", "1.0.0", {"hypotheses": hypotheses, "references": ["the cat", "the dog"]})
        for hypotheses in (["a cat", "the dog"], ["the cat", "a dog"])
    ]
    assert re.findall(r"<strong>([\d.]+)</strong>", page) == [result["score"] for result in expected]
    for side, result in zip(("hypotheses", "other"), expected, strict=True):
        fields = {"hypotheses": "a cat\nthe dog", "other": "the cat\na dog", "references": "the cat\nthe dog"}
        assert json.loads(send(address, **fields, download=f"result-{side}")[2]) == {"result": result}


@pytest.mark.parametrize(("sort", "order"), [("given", "123"), ("low", "312"), ("high", "213"), ("apart", "312")])
def test_segments_are_sorted(address, sort, order):
    texts = {"hypotheses": "the cats\nthe cat\nx", "other": "the cat\nthe cat\nthe cat", "references": "the cat\n" * 3}
    page = send(address, **texts, sort=sort)[2]
    assert "".join(re.findall(r'id="segment-(\d)"', page)) == order


@pytest.mark.parametrize(
    ("fields", "field", "segment", "said"),
    [
        ({"hypotheses": "a\nb\nc", "references": "a\nb"}, "references", 2, "3 and 2"),
        ({"hypotheses": "a", "references": "a\nb"}, "hypotheses", 1, "1 and 2"),
        ({"hypotheses": "a", "other": "a\nb\nc", "references": "a"}, "references", 1, "3 and 1"),
        ({"hypotheses": "a", "references": "a", "beta": "0"}, "beta", None, "from 1 to 16"),
        ({"hypotheses": "a", "references": "a", "beta": "two"}, "beta", None, "a string"),
        ({"hypotheses": "a\n" * 257, "references": "a\n" * 257}, "hypotheses", None, "257 segments"),
        ({"hypotheses": "x" * 65_536, "references": "a"}, "hypotheses", None, "65537 bytes"),
        (
            {"tool": "bleu-corpus-compute", "hypotheses": "a\nb", "references": "a\n" + "\t".join("b" * 65)},
            "references",
            1,
            "65 references",
        ),
        ({"tool": "bleu-sentence-compute", "hypotheses": "a\nb", "references": "a"}, "hypotheses", 1, "2 lines"),
    ],
)
def test_an_error_names_its_field_and_its_segment(address, fields, field, segment, said):
    status, _, page = send(address, **fields)
    problem = re.search(r'<p id="try-problem"([^>]*)>(.*?)</p>', page, re.DOTALL)
    assert status == 422
    assert f'data-field="{field}"' in problem[1]
    assert (f'data-segment="{segment}"' in problem[1]) == (segment is not None)
    assert said in html.unescape(problem[2])
    assert re.search(rf'name="{field}"[^>]*aria-invalid="true"', page)
    assert send(address, **fields, part="result")[0] == 200


def test_texts_are_escaped_and_kept_in_the_form(address):
    text = '\n<script>alert("1")</script> </textarea>&amp;\r\n\ttab'
    page = send(address, hypotheses=text, references=text)[2]
    assert "<script>alert" not in page
    area = re.search(r'<textarea id="try-hypotheses"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)[1]
    assert html.unescape(area) == text.replace("\r\n", "\n")
    shown = re.findall(r'<p class="text" dir="auto">(.*?)</p>', page, re.DOTALL)
    assert "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;" in shown[2]


def test_shades_of_characters_outside_the_basic_plane_stay_whole(address):
    page = send(address, hypotheses="a😀b👩‍👩‍👧c", references="a😀x👩‍👩‍👧c")[2]
    shown = re.findall(r'<p class="text" dir="auto">(.*?)</p>', page, re.DOTALL)
    assert [re.sub("<[^>]+>", "", text) for text in shown] == ["a😀b👩‍👩‍👧c", "a😀x👩‍👩‍👧c"]
    assert "�" not in page


def test_a_long_text_is_shown_in_part(address):
    page = send(address, hypotheses="ab" * 6_000, references="ab" * 6_000 + "\n")[2]
    shown = re.findall(r'<p class="text" dir="auto">(.*?)</p>', page, re.DOTALL)
    assert [re.sub("<[^>]+>", "", text) for text in shown] == ["ab" * 5_000 + " … (10,000 of 12,000 code points)"] * 2


def test_a_warning_of_the_library_is_shown(address):
    texts = {"hypotheses": "猫がマットの上に座った。\n", "references": "猫がマットの上に座った。\n"}
    assert "without spaces" in send(address, tool="bleu-corpus-compute", **texts)[2]
    assert 'class="note"' not in send(address, tool="chrf-compute", **texts)[2]


def test_the_raw_json_of_a_form_is_executed(address):
    input = catalogue.newest_contract("chrf-compute")["examples"][0]["input"]
    status, headers, answer = send(address, tool="chrf-compute", json=json.dumps(input))
    assert (status, headers["content-type"]) == (200, "application/json")
    assert answer == catalogue.answer("chrf-compute", "1.0.0", json.dumps(input).encode()).decode()
    status, headers, page = send(address, tool="chrf-compute", json='{"hypotheses": [1]}')
    assert (status, headers["content-type"]) == (422, "text/html; charset=utf-8")
    assert "missing_key" in page


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_opens_with_a_score(address, example):
    status, _, body = call(address, "GET", f"/try?example={example}")
    assert status == 200
    assert re.search(r"<strong>\d+\.\d{6}</strong>", body.decode())


def test_rejects_bodies_that_are_not_forms(address):
    status, headers, _ = call(address, "POST", "/try", "{}", Content_Type="application/json")
    assert (status, headers["accept-post"]) == (415, "application/x-www-form-urlencoded")
    status, _, body = call(address, "POST", "/try", "a=1&" * 100, **FORM)
    assert (status, json.loads(body)["code"]) == (400, "bad_request")
    assert call(address, "POST", "/try", b"a=\xff", **FORM)[0] == 400
    assert call(address, "POST", "/try", "a=" + "x" * 1_100_000, **FORM)[0] == 413
    assert call(address, "GET", "/try?example=none")[0] == 404
    status, headers, _ = call(address, "GET", "/try")
    assert (status, headers["location"]) == (307, "/")
    assert call(address, "PUT", "/try")[1]["allow"] == "GET, POST, HEAD"


@pytest.mark.parametrize("path", ["/nothing", "/tools/nothing", "/tools/chrf-compute/nothing", "/try?example=none"])
def test_an_unknown_address_is_a_page_for_a_browser_and_a_problem_for_a_program(address, path):
    status, headers, body = call(address, "GET", path, Accept="text/html,application/xhtml+xml,*/*;q=0.8")
    assert (status, headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert 'href="/tools"' in body.decode()
    assert "Accept" in headers["vary"]
    for accept in ("*/*", "application/json", None):
        status, headers, body = call(address, "GET", path, Accept=accept)
        assert (status, headers["content-type"]) == (404, "application/problem+json")
        assert json.loads(body)["status"] == 404


def test_the_api_returns_problems_to_browsers_too(address):
    for path in ("/v1/tools/nothing", "/v1/tools/chrf-compute/versions/9.9.9"):
        headers = call(address, "GET", path, Accept="text/html")[1]
        assert headers["content-type"] == "application/problem+json"
