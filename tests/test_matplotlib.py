"""Plots without matplotlib say how to get it, before any work."""

from __future__ import annotations

import sys

import pytest

from skprivacy import CloakingDisplay, KNeighborsAnonymizer, PrivacyCurveDisplay
from skprivacy.inspection._matplotlib import check_matplotlib


@pytest.mark.parametrize(
    "plot",
    [
        lambda: check_matplotlib("A plot"),
        lambda: CloakingDisplay.from_counts([1]),
        lambda: CloakingDisplay.from_estimator(KNeighborsAnonymizer(), None),
        lambda: CloakingDisplay(bins=[(0, 0)], shares=[100.0], median=0.0).plot(),
        lambda: PrivacyCurveDisplay.from_cv_results({}, param_name="k"),
        lambda: PrivacyCurveDisplay.from_estimator(None, None, param_name="k", param_range=[1]),
        lambda: PrivacyCurveDisplay(table=None).plot(),
    ],
)
def test_the_message_says_how_to_install_it(plot, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"needs matplotlib\. Install it with: pip install"):
        plot()


def test_with_matplotlib_nothing_is_raised():
    check_matplotlib("A plot")
