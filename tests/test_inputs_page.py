"""The tables of docs/inputs.md, tried row by row: the page cannot say what is not so.

CASES has the sections and rows of the page. Each row is tried with one or more inputs, and each
input has one outcome for each column of the page: "ok", "warns" for a UserWarning, "V" for a
ValueError, "T" for a TypeError, "-" where there is nothing to try.
"""

from __future__ import annotations

import datetime as dt
import re
import uuid
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array, csr_matrix

from skprivacy import (
    FAMD,
    HiddenRate,
    KNeighborsAnonymizer,
    RowDirectMatchProtection,
    closer_avatar_counts,
    hidden_rate_score,
    row_direct_match_protection_score,
)

PAGE = Path(__file__).resolve().parents[1] / "docs" / "inputs.md"
N = np.array([[1, 2], [3, 1], [4, 7], [9, 5]])
FRAME = pd.DataFrame(N, columns=["a", "b"])
OTHER = [0.5, 2, 1, 4]
TEXT, DAYS = list("uvuw"), [dt.date(2020, 1, day) for day in (1, 2, 4, 9)]
TIMES = pd.Series(pd.to_datetime(DAYS))
LEVELS = {"categorical_features": [0]}


class Tables:
    """Originals, avatars, and settings of FAMD."""

    def __init__(self, X, avatars=None, **settings):
        self.X, self.avatars = X, X if avatars is None else avatars
        self.settings = settings


def beside(cells, dtype=None):
    """Return a frame whose first column has these cells."""
    return pd.DataFrame({"a": pd.Series(cells, dtype=dtype), "b": OTHER})


def cells_of(*cells):
    """Return an array of objects whose first column has these cells."""
    table = np.empty((4, 2), dtype=object)
    table[:, 0], table[:, 1] = cells, OTHER
    return table


def arrow(cells, kind):
    """Return a frame whose first column is of an Arrow type."""
    return beside(pd.array(cells, dtype=pd.ArrowDtype(kind)))


def polars(cells, dtype=None):
    """Return a polars frame whose first column has these cells."""
    return pl.DataFrame({"a": pl.Series(cells, dtype=dtype, strict=False), "b": OTHER})


def wide(name):
    """Return polars' integers of 128 bits, which its first versions do not have."""
    if not hasattr(pl, name):
        pytest.skip(f"this version of polars has no {name}")
    return polars([1, 2**70, 2, 5], getattr(pl, name))


def named(*names):
    """Return a frame with these names."""
    return FRAME.set_axis(list(names), axis=1)


def read_only():
    table = N.copy()
    table.flags.writeable = False
    return table


PAIRS = {
    "Containers": {
        "numpy array of two dimensions, in any memory order or byte order, also read-only": [
            ("ok ok ok", N), ("ok ok ok", N.astype(">i2", order="F")), ("ok ok ok", read_only()),
            ("ok ok ok", N.repeat(2, axis=0)[::2]),
        ],
        "list or tuple of rows": [("ok ok ok", N.tolist()), ("ok ok ok", tuple(map(tuple, N)))],
        "pandas and polars `DataFrame`": [("ok ok ok", FRAME), ("ok ok ok", pl.from_pandas(FRAME))],
        "structured array": [("V V ok", FRAME.to_records(index=False))],
        "pyarrow `Table`": [("ok ok ok", pa.Table.from_pandas(FRAME))],
        "polars `LazyFrame`": [("V V V", pl.from_pandas(FRAME).lazy())],
        "array of one or three dimensions, `Series`, scalar, dict, generator, file name": [
            ("V V V", X) for X in (N[0], N[None], FRAME["a"], 7.0, {"a": [1, 2]}, iter(N), "a.csv")
        ],
        "scipy sparse matrix or array": [("T T T", csr_matrix(N)), ("T T T", csr_array(N))],
        "no columns": [("V V V", N[:, :0]), ("V V V", FRAME[[]])],
        "no rows": [("V V V", N[:0]), ("V V V", FRAME[:0]), ("ok V ok", N[:1])],
    },
    "Columns": {
        "integers of up to 64 bits, floats of every width": [
            ("ok ok ok", beside([1, 0, 2, 5], dtype))
            for dtype in ["i1", "u1", "i2", "u4", "i8", "u8", "f2", "f4", "f8", "longdouble"]
        ],
        "integers above 2⁵³ of which float64 holds each exactly": [
            ("ok ok ok", beside([2**60, 1, 2, 5])), ("ok ok ok", cells_of(2**60, 1, 2, 5)),
        ],
        "integers above 2⁵³ that float64 would round": [
            ("V V ok", beside([2**53 + 1, 1, 2, 5], dtype))
            for dtype in ["int64", "uint64", "Int64", "int64[pyarrow]", object]
        ] + [
            ("V V ok", cells_of(2**53 + 1, 1, 2, 5)), ("V V ok", polars([2**53 + 1, 1, 2, 5])),
            ("V ok ok", Tables(beside([2**53 + 1, 1, 2, 5]), **LEVELS)),
        ],
        "polars `Int128` and `UInt128`": [
            ("T T ok", lambda: wide("Int128")), ("T T ok", lambda: wide("UInt128")),
        ],
        "truth values": [("ok ok ok", beside([True, False, True, True])), ("ok ok ok", N > 2)],
        "nullable pandas (`Int64`, `Float64`, `boolean`) and Arrow-backed numbers, "
        "without a missing cell": [
            ("ok ok ok", beside([1, 0, 1, 1], dtype))
            for dtype in ["Int64", "Float64", "boolean", "int64[pyarrow]", "double[pyarrow]"]
        ],
        "object dtype with only numbers (`int`, `float`, `Decimal`, `Fraction`)": [
            ("ok ok ok", cells_of(1, 0.5, Decimal("2.5"), Fraction(1, 2))),
            ("ok ok ok", cells_of(1, 0.5, Decimal("2.5"), Fraction(1, 2)).tolist()),
            ("ok V ok", beside([1, 0.5, Decimal("2.5"), Fraction(1, 2)], object)),
            ("ok ok ok", Tables(beside([1, 0.5, 2, 3], object), **LEVELS)),
        ],
        "polars `Decimal`": [("ok ok ok", polars([1, 2, 3, 5], pl.Decimal(9, 2)))],
        "Arrow decimal in pandas": [
            ("ok V ok", arrow([1, 2, 3, 5], pa.decimal128(9, 2))),
            ("ok ok ok", Tables(arrow([1, 2, 3, 5], pa.decimal128(9, 2)), **LEVELS)),
        ],
        "text: object, `str`, `string`, Arrow, polars `String`": [
            ("T ok ok", beside(TEXT, dtype)) for dtype in [object, str, "string", "string[pyarrow]"]
        ] + [("T ok ok", arrow(TEXT, pa.large_string())), ("T ok ok", polars(TEXT))],
        "pandas category, polars `Categorical` and `Enum`": [
            ("T ok ok", beside(TEXT, "category")), ("T ok ok", polars(TEXT, pl.Categorical)),
            ("T ok ok", polars(TEXT, pl.Enum(list("uvw")))),
        ],
        "pandas category whose labels are numbers": [("T ok ok", beside([7, 1, 7, 2], "category"))],
        "object dtype with several kinds in one column": [
            ("T V ok", beside(["u", 1, "v", 2], object)), ("T V ok", cells_of("u", 1, "v", 2)),
        ],
        "bytes": [("T T ok", beside([b"u", b"v"] * 2)), ("T T ok", polars([b"u", b"v"] * 2))],
        "date, datetime, time, timedelta, with or without a time zone": [
            ("T T ok", make(cells)) for make in (beside, polars) for cells in (
                DAYS, TIMES, [dt.time(day.day) for day in DAYS], TIMES - TIMES[0],
                TIMES.dt.tz_localize("UTC"),
            )
        ],
        "pandas `Period`": [("T T ok", beside(pd.period_range("2020", periods=4, freq="M")))],
        "`Interval` (as `pandas.cut` makes them), UUID, list, dict, tuple, struct": [
            ("T T T", beside(cells)) for cells in (
                pd.interval_range(0, 4), [uuid.UUID(int=i) for i in range(4)], [[1]] * 4,
                [{"u": 1}] * 4, [(1, 2)] * 4,
            )
        ] + [("T T T", polars([{"u": 1}] * 4)), ("T T T", polars([[1]] * 4))],
        "complex numbers": [
            ("V V V", N * 1j), ("V V V", beside([1j, 2, 3, 4])),
            ("T T V", beside([1j, 2j, 3j, 4j], object)),
        ],
        "pandas `Sparse`, some columns": [
            ("warns ok ok", beside([0, 1, 0, 2], pd.SparseDtype(int, 0))),
        ],
        "pandas `Sparse`, all columns": [("T ok ok", FRAME.astype(pd.SparseDtype(int, 0)))],
    },
    "Cells": {
        "`None`, NaN, null, and NA of a nullable column": [
            ("V V ok", X) for X in (
                cells_of(1, None, 2, 5), cells_of(1, np.nan, 2, 5), beside([1, np.nan, 2, 5]),
                polars([1, None, 2, 5]), beside([1, None, 2, 5], "Int64"),
                beside([1, None, 2, 5], "double[pyarrow]"),
            )
        ],
        "`pandas.NA` or NaT in a column of object dtype": [
            ("T V ok", X) for missing in (pd.NA, pd.NaT)
            for X in (cells_of(1, missing, 2, 5), beside(["u", missing, "v", "w"], object))
        ],
        "a masked cell": [("V V ok", np.ma.masked_equal(N, 7))],
        "infinity": [("V V ok", beside([1, np.inf, 2, 5])), ("V V ok", beside([1, -np.inf, 2, 5]))],
        "a magnitude above 2⁹⁶⁰, about 1e289": [("V ok ok", beside([1, 1e290, 2, 5]))],
        "an integer beyond the range of float64": [("V V ok", cells_of(1, 10**400, 2, 5))],
        "a level that no original has": [
            ("- V ok", Tables(beside(TEXT), beside(list("uvuz")))),
            ("- ok ok", Tables(beside(TEXT), beside(list("uvuz")), handle_unknown="ignore")),
        ],
        "a column with another kind of cell than in the originals": [
            ("T V V", Tables(FRAME, FRAME.assign(a=TEXT))),
            ("- V V", Tables(beside(TEXT), beside([1, 2, 3, 4]))),
        ],
    },
    "Names of columns": {
        "the same names in the same order": [("ok ok ok", FRAME)],
        "the same names in another order": [
            ("V V ok", Tables(FRAME, FRAME[["b", "a"]])),
            *(("V V ok", Tables(convert(FRAME), convert(FRAME[["b", "a"]])))
              for convert in (pl.from_pandas, pa.Table.from_pandas)),
        ],
        "a missing, an additional or a renamed column": [
            ("V V V", Tables(FRAME, avatars))
            for avatars in (FRAME[["a"]], FRAME.assign(c=1), named("a", "c"))
        ],
        "names in one table, none in the other": [
            ("warns warns ok", Tables(FRAME, N)), ("warns warns ok", Tables(N, FRAME)),
        ],
        "a repeated name": [("V V V", named("a", "a"))],
        "names that are partly text, partly not": [("T T ok T", named("a", 1))],
        "a missing name": [("T T V", named("a", None))],
        "numbers for names": [("ok ok ok", named(0, 1)), ("ok ok ok", named(2020.0, 2021.0))],
        "numbers for names, in another order": [("V V ok", Tables(named(0, 1), named(1, 0)))],
    },
}  # fmt: skip

VALUES = {
    "own_avatar": {
        "list, tuple, range, integer array of any width, `Series`, `Index`, polars or pyarrow "
        "array": [
            ("ok", own) for own in (
                [0, 1, 2, 3], (3, 2, 1, 0), range(4), np.arange(4, dtype="u1"), pd.Index(range(4)),
                pd.Series(range(4), index=TEXT), pl.Series([0, 1, 2, 3]), pa.array(range(4)),
            )
        ],
        "Python integers in an object array": [("ok", np.array([0, 1, 2, 3], dtype=object))],
        "column of shape (n, 1)": [("ok", np.arange(4)[:, None])],
        "the same avatar for several people": [("ok", [0, 0, 1, 1])],
        "floats, also whole ones; truth values; text; dates": [
            ("T", own) for own in ([0.0, 1, 2, 3], [True] * 4, TEXT, TIMES)
        ],
        "a missing position (NaN, None, NA, null)": [
            ("T", own) for own in (
                [0, 1, 2, np.nan], [0, 1, 2, None], pd.array([0, 1, 2, None], dtype="Int64"),
                pl.Series([0, 1, 2, None]),
            )
        ],
        "negative, or not below the number of avatars": [("V", [0, 1, 2, -1]), ("V", [0, 1, 2, 4])],
        "another length than the originals": [("V", [0, 1, 2])],
    },
    "sample_weight": {
        "numbers of any kind, also truth values, `Decimal` and `Fraction`, in any one-dimensional "
        "container": [
            ("ok", weight) for weight in (
                [1, 2, 3, 4], (0.5, 1, 1, 1), np.array([True, False, True, True]),
                [Decimal(1), Fraction(1, 2), 1, 2.5], pd.Series([1, 2, 3, 4], dtype="Int64"),
                pl.Series([1.0, 2, 3, 4]),
            )
        ],
        "zero for some": [("ok", [0, 1, 0, 2])],
        "zero for all, negative, NaN, infinity": [
            ("V", [0] * 4), *(("V", [1, 1, 1, last]) for last in (-1, np.nan, np.inf))
        ],
        "another length, or two dimensions": [("V", [1, 2, 3]), ("V", N)],
        "text, dates, complex numbers, None among objects": [
            ("T", weight) for weight in (TEXT, TIMES, [1j] * 4, np.array([1, None, 2, 3], object))
        ],
    },
    "Parameters": {
        "`n_components` of a metric": [
            *(("ok", HiddenRate(n_components=value)) for value in (None, 1, 2)),
            *(("V", HiddenRate(n_components=value)) for value in (0, 3)),
            *(("T", HiddenRate(n_components=value)) for value in (True, 1.5, "1")),
        ],
        "`n_components` of FAMD": [
            ("ok", FAMD(1)), ("ok", FAMD(2)), ("V", FAMD(0)), ("V", FAMD(3)),
        ],
        "`tie_tol`": [
            *(("ok", HiddenRate(tie_tol=value)) for value in (1e-13, 1e-6)),
            *(("V", HiddenRate(tie_tol=value)) for value in (0, 1e-5)),
            *(("T", HiddenRate(tie_tol=value)) for value in (True, "1e-12")),
        ],
        "`n_neighbors`": [
            *(("ok", KNeighborsAnonymizer(value)) for value in (1, 3)),
            *(("V", KNeighborsAnonymizer(value)) for value in (0, 4)),
            ("T", KNeighborsAnonymizer(1.0)),
        ],
    },
}  # fmt: skip


def anonymise(tables):
    """Project and anonymise, the two that take mixed tables."""
    famd = FAMD(1, **tables.settings)
    famd.fit(tables.X).transform(tables.avatars)
    KNeighborsAnonymizer(1, projection=famd).fit(tables.X).transform(tables.avatars)


TABLE_USES = [
    lambda tables: closer_avatar_counts(tables.X, tables.avatars),
    anonymise,
    lambda tables: row_direct_match_protection_score(tables.X, tables.avatars),
    lambda tables: RowDirectMatchProtection().fit(tables.X).score(tables.avatars),
]
VALUE_USES = {
    "own_avatar": lambda own: closer_avatar_counts(N, N, own_avatar=own),
    "sample_weight": lambda weight: hidden_rate_score(N, N, sample_weight=weight),
    "Parameters": lambda estimator: estimator.fit(N),
}
CASES = PAIRS | VALUES


def read_page():
    """Return the rows of every table of the page by section: the first cell and the others."""
    found = {}
    for part in PAGE.read_text("utf-8").split("\n## ")[1:]:
        lines = [line.strip("| ") for line in part.splitlines() if line.startswith("|")]
        if lines:
            rows = [[cell.strip() for cell in line.split(" | ")] for line in lines[2:]]
            found[part.splitlines()[0].strip("`")] = {row[0]: row[1:] for row in rows}
    return found


def outcome_of(use, value):
    """Return what comes of a use in the letters of CASES."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            use(value)
        except (TypeError, ValueError) as error:
            return type(error).__name__[0]
    return "warns" if any(w.category is UserWarning for w in caught) else "ok"


def test_every_row_of_the_page_is_tried():
    assert {section: list(rows) for section, rows in read_page().items()} == {
        section: list(rows) for section, rows in CASES.items()
    }


def try_inputs(section, row):
    """Try every input of a row; return the outcomes of each use."""
    uses = TABLE_USES if section in PAIRS else [VALUE_USES[section]]
    outcomes = [set() for _ in uses]
    for number, (letters, value) in enumerate(CASES[section][row]):
        expected = letters.split()
        # Function and class agree on raw rows, where nothing else is said.
        expected += expected[-1:] * (len(uses) - len(expected))
        given = as_tables(value) if section in PAIRS else value
        for seen, use, outcome in zip(outcomes, uses, expected, strict=True):
            if outcome != "-":
                assert outcome_of(use, given) == outcome, f"input {number}: {letters}"
                seen.add(outcome)
    return outcomes


def as_tables(value):
    """Return a case of tables, made now where a version may not have it."""
    value = value() if callable(value) else value
    return value if isinstance(value, Tables) else Tables(value)


@pytest.mark.parametrize(
    ("section", "row"), [(section, row) for section, rows in CASES.items() for row in rows]
)
def test_a_row_of_the_page_is_true(section, row):
    said = read_page()[section][row][section == "Parameters" :]
    outcomes = try_inputs(section, row)
    if section in PAIRS:
        outcomes[2:] = [outcomes[2] | outcomes[3]]
    for cell, seen in zip(said, outcomes, strict=True):
        assert set(re.findall(r"([VT])(?:alue|ype)Error", cell)) == seen & {"V", "T"}
        assert ("UserWarning" in cell) == ("warns" in seen)
        # A cell that names no error says that all is accepted, and the other way round.
        is_refused = bool(seen) and not seen & {"ok", "warns"}
        assert cell.startswith(("ValueError", "TypeError")) or not is_refused
