"""Where a warning points to: the line that called the package, through whatever wrapped it."""

from __future__ import annotations

import sys

# scikit-learn wraps methods and calls scorers, joblib runs what they are called in.
_INSIDE = {"skprivacy", "sklearn", "joblib", "contextlib"}


def levels_to_the_caller() -> int:
    """Return the stacklevel, for the function that warns, of the first caller outside."""
    frame, level = sys._getframe(1), 1  # noqa: SLF001 - as warnings itself does
    while frame.f_back and frame.f_globals["__name__"].partition(".")[0] in _INSIDE:
        frame, level = frame.f_back, level + 1
    return level
