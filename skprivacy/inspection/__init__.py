"""Plots of how well avatars hide the originals, and of what k buys."""

from ._cloaking_display import CloakingDisplay
from ._privacy_curve_display import PrivacyCurveDisplay

__all__ = ["CloakingDisplay", "PrivacyCurveDisplay"]
