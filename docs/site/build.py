"""Build the documentation as a site that works offline: ``python docs/site/build.py [FOLDER]`` (run by scripts/docs).

The site has the pages of ``docs``, those of the root that users read, and a reference that is generated from docstrings
and from ``--help``. The links of every page are checked.
"""

import contextlib
import importlib
import inspect
import io
import os
import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

from sphinx.cmd.build import build_main

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
FROM_ROOT = {name: f"{name.lower()}.md" for name in ("CHANGELOG", "CONTRIBUTING", "SECURITY")}
MODULES = {
    "chrfect": "The functions and values that most programs need.",
    "chrfect.metrics": "Metrics, with the types that their signatures name and the hooks for new metrics.",
    "chrfect.counts": "Recipes, sums and tables of counts.",
    "chrfect.explanation": "Explanations and the values that they hold.",
    "chrfect.matrices.mbr": "Minimum Bayes risk decoding.",
    "chrfect.meta": "Metrics against human ratings. Its names may change in any version.",
    "chrfect.client": "A client of a server.",
    "chrfect.errors": "Errors and warnings.",
}
"""The modules of the reference, with what they contain."""
REFERENCE = [
    ("Commands", "commands.md"),
    *((name, f"{name}.module.rst") for name in MODULES),
    ("Contracts of the catalogue", "contracts.md"),
]
"""The titles and the files of the generated pages to which the index links."""
GENERATED = "<!-- generated: commands, modules and contracts -->"
"""The line of the index that these links replace."""


def main(site: Path) -> int:
    """Write the site to a folder; return the exit status."""
    source = ROOT / "build" / "docs"
    shutil.rmtree(source, ignore_errors=True)
    shutil.rmtree(site, ignore_errors=True)
    write_pages(source)
    write_commands(source / "reference")
    write_modules(source / "reference")
    write_contracts(source / "reference")
    options = ["--quiet", "--fail-on-warning", "--keep-going", "-c", str(Path(__file__).parent)]
    status = build_main([*options, "-d", str(ROOT / "build" / "doctrees"), str(source), str(site)])
    wrong = broken_links(site)
    print(*wrong, sep="\n", file=sys.stderr)
    return int(bool(status or wrong))


def write_pages(source: Path) -> None:
    """Write the pages that are stored, with links between their places in the site."""
    places = {path: path.relative_to(DOCS) for path in DOCS.rglob("*.md")}
    places |= {ROOT / f"{name}.md": Path(place) for name, place in FROM_ROOT.items()}
    for path, place in places.items():
        text = path.read_text(encoding="utf-8")

        def link(found: re.Match[str], path: Path = path, place: Path = place) -> str:
            """Return a link within the site; a link to a file outside it becomes its text."""
            target, _, anchor = found[2].partition("#")
            linked = (path.parent / target).resolve()
            to = Path("index.md") if linked == ROOT / "README.md" else places.get(linked)
            if to is None:
                return found[0] if target.endswith(".svg") else found[1]
            there = os.path.relpath(to, place.parent)
            return f"[{found[1]}]({there}{'#' if anchor else ''}{anchor})"

        text = re.sub(r"(?<!!)\[([^]]+)\]\((?![a-z]+:|#)([^)\s]+)\)", link, text)
        if place == Path("index.md"):
            text = text.replace(GENERATED, "\n".join(f"- [{name}](reference/{file})" for name, file in REFERENCE))
            text += contents(text)
        write(source / place, text)
    for image in DOCS.rglob("*.svg"):
        shutil.copy(image, source / image.relative_to(DOCS))


def contents(index: str) -> str:
    """Return the tree of contents: for each section of the index, the pages to which it links, by the names there."""
    trees = []
    for section in index.split("\n## ")[1:]:
        links = re.findall(r"^- \[(.+?)\]\((.+?)\.(?:md|rst)\)", section, re.MULTILINE)
        pages = "\n".join(f"{title} <{page}>" for title, page in links)
        trees.append(f"\n```{{toctree}}\n:hidden:\n:caption: {section.splitlines()[0]}\n\n{pages}\n```\n")
    return "".join(trees)


def write_commands(folder: Path) -> None:
    """Write the page of the commands from their help."""
    from chrfect.cli import COMMANDS

    os.environ["COLUMNS"] = "96"
    parts = ["# Commands\n\nEvery command with the output of `--help`.\n", f"```text\n{help_of()}```\n"]
    parts += [f"## chrfect {name}\n\n```text\n{help_of(name)}```\n" for name in COMMANDS]
    write(folder / "commands.md", "\n".join(parts))


def help_of(*command: str) -> str:
    """Return what a command prints with --help."""
    from chrfect.cli import main

    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        main([*command, "--help"])
    return out.getvalue()


def write_modules(folder: Path) -> None:
    """Write a page for each public module and each of its names; a name in several modules has one page."""
    seen: dict[object, str] = {}
    for module, summary in MODULES.items():
        pages, others = [], []
        imported = importlib.import_module(module)
        names = getattr(imported, "__all__", None) or [name for name in vars(imported) if name[0].isupper()]
        for name in sorted(names, key=str.lower):
            value = getattr(imported, name)
            if inspect.ismodule(value) or not callable(value):
                continue
            full = seen.setdefault(value, f"{module}.{name}")
            if full != f"{module}.{name}":
                others.append(f"`{name} <{full}>`")
                continue
            kind = "autoexception" if is_error(value) else "autoclass" if inspect.isclass(value) else "autofunction"
            if not inspect.isclass(value) and not inspect.isfunction(value):
                kind = "autodata"
            write(folder / f"{full}.rst", f"{name}\n{'=' * len(name)}\n\n.. {kind}:: {full}\n")
            pages.append(full)
        text = f"{module}\n{'=' * len(module)}\n\n{summary}\n\n.. toctree::\n\n"
        text += "".join(f"   {page}\n" for page in pages)
        if others:
            text += "\nAlso: " + ", ".join(f":py:obj:{other}" for other in others) + ".\n"
        write(folder / f"{module}.module.rst", text)


def write_contracts(folder: Path) -> None:
    """Write a page for the contract of each tool of the catalogue, and one that links to them."""
    from chrfect import catalogue

    pages = []
    for id in catalogue.ids():
        contract = catalogue.newest_contract(id)
        rules = [
            (title, "\n".join(f"- {escape(rule)}" for rule in contract[key]))
            for title, key in (
                ("Supported", "supported_operations"),
                ("Not supported", "unsupported_operations"),
                ("Behavior", "semantics"),
            )
        ]
        text = catalogue.contract_bytes(id, contract["version"]).decode()
        sections = [*rules, ("Worked by hand", catalogue.worked(id)), ("Contract", f"```json\n{text}\n```")]
        body = "\n\n".join(f"## {title}\n\n{section}" for title, section in sections)
        heading = f"# {id} {contract['version']}\n\n{escape(contract['description'])}"
        write(folder / "contracts" / f"{id}.md", f"{heading}\n\n{body}\n")
        pages.append(f"contracts/{id}")
    tree = "\n".join(pages)
    intro = "# Contracts\n\nThe tools of the catalogue: what each version computes, which never changes."
    write(folder / "contracts.md", f"{intro}\n\n```{{toctree}}\n{tree}\n```\n")


def escape(text: str) -> str:
    """Return a text with the characters escaped that Markdown would read."""
    return re.sub(r"([\\`*_\[\]<$|])", r"\\\1", text)


def is_error(value: object) -> bool:
    """Whether a value is a class of errors or warnings."""
    return inspect.isclass(value) and issubclass(value, BaseException)


def write(path: Path, text: str) -> None:
    """Write a text file into a folder that may not exist yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


class _Page(HTMLParser):
    """The anchors of a page, the addresses to which it links, and those that it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value is not None}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif "src" in given or tag == "link":
            self.loads.append(given.get("src") or given["href"])


def broken_links(site: Path) -> list[str]:
    """Return what pages link to or load that does not exist, or load from another host."""
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    wrong = []
    for path, page in pages.items():
        for target in page.loads + page.links:
            if re.match("[a-z]+:|//", target):
                if target in page.loads and not target.startswith("data:"):
                    wrong.append(f"{path}: loads {target}")
                continue
            file, _, anchor = unquote(target).partition("#")
            there = (path.parent / file.partition("?")[0]).resolve() if file else path
            if not there.exists() or (anchor and there in pages and anchor not in pages[there].anchors):
                wrong.append(f"{path}: {target} does not exist")
    return wrong


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "site").resolve()))
