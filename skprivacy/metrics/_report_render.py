"""The same tables and sentences of a report, as text and as HTML."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

from ._cloaking_bins import bin_label
from ._registry import facts_of
from ._report_notes import number_of

_WIDTH = 80
_LABEL_WIDTH = 30


class _Table(NamedTuple):
    """A table of texts; the first column names the rows."""

    title: str
    header: list[str]
    rows: list[list[str]]
    remarks: Sequence[str] = ()


def render_text(report: dict[str, Any]) -> str:
    """Return the report for a terminal."""
    warnings = [_wrap(f"WARNING: {warning}", "") for warning in report["warnings"]]
    notes = [_wrap(printable(note), "- ") for note in _notes(report)]
    parts = [_title(report), *warnings, *map(_text_table, _tables(report)), "\n".join(notes)]
    return "\n\n".join(parts) + "\n"


def render_html(report: dict[str, Any]) -> str:
    """Return the report as an HTML fragment, every text in it escaped."""
    warnings = [f"<p><strong>Warning:</strong> {escape(text)}</p>" for text in report["warnings"]]
    notes = "".join(f"<li>{escape(printable(note))}</li>" for note in _notes(report))
    parts = [
        f"<p><strong>{escape(_title(report))}</strong></p>",
        *warnings,
        *map(_html_table, _tables(report)),
        f"<ul>{notes}</ul>",
    ]
    return '<div class="skprivacy-report">\n' + "\n".join(parts) + "\n</div>"


def _title(report: dict[str, Any]) -> str:
    """Say what was compared."""
    return (
        f"Privacy of {number_of(report['n_originals'], 'original')} and "
        f"{number_of(report['n_avatars'], 'avatar')}, distances in "
        f"{number_of(report['n_coordinates'], 'coordinate')}"
    )


def _notes(report: dict[str, Any]) -> list[str]:
    """Return the notes, with the one that only rounded numbers need."""
    return [*report["notes"], "Numbers are rounded to the unsafe side: values down, exposure up."]


def _tables(report: dict[str, Any]) -> list[_Table]:
    """Return the tables of the report."""
    groups = report["groups"]
    tables = [_metric_table(report), _cloaking_table(report)]
    return tables + ([_group_table(groups)] if groups and groups["rows"] else [])


def _metric_table(report: dict[str, Any]) -> _Table:
    """Return value, interval, range, target and yardstick of each metric."""
    level = f"{100 * report['confidence_level']:g} %"
    header = ["", "value", f"{level} interval", "range", "target", "met", "random"]
    rows = [
        [
            facts_of(name).title,
            format_value(metric["value"], metric["unit"]),
            _span(metric["confidence_interval"], metric["unit"]),
            _span(metric["range"], metric["unit"]),
            "-" if metric["target"] is None else f"> {metric['target']:g}",
            {None: "-", True: "yes", False: "no"}[metric["meets_target"]],
            format_value(metric["random_pairing"], metric["unit"]),
        ]
        for name, metric in report["metrics"].items()
    ]
    return _Table("Greater is better for all metrics.", header, rows)


def _cloaking_table(report: dict[str, Any]) -> _Table:
    """Return how many originals have how many closer avatars."""
    rows = [
        [
            bin_label(row["from"], row["to"]) + (" (exposed)" if row["to"] == 0 else ""),
            str(row["n_originals"]),
            format_value(row["share"], "%", up=row["to"] == 0),
        ]
        for row in report["closer_avatars"]
    ]
    title = "Other avatars at least as close to an original as its own:"
    return _Table(title, ["", "originals", "share"], rows)


def _group_table(groups: dict[str, Any]) -> _Table:
    """Return the metrics of each group, and which group is worst off."""
    rows = groups["rows"]
    names = list(rows[0]["metrics"])
    cells = [
        [
            printable(row["label"]),
            str(row["n_originals"]),
            *(format_value(row["metrics"][name]["value"], facts_of(name).unit) for name in names),
        ]
        for row in rows
    ]
    header = ["", "originals", *(facts_of(name).short_title for name in names)]
    remarks = [_lowest(name, labels, rows) for name, labels in groups["worst"].items() if labels]
    return _Table("By group:", header, cells, remarks)


def _lowest(name: str, labels: list[str], rows: list[dict[str, Any]]) -> str:
    """Name the groups with the lowest value of a metric."""
    metric = next(row["metrics"][name] for row in rows if row["label"] == labels[0])
    facts = facts_of(name)
    named = ", ".join(_shorten(printable(label)) for label in labels)
    text = f"Lowest {facts.title}: {format_value(metric['value'], facts.unit)} in {named}"
    if len(labels) > 1 or metric["confidence_interval"] is None:
        return text
    return f"{text} (interval {_span(metric['confidence_interval'], facts.unit)})"


def format_value(value: float | None, unit: str, *, up: bool = False) -> str:
    """Write a number with one decimal, rounded to the side that promises less."""
    if value is None:
        return "-"
    if unit == "":
        return f"{value:.6g}"
    # A product such as 100 * 0.963 may miss its decimal by a last bit.
    tenths = math.ceil(10 * value - 1e-9) if up else math.floor(10 * value + 1e-9)
    text = f"{tenths / 10:.1f}"
    return f"{text} %" if unit == "%" else text.removesuffix(".0")


def _span(ends: Sequence[float] | None, unit: str) -> str:
    """Write an interval or a range."""
    if ends is None:
        return "-"
    low, high = format_value(ends[0], unit), format_value(ends[1], unit, up=True)
    return " to ".join(end.removesuffix(" %").removesuffix(".0") for end in (low, high))


def printable(text: str) -> str:
    """Escape what would move the cursor or turn the direction of writing."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _wrap(text: str, bullet: str) -> str:
    """Break a sentence into lines."""
    return textwrap.fill(text, _WIDTH, initial_indent=bullet, subsequent_indent=" " * len(bullet))


def _text_table(table: _Table) -> str:
    """Set a table in columns, names to the left and numbers to the right."""
    lines = [[_shorten(row[0]), *row[1:]] for row in [table.header, *table.rows]]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    set_lines = [
        "  ".join(
            [row[0].ljust(widths[0])]
            + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        )
        for row in lines
    ]
    return "\n".join([table.title, *set_lines, *(_wrap(text, "") for text in table.remarks)])


def _shorten(label: str) -> str:
    """Cut a label that would push the numbers out of sight."""
    return label if len(label) <= _LABEL_WIDTH else label[: _LABEL_WIDTH - 3] + "..."


def _html_table(table: _Table) -> str:
    """Return an HTML table, its numbers to the right."""
    header = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in table.header)
    rows = "".join(
        f'<tr><th scope="row" style="text-align:left">{escape(row[0])}</th>'
        + "".join(f'<td style="text-align:right">{escape(cell)}</td>' for cell in row[1:])
        + "</tr>\n"
        for row in table.rows
    )
    remarks = "".join(f"\n<p>{escape(text)}</p>" for text in table.remarks)
    return (
        f'<table><caption style="text-align:left">{escape(table.title)}</caption>\n'
        f"<thead><tr>{header}</tr></thead>\n<tbody>\n{rows}</tbody></table>{remarks}"
    )
