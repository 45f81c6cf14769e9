"""How many other avatars stand between a typical original and its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._paired import PairedMetric


class LocalCloaking(PairedMetric):
    """Median number of other avatars at least as close to an original as its own.

    Greater is better: the score is a number of avatars, from 0 to n_avatars - 1. With
    an even number of originals it may end in .5, the mean of the two middle counts.
    Octopize publishes a target of more than 5.

    Parameters
    ----------
    n_components : int, default=None
        Use only the first so many columns of the (projected) tables; all by default.
    tie_tol : float, default=1e-12
        Relative width in [1e-13, 1e-6] within which two distances are a tie.
    n_jobs : int, default=None
        Number of joblib workers. None means 1 unless in a ``joblib.parallel_config``.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns seen during fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns seen during fit, when all of them are strings.

    See Also
    --------
    HiddenRate : Share of originals with at least one such avatar.
    closer_avatar_counts : The counts c_i themselves.

    Notes
    -----
    LC = median of c_i, with c_i as in :func:`closer_avatar_counts`.
    Source: Guillaudeux et al., npj Digital Medicine 6:37 (2023).

    Examples
    --------
    >>> from skprivacy import LocalCloaking
    >>> originals = [[0.0], [10.0], [20.0], [30.0]]
    >>> avatars = [[12.0], [4.0], [1.0], [31.0]]
    >>> LocalCloaking().fit(originals).score(avatars)
    1.5
    >>> LocalCloaking().fit(originals).transform(avatars)
    array([[2.],
           [1.],
           [3.],
           [0.]])
    """

    def _per_record(self, counts: NDArray[np.int64]) -> NDArray[Any]:
        return counts

    def _aggregate(
        self, counts: NDArray[np.int64], sample_weight: NDArray[np.float64] | None
    ) -> float:
        return local_cloaking_of_counts(counts, sample_weight)


def local_cloaking_of_counts(
    counts: NDArray[np.int64], sample_weight: NDArray[np.float64] | None = None
) -> float:
    """Return the weighted median: the mean of the two middle counts on an exact half."""
    if sample_weight is None:
        return float(np.median(counts))
    order = np.argsort(counts, kind="stable")
    below = np.cumsum(sample_weight[order])
    # Sums of weights are rounded; an exact half must not hang on their last bits.
    rounding = len(counts) * np.finfo(np.float64).eps * below[-1]
    lower = np.searchsorted(below, below[-1] / 2 - rounding, side="left")
    upper = np.searchsorted(below, below[-1] / 2 + rounding, side="right")
    return float((counts[order[lower]] + counts[order[upper]]) / 2)


def local_cloaking_score(
    X: Any,
    X_avatars: Any,
    *,
    own_avatar: ArrayLike | None = None,
    n_components: int | None = None,
    tie_tol: float = 1e-12,
    n_jobs: int | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the median number of other avatars at least as close as the own one.

    Greater is better: the score is a number of avatars, from 0 to n_avatars - 1.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The originals, in the anonymisation's projected space.
    X_avatars : array-like of shape (n_avatars, n_features)
        The avatars, in the same space.
    own_avatar : array-like of int of shape (n_samples,), default=None
        Position of each original's own avatar in ``X_avatars``. By default row ``i``
        belongs to original ``i``, which needs as many avatars as originals.
    n_components : int, default=None
        Use only the first so many columns; all of them by default.
    tie_tol : float, default=1e-12
        Relative width in [1e-13, 1e-6] within which two distances are a tie.
    n_jobs : int, default=None
        Number of joblib workers. None means 1 unless in a ``joblib.parallel_config``.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the original records; the median becomes the weighted median.

    Returns
    -------
    score : float
        Local Cloaking, in avatars.

    Raises
    ------
    TypeError
        If a column is not numeric, or own_avatar does not hold integers.
    ValueError
        If a table is empty, holds NaN or infinity, the columns of the two differ, or
        the pairing, the weights or a parameter is out of range.

    Warns
    -----
    UserWarning
        If own avatars are no closer than a random pairing would be, or the avatars'
        median lies outside the originals' range.

    See Also
    --------
    LocalCloaking : The same as an estimator and scorer.

    Notes
    -----
    LC = median of c_i, with c_i as in :func:`closer_avatar_counts`.
    Source: Guillaudeux et al., npj Digital Medicine 6:37 (2023).

    Examples
    --------
    >>> from skprivacy import local_cloaking_score
    >>> local_cloaking_score([[0.0], [10.0], [20.0], [30.0]], [[12.0], [4.0], [1.0], [31.0]])
    1.5
    """
    metric = LocalCloaking(n_components=n_components, tie_tol=tie_tol, n_jobs=n_jobs)
    return metric.fit(X, own_avatar=own_avatar).score(X_avatars, sample_weight=sample_weight)
