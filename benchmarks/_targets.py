"""What the package sets out to reach, beside what was measured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

# How many times the plain tree, by kind of table, rows and columns, at k = 20.
TIMES_PLAIN = {
    ("mixture", 10_000): {2: 1.8, 5: 3.5, 10: 5, 20: 9, 50: 12},
    ("mixture", 100_000): {2: 2.5, 5: 5, 10: 11, 20: 20, 50: 30},
    ("mixture", 1_000_000): {2: 3.5, 5: 8, 10: 10},
    ("isotropic", 100_000): {10: 15, 20: 40, 50: 90},
    ("unrelated", 100_000): {2: 5, 5: 12, 20: 28},
}
TIMES_PLAIN_HIDDEN_RATE = {("unrelated", 100_000): {2: 35, 5: 200, 20: 500}}
TIMES_CDIST = {("mixture", 100_000): {5: 300}}
# A busy machine moves ratios so far.
ALLOWANCE = 0.75
LONG_CALL_SECONDS = 5

Target = dict[str, Any]


def list_targets(results: dict[str, Any]) -> list[Target]:
    """Return each target with what was measured, as far as it was."""
    targets = list(_speed_targets(results["cells"]))
    targets += _jobs_targets(results.get("jobs", []))
    if "memory" in results:
        memory = results["memory"]
        what = f"peak memory, {memory['n']:,} x {memory['d']} (MiB)"
        targets.append(at_most(what, memory["peak_mb"], memory["limit_mb"]))
    for case in ("identifying", "few_values"):
        if "rows" in results:
            measured = results["rows"][case]
            what = f"row matching, {case.replace('_', ' ')} columns"
            targets.append(at_most(f"{what}: times a merge", measured["times_merge"], 5))
            memory = measured["memory"]["times_frames"]
            targets.append(at_most(f"{what}: memory, times the frames", memory, 4))
    return targets


def target_of(cell: dict[str, Any], contender: str) -> float | None:
    """Return how many times the plain tree a contender is meant to be on a cell."""
    wanted = {"counts": TIMES_PLAIN, "hidden_rate": TIMES_PLAIN_HIDDEN_RATE}.get(contender, {})
    return _look_up(wanted, cell)


def at_least(what: str, measured: float, wanted: float) -> Target:
    """Return a target to be exceeded."""
    return _judge(what, measured, f"≥ {wanted:g}", measured / wanted)


def at_most(what: str, measured: float, wanted: float) -> Target:
    """Return a target to stay below."""
    return _judge(what, measured, f"≤ {wanted:.3g}", wanted / measured)


def _judge(what: str, measured: float, wanted: str, share: float) -> Target:
    """Tell by the share of a target that was reached how that went."""
    verdict = "reached" if share >= 1 else "within a quarter" if share >= ALLOWANCE else "missed"
    return {"what": what, "measured": measured, "wanted": wanted, "verdict": verdict}


def _look_up(wanted: dict[tuple[str, int], dict[int, float]], cell: dict[str, Any]) -> float | None:
    """Return the figure of a cell, if it has one."""
    if cell["k"] != 20:
        return None
    return wanted.get((cell["kind"], cell["n"]), {}).get(cell["d"])


def _speed_targets(cells: list[dict[str, Any]]) -> Iterator[Target]:
    """Compare the seconds of the cells."""
    for cell in cells:
        where = f"{cell['kind']}, {cell['n']:,} x {cell['d']}"
        seconds = {name: one["seconds"] for name, one in cell["contenders"].items()}
        for ours in ("counts", "hidden_rate"):
            wanted = target_of(cell, ours)
            if wanted is not None:
                label = "counts" if ours == "counts" else "Hidden Rate"
                ratio = seconds["plain"] / seconds[ours]
                yield at_least(f"{label}, times the plain tree: {where}", ratio, wanted)
        wanted = _look_up(TIMES_CDIST, cell)
        if wanted is not None:
            ratio = seconds["cdist"] / seconds["counts"]
            yield at_least(f"counts, times cdist: {where}", ratio, wanted)
        if cell["kind"] == "mixture" and cell["k"] == 20 and cell["d"] >= 5:
            ratio = seconds["scipy"] / seconds["counts"]
            yield at_least(f"counts, times scipy's tree: {where}", ratio, 1)
    dearest = max(cells, key=_hidden_rate_cost)
    where = f"{dearest['kind']}, {dearest['n']:,} x {dearest['d']}"
    what = f"Hidden Rate, seconds as a share of the counts', dearest table: {where}"
    yield at_most(what, _hidden_rate_cost(dearest), 1)


def _hidden_rate_cost(cell: dict[str, Any]) -> float:
    """Return the cost of Hidden Rate alone as a share of the counts'."""
    contenders = cell["contenders"]
    return contenders["hidden_rate"]["seconds"] / contenders["counts"]["seconds"]


def _jobs_targets(jobs: list[dict[str, Any]]) -> Iterator[Target]:
    """Compare one process with two."""
    for job in jobs:
        what = f"two processes, {job['n']:,} x {job['d']}"
        one, two = job["seconds"]["1"], job["seconds"]["2"]
        if one >= LONG_CALL_SECONDS:
            yield at_least(f"{what}: times one", one / two, 1.5)
        else:
            yield at_most(f"{what}: seconds as a share of one's", two / one, 1.1)
