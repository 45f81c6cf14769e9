"""Columns of every container and dtype hold the values that their cells show."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from skprivacy.metrics import _row_columns
from skprivacy.metrics._row_columns import array_column
from skprivacy.metrics._row_keys import object_cells
from skprivacy.metrics._row_tables import read_table
from skprivacy.metrics._row_values import (
    ComplexCellError,
    UnsupportedCellError,
    canonical_values,
)

CANARY = "canary"
NOON = dt.datetime(2020, 1, 1, 12)  # noqa: DTZ001
AWARE = NOON.replace(tzinfo=dt.UTC)
FAR = dt.datetime(9999, 12, 31, 23, 59, 59)  # noqa: DTZ001
FIRST = dt.datetime(1, 1, 1)  # noqa: DTZ001
NANO = pd.Timestamp("2020-01-01 12:00:00.000000001")
ID = 2**53 + 1
EURO = Decimal("0.10")


def masked(data, mask, dtype=None):
    return np.ma.MaskedArray(np.array(data, dtype), mask)


def arrow(cells, kind):
    return pd.Series(cells, dtype=pd.ArrowDtype(kind))


# A column in some container's dtype, and its cells as plain Python.
PANDAS = {
    "int64": (pd.Series([ID, -1]), [ID, -1]),
    "uint64": (pd.Series([2**64 - 1, 0], dtype="uint64"), [2**64 - 1, 0]),
    "float32": (pd.Series([0.1, np.nan], dtype="f4"), [float(np.float32(0.1)), None]),
    "float64": (pd.Series([np.inf, -0.0]), [np.inf, 0]),
    "bool": (pd.Series([True, False]), [True, False]),
    "object": (pd.Series([1, "1", None, True], dtype=object), [1, "1", None, True]),
    "object of scalars": (
        pd.Series([np.float32(0.5), np.str_("a"), np.bool_(1), pd.NA], dtype=object),
        [0.5, "a", True, None],
    ),
    "Int64": (pd.Series([ID, None], dtype="Int64"), [ID, None]),
    "UInt64": (pd.Series([2**64 - 1, None], dtype="UInt64"), [2**64 - 1, None]),
    "Float64": (pd.Series([0.1, None], dtype="Float64"), [0.1, None]),
    "Float32": (pd.Series([0.5, None], dtype="Float32"), [0.5, None]),
    "boolean": (pd.Series([True, None], dtype="boolean"), [True, None]),
    "str": (pd.Series(["a\0", "a", None]), ["a\0", "a", None]),
    "string python": (
        pd.Series(["\ud800", "a ", None], dtype=pd.StringDtype("python")), ["\ud800", "a ", None],
    ),
    "string pyarrow": (
        pd.Series(["a\0b", "", None], dtype=pd.StringDtype("pyarrow")), ["a\0b", "", None],
    ),
    "datetime64[ns]": (pd.Series([NANO, None]), [NANO, None]),
    "datetime64[s]": (pd.Series(np.array([FAR, FIRST], "M8[s]")), [FAR, FIRST]),
    "datetime64[ns, tz]": (
        pd.Series([AWARE, None], dtype="datetime64[ns, Europe/Paris]"), [AWARE, None],
    ),
    "datetime64[us, tz]": (pd.Series([AWARE], dtype="datetime64[us, UTC]"), [AWARE]),
    "timedelta64": (pd.Series([dt.timedelta(1), None]), [dt.timedelta(1), None]),
    "period": (pd.Series(pd.PeriodIndex(["2020-01", None], freq="M")),
               [pd.Period("2020-01", "M"), None]),
    "period of quarters": (pd.Series(pd.PeriodIndex(["2020Q1"], freq="Q-NOV")),
                           [pd.Period("2020Q1", "Q-NOV")]),
    "category": (pd.Series(["b", "a", None], dtype=pd.CategoricalDtype(["z", "b", "a"])),
                 ["b", "a", None]),
    "category of numbers": (pd.Series(pd.Categorical([2, 1.5, None])), [2, 1.5, None]),
    "category of mixed": (pd.Series(pd.Categorical([1, "1"], [1, "1"])), [1, "1"]),
    "category of days": (pd.Series(pd.Categorical([NOON, None])), [NOON, None]),
    "category of nothing": (pd.Series(pd.Categorical([None, None], ["a"])), [None, None]),
    "sparse": (pd.Series(pd.arrays.SparseArray([0, 0, 1])), [0, 0, 1]),
    "sparse with NaN": (pd.Series(pd.arrays.SparseArray([np.nan, 1.5])), [None, 1.5]),
    "arrow int64": (arrow([ID, None], pa.int64()), [ID, None]),
    "arrow uint64": (arrow([2**64 - 1, None], pa.uint64()), [2**64 - 1, None]),
    "arrow float": (arrow([0.5, None], pa.float32()), [0.5, None]),
    "arrow double": (arrow([0.1, None], pa.float64()), [0.1, None]),
    "arrow bool": (arrow([True, None], pa.bool_()), [True, None]),
    "arrow string": (arrow(["a\0", None], pa.string()), ["a\0", None]),
    "arrow large string": (arrow(["a", None], pa.large_string()), ["a", None]),
    "arrow decimal": (arrow([EURO, None], pa.decimal128(5, 2)), [EURO, None]),
    "arrow timestamp": (arrow([NANO, None], pa.timestamp("ns")), [NANO, None]),
    "arrow far timestamp": (arrow([FAR, FIRST], pa.timestamp("s")), [FAR, FIRST]),
    "arrow zoned": (arrow([AWARE, None], pa.timestamp("us", "Europe/Paris")), [AWARE, None]),
    "arrow date32": (arrow([FAR.date(), None], pa.date32()), [FAR.date(), None]),
    "arrow date64": (arrow([NOON.date(), None], pa.date64()), [NOON.date(), None]),
    "arrow time32": (arrow([dt.time(1), None], pa.time32("s")), [dt.time(1), None]),
    "arrow time64": (arrow([dt.time(1, 2), None], pa.time64("us")), [dt.time(1, 2), None]),
    "arrow duration": (arrow([dt.timedelta(1), None], pa.duration("ms")), [dt.timedelta(1), None]),
    "arrow dictionary": (
        arrow(["b", "a", None], pa.dictionary(pa.int8(), pa.string())), ["b", "a", None],
    ),
    "arrow binary": (arrow([b"a", None], pa.binary()), [b"a", None]),
    "arrow null": (arrow([None, None], pa.null()), [None, None]),
}  # fmt: skip
NUMPY = {
    **{name: (np.array([1, 0], name), [1, 0]) for name in ("i1", "u2", ">i8", "<u4", "f2", ">f4")},
    "bool": (np.array([True, False]), [True, False]),
    "longdouble": (np.array(["9007199254740993", "0.5", "nan"], "g"), [ID, 0.5, None]),
    "text": (np.array(["a", "bc "]), ["a", "bc "]),
    "bytes": (np.array([b"a", b"bc"]), [b"a", b"bc"]),
    "objects": (np.array([1, "1", None, b"1"], object), [1, "1", None, b"1"]),
    "days": (np.array([NOON.date(), None], "M8[D]"), [np.datetime64("2020-01-01"), None]),
    "years": (np.array(["2020", "NaT"], "M8[Y]"), [dt.datetime(2020, 1, 1), None]),  # noqa: DTZ001
    "big-endian seconds": (np.array([FAR, FIRST], ">M8[s]"), [FAR, FIRST]),
    "lengths": (np.array([1, "NaT"], "m8[m]"), [dt.timedelta(minutes=1), None]),
    "no time at all": (np.array(["NaT", "NaT"], "m8[s]"), [None, None]),
    "strided": (np.arange(6)[::-2], [5, 3, 1]),
    "masked numbers": (masked([1, 2], [False, True]), [1, None]),
    "masked floats": (masked([1.5, np.nan, 2], [False, False, True]), [1.5, None, None]),
    "masked text": (masked(["a", "b"], [False, True]), ["a", None]),
    "masked objects": (masked(["a", [1]], [False, True], object), ["a", None]),
    "masked times": (masked([NOON, NOON], [False, True], "M8[s]"), [NOON, None]),
}
POLARS = {
    "Int64": (pl.Series([ID, None]), [ID, None]),
    "UInt64": (pl.Series([2**64 - 1, None], dtype=pl.UInt64), [2**64 - 1, None]),
    "Int128": (pl.Series([2**100, None], dtype=pl.Int128), [2**100, None]),
    "Float32": (pl.Series([0.1, None], dtype=pl.Float32), [float(np.float32(0.1)), None]),
    "Float64 with null and NaN": (pl.Series([0.1, None, np.nan]), [0.1, None, None]),
    "Boolean": (pl.Series([True, None]), [True, None]),
    "String": (pl.Series(["a\0", "", None]), ["a\0", "", None]),
    "Decimal": (pl.Series([EURO, None], dtype=pl.Decimal(10, 2)), [EURO, None]),
    "Categorical": (pl.Series(["b", "a", None], dtype=pl.Categorical), ["b", "a", None]),
    "Enum": (pl.Series(["b", None], dtype=pl.Enum(["a", "b"])), ["b", None]),
    "Date": (pl.Series([FAR.date(), None]), [FAR.date(), None]),
    "Datetime": (pl.Series([FAR, FIRST, None], dtype=pl.Datetime("us")), [FAR, FIRST, None]),
    "Datetime in ns": (pl.Series([NANO.value], dtype=pl.Int64).cast(pl.Datetime("ns")), [NANO]),
    "zoned": (pl.Series([AWARE, None], dtype=pl.Datetime("ms", "Asia/Tokyo")), [AWARE, None]),
    "Duration": (pl.Series([dt.timedelta(1), None]), [dt.timedelta(1), None]),
    "Duration in ns": (pl.Series([1], dtype=pl.Int64).cast(pl.Duration("ns")),
                       [pd.Timedelta(1, "ns")]),
    "Time": (pl.Series([dt.time(1, 2), None]), [dt.time(1, 2), None]),
    "Null": (pl.Series([None, None]), [None, None]),
    "Object": (pl.Series([1, "1"], dtype=pl.Object), [1, "1"]),
    "Binary": (pl.Series([b"a", None]), [b"a", None]),
}  # fmt: skip


def values_in(table, position=0):
    column = read_table(table, "X").columns[position]
    return column.canonical(np.arange(len(table))), column.kinds


def assert_holds(table, cells):
    values, kinds = values_in(table)
    expected, expected_kinds = values_in([[cell] for cell in cells])
    assert values == expected == canonical_values(cells)
    assert kinds == expected_kinds


@pytest.mark.parametrize("name", PANDAS)
def test_pandas(name):
    series, cells = PANDAS[name]
    assert_holds(pd.DataFrame({"v": series}).set_axis([7] * len(cells)), cells)


@pytest.mark.parametrize("name", NUMPY)
def test_numpy(name):
    column, cells = NUMPY[name]
    assert_holds(column[:, None], cells)


@pytest.mark.parametrize("name", POLARS)
def test_polars(name):
    series, cells = POLARS[name]
    assert_holds(pl.DataFrame({"v": series}), cells)


@pytest.mark.parametrize("name", [name for name in PANDAS if name.startswith("arrow")])
def test_arrow_tables(name):
    series, cells = PANDAS[name]
    assert_holds(pa.table({"v": series.array.__arrow_array__()}), cells)


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="numpy 1 has no StringDType")
def test_numpy_strings_of_any_length():
    assert_holds(np.array([["a\0"], ["b"]], np.dtypes.StringDType()), ["a\0", "b"])
    with_missing = np.array([["a"], [None]], np.dtypes.StringDType(na_object=None))
    assert_holds(with_missing, ["a", None])


def test_structured_arrays_have_named_columns():
    rows = [(1, "a", 0.5, [1]), (2, "b", np.nan, 2)]
    array = np.array(rows, [("n", "i4"), ("s", "U3"), ("f", "f8"), ("o", "O")])[["n", "s", "f"]]
    table = read_table(array, "X")
    assert table.names == ["n", "s", "f"]
    columns = [column.canonical(np.arange(2)) for column in table.columns]
    assert columns == [[1, 2], ["a", "b"], [0.5, None]]


@pytest.mark.parametrize(
    "rows",
    [
        [[1, "a"], [True, None]],
        ((1, "a"), (True, None)),
        [np.array([1, "a"], object), [True, None]],
    ],
)
def test_rows_in_a_list_keep_their_kinds(rows):
    assert values_in(rows, 0)[0] == [1, ("bool", True)]
    assert values_in(rows, 1)[0] == ["a", None]
    assert read_table(rows, "X").names is None


def test_rows_of_numpy_times_stay_times():
    rows = list(np.array([[NOON], [FAR]], "M8[us]"))
    assert_holds(rows, [NOON, FAR])


def test_array_likes():
    class Wrapper:
        def __array__(self, dtype=None, copy=None):
            return np.array([[0.5], [np.nan]], dtype)

        def __len__(self):
            return 2

    assert_holds(Wrapper(), [0.5, None])


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"id": [1], "v": [[CANARY]]}),
        pd.DataFrame({"id": [1], "v": [{CANARY: 1}]}),
        pd.DataFrame({"id": [1], "v": pd.arrays.IntervalArray.from_breaks([0, 1])}),
        pd.DataFrame({"id": [1], "v": pd.Categorical(pd.arrays.IntervalArray.from_breaks([0, 1]))}),
        pd.DataFrame({"id": [1], "v": arrow([[CANARY]], pa.list_(pa.string()))}),
        pl.DataFrame({"id": [1], "v": [[CANARY]]}),
        pl.DataFrame({"id": [1], "v": [{"a": CANARY}]}),
        pa.table({"id": [1], "v": [{"a": CANARY}]}),
        np.array([(1, (CANARY, 2))], [("id", "i8"), ("v", [("a", "U9"), ("b", "i8")])]),
        np.array([(1, [3, 4])], [("id", "i8"), ("v", "i8", 2)]),
    ],
    ids=lambda table: type(table).__module__,
)
def test_cells_without_an_equality_are_refused_by_column(table):
    with pytest.raises(TypeError, match=r"column 'v' \(position 1\) of X holds cells of") as caught:
        read_table(table, "X")
    assert CANARY not in str(caught.value)
    assert "Convert the column" in str(caught.value)


def test_unused_categories_are_not_looked_at():
    dtype = pd.CategoricalDtype(["a", ("no", "value")])
    assert_holds(pd.DataFrame({"v": pd.Series(["a", None], dtype=dtype)}), ["a", None])


@pytest.mark.parametrize(
    "table",
    [np.array([[1, 1j]]), [[1, 1j]], pd.DataFrame({"a": [1], "b": [1j]})],
    ids=["numpy", "rows", "pandas"],
)
def test_complex_numbers_are_refused_in_the_words_of_scikit_learn(table):
    with pytest.raises(ValueError, match=r"Complex data not supported: column .*position [01]\)"):
        read_table(table, "X")


def test_tables_are_not_changed():
    frame = pd.DataFrame({name: series for name, (series, _) in PANDAS.items() if len(series) == 2})
    before = frame.copy(deep=True)
    read_table(frame, "X")
    pd.testing.assert_frame_equal(frame, before)


def test_optional_libraries_may_be_absent():
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(['pandas', 'polars', 'pyarrow']))\n"
        "from skprivacy.metrics._row_matching import match_rows\n"
        "matches = match_rows([[1, 'a', None], [2, 'b', 0]], [[1.0, 'a', float('nan')]])\n"
        "print(matches.is_hit.tolist())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[True, False]"


# Columns whose cells are, or become, Python objects one by one.
OBJECTS = {
    *("object", "object of scalars", "category of mixed"),
    *("arrow decimal", "arrow binary", "arrow null"),
    *("longdouble", "text", "bytes", "objects", "masked text", "masked objects"),
    *("Int128", "Decimal", "Categorical", "Enum", "Null", "Object", "Binary"),
}
if pd.Series(["a"]).dtype == object:
    # pandas before 3 keeps text as objects.
    OBJECTS |= {"str", "category", "category of nothing"}
COLUMNS = {
    **{("pandas", name): pd.DataFrame({"v": series}) for name, (series, _) in PANDAS.items()},
    **{("numpy", name): column[:, None] for name, (column, _) in NUMPY.items()},
    **{("polars", name): pl.DataFrame({"v": series}) for name, (series, _) in POLARS.items()},
    **{
        ("arrow", name): pa.table({"v": series.array.__arrow_array__()})
        for name, (series, _) in PANDAS.items()
        if name.startswith("arrow")
    },
}


@pytest.mark.parametrize(("library", "name"), COLUMNS)
def test_objects_are_made_of_no_other_columns(library, name, monkeypatch):
    made = []

    def noted(cells):
        made.append(cells)
        return object_cells(cells)

    monkeypatch.setattr(_row_columns, "object_cells", noted)
    read_table(COLUMNS[library, name], "X")
    assert len(made) == (name in OBJECTS)


def test_parts_and_complex_numbers_are_refused_though_all_are_masked():
    with pytest.raises(UnsupportedCellError, match="with parts of their own"):
        array_column(masked([(1,)], [True], [("a", "i8")]))
    with pytest.raises(ComplexCellError):
        array_column(masked([1j], [True]))


def test_views_of_text_are_text():
    assert_holds(pa.table({"v": pa.array(["a", None], pa.string_view())}), ["a", None])
