"""How seconds grow with rows, columns and counts: exponents of fitted power laws."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Cell = dict[str, Any]
TIMED = ("counts", "hidden_rate", "plain", "scipy")


def fit_exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Return the slope of log seconds over log size."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def fit_growth(cells: list[Cell]) -> list[dict[str, Any]]:
    """Return the exponents along n, d and c, wherever two cells differ in one of them alone."""
    mixtures = [cell for cell in cells if cell["kind"] == "mixture" and cell["k"] == 20]
    # Shares of exposed records are no sizes: tables of the smallest counts cannot be placed.
    blurred = [cell for cell in cells if cell["kind"] == "blurred" and cell["median_count"] >= 1]
    return [
        *_fit_lines(mixtures, "n", lambda cell: f"d = {cell['d']}"),
        *_fit_lines(mixtures, "d", lambda cell: f"n = {cell['n']:,}"),
        *_fit_lines(blurred, "median_count", lambda cell: f"n = {cell['n']:,}, d = {cell['d']}"),
    ]


def _fit_lines(cells: list[Cell], along: str, fixed: Callable[[Cell], str]) -> list[dict[str, Any]]:
    """Fit one exponent for each contender and each value of what stays fixed."""
    lines = defaultdict(list)
    for cell in cells:
        lines[fixed(cell)].append(cell)
    return [
        {
            "along": along,
            "fixed": name,
            "from": line[0][along],
            "to": line[-1][along],
            "exponents": {
                one: fit_exponent(
                    [cell[along] for cell in line],
                    [cell["contenders"][one]["seconds"] for cell in line],
                )
                for one in TIMED
            },
        }
        for name, line in lines.items()
        if len({cell[along] for cell in line}) > 1
    ]
