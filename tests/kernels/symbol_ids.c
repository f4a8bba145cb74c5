/* Count random pairs while a workspace's ids of symbols wrap around. Print how often they did, and how many rows differ
 * from those of a new workspace. */
#include "pair.h"

#include <stdio.h>

static uint32_t state = 1;

static uint32_t draw(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)state * below >> 32);
}

static Text random_text(uint16_t *symbols)
{
    int64_t length = draw(60);
    for (int64_t i = 0; i < length; i++) symbols[i] = (uint16_t)(0x4E00 + draw(80));
    return (Text){symbols, length, 2, 0};
}

int main(void)
{
    static const uint32_t last = UINT32_MAX - SYMBOLS;
    static const uint32_t starts[] = {last - 40, last, last + 1, UINT32_MAX - 100, UINT32_MAX};
    Plan plan = {3, 0, 1, 0, 0};
    Workspace used = {0};
    int wrong = 0, wraps = 0;
    for (int round = 0; round < 400; round++) {
        uint32_t before = used.base;
        if (round % 20 == 19) before = used.base = starts[round / 20 % 5];
        uint16_t h[60], r[60];
        Text hyp = random_text(h), ref = random_text(r);
        int64_t got[9], want[9];
        Workspace fresh = {0};
        if (count_pair(&used, &hyp, &ref, &plan, got) || count_pair(&fresh, &hyp, &ref, &plan, want)) return 2;
        release(&fresh);
        wraps += used.base < before;
        wrong += memcmp(got, want, sizeof got) != 0;
    }
    release(&used);
    printf("%d %d\n", wraps, wrong);
    return 0;
}
