"""All metrics of an anonymiser's avatars in one call, nothing computed twice."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import BaseEstimator, clone
from sklearn.utils.metadata_routing import MetadataRequest

from .._callers import levels_to_the_caller
from ..metrics._base import AvatarMetric
from ..metrics._paired import PairedMetric
from ..metrics._shared_counts import groups_sharing_counts, score_together
from ._scorer_inputs import (
    accepts_sample_weight,
    ask_for_avatars,
    check_score,
    is_estimator,
    is_single,
    resolve_metrics,
)


class PrivacyScorer(BaseEstimator):
    """Scorer of a fitted anonymiser: its avatars of X, measured by one or more metrics.

    Greater is better for every metric of this package: ``hidden_rate`` and
    ``row_direct_match_protection`` are in percent, up to 100, and ``local_cloaking`` is a
    number of avatars, from 0. Pass it as ``scoring`` to scikit-learn's searches and
    cross-validation. The anonymiser is asked for avatars once per call, so that all
    metrics judge the same draw, and avatars are counted once for all metrics that share
    the counts.

    Parameters
    ----------
    metrics : str, estimator, list of str or dict, default=None
        What to measure. By default all metrics of this package, by the names above. One
        name or one estimator makes the scorer return a float, as ``validation_curve``
        needs. A dict gives each score a name and its metric: a name, an estimator with
        ``fit`` (on the originals) and ``score`` (of the avatars), or a callable
        ``(X, X_avatars) -> float``.
    projection : transformer, default=None
        Makes coordinates of both tables for the metrics that compare distances, e.g.
        ``FAMD(n_components=5)``. A clone is fitted on the originals in each call; wrap a
        fitted one in :class:`sklearn.frozen.FrozenEstimator` to fit it once for a whole
        search. Row Direct Match Protection, estimators of your own and callables get the
        raw rows.
    response_method : str or callable, default="transform"
        Where the avatars come from: the name of a method that is given X, the name of a
        fitted attribute, or a callable ``(estimator, X) -> avatars``. Row ``i`` of the
        avatars belongs to row ``i`` of X.
    raise_exc : bool, default=True
        Whether an error is raised. Otherwise the metrics that it concerns are NaN, with
        a warning.

    See Also
    --------
    ResubstitutionSplit : Judge the avatars of the rows the anonymiser was fitted on.
    smallest_param_meeting : Choose the smallest parameter that protects enough.

    Notes
    -----
    As in scikit-learn, ``sample_weight`` reaches the metrics that name it in their
    signature (all of this package do) and no others.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from skprivacy import KNeighborsAnonymizer, PrivacyScorer
    >>> X = load_iris().data
    >>> anonymizer = KNeighborsAnonymizer(n_neighbors=10, random_state=0).fit(X)
    >>> scorer = PrivacyScorer(projection=PCA(2, svd_solver="full"))
    >>> sorted(scorer(anonymizer, X))
    ['hidden_rate', 'local_cloaking', 'row_direct_match_protection']
    >>> PrivacyScorer("row_direct_match_protection")(anonymizer, X)
    100.0
    """

    def __init__(
        self,
        metrics: Any = None,
        *,
        projection: Any = None,
        response_method: str | Callable[[Any, Any], Any] = "transform",
        raise_exc: bool = True,
    ) -> None:
        self.metrics = metrics
        self.projection = projection
        self.response_method = response_method
        self.raise_exc = raise_exc

    def __call__(
        self, estimator: Any, X: Any, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> dict[str, float] | float:
        """Score the avatars that a fitted anonymiser makes of X.

        Parameters
        ----------
        estimator : object
            A fitted anonymiser.
        X : array-like of shape (n_samples, n_features)
            The originals.
        y : object
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the originals.

        Returns
        -------
        scores : dict of str to float, or float
            One score for each metric; a float when ``metrics`` is one name or estimator.

        Raises
        ------
        TypeError
            If metrics or response_method is of another kind than documented, or a metric
            does not return a number.
        ValueError
            If a metric is unknown, or the avatars differ from X in their shape; and, as
            TypeError, whatever else a metric or the projection refuses.
        AttributeError
            If the anonymiser has no such method or attribute.

        Warns
        -----
        UserWarning
            If the scores are implausible (see :func:`hidden_rate_score`), or a metric
            failed and ``raise_exc`` is False.
        """
        metrics = resolve_metrics(self.metrics)
        scores = dict.fromkeys(metrics, math.nan)
        with self._failures_of(metrics):
            avatars = ask_for_avatars(estimator, X, self.response_method)
            self._fill(scores, metrics, X, avatars, sample_weight)
        return next(iter(scores.values())) if is_single(self.metrics) else scores

    def set_score_request(self, *, sample_weight: bool | str | None) -> Self:
        """Say whether weights are for this scorer, when metadata routing is enabled.

        Parameters
        ----------
        sample_weight : bool, str or None
            True: pass weights on; False: do not; None: raise an error if they are given;
            a str: the name they go by.

        Returns
        -------
        self : object
            The scorer itself.

        Raises
        ------
        RuntimeError
            If metadata routing is not enabled.
        """
        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "This method is only available when metadata routing is enabled. You can enable "
                "it using sklearn.set_config(enable_metadata_routing=True)."
            )
        # The attribute that scikit-learn's clone carries over.
        self._metadata_request = self._request(sample_weight=sample_weight)
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Get the metadata that this scorer requests.

        Returns
        -------
        request : sklearn.utils.metadata_routing.MetadataRequest
            Whether ``sample_weight`` is requested.
        """
        if not hasattr(self, "_metadata_request"):
            return self._request(sample_weight=None)
        return super().get_metadata_routing()

    def _request(self, *, sample_weight: bool | str | None) -> MetadataRequest:
        """Return the request; a scorer is called, so no method's signature tells it."""
        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=sample_weight)
        return request

    def _accept_sample_weight(self) -> bool:
        """Tell scikit-learn that weights may be passed to this scorer.

        Asked by scikit-learn's searches while metadata routing is off; can go when
        routing is the only way (scikit-learn's SLEP006).
        """
        return True

    def _fill(
        self,
        scores: dict[str, float],
        metrics: dict[str, Any],
        X: Any,
        avatars: Any,
        sample_weight: ArrayLike | None,
    ) -> None:
        """Write the score of every metric into scores."""
        paired = {name: m for name, m in metrics.items() if isinstance(m, PairedMetric)}
        with self._failures_of(paired):
            tables = self._project(X, avatars) if paired else (X, avatars)
            for names in groups_sharing_counts(paired):
                with self._failures_of(names):
                    group = [paired[name] for name in names]
                    scores.update(
                        zip(names, score_together(group, *tables, sample_weight), strict=True)
                    )
        # Code of the user's comes last: it may change the avatars in place.
        rows = [name for name in metrics if name not in paired]
        for name in sorted(rows, key=lambda name: not isinstance(metrics[name], AvatarMetric)):
            with self._failures_of([name]):
                scores[name] = check_score(
                    name, _score_alone(metrics[name], X, avatars, sample_weight)
                )

    def _project(self, X: Any, avatars: Any) -> tuple[Any, Any]:
        """Return coordinates of both tables, by a projection that saw the originals only."""
        if self.projection is None:
            return X, avatars
        # FrozenEstimator.fit has no default for y.
        projection = clone(self.projection).fit(X, None)
        return projection.transform(X), projection.transform(avatars)

    @contextmanager
    def _failures_of(self, names: Collection[str]) -> Iterator[None]:
        """Leave the named scores NaN, with a warning, if an error is not to be raised."""
        try:
            yield
        except Exception as error:
            if self.raise_exc:
                raise
            # Without the error's own text, which may quote a cell.
            warnings.warn(
                f"No score for {', '.join(map(repr, names))}: {type(error).__name__}. It is NaN; "
                "PrivacyScorer(raise_exc=True) raises the error.",
                UserWarning,
                stacklevel=levels_to_the_caller(),
            )


def _score_alone(metric: Any, X: Any, avatars: Any, sample_weight: ArrayLike | None) -> Any:
    """Return what an estimator's score or a callable gives for the raw rows."""
    score = clone(metric, safe=False).fit(X).score if is_estimator(metric) else partial(metric, X)
    weighs = sample_weight is not None and accepts_sample_weight(score)
    return score(avatars, sample_weight=sample_weight) if weighs else score(avatars)
