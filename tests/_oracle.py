"""What the counts are, written slowly and without the package.

Two oracles of c_i, neither of which rounds:

- ``rational_counts`` is the definition, d(x_i, y_j) <= d(x_i, y_a(i)), on the decimals as
  they were typed, in fractions. ``grid_counts`` is the same on whole multiples of one unit,
  fast enough for tens of thousands of records.
- ``tie_rule_counts`` is the tie rule itself on float64 values. Every float64 is a whole
  multiple of a power of two, so squared distances are whole numbers; only the threshold
  takes square roots, with 80 decimal digits.

The two agree wherever no two different distances are as near as the tolerance.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction

import numpy as np

_CONTEXT = Context(prec=80, Emax=10**6, Emin=-(10**6))
_EPS = 2.0**-52


def rational_counts(X, Y, own):
    """Return c_i by its definition; the cells are texts such as "0.1", or exact numbers."""
    X = [[Fraction(cell) for cell in row] for row in X]
    Y = [[Fraction(cell) for cell in row] for row in Y]

    def squared_distance(x, y):
        return sum((a - b) ** 2 for a, b in zip(x, y, strict=True))

    return [
        sum(squared_distance(x, Y[j]) <= squared_distance(x, Y[a]) for j in range(len(Y)) if j != a)
        for x, a in zip(X, own, strict=True)
    ]


def grid_counts(X, Y, own):
    """Return c_i by its definition, for tables of whole numbers."""
    squared = _squared_distances(_whole(X), _whole(Y))
    return _count_others(squared, squared[np.arange(len(own)), own], own)


def gaps_are_wide(X, Y, own, tie_tol=1e-12):
    """Tell for each record of whole numbers whether only true ties lie near the tolerance."""
    squared = _squared_distances(_whole(X), _whole(Y))
    own_squared = squared[np.arange(len(own)), own]
    difference = (squared - own_squared[:, None]).astype(float)
    own_distance = np.sqrt(own_squared.astype(float))
    sums = np.sqrt(squared.astype(float)) + own_distance[:, None]
    gap = np.abs(difference) / np.maximum(sums, 1)
    gap[difference == 0] = np.inf
    X, Y = np.asarray(X, dtype=float), np.asarray(Y, dtype=float)
    spread = np.linalg.norm(X - np.median(X, axis=0), axis=1)
    size = np.linalg.norm(X, axis=1) + np.linalg.norm(Y[own], axis=1)
    return gap.min(axis=1) > 2 * (tie_tol * (spread + own_distance) + 4 * _EPS * size)


def tie_rule_counts(X, Y, own, tie_tol=1e-12):
    """Return c_i by the tie rule, in exact arithmetic on the float64 values."""
    X, Y = _whole_multiples(np.asarray(X, dtype=float), np.asarray(Y, dtype=float))
    own = np.asarray(own)
    squared = _squared_distances(X, Y)
    own_squared = squared[np.arange(len(own)), own]
    # Twice the median is a whole number too: an even number of rows has two middle ones.
    ordered = np.sort(X, axis=0)
    twice_median = ordered[(len(X) - 1) // 2] + ordered[len(X) // 2]
    four_spread_squared = ((2 * X - twice_median) ** 2).sum(axis=1)
    x_squared, y_squared = (X**2).sum(axis=1), (Y[own] ** 2).sum(axis=1)
    limits = [
        _squared_threshold(*parts, tie_tol)
        for parts in zip(own_squared, four_spread_squared, x_squared, y_squared, strict=True)
    ]
    return _count_others(squared, np.array(limits, dtype=object), own)


def _count_others(squared, limits, own):
    """Count the pairs within the limits, the own avatars left out."""
    closer = (squared <= limits[:, None]).astype(bool)
    closer[np.arange(len(own)), own] = False
    return closer.sum(axis=1)


def _squared_threshold(own_squared, four_spread_squared, x_squared, y_squared, tie_tol):
    """Return the largest whole number not above the squared threshold."""
    own, twice_spread, x_size, y_size = (
        _CONTEXT.sqrt(Decimal(int(whole)))
        for whole in (own_squared, four_spread_squared, x_squared, y_squared)
    )
    spread = _CONTEXT.divide(twice_spread, Decimal(2))
    tolerance = _CONTEXT.multiply(Decimal(tie_tol), _CONTEXT.add(spread, own))
    resolution = _CONTEXT.multiply(Decimal(4 * _EPS), _CONTEXT.add(x_size, y_size))
    threshold = _CONTEXT.add(own, _CONTEXT.add(tolerance, resolution))
    return int(_CONTEXT.multiply(threshold, threshold))


def _whole_multiples(*tables):
    """Return the tables as whole multiples of one power of two."""
    parts = [np.frexp(table) for table in tables]
    lowest = min(exponent[mantissa != 0].min(initial=1) for mantissa, exponent in parts)
    return [
        np.ldexp(mantissa, 53).astype(np.int64).astype(object)
        * 2 ** np.maximum(exponent - lowest, 0).astype(object)
        for mantissa, exponent in parts
    ]


def _squared_distances(X, Y):
    """Return the squared distance of every pair of rows, column after column."""
    squared = np.zeros((len(X), len(Y)), dtype=X.dtype)
    for x, y in zip(X.T, Y.T, strict=True):
        difference = x[:, None] - y[None, :]
        squared += difference * difference
    return squared


def _whole(table):
    """Return a table of whole numbers in a type that holds its squared distances."""
    table = np.asarray(table)
    largest = int(np.abs(table).max())
    fits = table.shape[1] * (4 * largest) ** 2 < 2**63
    return table.astype(np.int64 if fits else object)
