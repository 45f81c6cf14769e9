"""Columns of every kind of cell, spelled in every dtype that holds the cells exactly.

A column is drawn as Python cells first, which are what the row oracle compares; containers
come afterwards. So no container's own conversion can make the oracle agree with a mistake.
"""

from __future__ import annotations

import datetime as dt
import math
import zoneinfo
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

NAN = float("nan")
UTC = dt.UTC
PARIS = zoneinfo.ZoneInfo("Europe/Paris")
TOKYO = dt.timezone(dt.timedelta(hours=9))
NOON = dt.datetime(2020, 10, 25, 12)  # noqa: DTZ001
# Half past two in Paris comes twice on this day.
TWICE = dt.datetime(2020, 10, 25, 2, 30, tzinfo=PARIS)
MISSING = [None, NAN, pd.NA, pd.NaT, Decimal("NaN"), np.datetime64("NaT", "s"), np.float32("nan")]


class Spelling(NamedTuple):
    """A dtype of each library that holds some cells, None where a library has no such dtype."""

    cells: list
    pandas: str | None = None
    polars: pl.DataType | None = None
    arrow: pa.DataType | None = None
    # Whether the dtype has room for missing cells, which are None here.
    has_gaps: bool = True


def _float32(cells):
    return [np.float32(cell) for cell in cells]


_BYTES = [0, 1, 2, 7, 200, 255]
_WHOLE = [*_BYTES, -1, -2, 10**6, 2**53, 2**53 + 1, -(2**63), 2**63 - 1]
_UNSIGNED = [*_BYTES, 2**53 + 1, 2**63, 2**63 + 1, 2**64 - 1]
_FLOATS = [0.0, -0.0, 0.1, 0.5, 1.0, 7.0, 2.0**53, 2.0**63, 1e308, 5e-324, math.inf, -math.inf]
_SINGLES = _float32([0, 0.1, 0.5, 1, 7, 2.0**53, 2.0**63, 1e-45, math.inf])
_DECIMALS = [Decimal(text) for text in ("0.00", "0.10", "0.50", "1.00", "7.00", "-1.00", "2.55")]
_TEXT = ["", " ", "a", "a ", "A", "1", "1.0", "nan", "True", "\u00e9", "e\u0301", "x\0", "a|b"]
_DAYS = [dt.date(1, 1, 1), dt.date(1969, 12, 31), NOON.date(), dt.date(9999, 12, 31)]
_TIMES = [dt.time(0), dt.time(12), dt.time(12, 0, 0, 1), dt.time(23, 59, 59, 999999)]
_NAIVE = [NOON, NOON.replace(hour=0), NOON.replace(microsecond=1), dt.datetime(1969, 12, 31)]  # noqa: DTZ001
_WHOLE_SECONDS = [NOON, NOON.replace(hour=0), dt.datetime(9999, 12, 31), dt.datetime(1, 1, 1)]  # noqa: DTZ001
_AWARE = [NOON.replace(tzinfo=UTC), TWICE.astimezone(UTC), TWICE.replace(fold=1).astimezone(UTC)]
_LENGTHS = [dt.timedelta(0), dt.timedelta(1), dt.timedelta(-1), dt.timedelta(microseconds=1)]
_PERIODS = [pd.Period("2020-01", "M"), pd.Period("2020-02", "M")]

SPELLINGS = {
    "int64": Spelling(_WHOLE, "int64", None, pa.int64(), has_gaps=False),
    "Int64": Spelling(_WHOLE, "Int64", pl.Int64(), pa.int64()),
    "Arrow int64": Spelling(_WHOLE, "int64[pyarrow]", pl.Int64(), pa.int64()),
    "uint8": Spelling(_BYTES, "uint8", None, pa.uint8(), has_gaps=False),
    "UInt8": Spelling(_BYTES, "UInt8", pl.UInt8(), pa.uint8()),
    "uint64": Spelling(_UNSIGNED, "uint64", None, pa.uint64(), has_gaps=False),
    "UInt64": Spelling(_UNSIGNED, "UInt64", pl.UInt64(), pa.uint64()),
    "wide integers": Spelling(
        [0, 1, 2**63, 2**64, 2**64 + 1, -(2**100)], polars=getattr(pl, "Int128", lambda: None)()
    ),
    "float16": Spelling([0, 1, 7, 0.5, 200], "float16", None, None),
    "float32": Spelling(_SINGLES, "float32", pl.Float32(), pa.float32()),
    "Float32": Spelling(_SINGLES, "Float32", pl.Float32(), pa.float32()),
    "float64": Spelling(_FLOATS, "float64", pl.Float64(), pa.float64()),
    "Float64": Spelling(_FLOATS, "Float64", pl.Float64(), pa.float64()),
    "Arrow double": Spelling(_FLOATS, "double[pyarrow]", pl.Float64(), pa.float64()),
    "decimal": Spelling(_DECIMALS, None, pl.Decimal(10, 2), pa.decimal128(10, 2)),
    "bool": Spelling([True, False], "bool", None, pa.bool_(), has_gaps=False),
    "boolean": Spelling([True, False], "boolean", pl.Boolean(), pa.bool_()),
    "Arrow bool": Spelling([True, False], "bool[pyarrow]", pl.Boolean(), pa.bool_()),
    "text": Spelling(_TEXT, "str", pl.String(), pa.string()),
    "string": Spelling(_TEXT, "string[python]", pl.String(), pa.large_string()),
    "Arrow text": Spelling(_TEXT, "string[pyarrow]", pl.String(), pa.string()),
    "labels": Spelling(_TEXT, "category", pl.Categorical(), pa.dictionary(pa.int8(), pa.string())),
    "labels of numbers": Spelling(_WHOLE, "category", None, None),
    "labels of days": Spelling(_DAYS[1:3], "category", None, None),
    "bytes": Spelling([b"", b"a", b"1", b"\xff\0x"], None, pl.Binary(), pa.binary()),
    "naive ns": Spelling(_NAIVE, "datetime64[ns]", pl.Datetime("ns"), pa.timestamp("ns")),
    "naive us": Spelling(_NAIVE, "datetime64[us]", pl.Datetime("us"), pa.timestamp("us")),
    "naive s": Spelling(_WHOLE_SECONDS, "datetime64[s]", pl.Datetime("ms"), pa.timestamp("s")),
    "aware UTC": Spelling(
        _AWARE, "datetime64[us, UTC]", pl.Datetime("us", "UTC"), pa.timestamp("us", "UTC")
    ),
    "aware Paris": Spelling(
        _AWARE, "datetime64[ns, Europe/Paris]", pl.Datetime("ns", "Europe/Paris"),
        pa.timestamp("ns", "Europe/Paris"),
    ),
    "days": Spelling(_DAYS, None, pl.Date(), pa.date32()),
    "times": Spelling(_TIMES, None, pl.Time(), pa.time64("us")),
    "lengths ns": Spelling(_LENGTHS, "timedelta64[ns]", pl.Duration("ns"), pa.duration("ns")),
    "lengths us": Spelling(_LENGTHS, "timedelta64[us]", pl.Duration("us"), pa.duration("us")),
    "periods": Spelling(_PERIODS, "period[M]", None, None),
}  # fmt: skip

# Cells that no dtype holds together: they go into columns of Python objects.
OBJECTS = {
    "numbers": [0, -0.0, 1, 1.0, Decimal("1.0"), Fraction(1, 2), 0.5, 2**53, 2**53 + 1, 2.0**53,
                np.float32(0.1), 0.1, Decimal("0.1"), -1, -2, math.inf, Decimal("Infinity"),
                np.uint64(2**64 - 1), np.longdouble(1) / 10, 10**30, *MISSING[:5]],
    "truths and their spellings": [True, 1, "1", "True", b"1", np.True_, np.str_("1"), False, 0,
                                   *MISSING[:3]],
    "any text": [*_TEXT, "\ud800", None, NAN],
    "moments": [NOON, pd.Timestamp(NOON), np.datetime64(NOON, "s"), np.datetime64(NOON, "ns"),
                pd.Timestamp(NOON) + pd.Timedelta(1, "ns"), NOON.date(), *_AWARE, TWICE,
                TWICE.replace(fold=1), NOON.replace(tzinfo=TOKYO), dt.datetime(1, 1, 1),  # noqa: DTZ001
                dt.datetime(9999, 12, 31, 23, 59, tzinfo=dt.timezone(dt.timedelta(hours=-9))),
                pd.NaT, np.datetime64("NaT", "s"), None],
    "other times": [*_TIMES, *_LENGTHS, np.timedelta64(1, "D"), np.timedelta64(86_400, "s"),
                    pd.Timedelta(1, "D"), pd.Timedelta(1, "ns"), *_PERIODS, pd.Period("2020", "Y"),
                    None],
    "missing": MISSING,
}  # fmt: skip
CONTAINERS = ["rows", "array", "structured", "pandas", "polars", "arrow"]


class DrawnColumn(NamedTuple):
    """The cells of a column and the spelling that holds them, None for Python objects."""

    cells: list
    spelling: Spelling | None


def choices(container):
    """Return the names of the kinds of columns that a container can hold."""
    held = [name for name, spelling in SPELLINGS.items() if _fits(spelling, container)]
    return held + ([] if container == "arrow" else sorted(OBJECTS))


def _fits(spelling, container):
    """Tell whether a library of typed columns has the dtype; the others hold objects."""
    if container in ("pandas", "polars", "arrow"):
        return getattr(spelling, container) is not None
    return True


def pool(name):
    """Return the cells that a kind of column may hold, None for a missing one."""
    if name in OBJECTS:
        return OBJECTS[name]
    spelling = SPELLINGS[name]
    return [*spelling.cells, None] if spelling.has_gaps else spelling.cells


def build(container, columns, names=None):
    """Put drawn columns into a container."""
    names = names or [f"c{i}" for i in range(len(columns))]
    if container == "rows":
        return [list(row) for row in zip(*(column.cells for column in columns), strict=True)]
    if container == "array":
        table = np.empty((len(columns[0].cells), len(columns)), dtype=object)
        for j, column in enumerate(columns):
            table[:, j] = _objects(column.cells)
        return table
    if container == "structured":
        table = np.empty(len(columns[0].cells), dtype=[(str(name), object) for name in names])
        for name, column in zip(names, columns, strict=True):
            table[str(name)] = _objects(column.cells)
        return table
    make = {"pandas": _pandas, "polars": _polars, "arrow": _arrow}[container]
    series = [make(column) for column in columns]
    if container == "pandas":
        frame = pd.concat(series, axis=1)
        frame.columns = names
        return frame
    named = {str(name): column for name, column in zip(names, series, strict=True)}
    return pl.DataFrame(named) if container == "polars" else pa.table(named)


def _objects(cells):
    """Return cells as an array of objects, none of them taken for a sequence."""
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def _pandas(column):
    if column.spelling is None or column.spelling.pandas is None:
        return pd.Series(_objects(column.cells), dtype=object)
    dtype = column.spelling.pandas
    if dtype == "UInt64":
        # From a list without gaps pandas goes by float64, and 2**63 + 1 becomes 2**63.
        is_missing = np.array([cell is None for cell in column.cells], dtype=bool)
        numbers = np.array([cell or 0 for cell in column.cells], dtype=np.uint64)
        return pd.Series(pd.arrays.IntegerArray(numbers, is_missing))
    if dtype.endswith("Paris]"):
        return pd.Series(column.cells, dtype="datetime64[ns, UTC]").dt.tz_convert("Europe/Paris")
    return pd.Series(column.cells, dtype=dtype)


def _polars(column):
    if column.spelling is None:
        return pl.Series(column.cells, dtype=pl.Object)
    dtype = column.spelling.polars
    if dtype == pl.Datetime("ns", "Europe/Paris"):
        return pl.Series(column.cells, dtype=pl.Datetime("ns", "UTC")).cast(dtype)
    return pl.Series(column.cells, dtype=dtype)


def _arrow(column):
    return pa.array(column.cells, column.spelling.arrow)
