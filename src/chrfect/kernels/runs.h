/* Sorting keys by radix, and counting the runs of equal n-grams in sorted keys.
 *
 * A key holds the symbols of an n-gram, first symbol on top, and in its lowest bit the side it is from (1 the
 * hypothesis). Sorted, all orders lie side by side: a run of order n ends where neighbours differ in their first n
 * symbols, and its matches are the smaller of what it has of either side. */
#ifndef CHRFECT_RUNS_H
#define CHRFECT_RUNS_H

#include <math.h>

#include "masks.h"

#define KEY_BITS 63
#define FEW 32          /* keys that insertion sorts faster than radix */
#define MAX_DIGIT 11    /* bits of a radix digit: more counters than first-level caches hold cost more than they save */

typedef struct {
    uint64_t key;
    uint32_t place, side;   /* where the next symbols are, in the text of which side */
} Item;

typedef struct {
    uint64_t key, more;     /* the first symbols above bit 0, and the rest as in a key */
} Wide;

/* How many radix passes over `count` keys of `bits` bits cost least: a key costs about three counters a pass. */
static int radix_passes(int64_t count, int bits)
{
    int best = (bits + MAX_DIGIT - 1) / MAX_DIGIT;
    double least = HUGE_VAL;
    for (int p = best; p <= 8; p++) {
        double cost = p * (3.0 * (double)count + (double)(1 << (bits + p - 1) / p));
        if (cost < least) { least = cost; best = p; }
    }
    return best;
}

/* Sort `count` items of `size` bytes by the `bits` bits above the lowest of their word at `offset`, those that have them
 * alike staying in order. Returns where they ended. */
ALWAYS_INLINE char *radix_sort(char *items, char *spare, int64_t count, const int size, const int offset, int bits,
                               uint32_t *counts)
{
    int passes = radix_passes(count, bits), digit = (bits + passes - 1) / passes;
    uint64_t mask = ((uint64_t)1 << digit) - 1;
    memset(counts, 0, ((size_t)passes << digit) * sizeof *counts);
    for (int64_t i = 0; i < count; i++) {
        uint64_t key = *(const uint64_t *)(items + i * size + offset) >> 1;
        uint32_t *at = counts;
        for (int p = 0; p < passes; p++, key >>= digit, at += mask + 1) at[key & mask]++;
    }
    for (int p = 0; p < passes; p++) {
        uint32_t *at = counts + ((size_t)p << digit), sum = 0;
        for (uint64_t v = 0; v <= mask; v++) { uint32_t n = at[v]; at[v] = sum; sum += n; }
        for (int64_t i = 0; i < count; i++) {
            const char *item = items + i * size;
            memcpy(spare + (int64_t)at[*(const uint64_t *)(item + offset) >> (p * digit + 1) & mask]++ * size, item, size);
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

/* Sort wide keys: by the first word, and those that have it alike by the second. */
ALWAYS_INLINE Wide *radix_sort_wide(Wide *items, Wide *spare, int64_t count, int bits, int more_bits, uint32_t *counts)
{
    Wide *sorted = (Wide *)radix_sort((char *)items, (char *)spare, count, sizeof(Wide), 0, bits, counts);
    Wide *other = sorted == items ? spare : items;
    for (int64_t start = 0, end; start < count; start = end) {
        for (end = start + 1; end < count && sorted[end].key == sorted[start].key; end++) {}
        int64_t alike = end - start;
        if (alike < FEW) {
            sort_few_wide(sorted + start, alike);
            continue;
        }
        char *run = radix_sort((char *)(sorted + start), (char *)(other + start), alike, sizeof(Wide), sizeof(uint64_t),
                               more_bits, counts);
        if (run != (char *)(sorted + start)) memcpy(sorted + start, run, (size_t)alike * sizeof(Wide));
    }
    return sorted;
}

/* By the highest bit in which two keys differ, the first of the `levels` last symbols in which they do. */
ALWAYS_INLINE void first_differing(uint8_t first[64], int bits, int levels)
{
    for (int b = 0, level = levels - 1; b < 64; level -= level > 0)
        for (int end = b + bits; b < end && b < 64; b++) first[b] = (uint8_t)level;
}

/* The matches of sorted keys, at the `levels` last symbols of `bits` bits each, into matches[0 .. levels - 1]. */
ALWAYS_INLINE void count_runs(const char *items, int64_t count, const int size, int bits, int levels, int64_t *matches)
{
    int32_t total[LANES] = {0}, hyp_start[LANES] = {0}, ref_start[LANES] = {0}, hyp = 0;
    uint8_t first[64];
    first_differing(first, bits, levels);
    uint64_t before = *(const uint64_t *)items;
    for (int64_t i = 0; i <= count; i++) {
        uint64_t key = i < count ? *(const uint64_t *)(items + i * size) : before ^ (uint64_t)1 << 63;
        uint64_t differs = (key ^ before) >> 1;
        int32_t from = differs ? first[top_bit(differs)] : LANES, ref = (int32_t)(i - hyp);
        for (int32_t n = 0; n < LANES; n++) {
            int32_t h = hyp - hyp_start[n], r = ref - ref_start[n];
            int32_t m = h < r ? h : r, ends = n >= from ? -1 : 0;
            total[n] += m & ends;
            hyp_start[n] += h & ends;
            ref_start[n] += r & ends;
        }
        hyp += key & 1;
        before = key;
    }
    for (int n = 0; n < levels; n++) matches[n] = total[n];
}

/* The same of wide keys, `levels` symbols in their first word and `more` in the second. */
ALWAYS_INLINE void count_wide_runs(const Wide *items, int64_t count, int bits, int levels, int more, int64_t *matches)
{
    int32_t total[LANES] = {0}, hyp_start[LANES] = {0}, ref_start[LANES] = {0}, hyp = 0;
    uint8_t first[64], then[64];
    first_differing(first, bits, levels);
    first_differing(then, bits, more);
    Wide before = items[0];
    for (int64_t i = 0; i <= count; i++) {
        Wide item = i < count ? items[i] : (Wide){before.key ^ (uint64_t)1 << 63, 0};
        uint64_t high = (item.key ^ before.key) >> 1, low = (item.more ^ before.more) >> 1;
        int32_t ref = (int32_t)(i - hyp);
        int32_t from = high ? first[top_bit(high)] : low ? levels + then[top_bit(low)] : LANES;
        for (int32_t n = 0; n < LANES; n++) {
            int32_t h = hyp - hyp_start[n], r = ref - ref_start[n];
            int32_t m = h < r ? h : r, ends = n >= from ? -1 : 0;
            total[n] += m & ends;
            hyp_start[n] += h & ends;
            ref_start[n] += r & ends;
        }
        hyp += item.more & 1;
        before = item;
    }
    for (int n = 0; n < levels + more; n++) matches[n] = total[n];
}

typedef struct {
    char *(*sort_keys)(char *, char *, int64_t, int, uint32_t *), *(*sort_items)(char *, char *, int64_t, int, uint32_t *);
    Wide *(*sort_wide)(Wide *, Wide *, int64_t, int, int, uint32_t *);
    void (*count_wide)(const Wide *, int64_t, int, int, int, int64_t *);
    void (*count_keys)(const char *, int64_t, int, int, int64_t *), (*count_items)(const char *, int64_t, int, int, int64_t *);
} Refiner;

#define REFINER(level, target, runs) \
    target static char *sort_keys_##level(char *a, char *b, int64_t n, int bits, uint32_t *counts) \
    { return radix_sort(a, b, n, sizeof(uint64_t), 0, bits, counts); } \
    target static char *sort_items_##level(char *a, char *b, int64_t n, int bits, uint32_t *counts) \
    { return radix_sort(a, b, n, sizeof(Item), 0, bits, counts); } \
    target static Wide *sort_wide_##level(Wide *a, Wide *b, int64_t n, int bits, int more_bits, uint32_t *counts) \
    { return radix_sort_wide(a, b, n, bits, more_bits, counts); } \
    target static void count_wide_##level(const Wide *a, int64_t n, int bits, int levels, int more, int64_t *matches) \
    { count_wide_runs(a, n, bits, levels, more, matches); } \
    target static void count_keys_##level(const char *a, int64_t n, int bits, int levels, int64_t *matches) \
    { runs(a, n, sizeof(uint64_t), bits, levels, matches); } \
    target static void count_items_##level(const char *a, int64_t n, int bits, int levels, int64_t *matches) \
    { runs(a, n, sizeof(Item), bits, levels, matches); }
#define REFINER_OF(level) \
    {sort_keys_##level, sort_items_##level, sort_wide_##level, count_wide_##level, count_keys_##level, count_items_##level}

REFINER(portable, , count_runs)
#if defined(__x86_64__) && defined(__GNUC__)
/* The same with the orders in the lanes of vectors: `ends[b]` has the orders whose run ends where bit b differs. */
AVX2 static inline void count_runs_avx2(const char *items, int64_t count, const int size, int bits, int levels, int64_t *matches)
{
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), one = _mm256_set1_epi32(1);
    __m256i total = _mm256_setzero_si256(), hyp_start = total, ref_start = total, hyp = total, all = total, ends[64];
    uint8_t first[64];
    uint32_t totals[LANES];
    first_differing(first, bits, levels);
    ends[0] = total;    /* the side's bit */
    for (int b = 1; b < 64; b++) ends[b] = _mm256_cmpgt_epi32(lanes, _mm256_set1_epi32(first[b - 1] - 1));
    uint64_t before = *(const uint64_t *)items;
    for (int64_t i = 0; i <= count; i++) {
        const char *item = items + (i < count ? i : 0) * size;
        uint64_t key = i < count ? *(const uint64_t *)item : before ^ (uint64_t)1 << 63;
        __m256i end = ends[top_bit((key ^ before) | 1)], ref = _mm256_sub_epi32(all, hyp);
        __m256i m = _mm256_min_epu32(_mm256_sub_epi32(hyp, hyp_start), _mm256_sub_epi32(ref, ref_start));
        total = _mm256_add_epi32(total, _mm256_and_si256(m, end));
        hyp_start = _mm256_blendv_epi8(hyp_start, hyp, end);
        ref_start = _mm256_blendv_epi8(ref_start, ref, end);
        hyp = _mm256_add_epi32(hyp, _mm256_and_si256(one, _mm256_set1_epi32(*(const int32_t *)item)));
        all = _mm256_add_epi32(all, one);
        before = key;
    }
    _mm256_storeu_si256((__m256i *)totals, total);
    for (int n = 0; n < levels; n++) matches[n] = totals[n];
}

REFINER(avx2, AVX2, count_runs_avx2)
static const Refiner refiners[LEVELS] = {REFINER_OF(portable), REFINER_OF(avx2), REFINER_OF(avx2)};
#else
static const Refiner refiners[LEVELS] = {REFINER_OF(portable)};
#endif

#endif
