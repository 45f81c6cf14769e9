"""Local Cloaking: the median count, weighted or not."""

from __future__ import annotations

import statistics
from fractions import Fraction

import numpy as np
import pytest

from skprivacy import LocalCloaking, closer_avatar_counts, local_cloaking_score
from skprivacy.metrics._local_cloaking import local_cloaking_of_counts

# Counts 2, 1, 3, 0: from 0 the avatars 1 and 4 are closer than 12, and so on.
ORIGINALS = np.array([[0.0], [10.0], [20.0], [30.0]])
AVATARS = np.array([[12.0], [4.0], [1.0], [31.0]])


def exact_weighted_median(counts, weights):
    """Return the mean of the two values that halve the exact total weight."""
    pairs = sorted(zip(counts, map(Fraction, weights), strict=True))
    half, below, middle = sum(weight for _, weight in pairs) / 2, 0, []
    for count, weight in pairs:
        if weight > 0 and below <= half <= below + weight:
            middle.append(count)
        below += weight
    return (middle[0] + middle[-1]) / 2


def test_by_hand():
    assert local_cloaking_score(ORIGINALS, AVATARS) == 1.5
    assert local_cloaking_score(ORIGINALS[:3], AVATARS[:3]) == 2
    assert LocalCloaking().fit(ORIGINALS).score(AVATARS) == 1.5


def test_range():
    assert local_cloaking_score(ORIGINALS, ORIGINALS) == 0
    assert local_cloaking_score(ORIGINALS, np.full((4, 1), 15.0)) == 3
    assert local_cloaking_score([[1]], [[1]]) == 0


def test_n_components():
    noise = [[0.0], [1e6], [0.0], [0.0]]
    X, Y = np.hstack([ORIGINALS, noise]), np.hstack([AVATARS, noise[::-1]])
    assert local_cloaking_score(X, Y, n_components=1) == 1.5


def test_the_function_passes_its_parameters_on():
    avatars = np.vstack([AVATARS, [[-500.0]]])
    assert local_cloaking_score(ORIGINALS, avatars, own_avatar=[4, 4, 4, 4]) == 4
    noise = np.array([[0.0], [1e6], [1e6], [0.0]])
    X, Y = np.hstack([ORIGINALS, noise]), np.hstack([AVATARS, noise[::-1]])
    assert local_cloaking_score(X, Y, n_components=1) != local_cloaking_score(X, Y)
    with pytest.raises(ValueError, match="tie_tol"):
        local_cloaking_score(ORIGINALS, AVATARS, tie_tol=1)
    with pytest.raises(ValueError, match="n_jobs"):
        local_cloaking_score(ORIGINALS, AVATARS, n_jobs=0)


# Weights


def test_weighted_by_hand():
    counts = np.array([2, 1, 3, 0])
    for weights, expected in [
        ([1, 1, 1, 1], 1.5),
        ([0, 1, 0, 1], 0.5),
        ([1, 0, 0, 0], 2),
        ([3, 1, 1, 1], 2),
        ([1, 1, 2, 0], 2.5),
        ([0.1, 0.1, 0.1, 0.3], 0.5),
    ]:
        assert local_cloaking_score(ORIGINALS, AVATARS, sample_weight=weights) == expected
        assert exact_weighted_median(counts, [Fraction(str(w)) for w in weights]) == expected


@pytest.mark.parametrize("weight", [1, 0.1, 1 / 3, 0.7, 1e-300, 1e300])
@pytest.mark.parametrize("n", range(1, 51))
def test_equal_weights_change_nothing(weight, n):
    rng = np.random.default_rng(n)
    for counts in (rng.permutation(n), rng.integers(4, size=n)):
        weighted = local_cloaking_of_counts(counts, np.full(n, weight))
        assert weighted == statistics.median(counts.tolist())


@pytest.mark.parametrize("n", range(1, 21))
def test_whole_weights_are_repeated_records(n):
    rng = np.random.default_rng(n)
    for unit in (1, 0.1, 1 / 3):
        counts = rng.integers(10, size=n)
        weight = rng.integers(5, size=n) + (np.arange(n) == 0)
        repeated = statistics.median(np.repeat(counts, weight).tolist())
        assert local_cloaking_of_counts(counts, weight * unit) == repeated


def test_weights_against_exact_arithmetic():
    rng = np.random.default_rng(0)
    for _ in range(300):
        n = int(rng.integers(1, 40))
        counts, tenths = rng.integers(8, size=n), rng.integers(4, size=n)
        tenths[0] += 1
        expected = exact_weighted_median(counts.tolist(), tenths.tolist())
        # As typed: 0.1 + 0.2 and 0.3 weigh the same.
        assert local_cloaking_of_counts(counts, tenths / 10) == expected


def test_a_record_without_weight_is_as_good_as_absent():
    counts = np.array([0, 4, 4, 9, 9])
    assert local_cloaking_of_counts(counts, np.array([1.0, 0, 0, 1, 0])) == 4.5
    assert local_cloaking_of_counts(counts, np.array([0.0, 1, 0, 0, 0])) == 4


def test_a_half_is_exact_up_to_one_rounding_for_each_record():
    eps = np.finfo(np.float64).eps
    counts, total = np.array([0, 5]), 1.0
    for share, expected in [
        (0.5, 2.5),
        (0.5 - 2 * eps * total, 2.5),
        (0.5 + 2 * eps * total, 2.5),
        (0.5 - 3 * eps * total, 5),
        (0.5 + 3 * eps * total, 0),
    ]:
        assert local_cloaking_of_counts(counts, np.array([share, total - share])) == expected


# transform


def test_transform_speaks_of_the_owner_of_each_avatar():
    values = LocalCloaking().fit(ORIGINALS, own_avatar=[1, 0, 3, 2]).transform(AVATARS)
    counts = closer_avatar_counts(ORIGINALS, AVATARS, own_avatar=[1, 0, 3, 2])
    np.testing.assert_array_equal(values, counts[[1, 0, 3, 2], None].astype(float), strict=True)


def test_transform_has_the_score_for_a_median():
    X, Y = np.random.default_rng(0).normal(size=(2, 45, 2))
    own = np.random.default_rng(1).permutation(45)
    metric = LocalCloaking().fit(X, own_avatar=own)
    assert metric.score(Y) == np.median(metric.transform(Y))


@pytest.mark.parametrize(("own", "n_avatars"), [([0, 0, 2], 3), ([0, 1, 2], 4)])
def test_transform_needs_an_owner_for_each_avatar(own, n_avatars):
    metric = LocalCloaking().fit([[0], [1], [2]], own_avatar=own)
    with pytest.raises(ValueError, match=r"one to one.*closer_avatar_counts"):
        metric.transform(np.arange(n_avatars)[:, None])


# Wrong ways of summing up, each of which the case beside it must catch

MUTANTS = {
    "median of positives": lambda counts: np.median(counts[counts > 0]),
    "mean": np.mean,
    "lower median": lambda counts: statistics.median_low(counts.tolist()),
    "upper median": lambda counts: statistics.median_high(counts.tolist()),
    "median of distinct counts": lambda counts: np.median(np.unique(counts)),
    "own avatar counted": lambda counts: np.median(counts + 1),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_wrong_way_of_summing_up_is_caught(mutant):
    counts = np.array([0, 0, 0, 3, 3, 4, 7, 19])
    assert local_cloaking_of_counts(counts) == 3
    even = np.array([0, 0, 1, 4, 5, 5])
    assert local_cloaking_of_counts(even) == 2.5
    wrong = MUTANTS[mutant]
    assert (wrong(counts), wrong(even)) != (3, 2.5)
