# BLEU of rows of counts.

import sys

cdef extern from "bleu_score.h" nogil:
    ctypedef struct Smoothing:
        int kind
        double amount
        int fill, effective, single, compensated
    double bleu_of_row "bleu_row"(const int64_t *row, int order, const Smoothing *smoothing, double *logs)

cdef bint SUM_COMPENSATES = sys.version_info >= (3, 12)
cdef dict SMOOTHING_KINDS = {"none": 0, "floor": 1, "add-k": 2, "exp": 3}


def bleu_score(row, str kind, double amount, bint fill, bint effective) -> float:
    """Return BLEU of one row of counts; see ``formulas.bleu.score``."""
    cdef Smoothing smoothing = Smoothing(SMOOTHING_KINDS[kind], amount, fill, effective, False, SUM_COMPENSATES)
    cdef int64_t counts[64]
    cdef double logs[32]
    cdef Py_ssize_t width = len(row), i
    if width > 64:
        return bleu_scores(row, width, kind, amount, fill, effective, False)[0]
    for i in range(width):
        counts[i] = row[i]
    return bleu_of_row(counts, <int> (width - 2) // 2, &smoothing, logs)


def bleu_scores(rows, Py_ssize_t width, str kind, double amount, bint fill, bint effective, bint single) -> array:
    """Return BLEU of each row of a flattened table as doubles; see ``formulas.bleu.scores``."""
    cdef const int64_t[::1] counts = counts_of(rows)
    cdef Smoothing smoothing = Smoothing(SMOOTHING_KINDS[kind], amount, fill, effective, single, SUM_COMPENSATES)
    cdef Py_ssize_t number = counts.shape[0] // width, i
    cdef int order = (width - 2) // 2
    cdef array out = clone(array("d"), number, False)
    cdef array logs = clone(array("d"), order + 1, False)
    cdef double *at = out.data.as_doubles
    cdef double *log_buffer = logs.data.as_doubles
    with nogil:
        for i in range(number):
            at[i] = bleu_of_row(&counts[i * width], order, &smoothing, log_buffer)
    return out
