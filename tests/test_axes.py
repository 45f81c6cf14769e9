"""Rank, ties at the cut and block-wise factorisation, on tables whose axes are known."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from skprivacy import FAMD
from skprivacy.projection._axes import (
    _TIE_TOLERANCE,
    _triangular_factor,
    _with_fixed_signs,
    principal_axes,
)


def axes_of(table, n_components):
    def fill(rows, block):
        block[:] = table[rows]

    return principal_axes(fill, table.shape, n_components)


def table_with(singular_values, n_rows, rng, width=None):
    width = width or len(singular_values)
    left = np.linalg.qr(rng.normal(size=(n_rows, len(singular_values))))[0]
    right = np.linalg.qr(rng.normal(size=(width, len(singular_values))))[0]
    return left * singular_values @ right.T, right


def test_small_axes_keep_their_digits():
    # A covariance matrix would lose the last of these axes to rounding altogether.
    table, right = table_with([1.0, 1e-4, 1e-9], 500, np.random.default_rng(0))
    loadings, share = axes_of(table, 3)
    cosines = np.abs((loadings * right).sum(axis=0))
    np.testing.assert_allclose(cosines, 1, atol=1e-12)
    np.testing.assert_allclose(share, np.array([1, 1e-8, 1e-18]) / (1 + 1e-8 + 1e-18), rtol=1e-5)


@pytest.mark.parametrize("shape", [(40, 7), (7, 40), (12, 12)])
def test_axes_are_those_of_the_whole_table(shape):
    table = np.random.default_rng(1).normal(size=shape)
    expected = np.linalg.svd(table, full_matrices=False)[2]
    loadings, _ = axes_of(table, 5)
    np.testing.assert_allclose(np.abs((loadings.T * expected[:5]).sum(axis=1)), 1, atol=1e-13)


def test_blocks_do_not_show():
    # 2**20 / 4 rows fill a block, so this table needs three.
    rng = np.random.default_rng(2)
    table = rng.normal(size=(600_000, 4)) * [4, 3, 2, 1]
    loadings, share = axes_of(table, 4)
    values, vectors = np.linalg.eigh(table.T @ table)
    np.testing.assert_allclose(share, values[::-1] / values.sum(), rtol=1e-10)
    np.testing.assert_allclose(np.abs((loadings * vectors[:, ::-1]).sum(axis=0)), 1, atol=1e-10)


def test_more_axes_than_the_rank_say_the_rank():
    table, _ = table_with([3.0, 2.0, 1.0], 20, np.random.default_rng(3), width=6)
    assert axes_of(table, 3)[0].shape == (6, 3)
    with pytest.raises(ValueError, match=r"n_components=4 .* rank of the table, 3\."):
        axes_of(table, 4)


def test_equal_eigenvalues_warn_at_the_cut_only():
    table, _ = table_with([3.0, 2.0, 2.0, 1.0], 50, np.random.default_rng(4))
    with pytest.warns(UserWarning, match="Axes 2 and 3 have equal eigenvalues"):
        axes_of(table, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n_components in (1, 3, 4):
            axes_of(table, n_components)


def test_a_close_eigenvalue_is_no_tie():
    table, _ = table_with([3.0, 2.0, 2.0 - 1e-6], 50, np.random.default_rng(5))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        axes_of(table, 2)


def test_the_largest_loading_is_positive():
    table = np.random.default_rng(6).normal(size=(30, 5))
    for signed in (table, -table, table[::-1]):
        loadings, _ = axes_of(signed, 5)
        assert (loadings[np.abs(loadings).argmax(axis=0), range(5)] > 0).all()


def test_the_first_of_equal_loadings_is_positive():
    # Two correlated columns load equally up to the last bit: rounding must not choose.
    rng = np.random.default_rng(7)
    for _ in range(20):
        first, noise = rng.normal(size=(2, 30))
        pair = np.column_stack([first, first + noise])
        pair = (pair - pair.mean(axis=0)) / pair.std(axis=0)
        assert (axes_of(pair, 2)[0][0] > 0).all()


@pytest.mark.parametrize(
    ("n_rows", "values"),
    [(500, [1.0, 1e-14]), (4, [1.0, 1e-14]), (4, [1.0, 1e-16]), (500, [1.0, 1e-3, 1e-14])],
)
def test_the_rank_is_that_of_numpy(n_rows, values):
    table, _ = table_with(values, n_rows, np.random.default_rng(8))
    rank = np.linalg.matrix_rank(table)
    assert axes_of(table, rank)[0].shape == (len(values), rank)
    with pytest.raises(ValueError, match=f"rank of the table, {rank}"):
        axes_of(table, rank + 1)


def test_each_kept_axis_has_its_share_of_all_inertia():
    loadings, share = axes_of(np.diag([3.0, 2.0, 1.0]), 2)
    assert loadings.shape == (3, 2)
    np.testing.assert_allclose(share, np.array([9, 4]) / (9 + 4 + 1), rtol=1e-15)


def test_a_singular_value_at_the_tolerance_is_none():
    # Diagonal tables keep their values to the last bit.
    table = np.diag([1.0, 2 * np.finfo(np.float64).eps])
    assert np.linalg.matrix_rank(table) == 1
    with pytest.raises(ValueError, match="rank of the table, 1"):
        axes_of(table, 2)


@pytest.mark.parametrize("largest", [1.0, 4.0])
def test_a_gap_of_the_tolerance_is_a_tie_and_a_wider_one_is_none(largest):
    gap = largest * _TIE_TOLERANCE
    with pytest.warns(UserWarning, match="Axes 2 and 3 have equal eigenvalues"):
        axes_of(np.diag([largest, 2 * gap, gap]), 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        axes_of(np.diag([largest, 2 * gap, np.nextafter(gap, 0)]), 2)


def test_the_warning_of_a_tie_points_to_the_caller_of_fit():
    with pytest.warns(UserWarning, match="equal eigenvalues") as caught:
        FAMD(n_components=1).fit([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    assert caught[0].filename == __file__


def test_loadings_equal_up_to_rounding_are_those_within_1e_8_of_the_largest():
    almost = 1 - 1e-8
    signed = _with_fixed_signs(np.array([[-almost, 1.0], [np.nextafter(-almost, 0), 1.0]]))
    assert np.sign(signed).tolist() == [[1, -1], [-1, 1]]


@pytest.mark.parametrize(("width", "n_rows_of_block"), [(2, 2**19), (800, 2 * 800)])
def test_blocks_are_of_a_million_cells_or_twice_as_long_as_wide(width, n_rows_of_block):
    blocks = []

    def fill(rows, block):
        block[:] = 1.0
        blocks.append(rows)

    _triangular_factor(fill, (n_rows_of_block + 1, width))
    first, last = slice(0, n_rows_of_block), slice(n_rows_of_block, n_rows_of_block + 1)
    assert blocks == [first, last]
