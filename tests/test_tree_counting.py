"""The tree against oracles that do not share its arithmetic, path by path.

Small leaves and blocks force every path on tables small enough to count by brute force.
"""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from skprivacy.metrics import _leaf_products, _tree_counting
from skprivacy.metrics._leaf_products import LeafCounter
from skprivacy.metrics._tree_counting import AvatarTree, _Walk, count_by_query_radius
from skprivacy.metrics._tree_stages import Stage

SMALL = {"leaf_size": 4, "block_size": 7}
SIZES = [SMALL, {"leaf_size": 1, "block_size": 64}, {"leaf_size": 30, "block_size": 16}, {}]


class Case:
    """Originals, avatars, own avatars, thresholds, and the exact counts."""

    def __init__(self, X, Y, own, threshold, counts):
        self.X, self.Y = np.ascontiguousarray(X), np.ascontiguousarray(Y)
        self.own, self.threshold, self.counts = own, threshold, counts

    def count(self, *, stop_at_one=False, **sizes):
        tree = AvatarTree(self.Y, **sizes)
        return tree.count(self.X, self.own, self.threshold, stop_at_one=stop_at_one)


def continuous(X, Y, own, slack=1e-12):
    """Return a case whose oracle is extended precision; no distance is near a threshold."""
    X, Y = np.asarray(X, dtype=float), np.asarray(Y, dtype=float)
    scale = 2.0 ** -np.ceil(np.log2(max(np.abs(X).max(), np.abs(Y).max())))
    X, Y = X * scale, Y * scale
    distance = np.array(
        [np.sqrt(((x - Y.astype(np.longdouble)) ** 2).sum(axis=1)) for x in X.astype(np.longdouble)]
    )
    rows = np.arange(len(X))
    limit = distance[rows, own] * (1 + np.longdouble(slack))
    threshold = np.maximum(limit.astype(float), 2.0**-440)
    distance[rows, own] = np.inf
    assert (np.abs(distance - limit[:, None]) > 1e-14 * limit[:, None]).all()
    return Case(X, Y, own, threshold, (distance <= threshold[:, None]).sum(axis=1))


def whole(X, Y, own, slack=1e-12):
    """Return a case of whole numbers, whose squared distances have no rounding."""
    X, Y = np.asarray(X, dtype=np.int64), np.asarray(Y, dtype=np.int64)
    squared = np.array([((x - Y) ** 2).sum(axis=1) for x in X])
    rows = np.arange(len(X))
    own_squared = squared[rows, own]
    counts = (squared <= own_squared[:, None]).sum(axis=1) - 1
    scale = 2.0 ** -np.ceil(np.log2(max(np.abs(X).max(), np.abs(Y).max(), 1)))
    threshold = np.maximum(np.sqrt(own_squared) * (1 + slack), 0.25) * scale
    return Case(X * scale, Y * scale, own, threshold, counts)


def related(d, n=150, seed=0, noise=0.3):
    """Return originals, avatars near them, and the pairing by row."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) / np.sqrt(1 + np.arange(d))
    return X, X + noise * rng.normal(size=(n, d)) / np.sqrt(1 + np.arange(d)), np.arange(n)


def random_own(d, n=120, m=170, seed=1):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=(m, d)), rng.integers(m, size=n)


def grid(d, n=200, m=150, levels=6, seed=2):
    rng = np.random.default_rng(seed)
    shape = (n, d), (m, d)
    X, Y = (rng.integers(levels, size=size) for size in shape)
    return X, Y, rng.integers(m, size=n)


def far_offset():
    X, Y, own = related(3)
    return X + 1e6, Y + 1e6, own


def mixed_scales():
    X, Y, own = related(4)
    return X * [1, 1e-12, 1, 1e-12], Y * [1, 1e-12, 1, 1e-12], own


def one_outlier():
    """Return a cluster that float32 cannot tell from a point beside its one outlier."""
    X, Y, own = related(3)
    X, Y = 1e-9 * X, 1e-9 * Y
    Y[7] = 1
    return X, Y, own


def heavy_tails():
    X, Y, own = related(2, n=300)
    return np.sinh(8 * X), np.sinh(8 * Y), own


def tiny():
    X, Y, own = related(2)
    X, Y = 1e-125 * X, 1e-125 * Y
    X[0] = Y[0] = 1
    return X[1:], Y, own[1:]


def copies():
    """Return avatars that are their originals, one of them far from its own."""
    X, _, own = related(3)
    Y = X[::-1].copy()
    own = own[::-1].copy()
    own[5] = 3
    return X, Y, own


def many_repeats():
    rng = np.random.default_rng(4)
    levels = rng.integers(1000, size=(9, 3))
    return levels[rng.integers(9, size=400)], levels[rng.integers(9, size=300)], own_of(400, 300)


def repeated_avatars():
    rng = np.random.default_rng(6)
    levels = rng.integers(1000, size=(60, 3))
    X = rng.integers(1000, size=(200, 3))
    return X, levels[rng.integers(60, size=400)], rng.integers(400, size=200)


def own_of(n, m, seed=5):
    return np.random.default_rng(seed).integers(m, size=n)


def shell():
    """Return avatars as near as makes no difference in float32, some nearer, some farther."""
    rng = np.random.default_rng(9)
    Y = rng.normal(size=(150, 3))
    Y *= (1 + 1e-9 * rng.permutation(150) / 150)[:, None] / np.linalg.norm(Y, axis=1)[:, None]
    return np.zeros((80, 3)), Y, own_of(80, 150)


def line():
    """Return whole numbers on a line, where thresholds are exactly distances."""
    rng = np.random.default_rng(8)
    return rng.integers(64, size=(150, 1)), rng.integers(64, size=(64, 1)), own_of(150, 64)


CASES = {
    **{f"related d={d}": continuous(*related(d)) for d in (1, 2, 3, 5, 8, 9, 12, 17, 24)},
    **{f"unrelated d={d}": continuous(*random_own(d)) for d in (1, 2, 3, 5, 8, 9, 24)},
    **{f"grid d={d}": whole(*grid(d)) for d in (1, 2, 3, 5, 8, 9, 12)},
    "wide": continuous(*related(1200, n=40)),
    "far offset": continuous(*far_offset()),
    "mixed scales": continuous(*mixed_scales()),
    "one outlier": continuous(*one_outlier()),
    "heavy tails": continuous(*heavy_tails()),
    "tiny": continuous(*tiny()),
    "shell": continuous(*shell()),
    "own copies": whole(*(np.round(1000 * part).astype(int) for part in copies()[:2]), copies()[2]),
    "many repeats": whole(*many_repeats()),
    "repeated avatars": whole(*repeated_avatars()),
    "exact thresholds": whole(*line(), slack=0),
    "all identical": whole(np.ones((50, 3)), np.ones((70, 3)), own_of(50, 70)),
    "identical avatars": whole(grid(2)[0], np.ones((70, 2)), own_of(200, 70)),
    "identical originals": whole(np.ones((50, 2)), grid(2)[1], own_of(50, 150)),
    "one avatar": whole(grid(3)[0], np.ones((1, 3)), np.zeros(200, dtype=int)),
    "one original": whole(grid(3)[0][:1], grid(3)[1], own_of(1, 150)),
    "one of each": whole(np.ones((1, 2)), np.zeros((1, 2)), np.zeros(1, dtype=int)),
    "everything within": continuous(*random_own(3), slack=1e9),
    "one own avatar for all": continuous(*random_own(2)[:2], np.full(120, 11)),
}


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_counts_are_exact(case, sizes):
    counts = case.count(**sizes)
    assert counts.dtype == np.int64
    np.testing.assert_array_equal(counts, case.counts)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_stopping_tells_zero_from_more(case, sizes):
    counts = case.count(stop_at_one=True, **sizes)
    np.testing.assert_array_equal(counts > 0, case.counts > 0)
    assert (counts >= 0).all()


@pytest.mark.parametrize("name", [name for name in CASES if name not in {"tiny", "wide"}])
def test_reference_path_counts_the_same(name):
    # "tiny" and "wide" are beyond what scikit-learn's tree is asked for: see the next test.
    case = CASES[name]
    counts = count_by_query_radius(case.X, case.Y, case.threshold)
    np.testing.assert_array_equal(counts, case.counts)


@pytest.mark.parametrize("name", ["related d=3", "grid d=3", "unrelated d=9", "repeated avatars"])
def test_split_originals_count_the_same(name):
    case = CASES[name]
    tree = pickle.loads(pickle.dumps(AvatarTree(case.Y, **SMALL)))
    parts = np.array_split(np.random.default_rng(0).permutation(len(case.X)), 7)
    for part in parts:
        counts = tree.count(case.X[part], case.own[part], case.threshold[part])
        np.testing.assert_array_equal(counts, case.counts[part])


def test_read_only_input_is_left_alone():
    case = CASES["related d=3"]
    arrays = [array.copy() for array in (case.X, case.Y, case.own, case.threshold)]
    for array in arrays:
        array.flags.writeable = False
    X, Y, own, threshold = arrays
    tree = AvatarTree(Y, **SMALL)
    np.testing.assert_array_equal(tree.count(X, own, threshold), case.counts)
    np.testing.assert_array_equal(count_by_query_radius(X, Y, threshold), case.counts)


def test_many_pairs_too_close_to_call_are_measured_on_the_way(monkeypatch):
    monkeypatch.setattr(_leaf_products, "_MAX_CLOSE", 3)
    monkeypatch.setattr(_leaf_products, "_PRODUCT_SIZE", 64)
    for name in ("grid d=3", "related d=5", "repeated avatars"):
        np.testing.assert_array_equal(CASES[name].count(**SMALL), CASES[name].counts)


def test_leaves_of_the_default_size_add_up_in_bytes():
    # 255 avatars of a leaf are within: one more and bytes would start again at 0.
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(255, 2)) * 1e-3
    X = np.array([[0.9, 0.0]])
    own = np.array([np.argmin(Y[:, 0])])
    tree = AvatarTree(Y, leaf_size=255)
    assert tree.count(X, own, np.array([2.0])).tolist() == [254]


# Each path is taken


def calls(monkeypatch, owner, name, worth=lambda result: True):
    """Return a list that grows whenever the method returns something worth noting."""
    original, seen = getattr(owner, name), []

    def spied(self, *args, **kwargs):
        result = original(self, *args, **kwargs)
        if worth(result):
            seen.append(result)
        return result

    monkeypatch.setattr(owner, name, spied)
    return seen


PATHS = {
    "goes down": (_Walk, "_descend", len),
    "box missed": (Stage, "test", lambda result: not result[0].all()),
    "box contained": (Stage, "test", lambda result: result[1] is not None and result[1].any()),
    "leaf product": (LeafCounter, "add", lambda _: True),
    "measured again": (LeafCounter, "_measure", lambda _: True),
}
TAKEN_BY = {
    "goes down": "related d=3",
    "box missed": "related d=3",
    "box contained": "unrelated d=2",
    "leaf product": "related d=3",
    "measured again": "grid d=3",
}


@pytest.mark.parametrize("path", TAKEN_BY)
def test_path_is_taken(monkeypatch, path):
    seen = calls(monkeypatch, *PATHS[path])
    CASES[TAKEN_BY[path]].count(**SMALL)
    assert seen


def test_columns_of_a_wide_table_are_the_most_varied():
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(50, 12)) * ([0.01] * 4 + [1.0] * 8)
    assert AvatarTree(Y).columns.tolist() == list(range(4, 12))


@pytest.mark.parametrize(("elements", "size"), [(2, 1), (50, 10), (1 << 18, 4096)])
def test_blocks_of_wide_tables_hold_fewer_originals(monkeypatch, elements, size):
    monkeypatch.setattr(_tree_counting, "_BLOCK_ELEMENTS", elements)
    assert AvatarTree(np.eye(30, 5)).block_size == size


@pytest.mark.parametrize(
    ("n_avatars", "fan_outs"),
    # Trees of 0, 4, 6 and 8 levels of halving, gone down about three at once.
    [(2, [1]), (32, [16]), (128, [8, 8]), (512, [8, 4, 8])],
)
def test_levels_are_gone_down_about_three_at_once(n_avatars, fan_outs):
    tree = AvatarTree(np.linspace(0, 1, n_avatars)[:, None], leaf_size=1)
    assert [stage.fan_out for stage in tree.stages] == fan_outs


def test_no_workers_build_a_tree_unless_asked(monkeypatch):
    told = []
    build = _tree_counting.node_levels

    def spied(Y, leaf_size, n_jobs):
        told.append(n_jobs)
        return build(Y, leaf_size, n_jobs)

    monkeypatch.setattr(_tree_counting, "node_levels", spied)
    AvatarTree(np.eye(3))
    AvatarTree(np.eye(3), n_jobs=2)
    assert told == [1, 2]


def test_close_pairs_of_own_leaves_are_settled_before_the_walk(monkeypatch):
    """They may be the avatars at which a search for any of them can stop."""
    order = []
    settle, descend = LeafCounter.settle, _Walk._descend
    monkeypatch.setattr(LeafCounter, "settle", lambda self: order.append("settle") or settle(self))
    monkeypatch.setattr(
        _Walk, "_descend", lambda self, *where: order.append("descend") or descend(self, *where)
    )
    Y = np.linspace(0, 1, 64)[:, None]
    AvatarTree(Y, leaf_size=4).count(Y, np.arange(64), np.full(64, 0.1))
    assert order[:2] == ["settle", "descend"]


def test_as_many_avatars_as_columns_of_the_boxes():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 20)), rng.normal(size=(_tree_counting._MAX_BOX_COLUMNS, 20))
    own = np.arange(30) % len(Y)
    distances = np.linalg.norm(X[:, None] - Y, axis=2)
    threshold = distances[np.arange(30), own] * (1 + 1e-9)
    counts = AvatarTree(Y, leaf_size=1).count(X, own, threshold)
    np.testing.assert_array_equal(counts, (distances <= threshold[:, None]).sum(axis=1) - 1)


@pytest.mark.parametrize("n_copies", [1, 3])
def test_own_avatars_of_one_leaf_stand_together(n_copies):
    Y = np.repeat(np.random.default_rng(0).permutation(40)[:, None] / 40.0, n_copies, axis=0)
    tree = AvatarTree(Y, leaf_size=2)
    own = np.arange(len(Y))
    np.testing.assert_array_equal(tree.Y[tree.leaf_positions(own)], Y)


def test_size_is_about_that_of_what_is_sent():
    tree = AvatarTree(np.random.default_rng(0).normal(size=(3000, 2)))
    assert 0.8 < tree.__sizeof__() / len(pickle.dumps(tree)) < 1.2


def test_stopping_does_less(monkeypatch):
    case = CASES["unrelated d=5"]
    seen = calls(monkeypatch, LeafCounter, "add")
    case.count(**SMALL)
    in_full = len(seen)
    case.count(**SMALL, stop_at_one=True)
    assert len(seen) - in_full < in_full / 2


def test_repeated_rows_are_counted_once(monkeypatch):
    seen = calls(monkeypatch, _Walk, "counts")
    CASES["many repeats"].count(**SMALL)
    assert len(seen[0]) <= 81
    assert len(AvatarTree(CASES["many repeats"].Y).Y) == 9


# Wrong ways of counting: mutants, each of which a named case must catch


def strictly_less(monkeypatch):
    def measure(self, originals, avatars):
        difference = self._X[:, originals] - self._Y[avatars].T
        is_within = (difference**2).sum(axis=0) < self._threshold[originals] ** 2
        np.add.at(self.counts, originals[is_within], 1)

    monkeypatch.setattr(LeafCounter, "_measure", measure)


def no_error_band(monkeypatch):
    right = _leaf_products.original_factors

    def factors(local, threshold):
        # As if the error were a billionth of what it is: all is certain.
        return right(local, threshold) * np.float32(1e9)

    monkeypatch.setattr(_tree_counting, "original_factors", factors)


def close_pairs_dropped(monkeypatch):
    monkeypatch.setattr(LeafCounter, "_measure", lambda self, originals, avatars: None)


def close_pairs_taken(monkeypatch):
    def measure(self, originals, avatars):
        np.add.at(self.counts, originals, 1)

    monkeypatch.setattr(LeafCounter, "_measure", measure)


def own_counts(monkeypatch):
    right = LeafCounter.add
    monkeypatch.setattr(
        LeafCounter,
        "add",
        lambda self, leaf, who, factors, own=None: right(self, leaf, who, factors),
    )


def own_leaf_counted_twice(monkeypatch):
    monkeypatch.setattr(_tree_counting, "_unset", lambda mask, edges: None)


def own_leaf_only(monkeypatch):
    monkeypatch.setattr(_Walk, "_descend", lambda self, depth, node, originals: [])


def boxes_too_small(monkeypatch):
    right = Stage._set_boxes

    def set_boxes(self, low, high):
        right(self, low, high)
        self._half = self._half * np.float32(1 - 2e-6)
        self._slack = 0.0

    monkeypatch.setattr(Stage, "_set_boxes", set_boxes)


def balls_too_small(monkeypatch):
    right = Stage._set_boxes

    def set_boxes(self, low, high):
        right(self, low, high)
        self._slack = -self._slack

    monkeypatch.setattr(Stage, "_set_boxes", set_boxes)


def contained_by_nearest_corner(monkeypatch):
    from skprivacy.metrics import _tree_stages

    monkeypatch.setattr(_tree_stages, "_farthest_square", _tree_stages._nearest_square)


def contained_in_some_columns(monkeypatch):
    right = Stage._set_boxes

    def set_boxes(self, low, high):
        right(self, low, high)
        self._covers_all_columns = True

    monkeypatch.setattr(Stage, "_set_boxes", set_boxes)


def repeats_forgotten(monkeypatch):
    right = AvatarTree.__init__

    def init(self, *args, **kwargs):
        right(self, *args, **kwargs)
        self.weight = None

    monkeypatch.setattr(AvatarTree, "__init__", init)


def contained_repeats_forgotten(monkeypatch):
    monkeypatch.setattr(_Walk, "_sizes", lambda self, edges: np.diff(edges).astype(float))


KILLED_BY = {
    strictly_less: "exact thresholds",
    no_error_band: "shell",
    close_pairs_dropped: "grid d=5",
    close_pairs_taken: "shell",
    own_counts: "related d=3",
    own_leaf_counted_twice: "unrelated d=3",
    own_leaf_only: "related d=3",
    boxes_too_small: "grid d=2",
    balls_too_small: "grid d=2",
    contained_by_nearest_corner: "unrelated d=2",
    contained_in_some_columns: "unrelated d=9",
    repeats_forgotten: "repeated avatars",
    contained_repeats_forgotten: "repeated avatars",
}


@pytest.mark.parametrize("mutant", KILLED_BY, ids=lambda mutant: mutant.__name__)
def test_a_wrong_way_of_counting_is_caught(monkeypatch, mutant):
    case = CASES[KILLED_BY[mutant]]
    mutant(monkeypatch)
    assert (case.count(**SMALL) != case.counts).any()


@pytest.mark.parametrize("mutant", [own_counts, own_leaf_only])
def test_a_wrong_way_of_stopping_is_caught(monkeypatch, mutant):
    case = CASES[KILLED_BY[mutant]]
    mutant(monkeypatch)
    assert ((case.count(**SMALL, stop_at_one=True) > 0) != (case.counts > 0)).any()
