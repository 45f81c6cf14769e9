"""Parameters, pairings and weights are checked here; tables in _coordinates and _row_tables.

Messages say what was got, what was expected and how to mend it.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array

from ._containers import check_unmasked
from ._coordinates import is_number

_TIE_TOL_RANGE = (1e-13, 1e-6)
# Numbers to Python's type system only: truth values, and numpy's lengths of time.
_NO_NUMBERS = (bool, np.bool_, np.timedelta64)


def _as_array(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return an array-like as an array; numpy's own error would not name the argument."""
    check_unmasked(values, name)
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(
            f"{name} must be one-dimensional, got entries of different lengths. Pass one number "
            "for each original."
        ) from None


def check_own_avatar(own_avatar: ArrayLike | None, n_originals: int) -> NDArray[np.int64] | None:
    """Return the pairing as int64, one avatar position for each original."""
    if own_avatar is None:
        return None
    own = _as_array(own_avatar, "own_avatar")
    are_integers = own.dtype.kind in "iu" or (
        own.dtype == object
        and all(
            isinstance(cell, numbers.Integral) and not isinstance(cell, _NO_NUMBERS)
            for cell in own.flat
        )
    )
    if not are_integers:
        raise TypeError(
            f"own_avatar must hold integers, the position of each original's avatar; got dtype "
            f"{own.dtype}. Convert it, e.g. own_avatar.astype(int)."
        )
    if own.ndim == 2 and own.shape[1] == 1:
        own = own.ravel()
    if own.ndim != 1:
        raise ValueError(
            f"own_avatar must be one-dimensional, one position for each original; got shape "
            f"{own.shape}."
        )
    if len(own) != n_originals:
        raise ValueError(
            f"own_avatar has length {len(own)}, expected one position for each of the "
            f"{n_originals} originals."
        )
    faulty = np.flatnonzero((own < 0) | (own > np.iinfo(np.int64).max))
    if len(faulty):
        raise ValueError(
            f"own_avatar holds no position at position {faulty[0]} (and {len(faulty) - 1} others): "
            "positions count from 0 and may not be negative."
        )
    return own.astype(np.int64)


def resolve_own_avatar(
    own_avatar: NDArray[np.int64] | None, n_originals: int, n_avatars: int
) -> NDArray[np.int64]:
    """Return the pairing for this many avatars; without one, row i belongs to original i."""
    if own_avatar is not None:
        _check_positions(own_avatar, n_avatars)
        return own_avatar
    if n_originals != n_avatars:
        raise ValueError(
            f"Got {n_avatars} avatars for {n_originals} originals. Without own_avatar, row i of "
            "the avatars must belong to original i: pass own_avatar, the position of each "
            "original's avatar."
        )
    return np.arange(n_originals)


def _check_positions(own: NDArray[np.integer[Any]], n_avatars: int) -> None:
    """Raise a ValueError that points to the first position outside the avatars."""
    outside = np.flatnonzero((own < 0) | (own >= n_avatars))
    if len(outside):
        raise ValueError(
            f"own_avatar points outside the {n_avatars} avatars at position {outside[0]} (and "
            f"{len(outside) - 1} others); positions count from 0 and may not be negative."
        )


def check_owned_once(own: NDArray[np.int64], n_avatars: int) -> None:
    """Raise a ValueError unless every avatar is the own avatar of exactly one original."""
    if len(own) != n_avatars or len(np.unique(own)) != n_avatars:
        raise ValueError(
            f"transform describes each avatar by its owner, but {len(own)} originals do not own "
            f"the {n_avatars} avatars one to one. Use closer_avatar_counts for one value for "
            "each original."
        )


def check_sample_weight(
    sample_weight: ArrayLike | None, n_originals: int
) -> NDArray[np.float64] | None:
    """Return one finite, non-negative weight for each original, not all of them zero."""
    if sample_weight is None:
        return None
    weight = _as_array(sample_weight, "sample_weight")
    if weight.dtype.kind not in "biufO" or not all(
        is_number(cell) for cell in (weight.flat if weight.dtype == object else ())
    ):
        raise TypeError(f"sample_weight must hold numbers, got dtype {weight.dtype}.")
    if weight.shape != (n_originals,):
        raise ValueError(
            f"sample_weight.shape == {weight.shape}, expected {(n_originals,)}: one weight for "
            "each original record."
        )
    try:
        weight = check_array(weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    except OverflowError:
        raise ValueError(
            "sample_weight holds integers beyond the range of float64. Divide all weights by the "
            "largest: only proportions matter."
        ) from None
    if (weight < 0).any():
        raise ValueError(
            f"sample_weight is negative at position {int((weight < 0).argmax())}. Weights must be "
            "0 or more: correct it, or leave the record out with a weight of 0."
        )
    if not weight.any():
        raise ValueError("sample_weight is zero everywhere. Give some record a positive weight.")
    # Only proportions matter; a power of two keeps them exactly, and their sum finite.
    exponent = int(np.frexp(weight.max())[1])
    return np.asarray(np.ldexp(weight, 1 - exponent), dtype=np.float64)


def check_n_components(n_components: int | None, n_features: int) -> int:
    """Return how many leading columns to use, between 1 and n_features."""
    if n_components is None:
        return n_features
    if isinstance(n_components, _NO_NUMBERS) or not isinstance(n_components, numbers.Integral):
        raise TypeError(
            f"n_components must be an integer or None, got {type(n_components).__name__}."
        )
    if not 1 <= n_components <= n_features:
        raise ValueError(
            f"n_components={n_components} must be between 1 and the number of columns "
            f"({n_features})."
        )
    return int(n_components)


def check_tie_tol(tie_tol: float) -> float:
    """Return the relative width within which two distances are a tie."""
    low, high = _TIE_TOL_RANGE
    if isinstance(tie_tol, _NO_NUMBERS) or not isinstance(tie_tol, numbers.Real):
        raise TypeError(f"tie_tol must be a real number, got {type(tie_tol).__name__}.")
    if not low <= tie_tol <= high:
        raise ValueError(
            f"tie_tol={tie_tol} must be in [{low}, {high}]: below, float64 rounding breaks the "
            "ties of real data; above, avatars that are truly farther would count as closer."
        )
    return float(tie_tol)
