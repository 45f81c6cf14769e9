"""Metrics that compare each original with its own avatar."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from .._coordinates import check_coordinates
from .._validation import (
    check_n_components,
    check_own_avatar,
    check_owned_once,
    check_sample_weight,
    check_tie_tol,
    resolve_own_avatar,
)
from ._base import AvatarMetric
from ._closer_avatars import CloserAvatars
from ._plausibility import warn_if_other_space, warn_if_unpaired


class PairedMetric(AvatarMetric):
    """Fit on originals and their pairing; count closer avatars for a subclass to sum up."""

    def __init__(
        self,
        *,
        n_components: int | None = None,
        tie_tol: float = 1e-12,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.tie_tol = tie_tol
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, own_avatar: ArrayLike | None = None) -> Self:
        """Keep the originals and which avatar is whose.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The originals, in the anonymisation's projected space.
        y : object
            Ignored.
        own_avatar : array-like of int of shape (n_samples,), default=None
            Position of each original's own avatar among the avatars that will be
            scored. By default avatar ``i`` belongs to original ``i``.

        Returns
        -------
        self : object
            Fitted metric. It holds personal data: treat it as the originals themselves.

        Raises
        ------
        TypeError
            If a column of X is not numeric, or own_avatar does not hold integers.
        ValueError
            If X is empty or holds NaN or infinity, own_avatar is negative or of another
            length, or n_components or tie_tol is out of range.
        """
        # A fit that fails must not leave older originals behind to be scored with.
        self.__dict__.pop("_originals", None)
        X = check_coordinates(self, X, reset=True)
        check_n_components(self.n_components, X.shape[1])
        check_tie_tol(self.tie_tol)
        self._own_avatar = check_own_avatar(own_avatar, len(X))
        # A copy: a table changed by the caller after fit must not change the score.
        self._originals = X.copy()
        return self

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether fit has come to its end."""
        return hasattr(self, "_originals")

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """Return the metric of the avatars.

        Parameters
        ----------
        X : array-like of shape (n_avatars, n_features)
            The avatars, in the same space as the originals.
        y : object
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the original records, in the order given to ``fit``.

        Returns
        -------
        score : float
            The metric; greater is better.

        Raises
        ------
        TypeError
            If a column of X is not numeric.
        ValueError
            If X is empty, holds NaN or infinity, differs in its columns from the
            originals, or does not fit the pairing; or if weights are negative, not
            finite, all zero or of another length.

        Warns
        -----
        UserWarning
            If own avatars are no closer than a random pairing would be, or the avatars'
            median lies outside the originals' range.
        """
        comparison = self._compare(X)
        weight = check_sample_weight(sample_weight, len(comparison.X))
        warn_if_other_space(comparison.X, comparison.Y)
        return self._aggregate(self._counts_for_score(comparison), weight)

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return for each avatar how well it hides the original that owns it.

        Parameters
        ----------
        X : array-like of shape (n_avatars, n_features)
            The avatars, each the own avatar of exactly one original.

        Returns
        -------
        values : ndarray of shape (n_avatars, 1)
            Row ``j`` speaks of avatar ``j``; larger is safer.

        Raises
        ------
        ValueError
            If the pairing is not one to one, or X is invalid as in ``score``.
        """
        comparison = self._compare(X)
        check_owned_once(comparison.own, len(comparison.Y))
        values = np.empty((len(comparison.Y), 1))
        values[comparison.own, 0] = self._per_record(comparison.count())
        return values

    def _compare(self, X: Any) -> CloserAvatars:
        """Return originals and avatars, checked, in the columns to use."""
        check_is_fitted(self)
        avatars = check_coordinates(self, X, reset=False)
        own = resolve_own_avatar(self._own_avatar, len(self._originals), len(avatars))
        d = check_n_components(self.n_components, avatars.shape[1])
        return CloserAvatars(
            self._originals[:, :d],
            avatars[:, :d],
            own,
            tie_tol=check_tie_tol(self.tie_tol),
            n_jobs=self.n_jobs,
        )

    def _counts_for_score(self, comparison: CloserAvatars) -> NDArray[np.int64]:
        """Return the counts that the score sums up."""
        counts = comparison.count()
        warn_if_unpaired(counts, len(comparison.Y))
        return counts

    def _per_record(self, counts: NDArray[np.int64]) -> NDArray[Any]:
        """Return the value of each original that transform shows."""
        raise NotImplementedError

    def _aggregate(
        self, counts: NDArray[np.int64], sample_weight: NDArray[np.float64] | None
    ) -> float:
        """Sum the counts of all originals up to one number."""
        raise NotImplementedError


class CloserAvatarCounts(PairedMetric):
    """The counts themselves, checked like the metrics that sum them up."""

    def counts(self, X: Any) -> NDArray[np.int64]:
        """Return c_i for each original."""
        return self._compare(X).count()


def closer_avatar_counts(
    X: Any,
    X_avatars: Any,
    *,
    own_avatar: ArrayLike | None = None,
    n_components: int | None = None,
    tie_tol: float = 1e-12,
    n_jobs: int | None = None,
) -> NDArray[np.int64]:
    """Count, for each original, the other avatars at least as close as its own.

    Larger counts hide better: c_i ranges from 0 (the own avatar is strictly the closest)
    to n_avatars - 1. :class:`HiddenRate` and :class:`LocalCloaking` sum these counts up.

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

    Returns
    -------
    counts : ndarray of shape (n_samples,), dtype int64
        Counts c_i in the order of the originals.

    Raises
    ------
    TypeError
        If a column is not numeric, or own_avatar does not hold integers.
    ValueError
        If a table is empty, holds NaN or infinity, the columns of the two differ, or
        the pairing, n_components or tie_tol is out of range.

    See Also
    --------
    hidden_rate_score : Share of originals with c_i > 0.
    local_cloaking_score : Median of c_i.

    Notes
    -----
    c_i = #{ j != a(i) : d(x_i, y_j) <= d(x_i, y_a(i)) }, d Euclidean, with ties decided
    as the user guide's page on numerics says. Source: Guillaudeux et al., "Patient-centric
    synthetic data generation, no reason to risk re-identification in biomedical data
    analysis", npj Digital Medicine 6:37 (2023).

    The counts are personal data: an original with c_i = 0 is exposed.

    Examples
    --------
    >>> from skprivacy import closer_avatar_counts
    >>> originals = [[0.0], [10.0], [20.0]]
    >>> avatars = [[1.0], [4.0], [12.0]]
    >>> closer_avatar_counts(originals, avatars)
    array([0, 1, 0])
    """
    metric = CloserAvatarCounts(n_components=n_components, tie_tol=tie_tol, n_jobs=n_jobs)
    return metric.fit(X, own_avatar=own_avatar).counts(X_avatars)
