"""The scorer: what each metric is given, and what is computed how often."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from skprivacy import (
    FAMD,
    HiddenRate,
    KNeighborsAnonymizer,
    LocalCloaking,
    PrivacyScorer,
    RowDirectMatchProtection,
    closer_avatar_counts,
    hidden_rate_score,
    local_cloaking_score,
    row_direct_match_protection_score,
)
from skprivacy.metrics import METRICS, _hidden_rate
from skprivacy.metrics._closer_avatars import CloserAvatars

CANARY = "Ottilie-Canary"


class Stored(TransformerMixin, BaseEstimator):
    """An anonymiser that knows its avatars from the start."""

    def __init__(self, avatars=None):
        self.avatars = avatars

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return self.avatars

    def __sklearn_is_fitted__(self):
        return True


class Broken(TransformerMixin, BaseEstimator):
    """Fits or transforms nothing, and quotes a cell when it says so."""

    def fit(self, X, y=None):
        return self

    def score(self, X):
        raise ZeroDivisionError(CANARY)

    def transform(self, X):
        raise ZeroDivisionError(CANARY)


@pytest.fixture(scope="module")
def tables():
    """Return originals on a 0.1 grid and avatars of which one in three is a copy."""
    X = load_iris().data
    avatars = KNeighborsAnonymizer(8, random_state=0).fit_transform(X)
    avatars[::3] = X[::3]
    return X, avatars


@pytest.fixture(scope="module")
def mixed():
    """Return a mixed table and its avatars."""
    X = load_iris(as_frame=True).frame
    X["target"] = pd.Series(load_iris().target_names[X["target"]], dtype=object)
    return X, KNeighborsAnonymizer(8, projection=FAMD(3), random_state=0).fit_transform(X)


@pytest.fixture
def counted(monkeypatch):
    """Record how avatars are counted: the settings of each call."""
    calls = []
    count = CloserAvatars.count

    def recording(self, rows=None, **settings):
        calls.append({"all": rows is None, **settings})
        return count(self, rows, **settings)

    monkeypatch.setattr(CloserAvatars, "count", recording)
    return calls


def scores_of(tables, metrics=None, sample_weight=None, **settings):
    """Return the scores of given avatars."""
    X, avatars = tables
    return PrivacyScorer(metrics, **settings)(Stored(avatars), X, sample_weight=sample_weight)


# Values


def test_default_is_every_metric_of_the_package(tables):
    assert scores_of(tables) == {
        "hidden_rate": hidden_rate_score(*tables),
        "local_cloaking": local_cloaking_score(*tables),
        "row_direct_match_protection": row_direct_match_protection_score(*tables),
    }
    assert list(scores_of(tables)) == list(METRICS)


def test_scores_are_informative(tables):
    scores = scores_of(tables)
    assert 0 < scores["hidden_rate"] < 100
    assert scores["local_cloaking"] > 0
    assert scores["row_direct_match_protection"] < 100


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("make", [lambda name: name, lambda name: METRICS[name]()])
def test_one_metric_is_a_number(tables, name, make):
    score = scores_of(tables, make(name))
    assert type(score) is float
    assert score == scores_of(tables)[name]


@pytest.mark.parametrize("kind", [list, tuple])
def test_names_in_their_order(tables, kind):
    names = ["row_direct_match_protection", "hidden_rate"]
    scores = scores_of(tables, kind(names))
    assert list(scores) == names
    assert scores == {name: scores_of(tables)[name] for name in names}


def test_dict_of_names_estimators_and_callables(tables):
    scores = scores_of(
        tables,
        {
            "shift": lambda X, X_avatars: np.abs(X - X_avatars).mean(),
            "hr": "hidden_rate",
            "lc_2": LocalCloaking(n_components=2),
            "rows": RowDirectMatchProtection(),
            "hr_2": HiddenRate(n_components=2),
        },
    )
    X, avatars = tables
    assert list(scores) == ["shift", "hr", "lc_2", "rows", "hr_2"]
    assert scores == {
        "shift": np.abs(X - avatars).mean(),
        "hr": hidden_rate_score(X, avatars),
        "lc_2": local_cloaking_score(X, avatars, n_components=2),
        "rows": row_direct_match_protection_score(X, avatars),
        "hr_2": hidden_rate_score(X, avatars, n_components=2),
    }
    assert all(type(score) is float for score in scores.values())


@pytest.mark.parametrize(
    "projection", [StandardScaler(), PCA(2, svd_solver="full"), make_pipeline(StandardScaler())]
)
def test_distances_are_taken_in_the_projection_and_rows_as_they_are(tables, projection):
    X, avatars = tables
    fitted = clone(projection).fit(X)
    coordinates = fitted.transform(X), fitted.transform(avatars)
    assert scores_of(tables, projection=projection) == {
        "hidden_rate": hidden_rate_score(*coordinates),
        "local_cloaking": local_cloaking_score(*coordinates),
        "row_direct_match_protection": row_direct_match_protection_score(X, avatars),
    }


def test_mixed_table(mixed):
    X, avatars = mixed
    famd = FAMD(3).fit(X)
    scores = scores_of(mixed, projection=FAMD(3))
    assert scores["hidden_rate"] == hidden_rate_score(famd.transform(X), famd.transform(avatars))
    assert scores["row_direct_match_protection"] == row_direct_match_protection_score(X, avatars)


def test_estimator_of_the_users_own_gets_raw_rows(mixed):
    own = make_pipeline(FAMD(3), HiddenRate())
    scores = scores_of(mixed, {"own": own, "hr": "hidden_rate"}, projection=FAMD(3))
    assert scores["own"] == scores["hr"]


def test_metric_needs_no_more_than_fit_and_score(tables):
    class Rows:
        def fit(self, X):
            self.n_rows = len(X)
            return self

        def score(self, X):
            return self.n_rows + len(X)

    metric = Rows()
    assert scores_of(tables, metric) == 300.0
    assert not hasattr(metric, "n_rows")


def test_fitted_metric_is_not_changed_and_its_pairing_not_used(tables):
    X, avatars = tables
    metric = HiddenRate().fit(X[:5], own_avatar=[4, 3, 2, 1, 0])
    before = metric.score(avatars[:5])
    assert scores_of(tables, metric) == hidden_rate_score(X, avatars)
    assert metric.score(avatars[:5]) == before


@pytest.mark.parametrize("y", [None, "not even a column", np.zeros(3), object()])
def test_y_is_ignored(tables, y):
    X, avatars = tables
    assert PrivacyScorer()(Stored(avatars), X, y) == scores_of(tables)


def test_callable_that_changes_the_avatars_comes_last(tables):
    X, avatars = tables

    def careless(X, X_avatars):
        X_avatars += 1000
        return 0.0

    metrics = {"a": careless, "hr": "hidden_rate", "rows": RowDirectMatchProtection()}
    assert scores_of((X, avatars.copy()), metrics) == {
        "a": 0.0,
        "hr": hidden_rate_score(X, avatars),
        "rows": row_direct_match_protection_score(X, avatars),
    }


def max_shift(X, X_avatars):
    return np.abs(X - X_avatars).max()


# What is computed how often


def test_anonymiser_is_asked_once(tables):
    X, avatars = tables
    asked = []

    class Counted(Stored):
        def transform(self, X):
            asked.append(len(X))
            return self.avatars

    PrivacyScorer()(Counted(avatars), X)
    assert asked == [len(X)]


def test_metrics_of_an_unseeded_anonymiser_judge_one_draw(tables):
    X, _ = tables
    anonymizer = KNeighborsAnonymizer(8).fit(X)
    metrics = {
        "hr": "hidden_rate",
        "lc": "local_cloaking",
        "hr_by_hand": hidden_rate_score,
        "lc_by_hand": local_cloaking_score,
    }
    draws = [PrivacyScorer(metrics)(anonymizer, X) for _ in range(3)]
    for scores in draws:
        assert scores["hr"] == scores["hr_by_hand"]
        assert scores["lc"] == scores["lc_by_hand"]
    assert any(scores != draws[0] for scores in draws)


def test_avatars_are_counted_once_for_all_metrics_that_share_the_counts(tables, counted):
    scores_of(tables)
    assert counted == [{"all": True}]
    counted.clear()
    scores_of(tables, {"a": HiddenRate(n_jobs=1), "b": LocalCloaking(), "c": HiddenRate()})
    assert counted == [{"all": True}]


def test_other_settings_are_counted_apart(tables, counted):
    metrics = {
        "lc": LocalCloaking(),
        "lc_2": LocalCloaking(n_components=2),
        "lc_tol": LocalCloaking(tie_tol=1e-9),
        "again": LocalCloaking(n_components=2),
    }
    scores_of(tables, metrics)
    assert counted == [{"all": True}] * 3


def test_hidden_rate_alone_counts_no_further_than_it_needs(tables, counted, monkeypatch):
    monkeypatch.setattr(_hidden_rate, "_FEW_ORIGINALS", 0)
    scores_of(tables, "hidden_rate")
    assert {"all": True, "stop_at_one": True} in counted
    assert {"all": True} not in counted


def test_rows_need_no_counts_and_no_projection(tables, counted):
    scores_of(tables, "row_direct_match_protection", projection=Broken())
    assert counted == []


def test_projection_is_fitted_once_on_the_originals(tables):
    X, _ = tables
    fits = []

    class Counted(StandardScaler):
        def fit(self, X, y=None, sample_weight=None):
            fits.append(X)
            return super().fit(X, y, sample_weight)

    projection = Counted()
    scores_of(tables, {"a": HiddenRate(), "b": HiddenRate(n_components=2)}, projection=projection)
    assert len(fits) == 1
    assert fits[0] is X
    assert not hasattr(projection, "mean_")


def test_frozen_projection_is_used_as_it_is(tables):
    X, avatars = tables
    scaler = StandardScaler().fit(X * [1000, 1, 1, 1])
    scores = scores_of(tables, projection=FrozenEstimator(scaler))
    expected = hidden_rate_score(scaler.transform(X), scaler.transform(avatars))
    assert scores["hidden_rate"] == expected
    assert expected != scores_of(tables, projection=StandardScaler())["hidden_rate"]


# Warnings


def test_implausible_scores_are_warned_of_once(tables):
    X, _ = tables
    shuffled = np.random.default_rng(0).permutation(X)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores_of((X, shuffled))
    assert [str(w.message).partition(":")[0][:40] for w in caught] == [
        "The median own avatar is no closer than "
    ]


def test_another_space_is_warned_of_once(tables):
    X, avatars = tables
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores_of((X, avatars + np.array([1000, 0, 0, 0])))
    messages = [str(w.message) for w in caught]
    assert sum("median lies outside the originals' range" in text for text in messages) == 1


# Failures


def test_failing_metric_is_raised(tables):
    with pytest.raises(ZeroDivisionError):
        scores_of(tables, {"hr": "hidden_rate", "broken": Broken()})


@pytest.mark.parametrize(
    ("metrics", "settings", "failed"),
    [
        ({"hr": "hidden_rate", "broken": Broken()}, {}, ["broken"]),
        ({"broken": lambda X, X_avatars: Broken().score(X), "hr": "hidden_rate"}, {}, ["broken"]),
        (None, {"projection": Broken()}, ["hidden_rate", "local_cloaking"]),
        (None, {"response_method": Broken().fit}, list(METRICS)),
        (
            None,
            {"response_method": lambda estimator, X: Broken().transform(X)},
            list(METRICS),
        ),
        ({"hr": HiddenRate(n_components=9), "lc": LocalCloaking()}, {}, ["hr"]),
        ({"text": lambda X, X_avatars: CANARY, "lc": LocalCloaking()}, {}, ["text"]),
    ],
)
def test_failing_metrics_are_nan_with_a_warning(tables, metrics, settings, failed):
    with pytest.warns(UserWarning, match="No score for") as caught:
        scores = scores_of(tables, metrics, raise_exc=False, **settings)
    assert [name for name, score in scores.items() if np.isnan(score)] == failed
    (message,) = [str(w.message) for w in caught]
    assert message.startswith(f"No score for {', '.join(map(repr, failed))}: ")
    assert "Error. It is NaN" in message
    assert CANARY not in message


def test_the_warning_of_missing_avatars_points_to_the_caller(tables):
    scorer = PrivacyScorer(response_method=Broken().fit, raise_exc=False)
    with pytest.warns(UserWarning, match="No score for") as caught:
        scorer(Stored(), tables[0])
    assert caught[0].filename == __file__


def test_one_failing_metric_is_nan(tables):
    with pytest.warns(UserWarning, match="'HiddenRate': ValueError"):
        assert np.isnan(scores_of(tables, HiddenRate(n_components=9), raise_exc=False))


def test_text_without_a_projection_names_the_columns_only(mixed):
    X, avatars = mixed[0].copy(), mixed[1]
    X.loc[3, "target"] = CANARY
    with pytest.raises(TypeError, match="'target'") as caught:
        scores_of((X, avatars))
    assert CANARY not in str(caught.value)


def test_other_columns_of_the_avatars_name_no_cell(mixed):
    X, avatars = mixed[0].copy(), mixed[1].rename(columns={"target": "species"})
    X.loc[3, "target"] = CANARY
    with pytest.raises(ValueError, match="species") as caught:
        scores_of((X, avatars), projection=FAMD(3))
    assert CANARY not in str(caught.value)


# Weights


@pytest.fixture(scope="module")
def weights():
    return np.random.default_rng(0).integers(0, 4, 150).astype(float)


def test_weights_are_those_of_the_originals(tables, weights):
    scores = scores_of(tables, sample_weight=weights)
    repeats = weights.astype(int)
    counts = np.repeat(closer_avatar_counts(*tables), repeats)
    assert scores["hidden_rate"] == pytest.approx(100 * np.mean(counts > 0), rel=1e-12)
    assert scores["local_cloaking"] == np.median(counts)
    assert scores["row_direct_match_protection"] == row_direct_match_protection_score(
        *tables, sample_weight=weights
    )
    assert scores != scores_of(tables)


@pytest.mark.parametrize("name", METRICS)
def test_weights_of_one_metric(tables, weights, name):
    expected = scores_of(tables, sample_weight=weights)[name]
    assert scores_of(tables, name, sample_weight=weights) == expected


def test_weights_reach_what_names_them(tables, weights):
    def weighted(X, X_avatars, sample_weight=None):
        return np.average(X[:, 0], weights=sample_weight)

    def unweighted(X, X_avatars):
        return X[:, 0].mean()

    class Unweighted(Broken):
        def score(self, X):
            return X[:, 0].mean()

    X, avatars = tables
    metrics = {"weighted": weighted, "unweighted": unweighted, "estimator": Unweighted()}
    assert scores_of(tables, metrics, sample_weight=weights) == {
        "weighted": np.average(X[:, 0], weights=weights),
        "unweighted": X[:, 0].mean(),
        "estimator": avatars[:, 0].mean(),
    }


@pytest.mark.parametrize("metrics", [None, "hidden_rate", "row_direct_match_protection"])
def test_impossible_weights(tables, metrics):
    with pytest.raises(ValueError, match=r"sample_weight\.shape == \(3,\)"):
        scores_of(tables, metrics, sample_weight=[1, 2, 3])


def test_weights_are_requested_with_routing_only():
    with pytest.raises(RuntimeError, match="only available when metadata routing is enabled"):
        PrivacyScorer().set_score_request(sample_weight=True)


@pytest.mark.parametrize("request_", [True, False, None, "survey_weight"])
def test_clone_keeps_the_request(request_):
    with config_context(enable_metadata_routing=True):
        scorer = PrivacyScorer()
        assert scorer.get_metadata_routing().score.requests == {"sample_weight": None}
        assert scorer.set_score_request(sample_weight=request_) is scorer
        requests = clone(scorer).get_metadata_routing().score.requests
        assert requests == {"sample_weight": request_}


# As an object


def test_representation_shows_what_differs_from_the_defaults():
    assert repr(PrivacyScorer()) == "PrivacyScorer()"
    scorer = PrivacyScorer("hidden_rate", projection=StandardScaler())
    assert repr(scorer) == "PrivacyScorer(metrics='hidden_rate', projection=StandardScaler())"


def test_parameters_are_nested_and_cloned():
    scorer = PrivacyScorer(projection=FAMD(3)).set_params(projection__n_components=2)
    again = clone(scorer)
    assert again.get_params()["projection__n_components"] == 2
    assert again.projection is not scorer.projection


def test_pickled_scorer_gives_the_same_scores(tables):
    X, avatars = tables
    scorer = PrivacyScorer({"hr": "hidden_rate", "u": max_shift}, projection=StandardScaler())
    again = pickle.loads(pickle.dumps(scorer))
    assert again(Stored(avatars), X) == scorer(Stored(avatars), X)


def test_html_shows_no_originals(mixed):
    X, avatars = mixed[0].copy(), mixed[1]
    X.loc[3, "target"] = avatars.loc[3, "target"] = CANARY
    scorer = PrivacyScorer(projection=FrozenEstimator(FAMD(3).fit(X)))
    scorer(Stored(avatars), X)
    assert CANARY not in scorer._repr_html_() + repr(scorer)


def test_projection_may_give_frames(mixed):
    X, avatars = mixed
    numbers = X.columns[:4]
    projection = StandardScaler().set_output(transform="pandas")
    scores = scores_of((X[numbers], avatars[numbers]), projection=projection)
    expected = scores_of((X[numbers], avatars[numbers]), projection=StandardScaler())
    assert scores == expected
    functions = FunctionTransformer(np.sqrt)
    assert scores_of((X[numbers], avatars[numbers]), "hidden_rate", projection=functions) == (
        hidden_rate_score(np.sqrt(X[numbers]), np.sqrt(avatars[numbers]))
    )
