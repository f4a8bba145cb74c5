/* Clipped matches by bit masks, for pairs whose shorter side is a few hundred symbols.
 *
 * masks[c] marks the positions of symbol c in one side (the "reference"). The other side is read from its end. The
 * positions of the n-gram at i are D_n(i) = masks[h[i]] & (D_{n-1}(i+1) >> 1). Each n-gram uses one free position,
 * so the number of used positions is the number of clipped matches. */
#ifndef CHRFECT_MASKS_H
#define CHRFECT_MASKS_H

#include "memory.h"

#define LANES 8         /* orders in one vector */
#define MAX_WORDS 8     /* 64-bit words of a mask; for more, sorting is faster or not much slower */
#define FEW_ORDERS 4    /* orders that are processed in parallel without vectors */
#define MANY_WORDS 4    /* limit of words if there are more orders than lanes: those are processed one by one */

typedef void (*Matcher)(const uint64_t *masks, const uint32_t *hyp, int64_t length, int order, int64_t *matches);

/* Return the number of words of a mask for this number of positions; 0 if masks are not used. */
static int words_for(int64_t length, int order)
{
    return length > 64 * (order > LANES ? MANY_WORDS : MAX_WORDS) ? 0 : (int)((length + 63) / 64);
}

/* Mark the positions of a text in masks that are all zero. */
static void fill_masks(uint64_t *masks, int words, const uint32_t *ref, int64_t length)
{
    for (int64_t i = 0; i < length; i++)
        masks[(size_t)ref[i] * words + (i >> 6)] |= (uint64_t)1 << (i & 63);
}

/* Set the used masks to zero. The cost does not depend on the number of symbols. */
static void empty_masks(uint64_t *masks, int words, const uint32_t *ref, int64_t length)
{
    for (int64_t i = 0; i < length; i++) masks[(size_t)ref[i] * words + (i >> 6)] = 0;
}

/* Update `d` from the end positions of the n-grams before this symbol to those of the n-grams with it. Use the lowest
 * free position. Return whether there is any. */
ALWAYS_INLINE int use_place(uint64_t *d, const uint64_t *mask, uint64_t *used, const int words, uint64_t carry)
{
    uint64_t any = 0;
    int was_free = 0;
    for (int w = 0; w < words; w++) {
        uint64_t next = d[w] >> 63;
        d[w] = ((d[w] << 1) | carry) & mask[w];
        carry = next;
        any |= d[w];
        uint64_t x = was_free ? 0 : d[w] & ~used[w];
        used[w] |= x & (0 - x);
        was_free |= x != 0;
    }
    return any != 0;
}

/* Process one order after another, forwards, until no position is left. Here D_n(i) marks the ends of n-grams. */
ALWAYS_INLINE int use_forward(const uint64_t *masks, const uint32_t *hyp, int64_t length, int order, uint64_t *used,
                              const int words, const Workspace *ws)
{
    uint64_t d[MAX_WORDS];
    memset(used, 0, (size_t)order * words * sizeof *used);
    for (int64_t i = 0; i < length; i++) {
        for (int w = 0; w < words; w++) d[w] = ~(uint64_t)0;
        if (ws && i % POLL == POLL - 1 && should_stop(ws)) return INTERRUPTED;
        int64_t stop = length - i < order ? length - i : order;
        for (int n = 0; n < stop; n++)
            if (!use_place(d, masks + (size_t)hyp[i + n] * words, used + (size_t)n * words, words, n == 0)) break;
    }
    return 0;
}

ALWAYS_INLINE void count_used(const uint64_t *used, int order, int words, int64_t *matches)
{
    for (int n = 0; n < order; n++) {
        matches[n] = 0;
        for (int w = 0; w < words; w++) matches[n] += count_bits(used[(size_t)n * words + w]);
    }
}

/* The same for a mask of one word and few orders, from the masks of all positions. */
ALWAYS_INLINE void use_few(const uint64_t *masks, const uint32_t *hyp, int64_t length, const int order, uint64_t *used)
{
    uint64_t d[FEW_ORDERS] = {0}, u[FEW_ORDERS] = {0};
    for (int64_t i = 0; i < length; i++) {
        uint64_t mask = masks[hyp[i]];
        for (int n = order - 1; n >= 0; n--) {
            d[n] = n ? d[n - 1] << 1 & mask : mask;
            uint64_t x = d[n] & ~u[n];
            u[n] |= x & (0 - x);
        }
    }
    for (int n = 0; n < order; n++) used[n] = u[n];
}

static void use_few_orders(const uint64_t *masks, const uint32_t *hyp, int64_t length, int order, uint64_t *used)
{
    if (order == 1) use_few(masks, hyp, length, 1, used);
    else if (order == 2) use_few(masks, hyp, length, 2, used);
    else if (order == 3) use_few(masks, hyp, length, 3, used);
    else use_few(masks, hyp, length, 4, used);
}

/* Find the used positions of each order, for any number of orders; `used` has order * words words. */
static int use_places(const uint64_t *masks, const uint32_t *hyp, int64_t length, int order, uint64_t *used, int words,
                      const Workspace *ws)
{
    if (words == 1 && order <= FEW_ORDERS && length < POLL) use_few_orders(masks, hyp, length, order, used);
    else if (words == 1) return use_forward(masks, hyp, length, order, used, 1, ws);
    else if (words == 2) return use_forward(masks, hyp, length, order, used, 2, ws);
    else return use_forward(masks, hyp, length, order, used, words, ws);
    return 0;
}

#define PORTABLE(words) \
    static void match_portable_##words(const uint64_t *masks, const uint32_t *hyp, int64_t length, int order, \
                                       int64_t *matches) \
    { \
        uint64_t used[LANES * words]; \
        use_forward(masks, hyp, length, order, used, words, NULL); \
        count_used(used, order, words, matches); \
    }
PORTABLE(1) PORTABLE(2) PORTABLE(3) PORTABLE(4) PORTABLE(5) PORTABLE(6) PORTABLE(7) PORTABLE(8)

#define ROW(level) \
    {match_##level##_1, match_##level##_2, match_##level##_3, match_##level##_4, \
     match_##level##_5, match_##level##_6, match_##level##_7, match_##level##_8}

#if defined(__x86_64__) && defined(__GNUC__)
#include "lanes.h"
enum { PORTABLE_LEVEL, AVX2_LEVEL, AVX512_LEVEL, LEVELS };
static const char *const level_names[] = {"baseline", "avx2", "avx512"};
static const Matcher matchers[LEVELS][MAX_WORDS] = {ROW(portable), ROW(avx2), ROW(avx512)};

static int best_level(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
        && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq"))
        return AVX512_LEVEL;
    return __builtin_cpu_supports("avx2") ? AVX2_LEVEL : PORTABLE_LEVEL;
}
#else
enum { PORTABLE_LEVEL, LEVELS };
static const char *const level_names[] = {"baseline"};
static const Matcher matchers[LEVELS][MAX_WORDS] = {ROW(portable)};
static int best_level(void) { return PORTABLE_LEVEL; }
#endif

#endif
