/* Coverage-guided fuzzing of the compiled kernel (libFuzzer): every vector level, every method, against crossing off.
 *
 * The first bytes choose orders, whitespace and widths, the rest are the two texts. Run by scripts/fuzz. */
#include "arrow.h"
#include "bitsets.h"
#include "clip.h"
#include "ter.h"

#include <stdio.h>

static Workspace space;

static void fail(const char *what, int level, int column, int64_t want, int64_t got)
{
    fprintf(stderr, "%s, level %s, column %d: %lld was expected, %lld was got\n", what, level_names[level], column,
            (long long)want, (long long)got);
    abort();
}

/* Each hypothesis n-gram takes an equal reference n-gram that nobody took. */
static int64_t cross_off(const uint32_t *hyp, int64_t hyp_length, const uint32_t *ref, int64_t ref_length, int n)
{
    int64_t matches = 0;
    char *taken = calloc((size_t)ref_length + 1, 1);
    for (int64_t i = 0; i + n <= hyp_length; i++)
        for (int64_t j = 0; j + n <= ref_length; j++)
            if (!taken[j] && !memcmp(hyp + i, ref + j, (size_t)n * sizeof *hyp)) {
                taken[j] = 1;
                matches++;
                break;
            }
    free(taken);
    return matches;
}

/* A text in memory of exactly its size, so that reading past its end is found. */
static Text text_of(const uint8_t *data, size_t size, int width)
{
    static const uint32_t spread[] = {0, 0x80, 0x2000, 0x3000, 0x4E00, 0xD800, 0x1F600, 0x10FF00};
    uint8_t *copy = malloc(size * (size_t)width + !size);
    int ascii = 1;
    for (size_t i = 0; i < size; i++) {
        uint32_t c = width == 1 ? data[i] : spread[data[i] >> 5] + (data[i] & 31);
        ascii &= c < 128;
        if (width == 1) copy[i] = (uint8_t)c;
        if (width == 2) ((uint16_t *)copy)[i] = (uint16_t)c;
        if (width == 4) ((uint32_t *)copy)[i] = c;
    }
    return (Text){copy, (int64_t)size, width, ascii};
}

static int64_t plain(const Text *text, int keep, uint32_t *out)
{
    int64_t n = 0;
    for (int64_t i = 0; i < text->length; i++) {
        uint32_t c = symbol_at(text->data, text->width, i);
        if (keep || !is_space(c)) out[n++] = c;
    }
    return n;
}

/* What is decoded, encoded again, is what was there. */
static void check_decoding(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + !size);
    memcpy(copy, data, size);
    Slice slice = {copy, (int64_t)size};
    Text text;
    int status = read_slice(&space, &slice, &space.hyp_decoded, &text, best_level());
    size_t at = 0;
    for (int64_t i = 0; !status && i < text.length; i++) {
        uint32_t c = symbol_at(text.data, text.width, i);
        int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        static const uint8_t first[] = {0, 0xC0, 0xE0, 0xF0};
        if (copy[at++] != (first[more] | c >> 6 * more)) fail("decoding", 0, (int)i, 0, c);
        while (more--)
            if (copy[at++] != (0x80 | (c >> 6 * more & 0x3F))) fail("decoding", 0, (int)i, 0, c);
    }
    if (!status && at != size) fail("decoding", 0, -1, (int64_t)size, (int64_t)at);
    free(copy);
}

/* Every cell of a matrix is the score of its pair, or the best of its pairs: walked, and by bitsets. */
static void check_cells(const Text *texts, int64_t number, const Plan *plan, int mirrored)
{
    const Formula formulas[] = {{4, 5, 0}, {4, 5, 1}};
    Sequences characters = {0}, words = {0};
    int64_t row[3 * 25], starts[] = {0, 1, 2, 3, 4, 5, 6}, pairs[] = {0, 1, 3};
    Text own[6];
    memcpy(own, texts, (size_t)number * sizeof *own);
    if (character_ids(&space, own, number, plan->keep_whitespace, plan->level, &characters)) abort();
    if (word_ids(&space, own, number, plan->level, &words)) abort();
    for (int walked = 0; walked < 2; walked++) {
        for (int f = 0; f < 2; f++) {
            double out[36];
            Grid grid = {&characters, &words, plan, formulas + f, mirrored ? number : number / 2, mirrored ? number : 2,
                         mirrored ? starts : pairs, mirrored, out};
            for (int64_t j = 0; walked && j < grid.columns; j++) walk_column(&space, &grid, j, 0, grid.hypotheses);
            if (!walked && score_tile(&space, &grid, 0, grid.hypotheses, 0, grid.columns)) abort();
            for (int64_t i = 0; i < grid.hypotheses; i++) {
                for (int64_t j = 0; j < grid.columns; j++) {
                    double want = 0;
                    for (int64_t r = grid.starts[j]; r < grid.starts[j + 1]; r++) {
                        count_pair(&space, texts + i, texts + first_reference(&grid) + r, plan, row);
                        double score = score_row(row, plan->char_order + plan->word_order, formulas + f);
                        want = score > want ? score : want;
                    }
                    double got = out[i * grid.columns + j];
                    if (got != want) fail(walked ? "matrix, walked" : "matrix", plan->level, (int)(6 * i + j), (int64_t)want, (int64_t)got);
                }
            }
        }
    }
    release_sequences(&characters);
    release_sequences(&words);
}

/* The matrices of two texts, parts of them, and an empty text. */
static void check_matrix(const Text *hyp, const Text *ref, const Plan *plan)
{
    Text texts[] = {*hyp, *ref, *hyp, *ref, *hyp, *ref};
    texts[2].length /= 2;
    texts[3].length -= texts[3].length / 3;
    texts[4].length = 0;
    check_cells(texts, 6, plan, 1);
    check_cells(texts, 6, plan, 0);
}

static uint32_t lower(uint32_t c) { return c - 'A' < 26 ? c + 32 : c; }

/* TER's edits at every level, and by going through all cells. */
static void check_ter(const Text *hyp, const Text *ref, uint8_t how)
{
    Tercom choices = {how & 1, how >> 1 & 1, how >> 2 & 1, 0, how >> 3 & 1 ? lower : NULL};
    int64_t want[TER_COLUMNS], got[TER_COLUMNS];
    fill_lowered(lower);
    int status = count_ter(&space, hyp, ref, &choices, want);
    for (choices.level = 1; choices.level <= best_level(); choices.level++) {
        if (count_ter(&space, hyp, ref, &choices, got) != status) fail("TER's status", choices.level, -1, status, !status);
        for (int i = 0; i < TER_COLUMNS && !status; i++)
            if (got[i] != want[i]) fail("TER", choices.level, i, want[i], got[i]);
    }
    if (status || choices.normalized || choices.no_punct || choices.lower) return;
    Ids ids;
    if (number_words(&space, hyp, ref, NONE, 0, &ids)) abort();
    if (!ids.hyp_length || !ids.ref_length) return;
    Search search;
    Edits edits;
    if (open_search(&space, &search, ids.hyp, ids.hyp_length, ids.ref, ids.ref_length, ids.symbols, 0) || open_cells(&space, &search.beam)) abort();
    if (count_edits(&search, &edits)) abort();
    const int64_t cells[] = {edits.insertions, edits.deletions, edits.substitutions, edits.shifts};
    for (int i = 0; i < 4; i++)
        if (cells[i] != want[i]) fail("TER by cells", 0, i, cells[i], want[i]);
    char *in_cells = malloc((size_t)(ids.hyp_length + ids.ref_length)), *in_rows = malloc((size_t)(ids.hyp_length + ids.ref_length));
    int64_t number = list_operations(&search, in_cells), length;
    choices.level = best_level();
    if (find_edits(&space, hyp, ref, &choices, &search, &edits, &length)) abort();
    if (list_operations(&search, in_rows) != number) fail("number of operations", 0, -1, number, 0);
    for (int64_t i = 0; i < number; i++)
        if (in_rows[i] != in_cells[i]) fail("operations", 0, (int)i, in_cells[i], in_rows[i]);
    free(in_cells);
    free(in_rows);
}

/* The roles of zh and intl, roughly: what matters is that every part of the rules occurs. */
static void set_some_roles(void)
{
    if (zh_roles.number) return;
    int status = set_role(&intl_roles, 0, 0x7F, 'a') | set_role(&zh_roles, 0x3000, 0x9FFF, '!');
    for (uint32_t c = 0; c < 0x100; c++) status |= set_role(&zh_roles, c, c, (uint8_t)c);
    status |= set_role(&intl_roles, '!', '/', '.') | set_role(&intl_roles, '0', '9', '0') | set_role(&intl_roles, ':', '@', '+');
    for (uint32_t c = 0; c < 0x3001; c++)
        if (is_space(c)) status |= set_role(&zh_roles, c, c, ' ') | set_role(&intl_roles, c, c, ' ');
    if (status) abort();
}

/* Number the words between whitespace; equal words have equal numbers. */
static int64_t plain_words(const uint32_t *symbols, int64_t length, uint32_t *ids)
{
    int64_t n = 0;
    for (int64_t i = 0, end; i < length; i = end) {
        for (end = i; end < length && !is_space(symbols[end]); end++) {}
        if (end == i) { end++; continue; }
        uint32_t id = 2166136261u;
        for (int64_t k = i; k < end; k++) id = (id ^ symbols[k]) * 16777619u;
        ids[n++] = id;
    }
    return n;
}

/* The counts of the tokens of any of the references; `second` may be NULL. */
static void count_clipped(const Text *hyp, const Text *first, const Text *second, int how, int order, int level, int64_t *row)
{
    const Text *references[] = {first, second};
    Tokens tokens;
    Clip clip;
    int status = find_tokens(&space, hyp, how, level, &space.hyp_replaced, &tokens)
              || start_clip(&space, &tokens, order, level, &clip);
    for (int i = 0; i < 2 && references[i]; i++)
        status = status || find_tokens(&space, references[i], how, level, &space.ref_replaced, &tokens)
              || add_reference(&space, &clip, &tokens);
    if (status || finish_clip(&space, &clip, row)) abort();
}

/* BLEU's counts at every level, by either way to clip; without tokenization also by crossing off. */
static void check_bleu(const Text *hyp, const Text *ref, int order)
{
    int64_t want[2 + 2 * 10], got[2 + 2 * 10];
    set_some_roles();
    for (int how = NONE; how <= INTL; how++) {
        if (how == T13A_REWRITTEN) continue;
        if (count_bleu_pair(&space, hyp, ref, how, order, 0, want)) abort();
        for (int level = 0; level <= best_level(); level++) {
            if (count_bleu_pair(&space, hyp, ref, how, order, level, got)) abort();
            for (int i = 0; i < 2 + 2 * order; i++)
                if (got[i] != want[i]) fail("BLEU", level, i, want[i], got[i]);
            if (hyp->width != ref->width) continue;
            count_clipped(hyp, ref, ref, how, order, level, got);
            for (int i = 0; i < 2 + 2 * order; i++)
                if (got[i] != want[i]) fail("BLEU, clipped", level, i, want[i], got[i]);
            count_clipped(hyp, ref, hyp, how, order, level, got);
            for (int i = 2; i < 2 + 2 * order; i += 2)
                if (got[i + 1] != got[i]) fail("BLEU of the same text", level, i, got[i], got[i + 1]);
        }
    }
    uint32_t *h = malloc((size_t)hyp->length * 4 + 4), *r = malloc((size_t)ref->length * 4 + 4);
    int64_t h_words = plain_words(h, plain(hyp, 1, h), h), r_words = plain_words(r, plain(ref, 1, r), r);
    if (count_bleu_pair(&space, hyp, ref, NONE, order, 0, want)) abort();
    if (want[0] != h_words || want[1] != r_words) fail("words", 0, 0, h_words, want[0]);
    for (int n = 1; n <= order && h_words * r_words < 10000; n++) {
        int64_t matches = cross_off(h, h_words, r, r_words, n);
        if (want[2 * n + 1] != matches) fail("BLEU, crossing off", 0, 2 * n + 1, matches, want[2 * n + 1]);
    }
    free(h);
    free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int widths[] = {1, 2, 4, 1};
    if (size < 5 || size > 4096) return 0;
    Plan plan = {data[0] % 14, data[1] % 11, data[2] & 1, data[2] >> 1 & 1, 0};
    int orders = plan.char_order + plan.word_order;
    if (!orders) return 0;
    size_t cut = (size - 5) * data[4] / 255;
    Text hyp = text_of(data + 5, cut, widths[data[3] & 3]), ref = text_of(data + 5 + cut, size - 5 - cut, widths[data[3] >> 2 & 3]);

    int64_t want[3 * 25], got[3 * 25], refined[14];
    uint32_t *h = malloc((size_t)hyp.length * 4 + 4), *r = malloc((size_t)ref.length * 4 + 4);
    int64_t hyp_length = plain(&hyp, plan.keep_whitespace, h), ref_length = plain(&ref, plan.keep_whitespace, r);
    count_pair(&space, &hyp, &ref, &plan, want);
    if (hyp_length * ref_length < 10000)
        for (int n = 1; n <= plan.char_order; n++) {
            int64_t matches = cross_off(h, hyp_length, r, ref_length, n);
            if (want[3 * n - 1] != matches) fail("crossing off", 0, 3 * n - 1, matches, want[3 * n - 1]);
        }
    for (plan.level = 1; plan.level <= best_level(); plan.level++) {
        count_pair(&space, &hyp, &ref, &plan, got);
        for (int i = 0; i < 3 * orders; i++)
            if (got[i] != want[i]) fail("levels", plan.level, i, want[i], got[i]);
    }
    uint32_t symbols;
    localize(&space, h, hyp_length, r, ref_length, &symbols);
    for (int level = 0; level <= best_level(); level++) {
        match_refined(&space, h, hyp_length, r, ref_length, symbols, plan.char_order, level, refined);
        for (int n = 0; n < plan.char_order; n++)
            if (refined[n] != want[3 * n + 2]) fail("refinement", level, n, want[3 * n + 2], refined[n]);
    }
    int order = plan.char_order;
    uint32_t *codes = malloc((size_t)symbols * sizeof *codes);
    uint32_t values = share_codes(&space, codes, h, hyp_length, r, ref_length, symbols);
    Side sides[2] = {{r, ref_length}, {h, hyp_length}};
    for (int wide = 0; wide < 2 && order > 1 + wide && order <= LANES + 1; wide++) {
        int bits = bits_for(values), more = wide ? order / 2 : order - 1;
        if (more * (bits + 2) > KEY_BITS || !reserve(&space.counts, ((size_t)8 << MAX_DIGIT) * sizeof *codes)) continue;
        memset(refined, 0, sizeof refined);
        match_by_first(&space, sides, codes, values, bits + 2, order, refiners + best_level(), wide, refined);
        for (int n = 0; n < order; n++)
            if (refined[n] != want[3 * n + 2]) fail("first symbols", wide, n, want[3 * n + 2], refined[n]);
    }
    free(codes);
    for (plan.level = 0; plan.level <= best_level(); plan.level++) check_matrix(&hyp, &ref, &plan);
    check_ter(&hyp, &ref, data[4]);
    if (plan.word_order) check_bleu(&hyp, &ref, plan.word_order);
    check_decoding(data, size);
    free(h);
    free(r);
    free((void *)hyp.data);
    free((void *)ref.data);
    return 0;
}
