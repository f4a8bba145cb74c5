"""Score with sacrebleu-mojo on request: a line with a corpus loads and scores it, an empty object scores it once more.

Each answer is a line with the seconds and the score.
"""

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
    score = corpus_chrf(hypotheses, [references], word_order=word_order).score
    print(json.dumps([time.process_time() - start, score]), flush=True)
