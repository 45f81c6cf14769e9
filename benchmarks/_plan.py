"""What is measured: which tables, and which contenders on each."""

from __future__ import annotations

from dataclasses import dataclass

from _contenders import CONTENDERS
from _data import Case

SIZES = (10_000, 100_000, 1_000_000)
DIMS = (2, 5, 10, 20, 50)
# At a million rows the plain tree takes hours above so many columns.
MOST_DIMS_OF_A_MILLION = 10
# Side questions (hostile tables, other k, other c) are asked at one size, at most this one.
LARGEST_SIDE = 100_000

EVERYBODY = tuple(CONTENDERS)
TREES = ("counts", "hidden_rate", "plain", "scipy")
N_DIAMONDS, N_DIGITS = 53_940, 1_797


@dataclass(frozen=True)
class Plan:
    """The sizes and numbers of columns to measure."""

    sizes: tuple[int, ...] = SIZES
    dims: tuple[int, ...] = DIMS

    @property
    def is_full(self) -> bool:
        """Tell whether everything is measured that the documentation shows."""
        return self == Plan()

    @property
    def side_size(self) -> int:
        """Return the number of rows of the side questions."""
        return max((n for n in self.sizes if n <= LARGEST_SIDE), default=LARGEST_SIDE)

    def cells(self) -> list[tuple[Case, tuple[str, ...]]]:
        """Return every case with its contenders."""
        cells = [(case, EVERYBODY) for case in self._mixtures()]
        cells += [(case, TREES) for case in self._varied_counts()]
        hostile = (case for case in self._hostile() if case.d in self.dims)
        cells += [(case, (*TREES, "chunked")) for case in hostile]
        return cells + [(case, EVERYBODY) for case in self._real()]

    def _mixtures(self) -> list[Case]:
        """Return the mixtures of all sizes."""
        return [
            Case("mixture", n, d)
            for n in self.sizes
            for d in self.dims
            if n < 1_000_000 or d <= MOST_DIMS_OF_A_MILLION
        ]

    def _varied_counts(self) -> list[Case]:
        """Return tables whose own distances, and so counts, go from small to large."""
        n, d = self.side_size, 5
        mixtures = [Case("mixture", n, d, k=k) for k in (5, 100)]
        return mixtures + [Case("blurred", n, d, noise=noise) for noise in (0.1, 0.2, 0.5, 1, 2)]

    def _hostile(self) -> list[Case]:
        """Return tables on which trees degenerate."""
        n = self.side_size
        unrelated = [Case("unrelated", n, d) for d in (2, 5, 20)]
        isotropic = [Case("isotropic", n, d) for d in (10, 20, 50)]
        return [*unrelated, *isotropic, Case("duplicates", n, 5)]

    def _real(self) -> list[Case]:
        """Return the real tables, not larger than the side questions."""
        return [
            Case("digits", min(N_DIGITS, self.side_size), 20),
            Case("diamonds", min(N_DIAMONDS, self.side_size), 5),
        ]
