"""The code in the documentation and in docstrings runs, and gives what it shows."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import skprivacy

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NOT_SOURCES = {"_build", "auto_examples", "generated"}
MODULES = ["skprivacy"] + [
    module.name
    for module in pkgutil.walk_packages(skprivacy.__path__, "skprivacy.")
    if not module.name.endswith("__main__")  # runs the command line when imported
]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FENCE = re.compile(r"^```(?:python|pycon)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMANDS = ["pip install . && python -m skprivacy demo", 'pip install ".[test]" && pytest']


def code_blocks(text):
    """Yield every Python block of a Markdown text with the number of lines above it."""
    for match in FENCE.finditer(text):
        yield match.group(1), text.count("\n", 0, match.start(1))


def run_session(code, namespace, name, lines_above):
    """Run a block of prompts and outputs as a doctest."""
    test = doctest.DocTestParser().get_doctest(code, namespace, name, name, lines_above)
    output = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test, out=output.append, clear_globs=False)
    namespace.update(test.globs)  # a doctest works on a copy
    assert not runner.failures, "".join(output)


def run_block(code, namespace, name, lines_above):
    """Run one block in the namespace of its page."""
    if code.lstrip().startswith(">>>"):
        run_session(code, namespace, name, lines_above)
    else:
        # Empty lines in front make a traceback show the page's own lines.
        exec(compile("\n" * lines_above + code, name, "exec"), namespace)  # noqa: S102


def pages_with_code():
    """Return the pages that hold a Python block, by their path in the project."""
    sources = [p for p in PAGES if not NOT_SOURCES & set(p.relative_to(ROOT).parts)]
    return [str(p.relative_to(ROOT)) for p in sources if FENCE.search(p.read_text("utf-8"))]


@pytest.mark.parametrize("page", pages_with_code())
def test_code_of_a_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}
    for code, lines_above in code_blocks((ROOT / page).read_text("utf-8")):
        run_block(code, namespace, str(ROOT / page), lines_above)


@pytest.mark.parametrize("module", MODULES)
def test_docstrings_of_a_module(module, capsys):
    failed, _ = doctest.testmod(importlib.import_module(module), optionflags=FLAGS)
    assert failed == 0, capsys.readouterr().out


def test_readme_shows_the_two_commands_in_order():
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    assert [line for line in lines if line.startswith("pip install ") and "&&" in line] == COMMANDS


def test_readme_holds_an_example():
    assert "README.md" in pages_with_code()


@pytest.mark.parametrize("code", ["1 / 0\n", ">>> 1 + 1\n3\n", ">>> undefined\n"])
def test_a_wrong_block_fails(code):
    with pytest.raises((ZeroDivisionError, AssertionError)):
        run_block(code, {}, "page.md", 0)


def test_blocks_of_a_page_share_names_and_line_numbers():
    text = "# Title\n\n```python\nx = 2\n```\n\nText.\n\n```pycon\n>>> y = x + 1\n>>> y\n3\n```\n"
    namespace = {}
    blocks = list(code_blocks(text))
    assert [lines_above for _, lines_above in blocks] == [3, 9]
    for code, lines_above in blocks:
        run_block(code, namespace, "page.md", lines_above)
    assert namespace["y"] == 3
