/* Matches of one text clipped over several: an n-gram counts as often as in the one that has it most. */
#ifndef CHRFECT_CLIP_H
#define CHRFECT_CLIP_H

#include "pair.h"

#define CLIP_WORDS 64       /* 64-bit words of a mask here */
#define MAX_HITS ((int64_t)1 << 26)

/* Walk the hypothesis as match_forward does and mark in hits[i * order + n] each n-gram that found a place. The k-th
 * of equal n-grams finds one if this reference has k of them, so over all references as many are marked as the
 * reference with most of them allows. */
static void mark_hits(const uint64_t *masks, int words, const uint32_t *hyp, int64_t length, int order, uint64_t *used,
                      uint8_t *hits)
{
    uint64_t d[CLIP_WORDS];
    memset(used, 0, (size_t)order * words * sizeof *used);
    for (int64_t i = 0; i < length; i++) {
        for (int w = 0; w < words; w++) d[w] = ~(uint64_t)0;
        int64_t stop = length - i < order ? length - i : order;
        for (int n = 0; n < stop; n++) {
            int was_free;
            if (!use_place(d, masks + (size_t)hyp[i + n] * words, used + (size_t)n * words, words, n == 0, &was_free)) break;
            hits[i * order + n] |= (uint8_t)was_free;
        }
    }
}

/* Clipped matches of each order. refs holds the ids of all references one after another; TOO_LONG says that this is
 * no work for masks. */
static int clip_ids(Workspace *ws, const uint32_t *hyp, int64_t length, const uint32_t *refs, const int64_t *ref_lengths,
                    int64_t number, uint32_t symbols, int order, int level, int64_t *matches)
{
    if (number == 1) return match_ids(ws, hyp, length, refs, ref_lengths[0], symbols, order, level, matches);
    if (length > MAX_HITS / order) return TOO_LONG;
    uint8_t *hits = reserve(&ws->codes, (size_t)length * order);
    uint64_t *used = reserve(&ws->unused, (size_t)order * CLIP_WORDS * sizeof *used);
    if (!hits || !used) return NO_MEMORY;
    memset(hits, 0, (size_t)length * order);
    for (int64_t k = 0; k < number; refs += ref_lengths[k++]) {
        if (ref_lengths[k] == 0) continue;
        if (ref_lengths[k] > 64 * CLIP_WORDS) return TOO_LONG;
        int words = (int)((ref_lengths[k] + 63) / 64);
        uint64_t *masks = reserve_zeros(&ws->word_masks, (size_t)symbols * words * sizeof *masks);
        if (!masks) return NO_MEMORY;
        fill_masks(masks, words, refs, ref_lengths[k]);
        mark_hits(masks, words, hyp, length, order, used, hits);
        empty_masks(masks, words, refs, ref_lengths[k]);
    }
    memset(matches, 0, order * sizeof *matches);
    for (int64_t i = 0; i < length; i++)
        for (int n = 0; n < order; n++) matches[n] += hits[i * order + n];
    return 0;
}

#endif
