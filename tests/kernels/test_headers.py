"""The compiled kernel in states that calls from Python do not reach in a reasonable time."""

import shutil
import subprocess
import sys
import sysconfig

import pytest

COMPILER = (sysconfig.get_config_var("CC") or "cc").split()[0]


pytestmark = pytest.mark.skipif(sys.platform == "win32" or not shutil.which(COMPILER), reason="no C compiler here")


@pytest.fixture
def printed(root, tmp_path):
    """Return a function that compiles and runs a program of this folder, and returns the integers that it prints."""

    def run(name):
        program = tmp_path / name
        headers, source = root / "src" / "chrfect" / "kernels", root / "tests" / "kernels" / f"{name}.c"
        subprocess.run([COMPILER, "-O1", f"-I{headers}", str(source), "-lm", "-o", str(program)], check=True)
        done = subprocess.run([str(program)], capture_output=True, text=True, check=True)
        return list(map(int, done.stdout.split()))

    return run


def test_ids_of_symbols_may_wrap_around(printed):
    wraps, wrong = printed("symbol_ids")
    assert wraps >= 8  # two of the five places where ids continue are too close to the last id for any other way
    assert wrong == 0


@pytest.mark.long
def test_long_arrow_texts_are_decoded_in_blocks_between_which_they_can_be_interrupted(printed):
    wrong, not_found, not_interrupted, polls = printed("arrow_blocks")
    assert (wrong, not_found, not_interrupted) == (0, 0, 0)
    assert polls == 3  # 4 blocks of 16 MiB
