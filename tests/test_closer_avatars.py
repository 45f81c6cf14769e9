"""Counts against two oracles that do not round, and against wrong ways of counting.

The differential test runs on 50 000 originals by default. Its long form runs on a million,
twenty times as many of the same tables::

    pytest -m nightly tests/test_closer_avatars.py
"""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import joblib
import numpy as np
import pytest
from _oracle import gaps_are_wide, grid_counts, rational_counts, tie_rule_counts
from _tables import KINDS, Table, random_table
from sklearn.metrics import euclidean_distances
from sklearn.neighbors import KDTree, NearestNeighbors

from skprivacy import closer_avatar_counts
from skprivacy.metrics import _closer_avatars
from skprivacy.metrics._closer_avatars import CloserAvatars
from skprivacy.metrics._tree_counting import AvatarTree

N_QUICK, N_NIGHTLY = 50_000, 1_000_000


def exact_counts(table):
    """Return c_i from the oracle that suits the table."""
    if table.whole is None:
        return tie_rule_counts(table.X, table.Y, table.own)
    return grid_counts(*table.whole, table.own)


def counts_of(table, **settings):
    return closer_avatar_counts(table.X, table.Y, own_avatar=table.own, **settings)


# The oracles themselves


@pytest.mark.parametrize("kind", ["integer", "tenths", "offset", "mixed scale", "duplicated"])
def test_grid_oracle_is_the_literal_definition(kind):
    rng = np.random.default_rng(1)
    for _ in range(5):
        table = random_table(kind, rng, n=7, m=9, d=3)
        literal = rational_counts(*(whole.tolist() for whole in table.whole), table.own)
        np.testing.assert_array_equal(grid_counts(*table.whole, table.own), literal)


def test_rational_oracle_by_hand():
    # From 0.7 both 0.6 and 0.8 are 0.1 away, though no two float64 differences say so.
    assert rational_counts([["0.7"], ["0.2"]], [["0.6"], ["0.8"], ["0.3"]], [0, 1]) == [1, 2]
    assert 0.7 - 0.6 != 0.8 - 0.7


def test_tie_rule_oracle_by_hand():
    # x = 0 is the median, o = 1: the threshold is 1 + 1e-12 + 4 eps.
    Y = [[1.0], [1 + 0.9e-12], [-1 - 1.1e-12], [0.5]]
    assert tie_rule_counts([[0.0]], Y, [0]).tolist() == [2]
    assert tie_rule_counts([[0.0]], Y, [0], tie_tol=1.2e-12).tolist() == [3]


# Counts against the oracles


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "n_rows", [N_QUICK, pytest.param(N_NIGHTLY, marks=pytest.mark.nightly)], ids="{:,} rows".format
)
def test_counts_are_those_of_both_oracles(kind, n_rows, monkeypatch):
    rng = np.random.default_rng([n_rows, *kind.encode()])
    n_done = n_ambiguous = n_tables = 0
    while n_done < n_rows / len(KINDS):
        table = random_table(kind, rng)
        # Few avatars fit in one leaf: in every second table they are spread over many.
        n_tables += 1
        sizes = {"leaf_size": n_tables % 7 + 1, "block_size": n_tables % 31 + 1}
        tree = partial(AvatarTree, **sizes) if n_tables % 2 else AvatarTree
        monkeypatch.setattr("skprivacy.metrics._closer_avatars.AvatarTree", tree)
        counts = counts_of(table)
        np.testing.assert_array_equal(
            counts, tie_rule_counts(table.X, table.Y, table.own), strict=True
        )
        if table.whole is not None:
            wide = gaps_are_wide(*table.whole, table.own)
            expected = grid_counts(*table.whole, table.own)
            np.testing.assert_array_equal(counts[wide], expected[wide])
            n_ambiguous += np.count_nonzero(~wide)
        n_done += len(counts)
    # The literal definition decides nearly every record that was typed in decimals.
    assert n_ambiguous < 0.01 * n_done


@pytest.mark.parametrize("kind", ["tenths", "duplicated", "integer", "two decimals", "offset"])
@pytest.mark.parametrize("d", [1, 2, 5, 9, 20])
def test_counts_in_a_deep_tree_of_typed_decimals(kind, d):
    table = random_table(kind, np.random.default_rng(d), n=300, m=6000, d=d)
    np.testing.assert_array_equal(counts_of(table), exact_counts(table))


@pytest.mark.parametrize("kind", ["continuous", "float32", "near tie", "many scales"])
@pytest.mark.parametrize("d", [1, 3, 12])
def test_counts_in_a_deep_tree_of_float64_values(kind, d):
    table = random_table(kind, np.random.default_rng(d), n=40, m=5000, d=d)
    np.testing.assert_array_equal(counts_of(table), exact_counts(table))


@pytest.mark.parametrize("d", [2, 5])
def test_counts_of_as_many_originals_as_avatars(d):
    table = random_table("one decimal", np.random.default_rng(d), n=3000, m=3000, d=d)
    np.testing.assert_array_equal(counts_of(table), exact_counts(table))


@pytest.mark.parametrize("tie_tol", [1e-13, 1e-9, 1e-6])
def test_tie_tol_is_the_width_that_counts(tie_tol):
    x, own, steps = np.zeros((1, 2)), 2.0, np.array([-3, 0.5, 0.9, 1.1, 3])
    # o = 2 and x is its own median; 4 eps is the resolution at this distance.
    radius = own + steps * (tie_tol * own + 4 * 2.0**-52 * own)
    Y = np.array([[own, 0.0], *([0.0, -r] for r in radius)])
    assert closer_avatar_counts(x, Y, own_avatar=[0], tie_tol=tie_tol).tolist() == [3]


# Magnitudes at the ends of float64


@pytest.mark.parametrize("exponent", [-1040, -1000, -540, -520, -300, -1, 300, 500, 520, 900])
def test_magnitude_does_not_change_counts(exponent):
    # Small whole numbers keep all their bits even where float64 is subnormal.
    rng = np.random.default_rng(0)
    X, Y = rng.integers(-9, 10, size=(30, 3)), rng.integers(-9, 10, size=(30, 3))
    scaled = np.ldexp(X.astype(float), exponent), np.ldexp(Y.astype(float), exponent)
    np.testing.assert_array_equal(closer_avatar_counts(*scaled), grid_counts(X, Y, np.arange(30)))


@pytest.mark.parametrize(
    ("X", "Y", "expected"),
    [
        ([[0.0]], [[0.0]], [0]),
        ([[0.0]], [[0.0], [1e-170]], [0]),
        ([[0.0]], [[1e-170], [0.0]], [1]),
        ([[0.0]], [[1e-170], [-1e-170], [2e-170]], [1]),
        ([[0.0]], [[5e-324], [1e-323], [0.0]], [1]),
        ([[0.0], [0.0], [1.0]], [[1e-170], [2e-170], [1.0]], [0, 1, 0]),
        ([[1e-200], [3e-200]], [[2e-200], [5e-200]], [0, 1]),
        ([[1e200], [3e200]], [[2e200], [5e200]], [0, 1]),
        ([[0.0, 1e200], [0.0, -1e200]], [[1e-200, 1e200], [0.0, -1e200]], [0, 0]),
    ],
)
def test_squares_beyond_float64_are_counted(X, Y, expected):
    own = np.arange(len(X))
    assert closer_avatar_counts(X, Y, own_avatar=own).tolist() == expected
    assert tie_rule_counts(X, Y, own).tolist() == expected


@pytest.mark.parametrize(
    "size", [1e-10, 1e-25, 1e-60, 1e-120, 1e-140, 1e-161, 1e-200, 1e-300, 5e-324]
)
@pytest.mark.parametrize("outlier", [1.0, 1e30, 1e250])
def test_a_small_cluster_beside_a_large_outlier(size, outlier):
    rng = np.random.default_rng(0)
    X, Y = rng.integers(-5, 6, size=(25, 2)) * size, rng.integers(-5, 6, size=(25, 2)) * size
    X[3], Y[7] = outlier, -outlier
    np.testing.assert_array_equal(closer_avatar_counts(X, Y), tie_rule_counts(X, Y, np.arange(25)))


@pytest.mark.parametrize("sign", [1, -1])
def test_either_table_may_hold_the_largest_magnitude(sign):
    small, large = np.array([[0.0], [1.0], [2.0]]), sign * np.array([[3e250], [7e250], [2.0]])
    # Seen from 0 and 1, 7e250 is farther than 3e250. With 3e250 for a median, 0, 1 and 2 tie.
    assert closer_avatar_counts(sign * small, large).tolist() == [1, 2, 0]
    assert closer_avatar_counts(large, sign * small).tolist() == [2, 2, 2]


# Parts of one task


def comparison_of(table, n_jobs=None):
    X, Y = (np.ascontiguousarray(part, dtype=float) for part in (table.X, table.Y))
    return CloserAvatars(X, Y, table.own, tie_tol=1e-12, n_jobs=n_jobs)


@pytest.mark.parametrize("kind", KINDS)
def test_any_rows_in_any_order(kind):
    rng = np.random.default_rng(2)
    comparison = comparison_of(random_table(kind, rng, n=200, m=150, d=4))
    whole, rows = comparison.count(), rng.permutation(200)
    for part in (rows[:1], rows[1:70], rows[70:], rows):
        np.testing.assert_array_equal(comparison.count(part), whole[part])
    assert len(comparison.count(rows[:0])) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_stopping_at_one_keeps_who_is_hidden(kind):
    for seed in range(20):
        comparison = comparison_of(random_table(kind, np.random.default_rng(seed)))
        stopped = comparison.count(stop_at_one=True)
        np.testing.assert_array_equal(stopped > 0, comparison.count() > 0)
        assert (stopped >= 0).all()


@pytest.mark.parametrize("kind", ["tenths", "continuous", "duplicated"])
@pytest.mark.parametrize(("n", "m"), [(500, 500), (6000, 3000)])
def test_n_jobs_does_not_change_counts(kind, n, m):
    table = random_table(kind, np.random.default_rng(3), n=n, m=m, d=4)
    alone = counts_of(table)
    for n_jobs in (1, 2, -1):
        np.testing.assert_array_equal(counts_of(table, n_jobs=n_jobs), alone, strict=True)


# Blocks: the first tells how many originals the next ones may hold


@pytest.fixture
def blocks(monkeypatch):
    """Return a function that counts so many rows at a pace, and tells the blocks it took."""
    monkeypatch.setattr(_closer_avatars, "_FIRST_BLOCK", 10)
    monkeypatch.setattr(_closer_avatars, "_LARGEST_BLOCK", 300)
    clock, seen = SimpleNamespace(now=5.0, pace=np.inf, perf_counter=lambda: clock.now), []
    monkeypatch.setattr(_closer_avatars, "time", clock)
    in_process, in_workers = CloserAvatars._count_block, CloserAvatars._count_in_workers

    def count_block(self, rows, *, stop_at_one):
        seen.append((len(rows), stop_at_one))
        clock.now += len(rows) / clock.pace
        return in_process(self, rows, stop_at_one=stop_at_one)

    def count_in_workers(self, rows, *, stop_at_one):
        seen.append((f"{len(rows)} in workers", stop_at_one))
        return in_workers(self, rows, stop_at_one=stop_at_one)

    monkeypatch.setattr(CloserAvatars, "_count_block", count_block)
    monkeypatch.setattr(CloserAvatars, "_count_in_workers", count_in_workers)

    def counted(n, pace, *, n_jobs=1, stop_at_one=False):
        clock.pace = pace
        seen.clear()
        table = random_table("one decimal", np.random.default_rng(n), n=n, m=40, d=3)
        with joblib.parallel_config("threading"):
            comparison = CloserAvatars(*table[:3], tie_tol=1e-12, n_jobs=n_jobs)
            counts = comparison.count(stop_at_one=stop_at_one)
        expected = exact_counts(table)
        if stop_at_one:
            counts, expected = counts > 0, expected > 0
        np.testing.assert_array_equal(counts, expected, strict=True)
        assert {stopped for _, stopped in seen} == {stop_at_one}
        return [block for block, _ in seen]

    return counted


@pytest.mark.parametrize("stop_at_one", [False, True])
@pytest.mark.parametrize(
    ("n", "pace", "expected"),
    [
        (20, 64.0, [20]),
        (21, 64.0, [10, 11]),
        # Two seconds at this pace are 128 originals, then less and more than a block may hold.
        (414, 64.0, [10, 128, 128, 128, 20]),
        (45, 1.0, [10, 10, 10, 10, 5]),
        # 16.9 a second: 33 in two, not twice 16.
        (76, 16.9, [10, 33, 33]),
        (450, 1000.0, [10, 300, 140]),
        # A clock that stands still.
        (450, np.inf, [10, 300, 140]),
    ],
)
def test_blocks_follow_the_pace(blocks, n, pace, expected, stop_at_one):
    assert blocks(n, pace, stop_at_one=stop_at_one) == expected


@pytest.mark.parametrize("stop_at_one", [False, True])
def test_workers_count_the_rest_of_long_work(blocks, stop_at_one):
    # Two seconds at this pace are 128 originals.
    counted = partial(blocks, pace=64.0, stop_at_one=stop_at_one)
    assert counted(139, n_jobs=2) == [10, "129 in workers"]
    assert counted(138, n_jobs=2) == [10, 128]
    assert counted(139, n_jobs=1) == [10, 128, 1]


@pytest.mark.parametrize("stop_at_one", [False, True])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_the_tree_is_told_how_many_workers_and_when_to_stop(monkeypatch, n_jobs, stop_at_one):
    monkeypatch.setattr(_closer_avatars, "_FIRST_BLOCK", 10)
    monkeypatch.setattr(_closer_avatars, "_WORTH_WORKERS", 0)
    told = []

    class Tree(AvatarTree):
        def __init__(self, Y, **how):
            told.append(how)
            super().__init__(Y, **how)

        def count(self, *queries, **how):
            told.append(how)
            return AvatarTree.count(self, *queries, **how)

    def parallel(**how):
        told.append(how)
        return joblib.Parallel(**how)

    monkeypatch.setattr(_closer_avatars, "AvatarTree", Tree)
    monkeypatch.setattr(_closer_avatars, "Parallel", parallel)
    table = drawn("continuous", n=50, m=50, d=2)
    with joblib.parallel_config("threading"):
        CloserAvatars(*table[:3], tie_tol=1e-12, n_jobs=n_jobs).count(stop_at_one=stop_at_one)
    first, *later = told
    assert first == {"n_jobs": n_jobs}
    in_workers = [{"n_jobs": n_jobs}] if n_jobs > 1 else []
    assert [how for how in later if "n_jobs" in how] == in_workers
    asked = [how for how in later if "n_jobs" not in how]
    assert len(asked) >= 2
    assert all(how == {"stop_at_one": stop_at_one} for how in asked)


# Wrong ways of counting: mutants, each of which a named case must catch


def distances(table):
    """Return all float64 distances by direct differences."""
    X, Y = table.X.astype(float), table.Y.astype(float)
    return np.sqrt(((X[:, None] - Y[None]) ** 2).sum(axis=-1))


def own_distances(table):
    return np.linalg.norm(table.X.astype(float) - table.Y[table.own].astype(float), axis=1)


def others(closer, own):
    closer = closer.copy()
    closer[np.arange(len(own)), own] = False
    return closer.sum(axis=1)


def within(table, tolerance):
    """Count with another tolerance than the tie rule's."""
    own = own_distances(table)
    return others(distances(table) <= (own + tolerance)[:, None], table.own)


def spreads(table, centre=np.median):
    return np.linalg.norm(table.X.astype(float) - centre(table.X.astype(float), axis=0), axis=1)


def strict_inequality(table):
    own = own_distances(table)
    return others(distances(table) < (own * (1 - 1e-12))[:, None], table.own)


def literal_inequality(table):
    return within(table, 0)


def radius_without_tolerance(table):
    tree = KDTree(table.Y.astype(float))
    return tree.query_radius(table.X.astype(float), r=own_distances(table), count_only=True) - 1


def radius_clipped_at_zero(table):
    return np.maximum(radius_without_tolerance(table), 0)


def next_larger_radius(table):
    radius = np.nextafter(own_distances(table), np.inf)
    tree = KDTree(table.Y.astype(float))
    return tree.query_radius(table.X.astype(float), r=radius, count_only=True) - 1


def own_avatar_counted(table):
    return exact_counts(table) + 1


def expansion_formula(table):
    far = euclidean_distances(table.X.astype(float), table.Y.astype(float))
    own = own_distances(table)
    return others(far <= (own * (1 + 1e-12))[:, None], table.own)


def cast_to_float32(table):
    table = table._replace(X=table.X.astype(np.float32), Y=table.Y.astype(np.float32))
    return within(table, 1e-12 * (spreads(table) + own_distances(table)))


def capped_neighbours(table):
    k = min(4000, len(table.Y))
    neighbours = NearestNeighbors(n_neighbors=k).fit(table.Y.astype(float))
    near, index = neighbours.kneighbors(table.X.astype(float))
    closer = near <= (own_distances(table) * (1 + 1e-12))[:, None]
    return (closer & (index != table.own[:, None])).sum(axis=1)


def swapped_tables(table):
    far = distances(table)[:, table.own].T
    return others(far <= (own_distances(table) * (1 + 1e-12))[:, None], np.arange(len(far)))


def subtraction_before_cast(table):
    difference = (table.X[:, None] - table.Y[None]).astype(float)
    far = np.sqrt((difference**2).sum(axis=-1))
    own = far[np.arange(len(table.own)), table.own]
    return others(far <= own[:, None], table.own)


def mean_as_centre(table):
    return within(table, 1e-12 * (spreads(table, np.mean) + own_distances(table)))


def one_tolerance_for_all(table):
    return within(table, 1e-12 * (spreads(table) + own_distances(table)).max())


def absolute_tolerance(table):
    return within(table, 1e-9)


def no_resolution_term(table):
    return within(table, 1e-12 * (spreads(table) + own_distances(table)))


def pairing_ignored(table):
    return exact_counts(table._replace(own=np.arange(len(table.own))))


def pairing_inverted(table):
    return exact_counts(table._replace(own=np.argsort(table.own)))


def distinct_avatars(table):
    counts = []
    for x, a in zip(table.X, table.own, strict=True):
        Y = np.unique(table.Y, axis=0)
        own = int((table.Y[a] == Y).all(axis=1).argmax())
        counts.extend(tie_rule_counts([x], Y, [own]))
    return np.array(counts)


def manhattan(table):
    far = np.abs(table.X[:, None].astype(float) - table.Y[None].astype(float)).sum(axis=-1)
    own = far[np.arange(len(table.own)), table.own]
    return others(far <= (own * (1 + 1e-12))[:, None], table.own)


def drawn(kind, **shape):
    return random_table(kind, np.random.default_rng(7), **shape)


def by_hand(X, Y, own):
    return Table(np.array(X, dtype=float), np.array(Y, dtype=float), np.array(own))


CASES = {
    "two whole numbers in a tie": by_hand([[0]], [[1], [-1], [3]], [0]),
    "two tenths in a tie": Table(
        np.array([[0.7]]), np.array([[0.6], [0.8]]), np.array([0]), ([[7]], [[6], [8]])
    ),
    "continuous": drawn("continuous", n=150, m=150, d=5),
    "tenths, 16 columns": drawn("tenths", n=150, m=150, d=16),
    "a billionth farther": by_hand([[0]], [[1], [1 + 1e-9]], [0]),
    "4 500 avatars": Table(np.zeros((1, 1)), np.arange(1, 4501.0)[:, None], np.array([4499])),
    "bytes": drawn("unsigned", n=60, m=60, d=3),
    "one outlier at 1e13": by_hand(
        [[0], [10], [20], [1e13]], [[1], [1 + 1e-5], [20], [1e13]], [0, 0, 2, 3]
    ),
    "small units": by_hand([[0.0], [1e-12]], [[1e-12], [2e-12]], [0, 1]),
    "tenths around 10 000 000": drawn("offset", n=150, m=150, d=3),
    "a cycle of three": by_hand([[0], [10], [30]], [[11], [29], [1]], [2, 0, 1]),
    "copies of an avatar": by_hand([[0]], [[2], [1], [1], [1]], [0]),
    "a square and a diagonal": by_hand([[0, 0]], [[0, 1.5], [1, 1]], [0]),
}

KILLED_BY = {
    strict_inequality: "two whole numbers in a tie",
    literal_inequality: "two tenths in a tie",
    radius_without_tolerance: "continuous",
    radius_clipped_at_zero: "continuous",
    next_larger_radius: "tenths, 16 columns",
    own_avatar_counted: "two whole numbers in a tie",
    expansion_formula: "tenths around 10 000 000",
    cast_to_float32: "a billionth farther",
    capped_neighbours: "4 500 avatars",
    swapped_tables: "continuous",
    subtraction_before_cast: "bytes",
    mean_as_centre: "one outlier at 1e13",
    one_tolerance_for_all: "one outlier at 1e13",
    absolute_tolerance: "small units",
    no_resolution_term: "tenths around 10 000 000",
    pairing_ignored: "a cycle of three",
    pairing_inverted: "a cycle of three",
    distinct_avatars: "copies of an avatar",
    manhattan: "a square and a diagonal",
}


@pytest.mark.parametrize("case", CASES)
def test_the_cases_are_counted_right(case):
    np.testing.assert_array_equal(counts_of(CASES[case]), exact_counts(CASES[case]))


@pytest.mark.parametrize("mutant", KILLED_BY, ids=lambda mutant: mutant.__name__)
def test_a_wrong_way_of_counting_is_caught(mutant):
    case = CASES[KILLED_BY[mutant]]
    wrong, right = mutant(case), exact_counts(case)
    assert wrong.shape == right.shape
    assert (wrong != right).any()
