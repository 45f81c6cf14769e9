"""Searches over k by privacy: the splitter, the scorer inside scikit-learn, the choice."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from palmerpenguins import load_penguins
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.exceptions import FitFailedWarning, UnsetMetadataPassedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    cross_val_score,
    cross_validate,
    validation_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skprivacy import (
    FAMD,
    HiddenRate,
    KNeighborsAnonymizer,
    LocalCloaking,
    PrivacyScorer,
    ResubstitutionSplit,
    hidden_rate_score,
    local_cloaking_score,
    row_direct_match_protection_score,
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


@pytest.fixture
def routing():
    with config_context(enable_metadata_routing=True):
        yield


class Jitter(TransformerMixin, BaseEstimator):
    """An anonymiser that takes y and weights and adds noise, without a seed by default."""

    def __init__(self, scale=1.0, random_state=None):
        self.scale = scale
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        self.fitted_ = True
        return self

    def transform(self, X):
        rng = np.random.default_rng(self.random_state)
        return X + self.scale * X.std(axis=0) * rng.normal(size=X.shape)


def by_hand(X, projection, **params):
    """Return the three scores of one k, each computed on its own."""
    anonymizer = KNeighborsAnonymizer(projection=clone(projection), random_state=0, **params)
    avatars = anonymizer.fit(X).transform(X)
    fitted = clone(projection).fit(X)
    coordinates = fitted.transform(X), fitted.transform(avatars)
    return {
        "hidden_rate": hidden_rate_score(*coordinates),
        "local_cloaking": local_cloaking_score(*coordinates),
        "row_direct_match_protection": row_direct_match_protection_score(X, avatars),
    }


def search_over_k(projection=None, **params):
    """Return the search of the guide, or one that differs in the settings given."""
    projection = FAMD(5) if projection is None else projection
    settings = {
        "estimator": KNeighborsAnonymizer(projection=projection, random_state=0),
        "param_grid": {"n_neighbors": [2, 5, 10, 20, 50]},
        "scoring": PrivacyScorer(projection=projection),
        "refit": smallest_param_meeting("n_neighbors", {"hidden_rate": 90, "local_cloaking": 5}),
        "cv": ResubstitutionSplit(),
        "error_score": "raise",
    }
    return GridSearchCV(**settings | params)


def test_folds_of_an_unseeded_anonymiser_are_draws_of_their_own(wine):
    cv = ResubstitutionSplit(n_repeats=3)
    scorer = PrivacyScorer({"noise": lambda X, X_avatars: X_avatars[0, 0] - X[0, 0]})
    search = GridSearchCV(
        Jitter(), {"scale": [1.0]}, scoring=scorer, cv=cv, refit=False, error_score="raise"
    ).fit(wine)
    draws = [search.cv_results_[f"split{i}_test_noise"][0] for i in range(3)]
    assert len(set(draws)) == 3
    assert search.cv_results_["mean_test_noise"][0] == pytest.approx(np.mean(draws))


# Searches


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_search_of_the_guide(penguins, n_jobs):
    search = search_over_k(n_jobs=n_jobs).fit(penguins)
    expected = [by_hand(penguins, FAMD(5), n_neighbors=k) for k in (2, 5, 10, 20, 50)]
    for name in NAMES:
        np.testing.assert_array_equal(
            search.cv_results_[f"mean_test_{name}"], [scores[name] for scores in expected]
        )
    enough = [s["hidden_rate"] >= 90 and s["local_cloaking"] >= 5 for s in expected]
    assert 0 < sum(enough) < 5
    assert search.best_index_ == enough.index(True)
    assert search.transform(penguins).columns.tolist() == penguins.columns.tolist()


def test_polars_table_gives_the_scores_of_pandas(penguins):
    grid = {"param_grid": {"n_neighbors": [5, 20]}, "refit": False}
    tables = [penguins, pl.DataFrame(penguins.to_dict("list"))]
    searches = [search_over_k().set_params(**grid).fit(table) for table in tables]
    for name in NAMES:
        scores = [search.cv_results_[f"mean_test_{name}"] for search in searches]
        np.testing.assert_array_equal(*scores)


def test_randomized_search(wine):
    search = RandomizedSearchCV(
        KNeighborsAnonymizer(random_state=0),
        {"n_neighbors": range(1, 40)},
        n_iter=4,
        scoring=PrivacyScorer(),
        refit=smallest_param_meeting("n_neighbors", {"hidden_rate": 0}),
        cv=ResubstitutionSplit(),
        error_score="raise",
        random_state=0,
    ).fit(wine)
    assert search.best_params_["n_neighbors"] == min(search.cv_results_["param_n_neighbors"])


def test_cross_validate_names_every_metric(wine):
    anonymizer = KNeighborsAnonymizer(10, projection=StandardScaler(), random_state=0)
    scores = cross_validate(
        anonymizer,
        wine,
        scoring=PrivacyScorer(projection=StandardScaler()),
        cv=ResubstitutionSplit(),
        error_score="raise",
    )
    expected = by_hand(wine, StandardScaler(), n_neighbors=10)
    assert {name: scores[f"test_{name}"].tolist() for name in NAMES} == {
        name: [value] for name, value in expected.items()
    }


def test_one_metric_as_a_number(wine):
    anonymizer = KNeighborsAnonymizer(random_state=0)
    settings = {
        "scoring": PrivacyScorer("local_cloaking"),
        "cv": ResubstitutionSplit(),
        "error_score": "raise",
    }
    grid = {"param_name": "n_neighbors", "param_range": [5, 20]}
    _, curve = validation_curve(anonymizer, wine, None, **grid, **settings)
    avatars = [KNeighborsAnonymizer(k, random_state=0).fit_transform(wine) for k in (5, 20)]
    assert curve.ravel().tolist() == [local_cloaking_score(wine, Y) for Y in avatars]
    assert cross_val_score(anonymizer, wine, **settings) == [curve[1]]


def test_single_metric_search(wine):
    search = search_over_k(
        StandardScaler(),
        scoring=PrivacyScorer("local_cloaking", projection=StandardScaler()),
        refit=smallest_param_meeting("n_neighbors", {"score": 3}),
    )
    scores = search.fit(wine).cv_results_["mean_test_score"]
    assert search.best_index_ == np.flatnonzero(scores >= 3)[0]


def test_pipeline_before_the_anonymiser(wine):
    pipeline = make_pipeline(StandardScaler(), KNeighborsAnonymizer(random_state=0))

    def standardised(pipeline, X):
        return pipeline[0].inverse_transform(pipeline.transform(X))

    search = GridSearchCV(
        pipeline,
        {"kneighborsanonymizer__n_neighbors": [5, 20]},
        scoring=PrivacyScorer(projection=StandardScaler(), response_method=standardised),
        refit=smallest_param_meeting("kneighborsanonymizer__n_neighbors", {"hidden_rate": 1}),
        cv=ResubstitutionSplit(),
        error_score="raise",
    ).fit(wine)
    expected = by_hand(wine, StandardScaler(), n_neighbors=5)
    assert search.best_params_ == {"kneighborsanonymizer__n_neighbors": 5}
    assert search.cv_results_["mean_test_hidden_rate"][0] == expected["hidden_rate"]


def test_anonymiser_is_asked_once_for_each_candidate_and_fold(wine):
    asked = []

    class Counted(Jitter):
        def transform(self, X):
            asked.append(self.scale)
            return super().transform(X)

    GridSearchCV(
        Counted(random_state=0),
        {"scale": [0.1, 1.0]},
        scoring=PrivacyScorer(),
        cv=ResubstitutionSplit(n_repeats=2),
        refit=smallest_param_meeting("scale", {"hidden_rate": 0}),
        error_score="raise",
    ).fit(wine)
    assert sorted(asked) == [0.1, 0.1, 1.0, 1.0]


def test_frozen_projection_is_fitted_once_for_a_search(wine):
    fits = []

    class CountedPCA(PCA):
        def fit(self, X, y=None):
            fits.append(len(X))
            return super().fit(X, y)

    def scores(projection):
        fits.clear()
        search = search_over_k(
            StandardScaler(), scoring=PrivacyScorer(projection=projection), refit=False
        )
        search.fit(wine)
        return search.cv_results_["mean_test_local_cloaking"]

    projection = CountedPCA(2, svd_solver="full")
    each_call = scores(projection)
    assert len(fits) == 5
    frozen = FrozenEstimator(projection.fit(wine))
    np.testing.assert_array_equal(scores(frozen), each_call)
    assert fits == []


def correlations_kept(X, X_avatars):
    """A utility: 0 at best."""
    return -np.abs(np.corrcoef(X.T) - np.corrcoef(X_avatars.T)).mean()


def test_privacy_and_utility_of_one_draw(wine):
    draws = []

    class Recorded(Jitter):
        def transform(self, X):
            draws.append(super().transform(X))
            return draws[-1]

    search = GridSearchCV(
        Recorded(),
        {"scale": [0.1, 1.0]},
        scoring=PrivacyScorer({"hidden_rate": "hidden_rate", "utility": correlations_kept}),
        refit=smallest_param_meeting("scale", {"hidden_rate": 0, "utility": -1}),
        cv=ResubstitutionSplit(),
        error_score="raise",
    ).fit(wine)
    for name, function in [("hidden_rate", hidden_rate_score), ("utility", correlations_kept)]:
        assert search.cv_results_[f"mean_test_{name}"].tolist() == [
            function(wine, avatars) for avatars in draws
        ]
    assert search.best_params_ == {"scale": 0.1}


def test_clone_of_a_search_gives_the_same_scores(wine):
    search = search_over_k(StandardScaler(), refit=False)
    scores = [s.fit(wine).cv_results_["mean_test_hidden_rate"] for s in (clone(search), search)]
    np.testing.assert_array_equal(*scores)


def test_fitted_search_survives_pickling(penguins):
    search = search_over_k(param_grid={"n_neighbors": [40, 50]}).fit(penguins)
    again = pickle.loads(pickle.dumps(search))
    assert again.refit == search.refit
    pd.testing.assert_frame_equal(again.transform(penguins), search.transform(penguins))


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_search_under_a_progress_bar(wine, capsys, n_jobs):
    callback = pytest.importorskip(
        "sklearn.callback", reason="scikit-learn has callbacks from 1.9 on"
    )
    pytest.importorskip("rich", reason="scikit-learn's progress bar is drawn by rich")
    search = search_over_k(StandardScaler(), refit=False, n_jobs=n_jobs)
    without = clone(search).fit(wine).cv_results_["mean_test_hidden_rate"]
    # Deeper, scikit-learn warns of every estimator that takes no callbacks.
    search.set_callbacks(callback.ProgressBar(max_propagation_depth=0)).fit(wine)
    np.testing.assert_array_equal(search.cv_results_["mean_test_hidden_rate"], without)
    assert "GridSearchCV" in capsys.readouterr().out


# A candidate that fails


def test_candidate_that_cannot_be_fitted_is_raised(wine):
    search = search_over_k(StandardScaler(), param_grid={"n_neighbors": [20, len(wine)]})
    with pytest.raises(ValueError, match=f"n_neighbors={len(wine)}"):
        search.fit(wine)


def test_candidate_that_cannot_be_fitted_is_not_chosen(wine):
    search = search_over_k(
        StandardScaler(),
        param_grid={"n_neighbors": [5, 20, len(wine)]},
        refit=smallest_param_meeting("n_neighbors", {"hidden_rate": 0}),
        error_score=np.nan,
    )
    with (
        pytest.warns(FitFailedWarning, match="1 fits failed"),
        pytest.warns(UserWarning, match="scores are non-finite"),
    ):
        search.fit(wine)
    assert search.best_params_ == {"n_neighbors": 5}
    assert np.isnan(search.cv_results_["mean_test_hidden_rate"][2])


def test_scores_that_all_fail_leave_nothing_to_choose(penguins):
    # Text columns reach the distance metrics: no projection.
    search = search_over_k(scoring=PrivacyScorer(raise_exc=False))
    with (
        pytest.warns(UserWarning, match=r"No score for 'hidden_rate', 'local_cloaking': TypeError"),
        pytest.warns(UserWarning, match="scores are non-finite"),
        pytest.raises(ValueError, match="Every score of 'hidden_rate' is NaN"),
    ):
        search.fit(penguins)


# Weights


@pytest.fixture
def weights(wine):
    return np.random.default_rng(0).integers(0, 4, len(wine)).astype(float)


def weighted_search(scorer):
    return GridSearchCV(
        Jitter(random_state=0),
        {"scale": [0.1, 0.3]},
        scoring=scorer,
        cv=ResubstitutionSplit(),
        refit=False,
        error_score="raise",
    )


def weighted_scores(wine, weights, function):
    """Return the weighted scores of the two candidates of weighted_search."""
    return [
        function(wine, Jitter(scale, 0).transform(wine), sample_weight=weights)
        for scale in (0.1, 0.3)
    ]


def test_weights_without_routing(wine, weights):
    search = weighted_search(PrivacyScorer()).fit(wine, sample_weight=weights)
    for name, function in [
        ("hidden_rate", hidden_rate_score),
        ("local_cloaking", local_cloaking_score),
    ]:
        np.testing.assert_array_equal(
            search.cv_results_[f"mean_test_{name}"], weighted_scores(wine, weights, function)
        )


def test_scorers_in_a_dict_of_scikit_learn(wine, weights):
    scoring = {"ours": PrivacyScorer("hidden_rate"), "its_own": HiddenRate()}
    search = weighted_search(scoring).fit(wine, np.zeros(len(wine)), sample_weight=weights)
    expected = weighted_scores(wine, weights, hidden_rate_score)
    np.testing.assert_array_equal(search.cv_results_["mean_test_ours"], expected)
    np.testing.assert_array_equal(search.cv_results_["mean_test_its_own"], expected)


@pytest.mark.usefixtures("routing")
def test_unrequested_weights_are_an_error(wine, weights):
    search = weighted_search(PrivacyScorer())
    search.estimator.set_fit_request(sample_weight=False)
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        search.fit(wine, sample_weight=weights)


@pytest.mark.usefixtures("routing")
def test_requested_weights_weigh(wine, weights):
    scorer = PrivacyScorer().set_score_request(sample_weight=True)
    search = weighted_search(clone(scorer))
    search.estimator.set_fit_request(sample_weight=False)
    search.fit(wine, sample_weight=weights)
    np.testing.assert_array_equal(
        search.cv_results_["mean_test_local_cloaking"],
        weighted_scores(wine, weights, local_cloaking_score),
    )
    evaluated = cross_validate(
        search.estimator.set_params(scale=0.1),
        wine,
        scoring=scorer,
        cv=ResubstitutionSplit(),
        params={"sample_weight": weights},
        error_score="raise",
    )
    assert evaluated["test_hidden_rate"] == weighted_scores(wine, weights, hidden_rate_score)[0]


@pytest.mark.usefixtures("routing")
def test_refused_weights_do_not_weigh(wine, weights):
    scorer = PrivacyScorer().set_score_request(sample_weight=False)
    search = weighted_search(scorer)
    search.estimator.set_fit_request(sample_weight=True)
    search.fit(wine, sample_weight=weights)
    np.testing.assert_array_equal(
        search.cv_results_["mean_test_hidden_rate"], weighted_scores(wine, None, hidden_rate_score)
    )


@pytest.mark.usefixtures("routing")
def test_weights_by_another_name(wine, weights):
    scorer = PrivacyScorer("hidden_rate").set_score_request(sample_weight="survey_weight")
    search = weighted_search(scorer)
    search.fit(wine, survey_weight=weights)
    np.testing.assert_array_equal(
        search.cv_results_["mean_test_score"], weighted_scores(wine, weights, hidden_rate_score)
    )


def test_grid_with_several_subgrids(wine):
    search = search_over_k(
        StandardScaler(),
        param_grid=[{"n_jobs": [1]}, {"n_neighbors": [30, 20]}],
        refit=smallest_param_meeting("n_neighbors", {"hidden_rate": 0}),
    )
    assert search.fit(wine).best_params_ == {"n_neighbors": 20}


def test_metrics_as_scorers_are_chosen_from_too(wine):
    search = search_over_k(
        StandardScaler(),
        scoring={"hidden_rate": HiddenRate(), "local_cloaking": LocalCloaking()},
        refit=smallest_param_meeting("n_neighbors", {"hidden_rate": 0, "local_cloaking": 0}),
    )
    assert search.fit(wine).best_params_ == {"n_neighbors": 2}
