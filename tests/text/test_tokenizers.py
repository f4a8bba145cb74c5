"""Tokenizers by name: from libraries, from models and registered; nothing is downloaded."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import sentencepiece
from sacrebleu.metrics import BLEU

from chrfect import Bleu, register_tokenizer
from chrfect.errors import UsageError
from chrfect.text import tokenizers
from chrfect.text.tokenizers import described, tokenizer


def test_importing_chrfect_loads_no_tokenizer():
    code = "import sys, chrfect; str(chrfect.Bleu()); sys.exit(bool({'sacrebleu', 'sentencepiece'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spm")
    text = folder / "text.txt"
    text.write_text("the cat sat on the mat\na dog ran over the hill\nthe cats ran\n" * 20, encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(folder / "small"), vocab_size=40, hard_vocab_limit=False, minloglevel=2
    )
    return str(folder / "small.model")


def test_sentencepiece_uses_the_model_that_is_given(model):
    peer = sentencepiece.SentencePieceProcessor(model_file=model)
    text = "the dogs sat on a hill  "
    assert tokenizer("spm", model)(text) == peer.encode(text.rstrip(), out_type=str)
    assert tokenizer("spm", model)(text) != text.split()
    assert described("spm", model).startswith("spm (sha256 ")


MECAB = [("ja-mecab", "MeCab", "私は猫が好きです。  "), ("ko-mecab", "mecab_ko", "서울에 가고 싶다, 나는")]


@pytest.mark.parametrize(("name", "package", "text"), MECAB)
def test_japanese_and_korean_are_split_as_sacrebleu_splits_them(name, package, text):
    pytest.importorskip(package, reason=f"the dictionary of {name} is large and no part of the extras")
    peer = BLEU(tokenize=name).tokenizer
    assert tokenizer(name)(text) == peer(text.rstrip()).split()
    assert len(tokenizer(name)(text)) > len(text.split())
    assert described(name).endswith(f", {peer.signature()})")


def test_error_names_a_lone_surrogate_that_a_tokenizer_cannot_read(model):
    with pytest.raises(UsageError, match=r"'a\ufffd cat' has the unpaired surrogate U\+D83D at character 1, .* spm"):
        tokenizer("spm", model)("a\ud83d cat")


def test_error_names_a_missing_model_file():
    with pytest.raises(UsageError, match=r"absent\.model"):
        tokenizer("spm", "absent.model")


def test_bleu_is_scored_where_no_extra_is_installed():
    """Also by the readable kernel."""
    code = """
import sys
for name in ("sacrebleu", "regex", "sentencepiece", "pyarrow"):
    sys.modules[name] = None
import chrfect
for name in ("13a", "intl", "char", "zh", "none"):
    print(chrfect.Bleu(tokenize=name).corpus(["The cat, sat on 1.5 mats."], ["The cat sat on 1.5 mats."]).score)
"""
    peers = [BLEU(tokenize=name) for name in ("13a", "intl", "char", "zh", "none")]
    want = [peer.corpus_score(["The cat, sat on 1.5 mats."], [["The cat sat on 1.5 mats."]]).score for peer in peers]
    for kernel in ("readable", ""):
        environment = {**os.environ, "CHRFECT_KERNEL": kernel}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert [float(line) for line in done.stdout.split()] == want


def test_a_package_that_is_missing_is_named_with_the_fix(monkeypatch, model):
    monkeypatch.setitem(sys.modules, "sacrebleu.tokenizers.tokenizer_ja_mecab", None)
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    tokenizers._library.cache_clear()
    tokenizers.sentencepiece._read_state.cache_clear()
    with pytest.raises(UsageError, match=r"pip install 'sacrebleu\[ja\]'"):
        tokenizer("ja-mecab")
    with pytest.raises(UsageError, match=r"pip install sentencepiece"):
        tokenizer("spm", model)


@pytest.mark.parametrize(("name", "module"), [("ja-mecab", "tokenizer_ja_mecab"), ("ko-mecab", "tokenizer_ko_mecab")])
def test_a_dictionary_that_sacrebleu_does_not_find_is_named_with_the_fix(monkeypatch, name, module):
    monkeypatch.setattr(f"sacrebleu.tokenizers.{module}.MeCab", None)  # as where the package is not installed
    tokenizers._library.cache_clear()
    with pytest.raises(UsageError, match=rf"pip install 'sacrebleu\[{name[:2]}\]'"):
        Bleu(tokenize=name).sentence("a", "a")


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("the dictionary is damaged"), ImportError("symbol")])
def test_an_error_inside_a_library_is_not_reported_as_a_missing_package(monkeypatch, error):
    class Broken:
        def __init__(self):
            raise error

    monkeypatch.setitem(
        sys.modules, "sacrebleu.tokenizers.tokenizer_ko_mecab", type("M", (), {"TokenizerKoMecab": Broken})
    )
    tokenizers._library.cache_clear()
    with pytest.raises(type(error)) as caught:
        tokenizer("ko-mecab")
    assert caught.value is error


def test_error_names_a_file_that_is_not_a_model(tmp_path):
    wrong = tmp_path / "wrong.model"
    wrong.write_text("this is no model")
    with pytest.raises(UsageError, match=r"wrong\.model' is not a SentencePiece model; it has 16 bytes"):
        tokenizer("spm", str(wrong))


@pytest.mark.parametrize(
    ("name", "file"), [("flores101", "sacrebleu_tokenizer_spm.model"), ("flores200", "flores200sacrebleuspm")]
)
def test_models_with_a_name_are_found_where_they_are_kept(name, file, model, tmp_path, monkeypatch):
    own, theirs = tmp_path / "own", tmp_path / "sacrebleu"
    monkeypatch.setenv("SACREBLEU", str(theirs))
    monkeypatch.setenv("CHRFECT_MODELS", str(own))
    with pytest.raises(
        UsageError, match=rf"{name}.*Download it from https://.*--spm-model.*CHRFECT_MODELS.*downloads nothing"
    ):
        Bleu(tokenize=name).corpus(["a"], ["a"])
    pieces = tokenizer("spm", model)("the dogs sat")
    digest = hashlib.sha256(Path(model).read_bytes()).hexdigest()
    for place in (theirs / "models" / file, own / f"{name}.model"):
        place.parent.mkdir(parents=True)
        shutil.copy(model, place)
        assert tokenizer(name)("the dogs sat") == pieces
        assert f"tokenize:{name} (sha256 {digest}, sentencepiece" in Bleu(tokenize=name).signature
    (own / f"{name}.model").write_text("broken")
    with pytest.raises(UsageError, match="is not a SentencePiece model"):
        tokenizer(name)
    assert tokenizer(name, model)("the dogs sat") == pieces


def test_the_same_model_at_two_places_counts_alike(model, tmp_path):
    other = str(tmp_path / "copy.model")
    shutil.copy(model, other)
    one, two = (Bleu(tokenize="spm", spm_model=file).count(["the cat"], ["the cats"]) for file in (model, other))
    assert (one + two).sum().values == tuple(2 * value for value in one.sum().values)


def test_a_registered_tokenizer_is_used_and_named():
    register_tokenizer("at-commas", "2", lambda text: text.split(","))
    register_tokenizer("vowels", "1.0", str.split)
    metric = Bleu(tokenize="at-commas", max_order=1)
    assert metric.sentence("a b,c,d", "c,a b").to_dict()["hypothesis_length"] == 3
    assert metric.corpus(["a b,c,d"], {"A": ["c,a b"], "B": ["x"]}).counts.values == (3, 2, 3, 2)
    assert "tokenize:at-commas (version 2)" in metric.signature
    assert str(metric) == "BLEU(max_order=1,tokenize=at-commas)"
    with pytest.raises(UsageError, match="tokenizer"):
        Bleu(tokenize="vowels", max_order=1).score(metric.count(["a"], ["a"]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("13a", "1", str.split), "The tokenizer 13a already exists"),
        (("flores200", "1", str.split), "The tokenizer flores200 already exists"),
        (("a,b", "1", str.split), "The name of a tokenizer is 'a,b'"),
        (("mine", "", str.split), "The version of the tokenizer mine is ''"),
        (("mine", "1", "split"), "The tokenizer mine is a str; a callable"),
    ],
)
def test_an_invalid_registration_is_rejected_with_the_reason(arguments, message):
    with pytest.raises(UsageError, match=message):
        register_tokenizer(*arguments)


def test_a_name_is_registered_once():
    register_tokenizer("once", "1", str.split)
    register_tokenizer("once", "1", str.split)
    with pytest.raises(UsageError, match="once already"):
        register_tokenizer("once", "2", str.split)


def test_rejects_an_unregistered_name():
    with pytest.raises(UsageError, match=r"tokenize is 'nobody'; '13a' or .* register_tokenizer"):
        Bleu(tokenize="nobody")


def fails(text):
    raise KeyError(text)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (fails, "The tokenizer bad-0 failed on 'a b': KeyError"),
        (lambda text: None, "The tokenizer bad-1 returned a NoneType for 'a b'; a list of str was expected"),
        (lambda text: "ab", "The tokenizer bad-2 returned a str"),
        (lambda text: ["a", 1], "The tokenizer bad-3 returned a list with a int at 1"),
    ],
)
def test_a_registered_tokenizer_that_fails_is_named_with_the_text(function, message):
    name = message.split()[2]
    register_tokenizer(name, "1", function)
    with pytest.raises(UsageError, match=message):
        Bleu(tokenize=name).corpus(["a b"], ["a"])


def test_memory_errors_of_a_registered_tokenizer_are_passed_on():
    def exhausted(text):
        raise MemoryError

    register_tokenizer("exhausted", "1", exhausted)
    with pytest.raises(MemoryError):
        Bleu(tokenize="exhausted").corpus(["a b"], ["a"])


def test_an_error_of_a_registered_tokenizer_names_the_segment():
    register_tokenizer("no-digits", "1", lambda text: text.split() if "7" not in text else None)
    metric, number = Bleu(tokenize="no-digits"), 9_000
    wrong = ["a"] * (number - 1) + ["7"]
    for call in (metric.corpus, metric.segments, metric.count):
        with pytest.raises(UsageError, match=rf"Segment {number - 1} .*, hypothesis: The tokenizer no-digits returned"):
            call(wrong, ["a"] * number)
        with pytest.raises(UsageError, match=rf"Segment {number - 1} .*, reference: The tokenizer no-digits returned"):
            call(["a"] * number, {"A": ["a"] * number, "B": wrong})


def test_docs_of_tokenizers_show_real_output(root, capsys):
    page = (root / "docs" / "tokenizers.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(?:python|text)\n(.*?)```", page, re.DOTALL)
    exec(blocks[0], {})
    assert capsys.readouterr().out == blocks[1]
    for block in blocks[2:]:
        names = {}
        for line in block.splitlines():
            code, _, shown = line.partition("  # ")
            if shown.startswith("'…|"):
                assert shown.strip("'…") in eval(code, names)
            elif shown:
                assert repr(eval(code, names)) == shown
            else:
                exec(code, names)
