"""The marked texts of many segments have the runs and gains of each segment's explanation."""

import pytest

from chrfect import explain, parse
from chrfect.explanation.many import marked_texts

PAIRS = [
    ("The cats sat on the mat.", "The dogs sat on a mat."),
    ("red green blue", "red yellow blue"),
    ("nothing alike", "0123456789"),
    ("equal texts", "equal texts"),
]


@pytest.mark.parametrize("name", ["chrF", "chrF++", "wordF(word_order=2)", "BLEU(smoothing=add-k)"])
def test_runs_and_gains_are_those_of_the_explanations(name):
    metric = parse(name)
    hypotheses, references = [h for h, _ in PAIRS], [r for _, r in PAIRS]
    rows = metric.count(hypotheses, references).to_numpy()
    marked = list(marked_texts(metric.segmental, hypotheses, [[r] for r in references], rows, 100, 1000))
    seen = 0
    for (hypothesis, reference), texts in zip(PAIRS, marked, strict=True):
        why = explain(metric, hypothesis, reference, limit=None)
        assert [text.shown for text in texts] == [hypothesis, reference]
        for text, runs in zip(texts, (why.invented.shown, why.missed.shown), strict=True):
            found = {(run.start, run.end): run.gain for run in text.runs}
            for run in runs:
                if run.places == 1:
                    assert found[run.start, run.end] == pytest.approx(float(run.points), abs=1e-6)
                    seen += 1
    assert seen > 5
