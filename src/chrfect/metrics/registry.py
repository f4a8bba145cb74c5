"""The registry of metrics. A metric has the same name on the command line, in JSON, in tables and in signatures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any, TypeVar

from chrfect.errors import UsageError, shown
from chrfect.foreign_names import PARAMETERS, hint
from chrfect.metrics.base import Metric
from chrfect.metrics.foreign import from_sacrebleu
from chrfect.metrics.names import signature_value

_BUILT_IN = {"chrF": ("chrf", "ChrF"), "BLEU": ("bleu", "Bleu"), "TER": ("ter", "Ter")}
"""The module and the class of each metric of this package, which is imported when it is needed."""
_METRICS: dict[str, type[Metric] | None] = dict.fromkeys(_BUILT_IN)
_RESULT_PARTS = ("version", "references", "normalize", "lowercase_unicode", "grapheme_unicode")
"""Parts of a signature that are not parameters of the metric."""
_LONGEST_NAME = 60
ENTRY_POINTS = "chrfect.metrics"
"""The entry point group with which installed packages provide metrics."""

MetricClass = TypeVar("MetricClass", bound=type[Metric])


def register(metric: MetricClass) -> MetricClass:
    """Register a metric, so that `parse`, the command line and all functions accept its name.

    Parameters
    ----------
    metric : type
        A subclass of `Metric`: a frozen dataclass whose parameters all have defaults. The function can be used as a
        class decorator.

    Returns
    -------
    type
        The class itself.

    Raises
    ------
    UsageError
        If `metric` is not such a class, or its name is already used.
    """
    if not (isinstance(metric, type) and issubclass(metric, Metric) and is_dataclass(metric)):
        raise UsageError(f"{shown(metric)} is not a metric; a dataclass that derives from chrfect.Metric was expected.")
    try:
        default = metric()
        hash(default)
    except TypeError as error:
        raise UsageError(
            f"{metric.__name__} cannot be registered ({error}); a frozen dataclass with a default for each parameter "
            "was expected."
        ) from None
    for name in metric.names():
        owner = next((known for known in _metrics() if known.read_name(name) is not None), metric)
        if (owner.__module__, owner.__qualname__) != (metric.__module__, metric.__qualname__):
            raise UsageError(f"The name {name!r} already belongs to {owner.__name__}; choose another name.")
    _METRICS[metric.name] = metric
    return metric


def _metrics() -> Iterator[type[Metric]]:
    """Yield every registered metric."""
    for name, metric in list(_METRICS.items()):
        if metric is None:
            module, kind = _BUILT_IN[name]
            metric = _METRICS[name] = getattr(import_module(f"chrfect.metrics.{module}"), kind)
        yield metric


def metric_names() -> list[str]:
    """Return the names of all registered metrics, without parameters.

    Examples
    --------
    >>> metric_names()[:5]
    ['chrF', 'chrF+', 'chrF++', 'wordF', 'BLEU']
    """
    return [name for metric in _metrics() for name in metric.names()]


def as_metric(metric: Metric | str) -> Metric:
    """Return a metric, given as a metric or by its name.

    Raises
    ------
    UsageError
        If it is neither a metric nor the name of one.
    """
    if isinstance(metric, Metric):
        return metric
    if isinstance(metric, str):
        return parse(metric)
    raise UsageError(f"metric is {shown(metric)}; a metric was expected, such as ChrF() or 'chrF++'.")


def parse(text: str) -> Metric:
    """Return the metric with a name.

    Parameters
    ----------
    text : str
        A name such as ``chrF``, ``chrF+``, ``chrF++``, ``wordF`` or ``BLEU``; case does not matter. Beta may follow the
        family name (``chrF3++``), and parameters follow in parentheses (``chrF(beta=3,lowercase=yes)``). A complete
        signature is also accepted.

    Raises
    ------
    UsageError
        If no metric has the name, or the metric does not have a parameter.

    Examples
    --------
    >>> from chrfect import ChrF
    >>> parse("chrF3++") == ChrF(word_order=2, beta=3)
    True
    >>> str(parse("chrf(word_order=2, beta=0.5)")), str(parse("bleu(max_order=2)"))
    ('chrF++(beta=0.5)', 'BLEU(max_order=2)')
    >>> parse(ChrF(unit="byte").signature) == ChrF(unit="byte")
    True
    """
    if not isinstance(text, str):
        raise UsageError(f"{shown(text)} is not the name of a metric; a text such as 'chrF++' was expected.")
    name, *parts = text.split("|")
    metric = _read(name.strip(), text)
    for part in parts:
        _check_part(metric, part, text)
    return metric


def _check_part(metric: Metric, part: str, text: str) -> None:
    """Raise UsageError if a part of a signature contradicts the metric name before it."""
    key, _, value = part.partition(":")
    if key in _RESULT_PARTS:
        return
    known = metric.parameters
    if key not in known or value.partition(" (")[0] != signature_value(known[key]).partition(" (")[0]:
        foreign = from_sacrebleu(text)
        if foreign is not None:
            raise UsageError(f"{shown(text)} is a signature of sacreBLEU; its metric is '{foreign}' here.")
        raise UsageError(
            f"{shown(part)} in the signature {shown(text)} contradicts its metric {metric}; "
            "only a complete signature can be read, as chrfect writes it."
        )


def _read(stated: str, text: str) -> Metric:
    name, bracket, rest = stated.partition("(")
    name = name.strip()
    if bracket and not rest.endswith(")"):
        raise _unknown(name, text)
    if not any(metric.read_name(name) is not None for metric in _metrics()):
        _register_installed(name)
    for metric in _metrics():
        base = metric.read_name(name)
        if base is not None:
            given: dict[str, Any] = {}
            for key, value in _parameters(rest, metric, text):
                if key in given or (key == "beta" and key in base):
                    raise UsageError(f"{key} is given twice in {text!r}.")
                given[key] = value
            return metric(**{**base, **given})
    raise _unknown(name, text)


def _register_installed(name: str) -> None:
    """Register the metric of that name, if an installed package provides it as an entry point."""
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINTS):
        if point.name.lower() == name.lower():
            register(point.load())


def _parameters(rest: str, metric: type[Metric], text: str) -> Iterator[tuple[str, Any]]:
    """Yield the name and the value of each parameter in the parentheses."""
    known = [field.name for field in fields(metric) if field.init]  # type: ignore[arg-type]
    for part in rest[:-1].split(",") if rest[:-1].strip() else ():
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or key not in known:
            listed = ", ".join(known)
            raise UsageError(
                f"{part.strip()!r} in {shown(text)} is not a parameter of {metric.name}; expected name=value with one "
                f"of {listed}.{hint(PARAMETERS, key)}"
            )
        try:
            yield key, metric.read_parameter(key, value)
        except UsageError as error:
            raise UsageError(f"In {shown(text)}: {error}") from None


def _unknown(name: str, text: str) -> UsageError:
    from difflib import get_close_matches

    names = metric_names()
    plain = {known.lower(): known for known in names} | {known.lower().replace("+", "p"): known for known in names}
    close = get_close_matches(name.lower(), plain, 1) if len(name) <= _LONGEST_NAME else []
    hint = f" Did you mean {plain[close[0]]}?" if close else ""
    if "," in name and all(part.strip().lower() in plain for part in name.split(",")):
        hint = f" Separate metrics with spaces: {' '.join(part.strip() for part in name.split(','))}."
    return UsageError(
        f"{shown(text)} is not the name of a metric; expected one of {', '.join(names)}, with a beta such as chrF3++ "
        f"or parameters such as 'chrF++(beta=3,lowercase=yes)'.{hint}"
    )
