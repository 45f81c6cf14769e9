"""How many other avatars are at least as close to each original as its own.

The tables arrive checked. They are scaled by a power of two (exact), the tie rule gives
each original its threshold, and the tree counts the avatars within it.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ._tie_rule import count_at_tiny_scale, tie_thresholds
from ._tree_counting import AvatarTree

# Squares of distances below this (after scaling to 1) come near float64's underflow.
_TINY = 2.0**-440


class CloserAvatars:
    """Originals and avatars made ready for counting; counts any rows of the originals."""

    def __init__(
        self,
        X: NDArray[np.float64],
        Y: NDArray[np.float64],
        own: NDArray[np.int64],
        *,
        tie_tol: float,
        n_jobs: int | None = None,
    ) -> None:
        self.X, self.Y, self.own = X, Y, own
        self.tie_tol = tie_tol
        self.n_jobs = n_jobs
        exponent = int(np.frexp(max(X.max(), -X.min(), Y.max(), -Y.min()))[1])
        self._X_scaled, self._Y_scaled = np.ldexp(X, -exponent), np.ldexp(Y, -exponent)
        # From all originals, whichever of them are counted later.
        median = np.median(self._X_scaled, axis=0)
        own_rows = self._Y_scaled[own]
        self._threshold = tie_thresholds(self._X_scaled, own_rows, median, tie_tol)

    @cached_property
    def _tree(self) -> AvatarTree:
        return AvatarTree(self._Y_scaled)

    def count(
        self, rows: NDArray[np.intp] | None = None, *, stop_at_one: bool = False
    ) -> NDArray[np.int64]:
        """Return c_i of the rows; with stop_at_one only whether it is 0 is right."""
        rows = np.arange(len(self.X)) if rows is None else rows
        counts = np.empty(len(rows), dtype=np.int64)
        tiny = self._threshold[rows] < _TINY
        if tiny.any():
            counts[tiny] = self._count_tiny(rows[tiny])
        if not tiny.all():
            counts[~tiny] = self._count_regular(rows[~tiny], stop_at_one)
        return counts

    def _count_regular(self, rows: NDArray[np.intp], stop_at_one: bool) -> NDArray[np.int64]:
        """Count in the tree."""
        return self._tree.count(
            self._X_scaled[rows],
            self.own[rows],
            self._threshold[rows],
            stop_at_one=stop_at_one,
        )

    def _count_tiny(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Count once for each distinct pair of an original and its own avatar's row."""
        median = np.median(self.X, axis=0)
        pairs = np.hstack([self.X[rows], self.Y[self.own[rows]]])
        _, first, group = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
        counts = [
            count_at_tiny_scale(self.X[i], self.Y, self.own[i], median, self.tie_tol)
            for i in rows[first]
        ]
        return np.asarray(counts, dtype=np.int64)[group.ravel()]
