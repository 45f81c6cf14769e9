"""Warnings on numbers that look like privacy but come from a wrong pairing or space.

Shuffled exact copies score a Hidden Rate near 100: an own avatar that is no closer than
a random one is a sign that the pairing, or the space of one table, is wrong.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from .._callers import levels_to_the_caller
from ._closer_avatars import CloserAvatars

_FEWEST_AVATARS = 50
_RANDOM_SHARE = 0.35
# Each sample of originals is so many times as large as the one before, which it includes.
_N_SAMPLED, _SAMPLE_GROWTH = 256, 4
# Standard errors by which a sample's majority must exceed one half to decide for all.
_CLEAR = 4
# Rounding of the anonymiser's means and of projections, relative to a column's magnitude.
_ROUNDING = 1e-9


def warn_if_unpaired(counts: NDArray[np.int64], n_avatars: int) -> None:
    """Warn when half of the own avatars are no closer than a random avatar would be."""
    doubt = doubt_if_unpaired(counts, n_avatars)
    if doubt is not None:
        warnings.warn(doubt, UserWarning, stacklevel=levels_to_the_caller())


def doubt_if_unpaired(counts: NDArray[np.int64], n_avatars: int) -> str | None:
    """Say when half of the own avatars are no closer than a random avatar would be."""
    if n_avatars < _FEWEST_AVATARS or np.median(counts) < _RANDOM_SHARE * (n_avatars - 1):
        return None
    return (
        f"The median own avatar is no closer than a random pairing would be (median count "
        f"{np.median(counts):g} of {n_avatars - 1} other avatars): check own_avatar and that "
        "both tables are in the same space. A wrong pairing looks like perfect privacy."
    )


def warn_if_unpaired_sample(comparison: CloserAvatars) -> None:
    """Warn as warn_if_unpaired, counting only as many originals as the answer needs.

    Hidden Rate stops at the first closer avatar and so has no counts. A clear majority of a
    sample settles the question; the closer it is, the more are counted, in the end everybody.
    """
    n_originals, n_avatars = len(comparison.X), len(comparison.Y)
    if n_avatars < _FEWEST_AVATARS:
        return
    # At random: a table may have a period.
    order = np.random.default_rng(0).permutation(n_originals)
    counts, size = comparison.count(order[:_N_SAMPLED]), _N_SAMPLED
    while size < n_originals and not _is_clear(counts, n_avatars):
        further = order[size : size * _SAMPLE_GROWTH]
        counts, size = np.append(counts, comparison.count(further)), size * _SAMPLE_GROWTH
    warn_if_unpaired(counts, n_avatars)


def _is_clear(counts: NDArray[np.int64], n_avatars: int) -> bool:
    """Tell whether far more, or far fewer, than half of a sample reach the limit."""
    n_large = np.count_nonzero(counts >= _RANDOM_SHARE * (n_avatars - 1))
    # If half of all did, 2 n_large would vary by the root of the sample's size.
    return bool(abs(2 * n_large - len(counts)) > _CLEAR * np.sqrt(len(counts)))


def warn_if_other_space(X: NDArray[np.float64], Y: NDArray[np.float64]) -> None:
    """Warn when the middle avatar of a column lies outside the originals' range."""
    doubt = doubt_if_other_space(X, Y)
    if doubt is not None:
        warnings.warn(doubt, UserWarning, stacklevel=levels_to_the_caller())


def doubt_if_other_space(X: NDArray[np.float64], Y: NDArray[np.float64]) -> str | None:
    """Say when the middle avatar of a column lies outside the originals' range."""
    if len(X) == 1:
        # The range of a single original is a point, which no avatar need hit.
        return None
    low, high, middle = X.min(axis=0), X.max(axis=0), np.median(Y, axis=0)
    slack = _ROUNDING * np.maximum(np.abs(low), np.abs(high))
    outside = np.flatnonzero((middle < low - slack) | (middle > high + slack))
    if not len(outside):
        return None
    return (
        f"The avatars' median lies outside the originals' range in column position(s) "
        f"{', '.join(map(str, outside[:5]))}{' and more' if outside[5:].size else ''}: check "
        "that both tables are in the same space (same columns, units and projection)."
    )
