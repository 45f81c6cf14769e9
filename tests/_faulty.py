"""Anonymisers that fail, in a module that worker processes can import."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from _blur import Blur


def take_away(flag):
    """Take a file away; tell whether it was there."""
    try:
        Path(flag).unlink()
    except FileNotFoundError:
        return False
    return True


def lethal_count(flag, count, *arguments, **keywords):
    """Count for a worker, or kill it if it is the first to come here."""
    if take_away(flag):
        os.kill(os.getpid(), signal.SIGKILL)
    return count(*arguments, **keywords)


def interrupted_count(first, second, count, *arguments, **keywords):
    """Count in two workers at once; the second sends their group an interrupt meanwhile."""
    if take_away(first):
        while Path(second).exists():
            time.sleep(0.01)
    elif take_away(second):
        threading.Timer(0.05, os.killpg, (os.getpgrp(), signal.SIGINT)).start()
    count(*arguments, **keywords)
    # However fast the count was, it has not ended when the interrupt comes.
    time.sleep(60)


@contextmanager
def little_memory():
    """Leave this process hardly more memory than it has."""
    import resource  # not on Windows, where the rest of this module works

    # Without memory for the buffers of its first product, OpenBLAS tries forever.
    square = np.ones((500, 500))
    square @ square
    unlimited = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**20, unlimited[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, unlimited)


def starved_count(count, *arguments, **keywords):
    """Count with little memory."""
    with little_memory():
        return count(*arguments, **keywords)


class Lethal(Blur):
    """Kills the process that asks it for avatars, once: it takes a file away as it does."""

    def __init__(self, k=2, flag=""):
        super().__init__(k)
        self.flag = flag

    def transform(self, X):
        if self._is_first():
            os.kill(os.getpid(), signal.SIGKILL)
        return super().transform(X)

    def _is_first(self):
        return take_away(self.flag)


class Stopping(Lethal):
    """Sends the process that searches an interrupt, as a keyboard would, once."""

    def transform(self, X):
        if self._is_first():
            os.kill(os.getppid(), signal.SIGINT)
            # Long enough for the search to be stopped in the middle.
            time.sleep(2)
        return super().transform(X)


class Failing(Blur):
    """Raises an error of some kind for one number of neighbours, in one of its methods."""

    def __init__(self, k=2, bad=3, method="transform", error=ValueError):
        super().__init__(k)
        self.bad = bad
        self.method = method
        self.error = error

    def _fail_in(self, method):
        if self.k == self.bad and method == self.method:
            raise self.error("no avatars today")

    def fit(self, X, y=None):
        self._fail_in("fit")
        return super().fit(X)

    def transform(self, X):
        self._fail_in("transform")
        return super().transform(X)


class Starved(Failing):
    """Asks for more memory than there is, for one number of neighbours."""

    def _fail_in(self, method):
        if self.k == self.bad and method == self.method:
            with little_memory():
                np.ones(2**27)
