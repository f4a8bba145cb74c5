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

static int match_ids(Workspace *ws, const Ids *ids, int order, int level, int64_t *matches)
{
    int longer = ids->ref_length > ids->hyp_length;     /* matching is symmetric: masks for the shorter side */
    const uint32_t *hyp = longer ? ids->ref : ids->hyp, *ref = longer ? ids->hyp : ids->ref, symbols = ids->symbols;
    int64_t hyp_length = longer ? ids->ref_length : ids->hyp_length, ref_length = longer ? ids->hyp_length : ids->ref_length;
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

/* Number the symbols of a pair, without whitespace unless kept. */
static int number_characters(Workspace *ws, const Text *hyp, const Text *ref, int keep, int level, Ids *ids)
{
    ids->hyp = reserve(&ws->hyp, (size_t)hyp->length * 4 + 256);
    ids->ref = reserve(&ws->ref, (size_t)ref->length * 4 + 256);
    if (!ids->hyp || !ids->ref) return NO_MEMORY;
    ids->hyp_length = spread_pieces(ws, hyp, keep, ids->hyp, level);
    ids->ref_length = ids->hyp_length < 0 ? ids->hyp_length : spread_pieces(ws, ref, keep, ids->ref, level);
    if (ids->ref_length < 0) return INTERRUPTED;
    ids->symbols = hyp->ascii && ref->ascii ? 128 : 256;
    if (hyp->width == 1 && ref->width == 1) return 0;
    return localize(ws, ids->hyp, ids->hyp_length, ids->ref, ids->ref_length, &ids->symbols);
}

static int count_ids(Workspace *ws, const Ids *ids, const Plan *plan, int order, int64_t *matches, int64_t *row)
{
    int status = match_ids(ws, ids, order, plan->level, matches);
    if (!status) write_row(row, order, ids->hyp_length, ids->ref_length, plan->drop_unreferenced, matches);
    return status;
}

static int count_pair(Workspace *ws, const Text *hyp, const Text *ref, const Plan *plan, int64_t *row)
{
    Ids ids;
    int status = 0, most = plan->char_order > plan->word_order ? plan->char_order : plan->word_order;
    if (hyp->length > MAX_LENGTH || ref->length > MAX_LENGTH) return TOO_LONG;
    int64_t *matches = reserve(&ws->matches, (size_t)most * sizeof *matches);
    if (!matches) return NO_MEMORY;
    if (plan->char_order) {
        status = number_characters(ws, hyp, ref, plan->keep_whitespace, plan->level, &ids);
        if (!status) status = count_ids(ws, &ids, plan, plan->char_order, matches, row);
    }
    if (!status && plan->word_order) {
        status = number_words(ws, hyp, ref, WORDS, plan->level, &ids);
        if (!status) status = count_ids(ws, &ids, plan, plan->word_order, matches, row + 3 * plan->char_order);
    }
    return status;
}

#endif
