"""closer_avatar_counts as a function of two tables, their pairing and nothing else."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from _oracle import rational_counts, tie_rule_counts
from _tables import random_table
from sklearn.exceptions import NotFittedError

from skprivacy import HiddenRate, LocalCloaking, closer_avatar_counts
from skprivacy.metrics._paired import PairedMetric

TABLES = ["integer", "tenths", "two decimals", "duplicated", "continuous", "float32", "near tie"]


@pytest.fixture(params=TABLES)
def table(request):
    """Return 90 originals and 70 avatars, several of which nobody owns."""
    return random_table(request.param, np.random.default_rng(0), n=90, m=70, d=3)


def counts_of(table, X=None, Y=None, own=None):
    return closer_avatar_counts(
        table.X if X is None else X,
        table.Y if Y is None else Y,
        own_avatar=table.own if own is None else own,
    )


def test_by_hand():
    # From 0: avatars 1 and -1 are as far as each other; from 10: 12 is nearer than 7.
    counts = closer_avatar_counts([[0], [10]], [[1], [7], [-1], [12]], own_avatar=[0, 1])
    assert counts.tolist() == [1, 1]
    assert counts.dtype == np.int64


def test_decimals_count_as_they_were_typed():
    X = [["0.1", "0.2"], ["0.7", "0.3"], ["0.4", "0.4"]]
    Y = [["0.3", "0.1"], ["0.6", "0.2"], ["0.8", "0.4"], ["0.2", "0.4"], ["0.0", "0.0"]]
    own = [0, 1, 0]
    typed = (np.array(cells, dtype=float) for cells in (X, Y))
    assert closer_avatar_counts(*typed, own_avatar=own).tolist() == rational_counts(X, Y, own)


# Pairing


def test_without_own_avatar_row_i_is_avatar_i():
    X, Y = np.random.default_rng(0).normal(size=(2, 40, 3))
    expected = tie_rule_counts(X, Y, np.arange(40))
    np.testing.assert_array_equal(closer_avatar_counts(X, Y), expected)


@pytest.mark.parametrize("spelling", [list, tuple, np.array, pd.Series, pl.Series, np.uint8])
def test_own_avatar_is_read_by_position(spelling):
    X, Y = np.random.default_rng(0).normal(size=(2, 40, 3))
    own = np.random.default_rng(1).permutation(40)
    paired = closer_avatar_counts(X, Y, own_avatar=spelling(own))
    np.testing.assert_array_equal(paired, tie_rule_counts(X, Y, own))


def test_labels_of_a_frame_do_not_pair_its_rows():
    X, Y = np.random.default_rng(0).normal(size=(2, 40, 3))
    shuffled = np.random.default_rng(1).permutation(40)
    expected = closer_avatar_counts(X, Y[shuffled])
    frames = pd.DataFrame(X), pd.DataFrame(Y).iloc[shuffled]
    np.testing.assert_array_equal(closer_avatar_counts(*frames), expected)
    own = pd.Series(np.argsort(shuffled), index=shuffled)
    np.testing.assert_array_equal(
        closer_avatar_counts(*frames, own_avatar=own), closer_avatar_counts(X, Y)
    )


def test_several_originals_may_share_an_avatar():
    counts = closer_avatar_counts([[0], [1], [2]], [[0], [2], [5]], own_avatar=[1, 1, 1])
    assert counts.tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    ("own", "error", "message"),
    [
        ([0, 1], ValueError, r"own_avatar has length 2.*each of the 3 originals"),
        ([0, 1, 2, 0], ValueError, r"own_avatar has length 4.*each of the 3 originals"),
        ([0.0, 1.0, 2.0], TypeError, r"own_avatar must hold integers.*float64.*astype\(int\)"),
        ([True, False, True], TypeError, r"own_avatar must hold integers.*bool"),
        (["0", "1", "2"], TypeError, r"own_avatar must hold integers"),
        ([0, None, 1], TypeError, r"own_avatar must hold integers"),
        ([[0, 1, 2]], ValueError, r"own_avatar.*\(1, 3\)"),
        (0, ValueError, r"own_avatar.*\(\)"),
        ([], (TypeError, ValueError), r"own_avatar"),
        ([0, -1, 2], ValueError, r"own_avatar.*position 1.*negative"),
        ([0, 1, 4], ValueError, r"own_avatar points outside the 4 avatars at position 2"),
        ([0, 1, 2**70], ValueError, r"own_avatar.*position 2"),
        (np.array([0, 1, 2**64 - 1], dtype=np.uint64), ValueError, r"own_avatar.*position 2"),
    ],
)
def test_bad_own_avatar(own, error, message):
    with pytest.raises(error, match=f"(?s){message}"):
        closer_avatar_counts([[0], [1], [2]], [[0], [1], [2], [3]], own_avatar=own)


def test_a_message_on_negative_positions_speaks_of_the_avatars_there_are():
    with pytest.raises(ValueError, match="own_avatar") as raised:
        closer_avatar_counts([[0], [1]], [[0], [1]], own_avatar=[0, -1])
    assert str(np.iinfo(np.int64).max) not in str(raised.value)


def test_unequal_tables_need_own_avatar():
    with pytest.raises(ValueError, match=r"3 avatars for 2 originals.*pass own_avatar"):
        closer_avatar_counts([[0], [1]], [[0], [1], [2]])


@pytest.mark.parametrize("fitted_before", [False, True])
@pytest.mark.parametrize("Metric", [HiddenRate, LocalCloaking])
def test_a_failed_fit_leaves_nothing_to_score_with(Metric, fitted_before):
    metric = Metric()
    if fitted_before:
        metric.fit([[0.0], [1.0]])
    with pytest.raises(ValueError, match="own_avatar"):
        metric.fit([[0.0], [1.0]], own_avatar=[0])
    with pytest.raises(NotFittedError):
        metric.score([[0.0], [1.0]])


def test_a_metric_must_say_how_it_sums_counts_up():
    metric, counts = PairedMetric(), np.array([0, 1])
    with pytest.raises(NotImplementedError):
        metric._per_record(counts)
    with pytest.raises(NotImplementedError):
        metric._aggregate(counts, None)


@pytest.mark.parametrize("setting", [{"n_components": 2}, {"tie_tol": 1}])
def test_settings_are_checked_before_there_are_avatars(setting):
    with pytest.raises(ValueError, match=next(iter(setting))):
        HiddenRate(**setting).fit([[0.0], [1.0]])


def test_a_score_warns_of_avatars_in_another_space():
    with pytest.warns(UserWarning, match="outside the originals' range"):
        assert HiddenRate().fit([[0.0], [1.0]]).score([[5.0], [6.0]]) == 50


def test_tables_may_have_more_columns_than_rows():
    # The last column alone tells the rows apart.
    X = np.array([[0, 0, 0], [0, 0, 9]])
    assert closer_avatar_counts(X, X).tolist() == [0, 0]


# Relations between counts


def test_order_of_the_originals(table):
    order = np.random.default_rng(1).permutation(90)
    permuted = counts_of(table, X=table.X[order], own=table.own[order])
    np.testing.assert_array_equal(permuted, counts_of(table)[order])


def test_order_of_the_avatars(table):
    order = np.random.default_rng(1).permutation(70)
    permuted = counts_of(table, Y=table.Y[order], own=np.argsort(order)[table.own])
    np.testing.assert_array_equal(permuted, counts_of(table))


def test_order_of_both(table):
    order = np.random.default_rng(1).permutation(70)
    X = table.X[:70]
    expected = closer_avatar_counts(X, table.Y)[order]
    np.testing.assert_array_equal(closer_avatar_counts(X[order], table.Y[order]), expected)


def test_a_far_extra_avatar_changes_nothing(table):
    far = np.full((1, 3), 2e4, dtype=table.Y.dtype)
    np.testing.assert_array_equal(counts_of(table, Y=np.vstack([table.Y, far])), counts_of(table))


@pytest.mark.parametrize("i", [0, 33, 89])
def test_a_copy_of_the_own_avatar_adds_one(table, i):
    Y = np.vstack([table.Y, table.Y[table.own[i]]])
    assert counts_of(table, Y=Y)[i] == counts_of(table)[i] + 1


@pytest.mark.parametrize("i", [0, 33, 89])
def test_an_avatar_on_the_original_adds_one(table, i):
    added = counts_of(table, Y=np.vstack([table.Y, table.X[i]])) - counts_of(table)
    assert added[i] == 1
    assert set(added) <= {0, 1}


def test_copies_of_all_avatars(table):
    Y = np.vstack([table.Y] * 4)
    np.testing.assert_array_equal(counts_of(table, Y=Y), 4 * (counts_of(table) + 1) - 1)


def test_own_avatars_on_the_originals_are_met_by_copies_alone():
    X = np.array([[0.1], [0.1], [0.3], [7.0]])
    assert closer_avatar_counts(X, X).tolist() == [1, 1, 0, 0]


def test_shards_of_the_avatars_add_up(table):
    own_rows = table.Y[table.own]
    # Each shard brings the own avatars along; alone, they give what each shard overcounts.
    own = np.arange(90)
    extra = closer_avatar_counts(table.X, own_rows, own_avatar=own)
    total = np.zeros(90, dtype=int)
    for shard in np.array_split(np.random.default_rng(1).permutation(70), 5):
        Y = np.vstack([own_rows, table.Y[shard]])
        total += closer_avatar_counts(table.X, Y, own_avatar=own) - extra
    # The own avatar is in one shard too.
    np.testing.assert_array_equal(total - 1, counts_of(table))


@pytest.mark.parametrize("kind", ["integer", "tenths", "duplicated"])
def test_originals_may_be_counted_in_blocks(kind):
    table = random_table(kind, np.random.default_rng(0), n=90, m=70, d=3)
    blocks = [
        counts_of(table, X=table.X[rows], own=table.own[rows])
        for rows in np.array_split(np.arange(90), 7)
    ]
    np.testing.assert_array_equal(np.concatenate(blocks), counts_of(table))


# Parameters


def test_n_components_uses_the_first_columns(table):
    for d in (1, 2, 3, np.int64(2)):
        some = closer_avatar_counts(table.X, table.Y, own_avatar=table.own, n_components=d)
        expected = counts_of(table, X=table.X[:, :d], Y=table.Y[:, :d])
        np.testing.assert_array_equal(some, expected)


@pytest.mark.parametrize("n_components", [0, -1, 3])
def test_n_components_out_of_range(n_components):
    with pytest.raises(ValueError, match=rf"n_components={n_components}.*between 1 and.*\(2\)"):
        closer_avatar_counts([[0, 1]], [[0, 1]], n_components=n_components)


@pytest.mark.parametrize("n_components", [1.0, True, "2", [1]])
def test_n_components_of_another_type(n_components):
    with pytest.raises(TypeError, match="n_components must be an integer or None"):
        closer_avatar_counts([[0, 1]], [[0, 1]], n_components=n_components)


@pytest.mark.parametrize("tie_tol", [0, 9e-14, 2e-6, 1, -1e-12, float("nan"), float("inf")])
def test_tie_tol_out_of_range(tie_tol):
    with pytest.raises(ValueError, match=r"tie_tol=.*\[1e-13, 1e-06\].*rounding"):
        closer_avatar_counts([[0]], [[0]], tie_tol=tie_tol)


@pytest.mark.parametrize("tie_tol", [None, "1e-12", True, [1e-12], 1e-12 + 0j])
def test_tie_tol_of_another_type(tie_tol):
    with pytest.raises(TypeError, match="tie_tol must be a real number"):
        closer_avatar_counts([[0]], [[0]], tie_tol=tie_tol)


@pytest.mark.parametrize("tie_tol", [1e-13, 1e-6, np.float32(1e-9), np.float64(1e-12)])
def test_tie_tol_may_touch_its_limits(tie_tol):
    assert closer_avatar_counts([[0]], [[1], [-1]], own_avatar=[0], tie_tol=tie_tol) == [1]


def test_n_jobs_reaches_the_workers():
    with pytest.raises(ValueError, match="n_jobs"):
        closer_avatar_counts([[0]], [[0]], n_jobs=0)


# Layouts and containers: the same values in another spelling


def memory_mapped(array, folder):
    path = folder / "table.npy"
    np.save(path, array)
    return np.load(path, mmap_mode="r")


def strided(array):
    wide = np.zeros((2 * array.shape[0], 3 * array.shape[1]), dtype=array.dtype)
    wide[::2, ::3] = array
    return wide[::2, ::3]


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


LAYOUTS = {
    "Fortran": np.asfortranarray,
    "strided": strided,
    "backwards": lambda array: array[::-1].copy()[::-1],
    "read-only": read_only,
    "big-endian": lambda array: array.astype(array.dtype.newbyteorder(">")),
    "float64": lambda array: array.astype(np.float64),
    "longdouble": lambda array: array.astype(np.longdouble),
    "objects": lambda array: array.astype(object),
    "list": lambda array: array.tolist(),
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": lambda array: pd.DataFrame(array).convert_dtypes(dtype_backend="pyarrow"),
    "nullable": lambda array: pd.DataFrame(array).convert_dtypes(),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout_and_container_do_not_matter(table, layout):
    spell = LAYOUTS[layout]
    np.testing.assert_array_equal(
        counts_of(table, X=spell(table.X), Y=spell(table.Y)), counts_of(table), strict=True
    )


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_memory_maps(table, tmp_path, n_jobs):
    (tmp_path / "X").mkdir()
    X, Y = memory_mapped(table.X, tmp_path / "X"), memory_mapped(table.Y, tmp_path)
    counts = closer_avatar_counts(X, Y, own_avatar=read_only(table.own), n_jobs=n_jobs)
    np.testing.assert_array_equal(counts, counts_of(table))


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16", "int32", "int64", "float16"])
def test_narrow_types_are_widened_first(dtype):
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 127, size=(2, 60, 3))
    expected = closer_avatar_counts(X.astype(float), Y.astype(float))
    np.testing.assert_array_equal(closer_avatar_counts(X.astype(dtype), Y.astype(dtype)), expected)


def test_float32_is_its_values_as_float64():
    X, Y = np.random.default_rng(0).normal(size=(2, 300, 2)).astype(np.float32)
    expected = tie_rule_counts(X.astype(float), Y.astype(float), np.arange(300))
    np.testing.assert_array_equal(closer_avatar_counts(X, Y), expected)


def test_large_integers_become_float64():
    X, Y = np.array([[2**62], [-(2**62)]]), np.array([[2**62 - 2**12], [-(2**62)]])
    assert closer_avatar_counts(X, Y).tolist() == [0, 0]
    assert closer_avatar_counts(X, Y[::-1]).tolist() == [1, 1]


def test_booleans_are_zero_and_one():
    X, Y = np.random.default_rng(0).integers(2, size=(2, 30, 4))
    expected = closer_avatar_counts(X, Y)
    np.testing.assert_array_equal(closer_avatar_counts(X.astype(bool), Y.astype(bool)), expected)


def test_inputs_are_not_modified(table):
    parts = [np.ascontiguousarray(part) for part in (table.X, table.Y, table.own)]
    before = [part.tobytes() for part in parts]
    closer_avatar_counts(*parts[:2], own_avatar=parts[2])
    assert [part.tobytes() for part in parts] == before


@pytest.mark.parametrize("metric", [HiddenRate(), LocalCloaking()])
def test_a_table_changed_after_fit_changes_nothing(metric):
    X, Y = np.random.default_rng(0).normal(size=(2, 30, 2))
    own = np.random.default_rng(1).permutation(30)
    metric.fit(X, own_avatar=own)
    before = metric.transform(Y).copy()
    X[:], own[:] = 0, 0
    np.testing.assert_array_equal(metric.transform(Y), before)


@pytest.mark.parametrize("n_avatars", [1, 5])
def test_one_original(n_avatars):
    Y = np.arange(n_avatars)[:, None]
    assert closer_avatar_counts([[-1]], Y, own_avatar=[n_avatars - 1]).tolist() == [n_avatars - 1]


def test_columns_are_checked_by_number_and_name():
    frame = pd.DataFrame({"age": [1.0, 2.0], "bmi": [3.0, 4.0]})
    with pytest.raises(ValueError, match=r"X has 1 features.*expecting 2"):
        closer_avatar_counts(frame.to_numpy(), [[1.0], [2.0]])
    with pytest.raises(ValueError, match="feature names should match"):
        closer_avatar_counts(frame, frame[["bmi", "age"]])
    with pytest.raises(ValueError, match="feature names should match"):
        closer_avatar_counts(frame, frame.rename(columns={"bmi": "weight"}))
