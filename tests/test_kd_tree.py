"""The nodes of scikit-learn's tree, level by level."""

from __future__ import annotations

from itertools import pairwise

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.neighbors import KDTree

from skprivacy.metrics import _kd_tree
from skprivacy.metrics._kd_tree import _halve, node_levels

TABLES = {
    "one row": np.zeros((1, 2)),
    "two rows": np.array([[0.0], [1.0]]),
    "all rows equal": np.zeros((50, 3)),
    "continuous": np.random.default_rng(0).normal(size=(1000, 4)),
}


def assert_boxes(levels, Y):
    """Assert that every node's box is that of its avatars."""
    for level in range(levels.depth + 1):
        nodes = [Y[levels.order[a:b]] for a, b in pairwise(levels.level_start(level))]
        low, high = levels.boxes(level)
        assert_array_equal(low.T, [node.min(axis=0) for node in nodes])
        assert_array_equal(high.T, [node.max(axis=0) for node in nodes])


@pytest.mark.parametrize("leaf_size", [1, 2, 7, 254, 255])
@pytest.mark.parametrize("name", TABLES)
def test_leaves_hold_every_avatar_once_and_are_small_enough(name, leaf_size):
    levels = node_levels(TABLES[name], leaf_size, 1)
    assert_array_equal(np.sort(levels.order), np.arange(len(TABLES[name])))
    size = np.diff(levels.start)
    assert len(size) == 2**levels.depth
    # A leaf of one avatar is split no further than scikit-learn splits: to one or two.
    assert 1 <= size.min() <= size.max() <= max(leaf_size, 2)


@pytest.mark.parametrize("name", TABLES)
def test_boxes_of_every_level_are_those_of_their_avatars(name):
    assert_boxes(node_levels(TABLES[name], 8, 1), TABLES[name])


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("largest", [100, 333, 500, 999])
@pytest.mark.parametrize("n", [999, 1000])
def test_halves_of_a_large_table_are_one_tree(monkeypatch, n, largest, n_jobs):
    monkeypatch.setattr(_kd_tree, "_LARGEST_REGION", largest)
    Y = TABLES["continuous"][:n]
    with joblib.parallel_config(backend="threading"):
        levels = node_levels(Y, 8, n_jobs)
    assert_array_equal(np.sort(levels.order), np.arange(n))
    assert len(levels.start) == 2**levels.depth + 1
    assert 2 <= np.diff(levels.start).min() <= np.diff(levels.start).max() <= 8
    assert_boxes(levels, Y)


@pytest.mark.parametrize("leaf_size", [2, 3, 8, 9])
def test_a_table_in_one_region_is_the_tree_of_scikit_learn(leaf_size):
    # Its depth changes where (n - 1) / leaf_size passes a power of two.
    for n in range(1, 70):
        Y = TABLES["continuous"][:n]
        _, order, nodes, (low, high) = KDTree(Y, leaf_size=leaf_size // 2).get_arrays()
        levels = node_levels(Y, leaf_size, 1)
        assert_array_equal(levels.order, order)
        assert_array_equal(levels.start[:-1], nodes["idx_start"][len(nodes) // 2 :])
        assert_array_equal(levels.low, low)
        assert_array_equal(levels.high, high)


def test_halves_are_those_of_the_column_that_varies_most():
    Y = np.random.default_rng(0).normal(size=(1001, 3)) * [1, 100, 10]
    lower, upper = _halve(Y)
    assert len(lower) == 500
    assert_array_equal(np.sort(np.concatenate([lower, upper])), np.arange(1001))
    assert Y[lower, 1].max() <= Y[upper, 1].min()


@pytest.mark.parametrize(("largest", "expected"), [(300, 1), (126, 2), (100, 2)])
def test_workers_help_with_eight_regions_or_more(monkeypatch, largest, expected):
    # 1000 rows are 4 regions of at most 300, 8 of at most 126 and 16 of at most 100.
    started = []

    def start(n_jobs):
        started.append(n_jobs)
        return joblib.Parallel(n_jobs=n_jobs, backend="threading")

    monkeypatch.setattr(_kd_tree, "_LARGEST_REGION", largest)
    monkeypatch.setattr(_kd_tree, "Parallel", start)
    node_levels(TABLES["continuous"], 8, 2)
    assert started == [expected]
