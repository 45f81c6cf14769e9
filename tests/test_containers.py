"""Every container and dtype that goes in comes out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from polars.testing import assert_frame_equal as assert_polars_equal
from sklearn.base import BaseEstimator

from skprivacy import FAMD, HiddenRate
from skprivacy._containers import (
    build_table,
    cast_numbers,
    check_table,
    check_unmasked,
    empty_like,
)


def mixed_pandas():
    return pd.DataFrame(
        {
            "Int64": pd.array([3, 1, 2, 5, 9], dtype="Int64"),
            "Float64": pd.array([0.5, 1.25, 0.5, 1, 2], dtype="Float64"),
            "float64": [0.5, 0.25, 1, 2, 3],
            "float32": np.array([1, 2, 0.5, 7, 1], dtype=np.float32),
            "uint8": np.array([250, 251, 255, 0, 3], dtype=np.uint8),
            "bool": [True, False, True, True, False],
            "boolean": pd.array([True, False, False, False, True], dtype="boolean"),
            "object": pd.Series(list("abcab"), dtype=object, index=list("vwxyz")).to_numpy(),
            "string": pd.array(list("xyxzz"), dtype="string"),
            "category": pd.Categorical(list("uvuuv"), categories=["w", "v", "u"], ordered=True),
            "numbers": pd.Categorical([10, 20, 30, 10, 20]),
        },
        index=list("vwxyz"),
    )


def mixed_polars():
    return pl.DataFrame(
        {
            "int": [3, 1, 2, 5, 9],
            "float": [0.5, 0.25, 1, 2, 3],
            "bool": [True, False, True, True, False],
            "text": list("abcab"),
            "enum": pl.Series(list("uvuuv"), dtype=pl.Enum(["w", "v", "u"])),
            "categorical": pl.Series(list("xyxzz"), dtype=pl.Categorical),
            "decimal": pl.Series([1, 2, 3, 4, 5]).cast(pl.Decimal(10, 2)),
            "small": pl.Series([255, 254, 1, 2, 3], dtype=pl.UInt8),
        }
    )


def test_pandas_comes_back_with_dtypes_names_and_index():
    frame = mixed_pandas()
    famd = FAMD(4).fit(frame)
    coordinates = pd.DataFrame(famd.transform(frame), index=frame.index)
    back = famd.inverse_transform(coordinates)
    pd.testing.assert_frame_equal(back, frame)


def test_polars_comes_back_with_its_schema():
    frame = mixed_polars()
    famd = FAMD(4).fit(frame)
    back = famd.inverse_transform(famd.transform(frame))
    assert back.schema == frame.schema
    assert_polars_equal(back, frame)


@pytest.mark.parametrize(
    "table",
    [
        np.array([[1.5, 2], [3, 5], [4, 1]]),
        np.array([[1, 2], [3, 5], [4, 1]], dtype=np.int8),
        np.array([["a", "x"], ["b", "y"], ["c", "x"]]),
        np.array([["a", 1], ["b", 2], ["b", 7]], dtype=object),
    ],
)
def test_arrays_come_back_with_their_dtype(table):
    famd = FAMD(2).fit(table)
    back = famd.inverse_transform(famd.transform(table))
    assert back.dtype == table.dtype
    if table.dtype.kind == "f":
        np.testing.assert_allclose(back, table, rtol=1e-14)
    else:
        assert_array_equal(back, table)


def test_repeated_names_are_kept_by_position():
    frame = pd.DataFrame([[1, "a"], [2, "b"]], columns=[0, 0])
    back = build_table(frame, [np.array([5, 6]), np.array(["c", "d"], dtype=object)])
    assert back.columns.tolist() == [0, 0]
    assert back.to_numpy().tolist() == [[5, "c"], [6, "d"]]


@pytest.mark.parametrize("table", [mixed_pandas(), mixed_polars(), np.ones((3, 2))])
def test_a_template_keeps_no_rows(table):
    template = empty_like(table)
    assert template.shape == (0, table.shape[1])
    assert type(template) is type(table)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64"])
def test_whole_numbers_stop_at_the_ends_of_their_dtype(dtype):
    bounds = np.iinfo(dtype)
    wide = np.array([-np.inf, -1e30, float(bounds.min), 1.4, float(bounds.max), 1e30, np.inf])
    cast = cast_numbers(wide, np.dtype(dtype))
    low, high = bounds.min, bounds.max
    assert cast.dtype == dtype
    assert cast.tolist() == [low, low, low, 1, high, high, high]


def test_floats_stop_at_the_largest_of_their_dtype():
    cast = cast_numbers(np.array([-1e300, 0.1, 1e300]), np.dtype(np.float32))
    assert cast.tolist() == [-np.finfo("f4").max, np.float32(0.1), np.finfo("f4").max]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            [1, 2, 3],
            r"Expected 2D array, got 1D array of shape \(3,\) instead: X\. Reshape your data",
        ),
        (np.ones((2, 2, 2)), "Expected 2D array, got 3D array"),
        (np.empty((0, 3)), r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 2"),
        (np.empty((3, 0)), r"0 feature\(s\)"),
        (pd.DataFrame({"a": []}), r"0 sample\(s\)"),
        (pd.DataFrame(index=range(3)), r"0 feature\(s\)"),
        (pl.DataFrame({"a": []}), r"0 sample\(s\)"),
        (np.array([[4711j, 1]]), "Complex data not supported"),
        (pd.DataFrame({"a": [4711j, 1]}), "Complex data not supported"),
    ],
)
def test_shapes_that_are_no_table(table, message):
    with pytest.raises(ValueError, match=message) as error:
        FAMD(1).fit(table)
    assert "4711" not in str(error.value)


class Remembers(BaseEstimator):
    """Sees tables only through check_table."""


def fitted_on(table):
    estimator = Remembers()
    check_table(estimator, table, reset=True)
    return estimator


@pytest.mark.parametrize(
    "make",
    [
        lambda names: pd.DataFrame([[1.0, 2.0]], columns=names),
        lambda names: pl.DataFrame([[1.0], [2.0]], schema=names),
        lambda names: pa.table([[1.0], [2.0]], names=names),
    ],
    ids=["pandas", "polars", "pyarrow"],
)
def test_another_order_of_names_is_refused(make):
    with pytest.raises(ValueError, match=r"feature names should match|names of the columns differ"):
        check_table(fitted_on(make(["a", "b"])), make(["b", "a"]), reset=False)


def test_another_order_of_integer_names_is_refused():
    estimator = fitted_on(pd.DataFrame([[1.0, 2.0]], columns=[0, 1]))
    with pytest.raises(ValueError, match="got 1 at position 0, expected 0"):
        check_table(estimator, pd.DataFrame([[1.0, 2.0]], columns=[1, 0]), reset=False)


def test_names_of_one_table_only_are_not_compared():
    estimator = fitted_on(pd.DataFrame([[1.0, 2.0]], columns=[7, 8]))
    assert check_table(estimator, np.array([[1.0, 2.0]]), reset=False).shape == (1, 2)


def test_masked_cells_are_refused():
    with pytest.raises(
        ValueError, match=r"X holds masked cells, the first in column 1, row 0\. Imp"
    ):
        fitted_on(np.ma.masked_equal([[1.0, 2.0]], 2.0))
    with pytest.raises(ValueError, match=r"groups holds masked cells, the first in position 2\."):
        check_unmasked(np.ma.masked_equal([1, 3, 2], 2), "groups")


@pytest.mark.parametrize(
    ("table", "column"),
    [([[1, 2], [3j, 4]], 0), ([[1, 2], [3, 4j]], 1), (np.ones((2, 2), "c16"), 0)],
)
def test_complex_numbers_are_refused_by_column(table, column):
    with pytest.raises(ValueError, match=f"Complex data not supported: column {column} of X"):
        fitted_on(table)


@pytest.mark.parametrize(
    "table",
    [
        [[0.5, 1], [1, 2**53 + 1]],
        [np.array([0.5, 1]), np.array([1, 2**53 + 1])],
        pa.table({"0": [0.5, 1.0], "1": [1, 2**53 + 1]}),
        pa.RecordBatch.from_pydict({"0": [0.5, 1.0], "1": [1, 2**53 + 1]}),
    ],
    ids=["lists", "arrays", "table", "batch"],
)
def test_integers_beside_floats_are_not_rounded_unseen(table):
    with pytest.raises(ValueError, match=r"column (1|'1' \(position 1\)) of X, row 1\."):
        fitted_on(table)


def test_large_floats_are_no_integers():
    # 2**53 itself has no float16.
    halves = [np.array([1, 2], dtype=np.float16)] * 2
    for table in (
        [[0.5, 2.0**70], [2, 2.0**53]],
        pa.table({"a": [1, 2], "b": [0.5, 1e300]}),
        halves,
    ):
        fitted_on(table)


def test_names_of_a_polars_frame_are_seen_by_every_scikit_learn():
    metric = HiddenRate().fit(pl.DataFrame({"age": [1.0, 2.0], "weight": [3.0, 4.0]}))
    assert metric.feature_names_in_.tolist() == ["age", "weight"]
    with pytest.raises(ValueError, match="weight"):
        metric.score(pd.DataFrame({"age": [1.0, 2.0], "height": [3.0, 4.0]}))
