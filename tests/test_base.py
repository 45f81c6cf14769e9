"""Every metric is an estimator, a step of a pipeline and a scorer, in scikit-learn's sense."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from _blur import Blur
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.metrics import check_scoring, get_scorer
from sklearn.model_selection import GridSearchCV, PredefinedSplit, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skprivacy import (
    HiddenRate,
    LocalCloaking,
    RowDirectMatchProtection,
    hidden_rate_score,
    local_cloaking_score,
    row_direct_match_protection_score,
)
from skprivacy.metrics._base import AvatarMetric

FUNCTION_OF = {
    HiddenRate: hidden_rate_score,
    LocalCloaking: local_cloaking_score,
    RowDirectMatchProtection: row_direct_match_protection_score,
}
X = StandardScaler().fit_transform(load_wine().data)[:, :4].round(2)
# Heaviest at both ends of the first axis, zero in the middle.
WEIGHT = np.abs(X[:, 0]).round(1) ** 4
ALL_ROWS = [(np.arange(len(X)), np.arange(len(X)))]


@pytest.fixture(params=FUNCTION_OF, ids=lambda Metric: Metric.__name__)
def Metric(request):  # noqa: N802
    return request.param


@pytest.fixture
def score_of(Metric):
    """Return the score of the k that the anonymiser has, by the metric's function."""

    def score(k, **settings):
        return FUNCTION_OF[Metric](X, Blur(k).fit(X).transform(X), **settings)

    return score


@pytest.fixture
def routing():
    with config_context(enable_metadata_routing=True):
        yield


def search(scoring, n_jobs=None, refit=True):
    return GridSearchCV(
        Blur(),
        {"k": [1, 2, 8]},
        scoring=scoring,
        cv=ALL_ROWS,
        n_jobs=n_jobs,
        refit=refit,
        error_score="raise",
    )


# As a scorer


def test_a_metric_is_a_scorer(Metric, score_of):
    fitted = Blur(2).fit(X)
    assert Metric()(fitted, X) == score_of(2)
    assert Metric()(fitted, X, np.zeros(len(X))) == score_of(2)
    assert Metric()(fitted, X, "anything", sample_weight=WEIGHT) == score_of(
        2, sample_weight=WEIGHT
    )


def test_a_scorer_keeps_no_state(Metric):
    metric = Metric()
    metric(Blur(2).fit(X), X)
    with pytest.raises(NotFittedError):
        metric.score(X)
    assert vars(metric) == vars(Metric())


def test_a_scorer_does_not_touch_what_it_was_fitted_on(Metric):
    metric = Metric().fit(X)
    before = metric.score(X)
    metric(Blur(2).fit(X[:50]), X[:50])
    assert metric.score(X) == before


@pytest.mark.parametrize("Paired", [HiddenRate, LocalCloaking])
def test_a_scorer_uses_its_parameters(Paired):
    avatars = Blur(2).fit(X).transform(X)
    expected = FUNCTION_OF[Paired](X, avatars, n_components=2)
    assert Paired(n_components=2)(Blur(2).fit(X), X) == expected


def test_scikit_learn_takes_it_for_a_scorer(Metric, score_of):
    metric = Metric()
    assert get_scorer(metric) is metric
    assert check_scoring(Blur(), scoring=metric)(Blur(2).fit(X), X) == score_of(2)


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("y", [None, np.arange(len(X)) % 3], ids=["without y", "with y"])
def test_grid_search(Metric, score_of, n_jobs, y):
    found = search(Metric(), n_jobs).fit(X, y)
    expected = [score_of(k) for k in (1, 2, 8)]
    assert found.cv_results_["mean_test_score"].tolist() == expected
    assert found.best_params_["k"] == [1, 2, 8][int(np.argmax(expected))]


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_grid_search_with_a_dict_of_scorers(n_jobs):
    scoring = {Metric.__name__: Metric() for Metric in FUNCTION_OF}
    found = search(scoring, n_jobs, refit="HiddenRate").fit(X)
    avatars = [Blur(k).fit(X).transform(X) for k in (1, 2, 8)]
    for Metric, function in FUNCTION_OF.items():
        column = found.cv_results_[f"mean_test_{Metric.__name__}"]
        assert column.tolist() == [function(X, Y) for Y in avatars]


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_grid_search_passes_weights_on(Metric, score_of, n_jobs):
    expected = [score_of(k, sample_weight=WEIGHT) for k in (1, 2, 8)]
    found = search(Metric(), n_jobs).fit(X, sample_weight=WEIGHT)
    assert found.cv_results_["mean_test_score"].tolist() == expected
    scoring = {"it": Metric(), "other": HiddenRate()}
    found = search(scoring, n_jobs, refit="it").fit(X, sample_weight=WEIGHT)
    assert found.cv_results_["mean_test_it"].tolist() == expected


def test_weights_make_a_difference_here(score_of):
    assert any(score_of(k, sample_weight=WEIGHT) != score_of(k) for k in (1, 2, 8))


def test_grid_search_of_a_frame(Metric, score_of):
    found = search(Metric()).fit(pd.DataFrame(X, columns=list("abcd")))
    assert found.cv_results_["mean_test_score"].tolist() == [score_of(k) for k in (1, 2, 8)]


def test_folds_are_scored_on_their_own_rows(Metric):
    fold = np.arange(len(X)) % 2
    found = cross_validate(
        Blur(), X, scoring=Metric(), cv=PredefinedSplit(fold), error_score="raise"
    )
    for k, score in enumerate(found["test_score"]):
        test, train = X[fold == k], X[fold != k]
        assert score == FUNCTION_OF[Metric](test, Blur().fit(train).transform(test))


# Metadata routing


@pytest.mark.usefixtures("routing")
class TestRouting:
    def test_weights_that_nobody_requested_are_refused(self, Metric):
        estimator = Blur().set_fit_request(sample_weight=False)
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            GridSearchCV(estimator, {"k": [2]}, scoring=Metric(), cv=ALL_ROWS).fit(
                X, sample_weight=WEIGHT
            )

    @pytest.mark.parametrize("as_dict", [False, True])
    def test_requested_weights_weigh(self, Metric, score_of, as_dict):
        metric = Metric().set_score_request(sample_weight=True)
        estimator = Blur().set_fit_request(sample_weight=False)
        found = GridSearchCV(
            estimator,
            {"k": [2, 8]},
            scoring={"score": metric} if as_dict else metric,
            cv=ALL_ROWS,
            refit=False,
            error_score="raise",
        ).fit(X, sample_weight=WEIGHT)
        expected = [score_of(k, sample_weight=WEIGHT) for k in (2, 8)]
        assert found.cv_results_["mean_test_score"].tolist() == expected

    def test_declined_weights_are_left_out(self, Metric, score_of):
        metric = Metric().set_score_request(sample_weight=False)
        estimator = Blur().set_fit_request(sample_weight=True)
        found = GridSearchCV(estimator, {"k": [2]}, scoring=metric, cv=ALL_ROWS).fit(
            X, sample_weight=WEIGHT
        )
        assert found.cv_results_["mean_test_score"].tolist() == [score_of(2)]

    def test_pipelines_score_with_weights(self, Metric, score_of):
        metric = Metric().set_score_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler(with_mean=False, with_std=False), metric).fit(X)
        avatars = Blur(2).fit(X).transform(X)
        assert pipeline.score(avatars, sample_weight=WEIGHT) == score_of(2, sample_weight=WEIGHT)
        assert pipeline.score(avatars) == score_of(2)

    @pytest.mark.parametrize("Paired", [HiddenRate, LocalCloaking])
    def test_pairing_by_request(self, Paired):
        own = np.random.default_rng(0).permutation(len(X))
        avatars = np.empty_like(X)
        avatars[own] = Blur(2).fit(X).transform(X)
        metric = Paired().set_fit_request(own_avatar=True)
        pipeline = make_pipeline(StandardScaler(), metric).fit(X, own_avatar=own)
        scaler = StandardScaler().fit(X)
        expected = FUNCTION_OF[Paired](
            scaler.transform(X), scaler.transform(avatars), own_avatar=own
        )
        assert pipeline.score(avatars) == expected

    @pytest.mark.parametrize("Paired", [HiddenRate, LocalCloaking])
    def test_pairing_that_nobody_requested_is_refused(self, Paired):
        pipeline = make_pipeline(StandardScaler(), Paired())
        with pytest.raises(UnsetMetadataPassedError, match="own_avatar"):
            pipeline.fit(X, own_avatar=np.arange(len(X)))


# As the last step of a pipeline


@pytest.mark.parametrize("Paired", [HiddenRate, LocalCloaking])
def test_pairing_through_a_pipeline_without_routing(Paired):
    own = np.random.default_rng(0).permutation(len(X))
    avatars = np.empty_like(X)
    avatars[own] = Blur(2).fit(X).transform(X)
    step = Paired.__name__.lower()
    pipeline = make_pipeline(StandardScaler(), Paired()).fit(X, **{f"{step}__own_avatar": own})
    scaler = StandardScaler().fit(X)
    expected = FUNCTION_OF[Paired](scaler.transform(X), scaler.transform(avatars), own_avatar=own)
    assert pipeline.score(avatars) == expected


@pytest.mark.parametrize("Paired", [HiddenRate, LocalCloaking])
def test_pipeline_is_projecting_by_hand(Paired):
    originals = load_wine().data
    avatars = Blur(3).fit(originals).transform(originals)
    pipeline = make_pipeline(StandardScaler(), PCA(5, svd_solver="full"), Paired()).fit(originals)
    projection = make_pipeline(StandardScaler(), PCA(5, svd_solver="full")).fit(originals)
    expected = FUNCTION_OF[Paired](projection.transform(originals), projection.transform(avatars))
    assert pipeline.score(avatars) == expected
    fewer = make_pipeline(projection, Paired(n_components=2)).fit(originals)
    assert fewer.score(avatars) == FUNCTION_OF[Paired](
        projection.transform(originals), projection.transform(avatars), n_components=2
    )


# As an estimator


def test_clone_and_pickle(Metric):
    avatars = Blur(2).fit(X).transform(X)
    metric = Metric().fit(X)
    revived = pickle.loads(pickle.dumps(metric))
    assert revived.score(avatars) == metric.score(avatars)
    copy = clone(metric)
    assert copy.get_params() == metric.get_params()
    with pytest.raises(NotFittedError):
        copy.score(avatars)


@pytest.mark.parametrize("Paired", [HiddenRate, LocalCloaking])
def test_parameters_are_kept_as_they_are(Paired):
    assert Paired().get_params() == {"n_components": None, "tie_tol": 1e-12, "n_jobs": None}
    metric = Paired(n_components=2, tie_tol=1e-9, n_jobs=2)
    assert clone(metric).get_params() == {"n_components": 2, "tie_tol": 1e-9, "n_jobs": 2}
    assert metric.set_params(n_components=1).fit(X).score(X) is not None
    with pytest.raises(TypeError):
        Paired(2)


def test_fit_and_score_again(Metric):
    metric = Metric().fit(X)
    first = metric.score(Blur(2).fit(X).transform(X))
    metric.fit(X[:40]).score(X[:40])
    assert metric.fit(X).score(Blur(2).fit(X).transform(X)) == first


def test_y_is_ignored(Metric):
    metric = Metric()
    avatars = Blur(2).fit(X).transform(X)
    assert metric.fit(X, "y").score(avatars, object()) == metric.fit(X).score(avatars)


@pytest.mark.parametrize("method", ["score", "transform"])
def test_not_fitted(Metric, method):
    with pytest.raises(NotFittedError):
        getattr(Metric(), method)(X)


@pytest.mark.parametrize(
    ("method", "arguments"), [("fit", [X]), ("score", [X]), ("transform", [X])]
)
def test_the_base_class_leaves_its_methods_to_the_metrics(method, arguments):
    with pytest.raises(NotImplementedError):
        getattr(AvatarMetric(), method)(*arguments)
