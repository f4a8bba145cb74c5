/* All orders at once: order n is in lane n - 1 of a vector of eight 64-bit lanes, with one vector for each mask word.
 *
 * `x & -x` is the lowest free position. With several words, only the first word that has a free position uses it,
 * so `open` holds the lanes without a position so far. The two halves of the hypothesis are processed in parallel
 * to hide latency. The second half starts `order - 1` symbols early to initialize its masks, and uses no position
 * before its first symbol. */
#ifndef CHRFECT_LANES_H
#define CHRFECT_LANES_H

#include <immintrin.h>

#define TWO_WALKS 7     /* words up to which registers hold the state of both */

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi2,avx512vpopcntdq,popcnt,bmi,bmi2,lzcnt")))
#define AVX2 __attribute__((target("avx2,popcnt,bmi,bmi2,lzcnt")))

#define WALK_AVX512(words, d, hyp_at, with_use) do { \
    const uint64_t *m = masks + (size_t)(hyp_at) * words; \
    __m512i s[words + 1]; \
    __mmask8 open = 0xFF; \
    s[words] = first; \
    _Pragma("GCC unroll 16") for (int w = 0; w < words; w++) s[w] = _mm512_alignr_epi64(d[w], ones, 7); \
    _Pragma("GCC unroll 16") for (int w = 0; w < words; w++) { \
        d[w] = _mm512_and_si512(_mm512_shrdi_epi64(s[w], s[w + 1], 1), _mm512_set1_epi64((long long)m[w])); \
        if (with_use) { \
            __m512i x = w == 0 ? _mm512_andnot_si512(used[w], d[w]) \
                               : _mm512_maskz_andnot_epi64(open, used[w], d[w]); \
            __m512i minus = _mm512_sub_epi64(_mm512_setzero_si512(), x); \
            used[w] = _mm512_ternarylogic_epi64(used[w], x, minus, 0xF8); \
            if (w + 1 < words) open = w == 0 ? _mm512_testn_epi64_mask(x, x) : _mm512_mask_testn_epi64_mask(open, x, x); \
        } \
    } \
} while (0)

#define MATCH_AVX512(words) \
AVX512 static void match_avx512_##words(const uint64_t *masks, const uint32_t *hyp, int64_t length, int order, \
                                        int64_t *matches) \
{ \
    const __m512i ones = _mm512_set1_epi64(-1), first = _mm512_maskz_set1_epi64(1, -1); \
    __m512i a[words], b[words], used[words]; \
    _Pragma("GCC unroll 16") for (int w = 0; w < words; w++) a[w] = b[w] = used[w] = _mm512_setzero_si512(); \
    int64_t half = words <= TWO_WALKS ? length / 2 : 0, i = half - 1, j = length - 1; \
    for (int64_t early = half + order - 2 < j ? half + order - 2 : j; half && early >= half; early--) \
        WALK_AVX512(words, a, hyp[early], 0); \
    for (; i >= 0; i--, j--) { \
        WALK_AVX512(words, b, hyp[j], 1); \
        WALK_AVX512(words, a, hyp[i], 1); \
    } \
    for (; j >= half; j--) WALK_AVX512(words, b, hyp[j], 1); \
    uint64_t lanes[LANES]; \
    for (int n = 0; n < order; n++) matches[n] = 0; \
    for (int w = 0; w < words; w++) { \
        _mm512_storeu_si512(lanes, used[w]); \
        for (int n = 0; n < order; n++) matches[n] += __builtin_popcountll(lanes[n]); \
    } \
}
MATCH_AVX512(1) MATCH_AVX512(2) MATCH_AVX512(3) MATCH_AVX512(4)
MATCH_AVX512(5) MATCH_AVX512(6) MATCH_AVX512(7) MATCH_AVX512(8)

/* Orders 1 to 4 in `low`, 5 to 8 in `high`. */
#define STEP_AVX2(words, d, s_, fill, x_open, used) do { \
    _Pragma("GCC unroll 16") for (int w = 0; w < words; w++) { \
        __m256i next = w + 1 < words ? s_[w + 1] : fill; \
        d[w] = _mm256_and_si256(_mm256_or_si256(_mm256_srli_epi64(s_[w], 1), _mm256_slli_epi64(next, 63)), \
                                _mm256_set1_epi64x((long long)m[w])); \
        __m256i x = _mm256_andnot_si256(used[w], d[w]); \
        if (w > 0) x = _mm256_and_si256(x_open, x); \
        used[w] = _mm256_or_si256(used[w], _mm256_and_si256(x, _mm256_sub_epi64(zero, x))); \
        if (w + 1 < words) { \
            __m256i none = _mm256_cmpeq_epi64(x, zero); \
            x_open = w == 0 ? none : _mm256_and_si256(x_open, none); \
        } \
    } \
} while (0)

#define MATCH_AVX2(words) \
AVX2 static void match_avx2_##words(const uint64_t *masks, const uint32_t *hyp, int64_t length, int order, \
                                    int64_t *matches) \
{ \
    const __m256i zero = _mm256_setzero_si256(), ones = _mm256_set1_epi64x(-1); \
    const __m256i first = _mm256_set_epi64x(0, 0, 0, -1); \
    __m256i low[words], high[words], used_low[words], used_high[words]; \
    _Pragma("GCC unroll 16") for (int w = 0; w < words; w++) \
        low[w] = high[w] = used_low[w] = used_high[w] = zero; \
    for (int64_t i = length - 1; i >= 0; i--) { \
        const uint64_t *m = masks + (size_t)hyp[i] * words; \
        __m256i s[words], t[words], open = ones; \
        _Pragma("GCC unroll 16") for (int w = 0; w < words; w++) { \
            __m256i turned = _mm256_permute4x64_epi64(low[w], 0x93); \
            s[w] = _mm256_or_si256(turned, first); \
            t[w] = _mm256_blend_epi32(_mm256_permute4x64_epi64(high[w], 0x93), turned, 0x03); \
        } \
        STEP_AVX2(words, low, s, first, open, used_low); \
        STEP_AVX2(words, high, t, zero, open, used_high); \
    } \
    uint64_t lanes[LANES]; \
    for (int n = 0; n < order; n++) matches[n] = 0; \
    for (int w = 0; w < words; w++) { \
        _mm256_storeu_si256((__m256i *)lanes, used_low[w]); \
        _mm256_storeu_si256((__m256i *)(lanes + 4), used_high[w]); \
        for (int n = 0; n < order; n++) matches[n] += __builtin_popcountll(lanes[n]); \
    } \
}
MATCH_AVX2(1) MATCH_AVX2(2) MATCH_AVX2(3) MATCH_AVX2(4) MATCH_AVX2(5) MATCH_AVX2(6) MATCH_AVX2(7) MATCH_AVX2(8)

#endif
