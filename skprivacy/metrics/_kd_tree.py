"""The nodes of scikit-learn's k-d tree, level by level.

scikit-learn's tree is complete: every level halves all nodes of the one above, so node
``i`` of a level has the children ``2 i`` and ``2 i + 1`` in the next, and all leaves are
in the last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import KDTree


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


def node_levels(Y: NDArray[np.float64], leaf_size: int) -> NodeLevels:
    """Build the tree of avatars (n_avatars, n_columns) with leaves up to ``leaf_size``."""
    # scikit-learn's leaves hold up to twice what it is asked for.
    tree = KDTree(Y, leaf_size=max(1, leaf_size // 2))
    _, order, nodes, (low, high) = tree.get_arrays()
    leaves = nodes[len(nodes) // 2 :]
    start = np.append(leaves["idx_start"], leaves["idx_end"][-1])
    return NodeLevels(np.asarray(order), start, np.asarray(low), np.asarray(high))
