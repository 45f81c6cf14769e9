"""Settings of the whole test suite."""

from __future__ import annotations

import os
import sys

import pytest
from hypothesis import settings

# Before matplotlib is first imported, here or in a worker process: tests open no window.
os.environ.setdefault("MPLBACKEND", "Agg")

# A slow machine is no fault of the code: no example fails by the time it takes.
settings.register_profile("skprivacy", deadline=None, print_blob=True)
settings.load_profile("skprivacy")


@pytest.fixture(autouse=True)
def close_figures():
    """Close what a test drew: matplotlib warns of many open figures, and warnings are errors."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
