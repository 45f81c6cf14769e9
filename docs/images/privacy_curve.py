"""Draw the README's picture: python docs/images/privacy_curve.py."""

from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV

from skprivacy import (
    FAMD,
    KNeighborsAnonymizer,
    PrivacyCurveDisplay,
    PrivacyScorer,
    ResubstitutionSplit,
    smallest_param_meeting,
)

floors = {"hidden_rate": 90, "local_cloaking": 5}
search = GridSearchCV(
    KNeighborsAnonymizer(projection=FAMD(5), random_state=0),
    {"n_neighbors": [2, 5, 10, 20, 50, 100]},
    scoring=PrivacyScorer(projection=FAMD(5)),
    refit=smallest_param_meeting("n_neighbors", floors),
    cv=ResubstitutionSplit(),
    error_score="raise",
).fit(load_breast_cancer().data)
display = PrivacyCurveDisplay.from_cv_results(
    search.cv_results_,
    param_name="n_neighbors",
    floors=floors,
    best_index=search.best_index_,
)
display.figure_.savefig(Path(__file__).with_suffix(".png"), dpi=150)
