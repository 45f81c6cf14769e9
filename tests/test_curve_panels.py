"""The panel of a metric, and what panels share."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from skprivacy.inspection._curve_panels import (
    make_axes,
    param_positions,
    plot_panel,
    set_legend,
    set_param_axis,
)
from skprivacy.inspection._curve_table import CurveTable


def table(values=(2, 5, 10, 20, 50), means=(70, 72, 80, 89, 95), std=0.0, n_curves=1):
    n = len(values)
    return CurveTable(
        "k",
        list(values),
        np.tile(np.arange(n), n_curves),
        [f"ncp={i}" for i in range(n_curves)],
        np.repeat(np.arange(n_curves), n),
        {"hidden_rate": np.tile(np.array(means, dtype=float), n_curves)},
        {"hidden_rate": np.full(n * n_curves, std)},
    )


def panel(table, *, floors=None, best_index=None, name="hidden_rate", **line_kw):
    _, ax = plt.subplots()
    return ax, plot_panel(ax, table, name, floors=floors, best_index=best_index, line_kw=line_kw)


def test_the_published_target_is_drawn_as_to_be_exceeded():
    ax, drawn = panel(table())
    assert set(drawn.floor.get_ydata()) == {90}
    assert [text.get_text() for text in ax.texts] == ["target > 90"]


def test_a_floor_is_drawn_as_to_be_reached():
    ax, drawn = panel(table(), floors={"hidden_rate": 85.5})
    assert set(drawn.floor.get_ydata()) == {85.5}
    assert [text.get_text() for text in ax.texts] == ["floor \u2265 85.5"]


def test_no_floor_where_none_was_given():
    ax, drawn = panel(table(), floors={"local_cloaking": 5})
    assert drawn.floor is None
    assert not ax.texts


def test_a_curve_is_the_scores():
    _, drawn = panel(table(), color="black")
    (line,) = drawn.lines
    assert line.get_xdata().tolist() == [2, 5, 10, 20, 50]
    assert line.get_ydata().tolist() == [70, 72, 80, 89, 95]
    assert line.get_color() == "black"
    assert drawn.chosen is None


def test_curves_differ_without_colour():
    _, drawn = panel(table(n_curves=6))
    styles = {(line.get_marker(), line.get_linestyle()) for line in drawn.lines}
    assert len(styles) == 6


def test_the_chosen_candidate_has_a_ring():
    _, drawn = panel(table(), best_index=3)
    assert drawn.chosen.get_xydata().tolist() == [[20, 89]]
    assert drawn.chosen.get_markerfacecolor() == "none"


@pytest.mark.parametrize("std", [0.0, 1.5])
def test_error_bars_only_of_repeated_draws(std):
    ax, _ = panel(table(std=std))
    assert len(ax.containers) == (std > 0)


def test_percentages_end_at_100_and_show_their_markers_whole():
    ax, _ = panel(table(means=[100] * 5))
    low, high = ax.get_ylim()
    assert low < 90
    assert 100 < high < 102
    assert ax.get_ylabel() == "Hidden Rate\n(%)"


def test_a_metric_of_the_users_own_keeps_its_scale():
    own = table()._replace(means={"utility": np.array([0.9, 0.8, 0.7, 0.6, 0.5])}, stds={})
    ax, drawn = panel(own, name="utility")
    assert drawn.floor is None
    assert ax.get_ylabel() == "Utility"
    assert 0.4 < ax.get_ylim()[0] < 0.5


@pytest.mark.parametrize(
    ("values", "scale"),
    [((2, 5, 10, 20, 50), "log"), ((2, 4, 6), "linear"), ((0, 1, 50), "linear"), ((7,), "linear")],
)
def test_scale_and_ticks_of_the_parameter(values, scale):
    curve = table(values, range(len(values)))
    ax, _ = panel(curve)
    set_param_axis(np.array([ax]), curve)
    assert ax.get_xscale() == scale
    assert [label.get_text() for label in ax.get_xticklabels()] == [str(v) for v in values]
    assert ax.get_xlabel() == "k"


def test_many_values_do_not_crowd_the_axis():
    values = [2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300]
    curve = table(values, range(len(values)))
    figure = plt.figure(figsize=(8 / 2.54, 3), layout="constrained")
    ax = figure.subplots()
    plot_panel(ax, curve, "hidden_rate", floors=None, best_index=None, line_kw={})
    set_param_axis(np.array([ax]), curve)
    figure.canvas.draw()
    low, high = ax.get_xlim()
    boxes = [
        label.get_window_extent()
        for tick, label in zip(ax.get_xticks(), ax.get_xticklabels(), strict=True)
        if low <= tick <= high
    ]
    assert len(boxes) >= 3
    assert not any(a.overlaps(b) for a in boxes for b in boxes if a is not b)


def test_values_that_are_no_numbers_stand_in_their_order():
    assert param_positions(table(["mix", "copy"], [1, 2])).tolist() == [0, 1]


def test_legend_explains_curves_and_the_chosen_candidate():
    ax, _ = panel(table(n_curves=2, std=1.0), best_index=3)
    set_legend(ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        *("ncp=0", "ncp=1"),
        *("chosen: k = 20", "\u00b1 1 SD of the draws"),
    ]


def test_no_legend_where_nothing_needs_one():
    ax, _ = panel(table())
    set_legend(ax)
    assert ax.get_legend() is None


def test_axes_new_given_and_divided():
    assert len(make_axes(None, 3)) == 3
    _, given = plt.subplots(2)
    assert make_axes(list(given), 2).tolist() == list(given)
    assert make_axes(given[0], 1).tolist() == [given[0]]
    divided = make_axes(given[1], 3)
    assert all(ax.figure is given[1].figure for ax in divided)
    assert divided[2].get_shared_x_axes().joined(divided[0], divided[2])


def test_axes_that_do_not_fit():
    _, given = plt.subplots(2)
    with pytest.raises(ValueError, match="ax holds 2 axes, expected one for each of 3"):
        make_axes(given, 3)
    free = plt.figure().add_axes((0, 0, 1, 1))
    with pytest.raises(ValueError, match="not part of a grid of subplots"):
        make_axes(free, 2)
