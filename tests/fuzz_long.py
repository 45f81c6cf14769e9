"""Run the targets of tests/test_fuzz.py for as long as there is time.

    python tests/fuzz_long.py --minutes 30
    python tests/fuzz_long.py --minutes 30 --engine atheris

hypothesis draws inputs at random; atheris (to be installed beside the project) lets those
breed that reach new lines of the package. The targets share the time. An input that fails is
shown, kept in the example database and so repeated by the next run of the test suite.

For each target it is printed how many inputs there were, how many of them differ, how many were
refused with an error that names the place, in how many wordings, and how many were answered
and the answer checked.
"""

from __future__ import annotations

import argparse
import functools
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).resolve().parent
TARGETS = [
    "test_rows",
    "test_own_avatar",
    "test_frames_as_coordinates",
    "test_frames_as_rows",
    "test_frames_through_famd",
    "test_frames_through_anonymiser_and_report",
    "test_csv_files_mean_what_is_documented",
    "test_any_bytes_as_csv",
    "test_command_line",
]


def main() -> int:
    """Run every target in a process of its own; return 1 if any failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--engine", choices=["hypothesis", "atheris"], default="hypothesis")
    parser.add_argument("--target", choices=TARGETS, action="append")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    targets = arguments.target or TARGETS
    if arguments.alone:
        run = {"hypothesis": with_hypothesis, "atheris": with_atheris}[arguments.engine]
        return run(targets[0], 60 * arguments.minutes)
    minutes = arguments.minutes / len(targets)
    options = ["--engine", arguments.engine, "--minutes", str(minutes), "--alone"]
    failed = [target for target in targets if not _runs(target, options)]
    print(f"failed: {', '.join(failed) or 'none'}")
    return int(bool(failed))


def _runs(target, options):
    """Run one target in a process of its own, for atheris ends its process."""
    command = [sys.executable, __file__, "--target", target, *options]
    return subprocess.run(command, check=False).returncode == 0


def with_hypothesis(target, seconds):
    """Draw batch after batch of inputs until the time is over."""
    test, outcomes = _counted(target)
    start = time.monotonic()
    try:
        while time.monotonic() - start < seconds:
            test()
    finally:
        _say(target, outcomes, time.monotonic() - start)
    return 0


def with_atheris(target, seconds):
    """Let inputs breed that reach new lines of the package."""
    import atheris

    with atheris.instrument_imports(include=["skprivacy"]):
        import skprivacy  # noqa: F401

        test, outcomes = _counted(target)
    start = time.monotonic()

    def run(data):
        # atheris ends the process without a word.
        try:
            test.hypothesis.fuzz_one_input(data)
        except BaseException:
            _say(target, outcomes, time.monotonic() - start)
            raise
        if time.monotonic() - start > seconds:
            _say(target, outcomes, seconds)
            os._exit(0)

    # Few bytes draw nothing, so breeding starts from long inputs. Failing ones are written here.
    folder = Path(tempfile.mkdtemp())
    os.chdir(folder)
    corpus = folder / "corpus"
    corpus.mkdir()
    for size in range(64, 2048, 64):
        (corpus / str(size)).write_bytes(random.Random(size).randbytes(size))
    atheris.Setup([target, str(corpus), "-max_len=4096", "-verbosity=0"], run)
    atheris.Fuzz()
    return 0


@dataclass
class Outcomes:
    """What became of the inputs of a target."""

    n_inputs: int = 0
    n_refused: int = 0
    n_checked: int = 0
    different: set[int] = field(default_factory=set)
    wordings: set[str] = field(default_factory=set)


def _counted(target):
    """Return a test whose inputs and refusals are counted, and the counts."""
    sys.path.insert(0, str(TESTS))
    import conftest  # noqa: F401 - its hypothesis profile
    import test_fuzz
    from hypothesis.control import current_build_context

    outcomes = Outcomes()
    test = getattr(test_fuzz, target)
    inner, check_message = test.hypothesis.inner_test, test_fuzz.check_message

    @functools.wraps(inner)
    def counted(*drawn, **named):
        outcomes.n_inputs += 1
        # What was drawn and not its repr, which fails for some cells.
        outcomes.different.add(hash(repr(current_build_context().data.choices)))
        n_refused = outcomes.n_refused
        inner(*drawn, **named)
        outcomes.n_checked += outcomes.n_refused == n_refused

    def counted_message(error, *place):
        check_message(error, *place)
        outcomes.n_refused += 1
        # Names, files and numbers make no other wording.
        outcomes.wordings.add(re.sub(r"(?s)'.*'|\".*\"|\S+\.csv|\d+", "", str(error)))

    test.hypothesis.inner_test = counted
    test_fuzz.check_message = counted_message
    return test, outcomes


def _say(target, outcomes, seconds):
    """Print what became of a target's inputs."""
    print(
        f"{target}: {outcomes.n_inputs:,} inputs in {seconds:.0f} s, "
        f"{len(outcomes.different):,} different; {outcomes.n_refused:,} refused by a named error "
        f"in {len(outcomes.wordings)} wordings, {outcomes.n_checked:,} answered and checked",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
