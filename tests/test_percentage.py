"""Shares of records in percent."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from skprivacy.metrics import _percentage
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


def test_a_weighted_share_is_at_most_100_and_not_more_than_the_typed_decimals_give():
    rng = np.random.default_rng(0)
    for _ in range(2000):
        tenths = rng.integers(0, 10, size=rng.integers(2, 30))
        flags = rng.random(len(tenths)) < 0.9
        if not tenths.any():
            continue
        exact = Fraction(100 * int(tenths[flags].sum()), int(tenths.sum()))
        share = percentage(flags, tenths / 10)
        assert share == pytest.approx(float(exact), rel=1e-14)
        assert share <= 100
        if exact.denominator == 1:
            assert share <= exact


def test_integer_weights_are_exactly_repeated_records():
    rng = np.random.default_rng(0)
    for _ in range(500):
        repeats = rng.integers(0, 50, size=20) + (np.arange(20) == 0)
        flags = rng.random(20) < 0.5
        repeated = percentage(np.repeat(flags, repeats))
        assert percentage(flags, repeats.astype(float)) <= repeated
        assert percentage(flags, repeats.astype(float)) == pytest.approx(repeated, rel=1e-15)


EPS = np.finfo(np.float64).eps


def share_of_100(true):
    """Return the share of a record of this weight, in percent, where all together weigh 100."""
    # At 99 the weights of the others are 64 eps apart, and so are sums near 100.
    return percentage(np.array([True, False]), np.array([true, 100 - true]))


@pytest.mark.parametrize("limit", [1.0, 1.000000001])
def test_a_share_no_more_than_rounded_weights_above_a_round_number_is_that_number(limit):
    width = _percentage._ROUNDING
    above = limit + width
    while above - limit > width:
        above = np.nextafter(above, 0)
    assert share_of_100(limit) == share_of_100(np.nextafter(limit, 2)) == limit
    assert share_of_100(above) == limit
    assert share_of_100(np.nextafter(above, 2)) > limit


def test_a_share_below_a_round_number_or_of_more_than_nine_decimals_stays():
    for share in (np.nextafter(1.0, 0), 1.0000000001 + 4 * EPS):
        assert share_of_100(share) == share
