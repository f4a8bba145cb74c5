"""Add parts that `chrfect counts` wrote, and score the sums."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chrfect.engines.part import Part

EXAMPLES = """\
examples:
  chrfect merge part*.parquet
  chrfect merge part*.parquet --by system --json
  chrfect merge part*.parquet --intervals              resamples the groups of the parts
  chrfect merge part*.parquet -o all.parquet           the sum as one part, without scores

Parts that were counted differently or contain the same data cannot be added.
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLES
    parser.add_argument("parts", nargs="+", metavar="PART", help="files, folders, or patterns such as 'part*.parquet'")
    parser.add_argument(
        "--by", nargs="*", metavar="COLUMN", help="one score for each group (default: one score in total)"
    )
    parser.add_argument(
        "--intervals", action="store_true", help="95%% bootstrap intervals from resampling the groups of the parts"
    )
    parser.add_argument("--trials", type=int, default=1000, metavar="N", help="bootstrap resamples (default: 1000)")
    parser.add_argument("--seed", type=int, default=12345, metavar="N", help="random seed (default: 12345)")
    parser.add_argument("--json", action="store_true", help="print counts and scores in full precision")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the sum as a part instead of printing scores")


def run(arguments: argparse.Namespace) -> int:
    """Read the parts, add them, and print scores."""
    from chrfect.cli.output import check_output, print_json
    from chrfect.cli.progress import bar
    from chrfect.engines.data import find_files
    from chrfect.engines.part import read_parts, require_pyarrow, write_part

    require_pyarrow()
    paths = find_files(arguments.parts)
    with bar("reading parts") as draw:
        part = read_parts(paths, draw)
    if arguments.output is not None:
        check_output(arguments.output, paths)
        write_part(part, arguments.output)
        return 0
    with bar("scoring"):
        records = _records(arguments, part)
    if arguments.json:
        print_json(records)
    else:
        print(_table(records, [] if arguments.by is None else arguments.by), end="")
    return 0


def _records(arguments: argparse.Namespace, part: Part) -> list[dict[str, Any]]:
    by = arguments.by or []
    grouped = part.regroup(by)
    records = []
    for row, key in enumerate(grouped.tables[0].labels or ()):
        for place, metric in enumerate(part.metrics):
            counts = grouped.tables[place][row]
            result = metric.score(counts)
            record = {
                "group": dict(zip(by, key, strict=True)),  # type: ignore[call-overload]
                "metric": str(metric),
                "score": result.score,
                "score_text": result.score_text,
                "segments": counts.segments,
                "signature": result.signature,
                "counts": dict(zip(counts.recipe.columns, counts.values, strict=True)),
            }
            if arguments.intervals:
                record["interval"] = _interval(arguments, part, place, by, key, result.score)
            records.append(record)
    return records


def _interval(
    arguments: argparse.Namespace, part: Part, place: int, by: list[str], key: Any, score: float
) -> dict[str, Any]:
    """Return the interval of a group by resampling the groups of the parts that it consists of."""
    from dataclasses import asdict

    from chrfect.errors import UsageError
    from chrfect.inference.bootstrap import bootstrap, interval

    metric, table = part.metrics[place], part.tables[place]
    scorer: Any = metric.for_recipe(table.recipe)
    places = [part.by.index(name) for name in by]
    members = [i for i, label in enumerate(table.labels or ()) if tuple(label[p] for p in places) == key]  # type: ignore[index]
    if len(members) < 2:
        raise UsageError(
            "--intervals resamples the groups of the parts and needs at least two; "
            "count with --by, such as --by document."
        )
    rows = table.to_numpy()[members]
    scores = bootstrap(
        [rows], lambda sums: scorer.float_array(sums.ravel()), trials=arguments.trials, seed=arguments.seed
    )
    return {**asdict(interval(scores[0], score, seed=arguments.seed)), "groups": len(members)}


def _table(records: list[dict[str, Any]], by: list[str]) -> str:
    from chrfect.report.table import Table

    rows: list[list[Any]] = []
    intervals = any("interval" in record for record in records)
    for record in records:
        bounds = record.get("interval")
        cells = [record["group"][name] for name in by]
        rows.append(
            [*cells, record["metric"], record["score"], record["segments"]]
            + ([bounds["lower"], bounds["upper"]] if bounds else [])
        )
    heads = [*by, "metric", "score", "segments", *(["lower", "upper"] if intervals else [])]
    signatures = dict.fromkeys(record["signature"] for record in records)
    return Table(heads, rows).text() + "\n\n" + "\n".join(signatures) + "\n"
