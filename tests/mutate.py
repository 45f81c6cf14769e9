"""Mutation testing: change a module in one place at a time and see whether a test fails.

    python tests/mutate.py skprivacy/metrics/_hidden_rate.py
    python tests/mutate.py skprivacy/projection/_axes.py:52,61 --tests tests/test_axes.py

Files are mutated in memory only. For every mutant a process is forked in which the changed
module takes the place of the module; it runs the tests that reach the changed line, the
quickest first, and stops at the first that fails. A mutant that no test notices survives: it is
equivalent to the original, or a test is missing.

By default the tests are those of the file that mirrors the module and of FURTHER_TESTS. What is
changed: comparisons, and/or/not, arithmetic, constants, keyword arguments, slices, conditions,
returned values, and whole statements; see _mutations.py. Needs an operating system that can fork,
and the package installed from the files that are mutated (pip install -e .).
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import json
import os
import resource
import signal
import sys
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path

import pytest
from _mutant_hooks import Mutated, Reach, Selected
from _mutants import mutants_of

ROOT = Path(__file__).parents[1]
# Tests of a module beside those of the file that mirrors it.
FURTHER_TESTS = {
    "closer_avatars": ["tie_rule", "tree_counting", "progress", "workers"],
    "famd": ["projection"],
    "leaf_products": ["tree_counting"],
    "paired": ["hidden_rate", "local_cloaking"],
    "plausibility": ["hidden_rate"],
    "privacy_scorer": ["model_selection"],
    "row_direct_match": ["public_api"],
    "row_matching": ["row_near_misses"],
    "row_tables": ["row_columns"],
    "shared_counts": ["privacy_scorer"],
    "tree_stages": ["tree_counting"],
    "validation": ["hidden_rate"],
}
# Imported before the forks, for they take longer than most tests. polars is not: its threads
# would not survive a fork.
_SLOW_IMPORTS = ["hypothesis", "joblib", "matplotlib", "numpy", "pandas", "pyarrow", "scipy.stats"]
_SLOW_IMPORTS += ["sklearn.datasets", "sklearn.model_selection", "sklearn.neighbors"]
_WITHOUT = [f"-pno:{plugin}" for plugin in ("cacheprovider", "cov", "xdist", "junitxml")]
_MEMORY = 16 << 30

say = partial(print, flush=True)


def main() -> int:
    """Mutate every file; return 1 if a mutant survived."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE[:LINE,...]")
    parser.add_argument("--tests", nargs="+", help="test files instead of the default ones")
    parser.add_argument("--critical", action="store_true", help="only lines that compare or count")
    arguments = parser.parse_args()
    for library in ("OMP_NUM", "OPENBLAS_NUM", "MKL_NUM", "POLARS_MAX"):
        os.environ[f"{library}_THREADS"] = "1"
    # Options of the run around this one, such as those that measure coverage, are not for mutants.
    os.environ.pop("PYTEST_ADDOPTS", None)
    for name in _SLOW_IMPORTS:
        importlib.import_module(name)
    # pytest collects garbage ten times a run; what is here now is none.
    gc.freeze()
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = folder
        # Compiled once, for all processes, and outside the project.
        sys.dont_write_bytecode, sys.pycache_prefix = False, folder
        for file in arguments.files:
            name, _, lines = file.partition(":")
            path = Path(name).resolve()
            tests = arguments.tests or default_tests(path)
            survivors += mutate(path, tests, lines, only_critical=arguments.critical)
    return int(survivors > 0)


def default_tests(path):
    """Return the test files of a module: its mirror, and those of the table."""
    name = path.stem.removeprefix("_")
    files = [ROOT / "tests" / f"test_{stem}.py" for stem in [name, *FURTHER_TESTS.get(name, [])]]
    return [str(file) for file in files if file.exists()]


def mutate(path, tests, lines="", *, only_critical=False):
    """Run the mutants of one file and report; return how many survived."""
    mutants = [
        mutant
        for mutant in mutants_of(path.read_text(encoding="utf-8"), str(path))
        if (not lines or str(mutant.line) in lines.split(","))
        and (mutant.is_critical or not only_critical)
    ]
    reach = _reach(path, tests)
    outcomes = [(mutant, _outcome(path, tests, reach, mutant)) for mutant in mutants]
    survived = [(mutant, outcome) for mutant, outcome in outcomes if outcome in {"lives", "unseen"}]
    name = os.path.relpath(path, ROOT)
    for mutant, outcome in survived:
        mark = "critical " if mutant.is_critical else ""
        say(f"{name}:{mutant}  [{mark}{outcome}]")
    for label, group in [
        ("all", outcomes),
        ("critical", [(m, o) for m, o in outcomes if m.is_critical]),
    ]:
        lost = sum(outcome == "timeout" for _, outcome in group)
        killed = sum(outcome == "killed" for _, outcome in group) + lost
        percent = 100 * killed / len(group) if group else 100
        late = f" ({lost} by the time limit)" if lost else ""
        say(f"{name} {label}: {killed} of {len(group)} killed{late}, {percent:.1f} %")
    return len(survived)


def _reach(path, tests):
    """Run all tests on the module as it is, and note which of its lines each of them runs."""
    with tempfile.NamedTemporaryFile() as file:

        def run():
            reach = Reach(path)
            sys.settrace(reach.trace)
            code = _pytest(tests, reach)
            sys.settrace(None)
            lines = {test: sorted(lines) for test, lines in reach.lines.items()}
            Path(file.name).write_text(json.dumps([lines, reach.seconds]), encoding="utf-8")
            return code

        if _forked(run, 3600) != 0:
            raise SystemExit(f"The tests of {path} fail without any mutation.")
        lines, seconds = json.loads(Path(file.name).read_text(encoding="utf-8"))
    if not lines:
        raise SystemExit(f"The tests never run {path}. Is the package installed from there?")
    return {test: set(reached) for test, reached in lines.items()}, seconds


def _outcome(path, tests, reach, mutant):
    """Return killed, timeout, lives, or unseen where no test reaches the line."""
    lines, seconds = reach
    span = set(range(mutant.lines[0], mutant.lines[1] + 1))
    reaching = {test for test in seconds if span & lines.get(test, set())}
    # What runs on import may matter to any test.
    others = set(seconds) - reaching if span & lines.get("", set()) else set()
    chosen = sorted(reaching, key=seconds.get) + sorted(others, key=seconds.get)
    if not chosen:
        return "unseen"
    files = {test.partition("::")[0] for test in chosen}
    needed = [test for test in tests if Path(test).name in {Path(file).name for file in files}]

    def run():
        sys.meta_path.insert(0, Mutated(path, mutant.code))
        return _pytest(needed, Selected(chosen, seconds))

    code = _forked(run, 60 + 10 * sum(seconds[test] for test in chosen))
    return {0: "lives", None: "timeout", -signal.SIGALRM: "timeout"}.get(code, "killed")


def _pytest(tests, plugin):
    """Run tests without traces on the disk; the seed makes drawn inputs the same each time."""
    options = ["-x", "-q", "--tb=no", "--no-header", *_WITHOUT]
    # hypothesis was imported before pytest could rewrite its assertions, of which it has none.
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning", "--hypothesis-seed=0"]
    return pytest.main([*options, *tests], plugins=[plugin])


def _forked(run, timeout):
    """Return the exit code of a function in a process of its own, None if it took too long."""
    with warnings.catch_warnings():
        # Arrow's threads, which it starts anew in the child.
        warnings.filterwarnings("ignore", ".*multi-threaded", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        code = 3
        with contextlib.suppress(BaseException):
            code = int(run())
        os._exit(code)
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


if __name__ == "__main__":
    sys.exit(main())
