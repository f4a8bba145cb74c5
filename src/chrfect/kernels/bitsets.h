/* All texts against all texts: the matches of two texts are the bits that both have set.
 *
 * An n-gram has one bit for each of its occurrences. A text with c occurrences sets the first c bits, so the number of
 * shared bits of two texts is the smaller of their counts. Bits that no pair shares are omitted. Bits that all texts
 * share are added as a number. If rows and columns are the same texts, only half of the cells are computed. */
#ifndef CHRFECT_BITSETS_H
#define CHRFECT_BITSETS_H

#include "matrix.h"

#define BLOCK 8                         /* texts whose words are interleaved */
#define MAX_BITS ((size_t)1 << 26)      /* bytes of bitsets; larger tiles are computed cell by cell */
#define TOO_LARGE 1
#define UNSHARED UINT32_MAX

/* The number of cells for each text above which bitsets are faster, by vector level (measured: docs/performance.md). */
static const int bitset_cells[] = {4, 6, 12};

/* An n-gram, or one of its further occurrences in a text. */
typedef struct {
    uint64_t key;           /* the n-gram of its first symbols, and its last symbol */
    uint32_t text;          /* the last text that has it */
    uint32_t holders;       /* number of row texts that have it, later the number of column texts */
} Gram;

typedef struct {
    uint32_t place, gram;   /* a place in the texts, and the n-gram there */
} Item;

typedef struct {
    size_t at;          /* offset of its words, in words */
    int64_t words;      /* number of words for each text */
    double common;      /* n-grams that all texts have */
} Layer;

/* The texts of a tile: those of its rows (0), then those of its columns (1) from the next block on, unless they are the same. */
typedef struct {
    int64_t first[2], number[2], slot[2], slots;
    int same;
} Members;

/* The numbering of the n-grams of one order. Arrays indexed by n-gram have one entry for each number. */
typedef struct {
    Item *items;
    int64_t *ends;              /* of the items of each slot */
    uint32_t *occurrences;      /* of each item: its n-gram, or a further occurrence of that n-gram */
    Gram *grams;
    uint32_t *latest, *next;    /* the last occurrence in `text`, and the occurrence after it; 0 if there is none */
    uint32_t *row_holders;
    uint32_t *bits;             /* the bit of each occurrence */
    uint32_t *table;            /* hash table of n-grams by key */
    int room_bits;
    uint8_t *flags;             /* the bits of one text, one byte each; zeroed between two texts */
} Numbering;

/* Return the next occurrence of an n-gram that this text already has; a new one gets the number after `*count`. */
static uint32_t repeat_gram(Numbering *now, uint32_t gram, int grow, uint32_t *count)
{
    Gram *grams = now->grams;
    uint32_t latest = now->latest[gram], occurrence = latest ? now->next[latest] : 0;
    if (!occurrence && latest && grow) {
        now->next[latest] = occurrence = ++*count;
        now->next[occurrence] = 0;
        grams[occurrence] = (Gram){0, 0, 0};
    }
    now->latest[gram] = occurrence;
    grams[occurrence].holders++;
    return occurrence;
}

/* Number the n-grams of order n of all items from those of order n - 1. Return the largest number. N-grams of columns
 * that no row has get 0. */
static uint32_t number_grams(const Sequences *s, const Members *texts, int n, Numbering *now)
{
    const uint32_t *ids = (const uint32_t *)s->ids.data + n - 1;
    const int64_t *starts = s->starts.data;
    Item *items = now->items;
    Gram *grams = now->grams;
    uint32_t *table = now->table, *occurrences = now->occurrences, count = 0;
    const uint64_t factor = secret | 1;
    const int shift = 64 - now->room_bits;
    const size_t mask = ((size_t)1 << now->room_bits) - 1;
    int64_t k = 0, kept = 0;
    memset(table, 0, (mask + 1) * sizeof *table);
    for (int side = 0; side <= !texts->same; side++) {
        if (side) {
            for (uint32_t g = 1; g <= count; g++) {
                now->row_holders[g] = grams[g].holders;
                grams[g].holders = 0;
            }
        }
        for (int64_t t = 0; t < texts->number[side]; t++) {
            int64_t slot = texts->slot[side] + t, end = now->ends[slot], stop = starts[texts->first[side] + t + 1] - n;
            const uint32_t text = (uint32_t)slot + 1;
            for (; k < end; k++) {
                Item item = items[k];
                if (item.place > stop || (n > 1 && now->bits[item.gram] == UNSHARED)) continue;
                uint64_t key = (uint64_t)item.gram << 32 | ids[item.place];
                size_t at = key * factor >> shift;
                uint32_t gram;
                while ((gram = table[at]) && grams[gram].key != key) at = (at + 1) & mask;
                if (!gram) {
                    if (side) continue;
                    table[at] = gram = ++count;
                    grams[gram] = (Gram){key, 0, 0};
                    now->next[gram] = 0;
                }
                uint32_t occurrence = gram;
                if (grams[gram].text != text) {
                    grams[gram].text = text;
                    grams[gram].holders++;
                    now->latest[gram] = gram;
                } else {
                    occurrence = repeat_gram(now, gram, !side, &count);
                }
                items[kept] = (Item){item.place, gram};
                occurrences[kept++] = occurrence;
            }
            now->ends[slot] = kept;
        }
    }
    return count;
}

/* Assign a bit to each occurrence that some pair, but not every text, shares. Occurrences that all texts share get the
 * value before UNSHARED. */
static Layer give_bits(const Members *texts, Numbering *now, uint32_t count)
{
    Layer layer = {0, 0, 0};
    uint32_t bits = 0;
    for (uint32_t g = 1; g <= count; g++) {
        uint32_t last = now->grams[g].holders, first = texts->same ? last : now->row_holders[g];
        int shared = texts->same ? last > 1 : first && last;
        int common = shared && first == texts->number[0] && last == texts->number[!texts->same];
        now->bits[g] = !shared ? UNSHARED : common ? UNSHARED - 1 : bits;
        bits += shared && !common;
        layer.common += common;
    }
    layer.words = (bits + 63) / 64;
    return layer;
}

/* Pack eight bytes of 0 or 1 into eight bits; the first byte becomes the lowest bit. */
ALWAYS_INLINE uint64_t pack_flags(const uint8_t *flags)
{
    uint64_t bytes = 0;
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&bytes, flags, 8);
#else
    for (int i = 0; i < 8; i++) bytes |= (uint64_t)flags[i] << 8 * i;
#endif
    return bytes * 0x0102040810204080u >> 56;
}

/* Set the bits of every text. */
static void set_bits(const Members *texts, const Layer *layer, Numbering *now, uint64_t *words)
{
    const uint32_t unused = (uint32_t)layer->words * 64, *bits = now->bits, *occurrences = now->occurrences;
    uint8_t *flags = now->flags;
    int64_t k = 0;
    for (int side = 0; side <= !texts->same; side++) {
        for (int64_t t = 0; t < texts->number[side]; t++) {
            int64_t slot = texts->slot[side] + t, end = now->ends[slot];
            uint64_t *out = words + slot / BLOCK * layer->words * BLOCK + slot % BLOCK;
            for (; k < end; k++) {
                uint32_t bit = bits[occurrences[k]];
                flags[bit < unused ? bit : unused] = 1;
            }
            for (int64_t w = 0; w < layer->words; w++, out += BLOCK) {
                uint64_t word = 0;
                for (int b = 0; b < 8; b++) word |= pack_flags(flags + w * 64 + b * 8) << 8 * b;
                *out = word;
            }
            memset(flags, 0, (size_t)unused + 1);
        }
    }
}

/* Count the bits that the row at `row` shares with each text of the blocks from `columns` on. */
#define COUNT_SHARED(level, target) \
    target static void count_shared_##level(const uint64_t *row, const uint64_t *columns, int64_t words, int64_t blocks, \
                                            double common, double *out) \
    { \
        for (int64_t b = 0; b < blocks; b++) { \
            int64_t shared[BLOCK] = {0}; \
            for (int64_t w = 0; w < words; w++, columns += BLOCK) \
                for (int k = 0; k < BLOCK; k++) shared[k] += count_bits(row[w * BLOCK] & columns[k]); \
            for (int k = 0; k < BLOCK; k++) out[b * BLOCK + k] = (double)shared[k] + common; \
        } \
    }

/* The values from which a row of cells is scored: one for each slot (and order). */
typedef struct {
    int orders;
    int64_t slots;
    const Formula *formula;
    double *totals;                 /* n-grams, at least 1 */
    double *characters, *words;     /* number of orders for which the text is long enough */
    double *matches, *precisions, *recalls;
} Scores;

/* Add the precisions and recalls of one order. */
ALWAYS_INLINE void add_shares(const double *matches, double own, const double *others, int64_t number, double *__restrict precisions,
                              double *__restrict recalls)
{
    for (int64_t j = 0; j < number; j++) {
        precisions[j] += matches[j] / own;
        recalls[j] += matches[j] / others[j];
    }
}

/* Finish the computation of score_row: replace `precisions` and `recalls` by the scores of the row and its mirror image. */
ALWAYS_INLINE void finish_scores(double characters, const double *their_characters, double words, const double *their_words,
                                 const Formula *formula, int64_t number, double *__restrict precisions, double *__restrict recalls)
{
    double factor = formula->factor, one_more = formula->one_more;
    for (int64_t j = 0; j < number; j++) {
        double effective = (characters < their_characters[j] ? characters : their_characters[j])
                         + (words < their_words[j] ? words : their_words[j]);
        effective = effective > 0 ? effective : 1;
        double p = precisions[j] / effective, r = recalls[j] / effective;
        double below = factor * p + r, mirrored_below = factor * r + p;
        precisions[j] = 100 * (one_more * p * r / (below > 0 ? below : 1));
        recalls[j] = 100 * (one_more * r * p / (mirrored_below > 0 ? mirrored_below : 1));
    }
}

#define SCORE_ROW(level, target) \
    target static void score_row_##level(const Scores *s, int64_t row, int64_t from) \
    { \
        int64_t number = s->slots - from; \
        memset(s->precisions + from, 0, (size_t)number * sizeof(double)); \
        memset(s->recalls + from, 0, (size_t)number * sizeof(double)); \
        for (int n = 0; n < s->orders; n++) { \
            const double *totals = s->totals + n * s->slots; \
            add_shares(s->matches + n * s->slots + from, totals[row], totals + from, number, s->precisions + from, s->recalls + from); \
        } \
        finish_scores(s->characters[row], s->characters + from, s->words[row], s->words + from, s->formula, number, \
                      s->precisions + from, s->recalls + from); \
    }

COUNT_SHARED(portable, )
SCORE_ROW(portable, )
#if defined(__x86_64__) && defined(__GNUC__)
COUNT_SHARED(avx2, AVX2)
SCORE_ROW(avx2, AVX2)
SCORE_ROW(avx512, AVX512)

AVX512 static void count_shared_avx512(const uint64_t *row, const uint64_t *columns, int64_t words, int64_t blocks, double common,
                                       double *out)
{
    for (int64_t b = 0; b < blocks; b++, out += BLOCK) {
        __m512i shared = _mm512_setzero_si512();
        for (int64_t w = 0; w < words; w++, columns += BLOCK) {
            __m512i both = _mm512_and_si512(_mm512_set1_epi64((long long)row[w * BLOCK]), _mm512_loadu_si512(columns));
            shared = _mm512_add_epi64(shared, _mm512_popcnt_epi64(both));
        }
        _mm512_storeu_pd(out, _mm512_add_pd(_mm512_cvtepi64_pd(shared), _mm512_set1_pd(common)));
    }
}
#endif

static void count_shared(int level, const uint64_t *row, const uint64_t *columns, int64_t words, int64_t blocks, double common,
                         double *out)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (level == AVX512_LEVEL) { count_shared_avx512(row, columns, words, blocks, common, out); return; }
    if (level == AVX2_LEVEL) { count_shared_avx2(row, columns, words, blocks, common, out); return; }
#endif
    (void)level;
    count_shared_portable(row, columns, words, blocks, common, out);
}

static void score_cells(int level, const Scores *scores, int64_t row, int64_t from)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (level == AVX512_LEVEL) { score_row_avx512(scores, row, from); return; }
    if (level == AVX2_LEVEL) { score_row_avx2(scores, row, from); return; }
#endif
    (void)level;
    score_row_portable(scores, row, from);
}

/* Build the bitsets of all orders of a sequence, one layer after another. */
static int make_layers(Workspace *ws, const Sequences *s, const Members *texts, int orders, Layer *layers, size_t *used)
{
    const int64_t *starts = s->starts.data;
    int64_t number = 0, k = 0;
    for (int side = 0; side <= !texts->same; side++)
        number += starts[texts->first[side] + texts->number[side]] - starts[texts->first[side]];
    Numbering now = {.room_bits = 3};
    while ((size_t)1 << now.room_bits < 2 * (size_t)number) now.room_bits++;
    size_t most = (size_t)number + 1;
    now.items = reserve(&ws->items, most * sizeof *now.items);
    now.grams = reserve(&ws->grams, most * sizeof *now.grams);
    now.occurrences = reserve(&ws->codes, most * 5 * sizeof *now.occurrences);
    now.table = reserve(&ws->counts, (size_t)4 << now.room_bits);
    now.ends = reserve(&ws->keys, (size_t)texts->slots * sizeof *now.ends);
    now.flags = reserve_zeros(&ws->flags, most + 64);
    if (!now.items || !now.grams || !now.occurrences || !now.table || !now.ends || !now.flags) return NO_MEMORY;
    now.latest = now.occurrences + most;
    now.next = now.latest + most;
    now.row_holders = now.next + most;
    now.bits = now.row_holders + most;
    for (int side = 0; side <= !texts->same; side++) {
        for (int64_t t = 0; t < texts->number[side]; t++) {
            int64_t text = texts->first[side] + t;
            for (int64_t place = starts[text]; place < starts[text + 1]; place++) now.items[k++] = (Item){(uint32_t)place, 0};
            now.ends[texts->slot[side] + t] = k;
        }
    }
    now.grams[0] = (Gram){0, 0, 0};
    now.bits[0] = UNSHARED;
    for (int n = 1; n <= orders; n++) {
        layers[n - 1] = (Layer){*used, 0, 0};
        if (!k) continue;
        if (should_stop(ws)) return INTERRUPTED;
        uint32_t count = number_grams(s, texts, n, &now);
        k = now.ends[texts->slot[!texts->same] + texts->number[!texts->same] - 1];
        layers[n - 1] = give_bits(texts, &now, count);
        layers[n - 1].at = *used;
        size_t more = (size_t)(texts->slots * layers[n - 1].words);
        if ((*used + more) * sizeof(uint64_t) > MAX_BITS) return TOO_LARGE;
        uint64_t *words = extend(&ws->bits, *used * sizeof *words, more * sizeof *words);
        if (!words) return NO_MEMORY;
        memset(words + *used, 0, more * sizeof *words);
        set_bits(texts, layers + n - 1, &now, words + *used);
        *used += more;
    }
    return 0;
}

/* Compute the number of n-grams for each order and text, and the number of orders for which each text is long enough. */
static void fill_totals(const Sequences *s, const Members *texts, int orders, double *totals, double *effective)
{
    for (int64_t i = 0; i < texts->slots; i++) effective[i] = 0;
    for (int64_t i = 0; i < orders * texts->slots; i++) totals[i] = 1;
    for (int side = 0; side <= !texts->same; side++) {
        for (int64_t t = 0; t < texts->number[side]; t++) {
            int64_t slot = texts->slot[side] + t, length = length_of(s, texts->first[side] + t);
            effective[slot] = (double)(length < orders ? length : orders);
            for (int n = 0; n < orders && n < length; n++) totals[n * texts->slots + slot] = (double)(length - n);
        }
    }
}

/* Return the score of one cell if the F-scores of the orders are averaged. */
static double score_cell(const Grid *grid, const Scores *scores, int64_t hypothesis, int64_t reference, int64_t slot, int64_t *row)
{
    int64_t *matches = row + 3 * scores->orders;
    for (int n = 0; n < scores->orders; n++) matches[n] = (int64_t)scores->matches[n * scores->slots + slot];
    return score_texts(grid, hypothesis, reference, matches, row);
}

/* Write a row of scores. If several references share a column, write the largest. */
static void place_scores(const Grid *grid, const Members *texts, const Scores *scores, int64_t i, int64_t column, int64_t last)
{
    double *out = grid->out + (texts->first[0] + i) * grid->columns;
    const double *row = scores->precisions + texts->slot[1], *mirrored = scores->recalls + texts->slot[1];
    if (grid->mirrored) {
        int64_t from = texts->same ? i : 0;
        memcpy(out + column + from, row + from, (size_t)(texts->number[1] - from) * sizeof *out);
        for (int64_t j = from; j < texts->number[1]; j++)
            grid->out[(column + j) * grid->columns + texts->first[0] + i] = mirrored[j];
        return;
    }
    for (int64_t c = column; c < last; c++) {
        int64_t j = grid->starts[c] - grid->starts[column], stop = grid->starts[c + 1] - grid->starts[column];
        out[c] = row[j++];
        for (; j < stop; j++) out[c] = row[j] > out[c] ? row[j] : out[c];
    }
}

/* Score hypotheses `from` to `to` in columns `column` to `last`, and their mirror images. Return TOO_LARGE if the bitsets
 * would be too large. */
static int score_tile(Workspace *ws, const Grid *grid, int64_t from, int64_t to, int64_t column, int64_t last)
{
    const Plan *plan = grid->plan;
    int orders = plan->char_order + plan->word_order, status = 0;
    int64_t first = first_reference(grid) + grid->starts[column];
    Members texts = {{from, first}, {to - from, first_reference(grid) + grid->starts[last] - first}, {0, 0}, 0, from == first};
    texts.slot[1] = texts.same ? 0 : (texts.number[0] + BLOCK - 1) / BLOCK * BLOCK;
    texts.slots = (texts.slot[1] + texts.number[1] + BLOCK - 1) / BLOCK * BLOCK;
    Layer *layers = reserve(&ws->layers, (size_t)orders * sizeof *layers);
    int64_t *row = reserve(&ws->matches, (size_t)orders * 4 * sizeof *row);
    double *cells = reserve(&ws->cells, (size_t)(texts.slots * (2 * orders + 4)) * sizeof *cells);
    if (!layers || !row || !cells) return NO_MEMORY;
    double *end = cells + 2 * orders * texts.slots;
    Scores scores = {orders, texts.slots, grid->formula, cells, end, end + texts.slots, cells + orders * texts.slots,
                     end + 2 * texts.slots, end + 3 * texts.slots};
    memset(end, 0, (size_t)texts.slots * 4 * sizeof *end);
    size_t used = 0;
    if (plan->char_order) {
        status = make_layers(ws, grid->characters, &texts, plan->char_order, layers, &used);
        fill_totals(grid->characters, &texts, plan->char_order, scores.totals, scores.characters);
    }
    if (!status && plan->word_order) {
        status = make_layers(ws, grid->words, &texts, plan->word_order, layers + plan->char_order, &used);
        fill_totals(grid->words, &texts, plan->word_order, scores.totals + plan->char_order * texts.slots, scores.words);
    }
    if (status) return status;
    const uint64_t *bits = extend(&ws->bits, used * sizeof *bits, 0);   /* not NULL where no n-gram has a bit */
    if (!bits) return NO_MEMORY;
    int64_t steps = 0;
    for (int64_t i = 0; i < texts.number[0]; i++) {
        int64_t block = texts.same ? i / BLOCK : texts.slot[1] / BLOCK, blocks = texts.slots / BLOCK - block;
        for (int n = 0; n < orders; n++) {
            const Layer *layer = layers + n;
            const uint64_t *words = bits + layer->at;
            count_shared(plan->level, words + i / BLOCK * layer->words * BLOCK + i % BLOCK, words + block * layer->words * BLOCK,
                         layer->words, blocks, layer->common, scores.matches + n * texts.slots + block * BLOCK);
            if (texts.same) {   /* occurrences that only this text has got no bit */
                int long_enough = n < plan->char_order ? n < scores.characters[i] : n - plan->char_order < scores.words[i];
                scores.matches[n * texts.slots + i] = long_enough ? scores.totals[n * texts.slots + i] : 0;
            }
            steps += (layer->words + 8) * blocks;
        }
        if (!grid->formula->per_order) {
            score_cells(plan->level, &scores, i, block * BLOCK);
        } else {
            for (int64_t j = texts.same ? i : 0, slot = texts.slot[1] + j; j < texts.number[1]; j++, slot++) {
                scores.precisions[slot] = score_cell(grid, &scores, from + i, first + j, slot, row);
                if (grid->mirrored) scores.recalls[slot] = score_cell(grid, &scores, first + j, from + i, slot, row);
            }
        }
        place_scores(grid, &texts, &scores, i, column, last);
        if (steps >= POLL) {
            steps = 0;
            if (should_stop(ws)) return INTERRUPTED;
        }
    }
    return 0;
}

#endif
