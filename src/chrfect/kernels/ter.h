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
    Ids ids;
    if (hyp.length > MAX_LENGTH || ref.length > MAX_LENGTH) return TOO_LONG;
    int status = prepare(ws, &hyp, choices, &ws->hyp_cased, 1);
    if (!status) status = prepare(ws, &ref, choices, &ws->ref_cased, choices->normalized ? 2 : 1);
    if (status) return status;
    status = number_words(ws, &hyp, &ref, NONE, choices->level, &ids);
    if (status) return status;
    *edits = (Edits){ids.ref_length, ids.hyp_length, 0, 0};
    *ref_length = ids.ref_length;
    if (!ids.hyp_length || !ids.ref_length) return 0;
    if (open_search(ws, search, ids.hyp, ids.hyp_length, ids.ref, ids.ref_length, ids.symbols, choices->level)) return NO_MEMORY;
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
