"""Distinct rows of tables in which most rows repeat."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from skprivacy.metrics._distinct_rows import _column_repeats, distinct_rows

RNG = np.random.default_rng(0)
REPEATED = RNG.integers(0, 3, size=(500, 3)).astype(float)


def test_rows_of_a_group_are_equal_and_groups_differ():
    distinct = distinct_rows(REPEATED)
    assert_array_equal(REPEATED[distinct.first][distinct.group], REPEATED)
    assert len(distinct.first) == len(np.unique(REPEATED, axis=0))


def test_further_columns_keep_rows_apart():
    own = np.arange(500) % 5
    distinct = distinct_rows(REPEATED[:, :1], own)
    assert_array_equal(own[distinct.first][distinct.group], own)
    assert len(distinct.first) == 3 * 5


@pytest.mark.parametrize(
    "table",
    [
        RNG.normal(size=(500, 2)),
        np.column_stack([REPEATED[:, 0], np.arange(500)]),
        np.column_stack(np.divmod(np.arange(100.0), 10)),
    ],
    ids=["continuous", "one column is an identifier", "two columns are one together"],
)
def test_nothing_is_grouped_where_it_would_not_pay(table):
    assert distinct_rows(table) is None


def test_one_row():
    distinct = distinct_rows(np.array([[1.0, 2.0]]))
    assert distinct is None or distinct.group.tolist() == [0]


def test_it_pays_from_two_rows_for_each_distinct_one():
    assert len(distinct_rows(np.arange(20.0)[:, None] // 2).first) == 10
    assert distinct_rows(np.arange(19.0)[:, None] // 2) is None


def test_the_most_varied_column_decides():
    values = np.arange(21.0)
    assert _column_repeats(values[:20, None] // 2)
    # 11 values in 21 rows.
    assert not _column_repeats(values[:, None] // 2)
    flag, identifier = values % 2, 100 * values
    assert not _column_repeats(np.column_stack([flag, identifier]))
    assert not _column_repeats(np.column_stack([identifier, flag]))


@pytest.mark.parametrize(("n_rows", "repeats"), [(40, False), (1998, False), (2000, True)])
def test_the_most_varied_column_is_that_of_a_thousand_rows(n_rows, repeats):
    # One column varies in the rows alone that a sample of every other row leaves out.
    rows = np.arange(n_rows)
    table = np.column_stack([rows // 2 % 2, np.where(rows % 2, rows, 0)]).astype(float)
    assert _column_repeats(table) == repeats
