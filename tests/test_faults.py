"""Bad days: an error with a name or NaN with a warning, no wrong number, and nothing left over."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

import numpy as np
import pytest
from _blur import Blur
from _faulty import Failing
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from skprivacy import (
    FAMD,
    HiddenRate,
    KNeighborsAnonymizer,
    LocalCloaking,
    PrivacyScorer,
    ResubstitutionSplit,
    RowDirectMatchProtection,
    closer_avatar_counts,
    privacy_report,
    smallest_param_meeting,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
Y = X + 0.3 * RNG.normal(size=X.shape)
GRID = {"k": [2, 3, 4]}
BAD = GRID["k"].index(3)


def search(anonymizer=None, scoring=None, **settings):
    """Search over k; by default one metric, whose errors are raised."""
    return GridSearchCV(
        anonymizer or Blur(),
        GRID,
        scoring=scoring or PrivacyScorer("hidden_rate"),
        cv=ResubstitutionSplit(),
        **{"refit": False, "error_score": "raise", **settings},
    )


@pytest.fixture(scope="module")
def expected():
    """Return what each candidate scores on a good day."""
    return search().fit(X).cv_results_["mean_test_score"]


# An anonymiser that fails for one candidate


@pytest.mark.parametrize(
    ("method", "n_jobs"), [("fit", None), ("transform", None), ("transform", 2)]
)
def test_the_error_of_a_candidate_is_raised_as_it_is(expected, method, n_jobs):
    with pytest.raises(ValueError, match="no avatars today"):
        search(Failing(method=method), n_jobs=n_jobs).fit(X)
    again = search(Failing(bad=None), n_jobs=n_jobs).fit(X)
    np.testing.assert_array_equal(again.cv_results_["mean_test_score"], expected)


@pytest.mark.parametrize("error", [ValueError, MemoryError, OSError, ZeroDivisionError])
def test_a_failing_candidate_is_nan_and_never_chosen(expected, error):
    refit = smallest_param_meeting("k", {"hidden_rate": 0})
    scorer = PrivacyScorer(["hidden_rate", "local_cloaking"], raise_exc=False)
    failing = search(Failing(bad=2, error=error), scorer, refit=refit)
    with pytest.warns(UserWarning, match=r"No score|non-finite") as caught:
        failing.fit(X)
    said = sorted({str(warning.message) for warning in caught})
    assert len(said) == 3
    assert said[0].startswith("No score for 'hidden_rate', 'local_cloaking': " + error.__name__)
    assert all("non-finite" in message for message in said[1:])
    assert "no avatars today" not in "".join(said)
    scores = failing.cv_results_["mean_test_hidden_rate"]
    np.testing.assert_array_equal(np.isnan(scores), [True, False, False])
    np.testing.assert_array_equal(scores[1:], expected[1:])
    assert failing.best_params_ == {"k": 3}


def test_a_candidate_that_cannot_be_fitted_is_nan_as_scikit_learn_says(expected):
    failing = search(Failing(method="fit"), error_score=np.nan)
    with pytest.warns(match="1 fits failed"), pytest.warns(match="non-finite"):
        failing.fit(X)
    scores = failing.cv_results_["mean_test_score"]
    assert np.isnan(scores[BAD])
    np.testing.assert_array_equal(np.delete(scores, BAD), np.delete(expected, BAD))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda avatars: np.where(avatars == avatars[5, 1], np.nan, avatars),
        lambda avatars: np.where(avatars == avatars[5, 1], np.inf, avatars),
        lambda avatars: avatars[:-1],
        lambda avatars: avatars[:, :2],
        lambda avatars: avatars.T,
        lambda avatars: avatars[:0],
        lambda avatars: avatars[..., None],
        lambda avatars: avatars.astype(str),
        lambda avatars: avatars + 1j,
        lambda avatars: None,
        iter,
        lambda avatars: [*avatars[:-1].tolist(), [0.0]],
    ],
    ids=["NaN", "inf", "row", "column", "turned", "none", "3-D", "text", "complex", "None", "iter",
         "ragged"],
)  # fmt: skip
def test_spoilt_avatars_have_no_score(spoil):
    for metric in (None, "hidden_rate", "local_cloaking"):
        scorer = PrivacyScorer(metric, response_method=lambda fitted, X: spoil(fitted.transform(X)))
        with pytest.raises((TypeError, ValueError)):
            scorer(Blur().fit(X), X)


# A fit that fails, or is stopped, leaves nothing to score with


@pytest.mark.parametrize("metric", [HiddenRate(), LocalCloaking()])
@pytest.mark.parametrize(
    ("settings", "pairing"),
    [({}, [-1] * 120), ({}, [0]), ({"tie_tol": 2}, None), ({"n_components": 3}, None)],
)
def test_a_fit_that_fails_leaves_no_older_originals(metric, settings, pairing):
    metric = clone(metric).fit(X)
    other = Y[:, :2]
    with pytest.raises(ValueError, match=r"own_avatar|n_components|tie_tol"):
        metric.set_params(**settings).fit(other, own_avatar=pairing)
    metric.set_params(n_components=None, tie_tol=1e-12)
    # The older originals, cut to two columns, would give a number that looks like any other.
    with pytest.raises(NotFittedError):
        metric.score(other)
    assert metric.fit(other).score(other) == 0


@pytest.mark.parametrize("faulty", [X[:0], X[:, 0], [[1, 1j]] * 3])
def test_a_fit_on_rows_that_fails_leaves_no_older_originals(faulty):
    metric = RowDirectMatchProtection().fit(X)
    with pytest.raises((TypeError, ValueError)):
        metric.fit(faulty)
    for call in (metric.score, metric.transform, metric.count_hits):
        with pytest.raises(NotFittedError):
            call(Y)
    assert metric.fit(X).score(X) == 0


def interrupted(call, seconds):
    """Make a call and stop it, if it takes so long; return its result, or None if stopped."""
    is_running = threading.Event()

    def stop(number, frame):
        if is_running.is_set():
            raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, stop)
    try:
        is_running.set()
        signal.setitimer(signal.ITIMER_REAL, seconds)
        result = call()
        # An alarm from here on is too late; one before is caught below.
        is_running.clear()
    except KeyboardInterrupt:
        result = None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    return result


MANY = RNG.normal(size=(4000, 3))
MANY_AVATARS = MANY + 0.05 * RNG.normal(size=MANY.shape)
HIDDEN, CLOAKED = HiddenRate().fit(MANY), LocalCloaking().fit(MANY)
ROWS = RowDirectMatchProtection().fit(MANY)
ANONYMIZER = KNeighborsAnonymizer(3, random_state=0).fit(MANY)
INTERRUPTED = {
    "counts": lambda: closer_avatar_counts(MANY, MANY_AVATARS).tobytes(),
    "hidden rate": lambda: HIDDEN.score(MANY_AVATARS),
    "local cloaking": lambda: CLOAKED.score(MANY_AVATARS),
    "rows": lambda: ROWS.score(MANY_AVATARS),
    "projection": lambda: FAMD(2).fit(MANY).transform(MANY_AVATARS).tobytes(),
    "anonymiser": lambda: ANONYMIZER.transform(MANY).tobytes(),
    "report": lambda: str(privacy_report(MANY[:500], MANY_AVATARS[:500])),
    "scorer": lambda: repr(PrivacyScorer(raise_exc=False)(ANONYMIZER, MANY)),
}


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no such alarm")
@pytest.mark.parametrize("name", INTERRUPTED)
def test_stopped_in_the_middle(name):
    call = INTERRUPTED[name]
    right = call()
    begin = time.perf_counter()
    call()
    whole = time.perf_counter() - begin
    results = [interrupted(call, share * whole) for share in np.linspace(0.02, 1.1, 12)]
    assert None in results, "nothing was stopped"
    assert {result for result in results if result is not None} <= {right}
    assert call() == right


def test_an_interrupt_is_no_failed_metric():
    def stop(X, avatars):
        raise KeyboardInterrupt

    scorer = PrivacyScorer({"mine": stop, "hidden_rate": "hidden_rate"}, raise_exc=False)
    with pytest.raises(KeyboardInterrupt):
        scorer(Blur().fit(X), X)
    with pytest.raises(KeyboardInterrupt):
        search(scoring=scorer, refit="hidden_rate").fit(X)


# Processes that die, memory and disks that are full

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

START = f"""
import functools, os, resource, signal, sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
import joblib
import numpy as np
from _blur import Blur
from _faulty import Lethal, Starved, Stopping, interrupted_count, lethal_count, starved_count
from joblib import delayed
from sklearn.model_selection import GridSearchCV
from skprivacy import *
from skprivacy.metrics import _closer_avatars

# A process started in the background may have been told to ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
# Beyond the megabyte from which joblib memory-maps arguments.
WIDE = rng.normal(size=(1200, 120))

def search(anonymizer, n_jobs, error_score="raise"):
    return GridSearchCV(
        anonymizer, {{"k": [2, 3]}}, scoring=PrivacyScorer("hidden_rate"),
        cv=ResubstitutionSplit(), n_jobs=n_jobs, refit=False, error_score=error_score,
    ).fit(WIDE).cv_results_["mean_test_score"].tolist()

def error_of(call):
    try:
        call()
    except BaseException as error:
        return type(error).__name__
    return "none"
"""

# Counts in workers, to which the tree and the originals go as memory maps.
COUNT = """
_closer_avatars._FIRST_BLOCK, _closer_avatars._WORTH_WORKERS = 1000, 0  # workers it is
X = rng.normal(size=(60_000, 5))
Y = X + 0.1 * rng.normal(size=X.shape)
alone = closer_avatar_counts(X, Y).tolist()

def count(step=None):
    # The step is given what each worker would call, and called in its place.
    replace = (lambda call: functools.partial(step, call)) if step else (lambda call: call)
    _closer_avatars.delayed = lambda call: delayed(replace(call))
    return closer_avatar_counts(X, Y, n_jobs=2).tolist()
"""

# Searches and counts in workers with a temporary folder of some kind.
IN_FOLDER = (
    COUNT
    + """
right = search(Blur(), None)

def report(folder=os.environ["JOBLIB_TEMP_FOLDER"]):
    os.environ["JOBLIB_TEMP_FOLDER"] = folder
    for call, expected in ((lambda: search(Blur(), 2), right), (count, alone)):
        found = []
        error = error_of(lambda: found.append(call()))
        print(error, all(result == expected for result in found))
"""
)


def marked_processes(mark):
    """Return the processes, of whatever parent, that a script of this mark left behind."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            is_marked = mark.encode() in path.read_bytes()
            state = (path.parent / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if is_marked and state != "Z":
            found.append(path.parent.name)
    return found


def shared_memory(pid):
    """Return the names of what joblib holds in shared memory for a process, and no other."""
    folder = Path("/dev/shm")  # noqa: S108 - looked at, not written to
    made_by = re.compile(rf"(joblib_memmapping_folder_|loky-){pid}[_-]")
    return {path.name for path in folder.iterdir() if made_by.search(path.name)}


def output_of(command, environment):
    """Run a command to its end; return its output and the number of its process."""
    with subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A script may interrupt its whole group, which the tests are no part of.
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=120)
        finally:
            process.kill()
    assert process.returncode == 0, err
    return out, process.pid


def run_script(code, tmp_path, **environment):
    """Run a script of its own process, check that nothing is left of it, return its output."""
    maps = tmp_path / "maps"
    maps.mkdir(exist_ok=True)
    mark = f"SKPRIVACY_MARK_{uuid.uuid4().hex}"
    out, pid = output_of(
        [sys.executable, "-W", "ignore::UserWarning:joblib", "-c", START + code, str(tmp_path)],
        os.environ | {"JOBLIB_TEMP_FOLDER": str(maps), mark: "1"} | environment,
    )
    deadline = time.monotonic() + 15
    while marked_processes(mark) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not marked_processes(mark)
    assert not list(maps.iterdir())
    assert not shared_memory(pid)
    return out.splitlines()


@LINUX
def test_the_shared_memory_of_a_process_is_found():
    calls = """
import sys
import joblib
import numpy as np
joblib.Parallel(2)(joblib.delayed(np.sum)(np.zeros(200_000)) for _ in range(2))
print("ready", flush=True)
sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", calls], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"ready\n"
        assert shared_memory(process.pid)
        process.stdin.close()
    assert not shared_memory(process.pid)


@LINUX
def test_a_search_whose_workers_are_killed_or_stopped(tmp_path):
    lines = run_script(
        """
right = search(Blur(), None)
flag = Path(sys.argv[1], "flag")
flag.touch()
print(error_of(lambda: search(Lethal(flag=str(flag)), 2)))
print(search(Lethal(flag=str(flag)), 2) == right)
flag.touch()
print(error_of(lambda: search(Stopping(flag=str(flag)), 2)))
print(search(Blur(), 2) == right)
""",
        tmp_path,
    )
    assert lines == ["TerminatedWorkerError", "True", "KeyboardInterrupt", "True"]


@LINUX
def test_a_killed_worker_of_a_count(tmp_path):
    lines = run_script(
        COUNT
        + """
flag = Path(sys.argv[1], "flag")
flag.touch()
step = functools.partial(lethal_count, str(flag))
print(error_of(lambda: count(step)), flag.exists())
print(count(step) == alone)
""",
        tmp_path,
    )
    # While arguments are still being sent, a worker that dies breaks their pipe.
    errors = {"TerminatedWorkerError", "BrokenProcessPool", "BrokenPipeError"}
    assert lines[0] in {f"{error} False" for error in errors}
    assert lines[1:] == ["True"]


@LINUX
def test_an_interrupt_from_the_keyboard_while_workers_count(tmp_path):
    # A terminal sends it to the whole group: to the workers as well.
    lines = run_script(
        COUNT
        + """
flags = [Path(sys.argv[1], name) for name in ("first", "second")]
for flag in flags:
    flag.touch()
print(error_of(lambda: count(functools.partial(interrupted_count, *map(str, flags)))))
print(any(flag.exists() for flag in flags), count() == alone)
""",
        tmp_path,
    )
    assert lines == ["KeyboardInterrupt", "False True"]


@LINUX
def test_out_of_memory_in_workers_alone(tmp_path):
    lines = run_script(
        COUNT
        + """
right = search(Blur(), None)
print(error_of(lambda: count(starved_count)))
print(count() == alone)
print(error_of(lambda: search(Starved(bad=3), 2)))
scores = search(Starved(bad=3), 2, error_score=np.nan)
print(scores[0] == right[0], np.isnan(scores[1]))
print(search(Starved(bad=None), 2) == right)
""",
        tmp_path,
        OPENBLAS_NUM_THREADS="1",
    )
    assert lines == ["MemoryError", "True", "MemoryError", "True True", "True"]


@LINUX
def test_out_of_memory(tmp_path):
    lines = run_script(
        """
X = rng.normal(size=(120_000, 5))
Y = X + 0.05 * rng.normal(size=X.shape)
words = X.round(1).astype(str)
calls = {
    "counts": lambda n: closer_avatar_counts(X[:n], Y[:n]).tolist(),
    "hidden": lambda n: HiddenRate().fit(X[:n]).score(Y[:n]),
    "rows": lambda n: row_direct_match_protection_score(words[:n], words[:n][::-1]),
    "famd": lambda n: FAMD(2).fit(X[:n]).transform(Y[:n]).tolist(),
    "anonymiser": lambda n: KNeighborsAnonymizer(3, random_state=0).fit_transform(X[:n]).tolist(),
}
def used():
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()

unlimited = resource.getrlimit(resource.RLIMIT_AS)
for name, call in calls.items():
    right = call(3000)
    for megabytes in (0, 2, 8):
        resource.setrlimit(resource.RLIMIT_AS, (used() + megabytes * 2**20, unlimited[1]))
        error = error_of(lambda: call(len(X)))
        resource.setrlimit(resource.RLIMIT_AS, unlimited)
        print(error)
    print(call(3000) == right)
""",
        tmp_path,
        OPENBLAS_NUM_THREADS="1",
    )
    assert len(lines) == 20
    assert set(lines) == {"MemoryError", "True"}


@LINUX
def test_a_temporary_folder_that_is_full_or_a_file_or_not_there(tmp_path):
    (tmp_path / "file").touch()
    lines = run_script(
        IN_FOLDER
        + """
# A limit to the size of files stands for a full disk.
limit = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limit[1]))
report()
resource.setrlimit(resource.RLIMIT_FSIZE, limit)
maps = os.environ["JOBLIB_TEMP_FOLDER"]
for folder in ("file", "file/below", "not/there"):
    report(os.path.join(sys.argv[1], folder))
report(maps)
""",
        tmp_path,
    )
    assert lines == [*["PicklingError True"] * 6, *["none True"] * 4]
    assert not list((tmp_path / "not" / "there").iterdir())


def unwritable_folder(tmp_path):
    """Return a folder in which this user can make nothing; root can, in all but a few."""
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    for folder in (locked, Path("/sys/kernel")):
        probe = folder / f"probe_{uuid.uuid4().hex}"
        try:
            probe.mkdir()
        except OSError:
            return folder
        probe.rmdir()
    return pytest.skip("this user can write everywhere")


@LINUX
def test_a_temporary_folder_that_nobody_can_write(tmp_path):
    folder = unwritable_folder(tmp_path)
    lines = run_script(IN_FOLDER + f"report({str(folder)!r})\nreport({str(tmp_path)!r})", tmp_path)
    assert lines == [*["PicklingError True"] * 2, *["none True"] * 2]
    assert {path.name for path in tmp_path.iterdir()} == {"locked", "maps"}
