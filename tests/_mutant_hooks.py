"""Hooks into pytest and into imports by which a test run sees a mutant of a module."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import signal
import sys
import time
from collections import defaultdict

import pytest


class Reach:
    """A pytest plugin that notes which lines of a file each test runs, and how long it takes."""

    def __init__(self, path):
        self.path = str(path)
        self.test = ""
        self.lines = defaultdict(set)
        self.seconds = {}

    def trace(self, frame, event, argument):
        """Follow the calls into the file, as sys.settrace asks."""
        if frame.f_code.co_filename != self.path:
            return None
        self.lines[self.test].add(frame.f_lineno)
        return self.trace

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self.test, start = item.nodeid, time.monotonic()
        sys.settrace(self.trace)
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = time.monotonic() - start
            self.test = ""


class Selected:
    """A pytest plugin that runs some tests only, in their order, and not for long."""

    def __init__(self, tests, seconds):
        self.position = {test: position for position, test in enumerate(tests)}
        self.seconds = seconds

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if item.nodeid in self.position]
        items.sort(key=lambda item: self.position[item.nodeid])

    def pytest_runtest_setup(self, item):
        # The alarm ends the process, whatever it is busy with.
        signal.setitimer(signal.ITIMER_REAL, 10 + 10 * self.seconds[item.nodeid])


class Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the module of a file from other code."""

    def __init__(self, path, code):
        self.path = path
        self.code = code

    def find_spec(self, fullname, path=None, target=None):
        if fullname.rpartition(".")[2] != self.path.stem:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is None or spec.origin != str(self.path):
            return None
        spec.loader = self
        return spec

    def exec_module(self, module):
        exec(self.code, module.__dict__)  # noqa: S102 - the code of the package, changed a little
