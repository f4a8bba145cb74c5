/* The score of one row of counts, with the float operations of sacreBLEU in the same order, and a bound of its error.
 *
 * Let u = 2^-53. Each operation has a relative error of at most u, and no value is negative, so the relative error of a
 * sum is at most the larger of those of its terms. For k orders, in units of u: a precision has 1, the mean precision
 * k + 1 (k - 1 sums, 1 quotient), recall the same; beta squared 4 (beta rounded, squared by pow), 1 + beta squared 5. So
 * the numerator (1 + b^2) P R has 5 + 2 (k + 1) + 2, the denominator b^2 P + R has 4 + (k + 1) + 2, the quotient 3 k + 17,
 * and the score in millionths, after two products, 3 k + 19. Averaging the F-score of each order needs k + 19. A score is
 * at most 10^8 millionths. `doubt` allows (3 k + 21) u 10^8; the excess covers the terms of second order. */
#ifndef CHRFECT_SCORE_H
#define CHRFECT_SCORE_H

#include <math.h>
#include <stdint.h>

#define EPSILON 1e-16
#define EXACT_DOUBLE ((int64_t)1 << 53)

typedef struct {
    double factor, one_more;    /* beta squared, and 1 + it */
    int per_order;              /* average the F-scores of the orders instead of precisions and recalls */
} Formula;

static double score_row(const int64_t *row, int order, const Formula *formula)
{
    double factor = formula->factor, one_more = formula->one_more;
    double score = 0.0, precisions = 0.0, recalls = 0.0;
    int effective = 0;
    for (int n = 0; n < order; n++) {
        double hyp = (double)row[3 * n], ref = (double)row[3 * n + 1], match = (double)row[3 * n + 2];
        double precision = hyp > 0 ? match / hyp : EPSILON, recall = ref > 0 ? match / ref : EPSILON;
        if (formula->per_order) {
            double below = factor * precision + recall;
            score += below > 0 ? one_more * precision * recall / below : EPSILON;
        } else if (hyp > 0 && ref > 0) {
            precisions += precision;
            recalls += recall;
            effective++;
        }
    }
    if (formula->per_order) return 100 * score / order;
    if (!effective) return 0.0;
    precisions /= effective;
    recalls /= effective;
    if (precisions + recalls == 0) return 0.0;
    score = one_more * precisions * recalls;
    score /= factor * precisions + recalls;
    return 100 * score;
}

static double doubt(int order) { return (3.0 * order + 21) * 0x1p-53 * 1e8; }

/* Return the score rounded to millionths, or -1 if the error bound does not decide the rounding. */
static int64_t round_row(const int64_t *row, int order, const Formula *formula)
{
    double millionths = score_row(row, order, formula) * 1e6, floor_ = floor(millionths), rest = millionths - floor_;
    if (fabs(rest - 0.5) <= doubt(order)) return -1;
    return (int64_t)floor_ + (rest > 0.5);
}

/* Return whether doubles can hold every count exactly. */
static int fits_double(const int64_t *counts, int64_t number)
{
    for (int64_t i = 0; i < number; i++)
        if (counts[i] > EXACT_DOUBLE) return 0;
    return 1;
}

#endif
