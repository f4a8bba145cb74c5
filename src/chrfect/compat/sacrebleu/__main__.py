"""Run a script or a module with ``sacrebleu`` replaced: ``python -m chrfect.compat.sacrebleu SCRIPT…``."""

from __future__ import annotations

import os
import runpy
import sys

from chrfect.compat.sacrebleu.replacement import replace

USAGE = """\
usage: python -m chrfect.compat.sacrebleu SCRIPT [ARGUMENT ...]
       python -m chrfect.compat.sacrebleu -m MODULE [ARGUMENT ...]

Run a Python script or module in which `import sacrebleu` imports chrfect's replacement.

examples:
  python -m chrfect.compat.sacrebleu evaluate.py --references ref.txt
  python -m chrfect.compat.sacrebleu -m pytest tests/
"""


def main(arguments: list[str]) -> None:
    """Run the script or module in the arguments, as Python would."""
    if arguments[:1] in (["-h"], ["--help"]):
        sys.stdout.write(USAGE)
        return
    is_module = arguments[:1] == ["-m"]
    program = arguments[is_module:]
    if not program or program[0].startswith("-"):
        sys.stderr.write(USAGE)
        sys.exit(2)
    if not is_module and not os.path.exists(program[0]):
        sys.stderr.write(f"There is no file {program[0]!r}; specify a script, or a module after -m.\n")
        sys.exit(2)
    replace()
    sys.argv = program
    if is_module:
        runpy.run_module(program[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(program[0]))
        runpy.run_path(program[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
