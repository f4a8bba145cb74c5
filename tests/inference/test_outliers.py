"""Outliers lie more than 2.5 scaled median absolute deviations from the median."""

import pytest

from chrfect.inference.outliers import outliers


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([], []),
        ([5.0], []),
        ([0.0, 100.0], []),
        ([1.0, 2.0, 3.0, 4.0, 5.0 + 1.70], []),  # median 3, deviations 2 1 0 1 3.7, their median 1: limit 3.7065
        ([1.0, 2.0, 3.0, 4.0, 5.0 + 1.71], [4]),
        ([7.0, 7.0, 7.0, 1.0], []),  # most values are equal: no deviation to compare with
    ],
)
def test_outliers_are_those_beyond_the_limit(values, found):
    assert outliers(values) == found
