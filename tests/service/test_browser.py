"""The pages in a real browser: the form works, the policy is respected, and scripts are optional."""

import json
from urllib.parse import urlsplit

import pytest

from browsers import launched, opened, violations
from chrfect import catalogue
from serving import serving

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = playwright.expect
PAGE = "/tools/chrf-compute"
HYPOTHESES, REFERENCES = ["the cats sat", "a dog & <b>"], ["the cat sat", "a dog <i>"]


@pytest.fixture(scope="module")
def browser():
    with launched() as started:
        yield started


def score(hypotheses=HYPOTHESES, tool="chrf-compute", **parameters):
    input = {"hypotheses": hypotheses, "references": REFERENCES, **parameters}
    return catalogue.run(tool, "1.0.0", input)["score"]


def paste(page, hypotheses=HYPOTHESES, references=REFERENCES):
    page.get_by_label("Hypotheses (translations to score)").fill("\n".join(hypotheses))
    page.get_by_label("References", exact=True).fill("\n".join(references))


def test_pasted_texts_are_scored_shared_as_a_link_and_opened_again(browser, address):
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page, complaints = opened(context, address + "/")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    paste(page)
    shown = page.locator(".score strong")
    expect(shown).to_have_text(score())
    page.get_by_label("Metric").select_option("chrF++")
    page.get_by_label("Beta").fill("3")
    expect(shown).to_have_text(score(tool="chrf-plus-plus-compute", beta=3))
    expect(page.locator("#try-status")).to_contain_text(f"Score: {score(tool='chrf-plus-plus-compute', beta=3)}")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert (urlsplit(link).path, urlsplit(link).query) == ("/", "")
    page.goto(address + "/docs")
    page.go_back()
    expect(shown).to_have_text(score(tool="chrf-plus-plus-compute", beta=3))
    other, complaints_there = opened(browser.new_context(), link)
    expect(other.locator(".score strong")).to_have_text(score(tool="chrf-plus-plus-compute", beta=3))
    assert other.get_by_label("References", exact=True).input_value() == "\n".join(REFERENCES)
    assert [url for url in asked if "cats" in url] == []
    assert complaints + complaints_there == []


def test_two_hypotheses_are_compared_and_their_segments_sorted(browser, address):
    page, complaints = opened(browser.new_context(), address + "/")
    paste(page)
    page.get_by_text("Compare with a second hypothesis").click()
    page.get_by_label("Second hypotheses").fill("\n".join(REFERENCES))
    expect(page.locator(".score strong")).to_have_text([score(), "100.000000"])
    page.get_by_label("Sort").focus()
    page.get_by_label("Sort").select_option("highest score first")
    expect(page.locator(".segment h3")).to_have_text(["1", "2"])
    page.get_by_label("Sort").select_option("lowest score first")
    expect(page.locator(".segment h3")).to_have_text(["2", "1"])
    expect(page.get_by_label("Sort")).to_be_focused()
    assert complaints == []


def test_a_link_keeps_the_order_of_segments_and_a_damaged_one_the_valid_choices(browser, address):
    texts = "hypotheses=cd%0Axx%0Aab&references=cd%0Aab%0Aab"
    page, complaints = opened(browser.new_context(), f"{address}/#tool=chrf-compute&sort=low&{texts}")
    expect(page.locator(".segment h3")).to_have_text(["2", "1", "3"])
    expect(page.get_by_label("Sort")).to_have_value("low")
    page.goto(f"{address}/tools#")
    page.goto(f"{address}/#tool=nothing&tokenize=nothing&sort=%E0%A4&beta=%00&lowercase=1&{texts}&x=%zz")
    expect(page.locator("#try-problem")).to_contain_text("beta is a string")
    expect(page.get_by_label("Metric")).to_have_value("chrf-compute")
    page.get_by_label("Beta").fill("2")
    expect(page.locator(".segment h3")).to_have_text(["1", "2", "3"])
    assert complaints == []


def test_an_error_leads_to_its_segment(browser, address):
    page, complaints = opened(browser.new_context(), address + "/")
    paste(page, [*HYPOTHESES, "one more"])
    references = page.get_by_label("References", exact=True)
    expect(references).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#try-problem")).to_contain_text("Segment 3 of the references is missing")
    expect(page.locator("textarea + #try-problem")).to_have_count(1)
    page.get_by_role("button", name="Go to segment 3").click()
    expect(references).to_be_focused()
    paste(page, ["x", "y"], ["x", "y"])
    expect(page.locator(".score strong")).to_have_text("100.000000")
    assert references.get_attribute("aria-invalid") is None
    assert complaints == []


def test_the_error_of_a_text_that_is_too_large_to_send_replaces_the_one_before(browser):
    with serving("--max-body-bytes", "2000") as address:
        page, _ = opened(browser.new_context(), address + "/")
        paste(page, ["a", "b"], ["a"])
        expect(page.locator("#try-problem")).to_be_visible()
        page.get_by_label("References", exact=True).fill("lorem ipsum " * 200)
        expect(page.locator("#try-status")).to_contain_text("the maximum is 2000 bytes")
        expect(page.locator("#try-problem")).to_have_count(0)


def test_a_file_can_be_dropped(browser, address):
    page, complaints = opened(browser.new_context(), address + "/")
    data = page.evaluate_handle(
        "() => { const data = new DataTransfer(); data.items.add(new File(['the cat'], 'a.txt')); return data; }"
    )
    for field in ("#try-hypotheses", "#try-references"):
        page.dispatch_event(field, "drop", {"dataTransfer": data})
    expect(page.locator(".score strong")).to_have_text("100.000000")
    assert complaints == []


def test_a_dropped_file_that_is_too_large_is_not_read(browser, address):
    page, complaints = opened(browser.new_context(), address + "/")
    data = page.evaluate_handle(
        "() => { const data = new DataTransfer(); data.items.add(new File(['x'.repeat(2e6)], '<b>')); return data; }"
    )
    page.dispatch_event("#try-hypotheses", "drop", {"dataTransfer": data})
    expect(page.locator("#try-status")).to_have_text("<b> is too large; at most 64 KiB of text fit here.")
    assert page.locator("#try-hypotheses").input_value() == ""
    assert complaints == []


def test_a_pasted_text_that_is_too_large_is_not_inserted(browser, address):
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page, complaints = opened(context, address + "/")
    page.evaluate("() => navigator.clipboard.writeText('lorem ipsum dolor\\n'.repeat(290_000))")
    page.locator("#try-hypotheses").focus()
    page.keyboard.press("Control+V")
    expect(page.locator("#try-status")).to_have_text("The pasted text is too large; at most 64 KiB of text fit here.")
    assert page.locator("#try-hypotheses").input_value() == ""
    paste(page)
    expect(page.locator(".score strong")).to_have_text(score())
    assert complaints == []


def test_a_link_that_is_too_long_is_not_read(browser, address):
    page, complaints = opened(
        browser.new_context(), f"{address}/#tool=chrf-compute&references=b&hypotheses={'a' * 600_000}"
    )
    expect(page.locator("#try-status")).to_have_text(
        "The text of the link is too large; at most 64 KiB of text fit here."
    )
    assert page.locator("#try-hypotheses").input_value() == ""
    assert complaints == []


def test_a_call_is_copied_and_the_result_downloaded(browser, address):
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page, complaints = opened(context, address + PAGE)
    paste(page)
    page.locator(".call .copy").first.click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"curl -X POST {address}/v1/tools/chrf-compute/versions/1.0.0/execute")
    with page.expect_download() as download:
        page.get_by_role("button", name="result.json").click()
    result = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert result["result"]["score"] == score()
    assert complaints == []


def test_raw_json_is_executed_and_errors_are_shown(browser, address):
    page, complaints = opened(browser.new_context(), address + PAGE)
    example = catalogue.newest_contract("chrf-compute")["examples"][0]
    page.get_by_text("Call with raw JSON").click()
    status = page.locator("#try-json-status")
    page.get_by_role("button", name="Execute").click()
    expect(status).to_have_text("Done.")
    assert json.loads(page.locator("#try-answer").inner_text()) == {"result": example["output"]}
    assert complaints == []
    page.get_by_label("Input of").fill('{"hypotheses": ["<b>"], "references": [1]}')
    page.get_by_role("button", name="Execute").click()
    expect(status).to_contain_text("references[0] is the number 1")
    assert json.loads(page.locator("#try-answer").inner_text())["pointer"] == "/references/0"


@pytest.mark.parametrize("tool", catalogue.ids())
def test_only_the_parameters_of_the_chosen_tool_are_shown(browser, address, tool):
    page, _ = opened(browser.new_context(java_script_enabled=False), f"{address}/tools/{tool}")
    schema = catalogue.newest_contract(tool)["input_schema"]["properties"]
    shown = [field.get_attribute("name") for field in page.locator("#try .controls [name]").all() if field.is_visible()]
    expected = {name for name, value in schema.items() if value["type"] != "array"}
    assert set(shown) - {"tool", "tokenize"} == expected
    assert ("tokenize" in shown) == tool.startswith("bleu")


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_the_screen_and_keep_to_their_policy(browser, address, scheme, width):
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    for path in ("/", "/tools", "/docs", "/clients/cli/", PAGE, "/try?example=systems", "/try?example=hebrew"):
        page, complaints = opened(context, address + path)
        assert page.locator("html").evaluate("html => html.scrollWidth") == width
        assert complaints == []


@pytest.mark.parametrize(
    ("scheme", "paths"),
    [("light", ["/", PAGE, "/nothing"]), ("dark", ["/docs", "/try?example=systems", "/try?example=hebrew"])],
)
def test_pages_have_no_accessibility_violations(browser, address, scheme, paths):
    context = browser.new_context(bypass_csp=True, color_scheme=scheme)
    for path in paths:
        assert (path, violations(opened(context, address + path)[0])) == (path, [])


def test_a_problem_in_the_form_has_no_accessibility_violations(browser, address):
    page, _ = opened(browser.new_context(bypass_csp=True), address + "/")
    paste(page, ["a", "b"], ["a"])
    expect(page.locator("#try-problem")).to_be_visible()
    assert violations(page) == []


def test_right_to_left_texts_are_written_from_the_right(browser, address):
    page, _ = opened(browser.new_context(), address + "/try?example=hebrew")
    for text in (page.locator("#try-hypotheses"), page.locator(".segment .text").first):
        assert text.evaluate("element => getComputedStyle(element).direction") == "rtl"
        assert text.evaluate("element => getComputedStyle(element).textAlign") in ("start", "right")


def test_the_first_paint_needs_less_than_100_kilobytes(browser, address):
    for path in ("/", PAGE, "/tools/chrf-components"):
        page = browser.new_context().new_page()
        sizes = []
        page.on("response", lambda response, sizes=sizes: sizes.append(len(response.body())))
        page.goto(address + path, wait_until="networkidle")
        assert len(sizes) >= 3
        assert sum(sizes) < 100_000


def test_calls_and_errors_fit_a_small_screen(browser, address):
    page, _ = opened(browser.new_context(viewport={"width": 375, "height": 800}), address + "/docs")
    hidden = page.locator("table").evaluate_all("tables => tables.map(table => table.scrollWidth - table.clientWidth)")
    assert hidden == [0, 0]


def test_without_script_texts_are_scored_and_every_button_works(browser, address):
    page, complaints = opened(browser.new_context(java_script_enabled=False), address + PAGE)
    assert page.get_by_role("heading", name="Related tools").is_visible()
    assert page.get_by_text("curl -X POST").is_visible()
    paste(page)
    page.get_by_role("button", name="Score").click()
    expect(page.locator(".score strong")).to_have_text(score())
    page.get_by_label("Sort").select_option("lowest score first")
    page.get_by_role("button", name="Sort").click()
    expect(page.locator(".segment h3")).to_have_text(["2", "1"])
    with page.expect_download() as download:
        page.get_by_role("button", name="input.json").click()
    assert json.loads(download.value.path().read_text())["hypotheses"] == HYPOTHESES
    page.get_by_text("Call with raw JSON").click()
    buttons = [button.inner_text() for button in page.get_by_role("button").all() if button.is_visible()]
    assert buttons == ["Score", "Sort", "result.json", "input.json", "Execute"]
    page.get_by_role("button", name="Execute").click()
    assert json.loads(page.locator("pre").inner_text())["result"]["metric"] == "chrF"
    assert complaints == []


def test_the_form_works_with_the_keyboard_alone(browser, address):
    page, _ = opened(browser.new_context(java_script_enabled=False), address + "/")
    reached = []
    for _ in range(16):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.name || document.activeElement.textContent.trim()"))
    assert [name for name in reached if name in ("tool", "beta", "lowercase", "hypotheses", "references", "Score")] == [
        "tool",
        "beta",
        "lowercase",
        "hypotheses",
        "references",
        "Score",
    ]
