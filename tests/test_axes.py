"""Rank, ties at the cut and block-wise factorisation, on tables whose axes are known."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from skprivacy.projection._axes import principal_axes


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
