"""The nodes of scikit-learn's tree, level by level."""

from __future__ import annotations

from itertools import pairwise

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from skprivacy.metrics import _kd_tree
from skprivacy.metrics._kd_tree import node_levels

TABLES = {
    "one row": np.zeros((1, 2)),
    "two rows": np.array([[0.0], [1.0]]),
    "all rows equal": np.zeros((50, 3)),
    "continuous": np.random.default_rng(0).normal(size=(1000, 4)),
}


@pytest.mark.parametrize("leaf_size", [1, 2, 7, 254, 255])
@pytest.mark.parametrize("name", TABLES)
def test_leaves_hold_every_avatar_once_and_are_small_enough(name, leaf_size):
    levels = node_levels(TABLES[name], leaf_size)
    assert_array_equal(np.sort(levels.order), np.arange(len(TABLES[name])))
    size = np.diff(levels.start)
    assert len(size) == 2**levels.depth
    # A leaf of one avatar is split no further than scikit-learn splits: to one or two.
    assert 1 <= size.min() <= size.max() <= max(leaf_size, 2)


@pytest.mark.parametrize("name", TABLES)
def test_boxes_of_every_level_are_those_of_their_avatars(name):
    levels = node_levels(TABLES[name], 8)
    Y = TABLES[name][levels.order]
    for level in range(levels.depth + 1):
        start = levels.level_start(level)
        low, high = levels.boxes(level)
        nodes = [Y[a:b] for a, b in pairwise(start)]
        assert_array_equal(low.T, [node.min(axis=0) for node in nodes])
        assert_array_equal(high.T, [node.max(axis=0) for node in nodes])


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
    assert np.diff(levels.start).max() <= 8
    for level in range(levels.depth + 1):
        nodes = [Y[levels.order[a:b]] for a, b in pairwise(levels.level_start(level))]
        low, high = levels.boxes(level)
        assert_array_equal(low.T, [node.min(axis=0) for node in nodes])
        assert_array_equal(high.T, [node.max(axis=0) for node in nodes])
