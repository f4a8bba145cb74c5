# Matrices of scores: hypotheses by references.

cdef extern from "bitsets.h" nogil:
    ctypedef struct Sequences:
        uint32_t symbols
    ctypedef struct Grid:
        const Sequences *characters
        const Sequences *words
        const Plan *plan
        const Formula *formula
        int64_t hypotheses, columns
        const int64_t *starts
        int mirrored
        double *out
    int TOO_LARGE
    const int *bitset_cells
    int character_ids(Workspace *ws, const Text *texts, int64_t number, int keep, int level, Sequences *s)
    int word_ids(Workspace *ws, Text *texts, int64_t number, int level, Sequences *s)
    int64_t symbols_of(const Sequences *s, int64_t text, int64_t number)
    int walk_column(Workspace *ws, const Grid *grid, int64_t column, int64_t first, int64_t last)
    int score_tile(Workspace *ws, const Grid *grid, int64_t first, int64_t last, int64_t column, int64_t last_column)
    void release_sequences(Sequences *s)

cdef Py_ssize_t TILE = 256              # texts on either side of a tile
cdef Py_ssize_t TILE_SYMBOLS = 1 << 18  # approximate number of symbols of these texts
cdef Py_ssize_t _bitset_cells = -1      # set by use_bitsets; -1 chooses the fastest method


def use_bitsets(which: bool | None) -> None:
    """Choose the method of later matrices: bitsets (True), no bitsets (False), or the faster of the two (None)."""
    global _bitset_cells
    _bitset_cells = -1 if which is None else 0 if which else 1 << 40


cdef class Matrix(ParallelJob):
    """Score the hypotheses of one source against its references; several references may share a column."""

    cdef Sequences characters, words
    cdef Plan plan
    cdef Formula formula
    cdef Grid grid
    cdef Py_ssize_t rows, columns       # of a chunk
    cdef bint tiled
    cdef array starts
    cdef list stop
    cdef double[:, ::1] out

    def __cinit__(self):
        memset(&self.characters, 0, sizeof(self.characters))
        memset(&self.words, 0, sizeof(self.words))

    def __dealloc__(self):
        release_sequences(&self.characters)
        release_sequences(&self.words)

    cdef assign_ids(self, Texts texts, Py_ssize_t count, bint as_words, Workspace *ws):
        """Assign ids to the symbols (or words) of the first `count` texts."""
        cdef Py_ssize_t i
        cdef int status = 0
        cdef Text *read = <Text *> malloc((count + 1) * sizeof(Text))
        if read == NULL:
            raise MemoryError
        for i in range(count):
            read_text(<PyObject *> texts.strings[i], read + i)
        with nogil:
            if as_words:
                status = word_ids(ws, read, count, self.plan.level, &self.words)
            else:
                status = character_ids(ws, read, count, self.plan.keep_whitespace, self.plan.level, &self.characters)
        free(read)
        check(status, 0)

    cdef start(self, Py_ssize_t threads, Py_ssize_t texts):
        """Fill the matrix: in tiles of bitsets if a tile has enough cells for each text, else column by column."""
        cdef Sequences *longest = &self.characters if self.plan.char_order else &self.words
        cdef Py_ssize_t most = TILE_SYMBOLS * texts // max(1, symbols_of(longest, 0, texts))
        cdef Py_ssize_t hypotheses = self.grid.hypotheses, columns = self.grid.columns
        cdef Py_ssize_t references = integers(self.starts)[columns]
        cdef Py_ssize_t cells = bitset_cells[self.plan.level] if _bitset_cells < 0 else _bitset_cells
        most = max(1, min(most, TILE))
        cdef Py_ssize_t high = min(most, hypotheses), wide = min(most, references)
        self.tiled = high * wide >= cells * (high + wide)
        if self.tiled:
            self.rows, self.columns = high, max(1, columns * wide // references)
        else:
            self.rows, self.columns = hypotheses, max(1, columns // (8 * threads) if threads > 1 else columns)
        cdef list chunks = []
        cdef Py_ssize_t row, column
        for row in range(0, hypotheses, self.rows):
            for column in range(0, columns, self.columns):
                if not (self.tiled and self.grid.mirrored) or column >= row:
                    chunks.append((row, column))
        self.run(chunks, threads)

    def run_chunk(self, chunk, PooledWorkspace workspace):
        cdef Py_ssize_t row = chunk[0], column = chunk[1]
        cdef Py_ssize_t last = min(row + self.rows, self.grid.hypotheses)
        cdef Py_ssize_t last_column = min(column + self.columns, self.grid.columns)
        cdef int status = TOO_LARGE
        with nogil:
            if self.tiled:
                status = score_tile(&workspace.ws, &self.grid, row, last, column, last_column)
            if status == TOO_LARGE:
                status = 0
                while column < last_column and not status:
                    status = walk_column(&workspace.ws, &self.grid, column, row, last)
                    column += 1
        check(status, 0)
        PyErr_CheckSignals()

    cdef bint is_stopped(self):
        return bool(self.errors) or bool(self.stop)


def fill_matrix(out, characters, words, list starts, plan, beta, bint per_order, Py_ssize_t threads, list stop):
    """Write the score of each hypothesis (a row of `out`) against each column of references.

    `characters` and `words` are the texts whose n-grams are counted: first the hypotheses, then the references.
    Column j has the references from `starts[j]` to `starts[j + 1]`. Appending an error to `stop` stops the job.
    """
    cdef Matrix matrix = Matrix()
    cdef PooledWorkspace workspace
    cdef Py_ssize_t hypotheses = out.shape[0], texts = hypotheses + starts[len(starts) - 1]
    if not out.size:
        return
    read_plan(plan, &matrix.plan)
    matrix.formula = formula_of(beta, per_order)
    matrix.starts, matrix.out, matrix.stop = array("q", starts), out, stop
    cdef bint mirrored = len(starts) == hypotheses + 1 and texts == 2 * hypotheses
    if matrix.plan.char_order:
        characters = Texts(characters, "characters")
        mirrored = mirrored and repeats(characters, hypotheses)
    if matrix.plan.word_order:
        words = Texts(words, "words")
        mirrored = mirrored and repeats(words, hypotheses)
    if mirrored:
        texts = hypotheses
    workspace = acquire_workspace()
    if matrix.plan.char_order:
        matrix.assign_ids(characters, texts, False, &workspace.ws)
    if matrix.plan.word_order:
        matrix.assign_ids(words, texts, True, &workspace.ws)
    release_workspace(workspace)
    matrix.grid = Grid(&matrix.characters, &matrix.words, &matrix.plan, &matrix.formula, hypotheses, len(starts) - 1,
                       integers(matrix.starts), mirrored, &matrix.out[0, 0])
    matrix.start(threads, texts)


cdef bint repeats(Texts texts, Py_ssize_t number):
    """Return whether the second half of the texts equals the first half."""
    return texts.strings[:number] == texts.strings[number:]
