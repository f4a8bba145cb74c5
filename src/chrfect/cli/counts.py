"""Count large data sets, and write the sums as a part that `chrfect merge` scores."""

from __future__ import annotations

import argparse

from chrfect.cli.engine import add_engine, check_engine

EXAMPLES = """\
examples:
  chrfect counts data.parquet -m chrF++ BLEU -o part.parquet
  chrfect counts 'shards/*.jsonl.zst' --hypothesis mt --references refA refB -o part.parquet
  chrfect counts folder/ --by system dataset -m chrF -o part.parquet && chrfect merge part.parquet
  chrfect counts /shared/data -m chrF -o part.parquet --engine ray --address auto

inputs:
  Parquet, JSONL, TSV or CSV with named columns; the latter three also compressed (gzip, bzip2, xz, Zstandard). A column
  of references may contain lists. Null is an error, or a missing reference if there are others. Memory use depends on
  the number of threads and groups, not on the size of the data.

Restart an interrupted run to continue it: completed row groups and files are kept in OUTPUT.unfinished until the
run is complete.
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLES
    parser.add_argument("data", nargs="+", metavar="DATA", help="files, folders, or patterns such as 'data/*.parquet'")
    parser.add_argument("-m", "--metrics", nargs="+", default=["chrF"], metavar="METRIC", help="(default: chrF)")
    parser.add_argument("--hypothesis", default="hypothesis", metavar="COLUMN", help="(default: hypothesis)")
    parser.add_argument(
        "--references", nargs="+", default=["reference"], metavar="COLUMN", help="one or more (default: reference)"
    )
    parser.add_argument("--by", nargs="+", default=[], metavar="COLUMN", help="count each group of rows separately")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the Parquet file for the part")
    parser.add_argument("--threads", type=int, metavar="N", help="threads to use (default: all cores)")
    add_engine(parser)


def run(arguments: argparse.Namespace) -> int:
    """Count the data and write the part."""
    from chrfect.cli.output import check_output
    from chrfect.cli.progress import bar
    from chrfect.engines.count import Plan, count_data, forget
    from chrfect.engines.data import UNFINISHED, find_files
    from chrfect.engines.part import require_pyarrow, write_part
    from chrfect.metrics import parse

    require_pyarrow()
    plan = Plan(
        tuple(map(parse, arguments.metrics)), arguments.hypothesis, tuple(arguments.references), tuple(arguments.by)
    )
    files = find_files(arguments.data)
    check_output(arguments.output, files)
    unfinished = arguments.output + UNFINISHED
    check_engine(arguments)
    with bar("counting bytes") as draw:
        if arguments.engine == "ray":
            from chrfect.engines import ray

            part = ray.count_data(files, plan, address=arguments.address, unfinished=unfinished, progress=draw)
        else:
            part = count_data(files, plan, unfinished=unfinished, threads=arguments.threads, progress=draw)
    write_part(part, arguments.output)
    forget(unfinished)
    return 0
