"""Count large data sets, and write the sums as a part that `chrfect merge` scores."""

from __future__ import annotations

import argparse

from chrfect.cli.engine import add_engine, check_engine

EXAMPLES = """\
examples:
  chrfect counts data.parquet -m chrF++ BLEU -o part.parquet
  chrfect counts 'shards/*.jsonl.zst' --hypothesis mt --references refA refB -o part.parquet
  chrfect counts folder/ --by system dataset -m chrF -o part.parquet && chrfect merge part.parquet
  chrfect counts data.tsv.zst -m chrF++ --segments scored.parquet --filter 'chrF++ >= 40' 'chrF++ < 95'
  chrfect counts /shared/data -m chrF -o part.parquet --engine ray --address auto

inputs:
  Parquet, JSONL, TSV or CSV with named columns; the latter three also compressed (gzip, bzip2, xz, Zstandard). A column
  of references may contain lists. Null is an error, or a missing reference if there are others. Memory use depends on
  the number of threads and groups, not on the size of the data.

rows:
  --segments writes all columns of the rows, in their order, and a column of scores for each metric. All files need the
  same columns and types. With --filter, rows that fail a condition are neither written nor counted. Exact scores are
  compared; those of BLEU, which are irrational, as rounded to six decimals.

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
    parser.add_argument("-o", "--output", metavar="FILE", help="the Parquet file for the part")
    parser.add_argument("--segments", metavar="FILE", help="write the rows with their scores to this Parquet file")
    parser.add_argument(
        "--filter",
        nargs="+",
        default=[],
        metavar="'METRIC >= NUMBER'",
        help="keep the rows that pass all conditions, with >=, <=, > or < (only with --segments)",
    )
    parser.add_argument("--threads", type=int, metavar="N", help="threads to use (default: all cores)")
    add_engine(parser)


def run(arguments: argparse.Namespace) -> int:
    """Count the data and write the part."""
    from chrfect.cli.output import check_output
    from chrfect.cli.progress import bar
    from chrfect.engines.count import Plan, count_data, forget
    from chrfect.engines.data import UNFINISHED, find_files
    from chrfect.engines.part import require_pyarrow, write_part
    from chrfect.engines.scored import parse_filter
    from chrfect.metrics import parse

    _check_outputs(arguments)
    require_pyarrow()
    metrics = tuple(map(parse, arguments.metrics))
    filters = tuple(parse_filter(text, metrics) for text in arguments.filter)
    plan = Plan(metrics, arguments.hypothesis, tuple(arguments.references), tuple(arguments.by), filters)
    files = find_files(arguments.data)
    outputs = [path for path in (arguments.output, arguments.segments) if path is not None]
    for path in outputs:
        check_output(path, files)
    unfinished = outputs[0] + UNFINISHED
    check_engine(arguments)
    with bar("counting bytes") as draw:
        if arguments.engine == "ray":
            from chrfect.engines import ray

            part = ray.count_data(files, plan, address=arguments.address, unfinished=unfinished, progress=draw)
        else:
            part = count_data(
                files,
                plan,
                segments=arguments.segments,
                unfinished=unfinished,
                threads=arguments.threads,
                progress=draw,
            )
    if arguments.output is not None:
        write_part(part, arguments.output)
    forget(unfinished)
    return 0


def _check_outputs(arguments: argparse.Namespace) -> None:
    from chrfect.errors import UsageError

    if arguments.output is None and arguments.segments is None:
        raise UsageError("There is no output; add -o PART.parquet for the counts, or --segments ROWS.parquet.")
    if arguments.filter and arguments.segments is None:
        raise UsageError("--filter keeps rows of --segments; add --segments ROWS.parquet.")
    if arguments.segments is not None:
        if not arguments.segments.lower().endswith(".parquet"):
            raise UsageError(f"--segments {arguments.segments}: rows are written as Parquet; end the name in .parquet.")
        if arguments.segments == arguments.output:
            raise UsageError("-o and --segments name the same file; two files were expected.")
        if arguments.engine is not None:
            raise UsageError("--segments writes rows on this machine; omit --engine.")
