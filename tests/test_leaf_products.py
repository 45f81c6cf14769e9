"""Products of leaves: what they call certain is certain, and all else is measured again."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skprivacy.metrics import _leaf_products
from skprivacy.metrics._leaf_products import LeafCounter, avatar_factors, original_factors

U32 = Fraction(1, 2**24)
LEAVES = [slice(0, 5), slice(5, 12), slice(12, 13)]


def by_the_formula(x, threshold):
    """Return (x, 1, p) / E as the module's docstring has it, in fractions."""
    d = len(x)
    x, t = [Fraction(cell) for cell in x], Fraction(threshold)
    square = sum(cell**2 for cell in x)
    p = square - t**2
    error = (d + 5) * U32 * (2 * Fraction(math.sqrt(square)) + 1 + abs(p))
    error += (d + 4) * Fraction(1, 2**52) * (square + t**2)
    return [float(part / (error * Fraction(101, 100))) for part in (*x, 1, p)]


@pytest.mark.parametrize(
    ("x", "threshold"),
    [
        ([0.25, 0.5], 0.5),
        ([0.5], 2.0),
        ([0.0, 0.0, 0.0], 0.75),
        # So far away that the roundings of float64 weigh as much as those of float32.
        ([2.0**27, 0.0], 2.0**27),
        ([2.0**30, 2.0**30, 1.0, 1.0], 2.0**30),
    ],
)
def test_factors_of_originals_are_those_of_the_formula(x, threshold):
    factors = original_factors(np.array([x]).T, np.array([threshold]))
    assert factors.dtype == np.float32
    assert_allclose(factors[:, 0], by_the_formula(x, threshold), rtol=2.0**-22, atol=0)


def test_factors_of_avatars_by_hand():
    factors = avatar_factors(np.array([[0.5, 0.25], [0.0, -0.75]]))
    assert factors.dtype == np.float32
    assert factors.tolist() == [[-1.0, -0.5, 0.3125, 1.0], [0.0, 1.5, 0.5625, 1.0]]


@pytest.mark.parametrize("d", [1, 2, 3, 8, 24, 200])
def test_what_is_certain_is_so_in_fractions(d):
    # Thresholds are distances to avatars, in float32 indistinguishable from them.
    rng = np.random.default_rng(d)
    Y = rng.uniform(-1, 1, size=(40, d)) / np.sqrt(d)
    X = rng.uniform(-2, 2, size=(60, d))
    threshold = np.linalg.norm(X - Y[rng.integers(40, size=60)], axis=1)
    threshold *= 1 + rng.normal(size=60) * 2.0 ** -rng.integers(10, 40, size=60)
    g = avatar_factors(Y) @ original_factors(X.T.copy(), threshold)
    within = exactly_within(X, Y, threshold)
    assert within[g < -1].all()
    assert not within[g > 1].any()
    assert (np.abs(g) <= 1).any()
    assert (np.abs(g) > 1).mean() > 0.9


def exactly_within(X, Y, threshold):
    """Return which avatars are within the thresholds, (n_avatars, n_originals)."""
    X, Y = ([[Fraction(float(cell)) for cell in row] for row in table] for table in (X, Y))
    limits = [Fraction(float(t)) ** 2 for t in threshold]
    return np.array(
        [
            [
                sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) <= limit
                for x, limit in zip(X, limits, strict=True)
            ]
            for y in Y
        ]
    )


def counter_of_products(products, *, is_within, d=1):
    """Return a counter, and factors whose product with one avatar is as given.

    By direct differences the avatar is within all the thresholds, or within none.
    """
    n = len(products)
    factors = np.zeros((d + 2, n), dtype=np.float32)
    factors[-1] = products
    avatar = np.zeros((1, d + 2), dtype=np.float32)
    avatar[0, -1] = 1
    X = np.full((d, n), 0.5 if is_within else 2.0)
    return LeafCounter(np.zeros((1, d)), avatar, None, X, np.full(n, np.sqrt(d))), factors


@pytest.mark.parametrize("is_within", [True, False])
def test_products_up_to_1_either_way_are_measured(is_within):
    one, two = np.float32(1), np.float32(2)
    products = [np.nextafter(-one, -two), -1, -0.5, 0, 0.5, 1, np.nextafter(one, two)]
    counter, factors = counter_of_products(products, is_within=is_within)
    counter.add(slice(0, 1), np.arange(7), factors)
    counter.settle()
    assert counter.counts.tolist() == [1, *[int(is_within)] * 5, 0]


def test_pairs_are_put_aside_until_there_are_many(monkeypatch):
    monkeypatch.setattr(_leaf_products, "_MAX_CLOSE", 3)
    counter, factors = counter_of_products(np.zeros(2), is_within=True)
    seen = []
    for n in (2, 1, 1, 1, 2, 1):
        counter.add(slice(0, 1), np.arange(n), factors[:, :n])
        seen.append(int(counter.counts.sum()))
    # After 2, 3 and 4 pairs, and after 1, 3 and 4 more.
    assert seen == [0, 0, 4, 4, 4, 8]


@pytest.mark.parametrize(
    ("product_size", "parts"),
    # 64 elements are 21 pairs of three columns; of wider tables than fit, a pair at a time.
    [(64, [21, 21, 8]), (2, [1] * 50)],
)
def test_pairs_are_measured_in_parts_that_stay_in_the_cache(monkeypatch, product_size, parts):
    monkeypatch.setattr(_leaf_products, "_PRODUCT_SIZE", product_size)
    counter, factors = counter_of_products(np.zeros(50), is_within=True, d=3)
    sizes = []
    measure = LeafCounter._measure

    def spied(self, originals, avatars):
        sizes.append(len(originals))
        measure(self, originals, avatars)

    monkeypatch.setattr(LeafCounter, "_measure", spied)
    counter.add(slice(0, 1), np.arange(50), factors)
    counter.settle()
    assert sizes == parts
    assert counter.counts.tolist() == [1] * 50


@pytest.mark.parametrize("max_close", [1 << 16, 0])
@pytest.mark.parametrize("product_size", [1 << 17, 64, 13])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_counts_of_leaves(monkeypatch, is_weighted, product_size, max_close):
    monkeypatch.setattr(_leaf_products, "_PRODUCT_SIZE", product_size)
    monkeypatch.setattr(_leaf_products, "_MAX_CLOSE", max_close)
    rng = np.random.default_rng(0)
    # Whole multiples of 1/16, whose squared distances have no rounding.
    X, Y = rng.integers(-8, 9, size=(70, 3)), rng.integers(-4, 5, size=(13, 3))
    radius, own = rng.integers(1, 12, size=70), rng.integers(5, 12, size=70)
    weight = rng.integers(1, 5, size=13) if is_weighted else np.ones(13, dtype=int)
    within = ((X[:, None] - Y) ** 2).sum(axis=2) <= radius[:, None] ** 2
    within[np.arange(70), own] = False
    counter = LeafCounter(
        Y / 16,
        avatar_factors(Y / 16),
        weight.astype(float) if is_weighted else None,
        np.ascontiguousarray(X.T / 16),
        radius / 16,
    )
    asked = rng.permutation(70)[:60]
    factors = original_factors(X[asked].T / 16, radius[asked] / 16)
    for leaf in LEAVES:
        counter.add(leaf, asked, factors, own[asked] if leaf == LEAVES[1] else None)
    counter.settle()
    expected = np.zeros(70, dtype=int)
    expected[asked] = (within @ weight)[asked]
    assert_array_equal(counter.counts, expected)


def test_nothing_to_settle():
    counter, _ = counter_of_products([0.0], is_within=True)
    counter.settle()
    assert counter.counts.tolist() == [0]
