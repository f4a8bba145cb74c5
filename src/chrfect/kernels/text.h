/* Symbols and words of one text, whatever its width: 1, 2 or 4 bytes a symbol, as Python keeps strings. */
#ifndef CHRFECT_TEXT_H
#define CHRFECT_TEXT_H

#include "masks.h"

typedef struct {
    const void *data;
    int64_t length;
    int width;
} Text;

ALWAYS_INLINE uint32_t symbol_at(const void *data, int width, int64_t i)
{
    return width == 1 ? ((const uint8_t *)data)[i] : width == 2 ? ((const uint16_t *)data)[i] : ((const uint32_t *)data)[i];
}

/* The 29 code points that Python's str.split() splits on. */
ALWAYS_INLINE int is_space(uint32_t c)
{
    if (c <= 0xA0) return c - 9 < 5 || c - 0x1C < 5 || c == 0x85 || c == 0xA0;
    if (c < 0x1680 || c > 0x3000) return 0;
    return c == 0x1680 || c - 0x2000 < 11 || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
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

/* The symbols of a text, one in 32 bits, without whitespace unless kept; `out` has room for 64 more. */
static int64_t spread_text(const Text *text, int keep, uint32_t *out, int level)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (level == AVX512_LEVEL) return spread_avx512(text, keep, out);
#endif
    (void)level;
    if (text->width == 1) return spread(text->data, 1, 0, text->length, keep, out);
    if (text->width == 2) return spread(text->data, 2, 0, text->length, keep, out);
    return spread(text->data, 4, 0, text->length, keep, out);
}

/* Symbols become ids local to the pair: 0, 1, … by first place in the reference; what it lacks is `*symbols - 1`. */
static int localize(Workspace *ws, uint32_t *hyp, int64_t hyp_length, uint32_t *ref, int64_t ref_length, uint32_t *symbols)
{
    if (!ws->slots && !(ws->slots = calloc(SYMBOLS, sizeof *ws->slots))) return NO_MEMORY;
    if (ws->base == 0 || ws->base > UINT32_MAX - SYMBOLS) {
        if (ws->base) memset(ws->slots, 0, SYMBOLS * sizeof *ws->slots);
        ws->base = 1;
    }
    uint32_t *slots = ws->slots, base = ws->base, count = 0;
    for (int64_t i = 0; i < ref_length; i++) {
        uint32_t id = slots[ref[i]] - base;
        id = id < count ? id : count;
        slots[ref[i]] = base + id;
        count += id == count;
        ref[i] = id;
    }
    for (int64_t i = 0; i < hyp_length; i++) {
        uint32_t id = slots[hyp[i]] - base;
        hyp[i] = id < count ? id : count;
    }
    ws->base += count;
    *symbols = count + 1;
    return 0;
}

#endif
