"""Print the peak memory of this process, in MB, after an approximate randomization of two systems by chrF.

    python bench/peak.py chrfect|sacreBLEU|texts SEGMENTS

``texts`` only makes the texts that both read.
"""

from __future__ import annotations

import sys
from pathlib import Path

from corpora import outputs_of_systems


def main(who: str, segments: int) -> None:
    outputs, references = outputs_of_systems(segments, 2)
    if who == "chrfect":
        from chrfect.evaluation import evaluate

        evaluate({"A": outputs[0], "B": outputs[1]}, references, "chrF").compare("A", test="sacrebleu-ar", threads=1)
    elif who == "sacreBLEU":
        from sacrebleu.metrics import CHRF
        from sacrebleu.significance import PairedTest

        named = [("A", outputs[0]), ("B", outputs[1])]
        PairedTest(named, {"chrF": CHRF()}, [references], "ar", n_samples=10_000)()
    status = Path("/proc/self/status").read_text()
    kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    print(round(int(kilobytes) / 1000))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
