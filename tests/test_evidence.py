"""What a report is computed from."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.frozen import FrozenEstimator
from sklearn.preprocessing import StandardScaler

from skprivacy import FAMD, closer_avatar_counts, privacy_report
from skprivacy.metrics import _evidence
from skprivacy.metrics._base import AvatarMetric
from skprivacy.metrics._evidence import gather
from skprivacy.metrics._paired import PairedMetric

X = np.array([[0.0, 5.0], [10.0, 5.0], [20.0, 6.0], [30.0, 7.0]])
Y = np.array([[12.0, 5.0], [4.0, 6.0], [1.0, 6.0], [30.0, 7.0]])
ELSEWHERE = Y + np.array([0, 1000])


def gathered(X=X, Y=Y, *, own_avatar=None, projection=None, sample_weight=None, **counting):
    return gather(
        X, Y, own_avatar=own_avatar, projection=projection, sample_weight=sample_weight, **counting
    )


class ColumnsSeen(TransformerMixin, BaseEstimator):
    """A projection that tells how it was used."""

    fits = 0

    def fit(self, X, y=None):
        ColumnsSeen.fits += 1
        self.largest_ = np.max(X)
        return self

    def transform(self, X):
        return np.asarray(X) / self.largest_


def test_distances_are_taken_on_coordinates_and_rows_as_they_are():
    # Projected, all rows of a table are one row; raw, the last original is copied.
    class Nothing(ColumnsSeen):
        def transform(self, X):
            return np.zeros((len(X), 1))

    evidence = gathered(projection=Nothing())
    assert evidence.counts.tolist() == [3, 3, 3, 3]
    assert evidence.matches.is_hit.tolist() == [False, False, False, True]


def test_a_clone_of_the_projection_is_fitted_on_the_originals_alone():
    ColumnsSeen.fits = 0
    projection = ColumnsSeen()
    evidence = gathered(projection=projection)
    assert ColumnsSeen.fits == 1
    assert not hasattr(projection, "largest_")
    np.testing.assert_array_equal(evidence.comparison.X, X / 30)
    np.testing.assert_array_equal(evidence.comparison.Y, Y / 30)


def test_a_frozen_projection_is_used_as_it_is():
    fitted = StandardScaler().fit([[0.0, 0.0], [4.0, 8.0]])
    evidence = gathered(projection=FrozenEstimator(fitted))
    np.testing.assert_array_equal(evidence.comparison.X, fitted.transform(X))


def test_counting_parameters_reach_the_counts():
    own = np.array([2, 1, 0, 3])
    evidence = gathered(own_avatar=own, n_components=1, tie_tol=1e-6, n_jobs=1)
    expected = closer_avatar_counts(X, Y, own_avatar=own, n_components=1)
    np.testing.assert_array_equal(evidence.counts, expected)
    assert evidence.comparison.X.shape == (4, 1)


def test_values_of_some_originals_with_and_without_weights():
    evidence = gathered(n_components=1)
    assert evidence.counts.tolist() == [2, 1, 3, 0]
    rows = np.array([True, False, False, True])
    assert evidence.summarise("hidden_rate", rows, 0.95)["value"] == 50
    assert evidence.summarise("local_cloaking", rows, 0.95)["value"] == 1
    assert evidence.summarise("row_direct_match_protection", rows, 0.95)["value"] == 50
    weighted = gathered(n_components=1, sample_weight=[3, 1, 1, 1])
    assert weighted.summarise("hidden_rate", rows, 0.95) == {
        "value": 75,
        "confidence_interval": None,
    }
    assert weighted.summarise("local_cloaking", rows, 0.95)["value"] == 2


def test_text_without_projection_names_the_column_and_famd():
    frame = pd.DataFrame({"size": [1.0, 2.0], "town": ["canary", "b"]})
    with pytest.raises(TypeError, match=r"'town' \(position 1\).*FAMD") as caught:
        gathered(frame, frame)
    assert "canary" not in str(caught.value)


def test_mixed_tables_need_a_projection():
    frame = pd.DataFrame({"size": [1.0, 2.0, 4.0], "town": ["a", "b", "b"]})
    assert gathered(frame, frame, projection=FAMD(1)).comparison.X.shape == (3, 1)


def test_doubts_are_warned_of_and_kept():
    with pytest.warns(UserWarning, match="same space") as caught:
        evidence = gathered(X, ELSEWHERE)
    assert [str(warning.message) for warning in caught] == evidence.warnings


def test_warnings_point_to_the_line_that_asked_for_the_report():
    with pytest.warns(UserWarning, match="same space") as caught:
        privacy_report(X, ELSEWHERE)
    assert caught[0].filename == __file__


def test_a_doubt_raises_where_the_caller_made_warnings_errors():
    # The test run itself turns warnings into errors.
    with pytest.raises(UserWarning, match="same space"):
        gathered(X, ELSEWHERE)


def test_metrics_of_the_registry_that_are_new_are_scored(monkeypatch):
    class Coordinates(PairedMetric):
        def score(self, X, y=None, sample_weight=None):
            return self._originals.max() + len(X) + np.sum(sample_weight)

    class Rows(AvatarMetric):
        def fit(self, X, y=None):
            self.largest_ = np.max(X)
            return self

        def score(self, X, y=None, sample_weight=None):
            return float(self.largest_)

    monkeypatch.setattr(_evidence, "METRICS", {"coordinates": Coordinates, "rows": Rows})
    evidence = gathered(projection=ColumnsSeen(), sample_weight=[1, 1, 1, 1])
    assert evidence.score("coordinates") == 1 + 4 + 4
    assert evidence.score("rows") == 30


def test_its_repr_shows_no_record():
    assert "30" not in repr(gathered())
