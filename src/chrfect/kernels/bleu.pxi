# BLEU: rows of counts from texts or tokens.

from chrfect.kernels import readable_bleu
from chrfect.text import categories, tokens as built_in
from chrfect.text.whitespace import WHITESPACE

cdef extern from "clip.h" nogil:
    ctypedef struct Word:
        const uint8_t *at
        uint32_t size
    ctypedef struct Words:
        Word *words
        int64_t number
    ctypedef struct Clip:
        pass
    ctypedef struct Roles:
        pass
    int TOKENS, WORDS, NONE, CHAR, T13A, ZH, INTL, TOO_MANY_MARKS
    Roles zh_roles, intl_roles
    int set_role(Roles *roles, uint32_t first, uint32_t last, uint8_t role)
    int find_words(Workspace *ws, const Text *text, int how, int level, Buffer *words, Buffer *replaced, Words *out)
    int widen(Text *text, int width, Buffer *buffer, int level)
    int count_one_reference(Workspace *ws, const Words *hyp, const Words *ref, int order, int level, int64_t *row)
    int count_bleu_pair(Workspace *ws, const Text *hyp, const Text *ref, int how, int order, int level, int64_t *row)
    int start_clip(Workspace *ws, const Words *hyp, int order, int level, Clip *clip)
    int add_reference(Workspace *ws, Clip *clip, const Words *ref)
    int finish_clip(Workspace *ws, const Clip *clip, int64_t *row)
    int should_stop(const Workspace *ws)
    Word *reserve_words(Buffer *buffer, int64_t number)
    void take_word(Word *word, const Text *text)

cdef extern from "Python.h" nogil:
    Py_ssize_t PyTuple_GET_SIZE(PyObject *)

cdef extern from "Python.h":
    object PyUnicode_FromKindAndData(int kind, const void *data, Py_ssize_t size)

cdef dict TOKENIZER_CODES = {None: TOKENS, "none": NONE, "char": CHAR, "13a": T13A, "zh": ZH, "intl": INTL}


cdef set_roles():
    """Set the role of each code point in the tokenizer rules: a Latin character that the rules treat alike."""
    cdef int status = 0
    for first, last in built_in.CHINESE:
        status |= set_role(&zh_roles, first, last, c'!')
    status |= set_role(&intl_roles, 0, 0x7F, c'a')
    for ranges, role in ((categories.PUNCTUATION, c'.'), (categories.SYMBOLS, c'+'), (categories.NUMBERS, c'0')):
        for first, last in ranges:
            status |= set_role(&intl_roles, first, last, role)
    for code in range(0x100):
        status |= set_role(&zh_roles, code, code, code)
    for space in map(ord, WHITESPACE):
        status |= set_role(&zh_roles, space, space, c' ')
        status |= set_role(&intl_roles, space, space, c' ')
    if status:
        raise MemoryError


set_roles()


cdef class TokenLists:
    """Lists of tokens that stay alive while the GIL is released: a tuple of tuples of str."""

    cdef tuple lists

    def __init__(self, lists, str name):
        cdef Py_ssize_t i
        cdef list copies = []
        for i, tokens in enumerate(lists):
            if isinstance(tokens, str):
                raise UsageError(f"{name}[{i}] is a text; a list of tokens was expected.")
            copies.append(tuple(tokens))
            for token in <tuple> copies[i]:
                if not isinstance(token, str):
                    raise UsageError(f"{name}[{i}] has a {type(token).__name__} among its tokens; str was expected.")
                READY(token)
        self.lists = tuple(copies)

    cdef int read(self, Py_ssize_t i, Buffer *buffer, Words *out) noexcept nogil:
        cdef PyObject *tokens = PyTuple_GET_ITEM(<PyObject *> self.lists, i)
        cdef Text text
        cdef int64_t k
        out.number = PyTuple_GET_SIZE(tokens)
        out.words = reserve_words(buffer, out.number)
        if out.words == NULL:
            return NO_MEMORY
        for k in range(out.number):
            read_text(PyTuple_GET_ITEM(tokens, k), &text)
            if text.length > MAX_LENGTH:
                return TOO_LONG
            take_word(out.words + k, &text)
        return 0


cdef class BleuJob(PairJob):
    """Count segments with one or more references: one row for each segment, or the sum of all rows."""

    cdef TokenLists hypothesis_lists, reference_lists
    cdef array starts
    cdef int how, order

    def __init__(self, hypotheses, references, starts, tokenizer, int max_order):
        cdef Py_ssize_t i, reference_count
        if tokenizer not in TOKENIZER_CODES:
            raise UsageError(f"tokenizer is {tokenizer!r}; one of {', '.join(built_in.BUILT_IN)}, or None, was expected.")
        self.how, self.order = TOKENIZER_CODES[tokenizer], max_order
        if tokenizer is None:
            self.hypothesis_lists = TokenLists(hypotheses, "hypotheses")
            self.reference_lists = TokenLists(references, "references")
            self.number, reference_count = len(self.hypothesis_lists.lists), len(self.reference_lists.lists)
        else:
            self.hypotheses = Texts(hypotheses, "hypotheses")
            self.references = Texts(references, "references")
            self.number, reference_count = self.hypotheses.number, self.references.number
        if starts is not None:
            self.starts = array("q", starts)
        if self.starts is None or not self.are_starts_valid(reference_count):
            readable_bleu.check_starts(self.number, reference_count, self.starts)
        self.width = 2 + 2 * max_order
        self.sums = clone(array("q"), self.width + 1, True)
        self.sums_lock = allocate_lock()

    cdef bint are_starts_valid(self, Py_ssize_t reference_count) noexcept:
        cdef int64_t *starts = integers(self.starts)
        cdef Py_ssize_t i
        if len(self.starts) != self.number + 1 or starts[0] < 0 or starts[self.number] > reference_count:
            return False
        for i in range(self.number):
            if starts[i] >= starts[i + 1]:
                return False
        return True

    cdef start(self, Py_ssize_t threads):
        cdef Py_ssize_t symbols = 0
        if threads > 1 and self.how != TOKENS:
            symbols = self.hypotheses.length() + self.references.length()
            if symbols < 2 * MIN_SYMBOLS_FOR_THREADS:
                threads = 1
        self.step = max(1, min(256, self.number // (8 * threads)))
        self.run(list(range(0, self.number, self.step)), threads)

    cdef Py_ssize_t count(self, Py_ssize_t at, Py_ssize_t stop, Workspace *ws, int64_t *sums) except -1:
        cdef int64_t *rows = NULL if self.rows is None else integers(self.rows)
        cdef int64_t *row = sums + self.width
        cdef int64_t symbols = 0
        cdef Py_ssize_t column
        cdef int status = 0
        with nogil:
            while at < stop and symbols < SYMBOLS_PER_POLL:
                if rows != NULL:
                    row = rows + at * self.width
                status = self.segment(at, ws, row, &symbols)
                if status == TOO_MANY_MARKS:
                    with gil:
                        self.count_readably(at, row)
                    status = 0
                if status:
                    break
                if rows == NULL:
                    for column in range(self.width):
                        sums[column] += row[column]
                at += 1
        check(status, at if self.hypotheses is None else at + max(self.hypotheses.first, self.references.first))
        return at

    cdef int segment(self, Py_ssize_t at, Workspace *ws, int64_t *row, int64_t *symbols) noexcept nogil:
        """Count one segment."""
        cdef int64_t first = at, last = at + 1, k, polled = 0
        cdef int status, width = 1
        cdef Text text, reference
        cdef Words hyp, ref
        cdef Clip clip
        if self.starts is not None:
            first, last = self.starts.data.as_longlongs[at], self.starts.data.as_longlongs[at + 1]
        if self.how != TOKENS:
            status = self.hypotheses.read(at, ws, &ws.hyp_decoded, &text)
            if status:
                return status
            width = text.width
            for k in range(first, last):        # compared texts must have the same width
                status = self.references.read(k, ws, &ws.ref_decoded, &reference)
                if status:
                    return status
                polled += reference.length
                if polled > SYMBOLS_PER_POLL:
                    polled = 0
                    if should_stop(ws):
                        return INTERRUPTED
                width = max(width, reference.width)
            symbols[0] += text.length
        status = self.words(self.hypotheses, self.hypothesis_lists, at, width, ws, &ws.hyp_decoded, &ws.hyp_wide,
                            &ws.hyp_words, &ws.hyp_replaced, &hyp)
        if status:
            return status
        if last - first == 1:
            status = self.words(self.references, self.reference_lists, first, width, ws, &ws.ref_decoded, &ws.ref_wide,
                                &ws.ref_words, &ws.ref_replaced, &ref)
            symbols[0] += 0 if status else ref.number
            return status or count_one_reference(ws, &hyp, &ref, self.order, _level, row)
        status = start_clip(ws, &hyp, self.order, _level, &clip)
        for k in range(first, last):
            if status:
                return status
            status = self.words(self.references, self.reference_lists, k, width, ws, &ws.ref_decoded, &ws.ref_wide,
                                &ws.ref_words, &ws.ref_replaced, &ref)
            if status:
                return status
            symbols[0] += ref.number
            status = add_reference(ws, &clip, &ref)
            polled += ref.number + 16
            if not status and polled > SYMBOLS_PER_POLL:
                polled = 0
                if should_stop(ws):
                    return INTERRUPTED
        return status or finish_clip(ws, &clip, row)

    cdef int words(self, Texts texts, TokenLists lists, Py_ssize_t i, int width, Workspace *ws, Buffer *decoded, Buffer *wide,
                   Buffer *words, Buffer *replaced, Words *out) noexcept nogil:
        """Find the words of a text, converted to a width, or of a list of tokens."""
        cdef Text text
        cdef int status
        if self.how == TOKENS:
            return lists.read(i, words, out)
        status = texts.read(i, ws, decoded, &text)
        if not status and text.length > MAX_LENGTH:
            status = TOO_LONG
        status = status or widen(&text, width, wide, _level)
        return status or find_words(ws, &text, self.how, _level, words, replaced, out)

    cdef count_readably(self, Py_ssize_t at, int64_t *row):
        """Count a segment that has more n-grams than the marks of the C code can hold."""
        cdef Py_ssize_t first = at, last = at + 1, column
        if self.starts is not None:
            first, last = self.starts[at], self.starts[at + 1]
        hypothesis = self.item(self.hypotheses, self.hypothesis_lists, at)
        references = [self.item(self.references, self.reference_lists, k) for k in range(first, last)]
        for column, value in enumerate(readable_bleu.segment(hypothesis, references, self.order)):
            row[column] = value

    cdef item(self, Texts texts, TokenLists lists, Py_ssize_t i):
        """Return the tokens of a text."""
        if self.how == TOKENS:
            return lists.lists[i]
        text = texts.strings[i] if texts.arrow is None else texts.arrow[i]
        return built_in.split(text, next(name for name, how in TOKENIZER_CODES.items() if how == self.how))


def bleu_row(hypothesis, reference, tokenizer, int max_order) -> tuple:
    """Return the counts of one text and one reference; see ``readable_bleu.bleu_row``."""
    cdef Texts texts = Texts((hypothesis, reference), "texts")
    cdef PooledWorkspace workspace = acquire_workspace()
    cdef array row = clone(array("q"), 2 + 2 * max_order, False)
    cdef int64_t *counts = integers(row)
    cdef int how = TOKENIZER_CODES[tokenizer], status
    cdef Py_ssize_t size
    cdef Text first, second
    texts.read(0, &workspace.ws, NULL, &first)
    texts.read(1, &workspace.ws, NULL, &second)
    size = first.length + second.length
    if size < MIN_SYMBOLS_TO_RELEASE_GIL:
        status = count_bleu_pair(&workspace.ws, &first, &second, how, max_order, _level, counts)
    else:
        with nogil:
            status = count_bleu_pair(&workspace.ws, &first, &second, how, max_order, _level, counts)
    check(status, 0)
    if size < MIN_SYMBOLS_TO_RELEASE_GIL:
        _idle_workspaces.append(workspace)
    else:
        release_workspace(workspace)
    return tuple(row)


def bleu_rows(hypotheses, references, starts, tokenizer, int max_order, Py_ssize_t threads=1) -> array:
    """Return the counts of each segment; see ``readable_bleu.bleu_rows``."""
    cdef BleuJob job = BleuJob(hypotheses, references, starts, tokenizer, max_order)
    job.rows = clone(array("q"), job.number * job.width, False)
    job.start(threads)
    return job.rows


def bleu_total(hypotheses, references, starts, tokenizer, int max_order, Py_ssize_t threads=1) -> list:
    """Return the sum of the rows; see ``readable_bleu.bleu_total``."""
    cdef BleuJob job = BleuJob(hypotheses, references, starts, tokenizer, max_order)
    job.start(threads)
    return job.sums.tolist()[: job.width]


def split(text, tokenizer) -> list:
    """Return the tokens that a built-in tokenizer makes of a text; see ``text.tokens.split``."""
    return tokens_of(text, TOKENIZER_CODES[tokenizer])


def split_words(text) -> list:
    """Return the words of chrF++; see ``text.words.split_words``."""
    return tokens_of(text, WORDS)


cdef list tokens_of(text, int how):
    cdef PooledWorkspace workspace = acquire_workspace()
    cdef Texts texts = Texts((text,), "texts")
    cdef Text read
    cdef Words words
    cdef int64_t k
    check(texts.read(0, &workspace.ws, &workspace.ws.hyp_decoded, &read), 0)
    if read.length > MAX_LENGTH:
        check(TOO_LONG, 0)
    check(find_words(&workspace.ws, &read, how, _level, &workspace.ws.hyp_words, &workspace.ws.hyp_replaced, &words), 0)
    cdef list tokens = []
    for k in range(words.number):
        if k % SYMBOLS_PER_POLL == SYMBOLS_PER_POLL - 1:
            PyErr_CheckSignals()
        tokens.append(PyUnicode_FromKindAndData(read.width, words.words[k].at, words.words[k].size // read.width))
    release_workspace(workspace)
    return tokens
