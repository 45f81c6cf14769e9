"""Tables read from files get the coordinates that FAMD gives the same table in memory."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose

from skprivacy import FAMD
from skprivacy._cli._csv_cells import TableError
from skprivacy._cli._file_projection import distance_cells, make_projection
from skprivacy._cli._tables import TablePair

NUMBERS = [1.5, 2.0, 7.25, 3.0, 4.5, 9.0]
CITIES = ["b", "a", "b", "c", "a", "b"]


def frame(**columns):
    """Return a frame with Arrow types, as tables are after reading."""
    return pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype)


def pair(originals, avatars=None, labels=()):
    """Return a pair of tables; the avatars are copies unless given."""
    return TablePair(originals, originals if avatars is None else avatars, None, None, list(labels))


def project(both, *, n_components=None, impute=False):
    """Return the coordinates of both tables."""
    projection = make_projection(both, n_components=n_components, impute=impute)
    projection.fit(both.originals)
    return projection.transform(both.originals), projection.transform(both.avatars)


@pytest.mark.parametrize("impute", [False, True])
def test_complete_tables_get_the_coordinates_of_famd(impute):
    flags = [True, False, True, True, False, True]
    table = frame(x=NUMBERS, city=CITIES, flag=flags, grade=[1, 2, 1, 2, 3, 3])
    coordinates, _ = project(pair(table, labels=["grade"]), n_components=4, impute=impute)
    in_memory = pd.DataFrame({"x": NUMBERS, "city": CITIES, "flag": flags, "grade": list("121233")})
    expected = FAMD(4).fit_transform(in_memory)
    # The columns of an imputed table come in another order, which turns axes round at most.
    assert_allclose(np.abs(coordinates), np.abs(expected), atol=1e-12)


def test_missing_cells_are_filled_from_the_originals():
    originals = frame(x=[*NUMBERS, None], city=[*CITIES, None], n=[1, 2, 3, 4, 5, 6, None])
    avatars = frame(x=[None, 100.0], city=[None, "c"], n=[None, 1])
    both = pair(originals, avatars)
    filled = pair(
        frame(x=[*NUMBERS, 3.75], city=[*CITIES, "b"], n=[1, 2, 3, 4, 5, 6, 3.5]),
        frame(x=[3.75, 100.0], city=["b", "c"], n=[3.5, 1]),
    )
    for coordinates, expected in zip(
        project(both, n_components=3, impute=True),
        project(filled, n_components=3, impute=True),
        strict=True,
    ):
        assert_allclose(coordinates, expected, atol=1e-12)


def test_missing_cells_without_leave_to_fill_them():
    both = pair(frame(x=NUMBERS, city=CITIES), frame(x=[None, *NUMBERS[1:]], city=CITIES))
    with pytest.raises(
        TableError, match=r"1 missing cells in column.* 'x' of the avatars.*--impute"
    ):
        make_projection(both, n_components=None, impute=False)


def test_a_column_without_cells_cannot_be_filled():
    table = frame(x=NUMBERS, y=pa.nulls(6, pa.float64()))
    with pytest.raises(TableError, match="'y' of the originals has no cells"):
        make_projection(pair(table), n_components=None, impute=True)


@pytest.mark.parametrize("impute", [False, True])
@pytest.mark.parametrize("side", ["originals", "avatars"])
def test_numbers_beyond_float64_are_named(impute, side):
    beyond = [*NUMBERS[:4], float("-inf"), float("inf")]
    tables = {"originals": frame(x=NUMBERS), "avatars": frame(x=NUMBERS), side: frame(x=beyond)}
    with pytest.raises(
        TableError, match=rf"'x' has 2 infinite number.* in the {side} \(first in data row 5\)"
    ):
        make_projection(pair(**tables), n_components=None, impute=impute)


def test_one_row_has_no_distances():
    with pytest.raises(TableError, match=r"The originals have 1 data row.* at least 2"):
        make_projection(pair(frame(x=[1.5], y=[2])), n_components=None, impute=False)


def test_labels_that_no_original_has():
    both = pair(frame(city=CITIES), frame(city=["a", "b", "Canary7731", "a", "b", "Canary7731"]))
    with pytest.raises(TableError, match=r"'city' has labels in 2 row.*data row 3") as caught:
        make_projection(both, n_components=None, impute=False)
    assert "Canary" not in str(caught.value)


@pytest.mark.parametrize(
    ("table", "labels", "n_axes"),
    [
        (frame(x=NUMBERS), [], 1),
        (frame(x=NUMBERS, constant=[1] * 6), [], 1),
        (frame(city=CITIES), [], 2),
        (frame(x=NUMBERS, city=CITIES), [], 3),
        (frame(x=NUMBERS, grade=[1, 2, 3, 4, 1, 2]), ["grade"], 4),
        (frame(x=NUMBERS[:3], y=[4, 5, 7], z=[1, 0, 0]), [], 2),
        (frame(**{str(j): np.random.default_rng(j).random(30) for j in range(8)}), [], 5),
    ],
)
def test_default_number_of_axes(table, labels, n_axes):
    coordinates, _ = project(pair(table, labels=labels))
    assert coordinates.shape[1] == n_axes


def test_the_same_number_is_the_same_label_in_any_type():
    cells = [
        distance_cells(frame(grade=pa.array([1, 2], arrow_type)), labels=["grade"])["grade"]
        for arrow_type in (pa.int8(), pa.float64(), pa.decimal128(5, 1))
    ]
    assert list(cells[0]) == list(cells[1]) == list(cells[2])


def test_labels_of_any_type_in_the_other_table():
    both = pair(frame(grade=[1, 2, 3], x=[1, 2, 4]), frame(grade=[1.0, 3.0], x=[1, 2]), ["grade"])
    originals, avatars = project(both)
    assert originals.shape[1] == avatars.shape[1] == 2


@pytest.mark.parametrize("side", ["originals", "avatars"])
@pytest.mark.parametrize("arrow_type", [pa.int64(), pa.uint64(), pa.decimal128(38, 0)], ids=str)
def test_integers_that_float64_would_round_are_named(side, arrow_type):
    exact = frame(x=pa.array([2**60, 5, None, 7], arrow_type))
    rounded = frame(x=pa.array([None, 2**60, 2**60 + 1, 2**60 + 3], arrow_type))
    tables = {"originals": exact, "avatars": exact, side: rounded}
    with pytest.raises(
        TableError, match=rf"'x' has 2 integer.* in the {side} \(first in data row 3\).*--exclude"
    ):
        make_projection(pair(**tables), n_components=None, impute=True)
    make_projection(pair(exact, exact), n_components=None, impute=True)


@pytest.mark.parametrize("arrow_type", [pa.int64(), pa.uint64(), pa.decimal128(38, 0)], ids=str)
def test_long_integers_are_labels_of_their_own(arrow_type):
    grades = [2**60, 2**60 + 1, None, 2**60 + 2]
    cells = distance_cells(frame(grade=pa.array(grades, arrow_type)), labels=["grade"])["grade"]
    assert [str(grade) for grade in grades if grade] == cells.dropna().tolist()
    assert cells.isna().tolist() == [False, False, True, False]


def test_labels_that_are_no_whole_numbers():
    for arrow_type in (pa.float64(), pa.decimal128(5, 2)):
        grades = pa.array([1.5, 2, -0.25], pa.float64()).cast(arrow_type)
        cells = distance_cells(frame(grade=grades), labels=["grade"])["grade"]
        assert cells.tolist() == ["1.5", "2", "-0.25"]
