"""A report as an HTML file of its own, written whole or not at all."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..metrics._report_render import render_html

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Privacy of avatars</title>
<style>
body {{ font-family: sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }}
table {{ border-collapse: collapse; margin: 1.5em 0; }}
th, td {{ padding: 0.2em 0.8em; border-bottom: 1px solid #bbb; }}
</style>
</head>
<body>
{report}
</body>
</html>
"""


def check_writable(path: Path, inputs: Iterable[str], *, force: bool) -> None:
    """Raise before any work is done if the file could not or must not be written."""
    with contextlib.suppress(FileNotFoundError):
        # A loop of links, which exists() takes for no file, raises here.
        path.stat()
    if any(Path(name).exists() and path.exists() and path.samefile(name) for name in inputs):
        raise ValueError(f"--html {path} is one of the tables: name another file.")
    if path.is_dir() or not path.parent.is_dir():
        raise ValueError(f"--html {path}: expected a file name in a folder that exists.")
    _check_absent(path, force=force)


def _check_absent(path: Path, *, force: bool) -> None:
    """Raise if a file would be replaced without leave."""
    if path.exists() and not force:
        raise FileExistsError(
            f"{path} exists already: name another file, or replace it with --force."
        )


def write_html(path: Path, report: dict[str, Any], *, force: bool) -> None:
    """Write to a file beside it and then move that, so that no reader sees half a report."""
    page = _PAGE.format(report=render_html(report))
    target = path.resolve()
    # Not the target's name with an addition: that may be as long as names can be.
    beside = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with _errors_that_name(path):
            try:
                with beside.open("x", encoding="utf-8", errors="xmlcharrefreplace") as stream:
                    stream.write(page)
                _move(beside, target, force=force)
            finally:
                beside.unlink(missing_ok=True)
    except FileExistsError:
        # The measuring may have taken long, and somebody may have been faster.
        _check_absent(path, force=force)
        raise


@contextlib.contextmanager
def _errors_that_name(path: Path) -> Iterator[None]:
    """Let errors of the system name the file that was asked for, not the one beside it."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


def _move(beside: Path, target: Path, *, force: bool) -> None:
    """Give a written file its name; without leave only if that is free at this very moment."""
    if force:
        beside.replace(target)
        return
    try:
        target.hardlink_to(beside)
    except FileExistsError:
        raise
    except OSError:
        _move_without_links(beside, target)


def _move_without_links(beside: Path, target: Path) -> None:
    """Take the name by an empty file, where the file system has no hard links."""
    target.touch(exist_ok=False)
    try:
        beside.replace(target)
    except BaseException:
        target.unlink()
        raise
