# Sums of random choices of rows, for resampling and randomization; see ``inference.sums``.

from libc.stdint cimport int16_t, int32_t, uint8_t

cdef extern from "resample.h" nogil:
    int CHUNK, GROUP
    int64_t draw_indices(const uint32_t *words, int64_t number, uint32_t size, int32_t *out, int64_t wanted,
                         int64_t *drawn)
    void sum_drawn(const int32_t *rows, int64_t padded, const int32_t *draws, int64_t trials, int64_t size,
                   int64_t columns, int64_t *out, int level)
    void sum_drawn_short(const int16_t *rows, int64_t padded, int64_t every, const int32_t *draws, int64_t trials,
                         int64_t size, int64_t columns, int64_t *out, int level)
    int sum_chosen(const int32_t *rows, int64_t padded, const uint8_t *bits, int64_t segments, int64_t trials,
                   int64_t columns, int64_t *out, int level)

PADDING = (GROUP, CHUNK)
"""Rows and columns of a table for :func:`sum_of_drawn` and :func:`sum_of_chosen` come in multiples of these."""


def indices(const uint32_t[::1] words, uint32_t size, int32_t[::1] out) -> tuple[int, int]:
    """Fill `out` with indices below `size`; return the number of words used and the number of indices drawn."""
    cdef int64_t used, drawn = 0
    if not words.shape[0] or not out.shape[0]:
        return 0, 0
    with nogil:
        used = draw_indices(&words[0], words.shape[0], size, &out[0], out.shape[0], &drawn)
    return used, drawn


def sum_of_drawn(const int32_t[:, ::1] rows, const int32_t[:, ::1] draws, int64_t[:, ::1] out) -> None:
    """Fill each row of `out` with the sum of the rows that one row of `draws` names; the indices are not checked."""
    cdef Py_ssize_t padded = rows.shape[1]
    if padded % CHUNK or out.shape[1] > padded or out.shape[0] != draws.shape[0]:
        raise ValueError("the shapes of the tables do not match")
    if not out.shape[0] or not out.shape[1]:
        return
    with nogil:
        sum_drawn(&rows[0, 0], padded, &draws[0, 0], draws.shape[0], draws.shape[1], out.shape[1], &out[0, 0], _level)


def sum_of_drawn_short(const int16_t[:, ::1] rows, int64_t every, const int32_t[:, ::1] draws, int64_t[:, ::1] out) -> None:
    """As :func:`sum_of_drawn`, of int16 rows, `every` of which can be added without overflow."""
    cdef Py_ssize_t padded = rows.shape[1]
    if padded % CHUNK or out.shape[1] > padded or out.shape[0] != draws.shape[0] or every < 1:
        raise ValueError("the shapes of the tables do not match")
    if not out.shape[0] or not out.shape[1]:
        return
    with nogil:
        sum_drawn_short(&rows[0, 0], padded, every, &draws[0, 0], draws.shape[0], draws.shape[1], out.shape[1],
                        &out[0, 0], _level)


def sum_of_chosen(const int32_t[:, ::1] rows, const uint8_t[::1] bits, int64_t segments, int64_t[:, ::1] out) -> None:
    """Fill each row of `out` with the sum of the rows whose bit is set; a trial has `segments` bits."""
    cdef Py_ssize_t padded = rows.shape[1]
    cdef int status
    if padded % CHUNK or rows.shape[0] % GROUP or rows.shape[0] < segments or out.shape[1] > padded:
        raise ValueError("the shapes of the tables do not match")
    if 8 * bits.shape[0] < segments * out.shape[0] + 8 * (GROUP + 16):
        raise ValueError("there are too few bits")
    if not out.shape[0] or not out.shape[1]:
        return
    with nogil:
        status = sum_chosen(&rows[0, 0], padded, &bits[0], segments, out.shape[0], out.shape[1], &out[0, 0], _level)
    if status:
        raise MemoryError
