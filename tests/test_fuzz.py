"""Random inputs get the oracle's answer, or a ValueError or TypeError that says where.

A few hundred inputs a run; tests/fuzz_long.py runs the same targets for as long as it is told.
"""

from __future__ import annotations

import io
import itertools
import json
import re
import tempfile
import warnings
from pathlib import Path

import _csv_oracle
import numpy as np
import pytest
from _fuzz_inputs import CANARY, ODD_NAMES, csv_pairs, csv_texts, frames, own_avatars, row_pairs
from _mixed_columns import build
from _oracle import tie_rule_counts
from _rows_oracle import kinds_clash, match
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skprivacy import (
    FAMD,
    KNeighborsAnonymizer,
    closer_avatar_counts,
    privacy_report,
    row_direct_match_protection_score,
)
from skprivacy._cli import main
from skprivacy._cli._csv_cells import CsvFormat, TableError, read_csv_cells
from skprivacy._cli._table_files import RawTable, _check_names
from skprivacy._cli._tables import pair_tables
from skprivacy.metrics._row_matching import match_rows

REFUSED = (ValueError, TypeError)
# A column or row by position, or the argument that is at fault.
_PLACE = re.compile(
    r"[Cc]olumns? |positions? \d|Column\(s\)|feature\(s\)|sample\(s\)|feature names|own_avatar"
    r"|n_components|n_neighbors|\bX(_avatars)?\b|rank of the table"
)
# Drawing a table costs more than hypothesis likes.
unhurried = settings(suppress_health_check=list(HealthCheck))
# Each of these inputs costs a hundred milliseconds.
seldom = settings(unhurried, max_examples=40)


def call(function, *arguments, **keywords):
    """Call a function: only a UserWarning may come with its result."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)
        return function(*arguments, **keywords)


def check_message(error, place=_PLACE):
    """Check that an error says where it is, and no cell."""
    assert place.search(str(error)), repr(error)
    assert CANARY not in str(error)


@unhurried
@given(row_pairs())
def test_rows(pair):
    containers, sides = pair
    columns, avatar_columns = ([column.cells for column in side] for side in sides)
    X, X_avatars = map(build, containers, sides)
    if kinds_clash(columns, avatar_columns):
        with pytest.raises(ValueError, match=r"column .*position .*Convert") as refusal:
            call(match_rows, X, X_avatars)
        check_message(refusal.value)
        return
    found = call(match_rows, X, X_avatars)
    for answer, truth in zip(
        (found.is_unique, found.is_hit, found.reproduces), match(columns, avatar_columns),
        strict=True,
    ):  # fmt: skip
        assert answer.tolist() == list(truth)


_N = 4
_RNG = np.random.default_rng(5)
_X, _Y = _RNG.integers(0, 4, size=(_N, 2)), _RNG.integers(0, 4, size=(6, 2))


@unhurried
@given(own_avatars(_N))
def test_own_avatar(own):
    try:
        counts = call(closer_avatar_counts, _X, _Y, own_avatar=own)
    except REFUSED as error:
        check_message(error, re.compile("own_avatar|6 avatars for 4 originals"))
        return
    positions = [int(cell) for cell in np.asarray(own).ravel()]
    assert counts.tolist() == tie_rule_counts(_X, _Y, positions).tolist()


@unhurried
@given(frames())
def test_frames_as_coordinates(frame_and_columns):
    frame, columns = frame_and_columns
    try:
        counts = call(closer_avatar_counts, frame, frame[::-1])
    except REFUSED as error:
        check_message(error)
        return
    cells = np.array([[float(cell) for cell in column.cells] for column in columns]).T
    assert counts.tolist() == tie_rule_counts(cells, cells[::-1], np.arange(len(cells))).tolist()


@unhurried
@given(frames(), st.randoms(use_true_random=False))
def test_frames_as_rows(frame_and_columns, random):
    frame, columns = frame_and_columns
    cells = [column.cells for column in columns]
    rows = [random.randrange(len(frame)) for _ in range(3)] if len(frame) else []
    avatars = frame[rows] if hasattr(frame, "to_series") else frame.iloc[rows]
    try:
        score = call(row_direct_match_protection_score, frame, avatars)
    except REFUSED as error:
        check_message(error)
        return
    is_hit = match(cells, [[column[row] for row in rows] for column in cells])[1]
    assert score == pytest.approx(100 * (1 - sum(is_hit) / len(frame)), abs=1e-12)


@unhurried
@given(frames(min_rows=2), st.integers(1, 3))
def test_frames_through_famd(frame_and_columns, n_components):
    frame, columns = frame_and_columns
    try:
        coordinates = call(FAMD(n_components).fit_transform, frame)
    except REFUSED as error:
        check_message(error)
        return
    assert coordinates.shape == (len(frame), n_components)
    assert np.isfinite(coordinates).all()
    rows = list(zip(*(column.cells for column in columns), strict=True))
    for i, j in itertools.combinations(range(len(rows)), 2):
        if rows[i] == rows[j]:
            assert coordinates[i].tobytes() == coordinates[j].tobytes()


@seldom
@given(frames(min_rows=2))
def test_frames_through_anonymiser_and_report(frame_and_columns):
    frame, _ = frame_and_columns
    anonymizer = KNeighborsAnonymizer(1, projection=FAMD(1), random_state=0)
    try:
        avatars = call(anonymizer.fit_transform, frame)
        report = call(privacy_report, frame, avatars, projection=FAMD(1), output_dict=True)
    except REFUSED as error:
        check_message(error)
        return
    assert list(avatars.columns) == list(frame.columns)
    assert list(avatars.dtypes) == list(frame.dtypes)
    # One other record's row, or a mix of one: every avatar is a row of the originals.
    expected = row_direct_match_protection_score(frame, avatars)
    assert report["metrics"]["row_direct_match_protection"]["value"] == expected


def read(text, label):
    """Read the text of a CSV file as the command line does."""
    stream = io.BytesIO(text.encode())
    cells = call(read_csv_cells, stream, label, CsvFormat(), lambda _: None)
    _check_names(cells.column_names, label)
    return RawTable(label, cells, is_typed=False)


_CSV_PLACE = re.compile(r"[Cc]olumns? |line \d|no data rows|is empty|\d rows")


@unhurried
@given(csv_pairs(), st.sampled_from(["\n", "\r\n"]))
def test_csv_files_mean_what_is_documented(columns, ending):
    names = [f"c{j}" for j in range(len(columns))]
    sides = [[column[side] for column in columns] for side in (0, 1)]
    texts = [
        _csv_oracle.written([names, *zip(*cells, strict=True)], ending=ending) for cells in sides
    ]
    try:
        pair = call(pair_tables, read(texts[0], "o.csv"), read(texts[1], "a.csv"))
    except TableError as error:
        check_message(error, _CSV_PLACE)
        return
    found = call(match_rows, pair.originals, pair.avatars)
    is_unique, is_hit = _csv_oracle.match(*sides)
    assert found.is_unique.tolist() == is_unique
    assert found.is_hit.tolist() == is_hit


@unhurried
@given(st.binary(max_size=80) | st.text(max_size=60).map(str.encode) | csv_texts())
def test_any_bytes_as_csv(content):
    try:
        cells = call(read_csv_cells, io.BytesIO(content), "o.csv", CsvFormat(), lambda _: None)
        _check_names(cells.column_names, "o.csv")
    except TableError as error:
        check_message(error, re.compile(r"o\.csv.*(line \d|column|is empty|no data|the header)"))
        return
    assert cells.num_rows >= 1
    if b'"' not in content:
        meant = _csv_oracle.unquoted(content.decode())
        assert list(zip(cells.column_names, cells.to_pydict().values(), strict=True)) == meant


# A cell of the tables, or the option at fault.
_COMMAND_LINE_PLACE = re.compile(f"error: .*({_CSV_PLACE.pattern}|--[a-z])")


@seldom
@given(
    csv_pairs(),
    st.permutations([name for name in ODD_NAMES if name.strip()]) | st.permutations(ODD_NAMES),
    st.just(["--impute", "--json"])
    | st.lists(
        st.sampled_from(["--impute", "--json", "--decimal=,", "--sep=;", "--n-components=1"])
    ),
)
def test_command_line(columns, names, options):
    sep = ";" if {"--sep=;", "--decimal=,"} & set(options) else ","
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("o.csv", "a.csv")]
        for side, path in enumerate(paths):
            rows = zip(*(column[side] for column in columns), strict=True)
            content = _csv_oracle.written([names[: len(columns)], *rows], sep=sep)
            path.write_bytes(content.encode())
        status, out, err = run_main(["score", *paths, *options])
    assert status in (0, 2)
    assert bool(out) == (status == 0)
    lines = err.splitlines()
    assert all(line.startswith("skprivacy: ") for line in lines)
    assert ("skprivacy: error: " in err) == (status == 2)
    assert CANARY not in out + err
    if status == 2:
        check_message(ValueError(lines[-1]), _COMMAND_LINE_PLACE)
    elif "--json" in options and "--decimal=," not in options:
        is_hit = _csv_oracle.match(*([column[side] for column in columns] for side in (0, 1)))[1]
        score = json.loads(out)["metrics"]["row_direct_match_protection"]["value"]
        assert score == pytest.approx(100 * (1 - sum(is_hit) / len(is_hit)), abs=1e-12)


def run_main(arguments):
    """Run the command line; return its status and what it printed."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", out)
        patch.setattr("sys.stderr", err)
        status = call(main, [str(argument) for argument in arguments])
    return status, *(stream.buffer.getvalue().decode() for stream in (out, err))


def test_a_message_without_a_place_or_with_a_cell_is_noticed():
    for message in ("something is wrong", f"column 3 holds {CANARY}"):
        with pytest.raises(AssertionError):
            check_message(ValueError(message))
    check_message(ValueError("column 'a' (position 3) is constant"))


def test_the_csv_oracle_reads_as_documented():
    assert _csv_oracle.values(["1.50", "1"], ["1.5", "1.0"]) == ([1.5, 1.0], [1.5, 1.0])
    big = ["9007199254740993", "1.0"]
    assert _csv_oracle.values(big, [" "] * 2) == ([9007199254740993, 1], [None, None])
    assert _csv_oracle.values(["007"], ["7"]) is None
    assert _csv_oracle.values(["TRUE", "false "], ["true", ""])[0] == ["true", "false"]
    assert _csv_oracle.values(["NA", "a "], ["a", "1"]) == (["NA", "a "], ["a", "1"])
    is_unique, is_hit = _csv_oracle.match([["1", "2", "2.0"]], [["1.00", "2", "3"]])
    assert (is_unique, is_hit) == ([True, False, False], [True, False, False])
    spreadsheet = "\ufeffa,b,\r\n1, ,\r\n\r\nx,2,,,\n,,\n"
    assert _csv_oracle.unquoted(spreadsheet) == [("a", ["1", "x"]), ("b", [None, "2"])]
