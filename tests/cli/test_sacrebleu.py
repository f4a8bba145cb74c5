"""The command prints the same as sacreBLEU's command, except for signatures."""

import json
import os
import random
import re
import subprocess
import sys

import pytest

from chrfect.cli import main
from conftest import in_long

WORDS = ["the", "cat", "sat", "on", "a", "mat", ".", ",", "Dog!", "(hi)", "Émile", "日本", "語。", "$5.30", "x"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with two references, two systems, and references separated by tabs."""
    random.seed(7)
    path = tmp_path_factory.mktemp("texts")
    ref = [[random.choice(WORDS) for _ in range(random.randint(1, 14))] for _ in range(60)]

    def changed(share):
        return [[random.choice(WORDS) if random.random() < share else word for word in words] for words in ref]

    def write(name, lines):
        (path / name).write_text("".join(f"{' '.join(line)}\n" for line in lines), encoding="utf-8")

    write("ref.txt", ref)
    write("ref2.txt", changed(0.3))
    write("a.txt", changed(0.5))
    write("b.txt", changed(0.2))
    write("short.txt", ref[:50])
    rows = zip((path / "ref.txt").read_text().splitlines(), (path / "ref2.txt").read_text().splitlines(), strict=True)
    (path / "tabs.txt").write_text("".join(f"{one}\t{two}\n" for one, two in rows))
    rows = zip((path / "a.txt").read_text().splitlines(), (path / "b.txt").read_text().splitlines(), strict=True)
    (path / "systems.tsv").write_text("".join(f"{one}\t{two}\n" for one, two in rows))
    (path / "latin.txt").write_bytes("é\n".encode("latin-1") * 60)
    cache = path / "cache" / "wmt17"
    cache.mkdir(parents=True)
    for field in ("src", "ref", "docid", "genre", "origlang"):
        (cache / f"wmt17.en-zh.{field}").write_bytes((path / "ref.txt").read_bytes())
    return path


def both(arguments, folder, stdin=None):
    """Return status, output and messages of sacreBLEU's command and of this one."""
    environment = {**os.environ, "SACREBLEU": str(folder / "cache"), "PYTHONIOENCODING": "utf-8"}
    found = []
    for command in ([sys.executable, "-m", "sacrebleu"], [sys.executable, "-m", "chrfect", "sacrebleu"]):
        done = subprocess.run(
            [*command, *arguments],
            capture_output=True,
            cwd=folder,
            env=environment,
            input=b"" if stdin is None else (folder / stdin).read_bytes(),
            timeout=120,
        )
        found.append((done.returncode, unsigned(done.stdout.decode()), done.stderr.decode()))
    return found


def unsigned(text):
    return re.sub(r',\n "impl": "chrfect-[^"]+"', "", re.sub(r"\|impl:chrfect-[^|\"\s]+", "", text))


SAME = [
    "ref.txt -i a.txt",
    "ref.txt -i a.txt -m bleu chrf ter",
    "ref.txt -i a.txt -m bleu chrf ter -f text",
    "ref.txt -i a.txt -m bleu chrf ter -f text -b -w 4",
    "ref.txt -i a.txt -m ter chrf -b",
    "ref.txt -i a.txt -f text --short -w 2",
    "ref.txt -i a.txt --short",
    "ref.txt -i a.txt -f latex",
    "ref.txt ref2.txt -i a.txt -m bleu chrf ter -f text -w 3",
    "tabs.txt -nr 2 -i a.txt -m bleu chrf ter -f text",
    "ref.txt -i a.txt -lc -tok intl -s floor -sv 0.5 --force",
    "ref.txt -i a.txt -tok zh -l en-zh",
    "ref.txt -i a.txt -l en-zh",
    "ref.txt -i a.txt -s add-k -f text",
    "ref.txt -i a.txt -m chrf -cc 4 -cw 2 --chrf-beta 3 --chrf-whitespace --chrf-lowercase --chrf-eps-smoothing",
    "ref.txt -i a.txt -m ter --ter-case-sensitive --ter-asian-support --ter-no-punct --ter-normalized -f text",
    "ref.txt -i a.txt -m bleu chrf ter --confidence -cin 100 -w 4",
    "ref.txt -i a.txt -m bleu chrf --confidence --confidence-n 100 -f text",
    "ref.txt -i a.txt -sl",
    "ref.txt -i a.txt -m chrf -sl -b -w 3",
    "ref.txt ref2.txt -i a.txt -m ter --sentence-level --short",
    "ref.txt -i a.txt b.txt",
    "ref.txt -i a.txt b.txt -m bleu chrf ter -f text -w 2",
    "ref.txt -i a.txt b.txt -m bleu chrf -f latex",
    "ref.txt -i a.txt b.txt a.txt -m bleu chrf ter --paired-ar -parn 200 -f text",
    "ref.txt -i a.txt b.txt -m bleu chrf ter --paired-bs -pbsn 200 -f text -w 3 --short",
    "ref.txt -i a.txt b.txt -m chrf --paired-bs -pbsn 100 -f latex",
    "ref.txt -i a.txt b.txt -m bleu --paired-ar --paired-ar-n 200 -j 2",
    "ref.txt -i a.txt --metric chrf --chrf-word 2",
    "-t wmt17 -l en-zh -i a.txt -m bleu chrf",
    "-t wmt17 -l en-zh --echo src ref",
    "-t wmt17,wmt17 -l en-zh --echo ref",
]


@pytest.mark.parametrize("arguments", [*SAME[::2], *in_long(*SAME[1::2])])
def test_output_equals_sacrebleu(arguments, folder):
    theirs, mine = both(arguments.split(), folder)
    assert theirs[0] == 0, theirs[2]
    assert mine[:2] == theirs[:2], mine[2]


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        ("ref.txt", "a.txt"),
        ("ref.txt -m chrf -b", "a.txt"),
        ("ref.txt -m chrf bleu -f text", "systems.tsv"),
        ("ref.txt -m chrf bleu -f text --paired-bs -pbsn 100", "systems.tsv"),
    ],
)
def test_standard_input_is_read_like_in_sacrebleu(arguments, stdin, folder):
    theirs, mine = both(arguments.split(), folder, stdin)
    assert theirs[0] == 0, theirs[2]
    assert mine[:2] == theirs[:2], mine[2]


@pytest.mark.parametrize(
    "arguments",
    [
        "ref.txt -i short.txt",
        "tabs.txt -nr 3 -i a.txt",
        "tabs.txt ref.txt -nr 2 -i a.txt",
        "ref.txt -i a.txt a.txt",
        "ref.txt -i a.txt -m bleu chrf -sl",
        "ref.txt -i a.txt b.txt -sl",
        "ref.txt -i a.txt -sl --confidence",
        "ref.txt -i a.txt --paired-bs",
        "ref.txt -i a.txt b.txt --confidence",
        "ref.txt -t wmt17 -l en-zh -i a.txt",
        "-t wmt17 -i a.txt",
        "-t wmt17 --echo ref",
    ],
)
def test_errors_have_the_status_and_messages_of_sacrebleu(arguments, folder):
    theirs, mine = both(arguments.split(), folder)
    assert theirs[0] in (1, 17)
    if "--echo" in arguments:  # sacreBLEU asks for the language pair first
        assert mine[0] == theirs[0]
        return
    assert mine == theirs


@pytest.mark.parametrize("arguments", ["ref.txt -i a.txt -w x", "ref.txt -m meteor", "ref.txt --paired-ar --paired-bs"])
def test_wrong_arguments_end_with_status_2(arguments, folder):
    theirs, mine = both(arguments.split(), folder)
    assert (theirs[0], mine[0]) == (2, 2)


def test_the_environment_chooses_the_format(folder, monkeypatch):
    monkeypatch.setenv("SACREBLEU_FORMAT", "text")
    theirs, mine = both(["ref.txt", "-i", "a.txt"], folder)
    assert mine[:2] == theirs[:2]
    assert mine[1].startswith("BLEU|")


def test_a_paired_bootstrap_in_json_is_valid(folder):
    """sacreBLEU 2.6.0 crashes here with NumPy 2."""
    _, mine = both(["ref.txt", "-i", "a.txt", "b.txt", "-m", "chrf", "--paired-bs", "-pbsn", "100"], folder)
    baseline, other = json.loads(mine[1])
    assert baseline["system"] == "Baseline: a.txt"
    assert other["chrF2"]["score"] > baseline["chrF2"]["score"]
    assert 0 < other["chrF2"]["p_value"] < 0.05


def test_a_missing_test_set_is_an_error_with_the_expected_path(folder, capsys, monkeypatch):
    from chrfect.compat.sacrebleu import inputs

    monkeypatch.setattr(inputs, "SACREBLEU_DIR", str(folder / "cache"))
    assert main(["sacrebleu", "-t", "wmt20", "-l", "de-en", "-i", str(folder / "a.txt")]) == 2
    message = capsys.readouterr().err
    assert str(folder / "cache" / "wmt20" / "wmt20.de-en.ref") in message
    assert "sacrebleu -t wmt20 -l de-en --echo src ref" in message


def test_error_names_several_cached_references(folder, capsys, monkeypatch):
    from chrfect.compat.sacrebleu import inputs

    monkeypatch.setattr(inputs, "SACREBLEU_DIR", str(folder / "cache"))
    for name in "AB":
        (folder / "cache" / "wmt17" / f"wmt17.de-en.ref-{name}").write_text("x\n")
    assert main(["sacrebleu", "-t", "wmt17", "-l", "de-en", "-i", str(folder / "a.txt")]) == 2
    assert "wmt17.de-en.ref-A" in capsys.readouterr().err


@pytest.mark.parametrize("argument", ["--list", "--citation", "--download=wmt17", "--origlang=de", "--subset=x", "-d"])
def test_arguments_that_need_the_catalogue_are_rejected(argument, folder, capsys):
    assert main(["sacrebleu", str(folder / "ref.txt"), "-i", str(folder / "a.txt"), argument]) == 2
    assert "requires sacreBLEU's catalogue of test sets" in capsys.readouterr().err


def test_error_names_another_encoding(folder, capsys):
    names = [str(folder / name) for name in ("latin.txt", "a.txt")]
    assert main(["sacrebleu", names[0], "-i", names[1]]) == 2
    assert "latin.txt is not utf-8" in capsys.readouterr().err
    assert main(["sacrebleu", names[0], "-i", names[0], "-e", "latin-1", "-b"]) == 0


def test_tables_without_tabulate_explain_how_to_install_it(folder, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tabulate", None)
    names = [str(folder / name) for name in ("ref.txt", "a.txt", "b.txt")]
    assert main(["sacrebleu", names[0], "-i", *names[1:], "-f", "text"]) == 2
    assert "pip install tabulate" in capsys.readouterr().err


@pytest.mark.parametrize(("tokenizer", "package"), [("ja-mecab", "MeCab"), ("ko-mecab", "mecab_ko")])
def test_a_tokenizer_without_its_package_is_an_error(folder, capsys, monkeypatch, tokenizer, package):
    for name in ("ja", "ko"):
        monkeypatch.delitem(sys.modules, f"sacrebleu.tokenizers.tokenizer_{name}_mecab", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    names = [str(folder / name) for name in ("ref.txt", "a.txt")]
    assert main(["sacrebleu", names[0], "-i", names[1], "-tok", tokenizer]) == 2
    assert f"pip install sacrebleu[{tokenizer[:2]}]" in capsys.readouterr().err
