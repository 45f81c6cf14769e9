"""Count the avatars within a threshold of each original (plain reference version)."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import KDTree


def count_by_query_radius(tree, X, threshold):
    """Count the other avatars within the threshold, one query at a time."""
    # query_radius refuses read-only radii, which joblib's memory maps are.
    return tree.query_radius(X, r=np.array(threshold), count_only=True).astype(np.int64) - 1


class AvatarTree:
    """A tree of avatars that counts those within a threshold of each original."""

    def __init__(self, Y):
        self._tree = KDTree(Y, leaf_size=64)

    def count(self, X, own, threshold, *, stop_at_one=False):
        """Count the avatars other than the own one within the threshold, per row of X."""
        return count_by_query_radius(self._tree, X, threshold)
