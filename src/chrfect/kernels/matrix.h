/* Every hypothesis against every reference of one source, cell by cell. Symbol ids are assigned once for all texts, and
 * the masks of a reference are filled once. */
#ifndef CHRFECT_MATRIX_H
#define CHRFECT_MATRIX_H

#include "pair.h"
#include "score.h"

typedef struct {
    Buffer ids, starts;     /* uint32_t ids of all texts, concatenated; int64_t starts, one more than texts */
    uint32_t symbols;
} Sequences;

static void release_sequences(Sequences *s)
{
    free(s->ids.data);
    free(s->starts.data);
    memset(s, 0, sizeof *s);
}

static int reserve_sequences(Sequences *s, const Text *texts, int64_t number)
{
    size_t total = 0;
    for (int64_t i = 0; i < number; i++) {
        if (texts[i].length > MAX_LENGTH) return TOO_LONG;
        total += (size_t)texts[i].length;
    }
    if (total > UINT32_MAX / 2) return TOO_LONG;
    if (!reserve(&s->ids, total * 4 + 256) || !reserve(&s->starts, ((size_t)number + 1) * sizeof(int64_t))) return NO_MEMORY;
    *(int64_t *)s->starts.data = 0;
    return 0;
}

static int character_ids(Workspace *ws, const Text *texts, int64_t number, int keep, int level, Sequences *s)
{
    int status = reserve_sequences(s, texts, number);
    if (status) return status;
    uint32_t *ids = s->ids.data;
    int64_t *starts = s->starts.data, none = 0;
    for (int64_t i = 0; i < number; i++) starts[i + 1] = starts[i] + spread_text(texts + i, keep, ids + starts[i], level);
    return localize(ws, NULL, none, ids, starts[number], &s->symbols);
}

/* Number the words of all texts together; texts of different widths are widened first. */
static int word_ids(Workspace *ws, Text *texts, int64_t number, int level, Sequences *s)
{
    int status = reserve_sequences(s, texts, number), mixed = 0;
    if (status) return status;
    size_t total = 0;
    for (int64_t i = 0; i < number; i++) {
        total += (size_t)texts[i].length;
        mixed |= texts[i].width != texts[0].width;
    }
    uint32_t *wide = reserve(&ws->hyp_wide, mixed ? total * 4 + 256 : 0), *ids = s->ids.data;
    Table table;
    if (!wide || make_table(ws, (int64_t)total / 4, &table)) return NO_MEMORY;
    int64_t *starts = s->starts.data;
    for (int64_t i = 0; i < number; i++) {
        Tokens own;
        if (mixed && texts[i].width < 4) {
            spread_text(texts + i, 1, wide, level);
            texts[i] = (Text){wide, texts[i].length, 4, texts[i].ascii};
            wide += texts[i].length;
        }
        status = find_tokens(ws, texts + i, WORDS, level, NULL, &own);
        if (!status) status = number_tokens(ws, &table, &own, level, ids + starts[i]);
        if (status) return status;
        starts[i + 1] = starts[i] + own.number;
    }
    s->symbols = table.count + 1;
    return 0;
}

/* The matrix to fill. Texts are the hypotheses, then the references, unless the hypotheses are the references too. */
typedef struct {
    const Sequences *characters, *words;
    const Plan *plan;
    const Formula *formula;
    int64_t hypotheses, columns;
    const int64_t *starts;      /* column j has the references starts[j] … starts[j + 1] - 1 */
    int mirrored;               /* the hypotheses are the references, one for each column */
    double *out;                /* hypotheses × columns */
} Grid;

/* The symbols of consecutive texts. */
ALWAYS_INLINE int64_t symbols_of(const Sequences *s, int64_t text, int64_t number)
{
    const int64_t *starts = s->starts.data;
    return starts[text + number] - starts[text];
}

ALWAYS_INLINE int64_t length_of(const Sequences *s, int64_t text) { return symbols_of(s, text, 1); }

ALWAYS_INLINE int64_t first_reference(const Grid *grid) { return grid->mirrored ? 0 : grid->hypotheses; }

/* Return the score of one text against another from their matches, characters first; `row` is a buffer for the counts. */
static double score_texts(const Grid *grid, int64_t hypothesis, int64_t reference, const int64_t *matches, int64_t *row)
{
    const Plan *plan = grid->plan;
    int orders = plan->char_order + plan->word_order;
    if (plan->char_order)
        write_row(row, plan->char_order, length_of(grid->characters, hypothesis), length_of(grid->characters, reference),
                  plan->drop_unreferenced, matches);
    if (plan->word_order)
        write_row(row + 3 * plan->char_order, plan->word_order, length_of(grid->words, hypothesis),
                  length_of(grid->words, reference), plan->drop_unreferenced, matches + plan->char_order);
    return score_row(row, orders, grid->formula);
}

typedef struct {
    const uint32_t *ids;
    int64_t length;
    uint64_t *masks;    /* NULL if masks are not used */
    int words;
} Target;

/* Prepare one text; fill its masks if it is short. The cost must not grow with the number of symbols of all texts. */
static int aim(const Sequences *s, int64_t text, int order, Buffer *buffer, Target *target)
{
    const int64_t *starts = s->starts.data;
    *target = (Target){(const uint32_t *)s->ids.data + starts[text], starts[text + 1] - starts[text], NULL, 0};
    target->words = words_for(target->length, order);
    if (!target->words) return 0;
    target->masks = reserve_zeros(buffer, (size_t)s->symbols * target->words * sizeof *target->masks);
    if (!target->masks) return NO_MEMORY;
    fill_masks(target->masks, target->words, target->ids, target->length);
    return 0;
}

static void put_down(const Target *target)
{
    if (target->masks) empty_masks(target->masks, target->words, target->ids, target->length);
}

static int match_against(Workspace *ws, const Sequences *s, int64_t text, const Target *target, Buffer *buffer, int order,
                         int level, int64_t *matches)
{
    Target own = {0};
    const uint32_t *ids = (const uint32_t *)s->ids.data + ((const int64_t *)s->starts.data)[text];
    int64_t length = length_of(s, text);
    int status = target->masks || !target->length ? 0 : aim(s, text, order, buffer, &own);
    if (status) return status;
    if (target->masks)
        status = match_masks(ws, target->masks, target->words, ids, length, order, level, matches);
    else if (own.masks)
        status = match_masks(ws, own.masks, own.words, target->ids, target->length, order, level, matches);
    else
        status = match_refined(ws, ids, length, target->ids, target->length, s->symbols, order, level, matches);
    put_down(&own);
    return status;
}

/* Score a range of hypotheses in one column. In a mirrored matrix, score those above the diagonal and copy the scores to
 * their mirror images. */
static int walk_column(Workspace *ws, const Grid *grid, int64_t column, int64_t from, int64_t to)
{
    const Plan *plan = grid->plan;
    int orders = plan->char_order + plan->word_order, status = 0;
    int64_t *matches = reserve(&ws->matches, (size_t)orders * 4 * sizeof *matches), *row = matches + orders, steps = 0;
    if (!matches) return NO_MEMORY;
    for (int64_t r = grid->starts[column]; r < grid->starts[column + 1] && !status; r++) {
        Target character = {0}, word = {0};
        int64_t reference = first_reference(grid) + r, last = grid->mirrored && r + 1 < to ? r + 1 : to;
        if (plan->char_order) status = aim(grid->characters, reference, plan->char_order, &ws->char_masks, &character);
        if (!status && plan->word_order) status = aim(grid->words, reference, plan->word_order, &ws->word_masks, &word);
        for (int64_t i = from; i < last && !status; i++) {
            if (plan->char_order) {
                status = match_against(ws, grid->characters, i, &character, &ws->char_masks, plan->char_order, plan->level, matches);
                steps += plan->char_order + length_of(grid->characters, i) * (1 + plan->char_order / LANES) + character.length;
            }
            if (!status && plan->word_order) {
                status = match_against(ws, grid->words, i, &word, &ws->word_masks, plan->word_order, plan->level,
                                       matches + plan->char_order);
                steps += plan->word_order + length_of(grid->words, i) * (1 + plan->word_order / LANES) + word.length;
            }
            if (status) break;
            double *cell = grid->out + i * grid->columns + column, score = score_texts(grid, i, reference, matches, row);
            if (r == grid->starts[column] || score > *cell) *cell = score;
            if (grid->mirrored) grid->out[r * grid->columns + i] = score_texts(grid, reference, i, matches, row);
            if (steps >= POLL) {
                steps = 0;
                if (should_stop(ws)) status = INTERRUPTED;
            }
        }
        put_down(&character);
        put_down(&word);
    }
    return status;
}

#endif
