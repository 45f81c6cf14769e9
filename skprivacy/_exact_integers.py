"""Integers that float64 cannot hold: rounded, two people would become one point."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray


def check_exact_integers(cells: NDArray[Any], column: str) -> None:
    """Raise a ValueError at an integer that float64 would round: two people would become one."""
    is_rounded = rounded_integers(cells)
    if is_rounded.any():
        raise ValueError(
            f"Expected integers that float64 holds exactly, got another in {column}, row "
            f"{is_rounded.argmax()}. Subtract an offset from the column, divide it, or leave it "
            "out if it is an identifier."
        )


def rounded_integers(cells: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which cells are integers that float64 would round."""
    if cells.dtype.kind == "O":
        return np.fromiter(map(_is_rounded, cells), dtype=bool, count=len(cells))
    if cells.dtype.kind not in "iu" or _are_small(cells):
        return np.zeros(len(cells), dtype=bool)
    floats = cells.astype(np.float64)
    # float(2**63 - 1) is 2**63, which wraps round on the way back.
    fits = floats < float(np.iinfo(cells.dtype).max)
    return ~fits | (np.where(fits, floats, 0).astype(cells.dtype) != cells)


def _is_rounded(cell: Any) -> bool:
    """Tell whether a cell is an integer that float64 rounds or cannot reach."""
    if not isinstance(cell, Integral) or -(2**53) <= cell <= 2**53:  # type: ignore[operator]
        return False
    try:
        return int(float(cell)) != int(cell)
    except OverflowError:
        return True


def _are_small(cells: NDArray[Any]) -> bool:
    """Tell, quickly, whether all integers are among those that float64 holds without a gap."""
    return len(cells) == 0 or bool(cells.min() >= -(2**53) and cells.max() <= 2**53)
