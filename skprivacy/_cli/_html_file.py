"""A report as an HTML file of its own, written whole or not at all."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterable
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
    """Write to a file beside it and then rename, so that no reader sees half a report."""
    target = path.resolve()
    beside = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    try:
        with beside.open("x", encoding="utf-8", errors="xmlcharrefreplace") as stream:
            stream.write(_PAGE.format(report=render_html(report)))
        # Looked at again: the measuring may have taken long.
        _check_absent(path, force=force)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
