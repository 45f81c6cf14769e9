"""Row Direct Match Protection: unique originals that no avatar reproduces."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from skprivacy import RowDirectMatchProtection, row_direct_match_protection_score

# Unique: (1, a), (3, c), (4, d). Reproduced: (1, a) and, though it is not unique, (2, b).
ORIGINALS = pd.DataFrame({"number": [1, 2, 2, 3, 4], "text": ["a", "b", "b", "c", "d"]})
AVATARS = pd.DataFrame({"number": [1, 1, 2, 5], "text": ["a", "a", "b", "c"]})


def test_by_hand():
    assert row_direct_match_protection_score(ORIGINALS, AVATARS) == 80
    metric = RowDirectMatchProtection().fit(ORIGINALS)
    assert metric.score(AVATARS) == 80
    assert (metric.n_unique_, metric.count_hits(AVATARS)) == (3, 1)
    np.testing.assert_array_equal(metric.transform(AVATARS), [[0.0], [0.0], [1.0], [1.0]])


def test_copies_score_the_share_of_repeated_rows():
    metric = RowDirectMatchProtection().fit(ORIGINALS)
    assert metric.score(ORIGINALS) == 40
    assert metric.count_hits(ORIGINALS) == metric.n_unique_ == 3


def test_range():
    rng = np.random.default_rng(0)
    for _ in range(30):
        X, Y = rng.integers(4, size=(int(rng.integers(1, 30)), 3)), rng.integers(4, size=(25, 3))
        metric = RowDirectMatchProtection().fit(X)
        score, hits = metric.score(Y), metric.count_hits(Y)
        assert 100 * (len(X) - metric.n_unique_) <= score * len(X) <= 100 * len(X)
        assert score == pytest.approx(100 * (1 - hits / len(X)))
        assert metric.n_unique_ == list(Counter(map(tuple, X.tolist())).values()).count(1)


def test_share_is_the_float_nearest_to_it():
    X = np.arange(100)[:, None]
    # 55 of 100 are 55 %, not 55.00000000000001 %, which would beat a limit of 55.
    shares = [row_direct_match_protection_score(X, X[:hits]) for hits in range(1, 101)]
    assert shares == list(range(99, -1, -1))


def test_any_number_of_avatars():
    assert row_direct_match_protection_score([[1], [2]], [[2]] * 7) == 50
    assert row_direct_match_protection_score([[1], [2]], [[3]]) == 100


def test_columns_are_matched_by_name():
    metric = RowDirectMatchProtection().fit(ORIGINALS)
    swapped = AVATARS[["text", "number"]]
    assert metric.score(swapped) == 80
    np.testing.assert_array_equal(metric.transform(swapped), metric.transform(AVATARS))


def test_pandas_polars_and_arrays_agree():
    X, Y = ORIGINALS.to_numpy(), AVATARS.to_numpy()
    for x in (X, X.tolist(), ORIGINALS, pl.from_pandas(ORIGINALS)):
        for y in (Y, Y.tolist(), AVATARS, pl.from_pandas(AVATARS)):
            assert row_direct_match_protection_score(x, y) == 80


def test_a_table_changed_after_fit_changes_nothing():
    for X in (ORIGINALS.copy(), ORIGINALS.to_numpy().copy()):
        metric = RowDirectMatchProtection().fit(X)
        if isinstance(X, pd.DataFrame):
            X.loc[:, "number"] = 9
        else:
            X[:, 0] = 9
        assert metric.score(AVATARS) == 80


# Weights


def test_weights_weigh_original_records():
    for weight, expected in [([1, 0, 0, 0, 3], 75), ([1, 0, 0, 0, 0], 0), ([0, 1, 1, 1, 1], 100)]:
        metric = RowDirectMatchProtection().fit(ORIGINALS)
        assert metric.score(AVATARS, sample_weight=weight) == expected
        assert (
            row_direct_match_protection_score(ORIGINALS, AVATARS, sample_weight=weight) == expected
        )


@pytest.mark.parametrize("weight", [1, 0.1, 1 / 3, 1e300])
def test_equal_weights_change_nothing(weight):
    score = row_direct_match_protection_score(ORIGINALS, AVATARS, sample_weight=[weight] * 5)
    assert score == pytest.approx(80, rel=1e-15)


# Bad input


def test_own_avatar_makes_no_sense():
    with pytest.raises(TypeError, match="own_avatar"):
        RowDirectMatchProtection().fit(ORIGINALS, own_avatar=[0, 1, 2, 3, 4])
    with pytest.raises(TypeError, match="own_avatar"):
        row_direct_match_protection_score(ORIGINALS, AVATARS, own_avatar=[0, 1, 2, 3, 4])


@pytest.mark.parametrize(
    "empty", [AVATARS[:0], AVATARS.to_numpy()[:0], pl.from_pandas(AVATARS)[:0], np.empty((0, 2))]
)
def test_no_avatars_never_score_100(empty):
    metric = RowDirectMatchProtection().fit(ORIGINALS)
    for method in (metric.score, metric.transform, metric.count_hits):
        with pytest.raises(ValueError, match=r"0 (sample|row|avatar)"):
            method(empty)
    with pytest.raises(ValueError, match=r"0 (sample|row|avatar)"):
        RowDirectMatchProtection().fit(empty)


def test_a_missing_column_is_named():
    for avatars in (AVATARS[["number"]], AVATARS.rename(columns={"text": "texte"})):
        with pytest.raises(ValueError, match="text"):
            RowDirectMatchProtection().fit(ORIGINALS).score(avatars)


def test_no_kind_in_common_is_never_a_silent_100():
    for cells in (["1", "2"], [True, False], pd.to_datetime(["2020-01-01", "2020-01-02"])):
        with pytest.raises((TypeError, ValueError), match="number"):
            row_direct_match_protection_score(
                pd.DataFrame({"number": [1, 2]}), pd.DataFrame({"number": cells})
            )


@pytest.mark.parametrize("fitted_before", [False, True])
def test_a_failed_fit_is_not_fitted(fitted_before):
    metric = RowDirectMatchProtection()
    if fitted_before:
        metric.fit(ORIGINALS)
    with pytest.raises(ValueError, match="0"):
        metric.fit(ORIGINALS[:0])
    with pytest.raises(NotFittedError):
        metric.score(AVATARS)
    with pytest.raises(NotFittedError):
        _ = metric.n_unique_


def test_fit_learns_the_columns_and_refuses_what_cannot_be_compared():
    metric = RowDirectMatchProtection().fit(ORIGINALS)
    assert metric.n_features_in_ == 2
    assert metric.feature_names_in_.tolist() == ["number", "text"]
    with pytest.raises(TypeError, match=r"of X holds cells of type builtins\.object"):
        metric.fit([[1, object()]])


@pytest.mark.parametrize(
    ("originals", "avatars"),
    [
        (ORIGINALS.to_numpy(), AVATARS.to_numpy()[:, [0, 1, 1]]),
        (ORIGINALS.to_numpy(), AVATARS[["number"]]),
        (ORIGINALS, AVATARS.to_numpy()[:, [0, 1, 1]]),
    ],
    ids=["arrays", "avatars with names", "originals with names"],
)
def test_another_number_of_columns_is_worded_as_scikit_learn_does(originals, avatars):
    metric = RowDirectMatchProtection().fit(originals)
    message = f"X has {avatars.shape[1]} features, but RowDirectMatchProtection is expecting 2"
    for _ in range(2):
        with pytest.raises(ValueError, match=message):
            metric.score(avatars)


def test_avatars_in_one_dimension_are_no_table():
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array"):
        RowDirectMatchProtection().fit([[1], [2]]).score(np.arange(3))


def test_tags_tell_that_any_cell_is_welcome():
    tags = get_tags(RowDirectMatchProtection()).input_tags
    assert tags.allow_nan
    assert tags.string
    assert tags.categorical


# Wrong ways of matching rows, each of which the case it is paired with must catch


def tuples(X):
    return [tuple(row) for row in X.itertuples(index=False)]


def protection(X, Y, *, keep=False, key=tuples):
    """Return what a row key gives; keep as in pandas' duplicated."""
    first, counts, avatars = set(), Counter(key(X)), set(key(Y))
    hits = 0
    for row in key(X):
        unique = counts[row] == 1 or (keep == "first" and row not in first)
        first.add(row)
        hits += unique and row in avatars
    return 100 * (1 - hits / len(X))


def keep_first(X, Y):
    return protection(X, Y, keep="first")


def all_matches(X, Y):
    return 100 * (1 - sum(row in set(tuples(Y)) for row in tuples(X)) / len(X))


def of_the_unique_rows(X, Y):
    unique = sum(count == 1 for count in Counter(tuples(X)).values())
    return 100 - (100 - protection(X, Y)) * len(X) / unique


def of_the_avatars(X, Y):
    return 100 - (100 - protection(X, Y)) * len(X) / len(Y)


def row_tuples(X, Y):
    return protection(X, Y)


def text_join(X, Y):
    return protection(X, Y, key=lambda T: ["|".join(map(str, row)) for row in tuples(T)])


def by_position(X, Y):
    return protection(X, Y.set_axis(X.columns, axis=1))


def merge_of_pandas(X, Y):
    unique = X[~X.duplicated(keep=False)]
    return 100 * (1 - len(unique.merge(Y.drop_duplicates())) / len(X))


TABLES = {
    "a repeated row": (ORIGINALS, AVATARS, 80),
    "missing cells": (
        pd.DataFrame({"a": [1.0, np.nan, 3.0], "b": ["x", None, "y"]}),
        pd.DataFrame({"a": [np.nan, 8.0], "b": [np.nan, "x"]}, dtype=object),
        pytest.approx(200 / 3),
    ),
    "true beside one": (
        pd.DataFrame({"a": [1, "u", 2]}, dtype=object),
        pd.DataFrame({"a": [True, "v", 5]}, dtype=object),
        100,
    ),
    "whole numbers as floats": (
        pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}),
        pd.DataFrame({"a": [1.0, 2.5], "b": ["x", "y"]}),
        50,
    ),
    "the separator in a cell": (
        pd.DataFrame({"a": ["x|y", "u"], "b": ["z", "v"]}),
        pd.DataFrame({"a": ["x"], "b": ["y|z"]}),
        100,
    ),
    "other column order": (
        pd.DataFrame({"a": [1, 2], "b": [3, 4]}),
        pd.DataFrame({"b": [1, 4], "a": [9, 2]}),
        50,
    ),
    "integers beyond 2**53": (
        pd.DataFrame({"a": [2**53 + 1, 3], "b": [1, 2]}),
        pd.DataFrame({"a": [float(2**53), 7.0], "b": [1, 2]}),
        100,
    ),
}

KILLED_BY = {
    keep_first: "a repeated row",
    all_matches: "a repeated row",
    of_the_unique_rows: "a repeated row",
    of_the_avatars: "a repeated row",
    row_tuples: "true beside one",
    text_join: "the separator in a cell",
    by_position: "other column order",
    merge_of_pandas: "integers beyond 2**53",
}


@pytest.mark.parametrize("case", TABLES)
def test_the_cases_are_scored_right(case):
    X, Y, expected = TABLES[case]
    assert row_direct_match_protection_score(X, Y) == expected


@pytest.mark.parametrize(
    ("mutant", "case"),
    [*KILLED_BY.items(), (row_tuples, "missing cells"), (text_join, "whole numbers as floats")],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_wrong_way_of_matching_is_caught(mutant, case):
    X, Y, expected = TABLES[case]
    assert mutant(X, Y) != expected
