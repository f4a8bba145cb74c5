import subprocess
import sys

import pytest

import chrfect


def test_public_names_are_pinned():
    assert sorted(chrfect.__all__) == [
        "Bleu",
        "ChrF",
        "ChrfectError",
        "ChrfectWarning",
        "Comparison",
        "ContractError",
        "Contrast",
        "CorpusExplanation",
        "CorpusResult",
        "CountRecipe",
        "CountTable",
        "Counts",
        "Difference",
        "Evaluation",
        "Evaluator",
        "Explanation",
        "GroupScore",
        "InputFileError",
        "Interval",
        "Metric",
        "Order",
        "Result",
        "Runs",
        "Scoring",
        "Segments",
        "SystemScore",
        "Ter",
        "TestSets",
        "UsageError",
        "WorkError",
        "__version__",
        "evaluate",
        "evaluate_sets",
        "explain",
        "explain_corpus",
        "human_agreement",
        "mbr",
        "pairwise",
        "parse",
        "register",
        "register_tokenizer",
        "run",
    ]
    assert all(hasattr(chrfect, name) for name in chrfect.__all__)


def test_importing_loads_no_heavy_modules():
    heavy = {"numpy", "scipy", "pandas", "pyarrow", "regex", "wcwidth", "sacrebleu", "importlib.metadata", "asyncio"}
    code = "import sys; from chrfect import *; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert heavy.isdisjoint(loaded)


def test_every_public_name_is_imported_at_first_use():
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


def test_contract_error_can_be_pickled():
    import pickle

    error = chrfect.ContractError("invalid_beta", "beta is 0.", "/beta")
    again = pickle.loads(pickle.dumps(error))
    assert (again.code, again.detail, again.pointer) == ("invalid_beta", "beta is 0.", "/beta")


def test_the_public_interface_is_the_pinned_one(root):
    """A change on purpose is written by ``python tests/public_api.py``."""
    from public_api import interface

    assert interface() == (root / "tests" / "public_api.txt").read_text(encoding="utf-8").splitlines()


def test_help_and_dir_show_the_public_names_first():
    import pydoc

    assert dir(chrfect) == sorted(chrfect.__all__)
    text = pydoc.plain(pydoc.render_doc(chrfect.ChrF))
    methods = text[text.index("Methods defined here:") :].splitlines()[2]
    assert not methods.strip(" |").startswith("_")


def test_a_result_is_immutable_and_compared_by_all_fields():
    result = chrfect.ChrF().sentence("a b", "a c")
    for name in ("metric", "values", "segment_count", "reference"):
        with pytest.raises(AttributeError):
            setattr(result, name, None)
    with pytest.raises(AttributeError):
        result.other = 1
    assert result in {result}
    twice = chrfect.ChrF().corpus(["a b"] * 2, ["a c"] * 2)
    one = chrfect.Result(twice.metric, twice.values, 1, twice.scorer)
    assert one != twice
    assert chrfect.Result(twice.metric, twice.values, 2, twice.scorer) == twice


def test_results_convert_to_floats_formats_and_html():
    result = chrfect.ChrF().corpus(["a b", "c"], ["a b", "d"])
    assert float(result) == result.score
    assert f"{result:.1f}|{result}" == "83.3|<chrF 83.333333 over 2 segments>"
    html = chrfect.parse("chrF").sentence("<", "<")._repr_html_()
    assert "<caption>chrF</caption>" in html
    assert "100.000000" in html
