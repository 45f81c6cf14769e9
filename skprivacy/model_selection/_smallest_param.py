"""The choice of the smallest parameter that protects enough."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SCORE_PREFIX = "mean_test_"


def smallest_param_meeting(
    param: str, floors: Mapping[str, float]
) -> Callable[[Mapping[str, Any]], int]:
    """Make a ``refit`` that picks the smallest parameter whose mean scores reach all floors.

    Greater scores are better, and a score equal to its floor reaches it. Among candidates
    that share the smallest value (a grid of several parameters) the highest mean Hidden
    Rate decides, then the first.

    Parameters
    ----------
    param : str
        Name of the parameter in the grid; its values are numbers.
    floors : dict of str to float
        Least mean score for each metric, by the names that the scorer gives them. The one
        metric of a single-metric search goes by the name ``"score"``.

    Returns
    -------
    refit : callable
        Give it as ``refit`` to ``GridSearchCV`` or ``RandomizedSearchCV``. Called with
        ``cv_results_`` it returns ``best_index_``, or raises a ValueError if the grid has
        no such parameter, a metric has no scores or only NaN, or no candidate reaches all
        floors. A candidate with a score that is not finite reaches nothing.

    Raises
    ------
    TypeError
        If param is not a string, floors is not a dict of names, or a floor is not a number.
    ValueError
        If floors is empty, or a floor is not finite.

    See Also
    --------
    PrivacyScorer : The scorer whose scores it reads.

    Examples
    --------
    >>> from skprivacy import smallest_param_meeting
    >>> refit = smallest_param_meeting("n_neighbors", {"hidden_rate": 90})
    >>> refit({"param_n_neighbors": [5, 20, 10], "mean_test_hidden_rate": [71.0, 95.5, 90.0]})
    2
    """
    if not isinstance(param, str):
        raise TypeError(f"param must be the name of a parameter, got {type(param).__name__}.")
    if not isinstance(floors, Mapping):
        raise TypeError(f"floors must be a dict of names to numbers, got {type(floors).__name__}.")
    if not floors:
        raise ValueError("floors is empty: give at least one, e.g. {'hidden_rate': 90}.")
    for name, floor in floors.items():
        _check_floor(name, floor)
    return _SmallestParamMeeting(param, dict(floors))


def _check_floor(name: Any, floor: Any) -> None:
    """Raise an error unless this is a finite number for a name."""
    if not isinstance(name, str):
        raise TypeError(f"The keys of floors must be strings, got {type(name).__name__}.")
    if not _is_real(floor):
        raise TypeError(f"The floor of {name!r} must be a number, got {type(floor).__name__}.")
    if not math.isfinite(floor):
        raise ValueError(f"The floor of {name!r} must be finite, got {floor}.")


def _names(cv_results: Mapping[str, Any], prefix: str) -> list[str]:
    """Return the names of the columns with a prefix, without it."""
    return [key.removeprefix(prefix) for key in cv_results if key.startswith(prefix)]


def _is_real(value: Any) -> bool:
    """Tell whether a value is a real number."""
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


@dataclass(frozen=True)
class _SmallestParamMeeting:
    """The callable that smallest_param_meeting makes: a class, so that it pickles."""

    param: str
    floors: dict[str, float]

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        """Return the position of the candidate to refit."""
        values = self._values(cv_results)
        scores = {name: self._scores(cv_results, name) for name in self.floors}
        reached = [
            np.isfinite(scores[name]) & (scores[name] >= floor)
            for name, floor in self.floors.items()
        ]
        passing = np.isfinite(values) & np.all(reached, axis=0)
        if not passing.any():
            raise ValueError(self._best_reached(values, scores))
        smallest = np.flatnonzero(passing & (values == values[passing].min()))
        hidden_rate = cv_results.get(f"{_SCORE_PREFIX}hidden_rate")
        if hidden_rate is None:
            return int(smallest[0])
        ranks = np.nan_to_num(np.asarray(hidden_rate, dtype=np.float64)[smallest], nan=-np.inf)
        return int(smallest[np.argmax(ranks)])

    def __repr__(self) -> str:
        return f"smallest_param_meeting({self.param!r}, {self.floors!r})"

    def _values(self, cv_results: Mapping[str, Any]) -> NDArray[np.float64]:
        """Return the parameter of each candidate, NaN for those that do not set it."""
        key = f"param_{self.param}"
        if key not in cv_results:
            raise ValueError(
                f"The search has no parameter {self.param!r}; its parameters are "
                f"{_names(cv_results, 'param_')}."
            )
        column = np.ma.asarray(cv_results[key])
        unset = np.ma.getmaskarray(column)
        for value in column.data[~unset]:
            if not _is_real(value) or math.isnan(value):
                raise ValueError(
                    f"The values of {self.param!r} must be numbers, for the smallest is chosen; "
                    f"got one of type {type(value).__name__}."
                )
        values = np.full(len(column), np.nan)
        values[~unset] = column.data[~unset]
        return values

    def _scores(self, cv_results: Mapping[str, Any], name: str) -> NDArray[np.float64]:
        """Return the mean score of each candidate."""
        key = f"{_SCORE_PREFIX}{name}"
        if key not in cv_results:
            raise ValueError(
                f"The search has no metric {name!r}; its metrics are "
                f"{_names(cv_results, _SCORE_PREFIX)}, where 'score' is that of a search by a "
                "single metric."
            )
        scores = np.asarray(cv_results[key], dtype=np.float64)
        if np.isnan(scores).all():
            raise ValueError(
                f"Every score of {name!r} is NaN, so no candidate can be chosen. Search with "
                "error_score='raise' to see why."
            )
        return scores

    def _best_reached(
        self, values: NDArray[np.float64], scores: dict[str, NDArray[np.float64]]
    ) -> str:
        """Say how close the candidates came."""
        best = []
        for name, floor in self.floors.items():
            at = int(np.nanargmax(scores[name]))
            best.append(
                f"{name} at most {scores[name][at]:.10g} (at {self.param}={values[at]:g}; "
                f"floor {floor:g})"
            )
        return (
            f"No candidate reaches all floors at once: {', '.join(best)}. Search larger values of "
            f"{self.param!r} or lower a floor; refit=False keeps cv_results_."
        )
