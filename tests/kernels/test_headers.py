"""What the compiled kernel does in states that no call from Python reaches in a reasonable time."""

import shutil
import subprocess
import sys
import sysconfig

import pytest

COMPILER = (sysconfig.get_config_var("CC") or "cc").split()[0]


@pytest.mark.skipif(sys.platform == "win32" or not shutil.which(COMPILER), reason="no C compiler here")
def test_ids_of_symbols_may_wrap_around(root, tmp_path):
    program = tmp_path / "symbol_ids"
    headers, source = root / "src" / "chrfect" / "kernels", root / "tests" / "kernels" / "symbol_ids.c"
    subprocess.run([COMPILER, "-O1", f"-I{headers}", str(source), "-lm", "-o", str(program)], check=True)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=True)
    wraps, wrong = map(int, done.stdout.split())
    assert wraps >= 8  # two of the five places where ids continue are too close to the last id for any other way
    assert wrong == 0
