"""A metric for Hugging Face's library `evaluate`; importing this module imports that library.

``evaluate.load(chrfect.compat.huggingface.__file__, "chrF++")`` loads it by path, without a network.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import evaluate
from datasets import Features, Value
from datasets import Sequence as ListOf

from chrfect.metrics import parse

DESCRIPTION = "A metric of chrfect; the configuration is its name, such as chrF++ or BLEU(tokenize=zh)."
INPUTS = """
predictions: a list of texts.
references: a text for each prediction, or a list of texts for each.
segment_scores: whether to return the score of each prediction too.
"""


class ChrfectMetric(evaluate.Metric):  # type: ignore[misc]
    """A metric of chrfect as a metric of `evaluate`.

    Parameters
    ----------
    config_name : str
        The name of the metric, such as ``chrF++`` or ``BLEU(tokenize=zh)``; by default ``chrF``.
    **options
        As for ``evaluate.load``, such as ``num_process`` and ``experiment_id``.
    """

    def __init__(self, config_name: str | None = None, **options: Any) -> None:
        self._metric = parse(config_name or "chrF")
        super().__init__(config_name=str(self._metric), **options)

    def _info(self) -> Any:
        texts = Value("string")
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            citation="",
            inputs_description=INPUTS,
            features=[
                Features({"predictions": texts, "references": ListOf(texts)}),
                Features({"predictions": texts, "references": texts}),
            ],
        )

    def _compute(
        self, predictions: Sequence[str], references: Sequence[Any], segment_scores: bool = False
    ) -> dict[str, Any]:
        """Return the score, its six exact decimals, and the signature."""
        is_list = not isinstance(references[0], str)
        given: dict[str, Any] = {"references_per_segment" if is_list else "references": references}
        result = self._metric.both(predictions, **given)
        scores = {"score": result.score, "score_text": result.score_text, "signature": result.signature}
        return scores | ({"segment_scores": result.segments.scores} if segment_scores else {})
