"""Row matching against two oracles that hash nothing, over tens of thousands of mixed rows.

Run the long one with:

    pytest -m nightly tests/test_row_differential.py
"""

from __future__ import annotations

import warnings

import _mixed_columns
import numpy as np
import pytest
from _mixed_columns import SPELLINGS, DrawnColumn
from _rows_oracle import kind_and_value, kinds_clash, match, rows_of

from skprivacy.metrics._row_matching import group_rows, match_rows

N_QUICK, N_NIGHTLY = 4_000, 100_000


def draw_cells(rng, name, size):
    """Draw from a few of a kind's cells, so that rows meet."""
    cells = _mixed_columns.pool(name)
    few = rng.permutation(len(cells))[: rng.integers(1, 6)]
    return [cells[j] for j in rng.choice(few, size=size)]


def draw_pair(rng, n, m):
    """Draw the containers and columns of originals and avatars; most columns share a kind."""
    containers = rng.choice(_mixed_columns.CONTAINERS, size=2)
    sides = [], []
    for _ in range(int(rng.integers(1, 6))):
        names = [str(rng.choice(_mixed_columns.choices(container))) for container in containers]
        if names[0] in _mixed_columns.choices(containers[1]) and rng.random() < 0.7:
            names[1] = names[0]
        for side, name, size in zip(sides, names, (n, m), strict=True):
            side.append(DrawnColumn(draw_cells(rng, name, size), SPELLINGS.get(name)))
    return containers, sides


def copy_rows(rng, sides):
    """Put some rows of the originals among the avatars where both columns hold the same kind."""
    n, m = (len(side[0].cells) for side in sides)
    targets, sources = rng.integers(m, size=m // 3), rng.integers(n, size=m // 3)
    for original, avatar in zip(*sides, strict=True):
        if original.spelling is avatar.spelling or avatar.spelling is None:
            for target, source in zip(targets, sources, strict=True):
                avatar.cells[target] = original.cells[source]


def spelled_out(rows):
    """Return a text for each row, equal exactly where kinds and values are."""
    return np.array([repr(row) for row in rows], dtype=object)


def matches_by_sorting(rows, avatars):
    """Return what match_rows should, from texts that are sorted and never hashed."""
    texts = np.concatenate([spelled_out(rows), spelled_out(avatars)])
    order = np.argsort(texts, kind="stable")
    is_new = np.append(True, texts[order][1:] != texts[order][:-1])
    groups = np.empty(len(texts), dtype=int)
    groups[order] = np.cumsum(is_new)
    here, there = groups[: len(rows)], groups[len(rows) :]
    in_originals = np.bincount(here, minlength=groups.max() + 1)
    in_avatars = np.bincount(there, minlength=groups.max() + 1)
    is_unique = in_originals[here] == 1
    return (is_unique, is_unique & (in_avatars[here] > 0), in_originals[there] == 1), groups


def n_wrong(containers, sides, oracle):
    """Return how many rows of both tables are answered wrongly, 0 for a clash refused."""
    X, X_avatars = map(_mixed_columns.build, containers, sides)
    columns, avatar_columns = ([column.cells for column in side] for side in sides)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Some cells of column")
        if kinds_clash(columns, avatar_columns):
            with pytest.raises(ValueError, match=r"column .*position .*Convert one of them"):
                match_rows(X, X_avatars)
            return 0
        found = match_rows(X, X_avatars)
    rows, avatars = rows_of(columns), rows_of(avatar_columns)
    sorted_out, groups = matches_by_sorting(rows, avatars)
    expected = match(columns, avatar_columns) if oracle == "pairs" else sorted_out
    wrong = [
        np.asarray(answer) != np.asarray(truth)
        for answer, truth in zip(
            (found.is_unique, found.is_hit, found.reproduces), expected, strict=True
        )
    ]
    codes = np.concatenate(group_rows(X, X_avatars))
    # Codes and groups name the same classes where each goes with one of the other only.
    n_classes = len(set(zip(codes.tolist(), groups.tolist(), strict=True)))
    assert n_classes == len(set(codes.tolist())) == len(set(groups.tolist()))
    return int((wrong[0] | wrong[1]).sum() + wrong[2].sum())


@pytest.mark.parametrize(
    "n_rows", [N_QUICK, pytest.param(N_NIGHTLY, marks=pytest.mark.nightly)], ids="{:,} rows".format
)
def test_mixed_rows_match_as_comparing_each_pair_says(n_rows):
    rng = np.random.default_rng(20)
    done = wrong = n_hits = 0
    while done < n_rows:
        n, m = (int(size) for size in rng.integers(1, 40, size=2))
        containers, sides = draw_pair(rng, n, m)
        copy_rows(rng, sides)
        clash = kinds_clash(*([column.cells for column in side] for side in sides))
        wrong += n_wrong(containers, sides, "pairs")
        # A refused pair of tables compares no row.
        done += 0 if clash else n + m
        n_hits += 0 if clash else sum(match(*([c.cells for c in side] for side in sides))[1])
    assert wrong == 0
    assert n_hits > done / 100


@pytest.mark.parametrize(
    "n_rows", [N_QUICK, pytest.param(N_NIGHTLY, marks=pytest.mark.nightly)], ids="{:,} rows".format
)
@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_long_mixed_tables_match_as_sorting_says(container, n_rows):
    rng = np.random.default_rng(21)
    names = ["numbers", "text", "labels", "Float64", "UInt64", "aware UTC", "boolean", "moments"]
    sides = [
        [
            DrawnColumn([pool[j] for j in rng.integers(len(pool), size=size)], SPELLINGS.get(name))
            for name, pool in ((name, _mixed_columns.pool(name)) for name in names)
        ]
        for size in (n_rows // 2, n_rows - n_rows // 2)
    ]
    copy_rows(rng, sides)
    assert n_wrong([container, container], sides, "sorting") == 0


def test_the_two_oracles_agree():
    rng = np.random.default_rng(22)
    for _ in range(60):
        _, sides = draw_pair(rng, *rng.integers(1, 25, size=2))
        copy_rows(rng, sides)
        columns = [[column.cells for column in side] for side in sides]
        by_sorting, _ = matches_by_sorting(*map(rows_of, columns))
        for truth, other in zip(match(*columns), by_sorting, strict=True):
            assert list(truth) == other.tolist()


@pytest.mark.parametrize(
    ("container", "name"),
    [(c, name) for c in _mixed_columns.CONTAINERS for name in _mixed_columns.choices(c)],
)
def test_each_kind_in_each_container_meets_itself_as_objects(container, name):
    """Every cell of a kind, typed, finds its equals among the same cells as bare objects."""
    cells = _mixed_columns.pool(name)
    column = DrawnColumn(list(cells), SPELLINGS.get(name))
    for other in ("rows", "array"):
        assert (
            n_wrong([container, other], ([column], [column._replace(spelling=None)]), "pairs") == 0
        )
        assert (
            n_wrong([other, container], ([column._replace(spelling=None)], [column]), "pairs") == 0
        )


def test_a_wrong_answer_is_counted(monkeypatch):
    column = DrawnColumn([1, 2, 2], None)
    assert n_wrong(["rows", "rows"], ([column], [column]), "pairs") == 0
    clash = kind_and_value(True)[0], kind_and_value(1)[0]
    assert clash == ("bool", "number")
    monkeypatch.setitem(globals(), "match_rows", lambda X, _: match_rows_of_nothing(len(X)))
    assert n_wrong(["rows", "rows"], ([column], [column]), "pairs") == 2


def match_rows_of_nothing(n):
    """Claim that no row is unique, hit or reproduced."""
    from skprivacy.metrics._row_matching import RowMatches

    return RowMatches(*np.zeros((3, n), dtype=bool))
