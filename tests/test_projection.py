"""FAMD against saiph, scikit-learn and a plain SVD, on tables that nobody here made."""

from __future__ import annotations

import pickle
import warnings

import _real_tables
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist
from sklearn import config_context
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks, gen_batches
from sklearn.utils.estimator_checks import parametrize_with_checks

from skprivacy import FAMD
from skprivacy.projection import _famd

CANARY = "Zanzibar-4711"


def categorical_columns(frame):
    return frame[[name for name in frame if frame[name].dtype.kind not in "if"]]


TABLES = {
    "breast cancer": _real_tables.breast_cancer,
    "wine": _real_tables.wine,
    "penguins": _real_tables.penguins,
    "doctor visits": _real_tables.doctor_visits,
    "diamonds": _real_tables.diamonds,
    "penguins, categories": lambda: categorical_columns(_real_tables.penguins()),
    "doctor visits, categories": lambda: categorical_columns(_real_tables.doctor_visits()),
}
# Tables on which the decompositions to compare with take seconds are cut, evenly.
N_ROWS = 3000


def table_of(name):
    frame = TABLES[name]()
    return frame.iloc[:: -(-len(frame) // N_ROWS)].reset_index(drop=True)


def coded_table(frame):
    """Return z-scores and weighted indicators as the definition has them."""
    blocks = []
    for name in frame:
        if frame[name].dtype.kind in "if":
            column = frame[name].to_numpy(dtype=float)
            blocks.append(((column - column.mean()) / column.std())[:, None])
        else:
            indicators = (frame[[name]].to_numpy() == sorted(set(frame[name]))).astype(float)
            share = indicators.mean(axis=0)
            blocks.append((indicators - share) / np.sqrt(share))
    return np.hstack(blocks)


def plain_famd(frame):
    """Return all coordinates and singular values of the coded table."""
    coded = coded_table(frame)
    _, values, axes = np.linalg.svd(coded, full_matrices=False)
    rank = (values > 1e-9 * values[0]).sum()
    return coded @ axes[:rank].T, values[:rank]


def assert_same_up_to_sign(coordinates, expected, **tolerance):
    signs = np.sign((coordinates * expected).sum(axis=0))
    assert_allclose(coordinates, expected * signs, rtol=0, **tolerance)


def mixed_table(n_rows=40, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "size": rng.normal(size=n_rows),
            "colour": rng.choice(["red", "green", "blue"], n_rows),
            "count": rng.integers(0, 9, n_rows),
            "flag": rng.random(n_rows) < 0.3,
        }
    )


# The definition


@pytest.mark.parametrize("name", TABLES)
def test_agrees_with_a_plain_svd(name):
    frame = table_of(name)
    expected, values = plain_famd(frame)
    famd = FAMD(expected.shape[1])
    coordinates = famd.fit_transform(frame)
    assert_same_up_to_sign(coordinates, expected, atol=1e-11)
    # All axes together turn the coded table, so its distances are the true ones.
    distances = pdist(coded_table(frame)[:400])
    assert_allclose(pdist(coordinates[:400]), distances, rtol=1e-14, atol=1e-14)
    assert_allclose(famd.explained_variance_ratio_, values**2 / (values**2).sum(), rtol=1e-11)


@pytest.mark.parametrize("name", TABLES)
def test_agrees_with_saiph(name):
    saiph = pytest.importorskip("saiph", reason="saiph does not support this Python version")
    frame = table_of(name)
    rank = plain_famd(frame)[0].shape[1]
    # Without a number of axes saiph's decomposition is the full one; a cut one is randomised.
    expected = saiph.fit_transform(frame)[0].to_numpy(copy=True)[:, :rank]
    if "categories" in name:
        expected *= np.sqrt(frame.shape[1])
    coordinates = FAMD(rank).fit_transform(frame)
    assert_same_up_to_sign(coordinates, expected, atol=1e-11)
    distances = pdist(expected[:400])
    assert_allclose(pdist(coordinates[:400]), distances, rtol=1e-14, atol=1e-13)


@pytest.mark.parametrize("name", ["breast cancer", "wine"])
def test_numeric_tables_are_standardised_pca(name):
    frame = TABLES[name]()
    pca = make_pipeline(StandardScaler(), PCA(10, svd_solver="full"))
    famd = FAMD(10).fit(frame)
    assert_allclose(famd.transform(frame), pca.fit_transform(frame), rtol=0, atol=1e-12)
    assert_allclose(famd.explained_variance_ratio_, pca[-1].explained_variance_ratio_, rtol=1e-12)


def test_fewer_axes_are_the_first_ones():
    frame = table_of("diamonds")
    assert_array_equal(FAMD(3).fit_transform(frame), FAMD(9).fit_transform(frame)[:, :3])


def test_new_rows_are_coded_with_the_fitted_proportions():
    fitted, new = mixed_table(60), mixed_table(7, seed=1)
    famd = FAMD(4).fit(fitted)
    loadings = np.linalg.lstsq(coded_table(fitted), famd.transform(fitted), rcond=None)[0]
    z_new = []
    for name in fitted:
        if fitted[name].dtype.kind in "if":
            column = fitted[name]
            z_new.append((new[[name]].to_numpy() - column.mean()) / column.std(ddof=0))
        else:
            levels = sorted(set(fitted[name]))
            share = np.array([(fitted[name] == level).mean() for level in levels])
            z_new.append(((new[[name]].to_numpy() == levels) - share) / np.sqrt(share))
    assert_allclose(famd.transform(new), np.hstack(z_new) @ loadings, rtol=0, atol=1e-13)


def test_equal_rows_have_equal_bits_in_any_batch():
    frame = _real_tables.doctor_visits()
    famd = FAMD(7).fit(frame)
    coordinates = famd.transform(frame)
    groups = frame.groupby(list(frame), sort=False).ngroup().to_numpy()
    first = np.unique(groups, return_index=True)[1]
    assert len(first) < 0.8 * len(frame)
    assert_array_equal(coordinates, coordinates[first][groups])
    assert_array_equal(famd.transform(frame[::-1]), coordinates[::-1])
    for i in range(0, len(frame), 500):
        assert_array_equal(famd.transform(frame.iloc[[i]])[0], coordinates[i])


def test_fit_transform_is_fit_then_transform():
    frame = mixed_table()
    assert_array_equal(FAMD(4).fit_transform(frame), FAMD(4).fit(frame).transform(frame))


def test_rows_may_be_in_any_order():
    frame = table_of("penguins")
    order = np.random.default_rng(0).permutation(len(frame))
    shuffled = FAMD(5).fit(frame.iloc[order])
    assert_allclose(shuffled.transform(frame), FAMD(5).fit_transform(frame), rtol=0, atol=1e-12)


def test_containers_give_the_same_coordinates():
    frame = mixed_table()
    expected = FAMD(4).fit_transform(frame)
    rows = [list(row) for row in frame.itertuples(index=False)]
    for table in (pl.DataFrame(frame.to_dict("list")), frame.to_numpy(dtype=object), rows):
        assert_array_equal(FAMD(4).fit_transform(table), expected)


def test_listed_integers_are_categories():
    frame = mixed_table()
    as_text = frame.assign(count=frame["count"].astype(str))
    expected = FAMD(4).fit_transform(as_text)
    for listed in (["count"], [2], [False, False, True, False]):
        coordinates = FAMD(4, categorical_features=listed).fit_transform(frame)
        assert_same_up_to_sign(coordinates, expected, atol=1e-12)
    assert np.abs(FAMD(4).fit_transform(frame) - expected).max() > 0.1


def test_constant_columns_contribute_nothing():
    frame = mixed_table()
    constants = frame.assign(tenth=0.1, word="same", yes=True)
    coordinates = FAMD(5).fit(constants)
    assert_array_equal(coordinates.transform(constants), FAMD(5).fit_transform(frame))
    assert_array_equal(
        coordinates.transform(constants.assign(tenth=7.0)), coordinates.transform(constants)
    )
    with pytest.raises(ValueError, match="All 3 columns of X are constant"):
        FAMD(1).fit(constants[["tenth", "word", "yes"]])


def test_a_first_column_may_be_constant():
    coordinates = FAMD(1).fit_transform([[7.0, 0.0], [7.0, 1.0], [7.0, 5.0]])
    # The z-scores of 0, 1, 5: mean 2, variance 14 / 3.
    assert_allclose(coordinates[:, 0], np.array([-2, -1, 3]) / np.sqrt(14 / 3), rtol=1e-14)


def test_five_axes_are_kept_by_default():
    assert FAMD().fit_transform(mixed_table()).shape == (40, 5)


def test_two_rows_have_an_axis_and_one_has_none():
    assert_allclose(FAMD(1).fit_transform([[3.0], [5.0]]), [[-1.0], [1.0]], rtol=1e-14)
    with pytest.raises(ValueError, match="minimum of 2"):
        FAMD(1).fit([[3.0]])


@pytest.mark.parametrize(("n_axes", "n_rows"), [(2, 2**14), (3, 2**15 // 3), (2**16, 1)])
def test_coordinates_are_made_in_batches_that_stay_in_the_cache(n_axes, n_rows, monkeypatch):
    sizes = []

    def noted(n, batch_size):
        sizes.append(batch_size)
        return gen_batches(n, batch_size)

    famd = FAMD(1).fit([[0.0], [1.0], [5.0]])
    famd._n_features_out, famd._loadings = n_axes, np.zeros((1, n_axes))
    monkeypatch.setattr(_famd, "gen_batches", noted)
    assert famd.transform([[2.0]]).shape == (1, n_axes)
    assert sizes == [n_rows]


def test_fewer_rows_than_columns_and_many_levels():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 60, size=(150, 25)).astype(str))
    frame.columns = frame.columns.astype(str)
    assert sum(frame[name].nunique() for name in frame) > 1000
    famd = FAMD(149).fit(frame)
    assert_allclose(pdist(famd.transform(frame)), pdist(coded_table(frame)), rtol=1e-14)
    pd.testing.assert_frame_equal(famd.inverse_transform(famd.transform(frame)), frame)
    with pytest.raises(ValueError, match=r"n_components=150 is more than the rank .* 149\."):
        FAMD(150).fit(frame)


def test_a_level_seen_once_keeps_its_digits():
    frame = pd.DataFrame({"rare": ["x"] + ["y"] * 20_000, "number": np.arange(20_001.0)})
    assert_same_up_to_sign(FAMD(2).fit_transform(frame), plain_famd(frame)[0], atol=1e-11)


def test_equal_eigenvalues_at_the_cut_warn():
    frame = pd.DataFrame({"a": [1, 1, -1, -1], "b": [1, -1, 1, -1]})
    with pytest.warns(UserWarning, match="first 1 axes are not unique") as caught:
        FAMD(1).fit(frame)
    assert caught[0].filename == __file__
    FAMD(2).fit(frame)


# The way back


@pytest.mark.parametrize("name", TABLES)
def test_all_axes_give_the_rows_back(name):
    frame = table_of(name)
    famd = FAMD(plain_famd(frame)[0].shape[1]).fit(frame)
    back = famd.inverse_transform(famd.transform(frame))
    pd.testing.assert_frame_equal(back, frame, check_exact=False, rtol=1e-11, atol=1e-12)


def test_few_axes_give_possible_rows_back():
    frame = mixed_table()
    famd = FAMD(1).fit(frame)
    back = famd.inverse_transform(famd.transform(frame))
    assert back.dtypes.equals(frame.dtypes)
    assert set(back["colour"]) <= set(frame["colour"])


def test_coordinates_of_another_width_do_not_come_back():
    famd = FAMD(2).fit(mixed_table())
    with pytest.raises(ValueError, match=r"X has 3 coordinates, but FAMD .* n_components=2"):
        famd.inverse_transform(np.ones((4, 3)))


def test_rows_that_come_back_keep_the_labels_of_their_coordinates():
    frame = mixed_table()
    famd = FAMD(5).fit(frame)
    labels = [f"p{i}" for i in range(40)]
    back = famd.inverse_transform(pd.DataFrame(famd.transform(frame), index=labels))
    assert list(back.index) == labels


# Bad input


def test_coordinates_are_finite_numbers_of_a_fitted_projection():
    famd = FAMD(1)
    with pytest.raises(NotFittedError):
        famd.inverse_transform([[1.0]])
    famd.fit([[3.0], [5.0]])
    with pytest.raises(TypeError, match=r"X \(the coordinates\)"):
        famd.inverse_transform([[CANARY]])
    with pytest.raises(ValueError, match=r"Input X contains NaN\.\s+FAMD does not accept"):
        famd.inverse_transform([[np.nan]])


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"n_components": 0}, ValueError, "n_components == 0, must be >= 1"),
        ({"n_components": 2.0}, TypeError, "n_components must be an instance of int"),
        ({"n_components": True}, TypeError, "n_components must be an integer, got bool"),
        ({"n_components": 99}, ValueError, "n_components=99 is more than the rank of the table, 5"),
        ({"handle_unknown": "drop"}, ValueError, "must be 'error' or 'ignore', got 'drop'"),
        ({"categorical_features": ["z"]}, ValueError, "names 'z', no column of X"),
    ],
)
def test_parameters_out_of_range(settings, error, message):
    with pytest.raises(error, match=message):
        FAMD(**settings).fit(mixed_table())


def test_unseen_levels_are_an_error_unless_ignored():
    frame = mixed_table()
    new = frame.iloc[:6].copy()
    new.loc[[2, 4], "colour"] = CANARY
    with pytest.raises(ValueError, match=r"column 'colour' \(position 1\)") as error:
        FAMD(3).fit(frame).transform(new)
    assert "in 2 rows, the first at position 2" in str(error.value)
    assert "handle_unknown='ignore'" in str(error.value)
    assert CANARY not in str(error.value)


def test_an_ignored_level_is_an_all_zero_block():
    frame = mixed_table()
    new = frame.iloc[[0]].assign(colour=CANARY)
    famd = FAMD(3, handle_unknown="ignore").fit(frame)
    coded = coded_table(frame)
    loadings = np.linalg.lstsq(coded, famd.transform(frame), rcond=None)[0]
    row = coded[0].copy()
    share = np.array([(frame["colour"] == level).mean() for level in ("blue", "green", "red")])
    row[1:4] = (0 - share) / np.sqrt(share)
    assert_allclose(famd.transform(new)[0], row @ loadings, rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    ("column", "cells", "message"),
    [
        ("count", CANARY, "Expected number cells in column 'count' .* got text"),
        ("colour", 4711, "Expected text cells in column 'colour' .* got number|only numbers"),
        ("flag", 4711, "Expected bool cells in column 'flag' .* got number"),
        ("size", np.nan, "contains NaN: column 'size'"),
    ],
)
@pytest.mark.parametrize("handle_unknown", ["error", "ignore"])
def test_new_rows_of_another_kind(column, cells, message, handle_unknown):
    frame = mixed_table()
    famd = FAMD(2, handle_unknown=handle_unknown).fit(frame)
    with pytest.raises(ValueError, match=message) as error:
        famd.transform(frame.assign(**{column: cells}))
    assert "4711" not in str(error.value)


def test_other_columns_are_refused_in_the_words_of_sklearn():
    frame = mixed_table()
    famd = FAMD(2).fit(frame)
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        famd.transform(frame[frame.columns[::-1]])
    with pytest.raises(ValueError, match="missing:\n- flag"):
        famd.transform(frame.drop(columns="flag"))
    with pytest.raises(ValueError, match="X has 3 features, but FAMD is expecting 4"):
        FAMD(2).fit(frame.to_numpy(dtype=object)).transform(np.ones((2, 3)))


def test_a_fit_that_fails_leaves_nothing_fitted():
    frame = mixed_table()
    famd = FAMD(5).fit(frame)
    with pytest.raises(ValueError, match="rank"):
        famd.fit(frame.iloc[:3])
    with pytest.raises(NotFittedError):
        famd.transform(frame)


def test_the_table_is_not_modified():
    frame = mixed_table()
    before = frame.copy()
    famd = FAMD(2).fit(frame)
    famd.inverse_transform(famd.transform(frame))
    pd.testing.assert_frame_equal(frame, before)


# What scikit-learn expects


@parametrize_with_checks(
    [FAMD(n_components=1), FAMD(n_components=1, handle_unknown="ignore")], xfail_strict=True
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


# These checks fit with names and transform without, and the other way round.
@pytest.mark.filterwarnings("ignore:X does not have valid feature names, but FAMD")
@pytest.mark.filterwarnings("ignore:X has feature names, but FAMD")
@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_dataframe_column_names_consistency,
        estimator_checks.check_n_features_in_after_fitting,
        estimator_checks.check_transformer_get_feature_names_out,
        estimator_checks.check_transformer_get_feature_names_out_pandas,
        estimator_checks.check_get_feature_names_out_error,
        estimator_checks.check_set_output_transform,
        estimator_checks.check_set_output_transform_pandas,
        estimator_checks.check_set_output_transform_polars,
        estimator_checks.check_global_output_transform_pandas,
        estimator_checks.check_global_set_output_transform_polars,
    ],
)
def test_checks_that_scikit_learn_runs_on_itself(check):
    check("FAMD", FAMD(n_components=1))


def test_text_is_announced():
    tags = FAMD().__sklearn_tags__()
    assert tags.input_tags.string
    assert tags.input_tags.categorical


@pytest.mark.parametrize(
    ("output", "container"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)]
)
def test_set_output(output, container):
    frame = mixed_table().set_axis([f"p{i}" for i in range(40)])
    coordinates = FAMD(2).set_output(transform=output).fit_transform(frame)
    assert isinstance(coordinates, container)
    assert list(coordinates.columns) == ["famd0", "famd1"]
    if output == "pandas":
        assert coordinates.index.equals(frame.index)
    with config_context(transform_output=output):
        assert isinstance(FAMD(2).fit_transform(frame), container)


def test_clone_and_pickle():
    frame = mixed_table()
    famd = FAMD(3, categorical_features=["count"], handle_unknown="ignore").fit(frame)
    copied = pickle.loads(pickle.dumps(famd))
    assert_array_equal(copied.transform(frame), famd.transform(frame))
    unfitted = clone(famd)
    assert unfitted.get_params() == famd.get_params()
    with pytest.raises(NotFittedError):
        unfitted.transform(frame)


def test_no_cell_is_shown():
    frame = mixed_table().assign(
        place=[CANARY] + ["elsewhere"] * 39, number=[4711.5] * 2 + [1] * 38
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        famd = FAMD(3).fit(frame)
    for shown in (repr(famd), famd._repr_html_(), str(famd.get_feature_names_out())):
        assert "elsewhere" not in shown
        assert CANARY not in shown
        assert "4711" not in shown
    public = {name for name in vars(famd) if not name.startswith("_")} - set(famd.get_params())
    assert public == {"explained_variance_ratio_", "feature_names_in_", "n_features_in_"}
