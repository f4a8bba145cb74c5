"""The formats of the WMT metrics task are recognised, read, and written without loss."""

import pytest

from chrfect.errors import ChrfectWarning, InputFileError
from chrfect.meta.sources import Key, Scores, read_wmt, write_metrics_task


def write(tmp_path, name, *lines):
    path = tmp_path / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_two_columns_number_the_segments_of_each_system(tmp_path):
    [scores] = read_wmt(write(tmp_path, "en-de.mqm.seg.score", "A\t-1.5", "A\tNone", "B\t0", "B\t-25"))
    assert scores.name == "en-de.mqm"
    assert scores.values == {
        Key("", "A", "1"): -1.5,
        Key("", "A", "2"): None,
        Key("", "B", "1"): 0.0,
        Key("", "B", "2"): -25.0,
    }
    [systems] = read_wmt(write(tmp_path, "BLEU-refA.sys.score", "A 33.5", "B 30"), "BLEU")
    assert systems.values == {Key("", "A", ""): 33.5, Key("", "B", ""): 30.0}
    assert systems.of_systems


@pytest.mark.parametrize("suffix", ["seg.score", "sys.score"])
def test_comments_are_not_scores(tmp_path, suffix):
    path = write(tmp_path, f"m.{suffix}", "# chrF of May", "A\t1", "#B\t2", "# end", "")
    with pytest.warns(ChrfectWarning, match="comments are left out: 2 lines .*, the first being line 1"):
        [scores] = read_wmt(path)
    item = "1" if suffix == "seg.score" else ""
    assert scores.values == {Key("", "A", item): 1.0, Key("", "#B", item): 2.0}
    with (
        pytest.warns(ChrfectWarning, match="comments are left out: 1 line "),
        pytest.raises(InputFileError, match="line 3, column score: 'x' is not a number"),
    ):
        read_wmt(write(tmp_path, f"bad.{suffix}", "# chrF of May", "A\t1", "B\tx"))


@pytest.mark.parametrize(
    ("name", "line", "key"),
    [
        ("m.seg.score", "chrF en-de wmt23 news refA sysA 7 61.5", Key("en-de", "sysA", "7")),
        ("m.seg.score", "chrF en-de newstest2019 sysA 7 61.5 non-ensemble yes", Key("en-de", "sysA", "7")),
        ("m.seg.score", "chrF en-de newstest2017 sysA 7 61.5", Key("en-de", "sysA", "7")),
        ("m.seg.score", "chrF en-de wmt24 news doc1 refA sysA 7 61.5", Key("en-de", "sysA", "7")),
        ("m.sys.score", "chrF en-de wmt23 news refA sysA 61.5", Key("en-de", "sysA", "")),
        ("m.sys.score", "chrF en-de newstest2019 sysA 61.5 non-ensemble yes", Key("en-de", "sysA", "")),
    ],
)
def test_the_columns_of_each_year_are_recognised(tmp_path, name, line, key):
    [scores] = read_wmt(write(tmp_path, name, line.replace(" ", "\t")))
    assert scores.name == "chrF"
    assert scores.values == {key: 61.5}


def test_a_file_may_contain_several_metrics_and_references(tmp_path):
    path = write(
        tmp_path,
        "all.seg.score",
        *(
            f"{m}\ten-de\tt\td\t{r}\tA\t1\t{v}"
            for m, r, v in (("chrF", "refA", 1), ("chrF", "refB", 2), ("BLEU", "refA", 3))
        ),
    )
    assert [scores.name for scores in read_wmt(path)] == ["chrF-refA", "chrF-refB", "BLEU"]


def test_error_spans_become_points_lost(tmp_path):
    [scores] = read_wmt(
        write(
            tmp_path,
            "en-de.mqm.seg.rating",
            'A\t{"errors": [{"severity": "major", "category": "accuracy"}, {"severity": "minor"}]}\tr1',
            'A\t{"errors": []}\tr1',
            "A\tNone",
            'A\t{"errors": [{"severity": "minor", "category": "fluency/punctuation"}]}',
            'A\t{"errors": [{"severity": "major", "category": "non-translation!"}]}',
            'A\t{"errors": [{"severity": "minor", "score": -2.5}]}',
        )
    )
    assert list(scores.values.values()) == [-6.0, 0.0, None, -0.1, -25.0, -2.5]


@pytest.mark.parametrize(
    ("name", "lines", "said"),
    [
        ("a.seg.score", ["A\t1", "A\thigh"], "line 2, column score: 'high' is not a number"),
        ("a.seg.score", ["A\t1", "A\tinf"], "line 2, column score: the score is infinite"),
        ("a.seg.score", ["A\t1", "A\t1\t2"], "line 2 has 3 columns; system and score were expected"),
        ("a.sys.score", ["A\t1", "A\t2"], "line 2 repeats line 1: system 'A'"),
        (
            "a.seg.score",
            ["m\tp\tt\td\tr\tA\t1\t2", "m\tp\tt"],
            "line 2 has 3 columns, not those of a segment-level file",
        ),
        ("a.seg.score", ["m\tp\tt\td\tr\tA\t1\t2"] * 2, "line 2 repeats line 1: panel 'p', system 'A', item '1'"),
        ("a.seg.rating", ["A\t{}"], "line 1, column rating: a JSON object"),
        ("a.seg.rating", ['A\t{"errors": [{"severity": "bad"}]}'], "severity 'bad' is not one of critical, major"),
        ("a.seg.rating", ["A"], "line 1 has 1 columns; system, rating and rater"),
    ],
)
def test_error_names_a_line_that_cannot_be_read(tmp_path, name, lines, said):
    with pytest.raises(InputFileError, match=said):
        read_wmt(write(tmp_path, name, *lines))


def test_written_scores_round_trip(tmp_path):
    segments = Scores(
        "chrF", "x", {Key("en-de", "A", "1"): 1 / 3, Key("en-de", "A", "2"): None, Key("en-de", "B", "1"): 1e-17}
    )
    systems = Scores("chrF", "x", {Key("en-de", "A", ""): 61.123456789012345})
    for scores, name in ((segments, "m.seg.score"), (systems, "m.sys.score")):
        lines = list(write_metrics_task([scores], testset="wmt23"))
        assert {line.count("\t") for line in lines} == {7 if scores is segments else 6}
        assert read_wmt(write(tmp_path, name, *lines))[0].values == scores.values
