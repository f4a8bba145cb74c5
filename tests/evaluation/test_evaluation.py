"""An evaluation has the scores of its metrics, for systems, documents, buckets and runs."""

import json
from statistics import fmean, stdev

import pytest

from chrfect import Bleu, ChrF, Runs, UsageError, evaluate, evaluate_sets, parse

REFERENCES = ["the cat sat on the mat", "a dog", "well", "it rains again today", "he said so"]
SYSTEMS = {
    "A": ["the cat sat on a mat", "a dog", "x", "it is raining today", "he said so"],
    "B": ["a cat is on the mat", "dog", "", "rain", "she said it"],
}
DOCUMENTS = ["one", "two", "one", "two", "two"]
METRICS = ["chrF", "chrF++", "BLEU(tokenize=none)"]


@pytest.fixture(scope="module")
def found():
    return evaluate(SYSTEMS, REFERENCES, METRICS, documents=DOCUMENTS, by=["length", "reference-length"])


def test_scores_are_those_of_the_metrics(found):
    assert (found.systems, found.segment_count) == (("A", "B"), 5)
    for name, texts in SYSTEMS.items():
        for metric in map(parse, METRICS):
            expected = metric.both(texts, REFERENCES)
            score = found.score(name, metric)
            assert (score.score, score.mean_segment_score) == (expected.score, expected.mean_segment_score)
            assert score.runs == (expected,)
            assert score.deviation is None
    assert found.signatures == tuple(parse(metric).corpus(SYSTEMS["A"], REFERENCES).signature for metric in METRICS)


def test_a_document_is_the_corpus_of_its_segments(found):
    for score in found.scores:
        groups = score.groups["document"]
        assert [group.label for group in groups] == ["one", "two"]
        for group in groups:
            places = [i for i, label in enumerate(DOCUMENTS) if label == group.label]
            part = score.metric.both([SYSTEMS[score.system][i] for i in places], [REFERENCES[i] for i in places])
            assert (group.segments, group.score) == (len(places), part.score)
            assert group.mean_segment_score == pytest.approx(part.mean_segment_score)
        assert score.group_mean("document") == pytest.approx(fmean(group.score for group in groups))


def test_buckets_group_segments_by_length(found):
    lengths = {"length": SYSTEMS["B"], "reference-length": REFERENCES}
    for name, texts in lengths.items():
        groups = found.score("B", "chrF").groups[name]
        places = {"0-10": [i for i, t in enumerate(texts) if len(t) <= 10]}
        places["11-25"] = [i for i, t in enumerate(texts) if 11 <= len(t) <= 25]
        assert [(group.label, group.segments) for group in groups] == [(k, len(v)) for k, v in places.items()]
        for group in groups:
            chosen = places[group.label]
            part = ChrF().corpus([SYSTEMS["B"][i] for i in chosen], [REFERENCES[i] for i in chosen])
            assert group.score == part.score


def test_custom_labels_keep_their_name():
    found = evaluate(SYSTEMS, REFERENCES, by={"domain": [1, 1, 2, 2, 2]})
    assert [group.label for group in found.score("A").groups["domain"]] == [1, 2]
    assert found.group_records()[0]["group"] == "domain"


def test_several_references_are_chosen_from_for_each_metric():
    references = {"r1": REFERENCES, "r2": [None, "the dog", "x", None, "he says"]}
    found = evaluate(SYSTEMS, references, METRICS, documents=DOCUMENTS, by="reference-length")
    per_segment = [[text for text in row if text is not None] for row in zip(*references.values(), strict=True)]
    again = evaluate(SYSTEMS, references_per_segment=per_segment, metrics=METRICS)
    for score, same in zip(found.scores, again.scores, strict=True):
        expected = score.metric.corpus(SYSTEMS[score.system], references)
        assert score.score == same.score == expected.score
        assert (
            score.groups["document"][1].score
            == score.metric.corpus(
                [SYSTEMS[score.system][i] for i in (1, 3, 4)],
                {name: [texts[i] for i in (1, 3, 4)] for name, texts in references.items()},
            ).score
        )


def test_runs_have_a_mean_and_a_deviation():
    runs = [SYSTEMS["A"], SYSTEMS["B"], REFERENCES]
    found = evaluate(
        {"A": Runs(*runs), "B": [*SYSTEMS["B"][:4], "she"]},
        REFERENCES,
        ["chrF", "BLEU(tokenize=none)"],
        documents=DOCUMENTS,
    )
    for metric in (ChrF(), Bleu(tokenize="none")):
        scores = [metric.corpus(run, REFERENCES).score for run in runs]
        score = found.score("A", metric)
        assert score.score == pytest.approx(fmean(scores))
        assert score.deviation == pytest.approx(stdev(scores))
        first = [metric.corpus([run[0], run[2]], [REFERENCES[0], REFERENCES[2]]).score for run in runs]
        assert score.groups["document"][0].score == pytest.approx(fmean(first))


def test_generators_are_read_once():
    found = evaluate({name: iter(texts) for name, texts in SYSTEMS.items()}, iter(REFERENCES), "chrF")
    assert [score.score for score in found.scores] == [ChrF().corpus(t, REFERENCES).score for t in SYSTEMS.values()]


def test_intervals_bracket_the_score_and_depend_on_the_seed(found):
    one = found.with_intervals(trials=200, threads=1)
    assert one == found.with_intervals(trials=200, threads=2)
    assert one != found.with_intervals(trials=200, seed=1)
    for method in ("percentile", "bca"):
        for score in found.with_intervals(method, level=0.9, trials=300).scores:
            bounds = score.interval
            assert bounds.lower <= score.score <= bounds.upper
            assert (bounds.method, bounds.level, bounds.trials, bounds.seed) == (method, 0.9, 300, 12345)


def test_test_sets_have_a_macro_average():
    sets = {
        "news": {"systems": SYSTEMS, "references": REFERENCES, "documents": DOCUMENTS},
        "talks": {
            "systems": {"B": ["hi"], "C": ["ho"], "A": ["hi there my old friend"]},
            "references": ["hi there my old friend"],
        },
    }
    found = evaluate_sets(sets, METRICS[:2])
    means = found.means()
    assert {system for system, _ in means} == {"A", "B"}
    expected = (ChrF().corpus(SYSTEMS["A"], REFERENCES).score + 100) / 2
    assert means["A", "chrF"] == pytest.approx(expected)
    assert len(found.records()) == 2 * (2 + 3)
    compared = found.compare("B", trials=50, resamples=50)
    assert [difference.system for difference in compared["talks"].differences[:2]] == ["C", "A"]
    json.dumps(found.to_dict(), allow_nan=False)


def test_evaluations_convert_to_tables(found):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    shown = found.with_intervals(trials=20)
    records = shown.records()
    assert isinstance(shown.to_pandas(), pandas.DataFrame)
    assert shown.to_pandas()["score"].tolist() == [record["score"] for record in records]
    assert shown.to_polars().to_dicts() == records
    assert isinstance(shown.to_polars(), polars.DataFrame)
    assert shown.to_arrow().to_pylist() == records
    html = shown._repr_html_()
    assert html.count('<tr role="row">') == 1 + len(shown.systems)
    assert '<th role="columnheader" scope="col">chrF++</th>' in html
    escaped = evaluate({"<b>&": SYSTEMS["A"]}, REFERENCES)._repr_html_()
    assert "<bdi>&lt;b&gt;&amp;</bdi>" in escaped
    assert repr(shown) == "<Evaluation of 2 systems over 5 segments: chrF, chrF++, BLEU(tokenize=none)>"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({}, REFERENCES), "systems is empty"),
        ((["a"], REFERENCES), "systems is a list"),
        (({1: SYSTEMS["A"]}, REFERENCES), "1 in systems is a int"),
        (({"A": ["x"]}, REFERENCES), r"System 'A': .*1.*5"),
        (({"A": Runs(SYSTEMS["A"], ["x"])}, REFERENCES), "System 'A', run 2:"),
        ((SYSTEMS, REFERENCES, []), "metrics is empty"),
        ((SYSTEMS, REFERENCES, ["chrF", "chrF"]), "A metric is given twice: chrF, chrF"),
    ],
)
def test_rejects_input_that_cannot_be_evaluated(arguments, message):
    with pytest.raises(UsageError, match=message):
        evaluate(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"documents": ["a"]}, "documents has 1 labels for 5 segments"),
        ({"documents": "abcde"}, "documents is a str"),
        ({"by": "size"}, "by is 'size'"),
        ({"by": {"domain": [1]}}, r"by\['domain'\] has 1 labels"),
    ],
)
def test_rejects_a_wrong_number_of_labels(options, message):
    with pytest.raises(UsageError, match=message):
        evaluate(SYSTEMS, REFERENCES, **options)


def test_rejects_unknown_names(found):
    with pytest.raises(UsageError, match="no system 'C'; one of A, B"):
        found.score("C", "chrF")
    with pytest.raises(UsageError, match="Name one of the metrics chrF, "):
        found.score("A")
    with pytest.raises(UsageError, match="'wordF' was not measured"):
        found.score("A", "wordF")
    with pytest.raises(UsageError, match="no run"):
        Runs()
    with pytest.raises(UsageError, match="Test set news: systems is empty"):
        evaluate_sets({"news": {"systems": {}, "references": []}})
    with pytest.raises(UsageError, match=r"Test set news: .*unexpected keyword"):
        evaluate_sets({"news": {"system": {}}})
