"""An HTML report is written whole, beside nothing half-written, and over nothing."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from skprivacy._cli._html_file import check_writable, write_html
from skprivacy.metrics._report import privacy_report


def report(group="g"):
    """Return a small report by group."""
    X = np.arange(40.0).reshape(20, 2)
    groups = [group] * 10 + ["other"] * 10
    return privacy_report(X, X + 0.25, groups=groups, output_dict=True)


class Tags(HTMLParser):
    """Collect tags and text, and check that they close in order."""

    def __init__(self, page):
        super().__init__()
        self.open, self.seen, self.text = [], set(), ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_a_page_of_its_own(tmp_path):
    write_html(tmp_path / "r.html", report(), force=False)
    page = (tmp_path / "r.html").read_text("utf-8")
    tags = Tags(page)
    assert not tags.open
    assert {"html", "head", "title", "table"} <= tags.seen
    assert "Hidden Rate" in tags.text
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]


@pytest.mark.parametrize("group", ["<script>x</script>", "</table>&\"'", "\x1b[2J", "{report}"])
def test_labels_are_data_and_not_markup(tmp_path, group):
    write_html(tmp_path / "r.html", report(group), force=False)
    page = (tmp_path / "r.html").read_text("utf-8")
    tags = Tags(page)
    assert "script" not in tags.seen
    assert not tags.open
    assert "\x1b" not in page


def test_lone_surrogates_can_be_written(tmp_path):
    write_html(tmp_path / "r.html", report("\udc80"), force=False)
    assert "table" in Tags((tmp_path / "r.html").read_text("utf-8")).seen


def test_never_over_a_file_without_force(tmp_path):
    path = tmp_path / "r.html"
    path.write_text("mine")
    for refuse in (
        lambda: check_writable(path, [], force=False),
        lambda: write_html(path, report(), force=False),
    ):
        with pytest.raises(FileExistsError, match="--force"):
            refuse()
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]
    check_writable(path, [], force=True)
    write_html(path, report(), force=True)
    assert "Hidden Rate" in path.read_text("utf-8")


def test_never_over_a_table(tmp_path):
    table = tmp_path / "originals.csv"
    table.write_text("a\n1\n")
    (tmp_path / "link.html").symlink_to(table)
    for name in ("originals.csv", "link.html"):
        with pytest.raises(ValueError, match="is one of the tables"):
            check_writable(tmp_path / name, [str(table)], force=True)


@pytest.mark.parametrize("name", ["", "no/such/r.html"])
def test_no_place_to_write(tmp_path, name):
    with pytest.raises(ValueError, match="a folder that exists"):
        check_writable(tmp_path / name, [], force=True)


def test_an_error_while_writing_leaves_nothing(tmp_path, monkeypatch):
    def fail(self, target):
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        write_html(tmp_path / "r.html", report(), force=False)
    assert not list(tmp_path.iterdir())
