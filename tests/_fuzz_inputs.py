"""Inputs that nobody would write on purpose: frames, pairings and CSV files, as strategies."""

from __future__ import annotations

import datetime as dt
import warnings

import _mixed_columns
import numpy as np
import pandas as pd
import polars as pl
from _mixed_columns import SPELLINGS, DrawnColumn
from hypothesis import strategies as st

# Stands in cells of every kind of table; no message may hold it.
CANARY = "canary7731"

ODD_NAMES = [
    "a", "b", "age (years)", "x\ny", '"', "'", "`", "{0}", "%s", "", " ", "nan", "None", "0",
    "\u00e9", "e\u0301", "a" * 300, "<b>", "@x", "^x$", "*", "__index__", "X", "\u202e",
]  # fmt: skip

_MOMENTS = st.datetimes(timezones=st.none() | st.sampled_from([dt.UTC, _mixed_columns.TOKYO]))
_UNITS = st.sampled_from(["W", "D", "h", "s", "ms", "us", "ns"])
# Any cell that the row oracle knows, and some that have no equality.
ANY_CELL = st.one_of(
    st.sampled_from([cell for cells in _mixed_columns.OBJECTS.values() for cell in cells]),
    st.integers(),
    st.integers(2**53 - 2, 2**53 + 2) | st.integers(2**63 - 2, 2**64 + 1),
    st.floats() | st.floats(width=32).map(np.float32) | st.floats(width=16).map(np.float16),
    st.decimals() | st.fractions(),
    st.booleans(),
    st.text(max_size=3) | st.binary(max_size=2),
    _MOMENTS,
    st.dates() | st.timedeltas() | st.times(),
    st.builds(np.datetime64, st.integers(-(10**6), 10**6), _UNITS),
    st.builds(np.timedelta64, st.integers(-(10**6), 10**6), _UNITS),
)
NO_CELL = st.sampled_from(
    [[1], {"k": CANARY}, {1}, (1, CANARY), 1j, object(), pd.Interval(0, 1), np.timedelta64(1, "M"),
     np.array([1]), bytearray(b"x"), int, len]
)  # fmt: skip


@st.composite
def row_pairs(draw):
    """Draw the containers and columns of two tables."""
    containers = [draw(st.sampled_from(_mixed_columns.CONTAINERS)) for _ in range(2)]
    sizes = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    sides = [], []
    for _ in range(draw(st.integers(1, 3))):
        for side, container, size in zip(sides, containers, sizes, strict=True):
            side.append(draw(_columns(container, size)))
    return containers, sides


@st.composite
def _columns(draw, container, size):
    """Draw a typed column, or objects where the container has room for them."""
    if container != "arrow" and draw(st.booleans()):
        pool = draw(st.lists(ANY_CELL, min_size=1, max_size=3))
        spelling = None
    else:
        name = draw(st.sampled_from(_mixed_columns.choices(container)))
        pool, spelling = _mixed_columns.pool(name), SPELLINGS.get(name)
    cells = draw(st.lists(st.sampled_from(pool), min_size=size, max_size=size))
    return DrawnColumn(cells, spelling)


_POSITIONS = st.integers(-3, 9)
_NUMPY_DTYPES = ["i1", "u1", "i8", "u8", "f4", "f8", "bool", "U3", "M8[s]", "O", ">i4", "c8"]


@st.composite
def own_avatars(draw, n):
    """Draw what might be passed for the positions of n avatars, often the right thing."""
    size = n if draw(st.integers(0, 3)) else draw(st.integers(0, 9))
    kind = draw(st.sampled_from(["right", "numbers", "objects", "anything"]))
    if kind == "anything":
        return draw(ANY_CELL | NO_CELL | st.none() | st.sets(_POSITIONS) | st.just(range(n)))
    cells = st.integers(0, 5) if kind == "right" else _POSITIONS
    if kind == "objects":
        cells = _POSITIONS | ANY_CELL | NO_CELL
    values = draw(st.lists(cells, min_size=size, max_size=size))
    return draw(st.sampled_from(_spellings(values)))


def _spellings(values):
    """Return lists, arrays, series and columns of the values, as far as they can be made."""
    made = []
    makers = [
        list, tuple, pd.Series, pd.Index, lambda v: pd.array(v, dtype="Int64"),
        lambda v: np.array(v)[:, None], lambda v: np.array(v)[None], lambda v: np.array([v, v]),
        lambda v: pd.DataFrame({"own": v}), lambda v: np.ma.masked_array(v, mask=True),
        *(lambda v, dtype=dtype: np.array(v, dtype=dtype) for dtype in _NUMPY_DTYPES),
        # polars panics where numbers are mixed with anything else.
        *([pl.Series] if {*map(type, values)} == {int} else []),
    ]  # fmt: skip
    for make in makers:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                made.append(make(values))
        except (TypeError, ValueError, ArithmeticError, NotImplementedError, Warning):
            continue
    return made


@st.composite
def frames(draw, *, min_rows=0):
    """Draw a frame of random dtypes, names and index, and its columns; many are all numbers."""
    library = draw(st.sampled_from(["pandas", "polars"]))
    size, width = draw(st.integers(min_rows, 9)), draw(st.integers(0, 4))
    kinds = _mixed_columns.choices(library)
    if draw(st.integers(0, 2)) == 0:
        kinds = [name for name in kinds if "nt" in name or "loat" in name]
    columns = []
    for _ in range(max(width, 1)):
        name = draw(st.sampled_from(kinds))
        pool, spelling = _mixed_columns.pool(name), SPELLINGS.get(name)
        if library == "pandas" and not draw(st.integers(0, 5)):
            pool, spelling = draw(st.lists(ANY_CELL, min_size=1, max_size=3)), None
        cells = draw(st.lists(st.sampled_from(pool), min_size=size, max_size=size))
        columns.append(DrawnColumn(cells, spelling))
    names = draw(st.permutations(ODD_NAMES))[: len(columns)]
    frame = _mixed_columns.build(library, columns, names)
    return (frame if library == "polars" else _oddly_labelled(draw, frame)), columns


def _oddly_labelled(draw, frame):
    """Give a pandas frame the labels that files and pivots leave behind."""
    width = frame.shape[1]
    labels = {
        "as they are": frame.columns,
        "numbers": range(width),
        "mixed": [0, *frame.columns[1:]],
        "levels": pd.MultiIndex.from_product([["u"], range(width)]),
        "repeated": ["a"] * width,
        "missing": [None, *frame.columns[1:]],
        "moments": pd.date_range("2020", periods=width),
        "categories": pd.CategoricalIndex([f"c{j}" for j in range(width)]),
    }
    frame.columns = labels[draw(st.sampled_from(sorted(labels)))]
    frame.index = draw(st.sampled_from([range(len(frame)), [7] * len(frame)]))
    return frame


_NUMBER_CELLS = st.one_of(
    st.integers(-3, 12).map(str),
    st.sampled_from(
        ["1.0", "1.", ".5", "0.50", "-0", "-0.0", "1e2", "1E-3", "100", "1e400", "007", "+1", " 1 ",
         "9007199254740993", "9007199254740992", "1" * 38, "1" * 39, "1" * 60, "0.1",
         "0.10000000000000001", "1e5000", "-1.50", "1_000", "\u0661", "\uff11", "0x10", "\u00a01"]
    ),
    st.decimals(allow_nan=False, allow_infinity=False, places=2).map(str),
)  # fmt: skip
_WORD_CELLS = st.one_of(
    st.sampled_from(
        ["a", "A", "a ", "b", "true", "FALSE", "True", "NA", "nan", "null", "inf", "-inf", "1,5",
         "1 000", "1,000.5", "12%", "3 kg", "2020-01-31", "31/01/2020", "x\ny", 'q"q', "\u00e9",
         "e\u0301", "'1", "=1+1", CANARY, "\ufeffa", "a\u00a0", "\u2212" + "1", "-"]
    ),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=3),
)  # fmt: skip
_BLANK_CELLS = st.sampled_from(["", " ", "\t", "\u00a0", "\u3000"])


@st.composite
def csv_pairs(draw):
    """Draw the cells of two files of the same columns, column by column."""
    sizes = [draw(st.integers(1, 5))] * 2
    columns = []
    for _ in range(draw(st.integers(1, 3))):
        kinds = draw(
            st.lists(
                st.sampled_from([_NUMBER_CELLS, _WORD_CELLS, _BLANK_CELLS]), min_size=1, max_size=2
            )
        )
        pool = draw(st.lists(st.one_of(kinds), min_size=1, max_size=4))
        columns.append(
            [draw(st.lists(st.sampled_from(pool), min_size=size, max_size=size)) for size in sizes]
        )
    return columns


@st.composite
def csv_texts(draw):
    """Draw the bytes of a file that is nearly right: some rows have another length."""
    cells = st.text(st.sampled_from("ab01 .-\t\u00a0\u00e9'#"), max_size=3)
    width = draw(st.integers(1, 4))
    line = st.lists(cells, min_size=width, max_size=width).map(",".join)
    near = st.one_of(line, line.map("{},, ".format), st.just(""), st.just("," * (width - 1)))
    odd = near | st.sampled_from(["," * (width + 1), '"', '"a\nb"', "a;b", "\0", "\ufeff"])
    lines = draw(st.lists(draw(st.sampled_from([near, near, odd])), min_size=1, max_size=5))
    lines = [draw(line), *lines]
    text = draw(st.sampled_from(["\n", "\r\n", "\r"])).join(lines)
    return (draw(st.sampled_from(["", "\ufeff"])) + text).encode()
