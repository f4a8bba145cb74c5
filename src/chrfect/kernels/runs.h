/* Sorting keys by radix, and counting the runs of equal n-grams in sorted keys.
 *
 * A key holds the symbols of an n-gram, the first symbol in the highest bits; its lowest bit is the side (1: hypothesis).
 * In sorted keys, a run of order n ends where neighbours differ in their first n symbols. The matches of a run are the
 * smaller of its counts of the two sides. */
#ifndef CHRFECT_RUNS_H
#define CHRFECT_RUNS_H

#include <math.h>

#include "masks.h"

#define KEY_BITS 63
#define FEW 32          /* number of keys up to which insertion sort is faster than radix sort */
#define MAX_DIGIT 11    /* bits of a radix digit: more counters would not fit into first-level caches */

typedef struct {
    uint64_t key, more;     /* data that does not fit into the key: more symbols (a wide key), or a position */
} Wide;

/* Return the cost of `passes` radix passes over `count` keys of `bits` bits, in counters: about three for each key and pass. */
static double radix_cost(int64_t count, int bits, int passes)
{
    return passes * (3.0 * (double)count + (double)(1 << (bits + passes - 1) / passes));
}

/* Return the number of passes with the lowest cost. */
static int radix_passes(int64_t count, int bits)
{
    int best = (bits + MAX_DIGIT - 1) / MAX_DIGIT;
    for (int p = best + 1; p <= 8; p++)
        if (radix_cost(count, bits, p) < radix_cost(count, bits, best)) best = p;
    return best;
}

/* Return the number of bits to sort by first; runs of equal bits are sorted by the rest later. It is about ten more than
 * are needed to distinguish `count` keys, unless sorting by all bits costs no more. Runs cost about seven counters a key. */
static int first_bits(int64_t count, int bits)
{
    int first = top_bit((uint64_t)count) + 10 < 2 * MAX_DIGIT ? top_bit((uint64_t)count) + 10 : 2 * MAX_DIGIT;
    if (first >= bits) return bits;
    double at_once = radix_cost(count, bits, radix_passes(count, bits));
    return at_once < radix_cost(count, first, radix_passes(count, first)) + 7.0 * (double)count ? bits : first;
}

/* Sort `count` items of `size` bytes by the `bits` bits from `from` on of their word `word`; the sort is stable. Return
 * the address of the sorted items, or NULL if the job should stop. */
ALWAYS_INLINE char *radix_sort(Workspace *ws, char *items, char *spare, int64_t count, const int size, const int word, int from,
                               int bits)
{
    uint32_t *counts = ws->counts.data;
    if (stop_after_steps(ws, count)) return NULL;
    int passes = radix_passes(count, bits), digit = (bits + passes - 1) / passes;
    uint64_t mask = ((uint64_t)1 << digit) - 1;
    memset(counts, 0, ((size_t)passes << digit) * sizeof *counts);
    STOPPABLE_FOR(ws, i, 0, count, NULL) {
        uint64_t key = ((const uint64_t *)(items + i * size))[word] >> from;
        uint32_t *at = counts;
        for (int p = 0; p < passes; p++, key >>= digit, at += mask + 1) at[key & mask]++;
    }
    for (int p = 0; p < passes; p++) {
        uint32_t *at = counts + ((size_t)p << digit), sum = 0;
        for (uint64_t v = 0; v <= mask; v++) { uint32_t n = at[v]; at[v] = sum; sum += n; }
        STOPPABLE_FOR(ws, i, 0, count, NULL) {
            const char *item = items + i * size;
            memcpy(spare + (int64_t)at[((const uint64_t *)item)[word] >> (p * digit + from) & mask]++ * size, item, size);
        }
        char *swap = items; items = spare; spare = swap;
    }
    return items;
}

static void sort_few(uint64_t *keys, int64_t count)
{
    for (int64_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        int64_t at = i;
        for (; at > 0 && keys[at - 1] > key; at--) keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

static void sort_few_wide(Wide *keys, int64_t count)
{
    for (int64_t i = 1; i < count; i++) {
        Wide key = keys[i];
        int64_t at = i;
        for (; at > 0 && (keys[at - 1].key > key.key || (keys[at - 1].key == key.key && keys[at - 1].more > key.more)); at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

/* Sort items by `bits` bits above the lowest bit of their key, then by `more_bits` of their second word: first all items
 * by the leading bits, then each run of equal bits by the rest. Return the address of the sorted items, or NULL if the job
 * should stop. */
ALWAYS_INLINE char *sort_items(Workspace *ws, char *items, char *spare, int64_t count, const int size, int bits, int more_bits)
{
    char *sorted = items;
    int64_t check = QUICK_POLL;
    int rest = bits;
    if (count >= FEW) {
        rest = bits - first_bits(count, bits);
        sorted = radix_sort(ws, items, spare, count, size, 0, 1 + rest, bits - rest);
        if (!sorted) return NULL;
    }
    if (!rest && !more_bits) return sorted;
    char *other = sorted == items ? spare : items;
    for (int64_t start = 0, end; start < count; start = end) {
        uint64_t first = *(const uint64_t *)(sorted + start * size) >> rest >> 1;
        for (end = start + 1; end < count && *(const uint64_t *)(sorted + end * size) >> rest >> 1 == first; end++) {}
        int64_t alike = end - start;
        if (end > check && (check += QUICK_POLL, should_stop(ws))) return NULL;
        char *run = sorted + start * size, *beside = other + start * size;
        if (alike < FEW) {
            if (size == sizeof(uint64_t)) sort_few((uint64_t *)run, alike);
            else sort_few_wide((Wide *)run, alike);
            continue;
        }
        char *done = run;
        if (more_bits) done = radix_sort(ws, done, beside, alike, size, size / sizeof(uint64_t) - 1, 1, more_bits);
        if (done && rest) done = radix_sort(ws, done, done == run ? beside : run, alike, size, 0, 1, rest);
        if (!done) return NULL;
        if (done != run) memcpy(run, done, (size_t)alike * size);
    }
    return sorted;
}

/* Indexed by the highest bit in which sorted neighbours differ: the lanes of the orders whose runs end there are all ones.
 * No run ends at bit 0, which is the side. */
typedef struct {
    int32_t lanes[64][LANES];
} Ends;

/* Fill the table for words with `levels` symbols of `bits` bits each above bit 0; the last symbol is that of order `orders`. */
static void find_ends(Ends *ends, int bits, int levels, int orders)
{
    memset(ends, 0, sizeof *ends);
    for (int b = 1; b < 64; b++) {
        int symbol = (b - 1) / bits < levels ? (b - 1) / bits : levels - 1;
        for (int n = orders - 1 - symbol; n < LANES; n++) ends->lanes[b][n] = -1;
    }
}

/* Return the lanes of the orders that end between two neighbours. Wide keys have two words; ends[1] is for the first. */
ALWAYS_INLINE const int32_t *ends_between(const uint64_t *item, const uint64_t *next, const int wide, const Ends *ends)
{
    if (wide && item[0] != next[0]) return ends[1].lanes[top_bit(item[0] ^ next[0])];
    return ends[0].lanes[top_bit((item[wide] ^ next[wide]) | 1)];
}

/* Count the matches of sorted items of `size` bytes into matches[0 .. orders - 1]. */
ALWAYS_INLINE int count_runs(const Workspace *ws, const char *items, int64_t count, const int size, const int wide,
                             const Ends *ends, int orders, int64_t *matches)
{
    int32_t total[LANES] = {0}, hyp_start[LANES] = {0}, ref_start[LANES] = {0}, hyp = 0;
    STOPPABLE_FOR(ws, i, 1, count + 1, INTERRUPTED) {
        const uint64_t *item = (const uint64_t *)(items + (i - 1) * size), *next = (const uint64_t *)(items + i * size);
        const int32_t *end = i < count ? ends_between(item, next, wide, ends) : ends[wide].lanes[63];
        hyp += item[wide] & 1;
        for (int n = 0; n < LANES; n++) {
            int32_t h = hyp - hyp_start[n], r = (int32_t)i - hyp - ref_start[n], m = h < r ? h : r;
            total[n] += m & end[n];
            hyp_start[n] += h & end[n];
            ref_start[n] += r & end[n];
        }
    }
    for (int n = 0; n < orders; n++) matches[n] = total[n];
    return 0;
}

typedef char *(*Sorter)(Workspace *ws, char *items, char *spare, int64_t count, int bits, int more_bits);
typedef int (*Counter)(const Workspace *ws, const char *items, int64_t count, const Ends *ends, int orders, int64_t *matches);

/* For plain keys, for keys with additional data, and for wide keys. */
typedef struct {
    Sorter sort, sort_wide;
    Counter count, count_beside, count_wide;
} Refiner;

#define REFINER(level, target, runs) \
    target static char *sort_##level(Workspace *ws, char *a, char *b, int64_t n, int bits, int more_bits) \
    { (void)more_bits; return sort_items(ws, a, b, n, sizeof(uint64_t), bits, 0); } \
    target static char *sort_wide_##level(Workspace *ws, char *a, char *b, int64_t n, int bits, int more_bits) \
    { return sort_items(ws, a, b, n, sizeof(Wide), bits, more_bits); } \
    target static int count_##level(const Workspace *ws, const char *a, int64_t n, const Ends *ends, int orders, int64_t *matches) \
    { return runs(ws, a, n, sizeof(uint64_t), 0, ends, orders, matches); } \
    target static int count_beside_##level(const Workspace *ws, const char *a, int64_t n, const Ends *ends, int orders, int64_t *matches) \
    { return runs(ws, a, n, sizeof(Wide), 0, ends, orders, matches); } \
    target static int count_wide_##level(const Workspace *ws, const char *a, int64_t n, const Ends *ends, int orders, int64_t *matches) \
    { return runs(ws, a, n, sizeof(Wide), 1, ends, orders, matches); }
#define REFINER_OF(level) {sort_##level, sort_wide_##level, count_##level, count_beside_##level, count_wide_##level}

REFINER(portable, , count_runs)
#if defined(__x86_64__) && defined(__GNUC__)
/* The same with the orders in the lanes of vectors. */
AVX2 static inline int count_runs_avx2(const Workspace *ws, const char *items, int64_t count, const int size, const int wide,
                                       const Ends *ends, int orders, int64_t *matches)
{
    __m256i total = _mm256_setzero_si256(), hyp_start = total, ref_start = total;
    int32_t totals[LANES], hyp = 0;
    STOPPABLE_FOR(ws, i, 1, count + 1, INTERRUPTED) {
        const uint64_t *item = (const uint64_t *)(items + (i - 1) * size), *next = (const uint64_t *)(items + i * size);
        const int32_t *lanes = i < count ? ends_between(item, next, wide, ends) : ends[wide].lanes[63];
        __m256i end = _mm256_loadu_si256((const __m256i *)lanes);
        hyp += item[wide] & 1;
        __m256i hyps = _mm256_set1_epi32(hyp), refs = _mm256_set1_epi32((int32_t)i - hyp);
        __m256i m = _mm256_min_epi32(_mm256_sub_epi32(hyps, hyp_start), _mm256_sub_epi32(refs, ref_start));
        total = _mm256_add_epi32(total, _mm256_and_si256(m, end));
        hyp_start = _mm256_blendv_epi8(hyp_start, hyps, end);
        ref_start = _mm256_blendv_epi8(ref_start, refs, end);
    }
    _mm256_storeu_si256((__m256i *)totals, total);
    for (int n = 0; n < orders; n++) matches[n] = totals[n];
    return 0;
}

REFINER(avx2, AVX2, count_runs_avx2)
static const Refiner refiners[LEVELS] = {REFINER_OF(portable), REFINER_OF(avx2), REFINER_OF(avx2)};
#else
static const Refiner refiners[LEVELS] = {REFINER_OF(portable)};
#endif

#endif
