"""Choosing a parameter of an anonymiser with scikit-learn's model selection."""

from ._privacy_scorer import PrivacyScorer
from ._resubstitution_split import ResubstitutionSplit
from ._smallest_param import smallest_param_meeting

__all__ = ["PrivacyScorer", "ResubstitutionSplit", "smallest_param_meeting"]
