"""A bar is shown on a terminal only, and never needed."""

from __future__ import annotations

import io
import sys
from itertools import count

import numpy as np
import pytest

from skprivacy import closer_avatar_counts
from skprivacy._cli._progress import counting, reading
from skprivacy.metrics import _closer_avatars


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def table(tmp_path):
    """Return the path of a file of 1000 bytes."""
    path = tmp_path / "table.csv"
    path.write_bytes(1000 * b"x")
    return str(path)


def read_slowly(path, monkeypatch, stream):
    """Report two halves of a file, far enough apart that a bar must show."""
    seconds = count(step=100)
    monkeypatch.setattr("tqdm.std.time", lambda: next(seconds))
    monkeypatch.setattr(sys, "stderr", stream)
    with reading(path) as on_bytes:
        on_bytes(500)
        on_bytes(500)


def test_no_bar_without_a_terminal(table, monkeypatch):
    stream = io.StringIO()
    read_slowly(table, monkeypatch, stream)
    assert not stream.getvalue()


def test_no_bar_without_tqdm(table, monkeypatch):
    stream = Terminal()
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "tqdm", None)
        without.setattr(sys, "stderr", stream)
        with reading(table) as on_bytes:
            on_bytes(1000)
    assert not stream.getvalue()


def test_a_bar_on_a_terminal(table, monkeypatch):
    stream = Terminal()
    read_slowly(table, monkeypatch, stream)
    assert "reading" in stream.getvalue()
    assert "50%" in stream.getvalue()


def count_slowly(monkeypatch, stream):
    """Count 300 originals in blocks of 100, far enough apart that a bar must show."""
    seconds = count(step=100)
    monkeypatch.setattr("tqdm.std.time", lambda: next(seconds))
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(_closer_avatars, "_FIRST_BLOCK", 100)
    monkeypatch.setattr(_closer_avatars, "_LARGEST_BLOCK", 100)
    rows = np.arange(300.0)[:, None]
    with counting():
        closer_avatar_counts(rows, rows)


def test_a_bar_on_a_terminal_while_counting(monkeypatch):
    stream = Terminal()
    count_slowly(monkeypatch, stream)
    for done in ("100/300", "200/300", "300/300"):
        assert done in stream.getvalue()
    assert _closer_avatars.on_progress.get() is None


def test_no_bar_without_a_terminal_while_counting(monkeypatch):
    stream = io.StringIO()
    count_slowly(monkeypatch, stream)
    assert not stream.getvalue()
