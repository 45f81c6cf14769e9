"""The demonstration shows k against the metrics and the smallest k that is enough."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from sklearn.datasets import load_breast_cancer

from skprivacy import FAMD, KNeighborsAnonymizer, hidden_rate_score, local_cloaking_score
from skprivacy._cli._demo import _Measured, _table, _verdict, demo

K = [2, 5, 10, 20, 50]


@pytest.fixture(scope="module")
def output():
    """Return what the command prints."""
    done = subprocess.run(
        [sys.executable, "-m", "skprivacy", "demo"], capture_output=True, text=True, check=True
    )
    assert not done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def rows(output):
    """Return the numbers of the table."""
    lines = [line for line in output.splitlines() if re.match(r" *\d+  ", line)]
    return [[float(number) for number in re.findall(r"[\d.]+", line)] for line in lines]


def test_one_row_for_each_k(rows):
    assert [row[0] for row in rows] == K
    for _, hidden_rate, cloaking, protection, n_unique, n_hits in rows:
        assert 0 <= hidden_rate <= 100
        assert 0 <= cloaking <= 568
        assert n_unique <= 569
        assert protection == pytest.approx(100 * (1 - n_hits / 569), abs=0.05)


def test_numbers_are_those_of_the_public_functions(rows):
    X = load_breast_cancer().data
    avatars = KNeighborsAnonymizer(10, projection=FAMD(5), random_state=0).fit_transform(X)
    famd = FAMD(5).fit(X)
    tables = famd.transform(X), famd.transform(avatars)
    assert rows[2][1] == pytest.approx(hidden_rate_score(*tables), abs=0.05)
    assert rows[2][2] == local_cloaking_score(*tables)


def test_verdict_follows_from_the_table(output, rows):
    enough = [int(row[0]) for row in rows if row[1] > 90 and row[2] > 5 and row[3] > 90]
    *_, verdict = output.strip().split("\n\n")
    if enough:
        assert verdict.startswith("Smallest k that meets")
        assert verdict.endswith(f": {min(enough)}.")
    else:
        assert verdict.startswith("None of these k meets")


def test_output_is_aligned_and_fits_a_terminal(output):
    table = next(part for part in output.split("\n\n") if part.lstrip().startswith("k "))
    assert len({len(line) for line in table.splitlines()}) == 1
    assert max(map(len, output.splitlines())) <= 80
    assert "How to read it" in output


def test_it_repeats_itself(output, capsys):
    demo()
    assert capsys.readouterr().out == output


@pytest.mark.parametrize("place", [0, 1, 2])
def test_targets_are_strict(place):
    values = [90.1, 5.5, 90.1]
    enough = _Measured(7, *values, n_unique=9, n_hits=0)
    values[place] = (90.0, 5.0, 90.0)[place]
    short = _Measured(3, *values, n_unique=9, n_hits=0)
    assert _verdict([short, enough]).endswith(": 7.")
    assert _verdict([short]).startswith("None of these k meets")


def test_wide_numbers_stay_aligned():
    lines = _table([_Measured(12345, 100.0, 99999.5, 0.0, 1234567890123, 0)]).splitlines()
    assert len(lines[0]) == len(lines[1])
