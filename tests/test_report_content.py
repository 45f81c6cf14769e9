"""The values of a report, by hand and against the metrics themselves."""

from __future__ import annotations

import numpy as np
import pytest

from skprivacy import (
    hidden_rate_score,
    local_cloaking_score,
    privacy_report,
    row_direct_match_protection_score,
)
from skprivacy.metrics import _evidence, _report_content
from skprivacy.metrics._base import AvatarMetric

# By hand: own distances 12, 6, 19, 0; closer avatars 2, 1, 3, 0. The last row is copied.
X = np.array([[0.0], [10.0], [20.0], [30.0]])
Y = np.array([[12.0], [4.0], [1.0], [30.0]])


def report(X=X, Y=Y, **settings):
    return privacy_report(X, Y, output_dict=True, **settings)


def test_values_by_hand():
    metrics = report()["metrics"]
    assert metrics["hidden_rate"]["value"] == 75
    assert metrics["local_cloaking"]["value"] == 1.5
    assert metrics["row_direct_match_protection"]["value"] == 75
    assert metrics["row_direct_match_protection"]["n_unique"] == 4
    assert metrics["row_direct_match_protection"]["n_hits"] == 1
    assert [metric["range"] for metric in metrics.values()] == [[0, 100], [0, 3], [0, 100]]
    # Originals 0, 1 (4 is 6 away, 12 is 2), 20 and 30 each have one nearest avatar.
    assert metrics["hidden_rate"]["random_pairing"] == 100 * (1 - 4 / (4 * 4))
    assert metrics["local_cloaking"]["random_pairing"] == 1.5
    assert metrics["row_direct_match_protection"]["random_pairing"] is None


def test_distribution_by_hand():
    assert report()["closer_avatars"] == [
        {"from": 0, "to": 0, "n_originals": 1, "share": 25.0},
        {"from": 1, "to": 4, "n_originals": 3, "share": 75.0},
    ]


@pytest.mark.parametrize("weighted", [False, True])
def test_values_are_those_of_the_metrics(weighted):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(301, 3)).round(1)
    Y = X + rng.normal(scale=0.4, size=X.shape).round(1)
    weight = rng.integers(0, 4, size=301) if weighted else None
    metrics = report(X, Y, sample_weight=weight)["metrics"]
    assert metrics["hidden_rate"]["value"] == hidden_rate_score(X, Y, sample_weight=weight)
    assert metrics["local_cloaking"]["value"] == local_cloaking_score(X, Y, sample_weight=weight)
    assert metrics["row_direct_match_protection"]["value"] == row_direct_match_protection_score(
        X, Y, sample_weight=weight
    )
    assert all((metric["confidence_interval"] is None) == weighted for metric in metrics.values())


def test_targets_are_to_be_exceeded():
    # 10 originals far apart, avatars in place but for some that swapped with a neighbour.
    X = 100.0 * np.arange(20)[:, None]
    own = np.arange(20)
    own[:18] = own[:18].reshape(-1, 2)[:, ::-1].ravel()
    metrics = report(X, X + 1, own_avatar=own)["metrics"]
    assert metrics["hidden_rate"]["value"] == 90
    assert metrics["hidden_rate"]["meets_target"] is False
    assert metrics["row_direct_match_protection"]["meets_target"] is True


def test_range_of_row_protection_ends_at_the_unique_rows():
    X = [[1.0], [2.0], [2.0], [3.0], [3.0]]
    metric = report(X, X)["metrics"]["row_direct_match_protection"]
    assert metric["n_unique"] == metric["n_hits"] == 1
    assert metric["range"] == [80, 100]
    assert metric["value"] == 80
    weighted = report(X, X, sample_weight=[4, 1, 1, 1, 1])["metrics"]
    assert weighted["row_direct_match_protection"]["range"] == [50, 100]


def test_each_group_is_measured_against_all_avatars():
    rng = np.random.default_rng(2)
    X, groups = rng.normal(size=(80, 2)), np.repeat(["far", "near"], 40)
    Y = X + rng.normal(size=X.shape) * np.where(groups == "far", 0.3, 0.01)[:, None]
    rows = {row["label"]: row for row in report(X, Y, groups=groups)["groups"]["rows"]}
    assert list(rows) == ["far", "near"]
    for label, row in rows.items():
        own = np.flatnonzero(groups == label)
        assert row["n_originals"] == 40
        assert row["metrics"]["hidden_rate"]["value"] == hidden_rate_score(
            X[own], Y, own_avatar=own
        )
        assert len(row["metrics"]["hidden_rate"]["confidence_interval"]) == 2
    worst = report(X, Y, groups=groups)["groups"]["worst"]
    assert worst == {
        "hidden_rate": ["near"],
        "local_cloaking": ["near"],
        "row_direct_match_protection": [],
    }


def test_all_groups_that_share_the_lowest_value_are_named():
    X = 100.0 * np.arange(6)[:, None]
    own, groups = np.array([0, 1, 2, 3, 5, 4]), ["a", "a", "b", "b", "c", "c"]
    worst = report(X, X, own_avatar=own, groups=groups, min_group_size=2)["groups"]["worst"]
    assert worst["hidden_rate"] == ["a", "b"]


def test_a_new_metric_of_the_registry_is_reported(monkeypatch):
    class Constant(AvatarMetric):
        def fit(self, X, y=None):
            return self

        def score(self, X, y=None, sample_weight=None):
            return 0.25

    registry = {**_report_content.METRICS, "constant": Constant}
    monkeypatch.setattr(_report_content, "METRICS", registry)
    monkeypatch.setattr(_evidence, "METRICS", registry)
    assert report()["metrics"]["constant"] == {
        "value": 0.25,
        "unit": "",
        "greater_is_better": True,
        **dict.fromkeys(
            ["confidence_interval", "range", "target", "meets_target", "random_pairing"]
        ),
    }
    assert "Constant" in privacy_report(X, Y)
