"""Ratings and scores from everywhere meet in the same panels, or it is said why they do not."""

import numpy as np
import pytest

from chrfect import ChrF
from chrfect.errors import ChrfectWarning, InputFileError, UsageError
from chrfect.meta.sources import Request, gather

LONG = "system\titem\thuman\tm\thypothesis\tref\n" + "".join(
    f"{system}\t{item}\t{human}\t{m}\tthe {system} cat {item}\tthe cat {item}\n"
    for system, item, human, m in [
        ("A", 1, 3, 30),
        ("A", 2, 2, 25),
        ("B", 1, 1, 20),
        ("B", 2, "", 15),
        ("C", 1, 2, 5),
        ("C", 2, 4, 1),
    ]
)


@pytest.fixture
def write(tmp_path):
    def to(name, text):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return to


def test_a_long_table_with_scores(write):
    [panel], _ = gather(Request(tables=[write("en-de.tsv", LONG)], scores=["m"]))
    assert (panel.name, panel.systems, panel.items) == ("en-de", ("A", "B", "C"), ("1", "2"))
    assert np.array_equal(panel.human, [[3, 2], [1, np.nan], [2, 4]], equal_nan=True)
    assert np.array_equal(panel.metric("m"), [[30, 25], [20, np.nan], [5, 1]], equal_nan=True)


def test_a_long_table_with_texts(write):
    path = write("en-de.tsv", LONG)
    [panel], scores = gather(Request(tables=[path], metrics=["chrF", "chrF++"], references=["ref"]))
    assert panel.metric("chrF")[0, 0] == ChrF().sentence("the A cat 1", "the cat 1").score
    assert [one.name for one in scores] == ["chrF", "chrF++"]


def test_an_empty_reference_cell_is_a_missing_reference(write):
    path = write("t.tsv", "human\thypothesis\tr1\tr2\n1\ta cat\ta cat\t\n2\ta dog\ta cat\ta dog\n3\tx y\ta cat\tx\n")
    [panel], _ = gather(Request(tables=[path], metrics=["chrF"], references=["r1", "r2"]))
    assert panel.metric("chrF")[0, :2].tolist() == [100.0, 100.0]
    assert panel.items == ("1", "2", "3")


def test_wide_scores_beside_long_ratings(write):
    wide = write("m.csv", "item,A,B,C\n1,30,20,5\n2,25,15,1\n")
    [panel], _ = gather(Request(ratings=write("h.tsv", LONG), scores=[f"m={wide}"]))
    [expected], _ = gather(Request(tables=[write("h.tsv", LONG)], scores=["m"]))
    assert np.array_equal(panel.metric("m"), expected.metric("m"), equal_nan=True)


def test_a_metric_that_names_its_parameters_is_a_column_or_names_a_file(write):
    path = write("en-de.tsv", LONG.replace("\tm\t", "\tchrF(beta=3)\t"))
    wide = write("m.csv", "item,A,B,C\n1,30,20,5\n2,25,15,1\n")
    [panel], _ = gather(Request(tables=[path], scores=["chrF(beta=3)", f"wordF(beta=1,lowercase=yes)={wide}"]))
    assert list(panel.metrics) == ["chrF(beta=3)", "wordF(beta=1,lowercase=yes)"]
    assert np.array_equal(*panel.metrics.values(), equal_nan=True)


def test_wide_ratings_and_wmt_scores(write):
    ratings = write("h.tsv", "item\tA\tB\n1\t3\t1\n2\t2\tNone\n")
    scores = write("m.seg.score", "A\t30\nA\t25\nB\t20\nB\t15\n")
    [panel], _ = gather(Request(ratings=ratings, scores=[f"chrF={scores}"]))
    assert panel.name == "all"
    assert np.array_equal(panel.metric("chrF"), [[30, 25], [20, np.nan]], equal_nan=True)


def test_wide_texts_against_ratings_of_systems_are_scored_as_corpora(write):
    ratings = write("da.tsv", "lp\tsystem\thuman\nxx-en\tS1\t0.5\nxx-en\tS2\t0.1\nxx-en\tS3\t0.2\nen-xx\tS1\t9\n")
    texts = write(
        "t.tsv",
        "segid\tsource\tref\tS1\tS2\tS3\n1\t-\tthe cat sat\tthe cat\ta dog\tcat sat\n2\t-\ta dog\ta dog\ta\tdog\n",
    )
    request = Request(ratings=ratings, texts=texts, references=["ref"], metrics=["chrF"], only="xx-en")
    [panel], _ = gather(request)
    expected = ChrF().corpus(["the cat", "a dog"], ["the cat sat", "a dog"]).score
    assert panel.items == ("",)
    assert panel.metric("chrF")[0, 0] == expected
    with pytest.raises(UsageError, match=r"rates 2: xx-en, en-xx. Choose one with --only"):
        gather(Request(ratings=ratings, texts=texts, references=["ref"], metrics=["chrF"]))
    with pytest.raises(UsageError, match="rates whole systems, not segments: use --level system"):
        gather(request, "segment")
    missing = write("few.tsv", "segid\tref\tS1\n1\tthe cat sat\tthe cat\n")
    with pytest.raises(UsageError, match="2 of 3 rated systems have no column, the first being 'S2'"):
        gather(Request(ratings=ratings, texts=missing, references=["ref"], metrics=["chrF"], only="xx-en"))


def test_wide_texts_against_ratings_of_segments(write):
    ratings = write("h.tsv", "system\titem\thuman\nA\ts1\t1\nA\ts2\t2\nB\ts1\t3\nB\ts2\t\n")
    texts = write("t.tsv", "item\tref\tA\tB\nx0\tz\tz\tz\ns1\tthe cat\ta cat\tthe cat\ns2\ta dog\tdog\ta dog\n")
    with pytest.warns(ChrfectWarning, match="2 scores of chrF .* match no rating .* item 'x0'"):
        [panel], _ = gather(Request(ratings=ratings, texts=texts, references=["ref"], metrics=["chrF"]))
    expected = [
        ChrF().sentence(h, r).score for h, r in (("a cat", "the cat"), ("dog", "a dog"), ("the cat", "the cat"))
    ]
    assert panel.metric("chrF")[[0, 0, 1], [0, 1, 0]].tolist() == expected
    assert np.isnan(panel.metric("chrF")[1, 1])


def test_scores_of_systems_are_compared_with_mean_ratings(write):
    [panel], _ = gather(
        Request(
            ratings=write("h.tsv", LONG),
            scores=[f"m={write('m.sys.score', 'A 3' + chr(10) + 'B 2' + chr(10) + 'C 1')}"],
        )
    )
    assert panel.human.ravel().tolist() == [2.5, 1.0, 3.0]


def test_a_column_of_pairs_makes_panels(write):
    table = "pair\tsystem\titem\thuman\tm\n" + "".join(
        f"{p}\t{s}\t1\t{s}\t{s}\n" for p in ("a-b", "c-d") for s in (1, 2, 3)
    )
    panels, _ = gather(Request(tables=[write("t.tsv", table)], scores=["m"]))
    assert [panel.name for panel in panels] == ["a-b", "c-d"]
    with pytest.raises(UsageError, match="nothing is of 'e-f'; there are: a-b, c-d"):
        gather(Request(tables=[write("t.tsv", table)], scores=["m"], only="e-f"))


def test_ids_that_match_nothing_are_counted_and_the_first_is_named(write):
    other = write("m.csv", "item,X,Y\n1,30,20\n")
    with pytest.raises(
        UsageError, match=r"none of the 5 ratings .* matches a score of m, the first being .*system 'A', item '1'"
    ):
        gather(Request(ratings=write("h.tsv", LONG), scores=[f"m={other}"], only=None))


def test_scores_without_a_rating_and_ratings_without_a_score_are_warned_of(write):
    more = write("m.csv", "item,A,B,C,D\n1,30,20,5,9\n2,25,15,1,9\n")
    with pytest.warns(
        ChrfectWarning, match=r"2 scores of m .* match no rating of .*, the first being .*system 'D', item '1'"
    ):
        gather(Request(ratings=write("h.tsv", LONG), scores=[f"m={more}"]))
    fewer = write("f.csv", "item,A,B\n1,30,20\n2,25,15\n")
    with pytest.warns(
        ChrfectWarning, match=r"m has no score for 2 of 5 rated cells, the first being system 'C', item '1'"
    ):
        gather(Request(ratings=write("h.tsv", LONG), scores=[f"m={fewer}"]))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("A\t1\t3\t", "A\t1\tgood\t", "line 2, column human: 'good' is no number"),
        ("A\t1\t3\t30", "A\t1\t3\tinf", "line 2, column m: the score is infinite"),
        ("A\t2\t2", "A\t1\t2", "line 3 repeats line 2: .*system 'A', item '1'"),
        ("A\t2\t2", "A\t\t2", "line 3, column item: the cell is empty"),
        ("A\t2\t2", "\t2\t2", "line 3, column system: the cell is empty"),
    ],
)
def test_a_bad_row_is_named_by_file_line_and_column(write, old, new, said):
    with pytest.raises(InputFileError, match=rf"en-de\.tsv: {said}"):
        gather(Request(tables=[write("en-de.tsv", LONG.replace(old, new, 1))], scores=["m"]))


def test_requests_that_say_too_little_are_refused(write):
    path = write("en-de.tsv", LONG)
    for request, said in (
        (Request(tables=[path]), "nothing to compare with the ratings: give --scores, or --metrics"),
        (Request(tables=[path], metrics=["chrF"]), "name their columns with --references"),
        (Request(scores=["m"]), "no table is given that has them"),
        (
            Request(tables=[path], scores=["m"], human="da"),
            "no column 'da' of human ratings; name it with --human. There are: system, item, human",
        ),
        (Request(tables=[path], scores=["m"], system_column="sys"), "no column 'sys'"),
        (Request(tables=[path], scores=["m", "m"]), "metric 'm' is given more than once"),
        (Request(tables=[path, path], scores=["m"]), "score the same panel, system and item"),
    ):
        with pytest.raises(UsageError, match=said):
            gather(request)
