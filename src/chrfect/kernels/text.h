/* Symbols and words of one text of 1, 2 or 4 bytes a symbol, the internal representation of Python strings. */
#ifndef CHRFECT_TEXT_H
#define CHRFECT_TEXT_H

#include "masks.h"

typedef struct {
    const void *data;
    int64_t length;
    int width, ascii;   /* ascii: whether all symbols are known to be below 128 */
} Text;

ALWAYS_INLINE uint32_t symbol_at(const void *data, int width, int64_t i)
{
    return width == 1 ? ((const uint8_t *)data)[i] : width == 2 ? ((const uint16_t *)data)[i] : ((const uint32_t *)data)[i];
}

/* The 29 code points that Python's str.split() splits on. */
static const uint8_t latin_spaces[256] = {
    [9] = 1, [10] = 1, [11] = 1, [12] = 1, [13] = 1, [28] = 1, [29] = 1, [30] = 1, [31] = 1, [32] = 1, [0x85] = 1, [0xA0] = 1,
};

ALWAYS_INLINE int is_space(uint32_t c)
{
    if (c < 256) return latin_spaces[c];
    if (c < 0x1680 || c > 0x3000) return 0;
    return c == 0x1680 || c - 0x2000 < 11 || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

/* Return a mask of the symbols from `from` on (at most 64) that are not whitespace. */
ALWAYS_INLINE uint64_t letters_portable(const Text *text, int64_t from)
{
    uint64_t bits = 0;
    int64_t size = text->length - from < 64 ? text->length - from : 64;
    for (int64_t i = 0; i < size; i++) bits |= (uint64_t)!is_space(symbol_at(text->data, text->width, from + i)) << i;
    return bits;
}

ALWAYS_INLINE int64_t spread(const void *data, const int width, int64_t from, int64_t length, int keep, uint32_t *out)
{
    int64_t n = 0;
    for (int64_t i = from; i < length; i++) {
        uint32_t c = symbol_at(data, width, i);
        out[n] = c;
        n += keep || !is_space(c);
    }
    return n;
}

#if defined(__x86_64__) && defined(__GNUC__)
#define SAME_AVX2(bits, c) _mm256_cmpeq_epi##bits(v, _mm256_set1_epi##bits((int##bits##_t)(c)))
#define SHIFTED_AVX2(bits, first) _mm256_sub_epi##bits(v, _mm256_set1_epi##bits(first))
#define WITHIN_AVX2(bits, first, size) \
    _mm256_cmpeq_epi##bits(SHIFTED_AVX2(bits, first), \
                           _mm256_min_epu##bits(SHIFTED_AVX2(bits, first), _mm256_set1_epi##bits((size) - 1)))
#define LATIN_AVX2(bits) \
    _mm256_or_si256(_mm256_or_si256(WITHIN_AVX2(bits, 9, 5), WITHIN_AVX2(bits, 0x1C, 5)), \
                    _mm256_or_si256(SAME_AVX2(bits, 0x85), SAME_AVX2(bits, 0xA0)))

AVX2 static inline __m256i spaces8_avx2(__m256i v) { return LATIN_AVX2(8); }

AVX2 static inline __m256i spaces16_avx2(__m256i v)
{
    __m256i some = _mm256_or_si256(LATIN_AVX2(16), _mm256_or_si256(SAME_AVX2(16, 0x1680), SAME_AVX2(16, 0x3000)));
    some = _mm256_or_si256(some, _mm256_or_si256(WITHIN_AVX2(16, 0x2000, 11), WITHIN_AVX2(16, 0x2028, 2)));
    return _mm256_or_si256(some, _mm256_or_si256(SAME_AVX2(16, 0x202F), SAME_AVX2(16, 0x205F)));
}

/* Return a mask of the symbols that are not whitespace among exactly 32 symbols of one or two bytes. */
AVX2 static inline uint64_t letters32(const Text *text, int64_t from)
{
    const __m256i *at = (const __m256i *)((const char *)text->data + from * text->width);
    if (text->width == 1) return ~(uint32_t)_mm256_movemask_epi8(spaces8_avx2(_mm256_loadu_si256(at)));
    __m256i low = spaces16_avx2(_mm256_loadu_si256(at)), high = spaces16_avx2(_mm256_loadu_si256(at + 1));
    return ~(uint32_t)_mm256_movemask_epi8(_mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xD8));
}

/* The last symbols are read together with those before them, so that no byte after the text is read. */
AVX2 static inline uint64_t letters_avx2(const Text *text, int64_t from)
{
    if (text->width == 4 || text->length < 32) return letters_portable(text, from);
    int64_t rest = text->length - from;
    if (rest < 32) return letters32(text, text->length - 32) >> (32 - rest);
    uint64_t low = letters32(text, from), high = 0;
    if (rest >= 64) high = letters32(text, from + 32);
    else if (rest > 32) high = letters32(text, text->length - 32) >> (64 - rest);
    return low | high << 32;
}

/* packed[m] has the positions of the bits of m, one byte each. */
#define ONES(m) (((m) & 1) + ((m) >> 1 & 1) + ((m) >> 2 & 1) + ((m) >> 3 & 1) + ((m) >> 4 & 1) + ((m) >> 5 & 1) + ((m) >> 6 & 1))
#define PLACE(m, bit) ((uint64_t)((m) >> (bit) & 1) * (bit) << 8 * ONES((m) & ((1 << (bit)) - 1)))
#define PACK(m) PLACE(m, 1) | PLACE(m, 2) | PLACE(m, 3) | PLACE(m, 4) | PLACE(m, 5) | PLACE(m, 6) | PLACE(m, 7)
#define PACK4(m) PACK(m), PACK(m + 1), PACK(m + 2), PACK(m + 3)
#define PACK16(m) PACK4(m), PACK4(m + 4), PACK4(m + 8), PACK4(m + 12)
#define PACK64(m) PACK16(m), PACK16(m + 16), PACK16(m + 32), PACK16(m + 48)
static const uint64_t packed[256] = {PACK64(0), PACK64(64), PACK64(128), PACK64(192)};

AVX2 static int64_t spread_avx2(const Text *text, int keep, uint32_t *out)
{
    const int64_t length = text->length;
    if (length < 8) return spread(text->data, text->width, 0, length, keep, out);
    int64_t n = 0;
    for (int64_t from = 0; from < length; from += 64) {
        int64_t stop = length - from < 64 ? length : from + 64;
        uint64_t letters = keep ? ~(uint64_t)0 >> (64 - (stop - from)) : letters_avx2(text, from);
        for (int64_t i = from; i < stop; i += 8, letters >>= 8) {
            int64_t late = i + 8 > length ? i + 8 - length : 0;     /* as in letters_avx2 */
            const char *at = (const char *)text->data + (i - late) * text->width;
            uint32_t in = (uint32_t)(letters << late) & 255;
            __m256i v = text->width == 1 ? _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)at))
                      : text->width == 2 ? _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)at))
                                         : _mm256_loadu_si256((const __m256i *)at);
            __m256i places = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(packed + in)));
            _mm256_storeu_si256((__m256i *)(out + n), _mm256_permutevar8x32_epi32(v, places));
            n += count_bits(in);
        }
    }
    return n;
}

#define EQUAL8(c) _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8((char)(c)))
#define WITHIN8(first, size) _mm512_cmplt_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8(first)), _mm512_set1_epi8(size))
#define EQUAL16(c) _mm512_cmpeq_epi16_mask(v, _mm512_set1_epi16((short)(c)))
#define WITHIN16(first, size) \
    _mm512_cmplt_epu16_mask(_mm512_sub_epi16(v, _mm512_set1_epi16(first)), _mm512_set1_epi16(size))

AVX512 static inline __mmask64 spaces8(__m512i v) { return WITHIN8(9, 5) | WITHIN8(0x1C, 5) | EQUAL8(0x85) | EQUAL8(0xA0); }

AVX512 static inline __mmask32 spaces16(__m512i v)
{
    return WITHIN16(9, 5) | WITHIN16(0x1C, 5) | EQUAL16(0x85) | EQUAL16(0xA0) | EQUAL16(0x1680) | WITHIN16(0x2000, 11)
         | WITHIN16(0x2028, 2) | EQUAL16(0x202F) | EQUAL16(0x205F) | EQUAL16(0x3000);
}

AVX512 static inline uint64_t letters_avx512(const Text *text, int64_t from)
{
    uint64_t in = text->length - from < 64 ? ~0ull >> (64 - (text->length - from)) : ~0ull;
    if (text->width == 1) return in & ~spaces8(_mm512_maskz_loadu_epi8(in, (const uint8_t *)text->data + from));
    if (text->width == 4) return letters_portable(text, from);
    const uint16_t *data = (const uint16_t *)text->data + from;
    uint64_t low = spaces16(_mm512_maskz_loadu_epi16((__mmask32)in, data));
    uint64_t high = in >> 32 ? spaces16(_mm512_maskz_loadu_epi16((__mmask32)(in >> 32), data + 32)) : 0;
    return in & ~(low | high << 32);
}

AVX512 static int64_t spread_avx512(const Text *text, int keep, uint32_t *out)
{
    int64_t n = 0, i = 0;
    if (text->width == 1) {
        for (; i < text->length; i += 64) {
            __mmask64 in = text->length - i < 64 ? ~0ull >> (64 - (text->length - i)) : ~0ull;
            __m512i v = _mm512_maskz_loadu_epi8(in, (const uint8_t *)text->data + i);
            if (!keep) in &= ~spaces8(v);
            v = _mm512_maskz_compress_epi8(in, v);
            _mm512_storeu_si512(out + n, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(v)));
            _mm512_storeu_si512(out + n + 16, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(v, 1)));
            _mm512_storeu_si512(out + n + 32, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(v, 2)));
            _mm512_storeu_si512(out + n + 48, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(v, 3)));
            n += count_bits(in);
        }
    } else if (text->width == 2) {
        for (; i < text->length; i += 32) {
            __mmask32 in = text->length - i < 32 ? ~0u >> (32 - (text->length - i)) : ~0u;
            __m512i v = _mm512_maskz_loadu_epi16(in, (const uint16_t *)text->data + i);
            if (!keep) in &= ~spaces16(v);
            v = _mm512_maskz_compress_epi16(in, v);
            _mm512_storeu_si512(out + n, _mm512_cvtepu16_epi32(_mm512_castsi512_si256(v)));
            _mm512_storeu_si512(out + n + 16, _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(v, 1)));
            n += count_bits(in);
        }
    } else {
        n = spread(text->data, 4, 0, text->length, keep, out);
    }
    return n;
}
#endif

/* Write the symbols of a text, 32 bits each, without whitespace unless kept; `out` needs space for 64 more. */
static int64_t spread_text(const Text *text, int keep, uint32_t *out, int level)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (level == AVX512_LEVEL) return spread_avx512(text, keep, out);
    if (level == AVX2_LEVEL) return spread_avx2(text, keep, out);
#endif
    (void)level;
    if (text->width == 1) return spread(text->data, 1, 0, text->length, keep, out);
    if (text->width == 2) return spread(text->data, 2, 0, text->length, keep, out);
    return spread(text->data, 4, 0, text->length, keep, out);
}

/* Assign ids local to the pair: 0, 1, … in order of first occurrence in the reference; other symbols get `*symbols - 1`. */
static int localize(Workspace *ws, uint32_t *hyp, int64_t hyp_length, uint32_t *ref, int64_t ref_length, uint32_t *symbols)
{
    if (!ws->slots && !(ws->slots = calloc(SYMBOLS, sizeof *ws->slots))) return NO_MEMORY;
    if (ws->base == 0 || ws->base > UINT32_MAX - SYMBOLS) {
        if (ws->base) memset(ws->slots, 0, SYMBOLS * sizeof *ws->slots);
        ws->base = 1;
    }
    uint32_t *slots = ws->slots, base = ws->base, count = 0;
    STOPPABLE_FOR(ws, i, 0, ref_length, INTERRUPTED) {
        uint32_t id = slots[ref[i]] - base;
        id = id < count ? id : count;
        slots[ref[i]] = base + id;
        count += id == count;
        ref[i] = id;
    }
    STOPPABLE_FOR(ws, i, 0, hyp_length, INTERRUPTED) {
        uint32_t id = slots[hyp[i]] - base;
        hyp[i] = id < count ? id : count;
    }
    ws->base += count;
    *symbols = count + 1;
    return 0;
}

#endif
