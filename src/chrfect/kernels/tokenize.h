/* The starts and ends of the tokens of a text as bit masks: bit i is symbol i. text/tokens.py states the rules. */
#ifndef CHRFECT_TOKENIZE_H
#define CHRFECT_TOKENIZE_H

#include "text.h"

/* TOKENS: already tokenized. WORDS: the words of chrF++. The others are tokenizers of BLEU, 13a before and after its
 * replacements. */
enum { TOKENS, WORDS, NONE, CHAR, T13A, T13A_REWRITTEN, ZH, INTL };

#define PLAIN 0xFF      /* the role of a symbol beyond Latin-1 that no rule names */

#define REWRITE (-9)     /* the text has something that must be replaced before it is tokenized */

/* For each code point beyond Latin-1 (intl: for each code point), a byte that the rules treat alike.
 * Set when the module is imported, constant afterwards. */
typedef struct {
    uint8_t pages[SYMBOLS >> 8];    /* by the upper bits of a code point: the index into `bytes` */
    uint8_t (*bytes)[256];
    int number;
} Roles;

static Roles zh_roles, intl_roles;

/* Set the role of the code points first … last. The default is PLAIN. */
static int set_role(Roles *roles, uint32_t first, uint32_t last, uint8_t role)
{
    for (uint32_t c = first; c <= last; c++) {
        if (!roles->pages[c >> 8]) {
            int number = roles->number ? roles->number + 1 : 2;
            void *bytes = number > 256 ? NULL : realloc(roles->bytes, (size_t)number * sizeof *roles->bytes);
            if (!bytes) return NO_MEMORY;
            roles->bytes = bytes;
            if (!roles->number) memset(roles->bytes[0], PLAIN, 256);
            memset(roles->bytes[number - 1], PLAIN, 256);
            roles->number = number;
            roles->pages[c >> 8] = (uint8_t)(number - 1);
        }
        roles->bytes[roles->pages[c >> 8]][c & 255] = role;
    }
    return 0;
}

ALWAYS_INLINE uint8_t role_of(const Roles *roles, uint32_t c) { return roles->bytes[roles->pages[c >> 8]][c & 255]; }

/* Return the role of a code point for rules that name only Latin characters. */
ALWAYS_INLINE uint8_t latin_role(uint32_t c)
{
    uint32_t space = (c - 0x2000 < 11) | (c == 0x1680) | (c - 0x2028 < 2) | (c == 0x202F) | (c == 0x205F) | (c == 0x3000);
    return c < 256 ? (uint8_t)c : space ? ' ' : PLAIN;
}

/* Write the roles of at most 64 symbols from `from` on; after the end of the text they are spaces. */
ALWAYS_INLINE void read_any_roles(const Text *text, int64_t from, const Roles *roles, uint8_t *out)
{
    int64_t size = text->length - from < 64 ? text->length - from : 64;
    for (int64_t k = 0; k < size; k++) {
        uint32_t c = symbol_at(text->data, text->width, from + k);
        out[k] = roles ? role_of(roles, c) : latin_role(c);
    }
    if (size < 64) memset(out + size, ' ', (size_t)(64 - size));
}

ALWAYS_INLINE uint64_t bits_portable(const uint8_t *flags)
{
    uint64_t bits = 0;
    for (int k = 0; k < 64; k++) bits |= (uint64_t)(flags[k] & 1) << k;
    return bits;
}

ALWAYS_INLINE void read_roles_portable(const Text *text, int64_t from, const Roles *roles, uint8_t *out)
{
    if (text->width == 1 && !roles && text->length - from >= 64) memcpy(out, (const uint8_t *)text->data + from, 64);
    else read_any_roles(text, from, roles, out);
}

#if defined(__x86_64__) && defined(__GNUC__)
AVX2 static inline uint64_t bits_avx2(const uint8_t *flags)
{
    const __m256i *at = (const __m256i *)flags;
    return (uint32_t)_mm256_movemask_epi8(_mm256_loadu_si256(at))
         | (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_loadu_si256(at + 1)) << 32;
}

/* Return the Latin roles of 16 symbols of two bytes, 16 bits each. */
AVX2 static inline __m256i roles16_avx2(const uint16_t *at)
{
    __m256i v = _mm256_loadu_si256((const __m256i *)at);
    __m256i latin = _mm256_min_epu16(v, _mm256_set1_epi16(PLAIN)), high = _mm256_andnot_si256(_mm256_cmpeq_epi16(v, latin), spaces16_avx2(v));
    return _mm256_blendv_epi8(latin, _mm256_set1_epi16(' '), high);
}

AVX2 static inline void read_roles_avx2(const Text *text, int64_t from, const Roles *roles, uint8_t *out)
{
    if (text->width != 2 || roles || text->length - from < 64) { read_roles_portable(text, from, roles, out); return; }
    const uint16_t *at = (const uint16_t *)text->data + from;
    for (int k = 0; k < 64; k += 32) {
        __m256i both = _mm256_packus_epi16(roles16_avx2(at + k), roles16_avx2(at + k + 16));
        _mm256_storeu_si256((__m256i *)(out + k), _mm256_permute4x64_epi64(both, 0xD8));
    }
}

AVX512 static inline uint64_t bits_avx512(const uint8_t *flags) { return _mm512_movepi8_mask(_mm512_loadu_si512(flags)); }

AVX512 static inline __m256i roles16_avx512(const uint16_t *at, __mmask32 in)
{
    __m512i v = _mm512_mask_loadu_epi16(_mm512_set1_epi16(' '), in, at);
    __mmask32 high = spaces16(v) & _mm512_cmpgt_epu16_mask(v, _mm512_set1_epi16(PLAIN));
    return _mm256_mask_blend_epi8(high, _mm512_cvtusepi16_epi8(v), _mm256_set1_epi8(' '));
}

AVX512 static inline void read_roles_avx512(const Text *text, int64_t from, const Roles *roles, uint8_t *out)
{
    uint64_t in = text->length - from < 64 ? ~0ull >> (64 - (text->length - from)) : ~0ull;
    if (text->width == 4 || roles) {
        read_any_roles(text, from, roles, out);
    } else if (text->width == 1) {
        _mm512_storeu_si512(out, _mm512_mask_loadu_epi8(_mm512_set1_epi8(' '), in, (const uint8_t *)text->data + from));
    } else {
        const uint16_t *at = (const uint16_t *)text->data + from;
        _mm256_storeu_si256((__m256i *)out, roles16_avx512(at, (__mmask32)in));
        _mm256_storeu_si256((__m256i *)(out + 32), roles16_avx512(at + 32, (__mmask32)(in >> 32)));
    }
}
#endif

/* The classes of the symbols of a block, one bit for each symbol. */
typedef struct {
    uint64_t letters;   /* not whitespace */
    uint64_t alone;     /* always a separate token */
    uint64_t marks;     /* a separate token unless between digits */
    uint64_t digits;
    uint64_t dashes;    /* a separate token after a digit */
    uint64_t starts;    /* result: the first symbols of tokens */
    uint64_t ends;      /* result: the last symbols of tokens */
} Block;

/* Set the bits where a condition on the byte c holds. */
#define WHERE(level, bits, condition) do { \
    for (int k = 0; k < 64; k++) { uint8_t c = roles[k]; flags[k] = (uint8_t)-(condition); } \
    (bits) = bits_##level(flags); \
} while (0)
#define WITHIN(first, last) ((uint8_t)(c - (first)) <= (last) - (first))
#define IS_SPACE (WITHIN(9, 13) | WITHIN(28, 32) | (c == 0x85) | (c == 0xA0))
#define IS_PUNCTUATION (WITHIN(0x21, 0x2F) | WITHIN(0x3A, 0x40) | WITHIN(0x5B, 0x60) | WITHIN(0x7B, 0x7E))
#define IS_ALONE (IS_PUNCTUATION & (c != '\'') & ((uint8_t)(c - ',') > 2))

/* Read the blocks of a text. Return REWRITE if 13a must replace something before the text is tokenized. */
#define READ_BLOCKS(level, target) \
    target static int read_blocks_##level(const Workspace *ws, const Text *text, int how, const Roles *table, Block *blocks) \
    { \
        uint8_t roles[64], flags[64]; \
        uint64_t special = 0, replaced[3]; \
        for (int64_t from = 0; from < text->length; from += 64, blocks++) { \
            if (from % QUICK_POLL == QUICK_POLL - 64 && should_stop(ws)) return INTERRUPTED; \
            read_roles_##level(text, from, table, roles); \
            WHERE(level, blocks->letters, !(IS_SPACE)); \
            if (how == WORDS) WHERE(level, blocks->marks, IS_PUNCTUATION); \
            if (how < T13A) continue; \
            WHERE(level, blocks->alone, IS_ALONE); \
            WHERE(level, blocks->marks, (c & 0xFD) == ',');      /* or a full stop */ \
            WHERE(level, blocks->digits, WITHIN('0', '9')); \
            WHERE(level, blocks->dashes, c == '-'); \
            if (how != T13A) continue; \
            WHERE(level, replaced[0], c == '&');    /* one by one: compilers turn several into a table */ \
            WHERE(level, replaced[1], c == '<'); \
            WHERE(level, replaced[2], c == '\n'); \
            special |= replaced[0] | replaced[1] | replaced[2]; \
        } \
        return special ? REWRITE : 0; \
    }

/* Return every other bit of each run, from its first on; `before` continues a run whose last bit was selected. */
ALWAYS_INLINE uint64_t every_other(uint64_t runs, uint64_t before)
{
    if (!(runs & (runs << 1 | before))) return runs;
    uint64_t taken = 0;
    for (uint64_t rest = runs; rest; rest &= rest - 1) {
        int at = low_bit(rest);
        uint64_t last = at ? taken >> (at - 1) & 1 : before;
        taken |= (uint64_t)!last << at;
    }
    return taken;
}

/* Find the starts of tokens by the rules for marks, digits and dashes. Both ends of a padded text count as whitespace. */
ALWAYS_INLINE int start_tokens(const Workspace *ws, Block *blocks, int64_t length, int padded)
{
    uint64_t letter = 0, alone_before = 0, digit = 0, paired = 0;   /* the last bits of the previous block */
    int64_t number = (length + 63) / 64;
    for (int64_t b = 0; b < number; b++) {
        if (b % POLL == POLL - 1 && should_stop(ws)) return INTERRUPTED;
        Block *block = blocks + b;
        uint64_t after_digit = block->digits << 1 | digit, before_digit = block->digits >> 1, unpaired = block->marks & ~after_digit;
        if (b + 1 < number) before_digit |= block[1].digits << 63;
        else if (!padded) before_digit |= (uint64_t)1 << ((length - 1) & 63);
        if (b == 0 && !padded) unpaired &= ~(uint64_t)1;
        uint64_t pairs = every_other(unpaired, paired), joined = block->marks & ~pairs & before_digit;
        uint64_t alone = block->alone | (block->marks & ~joined) | (block->dashes & after_digit);
        block->starts = block->letters
                      & (~(block->letters << 1 | letter) | alone | alone << 1 | alone_before | (joined & ~after_digit));
        letter = block->letters >> 63;
        alone_before = alone >> 63;
        digit = block->digits >> 63;
        paired = pairs >> 63;
    }
    return 0;
}

/* Find the starts of words: split at most one punctuation mark off each word, at its end, else at its start. */
ALWAYS_INLINE int start_words(const Workspace *ws, Block *blocks, int64_t length)
{
    uint64_t letter = 0;
    int64_t number = (length + 63) / 64;
    for (int64_t b = 0; b < number; b++) {
        Block *block = blocks + b;
        uint64_t next = b + 1 < number ? block[1].letters << 63 : 0;
        uint64_t first = block->letters & ~(block->letters << 1 | letter);
        uint64_t last = block->letters & ~(block->letters >> 1 | next);
        letter = block->letters >> 63;
        block->ends = last;
        block->starts = first | (last & block->marks);
    }
    uint64_t after_mark = 0;    /* the first symbol of this block follows a mark that was split off */
    letter = 0;
    for (int64_t b = 0; b < number; b++) {
        Block *block = blocks + b;
        uint64_t first = block->letters & ~(block->letters << 1 | letter);
        uint64_t open = first & block->marks & ~block->ends, cut = after_mark;
        if (b % POLL == POLL - 1 && should_stop(ws)) return INTERRUPTED;
        letter = block->letters >> 63;
        after_mark = 0;
        for (; open; open &= open - 1) {
            int at = low_bit(open);
            int64_t end = b;
            uint64_t ends = block->ends & ~(uint64_t)0 << at;
            while (!ends) ends = blocks[++end].ends;
            if (blocks[end].marks >> low_bit(ends) & 1) continue;
            if (at == 63) after_mark = 1;
            else cut |= (uint64_t)2 << at;
        }
        block->starts |= cut;
    }
    return 0;
}

/* Mark the starts and ends of tokens. Return their number. */
ALWAYS_INLINE int64_t mark_tokens(const Workspace *ws, Block *blocks, int64_t length, int how)
{
    int64_t number = (length + 63) / 64, tokens = 0;
    int status = how == WORDS ? start_words(ws, blocks, length)
               : how >= T13A ? start_tokens(ws, blocks, length, how == T13A || how == T13A_REWRITTEN) : 0;
    if (status) return status;
    uint64_t letter = 0;
    for (int64_t b = 0; b < number; b++) {
        if (how == NONE) blocks[b].starts = blocks[b].letters & ~(blocks[b].letters << 1 | letter);
        if (how == CHAR) blocks[b].starts = blocks[b].letters;
        letter = blocks[b].letters >> 63;
        uint64_t inner = blocks[b].letters & ~blocks[b].starts;
        blocks[b].ends = blocks[b].letters & ~(inner >> 1);
        if (b) blocks[b - 1].ends &= ~(inner << 63);
        tokens += count_bits(blocks[b].starts);
    }
    return tokens;
}

#define CUT(level, target) \
    READ_BLOCKS(level, target) \
    target static int64_t cut_##level(const Workspace *ws, const Text *text, int how, const Roles *roles, Block *blocks) \
    { \
        int status = read_blocks_##level(ws, text, how, roles, blocks); \
        return status ? status : mark_tokens(ws, blocks, text->length, how); \
    }

CUT(portable, )
#if defined(__x86_64__) && defined(__GNUC__)
CUT(avx2, AVX2)
CUT(avx512, AVX512)
#endif

/* Tokenize a text of at least one symbol: set the starts and ends of its blocks. Return the number of tokens, REWRITE if
 * 13a must replace something first, or INTERRUPTED. */
static int64_t cut_text(const Workspace *ws, const Text *text, int how, int level, Block *blocks)
{
    const Roles *roles = how == INTL ? &intl_roles : how == ZH && text->width > 1 ? &zh_roles : NULL;
#if defined(__x86_64__) && defined(__GNUC__)
    if (level == AVX512_LEVEL) return cut_avx512(ws, text, how, roles, blocks);
    if (level == AVX2_LEVEL) return cut_avx2(ws, text, how, roles, blocks);
#endif
    (void)level;
    return cut_portable(ws, text, how, roles, blocks);
}

/* Strip the whitespace at the end of a text and, for zh, at its start. */
static Text stripped(const Text *text, int how)
{
    int64_t first = 0, last = text->length;
    while (last > 0 && is_space(symbol_at(text->data, text->width, last - 1))) last--;
    while (how == ZH && first < last && is_space(symbol_at(text->data, text->width, first))) first++;
    return (Text){(const char *)text->data + first * text->width, last - first, text->width, text->ascii};
}

/* Replace every `old` by `by`, from left to right; return the new length, or INTERRUPTED. */
static int64_t replace_all(const Workspace *ws, uint32_t *symbols, int64_t length, const char *old, const char *by)
{
    int64_t size = (int64_t)strlen(old), n = 0, check = QUICK_POLL;
    for (int64_t i = 0; i < length;) {
        if (i >= check && (check += QUICK_POLL, should_stop(ws))) return INTERRUPTED;
        int64_t same = 0;
        while (same < size && i + same < length && symbols[i + same] == (uint32_t)old[same]) same++;
        if (same < size) { symbols[n++] = symbols[i++]; continue; }
        i += size;
        if (*by) symbols[n++] = (uint32_t)*by;
    }
    return n;
}

/* Apply the replacements of 13a; the result is in `buffer`, in the width of the text. */
static int rewrite(const Workspace *ws, Text *text, Buffer *buffer, int level)
{
    static const char *const pairs[][2] = {
        {"<skipped>", ""}, {"-\n", ""}, {"\n", " "}, {"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"},
    };
    int64_t length = text->length;
    uint32_t *symbols = reserve(buffer, (size_t)length * 4 + 256);
    if (!symbols) return NO_MEMORY;
    spread_text(text, 1, symbols, level);
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        length = replace_all(ws, symbols, length, pairs[k][0], pairs[k][1]);
        if (length < 0) return INTERRUPTED;
    }
    for (int64_t i = 0; i < length; i++) {      /* narrow in place: each symbol is read before it is overwritten */
        uint32_t c = symbols[i];
        if (text->width == 1) ((uint8_t *)symbols)[i] = (uint8_t)c;
        if (text->width == 2) ((uint16_t *)symbols)[i] = (uint16_t)c;
    }
    *text = (Text){symbols, length, text->width, text->ascii};
    return 0;
}

#endif
