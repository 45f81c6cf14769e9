"""Rows are equal when all their cells are equal in value, whatever holds them."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import warnings
from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from _rows_oracle import kind_and_value, kinds_clash, match, rows_of
from hypothesis import given
from hypothesis import strategies as st

from skprivacy.metrics import _row_matching
from skprivacy.metrics._row_keys import Words, joint_keys
from skprivacy.metrics._row_matching import group_rows, match_rows

NAN = float("nan")
NOON = dt.datetime(2020, 1, 1, 12)  # noqa: DTZ001
AWARE = NOON.replace(tzinfo=dt.UTC)
TOKYO = dt.timezone(dt.timedelta(hours=9))
CANARY = "canary"


def hits(X, X_avatars):
    return match_rows(X, X_avatars).is_hit.tolist()


def objects(*columns):
    return pd.DataFrame({f"c{i}": pd.Series(c, dtype=object) for i, c in enumerate(columns)})


def test_matches_speak_of_the_rows_in_order():
    X = [["x", 1], ["y", 1], ["x", 1], ["z", 2]]
    X_avatars = [["y", 1], ["x", 1], ["q", 1], ["y", 1.0], ["z", 1]]
    matches = match_rows(X, X_avatars)
    assert matches.is_unique.tolist() == [False, True, False, True]
    assert matches.is_hit.tolist() == [False, True, False, False]
    assert matches.reproduces.tolist() == [True, False, False, True, False]
    assert {a.dtype for a in vars(matches).values()} == {np.dtype(bool)}


def test_a_repr_shows_no_record():
    assert "True" not in repr(match_rows([[1]], [[1]]))


def test_groups_number_equal_rows_alike():
    codes, other = group_rows([[1, "a"], [2, "b"], [1, "a"]], [[2.0, "b"], [1, "b"]])
    assert codes[0] == codes[2] != codes[1] == other[0]
    assert other[1] not in {codes[0], codes[1]}
    assert codes.dtype == other.dtype == np.int64
    assert min(*codes, *other) >= 0


def test_groups_are_of_tables_that_go_by_their_names():
    with pytest.raises(ValueError, match=r" of X holds number but .* of X_other holds text"):
        group_rows([[1]], [["a"]])


def test_one_row_each():
    assert hits([[1]], [[1]]) == [True]
    assert hits([[1]], [[2]]) == [False]


def test_all_rows_equal():
    matches = match_rows(np.ones((5, 2)), np.ones((3, 2)))
    assert not matches.is_unique.any()
    assert not matches.is_hit.any()
    assert not matches.reproduces.any()


@pytest.mark.parametrize("position", [0, 1, 599, 1199])
def test_wide_tables_differ_in_any_one_column(position):
    X = np.arange(2 * 1200).reshape(2, 1200) % 7
    X_avatars = X[:1].copy()
    assert hits(X, X_avatars) == [True, False]
    X_avatars[0, position] += 1
    assert hits(X, X_avatars) == [False, False]


def test_columns_are_matched_by_name_in_any_order():
    X = pd.DataFrame({"a": [1, 5], "b": [2, 6], 3: ["x", "y"]})
    X_avatars = pd.DataFrame({3: ["x"], "b": [2], "a": [1]})
    assert hits(X, X_avatars) == [True, False]
    assert hits(X, pd.DataFrame({3: ["x"], "b": [1], "a": [2]})) == [False, False]


def test_names_of_several_levels_and_other_libraries():
    columns = pd.MultiIndex.from_tuples([("u", "a"), ("u", "b")])
    X = pd.DataFrame([[1, 2], [2, 1]], columns=columns)
    assert hits(X, X[[("u", "b"), ("u", "a")]].iloc[:1]) == [True, False]
    frames = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), pl.DataFrame({"b": ["y"], "a": [2]})
    assert hits(*frames) == [False, True]
    array = np.array([("y", 2)], [("b", "U1"), ("a", "i2")])
    assert hits(frames[0], array) == [False, True]


def test_columns_are_matched_by_position_when_a_table_has_no_names():
    X = pd.DataFrame({"b": [1, 2], "a": [3, 4]})
    assert hits(X, [[1, 3]]) == hits(X, np.array([[1, 3]])) == [True, False]
    assert hits([[1, 3], [2, 4]], X.iloc[:1]) == [True, False]


def test_the_index_plays_no_part():
    X = pd.DataFrame({"a": [1, 2], "t": ["x", "y"], "c": pd.Categorical(["u", "v"])}, index=[7, 7])
    assert hits(X, X.iloc[1:].set_axis(["z"])) == [False, True]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a"], r"Only in X: 'b' \(position 1\)\. Pass"),
        (["a", "b", "c"], r"differ\. Only in X_avatars: 'c' \(position 2\)\. Pass"),
        (["a", "B"], r"Only in X: 'b' \(position 1\)\. Only in X_avatars: 'B' \(position 1\)\."),
        (["a", *range(9)], r"0 \(position 1\), .*4 \(position 5\) and 4 more\."),
        (
            ["a", "b", *range(6)],
            r"X_avatars: 0 \(position 2\), .*4 \(position 6\) and 1 more",
        ),
        (["a", "b", *range(5)], r"X_avatars: 0 \(position 2\), .*, 4 \(position 6\)\. Pass"),
    ],
)
def test_differing_names_are_refused(names, said):
    X, X_avatars = pd.DataFrame([[1, 2]], columns=["a", "b"]), pd.DataFrame([[1] * len(names)])
    X_avatars.columns = names
    with pytest.raises(ValueError, match=said):
        match_rows(X, X_avatars)


def test_differing_numbers_of_columns_are_refused():
    with pytest.raises(ValueError, match="X_avatars has 3 columns, but X has 2"):
        match_rows(pd.DataFrame({"a": [1], "b": [2]}), [[1, 2, 3]])


# One column of originals, one of avatars, and which originals are hit.
CASES = {
    "int and float": ([1, 2], [1.0, 7.0], [True, False]),
    "numbers of all types": (
        [1, 2, 3], [Decimal("1.0"), Fraction(4, 2), np.int8(3)], [True, True, True],
    ),
    "2**53 + 1": ([2**53 + 1, 5], [float(2**53), 6], [False, False]),
    "signed and unsigned": (
        pd.Series([-1, 5]), pd.Series([2**64 - 1, 5], dtype="uint64"), [False, True],
    ),
    "2**63 as int, unsigned and float": (
        pd.Series([2**63], dtype="uint64"), pd.Series([2.0**63]), [True],
    ),
    "zero and minus zero": ([0.0, 1.0], [-0.0], [True, False]),
    "infinities": ([math.inf, -math.inf], [math.inf], [True, False]),
    "float32 by its value": (
        pd.Series([0.5, 0.1], dtype="f4"), [0.5, float(np.float32(0.1))], [True, True],
    ),
    "float32 and Decimal": (pd.Series([0.1], dtype="f4"), [Decimal("0.1")], [False]),
    "missing values": ([None, 1.0], [NAN], [True, False]),
    "missing values of all types": (
        pd.Series([pd.NaT, 1], dtype=object), pd.Series([pd.NA, 2], dtype=object), [True, False],
    ),
    "missing twice": (pd.Series([None, NAN, "a"], dtype=object), ["a"], [False, False, True]),
    "missing is not its name": (["nan", "None", "", "a"], [None, "a"], [False] * 3 + [True]),
    "NaT and missing number": (pd.to_datetime(pd.Series([None, NOON])), [NAN, NAN], [True, False]),
    "mixed cells": (pd.Series(["1", 2], dtype=object), pd.Series([1, "2"], dtype=object),
                    [False, False]),
    "mixed truth values": (pd.Series([True, 0, "a"], dtype=object),
                           pd.Series([1, False, "a"], dtype=object), [False, False, True]),
    "blanks": (["Lyon  x", "x"], ["Lyon x", "x"], [False, True]),
    "NUL": (["a\0", "b"], ["a", "b\0"], [False, False]),
    "surrogates": (pd.Series(["\ud800", "\ud801"], dtype=object),
                   pd.Series(["\ud800"], dtype=object), [True, False]),
    "case": (["a", "STRASSE"], ["A", "stra\u00dfe"], [False, False]),
    "labels": (pd.Categorical(["a", "b"]), pd.Categorical(["b", "c"]), [False, True]),
    "labels and text": (pd.Categorical(["a", "b"]), ["b"], [False, True]),
    "labels and numbers": (pd.Categorical([1, 2]), [1.0, 3], [True, False]),
    "instants in other units": (
        pd.Series([pd.Timestamp(NOON), pd.Timestamp("2020-01-01 12:00:00.000000001")]),
        pd.Series(np.array([NOON], "M8[s]")), [True, False],
    ),
    "instants and Python": (pd.Series(np.array([NOON], "M8[us]")), pd.Series([NOON], dtype=object),
                            [True]),
    "far instants": (
        pd.Series(np.array(["9999-12-31", "1840-06-11T12:29:01.871345515"], "M8[s]")),
        pd.Series(np.array(["1840-06-11", "1840-06-12"], "M8[ns]")), [False, False],
    ),
    "aware instants": (
        pd.Series([AWARE]).dt.tz_convert("Europe/Paris"),
        pd.Series([AWARE.astimezone(TOKYO)], dtype=object), [True],
    ),
    "dates": ([dt.date(2020, 1, 1)], pl.Series([dt.date(2020, 1, 1)]).to_list(), [True]),
    "times": ([dt.time(1), dt.time(2)], [dt.time(2)], [False, True]),
    "lengths": (pd.Series([dt.timedelta(1)]), pd.Series([np.timedelta64(24, "h")]), [True]),
    "periods": (pd.Series(pd.PeriodIndex(["2020-01", "2020-02"], freq="M")),
                pd.Series(pd.PeriodIndex(["2020-01"], freq="M")), [True, False]),
    "equal hashes": ([-1, 0], [-2, 2**61 - 1], [False, False]),
    "bytes": (pd.Series([b"a", b"b"], dtype=object), pd.Series([b"a"], dtype=object),
              [True, False]),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:Some cells of:UserWarning")
@pytest.mark.parametrize("name", CASES)
def test_cells(name):
    cells, avatars, expected = CASES[name]
    # A constant beside it, of low selectivity, so that the order of columns matters too.
    X, X_avatars = pd.DataFrame({"k": "u", "v": cells}), pd.DataFrame({"v": avatars, "k": "u"})
    assert hits(X, X_avatars) == expected
    in_rows = [list(zip(*(frame[n] for n in "vk"), strict=True)) for frame in (X, X_avatars)]
    assert hits(*in_rows) == hits(X[["v", "k"]], in_rows[1]) == expected


KINDS = {
    "number": [7, 7.5, Decimal(7)],
    "bool": [True],
    "text": ["7", CANARY],
    "bytes": [b"7"],
    "naive datetime": [NOON, pd.Timestamp(NOON), np.datetime64("2020-01-01", "s")],
    "aware datetime": [AWARE, pd.Timestamp(AWARE)],
    "date": [NOON.date()],
    "time": [dt.time(12)],
    "timedelta": [dt.timedelta(1), np.timedelta64(1, "D")],
    "period": [pd.Period("2020-01-01", "D")],
}


@pytest.mark.parametrize(("kind", "other"), list(itertools.permutations(KINDS, 2)))
def test_columns_without_a_kind_in_common_are_refused(kind, other):
    tables = [[[1, cell] for cell in KINDS[k]] + [[2, None]] for k in (kind, other)]
    expected = (
        rf"column \(position 1\) of X holds {kind} but "
        rf"column \(position 1\) of X_avatars holds {other}: .* Convert"
    )
    with pytest.raises(ValueError, match=expected) as caught:
        match_rows(*tables)
    assert CANARY not in str(caught.value)
    assert "2020" not in str(caught.value)


@pytest.mark.parametrize(("kind", "other"), list(itertools.combinations(KINDS, 2)))
def test_columns_that_share_a_kind_compare_value_by_value(kind, other):
    shared = [[cell] for cell in KINDS[kind]]
    X, X_avatars = [*shared, [None]], [*shared[:1], *([cell] for cell in KINDS[other])]
    assert hits(X, X_avatars)[-1] is False
    assert match_rows(X, X_avatars).reproduces.tolist()[1:] == [False] * len(KINDS[other])


def test_columns_of_missing_cells_go_with_any_kind():
    for cells in KINDS.values():
        assert hits([[None], *([cell] for cell in cells[:1])], [[NAN]]) == [True, False]
    assert hits(pd.DataFrame({"a": [NAN, 1.0]}), pd.DataFrame({"a": [None]}, dtype="str")) == [
        True,
        False,
    ]


def test_mixed_kinds_are_listed_in_order():
    with pytest.raises(ValueError, match=r"holds bool and number but .* holds date and text"):
        match_rows([[True], [1]], [["a"], [NOON.date()]])


POOLS = {
    "numbers": [0, -0.0, 1, 1.0, Decimal("1.0"), Fraction(1, 2), 0.5, 2**53, 2**53 + 1, 2.0**53,
                np.float32(0.1), 0.1, Decimal("0.1"), -1, -2, math.inf, Decimal("Infinity"),
                np.uint64(2**64 - 1), np.longdouble(1) / 10, None, NAN, Decimal("sNaN")],
    "mixed": [True, 1, "1", "True", b"1", None, np.True_, np.str_("1"), pd.NA, 0, False],
    "text": ["a", "a ", "a\0", "", "A", "\u00e9", "e\u0301", "nan", None, NAN],
    "times": [NOON, AWARE, AWARE.astimezone(TOKYO), pd.Timestamp(NOON), pd.NaT, NOON.date(),
              pd.Timestamp("2020-01-01 12:00:00.000000001"), np.datetime64("2020-01-01T12"),
              dt.time(12), dt.timedelta(hours=12), np.timedelta64(12, "h"),
              pd.Period("2020-01", "M"), pd.Period("2020", "Y"), None],
}  # fmt: skip
SMALL = [0, 1, 2, 255, None]
# Cells that a dtype holds, and the spellings of that dtype in both libraries.
TYPED = {
    "Int64": SMALL, "UInt8": SMALL, "Float32": [0.0, 0.1, 1.0, 255.0, None],
    "Float64": [-0.0, 0.1, 1.0, 255.0, float(np.float32(0.1)), NAN, None],
    "boolean": [True, False, None], "str": POOLS["text"][:-1], "category": ["a", "b", "a ", None],
    "datetime64[ns]": [NOON, dt.datetime(2020, 1, 1), None],  # noqa: DTZ001
    "datetime64[s]": [NOON, dt.datetime(9999, 1, 1), None],  # noqa: DTZ001
    "datetime64[us, UTC]": [AWARE, AWARE.replace(hour=3), None],
}  # fmt: skip
TO_POLARS = {
    "Int64": pl.Int64, "UInt8": pl.UInt8, "Float32": pl.Float32, "Float64": pl.Float64,
    "boolean": pl.Boolean, "str": pl.String, "category": pl.Categorical,
    "datetime64[ns]": pl.Datetime("ns"), "datetime64[s]": pl.Datetime("ms"),
    "datetime64[us, UTC]": pl.Datetime("us", "UTC"),
}  # fmt: skip


def held(cells, dtype):
    """The cells as the dtype holds them."""
    if dtype != "Float32":
        return cells
    return [cell if cell is None else np.float32(cell) for cell in cells]


def build(library, columns, dtypes):
    """A table of typed columns, objects where the dtype is None."""
    if library == "rows":
        return list(zip(*columns, strict=True))
    if library == "polars":
        return pl.DataFrame({
            f"c{i}": pl.Series(cells, dtype=pl.Object if dtype is None else TO_POLARS[dtype])
            for i, (cells, dtype) in enumerate(zip(columns, dtypes, strict=True))
        })  # fmt: skip
    return pd.DataFrame({
        f"c{i}": pd.Series(cells, dtype=dtype or object)
        for i, (cells, dtype) in enumerate(zip(columns, dtypes, strict=True))
    })  # fmt: skip


@st.composite
def tables(draw, pools):
    """Cells of two tables of the same columns: (columns, dtypes) each."""
    n, m = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    sides = ([], []), ([], [])
    for _ in range(draw(st.integers(1, 3))):
        for (columns, dtypes), size in zip(sides, (n, m), strict=True):
            name = draw(st.sampled_from(sorted(pools)))
            cells = st.lists(st.sampled_from(pools[name]), min_size=size, max_size=size)
            columns.append(draw(cells))
            dtypes.append(name if name in TYPED else None)
    return sides


def assert_agrees(X, X_avatars, columns, avatar_columns):
    """match_rows and group_rows against the oracle on the same cells."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Some cells of")
        if kinds_clash(columns, avatar_columns):
            with pytest.raises(ValueError, match="Convert one of them"):
                match_rows(X, X_avatars)
            return
        matches = match_rows(X, X_avatars)
    expected = match(columns, avatar_columns)
    assert matches.is_unique.tolist() == expected[0]
    assert matches.is_hit.tolist() == expected[1]
    assert matches.reproduces.tolist() == expected[2]
    codes = np.concatenate(group_rows(X, X_avatars))
    rows = rows_of(columns) + rows_of(avatar_columns)
    for i, j in itertools.combinations(range(len(rows)), 2):
        assert (codes[i] == codes[j]) == (rows[i] == rows[j])


@pytest.mark.parametrize("library", ["rows", "pandas", "polars"])
@given(sides=tables(POOLS))
def test_any_objects_match_as_the_oracle_says(library, sides):
    (columns, dtypes), (avatar_columns, avatar_dtypes) = sides
    X, X_avatars = build(library, columns, dtypes), build("rows", avatar_columns, avatar_dtypes)
    assert_agrees(X, X_avatars, columns, avatar_columns)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("other", ["pandas", "polars", "rows"])
@given(sides=tables(TYPED))
def test_typed_columns_match_as_the_oracle_says(library, other, sides):
    (columns, dtypes), (avatar_columns, avatar_dtypes) = sides
    columns, avatar_columns = (
        [held(cells, dtype) for cells, dtype in zip(*side, strict=True)] for side in sides
    )
    X = build(library, columns, dtypes)
    X_avatars = build(other, avatar_columns, avatar_dtypes)
    assert_agrees(X, X_avatars, columns, avatar_columns)


@given(sides=tables({"few": [0, 1], "some": [0.5, 1, None, NAN], "more": list(range(9))}))
def test_numeric_arrays_match_as_the_oracle_says(sides):
    (columns, _), (avatar_columns, _) = sides
    arrays = [np.array(c, dtype=float).T for c in (columns, avatar_columns)]
    assert_agrees(*arrays, columns, avatar_columns)


def test_long_tables_match_as_a_dict_of_rows_says():
    """Thousands of rows, so that slots of the row table collide and rounds are needed."""
    rng = np.random.default_rng(0)
    X, X_avatars = (
        np.column_stack([rng.integers(0, high, 5000) * 2.5 for high in (3, 70, 900)])
        for _ in range(2)
    )
    X[:40], X_avatars[:40] = rng.normal(size=(2, 40, 3))
    X_avatars[40:60] = X[40:60]
    counts: dict[tuple, int] = {}
    for row in map(tuple, X.tolist()):
        counts[row] = counts.get(row, 0) + 1
    avatars = set(map(tuple, X_avatars.tolist()))
    matches = match_rows(X, X_avatars)
    assert matches.is_unique.tolist() == [counts[tuple(row)] == 1 for row in X.tolist()]
    assert matches.is_hit.tolist() == [
        counts[tuple(row)] == 1 and tuple(row) in avatars for row in X.tolist()
    ]
    assert matches.reproduces.tolist() == [
        counts.get(tuple(row)) == 1 for row in X_avatars.tolist()
    ]


@pytest.mark.parametrize("gap", range(1, 5))
@pytest.mark.parametrize("cell", [0.0, 0.5, 2.0**63])
def test_a_group_and_the_reading_of_a_word_are_not_mixed_up(gap, cell):
    """Groups some positions apart, with words that differ only in how they are to be read."""
    X = np.array([[group, NAN if group else cell] for group in range(3) for _ in range(gap)])
    X_avatars = np.array([[0, NAN], [1, cell], [2, NAN]])
    assert_agrees(X, X_avatars, X.T.tolist(), X_avatars.T.tolist())
    assert_agrees(X[:, ::-1], X_avatars, X.T.tolist()[::-1], X_avatars.T.tolist())


def test_readings_do_not_carry_over_to_other_groups():
    """A whole 0 and a missing cell are the same word, read in two ways."""
    groups = range(40)
    X, X_avatars = [[group, 0.0] for group in groups], [[group, NAN] for group in groups]
    assert not any(hits(np.array(X), np.array(X_avatars)))
    assert not any(hits(np.array(X_avatars), np.array(X)))


def test_colliding_slots_do_not_decide(monkeypatch):
    """With two slots in all, nearly every pair of words meets a stranger first."""

    def two_slots(words, tags, n_bits, factor, other):
        return _SLOTS(words, tags, 1, factor, other)

    monkeypatch.setattr(_row_matching, "_slots", two_slots)
    X = np.arange(60).reshape(30, 2) % 17
    X_avatars = X[::3].copy()
    X_avatars[::2, 1] += 1
    assert_agrees(X, X_avatars, X.T.tolist(), X_avatars.T.tolist())


_SLOTS = _row_matching._slots


def n_hits_of_dict(X, X_avatars, row_of):
    """Hits by counting rows in a dict, each row as `row_of` spells it."""
    rows = [row_of(row) for row in X.itertuples(index=False, name=None)]
    avatars = {row_of(row) for row in X_avatars.itertuples(index=False, name=None)}
    return sum(rows.count(row) == 1 and row in avatars for row in rows)


def by_merge(X, X_avatars):
    unique = X[~X.duplicated(keep=False)]
    return len(unique.merge(X_avatars.drop_duplicates()))


def by_keep_first(X, X_avatars):
    return len(X[~X.duplicated(keep="first")].merge(X_avatars.drop_duplicates()))


def by_codes(X, X_avatars):
    coded = [frame.apply(lambda column: column.cat.codes) for frame in (X, X_avatars)]
    return by_merge(*coded)


WRONG_WAYS = {
    "keep the first of duplicates": (by_keep_first, objects(list("xxy")), objects(["x"]), 0),
    "merge": (by_merge, objects([True, 2]), objects([1, 3]), 0),
    "count avatar rows": (
        lambda X, Y: len(X.merge(Y)), pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [1, 1]}), 1,
    ),
    "tuples in a set": (
        lambda X, Y: n_hits_of_dict(X, Y, tuple), objects([1.0, NAN]), objects([float("-nan")]), 1,
    ),
    "hashes of rows": (
        lambda X, Y: n_hits_of_dict(X, Y, hash), objects([-1, 0]), objects([-2, 7]), 0,
    ),
    "text with a separator": (
        lambda X, Y: n_hits_of_dict(X, Y, "|".join), objects(["a|b"], ["c"]),
        objects(["a"], ["b|c"]), 0,
    ),
    "values as text": (
        lambda X, Y: n_hits_of_dict(X, Y, lambda row: tuple(map(str, row))), objects([1, 2]),
        objects([1.0, 3.0]), 1,
    ),
    "codes of categories": (
        by_codes, pd.DataFrame({"a": pd.Categorical(["a", "b"])}),
        pd.DataFrame({"a": pd.Categorical(["c", "b"])}), 1,
    ),
    "integers as floats": (
        lambda X, Y: n_hits_of_dict(X, Y, lambda row: tuple(map(float, row))),
        pd.DataFrame({"a": [2**53, 5]}), pd.DataFrame({"a": [2**53 + 1]}), 0,
    ),
    "columns by position": (
        lambda X, Y: n_hits_of_dict(X, Y, tuple), pd.DataFrame({"a": [1], "b": [2]}),
        pd.DataFrame({"b": [2], "a": [1]}), 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG_WAYS)
def test_a_usual_wrong_way_is_told_apart(name):
    wrong, X, X_avatars, expected = WRONG_WAYS[name]
    assert sum(hits(X, X_avatars)) == expected
    assert wrong(X, X_avatars) != expected


def test_the_oracle_knows_its_kinds():
    for kind, cells in KINDS.items():
        assert {kind_and_value(cell)[0] for cell in cells} == {kind}


def word_pairs(*columns):
    """Return columns of numbers, each of originals and of avatars, as they are keyed."""
    return [tuple(Words("number", np.array(cells)) for cells in pair) for pair in columns]


def test_the_most_selective_column_comes_first_by_a_sample_from_end_to_end(monkeypatch):
    few, most, one = word_pairs(([0, 1], [0]), ([0, 1], [2]), ([5, 5], [5]))
    assert _row_matching._most_selective_first([few, most, one], 2, 1) == [most, few, one]
    (start,) = word_pairs(([0, 1], [1]))
    assert _row_matching._most_selective_first([start, one], 2, 1) == [start, one]
    monkeypatch.setattr(_row_matching, "_N_SAMPLED", 2)
    inner, ends = word_pairs(([0, 1, 2, 0], [0]), ([0, 0, 0, 1], [0]))
    assert _row_matching._most_selective_first([inner, ends], 4, 1) == [ends, inner]


def test_rows_alone_in_their_group_are_not_looked_at_again(monkeypatch):
    looked_at = []

    def noted(left, right, rows_left, rows_right):
        looked_at.append((rows_left.tolist(), rows_right.tolist()))
        return joint_keys(left, right, rows_left, rows_right)

    monkeypatch.setattr(_row_matching, "joint_keys", noted)
    pairs = word_pairs(([1, 2, 2], [2, 9]), ([7, 7, 8], [7, 7]))
    codes = _row_matching._representatives(pairs, 3, 2)
    assert looked_at == [([0, 1, 2], [0, 1]), ([1, 2], [0])]
    assert codes[1] == codes[3]
    assert len(set(codes.tolist())) == 4


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 1000])
def test_slots_are_two_to_four_times_as_many_as_pairs(n, monkeypatch):
    sizes = []

    def noted(words, tags, n_bits, factor, other):
        sizes.append(2**n_bits)
        return _SLOTS(words, tags, n_bits, factor, other)

    monkeypatch.setattr(_row_matching, "_slots", noted)
    words = np.arange(n)
    assert _row_matching._first_alike(words, np.zeros(n, np.int64)).tolist() == words.tolist()
    assert 2 * n < sizes[0] <= 4 * n


@pytest.mark.parametrize("n_bits", [1, 5, 10])
def test_words_and_tags_spread_over_the_slots(n_bits):
    many, zeros = np.arange(2000), np.zeros(2000, np.int64)
    factors = _row_matching._odd_factors()
    for words, tags in [(many, zeros), (zeros, many)]:
        slots = _SLOTS(words, tags, n_bits, next(factors), next(factors))
        assert slots.max() < 2**n_bits
        assert 2**n_bits / 2 < len(np.unique(slots))


def test_factors_are_odd_and_do_not_come_back():
    factors = [int(factor) for factor in itertools.islice(_row_matching._odd_factors(), 1000)]
    assert len(set(factors)) == 1000
    assert all(factor % 2 for factor in factors)
    # Spread over all 64 bits.
    assert 0.45 < np.mean([factor >> 63 for factor in factors]) < 0.55


def test_matches_stay_as_they_were_found():
    with pytest.raises(FrozenInstanceError):
        match_rows([[1]], [[1]]).is_hit = None
