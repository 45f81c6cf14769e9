"""The random pairing against all pairings there are."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from _oracle import rational_counts

from skprivacy.metrics import _random_pairing
from skprivacy.metrics._closer_avatars import CloserAvatars
from skprivacy.metrics._random_pairing import has_strictly_nearest, random_pairing_scores


def compare(X, Y):
    X, Y = np.array(X, dtype=float), np.array(Y, dtype=float)
    return CloserAvatars(X, Y, np.zeros(len(X), dtype=np.int64), tie_tol=1e-12)


def all_pairings(X, Y, weight=None):
    """Average both metrics over every way to give each original an avatar of its own."""
    hidden, medians = [], []
    for own in itertools.product(range(len(Y)), repeat=len(X)):
        counts = np.array(rational_counts(X, Y, own))
        hidden.append(100 * np.average(counts > 0, weights=weight))
        medians.append(np.median(counts))
    return np.mean(hidden), np.mean(medians)


NO_TIES = ([[0, 0], [4, 1], [9, 9], [2, 7]], [[1, 0], [5, 5], [9, 2], [0, 8]])
MORE_AVATARS = ([[0], [10], [21]], [[1], [4], [12], [31], [60]])
TIES = ([[0], [10], [20], [5]], [[-1], [1], [10], [10]])


@pytest.mark.parametrize("tables", [NO_TIES, MORE_AVATARS], ids=["square", "more avatars"])
def test_it_is_the_average_over_all_pairings(tables):
    scores = random_pairing_scores(compare(*tables), None)
    hidden_rate, local_cloaking = all_pairings(*tables)
    assert scores["hidden_rate"] == pytest.approx(hidden_rate)
    assert scores["local_cloaking"] == pytest.approx(local_cloaking)


def test_ties_raise_local_cloaking_above_it_and_hidden_rate_counts_them():
    scores = random_pairing_scores(compare(*TIES), None)
    hidden_rate, local_cloaking = all_pairings(*TIES)
    assert scores["hidden_rate"] == pytest.approx(hidden_rate)
    assert scores["local_cloaking"] == 1.5 < local_cloaking


def test_weights_weigh_originals():
    weight = np.array([1.0, 0.0, 0.25, 0.5])
    scores = random_pairing_scores(compare(*TIES), weight)
    assert scores["hidden_rate"] == pytest.approx(all_pairings(*TIES, weight)[0])


def test_one_avatar_is_always_the_nearest():
    assert random_pairing_scores(compare([[3]], [[8]]), None) == {
        "hidden_rate": 0,
        "local_cloaking": 0,
    }


def test_the_tie_rule_decides():
    # 0.1 and 0.3 are equally far from 0.2 as typed, but not as float64 values.
    assert 0.3 - 0.2 != 0.2 - 0.1
    assert has_strictly_nearest(compare([[0.2], [0.12]], [[0.1], [0.3]])).tolist() == [False, True]


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_extreme_units_change_nothing(scale):
    X, Y = np.array(NO_TIES[0]) * scale, np.array(NO_TIES[1]) * scale
    expected = has_strictly_nearest(compare(*NO_TIES))
    assert expected.tolist() == [True, True, True, True]
    assert has_strictly_nearest(compare(X, Y)).tolist() == expected.tolist()


def test_the_faster_search_of_many_columns_agrees(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(60, 20))
    comparison = compare(X, rng.integers(0, 2, size=(80, 20)))
    by_tree = has_strictly_nearest(comparison)
    assert 0 < by_tree.sum() < 60
    monkeypatch.setattr(_random_pairing, "_MANY_AVATARS", 10)
    np.testing.assert_array_equal(has_strictly_nearest(comparison), by_tree)


@pytest.mark.parametrize(
    ("n_avatars", "n_columns", "algorithm"),
    [(11, 5, "brute"), (10, 5, "kd_tree"), (11, 4, "kd_tree"), (10, 4, "kd_tree")],
)
def test_the_faster_search_is_for_many_avatars_in_many_columns(
    n_avatars, n_columns, algorithm, monkeypatch
):
    used = []

    class Noted(_random_pairing.NearestNeighbors):
        def fit(self, X, y=None):
            used.append(self.algorithm)
            return super().fit(X, y)

    monkeypatch.setattr(_random_pairing, "NearestNeighbors", Noted)
    monkeypatch.setattr(_random_pairing, "_MANY_AVATARS", 10)
    monkeypatch.setattr(_random_pairing, "_MANY_COLUMNS", 4)
    has_strictly_nearest(compare(np.ones((3, n_columns)), np.zeros((n_avatars, n_columns))))
    assert used == [algorithm]


def test_it_counts_as_the_comparison_does_and_no_further_than_needed(monkeypatch):
    settings = []

    class Noted(CloserAvatars):
        def count(self, rows=None, *, stop_at_one=False):
            settings.append((self.tie_tol, self.n_jobs, stop_at_one))
            return super().count(rows, stop_at_one=stop_at_one)

    monkeypatch.setattr(_random_pairing, "CloserAvatars", Noted)
    comparison = compare(*NO_TIES)
    comparison.tie_tol, comparison.n_jobs = 1e-9, 2
    has_strictly_nearest(comparison)
    assert settings == [(1e-9, 2, True)]


@pytest.mark.parametrize(
    ("X", "Y", "expected"),
    [
        ([[1e280], [1e-300]], [[1e-300], [1e-300]], [False, False]),
        ([[1e-300]], [[1e280], [0.0]], [True]),
    ],
)
def test_one_table_may_be_far_larger_than_the_other(X, Y, expected):
    assert has_strictly_nearest(compare(X, Y)).tolist() == expected
