"""CSV files as cells of text, so that every value survives until its column's kind is known.

No message holds a cell: lines and positions are named instead.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

# A long cell is data. An unbalanced quote is found at the end of the file all the same.
csv.field_size_limit(2**31 - 1)

_ROWS_PER_CHUNK = 4096
_OTHER_SEPARATORS = ";\t|"


class TableError(ValueError):
    """A table that cannot be scored; the message is one line without a cell of the table."""


@dataclass(frozen=True)
class CsvFormat:
    """How the CSV files of one call are written."""

    sep: str | None = None
    decimal: str = "."
    # UTF-8 with or without a byte order mark.
    encoding: str = "utf-8-sig"
    missing: tuple[str, ...] = ()


def read_csv_cells(
    stream: BinaryIO, label: str, style: CsvFormat, on_bytes: Callable[[int], Any]
) -> pa.Table:
    """Read cells as text, empty ones and those of `style.missing` as null."""
    line_number = [0]
    try:
        with io.TextIOWrapper(stream, encoding=style.encoding, newline="") as text:
            lines = _checked_lines(text, label, line_number, on_bytes)
            reader = csv.reader(lines, delimiter=style.sep or ",", strict=True)
            header = next((row for row in reader if row), None)
            if header is None:
                raise TableError(f"{label} is empty: a header row and data rows are needed.")
            _check_separator(header, label, style)
            rows = _checked_rows(reader, len(header), label)
            columns = _read_columns(rows, len(header), style)
    except UnicodeError:
        raise TableError(
            f"{label}, at or after line {line_number[0] + 1}: not {_shown(style.encoding)} text. "
            "Name the file's encoding, e.g. --encoding cp1252 or --encoding utf-16."
        ) from None
    except csv.Error:
        raise TableError(
            f"{label}, line {line_number[0]}: a quoted cell does not end where it should. Look "
            "for an unbalanced quote at or above this line; a quote inside quotes is doubled."
        ) from None
    return _without_blanks(header, columns, label)


def _shown(encoding: str) -> str:
    """Name an encoding as users do."""
    return "UTF-8" if encoding == "utf-8-sig" else encoding


def _checked_lines(
    text: io.TextIOWrapper, label: str, line_number: list[int], on_bytes: Callable[[int], Any]
) -> Iterator[str]:
    """Yield lines, refuse NUL characters and report how many bytes were read."""
    n_bytes = 0
    for number, line in enumerate(text, start=1):
        line_number[0] = number
        if "\0" in line:
            raise TableError(
                f"{label}, line {number}: a NUL character, which text files do not have. The "
                "file may be damaged, or in another encoding: try --encoding utf-16."
            )
        n_bytes += len(line)
        if number % _ROWS_PER_CHUNK == 0:
            on_bytes(n_bytes)
            n_bytes = 0
        yield line
    on_bytes(n_bytes)


def _check_separator(header: list[str], label: str, style: CsvFormat) -> None:
    """Raise when the header is one cell that another separator would split."""
    if style.sep is None and len(header) == 1:
        for sep in _OTHER_SEPARATORS:
            if sep in header[0]:
                raise TableError(
                    f"{label}: the header is one cell when split at ','. The file seems to be "
                    f"separated by {sep!r}: say so with --sep (--sep ',' if it is not)."
                )


def _checked_rows(reader: Iterator[list[str]], width: int, label: str) -> Iterator[list[str]]:
    """Yield rows of the header's width; blank lines and blank cells beyond it are dropped."""
    for row in reader:
        if len(row) == width:
            yield row
        elif row and (len(row) < width or any(cell.strip() for cell in row[width:])):
            raise TableError(
                f"{label}, line {reader.line_num}: {len(row)} cells, expected {width} as in "  # type: ignore[attr-defined]
                "the header. Check separator (--sep) and quotes of this line."
            )
        elif row:
            yield row[:width]


def _read_columns(
    rows: Iterator[list[str]], width: int, style: CsvFormat
) -> list[list[pa.StringArray]]:
    """Turn rows into columns chunk by chunk, which costs a fraction of a list of rows."""
    missing = pa.array(["", *style.missing], pa.large_string())
    columns: list[list[pa.StringArray]] = [[] for _ in range(width)]
    while chunk := list(islice(rows, _ROWS_PER_CHUNK)):
        for column, cells in zip(columns, zip(*chunk, strict=True), strict=True):
            array = pa.array(cells, pa.large_string())
            is_missing = pc.is_in(pc.utf8_trim_whitespace(array), missing)
            column.append(pc.if_else(is_missing, None, array))
    return columns


def _without_blanks(header: list[str], columns: list[list[pa.Array]], label: str) -> pa.Table:
    """Drop what spreadsheets leave behind: blank rows at the end, blank nameless columns."""
    table = pa.Table.from_arrays(
        [pa.chunked_array(chunks, pa.large_string()) for chunks in columns],
        [str(j) for j in range(len(header))],
    )
    n_rows = table.num_rows
    while n_rows and not any(column[n_rows - 1].is_valid for column in table.columns):
        n_rows -= 1
    if not n_rows:
        raise TableError(f"{label} has a header but no data rows: check that it is the right file.")
    table = table.slice(0, n_rows)
    kept = [
        j
        for j, (name, column) in enumerate(zip(header, table.columns, strict=True))
        if name.strip() or column.null_count < n_rows
    ]
    return table.select(kept).rename_columns([header[j] for j in kept])
