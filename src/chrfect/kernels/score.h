/* The score of one row of counts: sacreBLEU's float, its operations in its order, and how far from the truth it can be.
 *
 * With u = 2^-53 each operation is right up to a factor 1 + d, |d| <= u, and nothing here is negative, so that sums keep
 * the larger relative error of their terms. Of k orders: precision 1, its mean k + 1 (k - 1 sums, 1 quotient), recall
 * the same; beta squared 4 (beta rounded, squared by pow), one more than it 5. So the numerator
 * (1 + b^2) P R has 5 + 2 (k + 1) + 2, the denominator b^2 P + R has 4 + (k + 1) + 2, the quotient 3 k + 17, and the
 * score in millionths, two products later, 3 k + 19; averaging the F of each order needs k + 19. A score is at most
 * 10^8 millionths. `doubt` allows (3 k + 21) u 10^8, the excess covering the terms of second order. */
#ifndef CHRFECT_SCORE_H
#define CHRFECT_SCORE_H

#include <math.h>
#include <stdint.h>

#define EPSILON 1e-16
#define EXACT_DOUBLE ((int64_t)1 << 53)

typedef struct {
    double factor, one_more;    /* beta squared, and 1 + it */
    int per_order;              /* average the F of each order, not precision and recall */
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

/* The score in millionths, to the nearest; -1 if its error bound does not decide which is nearest. */
static int64_t round_row(const int64_t *row, int order, const Formula *formula)
{
    double millionths = score_row(row, order, formula) * 1e6, floor_ = floor(millionths), rest = millionths - floor_;
    if (fabs(rest - 0.5) <= doubt(order)) return -1;
    return (int64_t)floor_ + (rest > 0.5);
}

/* Whether doubles hold every count exactly. */
static int fits_double(const int64_t *counts, int64_t number)
{
    for (int64_t i = 0; i < number; i++)
        if (counts[i] > EXACT_DOUBLE) return 0;
    return 1;
}

#endif
