"""Count the avatars within each original's threshold, many originals at a time.

A tree usually answers one query after the other and spends itself on visiting nodes. Here
the walk goes down several levels at once with all the originals of a node: one vectorised
test tells for every (original, box) whether the ball misses the box (dropped), contains it
(its size is added) or cuts it (goes on), and one matrix product per leaf does the rest.
Only certain answers are taken from float32. The counts are those of direct differences in
float64, whatever the sizes of leaves and blocks and however the originals are split.

The own avatar never counts: the leaf that holds it is counted first, without it, and
skipped later, and boxes around it are never taken as contained. It is also where closer
avatars are likeliest, so that a search for any of them mostly ends there.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import KDTree

from ._distinct_rows import distinct_rows
from ._kd_tree import node_levels
from ._leaf_products import LeafCounter, avatar_factors, original_factors
from ._tree_stages import Stage

# Boxes in more columns prune little more and cost more to test.
_MAX_BOX_COLUMNS = 8
# Levels gone down at once: fewer leave more nodes to visit, more test boxes in vain.
_LEVELS_AT_ONCE = 3
# Elements of a block of originals, all columns: bounds the memory of a wide table.
_BLOCK_ELEMENTS = 1 << 18


def count_by_query_radius(
    X: NDArray[np.float64], Y: NDArray[np.float64], threshold: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Count the avatars other than the own one with scikit-learn's tree alone.

    This is what the walk is tested against; the own avatar must be within the threshold.
    """
    # query_radius refuses read-only radii, which joblib's memory maps are.
    within = KDTree(Y).query_radius(X, r=np.array(threshold), count_only=True)
    return np.asarray(within, dtype=np.int64) - 1


class AvatarTree:
    """A tree of avatars that counts those within a threshold of each original.

    ``leaf_size`` (at most 255), ``block_size`` (originals handled at once) and ``n_jobs``
    (workers that help build it) change the speed and never a count.
    """

    def __init__(
        self,
        Y: NDArray[np.float64],
        *,
        leaf_size: int = 200,
        block_size: int = 4096,
        n_jobs: int | None = 1,
    ) -> None:
        distinct = distinct_rows(Y)
        self._group = None if distinct is None else distinct.group
        Y = Y if distinct is None else Y[distinct.first]
        self.columns = _most_varied_columns(Y)
        self.has_all_columns = len(self.columns) == Y.shape[1]
        tree = node_levels(Y if self.has_all_columns else Y[:, self.columns], leaf_size, n_jobs)
        self.Y = Y[tree.order]
        self.position = np.empty(len(Y), dtype=np.intp)
        self.position[tree.order] = np.arange(len(Y))
        self.weight = None
        if self._group is not None:
            self.weight = np.bincount(self._group)[tree.order].astype(np.float64)
        n_stages = max(1, round(tree.depth / _LEVELS_AT_ONCE))
        stops = np.linspace(0, tree.depth, n_stages + 1).round().astype(int).tolist()
        self.stages = [
            Stage(tree, self.Y, self.columns, upper, lower) for upper, lower in pairwise(stops)
        ]
        last = self.stages[-1]
        self.factors = np.empty((len(self.Y), self.Y.shape[1] + 2), dtype=np.float32)
        # Node by node: copies of the whole table would set the peak of memory.
        for node in range(last.n_nodes):
            self.factors[last.avatars(node)] = avatar_factors(last.local_avatars(self.Y, node))
        self.block_size = max(1, min(block_size, _BLOCK_ELEMENTS // Y.shape[1]))

    def __sizeof__(self) -> int:
        """Return the bytes of the large arrays: a cluster is sent large objects only once."""
        return self.Y.nbytes + self.factors.nbytes + self.position.nbytes

    def leaf_positions(self, own: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return where own avatars stand in the order of the leaves."""
        return self.position[own if self._group is None else self._group[own]]

    def count(
        self,
        X: NDArray[np.float64],
        own: NDArray[np.int64],
        threshold: NDArray[np.float64],
        *,
        stop_at_one: bool = False,
    ) -> NDArray[np.int64]:
        """Count the avatars other than the own one within the threshold of each row of X.

        Tables hold values up to 1, thresholds are at least 2^-440 and reach the own avatar.
        With ``stop_at_one`` a count above zero may be any number above zero.
        """
        own = own if self._group is None else self._group[own]
        distinct = distinct_rows(X, own, threshold)
        if distinct is None:
            return _Walk(self, X, own, threshold, stop_at_one=stop_at_one).counts()
        first = distinct.first
        walk = _Walk(self, X[first], own[first], threshold[first], stop_at_one=stop_at_one)
        return walk.counts()[distinct.group]


def _most_varied_columns(Y: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the columns of largest variance, in their order in the table."""
    if Y.shape[1] <= _MAX_BOX_COLUMNS:
        return np.arange(Y.shape[1])
    return np.sort(np.argsort(-Y.var(axis=0), kind="stable")[:_MAX_BOX_COLUMNS])


class _Walk:
    """One count over the tree, with the originals in the leaf order of their own avatars."""

    def __init__(
        self,
        tree: AvatarTree,
        X: NDArray[np.float64],
        own: NDArray[np.integer],
        threshold: NDArray[np.float64],
        *,
        stop_at_one: bool,
    ) -> None:
        self._tree, self._stop_at_one = tree, stop_at_one
        position = tree.position[own]
        self._order = np.argsort(position)
        self._own = position[self._order]
        self._X = np.ascontiguousarray(X[self._order].T)
        self._X_boxes = self._X if tree.has_all_columns else self._X[tree.columns]
        # Nothing is farther apart than 2 sqrt(d); larger squares could only overflow.
        self._threshold = np.minimum(threshold[self._order], 4.0 * np.sqrt(len(self._X)))
        self._leaves = LeafCounter(tree.Y, tree.factors, tree.weight, self._X, self._threshold)
        self._counts = self._leaves.counts
        if tree.weight is not None:
            # Other avatars equal to the own one are exactly as close.
            self._counts += tree.weight[self._own].astype(np.int64) - 1

    def counts(self) -> NDArray[np.int64]:
        """Return the counts in the order in which the originals came."""
        self._count_own_leaves()
        self._leaves.settle()
        pending = [(0, 0, np.arange(len(self._own)))]
        while pending:
            depth, node, originals = pending.pop()
            if self._stop_at_one:
                originals = originals[self._counts[originals] == 0]
            pending += self._descend(depth, node, originals)
        self._leaves.settle()
        counts = np.empty_like(self._counts)
        counts[self._order] = self._counts
        return counts

    def _count_own_leaves(self) -> None:
        """Count the leaf that holds each original's own avatar, without that avatar."""
        stage = self._tree.stages[-1]
        for node in range(stage.n_nodes):
            edges = stage.edges(node)
            first, last = np.searchsorted(self._own, edges[[0, -1]])
            for block in self._blocks(np.arange(first, last)):
                factors = original_factors(*self._local(stage, node, block))
                parts = np.searchsorted(self._own[block], edges)
                for i in np.flatnonzero(np.diff(parts)):
                    part = slice(parts[i], parts[i + 1])
                    own = self._own[block[part]]
                    leaf = slice(edges[i], edges[i + 1])
                    self._leaves.add(leaf, block[part], factors[:, part], own)

    def _descend(
        self, depth: int, node: int, originals: NDArray[np.intp]
    ) -> list[tuple[int, int, NDArray[np.intp]]]:
        """Test a node's boxes; return the originals that go on, per box to visit."""
        stage = self._tree.stages[depth]
        parts: list[list[NDArray[np.intp]]] = [[] for _ in range(stage.fan_out)]
        for block in self._blocks(originals):
            x, t = self._local(stage, node, block)
            cut = self._cut(stage, node, block, x, t)
            if stage.is_last:
                self._count_leaves(stage.edges(node), block, cut, original_factors(x, t))
                continue
            for part, chosen in zip(parts, cut, strict=True):
                part.append(block[np.flatnonzero(chosen)])
        first = stage.boxes(node).start
        going_on = [np.concatenate(part) if part else originals[:0] for part in parts]
        return [(depth + 1, first + i, on) for i, on in enumerate(going_on) if len(on)]

    def _cut(
        self,
        stage: Stage,
        node: int,
        block: NDArray[np.intp],
        x: NDArray[np.float64],
        t: NDArray[np.float64],
    ) -> NDArray[np.bool_]:
        """Return which boxes each ball cuts, after adding those it contains."""
        cut, contained = stage.test(node, x, t)
        edges = stage.edges(node)
        own = np.searchsorted(self._own[block], edges)
        if contained is not None:
            _unset(contained, own)
            self._counts[block] += (self._sizes(edges) @ contained).astype(np.int64)
            cut &= ~contained
        if stage.is_last:
            _unset(cut, own)
        return cut

    def _count_leaves(
        self,
        edges: NDArray[np.intp],
        block: NDArray[np.intp],
        cut: NDArray[np.bool_],
        factors: NDArray[np.float32],
    ) -> None:
        """Count every leaf for the originals whose balls cut it."""
        for start, stop, chosen in zip(edges[:-1], edges[1:], cut, strict=True):
            which = np.flatnonzero(chosen)
            if len(which):
                self._leaves.add(slice(start, stop), block[which], factors.take(which, axis=1))

    def _local(
        self, stage: Stage, node: int, block: NDArray[np.intp]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return originals and thresholds of a block in the coordinates of a node."""
        X = self._X if stage.is_last else self._X_boxes
        return stage.local(node, X.take(block, axis=1), self._threshold.take(block))

    def _sizes(self, edges: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return how many avatars lie between the edges."""
        weight = self._tree.weight
        if weight is None:
            return np.diff(edges).astype(np.float64)
        return np.array([weight[a:b].sum() for a, b in pairwise(edges)])

    def _blocks(self, originals: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
        """Split originals into blocks whose temporaries stay in the cache."""
        size = self._tree.block_size
        for start in range(0, len(originals), size):
            yield originals[start : start + size]


def _unset(mask: NDArray[np.bool_], edges: NDArray[np.intp]) -> None:
    """Unset in each row the columns between two edges, those with the own avatar there."""
    for row, start, stop in zip(mask, edges[:-1], edges[1:], strict=True):
        row[start:stop] = False
