import pickle
import random
from array import array

import numpy as np
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chrfect import Bleu, ChrF, Counts, CountTable, UsageError, kernels, parse
from realdata import read_tsv
from strategies import corpora, texts

PLUS = ChrF(word_order=2)


def split(pairs):
    return map(list, zip(*pairs, strict=True))


@st.composite
def referenced(draw):
    """Return hypotheses and lists of references, of which there are one to three each."""
    segments = draw(st.lists(st.tuples(texts(), st.lists(texts(), min_size=1, max_size=3)), min_size=1, max_size=5))
    return [hypothesis for hypothesis, _ in segments], [references for _, references in segments]


@given(corpora())
def test_rows_are_the_counts_of_the_segments_and_their_sum_that_of_the_corpus(pairs):
    hypotheses, references = split(pairs)
    table = PLUS.count(hypotheses, references)
    assert [counts.values for counts in table] == [
        PLUS.sentence(h, r).counts.values for h, r in zip(hypotheses, references, strict=True)
    ]
    assert table.sum() == PLUS.corpus(hypotheses, references).counts
    assert PLUS.score(table) == PLUS.corpus(hypotheses, references)


@given(corpora(), st.data())
def test_parts_of_a_table_add_up_to_the_table(pairs, data):
    table = PLUS.count(*split(pairs))
    cut = data.draw(st.integers(0, len(pairs)))
    assert table[:cut] + table[cut:] == table
    assert table[:cut].sum() + table[cut:].sum() == table.sum()
    groups = data.draw(st.lists(st.sampled_from("ab"), min_size=len(pairs), max_size=len(pairs)))
    documents = table.sum_by(groups)
    for label, counts in zip(documents.labels, documents, strict=True):
        rows = [row for row, group in zip(table, groups, strict=True) if group == label]
        assert counts.values == tuple(map(sum, zip(*(row.values for row in rows), strict=True)))
        assert counts.segments == len(rows)
    assert documents.sum() == table.sum()


@given(referenced(), st.sampled_from(["chrF", "chrF+", "chrF++(beta=1)", "wordF", "chrF(averaging=per_order_f)"]))
def test_projected_table_equals_a_new_count(segments, name):
    hypotheses, references = segments
    metric = parse(name)
    table = PLUS.count(hypotheses, references_per_segment=references) if name != "wordF" else None
    if table is None:
        table = ChrF(word_order=4).count(hypotheses, references_per_segment=references)
    own = metric.count(hypotheses, references_per_segment=references)
    assert table.project(metric) == own
    both = metric.both(hypotheses, references_per_segment=references)
    assert metric.score(table.project(metric)) == metric.score(own)
    assert own.choose(metric) == both.segments.table
    assert metric.score(own).counts == both.counts


@given(referenced())
def test_each_segment_keeps_the_row_of_the_first_best_reference(segments):
    hypotheses, references = segments
    chosen = PLUS.count(hypotheses, references_per_segment=references).choose(PLUS)
    for i, (hypothesis, of_segment) in enumerate(zip(hypotheses, references, strict=True)):
        scores = [PLUS.sentence(hypothesis, reference).score for reference in of_segment]
        best = scores.index(max(scores))
        assert chosen[i].values == PLUS.sentence(hypothesis, of_segment[best]).counts.values
        assert chosen.origins is None or chosen.origins[i] == best


def test_chosen_references_depend_on_beta(data):
    """On Multi30k with four references, beta 1 chooses another in 180 of 1,000 segments, chrF++ in 81."""
    (path,) = (data / "multi30k").glob("*.5captions.en.tsv")
    captions = [list(row.values()) for row in read_tsv(path)]
    hypotheses, references = [row[0] for row in captions], [row[1:] for row in captions]
    table = PLUS.count(hypotheses, references_per_segment=references)
    chosen = [table.project(m).choose(m).origins for m in (ChrF(), ChrF(beta=1), PLUS)]
    differing = [sum(a != b for a, b in zip(chosen[0], other, strict=True)) for other in chosen[1:]]
    assert (len(captions), differing) == (1000, [180, 81])


def test_rejects_other_betas_and_projections_after_the_choice():
    table = PLUS.count(["a b"], references_per_segment=[["a c", "b a"]])
    chosen = table.choose(PLUS)
    assert chosen.recipe.choice == "chrF++"
    with pytest.raises(UsageError, match=r"chosen by chrF\+\+\. Project the table before choosing"):
        chosen.project(ChrF())
    with pytest.raises(UsageError, match=r"chrF\+\+\(beta=1\) cannot score these counts: .* chosen by chrF\+\+"):
        ChrF(word_order=2, beta=1).score(chosen)
    with pytest.raises(UsageError, match=r"choose\(metric\) first"):
        table.sum()
    for use in (lambda: table[0], lambda: table.sum_by(["a"]), lambda: list(table)):
        with pytest.raises(UsageError, match="choose"):
            use()


def test_tables_with_one_reference_can_be_added_to_any():
    single, other = PLUS.count(["a b"], ["a c"]), PLUS.count(["b"], references_per_segment=[["a", "b"]])
    assert len(single + other) == len(other + single) == 2
    assert (single + other).choose(PLUS).sum() == single.sum() + other.choose(PLUS).sum()
    assert (single + other).references == "var"
    chosen, by_beta = other.choose(PLUS), other.choose(ChrF(word_order=2, beta=1))
    assert (single + chosen).recipe.choice == "chrF++"
    assert (single.sum() + chosen.sum()).recipe.choice == "chrF++"
    with pytest.raises(UsageError, match=r"chosen by chrF\+\+, those of the other by chrF\+\+\(beta=1\)"):
        chosen + by_beta
    with pytest.raises(UsageError, match="those of another were not chosen"):
        chosen + other


def test_rows_convert_from_count_to_drop_but_sums_do_not():
    count, drop = ChrF(word_order=2, unreferenced="count"), PLUS
    texts_ = ["I see .", "hello there", "", "x"], ["I see.", "hi", "abc", ""]
    table = count.count(*texts_)
    assert table.project(drop) == drop.count(*texts_)
    with pytest.raises(UsageError, match="unreferenced is count in one and drop in the other"):
        table.sum_by([1, 1, 2, 2]).project(drop)
    with pytest.raises(UsageError, match="unreferenced is drop in one and count in the other"):
        drop.count(*texts_).project(count)


def test_bleu_scores_sums_by_the_corpus_rule_and_rows_by_the_rule_for_segments():
    metric = Bleu(tokenize="none")
    table = metric.count(["a b"], ["a b"])
    assert metric.corpus(["a b"], ["a b"]).score == metric.score(table).score == metric.scores(table)[0] == 0.0
    assert metric.segmental.scores(table) == metric.segments(["a b"], ["a b"]).scores
    assert metric.segments(["a b"], ["a b"]).score_texts == ["100.000000"]
    assert metric.segments(["a b"], ["a b"])[0].signature.startswith("BLEU(tokenize=none)|references:1|")


def test_error_names_both_metrics_if_counts_are_of_another_one():
    with pytest.raises(UsageError, match="chrF cannot score these counts: they were counted for BLEU"):
        ChrF().score(Bleu(tokenize="none").count(["a"], ["b"]))
    with pytest.raises(UsageError, match="chrF cannot score these counts: they were counted for BLEU"):
        ChrF().scores(Bleu(tokenize="none").count(["a"], ["b"]))
    with pytest.raises(UsageError, match="counts is a tuple; a CountTable or Counts was expected"):
        ChrF().score((1, 2, 3))


@pytest.mark.parametrize(
    ("metric", "suggested"),
    [
        (ChrF(), True),
        (ChrF(char_order=0, word_order=2), True),
        (ChrF(char_order=7), False),
        (ChrF(lowercase=True), False),
    ],
    ids=str,
)
def test_error_suggests_projection_only_if_the_table_can_be_projected(metric, suggested):
    table = PLUS.count(["a"], ["b"])
    with pytest.raises(UsageError) as raised:
        metric.score(table)
    assert ("Use table.project(metric) for fewer orders" in str(raised.value)) == suggested
    if suggested:
        metric.score(table.project(metric))
    else:
        with pytest.raises(UsageError):
            table.project(metric)


def test_metrics_may_be_given_by_their_name():
    table = PLUS.count(["a cat", "b"], {"one": ["the cat", "c"], "two": ["a dog", "b"]})
    assert table.project("chrF") == table.project(ChrF())
    assert table.choose("chrF++") == table.choose(PLUS)
    with pytest.raises(UsageError, match="'chrFF' is not the name of a metric"):
        table.project("chrFF")


def test_numpy_sees_the_rows_without_a_copy():
    table = PLUS.count(["a b", "c"], ["a b", "d"])
    view = table.to_numpy()
    assert view.shape == (2, 24)
    assert np.shares_memory(view, np.frombuffer(table.rows, np.int64))
    assert CountTable(table.recipe, view, references=1) == table


def test_table_can_be_pickled():
    table = PLUS.count(["a b", "c"], references_per_segment=[["a"], ["b", "c"]])
    documents = table.choose(PLUS).sum_by(["x", "x"])
    for value in (table, table[1:], table.choose(PLUS), documents):
        assert pickle.loads(pickle.dumps(value)) == value


@given(referenced())
def test_table_round_trips_through_arrow(segments):
    hypotheses, references = segments
    table = PLUS.count(hypotheses, references_per_segment=references)
    for value in (table, table.choose(PLUS), table.choose(PLUS).sum_by(["d"] * len(hypotheses))):
        assert CountTable.from_arrow(value.to_arrow()) == value


def test_arrow_shares_the_rows_without_a_copy():
    table = PLUS.count(["a b", "c"], ["a b", "d"])
    values = table.to_arrow().column("counts").chunk(0).flatten()
    assert np.shares_memory(values.to_numpy(), table.to_numpy())
    assert np.shares_memory(CountTable.from_arrow(table.to_arrow()).to_numpy(), table.to_numpy())


@pytest.mark.parametrize("metric", [PLUS, Bleu()], ids=str)
def test_a_slice_of_an_arrow_table_has_its_rows(metric):
    table = metric.count(["a b", "c", "d", "e"], ["a b", "d", "c", "e"])
    pieces = pyarrow.concat_tables([table.to_arrow().slice(1, 2), table.to_arrow().slice(3)])
    assert CountTable.from_arrow(table.to_arrow().slice(1, 2)) == table[1:3]
    assert CountTable.from_arrow(pieces) == table[1:]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.replace_schema_metadata(None), "holds no counts"),
        (lambda t: t.replace_schema_metadata({b"chrfect": b'{"schema": 9}'}), "schema 9; this version reads 2"),
        (lambda t: t.set_column(0, "counts", pyarrow.array([1])), "The column counts must hold lists of 3 int64"),
        (
            lambda t: t.set_column(0, "counts", pyarrow.array([[1, None, 1]], pyarrow.list_(pyarrow.int64(), 3))),
            "has 1 nulls; int64 without nulls was expected",
        ),
    ],
)
def test_rejects_other_arrow_tables(change, message):
    with pytest.raises(UsageError, match=message):
        CountTable.from_arrow(change(ChrF(char_order=1).count(["a"], ["b"]).to_arrow()))


def test_a_table_is_immutable_and_has_a_short_repr():
    table = ChrF(char_order=1).count(["a"], ["b"])
    with pytest.raises(AttributeError, match="cannot be changed"):
        table.recipe = None
    assert repr(table) == "<CountTable of chrF: 1 row of 3 columns>"
    open_ = ChrF(char_order=1).count(["a"], references_per_segment=[["b", "c"]])
    assert repr(open_) == "<CountTable of chrF: 2 rows of 3 columns for 1 segment, references not chosen>"


RECIPE = ChrF(char_order=1).count_recipe


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": array("q", [1, 2])}, "rows has 2 integers; a multiple of the 3 columns"),
        ({"rows": array("i", [1, 2, 3])}, "rows is a array; a contiguous buffer of int64"),
        ({"rows": [1, 2, 3]}, "rows is a list; a contiguous buffer of int64"),
        ({"labels": ["a", "b"]}, "labels has 2 entries for 1 rows"),
        ({"origins": []}, "origins has 0 entries"),
        ({"sizes": array("q", [1, 1])}, "sizes has 2 entries"),
        ({"offsets": array("q", [0, 0, 1])}, "offsets must begin with 0"),
        ({"offsets": array("q", [0, 2])}, "offsets must begin with 0"),
        ({"offsets": array("q", [])}, "offsets must begin with 0"),
    ],
)
def test_rejects_an_inconsistent_table(arguments, message):
    with pytest.raises(UsageError, match=message):
        CountTable(RECIPE, **{"rows": array("q", [1, 2, 3]), **arguments})


def test_rejects_a_wrong_number_of_groups_and_overflowing_sums():
    table = ChrF(char_order=1).count(["a", "b"], ["a", "b"])
    with pytest.raises(UsageError, match="There are 3 groups for 2 rows"):
        table.sum_by("aab")
    large = CountTable(RECIPE, array("q", [2**62] * 6))
    assert large.sum().values == (2**63,) * 3
    with pytest.raises(UsageError, match="sum smaller groups"):
        large.sum_by("aa")
    with pytest.raises(UsageError, match="steps of 1; the step is 2"):
        table[::2]
    with pytest.raises(UsageError, match="no tables to concatenate"):
        CountTable.concatenate([])


def test_sizes_and_labels_are_kept_when_tables_are_added():
    table = ChrF(char_order=1).count(["a", "b", "c"], ["a", "b", "d"])
    documents = table.sum_by("xxy")
    both = documents + documents
    assert (list(both.sizes), both.labels, both.sum().segments) == ([2, 1, 2, 1], ("x", "y", "x", "y"), 6)
    assert list((documents + table).sizes) == [2, 1, 1, 1, 1]
    assert documents[1:].labels == ("y",)


@pytest.mark.skipif(kernels.compiled is None, reason="the compiled kernel was not built here")
def test_threads_do_not_change_the_table():
    draw = random.Random(3)
    pool = ["".join(draw.choices("abc de", k=60)) for _ in range(4_000)]
    assert PLUS.count(pool, pool[::-1], threads=4) == PLUS.count(pool, pool[::-1], threads=1)


def test_counts_state_how_many_references_there_are():
    assert Counts.from_dict(PLUS.corpus(["a"], ["b"]).counts.to_dict()).references == 1
    assert PLUS.corpus(["a"], {"A": ["b"], "B": ["c"]}).signature.split("|")[1] == "references:2"
    assert PLUS.corpus(["a", "b"], {"A": ["b", "c"], "B": ["c", None]}).references == "var"
    assert parse(PLUS.corpus(["a"], ["b"]).signature) == PLUS


def test_a_row_is_one_segment_unless_the_table_has_sizes():
    table = ChrF().count(["a", "b", "c"], ["a", "b", "c"])
    assert [counts.segments for counts in table] == [1, 1, 1]
    assert [counts.segments for counts in table.sum_by(["x", "y", "x"])] == [2, 1]
