"""Measure everything that the performance page shows: ``python benchmarks/run.py``."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import rows
import selection
from _data import Case, load, paths_of
from _growth import fit_growth
from _jobs import measure_jobs
from _markdown import render
from _memory import measure_memory
from _plan import DIMS, SIZES, Plan
from _targets import list_targets
from _timing import measure

FOLDER = Path(__file__).resolve().parent
PACKAGES = ("skprivacy", "scikit-learn", "numpy", "scipy", "pandas", "faiss-cpu", "pykdtree")
A_MILLION = 1_000_000


def run(plan: Plan, folder: Path) -> dict[str, Any]:
    """Measure a plan; the tables are kept in the folder."""
    start = time.perf_counter()
    results: dict[str, Any] = {"environment": describe_environment(), "is_full": plan.is_full}
    results["cells"] = [measure_cell(case, names, folder) for case, names in plan.cells()]
    results["jobs"] = [measure_job(case, folder) for case in job_cases(plan, results["cells"])]
    if A_MILLION in plan.sizes and 5 in plan.dims:
        say("peak memory")
        results["memory"] = measure_memory(paths_of(Case("mixture", A_MILLION, 5), folder))
    say("row matching")
    n_rows = A_MILLION if plan.is_full else max(plan.sizes) * 10
    results["rows"] = rows.run(min(n_rows, A_MILLION), repeats=3)
    say("selection over k")
    results["selection"] = selection.run(10_000 if plan.is_full else 2_000, repeats=3)
    results["growth"] = fit_growth(results["cells"])
    results["targets"] = list_targets(results)
    results["minutes"] = (time.perf_counter() - start) / 60
    return results


def say(what: str) -> None:
    """Show how far the run is."""
    print(f"{datetime.now(UTC):%H:%M:%S}  {what}", file=sys.stderr, flush=True)


def describe_environment() -> dict[str, Any]:
    """Return what the figures depend on, as far as it names no machine."""
    installed = {d.name.lower() for d in importlib.metadata.distributions()}
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "cores": os.cpu_count(),
        "machine": platform.machine(),
        "system": platform.system(),
        "versions": {
            "Python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in PACKAGES if name in installed},
        },
    }


def measure_cell(case: Case, names: tuple[str, ...], folder: Path) -> dict[str, Any]:
    """Time the contenders on one case."""
    X, Y = load(case, folder)
    say(case.name)
    return {**vars(case), **measure(X, Y, names)}


def job_cases(plan: Plan, cells: list[dict[str, Any]]) -> list[Case]:
    """Return mixtures of each size, and the table whose count takes longest."""
    slowest = max(cells, key=lambda cell: cell["contenders"]["counts"]["seconds"])
    mixtures = [Case("mixture", n, 5) for n in plan.sizes]
    last = Case(**{name: slowest[name] for name in ("kind", "n", "d", "k", "noise")})
    return mixtures if last in mixtures else [*mixtures, last]


def measure_job(case: Case, folder: Path) -> dict[str, Any]:
    """Time one and two processes on one case."""
    X, Y = load(case, folder)
    say(f"{case.name}, two processes")
    return {**vars(case), **measure_jobs(X, Y)}


def write(results: dict[str, Any], output: Path) -> None:
    """Write the results and, beside them, the tables."""
    output.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    output.with_suffix(".md").write_text(render(results), encoding="utf-8")


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="10 000 rows only (two minutes)")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of rows")
    parser.add_argument("--dims", type=int, nargs="+", default=DIMS, help="numbers of columns")
    parser.add_argument(
        "--output",
        type=Path,
        help="JSON file to write, the tables going beside it as .md (default: results.json in "
        "benchmarks, which the documentation shows; results_part.json after a reduced run)",
    )
    return parser.parse_args(arguments)


def main() -> None:
    """Run from the command line."""
    arguments = parse()
    sizes = (10_000,) if arguments.quick else tuple(sorted(arguments.sizes))
    plan = Plan(sizes, tuple(sorted(arguments.dims)))
    default = FOLDER / ("results.json" if plan.is_full else "results_part.json")
    output = arguments.output or default
    with tempfile.TemporaryDirectory() as folder:
        results = run(plan, Path(folder))
    write(results, output)
    print(render(results))


if __name__ == "__main__":
    main()
