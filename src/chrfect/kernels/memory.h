/* What one thread keeps between pairs: buffers that only grow, and the symbol table. */
#ifndef CHRFECT_MEMORY_H
#define CHRFECT_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#define ALWAYS_INLINE static __forceinline
static inline uint64_t fold(uint64_t a, uint64_t b) { uint64_t high, low = _umul128(a, b, &high); return low ^ high; }
static inline int count_bits(uint64_t x) { return (int)__popcnt64(x); }
static inline int top_bit(uint64_t x) { unsigned long i; _BitScanReverse64(&i, x); return (int)i; }
static inline int low_bit(uint64_t x) { unsigned long i; _BitScanForward64(&i, x); return (int)i; }
#else
#define ALWAYS_INLINE static inline __attribute__((always_inline))
/* The exclusive or of the two halves of the product of two words: every input bit changes high and low bits. */
ALWAYS_INLINE uint64_t fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}
ALWAYS_INLINE int count_bits(uint64_t x) { return __builtin_popcountll(x); }
ALWAYS_INLINE int top_bit(uint64_t x) { return 63 - __builtin_clzll(x); }
ALWAYS_INLINE int low_bit(uint64_t x) { return __builtin_ctzll(x); }
#endif

#define SYMBOLS 0x110000   /* code points, surrogates included */
#define LARGE_PAGE ((size_t)1 << 21)
#define LARGEST_IDLE ((size_t)1 << 24)  /* bytes that a buffer may keep between calls */
#define NO_MEMORY (-1)
#define TOO_LONG (-2)
#define BAD_TEXT (-3)
#define INTERRUPTED (-4)
#define POLL ((int64_t)1 << 16)         /* steps between two checks whether to stop */
#define QUICK_POLL ((int64_t)1 << 22)   /* the same for steps of some nanoseconds each */

typedef int (*Poll)(void *job);

typedef struct {
    void *data;
    size_t size;
} Buffer;

/* Put large buffers on huge pages if the system offers them: first access to small pages costs as much as the work. */
static void *allocate(size_t size)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (size >= 2 * LARGE_PAGE) {
        size = (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
        void *data = aligned_alloc(LARGE_PAGE, size);
        if (data) madvise(data, size, MADV_HUGEPAGE);
        return data;
    }
#endif
    return malloc(size);
}

static void *grow(Buffer *buffer, size_t size)
{
    free(buffer->data);
    if (size < LARGEST_IDLE) size += size / 4;
    buffer->data = allocate(size);
    buffer->size = buffer->data ? size : 0;
    return buffer->data;
}

/* Return at least `size` bytes and 64 spare bytes; the old content is lost. NULL if memory is exhausted. */
ALWAYS_INLINE void *reserve(Buffer *buffer, size_t size)
{
    return buffer->size >= size + 64 ? buffer->data : grow(buffer, size + 64);
}

/* Return at least `more` bytes after the first `kept` bytes, whose content is kept. NULL if memory is exhausted. */
static void *extend(Buffer *buffer, size_t kept, size_t more)
{
    if (buffer->size >= kept + more + 64) return buffer->data;
    Buffer larger = {NULL, 0};
    if (!reserve(&larger, 2 * (kept + more))) return NULL;
    if (kept) memcpy(larger.data, buffer->data, kept);
    free(buffer->data);
    *buffer = larger;
    return larger.data;
}

/* Like `reserve`, but zeroed; every user must leave the buffer zeroed. */
static void *reserve_zeros(Buffer *buffer, size_t size)
{
    size_t before = buffer->size;
    void *data = reserve(buffer, size);
    if (data && buffer->size != before) memset(data, 0, buffer->size);
    return data;
}

typedef struct {
    Buffer hyp, ref;                    /* symbol ids of the current pair */
    Buffer hyp_decoded, ref_decoded;    /* texts decoded from UTF-8 */
    Buffer hyp_wide, ref_wide;          /* texts of different widths, converted to the larger one */
    Buffer hyp_replaced, ref_replaced;  /* texts in which a tokenizer replaced something */
    Buffer words, slots_of_words;       /* distinct words, and the table that numbers them */
    Buffer blocks, places;              /* where the words of a text are */
    Buffer masks, unused;               /* bit-parallel matching */
    Buffer char_masks, word_masks;      /* masks of a matrix or of many references: zeroed between two uses */
    Buffer codes, keys, spare, counts;  /* refinement */
    Buffer matches;
    Buffer hyp_cased, ref_cased, passed;    /* texts as TER reads them */
    Buffer rows, aligned, shifts;       /* TER's search */
    uint32_t *slots;                    /* by symbol: base + id; values below base are stale */
    uint32_t base;
    Buffer items, grams, layers, bits, cells, flags;    /* bitsets of a matrix */
    Poll interrupted;                   /* called during long work; returns whether to stop; may be NULL */
    void *job;                          /* its argument */
    int64_t steps;                      /* quick steps since the last call */
} Workspace;

static int should_stop(const Workspace *ws) { return ws->interrupted && ws->interrupted(ws->job); }

/* for (i = from; i < to; i++), which returns `result` from the function if the work should stop. */
#define STOPPABLE_FOR(ws, i, from, to, result) \
    for (int64_t i = (from), i##_stop; i < (to); ) \
        if (i > (from) && should_stop(ws)) return result; else \
            for (i##_stop = (to) - i < QUICK_POLL ? (to) : i + QUICK_POLL; i < i##_stop; i++)

/* Add steps of short loops, and return whether the work should stop. */
static int stop_after_steps(Workspace *ws, int64_t steps)
{
    ws->steps += steps;
    if (ws->steps < QUICK_POLL) return 0;
    ws->steps = 0;
    return should_stop(ws);
}

/* Free every buffer of more than `most` bytes. */
static void trim(Workspace *ws, size_t most)
{
    Buffer *all[] = {&ws->hyp, &ws->ref, &ws->hyp_decoded, &ws->ref_decoded, &ws->hyp_wide, &ws->ref_wide, &ws->hyp_replaced,
                     &ws->ref_replaced, &ws->words, &ws->slots_of_words, &ws->blocks, &ws->places, &ws->masks,
                     &ws->char_masks, &ws->word_masks, &ws->unused, &ws->codes, &ws->keys, &ws->spare, &ws->counts, &ws->matches,
                     &ws->items, &ws->grams, &ws->layers, &ws->bits, &ws->cells, &ws->flags,
                     &ws->hyp_cased, &ws->ref_cased, &ws->passed, &ws->rows, &ws->aligned, &ws->shifts};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i]->size <= most) continue;
        free(all[i]->data);
        *all[i] = (Buffer){NULL, 0};
    }
}

static void release(Workspace *ws)
{
    trim(ws, 0);
    free(ws->slots);
    ws->slots = NULL;
}

#endif
