"""The web pages: required sections, HTML and Markdown, and the security policy."""

import json
import re
import shlex
import subprocess
from html.parser import HTMLParser

import pytest

from chrfect import ChrF, catalogue
from serving import call

SECTIONS = [
    "Decide before calling",
    "Explain the choice",
    "Supported",
    "Not supported",
    "Behavior",
    "Input",
    "Output",
    "Limits",
    "Example",
    "Worked by hand",
    "How to call it",
    "Related tools",
]
PATHS = ["/", "/tools", "/docs", "/clients/cli/", *(f"/tools/{id}" for id in catalogue.ids())]


def get(address, path, **headers):
    status, got, body = call(address, "GET", path, **headers)
    assert status == 200, path
    return got, body.decode()


def text(address, tool):
    return get(address, f"/tools/{tool}.md")[1]


class Page(HTMLParser):
    """What a page consists of: tags with their attributes, ids, links, and the shown text."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.shown, self.open = [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.shown.append(data)

    def values(self, attribute, tag=None):
        return [given[attribute] for name, given in self.tags if attribute in given and tag in (None, name)]


@pytest.mark.parametrize("tool", catalogue.ids())
def test_a_tools_page_has_the_promised_sections_in_order(address, tool):
    sections = re.findall(r"^## (.+)$", text(address, tool), re.MULTILINE)
    assert [section for section in sections if section in SECTIONS] == SECTIONS
    calls = re.findall(r"^### (.+)$", text(address, tool).partition("## How to call it")[2], re.MULTILINE)
    assert calls == ["MCP", "HTTP (no key)", "CLI"]


@pytest.mark.parametrize("tool", catalogue.ids())
def test_a_tools_page_contains_the_contract_and_the_index(address, tool):
    contract = catalogue.newest_contract(tool)
    entry = next(entry for entry in catalogue.index() if entry["id"] == tool)
    page = Page(get(address, f"/tools/{tool}")[1])
    shown = "".join(page.shown)
    lines = [entry["title"], entry["category"], entry["access"], contract["description"], contract["version"]]
    lines += contract["supported_operations"] + contract["unsupported_operations"] + contract["semantics"]
    lines.append("Use when you need: " + " · ".join(contract["supported_operations"][:3]))
    assert [line for line in lines if line not in shown] == []
    assert {f"/tools/{id}" for id in entry["related"]} <= set(page.values("href", "a"))
    for schema in ("input_schema", "output_schema"):
        assert [name for name in contract[schema]["properties"] if name not in shown] == []
    for name, value in contract["limits"].items():
        assert f"{name.replace('_', ' ')}: {value}" in shown
    example = contract["examples"][0]
    blocks = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", text(address, tool), re.DOTALL)]
    assert example["input"] in blocks
    assert {"result": example["output"]} in blocks
    assert {"id": tool, "version": contract["version"], "input": example["input"]} in blocks


def test_input_and_output_have_the_documented_form(address):
    page = text(address, "chrf-compute")
    for line in (
        "- `hypotheses` (array of string, required): min items 1; max items 256",
        "- `beta` (integer, optional): min 1; max 16",
        "- `lowercase` (boolean, optional)",
        '- `metric` (constant "chrF", required)',
        r"- `score` (string, required): pattern `^(100\.000000|[0-9]{1,2}\.[0-9]{6})$`",
        "- max segments: 256",
        "`chrf-compute` · version 1.0.0 · Text · free, no key needed",
    ):
        assert line in page.splitlines()


def test_limits_of_nested_arrays_name_their_level(address):
    assert (
        "- `references` (array of array of array of string, required): min items 1; max items 256; "
        "each min items 1; each max items 64; every string min length 1"
    ) in text(address, "bleu-corpus-compute").splitlines()


@pytest.mark.parametrize("tool", catalogue.ids())
def test_the_curl_line_of_a_page_gives_the_answer_of_the_page(address, tool):
    section = text(address, tool).partition("### HTTP (no key)")[2]
    command = re.search(r"```sh\n(.*?)```", section, re.DOTALL)[1]
    assert shlex.split(command)[0] == "curl"
    done = subprocess.run(
        ["sh", "-c", command.replace("curl", "curl -s", 1)], capture_output=True, check=True, timeout=60
    )
    output = catalogue.newest_contract(tool)["examples"][0]["output"]
    assert done.stdout.decode() == catalogue.dumps({"result": output})


@pytest.mark.parametrize("path", PATHS)
def test_the_accept_header_selects_html_or_markdown(address, path):
    headers, html = get(address, path)
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert "Accept" in headers["vary"]
    for accept in (
        "text/markdown",
        "text/markdown, text/html;q=0.5, */*;q=0.1",
        "text/markdown, */*;q=0.8",
        "text/html;q=0, */*",
        "TEXT/MARKDOWN ; charset=utf-8 ; Q=0.9, text/*;q=0.2",
    ):
        headers, markdown = get(address, path, Accept=accept)
        assert headers["content-type"] == "text/markdown; charset=utf-8"
        assert markdown.startswith("# ")
    for accept in (
        "text/html,application/xhtml+xml,*/*;q=0.8",
        "*/*",
        "text/markdown;q=0.5, text/html",
        "text/markdown;q=x",
        "text/markdown;q=2, text/html",
        "text/markdown;q=0.5, */*",
        "text/markdown;q=0.5, text/*;q=0.9",
        "text/markdown;q=0, text/html;q=0",
        "application/json",
    ):
        assert get(address, path, Accept=accept)[1] == html
    alternate = [a["href"] for tag, a in Page(html).tags if tag == "link" and a["rel"] == "alternate"]
    assert [get(address, link)[1] for link in alternate] == [markdown]


@pytest.mark.parametrize("path", PATHS)
def test_a_page_needs_nothing_that_its_policy_forbids(address, path):
    headers, html = get(address, path)
    policy = headers["content-security-policy"]
    assert policy.startswith(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'"
    )
    page = Page(html)
    assert not [tag for tag, given in page.tags if tag == "style" or "style" in given]
    assert not [given for _, given in page.tags if any(name.startswith("on") for name in given)]
    assert not [given for tag, given in page.tags if tag == "script" and "src" not in given]
    for source in page.values("src") + page.values("href", "link"):
        assert source.startswith("/")
        get(address, source)


def test_every_page_has_its_own_title(address):
    titles = [re.search("<title>(.+)</title>", get(address, path)[1])[1] for path in PATHS]
    assert titles[:5] == [
        "chrfect",
        "Tools · chrfect",
        "Docs · chrfect",
        "Command line · chrfect",
        "Chrf compute · chrfect",
    ]
    assert len(titles) == len(set(titles))


@pytest.mark.parametrize("path", PATHS)
def test_ids_on_a_page_are_unique(address, path):
    ids = Page(get(address, path)[1]).values("id")
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("path", PATHS)
def test_every_link_and_anchor_of_a_page_has_a_target(address, path):
    for link in Page(get(address, path)[1]).values("href", "a"):
        target, _, anchor = link.partition("#")
        html = get(address, target or path)[1]
        if anchor:
            assert anchor in Page(html).values("id")


def test_texts_show_in_their_own_direction(address):
    page = Page(get(address, "/tools/chrf-compute")[1])
    assert all(given.get("dir") == "auto" for tag, given in page.tags if tag in ("h1", "li", "textarea"))


@pytest.mark.parametrize("path", PATHS)
def test_scrollable_elements_can_be_focused(address, path):
    page = Page(get(address, path)[1])
    assert all(given.get("tabindex") == "0" for tag, given in page.tags if tag in ("pre", "table"))


def test_docs_explain_how_to_connect(address):
    assert "connect" in Page(get(address, "/docs")[1]).values("id")
    assert f'"url": "{address}/mcp"' in get(address, "/docs.md")[1]
    assert '"args": ["mcp"]' in get(address, "/docs.md")[1]


def test_llms_txt_names_every_tool(address):
    headers, listing = get(address, "/llms.txt")
    assert headers["content-type"] == "text/plain; charset=utf-8"
    assert listing.startswith("# chrfect\n\n> ")
    links = re.findall(r"\]\((\S+)\)", listing)
    assert [f"{address}/tools/{id}.md" for id in catalogue.ids()] == links[: len(catalogue.ids())]
    for link in links:
        get(address, link.removeprefix(address))


def test_healthz_is_ok(address):
    headers, body = get(address, "/healthz")
    assert (json.loads(body), headers["cache-control"]) == ({"status": "ok"}, "no-store")


def test_former_address_of_the_command_line_page_redirects(address):
    status, headers, _ = call(address, "GET", "/clients/cli")
    assert (status, headers["location"]) == (308, "/clients/cli/")
    status, headers, _ = call(address, "GET", "/tools/")
    assert (status, headers["location"]) == (308, "/tools")


def test_home_page_and_tools_page_list_the_tools(address):
    home = get(address, "/")[1]
    assert "pip install . &amp;&amp; chrfect score" in home
    assert "at most 256 segments and 64 KiB" in home.partition("<h2")[0]
    links = Page(get(address, "/tools")[1]).values("href", "a")
    assert {f"/tools/{id}" for id in catalogue.ids()} <= set(links)


def test_pages_of_chrf_tools_show_where_their_corpus_scores_differ_from_sacrebleu(address):
    hypotheses, references = ["hello there", "I see ."], ["hi", "I see."]
    score = catalogue.run("chrf-compute", "1.0.0", {"hypotheses": hypotheses, "references": references})["score"]
    peer = ChrF().corpus(hypotheses, references).score_text
    for tool in ("chrf-compute", "chrf-plus-plus-compute", "chrf-components"):
        assert f"gives chrF {score} and theirs {peer}" in text(address, tool)


def test_listings_contain_every_tool(address):
    tools = json.loads(get(address, "/v1/tools")[1])["tools"]
    assert [tool["id"] for tool in tools] == catalogue.ids()
    for tool in tools:
        assert list(tool) == ["id", "version", "description", "contract_url"]
        contract = json.loads(get(address, tool["contract_url"])[1])
        assert {key: contract[key] for key in ("id", "version", "description")}.items() <= tool.items()
        versions = json.loads(get(address, f"/v1/tools/{tool['id']}")[1])
        assert [version["version"] for version in versions["versions"]] == catalogue.versions(tool["id"])
        assert versions["versions"][-1]["execute_url"] == contract["execute_url"]
