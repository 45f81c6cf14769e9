"""Random originals, avatars and pairings of every kind that has broken a count."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Table(NamedTuple):
    """Originals, avatars and pairing; whole holds both tables in whole units, if they have one."""

    X: np.ndarray
    Y: np.ndarray
    own: np.ndarray
    whole: tuple[np.ndarray, np.ndarray] | None = None


def random_table(kind, rng, n=None, m=None, d=None):
    """Draw a table of one kind, of random shape and pairing unless told otherwise."""
    n = int(rng.integers(1, 80)) if n is None else n
    m = (n if rng.random() < 0.4 else int(rng.integers(1, 80))) if m is None else m
    d = int(rng.integers(1, 25)) if d is None else d
    own = _random_pairing(rng, n, m)
    return KINDS[kind](rng, n, m, d, own)


def _random_pairing(rng, n, m):
    """Draw a permutation, row by row, or several originals to one avatar."""
    choice = rng.integers(3)
    if n == m and choice < 2:
        return np.arange(n) if choice else rng.permutation(n)
    return rng.integers(m, size=n)


def _near_own(rng, whole_x, m, own, step):
    """Draw whole avatars near the originals that own them, so that counts are small too."""
    owner = rng.integers(len(whole_x), size=m)
    owner[own] = np.arange(len(own))
    return whole_x[owner] + rng.integers(-step, step + 1, size=(m, whole_x.shape[1]))


def _typed(whole, unit):
    """Return the float64 nearest to each typed decimal: one division, rounded once."""
    return whole.astype(float) / unit


def _grid(rng, n, m, d, own, *, unit, reach, offset=0):
    reach = int(rng.choice(reach))
    X = rng.integers(-reach, reach + 1, size=(n, d))
    if rng.random() < 0.5:
        Y = rng.integers(-reach, reach + 1, size=(m, d))
    else:
        Y = _near_own(rng, X, m, own, max(1, reach // 3))
    X, Y = X + offset * unit, Y + offset * unit
    return Table(_typed(X, unit), _typed(Y, unit), own, (X, Y))


def _integer(rng, n, m, d, own):
    table = _grid(rng, n, m, d, own, unit=1, reach=(1, 3, 20, 1000))
    dtype = rng.choice([np.int64, np.int16, np.float64])
    return table._replace(X=table.X.astype(dtype), Y=table.Y.astype(dtype))


def _unsigned(rng, n, m, d, own):
    X, Y = rng.integers(256, size=(n, d)), rng.integers(256, size=(m, d))
    return Table(X.astype(np.uint8), Y.astype(np.uint8), own, (X, Y))


def _tenths(rng, n, m, d, own):
    return _grid(rng, n, m, d, own, unit=10, reach=(2, 5, 9))


def _one_decimal(rng, n, m, d, own):
    return _grid(rng, n, m, d, own, unit=10, reach=(100, 1500))


def _two_decimals(rng, n, m, d, own):
    return _grid(rng, n, m, d, own, unit=100, reach=(30, 1000, 20_000))


def _duplicated(rng, n, m, d, own):
    pool = rng.integers(-9, 10, size=(5, d))
    X, Y = pool[rng.integers(5, size=n)], pool[rng.integers(5, size=m)]
    return Table(_typed(X, 10), _typed(Y, 10), own, (X, Y))


def _offset(rng, n, m, d, own):
    offset = int(rng.choice([10**3, 10**5, 10**6, 10**7])) * int(rng.choice([-1, 1]))
    return _grid(rng, n, m, d, own, unit=10, reach=(5, 30), offset=offset)


def _mixed_scale(rng, n, m, d, own):
    column_unit = 10 ** rng.integers(0, 6, size=d)
    X = rng.integers(-20, 21, size=(n, d)) * column_unit
    Y = rng.integers(-20, 21, size=(m, d)) * column_unit
    return Table(_typed(X, 1000), _typed(Y, 1000), own, (X, Y))


def _continuous(rng, n, m, d, own):
    X = rng.normal(size=(n, d))
    Y = rng.normal(size=(m, d))
    Y[own] = X + rng.choice([0.01, 0.3, 1]) * rng.normal(size=(n, d))
    return Table(X, Y, own)


def _float32(rng, n, m, d, own):
    if rng.random() < 0.5:
        table = _tenths(rng, n, m, d, own)
    else:
        table = _continuous(rng, n, m, d, own)
    return Table(table.X.astype(np.float32), table.Y.astype(np.float32), own)


def _near_tie(rng, n, m, d, own):
    """Put the avatars just inside and just outside the tolerance of one original."""
    X = rng.normal(size=(n, d)) * rng.choice([0.1, 1, 10])
    Y = np.empty((m, d))
    i = int(rng.integers(n))
    spread = np.linalg.norm(X[i] - np.median(X, axis=0))
    distance = rng.uniform(0.5, 2)
    steps = rng.choice([-100, -3, 0, 0.5, 0.8, 1.25, 2, 100], size=m)
    steps[own[i]] = 0
    direction = rng.normal(size=(m, d))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    radius = distance + steps * 1e-12 * (spread + distance)
    Y[:] = X[i] + radius[:, None] * direction
    return Table(X, Y, own)


def _many_scales(rng, n, m, d, own):
    """Put clusters of very different sizes into one table."""
    size = 2.0 ** rng.choice([-150, -60, -30, -10, 0, 3])
    X = rng.integers(-5, 6, size=(n, d)) * size
    Y = rng.integers(-5, 6, size=(m, d)) * size
    X[rng.random(n) < 0.2] += rng.choice([1.0, 1000.0])
    Y[rng.random(m) < 0.2] += rng.choice([1.0, 1000.0])
    return Table(X, Y, own)


KINDS = {
    "integer": _integer,
    "unsigned": _unsigned,
    "tenths": _tenths,
    "one decimal": _one_decimal,
    "two decimals": _two_decimals,
    "duplicated": _duplicated,
    "offset": _offset,
    "mixed scale": _mixed_scale,
    "continuous": _continuous,
    "float32": _float32,
    "near tie": _near_tie,
    "many scales": _many_scales,
}
