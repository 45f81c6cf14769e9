"""What the cells of a column are, decided over both tables at once.

A CSV file has no types. Were each file read for itself, "1.0" of one and "1" of the other
could become text and number, and copied rows would look protected. So a column is number,
bool or text in both tables, or an error says why it cannot be.
"""

from __future__ import annotations

import unicodedata
import warnings
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from .._containers import quoted
from ._csv_cells import TableError

# No leading zeros and no plus sign: 007 and +33123456789 are codes, not numbers.
_INTEGER = r"-?(?:0|[1-9][0-9]*)"
NUMBER = rf"(?:{_INTEGER}(?:\.[0-9]*)?|-?\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_KINDS = ("number", "bool", "text")
_BOOL = r"(?i)true|false"
# Words that stand for a missing or infinite number in the files of common programs.
# Numbers in the dress of spreadsheets: 1,234.5, 12 %, $5, 3 kg. 06 12 34 56 78 is none.
_DRESSED_NUMBER = (
    r"[-\x{2212}(]?\p{Sc}?[ \x{A0}\x{202F}]?[0-9]{1,3}(?:[ ,.'\x{A0}\x{202F}]?[0-9]{3})*"
    r"(?:[.,][0-9]+)?[ \x{A0}\x{202F}]?(?:[%)\p{Sc}]|(?:[ \x{A0}\x{202F}][\p{L}]{1,5}))?"
)
_NO_NUMBER = r"(?i)#?n/?a|nan|null|none|nil|[-+]?inf(?:inity)?|[?.-]|#n/a n/a|missing|unknown"


class Column(NamedTuple):
    """A column of one table; the cells of a CSV file are text whose kind is not yet known."""

    label: str
    cells: pa.ChunkedArray
    is_typed: bool


def align_kinds(
    name: str, originals: Column, avatars: Column, *, decimal: str, is_label: bool
) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Return the cells of both tables read as one kind."""
    sides = originals, avatars
    kinds = [_kind(side, decimal) for side in sides]
    kind = _common_kind(sides, kinds, is_label=is_label)
    if kind is None:
        mend = "Write it the same way in both"
        if not any(side.is_typed for side in sides):
            mend += ", or list it in --categorical to compare both as text"
        raise TableError(
            f"Column {quoted(name)} holds {kinds[0]} in {originals.label} and {kinds[1]} in "
            f"{avatars.label}, which are never equal. {mend}."
        )
    if kind not in _KINDS:
        raise TableError(
            f"Column {quoted(name)} holds {kind} cells, which have no distances: write it as "
            "numbers or text, or leave it out with --exclude."
        )
    if kind == "text" and not (originals.is_typed and avatars.is_typed):
        return _blank_to_null(originals.cells), _blank_to_null(avatars.cells)
    if kind == "number" and not (originals.is_typed and avatars.is_typed):
        return _read_numbers(sides, decimal)
    read = [side.cells if side.is_typed else _read_bools(side.cells) for side in sides]
    return read[0], read[1]


def check_spelling(
    name: str, originals: Column, avatars: Column, *, decimal: str, is_label: bool
) -> None:
    """Raise or warn when the text of a column is likely to hide values that are equal."""
    # A Parquet file beside it says that the column is meant to be text.
    if not (is_label or originals.is_typed or avatars.is_typed):
        _check_not_meant_as_number(name, originals, decimal)
        _check_not_meant_as_number(name, avatars, decimal)
    _warn_of_lookalikes(name, originals.cells, avatars.cells)


def warn_if_identifier(name: str, cells: pa.ChunkedArray) -> None:
    """Warn of a column that tells nearly every original apart."""
    n_rows, n_values = len(cells), pc.count_distinct(cells).as_py()
    is_text = is_text_type(cells.type) and n_rows >= 20 and 2 * n_values > n_rows
    is_counter = (
        pa.types.is_integer(cells.type)
        and n_values == n_rows >= 20
        and (n_rows >= 100 or _are_consecutive(cells))
    )
    if is_text or is_counter:
        warnings.warn(
            f"Column {quoted(name)} has {n_values} different values in {n_rows} originals. If it "
            "identifies people, use --id to pair by it or --exclude to leave it out: renumbered "
            "identifiers make copied rows look protected.",
            UserWarning,
            stacklevel=2,
        )


def _are_consecutive(numbers: pa.ChunkedArray) -> bool:
    """Tell whether different whole numbers leave no gap, as row numbers do."""
    ends = pc.min_max(numbers).as_py()
    return bool(ends["max"] - ends["min"] == len(numbers) - 1)


def is_text_type(arrow_type: pa.DataType) -> bool:
    """Tell whether cells are text."""
    return bool(pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type))


def _kind(side: Column, decimal: str) -> str | None:
    """Tell what the cells are; None when all are missing."""
    cells = side.cells
    if cells.null_count == len(cells):
        return None
    if side.is_typed:
        return _kind_of_type(cells.type)
    if _all_match(_as_number_text(cells, decimal), NUMBER):
        return "number"
    return "bool" if _all_match(pc.utf8_trim_whitespace(cells), _BOOL) else "text"


def _kind_of_type(arrow_type: pa.DataType) -> str:
    """Tell the kind of a Parquet column."""
    types = pa.types
    if types.is_integer(arrow_type) or types.is_floating(arrow_type):
        return "number"
    if types.is_decimal(arrow_type):
        return "number"
    if types.is_boolean(arrow_type):
        return "bool"
    return "text" if is_text_type(arrow_type) else str(arrow_type)


def _common_kind(
    sides: tuple[Column, Column], kinds: list[str | None], *, is_label: bool
) -> str | None:
    """Find the kind that both tables can be read as."""
    found = {kind for kind in kinds if kind is not None}
    if len(found) <= 1:
        return found.pop() if found else "text"
    typed = {kind for side, kind in zip(sides, kinds, strict=True) if side.is_typed}
    # Any cell of a CSV file can be read as text, and only as text when the other table is.
    if typed == {"text"} or (not typed and (is_label or found == {"bool", "text"})):
        return "text"
    return None


def _all_match(cells: pa.ChunkedArray, pattern: str) -> bool:
    """Tell whether every cell that is not missing is of a pattern."""
    return bool(pc.all(_matches(cells, pattern)).as_py())


def _matches(cells: pa.ChunkedArray, pattern: str) -> pa.ChunkedArray:
    return pc.match_substring_regex(cells, rf"\A(?:{pattern})\z")


def _as_number_text(cells: pa.ChunkedArray, decimal: str) -> pa.ChunkedArray:
    """Trim blanks and write the decimal sign as a point."""
    trimmed = pc.utf8_trim_whitespace(cells)
    if decimal == ".":
        return trimmed
    # A point is no decimal sign then: 1.234 must not be read as a number.
    hidden = pc.replace_substring(trimmed, ".", "\N{REPLACEMENT CHARACTER}")
    return pc.replace_substring(hidden, decimal, ".")


def _read_bools(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Read the cells of a CSV column as truth values."""
    return pc.equal(pc.utf8_lower(pc.utf8_trim_whitespace(cells)), "true")


def _blank_to_null(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Let blank text of a Parquet file be missing, as it is in the CSV file beside it."""
    return pc.if_else(pc.equal(pc.utf8_trim_whitespace(cells), ""), None, cells)


def _read_numbers(
    sides: tuple[Column, Column], decimal: str
) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Read whole numbers exactly, others as the nearest float64.

    Were only one of the columns exact, the same large number in both might differ.
    """
    texts = [
        side.cells if side.is_typed else _as_number_text(side.cells, decimal) for side in sides
    ]
    for numbers in (pa.int64(), pa.decimal128(38, 0)):
        try:
            exact = [
                text if side.is_typed else _whole(text).cast(numbers)
                for side, text in zip(sides, texts, strict=True)
            ]
        except pa.ArrowInvalid:
            continue
        return exact[0], exact[1]
    return texts[0].cast(pa.float64(), safe=False), texts[1].cast(pa.float64(), safe=False)


def _whole(numbers: pa.ChunkedArray) -> pa.ChunkedArray:
    """Drop fractions of nothing but zeros, which programs write that know floats only."""
    return pc.replace_substring_regex(numbers, r"\.0*$", "")


def _check_not_meant_as_number(name: str, side: Column, decimal: str) -> None:
    """Raise or warn when text is most likely a number that was not recognised."""
    if side.cells.null_count == len(side.cells):
        return
    numbers = _as_number_text(side.cells, decimal)
    other_sign = "." if decimal == "," else ","
    if _all_match(_as_number_text(side.cells, other_sign), NUMBER):
        raise TableError(
            f"Column {quoted(name)} of {side.label} holds numbers with the decimal sign "
            f"{other_sign!r}: use --decimal {other_sign!r}, or list it in --categorical if its "
            "cells are labels."
        )
    if _all_match(numbers, r"[0-9]+"):
        return
    if _all_match(numbers, _DRESSED_NUMBER):
        warnings.warn(
            f"Column {quoted(name)} of {side.label} is read as text: its cells look like numbers "
            "with a sign of thousands, of percent or of currency, or a unit. As labels they have "
            "no order and no sizes: write plain numbers, or list the column in --categorical if "
            "they are labels.",
            UserWarning,
            stacklevel=2,
        )
        return
    is_number = _matches(numbers, NUMBER)
    if not pc.any(is_number).as_py():
        return
    first = pc.index(pc.fill_null(is_number, True), False).as_py() + 1  # noqa: FBT003
    if _all_match(numbers, f"{NUMBER}|{_NO_NUMBER}"):
        raise TableError(
            f"Column {quoted(name)} of {side.label} holds numbers and words such as NA, nan, null "
            f"or inf (first in data row {first}). If they mean missing, name them, e.g. "
            "--missing NA; if the cells are labels, list the column in --categorical."
        )
    warnings.warn(
        f"Column {quoted(name)} of {side.label} is read as text: some cells are numbers, others "
        f"are not (first in data row {first}). List it in --categorical if that is right.",
        UserWarning,
        stacklevel=2,
    )


def _warn_of_lookalikes(name: str, originals: pa.ChunkedArray, avatars: pa.ChunkedArray) -> None:
    """Warn of labels that differ in spelling only, for rows with them never match."""
    known = set(pc.unique(originals).to_pylist())
    new = set(pc.unique(avatars).to_pylist()) - known
    n_alike = len(new) and len({_spelling(label) for label in known} & set(map(_spelling, new)))
    if n_alike:
        warnings.warn(
            f"Column {quoted(name)}: {n_alike} label(s) of the avatars differ from one of the "
            "originals only by case, blanks, accents, zeros or a word for missing. They count as "
            "different, so copied rows may look protected: write them the same way.",
            UserWarning,
            stacklevel=2,
        )


def _spelling(label: Any) -> str | float | None:
    """Reduce a label to what a reader would take it for."""
    if label is None:
        return None
    plain = unicodedata.normalize("NFKC", label).strip().casefold()
    if bool(pc.match_substring_regex(pa.scalar(plain), rf"\A(?:{_NO_NUMBER})\z").as_py()):
        return None
    try:
        return float(plain.replace(",", "."))
    except ValueError:
        return plain
