"""Workers, of whatever kind, count what one process counts."""

from __future__ import annotations

from typing import NamedTuple

import joblib
import numpy as np
import pytest

from skprivacy import closer_avatar_counts, hidden_rate_score
from skprivacy.metrics import _closer_avatars, _kd_tree
from skprivacy.metrics._tree_counting import AvatarTree

# Around 1 MB of float64, above which joblib maps arrays into memory, and well beyond it.
SIZES = [131_072, 131_073, 140_000]
BACKENDS = ["loky", "threading", "dask"]


class Case(NamedTuple):
    """Originals, their avatars, and what one process counts."""

    X: np.ndarray
    Y: np.ndarray
    counts: np.ndarray


@pytest.fixture(scope="module", params=SIZES)
def case(request):
    rng = np.random.default_rng(request.param)
    X = rng.normal(size=(request.param, 2))
    Y = X + 0.05 * rng.normal(size=X.shape)
    # Some avatars are copies of others, which the workers have to count as well.
    Y[::7] = Y[::7].round(1)
    return Case(X, Y, closer_avatar_counts(X, Y, n_jobs=1))


@pytest.fixture(scope="module")
def cluster():
    """Start a real cluster of two processes, which joblib's dask backend finds by itself."""
    from distributed import Client, LocalCluster

    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with LocalCluster(**settings, dashboard_address=":0") as local, Client(local):
        yield


@pytest.fixture(params=BACKENDS)
def workers(request, monkeypatch):
    """Let two workers of a kind count whatever is left after the first block."""
    monkeypatch.setattr(_closer_avatars, "_WORTH_WORKERS", 0)
    if request.param == "dask":
        request.getfixturevalue("cluster")
    return lambda: joblib.parallel_config(backend=request.param, n_jobs=2)


@pytest.fixture
def tasks(monkeypatch):
    """Collect the arguments of each task that is handed to joblib."""
    collected = []

    def delayed(function):
        def task(*arguments, **keywords):
            collected.append(arguments)
            return joblib.delayed(function)(*arguments, **keywords)

        return task

    monkeypatch.setattr(_closer_avatars, "delayed", delayed)
    return collected


def test_counts(case, workers, tasks):
    with workers():
        counts = closer_avatar_counts(case.X, case.Y)
    np.testing.assert_array_equal(counts, case.counts, strict=True)
    assert len(tasks) == 2


def test_counts_from_a_tree_built_by_workers(case, workers, monkeypatch):
    monkeypatch.setattr(_kd_tree, "_LARGEST_REGION", 10_000)
    monkeypatch.setattr(_closer_avatars, "_WORTH_WORKERS", np.inf)
    with workers():
        counts = closer_avatar_counts(case.X, case.Y, n_jobs=2)
    np.testing.assert_array_equal(counts, case.counts)


def test_hidden_rate(case, workers, tasks):
    with workers():
        score = hidden_rate_score(case.X, case.Y)
    assert score == pytest.approx(100 * np.mean(case.counts > 0), abs=1e-9)
    assert len(tasks) == 2


def test_n_jobs_and_the_backend_around_it_mean_the_same(case, workers, tasks):
    with workers():
        counts = closer_avatar_counts(case.X, case.Y, n_jobs=2)
    np.testing.assert_array_equal(counts, case.counts)
    assert len(tasks) == 2


def test_avatars_are_shared_by_the_tasks(case, tasks, monkeypatch):
    monkeypatch.setattr(_closer_avatars, "_WORTH_WORKERS", 0)
    with joblib.parallel_config(backend="threading"):
        closer_avatar_counts(case.X, case.Y, n_jobs=2)
    (tree, *first), (same_tree, *second) = tasks
    assert tree is same_tree
    # An original, its own avatar's position and its threshold; nothing else is of one task only.
    n_sent = sum(map(len, first + second))
    assert n_sent == 3 * (len(case.X) - _closer_avatars._FIRST_BLOCK)


def test_avatars_are_large_enough_for_dask_to_send_them_once(case):
    # joblib's dask backend scatters arguments above 1000 bytes, by dask's estimate.
    from dask.sizeof import sizeof

    assert sizeof(AvatarTree(case.Y)) > case.Y.nbytes


def test_short_work_stays_in_one_process(case, tasks, monkeypatch):
    monkeypatch.setattr(_closer_avatars, "_WORTH_WORKERS", np.inf)
    np.testing.assert_array_equal(closer_avatar_counts(case.X, case.Y, n_jobs=2), case.counts)
    assert not tasks


# Not dask: its backend takes all of its cluster's workers, whatever n_jobs says.
@pytest.mark.parametrize("backend", ["loky", "threading", "sequential"])
def test_no_workers_at_all_is_an_error(backend):
    with joblib.parallel_config(backend=backend), pytest.raises(ValueError, match="n_jobs == 0"):
        closer_avatar_counts([[0.0], [1.0]], [[0.0], [1.0]], n_jobs=0)
