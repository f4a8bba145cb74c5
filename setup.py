"""Build the compiled kernel where a C compiler is found; without one the readable kernel serves.

``CHRFECT_BUILD=fast`` makes a missing compiler an error, and ``CHRFECT_BUILD=pure`` leaves the compiled kernel out.
"""

import os
import re
import sys
import sysconfig
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

from setuptools import Extension, setup

HERE = Path(__file__).parent
KERNELS = Path("src/chrfect/kernels")
PARTS = (".h", ".pxi")
FLAGS = ["/O2"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off", "-fno-semantic-interposition"]
if sys.platform != "win32" and "CFLAGS" not in os.environ:
    FLAGS.append("-g0")  # without debug information the library is a fifth of the size
CHOICE = os.environ.get("CHRFECT_BUILD")


def extensions() -> list[Extension]:
    if CHOICE == "pure" or (CHOICE != "fast" and not has_compiler()):
        return []
    from Cython.Build import cythonize

    fast = Extension(
        "chrfect.kernels._fast",
        [str(KERNELS / "_fast.pyx")],
        depends=sorted(str(path.relative_to(HERE)) for path in (HERE / KERNELS).iterdir() if path.suffix in PARTS),
        extra_compile_args=FLAGS,
    )
    (built,) = cythonize([fast])
    built.optional = CHOICE != "fast"
    return [built]


def has_compiler() -> bool:
    """Return whether a C file compiles; without an extension module, a wheel is for all platforms (py3-none-any)."""
    from setuptools._distutils.ccompiler import new_compiler
    from setuptools._distutils.errors import CCompilerError, DistutilsError
    from setuptools._distutils.sysconfig import customize_compiler

    with TemporaryDirectory() as folder:
        source = Path(folder, "include.c")
        source.write_text("#include <Python.h>\n")
        try:
            compiler = new_compiler()
            customize_compiler(compiler)
            compiler.compile([str(source)], output_dir=folder, include_dirs=[sysconfig.get_path("include")])
        except (CCompilerError, DistutilsError, OSError):
            return False
    return True


def description() -> str:
    """Return the README for the page of the package, on which relative links lead nowhere."""
    urls = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"].get("urls", {})
    base = urls.get("Repository")
    shown = rf"[\1]({base}/blob/HEAD/\2)" if base else r"\1"
    return re.sub(r"\[([^]]+)\]\((?![a-z]+:|#)([^)]+)\)", shown, (HERE / "README.md").read_text(encoding="utf-8"))


setup(ext_modules=extensions(), long_description=description(), long_description_content_type="text/markdown")
