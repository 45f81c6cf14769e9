"""The panel of one metric, and the axes that panels share."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..metrics._registry import facts_of
from ._curve_table import CurveTable, are_numbers

# Curves differ by marker and dashes as well, for print without colour.
_MARKERS = "osD^vP"
_DASHES = ("-", "--", "-.")
_MOST_TICKS = 10
_LABEL_WIDTH = 40


class Drawn(NamedTuple):
    """What a panel holds."""

    lines: list[Any]
    floor: Any
    chosen: Any


def make_axes(ax: Any, n_panels: int) -> NDArray[Any]:
    """Return a panel for each metric: new, given, or cut from the one given."""
    import matplotlib.pyplot as plt
    from matplotlib.axes import Axes
    from matplotlib.gridspec import GridSpecFromSubplotSpec

    if ax is None:
        _, axes = plt.subplots(
            n_panels,
            sharex=True,
            squeeze=False,
            figsize=(5.5, 1.2 + 1.5 * n_panels),
            layout="constrained",
        )
        return axes[:, 0]
    if not isinstance(ax, Axes):
        if len(ax) != n_panels:
            raise ValueError(
                f"ax holds {len(ax)} axes, expected one for each of {n_panels} metrics."
            )
        return np.array(ax, dtype=object)
    if n_panels == 1:
        return np.array([ax], dtype=object)
    place = ax.get_subplotspec()
    if place is None:
        raise ValueError(
            "ax cannot be divided among the metrics, for it is not part of a grid of subplots: "
            "make it with plt.subplots, or pass one axes for each metric."
        )
    ax.set_axis_off()
    cells = GridSpecFromSubplotSpec(n_panels, 1, subplot_spec=place)
    panels: list[Axes] = []
    for row in range(n_panels):
        panels.append(ax.figure.add_subplot(cells[row], sharex=panels[0] if panels else None))
    return np.array(panels, dtype=object)


def plot_panel(
    ax: Any,
    table: CurveTable,
    name: str,
    *,
    floors: Mapping[str, float] | None,
    best_index: int | None,
    line_kw: dict[str, Any],
) -> Drawn:
    """Draw the curves of one metric, its floor and the chosen candidate."""
    facts = facts_of(name)
    lines = [_plot_curve(ax, table, name, number, line_kw) for number in range(len(table.curves))]
    floor = facts.target if floors is None else floors.get(name)
    # Published targets are to be exceeded, a user's floors to be reached.
    sign = "target >" if floors is None else "floor \u2265"
    floor_line = None if floor is None else _plot_floor(ax, floor, f"{sign} {floor:g}")
    chosen = None
    if best_index is not None:
        x = param_positions(table)[table.place[best_index]]
        ax.axvline(x, color="0.5", linewidth=0.8, zorder=1)
        chosen = ax.plot(
            *([x], [table.means[name][best_index]], "o"),
            ms=11,
            mfc="none",
            mec="black",
            mew=1.5,
            clip_on=False,
            label=_plain(f"chosen: {table.param_name} = {table.values[table.place[best_index]]}"),
        )[0]
    ax.set_ylabel(_plain(facts.short_title) + (f"\n({facts.unit})" if facts.unit else ""))
    _set_limits(ax, facts.unit)
    return Drawn(lines, floor_line, chosen)


def _plot_curve(ax: Any, table: CurveTable, name: str, number: int, line_kw: dict[str, Any]) -> Any:
    """Draw one curve, with the standard deviation of repeated draws where there is one."""
    rows = table.of_curve(number)
    x, mean = param_positions(table)[table.place[rows]], table.means[name][rows]
    style = {
        "marker": _MARKERS[number % len(_MARKERS)],
        "linestyle": _DASHES[number % len(_DASHES)],
        "color": f"C{number}",
        # matplotlib keeps a label that begins with "_" out of legends.
        "label": "_only"
        if len(table.curves) == 1
        else _plain(textwrap.shorten(table.curves[number], _LABEL_WIDTH, placeholder="...")),
    }
    (line,) = ax.plot(x, mean, **(style | line_kw))
    std = table.stds.get(name, np.zeros_like(table.means[name]))[rows]
    if np.any(std > 0):
        ax.errorbar(
            *(x, mean, std),
            fmt="none",
            ecolor=line.get_color(),
            capsize=3,
            label="\u00b1 1 SD of the draws",
        )
    return line


def _plain(text: str) -> str:
    """Keep matplotlib from taking what stands between dollar signs for a formula."""
    return text.replace("$", r"\$")


def _plot_floor(ax: Any, floor: float, text: str) -> Any:
    """Draw a floor across the panel and name it in the right margin."""
    ax.annotate(
        text,
        (1, floor),
        xycoords=("axes fraction", "data"),
        xytext=(3, 0),
        textcoords="offset points",
        va="center",
        annotation_clip=False,
    )
    return ax.axhline(floor, color="black", linestyle=":")


def _set_limits(ax: Any, unit: str) -> None:
    """Let percentages end at 100 and numbers of avatars begin at 0."""
    low, high = ax.get_ylim()
    if unit == "%":
        low, high = min(low, 90.0), 100.0
    elif unit:
        low = 0.0
    # The margin holds markers and the ring of the chosen one.
    margin = 0.1 * (high - low) if unit else 0.0
    ax.set_ylim(low - margin, high + margin)


def param_positions(table: CurveTable) -> NDArray[np.float64]:
    """Return where the values stand: numbers at their value, others in their order."""
    is_axis = are_numbers(table.values) and len(table.values) > 1
    return np.asarray(table.values if is_axis else range(len(table.values)), dtype=np.float64)


def set_param_axis(axes: NDArray[Any], table: CurveTable) -> None:
    """Scale and label what all panels share."""
    from matplotlib.ticker import LogLocator

    x = param_positions(table)
    for ax in axes:
        if _is_stretched(x):
            ax.set_xscale("log")
            ax.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
            ax.xaxis.set_major_formatter("{x:g}")
            ax.minorticks_off()
        if len(x) <= _MOST_TICKS:
            ax.set_xticks(x, [_plain(str(value)) for value in table.values])
            ax.minorticks_off()
        ax.label_outer()
    axes[-1].set_xlabel(_plain(table.param_name))


def _is_stretched(x: NDArray[np.float64]) -> bool:
    """Tell whether the values stand too unevenly for a linear axis."""
    gaps = np.diff(x)
    return bool(len(gaps) > 1 and x[0] > 0 and gaps.max() > 5 * gaps.min())


def set_legend(ax: Any) -> None:
    """Explain above the first panel what no axis explains."""
    handles, labels = ax.get_legend_handles_labels()
    explained = dict(zip(labels, handles, strict=True))
    if explained:
        ax.legend(
            explained.values(),
            explained.keys(),
            loc="lower center",
            bbox_to_anchor=(0.5, 1),
            fontsize="small",
            handlelength=1.5,
            frameon=False,
        )
