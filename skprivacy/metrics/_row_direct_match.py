"""Protection of unique originals from being reproduced row for row."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import _check_n_features, check_is_fitted, validate_data

from .._validation import check_sample_weight
from ._base import AvatarMetric
from ._percentage import percentage
from ._row_matching import RowMatches, match_rows
from ._row_tables import read_table


class RowDirectMatchProtection(AvatarMetric):
    """Share of originals that are not a unique row reproduced by an avatar, in percent.

    Greater is better: the score ranges from ``100 (1 - |U| / n)`` to 100, where U are the
    originals that occur exactly once. A table with few unique rows scores high whatever
    its avatars do, so read ``n_unique_`` and ``count_hits`` beside it. Octopize publishes
    a target of more than 90.

    The tables are raw rows of any kind of cell, compared by value, column by column.
    Columns are matched by name when both tables have names, and by position otherwise.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns seen during fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns seen during fit, when all of them are strings.

    See Also
    --------
    HiddenRate : Share of originals that cannot be linked to their avatar by distance.
    privacy_report : All metrics, with their uncertainty.

    Notes
    -----
    RDMP = 100 (1 - #{ u in U : u in A } / n), with A the distinct avatar rows and n all
    original rows. Source: Guillaudeux et al., npj Digital Medicine 6:37 (2023).

    Examples
    --------
    >>> from skprivacy import RowDirectMatchProtection
    >>> originals = [[1, "a"], [2, "b"], [2, "b"], [3, "c"]]
    >>> avatars = [[1, "a"], [2, "b"], [5, "c"], [5, "c"]]
    >>> metric = RowDirectMatchProtection().fit(originals)
    >>> metric.score(avatars)
    75.0
    >>> metric.n_unique_, metric.count_hits(avatars)
    (2, 1)
    >>> metric.transform(avatars)
    array([[0.],
           [1.],
           [1.],
           [1.]])
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Keep the originals.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The originals: raw rows of any kind of cell.
        y : object
            Ignored.

        Returns
        -------
        self : object
            Fitted metric. It holds personal data: treat it as the originals themselves.

        Raises
        ------
        TypeError
            If X is sparse or a column holds cells that cannot be compared.
        ValueError
            If X is empty, not two-dimensional, or names a column twice.
        """
        # A fit that fails must not leave older originals behind to be scored with.
        self.__dict__.pop("_originals", None)
        # What cannot be compared is refused before any avatar is seen.
        read_table(X, "X")
        validate_data(self, X, skip_check_array=True)
        # A copy: a table changed by the caller after fit must not change the score.
        self._originals = copy.deepcopy(X)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether fit has come to its end."""
        return hasattr(self, "_originals")

    @property
    def n_unique_(self) -> int:
        """Return the number of originals that occur exactly once."""
        check_is_fitted(self)
        return int(match_rows(self._originals, self._originals).is_unique.sum())

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """Return the metric of the avatars.

        Parameters
        ----------
        X : array-like of shape (n_avatars, n_features)
            The avatars: raw rows, any number of them.
        y : object
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the original records, in the order given to ``fit``.

        Returns
        -------
        score : float
            Row Direct Match Protection in percent.

        Raises
        ------
        TypeError
            If X is sparse or a column holds cells that cannot be compared.
        ValueError
            If X is empty, its columns differ from the originals', or a column shares no
            kind of value with the originals'; or if weights are negative, not finite,
            all zero or of another length.
        """
        return protection_of_matches(self._match(X), sample_weight)

    def count_hits(self, X: Any) -> int:
        """Return how many unique originals the avatars reproduce.

        Parameters
        ----------
        X : array-like of shape (n_avatars, n_features)
            The avatars.

        Returns
        -------
        n_hits : int
            Number of unique originals that occur among the avatars, 0 to ``n_unique_``.

        Raises
        ------
        TypeError, ValueError
            As ``score`` does.
        """
        return int(self._match(X).is_hit.sum())

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return 0 for an avatar that reproduces a unique original, else 1.

        Parameters
        ----------
        X : array-like of shape (n_avatars, n_features)
            The avatars.

        Returns
        -------
        values : ndarray of shape (n_avatars, 1)
            0.0 marks a row to withhold.

        Raises
        ------
        TypeError, ValueError
            As ``score`` does.
        """
        return np.where(self._match(X).reproduces, 0.0, 1.0).reshape(-1, 1)

    def _match(self, X: Any) -> RowMatches:
        """Compare the originals with the avatars."""
        check_is_fitted(self)
        are_named = hasattr(self, "feature_names_in_") and hasattr(X, "columns")
        # Named columns may come in any order; without names only their number can differ, and
        # that scikit-learn words.
        if not are_named and len(getattr(X, "shape", ())) == 2:
            _check_n_features(self, X, reset=False)
        return match_rows(self._originals, X)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def protection_of_matches(matches: RowMatches, sample_weight: ArrayLike | None = None) -> float:
    """Return the weighted share of originals that are not a hit, in percent."""
    return percentage(~matches.is_hit, check_sample_weight(sample_weight, len(matches.is_hit)))


def row_direct_match_protection_score(
    X: Any, X_avatars: Any, *, sample_weight: ArrayLike | None = None
) -> float:
    """Return the share of originals that are not a unique row reproduced by an avatar.

    Greater is better: the score is in percent, from ``100 (1 - |U| / n)`` to 100, where U
    are the originals that occur exactly once.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The originals: raw rows of any kind of cell.
    X_avatars : array-like of shape (n_avatars, n_features)
        The avatars, any number of them.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the original records.

    Returns
    -------
    score : float
        Row Direct Match Protection in percent.

    Raises
    ------
    TypeError
        If a table is sparse or a column holds cells that cannot be compared.
    ValueError
        If a table is empty, the columns of the two differ, a column shares no kind of
        value, or the weights are invalid.

    See Also
    --------
    RowDirectMatchProtection : The same as an estimator, with the number of unique rows and of hits.

    Notes
    -----
    RDMP = 100 (1 - #{ u in U : u in A } / n), with A the distinct avatar rows and n all
    original rows. Source: Guillaudeux et al., npj Digital Medicine 6:37 (2023).

    Examples
    --------
    >>> from skprivacy import row_direct_match_protection_score
    >>> row_direct_match_protection_score([[1, "a"], [2, "b"]], [[1, "a"], [7, "b"]])
    50.0
    """
    return protection_of_matches(match_rows(X, X_avatars), sample_weight)
