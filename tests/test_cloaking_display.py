"""The distribution of counts as a scikit-learn display."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator

from skprivacy import FAMD, CloakingDisplay, KNeighborsAnonymizer, closer_avatar_counts

COUNTS = np.array([0, 3, 12, 1, 0, 7, 300, 2])


def texts(display):
    return [text.get_text() for text in display.ax_.texts]


def test_from_counts():
    display = CloakingDisplay.from_counts(COUNTS)
    assert display.bins[0] == (0, 0)
    assert display.bins[-1] == (200, 499)
    assert display.shares.tolist() == [25, 37.5, 12.5, 12.5, 0, 0, 0, 12.5]
    assert display.median == 2.5
    assert [bar.get_width() for bar in display.bars_] == display.shares.tolist()
    assert texts(display)[-2:] == ["median 2.5", "target > 5"]
    assert display.figure_ is display.ax_.figure


def test_it_keeps_nothing_of_single_originals():
    display = CloakingDisplay.from_counts(np.arange(900) % 50)
    sizes = [np.size(value) for key, value in vars(display).items() if not key.endswith("_")]
    assert max(sizes) < 30


def test_median_and_target_are_drawn_at_their_counts():
    display = CloakingDisplay.from_counts([7, 7, 7, 1], target=2.5)
    assert set(display.median_line_.get_ydata()) == {2.0}
    assert set(display.target_line_.get_ydata()) == {1.0}
    assert display.median_line_.get_linestyle() != display.target_line_.get_linestyle()


def test_a_target_beyond_all_counts_is_inside_the_plot():
    display = CloakingDisplay.from_counts([0, 0], target=30)
    assert display.bins[-1] == (20, 49)
    assert 3.5 < display.target_line_.get_ydata()[0] < 4.5


def test_without_target():
    display = CloakingDisplay.from_counts([0, 0], target=None)
    assert display.target_line_ is None
    assert display.bins == [(0, 0)]
    assert texts(display)[-1] == "median 0"


def test_from_estimator_counts_in_the_projected_space():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60), "town": rng.choice(list("abc"), size=60)})
    anonymizer = KNeighborsAnonymizer(5, projection=FAMD(2), random_state=0).fit(frame)
    display = CloakingDisplay.from_estimator(anonymizer, frame, projection=FAMD(2))
    famd = FAMD(2).fit(frame)
    counts = closer_avatar_counts(
        famd.transform(frame), famd.transform(anonymizer.transform(frame))
    )
    assert display.median == np.median(counts)
    assert display.shares[0] == pytest.approx(100 * np.mean(counts == 0))
    frozen = CloakingDisplay.from_estimator(
        anonymizer, frame, projection=FrozenEstimator(famd), n_components=2, target=None
    )
    assert frozen.median == display.median


def test_from_estimator_without_projection_takes_the_columns():
    X = np.random.default_rng(1).normal(size=(40, 2))
    anonymizer = KNeighborsAnonymizer(5, random_state=0).fit(X)
    display = CloakingDisplay.from_estimator(anonymizer, X)
    assert display.median == np.median(closer_avatar_counts(X, anonymizer.transform(X)))


def test_an_anonymiser_must_be_fitted():
    with pytest.raises(NotFittedError):
        CloakingDisplay.from_estimator(KNeighborsAnonymizer(1), [[0.0], [1.0]])


def test_it_plots_where_it_is_told():
    _, (left, right) = plt.subplots(1, 2)
    display = CloakingDisplay.from_counts(COUNTS, ax=left)
    assert display.ax_ is left
    assert display.plot(ax=right, target=9) is display
    assert display.ax_ is right
    assert texts(display)[-1] == "target > 9"


@pytest.mark.parametrize(
    ("counts", "error", "message"),
    [
        ([0.0, 1.0], TypeError, "dtype float64"),
        ([True], TypeError, "dtype bool"),
        (np.array([], dtype=int), ValueError, r"got \(0,\)"),
        ([[1, 2]], ValueError, r"got \(1, 2\)"),
        ([3, -1], ValueError, "position 1"),
    ],
)
def test_what_are_no_counts(counts, error, message):
    with pytest.raises(error, match=message):
        CloakingDisplay.from_counts(counts)
