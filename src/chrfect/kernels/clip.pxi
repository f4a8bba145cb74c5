# Tokens of a hypothesis clipped over its references, for BLEU.

cdef extern from "clip.h" nogil:
    int clip_ids(Workspace *ws, const uint32_t *hyp, int64_t length, const uint32_t *refs, const int64_t *ref_lengths,
                 int64_t number, uint32_t symbols, int order, int level, int64_t *matches)
    void *reserve(Buffer *buffer, size_t size)


def clipped(hypotheses, references, int max_order) -> array:
    """Return n-grams and clipped matches of each segment of tokens; see ``readable.clipped``."""
    cdef tuple of_segments = tuple(hypotheses), beside = tuple(references)     # which nobody can shorten meanwhile
    cdef Py_ssize_t number = len(of_segments), segment
    if len(beside) != number:
        raise UsageError(f"There are {number} hypotheses and {len(beside)} lists of references.")
    cdef array table = clone(array("q"), 2 * max_order * number, False)
    cdef array matches = clone(array("q"), max_order, False)
    cdef Space space = borrow()
    cdef int n, status
    cdef int64_t length
    cdef int64_t *row
    for segment in range(number):
        hypothesis, lists = tuple(of_segments[segment]), tuple(map(tuple, beside[segment]))
        row = integers(table) + 2 * max_order * segment
        length = len(hypothesis)
        status = clip_segment(&space.ws, hypothesis, lists, max_order, integers(matches))
        if status == TOO_LONG:
            for n, value in enumerate(readable.clipped([hypothesis], [lists], max_order)):
                row[n] = value
            continue
        check(status, segment)
        for n in range(max_order):
            row[2 * n] = max(0, length - n)
            row[2 * n + 1] = integers(matches)[n]
        PyErr_CheckSignals()
    give_back(space)
    return table


cdef int clip_segment(Workspace *ws, tuple hypothesis, tuple lists, int max_order, int64_t *matches) except -9:
    """Number the tokens, those that no reference has alike, and clip."""
    cdef dict ids = {}
    cdef int64_t length = len(hypothesis), number = len(lists), size = 0, i = 0, k
    cdef int status
    cdef array held = clone(array("q"), number, False)
    cdef int64_t *lengths = integers(held)
    for k in range(number):
        lengths[k] = len(lists[k])
        size += lengths[k]
    if length > MAX_LENGTH or size > MAX_LENGTH:
        return TOO_LONG
    cdef uint32_t *hyp = <uint32_t *> reserve(&ws.hyp, length * sizeof(uint32_t))
    cdef uint32_t *refs = <uint32_t *> reserve(&ws.ref, size * sizeof(uint32_t))
    if hyp == NULL or refs == NULL:
        return NO_MEMORY
    for tokens in lists:
        for token in tokens:
            refs[i] = <uint32_t> ids.setdefault(token, len(ids))
            i += 1
    i = 0
    unknown = len(ids)
    for token in hypothesis:
        hyp[i] = <uint32_t> ids.get(token, unknown)
        i += 1
    cdef uint32_t symbols = unknown + 1
    with nogil:
        status = clip_ids(ws, hyp, length, refs, lengths, number, symbols, max_order, _level, matches)
    return status
