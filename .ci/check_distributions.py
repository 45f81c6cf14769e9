"""Check that the built archives hold what they should, and nothing else."""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from pathlib import Path

JUNK = re.compile(
    r"(__pycache__|\.pyc|_cache|/\.(?!gitignore)|/_build/|/auto_examples/|/generated/)"
)
SOURCE_HOLDS = {
    "LICENSE",
    "PKG-INFO",
    "README.md",
    "benchmarks",
    "docs",
    "pyproject.toml",
    "skprivacy",
    "tests",
}
WHEEL_NEEDS = {"skprivacy/__init__.py", "skprivacy/py.typed"}


def check_source(archive: Path) -> None:
    """Compare the top level of the source distribution with what belongs there."""
    with tarfile.open(archive) as opened:
        names = [name.partition("/")[2] for name in opened.getnames()]
    top = {name.partition("/")[0] for name in names} - {".gitignore"}
    report(archive, names, wrong=top ^ SOURCE_HOLDS)


def check_wheel(archive: Path) -> None:
    """Check that the wheel holds the package, its licence and nothing beside."""
    with zipfile.ZipFile(archive) as opened:
        names = opened.namelist()
    strangers = {n for n in names if not re.match(r"skprivacy(-[\d.]+\w*\.dist-info)?/", n)}
    licence = [name for name in names if name.endswith("licenses/LICENSE")]
    missing = WHEEL_NEEDS - set(names) if licence else {"LICENSE"}
    report(archive, names, wrong=strangers | missing)


def report(archive: Path, names: list[str], *, wrong: set[str]) -> None:
    """Print what an archive holds and stop on anything missing or not wanted."""
    wrong |= {name for name in names if JUNK.search(f"/{name}")}
    print(f"{archive.name}: {len(names)} files, {archive.stat().st_size / 1024:.0f} KiB")
    if wrong:
        sys.exit(f"{archive.name} lacks or should not hold: {sorted(wrong)}")


def main() -> None:
    """Check the one archive of each kind in the folder given."""
    folder = Path(sys.argv[1])
    (source,) = folder.glob("*.tar.gz")
    (wheel,) = folder.glob("*.whl")
    check_source(source)
    check_wheel(wheel)


if __name__ == "__main__":
    main()
