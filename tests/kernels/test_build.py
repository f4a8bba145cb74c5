"""The project installs with and without a C compiler, from its source distribution and from the repository."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

import pytest

pytestmark = pytest.mark.long

for name in ("Cython", "setuptools"):
    pytest.importorskip(name, reason=f"{name} is not installed, and building offline needs it")


@pytest.fixture(scope="module")
def tree(root, tmp_path_factory):
    """A copy of the repository, without anything built and without hidden files."""
    copy = tmp_path_factory.mktemp("tree") / "chrfect"
    built = ("*.so", "*.pyd", "_fast.c", "__pycache__", "*.egg-info", "build", "dist")
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns(".*", *built))
    return copy


@pytest.fixture(scope="module")
def distribution(tree):
    """The source distribution."""
    code = "from setuptools.build_meta import build_sdist; print(build_sdist('dist'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tree, check=True, capture_output=True, text=True)
    return tree / "dist" / done.stdout.split()[-1]


def install(source, target, **environment):
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--no-index"]
    subprocess.run(
        [*pip, "--target", str(target), str(source)], env={**os.environ, **environment}, check=True, capture_output=True
    )


def kernel_in(target, **environment):
    code = "from chrfect import ChrF, kernels; print(kernels.NAME, ChrF().sentence('cat', 'cats').score_text)"
    return subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(target), **environment},
        cwd=target,
        capture_output=True,
        text=True,
    )


def test_installation_without_a_compiler_uses_the_readable_kernel(tree, tmp_path):
    install(tree, tmp_path, CC="no-such-compiler", CHRFECT_BUILD="")
    assert kernel_in(tmp_path).stdout == "readable 68.862275\n"
    wanted = kernel_in(tmp_path, CHRFECT_KERNEL="fast")
    assert "the compiled kernel was not built for this Python, which needs a C compiler" in wanted.stderr
    assert "--force-reinstall and --no-cache-dir" in wanted.stderr
    (wheel,) = tmp_path.glob("*.dist-info/WHEEL")
    assert "Tag: py3-none-any" in wheel.read_text().splitlines()


def test_the_compiled_kernel_can_be_left_out(tree, tmp_path):
    install(tree, tmp_path, CHRFECT_BUILD="pure")
    assert kernel_in(tmp_path).stdout == "readable 68.862275\n"


@pytest.mark.skipif(not shutil.which((sysconfig.get_config_var("CC") or "cc").split()[0]), reason="no C compiler here")
def test_with_a_compiler_the_source_distribution_gives_the_compiled_kernel(distribution, tmp_path):
    install(distribution, tmp_path, CHRFECT_BUILD="fast")
    assert kernel_in(tmp_path).stdout == "fast 68.862275\n"
    assert kernel_in(tmp_path, CHRFECT_KERNEL="readable").stdout == "readable 68.862275\n"
    installed = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path.name for path in installed if path.suffix in (".c", ".h", ".pxi", ".pyx")]
    (library,) = (path for path in installed if path.suffix in (".so", ".pyd"))
    assert b".debug_info" not in library.read_bytes()


def test_the_source_distribution_has_every_file(tree, distribution):
    with tarfile.open(distribution) as archive:
        shipped = {name.partition("/")[2] for name in archive.getnames()}
    made = ("build/", "dist/", "src/chrfect.egg-info/", "src/chrfect/kernels/_fast.c")
    files = {path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file()}
    assert {name for name in files if not name.startswith(made)} - shipped == set()


def test_the_page_of_the_package_has_no_relative_link(distribution):
    with tarfile.open(distribution) as archive:
        metadata = archive.extractfile(next(name for name in archive.getnames() if name.endswith("/PKG-INFO")))
        page = metadata.read().decode()
    assert "Description-Content-Type: text/markdown" in page
    assert "[MCP](" not in page
    assert "MCP over HTTP is at `/mcp`" in page
    assert not re.search(r"\]\((?![a-z]+:|#)", page)


def test_every_kind_of_command_runs_from_a_zip_file(tree, tmp_path):
    """Commands read contracts, pages, scripts and styles from the package."""
    with zipfile.ZipFile(tmp_path / "chrfect.zip", "w") as archive:
        for path in (tree / "src" / "chrfect").rglob("*"):
            archive.write(path, path.relative_to(tree / "src"))
    shutil.copytree(tree / "examples", tmp_path / "examples")
    texts = "examples/reference.txt -i examples/systemA.txt examples/systemB.txt"
    commands = [
        f"score {texts}",
        f"compare {texts} --trials 10 --resamples 10 -o report.html",
        f"explain {texts} --segment 1 -o why.html",
        "describe chrf-compute",
        "tools",
    ]
    code = (
        "import chrfect; assert '.zip' in chrfect.__file__\n"
        "from chrfect.cli import main\n"
        f"assert [main(command.split()) for command in {commands}] == [0] * {len(commands)}\n"
        "from chrfect.service.search import search; search('chrF')\n"
        "from chrfect.service import pages; pages.html('tool', 'http://localhost', 'chrf-compute')\n"
        "pages.static('style.css')\n"
    )
    environment = {"PYTHONPATH": str(tmp_path / "chrfect.zip")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "report.html").read_text(encoding="utf-8").count("<script")
