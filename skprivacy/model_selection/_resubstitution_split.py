"""A splitter that fits and scores on all rows."""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_scalar
from sklearn.utils.validation import _num_samples


class ResubstitutionSplit(BaseCrossValidator):
    """Splitter whose folds are all the same: fit on all rows, score all rows.

    Avatars protect the people whom the anonymiser was fitted on, all of them: that is what
    this splitter measures. A k-fold split scores avatars of people whom the anonymiser has
    not seen, among fewer avatars, and says so nowhere.

    Parameters
    ----------
    n_repeats : int, default=1
        Number of folds. More than one averages over the draws of an anonymiser without a
        fixed seed.

    See Also
    --------
    PrivacyScorer : The scorer to use it with.

    Examples
    --------
    >>> from skprivacy import ResubstitutionSplit
    >>> list(ResubstitutionSplit().split([[7.0], [8.0], [9.0]]))
    [(array([0, 1, 2]), array([0, 1, 2]))]
    """

    def __init__(self, n_repeats: int = 1) -> None:
        self.n_repeats = check_scalar(n_repeats, "n_repeats", numbers.Integral, min_val=1)

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield all rows twice, as the rows to fit on and as those to score.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The originals.
        y : object
            Ignored.
        groups : object
            Ignored.

        Yields
        ------
        train : ndarray of shape (n_samples,)
            Positions of all rows.
        test : ndarray of shape (n_samples,)
            Positions of all rows.
        """
        n_samples = _num_samples(X)
        for _ in range(self.n_repeats):
            yield np.arange(n_samples), np.arange(n_samples)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X : object
            Ignored.
        y : object
            Ignored.
        groups : object
            Ignored.

        Returns
        -------
        n_splits : int
            ``n_repeats``.
        """
        return self.n_repeats
