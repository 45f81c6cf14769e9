"""The command line: from two files to a report and an exit status."""

from ._command import main

__all__ = ["main"]
