"""Print the peak memory of one count: ``python _memory.py X.npy Y.npy``, run by run.py."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from skprivacy import closer_avatar_counts

MEBI = 2**20
LINUX_STATUS = Path("/proc/self/status")


def peak_mb() -> float:
    """Return the highest resident memory of this process so far, in MiB."""
    if LINUX_STATUS.exists():
        # getrusage also remembers the memory of the process that started this one.
        status = LINUX_STATUS.read_text(encoding="ascii")
        return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024
    # In bytes on macOS.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEBI


def measure_memory(paths: tuple[Path, Path]) -> dict[str, Any]:
    """Count in a process of its own and return its peak memory."""
    command = [sys.executable, __file__, *map(str, paths)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Load two tables, count, and print what that took."""
    X, Y = (np.load(path) for path in sys.argv[1:])
    before = peak_mb()
    closer_avatar_counts(X, Y)
    input_mb = (X.nbytes + Y.nbytes) / MEBI
    print(
        json.dumps(
            {
                "n": len(X),
                "d": X.shape[1],
                "input_mb": input_mb,
                "before_mb": before,
                "peak_mb": peak_mb(),
                "limit_mb": 3 * input_mb + 300,
            }
        )
    )


if __name__ == "__main__":
    main()
