"""Measuring two files gives what the functions give for the tables in memory."""

from __future__ import annotations

from argparse import Namespace

import numpy as np
import pytest
from palmerpenguins import load_penguins
from sklearn.datasets import load_breast_cancer

from skprivacy import FAMD, KNeighborsAnonymizer, row_direct_match_protection_score
from skprivacy._cli._file_scores import measure_files
from skprivacy.metrics._report import privacy_report

DEFAULTS = {
    "id": None,
    "group": None,
    "exclude": [],
    "categorical": [],
    "n_components": None,
    "impute": False,
    "missing": [],
    "sep": None,
    "decimal": ".",
    "encoding": "utf-8-sig",
}


def measure(originals, avatars, **options):
    """Measure two files."""
    paths = {"originals": str(originals), "avatars": str(avatars)}
    return measure_files(Namespace(**paths, **(DEFAULTS | options)))


def anonymize(table):
    """Return avatars of a table."""
    return KNeighborsAnonymizer(10, projection=FAMD(5), random_state=0).fit_transform(table)


@pytest.fixture(scope="module")
def patients():
    """Return the breast-cancer table with its diagnosis in words, and avatars."""
    table = load_breast_cancer(as_frame=True).frame
    table["target"] = table["target"].map({0: "malignant", 1: "benign"})
    return table, anonymize(table)


@pytest.fixture(scope="module")
def penguins():
    """Return the penguins without missing cells, and avatars."""
    table = load_penguins().dropna().reset_index(drop=True)
    return table, anonymize(table)


FORMATS = {
    "csv": (lambda table, path: table.to_csv(path, index=False), {}),
    "french csv": (
        lambda table, path: table.to_csv(
            path, index=False, sep=";", decimal=",", encoding="cp1252"
        ),
        {"sep": ";", "decimal": ",", "encoding": "cp1252"},
    ),
    "parquet": (lambda table, path: table.to_parquet(path, index=False), {}),
}


@pytest.mark.parametrize("file_format", FORMATS)
@pytest.mark.parametrize("name", ["patients", "penguins"])
def test_every_format_gives_the_numbers_of_the_function(file_format, name, request, tmp_path):
    write, options = FORMATS[file_format]
    table, avatars = request.getfixturevalue(name)
    write(table, tmp_path / "originals")
    write(avatars[avatars.columns[::-1]], tmp_path / "avatars")
    expected = privacy_report(table, avatars, projection=FAMD(5), output_dict=True)
    assert measure(tmp_path / "originals", tmp_path / "avatars", **options) == expected


def test_a_csv_beside_a_parquet_file(penguins, tmp_path):
    table, avatars = penguins
    table.to_csv(tmp_path / "originals.csv", index=False)
    avatars.to_parquet(tmp_path / "avatars.parquet")
    expected = privacy_report(table, avatars, projection=FAMD(5), output_dict=True)
    assert measure(tmp_path / "originals.csv", tmp_path / "avatars.parquet") == expected


def test_shuffled_avatars_are_paired_by_identifier(patients, tmp_path):
    table, avatars = patients
    order = np.random.default_rng(0).permutation(len(table))
    # Beyond 2**53 neighbouring identifiers are one float.
    identifier = 2**60 + np.arange(len(table))
    table.assign(id=identifier).to_csv(tmp_path / "originals.csv", index=False)
    shuffled = avatars.assign(id=identifier).iloc[order]
    shuffled.to_csv(tmp_path / "avatars.csv", index=False)
    paths = tmp_path / "originals.csv", tmp_path / "avatars.csv"
    expected = privacy_report(table, avatars, projection=FAMD(5), output_dict=True)
    assert measure(*paths, id="id") == expected
    with pytest.warns(UserWarning, match="no closer than a random pairing"):
        measure(*paths, exclude=["id"])


def test_copies_through_a_file_stay_copies(patients, tmp_path):
    table, _ = patients
    table.to_csv(tmp_path / "originals.csv", index=False)
    # 17 digits are not the shortest spelling of a float64, but the same number.
    written = table.map(lambda cell: f"{cell:.17g}" if isinstance(cell, float) else cell)
    written.to_csv(tmp_path / "avatars.csv", index=False)
    report = measure(tmp_path / "originals.csv", tmp_path / "avatars.csv")
    assert report["metrics"]["row_direct_match_protection"]["n_hits"] == len(table)
    assert report["metrics"]["hidden_rate"]["value"] == 0


def test_missing_cells_are_imputed_for_distances_and_raw_for_rows(penguins, tmp_path):
    table = load_penguins()
    avatars = table.copy()
    # An avatar that has only the imputed value in place of a missing cell is no copy.
    avatars["bill_length_mm"] = avatars["bill_length_mm"].fillna(table["bill_length_mm"].median())
    table.to_csv(tmp_path / "originals.csv", index=False)
    avatars.to_csv(tmp_path / "avatars.csv", index=False)
    report = measure(tmp_path / "originals.csv", tmp_path / "avatars.csv", impute=True)
    metric = report["metrics"]["row_direct_match_protection"]
    assert metric["value"] == row_direct_match_protection_score(table, avatars)
    assert metric["n_hits"] == 342
    # As distances go, both tables are the same.
    assert report["metrics"]["hidden_rate"]["value"] == 100 * np.mean(
        table.fillna({"bill_length_mm": table["bill_length_mm"].median()}).duplicated(keep=False)
    )


def test_groups_and_components(penguins, tmp_path):
    table, avatars = penguins
    table.to_csv(tmp_path / "originals.csv", index=False)
    avatars.to_csv(tmp_path / "avatars.csv", index=False)
    expected = privacy_report(
        table, avatars, projection=FAMD(3), groups=table["species"], output_dict=True
    )
    paths = tmp_path / "originals.csv", tmp_path / "avatars.csv"
    assert measure(*paths, group="species", n_components=3) == expected


def test_numbers_that_are_labels(penguins, tmp_path):
    table, avatars = penguins
    # Mixes of years may be years that no original has; labels may not.
    avatars = avatars.assign(year=np.roll(table["year"], 1))
    table.to_csv(tmp_path / "originals.csv", index=False)
    avatars.to_csv(tmp_path / "avatars.csv", index=False)
    paths = tmp_path / "originals.csv", tmp_path / "avatars.csv"
    as_label = FAMD(5, categorical_features=["year"])
    expected = privacy_report(table, avatars, projection=as_label, output_dict=True)
    assert measure(*paths, categorical=["year"]) == expected
    assert measure(*paths) != expected
