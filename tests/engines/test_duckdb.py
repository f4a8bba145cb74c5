"""SQL functions give the counts and scores of the metrics, whatever is grouped; NULL is an error."""

from collections import defaultdict

import pytest
import sacrebleu

from chrfect import Bleu, ChrF, UsageError, parse
from engine_rows import columns, rows

duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install duckdb")
pa = pytest.importorskip("pyarrow")

from chrfect.engines.duckdb import register  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::chrfect.ChrfectWarning")
FUNCTIONS = {"chrf": "chrF", "chrfp": "chrF+", "chrfpp": "chrF++", "wordf": "wordF", "bleu": "BLEU", "ter": "TER"}
RECORDS = rows(5_000)


@pytest.fixture
def connection():
    connection = duckdb.connect()
    register(connection)
    connection.register("rows", pa.table(columns(RECORDS)))
    yield connection
    connection.close()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_score_of_a_pair_is_that_of_the_metric(connection, name):
    found = connection.execute(f"SELECT {name}(hypothesis, reference) FROM rows").fetchall()
    segments = parse(FUNCTIONS[name]).segments([h for h, _, _ in RECORDS], [r for _, r, _ in RECORDS])
    assert [score for (score,) in found] == segments.scores


@pytest.mark.parametrize("name", FUNCTIONS)
def test_counts_are_those_of_the_metric(connection, name):
    found = connection.execute(f"SELECT {name}_counts(hypothesis, reference) FROM rows").fetchall()
    table = parse(FUNCTIONS[name]).count([h for h, _, _ in RECORDS], [r for _, r, _ in RECORDS])
    assert [tuple(counts) for (counts,) in found] == [counts.values for counts in table]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_sums_of_groups_are_scored_as_corpora(connection, name):
    query = f"SELECT system, {name}_score({name}_sum({name}_counts(hypothesis, reference))) FROM rows GROUP BY system"
    found = dict(connection.execute(query).fetchall())
    groups = defaultdict(list)
    for hypothesis, reference, system in RECORDS:
        groups[system].append((hypothesis, reference))
    metric = parse(FUNCTIONS[name])
    assert found == {system: metric.corpus(*zip(*own, strict=True)).score for system, own in groups.items()}


def test_thousands_of_checkpoints_are_scored_by_one_query(connection):
    checkpoints, segments = 3_000, 20
    records = rows(checkpoints * segments, seed=2)
    table = columns(records) | {"checkpoint": [i % checkpoints for i in range(len(records))]}
    connection.register("outputs", pa.table(table))
    found = connection.execute("""
        SELECT checkpoint, chrfpp_score(chrfpp_sum(chrfpp_counts(hypothesis, reference))) AS score, count(*)
        FROM outputs GROUP BY checkpoint ORDER BY checkpoint
    """).fetchall()
    assert [(number, size) for number, _, size in found] == [(i, segments) for i in range(checkpoints)]
    peer = sacrebleu.CHRF(word_order=2)
    for number, score, _ in found[::150]:
        own = records[number::checkpoints]
        assert score == peer.corpus_score([h for h, _, _ in own], [[r for _, r, _ in own]]).score
    metric = parse("chrF++")
    for number, score, _ in found:
        own = records[number::checkpoints]
        assert score == metric.corpus([h for h, _, _ in own], [r for _, r, _ in own]).score


def test_texts_are_counted_once_for_a_sum(connection, monkeypatch):
    counted = []
    original = ChrF._count
    monkeypatch.setattr(ChrF, "_count", lambda self, a, t: counted.append(len(a.hypotheses)) or original(self, a, t))
    connection.execute(
        "SELECT system, chrf_sum(chrf_counts(hypothesis, reference)) FROM rows GROUP BY system"
    ).fetchall()
    assert sum(counted) == len(RECORDS)


def test_metrics_with_parameters_have_the_names_that_are_given():
    connection = duckdb.connect()
    register(connection, {"chrf3": "chrF(beta=3)", "bleu2": Bleu(max_order=2)})
    score, bleu = connection.execute("SELECT chrf3('a cat', 'the cat'), bleu2('a cat', 'a cat sat')").fetchone()
    assert score == ChrF(beta=3).sentence("a cat", "the cat").score
    assert bleu == Bleu(max_order=2).sentence("a cat", "a cat sat").score
    with pytest.raises(duckdb.CatalogException):
        connection.execute("SELECT chrf('a', 'a')")


@pytest.mark.parametrize("function", ["chrf", "bleu_counts"])
@pytest.mark.parametrize(("arguments", "message"), [
    ("NULL, reference", "a hypothesis is NULL, beside '"),
    ("hypothesis, nullif(reference, 'the two')", "a reference is NULL, beside 'the one'"),
])  # fmt: skip
def test_null_is_an_error_that_shows_the_other_text(connection, function, arguments, message):
    connection.register("more", pa.table(columns([*RECORDS, ("the one", "the two", "A")])))
    with pytest.raises(duckdb.Error, match=f"{function}: {message}"):
        connection.execute(f"SELECT sum(len({function}({arguments})::VARCHAR)) FROM more").fetchall()


@pytest.mark.parametrize(("query", "message"), [
    ("SELECT chrf_score(NULL)", "chrf_score: counts are NULL"),
    ("SELECT chrf_score([1, 2])", "a list has another length than 18"),
    ("SELECT chrf_score(chrfpp_counts('a', 'b'))", "a list has another length than 18"),
    ("SELECT chrf_sum(c) FROM (VALUES (chrf_counts('a', 'b')), (NULL)) t(c)", "chrf_sum: counts are NULL"),
    ("SELECT chrf_score(chrf_sum(chrf_counts(hypothesis, reference))) FROM rows WHERE false", "The sum of no rows"),
])  # fmt: skip
def test_null_counts_and_other_lists_are_errors(connection, query, message):
    with pytest.raises(duckdb.Error, match=message):
        connection.execute(query).fetchall()


@pytest.mark.parametrize("suffix", ["", "_counts"])
@pytest.mark.parametrize(("arguments", "message"), [
    ("1, 'a'", r": a hypothesis is of type int32; VARCHAR was expected\."),
    ("'a', 1.5::DOUBLE", r": a reference is of type double; VARCHAR was expected, or a list of VARCHAR"),
    ("'a', 'b'::BLOB", ": a reference is of type binary; VARCHAR"),
    ("['a'], 'b'", ": a hypothesis is of type list<.*>; VARCHAR"),
    ("'a', [1]", ": a reference is of type int32; VARCHAR"),
    ("'a', []", ": a list of references is empty, beside 'a'"),
    ("'a', ['b', NULL]", r": a list of references has NULL, beside 'a'; .* list_filter\("),
    ("'a', NULL::VARCHAR[]", ": a reference is NULL, beside 'a'"),
    ("'a'", " was called with 1 argument; a hypothesis and a reference"),
    ("'a', 'b', 'c'", " was called with 3 arguments; a hypothesis and a reference"),
])  # fmt: skip
def test_other_arguments_are_errors_that_say_what_was_expected(connection, suffix, arguments, message):
    with pytest.raises(duckdb.Error, match=f"chrf{suffix}{message}"):
        connection.execute(f"SELECT chrf{suffix}({arguments})").fetchall()


def several(number):
    """Return hypotheses with one to three references each."""
    texts = [reference for _, reference, _ in RECORDS]
    return [h for h, _, _ in RECORDS[:number]], [texts[i : i + 1 + i % 3] for i in range(number)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_list_has_several_references(connection, name):
    hypotheses, lists = several(4_500)
    connection.register("several", pa.table({"hypothesis": hypotheses, "references": lists}))
    metric = parse(FUNCTIONS[name])
    found = connection.execute(f'SELECT {name}(hypothesis, "references") FROM several').fetchall()
    assert [score for (score,) in found] == metric.segments(hypotheses, references_per_segment=lists).scores
    if name == "ter":
        with pytest.raises(duckdb.Error, match=r"ter_counts: TER has other columns for several references"):
            connection.execute("SELECT ter_counts('a', ['a', 'b'])").fetchall()
        return
    query = f'SELECT {name}_score({name}_sum({name}_counts(hypothesis, "references"))) FROM several'
    assert connection.execute(query).fetchone() == (metric.corpus(hypotheses, references_per_segment=lists).score,)


@pytest.mark.parametrize(("name", "peer"), [
    ("chrfpp", sacrebleu.CHRF(word_order=2)), ("bleu", sacrebleu.BLEU()),
])  # fmt: skip
def test_columns_of_references_are_scored_as_by_sacrebleu(connection, name, peer):
    hypotheses, others = [h for h, _, _ in RECORDS[:300]], [r for _, r, _ in RECORDS[300:600]]
    streams = [[r for _, r, _ in RECORDS[:300]], others]
    connection.register("pairs", pa.table({"h": hypotheses, "a": streams[0], "b": others}))
    (score,) = connection.execute(f"SELECT {name}_score({name}_sum({name}_counts(h, [a, b]))) FROM pairs").fetchone()
    assert score == peer.corpus_score(hypotheses, streams).score


def test_texts_of_an_enum_are_texts(connection):
    connection.execute("CREATE TYPE animal AS ENUM ('a cat', 'a dog')")
    (score,) = connection.execute("SELECT chrf('a cat'::animal, ['the cat'])").fetchone()
    assert score == ChrF().sentence("a cat", "the cat").score


def test_a_sum_beyond_64_bits_is_an_error(connection):
    with pytest.raises(duckdb.Error, match=r"INT64|BIGINT|range"):
        connection.execute(f"SELECT chrf_sum({[9 * 10**18] * 18}) FROM range(2)").fetchall()


def test_no_rows_give_no_scores(connection):
    assert connection.execute("SELECT chrf(hypothesis, reference) FROM rows WHERE false").fetchall() == []
    query = "SELECT system, chrf_sum(chrf_counts(hypothesis, reference)) FROM rows WHERE false GROUP BY system"
    assert connection.execute(query).fetchall() == []


def test_functions_can_be_added_again_or_the_error_says_how():
    connection = duckdb.connect()
    connection.execute("CREATE MACRO bleu(a) AS a")
    with pytest.raises(UsageError, match=r"bleu cannot be added .*register\(connection, \{'NAME': METRIC\}\)"):
        register(connection, {"bleu": "BLEU"})
    with pytest.raises(UsageError, match="'chrF\\+\\+' is not a valid name of SQL functions"):
        register(connection, {"chrF++": "chrF++"})
    register(connection, {"chrf": "chrF"})
    register(connection, {"chrf": "chrF(beta=3)"})
    assert connection.execute("SELECT chrf('a', 'ab')").fetchone() == (ChrF(beta=3).sentence("a", "ab").score,)
