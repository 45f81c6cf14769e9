"""The width of a tie, and what it must absorb: units, axes, rounding, one far outlier."""

from __future__ import annotations

import math
from decimal import Decimal, getcontext

import numpy as np
import pytest
from _oracle import tie_rule_counts
from _tables import random_table

from skprivacy import closer_avatar_counts
from skprivacy.metrics._tie_rule import count_at_tiny_scale, tie_thresholds

EPS = 2.0**-52
GRIDS = ["integer", "tenths", "two decimals", "duplicated"]


def thresholds(X, own_rows, tie_tol=1e-12):
    X, own_rows = np.asarray(X, dtype=float), np.asarray(own_rows, dtype=float)
    return tie_thresholds(X, own_rows, np.median(X, axis=0), tie_tol)


def test_threshold_by_hand():
    # Median (3, 0); o = 5 and 0; ||x - med|| = 3 and 0; ||x|| = 0 and 3; ||y|| = 5 and 3.
    X, own_rows = [[0, 0], [3, 0], [6, 0]], [[3, 4], [3, 0], [6, 8]]
    first, second, third = thresholds(X, own_rows)
    assert first == pytest.approx(5 + 1e-12 * (3 + 5) + 4 * EPS * 5, rel=EPS, abs=0)
    assert second == pytest.approx(4 * EPS * (3 + 3), rel=EPS, abs=0)
    assert third == pytest.approx(8 + 1e-12 * (3 + 8) + 4 * EPS * (6 + 10), rel=EPS, abs=0)


@pytest.mark.parametrize("tie_tol", [1e-13, 1e-12, 1e-6])
def test_threshold_in_fifty_digits(tie_tol):
    getcontext().prec = 50
    rng = np.random.default_rng(0)
    X, own_rows = rng.normal(size=(31, 4)), rng.normal(size=(31, 4))
    median = np.sort(X, axis=0)[15]

    def norm(row):
        return sum(cell**2 for cell in row).sqrt()

    expected = []
    for rows in zip(X, own_rows, [median] * 31, strict=True):
        x, y, middle = ([Decimal(float(cell)) for cell in row] for row in rows)
        own = norm([a - b for a, b in zip(x, y, strict=True)])
        spread = norm([a - b for a, b in zip(x, middle, strict=True)])
        width = Decimal(tie_tol) * (spread + own) + Decimal(4 * EPS) * (norm(x) + norm(y))
        expected.append((own, width))
    found = [Decimal(float(t)) for t in thresholds(X, own_rows, tie_tol)]
    for threshold, (own, width) in zip(found, expected, strict=True):
        assert abs(threshold - own - width) < width / 100


def test_one_outlier_does_not_widen_the_ties_of_the_others():
    X = np.random.default_rng(0).normal(size=(51, 2))
    before = thresholds(X, X + 1)[:50]
    X[50] = 1e13
    after = thresholds(X, X + 1)[:50]
    # The median moves by at most one record; a mean would move by 2e11.
    assert np.abs(after - before).max() < 1e-12


# What the rule absorbs


def rotation(rng, d):
    return np.linalg.qr(rng.normal(size=(d, d)))[0]


@pytest.mark.parametrize("kind", [*GRIDS, "continuous"])
@pytest.mark.parametrize("d", [2, 3, 7, 20])
def test_rotation(kind, d):
    rng = np.random.default_rng(d)
    table = random_table(kind, rng, n=60, m=60, d=d)
    counts = closer_avatar_counts(table.X, table.Y, own_avatar=table.own)
    for _ in range(5):
        axes = rotation(rng, d)
        turned = closer_avatar_counts(table.X @ axes, table.Y @ axes, own_avatar=table.own)
        np.testing.assert_array_equal(turned, counts)


@pytest.mark.parametrize("kind", [*GRIDS, "continuous"])
@pytest.mark.parametrize("shift", [1.0, -0.3, 1e3, 12345.6])
def test_translation(kind, shift):
    table = random_table(kind, np.random.default_rng(1), n=60, m=60, d=4)
    counts = closer_avatar_counts(table.X, table.Y, own_avatar=table.own)
    moved = closer_avatar_counts(table.X + shift, table.Y + shift, own_avatar=table.own)
    np.testing.assert_array_equal(moved, counts)


@pytest.mark.parametrize("kind", [*GRIDS, "continuous", "near tie", "offset"])
@pytest.mark.parametrize("exponent", [-900, -140, -3, 7, 100, 900])
def test_scaling_by_a_power_of_two(kind, exponent):
    table = random_table(kind, np.random.default_rng(2), n=60, m=60, d=4)
    counts = closer_avatar_counts(table.X, table.Y, own_avatar=table.own)
    X, Y = (np.ldexp(part.astype(float), exponent) for part in (table.X, table.Y))
    np.testing.assert_array_equal(closer_avatar_counts(X, Y, own_avatar=table.own), counts)


@pytest.mark.parametrize("kind", [*GRIDS, "continuous"])
@pytest.mark.parametrize("factor", [math.pi, 2.54, 1e-3])
def test_change_of_units(kind, factor):
    table = random_table(kind, np.random.default_rng(3), n=60, m=60, d=4)
    counts = closer_avatar_counts(table.X, table.Y, own_avatar=table.own)
    X, Y = table.X * factor, table.Y * factor
    np.testing.assert_array_equal(closer_avatar_counts(X, Y, own_avatar=table.own), counts)


@pytest.mark.parametrize("kind", [*GRIDS, "continuous", "near tie", "offset", "mixed scale"])
def test_axis_order_and_signs(kind):
    rng = np.random.default_rng(4)
    table = random_table(kind, rng, n=60, m=60, d=9)
    X, Y = table.X.astype(float), table.Y.astype(float)
    counts = closer_avatar_counts(X, Y, own_avatar=table.own)
    for _ in range(5):
        order, signs = rng.permutation(9), rng.choice([-1, 1], size=9)
        turned = closer_avatar_counts(
            X[:, order] * signs, Y[:, order] * signs, own_avatar=table.own
        )
        np.testing.assert_array_equal(turned, counts)


@pytest.mark.parametrize("kind", GRIDS)
def test_last_bits_of_a_projection(kind):
    rng = np.random.default_rng(5)
    table = random_table(kind, rng, n=80, m=80, d=6)
    counts = closer_avatar_counts(table.X, table.Y, own_avatar=table.own)
    noise = 1 + EPS * rng.integers(-1, 2, size=(80, 6))
    X, Y = table.X * noise, table.Y * noise[::-1]
    np.testing.assert_array_equal(closer_avatar_counts(X, Y, own_avatar=table.own), counts)


# Below the squares of float64


@pytest.mark.parametrize("size", [1e-150, 1e-170, 1e-300, 5e-324])
def test_count_at_tiny_scale(size):
    rng = np.random.default_rng(6)
    X, Y = rng.integers(-3, 4, size=(21, 2)) * size, rng.integers(-3, 4, size=(30, 2)) * size
    own = rng.integers(30, size=21)
    median = np.median(X, axis=0)
    counts = [count_at_tiny_scale(x, Y, a, median, 1e-12) for x, a in zip(X, own, strict=True)]
    np.testing.assert_array_equal(counts, tie_rule_counts(X, Y, own))


def test_tiny_scale_has_the_same_rule():
    far_median, near_median = np.array([100.0]), np.array([0.0])
    Y = np.array([[1.0], [1 + 50e-12], [-1 - 200e-12]])
    # 1e-12 (100 + 1) with the median far away, 1e-12 (0 + 1) with it on the original.
    assert count_at_tiny_scale(np.array([0.0]), Y, 0, far_median, 1e-12) == 1
    assert count_at_tiny_scale(np.array([0.0]), Y, 0, near_median, 1e-12) == 0
    # At 1e6 the resolution 4 eps (1e6 + 1e6 + 1) is 1.8e-9.
    x = np.array([1e6])
    Y = np.array([[1e6 + 1], [1e6 - 1 - 1.3e-9], [1e6 - 1 - 2.4e-9]])
    assert count_at_tiny_scale(x, Y, 0, x, 1e-12) == 1


def test_limit_at_tiny_scale_is_itself_within():
    # x and the median are 0: on one axis the threshold is o + tie_tol o + 4 eps o, as rounded.
    o = 2.0**-900
    limit = o + 1e-12 * o + 4 * EPS * o
    x = np.array([0.0])
    for other, expected in ((limit, 1), (-limit, 1), (math.nextafter(limit, 1), 0)):
        assert count_at_tiny_scale(x, np.array([[o], [other]]), 0, x, 1e-12) == expected
