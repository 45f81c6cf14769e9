"""A warning where two columns differ by what is often an accident of storage, not of value."""

from __future__ import annotations

import unicodedata
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._callers import levels_to_the_caller
from ._row_keys import Column, Rows, Words
from ._row_tables import Table

# A look at so many rows of each table costs milliseconds, however long the tables are.
_N_LOOKED_AT = 10_000


def warn_of_near_misses(left: Table, right: Table, partners: list[int]) -> None:
    """Warn if trimming, composing or rounding would make cells of paired columns equal."""
    rows, rows_right = (np.arange(min(table.n_rows, _N_LOOKED_AT)) for table in (left, right))
    for position, other in enumerate(partners):
        found = _near_miss(left.columns[position], right.columns[other], rows, rows_right)
        if found is not None:
            warnings.warn(
                f"Some cells of {left.column_label(position)} and {right.column_label(other)} "
                f"differ only by {found}. They count as different, so copied rows may look "
                "protected. Store both columns alike if this is an accident.",
                UserWarning,
                stacklevel=levels_to_the_caller(),
            )


def _near_miss(left: Column, right: Column, rows: Rows, rows_right: Rows) -> str | None:
    """Return what some cells of two columns differ by, None where it is more."""
    if "text" in left.kinds & right.kinds and _texts_nearly_meet(left, right, rows, rows_right):
        return "surrounding blanks or Unicode composition (NFC)"
    if isinstance(left, Words) and isinstance(right, Words):
        values, values_right = left.values[rows], right.values[rows_right]
        return "the width of their floats" if _floats_nearly_meet(values, values_right) else None
    return None


def _texts_nearly_meet(left: Column, right: Column, rows: Rows, rows_right: Rows) -> bool:
    """Tell whether a text that only the right column has becomes one of the left one."""
    texts = {value for value in left.canonical(rows) if isinstance(value, str)}
    only_right = {value for value in right.canonical(rows_right) if isinstance(value, str)} - texts
    return not {_cleaned(text) for text in only_right}.isdisjoint(map(_cleaned, texts))


def _cleaned(text: str) -> str:
    """Return a text without surrounding blanks, composed."""
    return unicodedata.normalize("NFC", text.strip())


def _floats_nearly_meet(left: NDArray[Any], right: NDArray[Any]) -> bool:
    """Tell whether a float of the wider column rounds to a different one of the narrower."""
    narrow, wide = sorted((left, right), key=lambda values: values.dtype.itemsize)
    if not narrow.dtype.kind == wide.dtype.kind == "f" or narrow.itemsize == wide.itemsize:
        return False
    with np.errstate(over="ignore"):
        rounded = wide.astype(narrow.dtype)
    return bool((np.isin(rounded, narrow) & (rounded != wide) & ~np.isnan(wide)).any())
