"""KNeighborsAnonymizer: whom it mixes, with what weights, and what comes out."""

from __future__ import annotations

import pickle

import _real_tables
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from scipy.stats import beta, kstest
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.decomposition import PCA
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from skprivacy import FAMD, KNeighborsAnonymizer, anonymizers, hidden_rate_score

CANARY = "Zanzibar-4711"


class FirstColumns(TransformerMixin, BaseEstimator):
    """Coordinates are the first columns, so that others can carry marks of the records."""

    def __init__(self, n_columns=2):
        self.n_columns = n_columns

    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def transform(self, X):
        return np.asarray(X)[:, : self.n_columns]


def marked(coordinates):
    """Add one indicator column per record: the avatar's indicators are the weights."""
    return np.hstack([coordinates, np.eye(len(coordinates))])


def weights_of(anonymizer, coordinates):
    avatars = anonymizer.fit_transform(marked(coordinates))
    return avatars[:, coordinates.shape[1] :]


def nearest_others(coordinates, k):
    distances = cdist(coordinates, coordinates)
    np.fill_diagonal(distances, np.inf)
    return np.argsort(distances, axis=1)[:, :k]


def mixed_table(n_rows=60, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "size": rng.normal(size=n_rows),
            "single": rng.normal(size=n_rows).astype(np.float32),
            "count": rng.integers(0, 9, n_rows),
            "byte": rng.choice(np.array([0, 1, 254, 255], dtype=np.uint8), n_rows),
            "nullable": pd.array(rng.integers(0, 4, n_rows), dtype="Int64"),
            "flag": rng.random(n_rows) < 0.3,
            "boolean": pd.array(rng.random(n_rows) < 0.5, dtype="boolean"),
            "object": rng.choice(np.array(["red", "green", "blue"], dtype=object), n_rows),
            "string": pd.array(rng.choice(["x", "y"], n_rows), dtype="string"),
            "grade": pd.Categorical(rng.choice(["u", "v"], n_rows), categories=["w", "v", "u"]),
        },
        index=[f"p{i}" for i in range(n_rows)],
    )


# Whom it mixes


@pytest.mark.parametrize("k", [1, 2, 7, 59])
def test_neighbours_are_the_k_nearest_others(k):
    coordinates = np.random.default_rng(0).normal(size=(60, 2))
    weights = weights_of(
        KNeighborsAnonymizer(k, projection=FirstColumns(), random_state=0), coordinates
    )
    expected = np.zeros((60, 60), dtype=bool)
    np.put_along_axis(expected, nearest_others(coordinates, k), values=True, axis=1)
    # With a large k some weights are too small for a float64.
    assert not (weights[~expected] > 0).any()
    assert (weights[expected] > 0).mean() > 0.9
    assert not np.diag(weights).any()


@pytest.mark.parametrize("n_places", [1, 2, 5])
def test_the_own_record_is_left_out_where_the_projection_merges_records(n_places):
    rng = np.random.default_rng(1)
    coordinates = rng.normal(size=(n_places, 2))[rng.integers(n_places, size=80)]
    anonymizer = KNeighborsAnonymizer(6, projection=FirstColumns(), random_state=0)
    weights = weights_of(anonymizer, coordinates)
    assert not np.diag(weights).any()
    # All six come from the place of the record, where there are enough others.
    is_near = (coordinates[:, None] == coordinates).all(axis=2)
    is_crowded = is_near.sum(axis=1) > 6
    assert is_crowded.any()
    assert_allclose((weights * is_near).sum(axis=1)[is_crowded], 1)
    assert ((weights > 0).sum(axis=1) <= 6).all()


def test_exactly_one_equal_record_is_left_out():
    X = np.repeat(np.random.default_rng(2).normal(size=(30, 3)), 2, axis=0)
    assert_array_equal(KNeighborsAnonymizer(1, random_state=0).fit_transform(X), X)
    # Of three equal records two others remain, so two neighbours are copies again.
    X = np.repeat(X[::2], 3, axis=0)
    assert_array_equal(KNeighborsAnonymizer(2, random_state=0).fit_transform(X), X)
    assert (KNeighborsAnonymizer(3, random_state=0).fit_transform(X) != X).any(axis=1).all()


def test_with_one_neighbour_the_avatar_is_the_nearest_other_record():
    frame = _real_tables.penguins()
    famd = FAMD(5).fit(frame)
    avatars = KNeighborsAnonymizer(1, projection=famd).fit_transform(frame)
    coordinates = famd.transform(frame)
    distances = cdist(coordinates, coordinates)
    np.fill_diagonal(distances, np.inf)
    # Penguins measured alike are equally near: any of them will do.
    chosen = famd.transform(avatars)
    assert_allclose(np.linalg.norm(coordinates - chosen, axis=1), distances.min(axis=1), atol=1e-12)


def test_new_rows_have_all_records_for_neighbours():
    rng = np.random.default_rng(3)
    X, new = rng.normal(size=(2, 50, 2))
    avatars = KNeighborsAnonymizer(1).fit(X).transform(new)
    assert_array_equal(avatars, X[cdist(new, X).argmin(axis=1)])


def test_a_record_is_known_by_its_values_not_its_place():
    X = np.random.default_rng(4).normal(size=(50, 2)).round(2)
    anonymizer = KNeighborsAnonymizer(1).fit(X)
    order = np.random.default_rng(5).permutation(50)
    assert_array_equal(anonymizer.transform(X[order]), anonymizer.transform(X)[order])
    assert_array_equal(anonymizer.transform(X.tolist()), anonymizer.transform(X))


@pytest.mark.parametrize(
    "projection",
    [
        None,
        FAMD(3),
        make_pipeline(StandardScaler(), PCA(3, svd_solver="full")),
        FirstColumns(1),
        FunctionTransformer(lambda X: np.asarray(X)[:, :2].round()),
    ],
)
def test_batches_and_single_rows_meet_the_same_neighbours(projection):
    rng = np.random.default_rng(6)
    X = marked(rng.integers(0, 4, size=(40, 5)).astype(float))
    anonymizer = KNeighborsAnonymizer(4, projection=projection, random_state=0)
    together = anonymizer.fit_transform(X)
    assert_array_equal(anonymizer.fit(X).transform(X), together)
    assert not np.diag(together[:, 5:]).any()
    for i in range(40):
        alone = anonymizer.transform(X[[i]])[0, 5:]
        assert alone[i] == 0
        assert_allclose(alone.sum(), 1)


def test_blocks_do_not_show(monkeypatch):
    frame = mixed_table()
    anonymizer = KNeighborsAnonymizer(5, projection=FAMD(3), random_state=0).fit(frame)
    expected = anonymizer.transform(frame)
    monkeypatch.setattr(anonymizers, "_BATCH_CELLS", 42)
    pd.testing.assert_frame_equal(anonymizer.transform(frame), expected)


def test_jobs_do_not_show():
    X = _real_tables.wine()
    expected = KNeighborsAnonymizer(5, random_state=0).fit_transform(X)
    parallel = KNeighborsAnonymizer(5, random_state=0, n_jobs=2).fit_transform(X)
    pd.testing.assert_frame_equal(parallel, expected)


@pytest.mark.parametrize("factor", [1e200, 1e-200, 1e300])
def test_neighbours_survive_squares_beyond_float64(factor):
    X = np.random.default_rng(7).normal(size=(40, 3))
    anonymizer = KNeighborsAnonymizer(1, random_state=0)
    assert_array_equal(anonymizer.fit_transform(X * factor), anonymizer.fit_transform(X) * factor)


def test_neighbours_survive_an_offset():
    # Expanded squares would leave no digit of these distances.
    X = 1e8 + np.random.default_rng(13).normal(size=(40, 3))
    avatars = KNeighborsAnonymizer(1).fit_transform(X)
    assert_array_equal(avatars, X[nearest_others(X, 1)[:, 0]])


# With what weights


@pytest.mark.parametrize("k", [1, 2, 10, 50])
def test_weights_are_convex(k):
    coordinates = np.random.default_rng(8).normal(size=(200, 2))
    weights = weights_of(
        KNeighborsAnonymizer(k, projection=FirstColumns(), random_state=0), coordinates
    )
    assert (weights >= 0).all()
    assert_allclose(weights.sum(axis=1), 1, rtol=1e-14)


@pytest.mark.parametrize("k", [2, 5, 20])
def test_weights_are_dirichlet_with_concentration_two_over_k(k):
    # The weight of one neighbour of a Dirichlet(2/k, ..., 2/k) is Beta(2/k, 2 - 2/k).
    coordinates = np.random.default_rng(9).normal(size=(1500, 2))
    weights = weights_of(
        KNeighborsAnonymizer(k, projection=FirstColumns(), random_state=0), coordinates
    )
    neighbors = nearest_others(coordinates, k)
    for rank in (0, k - 1):
        sample = weights[range(1500), neighbors[:, rank]]
        assert kstest(sample, beta(2 / k, 2 - 2 / k).cdf).pvalue > 0.01
        for other in (1, 1 / k, 4 / k):
            if other != 2 / k:
                assert kstest(sample, beta(other, (k - 1) * other).cdf).pvalue < 1e-6


def test_the_seed_decides_the_draw():
    X = _real_tables.wine().to_numpy()
    first = KNeighborsAnonymizer(5, random_state=0).fit_transform(X)
    assert_array_equal(KNeighborsAnonymizer(5, random_state=0).fit_transform(X), first)
    assert (KNeighborsAnonymizer(5, random_state=1).fit_transform(X) != first).any()
    generator = np.random.RandomState(0)
    anonymizer = KNeighborsAnonymizer(5, random_state=generator)
    assert_array_equal(anonymizer.fit_transform(X), first)
    assert (anonymizer.transform(X) != first).any()


def test_numbers_are_weighted_means_and_categories_the_heaviest():
    rng = np.random.default_rng(10)
    n, k = 80, 9
    coordinates = rng.normal(size=(n, 2))
    marks = pd.DataFrame(marked(coordinates)).rename(columns=lambda j: f"m{j}")
    values = rng.integers(-1000, 1000, n)
    labels = rng.choice(["a", "b", "c"], n)
    frame = marks.assign(value=values, label=labels)
    select = FunctionTransformer(lambda X: X[["m0", "m1"]].to_numpy())
    avatars = KNeighborsAnonymizer(k, projection=select, random_state=0).fit_transform(frame)
    weights = avatars.to_numpy()[:, 2 : n + 2].astype(float)
    means = weights @ values
    # A half that rounding decides may go either way.
    assert (np.abs(avatars["value"] - means) <= 0.5 + 1e-9).all()
    assert avatars["value"].dtype == np.int64
    levels = np.array(["a", "b", "c"])
    totals = weights @ (labels[:, None] == levels)
    assert_array_equal(avatars["label"], levels[totals.argmax(axis=1)])
    assert (totals.max(axis=1) < 0.9).any()


# What comes out


def test_pandas_keeps_columns_dtypes_and_index():
    frame = mixed_table()
    before = frame.copy()
    avatars = KNeighborsAnonymizer(4, projection=FAMD(4), random_state=0).fit_transform(frame)
    assert isinstance(avatars, pd.DataFrame)
    assert avatars.dtypes.equals(frame.dtypes)
    assert avatars.index.equals(frame.index)
    assert (avatars != frame).any(axis=1).all()
    pd.testing.assert_frame_equal(frame, before)


def test_polars_keeps_its_schema():
    frame = pl.DataFrame(
        {
            "size": np.random.default_rng(0).normal(size=30),
            "count": pl.Series(range(30), dtype=pl.UInt8),
            "text": list("abc") * 10,
            "enum": pl.Series(list("vuuvu") * 6, dtype=pl.Enum(["w", "v", "u"])),
            "categorical": pl.Series(list("xy") * 15, dtype=pl.Categorical),
            "decimal": pl.Series(range(30)).cast(pl.Decimal(10, 2)),
            "flag": [True, False, False] * 10,
        }
    )
    avatars = KNeighborsAnonymizer(4, projection=FAMD(4), random_state=0).fit_transform(frame)
    assert avatars.schema == frame.schema
    assert len(avatars) == 30


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "uint8", "int64", "uint64"])
def test_numbers_stay_within_the_range_of_their_neighbours(dtype):
    # At the very ends of a dtype a mean that rounds upwards would wrap round.
    is_float = dtype.startswith("f")
    bounds = np.finfo(dtype) if is_float else np.iinfo(dtype)
    # float64 holds only some integers of 64 bits: up to 2**63 - 1024, not 2**63 - 1.
    top = bounds.max if is_float or bounds.bits < 64 else int(np.nextafter(float(bounds.max), 0))
    ends = [bounds.min / 2, bounds.max / 2] if is_float else [bounds.min, top]
    place = np.array([0, 1] * 20)
    X = np.array(ends, dtype=dtype)[place]
    rows = np.column_stack([X, X])
    avatars = KNeighborsAnonymizer(
        5, projection=FunctionTransformer(lambda X: (X > 1).astype(float)), random_state=0
    ).fit_transform(rows)
    assert avatars.dtype == dtype
    assert_array_equal(avatars, rows)


@pytest.mark.parametrize(
    "table", [_real_tables.wine, _real_tables.penguins, _real_tables.doctor_visits]
)
def test_real_tables_keep_ranges_and_levels(table):
    frame = table()
    avatars = KNeighborsAnonymizer(20, projection=FAMD(5), random_state=0).fit_transform(frame)
    assert avatars.dtypes.equals(frame.dtypes)
    for name in frame:
        if frame[name].dtype.kind in "if":
            assert avatars[name].between(frame[name].min(), frame[name].max()).all()
        else:
            assert set(avatars[name]) <= set(frame[name])


def test_a_large_mixed_table():
    frame = _real_tables.diamonds()
    avatars = KNeighborsAnonymizer(20, projection=FAMD(5), random_state=0).fit_transform(frame)
    assert avatars.dtypes.equals(frame.dtypes)
    means = frame.select_dtypes("number").mean()
    # Mixing neighbours keeps the means; a wrong pairing of rows and values would not.
    assert_allclose(avatars.select_dtypes("number").mean(), means, rtol=0.02)


def test_string_and_object_arrays():
    words = np.array([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"], ["a", "x"]])
    avatars = KNeighborsAnonymizer(2, projection=FAMD(1), random_state=0).fit_transform(words)
    assert avatars.dtype == words.dtype
    rows = np.array([["a", 1, 0.5], ["b", 2, 0.1], ["a", 7, 1.5], ["b", 3, 1.0]], dtype=object)
    avatars = KNeighborsAnonymizer(2, projection=FAMD(2), random_state=0).fit_transform(rows)
    assert avatars.dtype == object
    assert [set(map(type, column)) for column in avatars.T] == [{str}, {int}, {float}]


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_set_output(output):
    frame = mixed_table()
    anonymizer = KNeighborsAnonymizer(4, projection=FAMD(4), random_state=0)
    expected = anonymizer.fit_transform(frame)
    chosen = clone(anonymizer).set_output(transform=output).fit_transform(frame)
    with config_context(transform_output=output):
        configured = clone(anonymizer).fit_transform(frame)
    for avatars in (chosen, configured):
        assert type(avatars).__module__.split(".")[0] == output
        assert list(avatars.columns) == list(frame.columns)
        assert_array_equal(avatars["size"].to_numpy(), expected["size"].to_numpy())
    assert anonymizer.get_feature_names_out().tolist() == list(frame.columns)


# The projection


def test_the_projection_is_cloned_and_a_frozen_one_kept():
    frame = mixed_table()
    projection = FAMD(3)
    anonymizer = KNeighborsAnonymizer(3, projection=projection, random_state=0).fit(frame)
    assert not hasattr(projection, "explained_variance_ratio_")
    fitted = FAMD(3).fit(frame.iloc[::2])
    frozen = KNeighborsAnonymizer(3, projection=FrozenEstimator(fitted), random_state=0)
    assert_array_equal(frozen.fit(frame).projection_.transform(frame), fitted.transform(frame))
    assert_array_equal(anonymizer.projection_.transform(frame), FAMD(3).fit_transform(frame))


@pytest.mark.parametrize("freeze", [False, True])
def test_categories_of_the_projection_are_categories_here(freeze):
    rng = np.random.default_rng(11)
    frame = pd.DataFrame({"zip": rng.choice([10, 50, 90], 60), "size": rng.normal(size=60)})
    projection = FAMD(2, categorical_features=["zip"])
    if freeze:
        projection = FrozenEstimator(projection.fit(frame))
    avatars = KNeighborsAnonymizer(30, projection=projection, random_state=0).fit_transform(frame)
    assert set(avatars["zip"]) <= {10, 50, 90}
    assert avatars["zip"].dtype == np.int64
    by_number = KNeighborsAnonymizer(30, projection=FAMD(2), random_state=0).fit_transform(frame)
    assert not set(by_number["zip"]) <= {10, 50, 90}


def test_hidden_rate_rises_with_many_neighbours():
    # What concentration 2/k is for: with concentration 1 the rate falls, to 52 at k = 50.
    X = _real_tables.breast_cancer().to_numpy()
    projection = FrozenEstimator(FAMD(5).fit(X))

    def hidden_rate(k, seed):
        avatars = KNeighborsAnonymizer(k, projection=projection, random_state=seed).fit_transform(X)
        return hidden_rate_score(projection.transform(X), projection.transform(avatars))

    rates = {k: np.mean([hidden_rate(k, seed) for seed in range(5)]) for k in (2, 5, 10, 20, 50)}
    assert_allclose(list(rates.values()), [72, 70, 74, 82, 93], atol=4)
    assert rates[5] < rates[10] < rates[20] < rates[50]


# Bad input


@pytest.mark.parametrize(
    ("k", "error", "message"),
    [
        (60, ValueError, "n_neighbors=60 other records .* n_samples=60. Use .* at most 59"),
        (0, ValueError, "n_neighbors == 0, must be >= 1"),
        (2.5, TypeError, "n_neighbors must be an instance of int"),
        (True, TypeError, "n_neighbors must be an integer, got bool"),
    ],
)
def test_numbers_of_neighbours_that_do_not_exist(k, error, message):
    with pytest.raises(error, match=message):
        KNeighborsAnonymizer(k, projection=FAMD(2)).fit(mixed_table())


def test_categories_need_a_projection():
    frame = mixed_table().assign(object=CANARY)
    with pytest.raises(ValueError, match=r"column 'flag' .* column 'object'.*FAMD") as error:
        KNeighborsAnonymizer(2).fit(frame)
    assert CANARY not in str(error.value)


@pytest.mark.parametrize(
    ("cells", "error", "message"),
    [
        ([4711.0] * 59 + [np.nan], ValueError, "contains NaN: column 'size'"),
        ([4711.0] * 59 + [np.inf], ValueError, "contains infinity: column 'size'"),
        ([CANARY] * 59 + [None], ValueError, "contains NaN: column 'size'"),
        (pd.date_range("2047", periods=60), TypeError, "Dates and times .* column 'size'"),
    ],
)
@pytest.mark.parametrize("projection", [None, FAMD(2), FirstColumns()])
def test_cells_without_a_distance(cells, error, message, projection):
    frame = mixed_table()[["single", "count"]].assign(size=[*cells])
    anonymizer = KNeighborsAnonymizer(2, projection=projection)
    with pytest.raises(error, match=message) as caught:
        anonymizer.fit(frame)
    assert not any(canary in str(caught.value) for canary in (CANARY, "4711", "2047"))
    with pytest.raises(error, match=message):
        anonymizer.fit(frame.assign(size=1.5)[:50]).transform(frame)


def test_new_rows_of_another_kind():
    X = np.arange(20.0).reshape(10, 2)
    anonymizer = KNeighborsAnonymizer(2).fit(X)
    with pytest.raises(ValueError, match=r"column 1 of X.*FAMD") as error:
        anonymizer.transform(np.array([[4711, CANARY]], dtype=object))
    assert "4711" not in str(error.value)


def test_a_fit_that_fails_leaves_nothing_fitted():
    X = np.random.default_rng(0).normal(size=(30, 2))
    anonymizer = KNeighborsAnonymizer(2, projection=FAMD(2)).fit(X)
    with pytest.raises(ValueError, match="constant"):
        anonymizer.fit(np.ones((30, 2)))
    with pytest.raises(ValueError, match="not fitted yet"):
        anonymizer.transform(X)


def test_the_records_are_the_fitted_ones_whatever_becomes_of_the_table():
    X = np.random.default_rng(12).normal(size=(30, 2))
    anonymizer = KNeighborsAnonymizer(1).fit(X)
    kept = X.copy()
    X += 100
    assert_array_equal(anonymizer.transform(kept), KNeighborsAnonymizer(1).fit_transform(kept))


# What scikit-learn expects


DRAW = "a seeded draw depends on the place of a row in its batch"
INAPPLICABLE = {
    "check_methods_sample_order_invariance": DRAW,
    "check_methods_subset_invariance": DRAW,
}


@parametrize_with_checks(
    [
        KNeighborsAnonymizer(n_neighbors=2),
        KNeighborsAnonymizer(n_neighbors=2, projection=FAMD(n_components=1)),
    ],
    expected_failed_checks=lambda estimator: INAPPLICABLE,
    xfail_strict=True,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


# These checks fit with names and transform without, and the other way round.
@pytest.mark.filterwarnings("ignore:X does not have valid feature names, but KNeighbors")
@pytest.mark.filterwarnings("ignore:X has feature names, but KNeighbors")
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
    check("KNeighborsAnonymizer", KNeighborsAnonymizer(n_neighbors=2))


def test_clone_and_pickle():
    frame = mixed_table()
    anonymizer = KNeighborsAnonymizer(3, projection=FAMD(3), random_state=0).fit(frame)
    copied = pickle.loads(pickle.dumps(anonymizer))
    pd.testing.assert_frame_equal(copied.transform(frame), anonymizer.transform(frame))
    assert not hasattr(clone(anonymizer), "projection_")


def test_no_cell_is_shown():
    frame = mixed_table().assign(object=[CANARY] * 30 + ["elsewhere"] * 30, size=[4711.5, 1] * 30)
    anonymizer = KNeighborsAnonymizer(3, projection=FAMD(3)).fit(frame)
    for shown in (repr(anonymizer), anonymizer._repr_html_()):
        assert CANARY not in shown
        assert "elsewhere" not in shown
        assert "4711" not in shown
    public = {name for name in vars(anonymizer) if not name.startswith("_")}
    assert public - set(anonymizer.get_params()) == {
        "feature_names_in_",
        "n_features_in_",
        "projection_",
    }
