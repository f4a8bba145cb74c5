"""The share of humans who agree equals the package of the authors, and is omitted below chance."""

import math
import warnings

import pytest

from chrfect import Bleu, ChrF, human_agreement

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # an escape sequence in its source
    mt_thresholds = pytest.importorskip("mt_thresholds")


@pytest.mark.parametrize(("metric", "name"), [(ChrF(), "chrf"), (Bleu(), "bleu"), (Bleu(tokenize="zh"), "bleu")])
def test_shares_equal_mt_thresholds(metric, name):
    for hundredths in range(-1000, 1001, 7):
        difference = hundredths / 100
        expected = mt_thresholds.accuracy(abs(difference), name)
        found = human_agreement(metric, difference)
        assert found is None if expected < 50 else found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("metric", "least"), [(ChrF(), 0.136), (Bleu(), 0.275)])
def test_the_share_is_omitted_below_chance(metric, least):
    assert human_agreement(metric, math.floor(1000 * least - 1) / 1000) is None
    assert human_agreement(metric, least + 0.001) >= 50
    assert human_agreement(metric, 0.0) is None


@pytest.mark.parametrize(
    "metric", [ChrF(word_order=2), ChrF(beta=3), ChrF(lowercase=True), Bleu(max_order=3), Bleu(smoothing="none")]
)
def test_the_share_is_omitted_for_other_metrics(metric):
    assert human_agreement(metric, 5.0) is None
