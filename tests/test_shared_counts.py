"""Metrics that share their counts give what each gives on its own."""

from __future__ import annotations

import numpy as np
import pytest

from skprivacy import HiddenRate, LocalCloaking
from skprivacy.metrics._shared_counts import groups_sharing_counts, score_together

METRIC_GROUPS = [
    [HiddenRate()],
    [LocalCloaking(n_components=1)],
    [HiddenRate(), LocalCloaking()],
    [LocalCloaking(n_components=2), HiddenRate(n_components=2), HiddenRate(n_components=2)],
]


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 20, (80, 3)).astype(float)
    return X, X + rng.integers(-1, 2, X.shape)


@pytest.mark.parametrize("metrics", METRIC_GROUPS)
@pytest.mark.parametrize("weight", [None, np.arange(80)])
def test_scores_are_those_of_each_metric(tables, metrics, weight):
    X, avatars = tables
    expected = [metric.fit(X).score(avatars, sample_weight=weight) for metric in metrics]
    assert score_together(metrics, X, avatars, weight) == expected


def test_groups_are_equal_counts_whatever_the_jobs():
    paired = {
        "a": HiddenRate(),
        "b": LocalCloaking(n_components=2),
        "c": LocalCloaking(n_jobs=2),
        "d": HiddenRate(n_components=2, tie_tol=1e-9),
        "e": HiddenRate(n_components=2),
    }
    assert list(groups_sharing_counts(paired)) == [["a", "c"], ["b", "e"], ["d"]]
