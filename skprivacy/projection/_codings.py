"""How one column enters FAMD: z-scores for numbers, weighted indicators for categories."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._containers import cast_numbers
from ._columns import Column, Kind

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NumericCoding:
    """A column of numbers as z-scores with the population standard deviation."""

    kind: Kind
    dtype: np.dtype[Any]
    exponent: int
    centre: float
    remainder: float
    std: float

    @classmethod
    def learn(cls, column: Column) -> NumericCoding:
        """Measure the scale without overflow, underflow or cancellation."""
        numbers = column.values.astype(np.float64)
        # A power of two is an exact change of unit: the squares of 1e200 stay in range.
        exponent = int(np.frexp(np.abs(numbers).max())[1])
        scaled = np.ldexp(numbers, -exponent)
        # Far from the origin one float64 cannot hold the mean to the precision of the spread.
        centre = float(scaled.mean())
        remainder = float((scaled - centre).mean())
        # A spread of a few last bits is the rounding of one constant, not information.
        is_constant = np.ptp(scaled) <= 4 * np.finfo(np.float64).eps
        variance = np.square(scaled - centre - remainder).mean()
        std = 0.0 if is_constant else float(np.sqrt(variance))
        return cls(column.kind, column.values.dtype, exponent, centre, remainder, std)

    @property
    def width(self) -> int:
        """Columns in the table that is decomposed: none for a constant."""
        return int(self.std > 0)

    def encode(self, column: Column) -> Floats:
        """Return z-scores; zeros for a constant, whatever new rows hold."""
        numbers = column.values.astype(np.float64)
        if not self.width:
            return np.zeros(len(numbers))
        with np.errstate(over="ignore"):
            scores = (np.ldexp(numbers, -self.exponent) - self.centre - self.remainder) / self.std
        if not np.isfinite(scores).all():
            raise ValueError(
                f"Cells in {column.label} of X are too large for the scale learnt at fit: their "
                "z-scores are infinite. Check that the units are those of the fitted table."
            )
        return scores

    def fill(self, block: Floats, scores: Floats) -> None:
        """Write this column's part of the table that is decomposed."""
        block[:, 0] = scores

    def project(self, scores: Floats, loadings: Floats) -> Floats:
        """Return this column's part of the coordinates."""
        return scores[:, None] * loadings

    def decode(self, reconstruction: Floats) -> NDArray[Any]:
        """Return numbers in the fitted unit and dtype."""
        scores = reconstruction[:, 0] if self.width else np.zeros(len(reconstruction))
        with np.errstate(over="ignore"):
            numbers = np.ldexp(scores * self.std + self.remainder + self.centre, self.exponent)
        return cast_numbers(numbers, self.dtype)


@dataclass(frozen=True)
class CategoricalCoding:
    """A column of categories as indicators 1/sqrt(p) - sqrt(p), p the fitted proportion."""

    kind: Kind
    levels: list[Any]
    proportions: Floats

    @classmethod
    def learn(cls, column: Column) -> CategoricalCoding:
        """Find the levels that occur and their proportions."""
        codes, levels = encode_levels(column)
        return cls(column.kind, levels, np.bincount(codes) / len(codes))

    @property
    def width(self) -> int:
        """Columns in the table that is decomposed: none for a single level."""
        return len(self.levels) if len(self.levels) > 1 else 0

    def encode(self, column: Column) -> NDArray[np.intp]:
        """Return the position of each cell's level, -1 for levels not seen at fit."""
        return encode_levels(column, self.levels)[0]

    def fill(self, block: Floats, codes: NDArray[np.intp]) -> None:
        """Write this column's part of the table that is decomposed."""
        roots = np.sqrt(self.proportions)
        block[:] = -roots
        block[np.arange(len(codes)), codes] += 1 / roots[codes]

    def project(self, codes: NDArray[np.intp], loadings: Floats) -> Floats:
        """Return this column's part of the coordinates.

        The indicators of a column, weighted by sqrt(p), sum to zero in every fitted row, so
        every axis is orthogonal to sqrt(p): the centre adds nothing, nor does an all-zero
        block of indicators, which is what a level unseen at fit is.
        """
        unseen = np.zeros((1, loadings.shape[1]))
        return np.vstack([loadings / np.sqrt(self.proportions)[:, None], unseen])[codes]

    def decode(self, reconstruction: Floats) -> NDArray[Any]:
        """Return the level whose reconstructed indicator is largest."""
        levels = np.empty(len(self.levels), dtype=object)
        levels[:] = self.levels
        if not self.width:
            return np.repeat(levels, len(reconstruction))
        indicators = reconstruction * np.sqrt(self.proportions) + self.proportions
        return levels[indicators.argmax(axis=1)]


def learn_coding(column: Column) -> NumericCoding | CategoricalCoding:
    """Learn scale or levels from a fitted column."""
    return (CategoricalCoding if column.is_categorical else NumericCoding).learn(column)


def encode_levels(
    column: Column, levels: list[Any] | None = None
) -> tuple[NDArray[np.intp], list[Any]]:
    """Return the position of each cell's level, and the levels: its own, sorted, by default."""
    cells = column.values.tolist()
    levels = sorted(set(cells)) if levels is None else levels
    position = {level: code for code, level in enumerate(levels)}
    codes = map(position.get, cells, repeat(-1))
    return np.fromiter(codes, dtype=np.intp, count=len(cells)), levels
