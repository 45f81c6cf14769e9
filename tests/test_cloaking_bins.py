"""The ranges in which counts are shown."""

from __future__ import annotations

import numpy as np
import pytest

from skprivacy.metrics._cloaking_bins import bin_counts, bin_label


def test_every_count_is_in_the_range_that_names_it():
    counts = np.array(
        [0, 0, 1, 4, 5, 9, 10, 19, 20, 49, 50, 99, 100, 199, 200, 499, 500, 999, 1000]
    )
    bins = bin_counts(counts)
    for first, last, n, _ in bins:
        high = np.inf if last is None else last
        assert n == np.sum((counts >= first) & (counts <= high)) == 2 - (first == 1000)
    assert [bin_label(first, last) for first, last, *_ in bins] == [
        *("0", "1-4", "5-9", "10-19", "20-49", "50-99"),
        *("100-199", "200-499", "500-999", "1000+"),
    ]
    assert sum(share for *_, share in bins) == pytest.approx(100)


def test_the_last_range_is_the_last_one_used():
    assert bin_counts(np.array([0, 0, 0, 7])) == [(0, 0, 3, 75.0), (1, 4, 0, 0.0), (5, 9, 1, 25.0)]


def test_empty_ranges_reach_up_to_a_value():
    assert [first for first, *_ in bin_counts(np.array([0]))] == [0]
    assert [first for first, *_ in bin_counts(np.array([0]), up_to=5)] == [0, 1, 5]
    assert [first for first, *_ in bin_counts(np.array([60]), up_to=5)] == [0, 1, 5, 10, 20, 50]


def test_weights_weigh_shares_and_not_numbers():
    bins = bin_counts(np.array([0, 3, 3]), np.array([0.5, 1.0, 0.5]))
    assert bins == [(0, 0, 1, 25.0), (1, 4, 2, 75.0)]
