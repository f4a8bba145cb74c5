# Clipping tables of BLEU: the sorted n-grams of a hypothesis with their counts.
#
# The distinct n-grams of an order are numbered in their sorted order. An n-gram is the number of its first n - 1 tokens
# and the rank of its last token. So n-grams are sorted by counting, as in a radix sort, and the n-grams of a reference
# are looked up among the successors of a number.

cdef int ABSENT = -1    # for a token or an n-gram that the hypothesis lacks
cdef int END = -2       # after the last token of a reference

cdef struct NgramTable:
    int *tokens             # the ranks of the tokens of the hypothesis
    int *references         # those of all references, each followed by END
    Py_ssize_t length, total
    int distinct            # the number of distinct n-grams of the order
    int *numbers            # the number of the n-gram at each position of the hypothesis
    int *found              # the same for the references
    int *by_token           # positions, sorted by their tokens
    int *by_ngram           # positions, sorted by their n-grams
    int *slots
    int *successors         # the first n-gram that begins with each n-gram of the order before
    int *last               # the last token of each n-gram
    int *held               # the count of each n-gram in the reference `holder`
    int *holder


cdef void distribute(NgramTable *table, const int *keys, int distinct, const int *positions, Py_ssize_t number, int before,
                     int *out) noexcept nogil:
    """Write the positions less ``before`` that are not negative, sorted by their keys; the sort is stable."""
    cdef Py_ssize_t k
    cdef int at
    memset(table.slots, 0, (distinct + 1) * sizeof(int))
    for k in range(number - before):
        table.slots[keys[k] + 1] += 1
    for k in range(distinct):
        table.slots[k + 1] += table.slots[k]
    for k in range(number):
        at = (<int> k if positions == NULL else positions[k]) - before
        if at >= 0:
            out[table.slots[keys[at]]] = at
            table.slots[keys[at]] += 1


cdef void count_hypothesis(NgramTable *table, int n, int64_t *rows) noexcept nogil:
    """Number the n-grams of the hypothesis, and write for each its first position and its count."""
    cdef Py_ssize_t k, number = max(0, table.length - n + 1)
    cdef int at, token, ngram = -1, prefix = -1
    if number:
        distribute(table, table.numbers, table.distinct, table.by_token, table.length, n - 1, table.by_ngram)
    for k in range(number):
        at = table.by_ngram[k]
        token = table.tokens[at + n - 1]
        if table.numbers[at] != prefix or token != table.last[ngram]:
            ngram += 1
            table.last[ngram] = token
            rows[3 * ngram] = at
            rows[3 * ngram + 1] = rows[3 * ngram + 2] = 0
            while prefix < table.numbers[at]:
                prefix += 1
                table.successors[prefix] = ngram
        rows[3 * ngram + 1] += 1
        table.numbers[at] = ngram
    for k in range(prefix + 1, table.distinct + 1):
        table.successors[k] = ngram + 1
    table.distinct = ngram + 1


cdef int successor(NgramTable *table, int prefix, int token) noexcept nogil:
    """Return the n-gram that consists of an n-gram of the order before and a token, or ABSENT."""
    cdef int low = table.successors[prefix], end = table.successors[prefix + 1], high = end, middle
    while low < high:
        middle = (low + high) // 2
        if table.last[middle] < token:
            low = middle + 1
        else:
            high = middle
    return low if low < end and table.last[low] == token else ABSENT


cdef void count_references(NgramTable *table, int n, int64_t *rows) noexcept nogil:
    """Write for each n-gram its largest count in one reference."""
    cdef Py_ssize_t k
    cdef int ngram, reference = 0
    memset(table.holder, 0xFF, table.distinct * sizeof(int))
    for k in range(table.total):
        if table.references[k] == END:
            reference += 1
        elif table.found[k] != ABSENT:
            ngram = table.found[k] = successor(table, table.found[k], table.references[k + n - 1])
            if ngram != ABSENT:
                if table.holder[ngram] != reference:
                    table.holder[ngram] = reference
                    table.held[ngram] = 0
                table.held[ngram] += 1
                rows[3 * ngram + 2] = max(rows[3 * ngram + 2], table.held[ngram])


def clip_tables(hypothesis, references, int max_order) -> list:
    """Return the sorted n-grams of each order with their counts; see ``readable_bleu.clip_tables``."""
    cdef dict ranks = {token: rank for rank, token in enumerate(sorted(set(hypothesis)))}
    cdef array tokens = array("i", [ranks[token] for token in hypothesis])
    cdef tuple lists = tuple(map(tuple, references))        # a list could grow while it is read
    cdef array others = clone(array("i"), sum(map(len, lists)) + len(lists), False)
    cdef Py_ssize_t k = 0
    for reference in lists:
        for token in <tuple> reference:
            others.data.as_ints[k] = ranks.get(token, ABSENT)
            k += 1
        others.data.as_ints[k] = END
        k += 1
    cdef NgramTable table
    table.tokens, table.length = tokens.data.as_ints, len(tokens)
    table.references, table.total = others.data.as_ints, len(others)
    cdef Py_ssize_t size = table.length + 2
    cdef array memory = clone(array("i"), 8 * size + table.total, True)
    table.numbers = memory.data.as_ints
    table.by_token, table.by_ngram, table.slots = table.numbers + size, table.numbers + 2 * size, table.numbers + 3 * size
    table.successors, table.last = table.numbers + 4 * size, table.numbers + 5 * size
    table.held, table.holder, table.found = table.numbers + 6 * size, table.numbers + 7 * size, table.numbers + 8 * size
    distribute(&table, table.tokens, <int> len(ranks), NULL, table.length, 0, table.by_token)
    table.distinct = 1          # of order 0, whose only n-gram is 0 and found everywhere
    cdef list tables = []
    cdef array rows
    cdef int n
    for n in range(1, max_order + 1):
        rows = clone(array("q"), 3 * max(0, table.length - n + 1), False)
        count_hypothesis(&table, n, integers(rows))
        count_references(&table, n, integers(rows))
        tables.append(rows[: 3 * table.distinct])
    return tables
