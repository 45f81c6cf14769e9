"""Tables are data: nothing in them, in their names or in their files is run, shown raw or lost."""

from __future__ import annotations

import ast
import json
import os
import re
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

# What the package may import. What of it can run, read or write things is named below; secrets is
# for the name of a file beside another.
IMPORTS = {
    *("__future__", "abc", "argparse", "codecs", "collections", "contextlib", "contextvars"),
    *("copy", "csv", "dataclasses", "datetime", "decimal", "fractions", "functools", "html"),
    *("importlib", "inspect", "io", "itertools", "json", "math", "numbers", "os", "pathlib", "re"),
    *("secrets", "sys", "textwrap", "time", "types", "typing", "unicodedata", "warnings"),
    *("joblib", "numpy", "scipy", "sklearn"),
    *("matplotlib", "pandas", "polars", "pyarrow", "tqdm"),
}
# All other modules go by the name they have, and these are never taken apart by a from-import.
ALIASES = {
    *(("numpy", "np"), ("pandas", "pd"), ("pyarrow", "pa"), ("pyarrow.compute", "pc")),
    *(("pyarrow.parquet", "pq"), ("matplotlib.pyplot", "plt"), ("datetime", "dt")),
}
WHOLE = {"importlib", "os", "sys"}
# The modules that read files, write files and silence standard output; that find the library of a
# table among those imported; that look up what the caller, or that library, names.
READER, WRITER, SILENCER = "_table_files.py", "_html_file.py", "_command.py"
MAY_FIND_LIBRARIES = {"_containers.py", "_row_tables.py"}
MAY_LOOK_UP = {"_row_tables.py", "_scorer_inputs.py"}
OF_OS = {"O_WRONLY", "devnull", "dup2", "open"}

BUILTINS = {
    *("__builtins__", "__import__", "breakpoint", "compile", "eval", "exec", "getattr", "globals"),
    *("input", "locals", "open", "vars"),
}
# Names of attributes, and of what is imported from a module, whatever they belong to.
RUNS = re.compile(
    "compile|dump|eval|exec.*|fork.*|import_module|loads?|module_from_spec|popen.*|query|reload"
    "|run_.*|set_trace|spawn.*|startfile|system|urlopen|.*_pickle|read_html|read_sql.*"
    "|cffi|check_output|ctypeslib|flight|fs|machinery|os|Popen|socket|sql|SQLContext|subprocess"
    r"|__(builtins|dict|getattribute|globals|import|subclasses)__|\*"
)
READS = re.compile(
    "dataset|fetch_.*|from_?file|genfromtxt|loadtxt|memory_map|read_.*|scan_.*"
    "|imread|load_(?!breast_cancer$).*|DataSource"
    "|ExcelFile|FileIO|HDFStore|OSFile|ParquetFile"
)
WRITES = re.compile(
    "chmod|(hard|sym)?link_to|mkdir|mkstemp|open.*|remove(dirs)?|rename|renames|replace|rm.*|save.*"
    "|imsave|Memory|new_file|output_stream"
    "|sink_.*|tofile|touch|unlink|write.*|.*memmap|.*Writer"
    "|to_(?!datetime64$|list$|numpy$|pandas$|physical$|pylist$|series$|timedelta64$).*"
)
# Patterns become matchers, not programs; an object may change its own attributes, or be copied.
HARMLESS = {"re.compile", "self.__dict__", "dataclasses.replace"}


class Walker(ast.NodeVisitor):
    """Collects what a module does that no module of the package, or not this one, may do."""

    def __init__(self, file, modules):
        self.file, self.modules, self.faults = file, modules | WHOLE, []

    def flag(self, node, is_fault):
        if is_fault:
            self.faults.append(ast.unparse(node))

    def is_denied(self, name):
        """Tell whether an attribute of this name may not be used here."""
        return bool(
            RUNS.fullmatch(name)
            or (self.file != READER and READS.fullmatch(name))
            or (self.file != WRITER and WRITES.fullmatch(name))
        )

    def visit_Import(self, node):
        for alias in node.names:
            is_known = alias.asname is None or (alias.name, alias.asname) in ALIASES
            self.flag(node, not is_known or root(alias.name) not in IMPORTS)
            self.flag(node, any(map(self.is_denied, alias.name.split(".")[1:])))

    def visit_ImportFrom(self, node):
        if not node.level:
            self.flag(node, root(node.module) not in IMPORTS - WHOLE)
            taken = {alias.name for alias in node.names}
            harmless = {name for name in taken if f"{node.module}.{name}" in HARMLESS}
            self.flag(node, any(map(self.is_denied, taken - harmless)))

    def visit_Name(self, node):
        # A module alone is about to get another name, or to be looked up in.
        is_used = isinstance(node.ctx, ast.Load)
        self.flag(node, is_used and node.id in BUILTINS | self.modules)

    def visit_Attribute(self, node):
        owner, dotted = ast.unparse(node.value), ast.unparse(node)
        if owner == "os":
            self.flag(node, self.file != SILENCER or node.attr not in OF_OS)
        else:
            self.flag(node, self.is_denied(node.attr) and dotted not in HARMLESS)
        self.flag(node, dotted == "sys.modules" and self.file not in MAY_FIND_LIBRARIES)
        if owner not in self.modules:
            self.visit(node.value)

    def visit_Call(self, node):
        settings = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
        for name in ("allow_pickle", "shell"):
            self.flag(node, settings.get(name, "False") != "False")
        if not self.is_fine(node):
            self.visit(node.func)
        elif isinstance(node.func, ast.Attribute):
            self.visit(node.func.value)
        for part in (*node.args, *node.keywords):
            self.visit(part)

    def is_fine(self, node):
        """Tell whether the arguments of a call make a denied function harmless."""
        called = ast.unparse(node.func)
        texts = [arg.value if isinstance(arg, ast.Constant) else None for arg in node.args]
        if called == "getattr":
            is_given = len(texts) > 1 and isinstance(texts[1], str)
            return not self.is_denied(texts[1]) if is_given else self.file in MAY_LOOK_UP
        if called.endswith(".open"):
            return self.file == READER and texts == ["rb"] and not node.keywords
        # str.replace has two arguments, Path.replace one.
        is_text = called.endswith(".replace") and len(texts) == 2 and not node.keywords
        return is_text and called.removesuffix(".replace") not in self.modules


def root(name):
    """Return the package that a module is in."""
    return name.partition(".")[0]


def faults_of(source, file="_new.py"):
    """Return the pieces of a module's source that it may not have."""
    tree = ast.parse(source)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    modules = {alias.asname or root(alias.name) for node in imports for alias in node.names}
    walker = Walker(file, modules)
    walker.visit(tree)
    return walker.faults


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.name)
def test_the_package_runs_reads_and_writes_nothing_it_should_not(path):
    assert faults_of(path.read_text("utf-8"), path.name) == []


@pytest.mark.parametrize(
    "source",
    [
        # Imports, and modules under other names.
        *("import pyarrow.flight", "from pyarrow import fs", "from pathlib import os"),
        *("pl.sql(cell)", "joblib.Memory(path)", "plt.imsave(path, table)"),
        *("import pickle", "import os, subprocess", "from socket import socket", "import yaml"),
        *(
            "from urllib.request import urlopen",
            "import tempfile",
            "import ctypes",
            "import shutil",
        ),
        *("import os as x", "import pandas as p", "import os.path as path"),
        *("from os import remove", "from os import path", "from sys import modules"),
        *("from importlib import util", "from numpy import *", "from numpy import memmap"),
        *("from numpy import load as l", "from pandas import read_csv", "from joblib import dump"),
        *("from sklearn.datasets import fetch_openml", "from pyarrow.parquet import write_table"),
        *("import os\nx = os", "import numpy as np\nf(np)", "import pandas as pd\nvars(pd)"),
        # What runs.
        *("eval(cell)", "exec(cell)", "compile(cell, '', 'eval')", "f = eval", "map(exec, cells)"),
        *("frame.query('a > 1')", "frame.eval('a')", "np.load(path)", "joblib.load(path)"),
        *("np.lib.format.read_array(path, allow_pickle=True)", "f(path, allow_pickle=yes)"),
        *("pd.read_pickle(path)", "frame.to_pickle(path)", "os.system(cell)", "os.execv(cell, [])"),
        *("f = os.system", "__import__(cell)", "importlib.import_module(cell)", "breakpoint()"),
        *("run(cell, shell=True)", "run(cell, shell=yes)", "sys.modules['os']", "input()"),
        *("import os\ngetattr(os, 'system')(cell)", "import os\ngetattr(os, cell)"),
        *("getattr(x, cell)", "getattr(x, 'system')", "getattr(*both)", "f = getattr"),
        *("globals()['eval']", "np.__dict__['load']", "x.__globals__", "().__subclasses__()"),
        # What reads.
        *("open(path)", "open(path, 'rb')", "io.open(path)", "Path(path).open('rb')", "f = open"),
        *("path.read_text()", "path.read_bytes()", "pd.read_csv(path)", "pl.scan_csv(path)"),
        *(
            "pl.read_parquet(path)",
            "pq.ParquetFile(path)",
            "pq.read_table(path)",
            "io.FileIO(path)",
        ),
        *(
            "np.fromfile(path)",
            "np.loadtxt(path)",
            "np.genfromtxt(path)",
            "datasets.fetch_kddcup99()",
        ),
        *("pa.OSFile(path)", "pa.memory_map(path)", "getattr(path, 'read_text')"),
        # What writes.
        *("open(path, 'w')", "open(path, mode='w')", "open(path, mode)", "open(path, mode=mode)"),
        *("Path(path).open('ab')", "path.open(mode='w')", "path.open(mode)", "codecs.open(path)"),
        *("np.save(path, X)", "np.savez(path, X)", "np.savez_compressed(path, X)"),
        *("np.savetxt(path, X)", "X.tofile(path)", "np.memmap(path)"),
        *("np.lib.format.open_memmap(path)", "figure.savefig(path)", "csv.writer(stream)"),
        *(
            f"frame.to_{kind}(path)"
            for kind in ("json", "html", "csv", "parquet", "excel", "feather")
        ),
        *("frame.to_sql(path)", "frame.to_markdown(path)", "pd.ExcelWriter(path)"),
        *("frame.write_csv(path)", "frame.sink_csv(path)", "pq.write_table(t, path)"),
        *("pq.ParquetWriter(path)", "path.write_text(cell)", "path.write_bytes(cell)"),
        *(
            "path.replace(other)",
            "f = path.replace",
            "path.replace(target=other)",
            "os.replace(a, b)",
        ),
        *("import os\nos.replace(a, b)", "path.rename(other)", "path.unlink()", "path.touch()"),
        *("path.mkdir()", "path.rmdir()", "path.symlink_to(other)", "path.hardlink_to(other)"),
        *("path.chmod(511)", "getattr(path, 'write_text')", "map(Path.unlink, paths)"),
    ],
)
def test_what_would_be_found(source):
    assert faults_of(source)


# Each of these modules may do one thing, and none of the others.
@pytest.mark.parametrize(
    ("file", "source"),
    [
        *((READER, f"path.open({mode})") for mode in ("'wb'", "mode='rb'", "mode", "'rb', 0", "")),
        *((READER, source) for source in ("open(path)", "np.load(path)", "os.open(path, 0)")),
        *((READER, source) for source in ("path.write_text(cell)", "pd.read_pickle(path)")),
        *((WRITER, source) for source in ("path.read_text()", "os.remove(path)", "eval(cell)")),
        *((SILENCER, source) for source in ("os.remove(path)", "path.open('rb')", "f(os.environ)")),
        ("_row_tables.py", "import os\ngetattr(os, name)"),
        ("_row_tables.py", "getattr(module, 'system')"),
        ("_scorer_inputs.py", "sys.modules"),
        ("_containers.py", "getattr(module, name)"),
    ],
)
def test_what_would_be_found_where_something_is_allowed(file, source):
    assert faults_of(source, file)


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("_new.py", "import re\nre.compile('a')"),
        ("_new.py", "text.replace('a', 'b')"),
        ("_new.py", "from . import a\nfrom .b import read_table\nread_table(X)"),
        ("_new.py", "import numpy as np\nnp.abs(X).to_numpy()\nself.__dict__.pop('a')"),
        ("_new.py", "getattr(X, 'index', None)"),
        (READER, "Path(path).open('rb')\npq.ParquetFile(stream)"),
        (WRITER, "path.open('x')\npath.hardlink_to(other)"),
        (SILENCER, "import os\nos.dup2(os.open(os.devnull, os.O_WRONLY), 1)"),
        ("_row_tables.py", "import sys\ngetattr(sys.modules.get(name), kind, ())"),
        ("_scorer_inputs.py", "getattr(estimator, response_method)"),
    ],
)
def test_what_is_no_fault(file, source):
    assert faults_of(source, file) == []


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
