"""A table in any of the containers that rows are compared in, opened and checked."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from .._containers import check_unique_names, quoted
from ._row_columns import array_column, arrow_column, pandas_column, polars_column
from ._row_keys import Column, object_cells
from ._row_values import ComplexCellError, UnsupportedCellError, canonical_value

_RESHAPE = (
    "Reshape your data either using array.reshape(-1, 1) if your data has a single feature or "
    "array.reshape(1, -1) if it contains a single sample."
)


@dataclass(frozen=True, repr=False)
class Table:
    """A table as columns that can be keyed."""

    name: str
    n_rows: int
    # None where the container has no column names (an array, a list of rows).
    names: list[Hashable] | None
    columns: list[Column]

    def column_label(self, position: int) -> str:
        """Return how messages call a column."""
        called = "" if self.names is None else f"{quoted(self.names[position])} "
        return f"column {called}(position {position}) of {self.name}"


def read_table(table: Any, name: str) -> Table:
    """Read and check a table; `name` is what messages call it."""
    if issparse(table):
        raise TypeError(
            f"Sparse data was passed for {name}, but dense data is required. "
            "Use '.toarray()' to convert to a dense numpy array."
        )
    names, n_rows, n_columns, column_at = _open(table, name)
    if n_columns == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape=({n_rows}, 0)) while a minimum of 1 is "
            f"required: {name} has no columns, so its rows cannot be compared."
        )
    if n_rows == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape=(0, {n_columns})) while a minimum of 1 is "
            f"required: {name} has no rows. Check that the right file was read."
        )
    _check_names(names, name)
    result = Table(name, n_rows, names, [])
    for position in range(n_columns):
        try:
            result.columns.append(column_at(position))
        except UnsupportedCellError as error:
            raise TypeError(
                f"{result.column_label(position)} holds {error}, which cannot be compared by "
                "value. Convert the column to numbers, text or dates, or drop it."
            ) from None
        except ComplexCellError as error:
            raise ValueError(
                f"{error}: {result.column_label(position)}. Convert it to real numbers, or drop it."
            ) from None
    return result


_Opened = tuple["list[Hashable] | None", int, int, Callable[[int], Column]]


def _open(table: Any, name: str) -> _Opened:
    """Return the names, number of rows and of columns, and a reader of a column."""
    if _is_from("pandas", "DataFrame", table):
        return list(table.columns), *table.shape, lambda j: pandas_column(table.iloc[:, j])
    if _is_from("polars", "DataFrame", table):
        # polars takes a name such as ^x$ for a pattern.
        return (
            list(table.columns),
            *table.shape,
            lambda j: polars_column(table.to_series(j).alias("column")),
        )
    if _is_from("pyarrow", "RecordBatch", table):
        return _open(sys.modules["pyarrow"].Table.from_batches([table]), name)
    if _is_from("pyarrow", "Table", table):
        return list(table.column_names), *table.shape, lambda j: arrow_column(table.column(j))
    if isinstance(table, Sequence) and not isinstance(table, (str, bytes)):
        return _open_rows(table, name)
    return _open_array(np.ma.asanyarray(table) if np.ma.isMA(table) else np.asarray(table), name)


def _is_from(library: str, kind: str, table: Any) -> bool:
    """Tell whether a table is of a library's type: who holds one has imported it."""
    module = sys.modules.get(library)
    return module is not None and isinstance(table, getattr(module, kind, ()))


def _open_rows(table: Sequence[Any], name: str) -> _Opened:
    """Open a list of rows; as an array, numbers beside text would turn into text."""
    if not all(map(_is_row, table)):
        raise ValueError(f"Expected 2D array, got 1D array instead: {name}.\n{_RESHAPE}")
    widths = sorted({len(row) for row in table})
    if len(widths) > 1:
        raise ValueError(
            f"The rows of {name} have between {widths[0]} and {widths[-1]} cells; all rows need "
            "the same number."
        )
    columns = list(zip(*table, strict=True))
    return None, len(table), widths[0] if widths else 0, lambda j: object_cells(columns[j])


def _is_row(row: Any) -> bool:
    """Tell whether an item of a sequence can be a row of cells."""
    if isinstance(row, np.ndarray):
        return row.ndim == 1
    return isinstance(row, Sequence) and not isinstance(row, (str, bytes, bytearray))


def _open_array(array: NDArray[Any], name: str) -> _Opened:
    """Open a plain, masked or structured array."""
    if array.ndim == 1 and array.dtype.names is not None:
        fields = array.dtype.names
        return list(fields), len(array), len(fields), lambda j: array_column(array[fields[j]])
    if array.ndim != 2 or array.dtype.names is not None:
        got = {0: "scalar", 1: "1D"}.get(array.ndim, f"{array.ndim}D")
        raise ValueError(f"Expected 2D array, got {got} array instead: {name}.\n{_RESHAPE}")
    return None, *array.shape, lambda j: array_column(array[:, j])


def _check_names(names: list[Hashable] | None, table: str) -> None:
    """Check that column names are there, and each only once."""
    for position, name in enumerate(names or []):
        if not isinstance(name, tuple) and canonical_value(name) is None:
            raise ValueError(f"The column at position {position} of {table} has no name. Name it.")
    check_unique_names(names or [], table)
