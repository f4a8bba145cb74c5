"""Ratings of several raters are averaged for each cell; unusual ratings cause a warning."""

import statistics

import pytest

from chrfect.errors import ChrfectWarning, InputFileError, UsageError
from chrfect.inference.outliers import outliers
from chrfect.meta.sources import Key, Request, gather
from chrfect.meta.sources.appraise import read_appraise
from chrfect.meta.sources.raters import Rating, combine


@pytest.fixture
def write(tmp_path):
    def to(name, text):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return to


def rated(*rows):
    return [
        Rating(line, Key("", system, item), rater, value) for line, (system, item, rater, value) in enumerate(rows, 2)
    ]


def test_a_cell_is_the_mean_over_its_raters():
    scores = combine("human", "f", rated(("A", "1", "x", 4.0), ("A", "1", "y", 5.0), ("A", "2", "x", None)))
    assert scores.values == {Key("", "A", "1"): 4.5, Key("", "A", "2"): None}


def test_warns_about_repeated_ratings_which_count_once():
    with pytest.warns(ChrfectWarning, match=r"1 ratings repeat one .* line 3: system 'A', item '1', rater 'x'"):
        scores = combine("human", "f", rated(("A", "1", "x", 2.0), ("A", "1", "x", 4.0), ("A", "1", "y", 9.0)))
    assert scores.values[Key("", "A", "1")] == 6.0


def test_warns_about_raters_on_different_scales():
    small, large = [0.1, 0.9, 0.4, 0.3, 0.8], [55.0, 90.0, 20.0, 70.0, 64.0]
    rows = [("A", str(i), "p", v) for i, v in enumerate(small)] + [("B", str(i), "q", v) for i, v in enumerate(large)]
    with pytest.warns(ChrfectWarning, match=r"raters use different scales: p 0\.1 to 0\.9, q 20 to 90\."):
        combine("human", "f", rated(*rows))
    scores = combine("human", "f", rated(*rows), standardised=True)
    for system, values in (("A", small), ("B", large)):
        mean, deviation = statistics.mean(values), statistics.stdev(values)
        found = [scores.values[Key("", system, str(i))] for i in range(5)]
        assert found == pytest.approx([(value - mean) / deviation for value in values])


def test_warns_about_an_outlying_rating_and_keeps_it():
    values = [70.0, 74.0, 71.0, 72.0, 3.0]
    with pytest.warns(ChrfectWarning, match=r"1 ratings are outliers .* system 'A', item '1', rater 'r4'"):
        scores = combine("human", "f", rated(*(("A", "1", f"r{i}", v) for i, v in enumerate(values))))
    assert scores.values[Key("", "A", "1")] == 58.0


def test_outliers_are_those_beyond_two_and_a_half_scaled_median_deviations():
    values = [0.0, 1.0, 2.0, 3.0, 4.0]  # median 2, median absolute deviation 1
    limit = 2.5 * 1.4826
    assert outliers([*values, 2.0, 2.0 + limit * 1.01]) == [6]
    assert outliers([5.0, 5.0, 5.0, 9.0]) == []
    assert outliers([1.0, 100.0]) == []


MQM = """\
system\tdoc\tseg_id\trater\tcategory\tseverity
A\td\t1\trater1\tAccuracy/Mistranslation\tMajor
A\td\t1\trater1\tFluency/Punctuation\tMinor
A\td\t1\trater2\tNo-error\tNo-error
A\td\t2\trater1\tFluency/Grammar\tMinor
A\td\t2\trater2\tStyle/Awkward\tNeutral
B\td\t1\trater1\tNon-translation!\tMajor
B\td\t1\trater2\tAccuracy/Omission\tMajor
B\td\t2\trater1\tNo-error\tno-error
"""


def test_a_table_of_errors_is_rated_by_the_mean_points_over_raters(write):
    """Points as in the guide: major 5, minor 1, minor punctuation 0.1, non-translation 25, neutral 0."""
    scores = write("m.seg.score", "A\t1\nA\t2\nB\t3\nB\t4\n")
    [panel], _ = gather(Request(ratings=write("mqm.tsv", MQM), scores=[f"m={scores}"]))
    assert panel.human.tolist() == [[(-5.1 + 0) / 2, (-1 + 0) / 2], [(-25 - 5) / 2, 0.0]]
    bad = write("bad.tsv", MQM.replace("Neutral", "Awful"))
    with pytest.raises(InputFileError, match="line 6, column rating: the severity 'awful' is not one of"):
        gather(Request(ratings=bad, scores=[f"m={scores}"]))


def test_the_columns_of_other_years_and_attention_tests_of_raters(write):
    """WMT 2022 and later number segments in `globalSegId`, and have rows of severity HOTW-test, which rate nothing."""
    table = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata\n" + "".join(
        f"{system}\td\t{item}\t{item}\trater1\ts\tt\t{category}\t{severity}\t{{}}\n"
        for system, item, category, severity in (
            ("A", 1, "Fluency/Grammar", "major"),
            ("A", 1, "Found", "HOTW-test"),
            ("A", 2, "Missed", "HOTW-test"),
            ("B", 1, "No-error", "no-error"),
            ("B", 2, "Accuracy/Addition", "minor"),
        )
    )
    scores = write("m.seg.score", "A\t1\nA\t2\nB\t3\nB\t4\n")
    with pytest.warns(ChrfectWarning, match="match no rating"):
        [panel], _ = gather(Request(ratings=write("mqm.tsv", table), scores=[f"m={scores}"]))
    assert panel.human.ravel().tolist() == pytest.approx([-5, float("nan"), 0, -1], nan_ok=True)


ESA = """\
deu01,sysA,7,TGT,eng,deu,80,doc1,False,"[{""start_i"": 3, ""severity"": ""minor""}]",1,2
deu01,sysB,7,TGT,eng,deu,60,doc1,False,[],2,3
deu02,sysA,7,TGT,eng,deu,90,doc1,False,[],1,2
deu01,sysB,7,BAD,eng,deu,5,doc1,False,[],3,4
deu01,sysA,7,TGT,eng,deu,99,doc1,True,[],4,5
deu01,sysA,7,TGT,eng,deu,40,doc2,False,[],5,6
"""


def test_exports_of_appraise_are_read_by_segment_of_each_document(write):
    found = read_appraise(write("esa.csv", ESA))
    assert [(one.key.system, one.key.item, one.rater, one.value) for one in found] == [
        ("sysA", "doc1:7", "deu01", 80.0),
        ("sysB", "doc1:7", "deu01", 60.0),
        ("sysA", "doc1:7", "deu02", 90.0),
        ("sysA", "doc2:7", "deu01", 40.0),
    ]
    assert found[0].key.panel == "eng-deu"
    plain = "u1,sysA,678,CHK,zho,eng,76,1511470503.271,1511470509.224\nu1,sysB,678,BAD,zho,eng,7,1.5,2.5\n"
    assert read_appraise(write("da.csv", plain)) == [Rating(1, Key("zho-eng", "sysA", "678"), "u1", 76.0)]
    assert read_appraise(write("table.csv", "system,item,human\nA,1,2\n")) is None
    with pytest.raises(InputFileError, match="line 2: rater, system, segment, kind of item"):
        read_appraise(write("cut.csv", plain.splitlines()[0] + "\nu1,sysB\n"))


def test_exports_of_appraise_without_times(write):
    spans = """"{'start_i': 0, 'end_i': 50, 'severity': 'major'}\""""
    esa = f"u1,sysA,0,TGT,deu,eng,20,5#1-101,False,{spans}\nu1,sysA,0,TGT,deu,eng,30,5#1-102,True,{spans}\n"
    assert read_appraise(write("esa.csv", esa)) == [Rating(1, Key("deu-eng", "sysA", "5#1-101:0"), "u1", 20.0)]
    documents = "u1,sysA,3,TGT,deu,eng,20,doc1,False\nu1,sysA,4,TGT,deu,eng,90,doc1,True\n"
    assert read_appraise(write("doc.csv", documents)) == [Rating(1, Key("deu-eng", "sysA", "doc1:3"), "u1", 20.0)]
    segments = "u1,sysA,68,TGT,eng,deu,10\nu1,sysB,8,BAD,eng,deu,40\nu1,ref,37,REF,eng,deu,80\n"
    assert read_appraise(write("da.csv", segments)) == [Rating(1, Key("eng-deu", "sysA", "68"), "u1", 10.0)]


def test_ratings_of_appraise_meet_metric_scores(write):
    scores = write(
        "m.csv", "pair,system,item,score\neng-deu,sysA,doc1:7,3\neng-deu,sysB,doc1:7,2\neng-deu,sysA,doc2:7,1\n"
    )
    [panel], _ = gather(Request(ratings=write("esa.csv", ESA), scores=[f"m={scores}"]))
    assert panel.human[0].tolist() == [85.0, 40.0]
    assert panel.human[1, 0] == 60.0


def test_raters_are_a_column(write):
    table = "system\titem\twho\thuman\tm\n" + "".join(
        f"{s}\t{i}\t{who}\t{h}\t{i}\n" for s in "AB" for i in (1, 2) for who, h in (("x", i), ("y", i + 1))
    )
    path = write("t.tsv", table)
    ratings = write("h.tsv", table.replace("\tm\n", "\tignored\n"))
    metric = write(
        "m.tsv", "system\titem\tscore\n" + "".join(f"{s}\t{i}\t{i + (s == 'B')}\n" for s in "AB" for i in (1, 2))
    )
    [panel], _ = gather(Request(ratings=ratings, scores=[f"m={metric}"], rater="who"))
    assert panel.human.tolist() == [[1.5, 2.5]] * 2
    with pytest.raises(InputFileError, match="repeats line"):
        gather(Request(tables=[path], scores=["m"]))
    with pytest.raises(UsageError, match="--standardise requires a column of raters; specify it with --rater"):
        gather(Request(tables=[path], scores=["m"], standardise=True))
