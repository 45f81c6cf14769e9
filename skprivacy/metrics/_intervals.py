"""How far a share or a median may move by the draw of the records alone."""

from __future__ import annotations

import numbers

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, binomtest


def check_confidence_level(confidence_level: float) -> float:
    """Return the level, a number strictly between 0 and 1."""
    if isinstance(confidence_level, bool) or not isinstance(confidence_level, numbers.Real):
        raise TypeError(
            f"confidence_level must be a real number, got {type(confidence_level).__name__}."
        )
    if not 0 < confidence_level < 1:
        raise ValueError(
            f"confidence_level={confidence_level} must lie strictly between 0 and 1, "
            "e.g. 0.95 for 95 %."
        )
    return float(confidence_level)


def share_interval(is_safe: NDArray[np.bool_], confidence_level: float) -> tuple[float, float]:
    """Return Wilson's score interval of a share, in percent.

    Source: Wilson, "Probable inference, the law of succession, and statistical inference",
    JASA 22 (1927). Unlike value +- 2 standard errors, it is never empty at 0 or 100 %.
    """
    test = binomtest(int(np.count_nonzero(is_safe)), len(is_safe))
    interval = test.proportion_ci(confidence_level, method="wilson")
    return 100 * float(interval.low), 100 * float(interval.high)


def median_interval(
    counts: NDArray[np.int64], confidence_level: float, highest: int
) -> tuple[float, float]:
    """Return the interval between two order statistics that covers the population's median.

    Of n independent records, Binomial(n, 1/2) lie below the median, whatever the
    distribution: the k-th smallest and the k-th largest enclose it with a probability of
    at least 1 - 2 P(Binomial < k). Ties make it wider than needed, never narrower. A few
    records have no such k: the interval is then the whole range, 0 to highest. Source:
    David and Nagaraja, "Order Statistics", section 7.1 (2003).
    """
    n = len(counts)
    k = int(binom.ppf((1 - confidence_level) / 2, n, 0.5))
    if k == 0:
        return 0.0, float(highest)
    ordered = np.partition(counts, [k - 1, n - k])
    return float(ordered[k - 1]), float(ordered[n - k])
