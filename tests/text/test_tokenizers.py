"""Tokenizers are sacreBLEU's, loaded when used, and nothing is ever fetched."""

import subprocess
import sys

import pytest
import sentencepiece
from sacrebleu.metrics import BLEU

from chrfect.errors import UsageError
from chrfect.text.tokenizers import described, tokenizer

LINES = [
    "Hello,  world! 3.5%",
    " 他说：“你好”。 OK? ",
    "&quot;a&amp;b&quot; it's",
    "",
    "São-Paulo\u3000x",
    "-\n<skipped>a.",
]


@pytest.mark.parametrize("name", ["none", "13a", "intl", "char", "zh"])
def test_tokens_are_those_of_sacrebleu(name):
    peer = BLEU(tokenize=name).tokenizer
    assert [tokenizer(name)(line) for line in LINES] == [peer(line.rstrip()).split() for line in LINES]


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


def test_a_lone_surrogate_that_a_tokenizer_cannot_read_is_named(model):
    with pytest.raises(UsageError, match=r"'a\ufffd cat' holds the unpaired surrogate U\+D83D at character 1, .* spm"):
        tokenizer("spm", model)("a\ud83d cat")


def test_a_file_that_is_no_model_is_named():
    with pytest.raises(UsageError, match=r"absent\.model"):
        tokenizer("spm", "absent.model")


def test_a_package_that_is_missing_is_named_with_the_fix(monkeypatch):
    for module in ("tokenizer_13a", "tokenizer_ja_mecab"):
        monkeypatch.setitem(sys.modules, f"sacrebleu.tokenizers.{module}", None)
    tokenizer.cache_clear()
    with pytest.raises(UsageError, match=r"pip install 'chrfect\[tokenizers\]'"):
        tokenizer("13a")
    with pytest.raises(UsageError, match=r"pip install 'sacrebleu\[ja\]'"):
        tokenizer("ja-mecab")
