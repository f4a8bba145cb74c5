"""Naive meta-evaluation with loops over pairs and thresholds, independent of the package."""

from itertools import combinations
from math import isnan


def kinds(human, metric, margin=0.0, epsilon=0.0):
    """Concordant, discordant, tied in human, in metric, in both: one pair at a time."""
    counts = [0, 0, 0, 0, 0]
    members = [(h, m) for h, m in zip(human, metric, strict=True) if not (isnan(h) or isnan(m))]
    for (h1, m1), (h2, m2) in combinations(members, 2):
        human_tied = h1 == h2 or abs(h1 - h2) < margin
        metric_tied = abs(m1 - m2) <= epsilon
        if human_tied and metric_tied:
            counts[4] += 1
        elif human_tied:
            counts[2] += 1
        elif metric_tied:
            counts[3] += 1
        elif (h1 > h2) == (m1 > m2):
            counts[0] += 1
        else:
            counts[1] += 1
    return counts


def accuracy(groups, epsilon, average):
    """Pairwise accuracy with ties over groups of (human, metric)."""
    rights, pairs = [], []
    for human, metric in groups:
        counts = kinds(human, metric, epsilon=epsilon)
        if sum(counts):
            rights.append(counts[0] + counts[4])
            pairs.append(sum(counts))
    if average == "micro":
        return sum(rights) / sum(pairs)
    return sum(right / total for right, total in zip(rights, pairs, strict=True)) / len(pairs)


def calibrated(groups, average):
    """The best threshold and its accuracy, trying every one."""
    thresholds = {0.0}
    for human, metric in groups:
        members = [m for h, m in zip(human, metric, strict=True) if not (isnan(h) or isnan(m))]
        thresholds |= {abs(a - b) for a, b in combinations(members, 2)}
    best, best_accuracy = 0.0, -1.0
    for threshold in sorted(thresholds):
        value = accuracy(groups, threshold, average)
        if value > best_accuracy + 1e-12:
            best, best_accuracy = threshold, value
    return best, best_accuracy
