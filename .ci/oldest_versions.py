"""Print the lowest version that pyproject.toml allows of each package used at run time."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

EXTRAS_USED_AT_RUN_TIME = ("cli", "distributed", "plot")


def main() -> None:
    """Print one pip constraint a line."""
    project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    requirements = [
        *project["dependencies"],
        *(line for extra in EXTRAS_USED_AT_RUN_TIME for line in extras[extra]),
    ]
    for requirement in requirements:
        name, floor = re.fullmatch(r"([\w-]+)>=([\d.]+)", requirement).groups()
        print(f"{name}=={floor}")


if __name__ == "__main__":
    main()
