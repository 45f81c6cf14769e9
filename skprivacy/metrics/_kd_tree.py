"""The nodes of a k-d tree of scikit-learn, level by level.

The tree is complete: every level halves all nodes of the one above, so node ``i`` of a
level has the children ``2 i`` and ``2 i + 1`` in the next, and all leaves are in the last.
Large tables are halved here until scikit-learn, whose search for medians jumps about in
memory, finds each region in the cache, and other processes can help.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.neighbors import KDTree

_LARGEST_REGION = 1 << 16
# Regions below which starting workers would cost more than it saves.
_REGIONS_WORTH_WORKERS = 8


class NodeLevels(NamedTuple):
    """The avatars in the order of their leaves, and the boxes of all nodes.

    Leaf ``i`` holds ``order[start[i]:start[i + 1]]``. ``low`` and ``high`` are the lowest and
    highest values in each node, (n_nodes, n_columns), level after level.
    """

    order: NDArray[np.intp]
    start: NDArray[np.intp]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @property
    def depth(self) -> int:
        """The level of the leaves."""
        return len(self.low).bit_length() - 1

    def boxes(self, level: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the lowest and highest values in a level's nodes, (n_columns, n_nodes)."""
        nodes = slice((1 << level) - 1, (2 << level) - 1)
        return self.low[nodes].T, self.high[nodes].T

    def level_start(self, level: int) -> NDArray[np.intp]:
        """Return where the nodes of a level start in ``order``, and the end."""
        return self.start[:: 1 << (self.depth - level)]


def node_levels(Y: NDArray[np.float64], leaf_size: int, n_jobs: int | None) -> NodeLevels:
    """Build the tree of avatars (n_avatars, n_columns) with leaves up to ``leaf_size``."""
    n_halvings = max(0, math.ceil(math.log2(len(Y) / _LARGEST_REGION)))
    regions = _halved(Y, np.arange(len(Y)), n_halvings)
    smallest = len(Y) >> n_halvings
    # scikit-learn's leaves hold up to twice what it is asked for.
    depth = max(1, (smallest - 1) // max(1, leaf_size // 2)).bit_length() - 1
    with_workers = Parallel(n_jobs=n_jobs if len(regions) >= _REGIONS_WORTH_WORKERS else 1)
    parts = with_workers(delayed(_region_levels)(Y.take(rows, axis=0), depth) for rows in regions)
    first = np.cumsum([0, *map(len, regions)])
    starts = [start + part.start[:-1] for start, part in zip(first[:-1], parts, strict=True)]
    return NodeLevels(
        np.concatenate([rows[part.order] for rows, part in zip(regions, parts, strict=True)]),
        np.concatenate([*starts, first[-1:]]),
        _upwards(np.minimum, [part.boxes(depth)[0].T for part in parts]),
        _upwards(np.maximum, [part.boxes(depth)[1].T for part in parts]),
    )


def _halved(Y: NDArray[np.float64], rows: NDArray[np.intp], n_times: int) -> list[NDArray[np.intp]]:
    """Halve the rows at the median of one column, the halves at those of theirs, and so on."""
    if n_times == 0:
        return [rows]
    lower, upper = _halve(Y.take(rows, axis=0))
    return _halved(Y, rows[lower], n_times - 1) + _halved(Y, rows[upper], n_times - 1)


def _halve(Y: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows below and those above the median of the column that varies most."""
    # Some rows tell which that is; another column would only cost time.
    values = Y[:, np.argmax(Y[::64].std(axis=0))]
    half = len(Y) // 2
    by_value = np.argpartition(values, half)
    return by_value[:half], by_value[half:]


def _region_levels(Y: NDArray[np.float64], depth: int) -> NodeLevels:
    """Let scikit-learn halve a region so many times."""
    # Its depth is the logarithm of (n - 1) / leaf_size, rounded down.
    tree = KDTree(Y, leaf_size=max(1, (len(Y) - 1) >> depth))
    _, order, nodes, (low, high) = tree.get_arrays()
    leaves = nodes[len(nodes) // 2 :]
    start = np.append(leaves["idx_start"], leaves["idx_end"][-1])
    return NodeLevels(np.asarray(order), start, np.asarray(low), np.asarray(high))


def _upwards(extreme: np.ufunc, leaves: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the extremes of all nodes, level after level, from those of the leaves."""
    levels = [np.concatenate(leaves)]
    while len(levels[-1]) > 1:
        levels.append(extreme(levels[-1][::2], levels[-1][1::2]))
    return np.concatenate(levels[::-1])
