"""CSV files keep their values as text, or one line says where they are broken."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skprivacy._cli._csv_cells import CsvFormat, TableError, read_csv_cells

# In every faulty file below: no message may repeat it.
CANARY = "Canary7731"


def read(content, *, on_bytes=lambda _: None, **style):
    """Read a file's bytes or text as columns of text."""
    stream = io.BytesIO(content if isinstance(content, bytes) else content.encode())
    return read_csv_cells(stream, "file.csv", CsvFormat(**style), on_bytes).to_pydict()


def refusal(content, **style):
    """Return the message that refuses a file, after checking that it names no cell."""
    with pytest.raises(TableError) as caught:
        read(content, **style)
    message = str(caught.value)
    assert CANARY not in message
    assert "\n" not in message
    assert message.startswith("file.csv")
    return message


@pytest.mark.parametrize(
    "cell",
    ["007", "9007199254740993", "0.10000000000000001", "NA", "nan", "True", "2020-01-31", " x "],
)
def test_cells_stay_as_they_are_written(cell):
    assert read(f"a,b\n{cell},1\n") == {"a": [cell], "b": ["1"]}


def test_only_blank_cells_are_missing():
    expected = {"a": [None, None, None, "NA"], "b": ["1", "2", "3", "4"]}
    assert read('a,b\n,1\n"",2\n  ,3\nNA,4\n') == expected


def test_words_for_missing_are_those_that_are_named():
    cells = read("a,b\nNA,1\n ? ,2\nna,3\n", missing=("NA", "?"))
    assert cells["a"] == [None, None, "na"]


def test_quotes_commas_and_line_breaks_inside_cells():
    text = 'a,b\n"x, ""y""\r\nz",1\n5" pipe,2\n'
    assert read(text) == {"a": ['x, "y"\r\nz', '5" pipe'], "b": ["1", "2"]}


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_endings(ending):
    assert read(ending.join(["a,b", "1,2", "3,4"])) == {"a": ["1", "3"], "b": ["2", "4"]}


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte order mark"])
def test_utf8_with_and_without_mark(start):
    assert read(start + "é,b\nœ,2\n".encode()) == {"é": ["œ"], "b": ["2"]}


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "latin-1"])
def test_other_encodings_are_named_by_the_user(encoding):
    content = f"a,b\né{CANARY},2\n".encode(encoding)
    assert "--encoding" in refusal(content)
    assert read(content, encoding=encoding) == {"a": [f"é{CANARY}"], "b": ["2"]}


def test_a_fault_of_encoding_far_down_is_found():
    content = b"a,b\n" + 9000 * b"1,2\n" + CANARY.encode() + b"\xe9,2\n"
    assert "UTF-8" in refusal(content)


def test_blank_rows_and_columns_that_spreadsheets_leave_are_dropped():
    assert read("a,b,,\n1,2,,\n,,,\n3,4\n,,,\n\n , ,,\n".replace("3,4\n", "3,4,,\n")) == {
        "a": ["1", None, "3"],
        "b": ["2", None, "4"],
    }


def test_blank_cells_beyond_the_header_are_dropped():
    assert read("a,b\n1,2,\n3,4, ,\n") == {"a": ["1", "3"], "b": ["2", "4"]}


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("a,b\n", "no data rows"),
        ("a,b\n,\n", "no data rows"),
        (f"a,b\n1,2\n{CANARY}\n", "line 3: 1 cells, expected 2"),
        (f"a,b\n1,2\n1,2,{CANARY}\n", "line 3: 3 cells, expected 2"),
        (f'a,b\n"{CANARY},2\n3,4\n', "quote"),
        (f'a,b\n"{CANARY}"x,2\n', "line 2: a quoted cell"),
        (f"a,b\n{CANARY}\0,2\n", "line 2: a NUL"),
        (f"a;b\n{CANARY};2\n", "separated by ';'"),
        (f"a\tb\n{CANARY}\t2\n", r"separated by '\t'"),
    ],
)
def test_broken_files(content, part):
    assert part in refusal(content)


def test_the_line_of_a_ragged_row_counts_line_breaks_inside_cells():
    assert "line 5: 1 cells" in refusal(f'a,b\n"1\n\n",2\n{CANARY}\n')


def test_a_separator_that_is_named_is_not_doubted():
    assert read("a;b\nx\n", sep=",") == {"a;b": ["x"]}


def test_cells_of_any_length():
    cell = 200_000 * "x"
    assert read(f"a,b\n{cell},1\n") == {"a": [cell], "b": ["1"]}


def test_progress_adds_up_to_the_file():
    seen = []
    content = "a,b\n" + 10_000 * "1,2\n"
    read(content, on_bytes=seen.append)
    assert len(seen) > 2
    assert sum(seen) == len(content)


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)


@given(
    rows=st.lists(st.tuples(CELLS, CELLS, st.just("end")), min_size=1, max_size=6),
    sep=st.sampled_from([",", ";", "\t"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_whatever_is_written_is_read_back(rows, sep, quoting):
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=sep, quoting=quoting)
    writer.writerows([("a", "b", "c"), *rows])
    columns = [list(column) for column in zip(*rows, strict=True)]
    expected = [[cell if cell.strip() else None for cell in column] for column in columns]
    assert list(read(stream.getvalue(), sep=sep).values()) == expected


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(content):
    try:
        columns = read(content)
    except TableError:
        return
    assert len({len(cells) for cells in columns.values()}) == 1
