"""Originals and avatars brought to the same columns and kinds, and their rows paired."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from .._containers import quoted
from ._column_kinds import (
    NUMBER,
    align_kinds,
    check_spelling,
    is_text_type,
    warn_if_identifier,
)
from ._csv_cells import TableError
from ._table_files import RawTable


@dataclass(frozen=True)
class TablePair:
    """Originals and avatars with the same columns, and which avatar is whose."""

    originals: pd.DataFrame
    avatars: pd.DataFrame
    own_avatar: NDArray[np.int64] | None
    groups: NDArray[Any] | None
    labels: list[str]


def pair_tables(
    originals: RawTable,
    avatars: RawTable,
    *,
    decimal: str = ".",
    id_column: str | None = None,
    group_column: str | None = None,
    exclude: Sequence[str] = (),
    categorical: Sequence[str] = (),
) -> TablePair:
    """Bring both tables to the same columns and kinds, and pair their rows."""
    _check_arguments(originals, avatars, id_column, group_column, [*exclude, *categorical])
    left_out = {*exclude, id_column}
    names = [name for name in originals.cells.column_names if name not in left_out]
    _check_same_columns(
        names, [n for n in avatars.cells.column_names if n not in left_out], originals, avatars
    )
    labels = {*categorical, *originals.labels, *avatars.labels}
    aligned = {
        name: _align(name, originals, avatars, decimal=decimal, is_label=name in labels)
        for name in names
    }
    own = None if id_column is None else _pair_by_id(originals, avatars, id_column, decimal)
    if own is None and originals.cells.num_rows != avatars.cells.num_rows:
        raise TableError(
            f"{originals.label} has {originals.cells.num_rows} rows and {avatars.label} "
            f"{avatars.cells.num_rows}. Rows are paired by position; name a column that "
            "identifies them in both with --id."
        )
    return TablePair(
        _frame({name: both[0] for name, both in aligned.items()}),
        _frame({name: both[1] for name, both in aligned.items()}),
        own,
        None if group_column is None else _group_labels(originals, group_column),
        [name for name in names if name in labels],
    )


def _align(
    name: str, originals: RawTable, avatars: RawTable, *, decimal: str, is_label: bool
) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Bring one column to one kind, and look at it for what a reader would trip over."""
    sides = originals.column(name), avatars.column(name)
    both = align_kinds(name, *sides, decimal=decimal, is_label=is_label)
    if is_text_type(both[0].type):
        check_spelling(name, *sides, decimal=decimal, is_label=is_label)
    warn_if_identifier(name, both[0])
    return both


def _check_arguments(
    originals: RawTable,
    avatars: RawTable,
    id_column: str | None,
    group_column: str | None,
    other_columns: list[str],
) -> None:
    """Raise when an option names a column that is not there."""
    in_originals, in_avatars = originals.cells.column_names, avatars.cells.column_names
    for name in filter(None, [id_column, group_column, *other_columns]):
        if name not in in_originals and (
            name in (id_column, group_column) or name not in in_avatars
        ):
            raise TableError(
                f"No column {quoted(name)} in {originals.label}: check how it is written there."
            )
    if id_column is not None and id_column not in in_avatars:
        raise TableError(
            f"No column {quoted(id_column)} in {avatars.label}: --id needs it in both."
        )


def _check_same_columns(
    names: list[str], avatar_names: list[str], originals: RawTable, avatars: RawTable
) -> None:
    """Raise with the difference; order may differ."""
    missing = [name for name in names if name not in set(avatar_names)]
    extra = [name for name in avatar_names if name not in set(names)]
    if not names and not extra:
        raise TableError(
            f"No column of {originals.label} is left to measure: list fewer in --exclude."
        )
    if not missing and not extra:
        return
    # Names that few columns share, or that are numbers, may be the first record of a file
    # without header: not to be shown.
    n_shared = len(names) - len(missing)
    if n_shared < len(missing) + len(extra) or any(
        re.fullmatch(NUMBER, name.strip()) for name in [*missing, *extra]
    ):
        raise TableError(
            f"Only {n_shared} of {len(names)} columns of {originals.label} are in {avatars.label}, "
            f"which has {len(extra)} others. Check that "
            "each file has a header row and the same columns."
        )
    differences = [
        f"{which} {', '.join(map(quoted, found[:10]))}{' and more' if found[10:] else ''}"
        for which, found in (("lacks", missing), ("has besides", extra))
        if found
    ]
    raise TableError(
        f"Columns differ: {avatars.label} {' and '.join(differences)}. Give both tables the same "
        "columns, or leave columns out with --exclude."
    )


def _pair_by_id(
    originals: RawTable, avatars: RawTable, id_column: str, decimal: str
) -> NDArray[np.int64]:
    """Return the position of each original's avatar; identifiers themselves are never shown."""
    both = align_kinds(
        id_column,
        originals.column(id_column),
        avatars.column(id_column),
        decimal=decimal,
        is_label=True,
    )
    positions = [
        _positions_of_ids(cells.to_pylist(), table.label, id_column)
        for cells, table in zip(both, (originals, avatars), strict=True)
    ]
    for here, there, table, other in (
        (positions[0], positions[1], originals, avatars),
        (positions[1], positions[0], avatars, originals),
    ):
        unknown = [row for identifier, row in here.items() if identifier not in there]
        if unknown:
            raise TableError(
                f"{len(unknown)} identifier(s) of {table.label} in column {quoted(id_column)} are "
                f"not in {other.label} (first in data row {unknown[0] + 1}). Each original needs "
                "its avatar and each avatar its original."
            )
    return np.fromiter((positions[1][identifier] for identifier in positions[0]), dtype=np.int64)


def _positions_of_ids(identifiers: list[Any], label: str, id_column: str) -> dict[Any, int]:
    """Return the row of each identifier, none of them missing or repeated."""
    positions: dict[Any, int] = {}
    for row, identifier in enumerate(identifiers):
        if identifier is None:
            raise TableError(
                f"{label}: no identifier in column {quoted(id_column)}, data row {row + 1}. Give "
                "every row one."
            )
        if identifier in positions:
            raise TableError(
                f"{label}: the identifier of data row {row + 1} in column {quoted(id_column)} was "
                f"already in data row {positions[identifier] + 1}. Identifiers must be unique."
            )
        positions[identifier] = row
    return positions


def _group_labels(originals: RawTable, name: str) -> NDArray[Any]:
    """Return the group of each original as text."""
    cells = originals.cells.column(name).to_pylist()
    return np.array(["(missing)" if cell is None else str(cell) for cell in cells], dtype=object)


def _frame(columns: dict[str, pa.ChunkedArray]) -> pd.DataFrame:
    """Make a frame whose cells keep their Arrow types."""
    return pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype)
