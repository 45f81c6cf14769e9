"""A reference anonymiser: one synthetic row for each record, with a k to turn."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import Tags, check_array, check_random_state, gen_batches, get_tags
from sklearn.utils.validation import check_is_fitted, check_scalar

from ._containers import build_table, cast_numbers, check_table, is_polars
from ._coordinates import check_all_numbers
from .metrics._row_matching import group_rows
from .projection._codings import encode_levels
from .projection._columns import Column, read_columns

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]

# Cells of a (rows, neighbours) array that are worked on at once.
_BATCH_CELLS = 2**20


class KNeighborsAnonymizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Replace each record by a random mix of the records nearest to it, itself left out.

    A small anonymiser with one synthetic row per individual, so that examples and tests have
    a number of neighbours to choose. It is not the Avatar method of Octopize, which is
    patented and weighs neighbours in another way. The metrics of this package serve any
    anonymiser that gives each individual one synthetic row.

    Parameters
    ----------
    n_neighbors : int, default=20
        Number k of other records that are mixed, at most one less than the fitted records.
    projection : transformer, default=None
        Transformer in whose coordinates distances are taken, such as
        :class:`~skprivacy.FAMD`; cloned before it is fitted, so that a fitted one stays as it
        is inside :class:`~sklearn.frozen.FrozenEstimator`. With None the columns are used as
        they are, and all must be numbers.
    random_state : int, RandomState instance or None, default=None
        Seed of the weights. With an integer every call to transform draws the same stream.
    n_jobs : int or None, default=None
        Jobs of the neighbour search.

    Attributes
    ----------
    projection_ : transformer or None
        The fitted projection.
    n_features_in_ : int
        Number of columns of the fitted table.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where all of them are strings.

    See Also
    --------
    FAMD : Coordinates for numeric, categorical and mixed tables.
    PrivacyScorer : Choice of n_neighbors by the privacy it buys.

    Notes
    -----
    The weights of the k neighbours follow a Dirichlet distribution with every concentration
    2/k. Numbers are weighted means, integers rounded; a category is the one with the largest
    total weight. Values stay within the range of the neighbours. A column that a FAMD
    projection is told to treat as categorical is a category here as well.

    A row that equals a fitted record, value by value in all columns, is taken for that
    record: one such record is left out of its neighbours. Draws follow the order of the rows,
    so a row in another batch gets other weights.

    Fitted records are kept in private attributes. Pickled, the estimator holds the originals.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from skprivacy import FAMD, KNeighborsAnonymizer
    >>> X = load_wine().data
    >>> anonymizer = KNeighborsAnonymizer(10, projection=FAMD(5), random_state=0)
    >>> anonymizer.fit_transform(X).shape
    (178, 13)
    """

    _neighbors: NearestNeighbors

    def __init__(
        self,
        n_neighbors: int = 20,
        *,
        projection: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.projection = projection
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Store the records and index them by their projected coordinates.

        Parameters
        ----------
        X : array-like, pandas or polars frame of shape (n_samples, n_features)
            Originals, without missing cells.
        y : array-like of shape (n_samples,), default=None
            Passed to the projection, otherwise ignored.

        Returns
        -------
        KNeighborsAnonymizer
            The fitted estimator.

        Raises
        ------
        ValueError
            If n_neighbors exceeds the number of other records, if a column has missing or
            infinite cells, or if categories meet ``projection=None``.
        TypeError
            If a column has dates or other cells that are neither text, bool nor number.
        """
        if isinstance(self.n_neighbors, bool):
            raise TypeError("n_neighbors must be an integer, got bool.")
        check_scalar(self.n_neighbors, "n_neighbors", Integral, min_val=1)
        X = check_table(self, X, reset=True, min_samples=2)
        if self.n_neighbors > len(X) - 1:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} other records are wanted of n_samples={len(X)}. "
                f"Use n_neighbors of at most {len(X) - 1} or fit on more records."
            )
        # A fit that fails must not leave new records beside an old index.
        if hasattr(self, "_neighbors"):
            del self._neighbors
        # A copy: the caller's table may change after fit.
        self._fit_X = X.clone() if is_polars(X) else X.copy()
        columns = self._read(self._fit_X)
        # Cells and, for categories, the code of each cell's level.
        self._cells = [
            (column.values, encode_levels(column)[0] if column.is_categorical else None)
            for column in columns
        ]
        self.projection_ = None if self.projection is None else clone(self.projection).fit(X, y)
        coordinates = self._project(X, columns)
        # A power of two is an exact change of unit: the squares of 1e200 stay in range.
        self._exponent = -int(np.frexp(np.abs(coordinates).max())[1])
        # The tree compares distances by differences, whatever the batch; the brute-force
        # search expands squares, and its ties change with the shape of the query.
        self._neighbors = NearestNeighbors(algorithm="kd_tree", n_jobs=self.n_jobs).fit(
            np.ldexp(coordinates, self._exponent)
        )
        return self

    def transform(self, X: Any) -> Any:
        """Draw one synthetic row for each row.

        Parameters
        ----------
        X : array-like, pandas or polars frame of shape (n_samples, n_features)
            The originals, or new rows of the same columns.

        Returns
        -------
        ndarray, pandas or polars frame of shape (n_samples, n_features)
            Row i is the avatar of row i, in the container and dtypes of the fitted table.

        Raises
        ------
        ValueError
            As in fit, and where the projection refuses the rows.
        """
        check_is_fitted(self)
        X = check_table(self, X, reset=False)
        query = np.ldexp(self._project(X, self._read(X)), self._exponent)
        codes, fitted_codes = group_rows(X, self._fit_X)
        random_state = check_random_state(self.random_state)
        concentration = np.full(self.n_neighbors, 2 / self.n_neighbors)
        parts = []
        for rows in gen_batches(len(query), max(1, _BATCH_CELLS // (self.n_neighbors + 1))):
            found = self._neighbors.kneighbors(
                query[rows], n_neighbors=self.n_neighbors + 1, return_distance=False
            )
            others = _leave_one_equal_out(found, fitted_codes[found] == codes[rows, None])
            weights = random_state.dirichlet(concentration, size=len(others))
            parts.append([_mix(*cells, others, weights) for cells in self._cells])
        table = [np.concatenate(pieces) for pieces in zip(*parts, strict=True)]
        return build_table(self._fit_X, table, index=getattr(X, "index", None))

    def _read(self, X: Any) -> list[Column]:
        """Read the columns, categories being what the projection takes for categories."""
        listed = getattr(self.projection, "categorical_features", "from_dtype")
        columns = read_columns(X, listed)
        categorical = [column.label for column in columns if column.is_categorical]
        if self.projection is None and categorical:
            raise ValueError(
                f"Expected numbers in all columns where projection=None, got categories in "
                f"{', '.join(categorical)} of X. Use projection=FAMD(...), which gives mixed "
                "tables coordinates, or drop these columns."
            )
        return columns

    def _project(self, X: Any, columns: list[Column]) -> Floats:
        """Return the coordinates in which neighbours are sought."""
        if self.projection_ is None:
            return np.column_stack([column.values.astype(np.float64) for column in columns])
        projected = self.projection_.transform(X)
        check_all_numbers(projected, "projected X")
        coordinates: Floats = check_array(projected, dtype=np.float64, input_name="projected X")
        return coordinates

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether a fit went through to the neighbour index."""
        return hasattr(self, "_neighbors")

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that text is welcome where it is to the projection."""
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        if self.projection is not None:
            tags.input_tags = get_tags(self.projection).input_tags
        return tags


def _leave_one_equal_out(found: Positions, is_equal: NDArray[np.bool_]) -> Positions:
    """Drop one neighbour that equals the query from each row, else the farthest.

    Where more records than were asked for share the coordinates of the query, its equal may
    not be among them: all found are other records then, equally near.
    """
    n_queries, n_found = found.shape
    dropped = np.where(is_equal.any(axis=1), is_equal.argmax(axis=1), n_found - 1)
    kept = np.arange(n_found) != dropped[:, None]
    return found[kept].reshape(n_queries, n_found - 1)


def _mix(
    cells: NDArray[Any], codes: Positions | None, neighbors: Positions, weights: Floats
) -> NDArray[Any]:
    """Return one synthetic cell for each row of neighbours and weights."""
    if codes is not None:
        return cells[_heaviest_donors(codes[neighbors], neighbors, weights)]
    values = cells[neighbors]
    with np.errstate(over="ignore"):
        means = (weights * values).sum(axis=1, dtype=np.float64)
    # Rounding, of the mean or of weights that do not quite sum to 1, must not leave the range.
    mixed: NDArray[Any] = np.clip(
        cast_numbers(means, values.dtype), values.min(axis=1), values.max(axis=1)
    )
    return mixed


def _heaviest_donors(codes: Positions, neighbors: Positions, weights: Floats) -> Positions:
    """Return for each row a neighbour of the category with the largest total weight."""
    order = np.argsort(codes, axis=1, kind="stable")
    codes = np.take_along_axis(codes, order, axis=1)
    running = np.take_along_axis(weights, order, axis=1).cumsum(axis=1)
    is_last = np.ones(codes.shape, dtype=bool)
    is_last[:, :-1] = codes[:, 1:] != codes[:, :-1]
    # Equal categories stand side by side: a total is the gain since the run before ended.
    run_ends = np.maximum.accumulate(np.where(is_last, running, 0), axis=1)
    totals = running.copy()
    totals[:, 1:] -= run_ends[:, :-1]
    heaviest = np.where(is_last, totals, -1).argmax(axis=1)
    rows = np.arange(len(neighbors))
    donors: Positions = neighbors[rows, order[rows, heaviest]]
    return donors
