# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""The compiled kernel. It returns the same integers as ``readable``; the headers in this folder hold the algorithms."""

from cpython.array cimport array, clone
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memset

from _thread import allocate_lock, start_new_thread

from chrfect.errors import UsageError
from chrfect.kernels import readable

cdef extern from "pair.h" nogil:
    ctypedef struct Text:
        const void *data
        int64_t length
        int width, ascii
    ctypedef struct Plan:
        int char_order, word_order, keep_whitespace, drop_unreferenced, level
    ctypedef struct Buffer:
        pass
    ctypedef struct Workspace:
        Buffer hyp, ref, hyp_decoded, ref_decoded, hyp_wide, ref_wide, hyp_replaced, ref_replaced, words
        int (*interrupted)(void *) noexcept nogil
        void *job
    int LEVELS, NO_MEMORY, TOO_LONG, BAD_TEXT, INTERRUPTED, MAX_LENGTH
    size_t LARGEST_IDLE
    uint64_t secret
    const char *const *level_names
    int best_level()
    int count_pair(Workspace *ws, const Text *hyp, const Text *ref, const Plan *plan, int64_t *row)
    void trim(Workspace *ws, size_t most)
    void release(Workspace *ws)

cdef extern from "Python.h" nogil:
    ctypedef struct PyObject
    int PyErr_CheckSignals() except -1
    PyObject *PyErr_Occurred()
    int signalled "PyErr_CheckSignals"()
    void *PyUnicode_DATA(PyObject *)
    Py_ssize_t PyUnicode_GET_LENGTH(PyObject *)
    int PyUnicode_KIND(PyObject *)
    int PyUnicode_IS_ASCII(PyObject *)
    PyObject *PyTuple_GET_ITEM(PyObject *, Py_ssize_t)

cdef extern from *:
    """
    #if PY_VERSION_HEX < 0x030C0000
    #define READY(text) PyUnicode_READY(text)
    #else
    #define READY(text) ((void)(text), 0)  /* every str is ready since Python 3.12 */
    #endif
    #define raise_pending() (-1)
    """
    int READY(object) except -1
    int raise_pending() except -1

NAME = "fast"
cdef int best = best_level()
cdef int _level = best
secret = <uint64_t> <int64_t> hash("chrfect")   # random unless PYTHONHASHSEED is set, like the hashes of Python
cdef Py_ssize_t SYMBOLS_PER_POLL = 1 << 20          # symbols counted between two checks for signals, at up to eight orders
cdef Py_ssize_t MIN_SYMBOLS_FOR_THREADS = 1 << 17
cdef Py_ssize_t MIN_SYMBOLS_TO_RELEASE_GIL = 1 << 12


def level() -> str:
    """Return the vector level in use: ``"baseline"``, ``"avx2"`` or ``"avx512"``."""
    return level_names[_level].decode()


def levels() -> list[str]:
    """Return the vector levels that this processor has, the best last."""
    return [level_names[i].decode() for i in range(best + 1)]


def use_level(name: str) -> None:
    """Use one of :func:`levels` in all later calls."""
    global _level
    _level = levels().index(name)


cdef int interrupted(void *job) noexcept with gil:
    """Return whether to stop: an exception is pending, as after a signal handler raised it, or the job was stopped."""
    return PyErr_Occurred() != NULL or signalled() or (job != NULL and (<ParallelJob> job).is_stopped())


cdef class PooledWorkspace:
    """The C workspace of one thread; its buffers are reused by later calls."""

    cdef Workspace ws

    def __cinit__(self):
        memset(&self.ws, 0, sizeof(self.ws))
        self.ws.interrupted = interrupted

    def __dealloc__(self):
        release(&self.ws)


cdef list _idle_workspaces = []


cdef PooledWorkspace acquire_workspace():
    try:
        return _idle_workspaces.pop()
    except IndexError:
        return PooledWorkspace()


cdef void release_workspace(PooledWorkspace workspace):
    trim(&workspace.ws, LARGEST_IDLE)
    _idle_workspaces.append(workspace)


cdef void read_text(PyObject *item, Text *text) noexcept nogil:
    text.data = PyUnicode_DATA(item)
    text.length = PyUnicode_GET_LENGTH(item)
    text.width = PyUnicode_KIND(item)
    text.ascii = PyUnicode_IS_ASCII(item)


cdef inline int64_t *integers(array table) noexcept:
    return <int64_t *> table.data.as_longlongs


cdef int read_plan(object plan, Plan *fields) except -1:
    """Read the fields of a Python `Plan`."""
    if not isinstance(plan, tuple) or len(<tuple> plan) != 4:
        raise TypeError(f"plan is {plan!r}; a Plan was expected")
    fields.char_order, fields.word_order = (<tuple> plan)[0], (<tuple> plan)[1]
    fields.keep_whitespace, fields.drop_unreferenced = <bint> (<tuple> plan)[2], <bint> (<tuple> plan)[3]
    fields.level = _level
    return 0


include "arrow.pxi"


cdef class Texts:
    """Texts that stay alive while the GIL is released: a tuple of str, or an Arrow array."""

    cdef tuple strings
    cdef ArrowTexts arrow
    cdef Py_ssize_t number

    def __init__(self, texts, str name):
        cdef Py_ssize_t i
        if isinstance(texts, ArrowTexts):
            self.arrow = texts
            if self.arrow.nulls:
                raise UsageError(f"{name} has {self.arrow.nulls} nulls; a text was expected everywhere.")
            self.number = self.arrow.number
            return
        self.strings = tuple(texts)
        self.number = len(self.strings)
        for i in range(self.number):
            if not isinstance(self.strings[i], str):
                raise UsageError(f"{name}[{i}] is a {type(self.strings[i]).__name__}; a text (str) was expected.")
            READY(self.strings[i])

    cdef int read(self, Py_ssize_t i, Workspace *ws, Buffer *buffer, Text *text) noexcept nogil:
        if self.strings is None:
            return read_slice(ws, self.arrow.slices + i, buffer, text, _level)
        read_text(PyTuple_GET_ITEM(<PyObject *> self.strings, i), text)
        return 0

    cdef Py_ssize_t length(self) noexcept nogil:
        """Return the approximate number of symbols."""
        cdef Py_ssize_t i, symbols = 0
        for i in range(self.number):
            if self.strings is None:
                symbols += self.arrow.slices[i].size
            else:
                symbols += PyUnicode_GET_LENGTH(PyTuple_GET_ITEM(<PyObject *> self.strings, i))
        return symbols


cdef Py_ssize_t segment_of_pair(Texts hypotheses, Texts references, Py_ssize_t i):
    """Return the index of the segment of a pair; without Arrow arrays, that of the pair."""
    if hypotheses.arrow is not None:
        return hypotheses.arrow.segment(i)
    return i if references.arrow is None else references.arrow.segment(i)


cdef check(int status, Py_ssize_t segment):
    if status == INTERRUPTED:
        if PyErr_Occurred() == NULL:
            raise InterruptedError("Another thread stopped the job.")
        raise_pending()
    if status == TOO_LONG:
        raise UsageError(f"Segment {segment} (counted from 0) is longer than 1,073,741,823 symbols: cut it.")
    if status == BAD_TEXT:
        raise UsageError(f"Segment {segment} (counted from 0) of an Arrow array is not valid UTF-8.")
    if status:
        raise MemoryError


cdef class ParallelJob:
    """A job that threads process in chunks. A subclass defines ``run_chunk(chunk, workspace)``."""

    cdef list chunks, errors

    cdef run(self, list chunks, Py_ssize_t threads):
        """Process every chunk, in this thread and at most `threads` - 1 others."""
        self.chunks, self.errors = chunks, []
        cdef list finished = []     # one lock for each other thread, released when the thread ends
        while len(finished) < min(threads, len(chunks)) - 1:
            lock = allocate_lock()
            lock.acquire()
            try:
                start_new_thread(self.run_thread, (lock,))
            except RuntimeError:    # the system allows no more threads; continue with those that started
                break
            finished.append(lock)
        self.run_chunks()
        try:
            for lock in finished:
                lock.acquire()
        except BaseException as error:
            self.errors.append(error)
        if self.errors:
            raise self.errors[0]

    def run_thread(self, finished):
        """Process chunks in another thread, then release the lock `finished`."""
        try:
            self.run_chunks()
        finally:
            finished.release()

    cdef run_chunks(self):
        """Process chunks until no chunk is left; an error stops every thread."""
        cdef PooledWorkspace workspace
        try:
            workspace = acquire_workspace()
            workspace.ws.job = <void *> self
            while not self.is_stopped():
                chunk = self.next_chunk()
                if chunk is None:
                    break
                self.run_chunk(chunk, workspace)
            workspace.ws.job = NULL
            release_workspace(workspace)
        except BaseException as error:
            self.errors.append(error)

    cdef next_chunk(self):
        """Return the next chunk, or None if no chunk is left."""
        try:
            return self.chunks.pop()
        except IndexError:
            return None

    cdef bint is_stopped(self):
        """Return whether the job was stopped by an error."""
        return bool(self.errors)


cdef class PairJob(ParallelJob):
    """Count pairs: one row for each pair, or the sum of all rows."""

    cdef Texts hypotheses, references
    cdef array sums
    cdef object sums_lock
    cdef Plan plan
    cdef Py_ssize_t number, width, step
    cdef array rows

    def __init__(self, hypotheses, references, plan):
        self.hypotheses = Texts(hypotheses, "hypotheses")
        self.references = Texts(references, "references")
        self.number = self.hypotheses.number
        if self.number != self.references.number:
            raise UsageError(f"There are {self.number} hypotheses and {self.references.number} references.")
        read_plan(plan, &self.plan)
        self.width = 3 * (self.plan.char_order + self.plan.word_order)
        self.sums = clone(array("q"), self.width + 1, True)
        self.sums_lock = allocate_lock()

    cdef start(self, Py_ssize_t threads):
        if threads > 1 and self.hypotheses.length() < MIN_SYMBOLS_FOR_THREADS:
            threads = 1
        self.step = max(1, min(256, self.number // (8 * threads)))
        self.run(list(range(0, self.number, self.step)), threads)

    def run_chunk(self, begin, PooledWorkspace workspace):
        cdef Py_ssize_t at = begin
        cdef array sums = clone(array("q"), 2 * self.width + 1, True)
        cdef Py_ssize_t column
        cdef Py_ssize_t stop = min(at + self.step, self.number)
        while at < stop and not self.errors:
            at = self.count(at, stop, &workspace.ws, integers(sums))
            PyErr_CheckSignals()
        if self.rows is None:
            with self.sums_lock:
                for column in range(self.width):
                    integers(self.sums)[column] += integers(sums)[column]

    cdef Py_ssize_t count(self, Py_ssize_t at, Py_ssize_t stop, Workspace *ws, int64_t *sums) except -1:
        """Count pairs from `at` until `stop` or about SYMBOLS_PER_POLL symbols; return the first pair not counted."""
        cdef int64_t *rows = NULL if self.rows is None else integers(self.rows)
        cdef int64_t *row = sums + self.width
        cdef Py_ssize_t column
        cdef int64_t symbols = 0, piece = SYMBOLS_PER_POLL // (1 + self.width // 24)
        cdef int status = 0
        cdef Text hypothesis, reference
        with nogil:
            while at < stop and symbols < piece and not status:
                status = self.hypotheses.read(at, ws, &ws.hyp_decoded, &hypothesis)
                status = status or self.references.read(at, ws, &ws.ref_decoded, &reference)
                if status:
                    break
                if rows != NULL:
                    row = rows + at * self.width
                status = count_pair(ws, &hypothesis, &reference, &self.plan, row)
                if rows == NULL:
                    for column in range(self.width):
                        sums[column] += row[column]
                symbols += hypothesis.length + reference.length
                at += not status
        if status:
            check(status, segment_of_pair(self.hypotheses, self.references, at))
        return at


def only_texts(sequence) -> bool:
    """Return whether the type of every element of a list or tuple is exactly str."""
    for element in sequence:
        if type(element) is not str:
            return False
    return True


def rows(hypotheses, references, plan, Py_ssize_t threads=1) -> array:
    """Return the counts of each pair; see ``readable.rows``."""
    cdef PairJob job = PairJob(hypotheses, references, plan)
    job.rows = clone(array("q"), job.number * job.width, False)
    job.start(threads)
    return job.rows


def total(hypotheses, references, plan, Py_ssize_t threads=1) -> list:
    """Return the sum of the rows; see ``readable.total``."""
    cdef PairJob job = PairJob(hypotheses, references, plan)
    job.start(threads)
    return job.sums.tolist()[: job.width]


def row(hypothesis, reference, plan) -> tuple:
    """Return the counts of one pair as a tuple; see ``readable.row``."""
    if not isinstance(hypothesis, str) or not isinstance(reference, str):
        Texts((hypothesis, reference), "texts")
    cdef Plan fields
    read_plan(plan, &fields)
    cdef Py_ssize_t width = 3 * (fields.char_order + fields.word_order)
    cdef Text first, second
    cdef PooledWorkspace workspace = acquire_workspace()
    cdef int64_t stack_row[48]
    cdef array heap_row = None
    cdef int64_t *counts = stack_row
    if width > 48:
        heap_row = clone(array("q"), width, False)
        counts = integers(heap_row)
    READY(hypothesis)
    READY(reference)
    read_text(<PyObject *> hypothesis, &first)
    read_text(<PyObject *> reference, &second)
    cdef int status
    if first.length + second.length < MIN_SYMBOLS_TO_RELEASE_GIL:
        status = count_pair(&workspace.ws, &first, &second, &fields, counts)
    else:
        with nogil:
            status = count_pair(&workspace.ws, &first, &second, &fields, counts)
    check(status, 0)
    if first.length + second.length < MIN_SYMBOLS_TO_RELEASE_GIL:
        _idle_workspaces.append(workspace)
    else:
        release_workspace(workspace)
    return tuple_of(counts, width)


cdef tuple tuple_of(const int64_t *counts, Py_ssize_t width):
    cdef tuple result = PyTuple_New(width)
    cdef object value
    cdef Py_ssize_t i
    for i in range(width):
        value = counts[i]
        Py_INCREF(value)
        PyTuple_SET_ITEM(result, i, value)
    return result


include "sums.pxi"
include "scores.pxi"
include "matrix.pxi"
include "bleu_scores.pxi"
include "resample.pxi"
include "bleu.pxi"
include "tables.pxi"
include "ter.pxi"
