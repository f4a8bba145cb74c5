"""Names of sacreBLEU and values of other libraries are answered with what to write instead."""

import pickle
import subprocess
import sys

import pytest

import chrfect
from chrfect import Bleu, ChrF, Ter, UsageError, parse


@pytest.mark.parametrize(
    ("name", "meant"), [("CHRF", "ChrF"), ("corpus_bleu", r"Bleu\(\).corpus"), ("corpus_score", r"ChrF\(\).corpus")]
)
def test_sacrebleu_names_of_functions_get_a_hint(name, meant):
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'. sacreBLEU's {name} is {meant} here"):
        getattr(chrfect, name)


def test_sacrebleu_names_of_methods_and_parameters_get_a_hint():
    with pytest.raises(AttributeError, match="is the attribute signature here"):
        ChrF().get_signature()
    with pytest.raises(AttributeError, match=r"is corpus\(hypotheses, references\) here"):
        Ter().corpus_score(["a"], [["a"]])
    with pytest.raises(TypeError, match=r"no parameter 'eps_smoothing'.*averaging='per_order_f'"):
        ChrF(eps_smoothing=True)
    with pytest.raises(TypeError, match="no parameter 'smooth_method'"):
        Bleu(smooth_method="floor")


@pytest.mark.parametrize("module", ["formulas.bleu", "kernels", "text", "counts", "metrics", "files.texts"])
def test_looking_up_names_imports_nothing_else(module):
    """``from chrfect import kernels`` asks the package for the name before it imports the module."""
    subprocess.run([sys.executable, "-c", f"import chrfect.{module}"], check=True, timeout=60)
    loaded = "import sys, chrfect; getattr(chrfect, 'kernel', None); print('chrfect.metrics' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", loaded], check=True, timeout=60, capture_output=True, text=True)
    assert done.stdout == "False\n"


def test_other_unknown_names_get_no_hint():
    with pytest.raises(AttributeError, match=r"^'ChrF' object has no attribute 'corpos'$"):
        _ = ChrF().corpos
    with pytest.raises(AttributeError, match=r"^module 'chrfect' has no attribute 'explian'.$"):
        _ = chrfect.explian
    with pytest.raises(TypeError, match="unexpected keyword argument 'bta'"):
        ChrF(bta=2)
    assert pickle.loads(pickle.dumps(ChrF(beta=3))) == parse("chrF3")


def test_error_names_missing_values():
    with pytest.raises(UsageError, match=r"references\[0\] is NaN, a missing value"):
        ChrF().corpus(["a"], [float("nan")])
    with pytest.raises(UsageError, match="beta is 0; a number above 0"):
        parse("chrF(beta=0)")
