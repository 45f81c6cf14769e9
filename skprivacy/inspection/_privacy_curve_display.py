"""The metrics against a parameter of the anonymiser, one panel for each metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike
from sklearn.model_selection import GridSearchCV

from ..model_selection import PrivacyScorer, ResubstitutionSplit
from ._curve_panels import make_axes, plot_panel, set_legend, set_param_axis
from ._curve_table import CurveTable, chosen_row, read_cv_results
from ._matplotlib import check_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PrivacyCurveDisplay:
    """Show what a parameter such as k buys: each metric against it, with its floor.

    Made by :meth:`from_cv_results` or :meth:`from_estimator`. Each metric has a panel of
    its own, because a number of avatars and a percentage share no scale. Greater is better
    in all of them.

    Parameters
    ----------
    table : CurveTable
        Mean and standard deviation of each score, by parameter value and curve.
    floors : dict of str to float, default=None
        Least value wanted of each metric; by default Octopize's published targets, which
        are to be exceeded, are drawn.
    best_index : int, default=None
        Candidate to mark.

    Attributes
    ----------
    axes_ : ndarray of matplotlib Axes of shape (n_metrics,)
        A panel for each metric.
    figure_ : matplotlib Figure
        The figure that holds them.
    lines_ : dict of str to list of matplotlib Line2D
        The curves of each metric.
    floor_lines_ : dict of str to matplotlib Line2D
        The floor of each metric that has one.
    chosen_points_ : dict of str to matplotlib Line2D
        The marked candidate, for each metric; empty when none is marked.

    See Also
    --------
    smallest_param_meeting : The choice of the smallest k that meets all floors.
    CloakingDisplay : The distribution behind one Local Cloaking.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from skprivacy import KNeighborsAnonymizer, PrivacyCurveDisplay
    >>> display = PrivacyCurveDisplay.from_estimator(
    ...     KNeighborsAnonymizer(random_state=0),
    ...     load_iris().data,
    ...     param_name="n_neighbors",
    ...     param_range=[2, 10, 50],
    ... )
    >>> sorted(display.lines_)
    ['hidden_rate', 'local_cloaking', 'row_direct_match_protection']
    """

    def __init__(
        self,
        *,
        table: CurveTable,
        floors: Mapping[str, float] | None = None,
        best_index: int | None = None,
    ) -> None:
        self.table = table
        self.floors = floors
        self.best_index = best_index

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        *,
        param_name: str,
        floors: Mapping[str, float] | None = None,
        best_index: int | None = None,
        ax: Axes | Sequence[Axes] | None = None,
        **line_kw: Any,
    ) -> PrivacyCurveDisplay:
        """Plot the scores of a finished search.

        Parameters
        ----------
        cv_results : dict
            ``cv_results_`` of ``GridSearchCV`` or ``RandomizedSearchCV``. Other parameters
            of the grid give a curve for each of their combinations.
        param_name : str
            Parameter to plot against, as it is called in the grid.
        floors : dict of str to float, default=None
            Least value wanted of each metric, by the names in cv_results. By default
            Octopize's published targets, which are to be exceeded, are drawn.
        best_index : int, default=None
            Candidate to mark, e.g. ``search.best_index_``. By default the one that
            :func:`smallest_param_meeting` picks for the floors, if floors are given.
        ax : matplotlib Axes or sequence of them, default=None
            One to divide among the metrics, or one for each metric; a new figure by
            default.
        **line_kw : dict
            Passed to matplotlib's ``plot`` for the curves.

        Returns
        -------
        display : PrivacyCurveDisplay
            The display, plotted.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If cv_results lacks the parameter or any score, a candidate occurs twice,
            floors name an unknown metric, or ax is of the wrong length.
        """
        check_matplotlib(f"{cls.__name__}.from_cv_results")
        table = read_cv_results(cv_results, param_name)
        best_index = chosen_row(cv_results, param_name, floors, best_index)
        return cls(table=table, floors=floors, best_index=best_index).plot(ax=ax, **line_kw)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        param_name: str,
        param_range: ArrayLike,
        metrics: Any = None,
        projection: Any = None,
        response_method: str | Callable[[Any, Any], Any] = "transform",
        floors: Mapping[str, float] | None = None,
        n_repeats: int = 1,
        n_jobs: int | None = None,
        ax: Axes | Sequence[Axes] | None = None,
        **line_kw: Any,
    ) -> PrivacyCurveDisplay:
        """Fit an anonymiser with each value of a parameter and plot its scores.

        Parameters
        ----------
        estimator : estimator
            Anonymiser; clones of it are fitted.
        X : array-like of shape (n_samples, n_features)
            The originals.
        param_name : str
            Parameter to vary.
        param_range : array-like
            Its values.
        metrics : object, default=None
            Passed to :class:`PrivacyScorer`.
        projection : transformer, default=None
            Passed to :class:`PrivacyScorer`.
        response_method : str or callable, default="transform"
            Passed to :class:`PrivacyScorer`.
        floors : dict of str to float, default=None
            Least value wanted of each metric; the smallest value of the parameter that
            meets them all is marked. By default Octopize's published targets are drawn.
        n_repeats : int, default=1
            Number of draws to average over, for an anonymiser without a fixed seed.
        n_jobs : int, default=None
            Number of joblib workers.
        ax : matplotlib Axes or sequence of them, default=None
            One to divide among the metrics, or one for each metric; a new figure by
            default.
        **line_kw : dict
            Passed to matplotlib's ``plot`` for the curves.

        Returns
        -------
        display : PrivacyCurveDisplay
            The display, plotted.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            As :meth:`from_cv_results` does.
        """
        check_matplotlib(f"{cls.__name__}.from_estimator")
        search = GridSearchCV(
            estimator,
            {param_name: list(param_range)},  # type: ignore[arg-type]
            scoring=PrivacyScorer(metrics, projection=projection, response_method=response_method),
            refit=False,
            cv=ResubstitutionSplit(n_repeats),
            error_score="raise",
            n_jobs=n_jobs,
        ).fit(X)
        return cls.from_cv_results(
            search.cv_results_, param_name=param_name, floors=floors, ax=ax, **line_kw
        )

    def plot(
        self, *, ax: Axes | Sequence[Axes] | None = None, **line_kw: Any
    ) -> PrivacyCurveDisplay:
        """Plot the panels.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, default=None
            One to divide among the metrics, or one for each metric; a new figure by
            default.
        **line_kw : dict
            Passed to matplotlib's ``plot`` for the curves.

        Returns
        -------
        display : PrivacyCurveDisplay
            This display.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If ax is of the wrong length.
        """
        check_matplotlib(f"{type(self).__name__}.plot")
        self.axes_ = make_axes(ax, len(self.table.means))
        self.figure_ = self.axes_[0].figure
        self.lines_, self.floor_lines_, self.chosen_points_ = {}, {}, {}
        for panel, name in zip(self.axes_, self.table.means, strict=True):
            drawn = plot_panel(
                panel,
                self.table,
                name,
                floors=self.floors,
                best_index=self.best_index,
                line_kw=line_kw,
            )
            self.lines_[name] = drawn.lines
            if drawn.floor is not None:
                self.floor_lines_[name] = drawn.floor
            if drawn.chosen is not None:
                self.chosen_points_[name] = drawn.chosen
        set_param_axis(self.axes_, self.table)
        set_legend(self.axes_[0])
        return self
