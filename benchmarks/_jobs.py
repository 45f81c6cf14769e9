"""Time one count with one process, with two, and with two threads."""

from __future__ import annotations

import statistics
import time
import warnings
from typing import Any

import numpy as np
from _contenders import Table
from joblib import parallel_config
from threadpoolctl import threadpool_limits

from skprivacy import closer_avatar_counts

WAYS: dict[str, dict[str, Any]] = {
    "1": {"n_jobs": 1},
    "2": {"n_jobs": 2},
    "threads": {"n_jobs": 2, "backend": "threading"},
}
# The first call with two jobs starts the processes: it is told apart, so two are the fewest.
N_REPEATS, N_REPEATS_OF_LONG_CALLS = 3, 2
LONG_CALL_SECONDS = 5


def measure_jobs(X: Table, Y: Table) -> dict[str, Any]:
    """Return median seconds of each way, in turn, and whether the counts agree."""
    times: dict[str, list[float]] = {way: [] for way in WAYS}
    counts = {}
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        repeats = N_REPEATS
        while len(times["1"]) < repeats:
            for way, settings in WAYS.items():
                with parallel_config(**settings):
                    start = time.perf_counter()
                    counts[way] = closer_avatar_counts(X, Y)
                    times[way].append(time.perf_counter() - start)
            if times["1"][0] > LONG_CALL_SECONDS:
                repeats = N_REPEATS_OF_LONG_CALLS
    first_call = times["2"].pop(0)
    seconds = {way: statistics.median(taken) for way, taken in times.items()}
    return {
        "seconds": seconds,
        "first_call": first_call,
        "speed_up": seconds["1"] / seconds["2"],
        "speed_up_of_threads": seconds["1"] / seconds["threads"],
        "is_identical": all(np.array_equal(counts["1"], other) for other in counts.values()),
    }
