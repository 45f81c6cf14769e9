"""The steps of a walk: from a node to its boxes several levels down, and what a ball meets.

A node's coordinates have an avatar of the node as their origin and are scaled by a power
of two so that all its boxes lie within 1 of it. For a ball of radius t around x and a box
with centre c and half-widths h, the nearest point of the box is at the distance
``|| max(|x - c| - h, 0) ||`` and the farthest corner at ``|| |x - c| + h ||``. Both are
computed in float32 and every doubt is decided for "meets, does not contain": with
u = 2^-24 and k columns each coordinate is off by at most 4 u (|x| + |c| + h), the root of
the sum by a relative (k + 1) u, which is together below the 4 (k + 4) u (|x| + 2 + t) by
which the radius is widened or narrowed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._kd_tree import NodeLevels

_U32 = 2.0**-24
# Differences below this cannot matter: no threshold is below 2^-440.
_SMALLEST_RADIUS = 2.0**-450
# Squares of larger numbers overflow float32. Cut down to this, balls meet no fewer boxes and
# contain no more.
_FAR = 1e18


class Stage:
    """The nodes of one level, their coordinates, and their boxes at a lower level.

    ``columns`` are those of the boxes. Only they are needed in local coordinates, but at
    the last stage, whose boxes are the leaves, these have all columns.
    """

    def __init__(
        self,
        tree: NodeLevels,
        Y: NDArray[np.float64],
        columns: NDArray[np.intp],
        upper: int,
        lower: int,
    ) -> None:
        self.is_last = lower == tree.depth
        self.fan_out = 1 << (lower - upper)
        self._start = tree.level_start(lower)
        self._node_start = tree.level_start(upper)
        member = Y[self._node_start[:-1]]
        origin = member[:, columns].T
        self._origin = member if self.is_last else np.ascontiguousarray(origin.T)
        low, high = tree.boxes(upper)
        radius = np.sqrt(np.square(np.maximum(high - origin, origin - low)).sum(axis=0))
        if self.is_last:
            radius = np.maximum(radius, self._avatar_radius(Y))
        self.n_nodes = len(radius)
        self._scale = np.ldexp(1.0, -np.frexp(np.maximum(radius, _SMALLEST_RADIUS))[1])
        self._covers_all_columns = len(columns) == Y.shape[1]
        self._columns = slice(None) if self._covers_all_columns else columns
        node = np.repeat(np.arange(self.n_nodes), self.fan_out)
        low, high = ((v - origin[:, node]) * self._scale[node] for v in tree.boxes(lower))
        self._set_boxes(low, high)

    def _avatar_radius(self, Y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the largest distance of a node's avatars from its origin, per node."""
        centred = (self._centred(Y, node) for node in range(len(self._origin)))
        return np.sqrt([np.einsum("ij,ij->i", avatars, avatars).max() for avatars in centred])

    def _set_boxes(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
        """Store the boxes as centres and half-widths, (n_columns, n_boxes, 1)."""
        centre = 0.5 * (low + high)
        half = np.maximum(high - centre, centre - low)
        diagonal = np.sqrt(np.square(half).sum(axis=0))
        self._smallest = diagonal.reshape(-1, self.fan_out).min(axis=1)
        self._centre = centre.astype(np.float32)[:, :, None]
        # Rounded up, so that no box shrinks.
        self._half = (half * (1 + 4 * _U32)).astype(np.float32)[:, :, None]
        self._slack = 4 * (len(low) + 4) * _U32

    def boxes(self, node: int) -> slice:
        """Return the boxes of a node."""
        return slice(node * self.fan_out, (node + 1) * self.fan_out)

    def edges(self, node: int) -> NDArray[np.intp]:
        """Return where the avatars of each box of a node start, and the end."""
        boxes = self.boxes(node)
        return self._start[boxes.start : boxes.stop + 1]

    def avatars(self, node: int) -> slice:
        """Return the avatars of a node."""
        return slice(*self._node_start[node : node + 2])

    def local_avatars(self, Y: NDArray[np.float64], node: int) -> NDArray[np.float64]:
        """Return the avatars of a node in its coordinates."""
        return self._centred(Y, node) * self._scale[node]

    def _centred(self, Y: NDArray[np.float64], node: int) -> NDArray[np.float64]:
        """Return the avatars of a node as seen from its origin."""
        return Y[self.avatars(node)] - self._origin[node]

    def local(
        self, node: int, X: NDArray[np.float64], threshold: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return originals (n_columns, n) and thresholds in a node's coordinates."""
        X = X - self._origin[node][:, None]
        X *= self._scale[node]
        return X, threshold * self._scale[node]

    def test(
        self, node: int, x: NDArray[np.float64], t: NDArray[np.float64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_] | None]:
        """Return which balls meet and which contain the boxes of a node, (n_boxes, n).

        x and t are local to the node. None says that nothing is contained.
        """
        if self.is_last:
            x = x[self._columns]
        centre, half = self._centre[:, self.boxes(node)], self._half[:, self.boxes(node)]
        doubt = self._slack * (np.sqrt(np.einsum("ij,ij->j", x, x)) + 2.0 + t)
        x32 = np.clip(x, -_FAR, _FAR).astype(np.float32)
        reach = np.minimum(t + doubt, 10 * _FAR).astype(np.float32)
        meets = _nearest_square(x32, centre, half) <= reach * reach
        inner = np.minimum(t - doubt, 0.9 * _FAR)
        wide = np.flatnonzero(inner > self._smallest[node])
        # Boxes in some of the columns say nothing about how far avatars lie in the others.
        if not (self._covers_all_columns and len(wide)):
            return meets, None
        inner32 = inner[wide].astype(np.float32)
        contains = np.zeros_like(meets)
        contains[:, wide] = _farthest_square(x32[:, wide], centre, half) < inner32 * inner32
        return meets, contains


def _nearest_square(
    x: NDArray[np.float32], centre: NDArray[np.float32], half: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the squared distance of every point to every box, (n_boxes, n)."""
    total = np.zeros((centre.shape[1], x.shape[1]), dtype=np.float32)
    gap, zero = np.empty_like(total), np.zeros_like(total)
    for x_k, centre_k, half_k in zip(x, centre, half, strict=True):
        np.subtract(x_k, centre_k, out=gap)
        np.abs(gap, out=gap)
        gap -= half_k
        # An array of zeros: the maximum with a scalar has no fast loop in numpy.
        np.maximum(gap, zero, out=gap)
        gap *= gap
        total += gap
    return total


def _farthest_square(
    x: NDArray[np.float32], centre: NDArray[np.float32], half: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the squared distance of every point to the farthest corner of every box."""
    total = np.zeros((centre.shape[1], x.shape[1]), dtype=np.float32)
    for x_k, centre_k, half_k in zip(x, centre, half, strict=True):
        reach = np.abs(x_k - centre_k)
        reach += half_k
        reach *= reach
        total += reach
    return total
