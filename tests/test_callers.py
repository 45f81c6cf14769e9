"""Warnings point to the line that called the package, whatever lies in between."""

from __future__ import annotations

import warnings
from types import FunctionType

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skprivacy import (
    FAMD,
    HiddenRate,
    KNeighborsAnonymizer,
    PrivacyScorer,
    ResubstitutionSplit,
    hidden_rate_score,
    privacy_report,
    row_direct_match_protection_score,
)
from skprivacy._callers import levels_to_the_caller

X = np.random.default_rng(0).normal(size=(60, 2))
ELSEWHERE = X + 100
SQUARE = pd.DataFrame({"a": [1, 1, -1, -1], "b": [1, -1, 1, -1]})
BLANKS = pd.DataFrame({"a": ["x ", "y"]}), pd.DataFrame({"a": ["x", "z"]})
FAILING = PrivacyScorer({"fails": HiddenRate(n_components=9)}, raise_exc=False)
SEARCH = GridSearchCV(
    KNeighborsAnonymizer(random_state=0),
    {"n_neighbors": [2]},
    cv=ResubstitutionSplit(),
    scoring=FAILING,
    refit=False,
)
CALLS = {
    "a function": lambda: hidden_rate_score(X, ELSEWHERE),
    "a method": lambda: HiddenRate().fit(X).score(ELSEWHERE),
    "a pipeline": lambda: make_pipeline(StandardScaler(), HiddenRate()).fit(X).score(ELSEWHERE),
    "rows": lambda: row_direct_match_protection_score(*BLANKS),
    "a report": lambda: privacy_report(X, ELSEWHERE),
    "a fit": lambda: FAMD(1).fit(SQUARE),
    "a wrapped method": lambda: FAMD(1).fit_transform(SQUARE),
    "a scorer": lambda: FAILING(KNeighborsAnonymizer(random_state=0).fit(X), X),
    "a search": lambda: SEARCH.fit(X),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_line_of_the_call_is_shown(name):
    call = CALLS[name]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    # A search has a warning of scikit-learn's own besides.
    places = {(w.filename, w.lineno) for w in caught if "non-finite" not in str(w.message)}
    assert places == {(__file__, call.__code__.co_firstlineno)}


def test_levels_are_counted_from_the_function_that_warns():
    def ask():
        return levels_to_the_caller()

    names = {"levels_to_the_caller": levels_to_the_caller}
    assert ask() == 1
    for module in ("skprivacy", "skprivacy.metrics._x", "sklearn.base", "joblib", "contextlib"):
        assert FunctionType(ask.__code__, {**names, "__name__": module})() == 2
    for module in ("skprivacy_tools", "numpy", "__main__"):
        assert FunctionType(ask.__code__, {**names, "__name__": module})() == 1
