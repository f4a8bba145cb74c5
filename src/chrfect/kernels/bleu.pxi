# BLEU: rows of counts from texts or tokens.

from chrfect.kernels import readable_bleu
from chrfect.text import categories, tokens as built_in
from chrfect.text.whitespace import WHITESPACE

cdef extern from "clip.h" nogil:
    ctypedef struct Word:
        const uint8_t *at
        uint32_t size
    ctypedef int (*TakeWords)(const void *list, int64_t first, int64_t number, Word *out) noexcept nogil
    ctypedef struct Tokens:
        int64_t number, done
        Text text
        const void *list
        TakeWords take
    ctypedef struct Table:
        pass
    ctypedef struct Ids:
        int64_t hyp_length, ref_length
    ctypedef struct Clip:
        pass
    ctypedef struct Roles:
        pass
    int TOKENS, WORDS, NONE, CHAR, T13A, ZH, INTL, TOO_MANY_MARKS, PART
    Roles zh_roles, intl_roles
    int set_role(Roles *roles, uint32_t first, uint32_t last, uint8_t role)
    int find_tokens(Workspace *ws, const Text *text, int how, int level, Buffer *replaced, Tokens *out)
    int64_t next_words(Workspace *ws, Tokens *tokens, int level, Word *words)
    int number_reference(Workspace *ws, Tokens *ref, int level, Table *table, Ids *ids)
    int number_hypothesis(Workspace *ws, Tokens *hyp, int level, Table *table, Ids *ids)
    int widen(Text *text, int width, Buffer *buffer, int level)
    int count_one_reference(Workspace *ws, const Ids *ids, int order, int level, int64_t *row)
    int count_bleu_pair(Workspace *ws, const Text *hyp, const Text *ref, int how, int order, int level, int64_t *row)
    int start_clip(Workspace *ws, Tokens *hyp, int order, int level, Clip *clip)
    int add_reference(Workspace *ws, Clip *clip, Tokens *ref)
    int finish_clip(Workspace *ws, const Clip *clip, int64_t *row)
    int stop_after_steps(Workspace *ws, int64_t steps)
    void *reserve(Buffer *buffer, size_t size)
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

    cdef int read(self, Py_ssize_t i, Tokens *out) noexcept nogil:
        memset(out, 0, sizeof(out[0]))
        out.list = PyTuple_GET_ITEM(<PyObject *> self.lists, i)
        out.number = PyTuple_GET_SIZE(<PyObject *> out.list)
        out.take = take_strings
        return 0


cdef int take_strings(const void *strings, int64_t first, int64_t number, Word *out) noexcept nogil:
    """Make words of the strings of a tuple."""
    cdef Text text
    cdef int64_t k
    for k in range(number):
        read_text(PyTuple_GET_ITEM(<PyObject *> strings, first + k), &text)
        if text.length > MAX_LENGTH:
            return TOO_LONG
        take_word(out + k, &text)
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
        cdef int64_t symbols = 0, piece = SYMBOLS_PER_POLL // (1 + self.order // 8)
        cdef Py_ssize_t column
        cdef int status = 0
        with nogil:
            while at < stop and symbols < piece:
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
        if status:
            check(status, self.index(at))
        return at

    cdef Py_ssize_t index(self, Py_ssize_t at):
        """Return the index of a segment in the whole corpus, as far as Arrow arrays tell."""
        if self.hypotheses is not None and self.hypotheses.arrow is not None:
            return self.hypotheses.arrow.segment(at)
        if self.references is not None and self.references.arrow is not None:
            return self.references.arrow.segment(at if self.starts is None else self.starts[at])
        return at

    cdef int segment(self, Py_ssize_t at, Workspace *ws, int64_t *row, int64_t *symbols) noexcept nogil:
        """Count one segment."""
        cdef int64_t first = at, last = at + 1
        cdef int status
        cdef Text text, reference
        if self.starts is not None:
            first, last = self.starts.data.as_longlongs[at], self.starts.data.as_longlongs[at + 1]
        if last - first > 1:
            return self.clipped_segment(at, first, last, ws, row, symbols)
        if self.how == TOKENS:
            return self.listed_segment(at, first, ws, row, symbols)
        status = self.hypotheses.read(at, ws, &ws.hyp_decoded, &text)
        status = status or self.references.read(first, ws, &ws.ref_decoded, &reference)
        if status:
            return status
        symbols[0] += text.length + reference.length
        return count_bleu_pair(ws, &text, &reference, self.how, self.order, _level, row)

    cdef int listed_segment(self, Py_ssize_t at, int64_t reference, Workspace *ws, int64_t *row,
                            int64_t *symbols) noexcept nogil:
        """Count one segment of a list of tokens and one reference."""
        cdef Tokens hyp, ref
        cdef Table table
        cdef Ids ids
        self.hypothesis_lists.read(at, &hyp)
        self.reference_lists.read(reference, &ref)
        symbols[0] += 4 * (hyp.number + ref.number)
        cdef int status = number_reference(ws, &ref, _level, &table, &ids)
        status = status or number_hypothesis(ws, &hyp, _level, &table, &ids)
        return status or count_one_reference(ws, &ids, self.order, _level, row)

    cdef int clipped_segment(self, Py_ssize_t at, int64_t first, int64_t last, Workspace *ws, int64_t *row,
                             int64_t *symbols) noexcept nogil:
        """Count one segment of several references."""
        cdef int64_t k
        cdef int status, width = 1
        cdef Text text
        cdef Tokens tokens
        cdef Clip clip
        if self.how != TOKENS:      # compared texts must have the same width
            status = self.hypotheses.read(at, ws, &ws.hyp_decoded, &text)
            width = text.width
            for k in range(first, last):
                if status == 0:
                    status = self.references.read(k, ws, &ws.ref_decoded, &text)
                if status == 0 and stop_after_steps(ws, text.length + 16):
                    status = INTERRUPTED
                if status:
                    return status
                width = max(width, text.width)
        status = self.tokens(self.hypotheses, self.hypothesis_lists, at, width, ws, &ws.hyp_decoded, &ws.hyp_wide,
                             &ws.hyp_replaced, &tokens)
        symbols[0] += tokens.number
        status = status or start_clip(ws, &tokens, self.order, _level, &clip)
        for k in range(first, last):
            if status == 0:
                status = self.tokens(self.references, self.reference_lists, k, width, ws, &ws.ref_decoded, &ws.ref_wide,
                                     &ws.ref_replaced, &tokens)
            if status:
                return status
            symbols[0] += tokens.number
            status = add_reference(ws, &clip, &tokens)
            if status == 0 and stop_after_steps(ws, self.order * (16 + 8 * tokens.number)):
                status = INTERRUPTED
        return status or finish_clip(ws, &clip, row)

    cdef int tokens(self, Texts texts, TokenLists lists, Py_ssize_t i, int width, Workspace *ws, Buffer *decoded, Buffer *wide,
                    Buffer *replaced, Tokens *out) noexcept nogil:
        """Find the tokens of a text, converted to a width, or of a list."""
        cdef Text text
        cdef int status
        if self.how == TOKENS:
            return lists.read(i, out)
        status = texts.read(i, ws, decoded, &text)
        if status == 0 and text.length > MAX_LENGTH:
            status = TOO_LONG
        status = status or widen(&text, width, wide, _level)
        return status or find_tokens(ws, &text, self.how, _level, replaced, out)

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
    if not isinstance(hypothesis, str) or not isinstance(reference, str):
        Texts((hypothesis, reference), "texts")
    cdef int how = TOKENIZER_CODES[tokenizer], status
    cdef Py_ssize_t width = 2 + 2 * max_order, size
    cdef Text first, second
    cdef PooledWorkspace workspace = acquire_workspace()
    cdef int64_t stack_row[32]
    cdef array heap_row = None
    cdef int64_t *counts = stack_row
    if width > 32:
        heap_row = clone(array("q"), width, False)
        counts = integers(heap_row)
    READY(hypothesis)
    READY(reference)
    read_text(<PyObject *> hypothesis, &first)
    read_text(<PyObject *> reference, &second)
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
    return tuple_of(counts, width)


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
    cdef Tokens tokens
    cdef int64_t k, number
    cdef Workspace *ws = &workspace.ws
    cdef Word *words = <Word *> reserve(&ws.words, PART * sizeof(Word))
    if words == NULL:
        raise MemoryError
    check(texts.read(0, ws, &ws.hyp_decoded, &read), 0)
    if read.length > MAX_LENGTH:
        check(TOO_LONG, 0)
    check(find_tokens(ws, &read, how, _level, &ws.hyp_replaced, &tokens), 0)
    cdef list found = []
    while tokens.done < tokens.number:
        number = next_words(ws, &tokens, _level, words)
        check(<int> min(number, 0), 0)
        for k in range(number):
            found.append(PyUnicode_FromKindAndData(read.width, words[k].at, words[k].size // read.width))
    release_workspace(workspace)
    return found
