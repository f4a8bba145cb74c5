/* Sums of random choices of rows: bootstrap resamples, and pseudo-systems of approximate randomization.
 *
 * Rows are int32, padded with zeros to a multiple of CHUNK columns. The caller guarantees that no sum overflows.
 * Resamples of small integers take rows of int16, which need half of the cache.
 *
 * Randomization is a product of a matrix of bits with the rows, done by the method of the "Four Russians": a table holds
 * the sums of all 16 subsets of four segments, and a trial adds the entry that its four bits name. The tables of a group
 * of segments fit into the first-level cache. They hold int16 where the absolute values of the group sum to less than
 * 2^15 in each column, else int32. */
#ifndef CHRFECT_RESAMPLE_H
#define CHRFECT_RESAMPLE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "masks.h"

#define CHUNK 32        /* columns that are summed at once */
#define GROUP 128       /* segments whose tables are in use at once */
#define FOURS (GROUP / 4)
#define SUBSETS 16      /* of four segments */
#define LINE 64         /* bytes of a cache line */
#define AHEAD 16        /* distance of the prefetched bits, in trials: they are far apart in memory */

#if defined(__GNUC__)
#define PREFETCH(at) __builtin_prefetch(at)
#else
#define PREFETCH(at) ((void)(at))
#endif

/* Indices below `size` from 32-bit words by Lemire's method, as NumPy draws them. Return the words used. */
static int64_t draw_indices(const uint32_t *words, int64_t number, uint32_t size, int32_t *out, int64_t wanted,
                            int64_t *drawn)
{
    const uint32_t threshold = (UINT32_MAX - (size - 1)) % size;
    int64_t at = 0, done = 0;
    while (at < number && done < wanted) {
        uint64_t product = (uint64_t)words[at++] * size;
        out[done] = (int32_t)(product >> 32);
        done += (uint32_t)product >= threshold;
    }
    *drawn = done;
    return at;
}

/* Sum CHUNK columns of the rows that `draws` names. */
typedef void (*Drawn)(const int32_t *rows, int64_t padded, const int32_t *draws, int64_t size, int32_t *sums);

static void drawn_portable(const int32_t *rows, int64_t padded, const int32_t *draws, int64_t size, int32_t *sums)
{
    memset(sums, 0, CHUNK * sizeof *sums);
    for (int64_t i = 0; i < size; i++) {
        const int32_t *row = rows + draws[i] * padded;
        for (int c = 0; c < CHUNK; c++) sums[c] += row[c];
    }
}

/* The same of rows of int16, `every` of which never overflow when added. */
typedef void (*DrawnShort)(const int16_t *rows, int64_t padded, const int32_t *draws, int64_t size, int64_t every,
                           int32_t *sums);

static void short_portable(const int16_t *rows, int64_t padded, const int32_t *draws, int64_t size, int64_t every,
                           int32_t *sums)
{
    memset(sums, 0, CHUNK * sizeof *sums);
    for (int64_t i = 0; i < size;) {
        const int64_t end = size - i < every ? size : i + every;
        int16_t part[CHUNK] = {0};
        for (; i < end; i++) {
            const int16_t *row = rows + draws[i] * padded;
            for (int c = 0; c < CHUNK; c++) part[c] = (int16_t)(part[c] + row[c]);
        }
        for (int c = 0; c < CHUNK; c++) sums[c] += part[c];
    }
}

/* Add to `sums` the entries of a group's int16 tables that the bits of `chosen` name. */
typedef void (*Chosen)(const int16_t *tables, const uint64_t *chosen, int32_t *sums);

static void chosen_portable(const int16_t *tables, const uint64_t *chosen, int32_t *sums)
{
    int16_t part[CHUNK] = {0};
    for (int four = 0; four < FOURS; four++) {
        const int16_t *entry = tables + (four * SUBSETS + (chosen[four / 16] >> (4 * (four % 16)) & 15)) * CHUNK;
        for (int c = 0; c < CHUNK; c++) part[c] = (int16_t)(part[c] + entry[c]);
    }
    for (int c = 0; c < CHUNK; c++) sums[c] += part[c];
}

#if defined(__x86_64__) && defined(__GNUC__)
AVX512 static void drawn_avx512(const int32_t *rows, int64_t padded, const int32_t *draws, int64_t size, int32_t *sums)
{
    __m512i low = _mm512_setzero_si512(), high = low;
    for (int64_t i = 0; i < size; i++) {
        const int32_t *row = rows + draws[i] * padded;
        low = _mm512_add_epi32(low, _mm512_loadu_si512(row));
        high = _mm512_add_epi32(high, _mm512_loadu_si512(row + 16));
    }
    _mm512_storeu_si512(sums, low);
    _mm512_storeu_si512(sums + 16, high);
}

/* Add 32 int16 to the int32 of `sums`. */
AVX512 static inline void widen_avx512(__m512i part, int32_t *sums)
{
    __m512i low = _mm512_cvtepi16_epi32(_mm512_castsi512_si256(part));
    __m512i high = _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64(part, 1));
    _mm512_storeu_si512(sums, _mm512_add_epi32(low, _mm512_loadu_si512(sums)));
    _mm512_storeu_si512(sums + 16, _mm512_add_epi32(high, _mm512_loadu_si512(sums + 16)));
}

AVX512 static void short_avx512(const int16_t *rows, int64_t padded, const int32_t *draws, int64_t size, int64_t every,
                                int32_t *sums)
{
    memset(sums, 0, CHUNK * sizeof *sums);
    for (int64_t i = 0; i < size;) {
        const int64_t end = size - i < every ? size : i + every;
        __m512i even = _mm512_setzero_si512(), odd = even;
        for (; i + 2 <= end; i += 2) {
            even = _mm512_add_epi16(even, _mm512_loadu_si512(rows + draws[i] * padded));
            odd = _mm512_add_epi16(odd, _mm512_loadu_si512(rows + draws[i + 1] * padded));
        }
        if (i < end) even = _mm512_add_epi16(even, _mm512_loadu_si512(rows + draws[i++] * padded));
        widen_avx512(_mm512_add_epi16(even, odd), sums);
    }
}

AVX512 static void chosen_avx512(const int16_t *tables, const uint64_t *chosen, int32_t *sums)
{
    __m512i even = _mm512_setzero_si512(), odd = even;
    for (int word = 0; word < GROUP / 64; word++) {
        const int16_t *table = tables + word * 16 * SUBSETS * CHUNK;
        _Pragma("GCC unroll 8") for (int four = 0; four < 16; four += 2) {
            const uint64_t bits = chosen[word] >> 4 * four;
            even = _mm512_add_epi16(even, _mm512_loadu_si512(table + (four * SUBSETS + (bits & 15)) * CHUNK));
            odd = _mm512_add_epi16(odd, _mm512_loadu_si512(table + ((four + 1) * SUBSETS + (bits >> 4 & 15)) * CHUNK));
        }
    }
    widen_avx512(_mm512_add_epi16(even, odd), sums);
}

#define LOAD256(at) _mm256_loadu_si256((const __m256i *)(at))

AVX2 static void drawn_avx2(const int32_t *rows, int64_t padded, const int32_t *draws, int64_t size, int32_t *sums)
{
    __m256i part[4];
    for (int k = 0; k < 4; k++) part[k] = _mm256_setzero_si256();
    for (int64_t i = 0; i < size; i++) {
        const int32_t *row = rows + draws[i] * padded;
        _Pragma("GCC unroll 4") for (int k = 0; k < 4; k++) part[k] = _mm256_add_epi32(part[k], LOAD256(row + 8 * k));
    }
    for (int k = 0; k < 4; k++) _mm256_storeu_si256((__m256i *)(sums + 8 * k), part[k]);
}

/* Add 2 × 16 int16 to the int32 of `sums`. */
AVX2 static inline void widen_avx2(__m256i low, __m256i high, int32_t *sums)
{
    const __m128i parts[4] = {_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1),
                              _mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1)};
    for (int k = 0; k < 4; k++) {
        __m256i *at = (__m256i *)(sums + 8 * k);
        _mm256_storeu_si256(at, _mm256_add_epi32(_mm256_cvtepi16_epi32(parts[k]), LOAD256(at)));
    }
}

AVX2 static void short_avx2(const int16_t *rows, int64_t padded, const int32_t *draws, int64_t size, int64_t every,
                            int32_t *sums)
{
    memset(sums, 0, CHUNK * sizeof *sums);
    for (int64_t i = 0; i < size;) {
        const int64_t end = size - i < every ? size : i + every;
        __m256i low = _mm256_setzero_si256(), high = low;
        for (; i < end; i++) {
            const int16_t *row = rows + draws[i] * padded;
            low = _mm256_add_epi16(low, LOAD256(row));
            high = _mm256_add_epi16(high, LOAD256(row + 16));
        }
        widen_avx2(low, high, sums);
    }
}

AVX2 static void chosen_avx2(const int16_t *tables, const uint64_t *chosen, int32_t *sums)
{
    __m256i low = _mm256_setzero_si256(), high = low;
    for (int word = 0; word < GROUP / 64; word++) {
        const int16_t *table = tables + word * 16 * SUBSETS * CHUNK;
        _Pragma("GCC unroll 16") for (int four = 0; four < 16; four++) {
            const int16_t *entry = table + (four * SUBSETS + (chosen[word] >> 4 * four & 15)) * CHUNK;
            low = _mm256_add_epi16(low, LOAD256(entry));
            high = _mm256_add_epi16(high, LOAD256(entry + 16));
        }
    }
    widen_avx2(low, high, sums);
}

static const Drawn drawn_of[LEVELS] = {drawn_portable, drawn_avx2, drawn_avx512};
static const DrawnShort short_of[LEVELS] = {short_portable, short_avx2, short_avx512};
static const Chosen chosen_of[LEVELS] = {chosen_portable, chosen_avx2, chosen_avx512};
#else
static const Drawn drawn_of[LEVELS] = {drawn_portable};
static const DrawnShort short_of[LEVELS] = {short_portable};
static const Chosen chosen_of[LEVELS] = {chosen_portable};
#endif

static void sum_drawn(const int32_t *rows, int64_t padded, const int32_t *draws, int64_t trials, int64_t size,
                      int64_t columns, int64_t *out, int level)
{
    int32_t sums[CHUNK];
    for (int64_t first = 0; first < columns; first += CHUNK) {
        const int used = (int)(columns - first < CHUNK ? columns - first : CHUNK);
        for (int64_t t = 0; t < trials; t++) {
            drawn_of[level](rows + first, padded, draws + t * size, size, sums);
            for (int c = 0; c < used; c++) out[t * columns + first + c] = sums[c];
        }
    }
}

static void sum_drawn_short(const int16_t *rows, int64_t padded, int64_t every, const int32_t *draws, int64_t trials,
                            int64_t size, int64_t columns, int64_t *out, int level)
{
    int32_t sums[CHUNK];
    for (int64_t first = 0; first < columns; first += CHUNK) {
        const int used = (int)(columns - first < CHUNK ? columns - first : CHUNK);
        for (int64_t t = 0; t < trials; t++) {
            short_of[level](rows + first, padded, draws + t * size, size, every, sums);
            for (int c = 0; c < used; c++) out[t * columns + first + c] = sums[c];
        }
    }
}

/* Eight bytes of bits from bit `at` on; the byte after them is readable. */
static uint64_t eight_bytes(const uint8_t *bits, int64_t at)
{
    uint64_t low;
    const int shift = (int)(at & 7);
    memcpy(&low, bits + (at >> 3), 8);
    return shift ? low >> shift | (uint64_t)bits[(at >> 3) + 8] << (64 - shift) : low;
}

static int fits_int16(const int32_t *rows, int64_t padded)
{
    int32_t sums[CHUNK] = {0}, most = 0;
    for (int i = 0; i < GROUP; i++)
        for (int c = 0; c < CHUNK; c++) sums[c] += abs(rows[i * padded + c]);
    for (int c = 0; c < CHUNK; c++) most = sums[c] > most ? sums[c] : most;
    return most < 1 << 15;
}

#define FILL_TABLES(type, tables, rows, padded) do { \
    for (int four = 0; four < FOURS; four++) { \
        type *table = (type *)(tables) + four * SUBSETS * CHUNK; \
        memset(table, 0, CHUNK * sizeof(type)); \
        for (int bit = 0; bit < 4; bit++) { \
            const int32_t *row = (rows) + (4 * four + bit) * (padded); \
            for (int subset = 0; subset < 1 << bit; subset++) \
                for (int c = 0; c < CHUNK; c++) \
                    table[((1 << bit) + subset) * CHUNK + c] = (type)(table[subset * CHUNK + c] + row[c]); \
        } \
    } \
} while (0)

static void chosen_wide(const int32_t *tables, const uint64_t *chosen, int32_t *sums)
{
    for (int four = 0; four < FOURS; four++) {
        const int32_t *entry = tables + (four * SUBSETS + (chosen[four / 16] >> (4 * (four % 16)) & 15)) * CHUNK;
        for (int c = 0; c < CHUNK; c++) sums[c] += entry[c];
    }
}

/* Rows are padded to a multiple of GROUP segments, too; trial t begins at bit t * segments. Return 0, or -1 without
 * memory. */
static int sum_chosen(const int32_t *rows, int64_t padded, const uint8_t *bits, int64_t segments, int64_t trials,
                      int64_t columns, int64_t *out, int level)
{
    void *room = malloc((size_t)FOURS * SUBSETS * CHUNK * sizeof(int32_t) + LINE);
    void *tables = (char *)room + (LINE - (uintptr_t)room % LINE);  /* aligned: an entry that crosses cache lines costs twice */
    int32_t *sums = malloc((size_t)(trials + 1) * CHUNK * sizeof *sums);
    const int status = room && sums ? 0 : -1;
    for (int64_t first = 0; !status && first < columns; first += CHUNK) {
        const int used = (int)(columns - first < CHUNK ? columns - first : CHUNK);
        memset(sums, 0, (size_t)trials * CHUNK * sizeof *sums);
        for (int64_t at = 0; at < segments; at += GROUP) {
            const int32_t *group = rows + at * padded + first;
            const int narrow = fits_int16(group, padded);
            if (narrow) FILL_TABLES(int16_t, tables, group, padded);
            else FILL_TABLES(int32_t, tables, group, padded);
            for (int64_t t = 0; t < trials; t++) {
                uint64_t chosen[GROUP / 64];
                if (t + AHEAD < trials) PREFETCH(bits + (((t + AHEAD) * segments + at) >> 3));
                for (int word = 0; word < GROUP / 64; word++)
                    chosen[word] = eight_bytes(bits, t * segments + at + 64 * word);
                if (narrow) chosen_of[level](tables, chosen, sums + t * CHUNK);
                else chosen_wide(tables, chosen, sums + t * CHUNK);
            }
        }
        for (int64_t t = 0; t < trials; t++)
            for (int c = 0; c < used; c++) out[t * columns + first + c] = sums[t * CHUNK + c];
    }
    free(room);
    free(sums);
    return status;
}

#endif
