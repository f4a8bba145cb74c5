/* All counts of one pair: three for each order (hypothesis n-grams, reference n-grams, matches), characters first. */
#ifndef CHRFECT_PAIR_H
#define CHRFECT_PAIR_H

#include "refine.h"
#include "words.h"

#define LONGEST_WALK ((int64_t)1 << 24)     /* symbols that vectors process without a check whether to stop */

typedef struct {
    int char_order, word_order, keep_whitespace, drop_unreferenced, level;
} Plan;

/* Match one side against the masks of the other. */
static int match_masks(Workspace *ws, const uint64_t *masks, int words, const uint32_t *hyp, int64_t length, int order,
                       int level, int64_t *matches)
{
    int64_t longest = level == PORTABLE_LEVEL ? POLL : LONGEST_WALK;
    if (order <= LANES && !(words == 1 && order <= FEW_ORDERS) && length <= longest) {
        matchers[level][words - 1](masks, hyp, length, order, matches);
        return 0;
    }
    uint64_t *used = reserve(&ws->unused, (size_t)order * words * sizeof *used);
    if (!used) return NO_MEMORY;
    int status = use_places(masks, hyp, length, order, used, words, ws);
    count_used(used, order, words, matches);
    return status;
}

static int match_ids(Workspace *ws, const uint32_t *hyp, int64_t hyp_length, const uint32_t *ref, int64_t ref_length,
                     uint32_t symbols, int order, int level, int64_t *matches)
{
    if (ref_length > hyp_length) {  /* matching is symmetric: masks for the shorter side */
        const uint32_t *side = hyp; hyp = ref; ref = side;
        int64_t length = hyp_length; hyp_length = ref_length; ref_length = length;
    }
    int words = words_for(ref_length, order);
    if (!words) return match_refined(ws, hyp, hyp_length, ref, ref_length, symbols, order, level, matches);
    uint64_t *masks = reserve(&ws->masks, (size_t)symbols * words * sizeof *masks);
    if (!masks) return NO_MEMORY;
    memset(masks, 0, (size_t)symbols * words * sizeof *masks);
    fill_masks(masks, words, ref, ref_length);
    return match_masks(ws, masks, words, hyp, hyp_length, order, level, matches);
}

static void write_row(int64_t *row, int order, int64_t hyp_length, int64_t ref_length, int drop, const int64_t *matches)
{
    for (int n = 0; n < order; n++) {
        row[3 * n] = hyp_length > n && !(drop && ref_length <= n) ? hyp_length - n : 0;
        row[3 * n + 1] = ref_length > n ? ref_length - n : 0;
        row[3 * n + 2] = matches[n];
    }
}

/* Call spread_text on one part after another; return a negative status if the job is stopped between parts. */
static int64_t spread_pieces(const Workspace *ws, const Text *text, int keep, uint32_t *out, int level)
{
    Text piece = *text;
    int64_t number = 0;
    for (int64_t left = text->length; left > QUICK_POLL; left -= QUICK_POLL) {
        piece.length = QUICK_POLL;
        number += spread_text(&piece, keep, out + number, level);
        piece.data = (const char *)piece.data + QUICK_POLL * piece.width;
        piece.length = left - QUICK_POLL;
        if (should_stop(ws)) return INTERRUPTED;
    }
    return number + spread_text(&piece, keep, out + number, level);
}

static int count_characters(Workspace *ws, const Text *hyp, const Text *ref, const Plan *plan, int64_t *matches, int64_t *row)
{
    uint32_t *h = reserve(&ws->hyp, (size_t)hyp->length * 4 + 256), *r = reserve(&ws->ref, (size_t)ref->length * 4 + 256);
    if (!h || !r) return NO_MEMORY;
    int64_t hyp_length = spread_pieces(ws, hyp, plan->keep_whitespace, h, plan->level);
    int64_t ref_length = hyp_length < 0 ? hyp_length : spread_pieces(ws, ref, plan->keep_whitespace, r, plan->level);
    if (ref_length < 0) return INTERRUPTED;
    uint32_t symbols = hyp->ascii && ref->ascii ? 128 : 256;
    int status = hyp->width > 1 || ref->width > 1 ? localize(ws, h, hyp_length, r, ref_length, &symbols) : 0;
    if (!status) status = match_ids(ws, h, hyp_length, r, ref_length, symbols, plan->char_order, plan->level, matches);
    if (status) return status;
    write_row(row, plan->char_order, hyp_length, ref_length, plan->drop_unreferenced, matches);
    return 0;
}

static int count_words(Workspace *ws, const Text *hyp, const Text *ref, const Plan *plan, int64_t *matches, int64_t *row)
{
    uint32_t *hyp_ids, *ref_ids, symbols;
    Words h, r;
    int status = find_pair(ws, hyp, ref, WORDS, plan->level, &h, &r);
    if (!status) status = number_pair(ws, &h, &r, &hyp_ids, &ref_ids, &symbols);
    if (!status) status = match_ids(ws, hyp_ids, h.number, ref_ids, r.number, symbols, plan->word_order, plan->level, matches);
    if (status) return status;
    write_row(row, plan->word_order, h.number, r.number, plan->drop_unreferenced, matches);
    return 0;
}

static int count_pair(Workspace *ws, const Text *hyp, const Text *ref, const Plan *plan, int64_t *row)
{
    if (hyp->length > MAX_LENGTH || ref->length > MAX_LENGTH) return TOO_LONG;
    int most = plan->char_order > plan->word_order ? plan->char_order : plan->word_order;
    int64_t *matches = reserve(&ws->matches, (size_t)most * sizeof *matches);
    if (!matches) return NO_MEMORY;
    int status = plan->char_order ? count_characters(ws, hyp, ref, plan, matches, row) : 0;
    if (!status && plan->word_order) status = count_words(ws, hyp, ref, plan, matches, row + 3 * plan->char_order);
    return status;
}

#endif
