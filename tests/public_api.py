"""The public interface as text. Run ``python tests/public_api.py > tests/public_api.txt`` after intended changes."""

import importlib
import inspect

from chrfect.foreign_names import ForeignName

MODULES = [
    "chrfect",
    "chrfect.metrics",
    "chrfect.counts",
    "chrfect.explanation",
    "chrfect.matrices.mbr",
    "chrfect.client",
    "chrfect.errors",
]
METRICS = [
    "chrF",
    "chrF+",
    "chrF++",
    "wordF",
    "chrF++(beta=0.5,whitespace=keep,averaging=per_order_f,unreferenced=count,unit=byte)",
    "BLEU(tokenize=none)",
    "BLEU(max_order=2,smoothing=floor,smoothing_value=0.2,effective_order=never,tokenize=none)",
]


def signature(value):
    """Return the signature of a function or a class, empty where it has none."""
    try:
        return str(inspect.signature(value)) if callable(value) else ""
    except ValueError:
        return ""


def describe(module, seen):
    """Yield a line for each public name of a module, and for each public member of its classes."""
    imported = importlib.import_module(module)
    for name in sorted(getattr(imported, "__all__", None) or [n for n in vars(imported) if n[0].isupper()]):
        value = getattr(imported, name)
        yield f"{module}.{name}{signature(value)}"
        if inspect.isclass(value) and value not in seen:
            seen.add(value)
            inherited = dir(Exception) if issubclass(value, Exception) else ()
            for member, held in inspect.getmembers(value):
                if not (member.startswith("_") or member in inherited or isinstance(held, ForeignName)):
                    yield f"    {name}.{member}{signature(held)}"


def interface():
    """Return the public interface, and the signatures of metrics, as lines."""
    from chrfect import __version__, parse

    seen = set()
    lines = [line for module in MODULES for line in describe(module, seen)]
    lines += [parse(name).signature.replace(__version__, "VERSION") for name in METRICS]
    return lines


if __name__ == "__main__":
    print("\n".join(interface()))  # noqa: T201
