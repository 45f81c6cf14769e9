"""Warnings on numbers that look like privacy but come from a wrong pairing or space.

Shuffled exact copies score a Hidden Rate near 100: an own avatar that is no closer than
a random one is a sign that the pairing, or the space of one table, is wrong.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from numpy.typing import NDArray

from ._closer_avatars import CloserAvatars

_FEWEST_AVATARS = 50
_RANDOM_SHARE = 0.35
_N_SAMPLED = 256
# More than three standard errors of a sample's median share of avatars.
_MARGIN = 0.1
# Rounding of the anonymiser's means and of projections, relative to a column's magnitude.
_ROUNDING = 1e-9


def _levels_to_the_caller() -> int:
    """Return the stacklevel, for the function that warns, of the first caller outside."""
    frame, level = sys._getframe(1), 1  # noqa: SLF001 - as warnings itself does
    while frame.f_back and frame.f_globals["__name__"].partition(".")[0] == "skprivacy":
        frame, level = frame.f_back, level + 1
    return level


def warn_if_unpaired(counts: NDArray[np.int64], n_avatars: int) -> None:
    """Warn when half of the own avatars are no closer than a random avatar would be."""
    doubt = doubt_if_unpaired(counts, n_avatars)
    if doubt is not None:
        warnings.warn(doubt, UserWarning, stacklevel=_levels_to_the_caller())


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

    Hidden Rate stops at the first closer avatar and so has no counts. A sample far from
    the limit settles the question; near it, everybody is counted.
    """
    n_originals, n_avatars = len(comparison.X), len(comparison.Y)
    if n_avatars < _FEWEST_AVATARS:
        return
    # At random: a table may have a period.
    sample = np.random.default_rng(0).permutation(n_originals)[:_N_SAMPLED]
    counts = comparison.count(sample)
    share = np.median(counts) / (n_avatars - 1)
    if len(sample) < n_originals and abs(share - _RANDOM_SHARE) < _MARGIN:
        counts = comparison.count()
    warn_if_unpaired(counts, n_avatars)


def warn_if_other_space(X: NDArray[np.float64], Y: NDArray[np.float64]) -> None:
    """Warn when the middle avatar of a column lies outside the originals' range."""
    doubt = doubt_if_other_space(X, Y)
    if doubt is not None:
        warnings.warn(doubt, UserWarning, stacklevel=_levels_to_the_caller())


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
