"""Ratings and scores of all sources are matched to panels, or an error explains the mismatch."""

import numpy as np
import pytest

from chrfect import ChrF
from chrfect.errors import ChrfectWarning, InputFileError, UsageError
from chrfect.meta import Measure, Statistic, correlate
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
    with pytest.raises(UsageError, match=r"has 2: xx-en, en-xx. Choose one with --only"):
        gather(Request(ratings=ratings, texts=texts, references=["ref"], metrics=["chrF"]))
    with pytest.raises(UsageError, match="rates whole systems, not segments: use --level system"):
        gather(request, "segment")
    missing = write("few.tsv", "segid\tref\tS1\n1\tthe cat sat\tthe cat\n")
    with pytest.raises(UsageError, match=r"2 of 3 rated systems have no column: S2, S3. Columns without ratings: none"):
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
    with pytest.raises(UsageError, match="there is no language pair 'e-f'; the pairs are a-b, c-d"):
        gather(Request(tables=[write("t.tsv", table)], scores=["m"], only="e-f"))


def test_error_counts_unmatched_ids_and_names_the_first(write):
    other = write("m.csv", "item,X,Y\n1,30,20\n")
    with pytest.raises(
        UsageError, match=r"none of the 5 ratings .* matches a score of m, the first being .*system 'A', item '1'"
    ):
        gather(Request(ratings=write("h.tsv", LONG), scores=[f"m={other}"], only=None))


def test_warns_about_scores_without_ratings_and_ratings_without_scores(write):
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
        ("A\t1\t3\t", "A\t1\tgood\t", "line 2, column human: 'good' is not a number"),
        ("A\t1\t3\t30", "A\t1\t3\tinf", "line 2, column m: the score is infinite"),
        ("A\t2\t2", "A\t1\t2", "line 3 repeats line 2: .*system 'A', item '1'"),
        ("A\t2\t2", "A\t\t2", "line 3, column item: the cell is empty"),
        ("A\t2\t2", "\t2\t2", "line 3, column system: the cell is empty"),
    ],
)
def test_error_names_file_line_and_column_of_a_bad_row(write, old, new, said):
    with pytest.raises(InputFileError, match=rf"en-de\.tsv: {said}"):
        gather(Request(tables=[write("en-de.tsv", LONG.replace(old, new, 1))], scores=["m"]))


def test_incomplete_requests_are_rejected(write):
    path = write("en-de.tsv", LONG)
    for request, said in (
        (Request(tables=[path]), "there are no metrics; specify --scores, or --metrics"),
        (Request(tables=[path], metrics=["chrF"]), "specify their columns with --references"),
        (Request(scores=["m"]), "columns are specified, but no table"),
        (
            Request(tables=[path], scores=["m"], human="da"),
            "no column 'da' of human ratings; specify it with --human. The columns are system, item, human",
        ),
        (Request(tables=[path], scores=["m"], system_column="sys"), "no column 'sys'"),
        (Request(tables=[path], scores=["m", "m"]), "the metric name 'm' is repeated"),
        (Request(tables=[path, path], scores=["m"]), "score the same panel, system and item"),
    ):
        with pytest.raises(UsageError, match=said):
            gather(request)


GAPS = "system\tsegid\thuman\tm\n" + "".join(
    f"{system}\t{item}\t{human}\t{m}\n"
    for system, scores in (("A", [(3, 30), (2, 25), (5, 41)]), ("B", [(1, 20), (4, 15), (2, 9)]))
    for item, (human, m) in zip((2, 5, 9), scores, strict=True)
)


def positions(rows, columns="A\t{}\nA\t{}\nA\t{}\nB\t{}\nB\t{}\nB\t{}\n"):
    return columns.format(*rows)


def test_scores_without_ids_follow_the_order_of_a_table_whose_ids_have_gaps(write):
    table = write("h.tsv", GAPS)
    [expected], _ = gather(Request(tables=[table], scores=["m"]))
    scores = write("m.seg.score", positions([30, 25, 41, 20, 15, 9]))
    [panel], _ = gather(Request(tables=[table], scores=[f"m={scores}"]))
    assert panel.items == ("2", "5", "9")
    assert np.array_equal(panel.metric("m"), expected.metric("m"))
    ratings = write("h.seg.score", positions([3, 2, 5, 1, 4, 2]))
    with_ids = write("m.tsv", GAPS.replace("human\tm", "x\tscore"))
    [panel], _ = gather(Request(ratings=ratings, scores=[f"m={with_ids}"]))
    assert np.array_equal(panel.human, expected.human)
    assert np.array_equal(panel.metric("m"), expected.metric("m"))


def test_rejects_scores_without_ids_that_match_no_order(write):
    table = write("h.tsv", GAPS)
    fewer = write("few.seg.score", "A\t30\nA\t25\nB\t20\nB\t15\n")
    with pytest.raises(
        UsageError,
        match=r"few\.seg\.score has no segment ids.* system 'A' has 2 rows in the former and 3 items in the latter",
    ):
        gather(Request(tables=[table], scores=[f"m={fewer}"]))
    more = write("more.seg.score", positions(range(6)) + "A\t1\nB\t2\n")
    with pytest.raises(
        UsageError, match="system 'A' has 4 rows in the former and 3 items in the latter, from '2' to '9'"
    ):
        gather(Request(tables=[table], scores=[f"m={more}"]))
    mixed = write("mixed.tsv", GAPS.replace("B\t2\t", "B\t7\t"))
    with pytest.raises(UsageError, match="cannot be matched"):
        gather(Request(tables=[mixed], scores=[f"m={write('m.seg.score', positions(range(6)))}"]))
    with pytest.raises(UsageError, match=r"few\.seg\.score has no segment ids"):
        gather(Request(ratings=write("h.seg.score", positions(range(6))), scores=[f"m={fewer}"]))


def test_scores_of_the_whole_test_set_match_ids_that_number_its_segments(write):
    scores = write(
        "m.seg.score", "".join(f"{s}\t{step * n}\n" for s, step in (("A", 10), ("B", 7)) for n in range(1, 11))
    )
    with pytest.warns(ChrfectWarning, match="14 scores of m .* match no rating"):
        [panel], _ = gather(Request(tables=[write("h.tsv", GAPS)], scores=[f"m={scores}"]))
    assert panel.metric("m").tolist() == [[20, 50, 90], [14, 35, 63]]


def test_system_files_separated_by_spaces_are_read(write):
    path = write("DA.tsv", "LP HUMAN SYSTEM\ngu-en 0.210 NICT.6603\ngu-en 0.1 online-G.0\ngu-en -0.3 UdS\n")
    scores = write("m.sys.score", "NICT.6603 3\nonline-G.0 2\nUdS 1\n")
    [panel], _ = gather(Request(tables=[path], human="HUMAN", scores=[f"m={scores}"]))
    assert (panel.name, panel.systems) == ("gu-en", ("NICT.6603", "online-G.0", "UdS"))
    assert panel.human.ravel().tolist() == [0.21, 0.1, -0.3]


def test_quotes_and_spaces_around_names_and_ratings_are_removed(write):
    plain, _ = gather(Request(tables=[write("a.tsv", LONG)], scores=["m"]))
    spaced = LONG.replace("A\t1\t3\t", 'A \t 1\t" 3"\t')
    found, _ = gather(Request(tables=[write("a.tsv", spaced)], scores=["m"]))
    assert (found[0].systems, found[0].items) == (plain[0].systems, plain[0].items)
    assert np.array_equal(found[0].human, plain[0].human, equal_nan=True)
    with pytest.raises(InputFileError, match="'0,5' is not a number; write decimals with a point"):
        gather(Request(tables=[write("b.tsv", LONG.replace("A\t1\t3\t", "A\t1\t0,5\t"))], scores=["m"]))


def test_systems_without_outputs_and_outputs_without_ratings_are_all_listed(write):
    other = write("m.csv", "item,A,D,E\n1,30,20,5\n2,25,15,1\n")
    with pytest.warns(ChrfectWarning) as caught:
        gather(Request(ratings=write("h.tsv", LONG), scores=[f"m={other}"]))
    said = " ".join(str(warning.message) for warning in caught)
    assert "Systems without any rating: D, E." in said
    assert "Systems without any score: B, C." in said


def test_warns_about_an_output_shorter_than_the_reference(write):
    ratings = write("da.tsv", "system\thuman\nS1\t0.5\nS2\t0.1\nS3\t0.3\n")
    texts = write(
        "t.tsv", "segid\tref\tS1\tS2\tS3\n1\tthe cat\tthe cat\ta\tb\n2\ta dog\ta dog\t\tc\n3\ta fox\tfox\t\td\n"
    )
    with pytest.warns(
        ChrfectWarning, match=r"outputs are empty although there is a reference.*S2 \(2, the first being item '2'"
    ):
        gather(Request(ratings=ratings, texts=texts, references=["ref"], metrics=["chrF"]))


def test_warns_about_identical_outputs_of_two_systems(write):
    table = "system\titem\thuman\tm\n" + "".join(
        f"{s}\t{i}\t{h}\t{m}\n" for s in "ABC" for i, h, m in ((1, 2, 5), (2, 1, 7 if s == "C" else 6))
    )
    with pytest.warns(ChrfectWarning, match="systems 'A' and 'B' have the same scores on every item"):
        gather(Request(tables=[write("t.tsv", table)], scores=["m"]))


def test_systems_are_excluded_by_name(write):
    path = write("en-de.tsv", LONG)
    [panel], scores = gather(Request(tables=[path], scores=["m"], metrics=["chrF"], references=["ref"], exclude=["B"]))
    assert panel.systems == ("A", "C")
    assert {key.system for one in scores for key in one.values} == {"A", "C"}
    with pytest.raises(UsageError, match=r"there is no rated system 'refA'; .* has A, B, C"):
        gather(Request(tables=[path], scores=["m"], exclude=["refA"]))
    with pytest.raises(UsageError, match="all 3 rated systems are excluded"):
        gather(Request(tables=[path], scores=["m"], exclude=["A", "B", "C"]))


DOCUMENTS = "system\titem\tdoc\tkind\thuman\tm\thypothesis\tref\n" + "".join(
    f"{system}\t{item}\td{document}\t{kind}\t{human}\t{m}\tthe {system} cat {item}\tthe cat {item}\n"
    for system, offset in (("A", 0), ("B", 2), ("C", -1))
    for item, document, kind, human, m in (
        (1, 1, "news", 3 + offset, 30 - offset),
        (2, 1, "news", 2 - offset, 25),
        (3, 2, "chat", "" if system == "B" else 1, 20 + offset),
        (4, 2, "chat", 5 + offset, 10),
    )
)


def test_each_domain_is_a_panel_with_its_own_corpus_scores(write):
    path = write("en-de.tsv", DOCUMENTS)
    request = Request(tables=[path], scores=["m"], metrics=["chrF"], references=["ref"], domain="kind")
    panels, _ = gather(request, "system")
    assert [(panel.name, panel.items) for panel in panels] == [("en-de news", ("1", "2")), ("en-de chat", ("3", "4"))]
    assert panels[1].metric("m").tolist()[0] == [20, 10]
    expected = ChrF().corpus(["the A cat 3", "the A cat 4"], ["the cat 3", "the cat 4"]).score
    assert panels[1].corpus["chrF"][0] == expected
    with pytest.raises(UsageError, match=r"no table has a column 'genre'\. The columns are system, item, doc, kind"):
        gather(Request(tables=[path], scores=["m"], domain="genre"))


def test_documents_are_the_means_of_their_rated_segments(write):
    path = write("en-de.tsv", DOCUMENTS)
    [panel], _ = gather(Request(tables=[path], scores=["m"], document="doc"))
    assert panel.items == ("d1", "d2")
    assert panel.human.tolist() == [[2.5, 3.0], [2.5, 7.0], [2.5, 2.5]]
    assert panel.metric("m").tolist() == [[27.5, 15.0], [26.5, 10.0], [28.0, 14.5]]
    assert panel.mask == "6 of 6 cells rated and scored; each item is a document, the mean of its segments"
    with pytest.raises(UsageError, match="--document requires the segment level"):
        gather(Request(tables=[path], scores=["m"], document="doc"), "system")
    moved = write("x.tsv", DOCUMENTS.replace("B\t1\td1", "B\t1\td2"))
    with pytest.raises(UsageError, match="item '1' has the docs 'd2' and 'd1'"):
        gather(Request(tables=[moved], scores=["m"], document="doc"))


def test_corpus_scores_cover_the_segments_that_are_not_rated(write):
    path = write("en-de.tsv", DOCUMENTS.replace("\t3\td2\tchat\t1\t", "\t3\td2\tchat\t\t"))
    [panel], _ = gather(Request(tables=[path], metrics=["chrF"], references=["ref"]), "system")
    hypotheses, references = ([f"the {who}cat {item}" for item in range(1, 5)] for who in ("A ", ""))
    assert panel.corpus["chrF"][0] == ChrF().corpus(hypotheses, references).score
    agreement = correlate(panel, "chrF", Measure(Statistic("accuracy"), level="system"))
    assert (agreement.segments, agreement.rated) == (4, 3)


def test_rejects_a_score_file_with_unequal_rows_of_systems(write):
    """Its rows could be the whole test set, but then every system would have as many."""
    scores = write("m.seg.score", "".join(f"{s}\t{n}\n" for s, rows in (("A", 20), ("B", 10)) for n in range(rows)))
    with pytest.raises(UsageError, match="system 'A' has 20 rows in the former and 3 items in the latter"):
        gather(Request(tables=[write("h.tsv", GAPS)], scores=[f"m={scores}"]))
