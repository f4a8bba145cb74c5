"""The environment selects the kernel, and the reason for using the readable kernel is available."""

import os
import re
import shutil
import subprocess
import sys
from importlib import machinery

import pytest

from chrfect import kernels


def run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments], env={**os.environ, **environment}, capture_output=True, text=True
    )


def kernel(**environment):
    return run("-c", "from chrfect import kernels; print(kernels.NAME, kernels.default_threads())", **environment)


@pytest.fixture
def package(root, tmp_path):
    """A folder with a copy of the package without a compiled kernel."""
    ignored = shutil.ignore_patterns("__pycache__", "_fast.*")
    shutil.copytree(root / "src" / "chrfect", tmp_path / "chrfect", ignore=ignored)
    return tmp_path


@pytest.fixture
def overwritten(package):
    """A copy of the package whose compiled kernel is not a library."""
    (package / "chrfect" / "kernels" / f"_fast{machinery.EXTENSION_SUFFIXES[0]}").write_bytes(b"not a library")
    return str(package)


@pytest.fixture
def outdated(package):
    """A copy of the package whose compiled kernel was built before the last function of the interface existed."""
    *older, _ = kernels.INTERFACE.split()
    lines = ["NAME = 'fast'", *(f"{name} = None" for name in older)]
    (package / "chrfect" / "kernels" / "_fast.py").write_text("\n".join(lines))
    return str(package)


@pytest.mark.parametrize("name", ["readable", "reference"])
def test_environment_selects_the_readable_kernel_by_both_names(name):
    assert kernel(CHRFECT_KERNEL=name).stdout.split()[0] == "readable"


def test_the_environment_chooses_the_number_of_threads():
    assert kernel(CHRFECT_THREADS="3").stdout.split()[1] == "3"


@pytest.mark.parametrize(
    "environment",
    [{"CHRFECT_KERNEL": "quick"}, {"CHRFECT_THREADS": "0"}, {"CHRFECT_THREADS": "9" * 5_000}],
    ids=["kernel", "no thread", "a number that Python does not read"],
)
def test_error_names_a_wrong_environment_variable(environment):
    (name,) = environment
    done = kernel(**environment)
    assert done.returncode != 0
    assert f"UsageError: {name} is" in done.stderr.splitlines()[-1]


def test_version_reports_why_an_existing_library_cannot_be_loaded(overwritten):
    done = run("-m", "chrfect", "--version", PYTHONPATH=overwritten, CHRFECT_KERNEL="")
    assert done.returncode == 0
    assert "readable kernel" in done.stdout
    assert "the compiled kernel cannot be loaded (ImportError: " in done.stdout
    assert overwritten in done.stdout
    assert "compiler" not in done.stdout


def test_a_selected_kernel_that_cannot_be_loaded_is_an_error_with_the_cause(overwritten):
    done = kernel(PYTHONPATH=overwritten, CHRFECT_KERNEL="fast")
    assert done.returncode != 0
    error = done.stderr.splitlines()[-1]
    assert "CHRFECT_KERNEL is 'fast', but the compiled kernel cannot be loaded (ImportError: " in error
    assert overwritten in error


def test_outdated_kernel_is_not_used_and_version_says_to_build_it_again(outdated):
    done = run("-m", "chrfect", "--version", PYTHONPATH=outdated, CHRFECT_KERNEL="")
    assert done.returncode == 0, done.stderr
    assert "readable kernel" in done.stdout
    assert "it was built from older sources, without total; install chrfect again to build it" in done.stdout


def test_selecting_an_outdated_kernel_is_an_error_that_says_to_build_it_again(outdated):
    done = kernel(PYTHONPATH=outdated, CHRFECT_KERNEL="fast")
    assert done.returncode != 0
    error = done.stderr.splitlines()[-1]
    assert error.startswith("chrfect.errors.UsageError: CHRFECT_KERNEL is 'fast', but the compiled kernel")
    assert "install chrfect again to build it" in error


def test_interface_lists_everything_that_the_package_uses_of_the_compiled_kernel(root):
    uses = re.compile(r"(?<![\w.])(?:kernels\.)?(?:compiled|_kernel|_ter)\.(\w+)")
    package = root / "src" / "chrfect"
    found = {
        name
        for path in package.rglob("*.py")
        if re.search(r"\bkernels\b", text := path.read_text(encoding="utf-8")) and path.name != "ter.py"
        for name in uses.findall(text)
    }
    assert found - {"NAME", "Edits"} == set(kernels.INTERFACE.split())


@pytest.mark.skipif(kernels.compiled is None, reason="the compiled kernel was not built here")
def test_a_second_interpreter_reports_why_it_cannot_load_the_library(tmp_path):
    path = tmp_path / "reason"
    ask = (
        f"from chrfect import kernels; open({str(path)!r}, 'w').write(f'{{kernels.NAME}}: {{kernels.READABLE_REASON}}')"
    )
    module = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    code = f"import {module} as interpreters, chrfect.kernels; interpreters.run_string(interpreters.create(), {ask!r})"
    done = run("-c", code, CHRFECT_KERNEL="")
    assert path.exists(), done.stderr
    assert path.read_text().startswith("readable: the compiled kernel cannot be loaded (ImportError: ")
