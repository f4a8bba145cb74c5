/* BLEU of one row of counts, with the float operations of sacreBLEU in the same order; see `formulas/bleu.py`. */
#ifndef CHRFECT_BLEU_SCORE_H
#define CHRFECT_BLEU_SCORE_H

#include <math.h>
#include <stdint.h>

#define LOG_OF_ZERO -9999999999.0

enum { SMOOTH_NONE, SMOOTH_FLOOR, SMOOTH_ADD_K, SMOOTH_EXP };

typedef struct {
    int kind;           /* one of SMOOTH_* */
    double amount;
    int fill;           /* an order without hypothesis n-grams counts as one n-gram that did not match */
    int effective;      /* stop before the first such order */
    int single;         /* precisions as float32, as in the bootstrap of sacreBLEU */
    int compensated;    /* add logarithms as Python 3.12 and later do */
} Smoothing;

/* Python's sum() of floats: plain, or with Neumaier's compensation. */
static double sum_logs(const double *logs, int number, int compensated)
{
    double sum = 0.0, lost = 0.0;
    for (int i = 0; i < number; i++) {
        double next = sum + logs[i];
        if (compensated) lost += fabs(sum) >= fabs(logs[i]) ? (sum - next) + logs[i] : (logs[i] - next) + sum;
        sum = next;
    }
    return compensated ? sum + lost : sum;
}

/* `logs` is a buffer of `order` doubles. */
static double bleu_row(const int64_t *row, int order, const Smoothing *smoothing, double *logs)
{
    double halving = 1.0, penalty = 1.0, amount = smoothing->amount;
    int effective = order, matched = 0;
    for (int n = 0; n < order; n++) {
        matched |= row[3 + 2 * n] != 0;
        logs[n] = LOG_OF_ZERO;
    }
    if (!matched) return 0.0;
    for (int n = 0; n < order; n++) {
        double total = (double)row[2 + 2 * n], match = (double)row[3 + 2 * n], precision = 0.0;
        if (smoothing->single) total = (float)total, match = (float)match;
        if (smoothing->kind == SMOOTH_ADD_K && n) {
            match += amount;
            total += amount;
            if (smoothing->single) match = (float)match, total = (float)total;
        }
        if (total == 0) {
            if (!smoothing->fill) break;
            total = 1.0;
        }
        if (smoothing->effective) effective = n + 1;
        if (smoothing->single) {
            float below = (float)total;
            if (match != 0) precision = 100.0f * (float)match / below;
            else if (smoothing->kind == SMOOTH_EXP) precision = 100.0f / ((float)(halving *= 2) * below);
            else if (smoothing->kind == SMOOTH_FLOOR) precision = (float)(100.0 * amount) / below;
        } else {
            if (match != 0) precision = 100.0 * match / total;
            else if (smoothing->kind == SMOOTH_EXP) precision = 100.0 / ((halving *= 2) * total);
            else if (smoothing->kind == SMOOTH_FLOOR) precision = 100.0 * amount / total;
        }
        logs[n] = precision != 0 ? log(precision) : LOG_OF_ZERO;
    }
    if (row[0] < row[1]) penalty = row[0] ? exp(1 - (double)row[1] / (double)row[0]) : 0.0;
    return penalty * exp(sum_logs(logs, effective, smoothing->compensated) / effective);
}

#endif
