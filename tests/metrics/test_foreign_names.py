"""Names of sacreBLEU and values of other libraries are answered with what to write instead."""

import importlib
import inspect
import pickle
import pkgutil
import subprocess
import sys

import pytest
import sacrebleu
from sacrebleu.metrics import BLEU, CHRF, TER

import chrfect
from chrfect import Bleu, ChrF, Ter, UsageError, parse
from chrfect.foreign_names import PUBLIC, RESULTS


@pytest.mark.parametrize(
    ("name", "meant"), [("CHRF", "ChrF"), ("corpus_bleu", r"Bleu\(\).corpus"), ("corpus_score", r"ChrF\(\).corpus")]
)
def test_sacrebleu_names_of_functions_get_a_hint(name, meant):
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'. sacreBLEU's {name} is {meant} here"):
        getattr(chrfect, name)
    assert not hasattr(chrfect, name)


def public_names():
    """Yield the public names of sacreBLEU's modules: those of its functions, classes, constants and modules."""
    for info in pkgutil.walk_packages(sacrebleu.__path__, "sacrebleu."):
        if info.name.endswith(("__main__", "_ja_mecab", "_ko_mecab", "sacrebleu.sacrebleu")):
            continue  # the command, and modules with missing libraries
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            if getattr(value, "__module__", "").startswith("sacrebleu"):
                yield name
    yield from sacrebleu.__all__
    yield from ("METRICS", "SUBSETS", "COUNTRIES", "DOMAINS", "USERHOME", "SPM_MODELS")
    yield from ("dataset", "significance", "tokenizers", "utils")


@pytest.mark.parametrize("package", ["chrfect", "chrfect.metrics"])
@pytest.mark.parametrize(
    "name", sorted({name for name in public_names() if not name.startswith("_")} - {"Metric", "Result"})
)
def test_imports_of_sacrebleu_names_get_a_hint(package, name):
    with pytest.raises(ImportError, match=f"sacreBLEU's {name} is .+; chrfect.compat.sacrebleu has sacreBLEU's own"):
        exec(f"from {package} import {name}")


def test_sacrebleu_names_of_methods_and_parameters_get_a_hint():
    with pytest.raises(AttributeError, match="is the attribute signature here"):
        ChrF().get_signature()
    with pytest.raises(AttributeError, match=r"is corpus\(hypotheses, references\) here"):
        Ter().corpus_score(["a"], [["a"]])


@pytest.mark.parametrize(("theirs", "ours"), [(BLEU, Bleu), (CHRF, ChrF), (TER, Ter)])
def test_parameters_of_sacrebleu_classes_are_parameters_or_get_a_hint(theirs, ours):
    names = [name for name in inspect.signature(theirs).parameters if name not in inspect.signature(ours).parameters]
    for name in [*names, "n_bootstrap"]:
        with pytest.raises(
            TypeError, match=f"{ours.__name__} has no parameter '{name}'. sacreBLEU's {name} is .+ here"
        ):
            ours(**{name: True})
        with pytest.raises(UsageError, match=f"{name}=.* is not a parameter of .* sacreBLEU's {name} is .+ here"):
            parse(f"{ours.name}({name}=1)")


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (CHRF(eps_smoothing=True), ChrF(averaging="per_order_f")),
        (CHRF(whitespace=True), ChrF(whitespace="keep")),
        (BLEU(smooth_method="floor", smooth_value=0.2), Bleu(smoothing="floor", smoothing_value=0.2)),
        (BLEU(max_ngram_order=2), Bleu(max_order=2)),
        (BLEU(effective_order=True), Bleu(effective_order="always")),
        (BLEU(trg_lang="zh"), Bleu(tokenize="zh")),
    ],
)
def test_suggested_parameters_give_the_score_of_sacrebleu(theirs, ours):
    hypotheses, references = ["the cat", "a dog ran 日本"], ["the cat sat", "a dog 日本 ran"]
    expected = theirs.corpus_score(hypotheses, [references]).score
    assert ours.corpus(hypotheses, references).score == pytest.approx(expected, abs=1e-12)


def test_suggested_functions_give_the_score_of_sacrebleu():
    hypotheses, references = ["the cat", "a dog ran off"], ["the cat sat", "a dog ran away"]
    for name in ("corpus_chrf", "corpus_bleu", "corpus_ter", "raw_corpus_bleu"):
        corpus = eval(PUBLIC[name], vars(chrfect) | {"ChrF": ChrF, "Bleu": Bleu, "Ter": Ter})
        expected = getattr(sacrebleu, name)(hypotheses, [references]).score
        assert corpus(hypotheses, references).score == expected


def test_values_of_sacrebleu_get_a_hint():
    with pytest.raises(UsageError, match=r"sacreBLEU's whitespace=True is whitespace='keep' here\.$"):
        ChrF(whitespace=True)
    with pytest.raises(UsageError, match=r"sacreBLEU's effective_order=False is effective_order='never' here\.$"):
        Bleu(effective_order=False)
    with pytest.raises(UsageError, match=r"sacreBLEU's tokenize=None is tokenize='13a' here\.$"):
        Bleu(tokenize=None)
    with pytest.raises(UsageError, match=r"whitespace is 'all'; 'remove' or 'keep' was expected\.$"):
        ChrF(whitespace="all")


def test_signatures_of_sacrebleu_get_the_name_of_the_metric():
    metric = CHRF(word_order=2)
    score = metric.corpus_score(["a"], [["a"]])
    with pytest.raises(UsageError, match=r"of sacreBLEU; its metric is 'chrF\(char_order=6,word_order=2\)' here"):
        parse(f"{score.name}|{metric.get_signature()}")


@pytest.mark.parametrize("name", RESULTS)
def test_attributes_of_sacrebleu_scores_get_a_hint(name):
    result = Bleu().corpus(["the cat sat on it"], ["the cat sat on it now"])
    with pytest.raises(AttributeError, match=f"'Result' has no attribute '{name}'. sacreBLEU's {name} is .+ here"):
        getattr(result, name)


def test_suggested_attributes_have_the_values_of_sacrebleu():
    texts = ["the cat sat on it"], ["the cat sat on it now"]
    for theirs, ours, names in (
        (BLEU(), Bleu(), ["bp", "precisions", "totals", "sys_len", "ref_len"]),
        (TER(), Ter(), ["num_edits", "ref_length"]),
        (CHRF(), ChrF(), ["char_order", "word_order", "beta"]),
    ):
        score, result = theirs.corpus_score(texts[0], [texts[1]]), ours.corpus(*texts)
        for name in names:
            expression = RESULTS[name] if RESULTS[name].startswith("[") else f"result.{RESULTS[name]}"
            assert eval(expression, {"result": result}) == getattr(score, name)


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
