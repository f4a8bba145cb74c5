# BLEU of rows of counts.

import sys

cdef extern from "bleu_score.h" nogil:
    ctypedef struct Smoothing:
        int kind
        double amount
        int fill, effective, single, compensated
    double bleu_of_row "bleu_row"(const int64_t *row, int order, const Smoothing *smoothing, double *logs)

cdef bint SUM_COMPENSATES = sys.version_info >= (3, 12)


def bleu_scores(rows, Py_ssize_t width, str kind, double amount, bint fill, bint effective, bint single) -> array:
    """Return BLEU of each row of a flattened table as doubles; see ``formulas.bleu.scores``."""
    cdef const int64_t[::1] counts = counts_of(rows)
    cdef Smoothing smoothing = Smoothing(("none", "floor", "add-k", "exp").index(kind), amount, fill, effective, single,
                                         SUM_COMPENSATES)
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
