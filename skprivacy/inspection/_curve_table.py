"""The scores of a search, sorted into curves over one parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model_selection import smallest_param_meeting

_MEAN, _STD, _PARAM = "mean_test_", "std_test_", "param_"


class CurveTable(NamedTuple):
    """Scores by metric; each candidate has a place on the parameter axis and a curve."""

    param_name: str
    values: list[Any]
    place: NDArray[np.intp]
    curves: list[str]
    curve: NDArray[np.intp]
    means: dict[str, NDArray[np.float64]]
    stds: dict[str, NDArray[np.float64]]

    def of_curve(self, number: int) -> NDArray[np.intp]:
        """Return the candidates of one curve in the order of the parameter."""
        rows = np.flatnonzero(self.curve == number)
        return rows[np.argsort(self.place[rows], kind="stable")]


def read_cv_results(cv_results: Mapping[str, Any], param_name: str) -> CurveTable:
    """Check and sort the results of a search."""
    column = _PARAM + param_name
    if column not in cv_results:
        searched = [key.removeprefix(_PARAM) for key in cv_results if key.startswith(_PARAM)]
        raise ValueError(
            f"cv_results has no parameter {param_name!r}; the search varied {searched or 'none'}."
        )
    if np.ma.getmaskarray(np.ma.asarray(cv_results[column])).any():
        raise ValueError(
            f"Some candidates do not set {param_name!r}: plot the grid that varies it by itself."
        )
    values, place = _numbered(list(cv_results[column]))
    others = [
        ", ".join(f"{name}={value}" for name, value in params.items() if name != param_name)
        for params in cv_results["params"]
    ]
    curves = list(dict.fromkeys(others))
    curve = np.array([curves.index(other) for other in others], dtype=np.intp)
    if len(set(zip(place.tolist(), curve.tolist(), strict=True))) < len(place):
        raise ValueError(
            f"cv_results holds a candidate more than once: give each value of {param_name!r} once."
        )
    means = _scores(cv_results, _MEAN)
    if not means:
        raise ValueError(
            "cv_results holds no mean_test_... scores: pass cv_results_ of a fitted search."
        )
    return CurveTable(param_name, values, place, curves, curve, means, _scores(cv_results, _STD))


def _scores(cv_results: Mapping[str, Any], prefix: str) -> dict[str, NDArray[np.float64]]:
    """Return the columns of one kind by the name of their metric."""
    return {
        key.removeprefix(prefix): np.asarray(scores, dtype=np.float64)
        for key, scores in cv_results.items()
        if key.startswith(prefix)
    }


def _numbered(values: list[Any]) -> tuple[list[Any], NDArray[np.intp]]:
    """Return the distinct values, numbers in their order, and the place of each value."""
    distinct: list[Any] = []
    for value in values:
        if value not in distinct:
            distinct.append(value)
    if are_numbers(distinct):
        distinct.sort()
    return distinct, np.array([distinct.index(value) for value in values], dtype=np.intp)


def are_numbers(values: list[Any]) -> bool:
    """Tell whether values have places on an axis of numbers."""
    return all(isinstance(v, (int, float, np.number)) and not isinstance(v, bool) for v in values)


def chosen_row(
    cv_results: Mapping[str, Any],
    param_name: str,
    floors: Mapping[str, float] | None,
    best_index: int | None,
) -> int | None:
    """Return the candidate to mark: the one given, else the smallest that meets the floors."""
    means = _scores(cv_results, _MEAN)
    unknown = sorted(set(floors or {}) - set(means))
    if unknown:
        raise ValueError(f"floors name {unknown}, but the search scored {sorted(means)}.")
    n_candidates = len(cv_results["params"])
    if best_index is not None and not 0 <= best_index < n_candidates:
        raise ValueError(
            f"best_index={best_index} is not one of {n_candidates} candidates: give a position "
            "from 0 on, e.g. search.best_index_."
        )
    if best_index is not None or not floors:
        return best_index
    pick = smallest_param_meeting(param_name, floors)
    try:
        return pick(cv_results)
    except ValueError:
        # None meets them all, which the plot shows by marking none.
        return None
