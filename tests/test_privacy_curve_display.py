"""The metrics against a parameter as a scikit-learn display."""

from __future__ import annotations

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV

from skprivacy import (
    FAMD,
    KNeighborsAnonymizer,
    PrivacyCurveDisplay,
    PrivacyScorer,
    ResubstitutionSplit,
    hidden_rate_score,
    smallest_param_meeting,
)

X = load_iris().data
METRICS = ["hidden_rate", "local_cloaking", "row_direct_match_protection"]
FLOORS = {"hidden_rate": 80, "local_cloaking": 2}


@pytest.fixture(scope="module")
def search():
    return GridSearchCV(
        KNeighborsAnonymizer(random_state=0),
        {"n_neighbors": [50, 2, 10]},
        scoring=PrivacyScorer(),
        refit=smallest_param_meeting("n_neighbors", {"hidden_rate": 60}),
        cv=ResubstitutionSplit(),
        error_score="raise",
    ).fit(X)


def test_from_cv_results(search):
    display = PrivacyCurveDisplay.from_cv_results(search.cv_results_, param_name="n_neighbors")
    assert list(display.lines_) == list(display.floor_lines_) == METRICS
    assert display.chosen_points_ == {}
    for name in METRICS:
        (line,) = display.lines_[name]
        assert line.get_xdata().tolist() == [2, 10, 50]
        scores = search.cv_results_[f"mean_test_{name}"]
        np.testing.assert_array_equal(line.get_ydata(), scores[[1, 2, 0]])
    assert all(ax.figure is display.figure_ for ax in display.axes_)
    assert len(display.axes_) == 3


def test_the_choice_of_the_search_is_marked(search):
    display = PrivacyCurveDisplay.from_cv_results(
        search.cv_results_, param_name="n_neighbors", best_index=search.best_index_
    )
    assert list(display.chosen_points_) == METRICS
    for name, point in display.chosen_points_.items():
        score = search.cv_results_[f"mean_test_{name}"][search.best_index_]
        assert point.get_xydata().tolist() == [[search.best_params_["n_neighbors"], score]]


def test_the_smallest_that_meets_the_floors_is_marked(search):
    display = PrivacyCurveDisplay.from_cv_results(
        search.cv_results_, param_name="n_neighbors", floors=FLOORS
    )
    chosen = smallest_param_meeting("n_neighbors", FLOORS)(search.cv_results_)
    (k, _), *_ = display.chosen_points_["hidden_rate"].get_xydata()
    assert k == search.cv_results_["param_n_neighbors"][chosen]
    assert list(display.floor_lines_) == list(FLOORS)


def test_nothing_is_marked_where_nothing_meets_the_floors(search):
    display = PrivacyCurveDisplay.from_cv_results(
        search.cv_results_, param_name="n_neighbors", floors={"local_cloaking": 148}
    )
    assert display.chosen_points_ == {}


def test_from_estimator_asks_an_anonymiser_fitted_on_all_rows():
    display = PrivacyCurveDisplay.from_estimator(
        KNeighborsAnonymizer(random_state=0),
        X,
        param_name="n_neighbors",
        param_range=range(4, 13, 4),
        metrics={"hidden_rate": "hidden_rate", "utility": lambda X, avatars: avatars.mean()},
        projection=FAMD(2),
    )
    assert list(display.lines_) == ["hidden_rate", "utility"]
    famd = FAMD(2).fit(X)
    expected = [
        hidden_rate_score(
            famd.transform(X),
            famd.transform(KNeighborsAnonymizer(k, random_state=0).fit_transform(X)),
        )
        for k in (4, 8, 12)
    ]
    assert display.lines_["hidden_rate"][0].get_ydata().tolist() == expected


def test_a_single_metric_and_a_single_value():
    display = PrivacyCurveDisplay.from_estimator(
        KNeighborsAnonymizer(random_state=0),
        X,
        param_name="n_neighbors",
        param_range=[5],
        metrics="local_cloaking",
        n_repeats=2,
    )
    assert list(display.lines_) == ["score"]
    assert len(display.axes_) == 1


def test_it_plots_where_it_is_told(search):
    display = PrivacyCurveDisplay.from_cv_results(search.cv_results_, param_name="n_neighbors")
    _, axes = plt.subplots(3)
    assert display.plot(ax=axes) is display
    assert display.axes_.tolist() == axes.tolist()


def test_at_print_size_nothing_overlaps(search):
    figure, ax = plt.subplots(figsize=(8 / 2.54, 10 / 2.54), layout="constrained")
    display = PrivacyCurveDisplay.from_cv_results(
        search.cv_results_, param_name="n_neighbors", floors=FLOORS, ax=ax
    )
    figure.canvas.draw()
    page = figure.bbox
    for panel in display.axes_:
        box = panel.get_tightbbox()
        assert page.x0 <= box.x0
        assert box.x1 <= page.x1 + 1
    boxes = [panel.get_window_extent() for panel in display.axes_]
    assert all(upper.y0 > lower.y1 for upper, lower in itertools.pairwise(boxes))
