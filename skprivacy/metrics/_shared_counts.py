"""Paired metrics scored together: closer avatars are counted once for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import clone

from .._validation import check_sample_weight
from ._paired import PairedMetric
from ._plausibility import warn_if_other_space


class _CountedOnce(PairedMetric):
    """Counts closer avatars once for metrics that sum them up in different ways."""

    def score_each(
        self, metrics: Iterable[PairedMetric], X: Any, sample_weight: ArrayLike | None
    ) -> list[float]:
        """Return the score of each metric for the avatars X."""
        comparison = self._compare(X)
        weight = check_sample_weight(sample_weight, len(comparison.X))
        warn_if_other_space(comparison.X, comparison.Y)
        counts = self._counts_for_score(comparison)
        # The one step in which these metrics differ is private to the package, not to them.
        return [metric._aggregate(counts, weight) for metric in metrics]  # noqa: SLF001


def groups_sharing_counts(paired: dict[str, PairedMetric]) -> Iterable[list[str]]:
    """Return the names of the metrics in groups whose counts are the same."""
    groups: dict[tuple[Any, Any], list[str]] = {}
    for name, metric in paired.items():
        groups.setdefault((metric.n_components, metric.tie_tol), []).append(name)
    return groups.values()


def score_together(
    metrics: list[PairedMetric], X: Any, avatars: Any, sample_weight: ArrayLike | None
) -> list[float]:
    """Return the scores of metrics that share their counts."""
    if len(metrics) == 1:
        # On its own a metric may count no further than it needs to.
        return [clone(metrics[0]).fit(X).score(avatars, sample_weight=sample_weight)]
    first = metrics[0]
    counter = _CountedOnce(
        n_components=first.n_components, tie_tol=first.tie_tol, n_jobs=first.n_jobs
    )
    return counter.fit(X).score_each(metrics, avatars, sample_weight)
