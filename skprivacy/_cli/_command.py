"""Measure how well avatars hide the people they were made from."""

from __future__ import annotations

import argparse
import codecs
import csv
import json
import math
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from .. import __version__
from ..metrics import METRICS
from ..metrics._report_render import printable, render_text
from ._demo import demo
from ._html_file import check_writable, write_html

_USAGE_ERROR = 2
_INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, as all others are."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{message} (see {self.prog} --help)")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that the arguments name and return its exit status.

    0: done; 1: a metric is under its `--fail-under` floor; 2: unusable arguments or tables.
    """
    # A terminal that cannot show a letter of a label must not stop the report.
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        arguments = _parser().parse_args(argv)
        status: int = arguments.run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone; a flush when Python ends would complain once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _USAGE_ERROR
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _say(f"error: {where}{error.strerror or error}")
    except (ValueError, TypeError, MemoryError) as error:
        _say(f"error: {_words_of(error)}")
    except KeyboardInterrupt:
        _say("interrupted")
        return _INTERRUPTED
    else:
        return status
    return _USAGE_ERROR


def _words_of(error: Exception) -> str:
    """Return an error's message, but none of pyarrow's: they may quote a cell."""
    name = type(error).__name__
    if type(error).__module__.partition(".")[0] == "pyarrow":
        return f"{name} of pyarrow: write the columns as plain numbers or text"
    return str(error) or name


def _say(message: str) -> None:
    """Print one line on standard error."""
    print(f"skprivacy: {printable(' '.join(message.split()))}", file=sys.stderr)


def _parser() -> _Parser:
    """Describe the commands."""
    parser = _Parser(prog="skprivacy", description=__doc__, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    demo_parser = commands.add_parser(
        "demo", help="measure a reference anonymiser on a bundled table"
    )
    demo_parser.set_defaults(run=_demo)
    _add_score(commands.add_parser("score", help="measure avatars of your own"))
    return parser


def _add_score(parser: argparse.ArgumentParser) -> None:
    """Describe the command that measures two files."""
    parser.set_defaults(run=_score)
    parser.allow_abbrev = False
    add = parser.add_argument
    add("originals", metavar="ORIGINALS", help="CSV or Parquet file")
    add("avatars", metavar="AVATARS", help="CSV or Parquet file with the same columns")
    add("--id", metavar="COLUMN", help="pair rows by this column, which is not measured")
    add("--group", metavar="COLUMN", help="report by the values of this column of the originals")
    add(
        "--exclude",
        metavar="COLUMN[,COLUMN]",
        type=_names,
        default=[],
        action="extend",
        help="leave columns out of the metrics",
    )
    add(
        "--categorical",
        metavar="COLUMN[,COLUMN]",
        type=_names,
        default=[],
        action="extend",
        help="columns whose numbers are labels",
    )
    add(
        "--n-components",
        metavar="N",
        type=_positive,
        help="number of FAMD axes; 5, or as many as the table has",
    )
    add(
        "--impute",
        action="store_true",
        help="fill missing cells with the originals' median or most frequent label",
    )
    add(
        "--missing",
        metavar="TEXT[,TEXT]",
        type=_names,
        default=[],
        action="extend",
        help="cells of a CSV file that mean missing, besides empty ones",
    )
    add("--sep", metavar="CHAR", type=_separator, help="separator of a CSV file; ',' by default")
    add(
        "--decimal",
        metavar="CHAR",
        choices=[".", ","],
        default=".",
        help="decimal sign of a CSV file: '.' by default, or ','",
    )
    add("--encoding", type=_encoding, default="utf-8-sig", help="of a CSV file; UTF-8 by default")
    add("--json", action="store_true", help="print the report as JSON")
    add("--html", metavar="FILE", type=Path, help="write the report to an HTML file as well")
    add("--force", action="store_true", help="let --html replace a file")
    add(
        "--fail-under",
        metavar="METRIC=VALUE",
        type=_floor,
        default=[],
        action="append",
        help=f"exit with status 1 unless METRIC ({', '.join(METRICS)}) >= VALUE; may be repeated",
    )


def _names(text: str) -> list[str]:
    """Split at commas, of which quoted names may have some."""
    return next(csv.reader([text], skipinitialspace=True), [])


def _positive(text: str) -> int:
    """Read a number of components."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError("expected a whole number of at least 1")
    return int(text)


def _separator(text: str) -> str:
    r"""Read a separator; shells pass \t as two characters."""
    separator = "\t" if text in ("\\t", "tab") else text
    if len(separator) != 1 or separator in '"\r\n\0':
        raise argparse.ArgumentTypeError("expected one character, such as ';' or '\\t'")
    return separator


def _encoding(text: str) -> str:
    """Check that Python knows an encoding of text."""
    try:
        "".encode(text)
        codecs.lookup(text)
    except LookupError:
        raise argparse.ArgumentTypeError("unknown encoding; try utf-8, cp1252 or utf-16") from None
    return "utf-8-sig" if codecs.lookup(text).name == "utf-8" else text


def _floor(text: str) -> tuple[str, float]:
    """Read METRIC=VALUE."""
    name, _, value = text.partition("=")
    if name not in METRICS:
        raise argparse.ArgumentTypeError(f"expected one of {', '.join(METRICS)}, as METRIC=VALUE")
    try:
        floor = float(value)
    except ValueError:
        floor = math.nan
    if not math.isfinite(floor):
        raise argparse.ArgumentTypeError(f"expected a number after {name}=")
    return name, floor


def _demo(_: argparse.Namespace) -> int:
    """Run the demonstration."""
    demo()
    return 0


def _score(arguments: argparse.Namespace) -> int:
    """Report on two files."""
    if arguments.decimal == (arguments.sep or ","):
        raise ValueError(f"--decimal {arguments.decimal!r} needs another separator, e.g. --sep ';'")
    if arguments.html is not None:
        inputs = [arguments.originals, arguments.avatars]
        check_writable(arguments.html, inputs, force=arguments.force)
    with _warnings_in_one_line() as messages:
        report = _measure(arguments)
    report["warnings"] = list(dict.fromkeys(messages))
    if arguments.html is not None:
        write_html(arguments.html, report, force=arguments.force)
    as_json = json.dumps(report, indent=2, allow_nan=False) + "\n" if arguments.json else None
    print(as_json or render_text(report), end="")
    return _exit_status(report, arguments.fail_under)


def _measure(arguments: argparse.Namespace) -> dict[str, Any]:
    """Measure both files where what reads tables is installed."""
    try:
        from ._file_scores import measure_files  # noqa: PLC0415 - needs the optional extra cli
    except ModuleNotFoundError as error:
        if error.name not in ("pandas", "pyarrow"):
            raise
        raise ValueError(
            f'reading tables needs {error.name}: pip install "skprivacy[cli]"'
        ) from None
    return measure_files(arguments)


@contextmanager
def _warnings_in_one_line() -> Iterator[list[str]]:
    """Collect warnings, and say each once when the block ends, also by an error."""
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            yield messages
        finally:
            messages += [" ".join(str(warning.message).split()) for warning in caught]
            for message in dict.fromkeys(messages):
                _say(f"warning: {message}")


def _exit_status(report: dict[str, Any], floors: list[tuple[str, float]]) -> int:
    """Say which metrics are under their floors; return 1 if any is."""
    is_under = False
    for name, floor in floors:
        value = report["metrics"][name]["value"]
        # NaN is under every floor.
        if not value >= floor:
            _say(f"{name} is {value}, under {floor:g}")
            is_under = True
    return int(is_under)
