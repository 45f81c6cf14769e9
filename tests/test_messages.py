"""Every error and warning of the package: what brings it about, and what it says.

MESSAGES lists all places that word a message, found in the syntax tree, each with a call
that brings it about. A new message needs a line there. Every cell of the tables below holds
the canary, which no message, representation or report may show.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import importlib.util
import inspect
import io
import json
import logging
import re
import sys
import tempfile
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from unittest import mock

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sklearn
from _messages import find_sites, observe
from scipy.sparse import csr_array
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_html_repr

import skprivacy
from skprivacy import (
    FAMD,
    CloakingDisplay,
    HiddenRate,
    KNeighborsAnonymizer,
    LocalCloaking,
    PrivacyCurveDisplay,
    PrivacyScorer,
    ResubstitutionSplit,
    RowDirectMatchProtection,
    closer_avatar_counts,
    hidden_rate_score,
    privacy_report,
    row_direct_match_protection_score,
    smallest_param_meeting,
)
from skprivacy._cli._command import _parser

# In every cell. Tables are tall enough for the warnings that need fifty avatars.
CANARY = "7731"
N = 60
RNG = np.random.default_rng(0)
X = float(CANARY) + RNG.uniform(size=(N, 3))
Y = X + RNG.uniform(-0.1, 0.1, size=X.shape)
TEXT = np.array([f"T{CANARY}{'abc'[i % 3]}" for i in range(N)], dtype=object)
DAY = dt.date(int(CANARY), 7, 31)
NAMED = pd.DataFrame(X, columns=["a", "b", "c"])
MIXED = NAMED.assign(town=TEXT)
HUGE = int(CANARY) * 10**400


def scores(X=X, Y=Y, **settings):
    """Score avatars of numbers."""
    hidden_rate_score(X, Y, **settings)


def rows(X, Y=None):
    """Compare raw rows."""
    row_direct_match_protection_score(X, X if Y is None else Y)


def frame(**columns):
    """Return a frame of columns whose length is that of the longest; others repeat."""
    n = max(len(cells) for cells in columns.values())
    return pd.DataFrame({name: np.resize(cells, n) for name, cells in columns.items()})


def objects(*cells):
    """Return one column of objects."""
    column = np.empty((len(cells), 1), dtype=object)
    column[:, 0] = cells
    return column


def changed(table, row, column, cell):
    """Return a table with another cell."""
    table = table.copy()
    table[row, column] = cell
    return table


def report(**settings):
    """Report on avatars of numbers."""
    privacy_report(X, Y, **settings)


def scorer(metrics=None, estimator=None, **settings):
    """Call a scorer for an anonymiser that is fitted."""
    estimator = estimator or KNeighborsAnonymizer(2, random_state=0).fit(X)
    PrivacyScorer(metrics, **settings)(estimator, X)


class Short:
    """Gives back fewer rows than it gets."""

    def transform(self, X):
        return X[1:]


RESULTS = {
    "param_k": [2, 5],
    "params": [{"k": 2}, {"k": 5}],
    "mean_test_hidden_rate": [50.0, 60.0],
    "mean_test_lost": [np.nan, np.nan],
}


def choose(param="k", floors=None, **changes):
    """Choose a candidate from the results of a search."""
    smallest_param_meeting(param, floors or {"hidden_rate": 55})(RESULTS | changes)


def curves(param_name="k", *, drop=(), floors=None, best_index=None, ax=None, **changes):
    """Plot the results of a search."""
    results = {key: scores for key, scores in (RESULTS | changes).items() if key not in drop}
    PrivacyCurveDisplay.from_cv_results(
        results, param_name=param_name, floors=floors, best_index=best_index, ax=ax
    )


HEADER = "id,a,b,town"
LINES = [
    f"{CANARY}{i},{x!r},{y!r},{town}"
    for i, ((x, y, _), town) in enumerate(zip(X.tolist(), TEXT, strict=True))
]


def csv(column=None, cells=(), *, header=HEADER, lines=LINES):
    """Return the text of a file; the cells of one column may be replaced, in turn."""
    rows = [line.split(",") for line in lines]
    if column is not None:
        for i, row in enumerate(rows):
            row[header.split(",").index(column)] = cells[i % len(cells)]
    return "\n".join([header, *(",".join(row) for row in rows), ""])


def command(*arguments, originals=None, avatars=None):
    """Run the command line on two files, without the net that turns errors into lines."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("r.html").write_text("mine")
        for name, content in (("o.csv", originals), ("a.csv", avatars)):
            if isinstance(content, pa.Table):
                pq.write_table(content, name)
            else:
                text = csv() if content is None else content
                Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
        parsed = _parser().parse_args(["score", "o.csv", "a.csv", *arguments])
        parsed.run(parsed)


def both(content, *arguments):
    """Run the command line on a file as originals and as avatars."""
    return partial(command, *arguments, originals=content, avatars=content)


@contextlib.contextmanager
def without(*packages):
    """Act as if packages were not installed, and what needs them not yet imported."""
    kept = {
        name: module
        for name, module in sys.modules.items()
        if not name.startswith("skprivacy._cli._") or name.endswith("_command")
    }
    with mock.patch.dict(sys.modules, kept | dict.fromkeys(packages), clear=True):
        yield


def without_pyarrow():
    with without("pyarrow"):
        command()


def without_matplotlib():
    with mock.patch.object(importlib.util, "find_spec", return_value=None):
        CloakingDisplay.from_counts([1, 2])


def free_axes():
    curves(drop=["mean_test_lost"], ax=plt.figure().add_axes((0, 0, 1, 1)), mean_test_other=[1, 2])


CORNERS = float(CANARY) + np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
TABLE = pa.table({"a": X[:, 0], "b": X[:, 1]})

MESSAGES = {
    # What every metric is given.
    "_validation.py:_as_array#1": lambda: scores(own_avatar=[[7731], [7731, 7731]]),
    "_validation.py:check_own_avatar#1": lambda: scores(own_avatar=[7731.5] * N),
    "_validation.py:check_own_avatar#2": lambda: scores(own_avatar=[[0, 7731]] * N),
    "_validation.py:check_own_avatar#3": lambda: scores(own_avatar=[7731]),
    "_validation.py:check_own_avatar#4": lambda: scores(own_avatar=[-7731] * N),
    "_validation.py:resolve_own_avatar#1": lambda: scores(Y=Y[1:]),
    "_validation.py:_check_positions#1": lambda: scores(own_avatar=[7731] * N),
    "_validation.py:check_owned_once#1": (
        lambda: HiddenRate().fit(X, own_avatar=[0] * N).transform(Y)
    ),
    "_validation.py:check_sample_weight#1": lambda: scores(sample_weight=["7731"] * N),
    "_validation.py:check_sample_weight#2": lambda: scores(sample_weight=[7731.5]),
    "_validation.py:check_sample_weight#3": lambda: scores(sample_weight=[HUGE] * N),
    "_validation.py:check_sample_weight#4": lambda: scores(sample_weight=[-7731.5] * N),
    "_validation.py:check_sample_weight#5": lambda: scores(sample_weight=[0.0] * N),
    "_validation.py:check_n_components#1": lambda: scores(n_components=1.5),
    "_validation.py:check_n_components#2": lambda: scores(n_components=4),
    "_validation.py:check_tie_tol#1": lambda: scores(tie_tol="small"),
    "_validation.py:check_tie_tol#2": lambda: scores(tie_tol=1e-3),
    "_plausibility.py:warn_if_unpaired#1": lambda: scores(Y=Y[::-1]),
    "_plausibility.py:warn_if_other_space#1": lambda: scores(Y=Y + 7731),
    # Tables of coordinates.
    "_coordinates.py:check_coordinates#1": (
        lambda: scores(Y=changed(Y.astype(object), 0, 0, Fraction(HUGE, 3)))
    ),
    "_coordinates.py:_check_numeric#1": lambda: scores(Y=pd.DataFrame(Y + 7731j)),
    "_coordinates.py:_check_numeric#2": lambda: scores(X=MIXED, Y=MIXED),
    "_coordinates.py:check_all_numbers#1": (
        lambda: FAMD(2).fit(X).inverse_transform([[f"T{CANARY}"] * 2])
    ),
    "_coordinates.py:_raise_magnitude#1": lambda: scores(Y=changed(Y, 3, 1, 7731e300)),
    "_containers.py:check_unique_names#1": lambda: scores(X=NAMED.set_axis(list("aab"), axis=1)),
    "_containers.py:_check_same_names#1": (
        lambda: FAMD(1).fit(NAMED.set_axis([1, 2, 3], axis=1)).transform(NAMED)
    ),
    "_containers.py:_check_widths#1": (
        lambda: scores(X=pl.DataFrame({"a": [7731]}, schema={"a": pl.Int128}))
    ),
    "_containers.py:check_unmasked#1": lambda: scores(Y=np.ma.masked_less(Y, 7731.5)),
    "_exact_integers.py:check_exact_integers#1": (
        lambda: FAMD(1).fit(np.arange(2 * N).reshape(N, 2) + 7731 * 10**14 + 1)
    ),
    "_containers.py:_as_2d_array#1": lambda: scores(Y=Y[0]),
    "_containers.py:_as_2d_array#2": lambda: scores(Y=Y + 7731j),
    # Raw rows.
    "_row_tables.py:read_table#1": lambda: rows(csr_array(X)),
    "_row_tables.py:read_table#2": lambda: rows(X[:, :0]),
    "_row_tables.py:read_table#3": lambda: rows(X, X[:0]),
    "_row_tables.py:read_table#4": lambda: rows(objects({CANARY}, [CANARY])),
    "_row_tables.py:read_table#5": lambda: rows(X + 7731j),
    "_row_tables.py:_open_rows#1": lambda: rows([CANARY, 7731]),
    "_row_tables.py:_open_rows#2": lambda: rows([[CANARY], [7731, 7731]]),
    "_row_tables.py:_open_array#1": lambda: rows(X[0]),
    "_row_tables.py:_check_names#1": lambda: rows(NAMED.set_axis(["a", None, "c"], axis=1)),
    "_row_columns.py:array_column#1": (
        lambda: rows(np.full(2, 7731, dtype=[("a", "f8", (2,)), ("b", "f8")]))
    ),
    "_row_columns.py:array_column#2": lambda: rows(X + 7731j),
    "_row_values.py:canonical_value#1": lambda: rows(objects({CANARY})),
    "_row_values.py:_arrow_scalar#1": lambda: rows(objects(pa.scalar(7731, pa.duration("ns")))),
    "_row_values.py:_complex#1": lambda: rows(objects(7731j)),
    "_row_values.py:in_fixed_unit#1": lambda: rows(np.full((2, 1), 7731, dtype="m8[Y]")),
    "_row_matching.py:_check_kinds#1": lambda: rows(objects(CANARY), objects(7731)),
    "_row_matching.py:_partners#1": lambda: rows(X, X[:, :2]),
    "_row_matching.py:_partners#2": lambda: rows(NAMED, NAMED.set_axis(list("abz"), axis=1)),
    "_row_near_misses.py:warn_of_near_misses#1": (
        lambda: rows(objects(CANARY, "x"), objects(f"{CANARY} ", "x"))
    ),
    # The report.
    "_evidence.py:_doubts#1": lambda: privacy_report(X, Y[::-1]),
    "_intervals.py:check_confidence_level#1": lambda: report(confidence_level="95 %"),
    "_intervals.py:check_confidence_level#2": lambda: report(confidence_level=95),
    "_report_groups.py:check_min_group_size#1": lambda: report(groups=TEXT, min_group_size=2.5),
    "_report_groups.py:check_min_group_size#2": lambda: report(groups=TEXT, min_group_size=1),
    "_report_groups.py:check_groups#1": lambda: report(groups=[[CANARY]] * N),
    "_report_groups.py:_text#1": lambda: report(groups=objects(*[{CANARY}] * N)[:, 0]),
    # Projection.
    "_axes.py:_check_cut#1": lambda: FAMD(4).fit(X),
    "_axes.py:_check_cut#2": lambda: FAMD(1).fit(CORNERS),
    "_codings.py:NumericCoding.encode#1": lambda: FAMD(2).fit(X).transform(X * 2e304),
    "_columns.py:_listed_categorical#1": (
        lambda: FAMD(2, categorical_features=[[0], [0, 1]]).fit(X)
    ),
    "_columns.py:_listed_categorical#2": lambda: FAMD(2, categorical_features=1.5).fit(X),
    "_columns.py:_listed_categorical#3": lambda: FAMD(2, categorical_features=[True]).fit(X),
    "_columns.py:_listed_categorical#4": lambda: FAMD(2, categorical_features=["z"]).fit(NAMED),
    "_columns.py:_listed_categorical#5": lambda: FAMD(2, categorical_features=[3]).fit(X),
    "_columns.py:_read_column#1": lambda: FAMD(1).fit(NAMED + 7731j),
    "_columns.py:_read_column#2": lambda: FAMD(1).fit(X.astype("M8[s]")),
    "_columns.py:_read_column#3": lambda: FAMD(1).fit(NAMED.astype(object)),
    "_columns.py:_common_kind#1": lambda: FAMD(1).fit(objects(CANARY, None)),
    "_columns.py:_common_kind#2": lambda: FAMD(1).fit(objects(CANARY, 7731)),
    "_columns.py:_kind_of_type#1": lambda: FAMD(1).fit(objects(CANARY, DAY)),
    "_columns.py:_kind_of_type#2": lambda: FAMD(1).fit(objects(CANARY, {CANARY})),
    "_columns.py:_as_floats#1": lambda: FAMD(1).fit(objects(7731, HUGE)),
    "_columns.py:_as_floats#2": lambda: FAMD(1).fit(objects(7731, Decimal("sNaN"))),
    "_columns.py:_check_finite#1": lambda: FAMD(1).fit(changed(X, 3, 1, np.nan)),
    "_columns.py:_check_finite#2": lambda: FAMD(1).fit(changed(X, 3, 1, np.inf)),
    "_famd.py:FAMD.inverse_transform#1": lambda: FAMD(2).fit(X).inverse_transform(X),
    "_famd.py:FAMD._check_parameters#1": lambda: FAMD(True).fit(X),
    "_famd.py:FAMD._check_parameters#2": lambda: FAMD(1, handle_unknown="drop").fit(X),
    "_famd.py:FAMD._encode#1": lambda: FAMD(1).fit(X).transform(X.astype(str)),
    "_famd.py:FAMD._encode#2": lambda: FAMD(1).fit(TEXT[:, None]).transform(objects("77310")),
    "_famd.py:FAMD._find_axes#1": lambda: FAMD(1).fit(np.full((4, 2), 7731)),
    # The anonymiser.
    "anonymizers.py:KNeighborsAnonymizer.fit#1": lambda: KNeighborsAnonymizer(True).fit(X),
    "anonymizers.py:KNeighborsAnonymizer.fit#2": lambda: KNeighborsAnonymizer(N).fit(X),
    "anonymizers.py:KNeighborsAnonymizer._read#1": lambda: KNeighborsAnonymizer().fit(MIXED),
    # Selection.
    "_privacy_scorer.py:PrivacyScorer.set_score_request#1": (
        lambda: PrivacyScorer().set_score_request(sample_weight=True)
    ),
    "_privacy_scorer.py:PrivacyScorer._failures_of#1": (
        lambda: scorer({"mine": lambda X, Y: float(f"{X[0, 0]}?")}, raise_exc=False)
    ),
    "_scorer_inputs.py:resolve_metrics#1": lambda: scorer(3),
    "_scorer_inputs.py:resolve_metrics#2": lambda: scorer([]),
    "_scorer_inputs.py:_by_name#1": lambda: scorer([HiddenRate()]),
    "_scorer_inputs.py:_by_name#2": lambda: scorer(["hidden_rate", "hidden_rate"]),
    "_scorer_inputs.py:_check_key#1": lambda: scorer({1: "hidden_rate"}),
    "_scorer_inputs.py:_resolve#1": lambda: scorer("hiden_rate"),
    "_scorer_inputs.py:_resolve#2": lambda: scorer({"hidden": HiddenRate}),
    "_scorer_inputs.py:_resolve#3": lambda: scorer({"hidden": 90}),
    "_scorer_inputs.py:ask_for_avatars#1": lambda: scorer(estimator=Short()),
    "_scorer_inputs.py:_respond#1": lambda: scorer(response_method=None),
    "_scorer_inputs.py:_respond#2": lambda: scorer(response_method="avatars_"),
    "_scorer_inputs.py:check_score#1": lambda: scorer({"mine": lambda X, Y: X[0]}),
    "_smallest_param.py:smallest_param_meeting#1": lambda: choose(3),
    "_smallest_param.py:smallest_param_meeting#2": lambda: choose(floors=[90]),
    "_smallest_param.py:smallest_param_meeting#3": lambda: smallest_param_meeting("k", {}),
    "_smallest_param.py:_check_floor#1": lambda: choose(floors={90: 90}),
    "_smallest_param.py:_check_floor#2": lambda: choose(floors={"hidden_rate": "90"}),
    "_smallest_param.py:_check_floor#3": lambda: choose(floors={"hidden_rate": np.nan}),
    "_smallest_param.py:_SmallestParamMeeting.__call__#1": (
        lambda: choose(floors={"hidden_rate": 99})
    ),
    "_smallest_param.py:_SmallestParamMeeting._values#1": lambda: choose("n"),
    "_smallest_param.py:_SmallestParamMeeting._values#2": lambda: choose(param_k=["a", "b"]),
    "_smallest_param.py:_SmallestParamMeeting._scores#1": lambda: choose(floors={"rate": 9}),
    "_smallest_param.py:_SmallestParamMeeting._scores#2": lambda: choose(floors={"lost": 9}),
    # Plots.
    "_cloaking_display.py:_check_counts#1": lambda: CloakingDisplay.from_counts([7731.5]),
    "_cloaking_display.py:_check_counts#2": lambda: CloakingDisplay.from_counts([[7731]]),
    "_cloaking_display.py:_check_counts#3": lambda: CloakingDisplay.from_counts([-7731]),
    "_curve_panels.py:make_axes#1": lambda: curves(ax=[]),
    "_curve_panels.py:make_axes#2": free_axes,
    "_curve_table.py:read_cv_results#1": lambda: curves("n"),
    "_curve_table.py:read_cv_results#2": (
        lambda: curves(param_k=np.ma.masked_array([2, 5], [True, False]))
    ),
    "_curve_table.py:read_cv_results#3": (
        lambda: curves(param_k=[2, 2], params=[{"k": 2}, {"k": 2}])
    ),
    "_curve_table.py:read_cv_results#4": (
        lambda: curves(drop=["mean_test_hidden_rate", "mean_test_lost"])
    ),
    "_curve_table.py:chosen_row#1": lambda: curves(floors={"rate": 9}),
    "_curve_table.py:chosen_row#2": lambda: curves(best_index=2),
    "_matplotlib.py:check_matplotlib#1": without_matplotlib,
    # The command line.
    "_command.py:_Parser.error#1": lambda: command("--nope"),
    "_command.py:_positive#1": lambda: command("--n-components", "0"),
    "_command.py:_separator#1": lambda: command("--sep", ";;"),
    "_command.py:_encoding#1": lambda: command("--encoding", "klingon"),
    "_command.py:_floor#1": lambda: command("--fail-under", "hiden_rate=9"),
    "_command.py:_floor#2": lambda: command("--fail-under", "hidden_rate=x"),
    "_command.py:_score#1": lambda: command("--decimal", ","),
    "_command.py:_measure#1": without_pyarrow,
    "_html_file.py:check_writable#1": lambda: command("--html", "o.csv"),
    "_html_file.py:check_writable#2": lambda: command("--html", "no/r.html"),
    "_html_file.py:_check_absent#1": lambda: command("--html", "r.html"),
    "_table_files.py:read_table#1": both(b"PK\x03\x04" + CANARY.encode()),
    "_table_files.py:_read_parquet#1": both(b"PAR1" + CANARY.encode()),
    "_table_files.py:_read_parquet#2": both(TABLE.slice(0, 0)),
    "_table_files.py:_check_names#1": both(csv(header="id,a,,town")),
    "_table_files.py:_check_names#2": both(csv(header="id,a,a,town")),
    "_csv_cells.py:read_csv_cells#1": both(""),
    "_csv_cells.py:read_csv_cells#2": both(csv("town", ["Orl\xe9ans7731"]).encode("cp1252")),
    "_csv_cells.py:read_csv_cells#3": both(csv("town", ['"7731'])),
    "_csv_cells.py:_checked_lines#1": both(csv("town", ["7731\0"])),
    "_csv_cells.py:_check_separator#1": both(csv().replace(",", ";")),
    "_csv_cells.py:_checked_rows#1": both(csv("town", ["7731,7731"])),
    "_csv_cells.py:_without_blanks#1": both(HEADER),
    "_column_kinds.py:align_kinds#1": lambda: command(avatars=csv("a", [f"x{CANARY}"])),
    "_column_kinds.py:align_kinds#2": both(TABLE.append_column("d", pa.array([DAY] * N))),
    "_column_kinds.py:warn_if_identifier#1": both(csv("town", [f"{CANARY}_{i}" for i in range(N)])),

    "_column_kinds.py:_check_not_meant_as_number#1": both(
        csv(header="id;a;b;town").replace(",", ";").replace("7731.", "7731,"), "--sep", ";"
    ),
    "_column_kinds.py:_check_not_meant_as_number#2": both(csv("a", ["7731 %", "12 %"])),
    "_column_kinds.py:_check_not_meant_as_number#3": both(csv("a", ["7731.5", "NA"])),
    "_column_kinds.py:_check_not_meant_as_number#4": both(csv("a", ["7731.5", "x7731"])),
    "_column_kinds.py:_warn_of_lookalikes#1": lambda: command(
        avatars=csv("town", [town.lower() for town in TEXT])
    ),
    "_tables.py:pair_tables#1": lambda: command(avatars=csv(lines=LINES[1:])),
    "_tables.py:_check_arguments#1": lambda: command("--id", "who"),
    "_tables.py:_check_arguments#2": lambda: command(
        "--id", "id", avatars=csv(header="i,a,b,town")
    ),
    "_tables.py:_check_same_columns#1": lambda: command("--exclude", HEADER),
    "_tables.py:_check_same_columns#2": lambda: command(avatars=csv(header=LINES[0])),
    "_tables.py:_check_same_columns#3": lambda: command(avatars=csv(header="id,a,b,city")),
    "_tables.py:_pair_by_id#1": lambda: command("--id", "id", avatars=csv(lines=LINES[1:])),
    "_tables.py:_positions_of_ids#1": both(csv("id", ["", "7731"]), "--id", "id"),
    "_tables.py:_positions_of_ids#2": both(csv("id", ["7731"]), "--id", "id"),
    "_file_projection.py:_check_enough_rows#1": both("a,b\n7731.5,7731\n"),
    "_file_projection.py:_check_exact#1": both(csv("a", ["7731000000000000001", "1"])),
    "_file_projection.py:_check_finite#1": both(csv("a", ["1e5000", "7731.5"])),
    "_file_projection.py:_check_labels_known#1": lambda: command(avatars=csv("town", ["T77310"])),
    "_file_projection.py:_check_complete#1": both(csv("a", ["", "7731.5"])),
    "_file_projection.py:_check_imputable#1": both(csv("a", [""]), "--impute"),
}  # fmt: skip

SITES = find_sites()


def public_words():
    """Return the names of all parameters of the public functions and classes."""
    found = set()
    for name in skprivacy.__all__:
        public = getattr(skprivacy, name)
        methods = vars(public).values() if inspect.isclass(public) else ()
        for callable_ in (public, *filter(inspect.isfunction, methods)):
            found |= set(inspect.signature(callable_).parameters)
    return found - {"self", "y"}


# Parameters that are ordinary words too: "cells" or "scores" in a sentence is no place.
ORDINARY = {word for word in public_words() if word.isalpha() and word not in ("X", "ax")}
NAMES = "|".join([*skprivacy.__all__, *sorted(public_words() - ORDINARY), "cv_results"])
WORDS = "|".join(sorted(ORDINARY))

# Where to look, and what to do about it; what must hold says both what is wrong and the fix.
WHERE = re.compile(
    rf"\b({NAMES})\b|^({WORDS})\b|\b(keys|list) of ({WORDS})\b|"
    r"\b([Cc]olumns?(\(s\)| name)?|[Mm]etric|parameter|set|(floor|scores?|values) of) '|"
    r"\b(columns?|positions?(\(s\))?|rows?|lines?) \d|\b([oa]\.csv|r\.html)\b|(?<!\S)--[a-z]"
)
# These speak of no part of what was given: the installation, the method called, a whole file.
OF_NO_PART = {
    "_command.py:_measure#1",
    "_file_projection.py:_check_enough_rows#1",
    "_privacy_scorer.py:PrivacyScorer.set_score_request#1",
}
REMEDY = re.compile(
    r"\b(change|check|convert|correct|divide|drop|enable|fill|fit|give|impute|install|leave|list|look|"
    r"lower|make|name|pass|plot|project|recode|rename|replace|rescale|reshape|save|say|search|"
    r"see|set|store|try|use|write|expected|needs?|needed|must|may not|raises|required|"
    r"its \w+ are|valid names are|search varied|the search scored)\b",
    re.IGNORECASE,
)


def test_every_message_is_listed():
    unlisted = {name: SITES[name].words for name in sorted(set(SITES) - set(MESSAGES))}
    assert unlisted == {}, "each needs a call in MESSAGES that brings it about"
    assert sorted(set(MESSAGES) - set(SITES)) == [], "no message is worded there any more"


@pytest.mark.parametrize("name", sorted(set(MESSAGES) & set(SITES)))
def test_a_message_says_where_and_how_and_shows_no_cell(name):
    observed = observe(MESSAGES[name], SITES)
    assert name in observed.reached, f"the call reached {sorted(observed.reached)} instead"
    message = observed.reached[name]
    assert bool(WHERE.search(message)) == (name not in OF_NO_PART), message
    assert REMEDY.search(message), message
    assert len(message) > 20
    assert CANARY not in " ".join([*observed.reached.values(), *observed.others, observed.printed])


@pytest.mark.parametrize(
    "vague",
    [
        "Some values of the table are too large. Rescale the columns.",
        "Cells of the avatars and originals differ. Check the scores of each metric.",
        "The candidate has no parameter. Use another method or array, row by row.",
    ],
)
def test_ordinary_words_are_no_place(vague):
    assert not WHERE.search(vague)


def test_a_site_without_a_call_is_found(tmp_path):
    (tmp_path / "_new.py").write_text(
        "import warnings\n"
        "class A:\n"
        "    def f(self, x):\n"
        "        if x:\n"
        "            raise ValueError(\n"
        "                f'X holds {x}.'\n"
        "            )\n"
        "        warnings.warn('Pass X.', stacklevel=2)\n"
        "        try:\n"
        "            raise KeyError\n"
        "        except KeyError:\n"
        "            raise\n"
        "        raise NotImplementedError\n"
    )
    sites = find_sites(tmp_path)
    assert {name: (site.kind, site.lines[0]) for name, site in sites.items()} == {
        "_new.py:A.f#1": ("ValueError", 5),
        "_new.py:A.f#2": ("warning", 8),
        "_new.py:A.f#3": ("KeyError", 10),
    }
    assert sites["_new.py:A.f#1"].words == ["X holds ", "."]


# What scikit-learn, numpy and pyarrow word for us


def other_names(table):
    """Return a frame with other column names."""
    return table.set_axis([f"{name}2" for name in table.columns], axis=1)


BORROWED = {
    "NaN": lambda: scores(Y=changed(Y, 3, 1, np.nan)),
    "no rows": lambda: scores(Y=Y[:0]),
    "columns missing": lambda: HiddenRate().fit(X).score(Y[:, :2]),
    "other names": lambda: HiddenRate().fit(NAMED).score(other_names(NAMED)),
    "columns missing in rows": lambda: RowDirectMatchProtection().fit(X).score(X[:, :2]),
    "sparse": lambda: scores(X=csr_array(X)),
    "text for numbers": lambda: scores(Y=np.full(Y.shape, CANARY)),
    "ragged": lambda: scores(Y=[[7731.5], [7731.5, 7731.5]]),
    "ragged pairing": lambda: scores(own_avatar=[[7731], [7731, 7731]]),
    "weights that are not finite": lambda: scores(sample_weight=[7731.5] * (N - 1) + [np.nan]),
    "weights of objects": lambda: scores(sample_weight=objects(*[{CANARY}] * N)[:, 0]),
    "too many groups": lambda: report(groups=[CANARY] * (N + 1)),
    "FAMD of NaN text": lambda: FAMD(1).fit(objects(CANARY, np.nan)),
    "FAMD of other names": lambda: FAMD(1).fit(NAMED).transform(other_names(NAMED)),
    "coordinates of text": lambda: FAMD(2).fit(X).inverse_transform([[f"T{CANARY}"] * 2]),
    "coordinates of NaN": lambda: FAMD(2).fit(X).inverse_transform([[7731.5, np.nan]]),
    "not fitted": lambda: HiddenRate().score(X),
    "no components": lambda: FAMD(0).fit(X),
    "no neighbours": lambda: KNeighborsAnonymizer(0).fit(X),
    "a projection of text": lambda: scorer(
        projection=sklearn.preprocessing.FunctionTransformer(lambda X: X.astype(str))
    ),
    "a neighbour's projection of text": lambda: KNeighborsAnonymizer(
        2, projection=sklearn.preprocessing.FunctionTransformer(lambda X: X.astype(str) + "!")
    ).fit(X),
    "a candidate fails": lambda: GridSearchCV(
        KNeighborsAnonymizer(random_state=0),
        {"n_neighbors": [2, N]},
        scoring=PrivacyScorer(raise_exc=False),
        cv=ResubstitutionSplit(),
        refit="hidden_rate",
    ).fit(X),
    "numbers beyond float64 in a file": both(csv("a", ["7731e999"])),
    "long whole numbers in a file": both(csv("a", ["7731" * 20, "7731.5"])),
    "numbers with a final point": both(csv("a", ["7731.", "7731.5e7"])),
    "an encrypted file": both(b"PARE" + CANARY.encode()),
    "nested cells": both(TABLE.append_column("d", pa.array([[7731]] * N))),
    "long decimals": both(
        TABLE.append_column("d", pa.array([10**70 + 7731] * N, pa.decimal256(76, 2)))
    ),
}


@pytest.mark.parametrize("name", BORROWED)
def test_messages_of_others_show_no_cell(name):
    observed = observe(BORROWED[name], SITES)
    said = " ".join([*observed.reached.values(), *observed.others, observed.printed])
    assert said
    assert CANARY not in said


# Representations, reports and logs


def public_objects():
    """Return an object of every public class, fitted where it can be, on cells of the canary."""
    famd = FAMD(2).fit(MIXED)
    anonymizer = KNeighborsAnonymizer(3, projection=FAMD(2), random_state=0).fit(MIXED)
    search = GridSearchCV(
        KNeighborsAnonymizer(random_state=0),
        {"n_neighbors": [2, 5]},
        scoring=PrivacyScorer(),
        cv=ResubstitutionSplit(),
        refit=smallest_param_meeting("n_neighbors", {"hidden_rate": 0}),
    ).fit(NAMED)
    return {
        "FAMD": famd,
        "KNeighborsAnonymizer": anonymizer,
        "HiddenRate": HiddenRate().fit(X, own_avatar=np.arange(N)),
        "LocalCloaking": LocalCloaking().fit(NAMED),
        "RowDirectMatchProtection": RowDirectMatchProtection().fit(MIXED),
        "pipeline": make_pipeline(FAMD(2), HiddenRate()).fit(MIXED),
        "PrivacyScorer": PrivacyScorer(projection=famd),
        "ResubstitutionSplit": ResubstitutionSplit(),
        "search": search,
        "smallest_param_meeting": search.refit,
        "CloakingDisplay": CloakingDisplay.from_counts(closer_avatar_counts(X, Y)),
        "PrivacyCurveDisplay": PrivacyCurveDisplay.from_cv_results(
            search.cv_results_, param_name="n_neighbors"
        ),
        "report": privacy_report(X, Y),
    }


@pytest.fixture(scope="module")
def shown_objects():
    return public_objects()


def test_every_public_class_is_shown_below(shown_objects):
    classes = {type(value).__name__ for value in shown_objects.values()}
    public = {name for name in skprivacy.__all__ if inspect.isclass(getattr(skprivacy, name))}
    assert public <= classes


@pytest.mark.parametrize("only_changed", [True, False])
def test_no_representation_shows_a_cell(shown_objects, only_changed):
    with sklearn.config_context(print_changed_only=only_changed):
        for name, value in shown_objects.items():
            shown = [repr(value), str(value), repr(getattr(value, "get_params", dict)())]
            shown += [value._repr_html_()] if hasattr(value, "_repr_html_") else []
            shown += (
                [repr(v) for key, v in vars(value).items() if key[0] != "_"]
                if hasattr(value, "__dict__")
                else []
            )
            if hasattr(value, "get_params") and not inspect.isfunction(value):
                shown.append(estimator_html_repr(value))
            assert CANARY not in " ".join(shown), name


def test_plots_show_no_cell(shown_objects):
    for name in ("CloakingDisplay", "PrivacyCurveDisplay"):
        page = io.StringIO()
        with plt.rc_context({"svg.fonttype": "none"}):
            shown_objects[name].figure_.savefig(page, format="svg", metadata={"Date": None})
        texts = re.findall(r"<text[^>]*>([^<]*)</text>", page.getvalue())
        assert len(texts) > 5
        assert CANARY not in " ".join(texts)


@pytest.mark.parametrize("table", [NAMED, MIXED, pl.from_pandas(MIXED)], ids=["num", "mix", "pl"])
def test_no_report_shows_a_cell_or_a_pairing(table, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    avatars = KNeighborsAnonymizer(5, projection=FAMD(2), random_state=0).fit_transform(table)
    settings = {"projection": FAMD(2), "own_avatar": np.arange(N), "sample_weight": [7731.5] * N}
    text = privacy_report(table, avatars, **settings)
    values = json.dumps(privacy_report(table, avatars, output_dict=True, **settings))
    assert "Hidden Rate" in text
    assert CANARY not in text + text._repr_html_() + values
    assert "own" not in json.loads(values)
    assert not caplog.records
    assert not "".join(capfd.readouterr())


def test_labels_of_groups_are_the_one_exception():
    report = privacy_report(X, Y, groups=TEXT, output_dict=True)
    labels = [row.pop("label") for row in report["groups"]["rows"]]
    assert set(labels) == set(TEXT)
    report["groups"].pop("worst")
    assert CANARY not in json.dumps(report)


def test_a_group_of_few_is_not_named():
    groups = [f"rare{CANARY}"] * 9 + ["a"] * 25 + ["b"] * 26
    for output_dict in (True, False):
        shown = privacy_report(X, Y, groups=groups, output_dict=output_dict)
        assert CANARY not in str(shown)


@pytest.mark.parametrize("arguments", [["--json"], [], ["--html", "new.html"]])
def test_the_command_line_prints_no_cell(arguments):
    def run():
        command("--id", "id", *arguments)
        if "--html" in arguments:
            print(Path("new.html").read_text("utf-8"))  # noqa: T201 - what observe captures

    observed = observe(run, SITES)
    assert "hidden" in observed.printed.lower() or "Hidden" in observed.printed
    assert CANARY not in " ".join([observed.printed, *observed.others, *observed.reached.values()])
