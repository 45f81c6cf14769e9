"""What a privacy report says, as plain Python values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._cloaking_bins import bin_counts
from ._evidence import Evidence
from ._percentage import percentage
from ._random_pairing import random_pairing_scores
from ._registry import METRICS, facts_of
from ._report_groups import pool_groups


def report_on(evidence: Evidence, confidence_level: float) -> dict[str, Any]:
    """Return the report on all originals together."""
    bins = bin_counts(evidence.counts, evidence.weight)
    return {
        "n_originals": len(evidence.comparison.X),
        "n_avatars": len(evidence.comparison.Y),
        "n_coordinates": evidence.comparison.X.shape[1],
        "is_weighted": evidence.weight is not None,
        "confidence_level": confidence_level,
        "metrics": _metrics(evidence, confidence_level),
        "closer_avatars": [
            {"from": first, "to": last, "n_originals": n, "share": share}
            for first, last, n, share in bins
        ],
        "groups": None,
        "warnings": evidence.warnings,
    }


def _metrics(evidence: Evidence, level: float) -> dict[str, dict[str, Any]]:
    """Return value, interval, range, target and yardstick of each metric."""
    null = random_pairing_scores(evidence.comparison, evidence.weight)
    is_unique, is_hit = evidence.matches.is_unique, evidence.matches.is_hit
    least = percentage(~is_unique, evidence.weight)
    ranges: dict[str, list[float]] = {
        "hidden_rate": [0.0, 100.0],
        "local_cloaking": [0.0, float(len(evidence.comparison.Y) - 1)],
        "row_direct_match_protection": [least, 100.0],
    }
    metrics: dict[str, dict[str, Any]] = {}
    for name in METRICS:
        facts = facts_of(name)
        entry: dict[str, Any] = (
            evidence.summarise(name, slice(None), level)
            if name in evidence.per_record
            else {"value": evidence.score(name), "confidence_interval": None}
        )
        metrics[name] = entry | {
            "unit": facts.unit,
            "greater_is_better": True,
            "range": ranges.get(name),
            "target": facts.target,
            "meets_target": None if facts.target is None else entry["value"] > facts.target,
            "random_pairing": null.get(name),
        }
    metrics["row_direct_match_protection"] |= {
        "n_unique": int(is_unique.sum()),
        "n_hits": int(is_hit.sum()),
    }
    return metrics


def report_by_group(
    evidence: Evidence,
    labels: NDArray[np.object_],
    confidence_level: float,
    min_group_size: int,
) -> dict[str, Any]:
    """Return the metrics of each group that is large enough, and which group is worst off."""
    rows = [
        {
            "label": group.label,
            "n_originals": int(group.rows.sum()),
            "n_pooled": group.n_pooled,
            "metrics": {
                name: evidence.summarise(name, group.rows, confidence_level)
                for name in evidence.per_record
            },
        }
        for group in pool_groups(labels, evidence.weight, min_group_size)
    ]
    worst = _worst(rows) if rows else {}
    return {"min_group_size": min_group_size, "rows": rows, "worst": worst}


def _worst(rows: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return the labels of the lowest groups of each metric; none where all are equal."""
    worst = {}
    for name in rows[0]["metrics"]:
        values = [row["metrics"][name]["value"] for row in rows]
        lowest = min(values)
        labels = [row["label"] for row, value in zip(rows, values, strict=True) if value == lowest]
        worst[name] = labels if lowest < max(values) else []
    return worst
