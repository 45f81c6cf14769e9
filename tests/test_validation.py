"""Parameters, pairings and weights: what is refused, where it is wrong, and how to mend it."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skprivacy._validation import (
    check_n_components,
    check_own_avatar,
    check_owned_once,
    check_sample_weight,
    check_tie_tol,
    resolve_own_avatar,
)

# Pairing


@pytest.mark.parametrize("own", [[2, 0, 1], (2, 0, 1), pd.Series([2, 0, 1]), pl.Series([2, 0, 1])])
def test_own_avatar_becomes_int64(own):
    np.testing.assert_array_equal(check_own_avatar(own, 3), np.array([2, 0, 1]), strict=True)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint64, object, "Int64", ">i4"])
def test_own_avatar_of_any_integer_type(dtype):
    own = pd.array([2, 0, 1], dtype=dtype) if dtype == "Int64" else np.array([2, 0, 1], dtype)
    np.testing.assert_array_equal(check_own_avatar(own, 3), np.array([2, 0, 1]), strict=True)


def test_own_avatar_may_be_a_column():
    assert check_own_avatar([[2], [0], [1]], 3).tolist() == [2, 0, 1]


def test_no_own_avatar():
    assert check_own_avatar(None, 3) is None
    np.testing.assert_array_equal(resolve_own_avatar(None, 3, 3), [0, 1, 2])


def test_own_avatar_may_be_used_up_to_the_last_avatar():
    own = np.array([3, 0, 3])
    assert resolve_own_avatar(own, 3, 4) is own
    with pytest.raises(ValueError, match=r"3 avatars at position 0 .and 1 others"):
        resolve_own_avatar(own, 3, 3)


@pytest.mark.parametrize(
    ("own", "error"),
    [
        ([0.0, 1.0], TypeError),
        ([True, False], TypeError),
        (np.array([0, True], dtype=object), TypeError),
        (np.array([0, np.True_], dtype=object), TypeError),
        (np.array([0, 1.0], dtype=object), TypeError),
        (["0", "1"], TypeError),
        ([0, None], TypeError),
        (pd.array([0, None], dtype="Int64"), TypeError),
        ([0 + 0j, 1], TypeError),
        (np.array(["2020", "2021"], dtype="M8[Y]"), TypeError),
        ([0, -1], ValueError),
        ([0, 1, 2], ValueError),
        ([0], ValueError),
        ([[0, 1]], ValueError),
        (0, ValueError),
        (np.array([0, 2**63], dtype=np.uint64), ValueError),
        ([0, 2**70], ValueError),
        (np.array([0, -(2**70)], dtype=object), ValueError),
    ],
)
def test_faulty_own_avatar(own, error):
    with pytest.raises(error, match="own_avatar"):
        check_own_avatar(own, 2)


def test_a_position_may_be_as_large_as_int64():
    assert check_own_avatar([0, 2**63 - 1], 2).tolist() == [0, 2**63 - 1]


def test_messages_point_to_the_first_faulty_position_and_count_the_others():
    with pytest.raises(ValueError, match=r"no position at position 1 \(and 2 others\)"):
        check_own_avatar([0, -1, -7, -1], 4)
    with pytest.raises(ValueError, match=r"outside the 3 avatars at position 1 \(and 2 others\)"):
        resolve_own_avatar(np.array([0, 3, -1, 9]), 4, 3)


def test_without_own_avatar_there_are_as_many_avatars_as_originals():
    with pytest.raises(ValueError, match=r"Got 3 avatars for 2 originals"):
        resolve_own_avatar(None, 2, 3)


@pytest.mark.parametrize(
    ("check", "name"),
    [(check_own_avatar, "own_avatar"), (check_sample_weight, "sample_weight")],
)
def test_what_is_no_array_is_refused_by_name(check, name):
    with pytest.raises(ValueError, match=rf"^{name} must be one-dimensional.*different lengths"):
        check([[0, 1], [2]], 2)
    with pytest.raises(ValueError, match=rf"{name} .*masked"):
        check(np.ma.array([0, 1], mask=[False, True]), 2)


def test_transform_needs_one_owner_each():
    check_owned_once(np.array([1, 0, 2]), 3)
    for own, n_avatars in ([1, 0, 1], 3), ([1, 0], 3), ([0, 1, 2, 0], 3):
        with pytest.raises(ValueError, match=rf"{len(own)} originals.*{n_avatars} avatars one to"):
            check_owned_once(np.array(own), n_avatars)


# Weights


def test_no_weights():
    assert check_sample_weight(None, 3) is None


@pytest.mark.parametrize(
    "weight",
    [
        [1, 0, 3],
        [True, False, True],
        (0.5, 0.0, 1e-300),
        np.array([1, 0, 3], dtype=np.uint8),
        np.array([Decimal(1), 0, 0.25], dtype=object),
        pd.Series([1.0, 0.0, 2.0], index=[5, 5, 5]),
        [1e308, 1e308, 0],
        [5e-324, 0, 5e-324],
        np.array([6e4, 6e-8, 1], dtype=np.float16),
    ],
)
def test_weights_keep_their_proportions(weight):
    found = check_sample_weight(weight, 3)
    given = np.asarray(weight, dtype=float)
    np.testing.assert_allclose(found / found.max(), given / given.max(), rtol=1e-15)
    assert found.dtype == np.float64
    assert np.isfinite(found.sum())


@pytest.mark.parametrize(
    ("weight", "error", "message"),
    [
        ([1, -1, 1], ValueError, "sample_weight.*negative at position 1"),
        ([0, -1, 0], ValueError, "sample_weight.*negative at position 1"),
        ([1, 1, -5e-324], ValueError, "sample_weight.*negative at position 2"),
        ([0, 0, 0], ValueError, "sample_weight.*is zero everywhere"),
        ([0.0, -0.0, 0.0], ValueError, "sample_weight.*is zero everywhere"),
        ([1, np.nan, 1], ValueError, "sample_weight contains NaN"),
        ([1, np.inf, 1], ValueError, "sample_weight contains infinity"),
        ([1, -np.inf, 1], ValueError, "sample_weight contains infinity"),
        ([1, None, 1], (TypeError, ValueError), "sample_weight"),
        ([1, 1], ValueError, r"sample_weight.*\(2,\).*\(3,\).*each original"),
        ([1, 1, 1, 1], ValueError, r"sample_weight.*\(4,\).*\(3,\)"),
        ([[1], [1], [1]], ValueError, r"sample_weight.*\(3, 1\).*\(3,\)"),
        ([], ValueError, "sample_weight|0 sample"),
        (1.0, (TypeError, ValueError), "sample_weight"),
        (["1", "1", "1"], TypeError, "sample_weight must hold numbers"),
        ([1, "1", 1], TypeError, "sample_weight must hold numbers"),
        (np.array([1, "1", 1], dtype=object), TypeError, "sample_weight must hold numbers.*object"),
        ([1, 10**400, 1], ValueError, "sample_weight holds integers beyond the range of float64"),
        ([1, 1j, 1], TypeError, "sample_weight must hold numbers"),
        (np.array(["2020"] * 3, dtype="M8[Y]"), TypeError, "sample_weight must hold numbers"),
    ],
)
def test_faulty_weights(weight, error, message):
    with pytest.raises(error, match=message):
        check_sample_weight(weight, 3)


def test_messages_on_weights_do_not_quote_them():
    for weight in ([731.85, -731.85, 1], 731.85, [[731.85] * 3], np.array([731.85, "731.85"])):
        with pytest.raises((TypeError, ValueError)) as raised:
            check_sample_weight(weight, 3)
        assert "731" not in str(raised.value)


# Parameters


@pytest.mark.parametrize("n_components", [1, 4, np.int8(3), np.uint64(2)])
def test_n_components(n_components):
    found = check_n_components(n_components, 4)
    assert found == n_components
    assert type(found) is int


def test_all_components_by_default():
    assert check_n_components(None, 4) == 4


@pytest.mark.parametrize(
    ("n_components", "error"),
    [
        (0, ValueError),
        (5, ValueError),
        (-1, ValueError),
        (2.0, TypeError),
        (True, TypeError),
        (np.True_, TypeError),
        ("2", TypeError),
        ([2], TypeError),
    ],
)
def test_faulty_n_components(n_components, error):
    with pytest.raises(error, match=r"n_components.*(between 1 and|integer or None)"):
        check_n_components(n_components, 4)


@pytest.mark.parametrize("tie_tol", [1e-13, 1e-12, 1e-6, np.float64(1e-9)])
def test_tie_tol(tie_tol):
    assert check_tie_tol(tie_tol) == tie_tol
    assert type(check_tie_tol(tie_tol)) is float


@pytest.mark.parametrize(
    ("tie_tol", "error"),
    [
        (0, ValueError),
        (np.nextafter(1e-13, 0), ValueError),
        (np.nextafter(1e-6, 1), ValueError),
        (float("nan"), ValueError),
        (1, ValueError),
        (True, TypeError),
        ("1e-9", TypeError),
        (None, TypeError),
        (np.array([1e-9]), TypeError),
    ],
)
def test_faulty_tie_tol(tie_tol, error):
    with pytest.raises(error, match=r"tie_tol.*(\[1e-13, 1e-06\]|real number)"):
        check_tie_tol(tie_tol)
