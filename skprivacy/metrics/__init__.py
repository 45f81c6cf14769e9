"""Privacy metrics of avatar data."""

from ._hidden_rate import HiddenRate, hidden_rate_score
from ._local_cloaking import LocalCloaking, local_cloaking_score
from ._paired import closer_avatar_counts
from ._registry import METRICS
from ._report import privacy_report
from ._row_direct_match import RowDirectMatchProtection, row_direct_match_protection_score

__all__ = [
    "METRICS",
    "HiddenRate",
    "LocalCloaking",
    "RowDirectMatchProtection",
    "closer_avatar_counts",
    "hidden_rate_score",
    "local_cloaking_score",
    "privacy_report",
    "row_direct_match_protection_score",
]
