"""The choice of the smallest parameter that protects enough."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest
from palmerpenguins import load_penguins
from sklearn.datasets import load_wine

from skprivacy import (
    smallest_param_meeting,
)

NAMES = ["hidden_rate", "local_cloaking", "row_direct_match_protection"]


@pytest.fixture(scope="module")
def penguins():
    """Return a mixed table, its missing cells imputed."""
    table = load_penguins()
    numbers = table.select_dtypes("number").columns
    table[numbers] = table[numbers].fillna(table[numbers].median())
    return table.fillna({"sex": "unknown"})


@pytest.fixture(scope="module")
def wine():
    return load_wine().data


def results(k, **scores):
    """Return the part of cv_results_ that the choice reads."""
    columns = {f"mean_test_{name}": np.asarray(values) for name, values in scores.items()}
    return {"param_k": np.ma.asarray(k), "params": [{"k": value} for value in k], **columns}


@pytest.mark.parametrize(
    ("k", "hidden_rate", "floor", "chosen"),
    [
        ([2, 5, 10], [80.0, 91.0, 95.0], 90, 1),
        ([10, 5, 2], [95.0, 91.0, 80.0], 90, 1),
        ([10, 2, 5], [95.0, 90.0, 91.0], 90, 1),
        ([2, 5, 10], [91.0, 80.0, 95.0], 90, 0),
        ([0.5, 0.25], [91.0, 91.0], 90, 1),
        ([Fraction(1, 2), Fraction(1, 3)], [91.0, 91.0], Fraction(90), 1),
        ([2, 5, 10], [np.nan, 91.0, 95.0], 90, 1),
        ([2, 5, 10], [np.inf, 91.0, 95.0], 90, 1),
        ([-1, 5], [-3.0, -2.0], -2.5, 1),
        ([2, 5, 10], [89.999999999, 90, 95], 90, 1),
    ],
)
def test_smallest_value_that_reaches_the_floor(k, hidden_rate, floor, chosen):
    refit = smallest_param_meeting("k", {"hidden_rate": floor})
    index = refit(results(k, hidden_rate=hidden_rate))
    assert index == chosen
    assert type(index) is int


def test_all_floors_are_reached_by_the_same_candidate():
    scores = results([2, 5, 10], hidden_rate=[95, 80, 91], local_cloaking=[1, 9, 5])
    floors = {"hidden_rate": 90, "local_cloaking": 5}
    assert smallest_param_meeting("k", floors)(scores) == 2


@pytest.mark.parametrize(
    ("hidden_rate", "chosen"),
    [
        ([99.0, 91.0, 93.0, 93.0], 2),
        ([99.0, np.nan, 93.0, 91.0], 2),
        ([99.0, 89.0, 89.0, 89.0], 1),
        ([99.0, np.nan, np.nan, np.nan], 1),
        ([99.0, np.nan, 0.0, 0.0], 2),
    ],
)
def test_best_hidden_rate_then_the_first_decide_between_equal_values(hidden_rate, chosen):
    scores = results([5, 2, 2, 2], hidden_rate=hidden_rate, local_cloaking=[9, 9, 9, 9])
    assert smallest_param_meeting("k", {"local_cloaking": 5})(scores) == chosen


def test_scores_may_be_held_as_objects():
    scores = results([5, 2, 2], hidden_rate=[99.0, np.nan, 93.0], local_cloaking=[9, 9, 9])
    objects = {name: np.array(list(values), dtype=object) for name, values in scores.items()}
    assert smallest_param_meeting("k", {"local_cloaking": 5})(objects) == 2


def test_equal_values_without_a_hidden_rate():
    scores = results([5, 2, 2], local_cloaking=[9, 6, 8])
    assert smallest_param_meeting("k", {"local_cloaking": 5})(scores) == 1


def test_candidates_without_the_parameter_are_not_chosen():
    scores = results([5, 2, 1], hidden_rate=[91, 91, 91])
    scores["param_k"] = np.ma.array([5, 2, 1], mask=[False, False, True])
    assert smallest_param_meeting("k", {"hidden_rate": 90})(scores) == 1


def test_choice_has_a_representation_equality_and_pickles():
    refit = smallest_param_meeting("k", {"hidden_rate": 90})
    assert repr(refit) == "smallest_param_meeting('k', {'hidden_rate': 90})"
    assert pickle.loads(pickle.dumps(refit)) == refit != smallest_param_meeting("k", {"other": 90})


def test_floors_are_those_of_the_call():
    floors = {"hidden_rate": 90}
    refit = smallest_param_meeting("k", floors)
    floors["hidden_rate"] = 0
    assert refit(results([2, 5], hidden_rate=[80, 91])) == 1


def test_no_candidate_reaches_the_floors():
    floors = {"hidden_rate": 90, "local_cloaking": 5}
    scores = results([2, 5, 10], hidden_rate=[95.5, 80, np.nan], local_cloaking=[1, 4.5, np.nan])
    with pytest.raises(ValueError, match="No candidate reaches all floors at once") as caught:
        smallest_param_meeting("k", floors)(scores)
    assert "hidden_rate at most 95.5 (at k=2; floor 90)" in str(caught.value)
    assert "local_cloaking at most 4.5 (at k=5; floor 5)" in str(caught.value)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (results([2], local_cloaking=[1]), r"no metric 'hidden_rate'; .* \['local_cloaking'\]"),
        (results([2], score=[99]), r"no metric 'hidden_rate'; .* \['score'\]"),
        (results([2, 5], hidden_rate=[np.nan, np.nan]), "Every score of 'hidden_rate' is NaN"),
        (results(["a", "b"], hidden_rate=[95, 95]), "'k' must be numbers.*type str"),
        (results([True, False], hidden_rate=[95, 95]), "'k' must be numbers.*type bool"),
        (results([2.0, np.nan], hidden_rate=[95, 95]), "'k' must be numbers"),
        ({"param_other": [1], "mean_test_hidden_rate": [95]}, r"no parameter 'k'; .*\['other'\]"),
    ],
)
def test_results_that_cannot_be_chosen_from(scores, message):
    with pytest.raises(ValueError, match=message):
        smallest_param_meeting("k", {"hidden_rate": 90})(scores)


@pytest.mark.parametrize(
    ("param", "floors", "error", "message"),
    [
        (3, {"hidden_rate": 90}, TypeError, "param must be the name of a parameter, got int"),
        ("k", 90, TypeError, "floors must be a dict of names to numbers, got int"),
        ("k", {}, ValueError, "floors is empty"),
        ("k", {3: 90}, TypeError, "keys of floors must be strings, got int"),
        ("k", {"hidden_rate": "90"}, TypeError, "floor of 'hidden_rate' must be a number, got str"),
        ("k", {"hidden_rate": True}, TypeError, "must be a number, got bool"),
        ("k", {"hidden_rate": None}, TypeError, "must be a number, got NoneType"),
        ("k", {"hidden_rate": float("nan")}, ValueError, "must be finite, got nan"),
        ("k", {"hidden_rate": float("inf")}, ValueError, "must be finite, got inf"),
    ],
)
def test_floors_that_make_no_sense(param, floors, error, message):
    with pytest.raises(error, match=message):
        smallest_param_meeting(param, floors)


def test_the_choice_stays_as_it_was_made():
    refit = smallest_param_meeting("k", {"hidden_rate": 90})
    with pytest.raises(FrozenInstanceError):
        refit.param = "other"
