"""Time contenders in turn on one pair of tables, the slow ones on a sample of rows."""

from __future__ import annotations

import importlib
import statistics
import time
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from _contenders import CONTENDERS, Answer, Contender, Rows, Table
from threadpoolctl import threadpool_limits

# Rows of the first trial; each further one has four times as many, until it takes long enough.
N_PILOT = 32
# A sample is taken in so many runs of neighbouring queries, so that caches help as they would.
N_RUNS = 16
# Seconds of a round of all contenders that is not repeated on a large table.
LONG_ROUND = 20.0

Timing = tuple[float, Rows, Answer]


def n_repeats(n: int, seconds: float) -> int:
    """Return how often all are timed at a number of rows, the first round taking so long."""
    if n <= 20_000:
        return 7
    return 1 if n > 200_000 or seconds > LONG_ROUND else 3


def allowed_seconds(n: int) -> float:
    """Return how long one timing of the plain tree may take before rows are sampled."""
    return 0.4 if n <= 20_000 else 2.0 if n <= 200_000 else 6.0


def measure(X: Table, Y: Table, names: Iterable[str]) -> dict[str, Any]:
    """Return the median seconds of each contender, its wrong answers, and what was counted."""
    contenders = {name: CONTENDERS[name] for name in names if CONTENDERS[name].is_installed}
    # Only the thread pools of libraries that are loaded can be limited.
    for module in {one.module for one in contenders.values() if one.module is not None}:
        importlib.import_module(module)
    times: dict[str, list[float]] = {name: [] for name in contenders}
    last: dict[str, Timing] = {}
    with threadpool_limits(limits=1), warnings.catch_warnings():
        # The hostile tables are what the package warns of.
        warnings.simplefilter("ignore", UserWarning)
        sizes = {name: sample_size(one, X, Y) for name, one in contenders.items()}
        start = time.perf_counter()
        repeats = 1
        while len(times["counts"]) < repeats:
            for name, contender in contenders.items():
                last[name] = time_once(contender, X, Y, sizes[name])
                times[name].append(last[name][0])
            if len(times["counts"]) == 1:
                repeats = n_repeats(len(X), time.perf_counter() - start)
    counts = last["counts"][2]
    return {
        "repeats": repeats,
        "median_count": float(np.median(counts)),
        "hidden_rate": 100 * float(np.mean(counts > 0)),
        "contenders": {
            name: {
                "seconds": statistics.median(times[name]),
                "times": times[name],
                "n_queries": sizes[name],
                "wrong": wrong_share(contender, *last[name][1:], counts),
            }
            for name, contender in contenders.items()
        },
    }


def sample_size(contender: Contender, X: Table, Y: Table) -> int:
    """Return how many rows a contender is timed on."""
    n = len(X)
    if contender.is_whole:
        return n
    allowed = contender.share * allowed_seconds(n)
    index, order = contender.prepare(X, Y)
    size = min(n, N_PILOT)
    # What is loaded at the first call is no cost of a query.
    contender.answer(index, X, Y, sample(order, size))
    while True:
        start = time.perf_counter()
        contender.answer(index, X, Y, sample(order, size))
        seconds = time.perf_counter() - start
        # A few rows cost more each than many do: what every call repeats weighs on them.
        if seconds > allowed / 4 or size == n:
            break
        size = min(n, 4 * size)
    wanted = size * allowed / seconds
    # Nearly all rows: then all, and nothing is scaled.
    return n if wanted > 0.7 * n else max(min(n, N_PILOT), int(wanted))


def sample(order: Rows, size: int) -> Rows:
    """Return so many queries in a few runs that are spread over the order."""
    n = len(order)
    if size >= n:
        return order
    n_runs = min(N_RUNS, size)
    ends = np.linspace(0, size, n_runs + 1).astype(int)
    lengths = np.diff(ends)
    starts = ends[:-1] + np.linspace(0, n - size, n_runs, endpoint=False).astype(int)
    runs = [order[start : start + length] for start, length in zip(starts, lengths, strict=True)]
    return np.concatenate(runs)


def time_once(contender: Contender, X: Table, Y: Table, size: int) -> Timing:
    """Return the seconds of a whole call, scaled up from the sampled rows, and the answers."""
    start = time.perf_counter()
    index, order = contender.prepare(X, Y)
    prepared = time.perf_counter()
    rows = sample(order, size)
    answer = contender.answer(index, X, Y, rows)
    answered = time.perf_counter()
    return (prepared - start) + (answered - prepared) * len(X) / len(rows), rows, answer


def wrong_share(contender: Contender, rows: Rows, answer: Answer, counts: Answer) -> float:
    """Return the share of answers that differ from the counts by the tie rule."""
    if contender.is_hidden_only and contender.is_whole:
        return float(not np.isclose(answer[0], 100 * np.mean(counts > 0)))
    right = counts[rows] > 0 if contender.is_hidden_only else counts[rows]
    return float(np.mean(answer != right))
