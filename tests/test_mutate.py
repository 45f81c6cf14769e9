"""The mutation tester: what it changes, what it leaves, and whom it calls a survivor."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from _mutants import mutants_of

SCRIPT = Path(__file__).with_name("mutate.py")


@pytest.mark.parametrize(
    ("source", "after"),
    [
        ("x = a < b", ["a <= b", "a >= b"]),
        ("x = a == b", ["a != b"]),
        ("x = a in b", ["a not in b"]),
        ("x = a in 'iuf'", ["a not in 'iuf'", "a in 'iu'"]),
        ("x = a < b == c", ["a <= b == c", "a >= b == c", "a < b != c"]),
        ("x = a and b", ["a or b"]),
        ("x = not a", ["a"]),
        ("x = -a", ["a"]),
        ("x = a - 1", ["a + 1", "2", "0"]),
        ("x = a // b", ["a / b"]),
        ("x = np.median(a)", ["np.mean"]),
        ("x = np.sqrt(a)", ["np.positive"]),
        ("x = any(a)", ["all"]),
        ("x = f(a, b=c, d=e)", ["f(a, d=e)", "f(a, b=c)"]),
        ("x = a[b:c]", [":c", "b:"]),
        ("x = True", ["False"]),
        ("x = f('left')", ["'right'"]),
        ("x = f('key')", ["'key_'"]),
        ("x = b if a else c", ["b if not a else c"]),
        ("x = [a for a in b if a]", ["for a in b if not a"]),
        ("if a: f(b)", ["if not a:\n    f(b)", "pass"]),
        ("a.b = c", ["pass"]),
        ("raise error", ["pass"]),
        ("def f(a):\n    a = b\n    c = a\n    return a", ["pass", "return None"]),
        ("for a in b:\n    break", ["continue"]),
    ],
)
def test_what_is_changed(source, after):
    assert [mutant.after.strip() for mutant in mutants_of(source, "module.py")] == after


@pytest.mark.parametrize(
    "source",
    [
        '"""A docstring."""',
        "def f(a: Literal['key'] = b) -> dict['key', 1]: g = a",
        "x = 'words to a reader'",
        "x = f'{a}key{b:5}'",
        "__all__ = ['key']",
        "Kind: TypeAlias = tuple['key', 1]",
        "if TYPE_CHECKING:\n    x = 1",
        "def f():\n    return None",
    ],
)
def test_what_says_something_to_readers_only_is_left(source):
    assert list(mutants_of(source, "module.py")) == []


@pytest.mark.parametrize(
    ("source", "is_critical"),
    [
        ("x = a < True", True),
        ("x = a - 1", True),
        ("x = a * 2", False),
        ("x = np.sqrt(a)", True),
        ("x = any(n_rows)", True),
        ("x = any(rows)", False),
    ],
)
def test_lines_that_compare_or_count_are_critical(source, is_critical):
    assert {mutant.is_critical for mutant in mutants_of(source, "module.py")} == {is_critical}


def test_every_mutant_is_the_module_with_one_change():
    results = []
    for mutant in mutants_of("x = 6 - 1\ny = 2 < 3", "module.py"):
        names = {}
        exec(mutant.code, names)  # noqa: S102 - the code above, changed a little
        results.append((mutant.line, names["x"], names["y"]))
    # The operator, the six up and down, the one up and down; then the same of the comparison.
    assert results == [
        *[(1, x, True) for x in (7, 6, 4, 4, 6)],
        *[(2, 5, y) for y in (True, False, False, True, True, False)],
    ]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="mutants are run in forks")
def test_a_mutant_that_no_test_notices_survives(tmp_path):
    (tmp_path / "grades.py").write_text(
        "def passes(points):\n    return points >= 10\n\n\n"
        "def best(points):\n    return max(points)\n"
    )
    tests = tmp_path / "test_grades.py"
    tests.write_text("import grades\n\n\ndef test_passes():\n    assert grades.passes(12)\n")
    command = [sys.executable, SCRIPT, tmp_path / "grades.py", "--tests", tests]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    run = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 1, run.stderr
    lines = [line.partition("grades.py:")[2] or line for line in run.stdout.splitlines()]
    assert lines[:3] == [
        "2: points >= 10  ->  points > 10  [critical lives]",
        "2: 10  ->  11  [critical lives]",
        "2: 10  ->  9  [critical lives]",
    ]
    assert lines[3:5] == [
        "6: return max(points)  ->  return None  [unseen]",
        "6: max  ->  min  [unseen]",
    ]
    assert "2 of 7 killed, 28.6 %" in run.stdout
