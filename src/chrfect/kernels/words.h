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

#define LIST_WORDS(level, target) \
    target static int list_words_##level(const Workspace *ws, const Text *text, const Block *blocks, uint32_t *starts, \
                                         uint32_t *ends, Word *words) \
    { \
        uint32_t *start = starts, *end = ends; \
        for (int64_t from = 0; from < text->length; from += 64, blocks++) { \
            start = list_##level(blocks->starts, (uint32_t)from, start); \
            end = list_##level(blocks->ends, (uint32_t)from, end); \
        } \
        const int width = text->width, shift = width >> 1; \
        const size_t bytes = (size_t)text->length << shift, tail = bytes < 32 ? bytes : 32; \
        const uint8_t *data = text->data, *last = data + bytes - tail; \
        uint8_t copy[64] = {0};     /* the last bytes: no byte after them may be read */ \
        if (tail == 32) memcpy(copy, last, 32); \
        else memcpy(copy, last, tail); \
        const int64_t number = start - starts; \
        STOPPABLE_FOR(ws, k, 0, number, INTERRUPTED) { \
            const uint8_t *at = data + ((size_t)starts[k] << shift); \
            const uint8_t *from = data + bytes - at < 16 ? copy + (at - last) : at; \
            make_word(words + k, at, (size_t)(ends[k] + 1 - starts[k]) << shift, width, from); \
        } \
        return 0; \
    }

LIST_WORDS(portable, )
#if defined(__x86_64__) && defined(__GNUC__)
LIST_WORDS(avx2, AVX2)
LIST_WORDS(avx512, AVX512)
#endif

typedef struct {
    Word *words;        /* preceded by a sentinel that equals no word */
    int64_t number;
} Words;

static const Word no_words[2];

/* Find the words of a text, in `buffer`; `rewritten` is for the replacements of a tokenizer. */
static int find_words(Workspace *ws, const Text *text, int how, int level, Buffer *buffer, Buffer *rewritten, Words *out)
{
    Text own = how >= T13A ? stripped(text, how) : *text;
    *out = (Words){(Word *)no_words + 1, 0};
    if (!own.length) return 0;
    size_t number = ((size_t)own.length + 63) / 64;
    Block *blocks = reserve(&ws->blocks, number * sizeof *blocks);
    if (!blocks) return NO_MEMORY;
    int64_t tokens = cut_text(&own, how, level, blocks);
    if (tokens == REWRITE) {
        int status = rewrite(ws, &own, rewritten, level);
        if (status) return status;
        if (!own.length) return 0;
        tokens = cut_text(&own, T13A_REWRITTEN, level, blocks);
    }
    uint32_t *starts = reserve(&ws->places, (2 * (size_t)tokens + 128) * sizeof *starts), *ends = starts + tokens + 64;
    Word *words = reserve(buffer, ((size_t)tokens + 1) * sizeof *words);
    if (!starts || !words) return NO_MEMORY;
    *words++ = (Word){0};
    *out = (Words){words, tokens};
#if defined(__x86_64__) && defined(__GNUC__)
    if (level == AVX512_LEVEL) return list_words_avx512(ws, &own, blocks, starts, ends, words);
    if (level == AVX2_LEVEL) return list_words_avx2(ws, &own, blocks, starts, ends, words);
#endif
    return list_words_portable(ws, &own, blocks, starts, ends, words);
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
    uint32_t *slots;    /* 1 + the index of a word in `words`, 0 if empty */
    Word *words;        /* those of a Words value */
    size_t last;
} Table;

static int make_table(Buffer *buffer, const Words *words, Table *table)
{
    size_t room = 16, wanted = (size_t)words->number * (words->number < 1 << 16 ? 8 : 2);
    while (room < wanted) room *= 2;
    table->slots = reserve(buffer, room * sizeof *table->slots);
    table->last = room - 1;
    table->words = words->words;
    if (!table->slots) return NO_MEMORY;
    memset(table->slots, 0, room * sizeof *table->slots);
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

/* Assign the ids 0, 1, … to the words of the table in order of first occurrence; `*distinct` is their number. */
static int number_words(const Workspace *ws, const Table *table, int64_t number, uint32_t *ids, uint32_t *distinct)
{
    uint32_t count = 0;
    STOPPABLE_FOR(ws, i, 0, number, INTERRUPTED) {
        uint32_t *slot = table->slots + find_slot(table, table->words + i), own = (uint32_t)i + 1;
        uint32_t is_new = *slot == 0, first = is_new ? own : *slot;
        ids[i] = count;
        ids[i] = ids[first - 1];
        *slot = first;
        count += is_new;
    }
    *distinct = count;
    return 0;
}

/* Look up the ids of other words: `numbers` has the ids of the table, words that are not in it get `unknown`. */
static int look_up_words(const Workspace *ws, const Table *table, const uint32_t *numbers, const Words *others, uint32_t unknown,
                         uint32_t *ids)
{
    STOPPABLE_FOR(ws, i, 0, others->number, INTERRUPTED) {
        uint32_t slot = table->slots[find_slot(table, others->words + i)];
        const uint32_t *id = slot ? numbers + slot - 1 : &unknown;
        ids[i] = *id;
    }
    return 0;
}

/* Assign ids to the words of a pair: 0, 1, … in order of first occurrence in the reference; others get `*symbols - 1`. */
static int number_pair(Workspace *ws, const Words *hyp, const Words *ref, uint32_t **hyp_ids, uint32_t **ref_ids, uint32_t *symbols)
{
    Table table;
    *hyp_ids = reserve(&ws->hyp, (size_t)hyp->number * 4);
    *ref_ids = reserve(&ws->ref, (size_t)ref->number * 4);
    if (!*hyp_ids || !*ref_ids || make_table(&ws->words, ref, &table)) return NO_MEMORY;
    uint32_t count = 0;
    int status = number_words(ws, &table, ref->number, *ref_ids, &count);
    *symbols = count + 1;
    return status ? status : look_up_words(ws, &table, *ref_ids, hyp, count, *hyp_ids);
}

/* Find the words of a pair of texts with the same tokenizer. */
static int find_pair(Workspace *ws, const Text *hyp_text, const Text *ref_text, int how, int level, Words *hyp, Words *ref)
{
    Text h = *hyp_text, r = *ref_text;
    int width = h.width > r.width ? h.width : r.width;
    if (widen(&h, width, &ws->hyp_wide, level) || widen(&r, width, &ws->ref_wide, level)) return NO_MEMORY;
    int status = find_words(ws, &h, how, level, &ws->hyp_words, &ws->hyp_replaced, hyp);
    return status ? status : find_words(ws, &r, how, level, &ws->ref_words, &ws->ref_replaced, ref);
}

#endif
