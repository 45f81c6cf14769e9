"""Equality of rows: the one place where rows are compared."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._containers import quoted
from ._row_keys import N_READINGS, Column, Integers, Rows, joint_keys
from ._row_near_misses import warn_of_near_misses
from ._row_tables import Table, read_table

_Pair: TypeAlias = tuple[Column, Column]
# Enough rows to tell an identifier from a flag; the order of columns changes no result.
_N_SAMPLED = 512


@dataclass(frozen=True, repr=False)
class RowMatches:
    """Which original rows are unique, which of those were hit, and by which avatar rows."""

    is_unique: NDArray[np.bool_]
    is_hit: NDArray[np.bool_]
    reproduces: NDArray[np.bool_]


def match_rows(X: Any, X_avatars: Any) -> RowMatches:
    """Find the avatar rows that equal an original row that occurs once.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        The originals.
    X_avatars : table of shape (n_avatars, n_features)
        The avatars, with columns of the same names (in any order) or the same number of them.

    Returns
    -------
    RowMatches
        `is_unique` and `is_hit` in the order of the originals, `reproduces` of the avatars.
    """
    originals, avatars = read_table(X, "X"), read_table(X_avatars, "X_avatars")
    partners = _partners(originals, avatars)
    codes, codes_avatars = _group(originals, avatars, partners)
    warn_of_near_misses(originals, avatars, partners)
    n_codes = len(codes) + len(codes_avatars)
    is_single = np.bincount(codes, minlength=n_codes) == 1
    is_avatar = np.bincount(codes_avatars, minlength=n_codes) > 0
    is_unique = is_single[codes]
    return RowMatches(is_unique, is_unique & is_avatar[codes], is_single[codes_avatars])


def group_rows(X: Any, X_other: Any) -> tuple[Integers, Integers]:
    """Return numbers from 0 on of the rows of both tables, equal iff the rows are."""
    left, right = read_table(X, "X"), read_table(X_other, "X_other")
    return _group(left, right, _partners(left, right))


def _group(left: Table, right: Table, partners: list[int]) -> tuple[Integers, Integers]:
    """Group the rows of tables whose columns have been paired."""
    for position, other in enumerate(partners):
        _check_kinds(left, position, right, other)
    pairs = [(left.columns[position], right.columns[j]) for position, j in enumerate(partners)]
    ordered = _most_selective_first(pairs, left.n_rows, right.n_rows)
    codes = _representatives(ordered, left.n_rows, right.n_rows)
    return codes[: left.n_rows], codes[left.n_rows :]


def _check_kinds(left: Table, position: int, right: Table, other: int) -> None:
    """Check that two columns have a kind of value in common, unless one has no value at all."""
    kinds, kinds_right = left.columns[position].kinds, right.columns[other].kinds
    if kinds and kinds_right and kinds.isdisjoint(kinds_right):
        raise ValueError(
            f"{left.column_label(position)} holds {_listed(kinds)} but "
            f"{right.column_label(other)} holds {_listed(kinds_right)}: no cell of one can equal "
            "a cell of the other. Convert one of them to the kind of the other."
        )


def _listed(kinds: frozenset[str]) -> str:
    """List kinds in a fixed order."""
    return " and ".join(sorted(kinds))


def _partners(left: Table, right: Table) -> list[int]:
    """Return for each column of the left table its position in the right one."""
    if left.names is None or right.names is None:
        if len(left.columns) != len(right.columns):
            raise ValueError(
                f"{right.name} has {len(right.columns)} columns, but {left.name} has "
                f"{len(left.columns)}. Pass tables with the same columns."
            )
        return list(range(len(left.columns)))
    positions = {name: position for position, name in enumerate(right.names)}
    missing = [name for name in left.names if name not in positions]
    extra = set(right.names) - set(left.names)
    if missing or extra:
        more = [name for name in right.names if name in extra]
        raise ValueError(
            f"The columns of {left.name} and {right.name} differ."
            + _only_in(left, missing)
            + _only_in(right, more)
            + " Pass tables with the same column names, in any order."
        )
    return [positions[name] for name in left.names]


def _only_in(table: Table, names: list[Hashable]) -> str:
    """Word the part of a message about columns that only one table has."""
    all_names = table.names or []
    shown = ", ".join(f"{quoted(name)} (position {all_names.index(name)})" for name in names[:5])
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f" Only in {table.name}: {shown}{more}." if names else ""


def _most_selective_first(pairs: list[_Pair], n_left: int, n_right: int) -> list[_Pair]:
    """Order columns by the values in a sample of rows, so that most rows are settled early."""
    rows = [np.linspace(0, n - 1, min(n, _N_SAMPLED)).astype(np.intp) for n in (n_left, n_right)]
    n_values = [len(np.unique(joint_keys(*pair, *rows)[0])) for pair in pairs]
    return [pairs[position] for position in np.argsort(n_values, kind="stable")[::-1]]


def _representatives(pairs: list[_Pair], n_left: int, n_right: int) -> Integers:
    """Return for each row of both tables the position of one row, the same for equal rows.

    Rows are split by one column after the other; a row alone in its group is settled.
    """
    result = np.arange(n_left + n_right)
    alive, groups = result.copy(), np.zeros(n_left + n_right, np.int64)
    for pair in pairs:
        words, readings = joint_keys(*pair, *_split(alive, n_left))
        groups = alive[_first_alike(words, groups * N_READINGS + readings)]
        is_shared = np.bincount(groups)[groups] > 1
        if not is_shared.all():
            alive, groups = alive[is_shared], groups[is_shared]
    result[alive] = groups
    return result


def _split(rows: Rows, n_left: int) -> tuple[Rows, Rows]:
    """Turn positions in both tables into positions in each."""
    border = np.searchsorted(rows, n_left)
    return rows[:border], rows[border:] - n_left


def _first_alike(words: Integers, tags: Integers) -> Integers:
    """Return for each pair of a word and a tag the position of one pair, the same for equal ones.

    Every pair claims a slot of a table and adopts whoever holds it, if both are equal in truth:
    a collision only sends the pair to another round with other slots. (Twice as fast as sorting.)
    """
    result = np.arange(len(words))
    pending = result
    n_bits = (2 * len(words)).bit_length()
    holder = np.empty(2**n_bits, np.int64)
    factors = _odd_factors()
    while len(pending) > 0:
        own_words, own_tags = words[pending], tags[pending]
        slots = _slots(own_words, own_tags, n_bits, next(factors), next(factors))
        holder[slots] = pending
        held = holder[slots]
        is_alike = (words[held] == own_words) & (tags[held] == own_tags)
        result[pending[is_alike]] = held[is_alike]
        pending = pending[~is_alike]
    return result


def _slots(
    words: Integers, tags: Integers, n_bits: int, factor: np.uint64, other: np.uint64
) -> NDArray[np.uint64]:
    """Spread pairs over 2 ** n_bits slots; products are modulo 2 ** 64 on purpose."""
    mixed = words.view(np.uint64) * factor
    mixed ^= tags.view(np.uint64) * other
    mixed >>= np.uint64(64 - n_bits)
    return mixed


def _odd_factors() -> Iterator[np.uint64]:
    """Yield odd factors of 64 bits without end."""
    # Knuth's multiplier and increment of MMIX: a full period, so no factor comes back.
    state = 1
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield np.uint64(state | 1)
