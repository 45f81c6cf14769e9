"""Groups of originals, large enough not to point at a person.

A group below the smallest size is pooled into "(other)". If the pool itself is below it,
the next smallest group joins: were the pool left out instead, its values would follow
from the total and the groups that are shown.
"""

from __future__ import annotations

import numbers
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length

from ._row_values import UnsupportedCellError, canonical_value

OTHER, MISSING = "(other)", "(missing)"


class Group(NamedTuple):
    """A group that may be shown: its label, its originals, and how many groups it pools."""

    label: str
    rows: NDArray[np.bool_]
    n_pooled: int


def check_min_group_size(min_group_size: int) -> int:
    """Return the size, an integer of at least 2."""
    if isinstance(min_group_size, bool) or not isinstance(min_group_size, numbers.Integral):
        raise TypeError(f"min_group_size must be an integer, got {type(min_group_size).__name__}.")
    if min_group_size < 2:
        raise ValueError(
            f"min_group_size={min_group_size} must be at least 2: the value of a group of one "
            "points at a person."
        )
    return int(min_group_size)


def check_groups(groups: Any, X: Any) -> NDArray[np.object_]:
    """Return the label of each original as text; missing ones as "(missing)"."""
    check_consistent_length(X, groups)
    cells = np.asarray(groups)
    if cells.dtype.kind in "US" and not hasattr(groups, "dtype"):
        # numpy turns None and numbers among texts into texts.
        cells = np.asarray(groups, dtype=object)
    if cells.ndim != 1:
        raise ValueError(
            f"groups has shape {cells.shape}, expected one dimension: one label for each original."
        )
    # One reader for every container, so that a label reads the same from all of them.
    labels = np.empty(len(cells), dtype=object)
    # As objects: numpy's text would give every label the room of the longest.
    labels[:] = [_text(cell) for cell in cells.tolist()]
    return labels


def _text(cell: Any) -> str:
    """Return a label as it will be shown."""
    try:
        return MISSING if canonical_value(cell) is None else str(cell)
    except UnsupportedCellError as error:
        raise TypeError(f"groups must hold text, numbers or dates, got {error}.") from None


def pool_groups(
    labels: NDArray[np.object_], weight: NDArray[np.float64] | None, min_group_size: int
) -> list[Group]:
    """Return the groups in the order of their labels, the pool last; none if all are pooled."""
    # Records without weight hide nobody: they do not count towards the size of a group.
    counted = np.ones(len(labels), dtype=bool) if weight is None else weight > 0
    names, sizes = np.unique(labels[counted], return_counts=True)
    shown, pooled = _split(dict(zip(names.tolist(), sizes.tolist(), strict=True)), min_group_size)
    groups = [Group(name, counted & (labels == name), 0) for name in shown]
    if pooled and groups:
        groups.append(Group(OTHER, counted & np.isin(labels, pooled), len(pooled)))
    return groups


def _split(sizes: dict[str, int], min_group_size: int) -> tuple[list[str], list[str]]:
    """Return the labels to show and those to pool."""
    # A group that the user calls "(other)" already is what the pool is.
    smallest_first = sorted(sizes, key=lambda label: (label != OTHER, sizes[label], label))
    pooled: list[str] = []
    n_pooled = 0
    for label in smallest_first:
        in_pool = label == OTHER or sizes[label] < min_group_size or 0 < n_pooled < min_group_size
        if in_pool:
            pooled.append(label)
            n_pooled += sizes[label]
    return sorted(set(sizes) - set(pooled)), pooled
