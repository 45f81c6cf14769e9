"""FAMD holds no matrix that its task does not need: peaks of memory, by tracemalloc.

Run the long one with:

    pytest -m nightly tests/test_famd_memory.py
"""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from skprivacy import FAMD

BYTES = 8
# A block of the coded table has this many cells where the table is long (see _axes.py).
N_BLOCK_CELLS = 2**20


def peak_of(function, *arguments):
    """Return the most bytes that a call held at once beyond what was there before."""
    tracemalloc.start()
    try:
        function(*arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def wide_table(n_rows=100, n_columns=150, n_levels=40):
    """Return columns of labels, many more levels than rows."""
    rng = np.random.default_rng(0)
    cells = rng.integers(0, n_levels, size=(n_rows, n_columns)).astype(str)
    return pd.DataFrame(cells).add_prefix("c")


def long_table(n_rows):
    """Return 20 columns of numbers and 20 of ten labels: 220 columns when coded."""
    rng = np.random.default_rng(0)
    levels = np.array(list("abcdefghij"), dtype=object)
    return pd.DataFrame(
        {f"x{j}": rng.normal(size=n_rows) for j in range(20)}
        | {f"c{j}": levels[rng.integers(0, 10, n_rows)] for j in range(20)}
    )


def test_more_levels_than_rows_need_no_square_of_the_levels():
    X = wide_table()
    width = sum(X[name].nunique() for name in X)
    coded = len(X) * width * BYTES
    famd = FAMD(5)
    # As high as the table: the coded block, its triangle, what the decomposition works on and
    # the axes it gives, and one more to spare. A square of the levels is ten times as much.
    assert peak_of(famd.fit, X) < 5 * coded < width**2 * BYTES / 10
    # The codes and the coordinates of each row: the indicators are never written out.
    assert peak_of(famd.transform, X) < coded


@pytest.mark.parametrize(
    "n_rows", [20_000, pytest.param(200_000, marks=pytest.mark.nightly)], ids="{:,} rows".format
)
def test_a_long_table_is_coded_block_by_block(n_rows):
    X = long_table(n_rows)
    famd = FAMD(5)
    # One number or code for each cell, and while they are made the cells themselves.
    cells_and_codes = 2 * X.size * BYTES
    # A block above the triangle so far, the copy that is factorised, and its triangle.
    blocks = 3 * N_BLOCK_CELLS * BYTES
    assert peak_of(famd.fit, X) < cells_and_codes + blocks
    # Even one table of indicators, 220 columns, would be more than twice as much.
    assert peak_of(famd.transform, X) < cells_and_codes + n_rows * 5 * BYTES
