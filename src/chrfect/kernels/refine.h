/* Clipped matches of pairs of any length, in time linear in it: sort the n-grams, then count runs.
 *
 * A key holds up to LANES symbols from one position on, first symbol on top, and the side in its lowest bit.
 * Sorted (by radix), all orders lie side by side: a run of order n ends where two neighbours differ in
 * their first n symbols. Orders that do not fit go on, from the runs that both sides share, with the
 * rank of the run in place of its symbols. */
#ifndef CHRFECT_REFINE_H
#define CHRFECT_REFINE_H

#include "masks.h"

#define KEY_BITS 63

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

/* Sort by the `bits` bits above the lowest; `count` items of `size` bytes, the key first. Returns where they ended. */
ALWAYS_INLINE char *radix_sort(char *items, char *spare, int64_t count, const int size, int bits, uint32_t *counts)
{
    int widest = count > 30000 ? 11 : 8;
    int passes = (bits + widest - 1) / widest, digit = passes ? (bits + passes - 1) / passes : 0;
    uint64_t mask = ((uint64_t)1 << digit) - 1;
    memset(counts, 0, ((size_t)passes << digit) * sizeof *counts);
    for (int64_t i = 0; i < count; i++) {
        uint64_t key = *(const uint64_t *)(items + i * size) >> 1;
        for (int p = 0; p < passes; p++) counts[((size_t)p << digit) + (key >> p * digit & mask)]++;
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

/* Add the matches of the `levels` last symbols of sorted keys, `bits` bits each, to matches[0 .. levels - 1]. */
ALWAYS_INLINE void count_runs(const char *items, int64_t count, const int size, int bits, int levels, int64_t *matches)
{
    uint32_t total[LANES] = {0}, hyp_start[LANES] = {0}, ref_start[LANES] = {0}, first[64];
    for (int b = 0; b < 64; b++) first[b] = b / bits < levels ? levels - 1 - b / bits : 0;
    uint32_t hyp = 0;
    uint64_t before = *(const uint64_t *)items;
    for (int64_t i = 0; i <= count; i++) {
        uint64_t key = i < count ? *(const uint64_t *)(items + i * size) : before ^ (uint64_t)1 << 63;
        uint64_t differs = (key ^ before) >> 1;
        uint32_t from = differs ? first[top_bit(differs)] : LANES, ref = (uint32_t)i - hyp;
        for (uint32_t n = 0; n < LANES; n++) {
            uint32_t h = hyp - hyp_start[n], r = ref - ref_start[n];
            uint32_t m = h < r ? h : r, ends = n >= from ? ~0u : 0;
            total[n] += m & ends;
            hyp_start[n] = (hyp & ends) | (hyp_start[n] & ~ends);
            ref_start[n] = (ref & ends) | (ref_start[n] & ~ends);
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

static char *sort_narrow(char *a, char *b, int64_t n, int bits, uint32_t *counts) { return radix_sort(a, b, n, 8, bits, counts); }
static char *sort_wide(char *a, char *b, int64_t n, int bits, uint32_t *counts) { return radix_sort(a, b, n, sizeof(Item), bits, counts); }

static int match_refined(Workspace *ws, const uint32_t *hyp, int64_t hyp_length, const uint32_t *ref, int64_t ref_length,
                         uint32_t symbols, int order, int64_t *matches)
{
    memset(matches, 0, order * sizeof *matches);
    if (!hyp_length || !ref_length) return 0;
    uint32_t *codes = reserve(&ws->codes, ((size_t)symbols + hyp_length + ref_length + 2 * LANES) * sizeof *codes);
    uint32_t *counts = reserve(&ws->counts, ((size_t)8 << 11) * sizeof *counts);
    if (!codes || !counts) return NO_MEMORY;
    int bits = bits_for(share_codes(codes, hyp, hyp_length, ref, ref_length, symbols));
    uint32_t *text = codes + symbols;
    int64_t lengths[2] = {ref_length, hyp_length}, starts[2] = {0, ref_length + LANES}, count = 0;
    for (int side = 0; side < 2; side++) {
        const uint32_t *from = side ? hyp : ref;
        for (int64_t i = 0; i < lengths[side]; i++) {
            uint32_t code = codes[from[i]];
            text[starts[side] + i] = code < 2 ? (uint32_t)side : code;
            count += code >= 2;
        }
        for (int i = 0; i < LANES; i++) text[starts[side] + lengths[side] + i] = (uint32_t)side;
    }
    if (!count) return 0;

    int levels = KEY_BITS / bits < LANES ? KEY_BITS / bits : LANES;
    if (levels >= order) {
        levels = order;
        uint64_t *keys = reserve(&ws->keys, count * sizeof *keys), *spare = reserve(&ws->spare, count * sizeof *keys);
        if (!keys || !spare) return NO_MEMORY;
        uint64_t mask = ((uint64_t)1 << levels * bits) - 1;
        int64_t n = 0;
        for (int side = 0; side < 2; side++) {
            const uint32_t *at = text + starts[side];
            uint64_t key = 0;
            for (int l = 0; l < levels - 1; l++) key = key << bits | at[l];
            for (int64_t i = 0; i < lengths[side]; i++) {
                key = (key << bits | at[i + levels - 1]) & mask;
                keys[n] = key << 1 | (unsigned)side;
                n += at[i] >= 2;
            }
        }
        char *sorted = sort_narrow((char *)keys, (char *)spare, count, levels * bits, counts);
        count_runs(sorted, count, 8, bits, levels, matches);
        return 0;
    }

    Item *items = reserve(&ws->keys, count * sizeof *items), *spare = reserve(&ws->spare, count * sizeof *items);
    if (!items || !spare) return NO_MEMORY;
    int64_t n = 0;
    for (int side = 0; side < 2; side++)
        for (int64_t i = starts[side]; i < starts[side] + lengths[side]; i++)
            if (text[i] >= 2) items[n++] = (Item){0, (uint32_t)i, (uint32_t)side};
    uint64_t ranks = 1;
    for (int done = 0; done < order && count; done += levels) {
        levels = (KEY_BITS - bits_for(ranks)) / bits;
        if (levels > LANES) levels = LANES;
        if (levels > order - done) levels = order - done;
        for (int64_t i = 0; i < count; i++) {
            uint64_t key = items[i].key;
            /* the padding is never shared, so no item goes past it */
            for (int l = 0; l < levels; l++) key = key << bits | text[items[i].place + l];
            items[i].key = key << 1 | items[i].side;
            items[i].place += (uint32_t)levels;
        }
        Item *sorted = (Item *)sort_wide((char *)items, (char *)spare, count, bits_for(ranks) + levels * bits, counts);
        if (sorted != items) { spare = items; items = sorted; }
        count_runs((const char *)items, count, sizeof *items, bits, levels, matches + done);
        count = keep_shared(items, count, &ranks);
    }
    return 0;
}

#endif
