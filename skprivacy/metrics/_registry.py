"""Which metrics there are, and what is published about each."""

from __future__ import annotations

from typing import NamedTuple

from ._base import AvatarMetric
from ._hidden_rate import HiddenRate
from ._local_cloaking import LocalCloaking
from ._row_direct_match import RowDirectMatchProtection

# The registry: a name here is a name in PrivacyScorer, privacy_report and the command line.
METRICS: dict[str, type[AvatarMetric]] = {
    "hidden_rate": HiddenRate,
    "local_cloaking": LocalCloaking,
    "row_direct_match_protection": RowDirectMatchProtection,
}


class MetricFacts(NamedTuple):
    """How tables and plots name a metric, its unit, and the target to exceed strictly."""

    title: str
    short_title: str
    unit: str
    target: float | None


# Targets: as published by Octopize.
_PUBLISHED = {
    "hidden_rate": MetricFacts("Hidden Rate", "Hidden Rate", "%", 90.0),
    "local_cloaking": MetricFacts("Local Cloaking", "Local Cloaking", "avatars", 5.0),
    "row_direct_match_protection": MetricFacts("Row Direct Match Protection", "RDMP", "%", 90.0),
}


def facts_of(name: str) -> MetricFacts:
    """Return what is known of a metric; of a new or a user's own one, only its name."""
    title = name.replace("_", " ").capitalize()
    return _PUBLISHED.get(name, MetricFacts(title, title, "", None))
