"""What the cells of two CSV files mean, as docs/command_line.md has it, cell by cell."""

from __future__ import annotations

import re
from fractions import Fraction

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]*)?([eE][+-]?[0-9]+)?|-?\.[0-9]+([eE][+-]?[0-9]+)?")


def written(rows, *, sep=",", ending="\n"):
    """Return a CSV file of quoted cells; quotes are doubled."""
    return "".join(
        sep.join('"' + cell.replace('"', '""') + '"' for cell in row) + ending for row in rows
    )


def without_last_blank_rows(columns):
    """Drop rows of blank cells at the end, as spreadsheets leave them."""
    n_rows = max((i + 1 for cells in columns for i, cell in enumerate(cells) if cell.strip()),
                 default=0)  # fmt: skip
    return [cells[:n_rows] for cells in columns]


def unquoted(text):
    """Return names and cells of a file without quotes, column by column; None is no cell."""
    lines = [line for line in re.split("\r\n|\r|\n", text.removeprefix("\ufeff")) if line]
    header, *rows = [line.split(",") for line in lines]
    columns = without_last_blank_rows(list(zip(*(row[: len(header)] for row in rows), strict=True)))
    named = zip(header, columns, strict=True)
    return [
        (name, [cell if cell.strip() else None for cell in cells])
        for name, cells in named
        if name.strip() or any(cell.strip() for cell in cells)
    ]


def match(originals, avatars):
    """Return which rows of originals are unique, and which of those an avatar equals."""
    columns = zip(*map(without_last_blank_rows, (originals, avatars)), strict=True)
    meant = [values(*both) for both in columns]
    rows, others = (list(zip(*(both[side] for both in meant), strict=True)) for side in (0, 1))
    is_unique = [rows.count(row) == 1 for row in rows]
    return is_unique, [row in others and one for row, one in zip(rows, is_unique, strict=True)]


def values(originals, avatars):
    """Return the values of one column in both files; None when its kinds never meet."""
    kinds = {_kind(originals), _kind(avatars)} - {None}
    if "number" in kinds and len(kinds) > 1:
        return None
    if kinds == {"number"}:
        whole = all(_is_short_whole(cell.strip()) for cell in [*originals, *avatars])
        read = Fraction if whole else float
        return tuple(
            [read(cell.strip()) if cell.strip() else None for cell in cells]
            for cells in (originals, avatars)
        )
    fold = str.lower if kinds == {"bool"} else str
    keep = str.strip if kinds == {"bool"} else str
    return tuple(
        [fold(keep(cell)) if cell.strip() else None for cell in cells]
        for cells in (originals, avatars)
    )


def _kind(cells):
    """Return what a column of one file is read as, None when it is all blank."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    if not filled:
        return None
    if all(_NUMBER.fullmatch(cell) for cell in filled):
        return "number"
    return "bool" if all(cell.lower() in ("true", "false") for cell in filled) else "text"


def _is_short_whole(cell):
    """Tell whether a number is kept exactly: whole, of up to 38 digits; blanks do not matter."""
    if not cell:
        return True
    number = Fraction(cell)
    return number.denominator == 1 and abs(number) < 10**38
