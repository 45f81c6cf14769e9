"""Cells are equal in value exactly where their canonical values are."""

from __future__ import annotations

import datetime as dt
import enum
import itertools
import zoneinfo
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from skprivacy.metrics._row_values import (
    ComplexCellError,
    UnsupportedCellError,
    canonical_value,
    canonical_values,
    distinct_kinds,
)

UTC = dt.UTC
PARIS = zoneinfo.ZoneInfo("Europe/Paris")
NAIVE = dt.datetime(2020, 1, 1, 12)  # noqa: DTZ001


class Shout(str):
    """A text that claims to equal everything."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other):
        return True


class Level(enum.IntEnum):
    LOW = 1


class Colour(enum.StrEnum):
    RED = "red"


class Flag(enum.Enum):
    YES = 1


# Each list holds spellings of one value; cells of different lists differ in value.
SAME = {
    "missing": [
        None, float("nan"), np.nan, -np.float64("nan"), np.float32("nan"), np.longdouble("nan"),
        Decimal("NaN"), Decimal("sNaN"), Decimal("-NaN"), pd.NA, pd.NaT, np.ma.masked,
        np.datetime64("NaT", "s"), np.timedelta64("NaT", "s"), pa.scalar(None),
    ],
    "zero": [0, 0.0, -0.0, Decimal("-0.0"), Fraction(0), np.int8(0), np.float16(-0.0)],
    "one": [
        1, 1.0, Decimal("1.00"), Fraction(2, 2), np.uint8(1), np.int64(1), np.float32(1),
        np.longdouble(1), Level.LOW, pa.scalar(1),
    ],
    "minus one": [-1, -1.0, np.int8(-1)],
    "minus two": [-2, np.float32(-2)],
    "half": [0.5, Decimal("0.50"), Fraction(1, 2), np.float16(0.5)],
    "tenth": [Decimal("0.1"), Fraction(1, 10)],
    "double nearest a tenth": [0.1, Fraction(*(0.1).as_integer_ratio()), np.float64(0.1)],
    "single nearest a tenth": [np.float32(0.1), float(np.float32(0.1))],
    "longdouble nearest a tenth": [np.longdouble(1) / 10],
    "2**53": [2**53, 2.0**53, np.uint64(2**53)],
    "2**53 + 1": [2**53 + 1, np.int64(2**53 + 1), Decimal(2**53 + 1), np.longdouble(2**53) + 1],
    "2**63": [2**63, 2.0**63, np.uint64(2**63)],
    "2**63 - 1": [2**63 - 1, np.int64(2**63 - 1)],
    "beyond 64 bits": [10**30, Decimal("1E+30"), Fraction(10**30)],
    "enormous": [Decimal("1E+99999")],
    "infinity": [float("inf"), np.float32("inf"), Decimal("Infinity"), np.longdouble("inf")],
    "true": [True, np.True_, pa.scalar(True)],
    "false": [False, np.False_],
    "text one": ["1", np.str_("1"), pa.scalar("1")],
    "text nan": ["nan"],
    "empty text": [""],
    "text red": ["red", Shout("red"), Colour.RED],
    "text red and blank": ["red "],
    "text red and nul": ["red\0"],
    "composed": ["\u00e9"],
    "decomposed": ["e\u0301"],
    "surrogate": ["\ud800"],
    "bytes red": [b"red", np.bytes_(b"red")],
    "noon": [
        NAIVE, pd.Timestamp(NAIVE), pd.Timestamp(NAIVE).as_unit("s"),
        np.datetime64("2020-01-01T12"), np.datetime64("2020-01-01T12:00:00.000000000"),
    ],
    "noon and 1 ns": [pd.Timestamp("2020-01-01 12:00:00.000000001")],
    "noon in UTC": [
        NAIVE.replace(tzinfo=UTC), pd.Timestamp(NAIVE, tz="UTC"),
        dt.datetime(2020, 1, 1, 13, tzinfo=PARIS), pd.Timestamp("2020-01-01 13:00", tz=PARIS),
    ],
    "noon in Paris": [NAIVE.replace(tzinfo=PARIS)],
    "first 2:30 of the clock change": [
        dt.datetime(2020, 10, 25, 2, 30, tzinfo=PARIS),
        dt.datetime(2020, 10, 25, 0, 30, tzinfo=UTC),
    ],
    "second 2:30 of the clock change": [
        dt.datetime(2020, 10, 25, 2, 30, tzinfo=PARIS, fold=1),
        dt.datetime(2020, 10, 25, 1, 30, tzinfo=UTC),
    ],
    "first instant": [dt.datetime(1, 1, 1), np.datetime64("0001-01-01")],  # noqa: DTZ001
    "before the first instant": [
        dt.datetime(1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=5))),
    ],
    "last instant": [dt.datetime(9999, 12, 31, 23, 59, 59, 999999)],  # noqa: DTZ001
    "midnight": [
        dt.datetime(2020, 1, 1), np.datetime64("2020-01-01"), np.datetime64("2020-01"),  # noqa: DTZ001
        np.datetime64("2020"),
    ],
    "day": [dt.date(2020, 1, 1)],
    "time": [dt.time(12), dt.time(12, fold=1)],
    "aware time": [dt.time(12, tzinfo=UTC), dt.time(13, tzinfo=dt.timezone(dt.timedelta(hours=1)))],
    "one minute": [
        dt.timedelta(minutes=1), pd.Timedelta("1min"), np.timedelta64(60, "s"),
        np.timedelta64(1, "m"), np.timedelta64(60_000_000_000, "ns"), np.timedelta64(2, "30s"),
    ],
    "one minute and 1 ns": [pd.Timedelta("1min") + pd.Timedelta("1ns")],
    "minus a minute": [dt.timedelta(minutes=-1)],
    "month": [pd.Period("2020-01", "M")],
    "year": [pd.Period("2020", "Y")],
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_spellings_of_one_value_are_equal(name):
    values = canonical_values(SAME[name])
    assert all(value == values[0] for value in values)
    assert len(dict.fromkeys(values)) == 1
    assert len(distinct_kinds(values)) == (name != "missing")


def test_different_values_differ():
    first = {name: canonical_value(cells[0]) for name, cells in SAME.items()}
    alike = [(a, b) for a, b in itertools.combinations(first, 2) if first[a] == first[b]]
    assert alike == []


def test_decimals_and_fractions_meet_in_both_orders():
    half = canonical_values([Fraction(1, 2), Decimal("0.5")])
    assert {half[0]: 1}[half[1]] == {half[1]: 1}[half[0]] == 1


@pytest.mark.parametrize(
    ("cells", "kinds"),
    [
        ([None, "a"], {"text"}),
        ([1, 2.5, Decimal(1)], {"number"}),
        ([True, 1, "1"], {"bool", "number", "text"}),
        ([NAIVE, NAIVE.replace(tzinfo=UTC)], {"naive datetime", "aware datetime"}),
        ([dt.date(2020, 1, 1), dt.time(1), dt.timedelta(1)], {"date", "time", "timedelta"}),
        ([pd.Period("2020", "Y"), b"1"], {"period", "bytes"}),
        ([], set()),
    ],
)
def test_kinds(cells, kinds):
    assert distinct_kinds(canonical_values(cells)) == kinds


@pytest.mark.parametrize(
    "cell",
    [
        [1], {"a": 1}, {1}, (1, 2), np.array([1]), object(), Flag.YES, pd.Interval(0, 1),
        bytearray(b"canary"), np.timedelta64(1, "Y"), np.timedelta64(1, "M"),
        pa.scalar([1]), pa.scalar(1, pa.time64("ns")), np.array([(1,)], [("a", "i8")])[0],
    ],
)  # fmt: skip
def test_other_cells_are_refused_by_type(cell):
    with pytest.raises(UnsupportedCellError, match="cells of") as caught:
        canonical_values(["text", cell])
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize("cell", [1j, np.complex64(1)])
def test_complex_cells_are_refused(cell):
    with pytest.raises(ComplexCellError, match="Complex data not supported"):
        canonical_values([cell])


@pytest.mark.parametrize(
    ("unit", "finer", "n_finer"),
    [
        *[("W", "D", 7), ("D", "h", 24), ("h", "m", 60), ("m", "s", 60)],
        *[("s", "ms", 1000), ("ms", "us", 1000), ("us", "ns", 1000)],
        *[("ns", "ps", 1000), ("ps", "fs", 1000), ("fs", "as", 1000)],
    ],
)
def test_units_of_time_are_multiples_of_finer_ones(unit, finer, n_finer):
    for kind in (np.timedelta64, np.datetime64):
        assert canonical_value(kind(3, unit)) == canonical_value(kind(3 * n_finer, finer))


def test_the_finest_unit_of_time_is_one():
    assert canonical_value(np.timedelta64(7, "as")) == ("timedelta", 7)


@pytest.mark.parametrize("day", [dt.date(1970, 1, 1), dt.date(1969, 12, 30), dt.date(2020, 2, 29)])
def test_a_date_counts_days_from_1970(day):
    kind, ticks = canonical_value(day)
    assert kind == "date"
    assert ("naive datetime", ticks) == canonical_value(np.datetime64(day))


def test_a_time_is_as_long_as_the_day_is_old():
    length = dt.timedelta(hours=1, minutes=2, seconds=3, microseconds=4)
    assert canonical_value(dt.time(1, 2, 3, 4)) == ("time", canonical_value(length)[1])


@pytest.mark.parametrize("cells", [["a", "b"], ["a", None], [None]])
def test_text_is_not_copied(cells):
    assert canonical_values(cells) is cells


class Impostor:
    """An object that can be turned into Python as a scalar of Arrow can."""

    type = "int64"

    def as_py(self):
        return 1


@pytest.mark.parametrize("cell", [Impostor(), pa.int64()])
def test_only_scalars_of_arrow_are_turned_into_python(cell):
    with pytest.raises(UnsupportedCellError, match="cells of type"):
        canonical_value(cell)
