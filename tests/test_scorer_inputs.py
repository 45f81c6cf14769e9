"""What a scorer is given and cannot use, and where avatars come from."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin

from skprivacy import FAMD, HiddenRate, PrivacyScorer, hidden_rate_score
from skprivacy.model_selection._scorer_inputs import (
    accepts_sample_weight,
    ask_for_avatars,
    is_estimator,
    resolve_metrics,
)

CANARY = "Ottilie-Canary"
X = np.arange(24.0).reshape(12, 2) % 7
AVATARS = X[::-1] + 0.25
EXPECTED = hidden_rate_score(X, AVATARS)


class Anonymizer(TransformerMixin, BaseEstimator):
    """An anonymiser whose avatars are at hand in several ways."""

    def __init__(self, avatars=None):
        self.avatars = avatars

    def fit(self, X, y=None):
        self.avatars_ = self.avatars
        return self

    def transform(self, X):
        return self.avatars

    def sample(self, X):
        return self.avatars


def score(avatars=AVATARS, metrics="hidden_rate", originals=X, **settings):
    return PrivacyScorer(metrics, **settings)(Anonymizer(avatars).fit(originals), originals)


# Metrics


@pytest.mark.parametrize(
    ("metrics", "error", "message"),
    [
        (
            "hiden_rate",
            ValueError,
            "Unknown metric 'hiden_rate'; the valid names are 'hidden_rate'",
        ),
        (["hidden_rate", "rdmp"], ValueError, "Unknown metric 'rdmp'; .*'local_cloaking'"),
        ({"mine": "rdmp"}, ValueError, "Unknown metric 'rdmp'"),
        ([], ValueError, "metrics is empty: name at least one of 'hidden_rate'"),
        ({}, ValueError, "metrics is empty"),
        (["hidden_rate", "hidden_rate"], ValueError, "names a metric twice"),
        (["hidden_rate", HiddenRate()], TypeError, "list of metrics holds names only"),
        (3, TypeError, "metrics must be a name, an estimator.*got int"),
        (len, TypeError, "got builtin_function_or_method"),
        (HiddenRate, TypeError, "metrics must be a name, an estimator"),
        ({3: "hidden_rate"}, TypeError, "keys of metrics must be strings, got int"),
        ({"hr": HiddenRate}, TypeError, "Metric 'hr' is the class HiddenRate; pass an instance"),
        ({"hr": None}, TypeError, "Metric 'hr' must be a name.*got NoneType"),
        ({"hr": 90}, TypeError, "Metric 'hr' must be a name.*got int"),
    ],
)
@pytest.mark.parametrize("raise_exc", [True, False])
def test_metrics_that_are_none(metrics, error, message, raise_exc):
    with pytest.raises(error, match=message):
        score(metrics=metrics, raise_exc=raise_exc)


@pytest.mark.parametrize(
    ("metrics", "names"),
    [
        ("local_cloaking", ["local_cloaking"]),
        (HiddenRate(), ["HiddenRate"]),
        (("hidden_rate", "local_cloaking"), ["hidden_rate", "local_cloaking"]),
        ({"mine": HiddenRate()}, ["mine"]),
    ],
)
def test_metrics_go_by_their_names(metrics, names):
    resolved = resolve_metrics(metrics)
    assert list(resolved) == names
    assert all(is_estimator(metric) for metric in resolved.values())


class OnlyFits:
    def fit(self, X):
        return self


class OnlyScores:
    def score(self, X):
        return 1.0


@pytest.mark.parametrize("metric", [OnlyFits(), OnlyScores(), HiddenRate, len])
def test_an_estimator_fits_and_scores(metric):
    assert is_estimator(metric) is False


def test_weights_are_accepted_by_their_name():
    assert accepts_sample_weight(lambda X, sample_weight=None: 1.0) is True
    assert accepts_sample_weight(lambda X, weight=None: 1.0) is False


@pytest.mark.parametrize(
    "table", [sparse.eye(3, 2), [[1, 2], [3, 4], [5, 6]], pd.DataFrame({"a": [1, 2, 3], "b": 4})]
)
def test_a_table_of_any_container_has_a_shape(table):
    assert ask_for_avatars(None, np.ones((3, 2)), lambda _, X: table) is table
    with pytest.raises(ValueError, match=r"of shape \(3, 2\), expected \(2, 2\)"):
        ask_for_avatars(None, np.ones((2, 2)), lambda _, X: table)


@pytest.mark.parametrize(
    "returned", [None, "0.5", CANARY, [0.5], np.zeros(1), np.zeros(3), True, np.True_, 1j, {"a": 1}]
)
def test_callable_that_returns_no_number(returned):
    kind = type(returned).__name__
    with pytest.raises(TypeError, match="Metric 'mine' must return one real number") as caught:
        score(metrics={"mine": lambda X, X_avatars: returned})
    assert str(caught.value).endswith(f"got {kind}.")
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize(
    "returned", [2, 2.0, np.float32(2), np.int64(2), np.array(2), np.array(2.0)]
)
def test_callable_that_returns_a_number(returned):
    scores = score(metrics={"mine": lambda X, X_avatars: returned})
    assert scores == {"mine": 2.0}
    assert type(scores["mine"]) is float


def test_score_that_is_nan_stays_nan():
    assert np.isnan(score(metrics={"mine": lambda X, X_avatars: float("nan")})["mine"])


# Where avatars come from


@pytest.mark.parametrize(
    "response_method",
    ["transform", "sample", "avatars_", lambda estimator, X: estimator.avatars],
)
def test_ways_to_get_avatars(response_method):
    assert score(response_method=response_method) == EXPECTED


def test_avatars_from_a_file(tmp_path):
    path = tmp_path / "avatars.csv"
    pd.DataFrame(AVATARS).to_csv(path, index=False)

    def read(estimator, X):
        return pd.read_csv(path).to_numpy()

    assert PrivacyScorer("hidden_rate", response_method=read)(None, X) == EXPECTED


def test_avatars_as_lists():
    assert score(AVATARS.tolist(), originals=X.tolist()) == EXPECTED


def test_method_that_is_not_there():
    with pytest.raises(AttributeError, match="Anonymizer has no 'generate' once fitted") as caught:
        score(response_method="generate")
    assert "response_method" in str(caught.value)


@pytest.mark.parametrize("response_method", [None, 3, ["transform"]])
def test_response_method_of_another_kind(response_method):
    with pytest.raises(TypeError, match="response_method must be the name of a method"):
        score(response_method=response_method)


@pytest.mark.parametrize(
    "avatars",
    [AVATARS[:-1], np.vstack([AVATARS, AVATARS]), AVATARS[:0], AVATARS[:, :1], AVATARS.ravel()],
)
@pytest.mark.parametrize("metrics", ["hidden_rate", "row_direct_match_protection", None])
def test_avatars_of_another_shape(avatars, metrics):
    with pytest.raises(ValueError, match="transform of Anonymizer gave avatars of shape") as caught:
        score(avatars, metrics)
    assert f"shape {avatars.shape}, expected (12, 2)" in str(caught.value)
    assert "ResubstitutionSplit()" in str(caught.value)


def test_no_avatars():
    with pytest.raises(ValueError, match=r"response_method of Anonymizer gave .* shape \(\)"):
        score(response_method=lambda estimator, X: None)


def test_avatars_with_an_unseen_category_name_no_cell():
    table = pd.DataFrame({"a": np.arange(12.0), "b": pd.Series(list("xyxyxyxyxyxy"), dtype=object)})
    avatars = table.assign(b=pd.Series([CANARY] * 12, dtype=object))
    with pytest.raises(ValueError, match="'b'") as caught:
        score(avatars, originals=table, projection=FAMD(1))
    assert CANARY not in str(caught.value)
