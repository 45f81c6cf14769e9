"""Whatever counts closer avatars, or tells whether there is one: ours and the usual ways.

Each is timed as its preparation (an index of the avatars, an order of the queries) and its
answer for some rows, so that a slow one can be timed on a sample of rows.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances_chunked
from sklearn.neighbors import KDTree
from sklearn.utils import gen_batches

from skprivacy import closer_avatar_counts, hidden_rate_score

Table = NDArray[np.float64]
Rows = NDArray[np.intp]
Answer = NDArray[Any]

# Distances that cdist holds at once (128 MiB).
CELLS_AT_ONCE = 2**24


def _nothing(X: Table, _Y: Table) -> tuple[None, Rows]:
    """Prepare nothing; queries come in the order of the table."""
    return None, np.arange(len(X))


@dataclass(frozen=True)
class Contender:
    """One way to answer, and how it may be timed."""

    label: str
    answer: Callable[[Any, Table, Table, Rows], Answer]
    prepare: Callable[[Table, Table], tuple[Any, Rows]] = _nothing
    #: Answers only whether c_i is 0, not how large it is.
    is_hidden_only: bool = False
    #: Is always timed as one call on all rows.
    is_whole: bool = False
    #: Part of the time allowed for one timing, beyond which a sample of rows is timed.
    share: float = 0.25
    #: The module without whose package it is left out.
    module: str | None = None

    @property
    def is_installed(self) -> bool:
        """Tell whether its package is there."""
        if self.module is None:
            return True
        return importlib.util.find_spec(self.module.partition(".")[0]) is not None


def own_distances(X: Table, Y: Table, rows: Rows) -> Table:
    """Return the distance of each original to its own avatar."""
    return np.linalg.norm(X[rows] - Y[rows], axis=1)


def answer_cdist(_: None, X: Table, Y: Table, rows: Rows) -> Answer:
    """Compare all distances, a block of originals at a time."""
    counts = np.empty(len(rows), dtype=np.int64)
    for block in gen_batches(len(rows), max(1, CELLS_AT_ONCE // len(Y))):
        part = rows[block]
        distances = cdist(X[part], Y)
        own = distances[np.arange(len(part)), part]
        counts[block] = (distances <= own[:, None]).sum(axis=1) - 1
    return counts


def answer_chunked(_: None, X: Table, Y: Table, rows: Rows) -> Answer:
    """Compare all distances in the chunks that scikit-learn makes."""

    def count(distances: Table, start: int) -> Answer:
        part = rows[start : start + len(distances)]
        own = distances[np.arange(len(part)), part]
        return (distances <= own[:, None]).sum(axis=1) - 1

    chunks: Iterator[Answer] = pairwise_distances_chunked(X[rows], Y, reduce_func=count)
    return np.concatenate(list(chunks))


def prepare_plain(X: Table, Y: Table) -> tuple[KDTree, Rows]:
    """Build scikit-learn's tree."""
    return KDTree(Y), np.arange(len(X))


def answer_plain(tree: KDTree, X: Table, Y: Table, rows: Rows) -> Answer:
    """Count within the own distance as it comes, which often loses the own avatar."""
    radius = own_distances(X, Y, rows)
    return tree.query_radius(X[rows], r=radius, count_only=True).astype(np.int64) - 1


def prepare_scipy(_X: Table, Y: Table) -> tuple[cKDTree, Rows]:
    """Build scipy's tree and put the originals in the order of their avatars in it."""
    tree = cKDTree(Y)
    return tree, np.asarray(tree.indices)


def answer_scipy(tree: cKDTree, X: Table, Y: Table, rows: Rows) -> Answer:
    """Count within a radius wide enough to keep the own avatar."""
    radius = own_distances(X, Y, rows) * (1 + 1e-12)
    return tree.query_ball_point(X[rows], radius, return_length=True, workers=1) - 1


def prepare_faiss(X: Table, Y: Table) -> tuple[Any, Rows]:
    """Fill the flat index that the published code of the avatar method uses."""
    import faiss  # noqa: PLC0415 (an optional contender)

    index = faiss.IndexFlatL2(Y.shape[1])
    index.add(Y.astype(np.float32))
    return index, np.arange(len(X))


def answer_faiss(index: Any, X: Table, _Y: Table, rows: Rows) -> Answer:
    """Tell whether the nearest avatar is not the own one."""
    distances, found = index.search(X[rows].astype(np.float32), 2)
    return _is_hidden(distances, found, rows)


def prepare_pykdtree(X: Table, Y: Table) -> tuple[Any, Rows]:
    """Build the tree of pykdtree."""
    from pykdtree.kdtree import KDTree as PyKDTree  # noqa: PLC0415 (an optional contender)

    return PyKDTree(Y), np.arange(len(X))


def answer_pykdtree(tree: Any, X: Table, _Y: Table, rows: Rows) -> Answer:
    """Tell whether the nearest avatar is not the own one."""
    distances, found = tree.query(X[rows], k=2)
    return _is_hidden(distances, found.astype(np.intp), rows)


def _is_hidden(distances: Table, found: Rows, rows: Rows) -> Answer:
    """Tell whether another avatar is nearest, or as near as the own one."""
    return (found[:, 0] != rows) | (distances[:, 1] <= distances[:, 0])


def answer_counts(_: None, X: Table, Y: Table, _rows: Rows) -> Answer:
    """Count with all checks."""
    return closer_avatar_counts(X, Y)


def answer_hidden_rate(_: None, X: Table, Y: Table, _rows: Rows) -> Answer:
    """Score with all checks; the score stands for the answers of the single rows."""
    return np.array([hidden_rate_score(X, Y)])


CONTENDERS: dict[str, Contender] = {
    "counts": Contender("`closer_avatar_counts`", answer_counts, is_whole=True),
    "hidden_rate": Contender(
        "`hidden_rate_score`", answer_hidden_rate, is_hidden_only=True, is_whole=True
    ),
    "plain": Contender(
        "`KDTree.query_radius(count_only=True)`", answer_plain, prepare_plain, share=1.0
    ),
    "scipy": Contender(
        "`cKDTree.query_ball_point(return_length=True)`", answer_scipy, prepare_scipy, share=0.5
    ),
    "chunked": Contender("`pairwise_distances_chunked`", answer_chunked),
    "cdist": Contender("`cdist`, all pairs", answer_cdist),
    "faiss": Contender(
        "FAISS flat index, k = 2",
        answer_faiss,
        prepare_faiss,
        is_hidden_only=True,
        module="faiss",
    ),
    "pykdtree": Contender(
        "`pykdtree`, k = 2",
        answer_pykdtree,
        prepare_pykdtree,
        is_hidden_only=True,
        module="pykdtree.kdtree",
    ),
}
