"""Projection of numeric, categorical and mixed tables into coordinates."""

from ._famd import FAMD

__all__ = ["FAMD"]
