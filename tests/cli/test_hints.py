"""Every option of the command sacrebleu gets an answer with what to write instead."""

import argparse
import signal

import pytest

from chrfect.cli import main
from chrfect.cli.hints import SACREBLEU

SHARED = {"-h", "--help", "-i", "--input", "-m", "--metrics", "--format"}
"""The options that mean the same in both programs."""


def sacrebleu_options():
    """Return the options that the command sacrebleu declares, each with a value if it takes one."""
    handler = signal.getsignal(signal.SIGPIPE)
    from sacrebleu import sacrebleu

    signal.signal(signal.SIGPIPE, handler)  # after the import, a closed socket would end the process
    found = {}

    def read(parser, *_):
        for action in parser._actions:
            values = [] if action.nargs == 0 else [str(next(iter(action.choices or ()), "2"))]
            found.update(dict.fromkeys(action.option_strings, values))
        raise SystemExit

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(argparse.ArgumentParser, "parse_args", read)
        with pytest.raises(SystemExit):
            sacrebleu.parse_args()
    return found


OPTIONS = sacrebleu_options()


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ref").write_text("the cat sat\n")
    (tmp_path / "hyp").write_text("the cat\n")


@pytest.mark.parametrize("command", ["score", "compare"])
@pytest.mark.parametrize("option", [option for option in OPTIONS if option not in SHARED])
def test_options_of_sacrebleu_get_the_equivalent(option, command, files, capsys):
    for place in (1, 4):  # before the files, and after them
        given = [command, "ref", "-i", "hyp"]
        given[place:place] = [option, *OPTIONS[option]]
        assert main(given) == 2
        output, errors = capsys.readouterr()
        assert f" {option} is an option of sacreBLEU; " in errors
        assert "`chrfect sacrebleu` takes sacreBLEU's arguments." in errors
        assert not output


def test_the_table_names_only_options_of_sacrebleu():
    assert {option for names in SACREBLEU for option in names} == set(OPTIONS) - SHARED


@pytest.mark.parametrize(
    "metric",
    [
        "BLEU(lowercase=yes)", "chrF(lowercase=yes)", "BLEU(tokenize=zh)", "BLEU(smoothing=floor,smoothing_value=0.5)",
        "chrF(char_order=4)", "chrF++", "chrF(word_order=1)", "chrF(beta=3)", "chrF(whitespace=keep)",
        "chrF(averaging=per_order_f)", "TER(case_sensitive=yes)", "TER(normalized=yes,asian_support=yes)",
        "TER(no_punct=yes)", "TER(normalized=yes)",
    ],
)  # fmt: skip
def test_suggested_metrics_exist(metric, files, capsys):
    assert any(metric in meaning for meaning in SACREBLEU.values())
    assert main(["score", "ref", "-i", "hyp", "-m", metric, "--format", "tsv"]) == 0


@pytest.mark.parametrize(
    "suggested",
    [
        ["score", "ref", "-i", "hyp", "--decimals", "4"],
        ["score", "ref", "-i", "hyp", "--format", "tsv"],
        ["score", "ref", "-i", "hyp", "--json"],
        ["score", "ref", "-i", "hyp", "--segments"],
        ["score", "ref", "-i", "hyp", "--intervals", "--trials", "20"],
        ["score", "ref", "-i", "hyp", "--threads", "2"],
        ["score", "ref", "-i", "hyp", "--by", "hyp"],
        ["score", "ref", "ref", "-i", "hyp"],
        ["score", "ref", "--reference-separator", "|", "-i", "hyp"],
        ["compare", "ref", "-i", "hyp", "ref", "--test", "sacrebleu-bs", "--trials", "20"],
        ["compare", "ref", "-i", "hyp", "ref", "--test", "sacrebleu-ar"],
    ],
    ids=" ".join,
)
def test_suggested_options_exist(suggested, files):
    assert main(suggested) == 0


def test_the_format_text_of_sacrebleu_is_explained(files, capsys):
    assert main(["score", "ref", "-i", "hyp", "--format", "text"]) == 2
    assert "sacreBLEU's format text is table here." in capsys.readouterr().err
