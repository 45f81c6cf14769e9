"""The same tables give the same bytes, however they are stored and whoever counts."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.utils import gen_batches

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
    local_cloaking_score,
    privacy_report,
    row_direct_match_protection_score,
    smallest_param_meeting,
)
from skprivacy.metrics._closer_avatars import CloserAvatars
from skprivacy.metrics._tree_counting import AvatarTree

# Halves, which float32, float64 and every container hold exactly; rows repeat, distances tie.
N = 300
RNG = np.random.default_rng(0)
X = RNG.integers(-20, 21, size=(N, 4)) / 2
Y = X + RNG.integers(-12, 13, size=X.shape) / 2
OWN = RNG.permutation(N)
Y = np.ascontiguousarray(Y[np.argsort(OWN)])
WEIGHT = RNG.integers(1, 4, size=N).astype(float)
# Others are further from the people at the edge, so that their weight moves the median.
WEIGHT[np.abs(X).sum(axis=1) > 22] += 9
TOWN = np.array(["Oslo", "Lima", "Rome"], dtype=object)[np.arange(N) % 3]


def everything(X=X, Y=Y, own=OWN, groups=TOWN, **settings):
    """Return every number and text that the package gives for a pair of tables, as bytes."""
    paired = {"own_avatar": own, **settings}
    counts = closer_avatar_counts(X, Y, **paired)
    text = privacy_report(X, Y, groups=groups, **paired)
    values = privacy_report(X, Y, groups=groups, output_dict=True, **paired)
    hidden = HiddenRate(**settings).fit(X, own_avatar=own)
    cloaked = LocalCloaking(**settings).fit(X, own_avatar=own)
    rows = RowDirectMatchProtection().fit(X)
    parts = {
        "counts": counts.tobytes(),
        "hidden rate": repr(hidden_rate_score(X, Y, **paired)),
        "weighted": repr(hidden_rate_score(X, Y, sample_weight=WEIGHT, **paired)),
        "local cloaking": repr(local_cloaking_score(X, Y, **paired)),
        "weighted cloaking": repr(local_cloaking_score(X, Y, sample_weight=WEIGHT, **paired)),
        "rows": repr(row_direct_match_protection_score(X, Y)),
        "fitted": repr((hidden.score(Y), cloaked.score(Y), rows.score(Y), rows.n_unique_)),
        "transformed": np.hstack(
            [np.asarray(metric.transform(Y)) for metric in (hidden, cloaked, rows)]
        ).tobytes(),
        "text": str(text),
        "html": text._repr_html_(),
        "json": json.dumps(values),
    }
    return {
        name: part if isinstance(part, bytes) else part.encode() for name, part in parts.items()
    }


@pytest.fixture(scope="module")
def expected():
    found = everything()
    # Tables that could not tell two answers apart would prove nothing.
    counts = np.frombuffer(found["counts"], dtype=np.int64)
    assert counts.dtype == np.int64
    assert 0 < (counts == 0).mean() < 1
    assert len(set(counts.tolist())) > 10
    assert found["weighted"] != found["hidden rate"]
    assert found["weighted cloaking"] != found["local cloaking"]
    return found


# Somebody has published such figures: another digest here means that theirs have changed. It is
# the same with the oldest and the newest versions of all that the package builds on. What words
# say of the figures may change, and the last digits of an interval are those of a logarithm.
DIGEST = "1c389b14870822c03754139bf5db23b80aff5ee52825dbe0537bf8a905f73103"


def test_figures_of_every_version(expected):
    report = json.loads(expected["json"], parse_float=lambda digits: round(float(digits), 9))
    del report["warnings"], report["notes"]
    figures = {name: part for name, part in expected.items() if name not in ("text", "html")}
    figures["json"] = json.dumps(report).encode()
    whole = b"".join(name.encode() + part for name, part in figures.items())
    assert hashlib.sha256(whole).hexdigest() == DIGEST


# Who counts


@pytest.mark.parametrize(
    ("backend", "n_jobs"),
    [
        ("loky", 1),
        ("loky", 2),
        pytest.param("loky", 4, marks=pytest.mark.nightly),
        ("threading", 2),
        ("threading", 4),
    ],
)
def test_jobs(expected, monkeypatch, backend, n_jobs):
    monkeypatch.setattr("skprivacy.metrics._closer_avatars._FIRST_BLOCK", 50)
    monkeypatch.setattr("skprivacy.metrics._closer_avatars._WORTH_WORKERS", 0)
    with joblib.parallel_config(backend=backend):
        assert everything(n_jobs=n_jobs) == expected


def test_parts_of_the_originals(expected):
    comparison = CloserAvatars(X, Y, OWN, tie_tol=1e-12)
    whole = np.frombuffer(expected["counts"], dtype=np.int64)
    for size in (1, 7, 64, N - 1):
        blocks = [np.arange(start, min(start + size, N)) for start in range(0, N, size)]
        counts = np.concatenate([comparison.count(rows) for rows in blocks])
        assert counts.tobytes() == whole.tobytes()


@pytest.mark.parametrize(("leaf_size", "block_size"), [(1, 50), (7, 3), (255, 10_000)])
def test_leaves_and_blocks_of_the_tree(expected, monkeypatch, leaf_size, block_size):
    monkeypatch.setattr(
        "skprivacy.metrics._closer_avatars.AvatarTree",
        partial(AvatarTree, leaf_size=leaf_size, block_size=block_size),
    )
    assert everything() == expected


@pytest.mark.parametrize(
    ("setting", "values"),
    [
        ("metrics._tree_counting._LEVELS_AT_ONCE", (1, 2, 9)),
        ("metrics._tree_counting._MAX_BOX_COLUMNS", (1, 3)),
        ("metrics._tree_counting._BLOCK_ELEMENTS", (1, 64)),
        ("metrics._leaf_products._PRODUCT_SIZE", (300, 5000)),
        ("metrics._leaf_products._MAX_CLOSE", (1, 10)),
        ("metrics._closer_avatars._FIRST_BLOCK", (7, 100)),
        ("metrics._kd_tree._LARGEST_REGION", (16, 100)),
        ("metrics._row_matching._N_SAMPLED", (1, 5)),
    ],
)
def test_sizes_of_work(expected, monkeypatch, setting, values):
    for value in values:
        monkeypatch.setattr(f"skprivacy.{setting}", value)
        assert everything() == expected


def test_blocks_of_one_size(expected, monkeypatch):
    for size in (7, 100):
        monkeypatch.setattr("skprivacy.metrics._closer_avatars._FIRST_BLOCK", size)
        monkeypatch.setattr("skprivacy.metrics._closer_avatars._LARGEST_BLOCK", size)
        assert everything() == expected


def test_blocks_of_the_projection_and_the_anonymiser(monkeypatch):
    def call():
        famd, anonymizer = FAMD(3), KNeighborsAnonymizer(4, projection=FAMD(2), random_state=0)
        return famd.fit(X).transform(Y).tobytes(), anonymizer.fit(X).transform(X).tobytes()

    expected = call()
    monkeypatch.setattr("skprivacy.anonymizers._BATCH_CELLS", 7)
    assert call() == expected
    monkeypatch.setattr(
        "skprivacy.projection._famd.gen_batches",
        lambda n, size: gen_batches(n, max(1, size // 4999)),
    )
    assert call() == expected


@pytest.mark.parametrize("working_memory", [1, 1024])
def test_working_memory(expected, working_memory):
    with sklearn.config_context(working_memory=working_memory):
        assert everything() == expected


def in_threads(call, n_threads=6):
    """Call the same function in threads that start at one moment; return what each gives."""
    start = threading.Barrier(n_threads)

    def run(_):
        start.wait()
        return call()

    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(run, range(n_threads)))


def test_threads_that_share_the_fitted_metrics():
    metrics = [
        HiddenRate().fit(X, own_avatar=OWN),
        LocalCloaking().fit(X, own_avatar=OWN),
        RowDirectMatchProtection().fit(X),
    ]

    def call():
        return [(metric.score(Y), metric.transform(Y).tobytes()) for metric in metrics]

    expected = call()
    assert all(result == expected for result in in_threads(call))


def test_threads_that_share_one_comparison():
    comparison = CloserAvatars(X, Y, OWN, tie_tol=1e-12)
    expected = CloserAvatars(X, Y, OWN, tie_tol=1e-12).count().tobytes()
    assert {counts.tobytes() for counts in in_threads(comparison.count)} == {expected}


def test_threads_that_share_an_anonymiser_a_projection_and_a_scorer():
    anonymizer = KNeighborsAnonymizer(5, projection=FAMD(2), random_state=0).fit(X)
    scorer = PrivacyScorer(projection=FAMD(2))

    def call():
        return anonymizer.transform(X).tobytes(), repr(scorer(anonymizer, X))

    expected = call()
    assert all(result == expected for result in in_threads(call, 4))


def test_reports_in_threads_keep_their_warnings_and_those_of_later_calls(recwarn):
    warnings.simplefilter("always")

    def call():
        return [privacy_report(X, Y, output_dict=True)["warnings"] for _ in range(10)]

    # Unpaired: each of these reports must say so, once.
    expected = call()
    assert len(expected[0]) == 1
    assert all(result == expected for result in in_threads(call))
    # Catching warnings in threads can leave a list behind that swallows all later ones.
    n_before = len(recwarn)
    call()
    assert len(recwarn) == n_before + 10


# How tables are stored


def memory_mapped(table, folder):
    """Return a table that lives in a file, read-only."""
    path = folder / f"{hashlib.sha256(np.ascontiguousarray(table).tobytes()).hexdigest()}.npy"
    np.save(path, table)
    return np.load(path, mmap_mode="r")


def read_only(table):
    table = table.copy()
    table.flags.writeable = False
    return table


def strided(table):
    """Return a view whose rows and columns lie apart, in reverse."""
    wide = np.full((2 * len(table), 3 * table.shape[1]), np.nan)
    wide[::-2, ::-3] = table
    return wide[::-2, ::-3]


def names(table):
    return [f"c{j}" for j in range(table.shape[1])]


def pandas(dtype):
    return lambda table: pd.DataFrame(table, columns=names(table)).astype(dtype)


STORED = {
    "Fortran": np.asfortranarray,
    "strided": strided,
    "read-only": read_only,
    "float32": lambda table: table.astype(np.float32),
    "float16": lambda table: table.astype(np.float16),
    "big-endian": lambda table: table.astype(">f8"),
    "big-endian float32": lambda table: table.astype(">f4"),
    "long double": lambda table: table.astype(np.longdouble),
    "objects": lambda table: table.astype(object),
    "list": np.ndarray.tolist,
    "unaligned": lambda table: np.frombuffer(
        b"\0" + table.tobytes(), dtype=np.float64, offset=1
    ).reshape(table.shape),
    "pandas": pandas("float64"),
    "pandas float32": pandas("float32"),
    "pandas nullable": pandas("Float64"),
    "pandas nullable float32": pandas("Float32"),
    "pandas arrow": pandas("double[pyarrow]"),
    "pandas arrow float": pandas("float[pyarrow]"),
    "pandas with other labels": lambda table: pd.DataFrame(
        table, columns=names(table), index=RNG.permutation(len(table))
    ),
    "polars": lambda table: pl.DataFrame(table, schema=names(table)),
    "polars float32": lambda table: pl.DataFrame(table.astype("f4"), schema=names(table)),
}


@pytest.mark.parametrize("store", STORED.values(), ids=STORED.keys())
def test_stored_in_another_way(expected, store):
    assert everything(store(X), store(Y)) == expected


def test_stored_in_a_file(expected, tmp_path):
    assert everything(memory_mapped(X, tmp_path), memory_mapped(Y, tmp_path)) == expected


@pytest.mark.parametrize(
    "stores",
    [
        ("float32", "objects"),
        ("list", "big-endian"),
        ("pandas float32", "polars"),
        ("polars float32", "pandas arrow"),
        ("pandas nullable", "pandas arrow float"),
    ],
    ids=" and ".join,
)
def test_each_table_stored_in_its_own_way(expected, stores):
    stored = [STORED[store](table) for store, table in zip(stores, (X, Y), strict=True)]
    assert everything(*stored) == expected


MIXED = pd.DataFrame(
    {
        "age": RNG.integers(20, 90, size=N).astype(float),
        "dose": RNG.integers(-20, 21, size=N) / 2,
        "town": TOWN[RNG.permutation(N)],
        "job": np.array(["baker", "nurse", "pilot", "smith"], dtype=object)[
            RNG.integers(4, size=N)
        ],
    }
)
# Every other person keeps town and job; whole rows are copied now and then.
BLURRED = MIXED.iloc[RNG.permutation(N)].reset_index(drop=True)
BLURRED.loc[::2, ["town", "job"]] = MIXED.loc[::2, ["town", "job"]]
BLURRED.loc[::5] = MIXED.loc[::5]


def arrow_backed(table):
    kinds = dict.fromkeys(("age", "dose"), "double[pyarrow]")
    return table.astype(kinds | dict.fromkeys(("town", "job"), "string[pyarrow]"))


MIXED_STORED = {
    "objects": lambda table: table.to_numpy(dtype=object),
    "pandas objects": lambda table: table.astype({"town": object, "job": object}),
    "pandas categories": lambda table: table.astype({"town": "category", "job": "category"}),
    "pandas arrow": arrow_backed,
    "polars": lambda table: pl.DataFrame(table.to_dict("list")),
}


def everything_mixed(X, Y):
    """Return what projection, matching and report give for tables of numbers and text."""
    famd = FAMD(3).fit(X)
    given = {"projection": FAMD(3), "groups": TOWN}
    rows = RowDirectMatchProtection().fit(X)
    return {
        "projected": [np.asarray(famd.transform(table)).tobytes() for table in (X, Y)],
        "counts": closer_avatar_counts(famd.transform(X), famd.transform(Y)).tobytes(),
        "rows": (rows.score(Y), rows.n_unique_, np.asarray(rows.transform(Y)).tobytes()),
        "text": str(privacy_report(X, Y, **given)),
        "json": json.dumps(privacy_report(X, Y, output_dict=True, **given)),
    }


@pytest.fixture(scope="module")
def expected_mixed():
    found = everything_mixed(MIXED, BLURRED)
    assert 0 < found["rows"][0] < 100
    assert len(set(np.frombuffer(found["counts"], dtype=np.int64).tolist())) > 10
    return found


@pytest.mark.parametrize("store", MIXED_STORED)
def test_mixed_tables_stored_in_another_way(expected_mixed, store):
    stored = [MIXED_STORED[store](table) for table in (MIXED, BLURRED)]
    assert everything_mixed(*stored) == expected_mixed


@pytest.mark.parametrize(
    "own",
    [
        OWN.tolist(),
        OWN.astype(np.int16),
        OWN.astype(np.uint64),
        OWN.astype(">i4"),
        OWN.astype(object),
        OWN[:, None],
        read_only(OWN),
        np.repeat(OWN, 2)[::2],
        pd.Series(OWN, index=RNG.permutation(N)),
        pd.Series(OWN).astype("int64[pyarrow]"),
        pl.Series(OWN),
    ],
    ids=lambda own: f"{type(own).__name__} {getattr(own, 'dtype', '')}",
)
def test_pairing_stored_in_another_way(expected, own):
    assert everything(own=own) == expected


@pytest.mark.parametrize(
    "groups",
    [
        TOWN.tolist(),
        TOWN.astype(str),
        pd.Series(TOWN, index=RNG.permutation(N)),
        pd.Categorical(TOWN, categories=["Rome", "Lima", "Oslo", "none"]),
        pd.Series(TOWN).astype("string[pyarrow]"),
        pl.Series(TOWN.tolist()),
        pl.Series(TOWN.tolist(), dtype=pl.Categorical),
    ],
    ids=lambda groups: type(groups).__name__,
)
def test_groups_stored_in_another_way(expected, groups):
    assert everything(groups=groups) == expected


# What is given stays as it is


def fingerprint(value):
    """Return a hash of all that an argument holds, dtypes and labels included."""
    if isinstance(value, pl.DataFrame):
        value = value.to_dict(as_series=False), repr(value.schema)
    return joblib.hash(value)


class Call(NamedTuple):
    """A public entry point and the arguments to give it by name."""

    function: object
    settings: dict


def fit_and_use(estimator, **fit):
    """Return a call that fits an estimator and uses all it offers."""

    def use(X, Y, **fit):
        fitted = estimator.fit(X, **fit)
        fitted.transform(Y)
        if hasattr(fitted, "score"):
            fitted.score(Y, sample_weight=WEIGHT)
        if hasattr(fitted, "count_hits"):
            fitted.count_hits(Y)
        if hasattr(fitted, "inverse_transform"):
            fitted.inverse_transform(fitted.transform(X))

    return Call(use, fit)


def search(X, Y):
    refit = smallest_param_meeting("n_neighbors", {"hidden_rate": 0})
    GridSearchCV(
        KNeighborsAnonymizer(random_state=0),
        {"n_neighbors": [2, 5]},
        scoring=PrivacyScorer(projection=FAMD(2)),
        cv=ResubstitutionSplit(2),
        refit=refit,
        error_score="raise",
    ).fit(X)
    cross_validate(KNeighborsAnonymizer(2), X, scoring=HiddenRate(), cv=ResubstitutionSplit())


def draw(X, Y):
    CloakingDisplay.from_estimator(KNeighborsAnonymizer(2).fit(X), X, projection=FAMD(2))
    CloakingDisplay.from_counts(closer_avatar_counts(X, X))
    PrivacyCurveDisplay.from_estimator(
        KNeighborsAnonymizer(random_state=0), X, param_name="n_neighbors", param_range=[2, 5]
    )


PAIRED = {"own_avatar": OWN, "sample_weight": WEIGHT}
CALLS = {
    "closer_avatar_counts": Call(closer_avatar_counts, {"own_avatar": OWN}),
    "hidden_rate_score": Call(hidden_rate_score, PAIRED),
    "local_cloaking_score": Call(local_cloaking_score, PAIRED),
    "row_direct_match_protection_score": Call(
        row_direct_match_protection_score, {"sample_weight": WEIGHT}
    ),
    "privacy_report": Call(privacy_report, {**PAIRED, "groups": TOWN, "projection": FAMD(2)}),
    "HiddenRate": fit_and_use(HiddenRate(), own_avatar=OWN),
    "LocalCloaking": fit_and_use(LocalCloaking(), own_avatar=OWN),
    "RowDirectMatchProtection": fit_and_use(RowDirectMatchProtection()),
    "FAMD": fit_and_use(FAMD(2)),
    "KNeighborsAnonymizer": fit_and_use(KNeighborsAnonymizer(3, random_state=0)),
    "search": Call(search, {}),
    "displays": Call(draw, {}),
}


@pytest.mark.parametrize("store", [np.copy, np.asfortranarray, pandas("float64"), STORED["polars"]])
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore:The median own avatar:UserWarning")
def test_nothing_given_is_modified(name, store):
    function, settings = CALLS[name]
    tables = store(X), store(Y)
    given = [*tables, *(value for value in settings.values() if isinstance(value, np.ndarray))]
    before = [fingerprint(value) for value in given]
    function(*tables, **settings)
    assert [fingerprint(value) for value in given] == before


def test_a_fingerprint_sees_a_changed_cell():
    for store in (np.copy, pandas("float64"), STORED["polars"]):
        assert fingerprint(store(X)) == fingerprint(store(X.copy()))
        assert fingerprint(store(X)) != fingerprint(store(X + np.eye(N, 4)))


# Processes of their own

SCRIPT = """
import hashlib, json, platform, sys
import numpy as np
from threadpoolctl import threadpool_info
from skprivacy import (
    FAMD, KNeighborsAnonymizer, closer_avatar_counts, privacy_report,
    row_direct_match_protection_score,
)

rng = np.random.default_rng(0)
whole = rng.integers(-9, 10, size=(400, 5)).astype(float)
mixed = np.empty((400, 4), dtype=object)
mixed[:, :2] = whole[:, :2].tolist()
mixed[:, 2] = [f"town {cell:.0f}" for cell in whole[:, 2]]
mixed[:, 3] = [f"job {cell % 4:.0f}" for cell in whole[:, 3]]
avatars = mixed[rng.permutation(400)]
avatars[::2, 1:] = mixed[::2, 1:]
continuous = rng.normal(size=(200, 5))
famd = FAMD(3).fit(mixed)
X, Y = famd.transform(mixed), famd.transform(avatars)
report = privacy_report(mixed, avatars, projection=FAMD(3), groups=mixed[:, 3])
found = {
    "counts": closer_avatar_counts(X, Y).tolist(),
    "counts of whole numbers": closer_avatar_counts(whole, whole[::-1]).tolist(),
    # Of neighbours that tie exactly, rounding chooses; here there are none.
    "drawn": KNeighborsAnonymizer(7, projection=FAMD(3), random_state=0)
    .fit_transform(continuous)
    .tolist(),
    "rows": row_direct_match_protection_score(mixed, avatars),
    "text": report,
    "html": report._repr_html_(),
    "json": privacy_report(mixed, avatars, projection=FAMD(3), output_dict=True),
}
try:
    row_direct_match_protection_score(
        np.array([["a", 1]], object), np.array([[1, b"a"]], object)
    )
except ValueError as error:
    found["message"] = str(error)
kernels = sorted({info["architecture"] for info in threadpool_info() if "architecture" in info})
print(hashlib.sha256(json.dumps(found).encode()).hexdigest(), *kernels)
"""


def in_a_process(**environment):
    """Return a hash of all results of a process with these variables, and its BLAS kernels."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    digest, *kernels = done.stdout.split()
    return digest, kernels


@pytest.fixture(scope="module")
def of_a_process():
    return in_a_process(PYTHONHASHSEED="0")


@pytest.mark.parametrize("seed", ["1", pytest.param("2147483647", marks=pytest.mark.nightly)])
def test_seed_of_hashes(of_a_process, seed):
    assert in_a_process(PYTHONHASHSEED=seed) == of_a_process


X86 = platform.machine() in ("x86_64", "AMD64")


@pytest.mark.skipif(not X86, reason="the names of the kernels are those of x86")
@pytest.mark.parametrize(
    "kernel", ["Prescott", "Haswell", pytest.param("Sandybridge", marks=pytest.mark.nightly)]
)
def test_kernels_of_blas(of_a_process, kernel):
    if of_a_process[1] == [kernel]:
        pytest.skip(f"{kernel} is the kernel that this machine has anyway")
    digest, kernels = in_a_process(OPENBLAS_CORETYPE=kernel)
    assert kernels != of_a_process[1], "the variable chose no other kernel"
    assert digest == of_a_process[0]


def test_threads_of_blas(of_a_process):
    assert in_a_process(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1") == of_a_process
