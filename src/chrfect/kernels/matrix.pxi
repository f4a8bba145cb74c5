# Matrices of scores: hypotheses by references.

cdef extern from "matrix.h" nogil:
    ctypedef struct Sequences:
        pass
    int character_ids(Workspace *ws, const Text *texts, int64_t number, int keep, int level, Sequences *s)
    int word_ids(Workspace *ws, Text *texts, int64_t number, int level, Sequences *s)
    int score_column(Workspace *ws, const Sequences *characters, const Sequences *words, const Plan *plan,
                     const Formula *formula, int64_t hypotheses, int64_t reference, int larger, double *out, int64_t stride)
    void release_sequences(Sequences *s)


cdef class Matrix(Work):
    """The scores of the hypotheses of one source against its references, of which several may share a column."""

    cdef Sequences characters, words
    cdef Plan plan
    cdef Formula formula
    cdef Py_ssize_t hypotheses
    cdef list starts, stop
    cdef double[:, ::1] out

    def __cinit__(self):
        memset(&self.characters, 0, sizeof(self.characters))
        memset(&self.words, 0, sizeof(self.words))

    def __dealloc__(self):
        release_sequences(&self.characters)
        release_sequences(&self.words)

    cdef number(self, Texts texts, bint as_words, Workspace *ws):
        """Give the symbols (or words) of all texts their ids."""
        cdef Py_ssize_t count = texts.number, i
        cdef int status = 0
        cdef Text *read = <Text *> malloc((count + 1) * sizeof(Text))
        if read == NULL:
            raise MemoryError
        for i in range(count):
            read_text(<PyObject *> texts.held[i], read + i)
        with nogil:
            if as_words:
                status = word_ids(ws, read, count, self.plan.level, &self.words)
            else:
                status = character_ids(ws, read, count, self.plan.keep_whitespace, self.plan.level, &self.characters)
        free(read)
        check(status, 0)

    cdef claim(self, Py_ssize_t at, Space space):
        cdef Py_ssize_t first = self.starts[at], last = self.starts[at + 1], reference
        cdef int status = 0
        if self.stop:
            raise self.stop[0]
        with nogil:
            for reference in range(first, last):
                status = score_column(&space.ws, &self.characters, &self.words, &self.plan, &self.formula,
                                      self.hypotheses, self.hypotheses + reference, reference > first,
                                      &self.out[0, at], self.out.shape[1])
                if status:
                    break
        check(status, 0)
        PyErr_CheckSignals()


def fill_matrix(out, characters, words, list starts, plan, beta, bint per_order, Py_ssize_t threads, list stop):
    """Write a score for each hypothesis (row of `out`) and column of references.

    `characters` and `words` are the texts to take n-grams from, the hypotheses first, then the references of
    column j at `starts[j]` to `starts[j + 1]` among the references. An error that somebody puts into `stop` ends the work.
    """
    cdef Matrix matrix = Matrix()
    cdef Space space
    if not out.size:
        return
    read_plan(plan, &matrix.plan)
    matrix.formula = formula_of(beta, per_order)
    matrix.hypotheses, matrix.starts, matrix.out, matrix.stop = out.shape[0], starts, out, stop
    space = borrow()
    if matrix.plan.char_order:
        matrix.number(Texts(characters, "characters"), False, &space.ws)
    if matrix.plan.word_order:
        matrix.number(Texts(words, "words"), True, &space.ws)
    give_back(space)
    matrix.run(list(range(len(starts) - 1)), threads)
