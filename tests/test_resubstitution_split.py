"""A splitter that fits and scores on all rows."""

from __future__ import annotations

import numpy as np
import pytest

from skprivacy import (
    ResubstitutionSplit,
)

NAMES = ["hidden_rate", "local_cloaking", "row_direct_match_protection"]


@pytest.mark.parametrize("n_repeats", [1, 3])
def test_every_fold_is_all_rows_twice(n_repeats):
    splitter = ResubstitutionSplit(n_repeats)
    folds = list(splitter.split(np.zeros((4, 2)), y=np.arange(4), groups=[1, 1, 2, 2]))
    assert len(folds) == splitter.get_n_splits() == n_repeats
    for train, test in folds:
        np.testing.assert_array_equal(train, [0, 1, 2, 3])
        np.testing.assert_array_equal(test, [0, 1, 2, 3])


def test_there_is_one_fold_by_default():
    assert ResubstitutionSplit().get_n_splits() == 1


def test_representation_of_the_splitter():
    assert repr(ResubstitutionSplit(n_repeats=3)) == "ResubstitutionSplit(n_repeats=3)"


@pytest.mark.parametrize(("n_repeats", "error"), [(0, ValueError), (-1, ValueError)])
def test_no_fold_is_refused(n_repeats, error):
    with pytest.raises(error, match="n_repeats == "):
        ResubstitutionSplit(n_repeats)


@pytest.mark.parametrize("n_repeats", [1.0, "2", None])
def test_number_of_folds_must_be_an_integer(n_repeats):
    with pytest.raises(TypeError, match="n_repeats must be an instance of int"):
        ResubstitutionSplit(n_repeats)
