"""Naive resampling with exact fractions: every trial is computed separately."""

from fractions import Fraction

import numpy as np


def ratio(sums):
    """Score sums (hypothesis, reference, matches) as F1, 0 to 100, exactly."""
    hypothesis, reference, matches = (int(value) for value in sums)
    return Fraction(200 * matches, hypothesis + reference) if hypothesis + reference else Fraction(0)


def ratios(sums):
    """Score each row of sums as floats."""
    return np.array([float(ratio(row)) for row in sums])


def bootstrap(table, trials, seed):
    """Return the exact scores of resampled corpora."""
    generator = np.random.default_rng(seed)
    size = len(table)
    return [ratio(sum(table[i] for i in generator.choice(size, size))) for _ in range(trials)]


def randomization(first, second, trials, seed):
    """Return the p-value of paired approximate randomization, ties counted."""
    coins = np.random.default_rng(seed).integers(2, size=(trials, len(first)), dtype=bool)
    observed = abs(ratio(first.sum(0)) - ratio(second.sum(0)))
    beyond = 0
    for trial in coins:
        a = sum(f if coin else s for coin, f, s in zip(trial, first, second, strict=True))
        b = sum(s if coin else f for coin, f, s in zip(trial, first, second, strict=True))
        beyond += abs(ratio(a) - ratio(b)) >= observed
    return (1 + beyond) / (1 + trials)
