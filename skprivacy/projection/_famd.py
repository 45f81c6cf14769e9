"""Coordinates for numeric, categorical and mixed tables."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_array, gen_batches
from sklearn.utils.validation import check_is_fitted, check_scalar

from .._containers import build_table, check_table, empty_like
from .._coordinates import check_all_numbers
from ._axes import principal_axes
from ._codings import CategoricalCoding, Floats, learn_coding
from ._columns import Column, read_columns


class FAMD(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Factor analysis of mixed data: coordinates in which mixed rows have distances.

    Principal component analysis of z-scores for a numeric table, multiple correspondence
    analysis for a categorical one, and both at once for a mixed one. The decomposition is
    exact and deterministic: equal rows get bit-identical coordinates, alone or in any batch.

    Parameters
    ----------
    n_components : int, default=5
        Number of axes to keep, at most the rank of the coded table.
    categorical_features : "from_dtype" or array-like of str, int or bool, default="from_dtype"
        Columns to treat as categories. With "from_dtype" these are the bool, string and
        category columns and the object columns of text. Names, positions or a boolean mask
        add columns of numbers to them.
    handle_unknown : {"error", "ignore"}, default="error"
        What to do with a level that did not occur in the fitted table: raise, or code it as
        zeros for all fitted levels, which places it at the centre of its column.

    Attributes
    ----------
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of the total inertia that each axis holds.
    n_features_in_ : int
        Number of columns of the fitted table.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where all of them are strings.

    See Also
    --------
    sklearn.decomposition.PCA : Principal components of numeric tables.
    skprivacy.HiddenRate : Hidden Rate of avatars in these coordinates.

    Notes
    -----
    A number x becomes (x - mean) / std with the population standard deviation; a category of
    proportion p becomes 1/sqrt(p) - sqrt(p) in its own column and -sqrt(p) in the columns of
    the other levels. Means, deviations and proportions are those of the fitted table, also
    for new rows. Coordinates are the products with the right singular vectors [1]_. The
    sign of an axis makes its largest loading positive. Columns that are constant, or vary by
    no more than the last bits of float64, contribute nothing.

    Fitted levels are kept in private attributes, for they are cells of the table.

    References
    ----------
    .. [1] J. Pagès, "Analyse factorielle de données mixtes", Revue de statistique appliquée
       52(4), 2004, pages 93-111.

    Examples
    --------
    >>> from skprivacy import FAMD
    >>> X = [[31, "nurse"], [45, "cook"], [52, "cook"], [38, "nurse"], [27, "clerk"]]
    >>> famd = FAMD(n_components=2).fit(X)
    >>> famd.transform(X).shape
    (5, 2)
    >>> famd.get_feature_names_out()
    array(['famd0', 'famd1'], dtype=object)
    """

    _loadings: Floats

    def __init__(
        self,
        n_components: int = 5,
        *,
        categorical_features: ArrayLike | Literal["from_dtype"] = "from_dtype",
        handle_unknown: Literal["error", "ignore"] = "error",
    ) -> None:
        self.n_components = n_components
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn scales, proportions and axes.

        Parameters
        ----------
        X : array-like, pandas or polars frame of shape (n_samples, n_features)
            Table without missing cells.
        y : None
            Ignored.

        Returns
        -------
        FAMD
            The fitted estimator.

        Raises
        ------
        ValueError
            If a column has missing or infinite cells, cells of several kinds, or numbers of
            object dtype; if all columns are constant; if n_components is above the rank.
        TypeError
            If a column has dates or other cells that are neither text, bool nor number.
        """
        self._check_parameters()
        # A fit that fails must not leave new scales beside old axes.
        if hasattr(self, "_loadings"):
            del self._loadings
        X = check_table(self, X, reset=True, min_samples=2)
        columns = read_columns(X, self.categorical_features)
        self._codings = [learn_coding(column) for column in columns]
        self._template = empty_like(X)
        self._find_axes(self._encode(columns), len(X))
        return self

    def transform(self, X: Any) -> Floats:
        """Project rows on the fitted axes.

        Parameters
        ----------
        X : array-like, pandas or polars frame of shape (n_samples, n_features)
            Rows with the columns of the fitted table.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Coordinates, float64.

        Raises
        ------
        ValueError
            As in fit; also for levels that the fitted table did not hold (unless
            ``handle_unknown="ignore"``) and for columns whose kind has changed.
        """
        check_is_fitted(self)
        X = check_table(self, X, reset=False)
        is_categorical = [isinstance(coding, CategoricalCoding) for coding in self._codings]
        cells = self._encode(read_columns(X, is_categorical))
        coordinates = np.zeros((len(X), self._n_features_out))
        # Summing column by column, where a matrix product would choose its order by the
        # shape of the batch, gives equal rows equal bits. Batches stay in the cache.
        for rows in gen_batches(len(X), max(1, 2**15 // self._n_features_out)):
            for coding, part, encoded in zip(self._codings, self._parts, cells, strict=True):
                if coding.width:
                    coordinates[rows] += coding.project(encoded[rows], self._loadings[part])
        return coordinates

    def inverse_transform(self, X: ArrayLike) -> Any:
        """Turn coordinates back into rows of the fitted kind.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Coordinates.

        Returns
        -------
        ndarray, pandas or polars frame of shape (n_samples, `n_features_in_`)
            Rows with the container, columns and dtypes of the fitted table: numbers by the
            reconstruction (integers rounded), categories by the largest reconstructed
            indicator. With as many axes as the rank, the rows that were projected.

        Raises
        ------
        ValueError
            If the coordinates are not finite numbers on n_components axes.
        """
        check_is_fitted(self)
        check_all_numbers(X, "X (the coordinates)")
        coordinates = check_array(X, dtype=np.float64, input_name="X", estimator=self)
        if coordinates.shape[1] != self._n_features_out:
            raise ValueError(
                f"X has {coordinates.shape[1]} coordinates, but {type(self).__name__} was fitted "
                f"with n_components={self._n_features_out}. Pass the output of transform."
            )
        table = [
            coding.decode(coordinates @ self._loadings[part].T)
            for coding, part in zip(self._codings, self._parts, strict=True)
        ]
        return build_table(self._template, table, index=getattr(X, "index", None))

    def _check_parameters(self) -> None:
        """Raise unless n_components and handle_unknown are legal by themselves."""
        if isinstance(self.n_components, bool):
            raise TypeError("n_components must be an integer, got bool.")
        check_scalar(self.n_components, "n_components", Integral, min_val=1)
        if self.handle_unknown not in ("error", "ignore"):
            raise ValueError(
                f"handle_unknown must be 'error' or 'ignore', got {self.handle_unknown!r}."
            )

    def _encode(self, columns: Sequence[Column]) -> list[NDArray[Any]]:
        """Code every column by the fitted scales and levels."""
        cells = []
        for column, coding in zip(columns, self._codings, strict=True):
            if column.kind != coding.kind:
                raise ValueError(
                    f"Expected {coding.kind} cells in {column.label} of X, as at fit; got "
                    f"{column.kind} cells. Convert the column."
                )
            encoded = coding.encode(column)
            is_unseen = encoded < 0 if column.is_categorical else np.zeros(1, dtype=bool)
            if self.handle_unknown == "error" and is_unseen.any():
                raise ValueError(
                    f"Found levels in {column.label} of X that the fitted table does not hold, "
                    f"in {is_unseen.sum()} rows, the first at position {is_unseen.argmax()}. Fit "
                    "on a table that holds them or set handle_unknown='ignore'."
                )
            cells.append(encoded)
        return cells

    def _find_axes(self, cells: Sequence[NDArray[Any]], n_samples: int) -> None:
        """Decompose the coded table and keep its first axes."""
        ends = np.cumsum([coding.width for coding in self._codings]).tolist()
        self._parts = [
            slice(end - coding.width, end) for coding, end in zip(self._codings, ends, strict=True)
        ]
        if ends[-1] == 0:
            raise ValueError(
                f"All {len(cells)} columns of X are constant: there is no axis to project on."
            )

        def fill(rows: slice, block: Floats) -> None:
            for coding, part, encoded in zip(self._codings, self._parts, cells, strict=True):
                if coding.width:
                    coding.fill(block[:, part], encoded[rows])

        loadings, self.explained_variance_ratio_ = principal_axes(
            fill, (n_samples, ends[-1]), self.n_components
        )
        self._n_features_out = loadings.shape[1]
        self._loadings = loadings

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether a fit went through to the axes."""
        return hasattr(self, "_loadings")

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that text is welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags
