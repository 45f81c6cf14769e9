"""A key for each cell of a column: keys are equal exactly where the values are equal."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ._row_values import canonical_values, distinct_kinds

Rows: TypeAlias = NDArray[np.intp]
Integers: TypeAlias = NDArray[np.int64]
# 64 bits for each cell and how they are to be read: both are equal iff the cells are.
Keys: TypeAlias = tuple[Integers, NDArray[np.int8]]
# A dict compares by true equality after the hash, so no collision can decide.
Ids: TypeAlias = defaultdict[Any, int]

# The readings of a word. Each number has one only, whatever its dtype.
_WHOLE, _BEYOND_INT64, _FLOAT_BITS, _MISSING = np.arange(4, dtype=np.int8)
N_READINGS = 4


class Column(ABC):
    """The cells of one column of one table; `rows` are always positions."""

    @property
    @abstractmethod
    def kinds(self) -> frozenset[str]:
        """Return the kinds of the cells that are not missing."""

    @abstractmethod
    def canonical(self, rows: Rows) -> list[Any]:
        """Return the canonical values of the rows."""

    def ids(self, rows: Rows, ids: Ids) -> Integers:
        """Return the keys of the rows, by way of canonical values."""
        return _lookup(self.canonical(rows), ids)


@dataclass(frozen=True, eq=False, repr=False)
class Words(Column):
    """Cells of one kind held as numbers: numbers themselves, truth values, ticks of time."""

    kind: str
    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None
    # Attoseconds in a tick of time; the frequency that the ordinals of periods count.
    unit: int | str = 1

    @cached_property
    def kinds(self) -> frozenset[str]:
        """Return the kind, unless every cell is missing."""
        missing = self._missing(np.arange(len(self.values)))
        return frozenset() if missing.all() else frozenset({self.kind})

    def _missing(self, rows: Rows) -> NDArray[np.bool_]:
        """Tell which of the rows are missing."""
        values = self.values[rows]
        masked = np.zeros(len(values), bool) if self.missing is None else self.missing[rows]
        return masked | np.isnan(values) if values.dtype.kind == "f" else masked

    def canonical(self, rows: Rows) -> list[Any]:
        """Return the canonical values of the rows."""
        values: list[Any] = self.values[rows].tolist()
        if self.kind == "period":
            values = [(self.kind, self.unit, value) for value in values]
        elif self.kind != "number":
            values = [(self.kind, value * self.unit) for value in values]
        for row in np.flatnonzero(self._missing(rows)):
            values[row] = None
        return values

    def keys(self, rows: Rows) -> Keys:
        """Return the keys of the rows."""
        values = self.values[rows]
        if values.dtype.kind == "f":
            words, readings = _float_keys(values)
        elif values.dtype.kind == "u":
            words = values.astype(np.uint64).view(np.int64)
            readings = np.where(words < 0, _BEYOND_INT64, _WHOLE)
        else:
            words = values.astype(np.int64)
            readings = np.full(len(words), _WHOLE)
        missing = self._missing(rows)
        words[missing] = 0
        readings[missing] = _MISSING
        return words, readings

    def in_unit(self, unit: int) -> Words | None:
        """Count the same ticks of time in a finer unit; None where 64 bits do not hold them."""
        factor, rest = divmod(int(self.unit), unit)
        largest = max(abs(int(self.values.min())), abs(int(self.values.max())))
        if rest or largest * factor >= 2**63:
            return None
        return replace(self, values=self.values.astype(np.int64) * factor, unit=unit)


@dataclass(frozen=True, eq=False, repr=False)
class Coded(Column):
    """Cells held as positions in a list of canonical values, all of them used; -1 is missing."""

    codes: NDArray[Any]
    values: list[Any]

    @cached_property
    def kinds(self) -> frozenset[str]:
        """Return the kinds of the values."""
        return distinct_kinds(self.values)

    def canonical(self, rows: Rows) -> list[Any]:
        """Return the canonical values of the rows."""
        values = [*self.values, None]
        return [values[code] for code in self.codes[rows].tolist()]

    def ids(self, rows: Rows, ids: Ids) -> Integers:
        """Return the keys of the rows, each value looked up once."""
        return _lookup([*self.values, None], ids)[self.codes[rows]]


class Cells(Column):
    """Canonical values, fetched for the rows that are asked for."""

    def __init__(self, take: Callable[[Rows], list[Any]], kinds: frozenset[str]) -> None:
        self._take = take
        self._kinds = kinds

    @property
    def kinds(self) -> frozenset[str]:
        """Return the kinds of the cells that are not missing."""
        return self._kinds

    def canonical(self, rows: Rows) -> list[Any]:
        """Return the canonical values of the rows."""
        return self._take(rows)


def object_cells(cells: Iterable[Any]) -> Cells:
    """Make a column of any Python objects."""
    values = canonical_values(list(cells))
    held = np.fromiter(values, dtype=object, count=len(values))
    return Cells(lambda rows: held[rows].tolist(), distinct_kinds(values))


def joint_keys(left: Column, right: Column, rows_left: Rows, rows_right: Rows) -> Keys:
    """Return the keys of rows of two columns, one column after the other."""
    pair = _in_one_unit(left, right)
    if pair is None:
        ids: Ids = defaultdict(count().__next__)
        words = np.concatenate([left.ids(rows_left, ids), right.ids(rows_right, ids)])
        return words, np.zeros(len(words), np.int8)
    words, readings = pair[0].keys(rows_left)
    words_right, readings_right = pair[1].keys(rows_right)
    return np.concatenate([words, words_right]), np.concatenate([readings, readings_right])


def _in_one_unit(left: Column, right: Column) -> tuple[Words, Words] | None:
    """Return both columns as words that can be compared, None if they cannot."""
    if not (isinstance(left, Words) and isinstance(right, Words)) or left.kind != right.kind:
        return None
    if left.unit == right.unit:
        return left, right
    if isinstance(left.unit, str) or isinstance(right.unit, str):
        return None
    unit = min(left.unit, right.unit)
    finer = left.in_unit(unit), right.in_unit(unit)
    return None if finer[0] is None or finer[1] is None else (finer[0], finer[1])


def _lookup(values: list[Any], ids: Ids) -> Integers:
    """Return the number of each value, a new one for a value not met before."""
    return np.fromiter(map(ids.__getitem__, values), dtype=np.int64, count=len(values))


def _float_keys(values: NDArray[Any]) -> Keys:
    """Read floats as whole numbers where they are, so that they meet integers exactly."""
    floats = values.astype(np.float64)
    is_whole = np.floor(floats) == floats
    fits = is_whole & (floats >= -(2.0**63)) & (floats < 2.0**63)
    is_beyond = (floats >= 2.0**63) & (floats < 2.0**64)
    words = floats.view(np.int64).copy()
    words[fits] = floats[fits].astype(np.int64)
    words[is_beyond] = floats[is_beyond].astype(np.uint64).view(np.int64)
    return words, np.select([fits, is_beyond], [_WHOLE, _BEYOND_INT64], _FLOAT_BITS)
