"""The report as a user gets it."""

from __future__ import annotations

import copy
import inspect
import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skprivacy import FAMD, KNeighborsAnonymizer, privacy_report

CANARY = "zqcanary"


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "weight": 70.31337 + rng.normal(size=90),
            "town": rng.choice([f"{CANARY}{i}" for i in range(4)], size=90),
            "ward": rng.integers(0, 5, size=90),
        }
    )
    avatars = KNeighborsAnonymizer(10, projection=FAMD(3), random_state=0).fit_transform(frame)
    return frame, avatars


def through_pickle(report):
    return pickle.loads(pickle.dumps(report))


def plain(value):
    """Tell whether a value and all it holds are plain Python."""
    if type(value) is dict:
        return all(type(key) is str and plain(part) for key, part in value.items())
    if type(value) is list:
        return all(map(plain, value))
    return value is None or type(value) in (bool, int, float, str)


def test_it_is_text(mixed):
    report = privacy_report(*mixed, projection=FAMD(3))
    assert isinstance(report, str)
    assert str(report).startswith("Privacy of 90 originals and 90 avatars, distances in 3 coord")
    assert report.endswith("\n")
    assert report._repr_html_().startswith('<div class="skprivacy-report">')


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, through_pickle])
def test_copies_keep_both_forms(mixed, duplicate):
    report = privacy_report(*mixed, projection=FAMD(3))
    assert duplicate(report) == report
    assert duplicate(report)._repr_html_() == report._repr_html_()


def test_the_dict_is_plain_and_survives_json(mixed):
    groups = np.repeat(["a", "b", "c"], [40, 45, 5])
    report = privacy_report(*mixed, projection=FAMD(3), groups=groups, output_dict=True)
    assert plain(report)
    text = json.dumps(report, allow_nan=False)
    assert json.loads(text) == report
    again = privacy_report(*mixed, projection=FAMD(3), groups=groups, output_dict=True)
    assert json.dumps(again) == text


def test_containers_give_the_same_report(mixed):
    X, avatars = mixed
    report = privacy_report(X, avatars, projection=FAMD(3))
    assert privacy_report(pl.from_pandas(X), pl.from_pandas(avatars), projection=FAMD(3)) == report
    shuffled = np.random.default_rng(0).permutation(90)
    assert (
        privacy_report(
            X, avatars.iloc[shuffled], own_avatar=np.argsort(shuffled), projection=FAMD(3)
        )
        == report
    )


def test_no_cell_and_no_pairing_is_shown(mixed):
    X, avatars = mixed
    own = np.arange(90)
    groups = np.where(X["ward"] < 3, "low", "high")
    report = privacy_report(X, avatars, own_avatar=own, projection=FAMD(3), groups=groups)
    as_dict = privacy_report(
        X, avatars, own_avatar=own, projection=FAMD(3), groups=groups, output_dict=True
    )
    for shown in (report, report._repr_html_(), json.dumps(as_dict), repr(report)):
        assert CANARY not in shown
        assert not any(f"{cell:.6g}" in shown for cell in X["weight"])
        assert "low" in shown

    def longest_list(value):
        parts = value.values() if isinstance(value, dict) else value
        lengths = [longest_list(part) for part in parts if isinstance(part, (dict, list))]
        return max([len(value), *lengths])

    # Nothing in it has an entry for each record.
    assert longest_list(as_dict) < 20


def test_labels_of_small_groups_are_not_shown(mixed):
    groups = np.repeat(["large", "small"], [80, 10])
    groups[0] = CANARY
    report = privacy_report(*mixed, projection=FAMD(3), groups=groups)
    assert CANARY not in report
    assert CANARY not in report._repr_html_()


def test_one_record():
    # One original spans no range: an avatar beside it is no sign of another space.
    report = privacy_report([[1.0]], [[2.0]], output_dict=True)
    values = {name: metric["value"] for name, metric in report["metrics"].items()}
    assert values == {"hidden_rate": 0, "local_cloaking": 0, "row_direct_match_protection": 100}
    assert report["metrics"]["local_cloaking"]["confidence_interval"] == [0, 0]


def test_other_numbers_of_avatars():
    report = privacy_report(
        [[0.0], [9.0]], [[9.0], [1.0], [5.0]], own_avatar=[1, 0], output_dict=True
    )
    assert (report["n_originals"], report["n_avatars"]) == (2, 3)
    with pytest.raises(ValueError, match="Got 3 avatars for 2 originals"):
        privacy_report([[0.0], [9.0]], [[9.0], [1.0], [5.0]])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"confidence_level": 95}, "confidence_level"),
        ({"min_group_size": 1}, "min_group_size"),
        ({"groups": ["a"]}, "inconsistent numbers of samples"),
        ({"sample_weight": [1, -1]}, "sample_weight is negative at position 1"),
        ({"n_components": 2}, "n_components"),
        ({"tie_tol": 1}, "tie_tol"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        privacy_report([[0.0], [9.0]], [[9.0], [1.0]], **settings)


def test_keywords_and_defaults():
    parameters = inspect.signature(privacy_report).parameters
    assert parameters["min_group_size"].default == 10
    assert parameters["confidence_level"].default == 0.95
    assert all(
        parameter.kind is inspect.Parameter.KEYWORD_ONLY
        for name, parameter in parameters.items()
        if not name.startswith("X")
    )
