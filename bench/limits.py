"""The most expensive inputs within the catalogue's limits, compared with ordinary inputs of the same size.

Run with ``python bench/limits.py``. Each line shows the CPU time relative to that of ordinary text of 64 KiB for the
same tool, the minimum of three runs, and the size of the answer.
"""

from __future__ import annotations

import random
import time
from typing import Any

from chrfect import catalogue, kernels
from chrfect.report import Table

HALF = 32_768
CHRF = ("chrf-compute", "chrf-plus-plus-compute", "chrf-components")
ALL_ORDERS = {"char_order": 24, "word_order": 8}
DRAW = random.Random(0)

Input = dict[str, Any]


def pair(hypothesis: str, reference: str, **parameters: Any) -> Input:
    """Return an input with one segment of text."""
    return {"hypotheses": [hypothesis], "references": [reference], **parameters}


def tokens(hypothesis: list[str], references: list[list[str]], **parameters: Any) -> Input:
    """Return an input with one segment of tokens."""
    return {"hypotheses": [hypothesis], "references": [references], **parameters}


def words(number: int) -> list[str]:
    """Return words with a natural distribution: few frequent and many rare ones."""
    return [f"w{min(int(DRAW.paretovariate(0.6)), 9_999)}" for _ in range(number)]


def ordinary(tool: str) -> Input:
    """Return 64 KiB of segments with about twenty words and similar hypotheses."""
    segments = []
    size = 0
    while size < 2 * HALF - 600 and len(segments) < 256:
        reference = words(40 if tool in CHRF else 20)
        hypothesis = [word if DRAW.random() < 0.8 else "x" for word in reference]
        size += len(" ".join(reference + hypothesis)) + 1
        segments.append((hypothesis, reference))
    if tool in CHRF:
        return {
            "hypotheses": [" ".join(hypothesis) for hypothesis, _ in segments],
            "references": [" ".join(reference) for _, reference in segments],
        }
    return {"hypotheses": [h for h, _ in segments], "references": [[r] for _, r in segments]}


def worst() -> dict[str, tuple[str, Input]]:
    """Return the expensive inputs by name, with their tools."""
    two = ["".join(DRAW.choices("ab", k=HALF)) for _ in range(2)]
    many = "".join(chr(DRAW.randint(0x80, 0x7FF)) for _ in range(HALF // 2))
    uneven = ["".join(DRAW.choices("abcd ", k=DRAW.randint(60, 127))) for _ in range(512)]
    segments = {"hypotheses": uneven[:256], "references": uneven[256:]}
    letters = DRAW.choices([chr(33 + i) for i in range(90)], k=HALF)
    big = [chr(1) * 24 + chr(200 + i) for i in range(2_226)]
    return {
        "one character repeated": ("chrf-components", pair("a" * HALF, "a" * HALF, **ALL_ORDERS)),
        "two characters at random": ("chrf-components", pair(*two, **ALL_ORDERS)),
        "two words repeated": ("chrf-components", pair("a b " * (HALF // 4), "a b " * (HALF // 4), **ALL_ORDERS)),
        "1,900 different characters": ("chrf-components", pair(many, many, **ALL_ORDERS)),
        "256 uneven segments": ("chrf-components", {**segments, **ALL_ORDERS}),
        "their fractions, by order": ("chrf-components", {**segments, **ALL_ORDERS, "averaging": "per_order_f"}),
        "one word repeated": ("chrf-plus-plus-compute", pair("a " * (HALF // 2), "b " * (HALF // 2))),
        "lower case that grows": ("chrf-compute", pair("İ" * (HALF // 2), "İ" * (HALF // 2), lowercase=True)),
        "one token repeated": ("bleu-corpus-compute", tokens(["a"] * HALF, [["a"] * HALF], max_order=9)),
        "random tokens, equal": ("bleu-corpus-compute", tokens(letters, [letters], max_order=9)),
        "64 empty references": ("bleu-corpus-compute", tokens(letters * 2, [[]] * 64, max_order=9)),
        "64 equal references": ("bleu-corpus-compute", tokens(letters[:1000], [letters[:1000]] * 64, max_order=9)),
        "256 × 64 references": (
            "bleu-corpus-compute",
            {"hypotheses": [["a"] * 128] * 256, "references": [[["a", "a"]] * 64] * 256, "max_order": 9},
        ),
        "a vanishing penalty": ("bleu-corpus-compute", tokens(["a"], [["a"] * 65_535], max_order=1)),
        "tables nearly too large": (
            "bleu-ngrams-count",
            tokens(big, [[]], max_order=9, clipping_tables=True),
        ),
    }


def seconds(tool: str, value: Input) -> tuple[float, int]:
    """CPU time of the best of three runs, and the bytes of the answer."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        answer = catalogue.dumps({"result": catalogue.run(tool, "1.0.0", value)})
        best = min(best, time.process_time() - start)
    return best, len(answer.encode())


def main() -> None:
    """Print the table."""
    used = {tool for tool, _ in worst().values()}
    usual = {tool: seconds(tool, ordinary(tool))[0] for tool in used}
    rows = []
    for name, (tool, value) in worst().items():
        spent, size = seconds(tool, value)
        rows.append([name, tool, spent / usual[tool], size])
    print(Table(["input", "tool", "× ordinary", "answer bytes"], rows, 1, f"{kernels.NAME} kernel").text())


if __name__ == "__main__":
    main()
