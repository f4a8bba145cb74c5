# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""The compiled kernel: the same integers as ``readable``, from bit masks and sorting (see the headers beside it)."""

from cpython.array cimport array, clone
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

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
        Buffer hyp, ref, hyp_decoded, ref_decoded, hyp_wide, ref_wide, hyp_replaced, ref_replaced, hyp_words, ref_words
        int (*interrupted)(void *) noexcept nogil
        void *asker
    int LEVELS, NO_MEMORY, TOO_LONG, BAD_TEXT, INTERRUPTED, MAX_LENGTH
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
secret = <uint64_t> <int64_t> hash("chrfect")   # as random as the hashes of Python, and as fixed by PYTHONHASHSEED
cdef Py_ssize_t PIECE = 1 << 20         # symbols between two looks at signals, at up to eight orders
cdef Py_ssize_t WORTH_A_THREAD = 1 << 17
cdef Py_ssize_t SHORT = 1 << 12         # symbols not worth releasing the lock for
cdef size_t KEPT = 1 << 24              # bytes a buffer may keep between calls


def level() -> str:
    """Return the vector level in use: ``"baseline"``, ``"avx2"`` or ``"avx512"``."""
    return level_names[_level].decode()


def levels() -> list[str]:
    """Return the vector levels that this processor has, the best last."""
    return [level_names[i].decode() for i in range(best + 1)]


def use_level(name: str) -> None:
    """Use one of :func:`levels` from now on."""
    global _level
    _level = levels().index(name)


cdef int interrupted(void *work) noexcept with gil:
    """Return whether work should stop: a signal's handler raised (what it raised stays pending), or its work ended."""
    return signalled() or (work != NULL and (<Work> work).ends())


cdef class Space:
    """One thread's workspace."""

    cdef Workspace ws

    def __cinit__(self):
        memset(&self.ws, 0, sizeof(self.ws))
        self.ws.interrupted = interrupted

    def __dealloc__(self):
        release(&self.ws)


cdef list _spaces = []


cdef Space borrow():
    try:
        return _spaces.pop()
    except IndexError:
        return Space()


cdef void give_back(Space space):
    trim(&space.ws, KEPT)
    _spaces.append(space)


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
    """Texts that nobody can take away while the lock is released: a tuple of str, or Arrow's."""

    cdef tuple held
    cdef ArrowTexts arrow
    cdef Py_ssize_t number, first

    def __init__(self, texts, str name):
        cdef Py_ssize_t i
        if isinstance(texts, ArrowTexts):
            self.arrow = texts
            if self.arrow.nulls:
                raise UsageError(f"{name} has {self.arrow.nulls} nulls; a text was expected everywhere.")
            self.number, self.first = self.arrow.number, self.arrow.first
            return
        self.held = tuple(texts)
        self.number = len(self.held)
        for i in range(self.number):
            if not isinstance(self.held[i], str):
                raise UsageError(f"{name}[{i}] is a {type(self.held[i]).__name__}; a text (str) was expected.")
            READY(self.held[i])

    cdef int read(self, Py_ssize_t i, Buffer *buffer, Text *text) noexcept nogil:
        if self.held is None:
            return read_slice(self.arrow.slices + i, buffer, text, _level)
        read_text(PyTuple_GET_ITEM(<PyObject *> self.held, i), text)
        return 0

    cdef Py_ssize_t length(self) noexcept nogil:
        """About how many symbols there are."""
        cdef Py_ssize_t i, symbols = 0
        for i in range(self.number):
            if self.held is None:
                symbols += self.arrow.slices[i].size
            else:
                symbols += PyUnicode_GET_LENGTH(PyTuple_GET_ITEM(<PyObject *> self.held, i))
        return symbols


cdef check(int status, Py_ssize_t segment):
    if status == INTERRUPTED:
        if PyErr_Occurred() == NULL:
            raise InterruptedError("Another thread ended the work.")
        raise_pending()
    if status == TOO_LONG:
        raise UsageError(f"Segment {segment} (counted from 0) is longer than 1,073,741,823 symbols: cut it.")
    if status == BAD_TEXT:
        raise UsageError(f"Segment {segment} (counted from 0) of an Arrow array is no valid UTF-8.")
    if status:
        raise MemoryError


cdef class Work:
    """Something to do in claims that threads take one after another."""

    cdef list claims, errors

    cdef run(self, list claims, Py_ssize_t threads):
        """Do every claim, in this thread and at most `threads` - 1 others."""
        self.claims, self.errors = claims, []
        cdef list others = []
        while len(others) < min(threads, len(claims)) - 1:
            other = allocate_lock()
            other.acquire()
            try:
                start_new_thread(self.help, (other,))
            except RuntimeError:    # the system has no more: those there are do the work
                break
            others.append(other)
        self.work()
        try:
            for other in others:
                other.acquire()
        except BaseException as error:
            self.errors.append(error)
        if self.errors:
            raise self.errors[0]

    def help(self, done):
        """Work in a thread of its own, and say when it is over."""
        try:
            self.work()
        finally:
            done.release()

    def work(self):
        """Do claims until none is left; an error ends the work of every thread."""
        cdef Space space
        try:
            space = borrow()
            space.ws.asker = <void *> self
            while not self.ends():
                at = self.take()
                if at is None:
                    break
                self.claim(at, space)
            space.ws.asker = NULL
            give_back(space)
        except BaseException as error:
            self.errors.append(error)

    cdef take(self):
        """Take the next claim, None when there is none left."""
        try:
            return self.claims.pop()
        except IndexError:
            return None

    cdef bint ends(self):
        """Return whether the work is over before it is done."""
        return bool(self.errors)

    cdef claim(self, at, Space space):
        raise NotImplementedError


cdef class Job(Work):
    """Pairs to count: a row each, or their sum."""

    cdef Texts hypotheses, references
    cdef array sums
    cdef object adding
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
        self.adding = allocate_lock()

    cdef start(self, Py_ssize_t threads):
        if threads > 1 and self.hypotheses.length() < WORTH_A_THREAD:
            threads = 1
        self.step = max(1, min(256, self.number // (8 * threads)))
        self.run(list(range(0, self.number, self.step)), threads)

    cdef claim(self, begin, Space space):
        cdef Py_ssize_t at = begin
        cdef array sums = clone(array("q"), 2 * self.width + 1, True)
        cdef Py_ssize_t column
        cdef Py_ssize_t stop = min(at + self.step, self.number)
        while at < stop and not self.errors:
            at = self.count(at, stop, &space.ws, integers(sums))
            PyErr_CheckSignals()
        if self.rows is None:
            with self.adding:
                for column in range(self.width):
                    integers(self.sums)[column] += integers(sums)[column]

    cdef Py_ssize_t count(self, Py_ssize_t at, Py_ssize_t stop, Workspace *ws, int64_t *sums) except -1:
        """Count from pair `at` on, to `stop` or about a PIECE further; return the pair after the last."""
        cdef int64_t *rows = NULL if self.rows is None else integers(self.rows)
        cdef int64_t *row = sums + self.width
        cdef Py_ssize_t column
        cdef int64_t symbols = 0, piece = PIECE // (1 + self.width // 24)
        cdef int status = 0
        cdef Text hypothesis, reference
        with nogil:
            while at < stop and symbols < piece and not status:
                status = self.hypotheses.read(at, &ws.hyp_decoded, &hypothesis)
                status = status or self.references.read(at, &ws.ref_decoded, &reference)
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
        check(status, at + max(self.hypotheses.first, self.references.first))
        return at


def only_texts(sequence) -> bool:
    """Return whether every element of a list or tuple is a str and no subclass of it."""
    for element in sequence:
        if type(element) is not str:
            return False
    return True


def rows(hypotheses, references, plan, Py_ssize_t threads=1) -> array:
    """Return the counts of each pair; see ``readable.rows``."""
    cdef Job job = Job(hypotheses, references, plan)
    job.rows = clone(array("q"), job.number * job.width, False)
    job.start(threads)
    return job.rows


def total(hypotheses, references, plan, Py_ssize_t threads=1) -> list:
    """Return the sum of the rows; see ``readable.total``."""
    cdef Job job = Job(hypotheses, references, plan)
    job.start(threads)
    return job.sums.tolist()[: job.width]


def row(hypothesis, reference, plan) -> tuple:
    """Return the counts of one pair as a tuple; see ``readable.row``."""
    if not isinstance(hypothesis, str) or not isinstance(reference, str):
        Texts((hypothesis, reference), "texts")
    cdef Plan fields
    read_plan(plan, &fields)
    cdef Py_ssize_t width = 3 * (fields.char_order + fields.word_order), i
    cdef Text first, second
    cdef Space space = borrow()
    cdef int64_t few[48]
    cdef array many = None
    cdef int64_t *counts = few
    if width > 48:
        many = clone(array("q"), width, False)
        counts = integers(many)
    READY(hypothesis)
    READY(reference)
    read_text(<PyObject *> hypothesis, &first)
    read_text(<PyObject *> reference, &second)
    cdef int status
    if first.length + second.length < SHORT:
        status = count_pair(&space.ws, &first, &second, &fields, counts)
    else:
        with nogil:
            status = count_pair(&space.ws, &first, &second, &fields, counts)
    check(status, 0)
    if first.length + second.length < SHORT:
        _spaces.append(space)
    else:
        give_back(space)
    cdef tuple made = PyTuple_New(width)
    cdef object value
    for i in range(width):
        value = counts[i]
        Py_INCREF(value)
        PyTuple_SET_ITEM(made, i, value)
    return made


include "sums.pxi"
include "scores.pxi"
include "matrix.pxi"
include "bleu_scores.pxi"
include "resample.pxi"
include "bleu.pxi"
include "ter.pxi"
