"""What a PrivacyScorer is given, checked: metrics, avatars and the numbers that come back."""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..metrics import METRICS


def resolve_metrics(metrics: Any) -> dict[str, Any]:
    """Return every metric by its name, registered names replaced by estimators."""
    if metrics is None:
        metrics = list(METRICS)
    elif isinstance(metrics, str) or is_estimator(metrics):
        metrics = {metrics if isinstance(metrics, str) else type(metrics).__name__: metrics}
    if isinstance(metrics, (list, tuple)):
        metrics = _by_name(metrics)
    if not isinstance(metrics, Mapping):
        raise TypeError(
            "metrics must be a name, an estimator, a list of names, or a dict of names to names, "
            f"estimators or callables; got {type(metrics).__name__}."
        )
    if not metrics:
        raise ValueError(f"metrics is empty: name at least one of {_valid_names()}.")
    return {_check_key(name): _resolve(name, metric) for name, metric in metrics.items()}


def is_single(metrics: Any) -> bool:
    """Tell whether metrics is one metric, whose score is then a number and no dict."""
    return isinstance(metrics, str) or is_estimator(metrics)


def _by_name(names: list[Any] | tuple[Any, ...]) -> dict[str, str]:
    """Return a list of names as a dict."""
    if not all(isinstance(name, str) for name in names):
        raise TypeError("A list of metrics holds names only; give estimators in a dict by name.")
    if len(set(names)) < len(names):
        raise ValueError(f"metrics names a metric twice: {list(names)}. Name each once.")
    return {name: name for name in names}


def _check_key(name: Any) -> str:
    """Return the key of a metric, which becomes part of a column of ``cv_results_``."""
    if not isinstance(name, str):
        raise TypeError(f"The keys of metrics must be strings, got {type(name).__name__}.")
    return name


def _resolve(name: str, metric: Any) -> Any:
    """Return the estimator or the callable that computes one metric."""
    if isinstance(metric, str):
        if metric not in METRICS:
            raise ValueError(f"Unknown metric {metric!r}; the valid names are {_valid_names()}.")
        return METRICS[metric]()
    if isinstance(metric, type):
        raise TypeError(f"Metric {name!r} is the class {metric.__name__}; pass an instance of it.")
    if not (is_estimator(metric) or callable(metric)):
        raise TypeError(
            f"Metric {name!r} must be a name, an estimator with fit and score, or a callable of "
            f"(X, X_avatars); got {type(metric).__name__}."
        )
    return metric


def is_estimator(metric: Any) -> bool:
    """Tell whether an object can be fitted on originals and score avatars."""
    return not isinstance(metric, type) and hasattr(metric, "fit") and hasattr(metric, "score")


def _valid_names() -> str:
    """Return the names of the registry as a message shows them."""
    return ", ".join(map(repr, METRICS))


def ask_for_avatars(
    estimator: Any, X: Any, response_method: str | Callable[[Any, Any], Any]
) -> Any:
    """Return the avatars that a fitted anonymiser makes of X, one for each row."""
    avatars = _respond(estimator, X, response_method)
    expected, got = np.shape(X), np.shape(avatars)
    if got != expected:
        source = response_method if isinstance(response_method, str) else "response_method"
        raise ValueError(
            f"{source} of {type(estimator).__name__} gave avatars of shape {got}, expected "
            f"{expected}: one avatar for each original, in the same order and with the same "
            "columns. Stored avatars belong to the rows seen in fit: search with "
            "cv=ResubstitutionSplit()."
        )
    return avatars


def _respond(estimator: Any, X: Any, response_method: str | Callable[[Any, Any], Any]) -> Any:
    """Call the method, read the attribute or call the function that gives avatars."""
    if not isinstance(response_method, str):
        if not callable(response_method):
            raise TypeError(
                "response_method must be the name of a method or of a fitted attribute, or a "
                f"callable of (estimator, X); got {type(response_method).__name__}."
            )
        return response_method(estimator, X)
    if not hasattr(estimator, response_method):
        raise AttributeError(
            f"{type(estimator).__name__} has no {response_method!r} once fitted. Set "
            "response_method to the method or attribute that gives its avatars, or to a callable "
            "of (estimator, X)."
        )
    response = getattr(estimator, response_method)
    return response(X) if callable(response) else response


def check_score(name: str, score: Any) -> float:
    """Return what a metric gave as a float."""
    if isinstance(score, np.ndarray) and score.ndim == 0:
        score = score.item()
    if isinstance(score, (bool, np.bool_)) or not isinstance(score, numbers.Real):
        raise TypeError(f"Metric {name!r} must return one real number, got {type(score).__name__}.")
    return float(score)


def accepts_sample_weight(function: Callable[..., Any]) -> bool:
    """Tell whether a function can be given weights."""
    return "sample_weight" in inspect.signature(function).parameters
