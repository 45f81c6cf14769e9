"""The projection in which the command line measures tables read from files."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from .._containers import quoted
from .._exact_integers import rounded_integers
from ..projection import FAMD
from ._csv_cells import TableError
from ._tables import TablePair

_DEFAULT_N_COMPONENTS = 5


def make_projection(pair: TablePair, *, n_components: int | None, impute: bool) -> Pipeline:
    """Return FAMD behind what makes its cells: numbers and labels, imputed if asked for."""
    _check_enough_rows(pair)
    names = list(pair.originals.columns)
    labels = [name for name in names if not _is_number(pair.originals[name]) or name in pair.labels]
    numbers = [name for name in names if name not in labels]
    _check_labels_known(pair, labels)
    _check_finite(pair, numbers)
    _check_exact(pair, numbers)
    steps = [FunctionTransformer(distance_cells, kw_args={"labels": labels})]
    if impute:
        _check_imputable(pair)
        steps.append(_imputer(numbers, labels))
    else:
        _check_complete(pair)
    if n_components is None:
        cells = make_pipeline(*steps).fit_transform(pair.originals)
        n_components = _as_many_axes(cells, min(_DEFAULT_N_COMPONENTS, len(cells) - 1))
    return make_pipeline(*steps, FAMD(n_components))


def _is_number(column: pd.Series) -> bool:
    """Tell whether a column is of numbers; truth values are labels."""
    return pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(
        column.dtype
    )


def distance_cells(frame: pd.DataFrame, labels: list[str]) -> pd.DataFrame:
    """Return numbers as float64 and labels as text, missing cells as NaN."""
    return pd.DataFrame(
        {
            name: _label_cells(column) if name in labels else _number_cells(column)
            for name, column in frame.items()
        }
    )


def _number_cells(column: pd.Series) -> NDArray[np.float64]:
    """Return numbers as float64, missing cells as NaN."""
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _label_cells(column: pd.Series) -> pd.Series:
    """Return labels as Python text and NaN, which every consumer understands."""
    return pd.Series(_as_text(column).to_numpy(dtype=object, na_value=np.nan), dtype=object)


def _as_text(column: pd.Series) -> pd.Series:
    """Write labels as text; a number is the same label however it is stored."""
    text = pd.ArrowDtype(pa.large_string())
    if not _is_number(column):
        return column.astype(text)
    codes, numbers = pd.factorize(column)
    labels = pd.array([_number_as_text(number) for number in numbers], dtype=text)
    return pd.Series(labels.take(codes, allow_fill=True), index=column.index, name=column.name)


def _number_as_text(number: Any) -> str:
    """Write a number, integers of any length exactly."""
    is_whole = math.isfinite(number) and number == int(number)
    return str(int(number)) if is_whole else str(float(number))


def _imputer(numbers: list[str], labels: list[str]) -> ColumnTransformer:
    """Fill in the originals' median of numbers and most frequent label."""
    return ColumnTransformer(
        [
            ("numbers", SimpleImputer(strategy="median"), numbers),
            ("labels", SimpleImputer(strategy="most_frequent"), labels),
        ],
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")


def _check_enough_rows(pair: TablePair) -> None:
    """Raise when there is nobody to be hidden among."""
    if len(pair.originals) < 2:
        raise TableError(
            "The originals have 1 data row, distances need at least 2 rows: check that it is the "
            "right file."
        )


def _check_labels_known(pair: TablePair, labels: list[str]) -> None:
    """Raise when avatars have labels that no original has: they have no coordinates."""
    for name in labels:
        avatars = _as_text(pair.avatars[name])
        unknown = np.flatnonzero(avatars.notna() & ~avatars.isin(_as_text(pair.originals[name])))
        if len(unknown):
            raise TableError(
                f"Column {quoted(name)} has labels in {len(unknown)} row(s) of the avatars that "
                f"no original has (first in data row {unknown[0] + 1}). Correct them, or leave "
                "the column out with --exclude."
            )


def _sides(pair: TablePair) -> list[tuple[pd.DataFrame, str]]:
    """Return both tables with what messages call them."""
    return [(pair.originals, "originals"), (pair.avatars, "avatars")]


def _check_finite(pair: TablePair, numbers: list[str]) -> None:
    """Raise when a number is beyond float64, with where."""
    for frame, which in _sides(pair):
        for name in numbers:
            infinite = np.flatnonzero(np.isinf(_number_cells(frame[name])))
            if len(infinite):
                raise TableError(
                    f"Column {quoted(name)} has {len(infinite)} infinite number(s), or too large "
                    f"for float64, in the {which} (first in data row {infinite[0] + 1}), which "
                    "have no distances: correct them, or leave the column out with --exclude."
                )


def _check_exact(pair: TablePair, numbers: list[str]) -> None:
    """Raise when float64 would round an integer, with what to do about identifiers."""
    for frame, which in _sides(pair):
        for name in numbers:
            rounded = np.flatnonzero(rounded_integers(_whole_cells(frame[name])))
            if len(rounded):
                raise TableError(
                    f"Column {quoted(name)} has {len(rounded)} integer(s) with more digits than "
                    f"float64 holds in the {which} (first in data row {rounded[0] + 1}), so that "
                    "people would become one point: leave the column out with --exclude, or pair "
                    "by it with --id."
                )


def _whole_cells(column: pd.Series) -> NDArray[Any]:
    """Return the whole numbers of a column, 0 in place of all others."""
    cells = column.fillna(0).to_numpy()
    if cells.dtype == object:
        return np.array([int(cell) if cell == int(cell) else 0 for cell in cells], dtype=object)
    return cells


def _check_complete(pair: TablePair) -> None:
    """Raise when cells are missing, with where."""
    for frame, which in _sides(pair):
        missing = frame.isna().sum()
        found = [quoted(name) for name in missing.index[missing > 0]]
        if found:
            raise TableError(
                f"{int(missing.sum())} missing cells in column(s) {', '.join(found[:10])}"
                f"{' and more' if found[10:] else ''} of the {which}, which have no distances: "
                "fill them in with --impute, or leave columns out with --exclude."
            )


def _check_imputable(pair: TablePair) -> None:
    """Raise when a column of the originals has no cell to impute from."""
    empty = pair.originals.columns[pair.originals.isna().all()]
    if len(empty):
        raise TableError(
            f"Column {quoted(empty[0])} of the originals has no cells, so nothing can be imputed: "
            "leave it out with --exclude."
        )


def _as_many_axes(cells: pd.DataFrame, at_most: int) -> int:
    """Return `at_most`, or as many axes as the table has."""
    with warnings.catch_warnings():
        # What there is to warn of is said when the projection itself is fitted.
        warnings.simplefilter("ignore", UserWarning)
        for n_components in range(at_most, 1, -1):
            try:
                FAMD(n_components).fit(cells)
            except ValueError:
                continue
            return n_components
    return 1
