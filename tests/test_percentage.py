"""Shares of records in percent."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from skprivacy.metrics._percentage import percentage


@pytest.mark.parametrize("n", [1, 3, 7, 100, 569])
def test_an_unweighted_share_is_the_float_nearest_to_it(n):
    for k in range(n + 1):
        assert percentage(np.arange(n) < k) == float(Fraction(100 * k, n))


def test_100_times_a_mean_is_not_the_nearest_float():
    flags = np.arange(100) < 55
    assert 100 * flags.mean() != percentage(flags) == 55.0


def test_weights_count_as_repeated_records():
    flags, repeats = np.array([True, False, True]), np.array([1, 2, 4])
    repeated = percentage(np.repeat(flags, repeats))
    assert percentage(flags, repeats.astype(float)) == pytest.approx(repeated, rel=1e-15)


def test_a_weight_of_zero_leaves_a_record_out():
    assert percentage(np.array([True, False]), np.array([1.0, 0.0])) == 100.0
    assert percentage(np.array([True, False]), np.array([0.0, 1.0])) == 0.0
