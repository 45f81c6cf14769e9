"""One column at a time: scales, constants, levels, and the way back."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from fractions import Fraction
from math import isqrt

import numpy as np
import pytest

from skprivacy.projection._codings import CategoricalCoding, NumericCoding, learn_coding
from skprivacy.projection._columns import Column


def numbers(values):
    return Column("column 'x'", "number", np.asarray(values), is_categorical=False)


def levels(values):
    return Column("column 'x'", "text", np.asarray(values, dtype=object), is_categorical=True)


def exact_scores(values):
    """Return z-scores in rational arithmetic, rounded once at the end."""
    exact = [Fraction(float(value)) for value in values]
    mean = sum(exact) / len(exact)
    variance = sum((value - mean) ** 2 for value in exact) / len(exact)
    # The root of a ratio scaled to integers is correct to far more than 53 bits.
    scale = 2**4000
    root = Fraction(isqrt(int(variance * scale * scale)), scale)
    return [float((value - mean) / root) for value in exact]


@pytest.mark.parametrize("factor", [1.0, 1e6, 1e150, 1e290, 1e-150, 1e-300])
@pytest.mark.parametrize("offset", [0.0, 1.0, 1e9])
def test_scores_are_exact_at_any_scale_and_offset(factor, offset):
    values = (np.random.default_rng(0).normal(size=60) + offset) * factor
    column = numbers(values)
    scores = NumericCoding.learn(column).encode(column)
    np.testing.assert_allclose(scores, exact_scores(values), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(
    "values",
    [
        np.full(10, 0.1),
        np.zeros(10),
        np.full(7, 1e300),
        np.full(10, 7),
        [0.3, 0.1 + 0.2, 0.3],
        np.full(10, -1e-310),
    ],
)
def test_constant_numbers_contribute_nothing(values):
    coding = NumericCoding.learn(numbers(values))
    assert coding.width == coding.std == 0
    assert (coding.encode(numbers([5.0, -5.0])) == 0).all()
    np.testing.assert_allclose(coding.decode(np.empty((2, 0))), values[0], rtol=1e-15)


@pytest.mark.parametrize("values", [[1e9, 1e9 + 1e-5], [0, 1e-300], [1, 1 + 1e-14], [0, 1]])
def test_small_spreads_are_not_constant(values):
    coding = NumericCoding.learn(numbers(values))
    assert coding.width == 1
    np.testing.assert_allclose(coding.encode(numbers(values)), [-1, 1], rtol=1e-12)


def test_a_spread_of_four_last_bits_is_a_constant_and_a_wider_one_is_none():
    # From 0.5 to 1 the scale is 1, and float64 are half an eps apart.
    eps = np.finfo(np.float64).eps
    for bits, width in [(3.5, 0), (4, 0), (4.5, 1)]:
        assert NumericCoding.learn(numbers([0.5, 0.5 + bits * eps])).width == width


def test_scores_are_one_column_of_the_table_and_weigh_its_loadings():
    coding, scores = NumericCoding.learn(numbers([0.0, 1.0, 5.0])), np.array([-1.0, 0.5, 2.0])
    block = np.empty((3, 1))
    coding.fill(block, scores)
    assert block.tolist() == [[-1.0], [0.5], [2.0]]
    coordinates = coding.project(scores, np.array([[0.5, -4.0]]))
    assert coordinates.tolist() == [[-0.5, 4.0], [0.25, -2.0], [1.0, -8.0]]


def test_reconstructions_too_large_for_the_dtype_are_its_largest():
    coding = NumericCoding.learn(numbers([1e200, 2e200]))
    assert coding.decode(np.array([[1e200], [-1e200]])).tolist() == [
        np.finfo(np.float64).max,
        np.finfo(np.float64).min,
    ]


def test_numbers_of_another_unit_are_an_error():
    coding = NumericCoding.learn(numbers([1e-200, 2e-200]))
    with pytest.raises(ValueError, match="column 'x' of X are too large") as error:
        coding.encode(numbers([1e-200, 4.711e200]))
    assert "4.711" not in str(error.value)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8"])
def test_numbers_come_back_in_their_dtype(dtype):
    values = np.array([3, 250, 17, 99], dtype=dtype)
    coding = NumericCoding.learn(numbers(values))
    back = coding.decode(coding.encode(numbers(values))[:, None])
    assert back.dtype == dtype
    np.testing.assert_allclose(back, values, rtol=1e-6 if dtype == "float32" else 1e-14)


def test_whole_numbers_come_back_where_the_mean_is_no_float():
    # The mean lies half-way between two float64.
    values = 2**52 + np.array([0, 1, 100, 101])
    coding = NumericCoding.learn(numbers(values))
    assert coding.decode(coding.encode(numbers(values))[:, None]).tolist() == values.tolist()


def test_indicators_have_the_weights_of_the_definition():
    column = levels(["a", "b", "a", "c", "a"])
    coding = CategoricalCoding.learn(column)
    block = np.empty((5, 3))
    coding.fill(block, coding.encode(column))
    share = np.array([0.6, 0.2, 0.2])
    indicators = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1], [1, 0, 0]])
    np.testing.assert_allclose(block, (indicators - share) / np.sqrt(share), rtol=1e-15)
    np.testing.assert_allclose(block[1, 1], 1 / np.sqrt(0.2) - np.sqrt(0.2), rtol=1e-15)


def test_unseen_levels_have_a_code_of_their_own_and_add_nothing():
    coding = CategoricalCoding.learn(levels(["a", "b", "b"]))
    codes = coding.encode(levels(["b", "z", "a"]))
    assert codes.tolist() == [1, -1, 0]
    assert (coding.project(codes, np.ones((2, 4)))[1] == 0).all()


def test_coordinates_are_the_products_of_indicators_and_loadings():
    column = levels(["a", "b", "a", "c", "a", "d", "d"])
    coding = CategoricalCoding.learn(column)
    codes, block = coding.encode(column), np.empty((7, 4))
    coding.fill(block, codes)
    # Axes of a fitted table are orthogonal to the roots of the proportions, whose squares sum to 1.
    roots = np.sqrt(coding.proportions)
    loadings = np.random.default_rng(0).normal(size=(4, 3))
    loadings -= np.outer(roots, roots @ loadings)
    np.testing.assert_allclose(coding.project(codes, loadings), block @ loadings, rtol=1e-13)


def test_one_level_contributes_nothing():
    coding = CategoricalCoding.learn(levels(["a", "a"]))
    assert coding.width == 0
    assert coding.decode(np.empty((3, 0))).tolist() == ["a", "a", "a"]


def test_decoding_weighs_indicators_not_scores():
    # In z-scores the rare level b leads, in the reconstructed indicator the common a does.
    coding = CategoricalCoding.learn(levels(["a"] * 99 + ["b"]))
    assert coding.decode(np.array([[-0.2, 2.0]])).tolist() == ["a"]
    # Indicators p + z sqrt(p): 0.99 - 0.4 * 0.995 is below 0.01 + 6 * 0.1.
    assert coding.decode(np.array([[-0.4, 6.0]])).tolist() == ["b"]


def test_the_kind_of_coding_follows_the_column():
    assert isinstance(learn_coding(levels(["a"])), CategoricalCoding)
    assert isinstance(learn_coding(numbers([1.0])), NumericCoding)


@pytest.mark.parametrize("column", [numbers([1.0, 2.0]), levels(["a", "b"])])
def test_what_was_learnt_stays(column):
    with pytest.raises(FrozenInstanceError):
        learn_coding(column).kind = "bool"
