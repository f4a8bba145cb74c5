"""The time of explanations of a megabyte, compared with sacreBLEU's score and with a quarter of the text.

Run with ``python bench/explain.py``. The ratios are medians of CPU time. It fails if a megabyte takes more than three
times as long as sacreBLEU's sentence score, or more than eight times as long as a quarter (four is proportional).
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from corpora import latin
from measure import cpu, interleaved, ratio
from sacrebleu.metrics import CHRF

from chrfect import explain, parse
from chrfect.report import Table

METRIC = parse("chrF++")
ROUNDS = 3


def texts() -> dict[str, tuple[str, str]]:
    """Return segments of a megabyte: words, one repeated character, and two texts with few common n-grams."""
    corpus = latin(lines=8_400)
    return {
        "words": (" ".join(corpus.hypotheses)[:1_000_000], " ".join(corpus.references)[:1_000_000]),
        "one character": ("a" * 1_000_000, "a" * 999_999),
        "little shared": (" ".join(corpus.hypotheses)[:1_000_000], " ".join(corpus.references)[:1_000_000].upper()),
    }


def main() -> int:
    """Measure, print the ratios, and check the limits."""
    rows, slow = [], []
    for name, (hypothesis, reference) in texts().items():
        peer = CHRF(word_order=2)
        jobs: dict[str, Callable[[], object]] = {
            "whole": lambda h=hypothesis, r=reference: explain(METRIC, h, r),
            "quarter": lambda h=hypothesis[:250_000], r=reference[:250_000]: explain(METRIC, h, r),
            "sacreBLEU": lambda h=hypothesis, r=reference, peer=peer: peer.sentence_score(h, [r]),
        }
        taken = interleaved({job: cpu(work) for job, work in jobs.items()}, ROUNDS)
        to_score, to_quarter = ratio(taken, "whole", "sacreBLEU"), ratio(taken, "whole", "quarter")
        rows.append([name, to_score, to_quarter])
        if to_score > 3 or to_quarter > 8:
            slow.append(name)
    print(Table(["1 MB of", "÷ sacreBLEU's score of it", "÷ explaining a quarter"], rows).markdown())
    print(f"too slow: {', '.join(slow)}" if slow else "within the limits")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
