# Scores of rows of counts.

cdef extern from "score.h" nogil:
    ctypedef struct Formula:
        double factor, one_more
        int per_order
    double score_row(const int64_t *row, int order, const Formula *formula)
    int64_t round_row(const int64_t *row, int order, const Formula *formula)
    bint fits_double(const int64_t *counts, int64_t number)

cdef extern from "Python.h":
    object PyUnicode_New(Py_ssize_t size, Py_UCS4 most)
    unsigned char *PyUnicode_1BYTE_DATA(object)


cdef inline Formula formula_of(beta, bint per_order):
    cdef object factor = beta ** 2     # computed by Python: a C compiler may round the power differently
    return Formula(factor, 1 + factor, per_order)


cdef const int64_t[::1] counts_of(rows):
    """Return rows as 64-bit integers; raise OverflowError if a float cannot hold one of them exactly."""
    cdef const int64_t[::1] counts = array("q", rows) if isinstance(rows, (list, tuple)) else rows
    if counts.shape[0] and not fits_double(&counts[0], counts.shape[0]):
        raise OverflowError("a count is above 2 to the 53rd")
    return counts


def score(row, beta, bint per_order) -> float:
    """Return the score of one row; see ``fscore.score``."""
    cdef Formula formula = formula_of(beta, per_order)
    cdef tuple counts = tuple(row)
    cdef Py_ssize_t width = len(counts), i
    cdef int64_t stack_row[48]
    if not width:
        raise OverflowError("a row without orders has no score")
    if width > 48:
        return scores(counts, width, beta, per_order)[0]
    for i in range(width):
        stack_row[i] = counts[i]
    if not fits_double(stack_row, width):
        raise OverflowError("a count is above 2 to the 53rd")
    return score_row(stack_row, width // 3, &formula)


def scores(rows, Py_ssize_t width, beta, bint per_order) -> array:
    """Return the scores of a flattened table as doubles; see ``fscore.scores``."""
    cdef const int64_t[::1] counts = counts_of(rows)
    cdef Formula formula = formula_of(beta, per_order)
    cdef Py_ssize_t number = counts.shape[0] // width, i
    cdef array out = clone(array("d"), number, False)
    cdef double *at = out.data.as_doubles
    with nogil:
        for i in range(number):
            at[i] = score_row(&counts[i * width], width // 3, &formula)
    return out


def texts(rows, Py_ssize_t width, beta, bint per_order) -> list:
    """Return the scores of a flattened table at six decimals; None where floats cannot decide the last decimal."""
    cdef const int64_t[::1] counts = counts_of(rows)
    cdef Formula formula = formula_of(beta, per_order)
    cdef Py_ssize_t number = counts.shape[0] // width, i
    return [six_decimals(round_row(&counts[i * width], width // 3, &formula)) for i in range(number)]


cdef six_decimals(int64_t millionths):
    if millionths < 0:
        return None
    cdef int digits = 9 if millionths >= 100_000_000 else 8 if millionths >= 10_000_000 else 7, i
    cdef str text = PyUnicode_New(digits + 1, 127)
    cdef unsigned char *at = PyUnicode_1BYTE_DATA(text)
    for i in range(digits, -1, -1):
        if i == digits - 6:
            at[i] = c"."
            continue
        at[i] = 48 + millionths % 10
        millionths //= 10
    return text
