"""What is no table of rows is refused with what it is and where."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from skprivacy.metrics._row_tables import read_table


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_sparse_matrices_are_refused(kind):
    with pytest.raises(TypeError, match=r"Sparse data was passed for X, .*toarray\(\)"):
        read_table(kind(np.eye(2)), "X")


@pytest.mark.parametrize(
    "table",
    [
        np.arange(3), pd.Series([1, 2]), pl.Series([1, 2]), [1, 2], ["ab", "cd"], [b"ab"],
        [{"a": 1}], [1, [2]], np.array(1), "text", {"a": [1]}, None, pl.LazyFrame({"a": [1]}),
        np.zeros((2, 2, 2)), np.zeros((2, 1), [("a", "i8")]), [np.zeros((2, 2))],
    ],
    ids=str,
)  # fmt: skip
def test_tables_have_two_dimensions(table):
    with pytest.raises(ValueError, match=r"Expected 2D array, got .*(?s:.*)Reshape your data"):
        read_table(table, "X")


@pytest.mark.parametrize(
    "table",
    [np.zeros((2, 0)), pd.DataFrame(index=[1, 2]), [[], []], pl.DataFrame(), pa.table({}), []],
    ids=lambda table: type(table).__module__,
)
def test_tables_without_columns_are_refused(table):
    with pytest.raises(
        ValueError, match=r"0 feature\(s\) \(shape=\(\d, 0\)\) while a minimum of 1"
    ):
        read_table(table, "X")


@pytest.mark.parametrize(
    "table",
    [
        np.zeros((0, 2)), pd.DataFrame({"a": [], "b": []}), np.zeros(0, [("a", "i8"), ("b", "i8")]),
        pl.DataFrame({"a": [], "b": []}), pa.table({"a": pa.array([]), "b": pa.array([])}),
    ],
    ids=lambda table: type(table).__module__,
)  # fmt: skip
def test_tables_without_rows_are_refused(table):
    message = r"0 sample\(s\) \(shape=\(0, 2\)\) while .*X_avatars has no rows"
    with pytest.raises(ValueError, match=message):
        read_table(table, "X_avatars")


def test_rows_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="rows of X have between 1 and 3 cells"):
        read_table([[1, 2, 3], [1], [1, 2]], "X")


@pytest.mark.parametrize(
    ("array", "got"),
    [
        (np.array(1), "scalar"),
        (np.arange(3), "1D"),
        (np.zeros((2, 2, 2)), "3D"),
        (np.zeros((2, 1), [("a", "i8")]), "2D"),
    ],
)
def test_an_array_of_another_shape_is_called_by_it(array, got):
    with pytest.raises(ValueError, match=f"got {got} array instead: X"):
        read_table(array, "X")


def test_cells_that_cannot_be_compared_are_refused_by_column():
    with pytest.raises(TypeError, match=r"^column \(position 1\) of X holds cells of .*\.object, "):
        read_table([[1, object()]], "X")
    with pytest.raises(TypeError, match=r"^column 'b' \(position 1\) of X holds cells"):
        read_table(pd.DataFrame({"a": [1], "b": [{4711}]}), "X")
    with pytest.raises(ValueError, match=r"Complex data not supported: column \(position 1\) of X"):
        read_table([[1, 1j]], "X")


CELLS = [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("table", "names"),
    [
        (CELLS, None),
        ([np.array([1, 2]), np.array([3, 4])], None),
        (np.array(CELLS), None),
        (np.ma.MaskedArray(CELLS), None),
        (np.array([(1, 2), (3, 4)], [("a", "i8"), ("b", "f4")]), ["a", "b"]),
        (pd.DataFrame(CELLS, columns=["a", 7]), ["a", 7]),
        (pl.DataFrame({"a": [1, 3], "^b$": [2, 4]}), ["a", "^b$"]),
        (pa.table({"a": [1, 3], "b": [2, 4]}), ["a", "b"]),
    ],
    ids=lambda value: type(value).__module__,
)
def test_every_container_is_read_column_by_column(table, names):
    opened = read_table(table, "X")
    assert (opened.name, opened.n_rows, opened.names) == ("X", 2, names)
    rows = np.arange(2)
    assert [column.canonical(rows) for column in opened.columns] == [[1, 3], [2, 4]]


def test_masked_cells_of_an_array_are_missing():
    opened = read_table(np.ma.MaskedArray(CELLS, [[False, True], [False, False]]), "X")
    assert opened.columns[1].canonical(np.arange(2)) == [None, 4]


def test_a_representation_shows_no_cell():
    assert "4711" not in repr(read_table(np.array([[4711]]), "X"))
    assert "4711" not in repr(read_table(pd.DataFrame({"4711": [1]}), "X"))


@pytest.mark.parametrize(
    "names", [["a", "b", "a"], [1, 2, 1], [("a", 1), ("a", 2), ("a", 1)], [1, 2, 1.0]]
)
def test_repeated_names_are_refused(names):
    columns = pd.Index(names, dtype=object, tupleize_cols=False)
    frame = pd.DataFrame([[1, 2, 3]], columns=columns)
    with pytest.raises(ValueError, match=r"is repeated in X \(positions 0 and 2\)"):
        read_table(frame, "X")


def test_repeated_names_of_arrow_tables_are_refused():
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(ValueError, match=r"'a' is repeated in X \(positions 0 and 1\)"):
        read_table(table, "X")


@pytest.mark.parametrize("name", [None, np.nan, pd.NA, pd.NaT])
def test_columns_need_a_name(name):
    frame = pd.DataFrame([[1, 2]], columns=pd.Index(["a", name], dtype=object))
    with pytest.raises(ValueError, match="column at position 1 of X has no name"):
        read_table(frame, "X")


def test_other_names_are_names():
    frame = pd.DataFrame(
        [[1, 2, 3]], columns=pd.MultiIndex.from_tuples([(1, "a"), (1, "b"), (2, "")])
    )
    assert read_table(frame, "X").names == [(1, "a"), (1, "b"), (2, "")]


def test_record_batches_have_names():
    batch = pa.record_batch([[1, 2], ["a", "b"]], names=["number", "text"])
    assert read_table(batch, "X").names == ["number", "text"]


def test_an_opened_table_stays_as_it_was_read():
    with pytest.raises(FrozenInstanceError):
        read_table(CELLS, "X").n_rows = 1
