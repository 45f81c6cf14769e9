"""Containers of tables: numpy arrays, pandas and polars frames, taken and given back.

pandas and polars are optional. Who hands over a frame has loaded its package.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Self

import numpy as np
import sklearn
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array
from sklearn.utils.fixes import parse_version
from sklearn.utils.validation import validate_data

from ._exact_integers import check_exact_integers


def is_pandas(X: object) -> bool:
    """Tell whether `X` is a pandas frame, without importing pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def is_polars(X: object) -> bool:
    """Tell whether `X` is a polars frame, without importing polars."""
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(X, polars.DataFrame)


def check_table(estimator: Any, X: Any, *, reset: bool, min_samples: int = 1) -> Any:
    """Check shape and column names in scikit-learn's words; return a frame or a 2-D array."""
    is_frame = is_pandas(X) or is_polars(X)
    names = column_names(X)
    if names is not None:
        check_unique_names(names, "X")
    if is_polars(X):
        _check_widths(X)
    if not is_frame and not issparse(X):
        X = _as_2d_array(X)
    shown = _NamesAndShape(names, X.shape) if _hides_names(X) else X
    validate_data(estimator, shown, reset=reset, skip_check_array=True)
    _check_same_names(estimator, names, reset=reset)
    # A frame has no one dtype that could be checked: its shape alone earns the messages.
    check_array(
        np.broadcast_to(0.0, X.shape) if is_frame else X,
        dtype=None,
        ensure_all_finite=False,
        ensure_min_samples=min_samples,
        estimator=estimator,
        input_name="X",
    )
    return X


def _hides_names(X: Any) -> bool:
    """Tell whether this scikit-learn cannot see the names of a polars frame."""
    is_old = parse_version(sklearn.__version__) < parse_version("1.9.dev")
    return is_old and is_polars(X) and not hasattr(X, "__dataframe__")


class _NamesAndShape:
    """A polars 2 frame as scikit-learn 1.8 can look at it; goes when 1.9 is the floor."""

    def __init__(self, names: list[Hashable] | None, shape: tuple[int, int]) -> None:
        self.shape = shape
        self._names = names

    def __dataframe__(self) -> Self:
        return self

    def column_names(self) -> list[Hashable] | None:
        return self._names


def column_names(X: object) -> list[Hashable] | None:
    """Return the names of a table's columns, None where its container has none."""
    if is_pandas(X) or is_polars(X):
        return list(X.columns)  # type: ignore[attr-defined]
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None and isinstance(X, (pyarrow.Table, pyarrow.RecordBatch)):
        return list(X.column_names)
    return None


def _check_widths(X: Any) -> None:
    """Raise a TypeError that names a polars column of integers wider than numpy has."""
    for position, (name, dtype) in enumerate(X.schema.items()):
        if str(dtype) in {"Int128", "UInt128"}:
            raise TypeError(
                f"Column {quoted(name)} (position {position}) of X holds 128-bit integers, which "
                "numpy does not have. Convert it to Int64 or Float64."
            )


def _check_same_names(estimator: Any, names: list[Hashable] | None, *, reset: bool) -> None:
    """Raise a ValueError if a table's columns have other names than the fitted ones.

    scikit-learn sees names only if all are strings.
    """
    if reset:
        estimator._column_names = names  # noqa: SLF001 - every estimator's, kept in one place
    fitted = estimator._column_names  # noqa: SLF001
    if names is None or fitted is None or names == fitted:
        return
    position = next(j for j, pair in enumerate(zip(names, fitted, strict=True)) if len({*pair}) > 1)
    raise ValueError(
        f"The names of the columns differ from those seen in fit: got "
        f"{quoted(names[position])} at position {position}, expected "
        f"{quoted(fitted[position])}. Pass the same columns in the same order."
    )


def check_unmasked(values: object, name: str) -> None:
    """Raise a ValueError if an array hides values behind a mask, which numpy would uncover."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        row, *column = np.argwhere(np.ma.getmaskarray(values))[0]
        place = f"column {column[0]}, row {row}" if column else f"position {row}"
        raise ValueError(
            f"{name} holds masked cells, the first in {place}. Impute missing values, or drop them."
        )


def quoted(name: Hashable) -> str:
    """Show a column name on one line, however odd and long it is."""
    shown = repr(name)
    return shown if len(shown) <= 80 else f"{shown[:75]}...'"


def check_unique_names(names: Iterable[Hashable], table: str) -> None:
    """Raise a ValueError that names the first column name that occurs twice."""
    first: dict[Hashable, int] = {}
    for position, name in enumerate(names):
        if first.setdefault(name, position) != position:
            raise ValueError(
                f"Column name {quoted(name)} is repeated in {table} (positions {first[name]} and "
                f"{position}). Column names must be unique; rename or drop one."
            )


def _as_2d_array(X: Any) -> NDArray[Any]:
    """Turn array-likes into an array; scikit-learn's own messages here would print cells."""
    check_unmasked(X, "X")
    array = np.asarray(X)
    if array.dtype.kind == "U" and not hasattr(X, "dtype"):
        # numpy turns the numbers of mixed rows into text.
        array = np.asarray(X, dtype=object)
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array of shape {array.shape} instead: X. "
            "Reshape your data either using array.reshape(-1, 1) if your data has a single "
            "feature or array.reshape(1, -1) if it contains a single sample."
        )
    if array.dtype.kind == "c":
        column = (array.imag != 0).any(axis=0).argmax() if array.size else 0
        raise ValueError(
            f"Complex data not supported: column {column} of X has complex numbers. Use real "
            "columns."
        )
    if not hasattr(X, "dtype") and array.dtype.kind == "f":
        _check_promoted(X, array)
    return array


def _check_promoted(X: Any, array: NDArray[Any]) -> None:
    """Raise at an integer that numpy rounded when it gave all columns one dtype."""
    suspects = np.flatnonzero((np.abs(array) >= np.float64(2**53)).any(axis=0)).tolist()
    names = column_names(X)
    if names is not None:
        for j in suspects:
            cells = np.asarray(X.column(j))
            check_exact_integers(cells, f"column {quoted(names[j])} (position {j}) of X")
    elif suspects:
        for j, cells in zip(suspects, np.asarray(X, dtype=object).T[suspects], strict=True):
            check_exact_integers(cells, f"column {j} of X")


def empty_like(X: Any) -> Any:
    """Keep a table's container, names and dtypes without any of its rows."""
    return X[:0].copy() if not is_polars(X) else X.clear()


def cast_numbers(numbers: NDArray[np.float64], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Round to `dtype`, held inside its range."""
    if dtype.kind not in "iu":
        with np.errstate(over="ignore"):
            return np.clip(numbers, np.finfo(dtype).min, np.finfo(dtype).max).astype(dtype)
    bounds = np.iinfo(dtype)
    rounded = np.rint(numbers)
    # float(2**63 - 1) is 2**63: at and beyond the ends the cast would wrap round.
    inside = (rounded > bounds.min) & (rounded < float(bounds.max))
    ends = np.where(rounded > 0, dtype.type(bounds.max), dtype.type(bounds.min))
    return np.where(inside, np.where(inside, rounded, 0).astype(dtype), ends)


def build_table(template: Any, columns: Sequence[NDArray[Any]], index: Any = None) -> Any:
    """Write columns into a table with the container, names and dtypes of `template`."""
    if is_pandas(template):
        return _build_pandas(template, columns, index)
    if is_polars(template):
        return _build_polars(template, columns)
    table = np.empty((len(columns[0]), len(columns)), dtype=template.dtype)
    for j, values in enumerate(columns):
        table[:, j] = values
    return table


def _build_pandas(template: Any, columns: Sequence[NDArray[Any]], index: Any) -> Any:
    """Build by position, because names may be repeated."""
    pd = sys.modules["pandas"]
    series = {
        j: pd.Series(values, dtype=template.dtypes.iloc[j], index=index)
        for j, values in enumerate(columns)
    }
    frame = pd.DataFrame(series, index=index)
    frame.columns = template.columns
    return frame


def _build_polars(template: Any, columns: Sequence[NDArray[Any]]) -> Any:
    """Build column by column, so that Enum, Categorical and Decimal keep their dtypes."""
    pl = sys.modules["polars"]
    table = {}
    for (name, dtype), values in zip(template.schema.items(), columns, strict=True):
        if dtype == pl.Object:
            # Nothing casts to Object.
            table[name] = pl.Series(values.tolist(), dtype=dtype)
            continue
        series = pl.Series(values.tolist() if values.dtype == object else values)
        # Old versions of polars cut digits off in the cast: 0.9999999 becomes 0.99.
        table[name] = (series.round(dtype.scale) if dtype.is_decimal() else series).cast(dtype)
    return pl.DataFrame(table)
