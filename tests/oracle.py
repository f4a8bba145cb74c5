"""The third opinion: deliberately naive, sharing no line and no idea with either kernel.

Matching is done by crossing off: each n-gram of the hypothesis looks for an equal n-gram of the reference that nobody
has taken yet. Scores are worked out step by step in Fractions, as the formulas are printed.
"""

from fractions import Fraction

WHITESPACE = {
    *range(0x09, 0x0E), *range(0x1C, 0x20), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B),
    0x2028, 0x2029, 0x202F, 0x205F, 0x3000,
}  # fmt: skip
PUNCTUATION = [chr(c) for c in range(0x21, 0x7F) if not chr(c).isalnum()]


def characters(text, keep_whitespace=False):
    return [c for c in text if keep_whitespace or ord(c) not in WHITESPACE]


def words(text):
    tokens, word = [], ""
    for c in [*text, " "]:
        if ord(c) not in WHITESPACE:
            word += c
            continue
        if len(word) >= 2 and word[-1] in PUNCTUATION:
            tokens += [word[:-1], word[-1]]
        elif len(word) >= 2 and word[0] in PUNCTUATION:
            tokens += [word[0], word[1:]]
        elif word:
            tokens += [word]
        word = ""
    return tokens


def order(hypothesis, reference, n):
    left = [hypothesis[i : i + n] for i in range(len(hypothesis)) if i + n <= len(hypothesis)]
    free = [reference[i : i + n] for i in range(len(reference)) if i + n <= len(reference)]
    total, matches = len(free), 0
    for ngram in left:
        if ngram in free:
            free.remove(ngram)
            matches += 1
    return len(left), total, matches


def row(hypothesis, reference, char_order=6, word_order=0, keep_whitespace=False, drop=False):
    counts = []
    for n in range(1, char_order + 1):
        counts.append(order(characters(hypothesis, keep_whitespace), characters(reference, keep_whitespace), n))
    for n in range(1, word_order + 1):
        counts.append(order(words(hypothesis), words(reference), n))
    return [value for h, r, m in counts for value in ((0, 0, 0) if drop and r == 0 else (h, r, m))]


def total(rows):
    return [sum(column) for column in zip(*rows, strict=True)]


def score(counts, beta=2, averaging="mean_precision_recall"):
    beta = Fraction(str(beta))
    orders = [tuple(counts[i : i + 3]) for i in range(0, len(counts), 3)]
    if averaging == "per_order_f":
        epsilon = Fraction(1, 10**16)
        fs = []
        for h, r, m in orders:
            precision = Fraction(m, h) if h else epsilon
            recall = Fraction(m, r) if r else epsilon
            below = beta**2 * precision + recall
            fs.append((1 + beta**2) * precision * recall / below if below else epsilon)
        return 100 * sum(fs) / len(fs)
    effective = [(h, r, m) for h, r, m in orders if h and r]
    if not effective:
        return Fraction(0)
    precision = sum(Fraction(m, h) for h, _, m in effective) / len(effective)
    recall = sum(Fraction(m, r) for _, r, m in effective) / len(effective)
    if not precision + recall:
        return Fraction(0)
    return 100 * (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def six_decimals(value):
    below, above = int(value * 10**6), int(value * 10**6) + 1
    nearer = min((abs(value * 10**6 - n), n % 2, n) for n in (below, above))[2]
    digits = str(nearer).zfill(7)
    return digits[:-6] + "." + digits[-6:]
