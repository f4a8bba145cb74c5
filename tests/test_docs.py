"""Files and links in the documentation exist."""

import re

import pytest

from conftest import ROOT

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def anchors(path):
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_relative_link_has_a_target(document):
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target) or target.startswith("/"):
            continue
        path, _, anchor = target.partition("#")
        found = (document.parent / path).resolve() if path else document
        if not found.exists() or (anchor and anchor not in anchors(found)):
            broken.append(target)
    assert broken == []


def test_every_dependency_is_documented():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *(r for extra in project["optional-dependencies"].values() for r in extra)]
    names = {re.match(r"[\w.-]+", requirement)[0] for requirement in wanted} - {"chrfect"}
    listed = (ROOT / "docs" / "dependencies.md").read_text()
    assert {name for name in names if not re.search(rf"\b{re.escape(name)}\b", listed)} == set()


def test_no_page_or_message_installs_the_package_from_an_index():
    """The name is on no index: a checkout is installed, as `pip install '.[server]'`."""
    pages = [*DOCUMENTS, *(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.md"), *(ROOT / "src").rglob("*.html")]
    texts = {path: path.read_text(encoding="utf-8") for path in pages}
    assert len(texts) > 300
    told = re.compile(r"(?:pip|uv|pipx)\s+(?:install|add|tool install)\s+[^`&\n]*?\bchrfect\b|\bchrfect\[")
    assert {str(path): found[0] for path, text in texts.items() if (found := told.search(text))} == {}


def test_the_index_links_to_every_page():
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")} - {"index.md"}
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    linked = re.findall(r"^- \[.+\]\(([^)]+)\)$", index, re.MULTILINE)
    assert pages - set(linked) == set()
    assert len(linked) == len(set(linked))
