"""The layers: each module imports only from its own layer or those below."""

import ast
import re

import pytest

LAYERS = [
    ["errors", "foreign_names", "_version"],
    ["exports"],
    ["text"],
    ["kernels"],
    ["counts"],
    ["formulas"],
    ["files"],
    ["inference"],
    ["metrics"],
    ["engines"],
    ["matrices"],
    ["meta"],
    ["report"],
    ["explanation"],
    ["evaluation"],
    ["compat"],
    ["studies"],
    ["catalogue"],
    ["client"],
    ["", "service"],
    ["cli"],
    ["__main__"],
]
LAYER = {name: layer for layer, names in enumerate(LAYERS) for name in names}


def part(module):
    """Return the part of the package that a dotted module name belongs to: '' is the package itself."""
    pieces = module.split(".")
    return pieces[1] if len(pieces) > 1 else ""


def imports(path, package):
    """Yield every module of this package that a file imports or names in a string, inside functions too."""
    dotted = re.compile(rf"{package}(\.\w+)+")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and dotted.fullmatch(node.value.rstrip(".")):
            yield node.value.rstrip(".")
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == package)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == package:
            known = {name for names in LAYERS for name in names}
            for alias in node.names:
                below = node.module == package and alias.name in known
                yield f"{package}.{alias.name}" if below else node.module


def modules(root):
    source = root / "src" / "chrfect"
    for path in sorted(source.rglob("*.py")):
        relative = path.relative_to(source).with_suffix("")
        yield path, relative.parts[0] if relative.parts != ("__init__",) else ""


def test_every_module_is_in_a_layer(root):
    assert {name for _, name in modules(root)} <= set(LAYER)


def test_no_module_imports_upward_or_sideways(root):
    upward = [
        f"{path.relative_to(root)} imports {module}"
        for path, name in modules(root)
        for module in imports(path, "chrfect")
        if not (
            LAYER[part(module)] < LAYER[name] or part(module) == name or (part(module) == "" and module != "chrfect")
        )
    ]
    assert upward == []


def test_engines_import_nothing_above_metrics():
    assert LAYER["engines"] == LAYER["metrics"] + 1


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from chrfect import text", ["chrfect.text"]),
        ("from chrfect.cli import main", ["chrfect.cli"]),
        ("def f():\n    import chrfect.report", ["chrfect.report"]),
        ("from chrfect import ChrF", ["chrfect"]),
        ("import_module('chrfect.cli')", ["chrfect.cli"]),
        ("import_module(f'chrfect.cli.{name}')", ["chrfect.cli"]),
    ],
)
def test_imports_inside_functions_are_checked(tmp_path, source, found):
    path = tmp_path / "module.py"
    path.write_text(source)
    assert list(imports(path, "chrfect")) == found


def test_the_architecture_page_shows_these_layers(root):
    page = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawn = page.partition("## The layers")[2].partition("```\n")[2].partition("```")[0].splitlines()
    shown = [line.split()[0] for line in reversed(drawn)]
    order = [LAYER[name] for name in shown]
    assert order == sorted(order)
    assert {name for names in LAYERS for name in names} - set(shown) == {"_version", "", "__main__"}


def test_only_metrics_check_the_type_of_a_metric(root):
    asking = [
        f"{path.relative_to(root)}:{node.lineno}"
        for path, name in modules(root)
        if name != "metrics"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("isinstance", "issubclass")
        and {leaf.id for leaf in ast.walk(node.args[1]) if isinstance(leaf, ast.Name)} & {"Bleu", "ChrF", "Ter"}
    ]
    assert asking == []


def loaded(path):
    """Yield what a file imports when it is imported itself, as a submodule's name and its package's."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("chrfect"):
            yield from ((f"{node.module}.{alias.name}", node.module) for alias in node.names)


def test_there_are_no_import_cycles(root):
    files = {}
    for path, _ in modules(root):
        parts = path.relative_to(root / "src").with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    above = {
        name: {module if module in files else package for module, package in loaded(path)}
        for name, path in files.items()
    }
    while leaves := {name for name, imported in above.items() if not imported & above.keys()}:
        above = {name: imported for name, imported in above.items() if name not in leaves}
    assert above == {}
