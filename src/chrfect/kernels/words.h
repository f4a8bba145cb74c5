/* The words of texts: find them, hash them, and number them by exact comparison. */
#ifndef CHRFECT_WORDS_H
#define CHRFECT_WORDS_H

#include "tokenize.h"

#define MAX_LENGTH 0x3FFFFFFF    /* the positions of both sides together must fit into 32 bits */

typedef struct {
    uint64_t head;          /* the first eight bytes, zero-padded */
    const uint8_t *at;
    uint64_t more;          /* the next eight bytes */
    uint64_t last;          /* the last eight bytes, zero-padded */
    uint32_t size, hash;    /* size in bytes; hash of the bytes, with the width of a symbol in the lowest bits */
} Word;

/* Random in each process, so that an attacker cannot construct words that collide. */
static uint64_t secret = 0x9E3779B97F4A7C15u;

ALWAYS_INLINE uint64_t load64(const uint8_t *at) { uint64_t value; memcpy(&value, at, 8); return value; }

#define EXACT 24        /* largest size of a word that the fields represent completely */

/* Masks of the bytes that belong to a word of this size, in its first and second eight bytes; 16 is for all larger sizes. */
#define BYTES(n) ((n) >= 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * ((n) & 7)) - 1)
#define BYTES8(n) BYTES(n), BYTES(n + 1), BYTES(n + 2), BYTES(n + 3), BYTES(n + 4), BYTES(n + 5), BYTES(n + 6), BYTES(n + 7)
static const uint64_t head_bytes[17] = {BYTES8(0), BYTES8(8), BYTES(16)}, more_bytes[17] = {0, 0, 0, 0, 0, 0, 0, 0, BYTES8(0), BYTES(8)};

/* Make the word of `size` bytes at `at`. Its bytes are read at `from`, where 16 bytes and the whole word are readable. */
ALWAYS_INLINE void make_word(Word *word, const uint8_t *at, size_t size, int width, const uint8_t *from)
{
    size_t few = size < 16 ? size : 16;
    uint64_t head = load64(from) & head_bytes[few], more = load64(from + 8) & more_bytes[few];
    uint64_t last = load64(from + (size > 8 ? size - 8 : 0)) & head_bytes[few];
    uint64_t hash = fold(fold(head ^ secret, more ^ secret * 0xD6E8FEB86659FD93u) ^ secret, last ^ size ^ ~secret);
    if (size > EXACT)
        for (size_t i = 16; i + 8 < size; i += 8) hash = fold(hash ^ load64(at + i), 0xD6E8FEB86659FD93u) ^ secret;
    *word = (Word){head, at, more, last, (uint32_t)size, (uint32_t)hash << 3 | (uint32_t)width};
}

/* Return zero if the first and last bytes, sizes and hashes of two words are equal. For words of at most EXACT bytes this
 * is a full comparison. */
ALWAYS_INLINE uint64_t difference(const Word *x, const Word *y)
{
    return (x->head ^ y->head) | (x->more ^ y->more) | (x->last ^ y->last) | (x->size ^ y->size) | (x->hash ^ y->hash);
}

static int same_word(const Word *x, const Word *y)
{
    if (difference(x, y)) return 0;
    for (size_t i = 16; i + 8 < x->size; i += 8)
        if (load64(x->at + i) != load64(y->at + i)) return 0;
    return 1;
}

/* Write the positions of the bits in order; `out` needs space for 64. Return the end of the output. */
ALWAYS_INLINE uint32_t *list_portable(uint64_t bits, uint32_t from, uint32_t *out)
{
    int number = count_bits(bits);
    for (int k = 0; k < number; k += 8)
        for (int j = 0; j < 8; j++, bits &= bits - 1) out[k + j] = from + (uint32_t)low_bit(bits | (uint64_t)1 << 63);
    return out + number;
}

#if defined(__x86_64__) && defined(__GNUC__)
AVX2 static inline uint32_t *list_avx2(uint64_t bits, uint32_t from, uint32_t *out) { return list_portable(bits, from, out); }

static const uint8_t numbers[64] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
};

AVX512 static inline uint32_t *list_avx512(uint64_t bits, uint32_t from, uint32_t *out)
{
    __m512i places = _mm512_maskz_compress_epi8(bits, _mm512_loadu_si512(numbers)), base = _mm512_set1_epi32((int)from);
    int number = count_bits(bits);
    _mm512_storeu_si512(out, _mm512_add_epi32(base, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(places))));
    if (number > 16) {
        _mm512_storeu_si512(out + 16, _mm512_add_epi32(base, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(places, 1))));
        _mm512_storeu_si512(out + 32, _mm512_add_epi32(base, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(places, 2))));
        _mm512_storeu_si512(out + 48, _mm512_add_epi32(base, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(places, 3))));
    }
    return out + number;
}
#endif

#define PART 2048       /* symbols of a text, or tokens of a list, that are made into words at a time */

typedef int (*TakeWords)(const void *list, int64_t from, int64_t number, Word *out);

/* The tokens of a text or of a list. They are made into words part by part, so that the words of a long text need not be
 * in memory together. The blocks are those of the workspace: only one text can be read at a time. */
typedef struct {
    int64_t number, done;       /* all tokens; those already made into words */
    Text text;                  /* after the replacements of a tokenizer */
    const Block *blocks;
    int64_t at;                 /* symbols already read */
    uint32_t *starts, *ends;    /* of the tokens of a part */
    int open;                   /* whether a token has started in an earlier part and not ended: starts[0] */
    const void *list;           /* NULL for a text */
    TakeWords take;
} Tokens;

#define NEXT_WORDS(level, target) \
    target static int64_t next_words_##level(Tokens *tokens, Word *words) \
    { \
        const Text *text = &tokens->text; \
        const int64_t stop = text->length - tokens->at < PART ? text->length : tokens->at + PART; \
        uint32_t *start = tokens->starts + tokens->open, *end = tokens->ends; \
        for (; tokens->at < stop; tokens->at += 64, tokens->blocks++) { \
            start = list_##level(tokens->blocks->starts, (uint32_t)tokens->at, start); \
            end = list_##level(tokens->blocks->ends, (uint32_t)tokens->at, end); \
        } \
        const int width = text->width, shift = width >> 1; \
        const size_t bytes = (size_t)text->length << shift, tail = bytes < 32 ? bytes : 32; \
        const uint8_t *data = text->data, *last = data + bytes - tail; \
        uint8_t copy[64] = {0};     /* the last bytes: no byte after them may be read */ \
        if (tail == 32) memcpy(copy, last, 32); \
        else memcpy(copy, last, tail); \
        const int64_t number = end - tokens->ends; \
        const uint32_t *starts = tokens->starts, *ends = tokens->ends; \
        for (int64_t k = 0; k < number; k++) { \
            const uint8_t *at = data + ((size_t)starts[k] << shift); \
            const uint8_t *from = data + bytes - at < 16 ? copy + (at - last) : at; \
            make_word(words + k, at, (size_t)(ends[k] + 1 - starts[k]) << shift, width, from); \
        } \
        tokens->open = start - starts > number; \
        if (tokens->open) tokens->starts[0] = starts[number]; \
        return number; \
    }

NEXT_WORDS(portable, )
#if defined(__x86_64__) && defined(__GNUC__)
NEXT_WORDS(avx2, AVX2)
NEXT_WORDS(avx512, AVX512)
#endif

/* Make the next words, at most PART; return their number, or a negative status. */
static int64_t next_words(Workspace *ws, Tokens *tokens, int level, Word *words)
{
    int64_t number;
    if (stop_after_steps(ws, PART)) return INTERRUPTED;
    if (tokens->list) {
        number = tokens->number - tokens->done < PART ? tokens->number - tokens->done : PART;
        int status = tokens->take(tokens->list, tokens->done, number, words);
        if (status) return status;
    }
#if defined(__x86_64__) && defined(__GNUC__)
    else if (level == AVX512_LEVEL) number = next_words_avx512(tokens, words);
    else if (level == AVX2_LEVEL) number = next_words_avx2(tokens, words);
#endif
    else number = next_words_portable(tokens, words);
    (void)level;
    tokens->done += number;
    return number;
}

/* Find the tokens of a text; `rewritten` is for the replacements of a tokenizer. */
static int find_tokens(Workspace *ws, const Text *text, int how, int level, Buffer *rewritten, Tokens *out)
{
    Text own = how >= T13A ? stripped(text, how) : *text;
    *out = (Tokens){0};
    if (!own.length) return 0;
    size_t number = ((size_t)own.length + 63) / 64;
    Block *blocks = reserve(&ws->blocks, number * sizeof *blocks);
    if (!blocks) return NO_MEMORY;
    int64_t tokens = cut_text(ws, &own, how, level, blocks);
    if (tokens == REWRITE) {
        int status = rewrite(ws, &own, rewritten, level);
        if (status || !own.length) return status;
        tokens = cut_text(ws, &own, T13A_REWRITTEN, level, blocks);
    }
    if (tokens < 0) return (int)tokens;
    uint32_t *starts = reserve(&ws->places, (2 * PART + 256) * sizeof *starts);
    if (!starts) return NO_MEMORY;
    *out = (Tokens){.number = tokens, .text = own, .blocks = blocks, .starts = starts, .ends = starts + PART + 128};
    return 0;
}

/* Convert the text to this width, in `buffer` if its width differs. */
static int widen(Text *text, int width, Buffer *buffer, int level)
{
    if (text->width == width) return 0;
    void *wide = reserve(buffer, (size_t)text->length * 4 + 256);
    if (!wide) return NO_MEMORY;
    if (width == 4) spread_text(text, 1, wide, level);
    else for (int64_t i = 0; i < text->length; i++) ((uint16_t *)wide)[i] = ((const uint8_t *)text->data)[i];
    *text = (Text){wide, text->length, width, text->ascii};
    return 0;
}

/* Distinct words by their hash. */
typedef struct {
    uint32_t *slots;    /* 1 + the id of a word, 0 if empty */
    Word *words;        /* the distinct words, by id; preceded by a sentinel that equals no word */
    size_t last;
    uint32_t count;
} Table;

static int make_slots(Buffer *buffer, Table *table, size_t wanted)
{
    size_t room = 16;
    while (room < wanted) room *= 2;
    table->slots = reserve(buffer, room * sizeof *table->slots);
    if (!table->slots) return NO_MEMORY;
    memset(table->slots, 0, room * sizeof *table->slots);
    table->last = room - 1;
    return 0;
}

/* Make an empty table for about this number of words. */
static int make_table(Workspace *ws, int64_t expected, Table *table)
{
    *table = (Table){0};
    return make_slots(&ws->slots_of_words, table, 8 * (size_t)(expected < 1 << 16 ? expected : 1 << 16));
}

/* Reserve space for the next words of a part behind the distinct ones. Return where, or NULL. */
static Word *next_space(Workspace *ws, Table *table)
{
    size_t kept = table->words ? (size_t)table->count + 1 : 0;
    Word *words = extend(&ws->words, kept * sizeof *words, (PART + 1) * sizeof *words);
    if (!words) return NULL;
    words[0] = (Word){0};
    table->words = words + 1;
    return table->words + table->count;
}

/* Enlarge the table if this number of further words would fill more than half of it. */
static int enlarge(Workspace *ws, Table *table, int64_t more)
{
    size_t wanted = 2 * ((size_t)table->count + (size_t)more);
    if (wanted <= table->last + 1) return 0;
    if (make_slots(&ws->slots_of_words, table, 2 * wanted)) return NO_MEMORY;
    for (uint32_t id = 0; id < table->count; id++) {
        size_t at = table->words[id].hash >> 3 & table->last;
        while (table->slots[at]) at = (at + 1) & table->last;
        table->slots[at] = id + 1;
    }
    return 0;
}

/* Return the slot of a word, or the empty slot for it. If this is the first slot probed, as nearly always, no branch
 * depends on whether the word is present. */
ALWAYS_INLINE size_t find_slot(const Table *table, const Word *word)
{
    size_t at = word->hash >> 3 & table->last;
    uint32_t slot = table->slots[at];
    uint64_t open = difference(word, table->words + slot - 1) | (uint64_t)((int64_t)(EXACT - (uint64_t)word->size) >> 63);
    if (slot & -(uint32_t)((open | (0 - open)) >> 63))
        while (slot && !same_word(word, table->words + slot - 1)) slot = table->slots[at = (at + 1) & table->last];
    return at;
}

/* Assign the ids 0, 1, … to tokens in order of first occurrence in the table. */
static int number_tokens(Workspace *ws, Table *table, Tokens *tokens, int level, uint32_t *ids)
{
    while (tokens->done < tokens->number) {
        Word *words = next_space(ws, table);
        if (!words) return NO_MEMORY;
        int64_t number = next_words(ws, tokens, level, words);
        if (number < 0) return (int)number;
        if (enlarge(ws, table, number)) return NO_MEMORY;
        uint32_t count = table->count;
        for (int64_t i = 0; i < number; i++) {
            uint32_t *slot = table->slots + find_slot(table, words + i), is_new = *slot == 0, own = is_new ? count + 1 : *slot;
            table->words[count] = words[i];     /* at or before the word itself */
            *slot = own;
            *ids++ = own - 1;
            count += is_new;
        }
        table->count = count;
    }
    return 0;
}

/* Look up the ids of other tokens; those that are not in the table get the number of its words. */
static int look_up_tokens(Workspace *ws, Table *table, Tokens *tokens, int level, uint32_t *ids)
{
    while (tokens->done < tokens->number) {
        Word *words = next_space(ws, table);
        if (!words) return NO_MEMORY;
        int64_t number = next_words(ws, tokens, level, words);
        if (number < 0) return (int)number;
        for (int64_t i = 0; i < number; i++) {
            uint32_t slot = table->slots[find_slot(table, words + i)];
            *ids++ = (slot ? slot : table->count + 1) - 1;
        }
    }
    return 0;
}

/* The symbols of a pair as ids: 0, 1, … for those of the reference, `symbols - 1` for all others. */
typedef struct {
    uint32_t *hyp, *ref, symbols;
    int64_t hyp_length, ref_length;
} Ids;

/* Number the tokens of a reference before those of its hypothesis are found. */
static int number_reference(Workspace *ws, Tokens *ref, int level, Table *table, Ids *ids)
{
    ids->ref_length = ref->number;
    ids->ref = reserve(&ws->ref, (size_t)ref->number * sizeof *ids->ref);
    if (!ids->ref || make_table(ws, ref->number, table)) return NO_MEMORY;
    return number_tokens(ws, table, ref, level, ids->ref);
}

static int number_hypothesis(Workspace *ws, Tokens *hyp, int level, Table *table, Ids *ids)
{
    ids->symbols = table->count + 1;
    ids->hyp_length = hyp->number;
    ids->hyp = reserve(&ws->hyp, (size_t)hyp->number * sizeof *ids->hyp);
    return ids->hyp ? look_up_tokens(ws, table, hyp, level, ids->hyp) : NO_MEMORY;
}

/* Number the tokens of a pair of texts. */
static int number_words(Workspace *ws, const Text *hyp, const Text *ref, int how, int level, Ids *ids)
{
    Text h = *hyp, r = *ref;
    Table table;
    Tokens tokens;
    int width = h.width > r.width ? h.width : r.width;
    if (widen(&h, width, &ws->hyp_wide, level) || widen(&r, width, &ws->ref_wide, level)) return NO_MEMORY;
    int status = find_tokens(ws, &r, how, level, &ws->ref_replaced, &tokens);
    if (!status) status = number_reference(ws, &tokens, level, &table, ids);
    if (!status) status = find_tokens(ws, &h, how, level, &ws->hyp_replaced, &tokens);
    return status ? status : number_hypothesis(ws, &tokens, level, &table, ids);
}

#endif
