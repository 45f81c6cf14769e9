"""What the same avatars would score if own avatars were drawn at random.

This is the yardstick of the paired metrics: no anonymisation can be told apart from a
random pairing once it gets there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from ._closer_avatars import CloserAvatars

# A tree finds the nearest avatar by direct differences. The matrix product that is faster
# in many columns may name another one, which with more avatars than these moves the Hidden
# Rate by less than 0.02 points.
_MANY_AVATARS = 5000
_MANY_COLUMNS = 15


def random_pairing_scores(
    comparison: CloserAvatars, sample_weight: NDArray[np.float64] | None
) -> dict[str, float]:
    """Return the expected Hidden Rate and Local Cloaking of a uniformly drawn own avatar.

    Original i is exposed only if its strictly nearest avatar is drawn, one time in m; if
    two avatars tie for nearest, never. Without ties c_i is uniform on 0..m-1, and so the
    median is (m - 1) / 2 on average; ties raise it.
    """
    n_avatars = len(comparison.Y)
    share = float(np.average(has_strictly_nearest(comparison), weights=sample_weight))
    return {
        "hidden_rate": 100 * (1 - share / n_avatars),
        "local_cloaking": (n_avatars - 1) / 2,
    }


def has_strictly_nearest(comparison: CloserAvatars) -> NDArray[np.bool_]:
    """Tell for each original whether one avatar is closer than all others.

    The nearest avatar is taken for the own one and counted against, so that the tie rule
    decides here as it does everywhere.
    """
    as_if_own = CloserAvatars(
        comparison.X,
        comparison.Y,
        _nearest(comparison),
        tie_tol=comparison.tie_tol,
        n_jobs=comparison.n_jobs,
    )
    return as_if_own.count(stop_at_one=True) == 0


def _nearest(comparison: CloserAvatars) -> NDArray[np.int64]:
    """Return the position of an avatar nearest to each original."""
    X, Y = comparison.X, comparison.Y
    # A power of two is exact, and keeps squares of large coordinates finite.
    exponent = int(np.frexp(max(np.abs(X).max(), np.abs(Y).max()))[1])
    use_product = len(Y) > _MANY_AVATARS and Y.shape[1] > _MANY_COLUMNS
    search = NearestNeighbors(n_neighbors=1, algorithm="brute" if use_product else "kd_tree")
    nearest = search.fit(np.ldexp(Y, -exponent)).kneighbors(
        np.ldexp(X, -exponent), return_distance=False
    )
    return nearest[:, 0].astype(np.int64)
