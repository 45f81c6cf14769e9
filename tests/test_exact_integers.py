"""Integers that float64 would round are found, and no others."""

from __future__ import annotations

import numpy as np
import pytest

from skprivacy._exact_integers import check_exact_integers, rounded_integers


@pytest.mark.parametrize("dtype", ["int64", "uint64", "object"])
@pytest.mark.parametrize("power", [53, 60, 62])
def test_every_integer_is_held_as_float_says(dtype, power):
    """Python compares integers and floats exactly, which is the oracle."""
    signs = [1] if dtype == "uint64" else [1, -1]
    for cell in [sign * (2**power + step) for sign in signs for step in range(-9, 257, 7)]:
        cells = np.array([0, cell], dtype=dtype)
        if float(cell) == cell:
            check_exact_integers(cells, "column 3")
        else:
            with pytest.raises(ValueError, match="got another in column 3, row 1"):
                check_exact_integers(cells, "column 3")


@pytest.mark.parametrize("dtype", ["int64", "uint64", "object"])
def test_the_ends_of_the_integers(dtype):
    largest = np.iinfo("int64" if dtype == "object" else dtype).max
    cells = np.array([largest, 0, int(np.nextafter(float(largest), 0))], dtype=dtype)
    assert rounded_integers(cells).tolist() == [True, False, False]


def test_what_is_no_integer_is_none_of_its_business():
    for cells in ([0.1, 1e300], [2.0**53 + 2, np.inf], [True, False], []):
        assert not rounded_integers(np.array(cells)).any()
    mixed = np.array([0.1, None, np.nan, "text", 10**400], dtype=object)
    assert rounded_integers(mixed).tolist() == [False, False, False, False, True]
