"""Groups: labels, missing labels, and the pool that keeps small ones together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skprivacy.metrics._report_groups import check_groups, check_min_group_size, pool_groups


def labels_of(**sizes):
    return np.repeat(list(sizes), list(sizes.values()))


def pooled(labels, size=10, weight=None):
    """Return label -> (number of originals, number of groups pooled)."""
    groups = pool_groups(labels, weight, size)
    return {group.label: (int(group.rows.sum()), group.n_pooled) for group in groups}


def test_large_groups_are_shown_in_the_order_of_their_labels():
    assert pooled(labels_of(b=10, a=12)) == {"a": (12, 0), "b": (10, 0)}


def test_small_groups_are_pooled():
    labels = labels_of(a=20, b=9, c=4)
    assert pooled(labels) == {"a": (20, 0), "(other)": (13, 2)}
    assert pool_groups(labels, None, 10)[1].rows.tolist() == [False] * 20 + [True] * 13


def test_a_pool_too_small_takes_the_next_smallest_group():
    # Were the group of 3 left out, total minus "a" minus "b" would tell its values.
    assert pooled(labels_of(a=30, b=12, c=3)) == {"a": (30, 0), "(other)": (15, 2)}


def test_nothing_is_shown_when_all_are_pooled():
    assert pooled(labels_of(a=30, c=3)) == {}
    assert pooled(labels_of(a=4, b=5)) == {}
    assert pooled(labels_of(a=1)) == {}


def test_one_group_of_everybody_is_shown():
    assert pooled(labels_of(a=10)) == {"a": (10, 0)}


def test_a_group_that_is_called_as_the_pool_joins_it():
    assert pooled(np.repeat(["(other)", "a", "b"], [25, 11, 2])) == {
        "a": (11, 0),
        "(other)": (27, 2),
    }


def test_records_without_weight_hide_nobody():
    weight = np.ones(32)
    weight[:19] = 0
    # One of the 20 records of "a" has a weight: its value would be that person's.
    assert pooled(labels_of(a=20, b=12), weight=weight) == {}
    weight[:19] = 0.5
    assert pooled(labels_of(a=20, b=12), weight=weight) == {"a": (20, 0), "b": (12, 0)}


@pytest.mark.parametrize(
    "groups",
    [
        ["x", None, "y"],
        np.array(["x", np.nan, "y"], dtype=object),
        pd.Series(["x", None, "y"]),
        pd.Series(["x", pd.NA, "y"], dtype="string", index=[7, 7, 3]),
        pd.Categorical(["x", None, "y"]),
        pl.Series(["x", None, "y"]),
    ],
    ids=["list", "ndarray", "pandas", "nullable", "categorical", "polars"],
)
def test_missing_labels_are_a_group_in_every_container(groups):
    assert check_groups(groups, [[0]] * 3).tolist() == ["x", "(missing)", "y"]


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        (np.array([1.0, np.nan]), ["1.0", "(missing)"]),
        (np.array([2, 1]), ["2", "1"]),
        ([True, None], ["True", "(missing)"]),
        (["a", 1], ["a", "1"]),
        (np.array(["NaT", "2020-01-02"], dtype="M8[D]"), ["(missing)", "2020-01-02"]),
        (["nan", "None"], ["nan", "None"]),
    ],
)
def test_labels_read_as_they_are_shown(groups, expected):
    assert check_groups(groups, [[0]] * 2).tolist() == expected


def test_wrong_shapes_are_refused():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        check_groups(["a"], [[0], [1]])
    with pytest.raises(ValueError, match=r"groups has shape \(2, 1\), expected one dimension"):
        check_groups([["a"], ["b"]], [[0], [1]])


def test_labels_of_no_known_kind_are_refused_without_showing_them():
    groups = np.empty(2, dtype=object)
    groups[:] = [{"canary": 1}, {"canary": 2}]
    with pytest.raises(TypeError, match="groups must hold text, numbers or dates") as caught:
        check_groups(groups, [[0], [1]])
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize("size", [1, 0, -3])
def test_groups_of_one_cannot_be_asked_for(size):
    with pytest.raises(ValueError, match="points at a person"):
        check_min_group_size(size)


@pytest.mark.parametrize("size", [10.0, "10", True, None])
def test_a_size_is_an_integer(size):
    with pytest.raises(TypeError, match="must be an integer"):
        check_min_group_size(size)
