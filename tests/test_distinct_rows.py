"""Distinct rows of tables in which most rows repeat."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from skprivacy.metrics._distinct_rows import distinct_rows

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
    [RNG.normal(size=(500, 2)), np.column_stack([REPEATED[:, 0], np.arange(500)])],
    ids=["continuous", "one column is an identifier"],
)
def test_nothing_is_grouped_where_it_would_not_pay(table):
    assert distinct_rows(table) is None


def test_one_row():
    distinct = distinct_rows(np.array([[1.0, 2.0]]))
    assert distinct is None or distinct.group.tolist() == [0]
