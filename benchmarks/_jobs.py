"""Time one count with one and with two processes."""

from __future__ import annotations

import statistics
import time
import warnings
from typing import Any

import numpy as np
from _contenders import Table
from threadpoolctl import threadpool_limits

from skprivacy import closer_avatar_counts

# The first call with two jobs starts the processes: it is told apart, so two are the fewest.
N_REPEATS, N_REPEATS_OF_LONG_CALLS = 3, 2
LONG_CALL_SECONDS = 5


def measure_jobs(X: Table, Y: Table) -> dict[str, Any]:
    """Return median seconds with one and two jobs, in turn, and whether the counts agree."""
    times: dict[int, list[float]] = {1: [], 2: []}
    counts = {}
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        repeats = N_REPEATS
        while len(times[2]) < repeats:
            for n_jobs, seconds in times.items():
                start = time.perf_counter()
                counts[n_jobs] = closer_avatar_counts(X, Y, n_jobs=n_jobs)
                seconds.append(time.perf_counter() - start)
            if times[1][0] > LONG_CALL_SECONDS:
                repeats = N_REPEATS_OF_LONG_CALLS
    one, two = times[1], times[2]
    return {
        "seconds": {"1": statistics.median(one), "2": statistics.median(two[1:])},
        "first_call": two[0],
        "speed_up": statistics.median(one) / statistics.median(two[1:]),
        "is_identical": bool(np.array_equal(counts[1], counts[2])),
    }
