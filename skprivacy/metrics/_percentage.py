"""The weighted share of records, in percent."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

# Weights typed as decimals are rounded when they are stored, and their share with them.
_ROUNDING = 400 * np.finfo(np.float64).eps


def percentage(flags: NDArray[np.bool_], sample_weight: NDArray[np.float64] | None = None) -> float:
    """Return the share of true flags in percent, without weights the float nearest to it."""
    if sample_weight is None:
        # One rounding: 100 times a mean gives 55.00000000000001, which beats a limit of 55.
        return 100 * int(np.count_nonzero(flags)) / len(flags)
    true, total = math.fsum(sample_weight[flags]), math.fsum(sample_weight)
    share = float(100 * Fraction(true) / Fraction(total))
    # A share just above a round number is that number: it must not beat it as a limit.
    below = round(share, 9)
    return below if 0 <= share - below <= _ROUNDING else share
