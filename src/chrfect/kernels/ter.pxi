# Edit counts of TER for pairs of texts, and the edits themselves.

from chrfect.kernels import readable_ter

cdef extern from "ter.h" nogil:
    ctypedef uint32_t (*Lower)(uint32_t) noexcept nogil
    ctypedef struct Tercom:
        int normalized, no_punct, asian_support, level
        Lower lower
    ctypedef struct Shift:
        int start, length, target
    ctypedef struct EditCounts "Edits":
        int64_t shifts
    ctypedef struct Search:
        const Shift *applied
    int TER_COLUMNS, LOWER_ELSEWHERE
    void fill_lowered(Lower lower)
    int count_ter(Workspace *ws, const Text *hyp, const Text *ref, const Tercom *choices, int64_t *row)
    int find_edits(Workspace *ws, const Text *hyp, const Text *ref, const Tercom *choices, Search *search,
                   EditCounts *edits, int64_t *ref_length)
    int64_t list_operations(const Search *search, char *out)

cdef extern from *:
    """
    static uint32_t lower_symbol(uint32_t c) { return Py_UNICODE_TOLOWER(c); }
    """
    uint32_t lower_symbol(uint32_t) noexcept nogil

cdef extern from "Python.h":
    object PyUnicode_FromKindAndData(int kind, const void *data, Py_ssize_t length)

fill_lowered(lower_symbol)


cdef Tercom tercom_choices(choices) except *:
    normalized, no_punct, asian_support, case_sensitive = choices
    cdef Tercom fields = Tercom(normalized, no_punct, asian_support, _level, NULL)
    if not case_sensitive:
        fields.lower = lower_symbol
    return fields


cdef str lower_case(const Text *text):
    """Return a text lower-cased by ``str.lower``."""
    return PyUnicode_FromKindAndData(text.width, text.data, text.length).lower()


cdef int count_ter_lowered(Workspace *ws, const Text *hypothesis, const Text *reference, const Tercom *choices,
                           int64_t *row) except -9 with gil:
    """Count a pair with symbols whose lower case depends on their neighbours."""
    cdef str left = lower_case(hypothesis), right = lower_case(reference)
    cdef Text lower_left, lower_right
    cdef Tercom rest = choices[0]
    rest.lower = NULL
    read_text(<PyObject *> left, &lower_left)
    read_text(<PyObject *> right, &lower_right)
    return count_ter(ws, &lower_left, &lower_right, &rest, row)


cdef class TerJob(ParallelJob):
    """Count pairs, one row for each."""

    cdef Texts hypotheses, references
    cdef Tercom choices
    cdef Py_ssize_t number, step
    cdef array rows

    def __init__(self, hypotheses, references, choices):
        self.hypotheses = Texts(hypotheses, "hypotheses")
        self.references = Texts(references, "references")
        self.number = self.hypotheses.number
        if self.number != self.references.number:
            raise UsageError(f"There are {self.number} hypotheses and {self.references.number} references.")
        self.choices = tercom_choices(choices)
        self.rows = clone(array("q"), TER_COLUMNS * self.number, False)

    cdef start(self, Py_ssize_t threads):
        if threads > 1 and self.hypotheses.length() < MIN_SYMBOLS_FOR_THREADS // 4:
            threads = 1
        self.step = max(1, min(64, self.number // (8 * threads)))
        self.run(list(range(0, self.number, self.step)), threads)

    def run_chunk(self, begin, PooledWorkspace workspace):
        cdef Py_ssize_t at = begin
        cdef Py_ssize_t stop = min(at + self.step, self.number)
        while at < stop and not self.is_stopped():
            at = self.count(at, stop, &workspace.ws)
            PyErr_CheckSignals()

    cdef Py_ssize_t count(self, Py_ssize_t at, Py_ssize_t stop, Workspace *ws) except -1:
        """Count pairs from `at` until `stop` or about SYMBOLS_PER_POLL / 4 symbols; return the first pair not counted."""
        cdef int64_t symbols = 0
        cdef int64_t *rows = integers(self.rows)
        cdef int status = 0
        cdef Text hypothesis, reference
        with nogil:
            while at < stop and symbols < SYMBOLS_PER_POLL >> 2 and not status:
                status = self.hypotheses.read(at, ws, &ws.hyp_decoded, &hypothesis)
                status = status or self.references.read(at, ws, &ws.ref_decoded, &reference)
                if status:
                    break
                status = count_ter(ws, &hypothesis, &reference, &self.choices, rows + at * TER_COLUMNS)
                if status == LOWER_ELSEWHERE:
                    status = count_ter_lowered(ws, &hypothesis, &reference, &self.choices, rows + at * TER_COLUMNS)
                symbols += hypothesis.length + reference.length
                at += not status
        if status:
            check(status, segment_of_pair(self.hypotheses, self.references, at))
        return at


def ter_rows(hypotheses, references, choices, Py_ssize_t threads=1) -> array:
    """Return the edit counts of each pair; see ``readable_ter.ter_rows``."""
    cdef TerJob job = TerJob(hypotheses, references, choices)
    job.start(threads)
    return job.rows


def ter_row(hypothesis, reference, choices) -> tuple:
    """Return the edit counts of one pair; see ``readable_ter.ter_row``."""
    return tuple(ter_rows((hypothesis,), (reference,), choices))


def ter_edits(hypothesis, reference):
    """Return the edits between two sequences of words; see ``readable_ter.ter_edits``."""
    if not hypothesis or not reference:
        return readable_ter.ter_edits(hypothesis, reference)
    cdef str left = " ".join(hypothesis), right = " ".join(reference)
    cdef bytearray backwards = bytearray(len(hypothesis) + len(reference))
    cdef char *out = backwards
    cdef Tercom choices = Tercom(0, 0, 0, _level, NULL)
    cdef Text first, second
    cdef Search search
    cdef EditCounts counts
    cdef int64_t number = 0, length, i
    cdef int status
    cdef PooledWorkspace workspace = acquire_workspace()
    READY(left)
    READY(right)
    read_text(<PyObject *> left, &first)
    read_text(<PyObject *> right, &second)
    with nogil:
        status = find_edits(&workspace.ws, &first, &second, &choices, &search, &counts, &length)
        if not status:
            number = list_operations(&search, out)
    check(status or <int> min(number, 0), 0)
    shifts = []
    for i in range(counts.shifts):
        shift = search.applied[i]
        shifts.append(readable_ter.Shift(shift.start, shift.length, shift.target))
    release_workspace(workspace)
    return readable_ter.Edits(tuple(shifts), backwards[:number][::-1].decode())
