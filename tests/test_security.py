"""Tables are data: nothing in them, in their names or in their files is run, shown raw or lost."""

from __future__ import annotations

import ast
import json
import os
import sys
from html.parser import HTMLParser
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
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
    RowDirectMatchProtection,
    closer_avatar_counts,
    hidden_rate_score,
    privacy_report,
    row_direct_match_protection_score,
)
from skprivacy._cli import main

PACKAGE = Path(skprivacy.__file__).parent

# What the package may import. Nothing here unpickles, starts processes or opens connections;
# os is for standard output alone, and secrets for the name of a file beside another.
IMPORTS = {
    *("__future__", "abc", "argparse", "codecs", "collections", "contextlib", "contextvars"),
    *("copy", "csv"),
    *("dataclasses", "datetime", "decimal", "fractions", "functools", "html", "importlib"),
    *("inspect", "io", "itertools", "json", "math", "numbers", "os", "pathlib", "re", "secrets"),
    *("sys", "textwrap", "time", "types", "typing", "unicodedata", "warnings"),
    *("joblib", "numpy", "scipy", "sklearn"),
    *("matplotlib", "pandas", "polars", "pyarrow", "tqdm"),
}
# By the name that is called, whatever it is a method of.
CALLS = {
    *("eval", "exec", "compile", "__import__", "breakpoint", "input"),
    *("import_module", "system", "popen", "spawn", "fork", "startfile", "run_module", "run_path"),
    *("query", "read_pickle", "read_sql", "read_html", "to_pickle", "loads", "load", "dump"),
    *("fromfile", "genfromtxt", "memmap", "fetch_openml", "urlopen", "chmod", "set_trace"),
}
# re.compile turns patterns into matchers, not text into programs.
HARMLESS = {"re.compile"}
# Ways to write a file, beside all methods whose names start like these, and who may.
WRITERS = {"write_text", "write_bytes", "savefig", "mkstemp", "unlink", "rename", "replace",
           "mkdir", "touch", "symlink_to", "hardlink_to", "rmtree", "remove", "save", "savez",
           "savez_compressed", "savetxt", "tofile", "sink_csv", "sink_parquet"}  # fmt: skip
WRITER_PREFIXES = ("write_", "to_csv", "to_parquet", "to_json", "to_html", "to_excel", "to_feather",
                   "to_hdf", "to_sql", "to_stata", "to_clipboard")  # fmt: skip
MAY_WRITE = "_html_file.py"
# Ways to read one, and the module that may; the second reads what the first hands over.
READER_PREFIXES = ("read_", "scan_", "fetch_")
MAY_READ = {"_table_files.py", "_csv_cells.py"}
# Modules whose functions are told apart by name, and so may go by no other.
OF_ONE_NAME = {"os", "sys", "importlib", "pathlib", "io"}


def faults_of(source, file="_new.py"):
    """Return what a module does that no module of the package may do."""
    faults = []
    tree = ast.parse(source)
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            faults += [f"import {name}" for name in _imported(node) if name not in IMPORTS]
            faults += _renamed(node)
            own |= {alias.name for alias in node.names if getattr(node, "level", 0)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            faults += _faults_of_call(node, file, own)
    return faults


def _imported(node):
    """Return the packages that a statement imports; its own are none."""
    if isinstance(node, ast.ImportFrom):
        return [] if node.level else [node.module.partition(".")[0]]
    return [alias.name.partition(".")[0] for alias in node.names]


def _renamed(node):
    """Return imports that let a function of the system go by another name."""
    if isinstance(node, ast.ImportFrom):
        is_hidden = node.module in {"os", "sys", "importlib", "io"} and not node.level
        return [f"from {node.module} import"] if is_hidden else []
    return [
        f"{alias.name} as {alias.asname}"
        for alias in node.names
        if alias.asname and alias.name in OF_ONE_NAME
    ]


def _faults_of_call(node, file, own):
    """Return what is wrong with a call; functions of the package are looked at where they are."""
    called = ast.unparse(node.func)
    name = called.rpartition(".")[2]
    if called in own:
        return []
    settings = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
    faults = []
    if (name in CALLS and called not in HARMLESS) or name.startswith(("exec", "spawn")):
        faults.append(called)
    if any(settings.get(name, "False") != "False" for name in ("allow_pickle", "shell")):
        faults.append(f"{called} with {settings}")
    if called.startswith("os.") and called not in ("os.dup2", "os.open"):
        faults.append(called)
    if called == "getattr" and ast.unparse(node.args[0]) in OF_ONE_NAME:
        faults.append(ast.unparse(node))
    if file != MAY_WRITE and _writes(node, name):
        faults.append(f"{called} writes")
    if file not in MAY_READ and name.startswith(READER_PREFIXES):
        faults.append(f"{called} reads")
    return faults


def _writes(node, name):
    """Tell whether a call may write a file; str.replace has two arguments, Path.replace one."""
    if name == "replace":
        return len(node.args) == 1 and not node.keywords
    if name == "open":
        return _opens_to_write(node)
    return name in WRITERS or name.startswith(WRITER_PREFIXES)


def _opens_to_write(node):
    """Tell whether a file is opened, by a function or a method, otherwise than for reading."""
    is_method = isinstance(node.func, ast.Attribute) and ast.unparse(node.func) != "io.open"
    given = node.args[0 if is_method else 1 :][:1]
    given += [keyword.value for keyword in node.keywords if keyword.arg in ("mode", None)]
    if ast.unparse(node.func) == "os.open":
        return ast.unparse(node) != "os.open(os.devnull, os.O_WRONLY)"
    return any(ast.unparse(mode) not in ("'r'", "'rb'", "'rt'") for mode in given)


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.name)
def test_the_package_runs_nothing_it_is_given(path):
    assert faults_of(path.read_text("utf-8"), path.name) == []


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "import os, subprocess",
        "from socket import socket",
        "from urllib.request import urlopen",
        "import yaml",
        "import tempfile",
        "import ctypes",
        "eval(cell)",
        "exec(cell)",
        "compile(cell, '', 'eval')",
        "frame.query('a > 1')",
        "frame.eval('a')",
        "np.load(path, allow_pickle=True)",
        "joblib.load(path)",
        "pd.read_pickle(path)",
        "os.system(cell)",
        "os.execv(cell, [])",
        "__import__(cell)",
        "importlib.import_module(cell)",
        "run(cell, shell=True)",
        "open(path, 'w')",
        "Path(path).open('ab')",
        "path.write_text(cell)",
        "path.replace(other)",
        "open(path, mode='w')",
        "open(path, how)",
        "open(path, **options)",
        "path.open(mode='x')",
        "path.open(how)",
        "io.open(path, 'w')",
        "os.open(path, os.O_WRONLY)",
        "np.save(path, table)",
        "np.savetxt(path, table)",
        "table.tofile(path)",
        "np.memmap(path)",
        "frame.to_json(path)",
        "frame.to_html(path)",
        "frame.write_parquet(path)",
        "pyarrow.parquet.write_table(table, path)",
        "path.hardlink_to(other)",
        "pd.read_csv(path)",
        "pl.scan_parquet(path)",
        "fetch_california_housing()",
        "getattr(os, name)(cell)",
        "getattr(os, 'system')(cell)",
        "from os import system",
        "import os as harmless",
        "from importlib import import_module as load_it",
    ],
)
def test_what_would_be_found(source):
    assert len(faults_of(source)) >= 1


def test_what_is_no_fault():
    source = """
import re
from . import a
from ._b import read_table
re.compile('a')
text.replace('a', 'b')
path.open('rb')
path.open(mode='r', encoding='utf-8')
open(path)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
read_table(X)
getattr(X, 'index', None)
"""
    assert faults_of(source) == []


@pytest.mark.parametrize("file", [MAY_WRITE, *MAY_READ])
def test_who_may_is_still_there(file):
    assert len(list(PACKAGE.rglob(file))) == 1


# Odd names and cells

ODD = [
    "it's",
    'say "it"',
    "two\nlines\r\n",
    "`back` @tick",
    "{0} {x!r} {} {{",
    "%s %(a)d %%",
    "<script>alert(1)</script>",
    "</td></table>&amp;",
    "\x1b[2J\x1b]0;gone\x07",
    "\u202egnp.exe",
    "a\tb\x00c",
    "__import__('os').system('id')",
    "=cmd|' /C calc'!A0",
    "$\\frac{a}{$",
    "../../etc/passwd",
    "é\u0301 \U0001f600",
    " ",
]
N = 60
RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(N, 3))
MOVED = NUMBERS + 0.3 * RNG.normal(size=NUMBERS.shape)
CODES = RNG.integers(4, size=N)
MOVED_CODES = np.where(RNG.random(N) < 0.3, RNG.integers(4, size=N), CODES)


def tables(names, labels, make=pd.DataFrame):
    """Return originals and avatars with four columns of these names and four labels."""
    return tuple(
        make(dict(zip(names, [*table.T, np.array(labels, dtype=object)[codes]], strict=True)))
        for table, codes in ((NUMBERS, CODES), (MOVED, MOVED_CODES))
    )


def results(names, labels, make=pd.DataFrame):
    """Return all that the package makes of tables; labels are turned back into their codes."""
    X, Y = tables(names, labels, make)
    famd = FAMD(3, categorical_features=[names[3]]).fit(X)
    numeric = X.drop(columns=names[3]) if make is pd.DataFrame else X.drop(names[3])
    drawn = KNeighborsAnonymizer(4, projection=FAMD(3), random_state=0).fit(X).transform(X)
    scorer = PrivacyScorer(projection=FAMD(3), response_method=lambda estimator, X: Y)
    back = famd.inverse_transform(famd.transform(X))
    assert list(back.columns) == list(drawn.columns) == list(names)
    report = privacy_report(X, Y, projection=FAMD(3), output_dict=True)
    return [
        closer_avatar_counts(famd.transform(X), famd.transform(Y)).tolist(),
        [hidden_rate_score(numeric, numeric), LocalCloaking().fit(numeric).score(numeric)],
        [row_direct_match_protection_score(X, Y), row_direct_match_protection_score(X, X)],
        scorer(None, X),
        [labels.index(label) for label in list(drawn[names[3]])],
        np.asarray(drawn[names[0]]).tolist(),
        report["metrics"],
        report["notes"],
    ]


PLAIN = results(["a", "b", "c", "d"], ["k", "l", "m", "n"])


@pytest.mark.parametrize("odd", ODD, ids=ascii)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_odd_names_and_cells_are_data(odd, make):
    names = [odd, odd + "2", "2" + odd, odd * 2]
    labels = [odd, odd + "x", "y" + odd, odd * 3]
    assert json.dumps(results(names, labels, make)) == json.dumps(PLAIN)


@pytest.mark.parametrize("odd", ODD, ids=ascii)
def test_odd_names_are_shown_on_one_printable_line(odd):
    X, Y = tables([odd, "b", "c", "d"], list("klmn"))
    X[odd] = "text"
    for call in (
        lambda: HiddenRate().fit(X),
        lambda: FAMD(2).fit(X.assign(**{odd: None})),
        lambda: row_direct_match_protection_score(X, Y),
        lambda: row_direct_match_protection_score(X, Y.drop(columns=odd)),
        lambda: row_direct_match_protection_score(pd.concat([X, X[[odd]]], axis=1), Y),
        lambda: HiddenRate().fit(pd.concat([X, X[[odd]]], axis=1)),
    ):
        with pytest.raises((TypeError, ValueError)) as raised:
            call()
        message = str(raised.value)
        assert message.isprintable(), ascii(message)


class Page(HTMLParser):
    """Collects the tags of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.scripts = set(), []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert not [name for name, _ in attrs if name.startswith("on") and "alert" in str(attrs)]


@pytest.mark.parametrize("odd", ODD, ids=ascii)
def test_odd_groups_in_reports(odd):
    groups = np.array([odd, "b"], dtype=object)[np.arange(N) % 2]
    text = privacy_report(NUMBERS, MOVED, groups=groups)
    assert all(line.isprintable() for line in text.split("\n"))
    page = text._repr_html_()
    assert page.replace("\n", "").isprintable()
    plain = privacy_report(NUMBERS, MOVED, groups=CODES % 2)
    assert Page(page).tags == Page(plain._repr_html_()).tags
    values = privacy_report(NUMBERS, MOVED, groups=groups, output_dict=True)
    # As data a label keeps every character.
    assert {row["label"] for row in values["groups"]["rows"]} == {odd, "b"}
    assert json.loads(json.dumps(values)) == values


def test_html_of_estimators_escapes_names():
    evil = "<script>alert(1)</script>"
    X, _ = tables([evil, "b", "c", "d"], list("klmn"))
    for estimator in (
        FAMD(2, categorical_features=[evil]),
        RowDirectMatchProtection(),
        KNeighborsAnonymizer(3, projection=FAMD(2)),
    ):
        assert evil not in estimator_html_repr(estimator.fit(X))
    numbers = HiddenRate().fit(X.drop(columns="d"))
    assert evil not in estimator_html_repr(numbers)


@pytest.mark.parametrize("odd", ODD, ids=ascii)
@pytest.mark.filterwarnings("ignore:Glyph:UserWarning", "ignore:Matplotlib currently:UserWarning")
def test_odd_names_in_plots(odd, tmp_path):
    scores = {f"mean_test_{odd}": [1.0, 2.0], f"std_test_{odd}": [0.1, 0.1]}
    results = {
        f"param_{odd}": [1, 2],
        "params": [{odd: 1, "other": odd}, {odd: 2, "other": odd}],
        **scores,
    }
    display = PrivacyCurveDisplay.from_cv_results(results, param_name=odd, floors={odd: 1.5})
    display.figure_.savefig(tmp_path / "curve.svg")
    CloakingDisplay.from_counts([1, 2, 3]).figure_.savefig(tmp_path / "counts.svg")
    plt.close("all")


LONG = 10 * 2**20


def with_special_cells(name, cell):
    """Return tables with one name and two cells of each replaced."""
    found = tables(["a", "b", "c", "d"], list("klmn"), dict)
    for table in found:
        table["d"][:2] = cell
    return [pd.DataFrame({name: table.pop("a"), **table}) for table in found]


def test_very_long_names_and_cells():
    found = []
    for name, cell in (("z", "zz"), ("z" * LONG, "z" * LONG)):
        X, Y = with_special_cells(name, cell)
        counts = closer_avatar_counts(*map(FAMD(3).fit(X).transform, (X, Y)))
        drawn = KNeighborsAnonymizer(3, projection=FAMD(3), random_state=0).fit_transform(X)
        report = privacy_report(X, Y, projection=FAMD(3), groups=X["d"], min_group_size=2)
        found.append(
            [
                counts.tolist(),
                row_direct_match_protection_score(X, Y),
                [text[:2] for text in drawn["d"]],
                report.split("\n\n")[:3],
            ]
        )
        assert len(report) < 20_000
        assert "Hidden Rate" in report._repr_html_()
    assert found[0] == found[1]


def test_very_long_names_are_cut_in_messages():
    long = "x" * LONG
    X, Y = tables([long, "a", "b", "c"], list("klmn"))
    X[long] = "text"
    for call in (
        lambda: HiddenRate().fit(X),
        lambda: FAMD(2).fit(X.assign(**{long: None})),
        lambda: row_direct_match_protection_score(X, Y),
        lambda: row_direct_match_protection_score(X, Y.drop(columns=long)),
        lambda: HiddenRate().fit(pd.concat([X, X[[long]]], axis=1)),
    ):
        with pytest.raises((TypeError, ValueError)) as raised:
            call()
        assert len(str(raised.value)) < 2000


# The command line


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in a folder with two files whose names and labels are odd."""
    monkeypatch.chdir(tmp_path)
    write("o.csv", "a.csv")
    return tmp_path


def write(*files, names=("id", "x", "y", "town"), label=str):
    """Write originals and avatars as CSV files."""
    frames = tables(names, [label(f"T{i}") for i in range(4)])
    for file, frame in zip(files, frames, strict=True):
        frame.assign(**{names[0]: range(N)}).to_csv(file, index=False, errors="surrogatepass")


def run(capsys, *arguments):
    """Run a command; return status, output and errors."""
    status = main(list(arguments))
    return status, *capsys.readouterr()


@pytest.mark.parametrize("odd", [odd for odd in ODD if "\0" not in odd and odd.strip()], ids=ascii)
def test_odd_names_and_labels_in_files(folder, capsys, odd):
    plain = run(capsys, "score", "o.csv", "a.csv", "--id", "id", "--json")
    assert plain[0] == 0
    # A line break of its own kind is read as it was written.
    write("o2.csv", "a2.csv", names=["id", "x" + odd, odd, "town"], label=lambda t: odd + t)
    found = run(capsys, "score", "o2.csv", "a2.csv", "--id", "id", "--json")
    assert found == plain
    groups = run(
        capsys, "score", "o2.csv", "a2.csv", "--id", "id", "--group", "town", "--html", "r.html"
    )
    assert groups[0] == 0
    assert all(line.isprintable() for line in groups[1].split("\n"))
    page = Path("r.html").read_text("utf-8")
    assert page.replace("\n", "").isprintable()
    assert "script" not in Page(page).tags
    refused = run(capsys, "score", "o2.csv", "a.csv", "--id", "id")
    assert refused[0] == 2
    assert not refused[1]
    assert all(line.isprintable() for line in refused[2].split("\n"))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such file names")
@pytest.mark.parametrize("odd", ["\x1b[2J.csv", "two\nlines.csv", "\u202egnp.csv", "{}.csv", "%s"])
def test_odd_names_of_files_are_shown_printable(folder, capsys, odd):
    Path(odd).write_text("a\n")
    for arguments in ((odd, "a.csv"), ("o.csv", odd), ("o.csv", "a.csv", odd)):
        status, out, err = run(capsys, "score", *arguments)
        assert status == 2
        assert not out
        assert err.count("\n") == 1
        assert err.removesuffix("\n").isprintable(), ascii(err)


def test_a_very_long_cell_in_a_file(folder, capsys):
    for name in ("o.csv", "a.csv"):
        text = Path(name).read_text().replace("T1", "x" * (LONG // N))
        Path(name).write_text(text)
    status, out, err = run(capsys, "score", "o.csv", "a.csv", "--id", "id", "--group", "town")
    assert status == 0
    assert len(out + err) < 20_000


def links(path):
    """Make a folder's links: to a file, to nothing, to itself and to a folder."""
    Path("kept.txt").write_text("mine")
    Path("file.html").symlink_to("kept.txt")
    Path("nothing.html").symlink_to("absent.html")
    Path("loop.html").symlink_to("loop.html")
    Path("sub").mkdir()
    Path("sub.html").symlink_to("sub")
    Path("table.html").symlink_to("o.csv")


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
@pytest.mark.parametrize(
    ("name", "force", "part"),
    [
        ("file.html", False, "exists already"),
        ("loop.html", False, "loop.html"),
        ("loop.html", True, "loop.html"),
        ("sub.html", True, "expected a file name"),
        ("table.html", True, "is one of the tables"),
    ],
)
def test_links_that_are_refused(folder, capsys, name, force, part):
    links(folder)
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    status, out, err = run(
        capsys, "score", "o.csv", "a.csv", "--id", "id", "--html", name, *["--force"] * force
    )
    assert status == 2
    assert part in err
    assert not out
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
    assert not list(Path("sub").iterdir())


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
@pytest.mark.parametrize(
    ("name", "target"), [("file.html", "kept.txt"), ("nothing.html", "absent.html")]
)
def test_a_link_stays_a_link_and_its_target_is_written_whole(folder, capsys, name, target):
    links(folder)
    inode = Path(target).stat().st_ino if Path(target).exists() else None
    status, *_ = run(capsys, "score", "o.csv", "a.csv", "--id", "id", "--html", name, "--force")
    assert status == 0
    assert Path(name).is_symlink()
    assert Path(target).read_text("utf-8").endswith("</html>\n")
    # A file of its own took the place of the old one: no reader of that saw half a report.
    assert Path(target).stat().st_ino != inode
    assert not [path for path in folder.iterdir() if path.suffix == ".tmp"]


def test_the_python_of_the_tests_has_no_optimisation():
    # With -O the assertions of this suite would be gone, and everything would pass.
    assert not sys.flags.optimize
