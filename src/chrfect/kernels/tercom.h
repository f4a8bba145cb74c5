/* The tokenizer of Tercom: texts are lower-cased, normalized, stripped of punctuation, then split on whitespace. */
#ifndef CHRFECT_TERCOM_H
#define CHRFECT_TERCOM_H

#include "words.h"

#define LOWER_ELSEWHERE (-5)    /* the lower case depends on more than one symbol: lower-case the text first */

typedef uint32_t (*Lower)(uint32_t);

typedef struct {
    int normalized, no_punct, asian_support, level;
    Lower lower;            /* of one symbol; NULL to keep case */
} Tercom;

#define LOWERED 0x600       /* code points below this have their lower case in a table */
static uint16_t lowered[LOWERED];

/* Call once, before any text is read. */
static void fill_lowered(Lower lower)
{
    for (uint32_t c = 0; c < LOWERED; c++) lowered[c] = (uint16_t)lower(c);
}

static void lower_latin(const uint8_t *in, int64_t length, uint8_t *out)
{
    for (int64_t i = 0; i < length; i++) {
        uint8_t c = in[i];
        int upper = ((uint8_t)(c - 'A') < 26) | (((uint8_t)(c - 0xC0) < 31) & (c != 0xD7));
        out[i] = (uint8_t)(c + (upper << 5));
    }
}

/* U+0130 becomes two symbols; U+03A3 has another lower case at the end of a word. */
ALWAYS_INLINE int lower_symbols(const void *in, const int width, int64_t length, void *out, Lower lower)
{
    for (int64_t i = 0; i < length; i++) {
        uint32_t c = symbol_at(in, width, i);
        if (c == 0x130 || c == 0x3A3) return LOWER_ELSEWHERE;
        if (c < LOWERED) c = lowered[c];
        else if (c - 0x2E80 >= 0xA640 - 0x2E80 && c - 0xAC00 >= 0xD7A4 - 0xAC00) c = lower(c);     /* CJK and Hangul have no case */
        if (width == 2) ((uint16_t *)out)[i] = (uint16_t)c;
        else ((uint32_t *)out)[i] = c;
    }
    return 0;
}

static int lower_text(Text *text, Buffer *buffer, Lower lower)
{
    void *out = reserve(buffer, (size_t)text->length * (size_t)text->width + 256);
    if (!out) return NO_MEMORY;
    int status = 0;
    if (text->width == 1) lower_latin(text->data, text->length, out);
    else if (text->width == 2) status = lower_symbols(text->data, 2, text->length, out, lower);
    else status = lower_symbols(text->data, 4, text->length, out, lower);
    text->data = out;
    return status;
}

/* The passes over a text: each reads `in` and writes `out`, then the two are swapped. */
typedef struct {
    Buffer *in, *out;
    int64_t length;
} Passes;

static int end_pass(Passes *passes, int64_t length)
{
    Buffer *in = passes->in;
    passes->in = passes->out;
    passes->out = in;
    passes->length = length;
    return 0;
}

/* Reserve memory for the output of a pass: at most three symbols for each input symbol, and two more. */
static uint32_t *begin_pass(Passes *passes)
{
    return reserve(passes->out, (3 * (size_t)passes->length + 2) * sizeof(uint32_t) + 256);
}

static int replace(Passes *passes, const char *what, const char *with)
{
    int64_t size = (int64_t)strlen(what), n = 0;
    const uint32_t *in = passes->in->data;
    uint32_t *out = begin_pass(passes);
    if (!out) return NO_MEMORY;
    for (int64_t i = 0; i < passes->length;) {
        int64_t same = 0;
        while (same < size && i + same < passes->length && in[i + same] == (uint8_t)what[same]) same++;
        if (same < size) {
            out[n++] = in[i++];
            continue;
        }
        for (const char *c = with; *c; c++) out[n++] = (uint8_t)*c;
        i += size;
    }
    return end_pass(passes, n);
}

/* The marks that become separate words: all of ASCII except ' , - and . */
static int is_mark(uint32_t c)
{
    return c - 0x20 < 7 || c - 0x28 < 4 || c == '/' || c - 0x3A < 7 || c - 0x5B < 6 || c - 0x7B < 4;
}

static int is_asian_punctuation(uint32_t c)
{
    return c == 0x3001 || c == 0x3002 || c - 0x3008 < 10 || c - 0x3014 < 12 || c == 0x30FB || c - 0xFF61 < 5 || c - 0xFF01 < 2
        || c - 0xFF08 < 2 || c == 0xFF0C || c == 0xFF0E || c == 0xFF1A || c == 0xFF1B || c == 0xFF1F;
}

static int is_asian(uint32_t c)
{
    return c - 0x2E80 < 0x80 || c - 0x31C0 < 0x30 || c - 0x3200 < 0x1BC0 || c - 0x4E00 < 0x5200 || c - 0xF900 < 0x200
        || c - 0xFE30 < 0x20 || is_asian_punctuation(c);
}

static int is_punctuation(uint32_t c)
{
    return c == '.' || c == ',' || c == '?' || c == ':' || c == ';' || c == '!' || c == '"' || c == '(' || c == ')';
}

/* Put a space on both sides of certain symbols. */
static int set_apart(Passes *passes, int (*apart)(uint32_t))
{
    int64_t n = 0;
    const uint32_t *in = passes->in->data;
    uint32_t *out = begin_pass(passes);
    if (!out) return NO_MEMORY;
    for (int64_t i = 0; i < passes->length; i++) {
        int alone = apart(in[i]);
        if (alone) out[n++] = ' ';
        out[n++] = in[i];
        if (alone) out[n++] = ' ';
    }
    return end_pass(passes, n);
}

static int is_point(uint32_t c) { return c == '.' || c == ','; }
static int is_dash(uint32_t c) { return c == '-'; }
static int is_digit(uint32_t c) { return c - '0' < 10; }
static int is_no_digit(uint32_t c) { return !is_digit(c); }

/* Where two given symbols are adjacent, put spaces around the second or (`lead`) the first. */
static int split_pairs(Passes *passes, int (*first)(uint32_t), int (*second)(uint32_t), int lead)
{
    int64_t n = 0;
    const uint32_t *in = passes->in->data;
    uint32_t *out = begin_pass(passes);
    if (!out) return NO_MEMORY;
    for (int64_t i = 0; i < passes->length; i++) {
        if (i + 1 == passes->length || !first(in[i]) || !second(in[i + 1])) {
            out[n++] = in[i];
            continue;
        }
        if (lead) out[n++] = ' ';
        out[n++] = in[i++];
        out[n++] = ' ';
        out[n++] = in[i];
        if (!lead) out[n++] = ' ';
    }
    return end_pass(passes, n);
}

/* Join lines, decode entities, split off punctuation. `'s` at the end needs no rule: a space follows it. */
static int normalize(Passes *passes, int asian_support)
{
    uint32_t *out;
    static const char *const entities[][2] = {{"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}};
    int status = replace(passes, "\n-", "") || replace(passes, "\n", " ");
    for (int k = 0; k < 4 && !status; k++) status = replace(passes, entities[k][0], entities[k][1]);
    if (status || !(out = begin_pass(passes))) return NO_MEMORY;
    out[0] = out[passes->length + 1] = ' ';
    memcpy(out + 1, passes->in->data, (size_t)passes->length * sizeof *out);
    end_pass(passes, passes->length + 2);
    if (set_apart(passes, is_mark) || replace(passes, "'s ", " 's ") || split_pairs(passes, is_no_digit, is_point, 0)
        || split_pairs(passes, is_point, is_no_digit, 1) || split_pairs(passes, is_digit, is_dash, 0)) return NO_MEMORY;
    return asian_support ? set_apart(passes, is_asian) : 0;
}

static void drop_punctuation(Passes *passes, int asian_support)
{
    int64_t n = 0;
    uint32_t *symbols = passes->in->data;
    for (int64_t i = 0; i < passes->length; i++) {
        uint32_t c = symbols[i];
        symbols[n] = c;
        n += !(is_punctuation(c) || (asian_support && is_asian_punctuation(c)));
    }
    passes->length = n;
}

/* Leave one space between words, none at the ends. */
static void join_words(Passes *passes)
{
    int64_t n = 0;
    uint32_t *symbols = passes->in->data;
    for (int64_t i = 0; i < passes->length; i++) {
        if (!is_space(symbols[i])) symbols[n++] = symbols[i];
        else if (n && symbols[n - 1] != ' ') symbols[n++] = ' ';
    }
    passes->length = n && symbols[n - 1] == ' ' ? n - 1 : n;
}

/* Return the text to be split on whitespace; it is in `buffer` unless it is unchanged. sacreBLEU prepares references
 * twice, and normalizing twice differs from normalizing once. */
static int prepare(Workspace *ws, Text *text, const Tercom *choices, Buffer *buffer, int times)
{
    if (!choices->normalized && !choices->no_punct) return choices->lower ? lower_text(text, buffer, choices->lower) : 0;
    while (text->length && is_space(symbol_at(text->data, text->width, text->length - 1))) text->length--;
    uint32_t *symbols = reserve(buffer, (size_t)text->length * 4 + 256);
    if (!symbols) return NO_MEMORY;
    spread_text(text, 1, symbols, choices->level);
    if (choices->lower && lower_symbols(symbols, 4, text->length, symbols, choices->lower)) return LOWER_ELSEWHERE;
    Passes passes = {buffer, &ws->passed, text->length};
    for (int k = 0; k < times; k++) {
        if (k) join_words(&passes);
        if (choices->normalized && normalize(&passes, choices->asian_support)) return NO_MEMORY;
        if (choices->no_punct) drop_punctuation(&passes, choices->asian_support);
    }
    uint32_t *in = passes.in->data;
    if (passes.in != buffer) {  /* so that the next text does not overwrite the result */
        Buffer other = *buffer;
        *buffer = ws->passed;
        ws->passed = other;
    }
    *text = (Text){in, passes.length, 4, 0};
    return 0;
}

#endif
