"""All metrics of a pair of tables, with what is needed to read them."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import ArrayLike

from ._evidence import gather
from ._intervals import check_confidence_level
from ._report_content import report_by_group, report_on
from ._report_groups import check_groups, check_min_group_size
from ._report_notes import notes_on
from ._report_render import render_html, render_text


class PrivacyReport(str):
    """The text of a report, which notebooks show as tables."""

    __slots__ = ("_html",)
    _html: str

    def __new__(cls, text: str, html: str) -> Self:
        """Keep both forms of the report."""
        report = super().__new__(cls, text)
        report._html = html
        return report

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        """Let copies and processes carry both forms."""
        return str(self), self._html

    def _repr_html_(self) -> str:
        """Return the report as HTML tables."""
        return self._html


def privacy_report(
    X: Any,
    X_avatars: Any,
    *,
    own_avatar: ArrayLike | None = None,
    projection: Any = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    output_dict: bool = False,
    min_group_size: int = 10,
    confidence_level: float = 0.95,
    n_components: int | None = None,
    tie_tol: float = 1e-12,
    n_jobs: int | None = None,
) -> PrivacyReport | dict[str, Any]:
    """Report every metric with its target, uncertainty, yardstick and worst group.

    Greater is better for all metrics. Each comes with its range, Octopize's published
    target (to be exceeded strictly), a confidence interval and the score of a random
    pairing. The report holds no row, no cell and no pairing of the tables; labels of
    ``groups`` are shown.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The originals.
    X_avatars : array-like of shape (n_avatars, n_features)
        The avatars, with the same columns.
    own_avatar : array-like of int of shape (n_samples,), default=None
        Position of each original's own avatar in ``X_avatars``. By default row ``i``
        belongs to original ``i``, which needs as many avatars as originals.
    projection : transformer, default=None
        Gives the coordinates in which distances are taken, e.g. ``FAMD(5)`` for mixed
        tables. A clone is fitted on the originals; a ``FrozenEstimator`` is used as it
        is. Row Direct Match Protection always sees the rows as they are.
    groups : array-like of shape (n_samples,), default=None
        Label of each original: its hospital, sex, age class. A protected average can
        hide an exposed minority.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the original records. Weighted values come without an interval.
    output_dict : bool, default=False
        Return plain Python values, fit for ``json.dumps``, instead of text.
    min_group_size : int, default=10
        Smaller groups are pooled: the value of a group of one points at a person.
    confidence_level : float, default=0.95
        Level of the intervals, between 0 and 1.
    n_components : int, default=None
        Use only the first so many coordinates; all of them by default.
    tie_tol : float, default=1e-12
        Relative width in [1e-13, 1e-6] within which two distances are a tie.
    n_jobs : int, default=None
        Number of joblib workers. None means 1 unless in a ``joblib.parallel_config``.

    Returns
    -------
    report : str or dict
        Text that notebooks show as tables, or with ``output_dict=True`` a dict.

    Raises
    ------
    TypeError
        If a column is not numeric and there is no projection, or a parameter has a
        wrong type.
    ValueError
        If the tables, the pairing, the weights, the groups or a parameter do not fit.

    Warns
    -----
    UserWarning
        If own avatars are no closer than a random pairing would be, or the avatars'
        median lies outside the originals' range. The report repeats it.

    See Also
    --------
    HiddenRate : Share of originals that cannot be linked to their avatar by distance.
    LocalCloaking : How many avatars stand between an original and its own.
    RowDirectMatchProtection : Protection of unique rows from being copied.

    Notes
    -----
    Shares have Wilson's score interval, the median the interval between two order
    statistics. Both say how far a value may move if other people of the same population
    had been in the table. They do not cover another draw of the avatars.

    With own avatars drawn uniformly, HR_null = 100 (1 - s / (n m)), where s of the n
    originals have one strictly nearest avatar among m, and LC_null = (m - 1) / 2, which
    ties raise.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from skprivacy import FAMD, KNeighborsAnonymizer, privacy_report
    >>> X = load_breast_cancer().data
    >>> anonymizer = KNeighborsAnonymizer(20, projection=FAMD(5), random_state=0)
    >>> avatars = anonymizer.fit_transform(X)
    >>> report = privacy_report(X, avatars, projection=FAMD(5), output_dict=True)
    >>> report["metrics"]["row_direct_match_protection"]["value"]
    100.0
    >>> print(privacy_report(X, avatars, projection=FAMD(5)))
    Privacy of 569 originals and 569 avatars, distances in 5 coordinates
    ...
    """
    level = check_confidence_level(confidence_level)
    smallest = check_min_group_size(min_group_size)
    labels = None if groups is None else check_groups(groups, X)
    evidence = gather(
        X,
        X_avatars,
        own_avatar=own_avatar,
        projection=projection,
        sample_weight=sample_weight,
        n_components=n_components,
        tie_tol=tie_tol,
        n_jobs=n_jobs,
    )
    report = report_on(evidence, level)
    if labels is not None:
        report["groups"] = report_by_group(evidence, labels, level, smallest)
    report["notes"] = notes_on(report)
    return report if output_dict else PrivacyReport(render_text(report), render_html(report))
