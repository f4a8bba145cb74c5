# Sums of the rows of a table of counts.

cdef extern from "sums.h" nogil:
    void sum_columns(const int64_t *rows, int64_t number, int64_t width, int64_t *upper, int64_t *lower)
    int64_t sum_groups(const int64_t *rows, int64_t number, int64_t width, const int64_t *groups, int64_t group_number,
                       int64_t *sums, int64_t *overflow)

cdef Py_ssize_t INTEGERS_PER_POLL = 1 << 22    # integers added between two checks for signals


cdef const int64_t[::1] rows_of(rows, Py_ssize_t width):
    """Return the integers of a flattened table."""
    cdef const int64_t[::1] table = rows
    if width < 1 or table.shape[0] % width:
        raise UsageError(f"{table.shape[0]} integers cannot be divided into rows of {width} columns.")
    return table


def column_sums(rows, Py_ssize_t width) -> list:
    """Return the exact sum of each column of a flattened table; see ``readable.column_sums``."""
    cdef const int64_t[::1] table = rows_of(rows, width)
    cdef Py_ssize_t number = table.shape[0] // width, step = INTEGERS_PER_POLL // width + 1, start = 0, count
    cdef array halves = clone(array("q"), 2 * width, True)
    cdef int64_t *upper = integers(halves)
    cdef list sums = [0] * width
    while start < number:
        count = min(step, number - start)
        memset(upper, 0, 2 * width * sizeof(int64_t))
        with nogil:
            sum_columns(&table[start * width], count, width, upper, upper + width)
        for column in range(width):
            sums[column] += (halves[column] << 32) + halves[width + column]
        start += count
        PyErr_CheckSignals()
    return sums


def group_sums(rows, Py_ssize_t width, groups, Py_ssize_t number) -> array:
    """Return the sum of the rows of each group, flattened; see ``readable.group_sums``."""
    cdef const int64_t[::1] table = rows_of(rows, width), of_rows = groups
    cdef Py_ssize_t count = table.shape[0] // width, start = 0, stop, at
    cdef int64_t overflow = 0
    if of_rows.shape[0] != count:
        raise UsageError(f"There are {count} rows and {of_rows.shape[0]} groups; each row needs one group.")
    cdef array result = clone(array("q"), number * width, True)
    cdef int64_t *sums = integers(result)
    while start < count:
        stop = min(start + INTEGERS_PER_POLL // width + 1, count)
        with nogil:
            at = start + sum_groups(&table[start * width], stop - start, width, &of_rows[start], number,
                                    sums, &overflow)
        if at < stop:
            raise UsageError(f"groups[{at}] is {of_rows[at]}; a number from 0 to {number - 1} was expected.")
        if overflow < 0:
            raise OverflowError("a sum of counts does not fit in 64 bits")
        start = stop
        PyErr_CheckSignals()
    return result
