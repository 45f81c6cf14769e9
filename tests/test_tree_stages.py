"""What balls meet and contain: never wrong, and in doubt only by the margin of the proof."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from skprivacy.metrics._kd_tree import NodeLevels, node_levels
from skprivacy.metrics._tree_stages import Stage, _farthest_square, _nearest_square

U32 = 2.0**-24
COLUMNS = {"one": [0], "all": [0, 1, 2], "some": [0, 2]}


def whole_table(n, d, reach=2000, seed=0):
    """Return whole numbers, small enough to be exact in every step but float32."""
    return np.random.default_rng(seed).integers(-reach, reach + 1, size=(n, d)).astype(float)


class Walked:
    """A stage, its tree, and the avatars in the order of the leaves."""

    def __init__(self, Y, columns, upper, lower, leaf_size=4):
        self.columns = np.asarray(columns)
        self.tree = node_levels(np.ascontiguousarray(Y[:, self.columns]), leaf_size, 1)
        self.lower = self.tree.depth if lower is None else lower
        self.Y = Y[self.tree.order]
        self.stage = Stage(self.tree, self.Y, self.columns, upper, self.lower)
        self.n_nodes = 1 << upper

    def boxes(self, node):
        """Return lowest and highest values of a node's boxes, (n_boxes, n_columns)."""
        boxes = self.stage.boxes(node)
        return [extreme[:, boxes].T for extreme in self.tree.boxes(self.lower)]

    def avatars(self, node):
        return self.Y[self.stage.avatars(node)]


def two_points(d):
    """Return a stage whose boxes, in local coordinates, are the points 0 and (0.5, 0, ...)."""
    Y = np.zeros((2, d))
    Y[:, 0] = -0.5, 0.5
    low, high = np.vstack([Y[:1], Y]), np.vstack([Y[1:], Y])
    tree = NodeLevels(np.arange(2), np.arange(3), low, high)
    return Stage(tree, Y, np.arange(d), 0, 1)


@pytest.mark.parametrize(("upper", "lower"), [(0, 2), (1, 4), (2, None), (0, None)])
@pytest.mark.parametrize("columns", COLUMNS)
def test_nodes_and_their_boxes_are_those_of_the_tree(columns, upper, lower):
    walked = Walked(whole_table(100, 3), COLUMNS[columns], upper, lower)
    stage, tree = walked.stage, walked.tree
    assert stage.n_nodes == walked.n_nodes
    assert stage.is_last == (walked.lower == tree.depth)
    assert stage.fan_out == 2 ** (walked.lower - upper)
    edges = [stage.edges(node) for node in range(stage.n_nodes)]
    assert {len(one) for one in edges} == {stage.fan_out + 1}
    starts = tree.level_start(walked.lower)
    assert_array_equal(np.concatenate([one[:-1] for one in edges]), starts[:-1])
    assert_array_equal(np.concatenate([one[1:] for one in edges]), starts[1:])
    for node, one in enumerate(edges):
        assert stage.avatars(node) == slice(one[0], one[-1])


@pytest.mark.parametrize(("upper", "lower"), [(0, 2), (1, 4), (2, None)])
@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("size", [1.0, 1e-100, 1e100])
def test_local_coordinates_start_at_an_avatar_and_end_within_1(columns, upper, lower, size):
    # 2000 in one column against 1 in the others: which columns count, shows.
    Y = whole_table(100, 3) * [1, 2000, 1] * size
    walked = Walked(Y, COLUMNS[columns], upper, lower)
    for node in range(walked.n_nodes):
        avatars = walked.avatars(node)
        if not walked.stage.is_last:
            avatars = avatars[:, walked.columns]
        low, high = (extreme.T for extreme in walked.boxes(node))
        points = np.hstack([low, high]) if avatars.shape[1] == len(low) else avatars.T
        local, _ = walked.stage.local(node, points, np.ones(1))
        own, _ = walked.stage.local(node, np.ascontiguousarray(avatars.T), np.ones(1))
        assert (own == 0).all(axis=0).any()
        assert 0.25 < max(np.linalg.norm(local, axis=0).max(), np.abs(local).max()) <= 1
        assert np.linalg.norm(own, axis=0).max() <= 1


@pytest.mark.parametrize("columns", COLUMNS)
def test_avatars_of_the_last_stage_are_local_in_all_columns(columns):
    walked = Walked(whole_table(100, 3), COLUMNS[columns], 1, None)
    for node in range(2):
        expected, _ = walked.stage.local(node, walked.avatars(node).T.copy(), np.ones(1))
        assert_array_equal(walked.stage.local_avatars(walked.Y, node), expected.T)
        norm = np.linalg.norm(expected, axis=0).max()
        # A box of one column ends at an avatar; the corners of others lie farther out.
        assert norm >= 0.5 or columns != "one"
        assert norm < 1


@pytest.mark.parametrize("node", [0, 1])
def test_differences_and_thresholds_are_scaled_alike(node):
    walked = Walked(whole_table(100, 3), [0, 1, 2], 1, 3)
    X = whole_table(20, 3, seed=1)
    local, t = walked.stage.local(node, np.ascontiguousarray(X.T), np.arange(20.0))
    scale = t[1]
    assert np.frexp(scale)[0] == 0.5
    assert_array_equal(t, np.arange(20.0) * scale)
    assert_array_equal(local - local[:, :1], (X - X[0]).T * scale)


@pytest.mark.parametrize("reach", [5, 2000])
@pytest.mark.parametrize(("upper", "lower"), [(0, 2), (1, 4), (0, None), (2, None)])
@pytest.mark.parametrize("columns", COLUMNS)
def test_what_is_missed_or_contained_is_so_in_fractions(columns, upper, lower, reach):
    walked = Walked(whole_table(60, 3, reach), COLUMNS[columns], upper, lower)
    rng = np.random.default_rng(1)
    X = whole_table(40, 3, 2 * reach, seed=2).T
    threshold = np.concatenate([rng.integers(1, 3 * reach, size=20), rng.uniform(0, reach, 20)])
    chosen = X if walked.stage.is_last else X[walked.columns]
    n_missed = n_contained = 0
    for node in range(walked.n_nodes):
        meets, contains = walked.stage.test(node, *walked.stage.local(node, chosen, threshold))
        nearest, farthest = exact_distances(X[walked.columns], *walked.boxes(node))
        # A thousandth is far more than the doubt, and far less than most differences.
        limit = np.array([Fraction(t) ** 2 for t in threshold])
        assert meets[nearest <= limit].all()
        assert not meets[nearest > limit * Fraction(1001, 1000) + reach * reach / 1000].any()
        n_missed += np.count_nonzero(~meets)
        if columns != "all":
            assert contains is None
            continue
        contains = np.zeros_like(meets) if contains is None else contains
        assert (farthest <= limit)[contains].all()
        assert contains[farthest * Fraction(1001, 1000) + reach * reach / 1000 < limit].all()
        n_contained += np.count_nonzero(contains)
    assert n_missed > 0
    assert n_contained > 0 or columns != "all"


def exact_distances(X, low, high):
    """Return squared distances to the nearest points and farthest corners, (n_boxes, n)."""
    fractions = np.vectorize(Fraction, otypes=[object])
    x, low, high = fractions(X.T), fractions(low)[:, None], fractions(high)[:, None]
    below, above = low - x, x - high
    nearest = np.maximum(np.maximum(below, above), 0)
    farthest = np.maximum(high - x, x - low)
    return (nearest**2).sum(axis=2), (farthest**2).sum(axis=2)


@pytest.mark.parametrize("d", [1, 3, 8])
@pytest.mark.parametrize("x", [0.0, 8.0])
def test_the_doubt_is_as_wide_as_the_proof_needs(d, x):
    # The box is the point 0.5: nearest and farthest at once.
    distance = abs(x - 0.5)
    doubt = 4 * (d + 4) * U32 * (abs(x) + 2 + distance)
    t = distance + doubt * np.array([-1.1, -0.9, 0.9, 1.1])
    points = np.zeros((d, 4))
    points[0] = x
    meets, contains = two_points(d).test(0, points, t)
    assert meets[1].tolist() == [False, True, True, True]
    assert contains[1].tolist() == [False, False, False, True]


def test_boxes_never_shrink_in_single_precision():
    walked = Walked(whole_table(400, 3, 10**6) / 3, [0, 1, 2], 0, None)
    low, high = (extreme.T for extreme in walked.boxes(0))
    (low, _), (high, _) = (walked.stage.local(0, part, np.ones(1)) for part in (low, high))
    half = walked.stage._half[:, :, 0].astype(float)
    assert (half >= (high - low) / 2).all()
    assert (half <= (high - low) / 2 * (1 + 8 * U32)).all()


def test_what_lies_too_far_for_squares_in_float32_is_decided_right():
    x = np.zeros((2, 8))
    x[0] = 1e17, 1e19, -1e19, 1e100, 1e19, -1e19, 1e100, 1e300
    t = np.array([1.0, 1.0, 1.0, 1.0, 2e19, 2e19, 1e100, 1e300])
    meets, contains = two_points(2).test(0, x, t)
    assert not meets[1, :3].any()
    assert meets[1, 4:].all()
    # Though balls of 2 10^19 contain the boxes, that is beyond float32.
    assert not contains.any()


def test_huge_balls_around_the_boxes_contain_them():
    x = np.zeros((2, 3))
    meets, contains = two_points(2).test(0, x, np.array([1e17, 1e19, 1e300]))
    assert meets.all()
    assert contains.all()


def test_small_balls_contain_nothing_and_cost_nothing():
    walked = Walked(whole_table(60, 2, 5), [0, 1], 0, 1)
    x, t = walked.stage.local(0, whole_table(9, 2, 5, seed=1).T, np.full(9, 0.01))
    assert walked.stage.test(0, x, t)[1] is None


def point_and_interval():
    """Return a stage whose boxes, in local coordinates, are the point 0 and [0.25, 0.5]."""
    Y = np.array([[-0.5], [0.0], [0.5]])
    low, high = np.array([[-0.5], [-0.5], [0.0]]), np.array([[0.5], [-0.5], [0.5]])
    return Stage(NodeLevels(np.arange(3), np.array([0, 1, 3]), low, high), Y, np.arange(1), 0, 1)


def test_a_ball_smaller_than_one_box_may_contain_another():
    _, contains = point_and_interval().test(0, np.zeros((1, 1)), np.array([0.05]))
    assert contains[:, 0].tolist() == [True, False]


def test_a_ball_must_be_wider_than_half_a_box_to_be_tried():
    # The boxes reach 0.25 and 0.5 to either side of their middle.
    Y = np.array([[-1.0], [-0.5], [0.0], [1.0]])
    low, high = np.array([[-1.0], [-1.0], [0.0]]), np.array([[1.0], [-0.5], [1.0]])
    tree = NodeLevels(np.arange(4), np.array([0, 2, 4]), low, high)
    stage = Stage(tree, Y, np.arange(1), 0, 1)
    scale = stage.local(0, np.zeros((1, 1)), np.ones(1))[1][0]
    for t, is_tried in ((0.24, False), (0.26, True)):
        contains = stage.test(0, np.zeros((1, 1)), np.array([t * scale]))[1]
        assert (contains is not None) == is_tried


def test_avatars_that_are_all_alike_have_a_scale():
    walked = Walked(np.full((10, 2), 0.75), [0, 1], 0, None)
    x, t = walked.stage.local(0, np.full((2, 2), 0.75), np.array([2.0**-440, 1.0]))
    assert np.isfinite(t).all()
    meets, contains = walked.stage.test(0, x, t)
    assert meets.all()
    assert contains.all()


def test_arguments_are_left_alone():
    walked = Walked(whole_table(60, 3), [0, 1, 2], 0, None)
    X, threshold = np.ascontiguousarray(whole_table(9, 3, seed=1).T), np.full(9, 500.0)
    kept = X.copy()
    x, t = walked.stage.local(0, X, threshold)
    local = x.copy(), t.copy()
    walked.stage.test(0, x, t)
    assert_array_equal(X, kept)
    assert_array_equal(threshold, 500)
    assert_array_equal(x, local[0])
    assert_array_equal(t, local[1])


@pytest.mark.parametrize("square", [_nearest_square, _farthest_square])
def test_boxes_are_tested_in_single_precision(square):
    x, box = np.ones((3, 5), dtype=np.float32), np.ones((3, 2, 1), dtype=np.float32)
    found = square(x, box, box)
    assert (found.shape, found.dtype) == ((2, 5), np.float32)
