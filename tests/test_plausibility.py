"""The two warnings: exactly where they belong, on real tables, and nowhere else."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from skprivacy import HiddenRate, LocalCloaking, hidden_rate_score, local_cloaking_score
from skprivacy.metrics._closer_avatars import CloserAvatars
from skprivacy.metrics._plausibility import (
    _N_SAMPLED,
    doubt_if_unpaired,
    warn_if_other_space,
    warn_if_unpaired,
    warn_if_unpaired_sample,
)

SCORES = [hidden_rate_score, local_cloaking_score]
REAL = {"breast cancer": load_breast_cancer().data, "wine": load_wine().data}
PAIRING, SPACE = "no closer than a random pairing", "outside the originals' range"


def anonymise(X, k=10):
    """Replace each record by a random mix of its k nearest others, in standard units."""
    rng = np.random.default_rng(0)
    scaled = StandardScaler().fit_transform(X)
    neighbours = NearestNeighbors(n_neighbors=k).fit(scaled).kneighbors(return_distance=False)
    return np.einsum("ik,ikj->ij", rng.dirichlet(np.full(k, 2 / k), len(X)), X[neighbours])


def messages(score, *tables, **settings):
    """Return the texts of the warnings that a score gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        score(*tables, **settings)
    assert all(issubclass(warning.category, UserWarning) for warning in caught)
    return [str(warning.message) for warning in caught]


@pytest.fixture(params=REAL)
def originals(request):
    return REAL[request.param]


@pytest.mark.parametrize("score", SCORES)
class TestRealTables:
    def test_healthy_avatars_give_no_warning(self, score, originals):
        X, avatars = originals, anonymise(originals)
        scaler = StandardScaler().fit(X)
        assert messages(score, X, avatars) == []
        assert messages(score, scaler.transform(X), scaler.transform(avatars)) == []

    def test_copies_give_no_warning(self, score, originals):
        assert messages(score, originals, originals) == []

    def test_shuffled_copies_warn_of_the_pairing(self, score, originals):
        X = StandardScaler().fit_transform(originals)
        order = np.random.default_rng(0).permutation(len(X))
        (message,) = messages(score, X, X[order])
        assert PAIRING in message
        assert "own_avatar" in message
        assert "same space" in message

    def test_shuffled_avatars_warn_of_the_pairing(self, score, originals):
        scaler = StandardScaler().fit(originals)
        X, avatars = scaler.transform(originals), scaler.transform(anonymise(originals))
        order = np.random.default_rng(0).permutation(len(X))
        (message,) = messages(score, X, avatars[order])
        assert PAIRING in message

    def test_shuffled_avatars_with_their_pairing_do_not(self, score, originals):
        avatars = anonymise(originals)
        order = np.random.default_rng(0).permutation(len(originals))
        pairing = np.argsort(order)
        assert messages(score, originals, avatars[order], own_avatar=pairing) == []

    def test_raw_units_against_standard_units_warn_of_the_space(self, score, originals):
        scaled = StandardScaler().fit(originals).transform(anonymise(originals))
        found = messages(score, originals, scaled)
        assert sum(SPACE in message for message in found) == 1
        assert sum(PAIRING in message for message in found) == 1

    def test_columns_that_are_not_used_do_not_warn(self, score, originals):
        avatars = anonymise(originals)
        avatars[:, 3:] += 1e9
        assert messages(score, originals, avatars, n_components=3) == []


def test_shuffled_copies_look_like_privacy():
    X = StandardScaler().fit_transform(REAL["breast cancer"])
    order = np.random.default_rng(0).permutation(len(X))
    with pytest.warns(UserWarning, match=PAIRING):
        assert hidden_rate_score(X, X[order]) > 99


@pytest.mark.parametrize("Metric", [HiddenRate, LocalCloaking])
def test_transform_and_fit_do_not_judge(Metric):
    X = StandardScaler().fit_transform(REAL["wine"])
    Metric().fit(X).transform(X[::-1] + 1e9)


# Exactly at the limits


def line(m, count, n_copies=1):
    """Return originals at both ends of a line of m avatars, each with this count."""
    avatars = np.arange(1.0, m + 1)[:, None]
    originals = np.repeat([[0.0], [m + 1.0]], n_copies, axis=0)
    return originals, avatars, np.repeat([count, m - 1 - count], n_copies)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("n_copies", [1, 200])
@pytest.mark.parametrize(
    ("m", "count", "warns"),
    [
        (49, 48, False),
        (50, 49, True),
        (50, 18, True),
        # 0.35 (50 - 1) = 17.15
        (50, 17, False),
        # 0.35 (101 - 1) = 35
        (101, 35, True),
        (101, 34, False),
        (1001, 350, True),
        (1001, 349, False),
    ],
)
def test_limits_of_the_pairing_warning(score, n_copies, m, count, warns):
    # 400 originals are more than the sample that Hidden Rate decides on.
    X, Y, own = line(m, count, n_copies)
    found = messages(score, X, Y, own_avatar=own)
    assert len(found) == warns
    assert all(PAIRING in message for message in found)

    comparison = CloserAvatars(X, Y, own, tie_tol=1e-12)
    assert messages(warn_if_unpaired_sample, comparison) == found


def test_the_warning_of_the_pairing_tells_the_median():
    doubt = doubt_if_unpaired(np.array([20, 21, 49]), 50)
    assert "median count 21 of 49 other avatars" in doubt


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("n_far", [599, 600, 601])
def test_half_of_the_records_decide(score, n_far):
    # Of 1 200 records n_far have count 100, the rest 0: the median of 600 and 600 is 50.
    rng = np.random.default_rng(0)
    counts = rng.permutation(np.repeat([100, 0], [n_far, 1200 - n_far]))
    left = rng.random(1200) < 0.5
    X, own = np.where(left, 0.0, 102.0)[:, None], np.where(left, counts, 100 - counts)
    found = messages(score, X, np.arange(1.0, 102)[:, None], own_avatar=own)
    assert len(found) == (n_far >= 600)


def test_limit_is_exact_for_every_number_of_avatars():
    for m in range(61, 20_000, 20):
        limit = 7 * (m - 1) // 20
        with pytest.warns(UserWarning, match=PAIRING):
            warn_if_unpaired(np.array([limit]), m)
        warn_if_unpaired(np.array([limit - 1, limit]), m)


@pytest.mark.parametrize("share", [0.2, 0.3, 0.34, 0.36, 0.4, 0.5])
def test_hidden_rate_decides_on_a_sample_as_on_all(share):
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(400, 2))
    X = rng.normal(size=(2000, 2))
    # The own avatar has about this share of the avatars before it.
    order = np.argsort(((X[:, None] - Y[None]) ** 2).sum(axis=-1), axis=1)
    own = order[np.arange(2000), (share * 400 + rng.integers(-20, 20, size=2000)).astype(int)]
    comparison = CloserAvatars(X, Y, own, tie_tol=1e-12)
    of_all = len(messages(warn_if_unpaired, comparison.count(), 400))
    assert len(messages(warn_if_unpaired_sample, comparison)) == of_all == (share > 0.35)


class Counted:
    """A comparison with known counts of 1 001 avatars, which notes who is counted."""

    def __init__(self, counts):
        self.X, self.Y = np.zeros((len(counts), 1)), np.zeros((1001, 1))
        self.counts, self.asked = counts, []

    def count(self, rows):
        self.asked.append(rows)
        return self.counts[rows]


class CountedInTurn(Counted):
    """Gives the counts in the order in which it is asked."""

    def count(self, rows):
        n_before = sum(map(len, self.asked))
        self.asked.append(rows)
        return self.counts[n_before : n_before + len(rows)]


@pytest.mark.parametrize(
    ("n_large", "sizes"),
    [
        # 4 standard errors of 2 n_large - 256 are 64.
        (161, [256]),
        (160, [256, 768]),
        (96, [256, 768]),
        (95, [256]),
    ],
)
def test_four_standard_errors_are_clear(n_large, sizes):
    comparison = CountedInTurn(np.repeat([350, 349, 1000], [n_large, 256 - n_large, 2000]))
    messages(warn_if_unpaired_sample, comparison)
    assert list(map(len, comparison.asked))[:2] == sizes[:2]
    assert len(comparison.asked) >= len(sizes)


@pytest.mark.parametrize(
    ("share", "n_asked"),
    [
        (0.0, 256),
        (0.3, 256),
        (0.4, 1024),
        (0.48, 16384),
        (0.5, 30_000),
        (0.52, 16384),
        (0.6, 1024),
        (0.8, 256),
        (1.0, 256),
    ],
)
def test_the_clearer_the_majority_the_fewer_are_counted(share, n_asked):
    rng = np.random.default_rng(0)
    counts = np.where(rng.permutation(30_000) < share * 30_000, 350, 349)
    comparison = Counted(counts)
    found = messages(warn_if_unpaired_sample, comparison)
    assert found == messages(warn_if_unpaired, counts, 1001) or share == 0.5
    asked = np.concatenate(comparison.asked)
    # A sample may, seldom, need the next size.
    assert len(asked) <= min(4 * n_asked, 30_000)
    assert len(asked) >= n_asked / 4
    assert len(np.unique(asked)) == len(asked)


@pytest.mark.parametrize(("n_large", "warns"), [(2499, False), (2500, True), (2501, True)])
def test_nearly_equal_halves_are_decided_by_everybody(n_large, warns):
    counts = np.random.default_rng(0).permutation(np.repeat([1000, 0], [n_large, 5000 - n_large]))
    comparison = Counted(counts)
    assert len(messages(warn_if_unpaired_sample, comparison)) == warns
    assert sum(map(len, comparison.asked)) == 5000


def test_a_sample_of_everybody_is_not_counted_again():
    comparison = Counted(np.repeat([350, 349], _N_SAMPLED // 2))
    messages(warn_if_unpaired_sample, comparison)
    assert list(map(len, comparison.asked)) == [_N_SAMPLED]


def test_the_sample_is_taken_at_random():
    # Every second record, or the first half, would say the opposite of all.
    for large in (np.arange(4000) % 4 > 0, np.arange(4000) > 1000):
        assert messages(warn_if_unpaired_sample, Counted(np.where(large, 400, 0)))
        assert not messages(warn_if_unpaired_sample, Counted(np.where(large, 0, 400)))


@pytest.mark.parametrize("score", SCORES)
def test_avatars_at_the_edge_of_the_range_are_inside(score):
    X = np.array([[0.0, 5.0], [10.0, 5.0], [4.0, 5.0]])
    for edge in (0.0, 10.0):
        assert messages(score, X, np.tile([edge, 5.0], (3, 1))) == []
    for beyond in (-0.001, 10.001):
        (message,) = messages(score, X, np.tile([beyond, 5.0], (3, 1)))
        assert f"{SPACE} in column position(s) 0:" in message


@pytest.mark.parametrize("column", [0, 1])
def test_each_column_has_a_range_of_its_own(column):
    X = np.array([[0.0, 100.0], [10.0, 110.0], [4.0, 104.0]])
    Y = X.copy()
    Y[:, column] = X[:, 1 - column]
    with pytest.warns(UserWarning, match=rf"column position\(s\) {column}:"):
        warn_if_other_space(X, Y)


def test_the_median_avatar_decides_and_not_the_mean():
    X = np.array([[0.0], [10.0], [4.0]])
    warn_if_other_space(X, np.array([[1.0], [2.0], [1e9]]))
    with pytest.warns(UserWarning, match=SPACE):
        warn_if_other_space(X, np.array([[11.0], [11.0], [-20.0]]))


def test_rounding_is_relative_to_the_larger_end_of_the_range():
    X = np.array([[0.0, -0.3, 0.0], [0.3, 0.0, 0.0]])
    warn_if_other_space(X, np.array([[0.3, -0.3, 0.0]]) * (1 + 1e-15))


def test_rounding_of_a_constant_column_is_no_other_space():
    X = np.full((3, 2), 0.1)
    warn_if_other_space(X, X * (1 + 1e-15))
    with pytest.warns(UserWarning, match=r"column position\(s\) 1:"):
        warn_if_other_space(X, X * [1, 1.001])


def test_many_columns_are_not_all_listed():
    X = np.zeros((3, 9))
    for n_columns in (6, 9):
        with pytest.warns(UserWarning, match=r"position\(s\) 0, 1, 2, 3, 4 and more:"):
            warn_if_other_space(X[:, :n_columns], X[:, :n_columns] + 1)
    with pytest.warns(UserWarning, match=r"position\(s\) 0, 1, 2, 3, 4:"):
        warn_if_other_space(X[:, :5], X[:, :5] + 1)


@pytest.mark.parametrize("score", SCORES)
def test_warnings_point_to_the_caller(score):
    X = StandardScaler().fit_transform(REAL["wine"])
    metric = HiddenRate() if score is hidden_rate_score else LocalCloaking()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        metric.fit(X).score(X[::-1] + 1e9)
    assert {warning.filename for warning in caught} == {__file__}
    assert len(caught) == 2


def test_a_single_original_has_no_range_to_lie_outside_of():
    assert hidden_rate_score([[3.0]], [[5.0]]) == 0.0
