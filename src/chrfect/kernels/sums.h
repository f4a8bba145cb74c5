/* Sums of the rows of a table of counts. */
#ifndef CHRFECT_SUMS_H
#define CHRFECT_SUMS_H

#include <stdint.h>

/* Sum the upper and lower 32 bits of each column separately: with less than 2^31 rows neither sum exceeds 64 bits. */
static void sum_columns(const int64_t *rows, int64_t number, int64_t width, int64_t *upper, int64_t *lower)
{
    for (int64_t i = 0; i < number; i++, rows += width)
        for (int64_t c = 0; c < width; c++) {
            upper[c] += rows[c] >> 32;
            lower[c] += rows[c] & 0xFFFFFFFF;
        }
}

/* Add each row to the sums of its group. Return the first row whose group is out of range, else `number`. `overflow` is
 * negative if a sum exceeded 64 bits. */
static int64_t sum_groups(const int64_t *rows, int64_t number, int64_t width, const int64_t *groups, int64_t group_number,
                          int64_t *sums, int64_t *overflow)
{
    int64_t wrapped = 0;
    for (int64_t i = 0; i < number; i++, rows += width) {
        if (groups[i] < 0 || groups[i] >= group_number) return i;
        int64_t *sum = sums + groups[i] * width;
        for (int64_t c = 0; c < width; c++) {
            int64_t before = sum[c], after = (int64_t)((uint64_t)before + (uint64_t)rows[c]);
            wrapped |= (before ^ after) & (rows[c] ^ after);    /* both terms have the same sign, and the sum has the other */
            sum[c] = after;
        }
    }
    *overflow = wrapped;
    return number;
}

#endif
