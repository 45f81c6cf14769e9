"""Two files become tables of the same columns, and their rows are paired."""

from __future__ import annotations

import warnings

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skprivacy import (
    RowDirectMatchProtection,
    closer_avatar_counts,
    row_direct_match_protection_score,
)
from skprivacy._cli._csv_cells import TableError
from skprivacy._cli._table_files import RawTable
from skprivacy._cli._tables import pair_tables

CANARY = "Canary7731"


def csv_table(columns, label="originals.csv"):
    """Return a table as a CSV file gives it."""
    cells = {name: pa.array(cells, pa.large_string()) for name, cells in columns.items()}
    return RawTable(label, pa.table(cells), is_typed=False)


def pair(originals, avatars, **options):
    """Pair two tables given as columns of text."""
    return pair_tables(csv_table(originals), csv_table(avatars, "avatars.csv"), **options)


def refusal(originals, avatars, **options):
    """Return the message that refuses a pair, after checking that it shows no cell."""
    with pytest.raises(TableError) as caught:
        pair(originals, avatars, **options)
    message = str(caught.value)
    assert CANARY not in message
    assert "\n" not in message
    return message


def test_columns_are_matched_by_name():
    both = pair({"a": ["1", "2"], "b": ["x", "y"]}, {"b": ["x", "x"], "a": ["3", "4"]})
    assert list(both.originals) == list(both.avatars) == ["a", "b"]
    assert both.avatars.to_dict("list") == {"a": [3, 4], "b": ["x", "x"]}
    assert both.own_avatar is None
    assert both.groups is None


def test_values_that_a_plain_reader_would_change_still_match():
    cells = ["9007199254740993", "9007199254740992", "9007199254740994"]
    both = pair({"n": cells, "t": ["007", "07", "NA"]}, {"n": cells, "t": ["007", "07", "NA"]})
    assert row_direct_match_protection_score(both.originals, both.avatars) == 0
    shifted = pair({"n": cells[:2], "t": ["a", "a"]}, {"n": cells[1:], "t": ["a", "a"]})
    assert row_direct_match_protection_score(shifted.originals, shifted.avatars) == 50


def test_copies_written_otherwise_still_match():
    originals = {"x": ["1.0", "2.50", ""], "b": ["True", "False", "True"]}
    avatars = {"x": ["1", "2.5", ""], "b": ["TRUE", "FALSE", "TRUE"]}
    originals["x"][2] = avatars["x"][2] = None
    both = pair(originals, avatars)
    assert row_direct_match_protection_score(both.originals, both.avatars) == 0


@pytest.mark.parametrize(
    ("ids", "avatar_ids"),
    [
        (["b", "c", "a"], ["a", "b", "c"]),
        (["9007199254740993", "9007199254740992", "9007199254740994"],
         ["9007199254740994", "9007199254740993", "9007199254740992"]),
        (["2.0", "3", "1"], ["1", "2", "3.0"]),
        (["007", "7", "07"], ["07", "007", "7"]),
    ],
)  # fmt: skip
def test_rows_are_paired_by_identifier(ids, avatar_ids):
    both = pair({"id": ids, "x": ["0", "1", "2"]}, {"id": avatar_ids, "x": ["2", "0", "1"]},
                id_column="id")  # fmt: skip
    assert both.own_avatar.tolist() == [1, 2, 0]
    assert list(both.originals) == ["x"]
    counts = closer_avatar_counts(both.originals, both.avatars, own_avatar=both.own_avatar)
    assert counts.tolist() == [0, 0, 0]


X = ["1", "2", "3"]


@pytest.mark.parametrize(
    ("ids", "avatar_ids", "part"),
    [
        ([CANARY, "b", CANARY], ["a", "b", "c"], "originals.csv: the identifier of data row 3"),
        (["1", "2", "3"], ["1", "2", "1.0"], "avatars.csv: the identifier of data row 3"),
        (
            ["a", "b", "c"],
            ["a", None, "c"],
            "avatars.csv: no identifier in column 'id', data row 2",
        ),
        (["a", CANARY, "c"], ["a", "b", "c"], "1 identifier(s) of originals.csv"),
        (["007", "8", "9"], ["7", "8", "9"], "1 identifier(s) of originals.csv"),
    ],
)
def test_identifiers_that_pair_nothing(ids, avatar_ids, part):
    assert part in refusal({"id": ids, "x": X}, {"id": avatar_ids, "x": X}, id_column="id")


def test_an_avatar_without_its_original():
    message = refusal(
        {"id": ["a", "b"], "x": X[:2]}, {"id": ["a", CANARY, "b"], "x": X}, id_column="id"
    )
    assert "1 identifier(s) of avatars.csv" in message
    assert "data row 2" in message


def test_identifiers_of_typed_files():
    table = pa.table({"id": pa.array([2, 1], pa.int32()), "x": [1.0, 2.0]})
    originals = RawTable("o.parquet", table, is_typed=True)
    avatars = csv_table({"id": ["1", "2"], "x": ["1", "2"]})
    assert pair_tables(originals, avatars, id_column="id").own_avatar.tolist() == [1, 0]


def test_rows_without_identifier_must_be_as_many():
    message = refusal({"x": X}, {"x": X[:2]})
    assert "originals.csv has 3 rows and avatars.csv 2" in message
    assert "--id" in message


def test_columns_that_differ_are_named():
    originals = dict.fromkeys("abcde", X)
    message = refusal(originals, dict.fromkeys("abcdf", X))
    assert message.startswith("Columns differ: avatars.csv lacks 'e' and has besides 'f'.")
    assert pair(originals, dict.fromkeys("abcd", X), exclude=["e"]).originals.shape == (3, 4)


@pytest.mark.parametrize(
    "header",
    [[CANARY, "Paris", "male", "yes"], ["a", "b", "c", "77.31"]],
    ids=["few names shared", "a number for a name"],
)
def test_the_first_record_of_a_file_without_header_is_not_shown(header):
    message = refusal(dict.fromkeys("abcd", X), dict.fromkeys(header, X))
    assert "header row" in message
    assert not {*header, "77.31"} & set(message.replace("'", " ").split()) - set("abcd")


def test_columns_left_out_may_be_in_one_table_only():
    both = pair({"x": X, "city": ["a", "b", "b"]}, {"x": X}, exclude=["city"], group_column="city")
    assert list(both.originals) == ["x"]
    assert both.groups.tolist() == ["a", "b", "b"]


def test_the_group_column_is_measured_as_any_other():
    both = pair({"x": X, "city": ["a", None, "b"]}, {"x": X, "city": list("abb")},
                group_column="city")  # fmt: skip
    assert list(both.originals) == ["x", "city"]
    assert both.groups.tolist() == ["a", "(missing)", "b"]


@pytest.mark.parametrize(
    "options",
    [{"id_column": "no"}, {"group_column": "no"}, {"exclude": ["no"]}, {"categorical": ["no"]}],
)
def test_options_that_name_no_column(options):
    assert (
        refusal({"x": X}, {"x": X}, **options)
        == "No column 'no' in originals.csv: check how it is written there."
    )


def test_an_identifier_in_one_table_only():
    message = refusal({"x": X, "id": X}, {"x": X}, id_column="id")
    assert message == "No column 'id' in avatars.csv: --id needs it in both."


def test_nothing_left_to_measure():
    assert "is left to measure" in refusal({"id": X}, {"id": X}, id_column="id")


def test_labels_are_those_listed_and_those_of_typed_categories():
    table = pa.table({"grade": [1, 2], "x": [1, 2], "y": [3, 4]})
    typed = RawTable("o.parquet", table, is_typed=True, labels=("grade",))
    assert pair_tables(typed, typed, categorical=["y"]).labels == ["grade", "y"]


def test_the_warning_on_spelling_names_the_column():
    with pytest.warns(UserWarning, match=r"Column 'sex': 1 label"):
        pair({"sex": ["male", "female"]}, {"sex": ["Male", "female"]})


# Each list spells one value in the ways in which programs write it.
SPELLINGS = [
    ["1", "1.0", "1e0", " 1", "01", "1,0"],
    ["2.5", "2.50", "25e-1", "2,5", "02.5"],
    ["-0", "0", "0.0", "0,0", "00"],
    ["9007199254740993", "9007199254740993 ", "009007199254740993"],
    [None, "NA", "nan", "null"],
    ["male", "Male", "male ", "MALE"],
    ["true", "TRUE", "True"],
    ["false", "FALSE", "False"],
    ["\N{LATIN SMALL LETTER E WITH ACUTE}", "e\N{COMBINING ACUTE ACCENT}"],
]
VALUES = range(len(SPELLINGS))


@st.composite
def copies(draw):
    """Draw a column of values and the spelling of each value in either of two tables."""
    values = draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=5))
    tables = [[draw(st.sampled_from(SPELLINGS[value])) for value in VALUES] for _ in range(2)]
    return [[spelling[value] for value in values] for spelling in tables]


@given(copies())
def test_copies_spelt_otherwise_are_found_or_there_is_a_word_of_it(columns):
    tables = [{"x": column, "row": ["1"] * len(column)} for column in columns]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            both = pair(*tables)
            metric = RowDirectMatchProtection().fit(both.originals)
            n_hits = metric.count_hits(both.avatars)
        except TableError:
            return
    assert caught or n_hits == metric.n_unique_
