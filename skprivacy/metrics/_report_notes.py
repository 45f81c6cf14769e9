"""How the numbers of a report are meant, in sentences."""

from __future__ import annotations

from typing import Any

from ._report_groups import OTHER

_LIMITS = (
    "These metrics measure linkage by distance and copied rows. They are no bound on every "
    "attack, and cannot tell a wrong pairing from perfect privacy."
)
_RANDOM_PAIRING = (
    "Random pairing: what the same avatars would score on average if each original's own avatar "
    "were drawn at random. Ties raise Local Cloaking above the number shown."
)


def notes_on(report: dict[str, Any]) -> list[str]:
    """Return what a reader must know of this report's numbers."""
    return [
        *_on_rows(report),
        *_on_random_pairing(report),
        _on_intervals(report),
        *(_on_groups(report) if report["groups"] else []),
        _LIMITS,
    ]


def number_of(n: int, noun: str) -> str:
    """Write a number of things."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _on_rows(report: dict[str, Any]) -> list[str]:
    """Tell how many rows could be reproduced at all."""
    metric = report["metrics"]["row_direct_match_protection"]
    counted = (
        f"{metric['n_unique']} of {report['n_originals']} originals are unique rows; "
        f"{metric['n_hits']} of them occur among the avatars."
    )
    notes = [counted]
    if metric["range"][0] > metric["target"]:
        notes.append(
            "So few rows are unique that Row Direct Match Protection would meet its target "
            "whatever the avatars are."
        )
    return notes


def _on_random_pairing(report: dict[str, Any]) -> list[str]:
    """Say what the yardstick is, and when a target lies beyond it."""
    notes = [_RANDOM_PAIRING]
    metric = report["metrics"]["local_cloaking"]
    if metric["random_pairing"] <= metric["target"]:
        notes.append(
            f"With {number_of(report['n_avatars'], 'avatar')} not even a random pairing would "
            "meet the target of Local Cloaking on average."
        )
    return notes


def _on_intervals(report: dict[str, Any]) -> str:
    """Say what the intervals cover, or why there are none."""
    if report["is_weighted"]:
        return (
            "Values and shares are weighted. They have no intervals, because these depend on what "
            "the weights stand for: repeated records, sampling or importance."
        )
    return (
        f"Intervals ({100 * report['confidence_level']:g} %): how far a value may move if other, "
        "independent people of the same population had been in the table and met avatars like "
        "these; Wilson's score for shares, order statistics for the median. They do not cover "
        "another draw of the avatars. For the people and avatars at hand the values are exact."
    )


def _on_groups(report: dict[str, Any]) -> list[str]:
    """Say what was pooled, or why no group is shown."""
    groups = report["groups"]
    size = groups["min_group_size"]
    if not groups["rows"]:
        suppressed = (
            "Groups are not shown: no group can be told apart from the rest with at least "
            f"{size} originals on both sides."
        )
        return [suppressed]
    n_pooled = groups["rows"][-1]["n_pooled"]
    pooled = (
        f"{OTHER} pools {number_of(n_pooled, 'group')}: those of fewer than {size} originals, and "
        "the next smallest where the pool would still be too small."
    )
    return [pooled] if n_pooled else []
