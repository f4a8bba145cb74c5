"""The page of a comparison in a real browser: what it shows, that it runs no foreign script, and who can use it."""

import base64
import json
import os
import re
import warnings
import zlib
from dataclasses import replace
from itertools import pairwise

import pytest

from browsers import launched, opened, violations
from chrfect import ChrF, UsageError, evaluate, explain
from chrfect.evaluation.report.data import packed
from conftest import in_long

MARKUP = '<script>document.title = "run"</script><img src=x onerror="document.title=1">&amp;</script><!--'
LONG = "word " * 20_000
REFERENCES = [
    "The purchase was made at the market.",
    MARKUP + " was quoted",
    "הרכבת עוזבת את התחנה בשעה שבע",
    "नमस्ते दुनिया, यह एक परीक्षा है",
    "我们在花园里看见一只猫。",
    "وصل القطار إلى المحطة متأخرا",
    "a\u202eb\u200dc \x07 cafe\u0301 👩\u200d🔬",
    LONG + "ends",
    "",
    "The council met in the town hall and decided to build a new bridge over the river next year.",
]
SYSTEMS = {
    "<b>A</b>": [
        "The buy was made at the market.",
        MARKUP + " was said",
        "הרכבת יוצאת מהתחנה בשעה שבע",
        "नमस्ते दुनिया, वह एक परीक्षा थी",
        "我们在花园里看见一只狗。",
        "وصل القطار الى محطة متأخرا",
        "a\u202eb\u200dc \x07 cafe\u0301 👩\u200d🔬",
        LONG + "stops",
        "something",
        "The council met in the hall and chose to build a bridge over the river.",
    ],
    "B": [
        "The purchase was at market.",
        "quoted",
        "הרכבת עוזבת את התחנה בשמונה",
        "",
        "我们看见一只猫。",
        "وصل القطار إلى المحطة",
        "abc cafe\u0301",
        "word",
        "",
        "The council met in the town hall and decided to build a new bridge over the river next year.",
    ],
    "C": ["The purchase", MARKUP, "רכבת", "दुनिया", "猫", "قطار", "cafe", "word " * 500, "x", "A bridge over a river."],
}


@pytest.fixture(scope="module")
def compared():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the texts, which are as odd as they can be
        found = evaluate(
            SYSTEMS,
            REFERENCES,
            ["chrF", "TER"],
            sources=[f"Quelle {i} {({1: MARKUP, 7: LONG}).get(i, '')}" for i in range(10)],
            documents=["news"] * 4 + ["<i>talks</i>"] * 6,
        )
    return found.compare(trials=50, resamples=50)


@pytest.fixture(scope="module")
def saved(compared, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    compared.save(path, "News <b> test")
    return path


@pytest.fixture(scope="module")
def browser():
    with launched() as started:
        yield started


def ready(browser, path, view="", **options):
    """Open the page in a view; return it, complaints, and the requests that leave the file."""
    context = browser.new_context(**options)
    left = []
    context.on("request", lambda request: None if request.url.startswith("file:") else left.append(request.url))
    page, complaints = opened(context, f"{path.as_uri()}{view}")
    page.wait_for_selector("html[data-ready]", timeout=60_000)
    return page, complaints, left


def shown_segments(page):
    return [text.removeprefix("Segment ") for text in page.locator("#segment-list h3").all_inner_texts()]


def test_page_opens_from_disk_without_network_access_or_errors(browser, saved):
    page, complaints, left = ready(browser, saved)
    assert (complaints, left) == ([], [])
    assert page.title() == "News <b> test"
    assert len(shown_segments(page)) == len(REFERENCES)


def test_markup_in_texts_and_names_is_text(browser, saved):
    page, _, _ = ready(browser, saved)
    assert page.title() == "News <b> test"
    assert page.locator("img, main script").count() == 0
    item = page.locator("#segment-2")
    assert MARKUP in item.locator("dd").nth(1).inner_text()
    assert page.locator("#systems").get_by_text("<b>A</b>").is_visible()
    assert page.locator("#choose-group option").filter(has_text="<i>talks</i>").count() == 1


def test_content_policy_allows_only_the_own_script(browser, saved):
    page, complaints, _ = ready(browser, saved)
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"document.title=1\">')")
    page.wait_for_timeout(100)
    assert page.title() == "News <b> test"
    assert any("Content Security Policy" in text for text in complaints)


def test_scores_and_order_are_those_of_the_comparison(browser, saved, compared):
    page, _, _ = ready(browser, saved, "#metric=0&a=0&b=1&order=largest")
    scores = [compared.evaluation.score(name, "chrF").runs[0].segments.scores for name in SYSTEMS]
    order = sorted(range(len(REFERENCES)), key=lambda i: (-abs(scores[1][i] - scores[0][i]), i))
    assert shown_segments(page) == [str(i + 1) for i in order]
    first = page.locator("#segment-list .scores").first.inner_text()
    assert f"A {scores[0][order[0]]:.2f}" in first
    assert f"B {scores[1][order[0]]:.2f}" in first
    found = compared.difference("<b>A</b>", "B", "chrF")
    assert f"{found.difference:+.2f}".replace("-", "−") in page.locator("#verdict").inner_text()


def test_the_first_segments_change_the_difference_of_the_corpus_scores_most(browser, saved, compared):
    page, _, _ = ready(browser, saved, "#metric=0&a=0&b=1")
    hypotheses = [SYSTEMS["<b>A</b>"], SYSTEMS["B"]]

    def difference(left_out):
        kept = [i for i in range(len(REFERENCES)) if i != left_out]
        references = [REFERENCES[i] for i in kept]
        first, second = (ChrF().corpus([texts[i] for i in kept], references).score for texts in hypotheses)
        return second - first

    whole = difference(None)
    influence = [abs(whole - difference(i)) for i in range(len(REFERENCES))]
    first = influence.index(max(influence))
    assert int(shown_segments(page)[0]) - 1 == first
    shown = f"influence {whole - difference(first):+.3f}".replace("-", "−")
    assert shown in page.locator("#segment-list .scores").first.inner_text()


def test_shades_equal_those_of_explain(browser, saved):
    page, _, _ = ready(browser, saved, "#metric=0&a=0&b=1&segment=0")
    spans = page.locator("#segment-1 dd").nth(2).locator("span").all()
    missed = "".join(span.inner_text() for span in spans if "s0" in span.get_attribute("class"))
    why = explain("chrF", SYSTEMS["<b>A</b>"][0], REFERENCES[0])
    none = "".join(
        why.hypothesis.text[one.start : one.end] for one in why.hypothesis.stretches if one.ngrams and not one.matched
    )
    assert missed.replace(" ", "") == none
    page.locator("#segment-1 summary").click()
    gains = page.locator("#segment-1 details li").all_inner_texts()
    best = why.missed.shown[0]
    assert any(f"+{float(best.points):.2f}: add the missed" in gain and best.text in gain for gain in gains)


def test_search_filter_and_order_change_the_list_and_the_address(browser, saved):
    page, _, _ = ready(browser, saved)
    page.get_by_label("Search these texts").fill("GARDEN")
    page.get_by_label("Search these texts").fill("花园")
    page.wait_for_url(re.compile("query="))
    page.locator("#segment-status").get_by_text("1 of 10 segments").wait_for()
    assert shown_segments(page) == ["5"]
    page.get_by_label("Search these texts").fill("")
    page.locator("#segment-status").get_by_text("10 of 10 segments").wait_for()
    page.get_by_label("Show").select_option(label="document: news")
    page.locator("#segment-status").get_by_text("4 of 10 segments").wait_for()
    page.get_by_label("Order").select_option(label="order of the test set")
    page.locator("#segment-list h3").first.get_by_text("Segment 1", exact=True).wait_for()
    assert shown_segments(page) == ["1", "2", "3", "4"]
    again, _, _ = ready(browser, saved, page.evaluate("location.hash"))
    assert shown_segments(again) == ["1", "2", "3", "4"]


def test_clicking_a_heat_map_cell_selects_the_pair(browser, saved):
    page, _, _ = ready(browser, saved)
    page.locator("#pairs table").first.get_by_role("row", name="C").get_by_role("link").first.click()
    page.locator("#verdict").get_by_text("C", exact=True).wait_for()
    assert page.locator("[aria-current]").count() > 0


def test_page_works_with_the_keyboard_alone(browser, saved):
    page, _, _ = ready(browser, saved)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "choose-order":
            break
    page.keyboard.press("ArrowDown")
    page.wait_for_url(re.compile("order=largest"))
    assert page.evaluate("document.activeElement.id") == "choose-order"
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "SUMMARY":
            break
    page.keyboard.press("Enter")
    page.locator("details[open] table").wait_for()


def test_a_copied_link_opens_the_same_view(browser, saved):
    page, _, _ = ready(browser, saved, permissions=["clipboard-read", "clipboard-write"])
    page.locator("#choose-order").select_option("largest")
    page.wait_for_url(re.compile("order=largest"))
    page.get_by_role("button", name="Copy a link to this view").click()
    page.get_by_text("The link is copied.").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    again, _, _ = ready(browser, saved, link.removeprefix(saved.as_uri()))
    assert again.locator("#choose-order").input_value() == "largest"
    assert shown_segments(again) == shown_segments(page)


def test_page_refers_to_the_address_bar_if_copying_is_not_permitted(browser, saved):
    page, complaints, _ = ready(browser, saved)
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }")
    page.get_by_role("button", name="Copy a link to this view").click()
    page.get_by_text("The link is in the address bar.").wait_for()
    assert complaints == []


@pytest.mark.parametrize(
    ("width", "scheme"),
    [(390, "light"), *in_long((390, "dark"), (1280, "light"), (1280, "dark"))],
)
def test_page_has_no_accessibility_violations(browser, saved, width, scheme):
    options = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme, "bypass_csp": True}
    page, _, _ = ready(browser, saved, "#metric=0&a=0&b=1", **options)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.locator("summary").first.click()
    assert violations(page) == []


def test_page_shows_systems_and_pairs_without_javascript(browser, saved):
    page, _ = opened(browser.new_context(java_script_enabled=False), saved.as_uri())
    assert page.get_by_role("heading", name="Pairs of systems").is_visible()
    assert page.get_by_text("need JavaScript").is_visible()


def test_long_texts_are_cut_with_a_note(saved, browser):
    page, _, _ = ready(browser, saved, "#segment=7")
    source, reference = (page.locator("#segment-8 dd").nth(place).inner_text() for place in (0, 1))
    assert max(len(source), len(reference)) < 3_000
    assert "2,000 of 100,009" in source
    assert "2,000 of 100,004" in reference
    assert os.path.getsize(saved) < 1_000_000


@pytest.mark.parametrize("name", ["page.pdf", "page"])
def test_rejects_other_file_extensions(compared, tmp_path, name):
    with pytest.raises(UsageError, match=r"\.html or \.json was expected"):
        compared.save(tmp_path / name)


def test_json_has_the_comparison(compared, tmp_path):
    compared.save(tmp_path / "found.json")
    assert json.loads((tmp_path / "found.json").read_text(encoding="utf-8")) == json.loads(
        json.dumps(compared.to_dict())
    )


def test_notebooks_show_parts_of_the_same_page(compared, saved):
    page = saved.read_text(encoding="utf-8")
    shown = compared._repr_html_()
    tables = re.findall(r"<table.*?</table>", shown, re.DOTALL)
    assert len(tables) == 3
    assert all(table in page for table in tables)
    assert "<script" not in shown
    (table,) = re.findall(r"<table.*?</table>", compared.evaluation._repr_html_(), re.DOTALL)
    assert "<bdi>B</bdi>" in table


def test_style_and_script_work_under_the_policy_of_the_server(browser, saved):
    security = pytest.importorskip("chrfect.service.security", reason="the server is not installed")
    page = saved.read_text(encoding="utf-8")
    style, script = (
        re.search("<style>(.*?)</style>", page, re.DOTALL)[1],
        re.findall("<script>(.*?)</script>", page, re.DOTALL)[-1],
    )
    body = re.sub("<meta http-equiv[^>]*>", "", page)
    body = body.replace(f"<style>{style}</style>", '<link rel="stylesheet" href="/style.css">')
    body = body.replace(f"<script>{script}</script>", '<script src="/page.js"></script>')
    files = {"/": ("text/html", body), "/style.css": ("text/css", style), "/page.js": ("text/javascript", script)}

    def answer(route):
        kind, text = files[route.request.url.removeprefix("http://localhost:9")]
        headers = security.HEADERS | {"Content-Type": f"{kind}; charset=utf-8"}
        route.fulfill(body=text, headers=headers)

    context = browser.new_context()
    context.route("http://localhost:9/**", answer)
    served, complaints = opened(context, "http://localhost:9/")
    served.wait_for_selector("html[data-ready]")
    assert complaints == []
    assert len(shown_segments(served)) == len(REFERENCES)


def test_printed_page_has_texts_and_no_controls(browser, saved):
    page, _, _ = ready(browser, saved)
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert not page.locator("#query").is_visible()
    assert page.locator("#segment-1 dd").first.is_visible()


@pytest.mark.long
def test_twenty_thousand_segments_are_sorted_and_filtered(browser, tmp_path):
    references = [f"the {i} cats sat" for i in range(20_000)]
    systems = {"A": [f"the {i} cat sat" for i in range(20_000)], "B": [f"a {i} cats sit" for i in range(20_000)]}
    evaluate(systems, references).compare(trials=9, resamples=9).save(tmp_path / "big.html")
    page, complaints, _ = ready(browser, tmp_path / "big.html", "#order=test")
    assert complaints == []
    page.get_by_role("button", name="Next").click()
    page.locator("#segment-status").get_by_text("20,000 of 20,000 segments, 21 to 40 shown.").wait_for()
    assert shown_segments(page)[0] == "21"
    page.get_by_label("Search these texts").fill(" 19999 CATS ")
    page.locator("#segment-status").get_by_text("1 of 20,000 segments").wait_for()
    assert shown_segments(page) == ["20000"]


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    """Save a page by TER in which A is better in the first label, and B in the second; two labels look alike."""
    labels = [""] * 12 + ["a\u202e"] * 12 + ["a<U+202E>"] * 12 + ["rare"] * 4
    references = [f"the cat sat on mat {i}" for i in range(40)]
    bad = [text.replace("cat sat", "dog stood") for text in references]
    systems = {"A": references[:12] + bad[12:], "B": bad[:12] + references[12:24] + bad[24:]}
    path = tmp_path_factory.mktemp("labelled") / "report.html"
    found = evaluate(systems, references, ["TER"], by={"constructor": labels})
    found.compare(trials=50, resamples=50, level=0.999).save(path)
    return path


def test_headline_excludes_significantly_worse_systems(compared):
    names = sorted(SYSTEMS, key=lambda name: -compared.evaluation.score(name, "chrF").score)
    ends = {names[0], names[2]}
    chain = [replace(found, significant={found.baseline, found.system} == ends) for found in compared.differences]
    summary = re.search("<p>.*? is best .*?</p>", replace(compared, differences=tuple(chain))._repr_html_())[0]
    said = summary.partition(" is best ")[2]
    shown = [f"<bdi>{name}</bdi>".replace("<b>A</b>", "&lt;b&gt;A&lt;/b&gt;") for name in names]
    assert f"; <b>{shown[1]}</b> may be as good." in said
    assert shown[2] not in said


@pytest.mark.parametrize(("view", "better"), [("#a=0&b=1", ["first", "second"]), ("#a=1&b=0", ["second", "first"])])
def test_markers_of_intervals_are_those_of_the_better_system(browser, labelled, view, better):
    page, complaints, _ = ready(browser, labelled, view)
    table = page.get_by_role("region", name="By constructor")
    shapes = {"first": "path", "second": "circle"}
    equal = table.get_by_role("row").filter(has_text="0.00 to 0.00")
    empty = table.get_by_role("row", name="(empty)")
    assert empty.locator(f"{shapes[better[0]]}.{better[0]}").count() == 1
    alike = table.get_by_role("row", name="a<U+202E>")
    assert alike.locator(f"{shapes[better[1]]}.{better[1]}").count() == 1
    assert equal.locator("circle.bar").count() == 2
    assert equal.locator(".first, .second").count() == 0
    assert complaints == []


def test_no_claim_of_equality_for_groups_of_few_segments(browser, labelled):
    page, _, _ = ready(browser, labelled, "#a=0&b=1")
    said = page.get_by_text("Too few segments to say").last.inner_text()
    expected = "B is better in a<U+202E>; worse in (empty); not clearly different in a<U+202E>."
    assert said == f"{expected} Too few segments to say: rare."


def test_clicking_a_label_shows_its_segments(browser, labelled):
    page, _, _ = ready(browser, labelled, "#order=test")
    buttons = page.get_by_role("region", name="By constructor").get_by_role("button")
    assert buttons.all_inner_texts() == ["(empty)", "a<U+202E>", "a<U+202E>", "rare"]
    for place, first in enumerate(("1", "13", "25")):
        buttons.nth(place).click()
        page.locator("#segment-list h3").first.get_by_text(f"Segment {first}", exact=True).wait_for()
        assert page.locator("#segment-status").inner_text().startswith("12 of 40 segments")
    assert page.get_by_role("heading", name="By constructor", exact=True).is_visible()


def test_confidence_levels_show_necessary_decimals(browser, labelled, saved):
    page, _, _ = ready(browser, labelled)
    assert "(99.9 % interval" in page.locator("#verdict").inner_text()
    assert page.get_by_role("columnheader", name="99.9 % interval").count() == 2
    page, _, _ = ready(browser, saved)
    assert "(95 % interval" in page.locator("#verdict").inner_text()


def test_sort_order_is_named_for_error_rates_too(browser, labelled):
    page, _, _ = ready(browser, labelled, "#order=lowest")
    assert page.locator("#choose-order option:checked").inner_text() == "worst scores first"
    assert shown_segments(page)[0] == "25"


def test_small_differences_are_counted_and_characters_are_code_points(browser, tmp_path):
    references = [LONG + "ends", "😀" * 2_504]
    systems = {"A": references, "B": [LONG + "endz", "😀" * 2_504]}
    found = evaluate(systems, references).compare(trials=9, resamples=9)
    found.save(tmp_path / "long.html")
    page, _, _ = ready(browser, tmp_path / "long.html", "#a=0&b=1")
    assert page.get_by_text("It is better in 0 segments, worse in 1, and equal in 1;").is_visible()
    page.get_by_role("button", name="Swap A and B").click()
    page.get_by_text("It is better in 1 segment, worse in 0, and equal in 1;").wait_for()
    assert page.locator("#segment-2").get_by_text("(the first 2,000 of 2,504 characters)").count() == 3


def with_index(path, change):
    """Return the page with other data in its index."""
    page = path.read_text(encoding="utf-8")
    text = re.search('id="data-index">([^<]*)<', page)[1]
    data = json.loads(zlib.decompress(base64.b64decode(text)))
    return page.replace(text, packed(change(data)))


def test_a_histogram_of_hundreds_of_thousands_of_segments_is_drawn(browser, labelled, tmp_path):
    def many(data):
        data["segments"] *= 10_000
        for kind in ("scores", "influence"):
            data[kind] = [[scores * 10_000 for scores in of_metric] for of_metric in data[kind]]
        return data

    (tmp_path / "many.html").write_text(with_index(labelled, many), encoding="utf-8")
    page, complaints, _ = ready(browser, tmp_path / "many.html", "#order=test")
    assert complaints == []
    assert page.get_by_text("of 400,000 segments").is_visible()


def test_the_p_value_beside_a_verdict_is_the_one_that_decides_it(browser, saved, compared):
    page, _, _ = ready(browser, saved, "#metric=0&a=0&b=2")
    found = compared.difference("<b>A</b>", "C", "chrF")
    assert found.corrected != found.p_value
    verdict = page.locator("#verdict").inner_text()
    assert f"p (Holm) = {found.holm:.3f}; without correction p = {found.p_value:.3f})." in verdict
    cell = page.locator("#pairs table").first.get_by_role("row", name="C").get_by_role("link").first
    assert f"p {found.holm:.3f}" in cell.inner_text()
    assert "The p in the cells is p (Holm)." in page.locator("#pairs").inner_text()


def test_the_legend_of_a_heat_map_says_where_its_colours_change(compared):
    shown = compared._repr_html_()
    for metric, sign in (("chrF", 1), ("TER", -1)):
        largest = max(abs(found.difference) for found in compared.differences if str(found.metric) == metric)
        legend = re.search(f'<p class="legend">{metric}: (.*?)</p>', shown)[1]
        bounds = dict(re.findall('class="(..)">up to ([^<]+)<', legend))
        expected = [f"{largest * step / 3:.2f}" for step in (1, 2, 3)]
        assert bounds == dict(zip(["d1", "d2", "d3", "e1", "e2", "e3"], expected * 2, strict=True))
        table = re.search(f"<caption>Pairs by {metric}</caption>.*?</table>", shown, re.DOTALL)[0]
        cells = re.findall('<td class="(.)(.)"><a[^>]*>([+−])([0-9.]+)', table)
        assert len(cells) == 6
        for side, step, direction, size in cells:
            assert (side == "d") == (sign * (1 if direction == "+" else -1) > 0)
            assert largest * (int(step) - 1) / 3 - 0.005 <= float(size) <= largest * int(step) / 3 + 0.005


@pytest.mark.parametrize(("number", "explained"), [(8, True), (9, False)])
def test_shares_of_humans_are_explained_where_cells_have_them(number, explained):
    texts = [f"the cat number {i} sat on the mat" for i in range(20)]
    systems = {f"S{n}": [" ".join(text.split()[: 7 - n % 6]) for text in texts] for n in range(number)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about equal systems
        shown = evaluate(systems, texts).compare(trials=9, resamples=9)._repr_html_()
    assert ("<small>humans" in shown, "Humans: the share" in shown) == (explained, explained)
    assert ("<small>p " in shown, "Choose a cell to see its p" in shown) == (explained, not explained)


def test_scores_and_their_distribution_stand_before_other_metrics(browser, saved):
    page, _, _ = ready(browser, saved)
    columns = page.locator("#systems th[scope=col]").all_inner_texts()
    assert columns[:6] == ["system", "rank", "chrF", "95% interval", "chrF of segments", "TER"]


@pytest.mark.parametrize("metric", ["chrF", "TER"])
def test_what_a_system_misses_and_invents_is_listed(browser, tmp_path, metric):
    references = ["the cat sat down", "the dog ran away", "the bird flew up", "fish swim"]
    systems = {"A": [text.replace("the", "a") for text in references], "B": ["the cat", *references[1:]]}
    evaluate(systems, references, metric).compare(trials=20, resamples=20).save(tmp_path / "report.html")
    page, complaints, _ = ready(browser, tmp_path / "report.html", "#metric=0&a=0&b=1")

    def rows(title):
        region = page.get_by_role("region", name=title, exact=True)
        return [row.locator("th, td").all_inner_texts() for row in region.locator("tbody tr").all()]

    assert rows("What A misses")[0] == ["the", "3", "0", "1, 2, 3"]
    assert rows("What A invents")[0] == ["a", "3", "0", "1, 2, 3"]
    assert rows("What B misses") == [["sat down", "1", "0", "1"]]
    nothing = page.locator("#difference-body div").filter(has=page.get_by_role("heading", name="What B invents"))
    assert nothing.last.inner_text().endswith("Nothing.")
    page.get_by_role("region", name="What A misses").get_by_role("link", name="Segment 2").click()
    page.locator("#segment-status").get_by_text("Segment 2 alone.").wait_for()
    assert complaints == []


def test_a_search_finds_only_what_is_shown(browser, saved):
    page, _, _ = ready(browser, saved, "#metric=0&a=0&b=1&query=a+bridge+over+a+river")
    assert page.locator("#segment-status").inner_text() == "0 of 10 segments."
    page.locator("#choose-b").select_option(label="C")
    page.locator("#segment-status").get_by_text("1 of 10 segments").wait_for()
    assert shown_segments(page) == ["10"]


@pytest.mark.parametrize(
    ("view", "unknown"),
    [
        ("#segment=10", "segment 11"),
        ("#segment=-1", "a segment"),
        ("#a=0&b=7", "a system"),
        ("#metric=2&order=odd", "a metric and an order"),
        ("#a=1&b=1", "a pair of systems"),
        ("#group=none&label=0", "a group"),
        ("#group=document&label=2", "a group"),
    ],
)
def test_a_link_to_what_the_page_does_not_have_says_so(browser, saved, view, unknown):
    page, complaints, _ = ready(browser, saved, view)
    message = page.get_by_role("alert")
    expected = f"The link names {unknown} that this page does not have: it has 3 systems and 10 segments."
    assert message.inner_text() == expected
    assert message.is_visible()
    assert len(shown_segments(page)) == 10
    page.locator("#choose-order").select_option("test")
    message.wait_for(state="detached")
    assert complaints == []


def test_a_damaged_block_of_texts_is_reported(browser, labelled, tmp_path):
    broken = re.sub(r'(id="data-texts-0">)[^<]*', r"\1eJw=", labelled.read_text(encoding="utf-8"))
    (tmp_path / "broken.html").write_text(broken, encoding="utf-8")
    page, _ = opened(browser.new_context(), (tmp_path / "broken.html").as_uri())
    page.get_by_role("alert").get_by_text("If the file is damaged, write it again.").wait_for()
    assert page.locator("#verdict").is_visible()


def test_a_failure_after_the_start_is_reported_until_something_works(browser, labelled):
    page, _, _ = ready(browser, labelled)
    page.evaluate("() => { document.getElementById('segment-pages').id = 'gone'; }")
    page.get_by_role("button", name="Swap A and B").click()
    page.get_by_role("alert").get_by_text("A part of this page could not be shown").wait_for()
    page.evaluate("() => { document.getElementById('gone').id = 'segment-pages'; }")
    page.get_by_role("button", name="Swap A and B").click()
    page.get_by_role("alert").wait_for(state="detached")


def accessible(page):
    """Return the nodes that assistive technology sees: role, name and properties, in the order of the page."""
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    return [
        (
            node["role"]["value"],
            node.get("name", {}).get("value", ""),
            {one["name"]: one["value"].get("value") for one in node.get("properties", [])},
        )
        for node in nodes
        if not node["ignored"]
    ]


@pytest.mark.parametrize("width", [390, 1280])
def test_assistive_technology_sees_headings_names_and_live_regions(browser, saved, width):
    page, _, _ = ready(browser, saved, "#metric=0&a=0&b=1", viewport={"width": width, "height": 800})
    page.locator("summary").first.click()
    tree = accessible(page)
    roles = [role for role, _, _ in tree]
    assert roles.count("main") == roles.count("navigation") == roles.count("search") == 1
    headings = [(properties["level"], name) for role, name, properties in tree if role == "heading"]
    assert [name for level, name in headings if level == 1] == ["News <b> test"]
    assert [name for level, name in headings if level == 2] == [
        "Systems", "Pairs of systems", "Where they differ", "Segments",
    ]  # fmt: skip
    levels = [level for level, _ in headings]
    assert all(after - before <= 1 for before, after in pairwise(levels))
    tables = [name for role, name, _ in tree if role == "table"]
    assert len(tables) == len(set(tables)) >= 9
    assert "" not in tables
    for kind in ("columnheader", "rowheader", "cell"):
        assert roles.count(kind) > len(tables)
    operated = ("link", "button", "combobox", "searchbox", "textbox", "DisclosureTriangle", "region")
    assert [role for role, name, _ in tree if role in operated and not name.strip()] == []
    assert [properties["live"] for role, _, properties in tree if role == "status"] == ["polite", "polite"]
    page.get_by_label("Search these texts").fill("花园")
    page.locator("#segment-status").get_by_text("1 of 10 segments").wait_for()
    assert any(role == "StaticText" and name.startswith("1 of 10 segments") for role, name, _ in accessible(page))


def test_script_failure_shows_a_message(browser, labelled, tmp_path):
    (tmp_path / "broken.html").write_text(with_index(labelled, lambda data: data | {"pairs": []}), encoding="utf-8")
    page, complaints = opened(browser.new_context(), (tmp_path / "broken.html").as_uri())
    page.get_by_role("alert").get_by_text("could not be shown").wait_for()
    assert complaints != []


def test_a_segment_of_a_metric_without_ngrams_is_explained_by_its_counts(browser, tmp_path):
    found = evaluate({"A": ["a b x d"], "B": ["d a b c"]}, ["a b c d"], ["TER"]).compare(trials=20, resamples=20)
    found.save(tmp_path / "report.html")
    page, complaints, _ = ready(browser, tmp_path / "report.html")
    page.locator("summary").first.click()
    rows = [row.locator("th, td").all_inner_texts() for row in page.locator("details[open] tbody tr").all()]
    table = {name: counts for name, *counts in rows}
    assert table == {
        "insertions": ["0", "0"],
        "deletions": ["0", "0"],
        "substitutions": ["1", "0"],
        "shifts": ["0", "1"],
        "reference length": ["4", "4"],
    }
    assert page.get_by_text("covered by matched n-grams").count() == 0
    assert complaints == []
