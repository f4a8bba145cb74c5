"""What MCP offers agents beside the tools: contracts as resources, prompts, and completions, in both eras."""

import json

import pytest
from mcp import Client
from mcp_types import PromptReference, ResourceTemplateReference

from chrfect import catalogue
from processes import finished
from serving import ENVELOPE, MODERN, mcp

TEMPLATE = "chrfect://tools/{id}/versions/{version}"
TEXTS = {
    "explain-score": {"translation": 'the "cat" {sat}\nשלום', "reference": "the cat sat on the mat"},
    "compare-translations": {"first": "a cat", "second": "the cat sat", "reference": "the cat sat on the mat"},
}
modes = pytest.mark.parametrize("mode", ["legacy", "auto"])
eras = pytest.mark.parametrize("era", ["legacy", "modern"])


def asked(address, mode, ask):
    """Return what a function of an official client returns."""

    async def session():
        async with Client(f"{address}/mcp", mode=mode) as client:
            return await ask(client)

    return finished(session)


def rejected(address, era, method, params, name):
    """Return the error of the protocol to a request."""
    headers = {"Content_Type": "application/json", "Accept": "application/json, text/event-stream"}
    if era == "modern":
        params = {**params, "_meta": ENVELOPE}
        headers |= {"MCP_Protocol_Version": MODERN, "Mcp_Method": method, "Mcp_Name": name}
    return mcp(address, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, headers)[1]["error"]


@modes
def test_every_contract_is_a_resource_with_the_bytes_that_http_serves(address, mode):
    async def ask(client):
        listed = (await client.list_resources()).resources
        return listed, [(await client.read_resource(resource.uri)).contents for resource in listed]

    listed, read = asked(address, mode, ask)
    assert [resource.uri for resource in listed] == [
        TEMPLATE.format(id=id, version=version) for id in catalogue.ids() for version in catalogue.versions(id)
    ]
    for resource, contents in zip(listed, read, strict=True):
        id, version = resource.name.split()
        text = catalogue.contract_bytes(id, version)
        assert [content.text.encode() for content in contents] == [text]
        assert (contents[0].uri, contents[0].mime_type) == (resource.uri, "application/json")
        assert (resource.size, resource.description) == (len(text), json.loads(text)["description"])


@modes
def test_the_uris_of_contracts_have_a_template(address, mode):
    async def ask(client):
        return (await client.list_resource_templates()).resource_templates

    (template,) = asked(address, mode, ask)
    assert (template.uri_template, template.mime_type) == (TEMPLATE, "application/json")


@eras
@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("chrfect://tools/chrf-comput/versions/1.0.0", "chrf-compute"),
        ("chrfect://tools/chrf-compute/versions/2.0.0", "1.0.0"),
        ("chrfect://tools/chrf-compute", TEMPLATE),
        ("file:///etc/passwd", TEMPLATE),
        ("chrfect://tools/..%2f..%2fetc/versions/1.0.0", "etc"),
        ("", TEMPLATE),
    ],
)
def test_unknown_resource_is_an_error_that_lists_resources(address, era, uri, said):
    error = rejected(address, era, "resources/read", {"uri": uri}, uri)
    assert (error["code"], error["data"]) == (-32602, {"uri": uri})
    assert said in error["message"]


@modes
@pytest.mark.parametrize("metric", [None, "chrF", "chrF++", "BLEU"])
@pytest.mark.parametrize("name", TEXTS)
def test_a_prompt_contains_calls_that_work(address, mode, name, metric):
    given = TEXTS[name] | ({"metric": metric} if metric else {})

    async def ask(client):
        listed = (await client.list_prompts()).prompts
        (message,) = (await client.get_prompt(name, given)).messages
        text = message.content.text
        calls = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        return listed, text, calls, [await client.call_tool("execute", call) for call in calls]

    listed, text, calls, results = asked(address, mode, ask)
    assert [prompt.name for prompt in listed] == list(TEXTS)
    assert (metric or "chrF") in text
    assert len(calls) == (1 if name == "explain-score" and metric != "BLEU" else 2)
    for call, result in zip(calls, results, strict=True):
        assert not result.is_error
        assert result.structured_content["result"] == catalogue.run(call["id"], call["version"], call["input"])
    if metric == "chrF++" and name == "explain-score":
        assert results[0].structured_content["result"]["metric"] == "chrF++"


@modes
def test_a_prompt_declares_its_arguments(address, mode):
    async def ask(client):
        return (await client.list_prompts()).prompts

    for prompt in asked(address, mode, ask):
        required = [argument.name for argument in prompt.arguments if argument.required]
        assert sorted(required) == sorted(TEXTS[prompt.name])
        assert [argument.name for argument in prompt.arguments if not argument.required] == ["metric"]


@eras
@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("explain", {}, "explain-score, compare-translations"),
        ("explain-score", {}, "'translation' is missing"),
        ("explain-score", {"translation": "a"}, "'reference' is missing"),
        ("explain-score", TEXTS["explain-score"] | {"metric": "TER"}, "chrF, chrF++, BLEU"),
        ("compare-translations", TEXTS["compare-translations"] | {"x": ""}, "'x' is not an argument"),
    ],
)
def test_wrong_prompt_or_argument_is_an_error_with_advice(address, era, name, arguments, said):
    error = rejected(address, era, "prompts/get", {"name": name, "arguments": arguments}, name)
    assert error["code"] == -32602
    assert said in error["message"]


@modes
@pytest.mark.parametrize(
    ("ref", "argument", "context", "values"),
    [
        (TEMPLATE, ("id", ""), None, list(catalogue.ids())),
        (TEMPLATE, ("id", "BLEU-S"), None, ["bleu-sentence-components", "bleu-sentence-compute"]),
        (TEMPLATE, ("id", "x"), None, []),
        (TEMPLATE, ("version", ""), {"id": "chrf-compute"}, ["1.0.0"]),
        (TEMPLATE, ("version", ""), {"id": "unknown"}, []),
        (TEMPLATE, ("version", "1."), None, ["1.0.0"]),
        (TEMPLATE, ("other", ""), None, []),
        ("other://{id}", ("id", ""), None, []),
        (None, ("metric", "c"), None, ["chrF", "chrF++"]),
        (None, ("reference", ""), None, []),
    ],
)
def test_ids_versions_and_metrics_are_completed(address, mode, ref, argument, context, values):
    if ref is None:
        reference = PromptReference(type="ref/prompt", name="explain-score")
    else:
        reference = ResourceTemplateReference(type="ref/resource", uri=ref)

    async def ask(client):
        return await client.complete(reference, dict(zip(("name", "value"), argument, strict=True)), context)

    completion = asked(address, mode, ask).completion
    assert sorted(completion.values) == sorted(values)
    assert (completion.total, completion.has_more) == (len(values), False)
