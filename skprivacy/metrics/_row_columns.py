"""A column of numpy, pandas, polars or Arrow as values that can be keyed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._row_keys import Cells, Coded, Column, Words, object_cells
from ._row_values import (
    ATTOSECONDS,
    ComplexCellError,
    UnsupportedCellError,
    canonical_values,
    in_fixed_unit,
)

_KINDS_OF_DTYPE = {"b": "bool", "i": "number", "u": "number", "f": "number"}
_POLARS_WORDS = re.compile(r"U?Int(8|16|32|64)|Float(32|64)|Boolean")
_ARROW_WORDS = re.compile(r"u?int(8|16|32|64)|float|double|halffloat|bool")
_ARROW_TIME = re.compile(r"(timestamp|date32|date64|time32|time64|duration)\[(\w+)(, tz=.*)?\]")
_ARROW_UNITS = {"day": "D"}
_ARROW_TIME_KINDS = {"date32": "date", "date64": "date", "duration": "timedelta"}


def array_column(column: Any) -> Column:
    """Read a column of a numpy array."""
    missing = np.ma.getmaskarray(column) if np.ma.isMA(column) else None
    values: NDArray[Any] = np.asarray(np.ma.getdata(column))
    if values.ndim != 1 or values.dtype.kind == "V":
        raise UnsupportedCellError(f"cells of dtype {column.dtype} with parts of their own")
    if values.dtype.kind == "c":
        raise ComplexCellError
    if values.dtype.kind in "mM":
        return _time_column(values, missing)
    if values.dtype.kind in _KINDS_OF_DTYPE and values.dtype.itemsize <= 8:
        return Words(_KINDS_OF_DTYPE[values.dtype.kind], values, missing)
    cells = values.tolist()
    for row in [] if missing is None else np.flatnonzero(missing):
        cells[row] = None
    return object_cells(cells)


def _time_column(values: NDArray[Any], masked: NDArray[np.bool_] | None = None) -> Words:
    """Read instants or lengths of time of numpy, in whatever unit."""
    kind = "naive datetime" if values.dtype.kind == "M" else "timedelta"
    missing = np.isnat(values) if masked is None else np.isnat(values) | masked
    if missing.all():
        return Words(kind, np.zeros(len(values), np.int64), missing)
    values, unit = in_fixed_unit(values)
    return Words(kind, np.where(missing, 0, values.astype(np.int64)), missing, unit)


def pandas_column(series: Any) -> Column:
    """Read a column of a pandas frame; its index plays no part."""
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return array_column(series.to_numpy())
    reader = _PANDAS_READERS.get(type(dtype).__name__)
    if reader is not None:
        return reader(series)
    numpy_dtype = getattr(dtype, "numpy_dtype", None)
    if isinstance(numpy_dtype, np.dtype) and numpy_dtype.kind in _KINDS_OF_DTYPE:
        values = series.to_numpy(dtype=numpy_dtype, na_value=numpy_dtype.type(0))
        return Words(_KINDS_OF_DTYPE[numpy_dtype.kind], values, series.isna().to_numpy())
    return object_cells(series.to_numpy(dtype=object).tolist())


def _pandas_categorical(series: Any) -> Coded:
    """Read categories by label; those without a cell say nothing and are left out."""
    codes = series.cat.codes.to_numpy()
    is_used = np.bincount(codes[codes >= 0], minlength=len(series.cat.categories)) > 0
    labels = pandas_column(series.cat.categories[is_used].to_series())
    # The last position stands for code -1, a missing cell.
    position = np.append(np.cumsum(is_used) - 1, -1)
    return Coded(position[codes], labels.canonical(np.arange(is_used.sum())))


def _pandas_zoned(series: Any) -> Words:
    """Read aware datetimes by their instant."""
    instants = _time_column(series.dt.tz_convert(None).to_numpy())
    return Words("aware datetime", instants.values, instants.missing, instants.unit)


def _pandas_period(series: Any) -> Words:
    """Read periods of one frequency."""
    # The name of the dtype spells the frequency as each Period does; its `freq` may not.
    frequency = str(series.dtype).removeprefix("period[").removesuffix("]")
    missing = series.isna().to_numpy()
    return Words("period", np.where(missing, 0, series.array.asi8), missing, frequency)


def _pandas_text(series: Any) -> Cells:
    """Read text of pandas, stored as Python or Arrow strings."""
    array = series.array

    def take(rows: Any) -> list[Any]:
        cells = array[rows].to_numpy(dtype=object, na_value=None).tolist()
        return canonical_values(cells)

    return Cells(take, frozenset() if array.isna().all() else frozenset({"text"}))


_PANDAS_READERS: dict[str, Callable[[Any], Column]] = {
    "ArrowDtype": lambda series: arrow_column(series.array.__arrow_array__()),
    "CategoricalDtype": _pandas_categorical,
    "DatetimeTZDtype": _pandas_zoned,
    "PeriodDtype": _pandas_period,
    "SparseDtype": lambda series: array_column(np.asarray(series.array)),
    "StringDtype": _pandas_text,
}


def polars_column(series: Any) -> Column:
    """Read a column of a polars frame; null and NaN are both missing."""
    base, dtype = str(series.dtype.base_type()), series.dtype
    if base in {"Datetime", "Duration", "Time", "Date"}:
        # By ticks: polars' own conversion to Python drops nanoseconds.
        unit = {"Date": "D", "Time": "ns"}.get(base) or dtype.time_unit
        kind = {"Duration": "timedelta", "Time": "time", "Date": "date"}.get(base)
        zoned = getattr(dtype, "time_zone", None) is not None
        kind = kind or ("aware datetime" if zoned else "naive datetime")
        ticks = _polars_words(series.to_physical())
        return Words(kind, ticks.values, ticks.missing, ATTOSECONDS[unit])
    if _POLARS_WORDS.fullmatch(base):
        return _polars_words(series)
    if base == "String":
        kinds = frozenset() if series.null_count() == len(series) else frozenset({"text"})
        return Cells(lambda rows: series.gather(rows).to_list(), kinds)
    return object_cells(series.to_list())


def _polars_words(series: Any) -> Words:
    """Read numbers and truth values of polars."""
    missing = series.is_null().to_numpy()
    values = series.fill_null(False if str(series.dtype) == "Boolean" else 0).to_numpy()
    return Words(_KINDS_OF_DTYPE[values.dtype.kind], values, missing)


def arrow_column(column: Any) -> Column:
    """Read a column of Arrow data."""
    name = str(column.type)
    if name.startswith("dictionary"):
        return arrow_column(column.cast(column.type.value_type))
    time = _ARROW_TIME.fullmatch(name)
    if time is not None:
        return _arrow_time(column, *time.groups())
    if _ARROW_WORDS.fullmatch(name):
        return _arrow_words(column)
    if name in {"string", "large_string"}:
        kinds = frozenset() if column.null_count == len(column) else frozenset({"text"})
        return Cells(lambda rows: column.take(rows).to_pylist(), kinds)
    return object_cells(column.to_pylist())


def _arrow_words(column: Any) -> Words:
    """Read numbers and truth values of Arrow."""
    empty = False if str(column.type) == "bool" else 0
    values = column.fill_null(empty).to_numpy()
    return Words(_KINDS_OF_DTYPE[values.dtype.kind], values, column.is_null().to_numpy())


def _arrow_time(column: Any, stored: str, unit: str, zone: str | None) -> Words:
    """Read instants, days, times and lengths of time of Arrow, by ticks."""
    if stored == "timestamp":
        kind = "naive datetime" if zone is None else "aware datetime"
    else:
        kind = _ARROW_TIME_KINDS.get(stored, "time")
    ticks = _arrow_words(column.cast("int32" if stored.endswith("32") else "int64"))
    return Words(kind, ticks.values, ticks.missing, ATTOSECONDS[_ARROW_UNITS.get(unit, unit)])
