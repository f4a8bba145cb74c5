import subprocess
import sys

import pytest

import chrfect


def test_the_public_names_are_these():
    assert sorted(chrfect.__all__) == [
        "Bleu",
        "ChrF",
        "ChrfectError",
        "ChrfectWarning",
        "ContractError",
        "CorpusExplanation",
        "CorpusResult",
        "CountRecipe",
        "CountTable",
        "Counts",
        "Explanation",
        "InputFileError",
        "Metric",
        "Order",
        "Result",
        "Scoring",
        "Segments",
        "UsageError",
        "WorkError",
        "__version__",
        "explain",
        "explain_corpus",
        "pairwise",
        "parse",
        "register",
        "run",
    ]
    assert all(hasattr(chrfect, name) for name in chrfect.__all__)


def test_importing_pulls_in_nothing_heavy():
    heavy = {"numpy", "scipy", "pandas", "pyarrow", "regex", "wcwidth", "sacrebleu", "importlib.metadata", "asyncio"}
    code = "import sys; from chrfect import *; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert heavy.isdisjoint(loaded)


def test_every_public_name_is_imported_when_first_asked_for():
    code = "import chrfect; print([name for name in chrfect.__all__ if getattr(chrfect, name, None) is None])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
    assert set(chrfect.__all__) <= set(dir(chrfect))
    with pytest.raises(AttributeError, match="no attribute 'chrF'"):
        chrfect.chrF  # noqa: B018


def test_a_public_function_is_not_hidden_by_a_module_of_its_name():
    code = (
        "import chrfect, pkgutil; print({m.name for m in pkgutil.iter_modules(chrfect.__path__)} & {*chrfect.__all__})"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_the_distribution_has_the_version_of_the_package():
    from importlib.metadata import version

    assert version("chrfect") == chrfect.__version__


def test_the_error_tree_lets_callers_catch_bad_input_as_value_errors():
    assert issubclass(chrfect.ContractError, chrfect.UsageError)
    assert issubclass(chrfect.InputFileError, chrfect.UsageError)
    assert issubclass(chrfect.UsageError, ValueError)
    assert not issubclass(chrfect.WorkError, ValueError)


def test_a_contract_error_survives_pickling():
    import pickle

    error = chrfect.ContractError("invalid_beta", "beta is 0.", "/beta")
    again = pickle.loads(pickle.dumps(error))
    assert (again.code, again.detail, again.pointer, again.status) == ("invalid_beta", "beta is 0.", "/beta", 422)
