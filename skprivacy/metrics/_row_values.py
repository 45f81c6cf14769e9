"""The value of one cell, in a form on which Python's equality is the equality of values."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Collection
from decimal import Decimal
from fractions import Fraction
from functools import singledispatch
from typing import Any

import numpy as np

# Attoseconds are the finest unit of numpy, so every instant and length of time is a whole number.
ATTOSECONDS = {
    "W": 604_800 * 10**18,
    "D": 86_400 * 10**18,
    "h": 3_600 * 10**18,
    "m": 60 * 10**18,
    "s": 10**18,
    "ms": 10**15,
    "us": 10**12,
    "ns": 10**9,
    "ps": 10**6,
    "fs": 10**3,
    "as": 1,
}
# Canonical values of the other kinds are tuples that begin with it.
_KINDS_OF_TYPES: dict[type, str] = {str: "text"}
_EPOCH = dt.date(1970, 1, 1).toordinal()
_MICROSECOND = dt.timedelta(microseconds=1)


class UnsupportedCellError(TypeError):
    """A cell whose kind has no equality here; the message never holds the cell."""


class ComplexCellError(ValueError):
    """A complex number, refused in the words of scikit-learn."""

    def __init__(self) -> None:
        super().__init__("Complex data not supported")


def distinct_kinds(values: Collection[Any]) -> frozenset[str]:
    """Return the kinds of the non-missing among canonical values."""
    types = set(map(type, values))
    kinds = {_KINDS_OF_TYPES.get(kind, "number") for kind in types - {type(None), tuple}}
    if tuple in types:
        kinds |= {value[0] for value in values if type(value) is tuple}
    return frozenset(kinds)


def canonical_values(cells: list[Any]) -> list[Any]:
    """Return each cell as None (missing), a number, a text, or a tuple that begins with its kind.

    Python compares int, float, Decimal and Fraction exactly and with one hash, so numbers stay
    as they are. Kinds that Python would mix up with numbers (True == 1) are tagged.
    """
    types = set(map(type, cells))
    if types <= {str, type(None)}:
        return cells
    readers = {kind: canonical_value.dispatch(kind) for kind in types}
    return [readers[type(cell)](cell) for cell in cells]


@singledispatch
def canonical_value(cell: Any) -> Any:
    """Return the canonical value of a cell, here of a type that is not registered below."""
    kind = type(cell)
    library = kind.__module__.partition(".")[0]
    if library == "pandas":
        if kind.__name__ == "NAType":
            return None
        if kind.__name__ == "Period":
            return ("period", cell.freqstr, cell.ordinal)
    if library == "pyarrow" and hasattr(cell, "as_py"):
        return _arrow_scalar(cell)
    raise UnsupportedCellError(f"cells of type {kind.__module__}.{kind.__qualname__}")


def _arrow_scalar(cell: Any) -> Any:
    """Return the canonical value of a pyarrow scalar."""
    if "[" in str(cell.type):
        # A type with a unit of time: as_py drops nanoseconds without a word.
        raise UnsupportedCellError(f"cells of type pyarrow {cell.type}")
    return canonical_value(cell.as_py())


@canonical_value.register(type(None))
@canonical_value.register(np.ma.core.MaskedConstant)
def _missing(cell: Any) -> None:
    """Return None: the cell is missing."""


@canonical_value.register(bool)
@canonical_value.register(np.bool_)
def _bool(cell: Any) -> tuple[str, bool]:
    """Keep a truth value apart from 0 and 1."""
    return ("bool", bool(cell))


@canonical_value.register(int)
def _int(cell: int) -> int:
    """Return a plain int, also for a subclass that redefines equality."""
    return int.__pos__(cell)


@canonical_value.register(np.integer)
def _numpy_int(cell: np.integer[Any]) -> int:
    """Return a plain int."""
    return int(cell)


@canonical_value.register(float)
def _float(cell: float) -> float | None:
    """Return a plain float, None for NaN."""
    return None if math.isnan(cell) else float.__pos__(cell)


@canonical_value.register(np.floating)
def _numpy_float(cell: np.floating[Any]) -> float | Fraction | None:
    """Return the exact number of a float of any width, None for NaN."""
    if np.isnan(cell):
        return None
    nearest = float(cell)
    if type(cell)(nearest) == cell:
        return nearest
    return Fraction(*cell.as_integer_ratio())


@canonical_value.register(Decimal)
def _decimal(cell: Decimal) -> Decimal | None:
    """Return a Decimal, None for NaN (a signalling one could not even be hashed)."""
    return None if cell.is_nan() else Decimal(cell)


@canonical_value.register(Fraction)
def _fraction(cell: Fraction) -> Fraction:
    """Return a plain Fraction."""
    return Fraction(cell.numerator, cell.denominator)


@canonical_value.register(complex)
@canonical_value.register(np.complexfloating)
def _complex(cell: Any) -> None:  # noqa: ARG001  (dispatched on)
    """Refuse complex numbers."""
    raise ComplexCellError


@canonical_value.register(str)
def _text(cell: str) -> str:
    """Return a plain str, also for a subclass that redefines equality."""
    return str.__str__(cell)


@canonical_value.register(bytes)
def _bytes(cell: bytes) -> tuple[str, bytes]:
    """Keep bytes apart from text."""
    return ("bytes", bytes(cell))


@canonical_value.register(dt.datetime)
def _datetime(cell: dt.datetime) -> tuple[str, int] | None:
    """Return an instant, None for NaT of pandas, whose type is a subclass of datetime."""
    if type(cell).__name__ == "NaTType":
        return None
    if hasattr(cell, "to_datetime64"):
        # A pandas Timestamp holds nanoseconds that its datetime attributes do not show.
        ticks = _ticks(cell.to_datetime64())
        return ("naive datetime" if cell.tzinfo is None else "aware datetime", ticks)
    days = (cell.toordinal() - _EPOCH) * ATTOSECONDS["D"]
    wall = days + _time_of_day(cell)
    offset = cell.utcoffset()
    if offset is None:
        return ("naive datetime", wall)
    # In whole numbers: subtracting the offset as a datetime overflows in the years 1 and 9999.
    return ("aware datetime", wall - _length(offset))


@canonical_value.register(dt.date)
def _date(cell: dt.date) -> tuple[str, int]:
    """Return a calendar day."""
    return ("date", (cell.toordinal() - _EPOCH) * ATTOSECONDS["D"])


@canonical_value.register(dt.time)
def _time(cell: dt.time) -> tuple[str, int]:
    """Return a time of day, aware and naive apart."""
    offset = cell.utcoffset()
    if offset is None:
        return ("time", _time_of_day(cell))
    return ("aware time", _time_of_day(cell) - _length(offset))


@canonical_value.register(dt.timedelta)
def _timedelta(cell: dt.timedelta) -> tuple[str, int]:
    """Return a length of time."""
    if hasattr(cell, "to_timedelta64"):
        return ("timedelta", _ticks(cell.to_timedelta64()))
    return ("timedelta", _length(cell))


@canonical_value.register(np.datetime64)
@canonical_value.register(np.timedelta64)
def _numpy_time(cell: Any) -> tuple[str, int] | None:
    """Return an instant or a length of time."""
    if np.isnat(cell):
        return None
    return ("naive datetime" if cell.dtype.kind == "M" else "timedelta", _ticks(cell))


def _time_of_day(cell: dt.datetime | dt.time) -> int:
    """Return the attoseconds since midnight on the clock."""
    seconds = cell.hour * 3_600 + cell.minute * 60 + cell.second
    return seconds * ATTOSECONDS["s"] + cell.microsecond * ATTOSECONDS["us"]


def _length(cell: dt.timedelta) -> int:
    """Return the attoseconds of a length of time."""
    return cell // _MICROSECOND * ATTOSECONDS["us"]


def _ticks(cell: Any) -> int:
    """Return the attoseconds of a numpy instant or length of time."""
    cell, unit = in_fixed_unit(cell)
    return int(cell.astype(np.int64)) * unit


def in_fixed_unit(cells: Any) -> tuple[Any, int]:
    """Return instants or lengths of time in a unit of fixed length, and its attoseconds."""
    if cells.dtype.kind == "M" and np.datetime_data(cells.dtype)[0] in {"Y", "M"}:
        cells = cells.astype("M8[D]")
    name, count = np.datetime_data(cells.dtype)
    if name not in ATTOSECONDS:
        raise UnsupportedCellError(f"cells of dtype {cells.dtype}, a unit of no fixed length")
    return cells, ATTOSECONDS[name] * count
