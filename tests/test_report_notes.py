"""The sentences of a report."""

from __future__ import annotations

import numpy as np

from skprivacy import privacy_report


def notes(X, Y, **settings):
    return " ".join(privacy_report(X, Y, output_dict=True, **settings)["notes"])


GRID = np.arange(24.0)[:, None]


def test_rows_that_could_be_copied_are_counted():
    assert "24 of 24 originals are unique rows; 23 of them occur" in notes(GRID, GRID[::-1] + 1)


def test_a_target_that_cannot_be_missed_is_called_so():
    few = np.repeat([[0.0], [1.0], [2.0]], [1, 11, 12], axis=0)
    assert "would meet its target whatever the avatars are" in notes(few, few)
    assert "whatever the avatars are" not in notes(GRID, GRID)


def test_a_target_that_chance_does_not_reach_is_called_so():
    assert "With 11 avatars not even a random pairing" in notes(GRID[:11], GRID[:11])
    assert "With 1 avatar not even" in notes([[1.0]], [[1.0]])
    assert "not even a random pairing" not in notes(GRID[:12], GRID[:12])


def test_intervals_say_what_they_are():
    said = notes(GRID, GRID, confidence_level=0.999)
    assert "Intervals (99.9 %)" in said
    assert "do not cover another draw of the avatars" in said


def test_weighted_values_say_why_they_have_no_interval():
    said = notes(GRID, GRID, sample_weight=np.ones(24))
    assert "depend on what the weights stand for" in said
    assert "Wilson" not in said


def test_pools_are_explained():
    labels = np.repeat(["a", "b", "c"], [14, 8, 2])
    assert "(other) pools 2 groups" in notes(GRID, GRID, groups=labels)
    assert "(other)" not in notes(GRID, GRID, groups=np.repeat(["a", "b"], 12))


def test_groups_that_cannot_be_shown_are_explained():
    said = notes(GRID, GRID, groups=np.repeat(["canary", "c"], [20, 4]))
    assert "Groups are not shown" in said
    assert "canary" not in said


def test_limits_are_always_named():
    assert "no bound on every attack" in notes([[1.0]], [[1.0]])
