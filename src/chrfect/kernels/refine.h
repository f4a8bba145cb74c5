/* Clipped matches of pairs of any length, in time linear in it: sort the n-grams, then count runs.
 *
 * If a key can hold all orders, the keys are sorted once. If it is one symbol too short, the positions of each first
 * symbol are sorted separately. Otherwise the orders are counted in stages: each stage counts as many orders as a key
 * can hold, then continues from the runs that both sides share, with the rank of a run in place of its symbols. */
#ifndef CHRFECT_REFINE_H
#define CHRFECT_REFINE_H

#include "runs.h"

/* Symbols of both sides get the codes 2, 3, …; those of only the hypothesis get 1, those of only the reference 0. Return
 * the code after the last, or 0 if the job should stop. */
static uint32_t share_codes(const Workspace *ws, uint32_t *codes, const uint32_t *hyp, int64_t hyp_length, const uint32_t *ref,
                            int64_t ref_length, uint32_t symbols)
{
    uint32_t next = 2;
    memset(codes, 0, symbols * sizeof *codes);
    STOPPABLE_FOR(ws, i, 0, hyp_length, 0) codes[hyp[i]] = 1;
    STOPPABLE_FOR(ws, i, 0, ref_length, 0)
        if (codes[ref[i]] == 1) codes[ref[i]] = next++;
    return next;
}

/* Keep the items of the runs that both sides share, and rank them. Return the number of remaining items. */
static int64_t keep_shared(const Workspace *ws, Wide *items, int64_t count, uint64_t *ranks)
{
    int64_t kept = 0, start = 0, check = QUICK_POLL;
    uint64_t rank = 0;
    while (start < count) {
        int64_t end = start;
        int sides = 0;
        while (end < count && items[end].key >> 1 == items[start].key >> 1) sides |= 1 << (items[end++].key & 1);
        if (sides == 3) {
            for (int64_t i = start; i < end; i++) items[kept++] = (Wide){rank, items[i].more};
            rank++;
        }
        start = end;
        if (start > check && (check += QUICK_POLL, should_stop(ws))) return INTERRUPTED;
    }
    *ranks = rank;
    return kept;
}

static int bits_for(uint64_t values) { return values < 2 ? 0 : top_bit(values - 1) + 1; }

typedef struct {
    const uint32_t *ids;
    int64_t length;
} Side;

/* Return the code of a symbol in the text of side 0 (reference) or 1 (hypothesis). After the end of the text, return the
 * code of a symbol that only this side has. */
ALWAYS_INLINE uint64_t code_at(const Side *text, uint64_t side, const uint32_t *codes, int64_t i)
{
    return i < text->length ? codes[text->ids[i]] : side;
}

/* A key holds all orders: sort once, count once. */
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
        STOPPABLE_FOR(ws, i, 0, text->length, INTERRUPTED) {
            key = (key << bits | code_at(text, side, codes, i + order - 1)) & mask;
            keys[count] = key << 1 | side;
            count += key >> (order - 1) * bits >= 2;
        }
    }
    if (!count) return 0;
    char *sorted = refiner->sort(ws, (char *)keys, (char *)spare, count, order * bits, 0);
    if (!sorted) return INTERRUPTED;
    Ends ends;
    find_ends(&ends, bits, order, order);
    return refiner->count(ws, sorted, count, &ends, order, matches);
}

/* A key of one or two words holds all symbols but the first: sort the positions of each first symbol separately. */
ALWAYS_INLINE int match_by_first(Workspace *ws, const Side *sides, const uint32_t *codes, uint32_t values, int bits, int order,
                                 const Refiner *refiner, const int wide, int64_t *matches)
{
    const size_t size = wide ? sizeof(Wide) : sizeof(uint64_t);
    int levels = wide ? (order - 1) / 2 : 0, more = order - 1 - levels;     /* symbols in the first and in the last word */
    size_t most = (size_t)(sides[0].length + sides[1].length) * size;
    char *keys = reserve(&ws->keys, most), *spare = reserve(&ws->spare, most);
    uint32_t *sizes = reserve(&ws->unused, (size_t)values * 3 * sizeof *sizes), *ends = sizes + 2 * values, start = 0;
    if (!keys || !spare || !sizes) return NO_MEMORY;
    memset(sizes, 0, (size_t)values * 2 * sizeof *sizes);
    for (uint64_t side = 0; side < 2; side++)
        STOPPABLE_FOR(ws, i, 0, sides[side].length, INTERRUPTED) sizes[2 * code_at(sides + side, side, codes, i) + side]++;
    STOPPABLE_FOR(ws, v, 2, values, INTERRUPTED) {
        ends[v] = start;
        start += sizes[2 * v] + sizes[2 * v + 1];
    }
    uint64_t mask = ((uint64_t)1 << more * bits) - 1, high_mask = ((uint64_t)1 << levels * bits) - 1;
    for (uint64_t side = 0; side < 2; side++) {
        const Side *text = sides + side;
        uint64_t low = 0, high = 0;
        STOPPABLE_FOR(ws, i, 1 - (order - 1), text->length, INTERRUPTED) {
            if (wide) high = (high << bits | low >> (more - 1) * bits) & high_mask;
            low = (low << bits | code_at(text, side, codes, i + order - 1)) & mask;
            if (i < 0) continue;
            uint64_t first = code_at(text, side, codes, i);
            if (first < 2) continue;
            if (wide) ((Wide *)keys)[ends[first]++] = (Wide){high << 1, low << 1 | side};
            else ((uint64_t *)keys)[ends[first]++] = low << 1 | side;
        }
    }
    Ends both[2];
    find_ends(both, bits, more, order - 1);
    if (wide) find_ends(both + 1, bits, levels, levels);
    int key_bits = (wide ? levels : more) * bits, more_bits = wide ? more * bits : 0;
    for (uint32_t v = 2; v < values; v++) {
        int64_t part[LANES], ref = sizes[2 * v], hyp = sizes[2 * v + 1], count = ref + hyp;
        matches[0] += ref < hyp ? ref : hyp;
        char *sorted = (wide ? refiner->sort_wide : refiner->sort)(ws, keys, spare, count, key_bits, more_bits);
        if (!sorted || (wide ? refiner->count_wide : refiner->count)(ws, sorted, count, both, order - 1, part)) return INTERRUPTED;
        for (int n = 1; n < order; n++) matches[n] += part[n - 1];
        keys += count * size;
    }
    return 0;
}

/* Otherwise count as many orders at a time as a key holds after the rank of the run. */
static int match_by_stages(Workspace *ws, const Side *sides, const uint32_t *codes, int bits, int order, const Refiner *refiner,
                           int64_t *matches)
{
    size_t most = (size_t)(sides[0].length + sides[1].length) * sizeof(Wide);
    Wide *items = reserve(&ws->keys, most), *spare = reserve(&ws->spare, most);
    if (!items || !spare) return NO_MEMORY;
    int64_t count = 0;
    for (uint64_t side = 0; side < 2; side++)
        STOPPABLE_FOR(ws, i, 0, sides[side].length, INTERRUPTED)
            if (code_at(sides + side, side, codes, i) >= 2) items[count++] = (Wide){0, (uint64_t)i << 1 | side};
    uint64_t ranks = 1;
    for (int done = 0, levels; done < order && count; done += levels) {
        if (stop_after_steps(ws, count)) return INTERRUPTED;
        levels = (KEY_BITS - bits_for(ranks)) / bits;
        if (levels > LANES) levels = LANES;
        if (levels > order - done) levels = order - done;
        STOPPABLE_FOR(ws, i, 0, count, INTERRUPTED) {
            uint64_t key = items[i].key, side = items[i].more & 1;
            int64_t place = (int64_t)(items[i].more >> 1);
            for (int n = 0; n < levels; n++) key = key << bits | code_at(sides + side, side, codes, place + n);
            items[i] = (Wide){key << 1 | side, (uint64_t)(place + levels) << 1 | side};
        }
        Wide *sorted = (Wide *)refiner->sort_wide(ws, (char *)items, (char *)spare, count, bits_for(ranks) + levels * bits, 0);
        if (!sorted) return INTERRUPTED;
        if (sorted != items) { spare = items; items = sorted; }
        Ends ends;
        find_ends(&ends, bits, levels, levels);
        if (refiner->count_beside(ws, (const char *)items, count, &ends, levels, matches + done)) return INTERRUPTED;
        count = keep_shared(ws, items, count, &ranks);
        if (count < 0) return INTERRUPTED;
    }
    return 0;
}

static int match_refined(Workspace *ws, const uint32_t *hyp, int64_t hyp_length, const uint32_t *ref, int64_t ref_length,
                         uint32_t symbols, int order, int level, int64_t *matches)
{
    memset(matches, 0, order * sizeof *matches);
    if (!order || !hyp_length || !ref_length) return 0;
    uint32_t *codes = reserve(&ws->codes, (size_t)symbols * sizeof *codes);
    uint32_t *counts = reserve(&ws->counts, ((size_t)8 << MAX_DIGIT) * sizeof *counts);
    if (!codes || !counts) return NO_MEMORY;
    uint32_t values = share_codes(ws, codes, hyp, hyp_length, ref, ref_length, symbols);
    if (!values) return INTERRUPTED;
    int bits = bits_for(values), room = KEY_BITS / bits < LANES ? KEY_BITS / bits : LANES;
    Side sides[2] = {{ref, ref_length}, {hyp, hyp_length}};
    if (order <= room) return match_at_once(ws, sides, codes, bits, order, refiners + level, matches);
    if (order == room + 1) return match_by_first(ws, sides, codes, values, bits, order, refiners + level, 0, matches);
    if (order <= LANES + 1 && order / 2 * bits <= KEY_BITS)
        return match_by_first(ws, sides, codes, values, bits, order, refiners + level, 1, matches);
    return match_by_stages(ws, sides, codes, bits, order, refiners + level, matches);
}

#endif
