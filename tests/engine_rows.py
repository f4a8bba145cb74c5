"""Rows for the tests of engines, and their counts in memory."""

import random
import shutil

from chrfect import parse
from conftest import ROOT

METRICS = tuple(map(parse, ("chrF++", "chrF", "BLEU", "TER")))
WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    "sat",
    "ran",
    "on",
    "mat",
    "猫",
    "が",
    "いる",
    "Hund",
    "läuft,",
    "schnell!",
    "1.5",
    "it's",
]


def rows(number, seed=1, longest=12):
    """Return (hypothesis, reference, system), reproducible; some texts are empty."""
    draw = random.Random(seed)
    texts = [" ".join(draw.choices(WORDS, k=draw.randint(0, longest))) for _ in range(2 * number)]
    return list(zip(texts[:number], texts[number:], draw.choices("ABC", k=number), strict=True))


def columns(records, names=("hypothesis", "reference", "system")):
    return {name: [record[i] for record in records] for i, name in enumerate(names)}


def values(part):
    """Return the sums of each metric and group of a part as plain integers."""
    return [
        {label: (table[i].segments, table[i].values) for i, label in enumerate(table.labels)} for table in part.tables
    ]


def expected(records, grouped=True, metrics=METRICS):
    """Return what :func:`values` should be, counted in memory, one group after another."""
    found = []
    for metric in metrics:
        groups = {}
        for system in sorted({record[2] for record in records}) if grouped else [None]:
            own = [record for record in records if system in (None, record[2])]
            counts = metric.corpus([h for h, _, _ in own], [r for _, r, _ in own]).counts
            groups[(system,) if grouped else ()] = (counts.segments, counts.values)
        found.append(groups)
    return found


def another_version(folder):
    """Return the path of a copy of chrfect that counts by other recipes."""
    shutil.copytree(ROOT / "src" / "chrfect", folder / "chrfect", ignore=shutil.ignore_patterns("__pycache__", "*.c"))
    (folder / "chrfect" / "_version.py").write_text('__version__ = "0.0.1"\n')
    path = folder / "chrfect" / "metrics" / "scoring.py"
    text = path.read_text()
    changed = text.replace(
        "sorted(self.count_parameters.items())", "sorted({**self.count_parameters, 'rule': 'old'}.items())"
    )
    assert changed != text
    path.write_text(changed)
    return str(folder)
