"""sacreBLEU's metric classes and their scores."""

from chrfect.compat.sacrebleu.metrics.bleu import BLEU, BLEUScore
from chrfect.compat.sacrebleu.metrics.chrf import CHRF, CHRFScore
from chrfect.compat.sacrebleu.metrics.ter import TER, TERScore

__all__ = ["BLEU", "CHRF", "METRICS", "TER", "BLEUScore", "CHRFScore", "TERScore"]

METRICS = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER}
