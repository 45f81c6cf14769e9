"""The kind of a column is decided over both files, so that equal values stay equal."""

from __future__ import annotations

import datetime as dt
import warnings
from decimal import Decimal

import pyarrow as pa
import pytest

from skprivacy._cli._column_kinds import (
    Column,
    align_kinds,
    check_spelling,
    quoted,
    warn_if_identifier,
)
from skprivacy._cli._csv_cells import TableError


def from_csv(cells, label="originals.csv"):
    """Return a column as a CSV file gives it."""
    return Column(label, pa.chunked_array([pa.array(cells, pa.large_string())]), is_typed=False)


def from_parquet(cells, arrow_type=None):
    """Return a column as a Parquet file gives it."""
    return Column("table.parquet", pa.chunked_array([pa.array(cells, arrow_type)]), is_typed=True)


def align(originals, avatars, *, decimal=".", is_label=False):
    """Return the cells of both columns after their kind was decided, as Python values."""
    left, right = (
        side if isinstance(side, Column) else from_csv(side) for side in (originals, avatars)
    )
    both = align_kinds("x", left, right, decimal=decimal, is_label=is_label)
    return tuple(cells.to_pylist() for cells in both)


def spelling(originals, avatars, *, decimal=".", is_label=False):
    """Look at the spelling of two columns of text."""
    check_spelling(
        "x",
        from_csv(originals, "originals.csv"),
        from_csv(avatars, "avatars.csv"),
        decimal=decimal,
        is_label=is_label,
    )


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("0", 0),
        ("-12", -12),
        ("9007199254740993", 2**53 + 1),
        ("-9223372036854775808", -(2**63)),
        ("123456789012345678901", Decimal(123456789012345678901)),
        (" 7 ", 7),
        ("1.50", 1.5),
        ("0.1", 0.1),
        ("0.30000000000000004", 0.1 + 0.2),
        ("1e-7", 1e-7),
        ("1E+300", 1e300),
        ("-.5", -0.5),
        ("3.", 3.0),
        ("4.9406564584124654e-324", 5e-324),
    ],
)
def test_numbers_keep_their_value(cell, value):
    assert align([cell], [cell]) == ([value], [value])


@pytest.mark.parametrize(
    "cell", ["007", "00", "+5", "1,5", "1 000", "0x1F", "1_000", "٣", "1e", ".", "-", "12a", "5%"]
)
def test_codes_stay_text(cell):
    assert align([cell], [cell]) == ([cell], [cell])


def test_the_same_numbers_written_otherwise_are_equal():
    left, right = align(["1.0", "2.50", None], ["1", "2.5", "1e0"])
    assert left == [1.0, 2.5, None]
    assert right == [1.0, 2.5, 1.0]
    left, right = align(["1.0", "2"], ["1", "2"])
    assert left == right


@pytest.mark.parametrize("other", ["1", "1.0", "1.5", "1e0", 39 * "9"])
def test_the_same_large_number_is_equal_whatever_stands_beside_it(other):
    large = "9007199254740993"
    left, right = align([large, "1"], [large, other])
    assert left[0] == right[0]
    left, right = align([large + ".0", other], [large, "1"])
    assert left[0] == right[0]


def test_neighbours_beyond_2_53_differ_among_whole_numbers():
    left, right = align(["9007199254740993.0"], ["9007199254740992"])
    assert left != right
    typed, read = align(from_parquet([2**53 + 1]), ["9007199254740993"])
    assert typed == read
    assert align(from_parquet([2**53 + 1]), ["9007199254740992"])[1] != typed


def test_a_large_number_of_parquet_beside_fractions():
    typed, read = align(from_parquet([2**53 + 1, 1]), ["9007199254740993", "1.5"])
    assert typed[0] == read[0]


@pytest.mark.parametrize("spelling", ["true", "TRUE", "True"])
def test_truth_values_in_any_case(spelling):
    assert align(["True", "False"], [spelling, None]) == ([True, False], [True, None])


def test_truth_values_beside_other_words_are_text():
    assert align(["True", "False"], ["True", "maybe"]) == (["True", "False"], ["True", "maybe"])


@pytest.mark.parametrize(
    ("originals", "avatars"),
    [
        (["007", "012"], ["7", "12"]),
        (["7", "12"], ["007", "012"]),
        (["1.5", "2"], ["1,5", "2"]),
        (["1", "2"], ["NA", "2"]),
        (["True", "False"], ["1", "0"]),
    ],
)
def test_kinds_that_differ_are_an_error_and_never_a_silent_100(originals, avatars):
    with pytest.raises(TableError, match=r"'x' holds .* which are never equal.*--categorical"):
        align(originals, avatars)


def test_labels_are_compared_as_text_when_asked_for():
    assert align(["A", "7"], ["7", "7"], is_label=True) == (["A", "7"], ["7", "7"])


def test_a_column_without_cells_takes_the_kind_of_the_other():
    assert align([None, None], ["1", "2"]) == ([None, None], [1, 2])
    assert align([None], [None]) == ([None], [None])


def test_text_of_a_parquet_file_makes_the_csv_column_text():
    assert align(from_parquet(["7", "12", ""]), ["7", None, "1.0"]) == (
        ["7", "12", None],
        ["7", None, "1.0"],
    )


def test_parquet_types_are_kept():
    numbers = from_parquet([1, None], pa.int16())
    assert align(numbers, ["1.0", "2"]) == ([1, None], [1.0, 2.0])
    both = align_kinds("x", numbers, numbers, decimal=".", is_label=False)
    assert both[0].type == pa.int16()
    assert align(from_parquet([True]), ["false"]) == ([True], [False])
    assert align(from_parquet(["", "a"]), from_parquet(["a", None])) == (["", "a"], ["a", None])


@pytest.mark.parametrize(
    ("cells", "other"),
    [(from_parquet([1, 2]), ["a", "b"]), (from_parquet([True]), ["1"])],
    ids=["number and text", "bool and number"],
)
def test_parquet_and_csv_of_other_kinds(cells, other):
    with pytest.raises(TableError, match="never equal"):
        align(cells, other)


def test_two_parquet_files_of_other_kinds():
    with pytest.raises(TableError, match=r"number .* and text .* Write it the same way in both\.$"):
        align(from_parquet([7]), from_parquet(["7"]), is_label=True)


def test_spelling_of_columns_without_cells():
    spelling([None, None], [None, "a"])


def test_text_of_a_parquet_file_may_be_numbers():
    typed, read = from_parquet(["7", "12"]), from_csv(["7", "12"])
    for pair in ((typed, read), (read, typed)):
        check_spelling("x", *pair, decimal=".", is_label=False)


@pytest.mark.parametrize(
    "cells",
    [[dt.datetime(2020, 1, 31)], [dt.date(2020, 1, 31)], [[1, 2]], [{"a": 1}], [b"x"]],  # noqa: DTZ001
)
def test_parquet_cells_without_distances(cells):
    column = from_parquet(cells)
    with pytest.raises(TableError, match=r"'x' holds .* cells, which have no distances.*--exclude"):
        align(column, column)


def test_decimal_comma():
    assert align(["1,5", "2"], [" 1,50", "1e3"], decimal=",") == ([1.5, 2.0], [1.5, 1000.0])
    # A point is no decimal sign beside a comma: it might group thousands.
    assert align(["1.234"], ["1.234"], decimal=",") == (["1.234"], ["1.234"])


@pytest.mark.parametrize(
    ("cells", "decimal", "wanted"), [(["1,5", "2"], ".", ","), (["1.5", "2"], ",", ".")]
)
def test_the_other_decimal_sign_is_an_error(cells, decimal, wanted):
    with pytest.raises(TableError, match=f"of originals.csv .* use --decimal '[{wanted}]'"):
        spelling(cells, cells, decimal=decimal)
    spelling(cells, cells, decimal=decimal, is_label=True)


@pytest.mark.parametrize("word", ["NA", "nan", "NaN", "null", "None", "N/A", "?", "-", "inf", "."])
def test_numbers_beside_words_for_missing_are_an_error(word):
    with pytest.raises(TableError, match=r"first in data row 2.*--missing"):
        spelling(["1", word, "2.5"], ["1", "1", "1"])
    spelling(["1", word, "2.5"], ["1", "1", "1"], is_label=True)


def test_numbers_beside_other_text_are_a_warning():
    with pytest.warns(UserWarning, match=r"of avatars.csv is read as text.*data row 3"):
        spelling(["a", "b"], ["1", "2", "3a"])
    spelling(["a", "b"], ["1", "2", "3a"], is_label=True)


def test_codes_with_leading_zeros_are_no_reason_to_warn():
    spelling(["01234", "75001"], ["01234", "75001"])


@pytest.mark.parametrize(
    ("original", "avatar"),
    [
        ("male", "Male"),
        ("male", "male "),
        ("007", "07"),
        ("a-1.50", "a-1.50 "),
        ("caf\N{LATIN SMALL LETTER E WITH ACUTE}", "cafe\N{COMBINING ACUTE ACCENT}"),
        ("NA", None),
        (None, "null"),
    ],
)
def test_labels_that_differ_in_spelling_only(original, avatar):
    with pytest.warns(UserWarning, match="1 label.* copied rows may look protected") as caught:
        spelling([original, "other"], [avatar, "other"])
    assert "male" not in str(caught[0].message)


def test_labels_that_really_differ():
    spelling(["male", None], ["female", None])
    spelling(["male", "Male"], ["Male", "male"])


def test_identifiers():
    people = pa.chunked_array([pa.array([f"person {i}" for i in range(20)])])
    counter = pa.chunked_array([pa.array(range(100))])
    for cells in (people, counter):
        with pytest.warns(UserWarning, match=r"'x' has .* different values.*--id.*--exclude"):
            warn_if_identifier("x", cells)


@pytest.mark.parametrize(
    "cells", [["a", "b"] * 10, list(range(0, 198, 2)), [i / 7 for i in range(200)]]
)
def test_columns_that_identify_nobody(cells):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_identifier("x", pa.chunked_array([pa.array(cells)]))


def test_odd_names_stay_on_one_short_line():
    assert quoted("a\nb") == r"'a\nb'"
    assert len(quoted(1000 * "x")) == 79
