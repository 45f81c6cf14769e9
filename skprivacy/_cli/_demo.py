"""The demonstration: what turning k buys on scikit-learn's breast-cancer table."""

from __future__ import annotations

import textwrap
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer

from ..anonymizers import KNeighborsAnonymizer
from ..metrics import RowDirectMatchProtection, hidden_rate_score, local_cloaking_score
from ..metrics._report_render import format_value
from ..projection import FAMD

_N_NEIGHBORS = (2, 5, 10, 20, 50)
_N_COMPONENTS = 5
_WIDTH = 80


class _Measured(NamedTuple):
    """What one value of k gives."""

    k: int
    hidden_rate: float
    local_cloaking: float
    row_protection: float
    n_unique: int
    n_hits: int

    def meets_targets(self) -> bool:
        """Tell whether Octopize's published targets, which are strict, are met."""
        return self.hidden_rate > 90 and self.local_cloaking > 5 and self.row_protection > 90


def demo() -> None:
    """Print the three metrics against k, how to read them, and the smallest k that does."""
    originals = load_breast_cancer().data
    measured = [_measure(originals, k) for k in _N_NEIGHBORS]
    table = (
        f"{len(originals)} patients x {originals.shape[1]} measurements (scikit-learn's "
        "breast-cancer table), each replaced by a mix of its k nearest neighbours in "
        f"FAMD({_N_COMPONENTS}) coordinates and measured in the same."
    )
    paragraphs = textwrap.fill(table, _WIDTH), _table(measured), _HOW_TO_READ, _verdict(measured)
    print("\n\n".join(paragraphs))


def _table(measured: list[_Measured]) -> str:
    """Set the numbers in columns under their names."""
    header = ("k", "Hidden Rate", "Local Cloaking", "Row Direct Match Protection")
    lines = [(*header, "unique rows", "hits")] + [
        (
            str(row.k),
            format_value(row.hidden_rate, "%"),
            format_value(row.local_cloaking, "avatars"),
            format_value(row.row_protection, "%"),
            str(row.n_unique),
            str(row.n_hits),
        )
        for row in measured
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        for line in lines
    )


_HOW_TO_READ = textwrap.fill(
    "How to read it: greater is safer; Hidden Rate is the share of people whose own avatar is "
    "not strictly the closest to them, Local Cloaking how many other avatars are at least as "
    "close for a typical person, and Row Direct Match Protection the share of people whose row, "
    "if unique, is not among the avatars (hits are).",
    _WIDTH,
)


def _measure(originals: NDArray[np.float64], k: int) -> _Measured:
    """Anonymise with k neighbours and measure in the coordinates of the anonymisation."""
    famd = FAMD(n_components=_N_COMPONENTS)
    anonymizer = KNeighborsAnonymizer(n_neighbors=k, projection=famd, random_state=0)
    avatars = anonymizer.fit_transform(originals)
    famd.fit(originals)
    X, X_avatars = famd.transform(originals), famd.transform(avatars)
    rows = RowDirectMatchProtection().fit(originals)
    return _Measured(
        k,
        hidden_rate_score(X, X_avatars),
        local_cloaking_score(X, X_avatars),
        rows.score(avatars),
        rows.n_unique_,
        rows.count_hits(avatars),
    )


def _verdict(measured: list[_Measured]) -> str:
    """Name the smallest k that meets the published targets, or say that none does."""
    targets = (
        "Octopize's published targets (Hidden Rate > 90, Local Cloaking > 5, Row Direct Match "
        "Protection > 90)"
    )
    enough = [row.k for row in measured if row.meets_targets()]
    if enough:
        return textwrap.fill(f"Smallest k that meets {targets}: {min(enough)}.", _WIDTH)
    return textwrap.fill(f"None of these k meets {targets}.", _WIDTH)
