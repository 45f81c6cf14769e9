"""The ends of what goes in: very few rows, very many columns, the limits of each dtype.

Every answer is that of an oracle, or an error names the column: nothing is cast in silence.
"""

from __future__ import annotations

import tracemalloc
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from _oracle import rational_counts, tie_rule_counts
from numpy.testing import assert_array_equal
from sklearn.decomposition import PCA

from skprivacy import (
    FAMD,
    KNeighborsAnonymizer,
    closer_avatar_counts,
    hidden_rate_score,
    local_cloaking_score,
    privacy_report,
    row_direct_match_protection_score,
)

WHOLE = [[0, 3], [1, 1], [7, 2], [100, 5], [7, 3]]
AVATARS = [[1, 2], [0, 1], [7, 2], [90, 7], [8, 0]]


def objects(spell):
    return lambda rows: np.array([[spell(cell) for cell in row] for row in rows], dtype=object)


def frame_of(dtype):
    return lambda rows: pd.DataFrame(rows, columns=["a", "b"]).astype(dtype)


SPELLINGS = {
    **{dtype: lambda rows, dtype=dtype: np.array(rows, dtype=dtype)
       for dtype in ["u1", "i1", "u2", "i8", "u8", "f2", "f4", "f8", ">i4", ">f8", "longdouble"]},
    **{kind.__name__: objects(kind) for kind in (int, float, Decimal, Fraction, np.uint8)},
    **{dtype: frame_of(dtype)
       for dtype in ["Int64", "UInt8", "Float64", "int64[pyarrow]", "double[pyarrow]", "object"]},
    "polars": lambda rows: pl.DataFrame(rows, schema={"a": pl.UInt8, "b": pl.Int16}, orient="row"),
    "decimals of polars": lambda rows: pl.DataFrame(
        rows, schema={"a": pl.Decimal(9, 1), "b": pl.Decimal(9, 1)}, orient="row"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SPELLINGS)
def test_every_dtype_counts_as_fractions_do(name):
    expected = rational_counts(WHOLE, AVATARS, range(5))
    counts = closer_avatar_counts(SPELLINGS[name](WHOLE), SPELLINGS[name](AVATARS))
    assert counts.tolist() == expected
    assert 0 < sum(count == 0 for count in expected) < 5


@pytest.mark.parametrize("name", SPELLINGS)
def test_every_dtype_matches_rows_by_value(name):
    spell = SPELLINGS[name]
    # One of the five unique rows, [7, 2], is among the avatars.
    for X_avatars in (spell(AVATARS), np.array(AVATARS), AVATARS):
        assert row_direct_match_protection_score(spell(WHOLE), X_avatars) == 80


def test_truth_values_are_no_numbers_to_rows_but_coordinates():
    X = np.array([[True, False], [False, False], [True, True]])
    counts = closer_avatar_counts(X, X[::-1])
    assert_array_equal(counts, closer_avatar_counts(X.astype(int), X[::-1].astype(int)))
    with pytest.raises(ValueError, match=r"position 0\) of X holds bool .* holds number"):
        row_direct_match_protection_score(X, X.astype(int))


HELD = [2**53 - 1, -(2**53), 2**60, 5]
FEW, FLOATS = [1, 2, 4, 7], [0.5, 2, 4, 7]
LONG = {
    **{dtype: lambda ids, dtype=dtype: pd.DataFrame({"n": FEW, "id": pd.Series(ids, dtype=dtype)})
       for dtype in ["int64", "Int64", "int64[pyarrow]"]},
    "array": lambda ids: np.array([FEW, ids]).T,
    "objects": lambda ids: np.array([FEW, ids], dtype=object).T,
    "rows": lambda ids: list(map(list, zip(FEW, ids, strict=True))),
    "rows with floats": lambda ids: list(map(list, zip(FLOATS, ids, strict=True))),
    "polars": lambda ids: pl.DataFrame({"n": FEW, "id": ids}),
    "Arrow with floats": lambda ids: pa.table({"n": FLOATS, "id": ids}),
}  # fmt: skip
DISTANCES = {
    "counts": lambda X: closer_avatar_counts(X, X),
    "FAMD": lambda X: FAMD(1).fit(X),
    "anonymiser": lambda X: KNeighborsAnonymizer(1, random_state=0).fit(X),
}


@pytest.mark.parametrize("use", DISTANCES)
@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("cell", [2**53 + 1, -(2**53) - 1, 2**63 - 1])
def test_integers_that_float64_cannot_tell_apart(use, name, cell):
    DISTANCES[use](LONG[name](HELD))
    X = LONG[name]([*HELD[:2], cell, 5])
    with pytest.raises(
        ValueError, match=r"float64 holds.* column (1|'id' .position 1.) of X.*row 2"
    ):
        DISTANCES[use](X)
    # As rows they differ by one.
    assert row_direct_match_protection_score(X, LONG[name]([*HELD[:2], cell - 1, 5])) == 25


@pytest.mark.parametrize("dtype", ["uint64", "UInt64", "uint64[pyarrow]"])
def test_unsigned_integers_that_float64_cannot_tell_apart(dtype):
    for last, is_held in [(2**63, True), (2**64 - 2048, True), (2**64 - 1, False)]:
        X = pd.DataFrame({"id": pd.Series([1, last, 3], dtype=dtype)})
        for use in DISTANCES.values():
            if is_held:
                use(X)
                continue
            with pytest.raises(ValueError, match=r"'id' \(position 0\) of X.*, row 1"):
                use(X)


def test_long_integers_as_categories_stay_apart():
    X = pd.DataFrame({"id": [2**53, 2**53 + 1, 2**53]})
    for table in (X, X.astype("category")):
        one, other, again = FAMD(1, categorical_features=["id"]).fit_transform(table)
        assert one == again != other


def test_fractions_are_taken_at_the_nearest_float64():
    close = [[Fraction(2**53 + 1), 1], [Decimal(2**53 + 1), 2]]
    assert closer_avatar_counts(close, close[::-1]).tolist() == [1, 1]
    assert FAMD(1).fit_transform(close).shape == (2, 1)


@pytest.mark.parametrize("cell", ["7", "7,5", "12 %", pd.Timestamp("2020"), [1], 1 + 0j])
def test_cells_that_stand_for_numbers_are_not_read(cell):
    X = pd.DataFrame({"a": [1, 2], "b": pd.Series([cell, cell], dtype=object)})
    with pytest.raises(TypeError, match=r"'b' \(position 1\) of X \(the originals\) hold text"):
        closer_avatar_counts(X, X)


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "int64[pyarrow]", "boolean"])
def test_a_gap_in_a_nullable_column_is_named(dtype):
    X = pd.DataFrame({"a": [1, 2, 3], "b": pd.array([1, None, 0], dtype=dtype)})
    with pytest.raises(ValueError, match="NaN in column 'b'"):
        closer_avatar_counts(X, X)
    with pytest.raises(ValueError, match="NaN: column 'b'"):
        FAMD(1).fit(X)
    assert row_direct_match_protection_score(X, X) == 0


# Few rows


def test_one_record_with_one_avatar():
    X, avatar = [[1.0, 2.0]], [[5.0, 5.0]]
    assert closer_avatar_counts(X, avatar).tolist() == [0]
    assert hidden_rate_score(X, avatar) == local_cloaking_score(X, avatar) == 0
    assert row_direct_match_protection_score(X, avatar) == 100
    assert row_direct_match_protection_score(X, X) == 0


def test_many_records_share_one_avatar():
    X = np.arange(12.0).reshape(6, 2)
    counts = closer_avatar_counts(X, X[:1], own_avatar=np.zeros(6, dtype=int))
    assert counts.tolist() == [0] * 6


@pytest.mark.parametrize("m", [1, 2, 40])
def test_all_rows_equal(m):
    X = np.full((40, 3), 0.1)
    own = np.arange(40) % m
    assert closer_avatar_counts(X, X[:m], own_avatar=own).tolist() == [m - 1] * 40
    assert row_direct_match_protection_score(X, X[:m]) == 100
    with pytest.raises(ValueError, match="All 3 columns of X are constant"):
        privacy_report(X, X, projection=FAMD(1))


def test_two_records_have_one_axis():
    X = pd.DataFrame({"age": [31, 45], "job": ["nurse", "cook"], "ward": ["a", "a"]})
    assert FAMD(1).fit_transform(X)[0] == -FAMD(1).fit_transform(X)[1]
    with pytest.raises(ValueError, match=r"n_components=2 .* rank of the table, 1\."):
        FAMD(2).fit(X)
    # The only other record is everybody's avatar.
    avatars = KNeighborsAnonymizer(1, projection=FAMD(1), random_state=0).fit_transform(X)
    assert avatars.to_numpy().tolist() == X[::-1].to_numpy().tolist()


# Many columns


def test_1200_columns_of_numbers():
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 3, size=(2, 60, 1200))
    assert_array_equal(closer_avatar_counts(X, Y), tie_rule_counts(X, Y, np.arange(60)))
    famd = FAMD(59).fit(X)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    pca = PCA(59, svd_solver="full").fit(scaled)
    ratios = famd.explained_variance_ratio_
    np.testing.assert_allclose(ratios, pca.explained_variance_ratio_, rtol=1e-10)
    with pytest.raises(ValueError, match="rank of the table, 59"):
        FAMD(60).fit(X)


def test_1200_columns_of_labels_and_flags():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {f"c{j}": rng.choice(["x", "y"], 40) for j in range(600)}
        | {f"f{j}": rng.random(40) < 0.5 for j in range(600)}
    )
    famd = FAMD(5).fit(X)
    coordinates = famd.transform(X)
    for i in (0, 17, 39):
        assert_array_equal(famd.transform(X.iloc[[i]])[0], coordinates[i])
    anonymizer = KNeighborsAnonymizer(5, projection=FAMD(5), random_state=0)
    mixed = anonymizer.fit_transform(X)
    report = privacy_report(X, mixed, projection=famd, output_dict=True)
    n_hits = len(
        set(map(tuple, X.to_numpy().tolist())) & set(map(tuple, mixed.to_numpy().tolist()))
    )
    assert report["metrics"]["row_direct_match_protection"]["value"] == 100 - 2.5 * n_hits
    avatars = X.iloc[::-1].reset_index(drop=True)
    assert row_direct_match_protection_score(X, avatars) == 0
    avatars.loc[0, "f599"] = not avatars.loc[0, "f599"]
    assert row_direct_match_protection_score(X, avatars) == 2.5


def test_a_batch_of_unseen_levels_alone_lies_at_the_centre():
    X = pd.DataFrame({"a": list("xyzx"), "b": list("ppqq")})
    unseen = pd.DataFrame({"a": ["new"], "b": ["new"]})
    famd = FAMD(2, handle_unknown="ignore").fit(X)
    # Neither column adds anything, whatever its level: only an all-zero block does that.
    assert famd.transform(unseen).tolist() == [[0, 0]]


@pytest.mark.parametrize("share", [1, 2, 50])
def test_rare_levels_stay_apart(share):
    """A level of few among thousands has a large coordinate, exactly the same for all its rows."""
    n = 4000
    X = pd.DataFrame(
        {"level": ["rare"] * share + ["common"] * (n - share), "flag": np.arange(n) % 2 == 0}
    )
    coordinates = FAMD(2).fit_transform(X)
    # One indicator block of two levels spans one axis: p (1 / sqrt(p) - sqrt(p)) and so on.
    p = share / n
    distance = np.sqrt(1 / p + 1 / (1 - p))
    like = X["flag"] == X["flag"].iloc[0]
    common = np.flatnonzero(like & (X["level"] == "common"))[0]
    assert np.linalg.norm(coordinates[0] - coordinates[common]) == pytest.approx(
        distance, rel=1e-12
    )
    assert len(np.unique(coordinates, axis=0)) == len(X.drop_duplicates())


# Many rows


@pytest.mark.parametrize(
    "n_rows", [40_000, pytest.param(200_000, marks=pytest.mark.nightly)], ids="{:,} rows".format
)
def test_a_long_table_is_never_coded_as_a_whole(n_rows):
    """40 columns, 220 coded ones: the memory of a fit stays below that of the coded table."""
    rng = np.random.default_rng(0)
    levels = np.array(list("abcdefghij"), dtype=object)
    X = pd.DataFrame(
        {f"x{j}": rng.normal(size=n_rows) for j in range(20)}
        | {f"c{j}": levels[rng.integers(0, 10, n_rows)] for j in range(20)}
    )
    tracemalloc.start()
    try:
        FAMD(5).fit(X).transform(X.iloc[:1000])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < n_rows * 220 * 8


# Names


@pytest.mark.parametrize(
    "names",
    [
        [0, 1], [1.5, 2.5], [("u", 1), ("u", 2)], pd.MultiIndex.from_product([["u"], [1, 2]]),
        pd.DatetimeIndex(["2020", "2021"]), [True, False], pd.CategoricalIndex(["a", "b"]),
    ],
)  # fmt: skip
def test_names_that_are_no_text(names):
    X = pd.DataFrame(WHOLE)
    avatars = pd.DataFrame(AVATARS)
    X.columns = avatars.columns = names
    assert closer_avatar_counts(X, avatars).tolist() == rational_counts(WHOLE, AVATARS, range(5))
    assert row_direct_match_protection_score(X, avatars) == 80
    # Rows are matched by name, so the other order changes nothing.
    assert row_direct_match_protection_score(X, avatars.iloc[:, ::-1]) == 80
    assert FAMD(2).fit_transform(X).shape == (5, 2)


@pytest.mark.parametrize("measure", [closer_avatar_counts, row_direct_match_protection_score])
def test_repeated_names_and_no_columns(measure):
    X = pd.DataFrame(WHOLE, columns=["a", "a"])
    with pytest.raises(ValueError, match=r"'a' is repeated in X .*positions 0 and 1"):
        measure(X, X)
    with pytest.raises(ValueError, match="0 feature"):
        measure(X.iloc[:, :0], X.iloc[:, :0])


@pytest.mark.parametrize("measure", [closer_avatar_counts, row_direct_match_protection_score])
def test_sparse_arrays_and_frames(measure):
    from scipy.sparse import csr_array

    with pytest.raises(TypeError, match=r"(?i)sparse"):
        measure(csr_array(WHOLE), csr_array(AVATARS))


def test_sparse_columns_of_pandas():
    X, avatars = (
        pd.DataFrame(rows).astype(pd.SparseDtype("int64", 0)) for rows in (WHOLE, AVATARS)
    )
    assert row_direct_match_protection_score(X, avatars) == 80
    with pytest.raises(TypeError, match="Sparse data was passed"):
        closer_avatar_counts(X, avatars)
