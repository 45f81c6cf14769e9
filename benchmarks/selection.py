"""Time a search over ten k against ten separate evaluations: ``python benchmarks/selection.py``."""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from skprivacy import (
    FAMD,
    HiddenRate,
    KNeighborsAnonymizer,
    LocalCloaking,
    PrivacyScorer,
    ResubstitutionSplit,
    RowDirectMatchProtection,
)

N_NEIGHBORS = (2, 3, 5, 7, 10, 15, 20, 30, 40, 50)
N_COMPONENTS = 5
Scores = dict[str, list[float]]


def make_table(n_rows: int) -> pd.DataFrame:
    """Draw a mixed table with a few correlated factors behind its columns."""
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(n_rows, 4))
    numbers = factors @ rng.normal(size=(4, 8)) + rng.normal(size=(n_rows, 8))
    table = pd.DataFrame(numbers.round(2), columns=[f"number_{j}" for j in range(8)])
    for j in range(2):
        level = np.digitize(factors[:, j] + rng.normal(size=n_rows), [-1.0, 0.0, 1.0])
        table[f"category_{j}"] = np.array(["low", "mid", "high", "top"], dtype=object)[level]
    return table


def separately(X: pd.DataFrame) -> Scores:
    """Evaluate each k on its own: every metric by its own pipeline, all on one draw."""
    scores: Scores = {"hidden_rate": [], "local_cloaking": [], "row_direct_match_protection": []}
    metrics = {
        "hidden_rate": make_pipeline(FAMD(N_COMPONENTS), HiddenRate()),
        "local_cloaking": make_pipeline(FAMD(N_COMPONENTS), LocalCloaking()),
        "row_direct_match_protection": RowDirectMatchProtection(),
    }
    for k in N_NEIGHBORS:
        avatars = _anonymizer(FAMD(N_COMPONENTS)).set_params(n_neighbors=k).fit(X).transform(X)
        for name, metric in metrics.items():
            scores[name].append(metric.fit(X).score(avatars))
    return scores


def by_search(X: pd.DataFrame) -> Scores:
    """Evaluate all k by one search, each call fitting its projections."""
    return _search(X, FAMD(N_COMPONENTS))


def by_search_frozen(X: pd.DataFrame) -> Scores:
    """Evaluate all k by one search that fits the projection once."""
    return _search(X, FrozenEstimator(FAMD(N_COMPONENTS).fit(X)))


def _anonymizer(projection: Any) -> KNeighborsAnonymizer:
    """Return the anonymiser whose k is turned."""
    return KNeighborsAnonymizer(projection=projection, random_state=0)


def _search(X: pd.DataFrame, projection: Any) -> Scores:
    """Return the scores of each k by a search without a last fit."""
    search = GridSearchCV(
        _anonymizer(projection),
        {"n_neighbors": N_NEIGHBORS},
        scoring=PrivacyScorer(projection=projection),
        cv=ResubstitutionSplit(),
        refit=False,
        error_score="raise",
    ).fit(X)
    prefix = "mean_test_"
    columns = [key for key in search.cv_results_ if key.startswith(prefix)]
    return {key.removeprefix(prefix): search.cv_results_[key].tolist() for key in columns}


CONTENDERS: dict[str, Callable[[pd.DataFrame], Scores]] = {
    "separately": separately,
    "search": by_search,
    "search_frozen": by_search_frozen,
}


def run(n_rows: int = 10_000, repeats: int = 3) -> dict[str, Any]:
    """Measure the contenders in turn and check that they agree."""
    X = make_table(n_rows)
    seconds: dict[str, list[float]] = {name: [] for name in CONTENDERS}
    for _ in range(repeats):
        answers = []
        for name, contender in CONTENDERS.items():
            start = time.perf_counter()
            answers.append(contender(X))
            seconds[name].append(time.perf_counter() - start)
        assert answers[0] == answers[1] == answers[2]
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    return {
        "n_rows": n_rows,
        "repeats": repeats,
        "n_candidates": len(N_NEIGHBORS),
        "scikit-learn": sklearn.__version__,
        "seconds": medians,
        "share_of_separate": {
            name: medians[name] / medians["separately"] for name in ("search", "search_frozen")
        },
    }


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    print(json.dumps(run(arguments.rows, arguments.repeats), indent=2))


if __name__ == "__main__":
    main()
