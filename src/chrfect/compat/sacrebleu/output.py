"""The output of the command."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

from chrfect.errors import UsageError

if TYPE_CHECKING:
    from argparse import Namespace

_CODES = {"red": 31, "green": 32, "yellow": 33, "cyan": 36}
_TABLES = {"text": "fancy_grid", "latex": "latex_booktabs"}
SIGNIFICANT = 0.05


def single(results: list[str], form: str, colored: bool) -> str:
    """Return the results of one system, aligned at the equals sign."""
    if form == "json":
        return "[\n" + ",\n".join(results) + "\n]" if len(results) > 1 else results[0]
    if "μ" in results[0]:
        interval = re.compile(r"(\(μ = [0-9\.]+ ± [0-9\.]+\))")
        results = [interval.sub(lambda match: _color(match[0], "cyan", colored), result) for result in results]
    if len(results) == 1:
        return results[0]
    bare = [result for result in results if "=" not in result]
    titled = [result for result in results if "=" in result]
    width = max((result.index("=") - 1 for result in titled), default=0)
    aligned = [" " * (width - result.index("=") + 1) + result for result in titled]
    return "\n".join(bare + aligned)


def table(columns: dict[str, list[Any]], signatures: dict[str, str], arguments: Namespace, colored: bool) -> str:
    """Return the table of several systems: scores as texts, or results of a paired test."""
    if arguments.format == "json":
        return _json(columns)
    try:
        tabulate = import_module("tabulate").tabulate
    except ModuleNotFoundError:
        raise UsageError(
            "Tables of several systems require tabulate: pip install tabulate; or use --format json."
        ) from None
    shown = _cells(columns, arguments.width, arguments.format == "text", colored)
    baseline = next((name for name in columns["System"] if name.startswith("Baseline:")), "")
    if columns["System"][0] == baseline:
        for cells in shown.values():
            cells[0] = _color(cells[0], "yellow", colored)
    parts = [
        tabulate(
            {_color(name, "cyan", colored): cells for name, cells in shown.items()},
            headers="keys",
            tablefmt=_TABLES[arguments.format],
            colalign=("right",),
            stralign="center",
            numalign="center",
            floatfmt=f".{arguments.width}f",
        ),
        "",
    ]
    if arguments.paired_ar or arguments.paired_bs:
        parts.append(_explanation(arguments, baseline, colored))
    parts += ["-----------------", "Metric signatures", "-----------------"]
    parts += [f" - {name:<10} {signature}" for name, signature in signatures.items()]
    return "\n".join(parts)


def _json(columns: dict[str, list[Any]]) -> str:
    import json

    names = [name for name in columns if name != "System"]
    systems = []
    for i, system in enumerate(columns["System"]):
        systems.append({"system": system} | {name: _plain(columns[name][i]) for name in names})
    return json.dumps(systems, indent=4)


def _plain(cell: Any) -> Any:
    """Return a score, or the fields of a result, for JSON."""
    if isinstance(cell, str):
        return cell
    return {name: None if value is None else float(value) for name, value in vars(cell).items()}


def _cells(columns: dict[str, list[Any]], width: int, multiline: bool, colored: bool) -> dict[str, list[str]]:
    """Return the columns as texts; their titles show whether they have intervals."""
    cells: dict[str, list[str]] = {"System": list(columns["System"])}
    has_interval = False
    for name, column in columns.items():
        if name == "System":
            continue
        texts = []
        for cell in column:
            if isinstance(cell, str):
                texts.append(cell)
                continue
            text = f"{cell.score:.{width}f}"
            if cell.mean is not None:
                has_interval = True
                text += f" ({cell.mean:.{width}f} ± {cell.ci:.{width}f})"
            if cell.p_value is not None:
                text += ("\n" if multiline else " ") + _p_value(cell.p_value, colored)
            texts.append(text)
        cells[f"{name} (μ ± 95% CI)" if has_interval else name] = texts
    return cells


def _p_value(p: float, colored: bool) -> str:
    text = f"(p = {p:.4f})"
    return _color(text, "red", colored) if p > SIGNIFICANT else f"{text}*"


def _explanation(arguments: Namespace, baseline: str, colored: bool) -> str:
    is_bootstrap = arguments.paired_bs
    kind = "bootstrap resampling" if is_bootstrap else "approximate randomization"
    trials = arguments.paired_bs_n if is_bootstrap else arguments.paired_ar_n
    title = f"Paired {kind} test with {trials} {'resampling trials' if is_bootstrap else 'trials'}"
    provided = (
        "Actual system score / bootstrap estimated true mean / 95% CI are provided for each metric."
        if is_bootstrap
        else "Actual system score is provided for each metric."
    )
    base, named = _color("baseline", "yellow", colored), _color(baseline, "yellow", colored)
    hypothesis = _color("Null hypothesis", "green", colored)
    red = _color("highlighted in red", "red", colored)
    lines = [
        "-" * len(title),
        title,
        "-" * len(title),
        f" - Each system is pairwise compared to {named}.",
        f"   {provided}",
        "",
        f" - {hypothesis}: the system and the {base} translations are essentially",
        f"   generated by the same underlying process. For a given system and the {base},",
        "   the p-value is roughly the probability of the absolute score difference (delta)",
        f"   or higher occurring due to chance, under the assumption that the {hypothesis.lower()} is correct.",
        "",
        f" - Assuming a significance threshold of 0.05, the {hypothesis.lower()} can be rejected",
        '   for p-values < 0.05 (marked with "*"). This means that the delta is unlikely to be attributed',
        f'   to chance, hence the system is significantly "different" than the {base}.',
        f"   Otherwise, the p-values are {red}.",
        "",
        f' - NOTE: Significance does not tell whether a system is "better" than the {base} but rather',
        '   emphasizes the "difference" of the systems in terms of the replicability of the delta.',
        "",
    ]
    return "\n".join(lines)


def _color(text: str, color: str, colored: bool) -> str:
    return f"\033[{_CODES[color]}m{text}\033[0m" if colored and text else text
