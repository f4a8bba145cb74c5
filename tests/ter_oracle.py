"""A naive implementation of TER: every match is searched and every distance is computed anew."""

from __future__ import annotations

from functools import cache
from math import ceil, floor, inf


def cheapest(left, right):
    """Return the edit distance and the operations, by recursion over cells near the diagonal."""
    ratio = len(right) / len(left)
    beam = 25 if ratio <= 50 else ceil(ratio / 2 + 25)

    def visible(i, j):
        diagonal = floor(i * ratio)
        last = i == len(left)
        return j >= diagonal - beam and (last or j < diagonal + beam) if i else True

    @cache
    def cell(i, j):
        if i < 0 or j < 0 or not visible(i, j):
            return inf, None
        if i == j == 0:
            return 0, None
        if i == 0:
            return j, "i"
        ways = [(cell(i - 1, j)[0] + 1, "d"), (cell(i, j - 1)[0] + 1, "i")]
        if j:
            same = left[i - 1] == right[j - 1]
            ways.insert(0, (cell(i - 1, j - 1)[0] + (0 if same else 1), "=" if same else "s"))
        least = min(cost for cost, _ in ways)
        return next(way for way in ways if way[0] == least)

    for i in range(len(left) + 1):  # from the top, so that the recursion stays shallow
        for j in range(len(right) + 1):
            cell(i, j)
    i, j, operations = len(left), len(right), ""
    while (i, j) != (0, 0):
        operation = cell(i, j)[1]
        operations = operation + operations
        i, j = i - (operation != "i"), j - (operation != "d")
    return cell(len(left), len(right))[0], operations


def moved(words, start, length, target):
    """Lift words out and put them down where the target says."""
    block = words[start : start + length]
    marked = [(k, word) for k, word in enumerate(words) if not start <= k < start + length]
    if start <= target <= start + length:  # so many words further to the right
        steps = target - start
        ahead = [word for k, word in marked if k < start + length + steps]
        return ahead + block + [word for k, word in marked if k >= start + length + steps]
    return [word for k, word in marked if k < target] + block + [word for k, word in marked if k >= target]


def row(left, right):
    """Insertions, deletions, substitutions, shifts, reference length."""
    left, right = list(left), list(right)
    shifts = tried = 0
    while left and right:
        now, operations = cheapest(left, right)
        place, i, j = {}, -1, -1
        wrong_left, wrong_right = set(), set()
        for operation in operations:
            i, j = i + (operation != "i"), j + (operation != "d")
            if operation != "d":
                place[j] = i
            if operation in "sd":
                wrong_left.add(i)
            if operation in "si":
                wrong_right.add(j)
        best = (0, 0, 0, 0, left)
        for start in range(len(left)):
            for at in range(len(right)):
                for length in range(1, 11):
                    block = left[start : start + length]
                    if len(block) < length or block != right[at : at + length] or abs(start - at) > 50:
                        continue
                    if tried >= 1000:
                        continue
                    if not wrong_left & set(range(start, start + length)):
                        continue
                    if not wrong_right & set(range(at, at + length)):
                        continue
                    if place[at] in range(start, start + length):
                        continue
                    targets = [place.get(at + k, -1) + 1 for k in range(-1, length)]
                    for k, target in enumerate(targets):
                        if k and targets[k - 1] == target:
                            continue
                        tried += 1
                        words = moved(left, start, length, target)
                        gain = now - cheapest(words, right)[0]
                        best = max(best, (gain, length, -start, -target, words), key=lambda found: found[:4])
        if tried >= 1000 or best[0] <= 0:
            break
        shifts, left = shifts + 1, best[4]
    operations = cheapest(left, right)[1] if left and right else "d" * len(left) + "i" * len(right)
    return [operations.count("i"), operations.count("d"), operations.count("s"), shifts, len(right)]
