"""Files are known by their first bytes and read with their values."""

from __future__ import annotations

import datetime as dt
import gzip
import math

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from skprivacy._cli._csv_cells import CsvFormat, TableError
from skprivacy._cli._table_files import read_table


def read(path):
    """Read a file with default settings."""
    return read_table(str(path), CsvFormat(), lambda _: None)


def refusal(path):
    """Return the message that refuses a file."""
    with pytest.raises(TableError) as caught:
        read(path)
    return str(caught.value)


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file."""

    def write_file(content, name="table.csv"):
        path = tmp_path / name
        if isinstance(content, pa.Table):
            pq.write_table(content, path)
        else:
            path.write_bytes(content)
        return path

    return write_file


def test_format_is_known_by_content_and_not_by_name(write):
    table = pa.table({"a": [1, 2]})
    assert read(write(table, "table.csv")).is_typed
    assert not read(write(b"a,b\n1,2\n", "table.parquet")).is_typed


def test_parquet_values_survive(write):
    table = pa.table(
        {
            "big": pa.array([2**53 + 1, None]),
            "single": pa.array([0.1, math.nan], pa.float32()),
            "text": ["007", "NA"],
            "when": [dt.date(2020, 1, 31), None],
        }
    )
    read_back = read(write(table)).cells
    assert read_back.schema.types == table.schema.types
    single = table.column("single")[0].as_py()
    assert read_back.to_pydict() == table.to_pydict() | {"single": [single, None]}


def test_categories_of_parquet_become_labels_and_stay_known_as_such(write, tmp_path):
    frame = pd.DataFrame({"grade": pd.Categorical([3, 1, 3]), "city": pd.Categorical(list("aba"))})
    frame.to_parquet(tmp_path / "frame.parquet")
    table = read(tmp_path / "frame.parquet")
    assert table.cells.to_pydict() == {"grade": [3, 1, 3], "city": ["a", "b", "a"]}
    assert table.labels == ("grade", "city")


def test_a_nameless_pandas_index_is_no_data_and_a_named_one_is(tmp_path):
    frame = pd.DataFrame({"a": [1, 2]}, index=[7, 5])
    frame.to_parquet(tmp_path / "nameless.parquet")
    frame.rename_axis("patient").to_parquet(tmp_path / "named.parquet")
    assert read(tmp_path / "nameless.parquet").cells.column_names == ["a"]
    assert set(read(tmp_path / "named.parquet").cells.column_names) == {"a", "patient"}


@pytest.mark.parametrize(
    ("header", "part"),
    [(",b", "column 1 has cells but no name"), ("a,b,a", "columns 1 and 3 have the same name")],
)
def test_names_that_are_missing_or_repeated(write, header, part):
    row = ",".join("1" for _ in header.split(","))
    assert part in refusal(write(f"{header}\n{row}\n".encode()))


def test_repeated_names_in_parquet(write):
    table = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    assert "columns 1 and 2 have the same name" in refusal(write(table))


@pytest.mark.parametrize("table", [pa.table({"a": pa.array([], pa.int64())}), pa.table({})])
def test_parquet_without_data(write, table):
    assert "has no data" in refusal(write(table))


def test_a_damaged_parquet_file(write):
    whole = write(pa.table({"a": list(range(1000))})).read_bytes()
    for content in (whole[: len(whole) // 2], whole[:-9] + b"xxxxxxxxx", b"PAR1"):
        assert "cannot be read as Parquet" in refusal(write(content))


def test_other_files_are_refused(write):
    assert "spreadsheet" in refusal(write(b"PK\x03\x04rest"))
    assert "not UTF-8" in refusal(write(gzip.compress(b"a,b\n1,2\n")))


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "absent.csv")
    with pytest.raises(IsADirectoryError):
        read(tmp_path)
