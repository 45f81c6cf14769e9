"""Faults that public tables and bug reports of similar tools led to, each on a table made here.

docs/real_files.md tells where each kind of input comes from.
"""

from __future__ import annotations

import json
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skprivacy import (
    FAMD,
    HiddenRate,
    KNeighborsAnonymizer,
    closer_avatar_counts,
    hidden_rate_score,
    local_cloaking_score,
    privacy_report,
    row_direct_match_protection_score,
)
from skprivacy._cli import main

N = 30
RNG = np.random.default_rng(0)
AGES = [str(age) for age in RNG.integers(18, 90, N)]
WEIGHTS = [f"{weight:.1f}" for weight in RNG.normal(70, 12, N)]
SEXES = [str(sex) for sex in RNG.choice(["M", "F"], N)]


def table(first=AGES, second=WEIGHTS, third=SEXES, *, names="age,weight,sex", sep=",", end="\n"):
    """Return a CSV file of three columns."""
    rows = [sep.join(map(str, row)) for row in zip(first, second, third, strict=True)]
    return end.join([names, *rows, ""])


@pytest.fixture
def score(tmp_path, monkeypatch, capsys):
    """Return a function that scores two files: status, metrics and the lines of standard error."""
    monkeypatch.chdir(tmp_path)

    def run(originals, avatars, *options):
        for name, content in (("o.csv", originals), ("a.csv", avatars)):
            encoded = content if isinstance(content, bytes) else content.encode()
            (tmp_path / name).write_bytes(encoded)
        status = main(["score", "o.csv", "a.csv", "--json", *options])
        out, err = capsys.readouterr()
        metrics = json.loads(out)["metrics"] if status == 0 else {}
        return status, {name: entry["value"] for name, entry in metrics.items()}, err.splitlines()

    return run


N_UNIQUE = len({*zip(AGES, WEIGHTS, SEXES, strict=True)})

# Two spellings of one table: the avatars are copies, and have to be found out.
COPIES = {
    "line ends of Windows": (table(end="\r\n"), table(), ()),
    "line ends of old Macs": (table(end="\r"), table(), ()),
    "byte order mark": (b"\xef\xbb\xbf" + table().encode(), table(), ()),
    "byte order mark before a quote": (
        b'\xef\xbb\xbf"age",weight,sex\n' + table().encode().partition(b"\n")[2], table(), (),
    ),
    "blank rows and columns of a spreadsheet": (
        table().replace("\n", ",,\n") + ",,,,\n ,,,,\n", table(), (),
    ),
    "blanks around numbers": (table([f" {age}\u00a0" for age in AGES]), table(), ()),
    "columns in another order": (
        table(SEXES, AGES, WEIGHTS, names="sex,age,weight"), table(), (),
    ),
    "trailing zeros": (table(second=[f"{weight}00" for weight in WEIGHTS]), table(), ()),
    "whole numbers as floats": (table([f"{age}.0" for age in AGES]), table(), ()),
    "exponents": (table([f"{age}0e-1" for age in AGES]), table(), ()),
    "minus zero": (
        table(second=["-0", *WEIGHTS[1:]]), table(second=["0.0", *WEIGHTS[1:]]), (),
    ),
    "truth values of R and of Python": (
        table(third=["TRUE", "FALSE"] * 15), table(third=["True", "False"] * 15), (),
    ),
    "French file": (
        table(second=[weight.replace(".", ",") for weight in WEIGHTS], sep=";",
              names="age;weight;sex"),
        table(second=[weight.replace(".", ",") for weight in WEIGHTS], sep=";",
              names="age;weight;sex"),
        ("--sep", ";", "--decimal", ","),
    ),
    "accents in cp1252": (
        table(third=[f"\u00e9{sex}" for sex in SEXES]).encode("cp1252"),
        table(third=[f"\u00e9{sex}" for sex in SEXES]).encode("cp1252"),
        ("--encoding", "cp1252"),
    ),
    "UTF-16": (table().encode("utf-16"), table().encode("utf-16"), ("--encoding", "utf-16")),
    "line breaks inside cells": (
        table(third=[f'"{sex}\nx"' for sex in SEXES]),
        table(third=[f'"{sex}\nx"' for sex in SEXES]), (),
    ),
    "formulas": (table(third=["=1+1", "@x"] * 15), table(third=["=1+1", "@x"] * 15), ()),
    "codes with zeros, compared as labels": (
        table([f"{age:0>4}" for age in AGES]), table([f"{age:0>4}" for age in AGES]), (),
    ),
    "a soup of missing values": (
        table(["NA", "N/A", "?", "-", "null", "", *AGES[6:]]),
        table(["", "NA", "N/A", "null", "-", "?", *AGES[6:]]),
        ("--missing", "NA,N/A,?,-,null", "--impute"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COPIES)
def test_copies_are_found_out_however_the_file_is_written(score, name):
    originals, avatars, options = COPIES[name]
    status, metrics, _ = score(originals, avatars, *options)
    assert status == 0
    assert metrics["row_direct_match_protection"] == 100 * (1 - N_UNIQUE / N)
    assert metrics["local_cloaking"] == 0


UNITS = [f"{weight} kg" for weight in WEIGHTS]
# Two spellings that cannot be told to be the same, and what is said: never a silent 100.
REFUSALS = {
    "missing words that nobody named": (
        table(["NA", *AGES[1:]]), table(["NA", *AGES[1:]]), "words such as NA",
    ),
    "numbers and codes": (table([f"{age:0>4}" for age in AGES]), table(), "holds text in o.csv"),
    "percent and number": (table([f"{age}%" for age in AGES]), table(), "holds text in o.csv"),
    "unit and number": (table(second=UNITS), table(), "'weight' holds text in o.csv"),
    "currency and number": (table([f"${age}" for age in AGES]), table(), "holds text in o.csv"),
    "accounting brackets and number": (
        table([f"({age})" for age in AGES]), table([f"-{age}" for age in AGES]),
        "holds text in o.csv",
    ),
    "typographic minus and number": (
        table([f"\u2212{age}" for age in AGES]), table([f"-{age}" for age in AGES]),
        "holds text in o.csv",
    ),
    "thousands and number": (
        table([f'"1,0{age}"' for age in AGES]), table([f"10{age}" for age in AGES]),
        "holds text in o.csv",
    ),
    "decimal commas unannounced": (
        table(second=[f'"{weight.replace(".", ",")}"' for weight in WEIGHTS]),
        table(second=[f'"{weight.replace(".", ",")}"' for weight in WEIGHTS]), "--decimal ','",
    ),
    "decimal commas in one file": (
        table(second=[f'"{weight.replace(".", ",")}"' for weight in WEIGHTS]), table(),
        "holds text in o.csv",
    ),
    "semicolons unannounced": (
        table(sep=";", names="age;weight;sex"), table(sep=";", names="age;weight;sex"), "--sep",
    ),
    "Excel's own line": ("sep=,\n" + table(), table(), "3 cells, expected 2"),
    "a comment above": ("# export\n" + table(), table(), "line 2: 3 cells, expected 1"),
    "row names of R": (
        table([f"{i},{age}" for i, age in enumerate(AGES)]), table(), "line 2: 4 cells, expected 3",
    ),
    "index of pandas": (
        table([f"{i},{age}" for i, age in enumerate(AGES)], names=",age,weight,sex"), table(),
        "column 1 has cells but no name",
    ),
    "no header, and two equal cells in its place": (
        table(["70", *AGES], ["70", *WEIGHTS], ["M", *SEXES]).partition("\n")[2], table(),
        "columns 1 and 2",
    ),
    "repeated names": (table(names="a,a,sex"), table(names="a,a,sex"), "columns 1 and 2"),
    "true and 1": (
        table(["True", "False"] * 15), table(["1", "0"] * 15), "holds bool in o.csv and number",
    ),
    "dates as text and as serial numbers": (
        table(["2020-01-31"] * N), table(["43861"] * N), "holds text in o.csv and number",
    ),
    "dates in two formats": (
        table(["2020-01-31", "2020-02-01"] * 15), table(["31/01/2020", "01/02/2020"] * 15),
        "no original has",
    ),
    "yes and true": (table(["yes", "no"] * 15), table(["True", "False"] * 15), "no original has"),
    "a blank after labels": (
        table(), table(third=[f"{sex} " for sex in SEXES]), "differ from one of the originals only",
    ),
    "another case": (
        table(), table(third=[sex.lower() for sex in SEXES]),
        "differ from one of the originals only",
    ),
    "decomposed accents": (
        table(third=[f"\u00e9{sex}" for sex in SEXES]),
        table(third=[f"e\u0301{sex}" for sex in SEXES]),
        "differ from one of the originals only",
    ),
    "UTF-8 read twice": (
        table(third=[f"\u00e9{sex}" for sex in SEXES]),
        table(third=[f"\u00c3\u00a9{sex}" for sex in SEXES]),
        "no original has",
    ),
    "UTF-16 unannounced": (table().encode("utf-16"), table(), "--encoding"),
    "cp1252 unannounced": (
        table(third=[f"\u00e9{sex}" for sex in SEXES]).encode("cp1252"), table(), "--encoding",
    ),
    "a cell of 1e400": (table(["1e400", *AGES[1:]]), table(), "'age' has 1 infinite number"),
    "an empty column": (table([""] * N), table([""] * N), "missing cells in column(s) 'age'"),
    "constant columns": (
        table(["1"] * N, ["2"] * N, ["x"] * N), table(["1"] * N, ["2"] * N, ["x"] * N),
        "All 3 columns of X are constant",
    ),
    "a sheet of a spreadsheet": (b"PK\x03\x04" + bytes(99), table(), "spreadsheet"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
def test_what_cannot_be_compared_is_refused_with_the_place(score, name):
    originals, avatars, part = REFUSALS[name]
    status, _, lines = score(originals, avatars)
    assert status == 2
    assert part in " ".join(lines)
    assert "Traceback" not in " ".join(lines)


def warned(lines, part):
    """Tell whether one of the lines is a warning with a part."""
    return any(line.startswith("skprivacy: warning: ") and part in line for line in lines)


@pytest.mark.parametrize("first", [0, 1, 1000])
def test_renumbered_rows_of_a_short_table_are_noticed(score, first):
    """Saved with its row numbers, a copied table has no direct match left."""
    originals, avatars = (
        table(range(start, start + N), names="Unnamed: 0,weight,sex") for start in (0, first + 500)
    )
    status, metrics, lines = score(originals, avatars)
    assert status == 0
    assert metrics["row_direct_match_protection"] == 100
    assert warned(lines, "Column 'Unnamed: 0' has 30 different values in 30 originals")
    assert not warned(score(table(), table())[2], "different values")


@pytest.mark.parametrize(
    "dress",
    [
        "{}%",
        "{} %",
        "${}",
        "{} \u20ac",
        "{} kg",
        "1,0{},000",
        "1\u202f0{}.5",
        "1 0{},5",
        "({})",
        "\u2212{}",
    ],
)
def test_numbers_that_are_read_as_labels_are_noticed(score, dress):
    """In the same dress in both files they are labels, without sizes and without an order."""
    cells = [f'"{dress.format(age)}"' for age in AGES]
    assert warned(score(table(cells), table(cells))[2], "'age' of o.csv is read as text: its cells")


@pytest.mark.parametrize("dress", ["0{}", "+336{}", "A{}", "{}-01-31", "06 {} 12 34 56", "{}B"])
def test_codes_are_no_dressed_numbers(score, dress):
    cells = [dress.format(age) for age in AGES]
    assert not warned(score(table(cells), table(cells))[2], "is read as text: its cells")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (["60", "70", "80"], ["132", "154", "176"]),
        (["1", "0", "1"], ["0", "1", "0"]),
        (["1.23457E+17"] * 3, ["1", "2", "9"]),
    ],
    ids=["kilograms and pounds", "a flag and its opposite", "identifiers cut by a spreadsheet"],
)
def test_columns_that_say_the_same_need_no_option(score, first, second):
    """Two columns and one axis: the number of axes is not the user's to know."""
    file = table(first * 10, second * 10, ["x"] * N)
    status, metrics, lines = score(file, file)
    assert (status, lines) == (0, [])
    assert set(metrics) >= {"hidden_rate", "local_cloaking"}
    status, _, lines = score(file, file, "--n-components", "2")
    assert status == 2
    assert "n_components=2 is more than the rank of the table, 1" in lines[-1]


def test_one_hot_columns_are_columns_like_any_others(score):
    """Each level's column follows from the others: fewer axes than columns, and no fault."""
    levels = np.eye(3, dtype=int)[np.arange(N) % 3]
    whole = table(*levels.T, names="a,b,c")
    written = table(*levels.T.astype(float), names="a,b,c")
    with_age = [file.replace("\n", ",{}\n").format("age", *AGES) for file in (whole, written)]
    status, metrics, lines = score(*with_age)
    assert (status, lines) == (0, [])
    # Row i has level i modulo 3; only rows that occur once can be hit.
    rows = list(zip(AGES, np.arange(N) % 3, strict=True))
    n_unique = sum(rows.count(row) == 1 for row in rows)
    assert metrics["row_direct_match_protection"] == pytest.approx(100 * (1 - n_unique / N))
    assert metrics["local_cloaking"] == 0
    # Three levels that sum to one span two axes, and the age is the third.
    assert score(*with_age, "--n-components", "3")[0] == 0
    status, _, lines = score(*with_age, "--n-components", "4")
    assert status == 2
    assert "the rank of the table, 3" in lines[-1]


def test_sentinels_are_numbers_until_they_are_named(score):
    """Nothing tells a 999 from a measurement, unless the user does."""
    rotated = [column[1:] + column[:1] for column in (AGES, WEIGHTS, SEXES)]
    files = {
        cell: (table([cell] * 5 + AGES[5:]), table([cell] * 5 + rotated[0][5:], *rotated[1:]))
        for cell in ("999", "")
    }
    status, as_numbers, lines = score(*files["999"])
    assert (status, lines) == (0, [])
    named = score(*files["999"], "--missing", "999", "--impute")[1]
    assert named == score(*files[""], "--impute")[1] != as_numbers


def test_a_repeated_header_makes_labels_and_is_noticed(score):
    first, _, rest = table().partition("\n")
    twice = f"{first}\n{first}\n{rest}"
    lines = score(twice, twice)[2]
    for name in ("age", "weight"):
        assert warned(lines, f"'{name}' of o.csv is read as text: some cells are numbers")


# Odd, so none of them is a float64.
IDENTIFIERS = [f"{123456789012345679 + 2 * i}" for i in range(N)]


@pytest.mark.parametrize("others", [IDENTIFIERS, ["1.23457E+17"] * N], ids=["whole", "cut"])
@pytest.mark.parametrize("whole_first", [True, False])
def test_identifiers_of_18_digits_are_no_coordinates(score, others, whole_first):
    """Spreadsheets cut them to six digits: without that column the copies match again."""
    files = [table(ids, WEIGHTS, AGES, names="id,weight,age") for ids in (IDENTIFIERS, others)]
    files = files if whole_first else files[::-1]
    status, _, lines = score(*files)
    assert status == 2
    assert "Column 'id' has 30 integer(s) with more digits than float64 holds" in lines[-1]
    assert "--exclude" in lines[-1]
    # All rows differ in the other columns.
    status, metrics, _ = score(*files, "--exclude", "id")
    assert status == 0
    assert metrics["row_direct_match_protection"] == metrics["local_cloaking"] == 0


# Frames


@pytest.mark.parametrize(
    "cell", [np.timedelta64(1, "D"), np.timedelta64(24, "h"), np.timedelta64("NaT", "s")]
)
def test_lengths_of_time_among_objects_are_no_numbers(cell):
    """numpy's are integers to Python: a day was 1, 24 hours were 24, and NaT -2**63."""
    X = np.array([[1, 2], [2, cell], [3, 4]], dtype=object)
    with pytest.raises(TypeError, match=r"Column\(s\) 1 of X \(the originals\)"):
        closer_avatar_counts(X, X)
    with pytest.raises(TypeError, match="Dates and times are not supported: column 1"):
        FAMD(1).fit(X)
    weights = np.array([1, cell, 1], dtype=object)
    with pytest.raises(TypeError, match="sample_weight must hold numbers"):
        hidden_rate_score([[0], [1], [2]], [[0], [1], [2]], sample_weight=weights)
    own = np.array([1, cell, 1], dtype=object)
    with pytest.raises(TypeError, match="own_avatar must hold integers"):
        closer_avatar_counts([[0], [1], [2]], [[0], [1], [2]], own_avatar=own)
    for parameter in ("tie_tol", "n_components"):
        with pytest.raises(TypeError, match=f"{parameter} must be"):
            closer_avatar_counts([[0], [1]], [[0], [1]], **{parameter: cell})


def test_polars_objects_come_back():
    """A column that polars could not type is text to FAMD, and has to be written again."""
    X = pl.DataFrame({"n": [0, 1, 2, 5], "t": pl.Series(list("abab"), dtype=pl.Object)})
    anonymizer = KNeighborsAnonymizer(1, projection=FAMD(1), random_state=0)
    avatars = anonymizer.fit_transform(X)
    assert avatars.schema == X.schema
    assert set(avatars["t"].to_list()) <= {"a", "b"}
    famd = FAMD(2).fit(X)
    assert famd.inverse_transform(famd.transform(X)).to_dict(as_series=False) == X.to_dict(
        as_series=False
    )


@pytest.mark.skipif(not hasattr(pl, "Int128"), reason="this version of polars has no Int128")
def test_integers_of_128_bits():
    """polars makes them of Python integers beyond int64, such as long identifiers."""
    X = pl.DataFrame({"id": pl.Series([2**64, 2**64 + 1, 0], dtype=pl.Int128), "n": [1, 2, 7]})
    assert row_direct_match_protection_score(X, X[:1]) == pytest.approx(200 / 3)
    for refuses in (FAMD(1), KNeighborsAnonymizer(1), HiddenRate()):
        with pytest.raises(TypeError, match=r"'id' \(position 0\) .* 128-bit"):
            refuses.fit(X)


@pytest.mark.parametrize("name", ["^x$", "*", "", "^.*$", "{0}", "a.b"])
@pytest.mark.parametrize("cells", [[0, 1, 5], ["u", "v", "w"], [0.5, 1.5, 9], [True, False, True]])
def test_polars_names_are_no_patterns(name, cells):
    """polars' own functions look a column up by its name, and take ^x$ for a pattern."""
    X = pl.DataFrame({name: cells, "n": [Decimal("0.25"), Decimal("1.50"), Decimal("7.00")]})
    assert row_direct_match_protection_score(X, X[:2]) == pytest.approx(100 / 3)
    famd = FAMD(2).fit(X)
    assert famd.inverse_transform(famd.transform(X)).equals(X)
    avatars = KNeighborsAnonymizer(1, projection=FAMD(1), random_state=0).fit_transform(X)
    assert avatars.schema == X.schema
    report = privacy_report(X, avatars, projection=FAMD(1), output_dict=True)
    assert report["metrics"]["row_direct_match_protection"]["value"] < 100


def test_ragged_lists_of_columns_are_refused_by_name():
    with pytest.raises(TypeError, match="categorical_features must be"):
        FAMD(1, categorical_features=[0, [1]]).fit([[1, 2], [3, 4]])


# Kinds that broke other tools, and have to stay whole here


def mixed(n=40, seed=0):
    """Return a table of numbers, labels, flags and names that query languages trip over."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "petal length (cm)": rng.normal(size=n).round(1),
            "a b\n`c` == 1 and 'd\"": rng.choice(["x", "it's", "a\nb", '"'], n),
            "class": pd.Categorical(rng.choice(["u", "v"], n), categories=["v", "u", "never"]),
            "flag": rng.random(n) < 0.5,
        }
    )


def test_names_and_cells_that_look_like_code_are_data():
    X = mixed()
    assert row_direct_match_protection_score(X, X.iloc[::-1]) == pytest.approx(
        100 * (1 - (~X.duplicated(keep=False)).mean())
    )
    report = privacy_report(X, X, projection=FAMD(3), output_dict=True)
    assert report["metrics"]["hidden_rate"]["value"] < 50


@pytest.mark.parametrize("n_columns", [32, 33, 842])
def test_no_limit_on_columns(n_columns):
    X = np.random.default_rng(0).integers(0, 2, (25, n_columns))
    frame = pd.DataFrame(X).add_prefix("c")
    assert row_direct_match_protection_score(frame, frame) == 0
    assert closer_avatar_counts(frame, frame).tolist() == [0] * 25


def test_copies_score_zero_and_raise_nothing():
    X = FAMD(3).fit_transform(mixed())
    X = X[np.unique(X.round(9), axis=0, return_index=True)[1]]
    assert hidden_rate_score(X, X) == local_cloaking_score(X, X) == 0
    assert row_direct_match_protection_score(X, X) == 0


def test_a_batch_without_some_levels_keeps_its_place():
    X = mixed()
    famd = FAMD(4).fit(X)
    whole = famd.transform(X)
    for rows in (slice(0, 1), slice(3, 6), slice(39, 40)):
        np.testing.assert_array_equal(famd.transform(X.iloc[rows]), whole[rows])


def test_text_dates_are_compared_as_text():
    X = pd.DataFrame({"when": ["2020-01-31", "27 Dec 2020", "31/01/2020"], "n": [1, 2, 3]})
    assert row_direct_match_protection_score(X, X) == 0
    assert row_direct_match_protection_score(X, X.replace("31/01/2020", "2020-01-31")) == 100 / 3


@pytest.mark.parametrize("dtype", ["uint64", "Int64", "int64[pyarrow]", "object"])
def test_long_identifiers_keep_their_last_digit(dtype):
    X = pd.DataFrame({"id": pd.Series([2**53, 1577134800018267738], dtype="int64")})
    other = pd.DataFrame({"id": pd.Series([2**53 + 1, 1577134800018267738], dtype=dtype)})
    assert row_direct_match_protection_score(X, other) == 50


def test_columns_of_one_value_and_gaps():
    X = pd.DataFrame({"skip": [-7, None, -7, None], "n": [1, 2, 3, 4]})
    assert row_direct_match_protection_score(X, X) == 0
    with pytest.raises(ValueError, match="NaN: column 'skip'"):
        FAMD(1).fit(X)
    assert FAMD(1).fit_transform(X.fillna(-7)).shape == (4, 1)


def test_identifiers_as_labels_do_not_raise_a_count():
    """Labels of one record each leave the others at one place, up to rounding.

    On paper all distances tie there, so the true count is the largest one. What rounding can do
    is miss ties, which makes the records look less protected, and never more.
    """
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"name": [f"n{i}" for i in range(50)], "kind": rng.choice(list("abc"), 50)})
    X.loc[[7, 9], "kind"] = "rare"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        famd = FAMD(1).fit(X)
        anonymizer = KNeighborsAnonymizer(5, projection=FAMD(1), random_state=0)
        avatars = famd.transform(anonymizer.fit_transform(X))
    coordinates = famd.transform(X)
    counts = closer_avatar_counts(coordinates, avatars)
    # To nine digits the table is what it is on paper.
    assert (counts <= closer_avatar_counts(coordinates.round(9), avatars.round(9))).all()
