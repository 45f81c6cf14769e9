"""Scikit-learn compatible scorers of how well avatar data hides its originals."""

from .anonymizers import KNeighborsAnonymizer
from .inspection import CloakingDisplay, PrivacyCurveDisplay
from .metrics import (
    HiddenRate,
    LocalCloaking,
    RowDirectMatchProtection,
    closer_avatar_counts,
    hidden_rate_score,
    local_cloaking_score,
    privacy_report,
    row_direct_match_protection_score,
)
from .model_selection import PrivacyScorer, ResubstitutionSplit, smallest_param_meeting
from .projection import FAMD

__version__ = "0.1.0"

__all__ = [
    "FAMD",
    "CloakingDisplay",
    "HiddenRate",
    "KNeighborsAnonymizer",
    "LocalCloaking",
    "PrivacyCurveDisplay",
    "PrivacyScorer",
    "ResubstitutionSplit",
    "RowDirectMatchProtection",
    "closer_avatar_counts",
    "hidden_rate_score",
    "local_cloaking_score",
    "privacy_report",
    "row_direct_match_protection_score",
    "smallest_param_meeting",
]
