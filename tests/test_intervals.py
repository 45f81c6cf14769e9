"""Intervals of a share and of a median."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from skprivacy.metrics._intervals import check_confidence_level, median_interval, share_interval

# Quantiles of the standard normal distribution, from a printed table.
NORMAL_QUANTILES = {0.9: 1.6448536269514722, 0.95: 1.959963984540054, 0.99: 2.5758293035489004}


def wilson(hits, n, z):
    """Wilson's interval in percent, solved from |p - hits / n| = z sqrt(p (1 - p) / n)."""
    a, b, c = 1 + z**2 / n, -(2 * hits / n + z**2 / n), (hits / n) ** 2
    root = math.sqrt(max(b**2 - 4 * a * c, 0))
    return 100 * (-b - root) / (2 * a), 100 * (-b + root) / (2 * a)


@pytest.mark.parametrize("level", sorted(NORMAL_QUANTILES))
@pytest.mark.parametrize(("hits", "n"), [(0, 1), (1, 1), (0, 40), (40, 40), (7, 12), (528, 569)])
def test_share_interval_is_wilsons(hits, n, level):
    is_safe = np.arange(n) < hits
    expected = wilson(hits, n, NORMAL_QUANTILES[level])
    assert share_interval(is_safe, level) == pytest.approx(expected, abs=1e-7)


def coverage(k, n):
    """Exact probability that the k-th smallest and k-th largest of n enclose the median."""
    below = sum(math.comb(n, i) for i in range(k))
    return 1 - 2 * Fraction(below, 2**n)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("n", [1, 2, 5, 6, 7, 20, 61, 200])
def test_median_interval_is_the_narrowest_that_covers_enough(n, level):
    # The counts 0..n-1 in any order: the k-th smallest is k - 1.
    counts = np.random.default_rng(n).permutation(n).astype(np.int64)
    low, high = median_interval(counts, level, highest=1000)
    wide_enough = [k for k in range(1, n // 2 + 1) if coverage(k, n) >= Fraction(level)]
    if not wide_enough:
        assert (low, high) == (0, 1000)
    else:
        k = max(wide_enough)
        assert (low, high) == (k - 1, n - k)


def test_median_interval_of_ties_and_of_one_record():
    assert median_interval(np.full(50, 3), 0.95, highest=49) == (3, 3)
    assert median_interval(np.array([3]), 0.95, highest=49) == (0, 49)


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, float("nan")])
def test_a_level_outside_is_refused(level):
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        check_confidence_level(level)


@pytest.mark.parametrize("level", ["0.95", None, True])
def test_a_level_that_is_no_number_is_refused(level):
    with pytest.raises(TypeError, match="must be a real number"):
        check_confidence_level(level)


def test_a_numpy_level_becomes_a_python_one():
    assert type(check_confidence_level(np.float64(0.9))) is float
