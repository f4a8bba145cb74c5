/* Clipped matches of pairs of any length, in time linear in it: sort the n-grams, then count runs.
 *
 * A key holds up to LANES symbols from one position on, first symbol on top, and the side in its lowest bit.
 * Sorted (by radix), all orders lie side by side: a run of order n ends where two neighbours differ in
 * their first n symbols. Orders that do not fit go on, from the runs that both sides share, with the
 * rank of the run in place of its symbols. */
#ifndef CHRFECT_REFINE_H
#define CHRFECT_REFINE_H

#include "masks.h"

#include <math.h>

#define KEY_BITS 63
#define MAX_DIGIT 11    /* bits of a radix digit: more counters than first-level caches hold cost more than they save */

typedef struct {
    uint64_t key;
    uint32_t place, side;   /* where the next symbols are, in the text of which side */
} Item;

/* Codes that both sides use get 2, 3, …; the rest is 1 in the hypothesis and 0 in the reference, where the padding is too. */
static uint32_t share_codes(uint32_t *codes, const uint32_t *hyp, int64_t hyp_length, const uint32_t *ref,
                            int64_t ref_length, uint32_t symbols)
{
    uint32_t next = 2;
    memset(codes, 0, symbols * sizeof *codes);
    for (int64_t i = 0; i < hyp_length; i++) codes[hyp[i]] = 1;
    for (int64_t i = 0; i < ref_length; i++)
        if (codes[ref[i]] == 1) codes[ref[i]] = next++;
    return next;
}

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

/* Sort by the `bits` bits above the lowest; `count` items of `size` bytes, the key first. Returns where they ended. */
ALWAYS_INLINE char *radix_sort(char *items, char *spare, int64_t count, const int size, int bits, uint32_t *counts)
{
    int passes = radix_passes(count, bits), digit = (bits + passes - 1) / passes;
    uint64_t mask = ((uint64_t)1 << digit) - 1;
    memset(counts, 0, ((size_t)passes << digit) * sizeof *counts);
    for (int64_t i = 0; i < count; i++) {
        uint64_t key = *(const uint64_t *)(items + i * size) >> 1;
        uint32_t *at = counts;
        for (int p = 0; p < passes; p++, key >>= digit, at += mask + 1) at[key & mask]++;
    }
    for (int p = 0; p < passes; p++) {
        uint32_t *at = counts + ((size_t)p << digit), sum = 0;
        for (uint64_t v = 0; v <= mask; v++) { uint32_t n = at[v]; at[v] = sum; sum += n; }
        for (int64_t i = 0; i < count; i++) {
            const char *item = items + i * size;
            memcpy(spare + (int64_t)at[*(const uint64_t *)item >> (p * digit + 1) & mask]++ * size, item, size);
        }
        char *swap = items; items = spare; spare = swap;
    }
    return items;
}

/* By the highest bit in which two keys differ, the first of the `levels` last symbols in which they do. */
ALWAYS_INLINE void first_differing(uint8_t first[64], int bits, int levels)
{
    for (int b = 0; b < 64; b++) first[b] = (uint8_t)(b / bits < levels ? levels - 1 - b / bits : 0);
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

/* Keep the items of the runs that both sides have, ranked; returns how many are left. */
static int64_t keep_shared(Item *items, int64_t count, uint64_t *ranks)
{
    int64_t kept = 0, start = 0;
    uint64_t rank = 0;
    while (start < count) {
        int64_t end = start;
        int sides = 0;
        while (end < count && items[end].key >> 1 == items[start].key >> 1) sides |= 1 << items[end++].side;
        if (sides == 3) {
            for (int64_t i = start; i < end; i++) { items[kept] = items[i]; items[kept++].key = rank; }
            rank++;
        }
        start = end;
    }
    *ranks = rank;
    return kept;
}

static int bits_for(uint64_t values) { return values < 2 ? 0 : top_bit(values - 1) + 1; }

typedef struct {
    char *(*sort_keys)(char *, char *, int64_t, int, uint32_t *), *(*sort_items)(char *, char *, int64_t, int, uint32_t *);
    void (*count_keys)(const char *, int64_t, int, int, int64_t *), (*count_items)(const char *, int64_t, int, int, int64_t *);
} Refiner;

#define REFINER(level, target, runs) \
    target static char *sort_keys_##level(char *a, char *b, int64_t n, int bits, uint32_t *counts) \
    { return radix_sort(a, b, n, sizeof(uint64_t), bits, counts); } \
    target static char *sort_items_##level(char *a, char *b, int64_t n, int bits, uint32_t *counts) \
    { return radix_sort(a, b, n, sizeof(Item), bits, counts); } \
    target static void count_keys_##level(const char *a, int64_t n, int bits, int levels, int64_t *matches) \
    { runs(a, n, sizeof(uint64_t), bits, levels, matches); } \
    target static void count_items_##level(const char *a, int64_t n, int bits, int levels, int64_t *matches) \
    { runs(a, n, sizeof(Item), bits, levels, matches); }
#define REFINER_OF(level) {sort_keys_##level, sort_items_##level, count_keys_##level, count_items_##level}

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

typedef struct {
    const uint32_t *ids;
    int64_t length;
} Side;

/* The code of a symbol in the text of side 0 (reference) or 1 (hypothesis): its own where both have it. */
ALWAYS_INLINE uint64_t code_at(const Side *text, uint64_t side, const uint32_t *codes, int64_t i)
{
    if (i >= text->length) return side;
    uint32_t code = codes[text->ids[i]];
    return code < 2 ? side : code;
}

/* Where a key holds all orders: sort once, count once. */
static int match_at_once(Workspace *ws, const Side *sides, const uint32_t *codes, int bits, int order, const Refiner *refiner,
                         int64_t *matches)
{
    size_t most = (size_t)(sides[0].length + sides[1].length) * sizeof(uint64_t);
    uint64_t *keys = reserve(&ws->keys, most), *spare = reserve(&ws->spare, most);
    if (!keys || !spare) return NO_MEMORY;
    uint64_t mask = ((uint64_t)1 << order * bits) - 1;
    int64_t count = 0;
    for (uint64_t side = 0; side < 2; side++) {
        const Side *text = sides + side;
        uint64_t key = 0;
        for (int n = 0; n < order - 1; n++) key = key << bits | code_at(text, side, codes, n);
        for (int64_t i = 0; i < text->length; i++) {
            key = (key << bits | code_at(text, side, codes, i + order - 1)) & mask;
            keys[count] = key << 1 | side;
            count += key >> (order - 1) * bits >= 2;
        }
    }
    if (!count) return 0;
    char *sorted = refiner->sort_keys((char *)keys, (char *)spare, count, order * bits, ws->counts.data);
    refiner->count_keys(sorted, count, bits, order, matches);
    return 0;
}

/* Otherwise as many orders at a time as a key holds behind the rank of the run so far. */
static int match_by_stages(Workspace *ws, const Side *sides, const uint32_t *codes, int bits, int order, const Refiner *refiner,
                           int64_t *matches)
{
    size_t most = (size_t)(sides[0].length + sides[1].length) * sizeof(Item);
    Item *items = reserve(&ws->keys, most), *spare = reserve(&ws->spare, most);
    if (!items || !spare) return NO_MEMORY;
    int64_t count = 0;
    for (uint32_t side = 0; side < 2; side++)
        for (int64_t i = 0; i < sides[side].length; i++)
            if (code_at(sides + side, side, codes, i) >= 2) items[count++] = (Item){0, (uint32_t)i, side};
    uint64_t ranks = 1;
    for (int done = 0, levels; done < order && count; done += levels) {
        levels = (KEY_BITS - bits_for(ranks)) / bits;
        if (levels > LANES) levels = LANES;
        if (levels > order - done) levels = order - done;
        for (int64_t i = 0; i < count; i++) {
            Item *item = items + i;
            uint64_t key = item->key;
            for (int n = 0; n < levels; n++) key = key << bits | code_at(sides + item->side, item->side, codes, item->place + n);
            item->key = key << 1 | item->side;
            item->place += (uint32_t)levels;
        }
        Item *sorted = (Item *)refiner->sort_items((char *)items, (char *)spare, count, bits_for(ranks) + levels * bits, ws->counts.data);
        if (sorted != items) { spare = items; items = sorted; }
        refiner->count_items((const char *)items, count, bits, levels, matches + done);
        count = keep_shared(items, count, &ranks);
    }
    return 0;
}

static int match_refined(Workspace *ws, const uint32_t *hyp, int64_t hyp_length, const uint32_t *ref, int64_t ref_length,
                         uint32_t symbols, int order, int level, int64_t *matches)
{
    memset(matches, 0, order * sizeof *matches);
    if (!hyp_length || !ref_length) return 0;
    uint32_t *codes = reserve(&ws->codes, (size_t)symbols * sizeof *codes);
    uint32_t *counts = reserve(&ws->counts, ((size_t)8 << MAX_DIGIT) * sizeof *counts);
    if (!codes || !counts) return NO_MEMORY;
    int bits = bits_for(share_codes(codes, hyp, hyp_length, ref, ref_length, symbols));
    Side sides[2] = {{ref, ref_length}, {hyp, hyp_length}};
    return KEY_BITS / bits >= order && order <= LANES ? match_at_once(ws, sides, codes, bits, order, refiners + level, matches)
                                                      : match_by_stages(ws, sides, codes, bits, order, refiners + level, matches);
}

#endif
