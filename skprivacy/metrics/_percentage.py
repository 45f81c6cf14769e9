"""The weighted share of records, in percent."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def percentage(flags: NDArray[np.bool_], sample_weight: NDArray[np.float64] | None = None) -> float:
    """Return the share of true flags in percent, without weights the float nearest to it."""
    if sample_weight is None:
        # One rounding: 100 times a mean gives 55.00000000000001, which beats a limit of 55.
        return 100 * int(np.count_nonzero(flags)) / len(flags)
    return float(100 * sample_weight[flags].sum() / sample_weight.sum())
