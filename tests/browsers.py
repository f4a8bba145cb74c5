"""A real browser for tests of pages."""

import shutil
from contextlib import contextmanager
from importlib.resources import files

import pytest

CHROMIUM = shutil.which("chromium")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def launched():
    """Start Chromium; skip the test if it or Playwright is not installed."""
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no chromium: apt-get install chromium")
    driver.expect.set_options(timeout=60_000)  # 5 seconds are too few on a busy machine
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


def opened(context, url):
    """Open a page; return it and the list of what it complains about."""
    page = context.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(url)
    return page, complaints


def violations(page):
    """Return what axe-core finds on a page, with the elements; skip the test if it is not installed.

    The page must have been opened in a context that bypasses its policy, because axe-core is a script.
    """
    pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")["violations"]
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]
