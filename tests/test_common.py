"""What holds for every metric: one table of metrics, one file of relations.

A new metric is one line in METRICS.
"""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    check_global_output_transform_pandas,
    check_global_set_output_transform_polars,
    check_set_output_transform,
    check_set_output_transform_pandas,
    check_set_output_transform_polars,
    check_transformer_get_feature_names_out,
    check_transformer_get_feature_names_out_pandas,
    parametrize_with_checks,
)

from skprivacy import (
    HiddenRate,
    LocalCloaking,
    RowDirectMatchProtection,
    hidden_rate_score,
    local_cloaking_score,
    row_direct_match_protection_score,
)
from skprivacy.metrics import METRICS as REGISTRY
from skprivacy.metrics._base import AvatarMetric

PAIRING = "Row i of the avatars belongs to original i: "
PAIRED_FAILURES = {
    "check_methods_sample_order_invariance": PAIRING + "another order is another pairing.",
    "check_methods_subset_invariance": PAIRING + "a part of the avatars does not fit the pairing.",
    "check_fit_idempotent": PAIRING + "the check transforms fewer rows than it fits.",
}


class Case(NamedTuple):
    """A metric, its function, its largest score, and scikit-learn's checks that cannot apply."""

    metric: AvatarMetric
    function: Any
    largest: float
    expected_failures: dict[str, str]


METRICS = {
    "HiddenRate": Case(HiddenRate(), hidden_rate_score, 100, PAIRED_FAILURES),
    "LocalCloaking": Case(LocalCloaking(), local_cloaking_score, 44, PAIRED_FAILURES),
    "RowDirectMatchProtection": Case(
        RowDirectMatchProtection(), row_direct_match_protection_score, 100, {}
    ),
}
# Columns are matched by name in any order; the check wants another order to be refused.
NAMES_IN_ANY_ORDER = {"RowDirectMatchProtection"}

# Whole numbers, so that rows repeat and distances tie; fewer than 50, so that random
# avatars are not taken for a wrong pairing.
RNG = np.random.default_rng(0)
X = RNG.integers(-4, 5, size=(45, 2)).astype(float)
AVATARS = X + RNG.integers(-1, 2, size=(45, 2))
ORDER = np.random.default_rng(1).permutation(45)
WEIGHT = np.random.default_rng(2).integers(0, 4, size=45)


@pytest.fixture(params=METRICS)
def case(request):
    return METRICS[request.param]


def fitted(case, originals=X):
    return type(case.metric)().fit(originals)


def test_every_metric_is_in_the_table():
    assert {type(case.metric) for case in METRICS.values()} == set(REGISTRY.values())


# scikit-learn's own checks


# The one check they skip, of array API input, needs SCIPY_ARRAY_API=1 before scipy starts.
@parametrize_with_checks(
    [case.metric for case in METRICS.values()],
    expected_failed_checks=lambda metric: METRICS[type(metric).__name__].expected_failures,
    xfail_strict=True,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


# The checks themselves transform arrays after fitting a frame.
@pytest.mark.filterwarnings("ignore:X (does not have valid|has) feature names")
@pytest.mark.parametrize(
    "check",
    [
        check_global_output_transform_pandas,
        check_global_set_output_transform_polars,
        check_set_output_transform,
        check_set_output_transform_pandas,
        check_set_output_transform_polars,
        check_transformer_get_feature_names_out,
        check_transformer_get_feature_names_out_pandas,
    ],
    ids=lambda check: check.__name__,
)
def test_scikit_learn_output_checks(case, check):
    check(type(case.metric).__name__, case.metric)


@pytest.mark.parametrize("name", sorted(METRICS.keys() - NAMES_IN_ANY_ORDER))
def test_scikit_learn_column_name_check(name):
    check_dataframe_column_names_consistency(name, METRICS[name].metric)


# Scores


def test_function_and_metric_agree(case):
    score = case.function(X, AVATARS)
    assert type(score) is float
    assert fitted(case).score(AVATARS) == score
    assert 0 < score < case.largest


def test_greater_is_better(case):
    assert case.function(X, X) < case.function(X, AVATARS)


def test_independent_avatars_of_all_reach_the_top(case):
    far = np.full_like(X, 2.5)
    assert case.function(X, far) == case.largest


def test_order_of_the_records(case):
    assert case.function(X[ORDER], AVATARS[ORDER]) == case.function(X, AVATARS)


def test_columns_in_another_order(case):
    assert case.function(X[:, ::-1], AVATARS[:, ::-1]) == case.function(X, AVATARS)


def test_units_do_not_matter(case):
    assert case.function(X * 8, AVATARS * 8) == case.function(X, AVATARS)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_jobs_do_not_matter(case, n_jobs):
    with joblib.parallel_config(n_jobs=n_jobs):
        assert case.function(X, AVATARS) == case.function(X, AVATARS)


@pytest.mark.parametrize(
    "spell",
    [
        np.asfortranarray,
        np.ndarray.tolist,
        lambda table: np.repeat(table, 2, axis=0)[::2],
        lambda table: table.astype(np.float32),
        lambda table: table.astype(np.int8),
        lambda table: table.astype(">f8"),
        lambda table: table.astype(object),
        pd.DataFrame,
        lambda table: pd.DataFrame(table).convert_dtypes(),
        lambda table: pd.DataFrame(table, index=ORDER),
        pl.DataFrame,
    ],
    ids=[
        "Fortran",
        "list",
        "strided",
        "float32",
        "int8",
        "big-endian",
        "objects",
        "pandas",
        "nullable",
        "shuffled labels",
        "polars",
    ],
)
def test_spelling_does_not_matter(case, spell):
    assert case.function(spell(X), spell(AVATARS)) == case.function(X, AVATARS)
    np.testing.assert_array_equal(
        fitted(case, spell(X)).transform(spell(AVATARS)), fitted(case).transform(AVATARS)
    )


def test_inputs_are_left_alone(case):
    parts = X.copy(), AVATARS.copy(), WEIGHT.copy()
    for part in parts:
        part.flags.writeable = False
    metric = fitted(case, parts[0])
    metric.score(parts[1], sample_weight=parts[2])
    metric.transform(parts[1])
    for part, before in zip(parts, (X, AVATARS, WEIGHT), strict=True):
        np.testing.assert_array_equal(part, before)


# Weights


def test_equal_weights_change_nothing(case):
    for weight in (1, 0.1, 1 / 3):
        weighted = case.function(X, AVATARS, sample_weight=[weight] * 45)
        assert weighted == pytest.approx(case.function(X, AVATARS), rel=1e-14)


def test_size_of_the_weights_does_not_matter(case):
    scores = {case.function(X, AVATARS, sample_weight=WEIGHT * factor) for factor in (1, 4, 0.5)}
    assert len(scores) == 1
    assert scores != {case.function(X, AVATARS)}


def test_weights_go_with_their_records(case):
    weighted = case.function(X, AVATARS, sample_weight=WEIGHT)
    assert case.function(X[ORDER], AVATARS[ORDER], sample_weight=WEIGHT[ORDER]) == pytest.approx(
        weighted, rel=1e-14
    )


@pytest.mark.parametrize(
    "weight", [[-1] + [1] * 44, [0] * 45, [np.nan] * 45, [np.inf] + [1] * 44, [1] * 44, "text"]
)
def test_faulty_weights(case, weight):
    with pytest.raises((TypeError, ValueError), match="sample_weight"):
        case.function(X, AVATARS, sample_weight=weight)


# transform


def test_transform_gives_one_value_for_each_avatar(case):
    values = fitted(case).transform(AVATARS)
    assert values.shape == (45, 1)
    assert values.dtype == np.float64
    assert 0 <= values.min() < values.max() <= case.largest


def test_transform_follows_its_avatars(case):
    moved = fitted(case, X[ORDER]).transform(AVATARS[ORDER])
    np.testing.assert_array_equal(moved, fitted(case).transform(AVATARS)[ORDER])


def test_transform_agrees_with_the_score(case):
    fewest = fitted(case).transform(X).mean()
    assert fewest < fitted(case).transform(AVATARS).mean()


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_output_keeps_the_labels_of_the_avatars(case, container):
    originals, avatars = (
        pd.DataFrame(part, columns=["a", "b"], index=ORDER) for part in (X, AVATARS)
    )
    metric = fitted(case, originals).set_output(transform=container)
    values = metric.transform(avatars)
    name = type(case.metric).__name__.lower() + "0"
    assert list(values.columns) == list(metric.get_feature_names_out()) == [name]
    np.testing.assert_array_equal(values.to_numpy(), fitted(case).transform(AVATARS))
    if container == "pandas":
        assert list(values.index) == list(ORDER)


# Personal data and bad input


def test_nothing_shows_the_originals(case):
    metric = fitted(case, X + 731.8529)
    shown = repr(metric) + metric._repr_html_() + str(metric.get_params())
    shown += repr({name: value for name, value in vars(metric).items() if name[0] != "_"})
    for cell in np.unique(X + 731.8529):
        assert f"{cell:.3f}" not in shown


def test_a_pickled_metric_scores_the_same(case):
    copy = pickle.loads(pickle.dumps(fitted(case)))
    assert copy.score(AVATARS) == fitted(case).score(AVATARS)


@pytest.mark.parametrize(
    "avatars",
    [
        np.empty((0, 2)),
        AVATARS[:, :1],
        np.hstack([AVATARS, AVATARS]),
        AVATARS[:, 0],
        AVATARS[..., None],
        731.8529,
        None,
        "731.8529",
        [["731.8529", "b"]] * 45,
        np.full(45, 731.8529),
        AVATARS + 731.8529j,
        {"a": 731.8529},
        object(),
    ],
    ids=[
        "no rows",
        "a column missing",
        "columns added",
        "1-D",
        "3-D",
        "number",
        "None",
        "text",
        "cells of text",
        "1-D array",
        "complex",
        "dict",
        "object",
    ],
)
def test_what_is_no_table_of_avatars(case, avatars):
    metric = fitted(case)
    for method in (metric.score, metric.transform):
        with pytest.raises((TypeError, ValueError)) as raised:
            method(avatars)
        assert "731" not in str(raised.value)
        assert len(str(raised.value)) > 20
    with pytest.raises((TypeError, ValueError)) as raised:
        case.function(X, avatars)
    assert "731" not in str(raised.value)
