"""The command line: what it prints, its exit status, and one line for every fault."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from skprivacy import FAMD
from skprivacy._cli import main
from skprivacy.metrics import METRICS
from skprivacy.metrics._report import privacy_report

# Stands in cells of every table below; no message may show it.
CANARY = "7731"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in a folder with originals and avatars of 60 people."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    Y = X + 0.2 * rng.normal(size=X.shape)
    towns = [f"Town{CANARY}", "Oslo", "Lima"]
    for name, rows in (("o.csv", X), ("a.csv", Y)):
        lines = [
            f"{i}{CANARY},{x!r},{y!r},{z!r},{towns[i % 3]}"
            for i, (x, y, z) in enumerate(rows.tolist())
        ]
        (tmp_path / name).write_text("\n".join(["id,x,y,z,town", *lines, ""]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *arguments):
    """Run a command; return status, standard output and the lines of standard error."""
    status = main(list(arguments))
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    assert all(line.startswith("skprivacy: ") for line in err.splitlines())
    return status, out, err.splitlines()


def refusal(capsys, folder, *arguments):
    """Run a command that must fail with one line and write nothing; return the line."""
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    status, out, lines = run(capsys, *arguments)
    assert status == 2
    assert not out
    assert before == {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    errors = [line for line in lines if line.startswith("skprivacy: error: ")]
    assert errors == lines[-1:]
    assert CANARY not in "".join(lines)
    return errors[0]


SCORE = ["score", "o.csv", "a.csv", "--id", "id"]


def test_text(folder, capsys):
    status, out, lines = run(capsys, *SCORE)
    assert status == 0
    assert not lines
    for title in ("Hidden Rate", "Local Cloaking", "Row Direct Match Protection"):
        assert title in out
    assert CANARY not in out


def test_json(folder, capsys):
    status, out, lines = run(capsys, *SCORE, "--json", "--group", "town")
    report = json.loads(out)
    assert status == 0
    assert not lines
    assert set(report["metrics"]) == set(METRICS)
    assert {row["label"] for row in report["groups"]["rows"]} == {f"Town{CANARY}", "Oslo", "Lima"}


def test_html_beside_text_and_json(folder, capsys):
    run(capsys, *SCORE, "--html", "r.html", "--json")
    page = (folder / "r.html").read_text("utf-8")
    assert "Hidden Rate" in page
    assert CANARY not in page
    assert "exists already" in refusal(capsys, folder, *SCORE, "--html", "r.html")
    assert run(capsys, *SCORE, "--html", "r.html", "--force")[0] == 0


def test_exit_status_of_floors(folder, capsys):
    report = json.loads(run(capsys, *SCORE, "--json")[1])
    value = report["metrics"]["hidden_rate"]["value"]
    floor = f"hidden_rate={value!r}"
    assert run(capsys, *SCORE, "--fail-under", floor)[0] == 0
    above = f"hidden_rate={np.nextafter(value, 200)!r}".replace("np.float64(", "").rstrip(")")
    status, out, lines = run(capsys, *SCORE, "--fail-under", floor, "--fail-under", above)
    assert status == 1
    assert "Hidden Rate" in out
    assert len(lines) == 1
    assert f"hidden_rate is {value}, under" in lines[0]
    floors = [f"--fail-under={name}=1e6" for name in METRICS]
    status, _, lines = run(capsys, *SCORE, *floors)
    assert status == 1
    assert [line.split()[1] for line in lines] == list(METRICS)


def test_warnings_are_one_line_each_and_part_of_the_report(folder, capsys):
    rows = (folder / "a.csv").read_text().splitlines()
    (folder / "a.csv").write_text("\n".join([rows[0], *rows[:0:-1], ""]))
    arguments = "score", "o.csv", "a.csv", "--exclude", "id", "--html", "r.html"
    status, out, lines = run(capsys, *arguments, "--json")
    assert status == 0
    assert [line for line in lines if "random pairing" in line] == lines
    assert len(lines) == 1
    assert json.loads(out)["warnings"] == [lines[0].removeprefix("skprivacy: warning: ")]
    assert "random pairing would be" in (folder / "r.html").read_text("utf-8")
    assert "random pairing" in run(capsys, *arguments, "--force")[1]


def test_options_may_be_repeated_and_names_may_hold_commas(folder, capsys):
    for name in ("o.csv", "a.csv"):
        text = (folder / name).read_text().replace("id,x,", 'id,"x, cm",', 1)
        (folder / name).write_text(text)
    status, out, _ = run(
        capsys, *SCORE, "--exclude", '"x, cm",y', "--exclude", "town", "--json", "--impute"
    )
    assert status == 0
    assert json.loads(out)["n_coordinates"] == 1


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ([], "required: command"),
        (["score"], "required: ORIGINALS, AVATARS"),
        (["measure"], "invalid choice"),
        (["score", "o.csv"], "required: AVATARS"),
        ([*SCORE, "--nope"], "unrecognized arguments"),
        ([*SCORE, "--js"], "unrecognized arguments"),
        ([*SCORE, "--n-components", "0"], "whole number of at least 1"),
        ([*SCORE, "--n-components", "two"], "whole number of at least 1"),
        ([*SCORE, "--n-components", "9"], "n_components=9 is more than the rank of the table, 5"),
        ([*SCORE, "--sep", ";;"], "one character"),
        ([*SCORE, "--sep", ""], "one character"),
        ([*SCORE, "--sep", '"'], "one character"),
        ([*SCORE, "--decimal", "x"], "--decimal"),
        ([*SCORE, "--decimal", ","], "--decimal ',' needs another separator"),
        ([*SCORE, "--encoding", "klingon"], "unknown encoding"),
        ([*SCORE, "--encoding", "hex"], "unknown encoding"),
        ([*SCORE, "--fail-under", "hidden_rate"], "a number after hidden_rate="),
        ([*SCORE, "--fail-under", "hidden_rate=nan"], "a number after hidden_rate="),
        ([*SCORE, "--fail-under", "hiden_rate=90"], "one of hidden_rate, local_cloaking"),
        ([*SCORE, "--html", "o.csv", "--force"], "is one of the tables"),
        ([*SCORE, "--html", "a.csv"], "is one of the tables"),
        ([*SCORE, "--html", "no/r.html"], "a folder that exists"),
        ([*SCORE, "--html", "."], "a folder that exists"),
        ([*SCORE, "--group", "nobody"], "No column 'nobody' in o.csv"),
        ([*SCORE, "--categorical", "nobody"], "No column 'nobody' in o.csv"),
        (["score", "o.csv", "a.csv", "--id", "nobody"], "No column 'nobody' in o.csv"),
        (["score", "absent.csv", "a.csv"], "absent.csv: No such file or directory"),
        (["score", "o.csv", "."], ".: Is a directory"),
    ],
)
def test_arguments_that_do_not_fit(folder, capsys, arguments, part):
    assert part in refusal(capsys, folder, *arguments)


def rows_of(folder, name="a.csv"):
    """Return the lines of a file."""
    return (folder / name).read_text().splitlines()


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda rows: [], "a.csv is empty"),
        (lambda rows: rows[:1], "a.csv has a header but no data rows"),
        (lambda rows: rows[1:], "No column 'id' in a.csv"),
        (lambda rows: rows[:-1], "1 identifier(s) of o.csv in column 'id' are not in a.csv"),
        (lambda rows: [*rows, rows[1]], "identifier of data row 61"),
        (lambda rows: [*rows, "x" + rows[1]], "1 identifier(s) of a.csv"),
        (lambda rows: [*rows, ",1,1,1,Oslo"], "no identifier in column 'id', data row 61"),
        (lambda rows: [*rows[:9], rows[9] + f",{CANARY}"], "line 10: 6 cells, expected 5"),
        (lambda rows: [*rows[:9], f'"{rows[9]}'], "quoted cell"),
        (lambda rows: [rows[0].replace("z", "w"), *rows[1:]], "lacks 'z' and has besides 'w'"),
        (lambda rows: [rows[0].replace("z", "x"), *rows[1:]], "columns 2 and 4 have the same"),
        (lambda rows: [rows[0].replace("z", ""), *rows[1:]], "column 4 has cells but no name"),
        (lambda rows: [*rows[:60], "597731,,1,1,Oslo"], "--impute"),
        (lambda rows: [*rows[:60], f"597731,x{CANARY},1,1,Oslo"], "holds number in o.csv and text"),
        (lambda rows: [*rows[:60], f"597731,1,1,1,Rome{CANARY}"], "that no original has"),
        (lambda rows: [*rows[:60], "597731,1e999,1,1,Oslo"], "1 infinite number(s)"),
        (lambda rows: [row.replace(",", ";") for row in rows], "separated by ';'"),
        (lambda rows: [*rows, "\0"], "NUL"),
    ],
)  # fmt: skip
def test_tables_that_do_not_fit(folder, capsys, change, part):
    (folder / "a.csv").write_text("\n".join(change(rows_of(folder))))
    assert part in refusal(capsys, folder, *SCORE, "--html", "r.html")


def test_another_encoding(folder, capsys):
    for name in ("o.csv", "a.csv"):
        text = (folder / name).read_text().replace("Oslo", "Orl\xe9ans")
        (folder / name).write_bytes(text.encode("cp1252"))
    message = refusal(capsys, folder, *SCORE)
    assert "o.csv" in message
    assert "--encoding" in message
    assert run(capsys, *SCORE, "--encoding", "cp1252")[0] == 0


def test_utf8_by_its_name_may_have_a_byte_order_mark(folder, capsys):
    expected = run(capsys, *SCORE)
    (folder / "o.csv").write_bytes(b"\xef\xbb\xbf" + (folder / "o.csv").read_bytes())
    assert run(capsys, *SCORE, "--encoding", "UTF8") == expected


def test_tabulators(folder, capsys):
    expected = run(capsys, *SCORE)
    for name in ("o.csv", "a.csv"):
        (folder / name).write_text((folder / name).read_text().replace(",", "\t"))
    assert run(capsys, *SCORE, "--sep", r"\t") == expected


def test_tables_of_one_row(folder, capsys):
    for name in ("o.csv", "a.csv"):
        (folder / name).write_text("x,y\n1,2\n")
    refusal(capsys, folder, "score", "o.csv", "a.csv")


def test_a_full_disk_leaves_nothing(folder, capsys, monkeypatch):
    def fail(self, target):
        raise OSError(28, "No space left on device", str(target))

    monkeypatch.setattr("pathlib.Path.hardlink_to", fail)
    monkeypatch.setattr("pathlib.Path.replace", fail)
    line = refusal(capsys, folder, *SCORE, "--html", "r.html")
    assert line.endswith("r.html: No space left on device")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (KeyboardInterrupt(), (130, "", ["skprivacy: interrupted"])),
        (MemoryError(), (2, "", ["skprivacy: error: MemoryError"])),
        (ValueError("two\nlines"), (2, "", ["skprivacy: error: two lines"])),
    ],
)
def test_whatever_stops_the_work_is_one_line(folder, capsys, monkeypatch, error, expected):
    def fail(arguments):
        raise error

    monkeypatch.setattr("skprivacy._cli._file_scores.measure_files", fail)
    assert run(capsys, *SCORE) == expected


def test_words_of_pyarrow_are_not_shown(folder, capsys, monkeypatch):
    def fail(arguments):
        pa.array([int(CANARY)]).cast(pa.int8())

    monkeypatch.setattr("skprivacy._cli._file_scores.measure_files", fail)
    assert "ArrowInvalid of pyarrow: write" in refusal(capsys, folder, *SCORE)


def test_identifiers_of_many_digits(folder, capsys):
    for name in ("o.csv", "a.csv"):
        rows = [f"{10**18 + 7 * i + 1},{i % 5},{i * i}" for i in range(30)]
        (folder / name).write_text("\n".join(["id,x,y", *rows, ""]))
    files = SCORE[:3]
    assert "'id' has 30 integer(s)" in refusal(capsys, folder, *files)
    assert run(capsys, *files, "--exclude", "id")[0] == 0
    assert run(capsys, *SCORE)[0] == 0


def test_a_bug_is_not_hidden(folder, monkeypatch):
    def fail(arguments):
        raise AttributeError

    monkeypatch.setattr("skprivacy._cli._file_scores.measure_files", fail)
    with pytest.raises(AttributeError):
        main(SCORE)


@pytest.mark.parametrize("arguments", [["--help"], ["score", "--help"], ["--version"]])
def test_help_and_version(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    out = capsys.readouterr().out
    assert caught.value.code == 0
    assert ("ORIGINALS" in out) or ("score" in out) or out.strip() == metadata.version("skprivacy")


def test_every_option_is_documented(capsys):
    with pytest.raises(SystemExit):
        main(["score", "--help"])
    options = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) - {"--help"}
    page = (Path(__file__).parents[1] / "docs" / "command_line.md").read_text("utf-8")
    assert {option for option in options if f"`{option}" not in page} == set()


def process(*arguments, code=None, **options):
    """Run a command in a process of its own."""
    command = [sys.executable, *(["-c", code] if code else ["-m", "skprivacy"]), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_in_a_process_of_its_own(folder):
    done = process(*SCORE, "--json", "--fail-under", "local_cloaking=1000")
    assert done.returncode == 1
    assert json.loads(done.stdout)["n_originals"] == 60
    assert done.stderr.count("\n") == 1


def test_a_table_from_a_pipe(folder, capsys):
    with (folder / "o.csv").open() as stream:
        done = process("score", "/dev/stdin", "a.csv", "--id", "id", "--json", stdin=stream)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(run(capsys, *SCORE, "--json")[1])


def test_output_that_nobody_reads(folder):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "skprivacy", *SCORE],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert done.returncode == 2
    assert not done.stderr


def test_a_terminal_that_knows_few_letters(folder):
    for name in ("o.csv", "a.csv"):
        text = (folder / name).read_text().replace("Oslo", "Orl\xe9ans")
        (folder / name).write_text(text, encoding="utf-8")
    done = process(*SCORE, "--group", "town", env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0, done.stderr
    assert r"Orl\xe9ans" in done.stdout


WITHOUT = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked}:
            raise ModuleNotFoundError("No module named " + repr(name), name=name)

sys.meta_path.insert(0, Blocker())
from skprivacy._cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("blocked", [["pyarrow"], ["pandas", "pyarrow", "tqdm"]])
def test_without_what_reads_tables(folder, blocked):
    done = process(*SCORE, code=WITHOUT.format(blocked=blocked))
    assert done.returncode == 2
    assert not done.stdout
    assert done.stderr.count("\n") == 1
    assert 'pip install "skprivacy[cli]"' in done.stderr


def test_the_demonstration_needs_no_extra():
    blocked = ["pandas", "polars", "pyarrow", "tqdm", "matplotlib", "distributed"]
    done = process("demo", code=WITHOUT.format(blocked=blocked))
    assert done.returncode == 0, done.stderr
    assert "Hidden Rate" in done.stdout
    assert not done.stderr


def test_numbers_are_those_of_the_function(folder, capsys):
    table = [
        np.loadtxt(folder / name, delimiter=",", skiprows=1, usecols=(1, 2, 3))
        for name in ("o.csv", "a.csv")
    ]
    out = run(capsys, *SCORE, "--exclude", "town", "--json")[1]
    expected = privacy_report(*table, projection=FAMD(3), output_dict=True)
    assert json.loads(out)["metrics"] == json.loads(json.dumps(expected["metrics"]))
