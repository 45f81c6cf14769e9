"""Keys of two columns are equal exactly where the cells are, on the fast path as on the slow."""

from __future__ import annotations

import datetime as dt
import itertools
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
from _rows_oracle import kind_and_value

from skprivacy.metrics._row_keys import (
    N_READINGS,
    Cells,
    Coded,
    Words,
    _in_one_unit,
    joint_keys,
    object_cells,
)
from skprivacy.metrics._row_values import ATTOSECONDS

EDGES = {
    "int8": [-128, -1, 0, 1, 127],
    "uint8": [0, 1, 127, 128, 255],
    "int64": [-(2**63), -(2**53) - 1, -1, 0, 1, 2**53, 2**53 + 1, 2**63 - 1024, 2**63 - 1],
    "uint64": [0, 1, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1],
    "float16": [0.0, -0.0, 0.1, 1.0, np.inf, np.nan],
    "float32": [0.0, 0.1, 1.0, 2.0**53, 2.0**63, -(2.0**63), 1e30, np.inf, np.nan, 1e-45],
    "float64": [
        -0.0, 0.1, float(np.float32(0.1)), float(np.float16(0.1)), 1.0, -1.0, 2.0**53, 2.0**63,
        -(2.0**63), np.nextafter(2.0**63, 0), 2.0**64, np.nextafter(2.0**64, 0), 1e30, -1e30,
        np.inf, -np.inf, np.nan, 5e-324, float(np.float32(1e-45)), 0.5, -2.5, 1.25, 1.5, 300.25,
        300.5, np.nextafter(-(2.0**63), -np.inf),
    ],
}  # fmt: skip


def all_keys(left, right, n_left, n_right):
    words, readings = joint_keys(left, right, np.arange(n_left), np.arange(n_right))
    return list(zip(words.tolist(), readings.tolist(), strict=True))


def assert_keys_tell_values(left, right, cells_left, cells_right):
    """Keys against the oracle, by words where possible and by canonical values."""
    values = [kind_and_value(cell) for cell in [*cells_left, *cells_right]]
    slow = [
        Cells(lambda rows, column=column: column.canonical(rows), column.kinds)
        for column in (left, right)
    ]
    for pair in ((left, right), (left, slow[1]), (slow[0], right), slow):
        keys = all_keys(*pair, len(cells_left), len(cells_right))
        for i, j in itertools.product(range(len(values)), repeat=2):
            assert (keys[i] == keys[j]) == (values[i] == values[j]), (i, j)


@pytest.mark.parametrize("dtype", EDGES)
@pytest.mark.parametrize("other", EDGES)
@pytest.mark.parametrize("order", ["<", ">"])
def test_numbers_of_any_two_dtypes(dtype, other, order):
    left = np.array(EDGES[dtype], np.dtype(dtype).newbyteorder(order))
    right = np.array(EDGES[other], other)
    columns = Words("number", left), Words("number", right)
    assert_keys_tell_values(*columns, list(left), list(right))


def test_a_word_is_read_in_one_of_so_many_ways():
    column = Words("number", np.array([1.0, 2.0**63, 0.5, np.nan]))
    _, readings = column.keys(np.arange(4))
    assert sorted(readings.tolist()) == list(range(N_READINGS))


def test_masked_numbers_are_missing_whatever_lies_beneath():
    left = Words("number", np.array([1, 7, 0]), np.array([False, True, False]))
    right = Words("number", np.array([np.nan, 1, 7, 0]), np.array([False, False, False, True]))
    assert_keys_tell_values(left, right, [1, None, 0], [None, 1, 7, None])


def test_truth_values():
    left = Words("bool", np.array([True, False, True]), np.array([False, False, True]))
    assert_keys_tell_values(left, left, [True, False, None], [True, False, None])
    numbers = Words("number", np.array([1, 0]))
    assert_keys_tell_values(left, numbers, [True, False, None], [1, 0])
    cells = [True, False, None]
    assert_keys_tell_values(left, object_cells(cells), cells, cells)


@pytest.mark.parametrize("unit", ["h", "s", "ms", "us", "ns"])
@pytest.mark.parametrize("other", ["D", "s", "us", "ns", "ps"])
def test_ticks_of_different_units(unit, other):
    """Seconds of the year 9999 overflow 64 bits of nanoseconds, and of picoseconds."""
    moments = np.array(["1970-01-01T00", "1970-01-02T00", "9999-12-31T23"], "M8[h]")
    left = [moment for moment in moments if unit != "ns" or moment < np.datetime64("2200")]
    right = [np.datetime64(0, other), np.datetime64(ATTOSECONDS["D"] // ATTOSECONDS[other], other)]
    columns = (
        Words("naive datetime", np.array(left, f"M8[{unit}]").astype(int), None, ATTOSECONDS[unit]),
        Words("naive datetime", np.array(right).astype(int), None, ATTOSECONDS[other]),
    )
    exact = [[cell.astype("M8[us]") for cell in cells] for cells in (left, right)]
    assert_keys_tell_values(*columns, *exact)


def test_ticks_that_overflow_do_not_wrap_round():
    """The end of the year 9999 in nanoseconds, modulo 2**64, is another instant."""
    seconds = 253_402_300_799
    wrapped = (seconds * 10**9 + 2**63) % 2**64 - 2**63
    left = Words("naive datetime", np.array([seconds]), None, ATTOSECONDS["s"])
    right = Words("naive datetime", np.array([wrapped]), None, ATTOSECONDS["ns"])
    first, second = all_keys(left, right, 1, 1)
    assert first != second


def test_units_that_do_not_divide_each_other():
    left = Words("timedelta", np.array([0, 2, 3]), None, 3 * ATTOSECONDS["s"])
    right = Words("timedelta", np.array([0, 3]), None, 2 * ATTOSECONDS["s"])
    seconds = [[dt.timedelta(seconds=s) for s in cells] for cells in ([0, 6, 9], [0, 6])]
    assert_keys_tell_values(left, right, *seconds)


def test_different_kinds_of_ticks_never_meet():
    left = Words("naive datetime", np.array([0]), None, ATTOSECONDS["s"])
    right = Words("aware datetime", np.array([0]), None, ATTOSECONDS["s"])
    first, second = all_keys(left, right, 1, 1)
    assert first != second


def test_periods_meet_by_frequency_and_ordinal():
    months = Words("period", np.array([600, 601]), np.array([False, True]), "M")
    days = Words("period", np.array([600, 0]), np.array([False, True]), "D")
    keys = all_keys(months, months, 2, 2)
    assert keys[0] == keys[2]
    assert keys[1] == keys[3] != keys[0]
    keys = all_keys(months, days, 2, 2)
    assert keys[0] != keys[2]
    assert keys[1] == keys[3]


def test_periods_meet_those_held_as_objects():
    months = [pd.Period("2020-01", "M"), pd.Period("2020-02", "M")]
    words = Words("period", np.array([month.ordinal for month in months]), None, "M")
    keys = all_keys(words, object_cells(months), 2, 2)
    assert keys[:2] == keys[2:]
    assert keys[0] != keys[1]


SECONDS, MILLISECONDS = ATTOSECONDS["s"], ATTOSECONDS["ms"]


@pytest.mark.parametrize(
    ("ticks", "factor", "is_held"),
    [
        ([2**62 - 1, 0], 2, True),
        ([2**62, 0], 2, False),
        ([0, -(2**62) + 1], 2, True),
        ([1, -(2**62)], 4, False),
        ([-1, 2**62], 4, False),
    ],
)
def test_a_finer_unit_holds_ticks_below_two_to_the_63(ticks, factor, is_held):
    finer = Words("timedelta", np.array(ticks), None, factor).in_unit(1)
    assert (finer is not None) == is_held
    if is_held:
        assert finer.values.tolist() == [factor * tick for tick in ticks]
        assert finer.unit == 1


def test_ticks_are_compared_in_the_finer_unit_where_it_holds_both():
    left = Words("timedelta", np.array([1, -2]), None, SECONDS)
    right = Words("timedelta", np.array([7]), None, MILLISECONDS)
    for pair in (_in_one_unit(left, right), _in_one_unit(right, left)[::-1]):
        assert [words.values.tolist() for words in pair] == [[1000, -2000], [7]]
        assert {words.unit for words in pair} == {MILLISECONDS}
    far = Words("timedelta", np.array([2**60]), None, SECONDS)
    assert _in_one_unit(far, right) is _in_one_unit(right, far) is None
    assert _in_one_unit(left, far) == (left, far)


def test_codes_stand_for_their_values():
    left = Coded(np.array([0, 1, -1, 0]), ["a", "b"])
    right = Coded(np.array([0, 1, -1]), ["b", "a"])
    assert left.kinds == {"text"}
    assert_keys_tell_values(left, right, ["a", "b", None, "a"], ["b", "a", None])


def test_objects_of_every_kind():
    cells = [1, True, "1", None, dt.date(1970, 1, 1), dt.datetime(1970, 1, 1), b"1"]  # noqa: DTZ001
    left, right = object_cells(cells), object_cells(cells[::-1])
    assert left.kinds == {"number", "bool", "text", "date", "naive datetime", "bytes"}
    assert_keys_tell_values(left, right, cells, cells[::-1])


@pytest.mark.parametrize(
    "column",
    [
        Words("number", np.array([np.nan, np.nan])),
        Words("number", np.array([1, 2]), np.array([True, True])),
        Coded(np.array([-1, -1]), []),
        object_cells([None, np.nan]),
    ],
)
def test_a_column_of_missing_cells_has_no_kind(column):
    assert column.kinds == frozenset()
    assert column.canonical(np.arange(2)) == [None, None]


def test_a_column_with_some_missing_cells_keeps_its_kind():
    assert Words("number", np.array([np.nan, 1.0])).kinds == {"number"}


@pytest.mark.parametrize(
    "column",
    [Words("number", np.array([4711])), Coded(np.array([0]), ["4711"]), object_cells([4711])],
)
def test_a_representation_shows_no_cell(column):
    assert "4711" not in repr(column)


def test_equal_hashes_do_not_decide():
    """hash(-1) == hash(-2), and a prime of Python's number hash gives 0."""
    prime = 2**61 - 1
    assert hash(prime) == hash(0)
    cells = [-1, -2, 0, prime]
    assert_keys_tell_values(object_cells(cells), object_cells(cells), cells, cells)


def test_only_the_rows_asked_for_are_keyed():
    left = Words("number", np.array([5, 6, 7]))
    words, _ = joint_keys(left, object_cells([7, 8]), np.array([2]), np.array([0]))
    assert words.tolist() == [0, 0]


def test_inputs_stay_as_they_are():
    values = np.array([0.5, 2.0, np.nan])
    values.flags.writeable = False
    all_keys(Words("number", values), Words("number", values), 3, 3)
    assert np.array_equal(values, [0.5, 2.0, np.nan], equal_nan=True)


@pytest.mark.parametrize(
    "make", [lambda: Words("number", np.array([1, 2])), lambda: Coded(np.array([0, 1]), [1, 2])]
)
def test_columns_stay_as_they_are_and_are_no_values_themselves(make):
    column = make()
    assert column != make()
    assert isinstance(hash(column), int)
    with pytest.raises(FrozenInstanceError):
        column.values = []
