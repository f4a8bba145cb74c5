/* The edit counts of TER for one pair: insertions, deletions, substitutions, shifts, reference length. */
#ifndef CHRFECT_TER_H
#define CHRFECT_TER_H

#include "shift.h"
#include "tercom.h"

#define TER_COLUMNS 5

/* Find the edits of a pair. `search` is set if both sides have words. Return LOWER_ELSEWHERE if Python has to lower-case
 * the texts first. */
static int find_edits(Workspace *ws, const Text *hyp_text, const Text *ref_text, const Tercom *choices, Search *search, Edits *edits,
                      int64_t *ref_length)
{
    Text hyp = *hyp_text, ref = *ref_text;
    uint32_t *hyp_ids, *ref_ids, symbols;
    if (hyp.length > MAX_LENGTH || ref.length > MAX_LENGTH) return TOO_LONG;
    int status = prepare(ws, &hyp, choices, &ws->hyp_cased, 1);
    if (!status) status = prepare(ws, &ref, choices, &ws->ref_cased, choices->normalized ? 2 : 1);
    if (status) return status;
    Words h, r;
    status = find_pair(ws, &hyp, &ref, NONE, choices->level, &h, &r);
    if (!status) status = number_pair(ws, &h, &r, &hyp_ids, &ref_ids, &symbols);
    if (status) return status;
    *edits = (Edits){r.number, h.number, 0, 0};
    *ref_length = r.number;
    if (!h.number || !r.number) return 0;
    if (open_search(ws, search, hyp_ids, h.number, ref_ids, r.number, symbols, choices->level)) return NO_MEMORY;
    return count_edits(search, edits);
}

static int count_ter(Workspace *ws, const Text *hyp, const Text *ref, const Tercom *choices, int64_t *row)
{
    Search search;
    Edits edits;
    int status = find_edits(ws, hyp, ref, choices, &search, &edits, row + 4);
    if (status) return status;
    row[0] = edits.insertions;
    row[1] = edits.deletions;
    row[2] = edits.substitutions;
    row[3] = edits.shifts;
    return 0;
}

#endif
