import os
import subprocess
import sys

import pytest


def kernel(**environment):
    code = "from chrfect import kernels; print(kernels.NAME, kernels.default_threads())"
    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True
    )


@pytest.mark.parametrize("name", ["readable", "reference"])
def test_the_environment_chooses_the_readable_kernel_by_its_name_or_its_former_name(name):
    assert kernel(CHRFECT_KERNEL=name).stdout.split()[0] == "readable"


def test_the_environment_chooses_the_number_of_threads():
    assert kernel(CHRFECT_THREADS="3").stdout.split()[1] == "3"


@pytest.mark.parametrize(
    "environment",
    [{"CHRFECT_KERNEL": "quick"}, {"CHRFECT_THREADS": "0"}, {"CHRFECT_THREADS": "9" * 5_000}],
    ids=["kernel", "no thread", "a number that Python does not read"],
)
def test_a_wrong_choice_is_an_error_that_names_it(environment):
    (name,) = environment
    done = kernel(**environment)
    assert done.returncode != 0
    assert f"UsageError: {name} is" in done.stderr.splitlines()[-1]
