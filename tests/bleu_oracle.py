"""A naive implementation of BLEU with 200-digit numbers, used as an oracle."""

from __future__ import annotations

from fractions import Fraction

import mpmath

mpmath.mp.dps = 200


def clipped(hypothesis, references, n):
    """Count hypothesis n-grams one by one, striking each out of what the references still have to give."""
    places = [tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)]
    matches = 0
    for ngram in set(places):
        largest = 0
        for reference in references:
            held = sum(tuple(reference[i : i + n]) == ngram for i in range(len(reference) - n + 1))
            largest = max(largest, held)
        matches += min(places.count(ngram), largest)
    return len(places), matches


def row(hypothesis, references, max_order):
    """Lengths, then n-grams and matches of each order."""
    closest = sorted((abs(len(reference) - len(hypothesis)), len(reference)) for reference in references)[0][1]
    counts = [len(hypothesis), closest]
    for n in range(1, max_order + 1):
        counts += clipped(hypothesis, references, n)
    return counts


def smoothed(counts, method):
    """Precisions by the sentences of the catalogue's contract."""
    pairs = list(zip(counts[2::2], counts[3::2], strict=True))
    zeros = 0
    precisions = []
    for n, (total, matches) in enumerate(pairs, 1):
        if method == "method2" and n > 1:
            precisions.append(Fraction(matches + 1, total + 1))
        elif method in ("none", "method2") and total == 0:
            precisions.append(None)
        elif matches:
            precisions.append(Fraction(matches, total))
        elif method == "method1":
            precisions.append(Fraction(1, 10) / max(total, 1))
        elif method == "method3":
            zeros += 1
            precisions.append(Fraction(1, 2**zeros) / max(total, 1))
        else:
            precisions.append(Fraction(0))
    return precisions


def score(counts, method="none"):
    """BLEU, 0 to 100, to about 200 digits."""
    precisions = smoothed(counts, method)
    if not counts[3] or None in precisions or 0 in precisions:
        return mpmath.mpf(0)
    product = mpmath.mpf(1)
    for precision in precisions:
        product *= mpmath.mpf(precision.numerator) / precision.denominator
    return 100 * penalty(counts) * mpmath.root(product, len(precisions))


def penalty(counts):
    """The brevity penalty to about 200 digits."""
    hypothesis, reference = counts[:2]
    if hypothesis >= reference:
        return mpmath.mpf(1)
    return mpmath.exp(1 - mpmath.mpf(reference) / hypothesis) if hypothesis else mpmath.mpf(0)


def six_decimals(value):
    """Round half to even; 200 digits leave no doubt but at an exact tie."""
    millionths = int(mpmath.nint(value * 10**6))
    return f"{millionths // 10**6}.{millionths % 10**6:06d}"
