"""No module hides a public function of its package."""

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


def test_modules_of_reading_and_of_the_studies_have_names_of_their_own():
    shared = {"texts", "tables", "pictures"}
    names = [found.name.rpartition(".")[2] for found in pkgutil.walk_packages(chrfect.__path__, "chrfect.")]
    assert {name for name in shared if names.count(name) > 1} == set()
