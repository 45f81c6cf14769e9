"""Scores of a search sorted into curves."""

from __future__ import annotations

import numpy as np
import pytest

from skprivacy.inspection._curve_table import are_numbers, chosen_row, read_cv_results


def results(**columns):
    """Make cv_results_ of a grid over k, and over ncp where it is given."""
    params = {key[6:]: columns[key] for key in columns if key.startswith("param_")}
    candidates = [dict(zip(params, row, strict=True)) for row in zip(*params.values(), strict=True)]
    masked = {f"param_{key}": np.ma.array(values, dtype=object) for key, values in params.items()}
    return {**columns, **masked, "params": candidates}


K = results(param_k=[20, 5, 10], mean_test_hr=[95.0, 70.0, 90.0], std_test_hr=[1.0, 0.0, 2.0])
GRID = results(
    param_k=[5, 5, 10, 10], param_ncp=[2, 3, 2, 3], mean_test_hr=[1, 2, 3, 4], mean_test_lc=[0] * 4
)


def test_one_parameter_is_one_curve_in_its_order():
    table = read_cv_results(K, "k")
    assert table.values == [5, 10, 20]
    assert table.curves == [""]
    rows = table.of_curve(0)
    assert table.means["hr"][rows].tolist() == [70, 90, 95]
    assert table.stds["hr"][rows].tolist() == [0, 2, 1]


def test_other_parameters_give_a_curve_for_each_combination():
    table = read_cv_results(GRID, "k")
    assert table.curves == ["ncp=2", "ncp=3"]
    assert table.means["hr"][table.of_curve(1)].tolist() == [2, 4]
    assert list(table.means) == ["hr", "lc"]


def test_values_that_are_no_numbers_keep_their_order():
    table = read_cv_results(results(param_how=["mix", "copy"], mean_test_hr=[1, 2]), "how")
    assert table.values == ["mix", "copy"]


@pytest.mark.parametrize(
    ("values", "expected"), [([1, 2.5, np.int64(3)], True), ([True], False), ([1, None], False)]
)
def test_numbers(values, expected):
    assert are_numbers(values) is expected


def test_a_search_that_cannot_be_plotted():
    with pytest.raises(ValueError, match=r"no parameter 'ncp'; the search varied \['k'\]"):
        read_cv_results(K, "ncp")
    with pytest.raises(ValueError, match="candidate more than once"):
        read_cv_results(results(param_k=[2, 2], mean_test_hr=[1, 2]), "k")
    with pytest.raises(ValueError, match="no mean_test_"):
        read_cv_results(results(param_k=[2, 3]), "k")
    unset = results(param_k=[2, 3], mean_test_hr=[1, 2])
    unset["param_k"].mask = [False, True]
    with pytest.raises(ValueError, match="do not set 'k'"):
        read_cv_results(unset, "k")


def test_the_candidate_to_mark():
    assert chosen_row(K, "k", None, None) is None
    assert chosen_row(K, "k", None, 1) == 1
    assert chosen_row(K, "k", {"hr": 90}, None) == 2
    assert chosen_row(K, "k", {"hr": 90}, 0) == 0
    assert chosen_row(K, "k", {"hr": 99}, None) is None


def test_what_cannot_be_marked():
    with pytest.raises(ValueError, match=r"floors name \['HR'\], but the search scored \['hr'\]"):
        chosen_row(K, "k", {"HR": 90}, None)
    with pytest.raises(ValueError, match="best_index=3 is not one of 3"):
        chosen_row(K, "k", None, 3)
