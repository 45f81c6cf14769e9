"""Share of people whose own avatar is not strictly their single closest avatar."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._closer_avatars import CloserAvatars
from ._paired import PairedMetric
from ._percentage import percentage
from ._plausibility import warn_if_unpaired_sample

# Up to here stopping early saves less than the sample costs that then checks the pairing.
_FEW_ORIGINALS = 1 << 15


class HiddenRate(PairedMetric):
    """Share of originals whose own avatar is not strictly their closest avatar, in percent.

    Greater is better: the score ranges from 0 to 100, and 100 means that nobody's own
    avatar is strictly the closest, so that linking records to the nearest avatar always
    may go wrong. Octopize publishes a target of more than 90.

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
    LocalCloaking : How many avatars stand between an original and its own.
    RowDirectMatchProtection : Protection of unique rows from being copied.
    closer_avatar_counts : The counts c_i themselves.

    Notes
    -----
    HR = 100 (1 - #{ i : c_i = 0 } / n) with c_i as in :func:`closer_avatar_counts`.
    Source: Guillaudeux et al., npj Digital Medicine 6:37 (2023).

    Examples
    --------
    >>> from skprivacy import HiddenRate
    >>> originals = [[0.0], [10.0], [20.0], [30.0]]
    >>> avatars = [[1.0], [4.0], [12.0], [31.0]]
    >>> HiddenRate().fit(originals).score(avatars)
    25.0
    >>> HiddenRate().fit(originals).transform(avatars)
    array([[0.],
           [1.],
           [0.],
           [0.]])
    """

    def _counts_for_score(self, comparison: CloserAvatars) -> NDArray[np.int64]:
        if len(comparison.X) <= _FEW_ORIGINALS:
            return super()._counts_for_score(comparison)
        counts = comparison.count(stop_at_one=True)
        # Half of the counts can be large only when half of the originals are hidden.
        if 2 * np.count_nonzero(counts) >= len(counts):
            warn_if_unpaired_sample(comparison)
        return counts

    def _per_record(self, counts: NDArray[np.int64]) -> NDArray[Any]:
        return counts > 0

    def _aggregate(
        self, counts: NDArray[np.int64], sample_weight: NDArray[np.float64] | None
    ) -> float:
        return hidden_rate_of_counts(counts, sample_weight)


def hidden_rate_of_counts(
    counts: NDArray[np.int64], sample_weight: NDArray[np.float64] | None = None
) -> float:
    """Return the weighted share of positive counts in percent."""
    return percentage(counts > 0, sample_weight)


def hidden_rate_score(
    X: Any,
    X_avatars: Any,
    *,
    own_avatar: ArrayLike | None = None,
    n_components: int | None = None,
    tie_tol: float = 1e-12,
    n_jobs: int | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the share of originals whose own avatar is not strictly their closest avatar.

    Greater is better: the score is in percent, from 0 to 100.

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
        Weights of the original records.

    Returns
    -------
    score : float
        Hidden Rate in percent.

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
    HiddenRate : The same as an estimator and scorer.

    Notes
    -----
    HR = 100 (1 - #{ i : c_i = 0 } / n) with c_i as in :func:`closer_avatar_counts`.
    Source: Guillaudeux et al., npj Digital Medicine 6:37 (2023).

    Examples
    --------
    >>> from skprivacy import hidden_rate_score
    >>> hidden_rate_score([[0.0], [10.0], [20.0], [30.0]], [[1.0], [4.0], [12.0], [31.0]])
    25.0
    """
    metric = HiddenRate(n_components=n_components, tie_tol=tie_tol, n_jobs=n_jobs)
    return metric.fit(X, own_avatar=own_avatar).score(X_avatars, sample_weight=sample_weight)
