"""The report on two files, as the command line asks for it."""

from __future__ import annotations

from argparse import Namespace
from typing import Any, cast

from ..metrics._report import privacy_report
from ._csv_cells import CsvFormat
from ._file_projection import make_projection
from ._progress import counting, reading
from ._table_files import RawTable, read_table
from ._tables import pair_tables


def measure_files(arguments: Namespace) -> dict[str, Any]:
    """Read, pair and project both tables and return their report."""
    pair = pair_tables(
        _read(arguments.originals, arguments),
        _read(arguments.avatars, arguments),
        decimal=arguments.decimal,
        id_column=arguments.id,
        group_column=arguments.group,
        exclude=arguments.exclude,
        categorical=arguments.categorical,
    )
    projection = make_projection(pair, n_components=arguments.n_components, impute=arguments.impute)
    with counting():
        report = privacy_report(
            pair.originals,
            pair.avatars,
            own_avatar=pair.own_avatar,
            projection=projection,
            groups=pair.groups,
            output_dict=True,
        )
    return cast("dict[str, Any]", report)


def _read(path: str, arguments: Namespace) -> RawTable:
    """Read one file in the format that the arguments describe."""
    style = CsvFormat(
        arguments.sep, arguments.decimal, arguments.encoding, tuple(arguments.missing)
    )
    with reading(path) as on_bytes:
        return read_table(path, style, on_bytes)
