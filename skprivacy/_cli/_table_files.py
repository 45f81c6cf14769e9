"""A file as a table of cells: CSV as text, Parquet with its types.

Reading files needs pandas and pyarrow, the optional extra ``cli``.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ._column_kinds import Column
from ._csv_cells import CsvFormat, TableError, read_csv_cells

_ZIP, _PARQUET = b"PK\x03\x04", b"PAR1"


@dataclass(frozen=True)
class RawTable:
    """A table as its file gives it: a CSV file's cells are all text, or missing."""

    label: str
    cells: pa.Table
    is_typed: bool
    # Columns that a Parquet file itself declares to be categories.
    labels: tuple[str, ...] = ()

    def column(self, name: str) -> Column:
        """Return one column."""
        return Column(self.label, self.cells.column(name), self.is_typed)


def read_table(path: str, style: CsvFormat, on_bytes: Callable[[int], Any]) -> RawTable:
    """Read a Parquet file, known by its first bytes, or else a CSV file."""
    # Opened once and never rewound, so that a pipe can be read too.
    with Path(path).open("rb") as stream:
        start = stream.peek(4)[:4]
        if start == _ZIP:
            raise TableError(f"{path} is a zip or spreadsheet file: save the table as CSV first.")
        if start == _PARQUET:
            return _read_parquet(stream, path)
        cells = read_csv_cells(stream, path, style, on_bytes)
    _check_names(cells.column_names, path)
    return RawTable(path, cells, is_typed=False)


def _read_parquet(stream: BinaryIO, label: str) -> RawTable:
    """Read a Parquet file with its types; categories become their labels."""
    try:
        table = pq.ParquetFile(io.BytesIO(stream.read())).read()
    except (pa.ArrowException, OSError):
        raise TableError(
            f"{label} cannot be read as Parquet: damaged, cut short or encrypted? Write it anew."
        ) from None
    _check_names(table.column_names, label)
    # A nameless pandas index is no data; its name here is pandas' own.
    kept = [name for name in table.column_names if not re.fullmatch(r"__index_level_\d+__", name)]
    table = table.select(kept)
    if not table.num_rows or not table.num_columns:
        raise TableError(
            f"{label} has no data: {table.num_rows} rows, {table.num_columns} columns. Check that "
            "it is the right file."
        )
    cells = pa.table({name: _plain(table.column(name)) for name in table.column_names})
    return RawTable(label, cells, is_typed=True, labels=_declared_labels(table.schema))


def _declared_labels(schema: pa.Schema) -> tuple[str, ...]:
    """Return the columns that are categories, also those that only pandas knows to be."""
    columns = (schema.pandas_metadata or {}).get("columns", [])
    names = {column["name"] for column in columns if column["pandas_type"] == "categorical"}
    return tuple(
        field.name for field in schema if pa.types.is_dictionary(field.type) or field.name in names
    )


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Give labels for a dictionary's codes and null for NaN."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), None, column)
    return column


def _check_names(names: Sequence[str], label: str) -> None:
    """Raise on missing or repeated column names; positions are named, from 1."""
    seen: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if not name.strip():
            raise TableError(
                f"{label}: column {position} has cells but no name. Name it, or leave it out "
                "(pandas writes such an index column: to_csv(..., index=False))."
            )
        if name in seen:
            raise TableError(
                f"{label}: columns {seen[name]} and {position} have the same name. Rename one."
            )
        seen[name] = position
