"""What every avatar metric is.

Nothing should be added here lightly: whatever stands here, every metric has.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    clone,
)


class AvatarMetric(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Fit on originals, score or transform avatars, and act as a scorer of an anonymiser."""

    # transform gives one column, whatever the width of the table.
    _n_features_out = 1

    def fit(self, X: Any, y: Any = None) -> Self:
        """Keep the originals."""
        raise NotImplementedError

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """Return the metric of the avatars X."""
        raise NotImplementedError

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return one value for every avatar; larger is safer."""
        raise NotImplementedError

    def __call__(
        self, estimator: Any, X: Any, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """Score the avatars that a fitted anonymiser makes of X.

        Parameters
        ----------
        estimator : object with a ``transform`` method
            A fitted anonymiser; row i of ``estimator.transform(X)`` is the avatar of row i.
        X : array-like of shape (n_samples, n_features)
            The originals.
        y : object
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the originals.

        Returns
        -------
        score : float
            Score in percent or in avatars, greater is better.
        """
        avatars = estimator.transform(X)
        return clone(self).fit(X).score(avatars, sample_weight=sample_weight)

    def _accept_sample_weight(self) -> bool:
        """Tell scikit-learn that weights may be passed to this scorer.

        Asked by scikit-learn's dict of scorers while metadata routing is off; can go
        when routing is the only way (scikit-learn's SLEP006).
        """
        return True
