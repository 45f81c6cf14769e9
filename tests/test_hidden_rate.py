"""Hidden Rate: the share of originals with at least one closer avatar."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest

from skprivacy import HiddenRate, closer_avatar_counts, hidden_rate_score
from skprivacy.metrics import _hidden_rate
from skprivacy.metrics._hidden_rate import hidden_rate_of_counts

# Only 10 has a closer avatar (12) than its own (4).
ORIGINALS = np.array([[0.0], [10.0], [20.0], [30.0]])
AVATARS = np.array([[1.0], [4.0], [12.0], [31.0]])


def test_by_hand():
    assert hidden_rate_score(ORIGINALS, AVATARS) == 25
    assert HiddenRate().fit(ORIGINALS).score(AVATARS) == 25


def test_copies_hide_nobody_and_one_avatar_for_all_hides_everybody():
    assert hidden_rate_score(ORIGINALS, ORIGINALS) == 0
    assert hidden_rate_score(ORIGINALS, np.full((4, 1), 15.0)) == 100


def test_duplicated_copies_hide_each_other():
    twins = np.repeat(ORIGINALS, 2, axis=0)
    assert hidden_rate_score(twins, twins) == 100


def test_one_original():
    assert hidden_rate_score([[3]], [[3]]) == 0


def test_pairing_with_more_avatars_than_originals():
    avatars = [[31.0], [12.0], [4.0], [1.0], [21.0]]
    # 21 is closer to 20 than its own 12; 12 is closer to 10 than its own 4.
    assert hidden_rate_score(ORIGINALS, avatars, own_avatar=[3, 2, 1, 0]) == 50


def test_n_components():
    noise = [[0.0], [1e6], [0.0], [0.0]]
    X, Y = np.hstack([ORIGINALS, noise]), np.hstack([AVATARS, noise[::-1]])
    assert hidden_rate_score(X, Y, n_components=1) == 25
    assert hidden_rate_score(X, Y) != 25


def test_share_is_the_float_nearest_to_it():
    # A floor of 58 % is met by 58 of 100, and a strict limit of 55 % not by 55 of 100.
    for n in (20, 50, 100, 569):
        shares = [hidden_rate_of_counts(np.repeat([3, 0], [k, n - k])) for k in range(n + 1)]
        assert shares == [float(Fraction(100 * k, n)) for k in range(n + 1)]


def test_the_function_passes_its_parameters_on():
    with pytest.raises(ValueError, match="tie_tol"):
        hidden_rate_score(ORIGINALS, AVATARS, tie_tol=1)
    with pytest.raises(ValueError, match="n_jobs"):
        hidden_rate_score(ORIGINALS, AVATARS, n_jobs=0)


# Weights


def test_weights_weigh_records():
    assert hidden_rate_score(ORIGINALS, AVATARS, sample_weight=[1, 2, 1, 0]) == 50
    assert hidden_rate_score(ORIGINALS, AVATARS, sample_weight=[1, 0, 1, 1]) == 0
    assert hidden_rate_score(ORIGINALS, AVATARS, sample_weight=[0, 1e-9, 0, 0]) == 100


@pytest.mark.parametrize("weight", [1, 7, 0.1, 1 / 3, 1e-300, 1e300])
@pytest.mark.parametrize("n", [2, 3, 10, 49])
def test_equal_weights_change_nothing(weight, n):
    counts = np.random.default_rng(n).integers(3, size=n)
    weighted = hidden_rate_score_of(counts, np.full(n, weight))
    assert weighted == pytest.approx(hidden_rate_of_counts(counts), rel=1e-15)


def hidden_rate_score_of(counts, sample_weight):
    """Return the score of a table with these counts: nobody is near anybody else."""
    X, Y, own = [], [], []
    for i, count in enumerate(counts):
        own.append(len(Y))
        X.append([1000.0 * i])
        Y.extend([[1000.0 * i + 5]] + [[1000.0 * i + 1]] * int(count))
    np.testing.assert_array_equal(closer_avatar_counts(X, Y, own_avatar=own), counts)
    return hidden_rate_score(X, Y, own_avatar=own, sample_weight=sample_weight)


def test_whole_weights_are_repeated_records():
    rng = np.random.default_rng(0)
    for _ in range(20):
        counts, weight = rng.integers(3, size=12), rng.integers(4, size=12) + (np.arange(12) == 0)
        repeated = hidden_rate_of_counts(np.repeat(counts, weight))
        assert hidden_rate_score_of(counts, weight) == pytest.approx(repeated, rel=1e-14)


def test_all_hidden_is_exactly_100_whatever_the_weights():
    weight = np.random.default_rng(0).random(1000)
    assert hidden_rate_of_counts(np.ones(1000, dtype=int), weight) == 100
    assert hidden_rate_of_counts(np.zeros(1000, dtype=int), weight) == 0


# transform


def test_transform_speaks_of_the_owner_of_each_avatar():
    values = HiddenRate().fit(ORIGINALS, own_avatar=[3, 2, 1, 0]).transform(AVATARS[::-1])
    np.testing.assert_array_equal(values, [[0.0], [0.0], [1.0], [0.0]], strict=True)


def test_transform_averages_to_the_score():
    X, Y = np.random.default_rng(0).normal(size=(2, 45, 2))
    own = np.random.default_rng(1).permutation(45)
    metric = HiddenRate().fit(X, own_avatar=own)
    assert metric.score(Y) == pytest.approx(100 * metric.transform(Y).mean())


@pytest.mark.parametrize(("own", "n_avatars"), [([0, 0, 2], 3), ([0, 1, 2], 4)])
def test_transform_needs_an_owner_for_each_avatar(own, n_avatars):
    metric = HiddenRate().fit([[0], [1], [2]], own_avatar=own)
    with pytest.raises(ValueError, match=r"one to one.*closer_avatar_counts"):
        metric.transform(np.arange(n_avatars)[:, None])


# Wrong ways of summing up, each of which the case beside it must catch


def of_the_avatars(counts, n_avatars):
    return 100 * np.count_nonzero(counts) / n_avatars


def share_of_the_exposed(counts, _):
    return 100 * np.mean(counts == 0)


def more_than_one_needed(counts, _):
    return 100 * np.mean(counts > 1)


def not_in_percent(counts, _):
    return np.mean(counts > 0)


def of_distinct_counts(counts, _):
    return 100 * np.count_nonzero(counts) / len(np.unique(counts))


MUTANTS = [of_the_avatars, share_of_the_exposed, more_than_one_needed, not_in_percent]


@pytest.mark.parametrize("mutant", [*MUTANTS, of_distinct_counts], ids=lambda m: m.__name__)
def test_a_wrong_way_of_summing_up_is_caught(mutant):
    counts, n_avatars = np.array([0, 1, 0, 0]), 5
    assert hidden_rate_of_counts(counts) == 25
    assert mutant(counts, n_avatars) != 25


@pytest.mark.parametrize("spread", [0.05, 0.5, 5.0])
def test_stopping_early_changes_neither_score_nor_warning(spread, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 3))
    Y = X + spread * rng.normal(size=X.shape)
    outcomes = []
    for few in (0, len(X)):
        monkeypatch.setattr(_hidden_rate, "_FEW_ORIGINALS", few)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            score = hidden_rate_score(X, Y)
        outcomes.append((score, len(caught)))
    assert outcomes[0] == outcomes[1]


class Counted:
    """A comparison whose counts are known, and which notes how they were asked for."""

    def __init__(self, counts):
        self.X = self.Y = np.zeros((len(counts), 1))
        self.counts = np.array(counts)
        self.asked = []

    def count(self, rows=None, *, stop_at_one=False):
        self.asked.append(stop_at_one)
        return self.counts


@pytest.mark.parametrize(("few", "stops"), [(9, True), (10, False), (11, False)])
def test_counting_stops_early_above_a_few_originals_only(few, stops, monkeypatch):
    monkeypatch.setattr(_hidden_rate, "_FEW_ORIGINALS", few)
    comparison = Counted([0] * 10)
    HiddenRate()._counts_for_score(comparison)
    assert comparison.asked == [stops]


@pytest.mark.parametrize(("n_hidden", "checks"), [(4, False), (5, True), (6, True)])
def test_the_pairing_is_checked_where_half_of_the_originals_are_hidden(
    n_hidden, checks, monkeypatch
):
    checked = []
    monkeypatch.setattr(_hidden_rate, "_FEW_ORIGINALS", 0)
    monkeypatch.setattr(_hidden_rate, "warn_if_unpaired_sample", checked.append)
    comparison = Counted([1] * n_hidden + [0] * (10 - n_hidden))
    HiddenRate()._counts_for_score(comparison)
    assert checked == [comparison] * checks
