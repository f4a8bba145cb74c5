"""Scores of many rows at once equal those of single rows in both kernels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF

from chrfect import kernels
from chrfect.formulas import bleu, fscore

SMOOTHINGS = [
    ("none", None),
    ("floor", None),
    ("floor", 0.05),
    ("add-k", None),
    ("add-k", 0.7),
    ("exp", None),
    ("method1", None),
    ("method2", None),
    ("method3", None),
]

numbers = st.integers(0, 12) | st.integers(0, 2**40)


@st.composite
def bleu_rows(draw):
    rows = []
    for _ in range(draw(st.integers(1, 4))):
        totals = sorted(draw(st.lists(numbers, min_size=4, max_size=4)), reverse=True)
        pairs = [(total, draw(st.integers(0, total))) for total in totals]
        rows += [draw(numbers), draw(numbers), *(value for pair in pairs for value in pair)]
    return rows


@given(bleu_rows(), st.sampled_from(SMOOTHINGS), st.booleans())
def test_bleu_of_many_rows_equals_single_rows(rows, smoothing, effective_order):
    expected = [bleu.score(rows[at : at + 10], *smoothing, effective_order) for at in range(0, len(rows), 10)]
    assert bleu.score_array(rows, 10, *smoothing, effective_order).tolist() == expected


@pytest.mark.skipif(kernels.compiled is None, reason="the compiled kernel is not installed")
@given(bleu_rows(), st.sampled_from(SMOOTHINGS), st.booleans())
def test_bleu_in_single_precision_is_the_same_without_the_compiled_kernel(rows, smoothing, effective_order):
    fast = bleu.single_precision(rows, 10, *smoothing, effective_order).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "compiled", None)
        assert bleu.single_precision(rows, 10, *smoothing, effective_order).tolist() == fast
        assert bleu.score_array(rows, 10, *smoothing, effective_order).tolist() == [
            bleu.score(rows[at : at + 10], *smoothing, effective_order) for at in range(0, len(rows), 10)
        ]


@given(bleu_rows(), st.sampled_from(SMOOTHINGS[:6]), st.booleans())
def test_bleu_in_single_precision_equals_sacrebleu(rows, smoothing, effective_order):
    theirs = BLEU(smooth_method=smoothing[0], smooth_value=smoothing[1], effective_order=effective_order)
    table = np.array(rows).reshape(-1, 10)
    stats = table[:, [0, 1, 3, 5, 7, 9, 2, 4, 6, 8]].astype(np.float32)
    expected = [float(theirs._compute_score_from_stats(row.copy()).score) for row in stats]
    held = table.astype(np.float32).astype(np.int64).reshape(-1)
    assert bleu.single_precision(held, 10, *smoothing, effective_order).tolist() == expected


@given(st.lists(numbers, min_size=18, max_size=18), st.sampled_from([1, 2, 3]), st.booleans())
def test_f_in_single_precision_equals_sacrebleu(row, beta, per_order):
    row = [value for n in range(0, 18, 3) for value in sorted(row[n : n + 3], reverse=True)]
    theirs = CHRF(beta=beta, eps_smoothing=per_order)
    expected = float(theirs._compute_score_from_stats(np.array(row, np.float32)).score)
    found = fscore.single_precision(row, 18, beta, "per_order_f" if per_order else "mean_precision_recall")
    assert found.tolist() == [pytest.approx(expected, rel=1e-6, abs=1e-12) if per_order else expected]
