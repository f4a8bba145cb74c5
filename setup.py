"""Build the compiled kernel where a C compiler is found; without one the readable kernel serves."""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup

HERE = Path(__file__).parent
KERNELS = Path("src/chrfect/kernels")
PARTS = (".h", ".pxi")
FLAGS = ["/O2"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off", "-fno-semantic-interposition"]


def extensions() -> list[Extension]:
    if os.environ.get("CHRFECT_BUILD") == "pure":
        return []
    from Cython.Build import cythonize

    fast = Extension(
        "chrfect.kernels._fast",
        [str(KERNELS / "_fast.pyx")],
        depends=sorted(str(path.relative_to(HERE)) for path in (HERE / KERNELS).iterdir() if path.suffix in PARTS),
        extra_compile_args=FLAGS,
    )
    (built,) = cythonize([fast])
    built.optional = os.environ.get("CHRFECT_BUILD") != "fast"
    return [built]


setup(ext_modules=extensions())
