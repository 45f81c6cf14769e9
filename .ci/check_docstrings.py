"""Validate the docstring of every public object with numpydoc, as pyproject.toml sets it."""

from __future__ import annotations

import inspect
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from numpydoc.validate import ERROR_MSGS, validate

import skprivacy


def public_names() -> Iterator[str]:
    """Yield the dotted name of every public object that the package itself writes."""
    for name in skprivacy.__all__:
        public = getattr(skprivacy, name)
        yield f"skprivacy.{name}"
        if inspect.isclass(public):
            yield from (f"skprivacy.{name}.{member}" for member in _own_members(public))


def _own_members(cls: type) -> Iterator[str]:
    """Yield the public methods and properties of a class, without scikit-learn's."""
    for name, member in inspect.getmembers(cls):
        function = member.fget if isinstance(member, property) else member
        if not name.startswith("_") and getattr(function, "__module__", "").startswith("skprivacy"):
            yield name


def checked_codes() -> set[str]:
    """Return the codes to check: all but those that pyproject.toml leaves out."""
    settings = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["tool"]
    left_out = set(settings["numpydoc_validation"]["checks"]) - {"all"}
    return set(ERROR_MSGS) - left_out


def main() -> int:
    """Print every fault and return the exit status."""
    codes = checked_codes()
    names = list(public_names())
    faults = [
        f"{name}: {code} {message}"
        for name in names
        for code, message in validate(name)["errors"]
        if code in codes
    ]
    print(*faults, f"{len(names)} public docstrings, {len(faults)} faults", sep="\n")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
