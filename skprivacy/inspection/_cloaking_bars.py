"""Bars of equal height for ranges of counts, and lines at single counts among them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..metrics._cloaking_bins import bin_label

Bins = Sequence[tuple[int, int | None]]


def plot_bars(ax: Any, bins: Bins, shares: NDArray[np.float64], bar_kw: dict[str, Any]) -> Any:
    """Draw a bar for each range and write its share at its end."""
    style: dict[str, Any] = {"height": 0.8, "color": "0.75", "edgecolor": "black"} | bar_kw
    bars = ax.barh(np.arange(len(shares)), shares, **style)
    bars[0].set(hatch="////", facecolor="white")
    ax.set_xlim(0, 1.03 * shares.max())
    for height, share in enumerate(shares):
        # Inside a long bar, beside a short one: neither leaves the plot, however narrow.
        is_long = share > shares.max() / 2
        ax.annotate(
            _exposed_label(share) if height == 0 else f"{share:.1f} %",
            (share, height),
            xytext=(-4 if is_long else 4, 0),
            textcoords="offset points",
            ha="right" if is_long else "left",
            va="center",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )
    labels = [bin_label(*limits) for limits in bins]
    ax.set_yticks(np.arange(len(shares)), [f"exposed: {labels[0]}", *labels[1:]])
    # Counts grow downwards, so that the exposed come first.
    ax.set_ylim(len(bins) - 0.4, -0.6)
    return bars


def _exposed_label(share: float) -> str:
    """Write the share of the exposed, rounded up: 0.0 % would promise that there are none."""
    return f"{math.ceil(10 * share - 1e-9) / 10:.1f} %"


def mark_count(ax: Any, bins: Bins, count: float, text: str, *, below: bool, **line_kw: Any) -> Any:
    """Draw a line across the plot at a count, and name it in the right margin."""
    height = position_of(count, bins)
    ax.annotate(
        text,
        (1, height),
        xycoords=("axes fraction", "data"),
        xytext=(3, -1 if below else 1),
        textcoords="offset points",
        va="top" if below else "bottom",
        annotation_clip=False,
    )
    return ax.axhline(height, color="black", **line_kw)


def position_of(count: float, bins: Bins) -> float:
    """Return the height of a count: bars are as high as each other, whatever they span."""
    first, last = bins[-1]
    if last is None and count >= first:
        return len(bins) - 1.0
    edges = [first - 0.5 for first, _ in bins] + ([] if last is None else [last + 0.5])
    return float(np.interp(count, edges, np.arange(len(edges)) - 0.5))
