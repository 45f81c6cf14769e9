"""What a column is taken for, and the columns that are refused."""

from __future__ import annotations

import datetime as dt
from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skprivacy.projection._columns import read_columns

CANARY = "Zanzibar-4711"


def kinds_of(table, categorical_features="from_dtype"):
    columns = read_columns(table, categorical_features)
    return [("category " if c.is_categorical else "") + c.kind for c in columns]


def test_pandas_dtypes():
    frame = pd.DataFrame(
        {
            "int": [1, 2],
            "float": [0.5, 1],
            "Int64": pd.array([1, 2], dtype="Int64"),
            "sparse": pd.arrays.SparseArray([0.0, 1.0]),
            "bool": [True, False],
            "boolean": pd.array([True, False], dtype="boolean"),
            "object": pd.Series(["a", "b"], dtype=object),
            "string": pd.array(["a", "b"], dtype="string"),
            "category": pd.Categorical(["a", "b"]),
            "numbers": pd.Categorical([1, 2]),
        }
    )
    expected = ["number"] * 4 + ["category bool"] * 2 + ["category text"] * 3 + ["category number"]
    assert kinds_of(frame) == expected


def test_polars_dtypes():
    frame = pl.DataFrame(
        {
            "int": [1, 2],
            "float": [0.5, 1],
            "decimal": [Decimal("0.5"), Decimal(1)],
            "bool": [True, False],
            "text": ["a", "b"],
            "categorical": pl.Series(["a", "b"], dtype=pl.Categorical),
        }
    )
    assert kinds_of(frame) == ["number"] * 3 + ["category bool"] + ["category text"] * 2


def test_arrays_are_read_cell_by_cell_where_they_hold_objects():
    table = np.array([["007", 7, True, Decimal("0.5")], ["x", 8.5, False, 2]], dtype=object)
    assert kinds_of(table) == ["category text", "number", "category bool", "number"]
    assert kinds_of(np.array([["1", "2"]])) == ["category text"] * 2
    assert kinds_of(np.array([[True, False]])) == ["category bool"] * 2
    assert kinds_of(np.array([[1, 2]], dtype=np.uint8)) == ["number"] * 2


def test_whole_numbers_of_an_object_array_stay_whole():
    table = np.array([["a", 2**60], ["b", 1]], dtype=object)
    column = read_columns(table)[1]
    assert column.values.dtype == np.int64
    assert column.values.tolist() == [2**60, 1]


def test_whole_numbers_that_float64_would_round_are_levels_at_most():
    cells = [4711 * 2**53 + 1, 1]
    for table in (np.array([[1, 2], cells]).T, np.array([["a", "b"], cells], dtype=object).T):
        check_refused(
            table, ValueError, "float64 holds exactly, got another in column 1 of X, row 0"
        )
    table = pd.DataFrame({"id": cells})
    assert read_columns(table, ["id"])[0].values.tolist() == cells


@pytest.mark.parametrize(
    "listed",
    [
        ["b"],
        np.array(["b"], dtype=object),
        [1],
        np.array([1]),
        [False, True, False],
        np.array([False, True, False]),
    ],
)
def test_columns_of_numbers_become_categories_when_listed(listed):
    frame = pd.DataFrame({"a": [1, 2], "b": [3, 4], "c": ["x", "y"]})
    assert kinds_of(frame, listed) == ["number", "category number", "category text"]


def test_positions_count_from_0():
    assert kinds_of(pd.DataFrame({"a": [1, 2], "b": [3, 4]}), [0]) == ["category number", "number"]


def test_an_empty_list_adds_nothing():
    assert kinds_of(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), []) == ["number", "category text"]


@pytest.mark.parametrize(
    ("listed", "error", "message"),
    [
        (["z"], ValueError, "names 'z', no column of X"),
        ([2], ValueError, "position 2, but X has columns 0 to 1"),
        ([-1], ValueError, "position -1, but"),
        ([True], ValueError, "mask has 1 entries, but X has 2 columns"),
        (0.5, TypeError, "got float"),
        ([0.5], TypeError, "dtype float64"),
        ("a", TypeError, "'from_dtype' or a list"),
        ([["a"], ["a", "b"]], TypeError, "entries of different lengths"),
    ],
)
def test_categorical_features_that_point_nowhere(listed, error, message):
    with pytest.raises(error, match=message):
        kinds_of(pd.DataFrame({"a": [1, 2], "b": [3, 4]}), listed)


MISSING = r"contains NaN: column 'bad' \(position 1\) has missing cells"
DATES = r"Dates and times are not supported: column 'bad' \(position 1\)"
NEITHER = "must be a string, a bool or a real number: column 'bad'"
DAYS = [dt.date(2047, 1, 1), dt.date(2047, 1, 2)]
INSTANTS = list(pd.to_datetime(DAYS).to_pydatetime())
REFUSED = {
    "NaN": ([4711.0, np.nan], ValueError, MISSING),
    "infinity": ([4711.0, -np.inf], ValueError, "contains infinity: column 'bad'"),
    "None in text": ([CANARY, None], ValueError, MISSING),
    "missing only": ([None, None], ValueError, MISSING),
    "date": (DAYS, TypeError, DATES),
    "datetime": (INSTANTS, TypeError, DATES),
    "duration": ([dt.timedelta(4711)] * 2, TypeError, DATES),
    "lists": ([[CANARY], [CANARY]], TypeError, NEITHER),
}
REFUSED_PANDAS = {
    "Int64 with NA": (pd.array([4711, None], dtype="Int64"), ValueError, MISSING),
    "boolean with NA": (pd.array([True, None], dtype="boolean"), ValueError, MISSING),
    "string with NA": (pd.array([CANARY, None], dtype="string"), ValueError, MISSING),
    "category with NaN": (pd.Categorical([CANARY, None]), ValueError, MISSING),
    "category with infinity": (pd.Categorical([4711.0, np.inf]), ValueError, "contains infinity"),
    "NaN among objects": (np.array([4711, np.nan], dtype=object), ValueError, MISSING),
    "NaN among text": (np.array([CANARY, np.nan], dtype=object), ValueError, MISSING),
    "period": (pd.period_range("2047", periods=2, freq="D"), TypeError, NEITHER),
    "aware": (pd.DatetimeIndex(INSTANTS).tz_localize("UTC"), TypeError, DATES),
    "bytes": ([CANARY.encode(), b"b"], TypeError, NEITHER),
    "text and numbers": (
        np.array([CANARY, 4711], dtype=object),
        ValueError,
        "cells of one kind in column 'bad' .* got number and text",
    ),
    "bools and numbers": (
        np.array([True, 4711], dtype=object),
        ValueError,
        "cells of one kind in column 'bad' .* got bool and number",
    ),
    "numbers as objects": (
        np.array([4711, 1.5], dtype=object),
        ValueError,
        "column 'bad' .* only numbers. Convert it to a numeric dtype or list it",
    ),
}


@pytest.mark.parametrize("frame_type", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("case", REFUSED)
def test_cells_refused_in_any_frame(frame_type, case):
    cells, error, message = REFUSED[case]
    check_refused(frame_type({"good": [1, 2], "bad": cells}), error, message)


@pytest.mark.parametrize("case", REFUSED_PANDAS)
def test_cells_refused_in_pandas(case):
    cells, error, message = REFUSED_PANDAS[case]
    check_refused(pd.DataFrame({"good": [1, 2], "bad": cells}), error, message)


@pytest.mark.parametrize(
    "cells", [pl.Series([{"a": CANARY}] * 2), pl.Series([4711, None]), pl.Series([CANARY, None])]
)
def test_cells_refused_in_polars(cells):
    check_refused(
        pl.DataFrame({"good": [1, 2], "bad": cells}), (TypeError, ValueError), "column 'bad'"
    )


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_missing_cells_of_an_array_are_refused_by_position(missing):
    table = np.array([[1, CANARY], [2, missing]], dtype=object)
    check_refused(table, ValueError, "contains NaN: column 1 has missing cells")


def check_refused(table, error, message):
    with pytest.raises(error, match=message) as caught:
        read_columns(table)
    assert not any(canary in str(caught.value) for canary in ("Zanzibar", "4711", "2047"))


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        (np.array([[1.0], [np.nan]]), ValueError, r"column 0 has missing cells \(NaN\)\."),
        (np.array([[1.0], [1j]]), ValueError, "Complex data not supported: column 0 of X"),
        # As objects, nanoseconds would be whole numbers.
        (
            np.array([["2047-01-01"]], "M8[ns]"),
            TypeError,
            r"Dates and times .*: column 0 of X holds 'datetime64\[ns\]' cells",
        ),
        (
            pl.DataFrame({"bad": pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int64, 2))}),
            TypeError,
            NEITHER,
        ),
    ],
)
def test_cells_refused_by_dtype(table, error, message):
    check_refused(table, error, message)


def test_object_numbers_are_levels_when_listed():
    cells = np.array([Fraction(1, 2), 3], dtype=object)
    frame = pd.DataFrame({"a": cells})
    assert kinds_of(frame, ["a"]) == ["category number"]


def test_whole_numbers_beyond_float64_are_refused():
    table = np.array([[4711**400, 1], [1, 2]], dtype=object)
    check_refused(table, ValueError, "too large for float64 in column 0")


def test_signalling_nan_is_a_missing_value():
    table = np.array([[Decimal("sNaN"), 1], [1, 2]], dtype=object)
    check_refused(table, ValueError, r"contains NaN: column 0 has missing cells \(NaN\)\.")


def test_a_column_stays_as_it_was_read():
    (column,) = read_columns(np.array([[1.0], [2.0]]))
    with pytest.raises(FrozenInstanceError):
        column.kind = "text"
