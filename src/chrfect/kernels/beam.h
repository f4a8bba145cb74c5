/* Edit distances near the diagonal, as TER computes them: one row of the matrix in one step (Myers 1999, Hyyrö 2003).
 *
 * Row i stands for the first i words of the hypothesis, column j for the first j words of the reference. Only columns
 * less than `beam` from the diagonal are computed, at most 2 × 25. So a row fits into two machine words: bit b of `up`
 * (`down`) is set if the cell of column first + b is larger (smaller) by one than the cell to its left. A cell outside
 * the row above has the value of its neighbour plus one and no match, so it never changes the result. */
#ifndef CHRFECT_BEAM_H
#define CHRFECT_BEAM_H

#include "words.h"

#define BEAM 25
#define MOST_STEP 40                    /* columns from one row to the next, so that two rows share some */
#define MOST_MASKS ((size_t)1 << 21)    /* words of all masks, 16 MB; longer references are computed cell by cell */

typedef struct {
    uint64_t up, down;
    int64_t corner;             /* the value of the first cell */
} Distances;

typedef struct {
    Distances after;            /* this row, for the current word order */
    uint64_t diagonal, above;   /* by column: whether the cheapest path keeps or substitutes, else whether it deletes */
    uint32_t first;             /* the column of bit 0, at least 1 */
    uint8_t step;               /* by how much this is more than in the row above */
    uint8_t seen;               /* number of cells of the row above from `first` on */
    uint8_t closed;             /* whether the row above has no cell to the left of `first` */
} Row;

typedef struct {
    const uint32_t *ref;
    int64_t hyp_length, ref_length;
    uint64_t *masks;            /* for each word, its positions in the reference; NULL if cells are computed one by one */
    int64_t stride;             /* words of a mask */
    Row *rows;                  /* number of hypothesis words + 1 */
    int32_t *cells[2];          /* two rows of the matrix, or NULL */
    char *operations;           /* the operation that leads to each cell of the matrix, `span` for each row */
    int64_t span, beam;
    double ratio;
    int level;
    const Workspace *ws;
} Beam;

/* The columns from `*low` on and before `*high` that row i has. */
ALWAYS_INLINE void columns_of(const Beam *beam, int64_t i, int64_t *low, int64_t *high)
{
    int64_t diagonal = (int64_t)((double)i * beam->ratio);
    *low = i && diagonal > beam->beam ? diagonal - beam->beam : 0;
    *high = !i || i == beam->hyp_length || diagonal + beam->beam > beam->ref_length ? beam->ref_length + 1 : diagonal + beam->beam;
}

static void plan_rows(Beam *beam)
{
    int64_t low = 0, high = beam->ref_length + 1;
    Row *row = beam->rows;
    row->first = 1;
    row->after = (Distances){~(uint64_t)0, 0, 1};
    for (int64_t i = 1; i <= beam->hyp_length; i++) {
        int64_t low_above = low, high_above = high;
        columns_of(beam, i, &low, &high);
        uint32_t first = low ? (uint32_t)low : 1;
        int64_t seen = high_above - first;
        row[1].first = first;
        row[1].step = (uint8_t)(first - row->first);
        row[1].seen = (uint8_t)(seen < 62 ? seen : 62);
        row[1].closed = low && low == low_above;
        row++;
    }
}

/* Compute the next row from the mask of its hypothesis word. Set which cells are reached diagonally and from above. */
ALWAYS_INLINE Distances next_row(Distances d, const Row *row, const uint64_t *mask, const int one, uint64_t *diagonal, uint64_t *above)
{
    uint64_t seen = ((uint64_t)1 << row->seen) - 1, reachable = seen << 1 | 1, match;
    uint32_t offset = row->first - 1;
    if (one) {
        match = mask[0] >> offset;
    } else {
        const uint64_t *at = mask + (offset >> 6);
        offset &= 63;
        match = at[0] >> offset | at[1] << 1 << (63 - offset);
    }
    match &= reachable;
    for (int k = row->step; k > 0; k--) {
        d.up >>= 1;
        d.down >>= 1;
        d.corner += (int64_t)(d.up & 1) - (int64_t)(d.down & 1);
    }
    uint64_t up = (d.up | ~seen) & ~(uint64_t)row->closed, down = (d.down & seen) | row->closed;
    uint64_t same = (((match & up) + up) ^ up) | match | down;     /* as the cell up and left */
    uint64_t more = down | ~(same | up), less = same & up;         /* than the cell above */
    d.corner += (int64_t)(more & 1) - (int64_t)(less & 1);
    *diagonal = (match | ~same) & reachable & ~(uint64_t)row->closed;
    *above = more;
    more = more << 1 | 1;
    d.up = less << 1 | ~(same | more);
    d.down = same & more;
    return d;
}

/* Compute the rows from `from` to `to` without the paths to their cells. */
ALWAYS_INLINE Distances run_rows(const Beam *beam, Distances d, const uint32_t *words, int64_t from, int64_t to, const int one)
{
    uint64_t diagonal, above;
    int64_t stride = one ? 1 : beam->stride;
    for (int64_t i = from + 1; i <= to; i++)
        d = next_row(d, beam->rows + i, beam->masks + (size_t)words[i - from - 1] * stride, one, &diagonal, &above);
    return d;
}

#define RUN(level, target) \
    target static Distances run_##level(const Beam *beam, Distances d, const uint32_t *words, int64_t from, int64_t to) \
    { \
        return beam->stride == 1 ? run_rows(beam, d, words, from, to, 1) : run_rows(beam, d, words, from, to, 0); \
    }

RUN(portable, )
#if defined(__x86_64__) && defined(__GNUC__)
RUN(avx2, AVX2)
#endif

static Distances run(const Beam *beam, Distances d, const uint32_t *words, int64_t from, int64_t to)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (beam->level >= AVX2_LEVEL) return run_avx2(beam, d, words, from, to);
#endif
    return run_portable(beam, d, words, from, to);
}

/* Return the last cell of the last row. */
static int64_t last_cell(const Beam *beam, Distances d)
{
    int64_t columns = beam->ref_length - beam->rows[beam->hyp_length].first;
    uint64_t rest = (((uint64_t)1 << columns) - 1) << 1;
    return d.corner + count_bits(d.up & rest) - count_bits(d.down & rest);
}

/* Compute the rows after `from` for the current word order, with the path to each cell. Return the last cell or a status. */
static int64_t fill_rows(Beam *beam, const uint32_t *words, int64_t from)
{
    Row *rows = beam->rows;
    for (int64_t i = from + 1; i <= beam->hyp_length; i++) {
        if (i % POLL == 0 && should_stop(beam->ws)) return INTERRUPTED;
        rows[i].after = next_row(rows[i - 1].after, rows + i, beam->masks + (size_t)words[i - 1] * beam->stride,
                                 beam->stride == 1, &rows[i].diagonal, &rows[i].above);
    }
    return last_cell(beam, rows[beam->hyp_length].after);
}

#define UNREACHED (1 << 30)

/* Return the last cell, computed from all cells near the diagonal one by one. */
static int64_t fill_cells(Beam *beam, const uint32_t *words)
{
    int32_t *above = beam->cells[0], *row = beam->cells[1];
    int64_t low_above = 0, high_above = beam->ref_length + 1, low, high, seen = 0;
    for (int64_t j = 0; j < high_above; j++) above[j] = (int32_t)j;
    for (int64_t j = 0; j < high_above; j++) row[j] = UNREACHED;
    for (int64_t i = 1; i <= beam->hyp_length; i++) {
        columns_of(beam, i, &low, &high);
        if ((seen += high - low) >= 16 * POLL) {
            seen = 0;
            if (should_stop(beam->ws)) return INTERRUPTED;
        }
        char *operations = beam->operations + (i - 1) * beam->span - low;
        for (int64_t j = low; j < high; j++) {
            int32_t best = UNREACHED;
            char operation = 0;
            if (j) {
                int same = words[i - 1] == beam->ref[j - 1];
                if (above[j - 1] + !same < best) best = above[j - 1] + !same, operation = '=';
            }
            if (above[j] + 1 < best) best = above[j] + 1, operation = 'd';
            if (j && row[j - 1] + 1 < best) best = row[j - 1] + 1, operation = 'i';
            row[j] = best;
            operations[j] = operation;
        }
        for (int64_t j = low_above; j < high_above; j++) above[j] = UNREACHED;
        int32_t *swapped = above;
        above = row;
        row = swapped;
        low_above = low;
        high_above = high;
    }
    return above[beam->ref_length];
}

/* Return the last operation of the cheapest path to the cell of row i and column j: '=' (kept or substituted), 'd', 'i'. */
ALWAYS_INLINE char way_to(const Beam *beam, int64_t i, int64_t j)
{
    if (!i) return 'i';
    if (!beam->masks) {
        int64_t low, high;
        columns_of(beam, i, &low, &high);
        return beam->operations[(i - 1) * beam->span + j - low];
    }
    if (!j) return 'd';
    const Row *row = beam->rows + i;
    uint32_t bit = (uint32_t)j - row->first;
    if (row->diagonal >> bit & 1) return '=';
    return row->above >> bit & 1 ? 'd' : 'i';
}

/* Prepare to compute all cells one by one. */
static int open_cells(Workspace *ws, Beam *beam)
{
    beam->masks = NULL;
    if (beam->ratio / 2 > BEAM) {
        double wide = beam->ratio / 2 + BEAM;
        beam->beam = (int64_t)wide + (wide > (double)(int64_t)wide);
    }
    beam->span = 2 * beam->beam + 2;
    size_t row = (size_t)beam->ref_length + 1;
    int32_t *cells = reserve(&ws->masks, 2 * row * sizeof *cells);
    beam->operations = reserve(&ws->rows, (size_t)beam->hyp_length * (size_t)beam->span);
    if (!cells || !beam->operations) return NO_MEMORY;
    beam->cells[0] = cells;
    beam->cells[1] = cells + row;
    return 0;
}

/* Prepare for a hypothesis and a reference, both with at least one word; ids are below `symbols`. */
static int open_beam(Workspace *ws, Beam *beam, int64_t hyp_length, const uint32_t *ref, int64_t ref_length, uint32_t symbols, int level)
{
    *beam = (Beam){.ref = ref, .hyp_length = hyp_length, .ref_length = ref_length, .beam = BEAM, .level = level,
                   .ratio = (double)ref_length / (double)hyp_length, .ws = ws};
    beam->stride = ref_length <= 64 ? 1 : (ref_length + 63) / 64 + 1;
    if (beam->ratio <= MOST_STEP && (size_t)symbols * (size_t)beam->stride <= MOST_MASKS) {
        size_t size = (size_t)symbols * (size_t)beam->stride * sizeof *beam->masks;
        beam->masks = reserve(&ws->masks, size);
        beam->rows = reserve(&ws->rows, ((size_t)hyp_length + 1) * sizeof *beam->rows);
        if (!beam->masks || !beam->rows) return NO_MEMORY;
        memset(beam->masks, 0, size);
        for (int64_t j = 0; j < ref_length; j++) beam->masks[ref[j] * beam->stride + (j >> 6)] |= (uint64_t)1 << (j & 63);
        plan_rows(beam);
        return 0;
    }
    return open_cells(ws, beam);
}

#endif
