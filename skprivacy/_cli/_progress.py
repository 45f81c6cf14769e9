"""Bars on standard error while a large file is read and while avatars are counted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..metrics._closer_avatars import on_progress


@contextmanager
def reading(path: str) -> Iterator[Callable[[int], Any]]:
    """Yield what must be told how many bytes were read; show a bar on a terminal."""
    tqdm = _tqdm() if sys.stderr.isatty() else None
    if tqdm is None:
        yield lambda _n_bytes: None
        return
    # Small files are read before a bar could be looked at.
    with tqdm(
        total=Path(path).stat().st_size or None,
        desc=f"reading {path}",
        unit="B",
        unit_scale=True,
        delay=1,
        leave=False,
        file=sys.stderr,
    ) as bar:
        yield bar.update


@contextmanager
def counting() -> Iterator[None]:
    """Show a bar on a terminal while closer avatars are counted."""
    tqdm = _tqdm() if sys.stderr.isatty() else None
    if tqdm is None:
        yield
        return
    with tqdm(desc="counting", unit=" records", delay=1, leave=False, file=sys.stderr) as bar:

        def show(n_done: int, n_rows: int) -> None:
            bar.total = n_rows
            bar.update(n_done - bar.n)

        token = on_progress.set(show)
        try:
            yield
        finally:
            on_progress.reset(token)


def _tqdm() -> Any:
    """Return the class of bars, or None where tqdm is not installed."""
    try:
        from tqdm import tqdm  # noqa: PLC0415 - an optional package
    except ModuleNotFoundError:
        return None
    return tqdm
