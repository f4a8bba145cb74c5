/* The edits of TER: repeatedly the shift that reduces the edit distance most, then insertions, deletions, substitutions. */
#ifndef CHRFECT_SHIFT_H
#define CHRFECT_SHIFT_H

#include "beam.h"

#define LONGEST 10          /* words of a shift */
#define FARTHEST 50         /* positions between the words that match */
#define CANDIDATES 1000     /* shifts tried for one pair */
#define NOWHERE (-1)

typedef struct {
    int32_t start, length, target;
} Shift;

typedef struct {
    int64_t insertions, deletions, substitutions, shifts;
} Edits;

typedef struct {
    Beam beam;
    uint32_t *hyp;          /* changed by shifts */
    int32_t *aligned;       /* for each reference word: the aligned hypothesis word, or the last one before it */
    int32_t *hyp_wrong, *ref_wrong;     /* for each position: number of words before it that are not kept */
    int32_t *next, *heads, *starts;     /* chains of equal reference words; `heads` advances along them */
    uint32_t *moved;        /* the words from the first to the last position that a shift changes */
    Shift *candidates;
    Shift *applied;         /* the shifts that the search applied, in their order */
    uint32_t symbols;
} Search;

static int open_search(Workspace *ws, Search *search, uint32_t *hyp, int64_t hyp_length, const uint32_t *ref, int64_t ref_length,
                       uint32_t symbols, int level)
{
    int status = open_beam(ws, &search->beam, hyp_length, ref, ref_length, symbols, level);
    if (status) return status;
    int32_t *places = reserve(&ws->aligned, (3 * (size_t)ref_length + 2 * (size_t)hyp_length + 2 * (size_t)symbols + 2) * sizeof *places);
    Shift *candidates = reserve(&ws->shifts, (2 * CANDIDATES + LONGEST + 1) * sizeof *candidates);
    if (!places || !candidates) return NO_MEMORY;
    search->hyp = hyp;
    search->symbols = symbols;
    search->candidates = candidates;
    search->applied = candidates + CANDIDATES + LONGEST + 1;
    search->aligned = places;
    search->next = search->aligned + ref_length;
    search->ref_wrong = search->next + ref_length;
    search->hyp_wrong = search->ref_wrong + ref_length + 1;
    search->moved = (uint32_t *)(search->hyp_wrong + hyp_length + 1);
    search->heads = (int32_t *)(search->moved + hyp_length);
    search->starts = search->heads + symbols;
    for (uint32_t word = 0; word < symbols; word++) search->starts[word] = NOWHERE;
    for (int64_t j = ref_length - 1; j >= 0; j--) {
        search->next[j] = search->starts[ref[j]];
        search->starts[ref[j]] = (int32_t)j;
    }
    return 0;
}

/* Return the number of common words, each counted by its smaller count; modifies `heads`. */
static int64_t common_words(Search *search)
{
    const Beam *beam = &search->beam;
    int64_t common = 0;
    memset(search->heads, 0, search->symbols * sizeof *search->heads);
    for (int64_t j = 0; j < beam->ref_length; j++) search->heads[beam->ref[j]]++;
    for (int64_t i = 0; i < beam->hyp_length; i++) common += search->heads[search->hyp[i]]-- > 0;
    return common;
}

/* Follow the cheapest path backwards: align words, mark wrong words, and count the edits of each kind. */
static void follow_path(Search *search, Edits *edits)
{
    const Beam *beam = &search->beam;
    int64_t i = beam->hyp_length, j = beam->ref_length, inserted = 0, deleted = 0, substituted = 0;
    while (i || j) {
        switch (way_to(beam, i, j)) {
        case '=':
            i--, j--;
            search->aligned[j] = (int32_t)i;
            search->hyp_wrong[i] = search->ref_wrong[j] = search->hyp[i] != beam->ref[j];
            substituted += search->hyp_wrong[i];
            break;
        case 'd':
            search->hyp_wrong[--i] = 1;
            deleted++;
            break;
        default:
            search->aligned[--j] = (int32_t)i - 1;
            search->ref_wrong[j] = 1;
            inserted++;
        }
    }
    edits->insertions = inserted;
    edits->deletions = deleted;
    edits->substitutions = substituted;
}

static void add_up(int32_t *wrong, int64_t length)
{
    int32_t sum = 0;
    for (int64_t i = 0; i < length; i++) {
        int32_t value = wrong[i];
        wrong[i] = sum;
        sum += value;
    }
    wrong[length] = sum;
}

/* Append the shifts of the words from h on that match the reference from r on, after `last`; return the new end. */
static Shift *shifts_of_match(const Search *search, int32_t h, int32_t r, Shift *last)
{
    const Beam *beam = &search->beam;
    const int32_t *aligned = search->aligned;
    int32_t longest = LONGEST, at = aligned[r];
    if (longest > beam->hyp_length - h) longest = (int32_t)beam->hyp_length - h;
    if (longest > beam->ref_length - r) longest = (int32_t)beam->ref_length - r;
    const Shift *enough = search->candidates + CANDIDATES;
    for (int32_t length = 1; length <= longest && last < enough; length++) {
        if (search->hyp[h + length - 1] != beam->ref[r + length - 1]) break;
        if (at >= h && at < h + length) break;
        if (search->hyp_wrong[h + length] == search->hyp_wrong[h] || search->ref_wrong[r + length] == search->ref_wrong[r]) continue;
        int32_t before = -1;
        for (int32_t k = -1; k < length; k++) {
            int32_t target = r + k < 0 ? 0 : aligned[r + k] + 1;
            if (target == before) continue;
            *last++ = (Shift){h, length, target};
            before = target;
        }
    }
    return last;
}

/* List the shifts to try. Return their number; at least CANDIDATES ends the search. */
static int64_t list_shifts(Search *search, int64_t tried)
{
    const Beam *beam = &search->beam;
    Shift *last = search->candidates;
    const Shift *enough = last + CANDIDATES - tried;
    memcpy(search->heads, search->starts, search->symbols * sizeof *search->heads);
    for (int32_t h = 0; h < beam->hyp_length; h++) {
        int64_t stop = h + LONGEST < beam->hyp_length ? h + LONGEST : beam->hyp_length;
        if (search->hyp_wrong[stop] == search->hyp_wrong[h]) continue;
        int32_t r = search->heads[search->hyp[h]];
        while (r != NOWHERE && r < h - FARTHEST) r = search->next[r];
        search->heads[search->hyp[h]] = r;
        for (; r != NOWHERE && r <= h + FARTHEST; r = search->next[r]) {
            last = shifts_of_match(search, h, r, last);
            if (last >= enough) return CANDIDATES;
        }
    }
    return last - search->candidates;
}

/* Return how far the words of a shift move to the right (negative: to the left). */
static int64_t distance_moved(const Search *search, Shift shift)
{
    int64_t end = shift.start + shift.length, rest = search->beam.hyp_length - end;
    if (shift.target < shift.start) return shift.target - shift.start;
    int64_t right = shift.target > end ? shift.target - end : shift.target - shift.start;
    return right < rest ? right : rest;
}

/* Write the words whose position a shift changes, in their new order. Return their number and first position. */
static int64_t shifted_words(const Search *search, Shift shift, uint32_t *out, int64_t *from)
{
    int64_t right = distance_moved(search, shift), length = shift.length;
    int64_t first = right < 0 ? -right : length, second = right < 0 ? length : right;
    *from = right < 0 ? shift.target : shift.start;
    const uint32_t *words = search->hyp + *from;
    memcpy(out, words + first, (size_t)second * sizeof *out);
    memcpy(out + second, words, (size_t)first * sizeof *out);
    return first + second;
}

/* Return the edit distance after a shift. */
static int64_t distance_after(Search *search, Shift shift)
{
    Beam *beam = &search->beam;
    int64_t from, number = shifted_words(search, shift, search->moved, &from);
    if (!beam->masks) {
        memcpy(search->moved + from + number, search->hyp + from + number,
               (size_t)(beam->hyp_length - from - number) * sizeof *search->moved);
        memmove(search->moved + from, search->moved, (size_t)number * sizeof *search->moved);
        memcpy(search->moved, search->hyp, (size_t)from * sizeof *search->moved);
        return fill_cells(beam, search->moved);
    }
    Distances d = run(beam, beam->rows[from].after, search->moved, from, from + number);
    return last_cell(beam, run(beam, d, search->hyp + from + number, from + number, beam->hyp_length));
}

/* Return whether to stop; polls after enough rows. */
static int stopped_after(const Beam *beam, int64_t *rows)
{
    if ((*rows += beam->hyp_length) < POLL) return 0;
    *rows = 0;
    return should_stop(beam->ws);
}

static int count_edits(Search *search, Edits *edits)
{
    Beam *beam = &search->beam;
    int64_t tried = 0, from = 0, rows = 0, longer = beam->hyp_length > beam->ref_length ? beam->hyp_length : beam->ref_length;
    int64_t least = longer - common_words(search);   /* lower bound of the distance after any shifts */
    *edits = (Edits){0, 0, 0, 0};
    while (1) {
        if (stopped_after(beam, &rows)) return INTERRUPTED;
        int64_t distance = beam->masks ? fill_rows(beam, search->hyp, from) : fill_cells(beam, search->hyp);
        if (distance < 0) return (int)distance;
        follow_path(search, edits);
        if (distance == least) return 0;
        add_up(search->hyp_wrong, beam->hyp_length);
        add_up(search->ref_wrong, beam->ref_length);
        int64_t number = list_shifts(search, tried);
        tried += number;
        if (tried >= CANDIDATES) return 0;
        Shift best = {0, 0, 0};
        int64_t gain = 0;
        for (int64_t k = 0; k < number; k++) {
            Shift shift = search->candidates[k];
            if (stopped_after(beam, &rows)) return INTERRUPTED;
            int64_t after = distance_after(search, shift);
            if (after < 0) return (int)after;
            int64_t better = distance - after - gain;
            if (!better) better = shift.length - best.length;
            if (!better) better = best.start - shift.start;
            if (!better) better = best.target - shift.target;
            if (better > 0 && distance - after > 0) best = shift, gain = distance - after;
        }
        if (!gain) return 0;
        int64_t changed = shifted_words(search, best, search->moved, &from);
        memcpy(search->hyp + from, search->moved, (size_t)changed * sizeof *search->hyp);
        search->applied[edits->shifts++] = best;
    }
}

/* Write the operations after a search, the last first: '=' (kept), 's', 'd', 'i'. Return their number or a status. */
static int64_t list_operations(const Search *search, char *out)
{
    Beam beam = search->beam;
    int64_t i = beam.hyp_length, j = beam.ref_length, number = 0;
    if (!beam.masks && fill_cells(&beam, search->hyp) < 0) return INTERRUPTED;  /* they are those of the last shift tried */
    for (; i || j; number++) {
        char way = way_to(&beam, i, j);
        i -= way != 'i';
        j -= way != 'd';
        out[number] = way == '=' && search->hyp[i] != beam.ref[j] ? 's' : way;
    }
    return number;
}

#endif
