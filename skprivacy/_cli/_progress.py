"""A bar on standard error while a large file is read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


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


def _tqdm() -> Any:
    """Return the class of bars, or None where tqdm is not installed."""
    try:
        from tqdm import tqdm  # noqa: PLC0415 - an optional package
    except ModuleNotFoundError:
        return None
    return tqdm
