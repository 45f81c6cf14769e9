"""Row equality by the plainest means: every cell with every cell, exact values, no hash."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np

EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001
SECONDS = {
    "W": Fraction(604800), "D": Fraction(86400), "h": Fraction(3600), "m": Fraction(60),
    "s": Fraction(1), "ms": Fraction(1, 10**3), "us": Fraction(1, 10**6),
    "ns": Fraction(1, 10**9), "ps": Fraction(1, 10**12),
}  # fmt: skip


def kind_and_value(cell):  # noqa: PLR0911 - a kind a line
    """A cell's kind and exact value, ("missing", 0) where there is none."""
    name = type(cell).__name__
    if cell is None or name in {"NAType", "NaTType", "MaskedConstant"}:
        return "missing", 0
    if name == "Period":
        return "period", (cell.freqstr, cell.ordinal)
    if isinstance(cell, (bool, np.bool_)):
        return "bool", str(cell) == "True"
    if isinstance(cell, str):
        return "text", [ord(character) for character in cell]
    if isinstance(cell, bytes):
        return "bytes", list(cell)
    if isinstance(cell, (np.datetime64, np.timedelta64, dt.date, dt.time, dt.timedelta)):
        return _time(cell)
    return _number(cell)


def _time(cell):  # noqa: PLR0911 - a kind a line
    """Kind and value of a moment, day, time or length of time, in seconds."""
    if isinstance(cell, (np.datetime64, np.timedelta64)):
        if np.isnat(cell):
            return "missing", 0
        unit, count = np.datetime_data(cell.dtype)
        seconds = int(cell.astype("int64")) * count * SECONDS[unit]
        return "naive datetime" if isinstance(cell, np.datetime64) else "timedelta", seconds
    nanoseconds = Fraction(getattr(cell, "nanosecond", getattr(cell, "nanoseconds", 0)), 10**9)
    if isinstance(cell, dt.timedelta):
        return "timedelta", _seconds(cell) + nanoseconds
    if isinstance(cell, dt.datetime):
        offset = cell.utcoffset()
        plain = dt.datetime(*cell.timetuple()[:6], cell.microsecond)  # noqa: DTZ001
        wall = _seconds(plain - EPOCH) + nanoseconds
        if offset is None:
            return "naive datetime", wall
        return "aware datetime", wall - _seconds(offset)
    if isinstance(cell, dt.date):
        return "date", cell.toordinal()
    return "time", (cell.hour, cell.minute, cell.second, cell.microsecond)


def _seconds(length):
    """Seconds of a timedelta."""
    return length.days * 86400 + length.seconds + Fraction(length.microseconds, 10**6)


def _number(cell):
    """Kind and value of a number."""
    if isinstance(cell, Decimal) and cell.is_nan():
        return "missing", 0
    if isinstance(cell, (float, np.floating)):
        if math.isnan(cell):
            return "missing", 0
        if math.isinf(cell):
            return "number", str(float(cell))
        return "number", Fraction(*cell.as_integer_ratio())
    if isinstance(cell, Decimal) and cell.is_infinite():
        return "number", str(float(cell))
    return "number", Fraction(int(cell)) if isinstance(cell, np.integer) else Fraction(cell)


def rows_of(columns):
    """Rows of kinds and values from columns of cells."""
    return list(
        zip(*([kind_and_value(cell) for cell in column] for column in columns), strict=True)
    )


def kinds_clash(columns, other_columns):
    """Whether some column shares no kind with its partner."""
    for column, other in zip(columns, other_columns, strict=True):
        here, there = (
            {kind_and_value(cell)[0] for cell in cells} - {"missing"} for cells in (column, other)
        )
        if here and there and not here & there:
            return True
    return False


def match(columns, avatar_columns):
    """is_unique, is_hit and reproduces, each row compared with each."""
    rows, avatars = rows_of(columns), rows_of(avatar_columns)
    is_unique = [sum(row == other for other in rows) == 1 for row in rows]
    is_hit = [
        unique and any(row == avatar for avatar in avatars)
        for row, unique in zip(rows, is_unique, strict=True)
    ]
    reproduces = [
        any(avatar == row and unique for row, unique in zip(rows, is_unique, strict=True))
        for avatar in avatars
    ]
    return is_unique, is_hit, reproduces
