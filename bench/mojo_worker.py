"""Score with sacrebleu-mojo on request: a line with a corpus loads it, an empty object scores it once."""

import json
import sys
import time

from sacrebleu_mojo import corpus_chrf

hypotheses, references, word_order = [], [], 0
for line in sys.stdin:
    message = json.loads(line)
    if message:
        hypotheses, references, word_order = message["hypotheses"], message["references"], message["word_order"]
    start = time.process_time()
    corpus_chrf(hypotheses, [references], word_order=word_order)
    print(time.process_time() - start, flush=True)
