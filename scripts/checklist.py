"""The checklist of a release (run by scripts/release): python scripts/checklist.py [--dry-run] [--quick].

--quick leaves out the checks that take minutes: the tests, the extras, and the wheels of other Pythons.
"""

import argparse
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "build" / "release"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION = re.search(r'^__version__ = "(.+)"', (ROOT / "src/chrfect/_version.py").read_text(), re.MULTILINE)[1]
NOT_SHIPPED = (".ci/", ".github/", ".gitignore")

Check = Callable[[], str | None]
CHECKS: list[tuple[Check, bool]] = []
"""Each check, which returns what is wrong or None, and whether it takes minutes."""


def check(slow: bool = False) -> Callable[[Check], Check]:
    """Add a check to the list; its docstring says what it promises."""

    def add(function: Check) -> Check:
        CHECKS.append((function, slow))
        return function

    return add


def run(*command: str | Path, **options: object) -> str | None:
    """Run a command in the root; return the end of its output if it fails."""
    done = subprocess.run(command, **({"cwd": ROOT} | options), capture_output=True, text=True)
    return f"{command[0]} failed:\n{(done.stdout + done.stderr)[-3000:]}" if done.returncode else None


def git(*arguments: str) -> str:
    """Return what a git command prints."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


@check()
def nothing_is_uncommitted() -> str | None:
    """Everything is committed, on main."""
    changed = git("status", "--porcelain")
    if changed:
        return f"uncommitted changes; commit or remove them:\n{changed}"
    branch = git("rev-parse", "--abbrev-ref", "HEAD")
    return None if branch == "main" else f"the branch is {branch}; releases are made from main"


@check()
def the_version_is_new() -> str | None:
    """The version is a release, and has no tag."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", VERSION):
        return f"src/chrfect/_version.py has {VERSION!r}; MAJOR.MINOR.PATCH was expected"
    return f"the tag v{VERSION} exists; raise the version" if git("tag", "--list", f"v{VERSION}") else None


@check()
def the_changelog_describes_the_version() -> str | None:
    """CHANGELOG.md has a dated section for the version, and nothing unreleased."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## {re.escape(VERSION)} · \d{{4}}-\d\d-\d\d$", text, re.MULTILINE):
        return f"CHANGELOG.md has no heading `## {VERSION} · YYYY-MM-DD`"
    return "CHANGELOG.md has a section Unreleased; rename it" if "## Unreleased" in text else None


@check()
def the_citation_names_the_version() -> str | None:
    """CITATION.cff has the version and the date of the changelog."""
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    named = re.search(r"^version: (.+)$", citation, re.MULTILINE)
    if not named or named[1] != VERSION:
        return f"CITATION.cff has the version {named and named[1]}; {VERSION} was expected"
    return None if re.search(r"^date-released: \d", citation, re.MULTILINE) else "CITATION.cff has no date-released"


@check()
def the_package_page_has_what_readers_need() -> str | None:
    """pyproject.toml has project URLs, and a status that fits the version."""
    missing = {"Repository", "Documentation", "Changelog", "Issues"} - set(PROJECT.get("urls", {}))
    if missing:
        return f"[project.urls] in pyproject.toml lacks {', '.join(sorted(missing))}; add the addresses of the project"
    status = "5 - Production/Stable" if int(VERSION.split(".")[0]) else "4 - Beta"
    return None if any(status in line for line in PROJECT["classifiers"]) else f"the classifiers lack {status}"


@check()
def the_workflows_are_valid() -> str | None:
    """The workflows follow their schema and pass zizmor."""
    binaries = Path(sys.executable).parent
    files = (ROOT / ".github" / "workflows").glob("*.yml")
    return run(binaries / "check-jsonschema", "--builtin-schema", "vendor.github-workflows", *files) or run(
        binaries / "zizmor", "--offline", "--quiet", ".github"
    )


@check()
def lint_types_and_links_are_right() -> str | None:
    """scripts/check passes."""
    return run(ROOT / "scripts" / "check")


@check()
def the_site_builds() -> str | None:
    """scripts/docs builds the documentation and finds no broken link."""
    return run(ROOT / "scripts" / "docs")


@check()
def the_source_distribution_is_complete() -> str | None:
    """The source distribution has every file of the repository except the settings of its host."""
    for old in DIST.glob("*"):
        old.unlink()
    failed = run(sys.executable, "-m", "build", "--sdist", "--outdir", DIST)
    if failed:
        return failed
    with tarfile.open(next(DIST.glob("*.tar.gz"))) as archive:
        shipped = {name.partition("/")[2] for name in archive.getnames()}
    stored = {name for name in git("ls-files").splitlines() if not name.startswith(NOT_SHIPPED)}
    return f"missing: {sorted(stored - shipped)[:10]}" if stored - shipped else None


@check()
def the_wheel_has_the_package_alone() -> str | None:
    """A wheel made from the source distribution has modules, data and the kernel, and no sources of the kernel."""
    failed = run(
        *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", DIST, next(DIST.glob("*.gz"))),
        env=os.environ | {"CHRFECT_BUILD": "fast"},
    )
    if failed:
        return failed
    (wheel,) = DIST.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    foreign = [name for name in names if name.endswith((".c", ".h", ".pxi", ".pyx")) or name.startswith("tests")]
    return f"it has {foreign}" if foreign else run(Path(sys.executable).parent / "check-wheel-contents", wheel)


@check()
def the_index_accepts_the_metadata() -> str | None:
    """The metadata and the page of both distributions pass twine."""
    return run(sys.executable, "-m", "twine", "check", "--strict", *DIST.glob("*"))


@check()
def both_distributions_install() -> str | None:
    """Both install into a fresh environment, and the installed command scores with the compiled kernel."""
    for distribution in sorted(DIST.glob("*")):
        with tempfile.TemporaryDirectory() as folder:
            venv.create(folder, with_pip=True)
            python = Path(folder, "bin", "python")
            wrong = run(python, "-m", "pip", "install", "--quiet", distribution, cwd=folder) or run(
                python,
                "-c",
                "from chrfect import ChrF, kernels; assert kernels.NAME == 'fast', kernels.READABLE_REASON\n"
                "assert ChrF().sentence('cat', 'cats').score_text == '68.862275'",
                cwd=folder,
            )
        if wrong:
            return f"{distribution.name}: {wrong}"
    return None


@check(slow=True)
def the_tests_pass() -> str | None:
    """scripts/test passes, and so do the tests that take long."""
    return run(ROOT / "scripts" / "test") or run(ROOT / "scripts" / "test", "-m", "long")


@check(slow=True)
def the_wheels_work() -> str | None:
    """scripts/wheels builds and tests a wheel for each CPython here."""
    return run(ROOT / "scripts" / "wheels")


@check(slow=True)
def every_extra_works() -> str | None:
    """Each extra alone works with the oldest and the newest versions of its requirements."""
    return run(ROOT / "scripts" / "installations", "oldest") or run(ROOT / "scripts" / "installations", "newest")


def main() -> int:
    """Go through the list; return the exit status."""
    parser = argparse.ArgumentParser(description="Go through the checklist of a release.")
    parser.add_argument("--dry-run", action="store_true", help="do not tag")
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes; implies --dry-run")
    arguments = parser.parse_args()
    DIST.mkdir(parents=True, exist_ok=True)
    failed = 0
    for function, slow in CHECKS:
        if slow and arguments.quick:
            print(f"left out  {function.__doc__}")
            continue
        wrong = function()
        failed += wrong is not None
        print(f"{'FAILED' if wrong else 'ok':8}  {function.__doc__}", flush=True)
        if wrong:
            print(f"          {wrong}", flush=True)
    if failed:
        print(f"\n{failed} of {len(CHECKS)} checks failed: chrfect {VERSION} is not ready.")
    elif arguments.dry_run or arguments.quick:
        print(f"\nchrfect {VERSION} is ready; run scripts/release to tag it.")
    else:
        git("tag", "--annotate", f"v{VERSION}", "--message", f"chrfect {VERSION}")
        print(f"\nTagged v{VERSION}. Push it to publish: git push origin v{VERSION}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
