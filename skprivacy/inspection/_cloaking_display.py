"""The distribution of the counts c_i as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from ..metrics._cloaking_bins import bin_counts
from ..metrics._paired import closer_avatar_counts
from ._cloaking_bars import mark_count, plot_bars
from ._matplotlib import check_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class CloakingDisplay:
    """Show how many other avatars hide each original, as bars of the share of originals.

    Made by :meth:`from_counts` or :meth:`from_estimator`. It keeps shares only, not the
    count of any original.

    Parameters
    ----------
    bins : sequence of (int, int or None)
        First and last count of each range; None for a range without end.
    shares : array-like of shape (n_bins,)
        Share of originals in each range, in percent.
    median : float
        Median count, the Local Cloaking.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The plot.
    figure_ : matplotlib Figure
        The figure that holds it.
    bars_ : matplotlib BarContainer
        A bar for each range; the hatched one is the exposed originals.
    median_line_, target_line_ : matplotlib Line2D
        The median, and the target if there is one, else None.

    See Also
    --------
    closer_avatar_counts : The counts.
    PrivacyCurveDisplay : The metrics against k.

    Examples
    --------
    >>> from skprivacy import CloakingDisplay, closer_avatar_counts
    >>> originals = [[0.0], [10.0], [20.0], [30.0]]
    >>> avatars = [[12.0], [4.0], [1.0], [31.0]]
    >>> display = CloakingDisplay.from_counts(closer_avatar_counts(originals, avatars))
    >>> display.shares
    array([25., 75.,  0.])
    >>> display.median
    1.5
    """

    def __init__(
        self, *, bins: Sequence[tuple[int, int | None]], shares: ArrayLike, median: float
    ) -> None:
        self.bins = bins
        self.shares = shares
        self.median = median

    @classmethod
    def from_counts(
        cls,
        counts: ArrayLike,
        *,
        target: float | None = 5,
        ax: Axes | None = None,
        **bar_kw: Any,
    ) -> CloakingDisplay:
        """Plot counts that were computed before.

        Parameters
        ----------
        counts : array-like of int of shape (n_samples,)
            Count c_i of each original, from :func:`closer_avatar_counts`.
        target : float, default=5
            Median to exceed, drawn as a line; Octopize's published target by default.
        ax : matplotlib Axes, default=None
            Where to plot; a new figure by default.
        **bar_kw : dict
            Passed to matplotlib's ``barh``.

        Returns
        -------
        display : CloakingDisplay
            The display, plotted.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If counts are not integers.
        ValueError
            If counts are empty, negative or not one-dimensional.
        """
        check_matplotlib(f"{cls.__name__}.from_counts")
        checked = _check_counts(counts)
        found = bin_counts(checked, up_to=0 if target is None else target)
        display = cls(
            bins=[(first, last) for first, last, _, _ in found],
            shares=np.array([share for *_, share in found]),
            median=float(np.median(checked)),
        )
        return display.plot(target=target, ax=ax, **bar_kw)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        projection: Any = None,
        n_components: int | None = None,
        tie_tol: float = 1e-12,
        n_jobs: int | None = None,
        target: float | None = 5,
        ax: Axes | None = None,
        **bar_kw: Any,
    ) -> CloakingDisplay:
        """Plot the counts of the avatars that a fitted anonymiser makes.

        Parameters
        ----------
        estimator : object with a ``transform`` method
            A fitted anonymiser; row i of ``estimator.transform(X)`` is the avatar of row i.
        X : array-like of shape (n_samples, n_features)
            The originals.
        projection : transformer, default=None
            Gives the coordinates in which distances are taken, e.g. ``FAMD(5)``. A clone
            is fitted on X; a ``FrozenEstimator`` is used as it is.
        n_components : int, default=None
            Use only the first so many coordinates; all of them by default.
        tie_tol : float, default=1e-12
            Relative width in [1e-13, 1e-6] within which two distances are a tie.
        n_jobs : int, default=None
            Number of joblib workers.
        target : float, default=5
            Median to exceed, drawn as a line; Octopize's published target by default.
        ax : matplotlib Axes, default=None
            Where to plot; a new figure by default.
        **bar_kw : dict
            Passed to matplotlib's ``barh``.

        Returns
        -------
        display : CloakingDisplay
            The display, plotted.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError, ValueError
            As :func:`closer_avatar_counts` does.
        """
        check_matplotlib(f"{cls.__name__}.from_estimator")
        rows, avatars = X, estimator.transform(X)
        if projection is not None:
            fitted = clone(projection).fit(X, None)
            rows, avatars = fitted.transform(rows), fitted.transform(avatars)
        counts = closer_avatar_counts(
            rows, avatars, n_components=n_components, tie_tol=tie_tol, n_jobs=n_jobs
        )
        return cls.from_counts(counts, target=target, ax=ax, **bar_kw)

    def plot(
        self, *, target: float | None = 5, ax: Axes | None = None, **bar_kw: Any
    ) -> CloakingDisplay:
        """Plot the distribution.

        Parameters
        ----------
        target : float, default=5
            Median to exceed, drawn as a line; Octopize's published target by default.
        ax : matplotlib Axes, default=None
            Where to plot; a new figure by default.
        **bar_kw : dict
            Passed to matplotlib's ``barh``.

        Returns
        -------
        display : CloakingDisplay
            This display.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        check_matplotlib(f"{type(self).__name__}.plot")
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots(layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        shares = np.asarray(self.shares, dtype=np.float64)
        self.bars_ = plot_bars(ax, self.bins, shares, bar_kw)
        # The names of two lines that lie together keep to either side of them.
        is_below = target is not None and self.median >= target
        self.median_line_ = mark_count(
            *(ax, self.bins, self.median, f"median {self.median:g}"), below=is_below
        )
        self.target_line_ = None
        if target is not None:
            self.target_line_ = mark_count(
                *(ax, self.bins, target, f"target > {target:g}"), below=not is_below, linestyle=":"
            )
        ax.set(xlabel="Share of originals (%)", ylabel="Closer avatars")
        return self


def _check_counts(counts: ArrayLike) -> NDArray[np.int64]:
    """Return counts as a non-empty array of integers from 0 on."""
    array = np.asarray(counts)
    if array.dtype.kind not in "iu":
        raise TypeError(
            f"counts must be integers, got dtype {array.dtype}. Pass what closer_avatar_counts "
            "returns."
        )
    if array.ndim != 1 or array.size == 0:
        raise ValueError(
            f"counts must have shape (n_samples,) with n_samples > 0, got {array.shape}."
        )
    if array.min() < 0:
        raise ValueError(f"counts must not be negative, as at position {int(array.argmin())}.")
    return array.astype(np.int64)
