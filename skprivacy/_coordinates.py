"""A table of numbers becomes float64 rows, or an error says which column is in the way.

scikit-learn's own converters quote the text they cannot read. No message here repeats a
cell, for the tables are personal data: columns are looked at before they are converted.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_array

from ._containers import check_table, quoted
from ._exact_integers import check_exact_integers

# Beyond this magnitude sums of squares of scaled coordinates lose their meaning.
_LARGEST_COORDINATE = 2.0**960


class _Column(NamedTuple):
    """A column, its name or position as messages show it, and its dtype."""

    label: str
    dtype: Any
    cells: Any


def check_coordinates(estimator: BaseEstimator, X: Any, *, reset: bool) -> NDArray[np.float64]:
    """Return X as C-ordered float64 rows of finite numbers."""
    table = "X (the originals)" if reset else "X (the avatars)"
    # Shapes and names first, in words that quote no cell.
    X = check_table(estimator, X, reset=reset)
    columns = list(_columns(X))
    _check_numeric(columns, table)
    for column in columns:
        if _may_be_rounded(column.dtype):
            check_exact_integers(np.asarray(column.cells), f"column {column.label} of {table}")
    try:
        rows = check_array(
            X, dtype=np.float64, order="C", ensure_all_finite=False, estimator=estimator
        )
    except OverflowError:
        label, row = next(
            (column.label, row)
            for column in columns
            if column.dtype.kind == "O"
            for row, cell in enumerate(column.cells)
            if _overflows(cell)
        )
        raise ValueError(
            f"Input {table} contains a number beyond the range of float64 in column {label}, row "
            f"{row}. Rescale the column."
        ) from None
    # NaN fails both comparisons.
    if not (rows.min() > -_LARGEST_COORDINATE and rows.max() < _LARGEST_COORDINATE):
        _raise_magnitude(rows, table, [column.label for column in columns])
    return rows


def _columns(X: Any) -> Iterator[_Column]:
    """Yield the columns of a frame or an array."""
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        for j, (name, dtype) in enumerate(zip(X.columns, X.dtypes, strict=True)):
            cells = X.iloc[:, j] if hasattr(X, "iloc") else X.to_series(j).alias("column")
            yield _Column(f"{quoted(name)} (position {j})", dtype, cells)
    else:
        for j, cells in enumerate(X.T):
            yield _Column(str(j), X.dtype, cells)


def _check_numeric(columns: list[_Column], table: str) -> None:
    """Raise a TypeError that names the columns a distance cannot use."""
    for column in columns:
        if getattr(column.dtype, "kind", "") == "c":
            raise ValueError(
                f"Complex data not supported: column {column.label} of {table} has complex "
                "numbers. Use real columns."
            )
    faulty = [column.label for column in columns if not _is_numeric(column)]
    if faulty:
        shown = ", ".join(faulty[:5]) + (f" and {len(faulty) - 5} more" if faulty[5:] else "")
        raise TypeError(
            f"Column(s) {shown} of {table} hold text, categories, dates or other objects; the "
            "argument must be a table of numbers, not of string or object cells that stand for "
            "a number. Project the table first, e.g. make_pipeline(FAMD(n_components=5), "
            "HiddenRate()), PrivacyScorer(projection=FAMD(n_components=5)) or "
            "privacy_report(..., projection=FAMD(n_components=5))."
        )


def _is_numeric(column: _Column) -> bool:
    """Tell whether a column is numeric by its dtype or, for objects, by its cells."""
    if hasattr(column.dtype, "is_numeric"):
        return bool(column.dtype.is_numeric() or str(column.dtype) == "Boolean")
    if column.dtype.kind in "biuf":
        return True
    # A category of numbers is a set of labels, so its cells are not looked at.
    if column.dtype.kind != "O" or str(column.dtype) == "category":
        return False
    return all(cell is None or is_number(cell) for cell in column.cells)


def _may_be_rounded(dtype: Any) -> bool:
    """Tell whether a column of this dtype can hold integers that float64 would round."""
    return bool(dtype.is_integer()) if hasattr(dtype, "is_numeric") else dtype.kind in "iuO"


def _overflows(cell: Any) -> bool:
    """Tell whether a number has no float64, as a fraction may not."""
    try:
        float(cell)
    except OverflowError:
        return True
    return False


def is_number(cell: Any) -> bool:
    """Tell whether an object cell is a number of any kind."""
    # numpy's lengths of time are signed integers to Python, whatever their unit; NaT is one too.
    if isinstance(cell, np.timedelta64):
        return False
    # Nothing can be made of a signalling NaN, and numpy's error would name no column.
    if isinstance(cell, Decimal) and cell.is_snan():
        return False
    return isinstance(cell, (numbers.Real, Decimal, np.bool_))


def check_all_numbers(X: Any, name: str) -> None:
    """Raise a TypeError at text, which scikit-learn would quote."""
    cells = np.asarray(X)
    if cells.dtype.kind not in "biuf" and not all(map(is_number, cells.flat)):
        raise TypeError(f"{name} must hold numbers only, got dtype {cells.dtype}. Convert it.")


def _raise_magnitude(rows: NDArray[np.float64], table: str, labels: list[str]) -> None:
    """Raise a ValueError that points to the first coordinate distances cannot use."""
    row, column = np.argwhere(~(np.abs(rows) < _LARGEST_COORDINATE))[0]
    if np.isnan(rows[row, column]):
        found, mend = "NaN", "Impute missing values, e.g. with SimpleImputer, or drop them"
    elif np.isinf(rows[row, column]):
        found, mend = "infinity", "Recode or drop it"
    else:
        found = "a magnitude above 2**960 (about 1e289), whose distances overflow float64"
        mend = "Rescale the column, or recode a sentinel value"
    raise ValueError(
        f"Input {table} contains {found} in column {labels[column]}, row {row}. {mend}."
    )
