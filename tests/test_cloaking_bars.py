"""Bars of equal height, and where single counts lie among them."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from skprivacy.inspection._cloaking_bars import mark_count, plot_bars, position_of

BINS = [(0, 0), (1, 4), (5, 9)]


@pytest.mark.parametrize(
    ("count", "height"),
    # Each bar spans its height -0.5 to +0.5; the whole counts in it divide it equally.
    [(0, 0), (0.5, 0.5), (1, 0.625), (2.5, 1), (4, 1.375), (4.5, 1.5), (5, 1.6), (7, 2), (40, 2.5)],
)
def test_heights_of_counts(count, height):
    assert position_of(count, BINS) == pytest.approx(height)


def test_height_in_a_range_without_end():
    bins = [*BINS, (10, None)]
    assert position_of(9, bins) < 2.5
    assert position_of(10, bins) == position_of(10**6, bins) == 3


def drawn(shares, **bar_kw):
    _, ax = plt.subplots()
    return ax, plot_bars(ax, BINS, np.array(shares), bar_kw)


def test_bars_are_the_shares_and_name_their_ranges():
    ax, bars = drawn([10.0, 70.0, 20.0])
    assert [bar.get_width() for bar in bars] == [10, 70, 20]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["exposed: 0", "1-4", "5-9"]
    assert [text.get_text() for text in ax.texts] == ["10.0 %", "70.0 %", "20.0 %"]


def test_the_exposed_are_hatched_and_on_top():
    ax, bars = drawn([10.0, 70.0, 20.0])
    assert [bool(bar.get_hatch()) for bar in bars] == [True, False, False]
    assert ax.yaxis_inverted()


def test_a_few_exposed_are_not_rounded_away():
    ax, _ = drawn([0.001, 99.999, 0.0])
    assert [text.get_text() for text in ax.texts] == ["0.1 %", "100.0 %", "0.0 %"]


@pytest.mark.parametrize("shares", [[10.0, 70.0, 20.0], [100.0, 0.0, 0.0], [34.0, 33.0, 33.0]])
@pytest.mark.parametrize("width", [8 / 2.54, 6.4])
def test_no_label_leaves_the_plot_or_meets_another(shares, width):
    figure, ax = plt.subplots(figsize=(width, 2.8), layout="constrained")
    plot_bars(ax, BINS, np.array(shares), {})
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    plot = ax.get_window_extent()
    assert all(plot.x0 <= box.x0 and box.x1 <= plot.x1 for box in boxes)
    assert not any(a.overlaps(b) for a in boxes for b in boxes if a is not b)


def test_style_can_be_set():
    _, bars = drawn([10.0, 70.0, 20.0], color="red", height=0.5)
    assert bars[1].get_facecolor() == (1, 0, 0, 1)
    assert bars[1].get_height() == 0.5


def test_names_of_two_lines_at_one_count_do_not_meet():
    figure, ax = plt.subplots(layout="constrained")
    plot_bars(ax, BINS, np.array([10.0, 70.0, 20.0]), {})
    lines = [
        mark_count(ax, BINS, 5, "median 5", below=True),
        mark_count(ax, BINS, 5, "target > 5", below=False, linestyle=":"),
    ]
    figure.canvas.draw()
    first, second = (text.get_window_extent() for text in ax.texts[-2:])
    assert not first.overlaps(second)
    assert [line.get_linestyle() for line in lines] == ["-", ":"]
    assert [set(line.get_ydata()) for line in lines] == [{1.6}, {1.6}]
