"""The pages in a real browser: the form works, the policy is respected, and scripts are optional."""

import json

import pytest

from browsers import launched, opened
from chrfect import catalogue

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
PAGE = "/tools/chrf-compute"


@pytest.fixture(scope="module")
def browser():
    with launched() as started:
        yield started


def test_the_form_executes_the_tool_and_shows_a_refusal(browser, address):
    page, complaints = opened(browser.new_context(), address + PAGE)
    example = catalogue.newest_contract("chrf-compute")["examples"][0]
    page.get_by_role("button", name="Execute").click()
    playwright.expect(page.get_by_role("status")).to_have_text("Done.")
    assert json.loads(page.locator("#try-answer").inner_text()) == {"result": example["output"]}
    assert complaints == []
    page.get_by_label("Input").fill('{"hypotheses": ["<b>"], "references": [1]}')
    page.get_by_role("button", name="Execute").click()
    playwright.expect(page.get_by_role("status")).to_contain_text("references[0] is the number 1")
    assert json.loads(page.locator("#try-answer").inner_text())["pointer"] == "/references/0"


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_the_screen_and_keep_to_their_policy(browser, address, scheme, width):
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    for path in ("/", "/docs", "/clients/cli/", PAGE, "/tools/bleu-sentence-compute"):
        page, complaints = opened(context, address + path)
        assert page.locator("html").evaluate("html => html.scrollWidth") == width
        assert complaints == []


def test_calls_and_errors_fit_a_telephone(browser, address):
    page, _ = opened(browser.new_context(viewport={"width": 375, "height": 800}), address + "/docs")
    hidden = page.locator("table").evaluate_all("tables => tables.map(table => table.scrollWidth - table.clientWidth)")
    assert hidden == [0, 0]


def test_without_script_a_page_is_whole_and_has_no_dead_form(browser, address):
    page, _ = opened(browser.new_context(java_script_enabled=False), address + PAGE)
    assert page.get_by_role("heading", name="Related tools").is_visible()
    assert page.get_by_text("curl -X POST").is_visible()
    assert page.get_by_role("button").count() == 0
