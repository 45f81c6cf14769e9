"""matplotlib is needed by plots only, and imported only there."""

from __future__ import annotations

import importlib.util


def check_matplotlib(caller: str) -> None:
    """Raise an ImportError that says how to get matplotlib, before anything is computed."""
    if importlib.util.find_spec("matplotlib") is None:
        raise ImportError(
            f"{caller} needs matplotlib. Install it with: pip install matplotlib, or with "
            'the extra "plot" of skprivacy.'
        )
