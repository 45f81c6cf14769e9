"""What a privacy report is computed from, each part of it computed once."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from .._callers import levels_to_the_caller
from .._validation import check_sample_weight
from ._closer_avatars import CloserAvatars
from ._intervals import median_interval, share_interval
from ._local_cloaking import local_cloaking_of_counts
from ._paired import PairedMetric
from ._percentage import percentage
from ._plausibility import doubt_if_other_space, doubt_if_unpaired
from ._registry import METRICS
from ._row_matching import RowMatches, match_rows


@dataclass(frozen=True, repr=False)
class Evidence:
    """Both tables, raw and as coordinates, and what was found by comparing them."""

    X: Any
    X_avatars: Any
    comparison: CloserAvatars
    counts: NDArray[np.int64]
    matches: RowMatches
    weight: NDArray[np.float64] | None
    warnings: list[str]

    @property
    def per_record(self) -> dict[str, NDArray[Any]]:
        """One value for each original: truth values for a share, counts for a median."""
        return {
            "hidden_rate": self.counts > 0,
            "local_cloaking": self.counts,
            "row_direct_match_protection": ~self.matches.is_hit,
        }

    def score(self, name: str) -> float:
        """Return a metric that the report knows only by its name in the registry."""
        metric = METRICS[name]()
        if isinstance(metric, PairedMetric):
            metric.fit(self.comparison.X, own_avatar=self.comparison.own)
            return metric.score(self.comparison.Y, sample_weight=self.weight)
        return metric.fit(self.X).score(self.X_avatars, sample_weight=self.weight)

    def summarise(
        self, name: str, rows: NDArray[np.bool_] | slice, confidence_level: float
    ) -> dict[str, Any]:
        """Return value and interval of a metric over some of the originals."""
        values = self.per_record[name][rows]
        weight = None if self.weight is None else self.weight[rows]
        is_share = values.dtype == bool
        value = percentage(values, weight) if is_share else local_cloaking_of_counts(values, weight)
        # Weights may stand for repeated records, for sampling or for importance, and each
        # asks for another interval.
        interval = None
        if weight is None:
            highest = len(self.comparison.Y) - 1
            interval = list(
                share_interval(values, confidence_level)
                if is_share
                else median_interval(values, confidence_level, highest)
            )
        return {"value": value, "confidence_interval": interval}


class _Comparison(PairedMetric):
    """The comparison that paired metrics sum up, checked as they check it."""

    def compare(self, X: Any) -> CloserAvatars:
        """Return originals and avatars ready for counting."""
        return self._compare(X)


def gather(
    X: Any,
    X_avatars: Any,
    *,
    own_avatar: ArrayLike | None,
    projection: Any,
    sample_weight: ArrayLike | None,
    **counting: Any,
) -> Evidence:
    """Check and compare both tables: distances on coordinates, rows as they are."""
    rows, rows_avatars = X, X_avatars
    if projection is not None:
        fitted = clone(projection).fit(X, None)
        rows, rows_avatars = fitted.transform(X), fitted.transform(X_avatars)
    comparison = _Comparison(**counting).fit(rows, own_avatar=own_avatar).compare(rows_avatars)
    weight = check_sample_weight(sample_weight, len(comparison.X))
    matches = match_rows(X, X_avatars)
    counts = comparison.count()
    return Evidence(X, X_avatars, comparison, counts, matches, weight, _doubts(comparison, counts))


def _doubts(comparison: CloserAvatars, counts: NDArray[np.int64]) -> list[str]:
    """Return why the numbers may come from a wrong pairing or space, and warn so."""
    found = (
        doubt_if_unpaired(counts, len(comparison.Y)),
        doubt_if_other_space(comparison.X, comparison.Y),
    )
    # Not caught as they are warned of: that would change the warnings of other threads.
    doubts = [doubt for doubt in found if doubt is not None]
    for doubt in doubts:
        warnings.warn(doubt, UserWarning, stacklevel=levels_to_the_caller())
    return doubts
