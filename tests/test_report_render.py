"""A report as text and as HTML."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from skprivacy import privacy_report
from skprivacy.metrics._report_render import format_value, render_html, render_text

TAGS = {
    *("div", "p", "strong", "ul", "li"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td"),
}
GRID = np.arange(30.0)[:, None]


def report(groups=None, **settings):
    return privacy_report(GRID, GRID, groups=groups, output_dict=True, **settings)


class Reader(HTMLParser):
    """Collects the texts of cells and checks that tags are closed in order."""

    VOID = ("br", "hr", "meta")

    def __init__(self):
        super().__init__()
        self.open, self.rows, self.tags = [], [], set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def read(html):
    reader = Reader()
    reader.feed(html)
    assert reader.open == []
    return reader


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (99.99, "%", "99.9 %"),
        (90.0, "%", "90.0 %"),
        (100 * 0.963, "%", "96.3 %"),
        (100.0, "%", "100.0 %"),
        (11.0, "avatars", "11"),
        (11.5, "avatars", "11.5"),
        (12345678.0, "avatars", "12345678"),
        (0.123456, "", "0.123456"),
        (None, "%", "-"),
    ],
)
def test_numbers_promise_no_more_than_there_is(value, unit, text):
    assert format_value(value, unit) == text


def test_exposure_is_rounded_up():
    assert format_value(0.001, "%", up=True) == "0.1 %"
    assert format_value(100 * 0.037, "%", up=True) == "3.7 %"


def test_text_lines_fit_a_terminal():
    groups = np.repeat(["x" * 200, "b"], 15)
    lines = render_text(report(groups)).splitlines()
    assert max(len(line) for line in lines if "x" * 200 not in line) <= 80


def test_columns_of_text_are_aligned():
    lines = render_text(report()).splitlines()
    start = next(i for i, line in enumerate(lines) if "random" in line)
    assert len({len(line) for line in lines[start : start + 4]}) == 1
    expected = r"Hidden Rate +0\.0 % +0 to 11\.4 +0 to 100 +> 90 +no +96\.6 %"
    assert re.fullmatch(expected, lines[start + 1])


def test_html_has_the_cells_of_the_text():
    shown = report(np.repeat(["a", "b"], 15))
    text = render_text(shown)
    reader = read(render_html(shown))
    cells = [cell for row in reader.rows for cell in row if cell]
    assert {"Hidden Rate", "0 to 11.4", "> 90", "0 (exposed)", "a"} <= set(cells)
    assert all(cell in text for cell in cells)
    assert reader.tags <= TAGS


def test_labels_are_escaped_in_html():
    evil = '<script>alert("x")</script>&amp;'
    reader = read(render_html(report(np.repeat([evil, "b"], 15))))
    assert "script" not in reader.tags
    assert evil in [row[0] for row in reader.rows]


def test_labels_cannot_steer_a_terminal():
    shown = report(np.repeat(["a\x1b[2J\nb\u202ec", "é b"], 15))
    text = render_text(shown)
    assert r"a\x1b[2J\nb\u202ec" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "é b" in text
    assert "\x1b" not in render_html(shown)


def test_the_worst_groups_are_named_with_their_interval():
    own = np.r_[np.arange(15), np.roll(np.arange(15, 30), 1)]
    text = render_text(report(np.repeat(["a", "b"], 15), own_avatar=own))
    assert "Lowest Hidden Rate: 0.0 % in a (interval 0 to 20.4)" in text
    assert "Lowest Row Direct" not in text


def test_groups_that_share_the_lowest_value_are_named_without_interval():
    own = np.r_[np.arange(20), np.roll(np.arange(20, 30), 1)]
    text = render_text(report(np.repeat(["a", "b", "c"], 10), own_avatar=own))
    assert "Lowest Hidden Rate: 0.0 % in a, b\n" in text


def test_warnings_stand_above_the_numbers():
    with pytest.warns(UserWarning, match="same space"):
        shown = privacy_report(GRID, GRID + 100, output_dict=True)
    assert render_text(shown).index("WARNING: The avatars' median") < 100
    assert "<strong>Warning:</strong> The avatars&#x27; median" in render_html(shown)
