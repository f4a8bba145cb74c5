"""Score the examples from Python, and show all numbers behind one score."""

from pathlib import Path

from chrfect import parse
from chrfect.files.texts import read_aligned
from chrfect.report import Table

folder = Path(__file__).parent
names = ("systemA", "systemB")
references, *texts = read_aligned([str(folder / f"{name}.txt") for name in ("reference", *names)])
systems = dict(zip(names, texts, strict=True))
metrics = [parse(name) for name in ("chrF", "chrF+", "chrF++", "wordF")]

results = {name: [metric.both(texts, references) for metric in metrics] for name, texts in systems.items()}

print("Two systems, ten segments, eight languages\n")
corpus = [[name, *(result.score for result in row)] for name, row in results.items()]
print(Table(["corpus", *map(str, metrics)], corpus).text())

print("\nAll segments (chrF++)\n")
first, second = (row[2].segments.scores for row in results.values())
segments = [
    [i, a, b, text if len(text) <= 40 else text[:39] + "…"]
    for i, (a, b, text) in enumerate(zip(first, second, references, strict=True), 1)
]
print(Table(["segment", *systems, "reference"], segments).text())

chrf = results["systemA"][2]
print("\nAll counts behind systemA's chrF++\n")
orders = [
    [
        f"{order.kind} {order.n}-grams",
        *(order.hypothesis_ngrams, order.reference_ngrams, order.matches),
        *(order.precision, order.recall, order.f),
    ]
    for order in chrf.orders
]
print(Table(["order", "hypothesis", "reference", "matches", "precision", "recall", "F"], orders).text())
print(f"\nprecision  {float(chrf.precision_fraction):9.6f}   (mean of the orders)")
print(f"recall     {float(chrf.recall_fraction):9.6f}   (mean of the orders)")
print(f"chrF++     {chrf.score_text}   (five times P times R, over four times P plus R)")
print(f"exactly    {chrf.score_fraction.numerator}")
print(f"         / {chrf.score_fraction.denominator}")
print(f"\n{chrf.metric.signature}")
