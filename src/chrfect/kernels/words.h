/* Words of texts, and their ids by exact comparison. Texts that are compared are of one width. */
#ifndef CHRFECT_WORDS_H
#define CHRFECT_WORDS_H

#include "text.h"

typedef struct {
    uint32_t start, length, hash, id;   /* in symbols */
} Word;

static int is_ascii_punctuation(uint32_t c)
{
    return c - 0x21 < 15 || c - 0x3A < 7 || c - 0x5B < 6 || c - 0x7B < 4;
}

/* Eight bytes from `at` on, those from `size` on as zeros; reads nothing from `end` on. */
ALWAYS_INLINE uint64_t bytes_at(const uint8_t *at, size_t size, const uint8_t *end)
{
    uint64_t value = 0;
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (end - at >= 8) {
        memcpy(&value, at, 8);
        return size >= 8 ? value : value & (~(uint64_t)0 >> (64 - 8 * size));
    }
#endif
    (void)end;
    for (size_t i = 0; i < size && i < 8; i++) value |= (uint64_t)at[i] << 8 * i;
    return value;
}

/* Another one in each process, so that nobody can write words that all get one place in the table. */
static uint64_t secret = 0x9E3779B97F4A7C15u;

ALWAYS_INLINE uint32_t hash_bytes(const uint8_t *at, size_t size, const uint8_t *end)
{
    uint64_t hash = secret ^ size;
    for (;; at += 8, size -= 8) {
        hash = fold(hash ^ bytes_at(at, size, end), 0xD6E8FEB86659FD93u) ^ secret;
        if (size <= 8) return (uint32_t)hash;
    }
}

ALWAYS_INLINE Word *add_word(Word *word, const Text *text, int64_t start, int64_t stop)
{
    const uint8_t *data = text->data;
    word->start = (uint32_t)start;
    word->length = (uint32_t)(stop - start);
    word->hash = hash_bytes(data + start * text->width, (size_t)(stop - start) * text->width, data + text->length * text->width);
    return word + 1;
}

/* A mark of ASCII punctuation at the end of a word, else at its start, stands alone; a word of one symbol stays. */
ALWAYS_INLINE Word *add_tokens(Word *next, const Text *text, int64_t start, int64_t stop)
{
    if (stop - start > 1 && is_ascii_punctuation(symbol_at(text->data, text->width, stop - 1))) {
        next = add_word(next, text, start, stop - 1);
        return add_word(next, text, stop - 1, stop);
    }
    if (stop - start > 1 && is_ascii_punctuation(symbol_at(text->data, text->width, start))) {
        next = add_word(next, text, start, start + 1);
        return add_word(next, text, start + 1, stop);
    }
    return add_word(next, text, start, stop);
}

/* The words of a text; `words` has room for as many as the text has symbols. */
#define SPLIT(level, target) \
    target static int64_t split_##level(const Text *text, Word *words) \
    { \
        Word *next = words; \
        int64_t start = -1; \
        uint64_t carry = 0; \
        for (int64_t i = 0; i < text->length; i += 64) { \
            uint64_t letters = letters_##level(text, i), edges = letters ^ (letters << 1 | carry); \
            carry = letters >> 63; \
            for (; edges; edges &= edges - 1) { \
                int64_t at = i + low_bit(edges); \
                if (start >= 0) { \
                    next = add_tokens(next, text, start, at); \
                    start = -1; \
                } else { \
                    start = at; \
                } \
            } \
        } \
        if (start >= 0) next = add_tokens(next, text, start, text->length); \
        return next - words; \
    }

SPLIT(portable, )
#if defined(__x86_64__) && defined(__GNUC__)
SPLIT(avx2, AVX2)
SPLIT(avx512, AVX512)
#endif

static int64_t split_text(const Text *text, Word *words, int level)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (level == AVX512_LEVEL) return split_avx512(text, words);
    if (level == AVX2_LEVEL) return split_avx2(text, words);
#endif
    (void)level;
    return split_portable(text, words);
}

ALWAYS_INLINE int same_word(const Text *a, const Word *x, const Text *b, const Word *y)
{
    if (x->hash != y->hash || x->length != y->length) return 0;
    int width = a->width;
    const uint8_t *p = (const uint8_t *)a->data + (size_t)x->start * width, *p_end = (const uint8_t *)a->data + a->length * width;
    const uint8_t *q = (const uint8_t *)b->data + (size_t)y->start * width, *q_end = (const uint8_t *)b->data + b->length * width;
    for (int64_t left = (int64_t)x->length * width; left > 0; left -= 8, p += 8, q += 8)
        if (bytes_at(p, (size_t)left, p_end) != bytes_at(q, (size_t)left, q_end)) return 0;
    return 1;
}

/* The text with four bytes a symbol, in `buffer`. */
static int widen(Text *text, Buffer *buffer, int level)
{
    if (text->width == 4) return 0;
    uint32_t *wide = reserve(buffer, (size_t)text->length * 4 + 256);
    if (!wide) return NO_MEMORY;
    spread_text(text, 1, wide, level);
    *text = (Text){wide, text->length, 4, text->ascii};
    return 0;
}

/* Ids of the words of a pair: 0, 1, … by first place in the reference; what it lacks is `*symbols - 1`. */
static int number_words(Workspace *ws, const Text *hyp_text, const Text *ref_text, int level, uint32_t **hyp_ids,
                        int64_t *hyp_length, uint32_t **ref_ids, int64_t *ref_length, uint32_t *symbols)
{
    Text hyp = *hyp_text, ref = *ref_text;
    if (hyp.width != ref.width && (widen(&hyp, &ws->hyp_wide, level) || widen(&ref, &ws->ref_wide, level))) return NO_MEMORY;
    Word *h = reserve(&ws->hyp_words, ((size_t)hyp.length + 1) * sizeof *h);
    Word *r = reserve(&ws->ref_words, ((size_t)ref.length + 1) * sizeof *r);
    if (!h || !r) return NO_MEMORY;
    *hyp_length = split_text(&hyp, h, level);
    *ref_length = split_text(&ref, r, level);
    size_t room = 8;
    while (room < 4 * (size_t)*ref_length) room *= 2;
    uint32_t *table = reserve(&ws->words, room * sizeof *table);    /* 1 + the first reference word that is so */
    *hyp_ids = reserve(&ws->hyp, (size_t)*hyp_length * 4);
    *ref_ids = reserve(&ws->ref, (size_t)*ref_length * 4);
    if (!table || !*hyp_ids || !*ref_ids) return NO_MEMORY;
    memset(table, 0, room * sizeof *table);
    uint32_t count = 0;
    for (int64_t i = 0; i < *ref_length; i++) {
        size_t at = r[i].hash & (room - 1);
        while (table[at] && !same_word(&ref, r + i, &ref, r + table[at] - 1)) at = (at + 1) & (room - 1);
        if (!table[at]) {
            table[at] = (uint32_t)i + 1;
            r[i].id = count++;
        }
        (*ref_ids)[i] = r[table[at] - 1].id;
    }
    for (int64_t i = 0; i < *hyp_length; i++) {
        size_t at = h[i].hash & (room - 1);
        while (table[at] && !same_word(&hyp, h + i, &ref, r + table[at] - 1)) at = (at + 1) & (room - 1);
        (*hyp_ids)[i] = table[at] ? r[table[at] - 1].id : count;
    }
    *symbols = count + 1;
    return 0;
}

#endif
