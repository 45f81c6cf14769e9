"""Which metrics there are, and what is published about them."""

from __future__ import annotations

import pytest

from skprivacy import HiddenRate, LocalCloaking, RowDirectMatchProtection
from skprivacy.metrics._base import AvatarMetric
from skprivacy.metrics._registry import METRICS, facts_of


def test_the_metrics_by_name():
    assert list(METRICS.items()) == [
        ("hidden_rate", HiddenRate),
        ("local_cloaking", LocalCloaking),
        ("row_direct_match_protection", RowDirectMatchProtection),
    ]
    assert all(issubclass(metric, AvatarMetric) for metric in METRICS.values())


@pytest.mark.parametrize(
    ("name", "target"),
    [("hidden_rate", 90), ("local_cloaking", 5), ("row_direct_match_protection", 90)],
)
def test_published_targets(name, target):
    assert facts_of(name).target == target


def test_an_unknown_metric_has_a_title_and_no_target():
    facts = facts_of("distance_to_closest")
    assert facts.title == facts.short_title == "Distance to closest"
    assert facts.unit == ""
    assert facts.target is None
