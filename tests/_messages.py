"""Every place in the package that words an error or a warning, and the places a call reaches.

A place, or site, goes by its file's name, its function and its turn in that function, as in
``_validation.py:check_tie_tol#2``: neither lines nor folders that move change it. What says
nothing of its own is no site: a bare ``raise`` passes an error on, and a bare
``NotImplementedError`` marks an abstract method.
"""

from __future__ import annotations

import ast
import contextlib
import io
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import skprivacy

PACKAGE = Path(skprivacy.__file__).parent


class Site(NamedTuple):
    """Where a message is worded: the lines, what is raised or warned, and its fixed words."""

    path: Path
    lines: range
    kind: str
    words: list[str]


class Observed(NamedTuple):
    """What a call said: the messages by site, all other messages, and what it printed."""

    reached: dict[str, str]
    others: list[str]
    printed: str


def find_sites(package=PACKAGE):
    """Return every site of the package by its name."""
    sites = {}
    for path in sorted(package.rglob("*.py")):
        turns = Counter()
        for function, node in _functions_and_nodes(ast.parse(path.read_text("utf-8")), ""):
            kind = _kind(node)
            if kind is not None:
                place = f"{path.name}:{function or 'module'}"
                turns[place] += 1
                lines = range(node.lineno, node.end_lineno + 1)
                sites[f"{place}#{turns[place]}"] = Site(path, lines, kind, _words(node))
    return sites


def _functions_and_nodes(node, function):
    """Yield every node of a tree in the order of the source, with the function it is in."""
    for child in ast.iter_child_nodes(node):
        yield function, child
        is_scope = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        inner = f"{function}.{child.name}".lstrip(".") if is_scope else function
        yield from _functions_and_nodes(child, inner)


def _kind(node):
    """Return what a node raises or warns of; None if it words nothing."""
    if isinstance(node, ast.Raise) and node.exc is not None:
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        name = ast.unparse(raised)
        return None if name == "NotImplementedError" else name
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("warnings.warn", "warn"):
        return "warning"
    return None


def _words(node):
    """Return the literal pieces of a message."""
    return [
        part.value
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]


def observe(call, sites):
    """Make a call and return what it said; its errors and warnings end here."""
    reached, others = {}, []
    places = {(str(site.path), line): name for name, site in sites.items() for line in site.lines}
    warn = warnings.warn

    def listen(message, category=UserWarning, stacklevel=1, **settings):
        caller = sys._getframe(1)
        name = places.get((caller.f_code.co_filename, caller.f_lineno))
        _note(name, str(message))
        # One level more: this function stands between.
        warn(message, category, stacklevel + 1, **settings)

    def _note(name, message):
        if name is None:
            others.append(message)
        else:
            reached[name] = message

    printed = io.StringIO()
    with (
        warnings.catch_warnings(),
        mock.patch("warnings.warn", listen),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
    ):
        warnings.simplefilter("ignore")
        try:
            call()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is looked at
            shown = "\n".join(_shown_chain(error))
            for part in _chain(error):
                _note(places.get(_raised_at(part)), shown)
    return Observed(reached, others, printed.getvalue())


def _chain(error):
    """Yield an error and those in whose handling it was raised, shown or not."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _shown_chain(error):
    """Yield the messages that a traceback shows of a chain of errors."""
    while error is not None:
        yield str(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _raised_at(error):
    """Return file and line of the statement that raised an error."""
    traceback = error.__traceback__
    if traceback is None:
        return None
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
