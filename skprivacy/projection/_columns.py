"""Mixed tables read column by column: numbers, categories, and what is neither."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .._containers import is_pandas, is_polars, quoted
from .._exact_integers import check_exact_integers

Kind = Literal["number", "text", "bool"]

_MISSING_TYPES = ("NoneType", "NAType", "NaTType")


@dataclass(frozen=True)
class Column:
    """One column of a table: how messages name it, what it holds, and its cells."""

    label: str
    kind: Kind
    values: NDArray[Any]
    is_categorical: bool


def read_columns(X: Any, categorical_features: Any = "from_dtype") -> list[Column]:
    """Read a frame or 2-D array that `check_table` has passed, refusing what has no distance."""
    if is_pandas(X):
        names, raw = list(X.columns), [_pandas_cells(X.iloc[:, j]) for j in range(X.shape[1])]
    elif is_polars(X):
        names, raw = list(X.columns), [(_polars_cells(series), False) for series in X]
    else:
        names, raw = list(range(X.shape[1])), [(X[:, j], False) for j in range(X.shape[1])]
    # Cells of an object array had no dtype to be given: numbers among them are plain numbers.
    is_typed = is_pandas(X) or is_polars(X)
    listed = _listed_categorical(categorical_features, names)
    return [
        _read_column(
            _label(name, j), cells, is_category=is_category or bool(listed[j]), is_typed=is_typed
        )
        for j, (name, (cells, is_category)) in enumerate(zip(names, raw, strict=True))
    ]


def _listed_categorical(categorical_features: Any, names: list[Any]) -> NDArray[np.bool_]:
    """Turn names, positions or a mask into a mask over the columns."""
    n_features = len(names)
    if isinstance(categorical_features, str) and categorical_features == "from_dtype":
        return np.zeros(n_features, dtype=bool)
    try:
        features = np.asarray(categorical_features)
    except ValueError:
        raise TypeError(
            "categorical_features must be 'from_dtype' or a list of column names, positions or "
            "booleans; got entries of different lengths. Pass a flat list."
        ) from None
    if features.ndim != 1 or (features.dtype.kind not in "biuUO" and features.size):
        raise TypeError(
            "categorical_features must be 'from_dtype' or a list of column names, positions or "
            f"booleans; got {type(categorical_features).__name__} of dtype {features.dtype}."
        )
    if features.dtype.kind == "b":
        if len(features) != n_features:
            raise ValueError(
                f"categorical_features as a mask has {len(features)} entries, but X has "
                f"{n_features} columns. Give one entry for each column."
            )
        return features
    mask = np.zeros(n_features, dtype=bool)
    for feature in features.tolist():
        if isinstance(feature, str):
            if feature not in names:
                raise ValueError(
                    f"categorical_features names {quoted(feature)}, no column of X. Use names of X."
                )
            mask |= np.array([name == feature for name in names])
        elif not 0 <= feature < n_features:
            raise ValueError(
                f"categorical_features has position {feature}, but X has columns 0 to "
                f"{n_features - 1}. Use positions of columns."
            )
        else:
            mask[feature] = True
    return mask


def _label(name: Any, position: int) -> str:
    """Name a column in messages."""
    shown = f"{quoted(name)} (position {position})" if isinstance(name, str) else quoted(name)
    return f"column {shown}"


def _pandas_cells(series: Any) -> tuple[NDArray[Any], bool]:
    """Give the cells of a pandas column and whether it is of category dtype."""
    values = np.asarray(series.to_numpy())
    is_category = hasattr(series, "cat")
    return (values.astype(object) if is_category else values), is_category


def _polars_cells(series: Any) -> NDArray[Any]:
    """Give the cells of a polars column; Categorical and Enum come as text."""
    if series.null_count() or series.dtype.is_nested():
        # As an array, null would become NaN or NaT, and a list or struct an axis.
        return np.fromiter(series.to_list(), dtype=object, count=len(series))
    if series.dtype.is_decimal():
        series = series.cast(float)
    return series.to_numpy()


def _read_column(label: str, cells: NDArray[Any], *, is_category: bool, is_typed: bool) -> Column:
    """Find the one kind of a column's cells, or say what stands in the way."""
    if cells.dtype.kind in "iuf":
        _check_finite(label, cells)
        if not is_category:
            check_exact_integers(cells, f"{label} of X")
        return Column(label, "number", cells, is_categorical=is_category)
    if cells.dtype.kind == "c":
        raise ValueError(
            f"Complex data not supported: {label} of X has complex numbers. Use real columns."
        )
    if cells.dtype.kind in "mM":
        raise TypeError(_date_message(label, str(cells.dtype)))
    objects = cells.astype(object)
    kind = _common_kind(label, objects)
    if kind != "number" or is_category:
        return Column(label, kind, objects, is_categorical=True)
    if is_typed:
        raise ValueError(
            f"Expected text in {label} of X, which is of object dtype; got only numbers. Convert "
            "it to a numeric dtype or list it in categorical_features."
        )
    check_exact_integers(objects, f"{label} of X")
    return Column(label, kind, _as_numbers(label, objects), is_categorical=False)


def _common_kind(label: str, objects: NDArray[Any]) -> Kind:
    """Find the kind that all cells share."""
    types = set(map(type, objects.tolist()))
    if any(cell_type.__name__ in _MISSING_TYPES for cell_type in types):
        raise ValueError(_missing_message(label, "None, NaN or NaT"))
    kinds = {_kind_of_type(label, cell_type) for cell_type in types}
    if "number" in kinds:
        _check_finite(label, _as_floats(label, [c for c in objects if not isinstance(c, str)]))
    if len(kinds) > 1:
        raise ValueError(
            f"Expected cells of one kind in {label} of X, got {' and '.join(sorted(kinds))}. "
            "Convert the column, for instance with astype(str)."
        )
    return kinds.pop()


def _kind_of_type(label: str, cell_type: type) -> Kind:
    """Tell the kind of cells of one Python type."""
    if issubclass(cell_type, str):
        return "text"
    if issubclass(cell_type, (bool, np.bool_)):
        return "bool"
    if issubclass(cell_type, (date, time, timedelta, np.datetime64, np.timedelta64)):
        raise TypeError(_date_message(label, cell_type.__name__))
    if issubclass(cell_type, (Real, Decimal)):
        return "number"
    raise TypeError(
        f"Each cell's argument must be a string, a bool or a real number: {label} of X holds "
        f"{cell_type.__name__!r} cells. Convert or drop the column."
    )


def _as_numbers(label: str, objects: NDArray[Any]) -> NDArray[Any]:
    """Turn Python numbers into an array of whole numbers or of float64."""
    numbers = np.array(objects.tolist())
    return numbers if numbers.dtype.kind in "iuf" else _as_floats(label, objects.tolist())


def _as_floats(label: str, numbers: list[Any]) -> NDArray[np.float64]:
    """Turn Python numbers into float64."""
    try:
        return np.array(numbers, dtype=np.float64)
    except OverflowError:
        raise ValueError(
            f"Input X contains a value too large for float64 in {label}. Rescale the column."
        ) from None
    except ValueError:
        # Of all numbers only Decimal's signalling NaN has no float64.
        raise ValueError(_missing_message(label, "NaN")) from None


def _missing_message(label: str, what: str) -> str:
    """Word the error for missing cells as scikit-learn does, and name the column."""
    return (
        f"Input X contains NaN: {label} has missing cells ({what}). "
        "Impute them, for instance with sklearn.impute.SimpleImputer, or drop them."
    )


def _date_message(label: str, what: str) -> str:
    """Word the error for dates, times and durations."""
    return (
        f"Dates and times are not supported: {label} of X holds {what!r} cells. "
        "Convert it to a number, such as days since a date, or drop it."
    )


def _check_finite(label: str, numbers: NDArray[Any]) -> None:
    """Raise if a column of numbers holds NaN or infinity."""
    if np.isfinite(numbers).all():
        return
    if np.isnan(numbers).any():
        raise ValueError(_missing_message(label, "NaN"))
    raise ValueError(
        f"Input X contains infinity: {label} has infinite cells. "
        "Replace them by finite numbers or drop their rows."
    )
