"""Warnings where copied rows may look protected by an accident of storage."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from skprivacy.metrics._row_matching import group_rows, match_rows

CANARY = "canary"


@pytest.mark.parametrize(
    ("cells", "avatars", "difference"),
    [
        ([f"{CANARY} ", "b"], [CANARY, "c"], "surrounding blanks"),
        ([CANARY], [f"\t{CANARY}\u00a0"], "surrounding blanks"),
        ([f"{CANARY}\u00e9"], [f"{CANARY}e\u0301"], "NFC"),
        (np.array([0.1, 2], "f4"), np.array([0.1, 3.0]), "width of their floats"),
        (np.array([0.1, 3.0]), np.array([0.1, np.nan], "f2"), "width of their floats"),
    ],
)
def test_a_near_miss_is_told_by_column(cells, avatars, difference):
    tables = pd.DataFrame({"id": 1, "v": cells}), pd.DataFrame({"id": 1, "v": avatars})
    with pytest.warns(UserWarning, match=difference) as caught:
        matches = match_rows(*tables)
    assert not matches.is_hit.any()
    message = str(caught[0].message)
    assert len(caught) == 1
    assert "column 'v' (position 1) of X and column 'v' (position 1) of X_avatars" in message
    assert CANARY not in message
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("cells", "avatars"),
    [
        (["a ", "a"], ["a", "a "]),
        (["a "], ["a "]),
        (["a b"], ["ab"]),
        (["a", 1], [None, 1]),
        (np.array([0.5, 2], "f4"), np.array([0.5, 3.0])),
        (np.array([0.1, 2], "f4"), np.array([0.25, np.nan])),
        (np.array([0.1, np.nan]), np.array([0.1, np.nan])),
        (np.array([1], "f4"), np.array([1e300])),
        (np.array([np.inf], "f4"), np.array([np.inf])),
        (np.array([1], "i1"), np.array([257])),
        (np.array([1], "i4"), np.array([1.5])),
    ],
)
def test_no_warning_without_a_near_miss(cells, avatars):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        match_rows(pd.DataFrame({"v": cells}), pd.DataFrame({"v": avatars}))


def test_grouping_alone_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        codes, other = group_rows([["a "]], [["a"]])
    assert codes[0] != other[0]
