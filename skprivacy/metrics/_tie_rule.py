"""What "at least as close as its own avatar" means in floating point.

Avatar j counts for original i when

    d(x_i, y_j) <= o_i + tie_tol (||x_i - med|| + o_i) + 4 eps (||x_i|| + ||y_a(i)||)

with o_i = d(x_i, y_a(i)) and med the column-wise median of all originals. A literal
``<=`` breaks the ties of real data: decimals are rounded when they are stored, and the
same distance summed in another order ends in other last bits. The tolerance belongs to
each record and is measured from the median, so that one far outlier cannot blur
everybody else; the last term is the resolution of coordinates far from the origin.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_LIFT = 60
_EPS = float(np.finfo(np.float64).eps)


def tie_thresholds(
    X: NDArray[np.float64],
    own_rows: NDArray[np.float64],
    median: NDArray[np.float64],
    tie_tol: float,
) -> NDArray[np.float64]:
    """Return for each original the distance up to which an avatar counts."""
    own_distance = _norms(X - own_rows)
    spread = _norms(X - median)
    resolution = 4 * _EPS * (_norms(X) + _norms(own_rows))
    return own_distance + tie_tol * (spread + own_distance) + resolution


def _norms(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Euclidean norm of every row."""
    return np.sqrt(np.einsum("ij,ij->i", rows, rows))


def count_at_tiny_scale(
    x: NDArray[np.float64],
    Y: NDArray[np.float64],
    own: int,
    median: NDArray[np.float64],
    tie_tol: float,
) -> int:
    """Count the closer avatars of one original whose squared distances would underflow."""
    # Subnormal numbers have few bits; a power of two is exact and gives them all.
    x, Y, median = np.ldexp(x, _LIFT), np.ldexp(Y, _LIFT), np.ldexp(median, _LIFT)
    own_distance = math.dist(x, Y[own])
    threshold = (
        own_distance
        + tie_tol * (math.dist(x, median) + own_distance)
        + 4 * _EPS * (math.hypot(*x) + math.hypot(*Y[own]))
    )
    in_box = np.flatnonzero((np.abs(Y - x) <= threshold).all(axis=1))
    return sum(math.dist(x, Y[j]) <= threshold for j in in_box if j != own)
