"""Count the avatars of a leaf within the thresholds of many originals by one product.

In coordinates local to a node, with ||y|| <= 1 for all its avatars, avatar y is within the
threshold t of original x where

    g = ||x - y||^2 - t^2 = (-2 y, ||y||^2, 1) . (x, 1, ||x||^2 - t^2) <= 0.

The product runs in float32, several times faster than direct differences. With u = 2^-24
each of its d + 2 terms carries the rounding of two factors and of at most d + 2 operations,
a relative (d + 4) u (1 + small); the terms add up to at most 2 ||x|| + 1 + |p| in absolute
value, p = ||x||^2 - t^2. The local coordinates and the squares come from float64, whose
roundings add at most (d + 4) 2^-52 (||x||^2 + t^2). So the error is below

    E = 1.01 ((d + 5) u (2 ||x|| + 1 + |p|) + (d + 4) 2^-52 (||x||^2 + t^2)),

where 1.01 covers the second order up to d = 80 000. The factors of an original are divided
by its E: then g < -1 is surely within and g > 1 surely not, whichever original asks, and no
factor exceeds 1 / ((d + 5) u), far from float32's overflow. The pairs in between, too close
to call, are measured again by direct differences in float64.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_U32 = 2.0**-24
_SURELY_OUT = 2.0
# Elements of a product: together with its masks it stays in the cache.
_PRODUCT_SIZE = 1 << 17
# Pairs too close to call are put aside until measuring them is worth a call.
_MAX_CLOSE = 1 << 16


def avatar_factors(local: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return rows (-2 y, ||y||^2, 1) of avatars (n_avatars, d)."""
    factors = np.ones((len(local), local.shape[1] + 2), dtype=np.float32)
    np.multiply(local, -2.0, out=factors[:, :-2])
    factors[:, -2] = np.einsum("ij,ij->i", local, local)
    return factors


def original_factors(
    local: NDArray[np.float64], threshold: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Return columns (x, 1, ||x||^2 - t^2) / E of originals (d, n_originals)."""
    d, n_originals = local.shape
    square_x, square_t = np.einsum("ij,ij->j", local, local), threshold * threshold
    p = square_x - square_t
    error = (d + 5) * _U32 * (2.0 * np.sqrt(square_x) + 1.0 + np.abs(p))
    error += (d + 4) * 2.0**-52 * (square_x + square_t)
    error *= 1.01
    factors = np.empty((d + 2, n_originals), dtype=np.float32)
    np.divide(local, error, out=factors[:-2])
    factors[-2] = 1.0 / error
    factors[-1] = p / error
    return factors


class LeafCounter:
    """Adds up, for every original, the avatars of leaves within its threshold.

    Avatars Y (n_avatars, d) and their factors are in the order of the leaves, ``weight``
    is how often each occurs (None: once), originals X are (d, n_originals).
    """

    def __init__(
        self,
        Y: NDArray[np.float64],
        factors: NDArray[np.float32],
        weight: NDArray[np.float64] | None,
        X: NDArray[np.float64],
        threshold: NDArray[np.float64],
    ) -> None:
        self._Y, self._factors, self._weight = Y, factors, weight
        self._X, self._threshold = X, threshold
        self.counts = np.zeros(len(threshold), dtype=np.int64)
        self._close: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
        self._n_close = 0
        # Memory used again and again stays in the cache.
        self._product = np.empty(_PRODUCT_SIZE, dtype=np.float32)
        self._within = np.empty(_PRODUCT_SIZE, dtype=bool)
        self._near = np.empty(_PRODUCT_SIZE, dtype=bool)

    def add(
        self,
        leaf: slice,
        originals: NDArray[np.intp],
        factors: NDArray[np.float32],
        own: NDArray[np.intp] | None = None,
    ) -> None:
        """Count a leaf for some originals, leaving out their own avatars if given."""
        step = _PRODUCT_SIZE // (leaf.stop - leaf.start)
        for start in range(0, len(originals), step):
            block = slice(start, start + step)
            avatars = self._factors[leaf]
            shape = len(avatars), len(originals[block])
            product = self._product[: shape[0] * shape[1]].reshape(shape)
            np.dot(avatars, factors[:, block], out=product)
            if own is not None:
                product[own[block] - leaf.start, np.arange(shape[1])] = _SURELY_OUT
            self._count(leaf, originals[block], product)

    def _count(
        self, leaf: slice, originals: NDArray[np.intp], product: NDArray[np.float32]
    ) -> None:
        """Count what is surely within and put aside what is too close to call."""
        within = self._within[: product.size].reshape(product.shape)
        near = self._near[: product.size].reshape(product.shape)
        np.less(product, -1, out=within)
        np.less_equal(product, 1, out=near)
        if self._weight is None:
            # Bytes add up several times faster than integers, and a leaf has at most 255.
            self.counts[originals] += np.add.reduce(within.view(np.uint8), axis=0, dtype=np.uint8)
        else:
            self.counts[originals] += (self._weight[leaf] @ within).astype(np.int64)
        if np.count_nonzero(near) > np.count_nonzero(within):
            near ^= within
            avatar, original = np.divmod(np.flatnonzero(near), len(originals))
            self._close.append((originals[original], avatar + leaf.start))
            self._n_close += len(avatar)
        if self._n_close > _MAX_CLOSE:
            self.settle()

    def settle(self) -> None:
        """Measure the pairs too close to call and add those within."""
        if not self._close:
            return
        originals, avatars = (np.concatenate(part) for part in zip(*self._close, strict=True))
        self._close, self._n_close = [], 0
        step = max(1, _PRODUCT_SIZE // self._Y.shape[1])
        for start in range(0, len(originals), step):
            block = slice(start, start + step)
            self._measure(originals[block], avatars[block])

    def _measure(self, originals: NDArray[np.intp], avatars: NDArray[np.intp]) -> None:
        """Add the pairs whose distance, by direct differences, is within the threshold."""
        difference = self._X.take(originals, axis=1) - self._Y.take(avatars, axis=0).T
        square = np.einsum("ij,ij->j", difference, difference)
        is_within = square <= self._threshold.take(originals) ** 2
        weight = 1 if self._weight is None else self._weight[avatars[is_within]].astype(np.int64)
        np.add.at(self.counts, originals[is_within], weight)
