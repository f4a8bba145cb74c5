"""Programs run with sacrebleu replaced, and all modules that scripts import exist."""

import importlib
import subprocess
import sys

import numpy
import pytest
import sacrebleu as peer
from hypothesis import given
from hypothesis import strategies as st

from chrfect.compat import sacrebleu as ours


def run(*arguments, cwd=None):
    command = [sys.executable, "-m", "chrfect.compat.sacrebleu", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=60)


def test_script_runs_with_its_arguments_and_adjacent_modules(tmp_path):
    (tmp_path / "neighbour.py").write_text("NAME = 'neighbour'")
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, neighbour, sacrebleu, sacrebleu.metrics.base\n"
        "from sacrebleu import corpus_bleu\n"
        "from sacrebleu.metrics import BLEU\n"
        "from sacrebleu.metrics.chrf import CHRF\n"
        "from sacrebleu.significance import PairedTest\n"
        "from sacrebleu.utils import smart_open\n"
        "from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a\n"
        "print(__name__, sys.argv, neighbour.NAME, BLEU is sacrebleu.BLEU, sacrebleu.metrics.base.Score.__module__)\n"
        "print(corpus_bleu(['a b c d.'], [['a b c d.']]), Tokenizer13a()('a,b'))\n"
    )
    done = run(script, "--option", "x")
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        f"__main__ {[str(script), '--option', 'x']} neighbour True chrfect.compat.sacrebleu.metrics.base",
        f"{peer.corpus_bleu(['a b c d.'], [['a b c d.']])} a , b",
    ]


def test_a_test_suite_runs_with_pytest(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import sacrebleu\n"
        "def test_score():\n"
        "    assert 'chrfect' in sacrebleu.__name__\n"
        "    assert sacrebleu.corpus_chrf(['a b'], [['a b']]).score == 100\n"
    )
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


def test_the_exit_status_is_that_of_the_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import sys; sys.exit(7)")
    assert run(script).returncode == 7


@pytest.mark.parametrize("arguments", [[], ["-m"], ["--unknown"], ["missing.py"]])
def test_a_missing_program_is_an_error(arguments, tmp_path):
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert "usage" in done.stderr or "There is no file 'missing.py'" in done.stderr


def test_mecab_tokens_equal_sacrebleu(tmp_path):
    pytest.importorskip("MeCab")
    script = tmp_path / "script.py"
    script.write_text("import sacrebleu; print(sacrebleu.BLEU(tokenize='ja-mecab').tokenizer('これはペンです'))")
    assert run(script).stdout.strip() == peer.BLEU(tokenize="ja-mecab").tokenizer("これはペンです")


@pytest.mark.parametrize(
    "module",
    [
        "",
        ".compat",
        ".dataset",
        ".metrics",
        ".metrics.base",
        ".metrics.bleu",
        ".metrics.chrf",
        ".metrics.helpers",
        ".metrics.ter",
        ".significance",
    ],
)
def test_every_public_name_of_a_module_is_there(module):
    theirs = importlib.import_module(f"sacrebleu{module}")
    mine = importlib.import_module(f"chrfect.compat.sacrebleu{module}")
    names = getattr(theirs, "__all__", None) or [
        name
        for name, value in vars(theirs).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == theirs.__name__
    ]
    assert [name for name in names if not hasattr(mine, name)] == []


TEXTS = st.text(alphabet="ab c,.'-日", max_size=12)


@given(TEXTS, st.integers(1, 3), st.booleans())
def test_ngrams_equal_sacrebleu(text, order, whitespace):
    from sacrebleu.metrics import helpers as theirs

    from chrfect.compat.sacrebleu.metrics import helpers as mine

    assert ours.extract_char_ngrams(text, order, whitespace) == peer.extract_char_ngrams(text, order, whitespace)
    assert ours.extract_word_ngrams(text.split(), order) == peer.extract_word_ngrams(text.split(), order)
    assert mine.extract_all_char_ngrams(text, order, whitespace) == theirs.extract_all_char_ngrams(
        text, order, whitespace
    )
    assert mine.extract_all_word_ngrams(text, 1, order) == theirs.extract_all_word_ngrams(text, 1, order)


@pytest.mark.parametrize("module", ["none", "13a", "intl", "zh", "char"])
def test_tokenizers_equal_sacrebleu(module):
    from chrfect.compat.sacrebleu.tokenizers import MODULES

    (kind,) = MODULES[module]
    theirs = getattr(importlib.import_module(f"sacrebleu.tokenizers.tokenizer_{module}"), kind.__name__)

    @given(TEXTS)
    def same(text):
        assert kind()(text) == theirs()(text)

    same()
    assert kind().signature() == theirs().signature()


@given(TEXTS, st.lists(st.booleans(), min_size=4, max_size=4))
def test_tokenizer_of_ter_equals_sacrebleu(text, choices):
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer as Theirs

    from chrfect.compat.sacrebleu.tokenizers import TercomTokenizer

    assert TercomTokenizer(*choices)(text) == Theirs(*choices)(text)


def test_private_names_that_scripts_import_are_there():
    from sacrebleu import significance as their_tests
    from sacrebleu.metrics import bleu as their_bleu

    from chrfect.compat.sacrebleu import significance
    from chrfect.compat.sacrebleu.metrics import bleu

    for name in ("none", "13a", "intl", "zh", "char"):
        text = "Hello, world! It's  日本"
        assert bleu._get_tokenizer(name)()(text) == their_bleu._get_tokenizer(name)()(text)
    with pytest.raises(KeyError):
        bleu._get_tokenizer("moses")
    stats = numpy.random.default_rng(1).normal(size=199)
    assert significance._compute_p_value(stats, 1.0) == their_tests._compute_p_value(stats, 1.0)
    assert significance.estimate_ci(stats) == their_tests.estimate_ci(stats)
