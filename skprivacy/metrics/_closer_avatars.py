"""How many other avatars are at least as close to each original as its own.

The tables arrive checked. They are scaled by a power of two (exact), the tie rule gives
each original its threshold, and the tree counts the avatars within it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextvars import ContextVar
from functools import cached_property
from typing import TypeAlias

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from ._tie_rule import count_at_tiny_scale, tie_thresholds
from ._tree_counting import AvatarTree

Rows: TypeAlias = NDArray[np.intp]
Counts: TypeAlias = NDArray[np.int64]

# Called with how many originals are counted, and of how many, on long work.
on_progress: ContextVar[Callable[[int, int], object] | None] = ContextVar(
    "on_progress", default=None
)

# Originals counted at once: the first ones tell how many more take about so many seconds,
# and larger blocks visit fewer leaves but need more memory.
_FIRST_BLOCK, _LARGEST_BLOCK = 1 << 13, 1 << 18
_SECONDS_OF_BLOCK = 2.0
# Seconds of work left below which starting workers would cost more than it saves.
_WORTH_WORKERS = 2.0
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
        self._n_workers = effective_n_jobs(n_jobs)
        self._exponent = int(np.frexp(max(X.max(), -X.min(), Y.max(), -Y.min()))[1])
        scaled = self._scaled(X)
        # From all originals, whichever of them are counted later.
        median = np.median(scaled, axis=0)
        self._threshold = tie_thresholds(scaled, self._scaled(Y[own]), median, tie_tol)

    def _scaled(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return rows scaled to magnitudes up to 1, made anew each time to save memory."""
        return np.ldexp(table, -self._exponent)

    @cached_property
    def _tree(self) -> AvatarTree:
        return AvatarTree(self._scaled(self.Y), n_jobs=self.n_jobs)

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
            counts[~tiny] = self._count_regular(rows[~tiny], stop_at_one=stop_at_one)
        return counts

    def _count_regular(self, rows: Rows, *, stop_at_one: bool) -> Counts:
        """Count in the tree, block by block, the rest in workers where that pays."""
        if len(rows) <= 2 * _FIRST_BLOCK:
            # A second block would visit the nodes of the first again.
            return self._count_block(rows, stop_at_one=stop_at_one)
        # Originals whose own avatars share a leaf visit the same nodes.
        order = np.argsort(self._tree.leaf_positions(self.own[rows]))
        counts = np.empty(len(rows), dtype=np.int64)
        started = time.perf_counter()
        count, done, size = self._count_block, 0, _FIRST_BLOCK
        while done < len(rows):
            block = order[done : done + size]
            counts[block] = count(rows[block], stop_at_one=stop_at_one)
            done += len(block)
            _show_progress(done, len(rows))
            # A clock may stand still for a short while.
            pace = done / max(time.perf_counter() - started, 1e-9)
            size = int(np.clip(_SECONDS_OF_BLOCK * pace, _FIRST_BLOCK, _LARGEST_BLOCK))
            if self._n_workers > 1 and len(rows) - done > _WORTH_WORKERS * pace:
                count, size = self._count_in_workers, len(rows)
        return counts

    def _count_block(self, rows: Rows, *, stop_at_one: bool) -> Counts:
        """Count in this process."""
        return self._tree.count(*self._queries(rows), stop_at_one=stop_at_one)

    def _queries(
        self, rows: Rows
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
        """Return what the tree asks of each row: coordinates, own avatar and threshold."""
        return self._scaled(self.X[rows]), self.own[rows], self._threshold[rows]

    def _count_in_workers(self, rows: Rows, *, stop_at_one: bool) -> Counts:
        """Count one part of the rows in each worker."""
        # The tree is an argument rather than a method's object, so that it is sent once.
        counts = Parallel(n_jobs=self.n_jobs)(
            delayed(AvatarTree.count)(self._tree, *self._queries(part), stop_at_one=stop_at_one)
            for part in np.array_split(rows, self._n_workers)
        )
        return np.concatenate(counts)

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


def _show_progress(n_done: int, n_rows: int) -> None:
    """Tell whoever asked how far the counting is."""
    report = on_progress.get()
    if report is not None:
        report(n_done, n_rows)
