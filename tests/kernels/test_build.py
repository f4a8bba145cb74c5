"""The project installs with and without a C compiler, from its source distribution and from the repository."""

import os
import shutil
import subprocess
import sys
import sysconfig

import pytest

for name in ("Cython", "setuptools"):
    pytest.importorskip(name, reason=f"{name} is not installed, and building offline needs it")


@pytest.fixture(scope="module")
def tree(root, tmp_path_factory):
    """A copy of what is needed to build, without anything built."""
    copy = tmp_path_factory.mktemp("tree") / "chrfect"
    built = shutil.ignore_patterns("*.so", "*.pyd", "_fast.c", "__pycache__", "*.egg-info")
    shutil.copytree(root / "src", copy / "src", ignore=built)
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy(root / name, copy)
    return copy


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


def test_without_a_compiler_the_readable_kernel_serves(tree, tmp_path):
    install(tree, tmp_path, CC="no-such-compiler", CHRFECT_BUILD="")
    assert kernel_in(tmp_path).stdout == "readable 68.862275\n"
    wanted = kernel_in(tmp_path, CHRFECT_KERNEL="fast")
    assert "the compiled kernel was not built for this Python, which needs a C compiler" in wanted.stderr


def test_the_compiled_kernel_can_be_left_out(tree, tmp_path):
    install(tree, tmp_path, CHRFECT_BUILD="pure")
    assert kernel_in(tmp_path).stdout == "readable 68.862275\n"


@pytest.mark.skipif(not shutil.which((sysconfig.get_config_var("CC") or "cc").split()[0]), reason="no C compiler here")
def test_with_a_compiler_the_source_distribution_gives_the_compiled_kernel(tree, tmp_path):
    code = "from setuptools.build_meta import build_sdist; print(build_sdist('dist'))"
    made = subprocess.run([sys.executable, "-c", code], cwd=tree, check=True, capture_output=True, text=True)
    install(tree / "dist" / made.stdout.split()[-1], tmp_path, CHRFECT_BUILD="fast")
    assert kernel_in(tmp_path).stdout == "fast 68.862275\n"
    assert kernel_in(tmp_path, CHRFECT_KERNEL="readable").stdout == "readable 68.862275\n"
