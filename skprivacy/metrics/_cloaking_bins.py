"""The ranges in which the counts c_i are shown; the report and the plot use the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# A range from each of these to the one before the next; the exposed, c_i = 0, stand alone.
_STARTS = np.array([0, 1, 5, 10, 20, 50, 100, 200, 500, 1000])


def bin_counts(
    counts: NDArray[np.int64],
    sample_weight: NDArray[np.float64] | None = None,
    *,
    up_to: float = 0,
) -> list[tuple[int, int | None, int, float]]:
    """Return (first, last, number of originals, share in percent) of each range.

    They reach to the largest count and to up_to; the last of all ranges has no end.
    """
    position = np.searchsorted(_STARTS, counts, side="right") - 1
    n_bins = int(max(position.max() + 1, np.searchsorted(_STARTS, up_to, side="right")))
    n_records = np.bincount(position, minlength=n_bins)
    weights = np.bincount(position, weights=sample_weight, minlength=n_bins)
    shares = 100 * weights / weights.sum()
    lasts = [*(int(start) - 1 for start in _STARTS[1:]), None]
    return [(int(_STARTS[b]), lasts[b], int(n_records[b]), float(shares[b])) for b in range(n_bins)]


def bin_label(first: int, last: int | None) -> str:
    """Return how a range is written."""
    if last is None:
        return f"{first}+"
    return str(first) if first == last else f"{first}-{last}"
