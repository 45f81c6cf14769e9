"""Tables that distances cannot use are refused, by column and row, without quoting a cell."""

from __future__ import annotations

import datetime as dt
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from skprivacy import HiddenRate, LocalCloaking, closer_avatar_counts

GOOD = np.array([[0.0, 1.0], [2.0, 3.0], [5.0, 8.0]])
CANARY = 731.8529
CANARIES = ("731.85", "7318529", "canary")


def frame(**columns):
    return pd.DataFrame({"age": [1.0, 2.0, 3.0], **columns})


def refuse(X, error, *parts, also_as_avatars=True):
    """Check that X is refused as originals and as avatars, with each part in the message."""
    calls = [lambda: closer_avatar_counts(X, X)]
    if also_as_avatars:
        good = GOOD if getattr(X, "columns", None) is None else None
        metric = HiddenRate().fit(GOOD if good is not None else X.iloc[:, :0].assign(**_zeros(X)))
        calls.append(lambda: metric.score(X))
    for call in calls:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(error) as raised:
                call()
        text = "".join(map(str, _chain(raised.value)))
        for part in parts:
            assert part in str(raised.value)
        assert not any(canary in text for canary in CANARIES)


def _zeros(X):
    return {name: np.arange(3.0) for name in X.columns}


def _chain(error):
    """Yield an error and those it came from, which a traceback shows too."""
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


# Cells that are no coordinates


@pytest.mark.parametrize(
    ("cell", "found"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")]
)
def test_missing_and_infinite_cells(cell, found):
    X = np.full((3, 2), CANARY)
    X[2, 1] = cell
    refuse(X, ValueError, found, "column 1", "row 2")
    refuse(pd.DataFrame(X, columns=["age", "bmi"]), ValueError, found, "'bmi'", "row 2")


@pytest.mark.parametrize("cell", [None, np.nan, pd.NA, float("nan")])
def test_missing_objects(cell):
    X = np.array([[CANARY, 1], [2, cell], [3, 4]], dtype=object)
    refuse(X, (TypeError, ValueError), "column 1" if cell is not pd.NA else "1")


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "float64[pyarrow]", "int64[pyarrow]"])
def test_nullable_columns(dtype):
    whole = frame(bmi=pd.array([7, 1, 4], dtype=dtype))
    expected = closer_avatar_counts(whole.to_numpy(float), whole.to_numpy(float)[::-1])
    np.testing.assert_array_equal(closer_avatar_counts(whole, whole[::-1]), expected)
    refuse(frame(bmi=pd.array([7318529, None, 4], dtype=dtype)), ValueError, "NaN", "'bmi'")


def test_polars_with_and_without_nulls():
    X = pl.DataFrame({"age": [1.0, 2.0], "bmi": [3, 9]})
    assert closer_avatar_counts(X, X[::-1]).tolist() == [1, 1]
    gap = pl.DataFrame({"age": [CANARY, 2.0], "bmi": [3, None]})
    refuse(gap, ValueError, "NaN", "'bmi'", "row 1", also_as_avatars=False)


TEXT = {
    "text": ["canary a", "canary b", "c"],
    "numbers as text": ["7318529", "2", "3"],
    "French decimals": ["731,8529", "2,0", "3,5"],
    "objects": [["canary"], {"canary": 1}, {1}],
    "mixed": ["canary", 1, 2.5],
    "dates": [dt.date(2020, 1, day) for day in (1, 2, 3)],
    "times": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"]),
    "aware times": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"], utc=True),
    "spans": pd.to_timedelta([1, 2, 3], unit="D"),
    "periods": pd.period_range("2020", periods=3, freq="M"),
    "categories": pd.Categorical(["canary", "b", "b"]),
    "categories of numbers": pd.Categorical([7318529, 1, 1]),
    "intervals": pd.interval_range(0, 3),
    "Arrow text": pd.array(["canary", "b", "c"], dtype="string[pyarrow]"),
    "bytes": [b"canary", b"b", b"c"],
}


@pytest.mark.parametrize("kind", TEXT)
def test_columns_that_are_no_numbers_are_named(kind):
    X = frame(city=TEXT[kind])
    refuse(X, TypeError, "'city'", "position 1", "FAMD", "make_pipeline", "PrivacyScorer")
    # As bare objects, categories of numbers are numbers.
    if kind not in ("periods", "intervals", "categories of numbers"):
        objects = np.empty((3, 2), dtype=object)
        objects[:, 0], objects[:, 1] = [1, 2, 3], list(TEXT[kind])
        refuse(objects, TypeError, "Column(s) 1 ", "FAMD")


@pytest.mark.parametrize("values", [["canary", "b"], [dt.date(2020, 1, 1)] * 2])
def test_polars_columns_that_are_no_numbers_are_named(values):
    X = pl.DataFrame({"age": [CANARY, 2.0], "city": values})
    refuse(X, TypeError, "'city'", "position 1", "FAMD", also_as_avatars=False)
    X = pl.DataFrame({"age": [1.0, 2.0], "city": pl.Series(["canary", "b"], dtype=pl.Categorical)})
    refuse(X, TypeError, "'city'", also_as_avatars=False)


def test_only_the_faulty_columns_of_nested_lists_are_named():
    X = [[1.0, "canary"], [2.0, "b"], [3.0, "c"]]
    refuse(X, TypeError, "Column(s) 1 ")


def test_the_table_is_said():
    with pytest.raises(TypeError, match="originals"):
        closer_avatar_counts([["a"]], [[1]])
    with pytest.raises(TypeError, match="avatars"):
        closer_avatar_counts([[1]], [["a"]])


def test_many_faulty_columns_are_counted():
    X = pd.DataFrame({f"c{j}": ["a", "b", "c"] for j in range(9)})
    refuse(X, TypeError, "'c4' (position 4) and 4 more")


@pytest.mark.parametrize("dtype", ["M8[D]", "m8[s]", "S9", "U9", "V8"])
def test_arrays_of_another_kind(dtype):
    refuse(np.zeros((3, 2), dtype=dtype), TypeError, "FAMD")


def test_complex_numbers():
    refuse(
        GOOD + np.array([0, CANARY * 1j]), ValueError, "Complex data not supported: column 1 of X"
    )
    refuse((GOOD + CANARY * 1j).astype(object), TypeError, "Column(s) 0, 1 of X")
    refuse(frame(z=[CANARY * 1j, 1, 2]), ValueError, "Complex", "column 'z' (position 1) of X (the")


@pytest.mark.parametrize("X", [sparse.csr_matrix(GOOD), sparse.coo_array(GOOD)])
def test_sparse_tables(X):
    refuse(X, TypeError, "parse", "toarray")


# Shapes


@pytest.mark.parametrize("X", [np.full(3, CANARY), [CANARY, 2.0, 3.0], np.float64(CANARY)])
def test_tables_have_two_dimensions(X):
    refuse(X, ValueError, "2D array", "Reshape your data")


def test_a_series_is_no_table():
    refuse(pd.Series([CANARY] * 3), (TypeError, ValueError))


def test_text_that_is_no_table():
    for X in (["canary", "b", "c"], "canary", np.array(["canary"]), [b"canary"]):
        refuse(X, (TypeError, ValueError))


def test_objects_that_are_no_table():
    for X in (None, {"canary": [CANARY]}, [{"canary": CANARY}], object(), (row for row in GOOD)):
        refuse(X, (TypeError, ValueError))
    with warnings.catch_warnings():
        # polars warns when the columns of a lazy frame are looked at.
        warnings.simplefilter("ignore")
        with pytest.raises((TypeError, ValueError), match=r"2D|[Ll]azy|collect"):
            closer_avatar_counts(pl.LazyFrame({"a": [CANARY]}), GOOD)


def test_three_dimensions():
    refuse(np.full((3, 2, 2), CANARY), ValueError, "3")


@pytest.mark.parametrize("X", [np.empty((0, 2)), pd.DataFrame({"a": [], "b": []}, dtype=float)])
def test_no_rows(X):
    refuse(X, ValueError, "0 sample", also_as_avatars=isinstance(X, np.ndarray))


@pytest.mark.parametrize("X", [np.empty((3, 0)), pd.DataFrame(index=range(3))])
def test_no_columns(X):
    refuse(X, ValueError, "0 feature", also_as_avatars=False)


def test_ragged_lists():
    refuse([[CANARY, 1.0], [2.0], [3.0, 4.0]], (TypeError, ValueError))


# Magnitudes


@pytest.mark.parametrize("sign", [1, -1])
def test_overflowing_magnitudes(sign):
    X = GOOD.copy()
    X[1, 1] = sign * 1e300
    refuse(X, ValueError, "2**960", "column 1", "row 1", "Rescale")
    refuse(pd.DataFrame(X, columns=["age", "bmi"]), ValueError, "2**960", "'bmi'", "row 1")


def test_integers_that_float64_would_round():
    X = np.array([[1, 2], [3, 4], [5, 7318529 * 10**12 + 1]])
    closer_avatar_counts(X - 1, X - 1)
    refuse(X, ValueError, "exactly, got another in column 1 of X (the ", "row 2", "Subtract")
    refuse(X.tolist(), ValueError, "column 1 of X (the ", "row 2")
    refuse(
        pd.DataFrame(X, columns=["age", "id"]), ValueError, "column 'id' (position 1) of X (the "
    )


def test_integers_beyond_float64():
    refuse([[1, 2], [2, 10**400], [4, 5]], ValueError, "float64 holds", "column 1 of", "row 1")
    refuse([[1, 2], [2, 2**1030], [4, 5]], ValueError, "float64 holds", "column 1 of", "row 1")
    X = [[1, 2], [3, 4], [5, Fraction(10**400)]]
    refuse(X, ValueError, "beyond the range of float64 in column 1, row 2", "Rescale")
    X = frame(share=pd.Series([0, Fraction(-(10**400)), 1], dtype=object))
    refuse(X, ValueError, "float64 in column 'share' (position 1), row 1", "Rescale")
    refuse([[2**970, 1], [2, 3], [4, 5]], ValueError, "2**960", "column 0", "row 0")
    with pytest.raises(ValueError, match=r"infinity|2\*\*960"):
        closer_avatar_counts([[Decimal("1e400")]], [[1]])


@pytest.mark.parametrize("largest", [1e200, 1e288, 2.0**959])
def test_magnitudes_up_to_the_limit(largest):
    X = GOOD / 8 * largest
    np.testing.assert_array_equal(closer_avatar_counts(X, X[::-1]), [2, 0, 2])


# What is accepted


@pytest.mark.parametrize("spell", [Decimal, Fraction, np.float32, np.int8, np.float64, float, int])
def test_objects_of_numbers(spell):
    X = np.array([[spell(cell) for cell in row] for row in GOOD.astype(int).tolist()], dtype=object)
    expected = closer_avatar_counts(GOOD, GOOD[::-1])
    np.testing.assert_array_equal(closer_avatar_counts(X, X[::-1]), expected)
    np.testing.assert_array_equal(closer_avatar_counts(X.tolist(), pd.DataFrame(X[::-1])), expected)


def test_column_names_are_data():
    names = ["a\n{0}", "'; drop", '"`%s', "é", "x" * 1000]
    X = pd.DataFrame(np.eye(5), columns=names)
    assert closer_avatar_counts(X, X).tolist() == [0] * 5
    X[names[1]] = "canary"
    refuse(X, TypeError, repr(names[1]), also_as_avatars=False)


def test_names_that_are_no_text_or_repeated():
    for columns in ([0, 1], pd.MultiIndex.from_product([["a"], ["b", "c"]])):
        X = pd.DataFrame(GOOD, columns=columns)
        assert closer_avatar_counts(X, X).tolist() == [0, 0, 0]
        refuse(X.astype(str), TypeError, "position 1", also_as_avatars=False)


def test_repeated_names_are_named():
    X = pd.DataFrame(GOOD, columns=["a", "a"])
    refuse(X, ValueError, "'a'", also_as_avatars=False)


def test_masked_cells_are_not_read_as_values():
    X = np.ma.masked_array(GOOD, mask=[[False, True], [False, False], [False, False]])
    with pytest.raises(ValueError, match=r"X holds masked cells, the first in column 1, row 0\."):
        closer_avatar_counts(X, GOOD)
    bare = np.ma.masked_array(GOOD)
    np.testing.assert_array_equal(closer_avatar_counts(bare, bare), [0, 0, 0])


# Originals are personal data


@pytest.mark.parametrize("metric", [HiddenRate(), LocalCloaking()])
@pytest.mark.parametrize("container", [np.array, pd.DataFrame])
def test_fitted_metrics_do_not_show_their_originals(metric, container):
    X = container(np.full((3, 2), CANARY))
    metric.fit(X, own_avatar=[2, 1, 0])
    metric.score(X)
    shown = repr(metric) + str(metric) + metric._repr_html_() + repr(metric.get_params())
    assert not any(canary in shown for canary in CANARIES)
    public = {name: value for name, value in vars(metric).items() if not name.startswith("_")}
    assert not any(canary in repr(public) for canary in CANARIES)


def test_warnings_do_not_show_cells():
    X = np.full((60, 2), CANARY) + np.arange(60)[:, None] * 1e-3
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        HiddenRate().fit(X).score(-X)
        LocalCloaking().fit(X).score(X[np.random.default_rng(0).permutation(60)])
    assert len(caught) >= 2
    assert not any(canary in str(warning.message) for warning in caught for canary in CANARIES)


def test_signalling_nan_is_refused_with_its_column():
    table = pd.DataFrame({"age": [1, Decimal("sNaN")], "weight": [1.0, 2.0]}, dtype=object)
    with pytest.raises(TypeError, match=r"Column\(s\) 'age' \(position 0\) of X"):
        closer_avatar_counts(table, table)
    with pytest.raises(TypeError, match="sample_weight must hold numbers, got dtype object"):
        HiddenRate().fit([[0], [1]]).score([[0], [1]], sample_weight=[1, Decimal("sNaN")])
