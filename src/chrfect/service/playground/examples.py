"""The examples that can be opened in the form."""

from __future__ import annotations

from chrfect.service.playground.form import Form

EXAMPLES: dict[str, tuple[str, Form]] = {
    "words": (
        "One sentence",
        Form(hypotheses="The cats sat on the mat.\n", references="The dogs sat on a mat.\n"),
    ),
    "systems": (
        "Two systems, German",
        Form(
            tool="chrf-plus-plus-compute",
            hypotheses="Der Zug nach Ulm fährt heute nicht.\nBitte nehmen Sie den Bus.\nWir bitten um Verständnis.\n",
            other="Der Ulm-Zug geht heute nicht.\nNehmen Sie bitte den Bus.\nEntschuldigung für das Problem.\n",
            references="Der Zug nach Ulm fällt heute aus.\nBitte nehmen Sie den Bus.\nWir bitten um Ihr Verständnis.\n",
        ),
    ),
    "hebrew": (
        "Hebrew",
        Form(
            hypotheses="החתול ישב על השטיח.\nהיום יורד גשם.\n", references="החתולה ישבה על השטיח.\nיורד היום גשם חזק.\n"
        ),
    ),
    "japanese": (
        "Japanese",
        Form(hypotheses="猫がマットの上に座った。\n", references="その猫はマットの上に座っていた。\n"),
    ),
    "bleu": (
        "BLEU, two references",
        Form(
            tool="bleu-corpus-compute",
            hypotheses="The guards stopped the thief at the gate.\nHe said that nothing was missing.\n",
            references=(
                "The guards stopped the thief at the gate.\tThe thief was caught by guards at the gate.\n"
                "He said nothing was missing.\tAccording to him, nothing was missing.\n"
            ),
        ),
    ),
}
"""Examples by name: the label and what is entered."""
