"""Names of modules: none hides a public function, and none is used twice in one package."""

import importlib
import pkgutil
from types import ModuleType

import chrfect


def packages():
    yield chrfect
    for found in pkgutil.walk_packages(chrfect.__path__, "chrfect."):
        if found.ispkg:
            yield importlib.import_module(found.name)


def test_no_module_has_the_name_of_a_public_function_at_any_depth():
    """`import chrfect.x.y as y` would bind the function that the package calls y."""
    hidden = [
        f"{package.__name__}.{found.name}"
        for package in packages()
        for found in pkgutil.iter_modules(package.__path__)
        if not isinstance(getattr(package, found.name, package), ModuleType)
    ]
    assert hidden == []


def test_a_module_that_is_imported_is_the_module():
    for package in packages():
        for found in pkgutil.iter_modules(package.__path__):
            if found.name not in ("__main__", "_fast"):
                name = f"{package.__name__}.{found.name}"
                importlib.import_module(name)
                assert isinstance(getattr(package, found.name), ModuleType), name
