"""Principal axes of a coded table: exact, deterministic, in bounded memory."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from scipy.linalg import svd
from sklearn.utils import gen_batches

from .._callers import levels_to_the_caller
from ._codings import Floats

# Axes whose singular values are closer than this, relative to the largest, are turned by
# rounding: the angle is about eps divided by the gap.
_TIE_TOLERANCE = 1e-10


def principal_axes(
    block_of: Callable[[slice, Floats], None], shape: tuple[int, int], n_components: int
) -> tuple[Floats, Floats]:
    """Return the first right singular vectors, as columns, and the share of inertia of each.

    `block_of` writes the rows of a slice into the array it is given.
    """
    _, singular_values, axes = svd(_triangular_factor(block_of, shape), full_matrices=False)
    _check_cut(singular_values, max(shape), n_components)
    inertia = np.square(singular_values)
    loadings = np.ascontiguousarray(_with_fixed_signs(axes[:n_components]).T)
    return loadings, inertia[:n_components] / inertia.sum()


def _triangular_factor(block_of: Callable[[slice, Floats], None], shape: tuple[int, int]) -> Floats:
    """Reduce a table to a triangle with the same singular values and axes.

    A QR factorisation block by block needs one block of memory and keeps the small axes to
    full precision, which a covariance matrix would not.
    """
    n_rows, width = shape
    factor = np.empty((0, width))
    for rows in gen_batches(n_rows, max(2 * width, 2**20 // width)):
        stacked = np.empty((len(factor) + rows.stop - rows.start, width))
        stacked[: len(factor)] = factor
        block_of(rows, stacked[len(factor) :])
        factor = np.asarray(np.linalg.qr(stacked, mode="r"))
    return factor


def _check_cut(singular_values: Floats, longest_side: int, n_components: int) -> None:
    """Raise above the rank, as numpy.linalg.matrix_rank has it; warn of a tie at the cut."""
    tolerance = singular_values[0] * longest_side * np.finfo(np.float64).eps
    rank = int((singular_values > tolerance).sum())
    if n_components > rank:
        raise ValueError(
            f"n_components={n_components} is more than the rank of the table, {rank}. "
            f"Use n_components of at most {rank}."
        )
    if n_components == rank:
        return
    kept, dropped = singular_values[n_components - 1 : n_components + 1]
    if kept - dropped <= _TIE_TOLERANCE * singular_values[0]:
        warnings.warn(
            f"Axes {n_components} and {n_components + 1} have equal eigenvalues, so the first "
            f"{n_components} axes are not unique: coordinates and scores depend on rounding. "
            "Change n_components so that both are kept or both are dropped.",
            UserWarning,
            stacklevel=levels_to_the_caller(),
        )


def _with_fixed_signs(axes: Floats) -> Floats:
    """Make the largest loading of each axis positive; among equals up to rounding, the first."""
    sizes = np.abs(axes)
    leads = (sizes >= (1 - 1e-8) * sizes.max(axis=1, keepdims=True)).argmax(axis=1)
    signs: Floats = np.sign(axes[np.arange(len(axes)), leads])
    return axes * signs[:, None]
