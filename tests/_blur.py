"""An anonymiser with a number to turn, in a module that worker processes can import."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.neighbors import NearestNeighbors


class Blur(TransformerMixin, BaseEstimator):
    """Replace each record by the mean of its k nearest others; deterministic."""

    def __init__(self, k=2):
        self.k = k

    def fit(self, X, y=None, sample_weight=None):
        self.rows_ = np.asarray(X, dtype=float)
        return self

    def transform(self, X):
        neighbours = NearestNeighbors(n_neighbors=self.k + 1).fit(self.rows_)
        nearest = neighbours.kneighbors(np.asarray(X, dtype=float), return_distance=False)
        avatars = self.rows_[nearest[:, 1:]].mean(axis=1)
        return pd.DataFrame(avatars, X.index, X.columns) if isinstance(X, pd.DataFrame) else avatars
