"""chrf-components compared with the other chrF tools, the results of chrF++.py, and sacreBLEU."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from sacrebleu.metrics import CHRF

import oracle
from chrfect import ContractError, catalogue
from chrfect.files.texts import read_aligned
from strategies import corpora


def run(tool, hypotheses, references, **parameters):
    return catalogue.run(tool, "1.0.0", {"hypotheses": list(hypotheses), "references": list(references), **parameters})


@given(corpora(), st.integers(1, 16), st.booleans())
def test_scores_equal_those_of_chrf_compute_and_chrf_plus_plus_compute(pairs, beta, lowercase):
    hypotheses, references = zip(*pairs, strict=True)
    for tool, word_order in [("chrf-compute", 0), ("chrf-plus-plus-compute", 2)]:
        founding = run(tool, hypotheses, references, beta=beta, lowercase=lowercase)
        broken_down = run(
            "chrf-components", hypotheses, references, word_order=word_order, beta=beta, lowercase=lowercase
        )
        assert broken_down["metric"] == founding["metric"]
        assert broken_down["score"] == founding["score"]
        assert broken_down["score_fraction"] == founding["score_fraction"]
        assert [segment["score"] for segment in broken_down["segments"]] == founding["segment_scores"]


parameters = st.fixed_dictionaries(
    {
        "char_order": st.integers(0, 24),
        "word_order": st.integers(0, 8),
        "beta": st.integers(1, 16),
        "whitespace": st.sampled_from(["remove", "keep"]),
        "averaging": st.sampled_from(["mean_precision_recall", "per_order_f"]),
    }
).filter(lambda drawn: drawn["char_order"] or drawn["word_order"])


@given(corpora(max_segments=3), parameters)
def test_counts_and_score_equal_the_naive_oracle(pairs, drawn):
    answer = run("chrf-components", *zip(*pairs, strict=True), **drawn)
    orders = drawn["char_order"], drawn["word_order"], drawn["whitespace"] == "keep"
    rows = [oracle.row(hypothesis, reference, *orders) for hypothesis, reference in pairs]
    for row, written in [*zip(rows, answer["segments"], strict=True), (oracle.total(rows), answer)]:
        score = oracle.score(row, drawn["beta"], drawn["averaging"])
        assert written["score_fraction"] == f"{score.numerator}/{score.denominator}"
        assert written["score"] == oracle.six_decimals(score)
    flat = [[value for counts in segment["counts"] for value in counts] for segment in answer["segments"]]
    assert rows == flat


@given(corpora(max_segments=3), st.sampled_from(["mean_precision_recall", "per_order_f"]), st.integers(0, 3))
def test_orders_are_the_sums_of_the_segments_and_their_ratios(pairs, averaging, word_order):
    hypotheses, references = zip(*pairs, strict=True)
    answer = run("chrf-components", hypotheses, references, averaging=averaging, word_order=word_order, beta=3)
    for i, order in enumerate(answer["orders"]):
        sums = [sum(column) for column in zip(*(s["counts"][i] for s in answer["segments"]), strict=True)]
        h, r, m = order["hypothesis_ngrams"], order["reference_ngrams"], order["matches"]
        assert [h, r, m] == sums
        assert order["effective"] == (h > 0 and r > 0)
        precision = Fraction(100 * m, h) if h else None
        recall = Fraction(100 * m, r) if r else None
        f = None
        if precision is not None and recall is not None:
            f = 10 * precision * recall / (9 * precision + recall) if m else Fraction(0)
        for name, exact in [("precision", precision), ("recall", recall), ("f", f)]:
            assert order[f"{name}_fraction"] == (None if exact is None else f"{exact.numerator}/{exact.denominator}")
            assert order[name] == (None if exact is None else oracle.six_decimals(exact))
    if averaging == "per_order_f":
        assert answer["precision_fraction"] is answer["recall_fraction"] is None


@given(st.lists(st.tuples(st.text("ab c.", max_size=30), st.text("ab c.", min_size=12, max_size=30)), min_size=1))
def test_per_order_f_equals_eps_smoothing_of_sacrebleu(pairs):
    """Segments always; a corpus as long as no reference is too short, which the contract counts otherwise."""
    hypotheses, references = zip(*pairs, strict=True)
    answer = run("chrf-components", hypotheses, references, word_order=2, averaging="per_order_f")
    peer = CHRF(word_order=2, eps_smoothing=True)
    for h, r, segment in zip(hypotheses, references, answer["segments"], strict=True):
        assert float(segment["score"]) == pytest.approx(peer.sentence_score(h, [r]).score, abs=6e-7)
    if all(counts[1] for segment in answer["segments"] for counts in segment["counts"]):
        expected = peer.corpus_score(list(hypotheses), [list(references)]).score
        assert float(answer["score"]) == pytest.approx(expected, abs=6e-7)


@pytest.mark.parametrize(
    ("language", "parameters", "document", "mean"),
    [
        ("en", {"word_order": 2}, "54.9482", "52.1829"),
        ("ru", {"word_order": 2}, "42.2905", "42.6974"),
        ("zh", {"word_order": 0}, "32.6986", "33.5167"),
        ("en", {"word_order": 2, "beta": 1}, "53.9267", "50.9922"),
    ],
)
def test_per_order_f_gives_the_figures_of_the_original_tool(data, language, parameters, document, mean):
    texts = read_aligned([str(data / "chrf-examples" / f"example.{side}.{language}") for side in ("hyp", "ref")])
    answer = run("chrf-components", *texts, averaging="per_order_f", **parameters)
    scores = [Fraction(segment["score_fraction"]) for segment in answer["segments"]]
    assert f"{float(Fraction(answer['score_fraction'])):.4f}" == document
    assert f"{float(sum(scores) / len(scores)):.4f}" == mean


def test_the_segments_of_the_original_tools_english_example(data):
    texts = read_aligned([str(data / "chrf-examples" / f"example.{side}.en") for side in ("hyp", "ref")])
    answer = run("chrf-components", *texts, averaging="per_order_f", word_order=2)
    assert [f"{float(Fraction(segment['score_fraction'])):.4f}" for segment in answer["segments"]] == (
        ["64.0368", "70.8799", "21.5461", "31.9252", "44.5054", "45.0953", "45.6882", "54.8102", "81.0330", "62.3084"]
    )


def test_the_two_averagings_are_two_formulas(data):
    texts = read_aligned([str(data / "chrf-examples" / f"example.{side}.zh") for side in ("hyp", "ref")])
    scores = [
        Fraction(run("chrf-components", *texts, word_order=2, averaging=averaging)["score_fraction"])
        for averaging in ("mean_precision_recall", "per_order_f")
    ]
    assert [f"{float(score):.4f}" for score in scores] == ["28.0274", "24.5239"]


@pytest.mark.parametrize(
    ("orders", "name"),
    [((6, 0), "chrF"), ((6, 1), "chrF+"), ((6, 2), "chrF++"), ((0, 1), "wordF"), ((0, 8), "wordF"), ((6, 3), "custom")],
)
def test_the_metric_is_named_by_its_orders_alone(orders, name):
    answer = run("chrf-components", ["a"], ["a"], char_order=orders[0], word_order=orders[1], whitespace="keep")
    assert answer["metric"] == name


odd = st.sampled_from([None, True, -1, 0, 1, 8, 9, 24, 25, 2.0, 2.5, "remove", "keep", "per_order_f", [], 10**30])
RANGES = {"char_order": range(25), "word_order": range(9), "beta": range(1, 17)}
NAMED = {"whitespace": ["remove", "keep"], "averaging": ["mean_precision_recall", "per_order_f"]}
ORDER = ["char_order", "word_order", "beta", "lowercase", "whitespace", "averaging"]


def first_violated(parameters):
    for name in ORDER:
        given_value = parameters.get(name)
        if name in parameters:
            if name in RANGES:
                wrong = type(given_value) not in (int, float) or given_value not in RANGES[name]
            elif name == "lowercase":
                wrong = type(given_value) is not bool
            else:
                wrong = given_value not in NAMED[name]
            if wrong:
                return f"invalid_{name}", f"/{name}"
        if name == "word_order" and not parameters.get("char_order", 6) and not parameters.get("word_order", 0):
            return "no_orders", ""
    return None


@settings(max_examples=600)
@given(st.fixed_dictionaries({}, optional=dict.fromkeys(ORDER, odd)))
def test_parameters_are_checked_in_the_order_of_the_schema(parameters):
    try:
        run("chrf-components", ["a"], ["b"], **parameters)
        found = None
    except ContractError as error:
        found = error.code, error.pointer
    assert found == first_violated(parameters)
    schema = Draft202012Validator(catalogue.contract("chrf-components", "1.0.0")["input_schema"])
    if found is None or found[0] != "no_orders":
        assert schema.is_valid({"hypotheses": ["a"], "references": ["b"], **parameters}) == (found is None)
