"""Time row matching against a plain pandas merge: ``python benchmarks/rows.py [--rows N]``."""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from skprivacy.metrics._row_matching import match_rows

# Share of avatar rows that are copies of an original row.
COPIED = 0.1


def make_tables(n_rows: int, *, identifying: bool = True) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw originals and avatars of ten mixed columns.

    Without identifying columns every column has few values, so that no row is told apart early.
    """
    rng = np.random.default_rng(0)
    originals, avatars = (_draw(rng, n_rows, identifying=identifying) for _ in range(2))
    copied = rng.random(n_rows) < COPIED
    source = rng.permutation(n_rows)[copied]
    for name in originals.columns:
        avatars.loc[copied, name] = originals[name].take(source).set_axis(avatars.index[copied])
    return originals, avatars


def _draw(rng: np.random.Generator, n: int, *, identifying: bool) -> pd.DataFrame:
    """Draw one table: integers, floats with NaN, text, categories and datetimes."""
    many = n if identifying else 20
    words = np.array([f"word {i}" for i in range(20)], dtype=object)
    towns = pd.Categorical.from_codes(rng.integers(0, 12, n), categories=list("abcdefghijkl"))
    grades = pd.Categorical.from_codes(rng.integers(0, 5, n), categories=[10, 20, 30, 40, 50])
    floats = rng.normal(size=n) if identifying else rng.integers(0, 50, n) / 7
    sparse = np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 40, n) / 3)
    names = np.array([f"name {i}" for i in range(min(many, 50_000))], dtype=object)
    return pd.DataFrame(
        {
            "age": rng.integers(0, 100, n),
            "postcode": rng.integers(10_000, 10_000 + min(many, 50_000), n),
            "income": np.where(rng.random(n) < 0.05, np.nan, floats),
            "dose": sparse,
            "name": names[rng.integers(0, len(names), n)],
            "word": words[rng.integers(0, 20, n)],
            "town": towns,
            "grade": grades,
            "seen": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 1_000 * many // 20, n), unit="s"),
            "born": pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 90, n), unit="D"),
        }
    )


def plain_merge(originals: pd.DataFrame, avatars: pd.DataFrame) -> int:
    """Count the rows of the merge of both tables on all columns."""
    return len(originals.merge(avatars, how="inner"))


def run(n_rows: int = 1_000_000, repeats: int = 5) -> dict[str, Any]:
    """Measure both contenders in turn, with and without identifying columns."""
    results: dict[str, Any] = {"n_rows": n_rows, "repeats": repeats, "pandas": pd.__version__}
    for case, identifying in (("identifying", True), ("few_values", False)):
        tables = make_tables(n_rows, identifying=identifying)
        seconds: dict[str, list[float]] = {"match_rows": [], "merge": []}
        for _ in range(repeats):
            for name, contender in (("match_rows", match_rows), ("merge", plain_merge)):
                start = time.perf_counter()
                contender(*tables)
                seconds[name].append(time.perf_counter() - start)
        medians = {name: statistics.median(times) for name, times in seconds.items()}
        results[case] = {
            "seconds": medians,
            "times_merge": medians["match_rows"] / medians["merge"],
            "memory": _memory(n_rows, case),
        }
    return results


def _memory(n_rows: int, case: str) -> dict[str, float]:
    """Measure the peak memory of one call in a process of its own."""
    command = [sys.executable, __file__, "--rows", str(n_rows), "--memory-of", case]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(answer.stdout)


def _print_memory(n_rows: int, case: str) -> None:
    """Print what one call adds to the memory that the two tables take."""
    tables = make_tables(n_rows, identifying=case == "identifying")
    frames = sum(int(table.memory_usage(deep=True).sum()) for table in tables)
    # The tables were drawn in this process, so its peak is reset before the call.
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = _peak()
    match_rows(*tables)
    added = _peak() - before
    print(
        json.dumps(
            {
                "frames_mb": frames / 2**20,
                "added_mb": added / 2**20,
                "times_frames": (frames + added) / frames,
            }
        )
    )


def _peak() -> int:
    """Return the peak resident memory of this process since it was last reset, in bytes."""
    # getrusage knows only the peak of the whole life of the process.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status).group(1))


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.memory_of:
        _print_memory(arguments.rows, arguments.memory_of)
    else:
        print(json.dumps(run(arguments.rows, arguments.repeats), indent=2))


if __name__ == "__main__":
    main()
