"""
Measure an anonymiser of your own
=================================

The metrics serve any anonymiser that gives each person one synthetic row. This example writes two
small ones: one with ``transform`` and one that stores its avatars in ``fit``. Both are searched
and compared by the same scorer.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skprivacy import PrivacyScorer, ResubstitutionSplit

# %%
# Originals
# ---------
# Measurements of 569 tumours. Distances are compared in the five main axes of the table.
X = load_breast_cancer().data
projection = make_pipeline(StandardScaler(), PCA(5, svd_solver="full"))

# %%
# Noise
# -----
# The first anonymiser adds noise to each record, in units of each column's standard deviation.


class AddNoise(TransformerMixin, BaseEstimator):
    """Add normal noise to every cell."""

    def __init__(self, scale=1.0, random_state=0):
        self.scale = scale
        self.random_state = random_state

    def fit(self, X, y=None):
        self.std_ = X.std(axis=0)
        return self

    def transform(self, X):
        rng = np.random.default_rng(self.random_state)
        return X + self.scale * self.std_ * rng.normal(size=X.shape)


# %%
# Averages
# --------
# The second replaces each record by the mean of its cluster: the more clusters, the fewer records
# in each. It makes all avatars in ``fit``.


class GroupMeans(BaseEstimator):
    """Replace every record by the mean of its cluster."""

    def __init__(self, n_clusters=100):
        self.n_clusters = n_clusters

    def fit(self, X, y=None):
        coordinates = StandardScaler().fit_transform(X)
        groups = KMeans(self.n_clusters, n_init=1, random_state=0).fit_predict(coordinates)
        means = np.array([X[groups == group].mean(axis=0) for group in range(self.n_clusters)])
        self.avatars_ = means[groups]
        return self


# %%
# One scorer for both
# -------------------
# ``response_method`` names the method or the attribute that gives avatars. A callable
# ``(estimator, X) -> avatars`` would do as well, e.g. one that reads a file. How much of the data
# is kept is measured on the same draw, by a function of both tables.


def closeness(X, X_avatars):
    """Return minus the mean change of a cell in standard deviations: 0 at best."""
    return -np.mean(np.abs(X_avatars - X) / X.std(axis=0))


metrics = {
    "hidden_rate": "hidden_rate",
    "local_cloaking": "local_cloaking",
    "row_protection": "row_direct_match_protection",
    "closeness": closeness,
}


def scores(anonymizer, grid, response_method):
    """Return the scores of every candidate of the grid."""
    search = GridSearchCV(
        anonymizer,
        grid,
        scoring=PrivacyScorer(metrics, projection=projection, response_method=response_method),
        refit=False,
        cv=ResubstitutionSplit(),
        error_score="raise",
    )
    return search.fit(X).cv_results_


noise = scores(AddNoise(), {"scale": [0.1, 0.2, 0.4, 0.7, 1.0, 1.5]}, "transform")
means = scores(GroupMeans(), {"n_clusters": [300, 200, 100, 50, 25, 10]}, "avatars_")

# %%
# Compare
# -------
# The higher a curve runs, the better it protects at the same distance from the originals. Group
# means give everybody in a group the same avatar, and equal avatars are ties, which hide.
fig, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
names = {"hidden_rate": "Hidden Rate (%)", "local_cloaking": "Local Cloaking (avatars)"}
for ax, (name, label) in zip(axes, names.items(), strict=True):
    for results, title, style in ((noise, "noise", "o-"), (means, "group means", "s--")):
        ax.plot(
            results["mean_test_closeness"],
            results[f"mean_test_{name}"],
            style,
            color="black",
            label=title,
        )
    ax.set(xlabel="Closeness to the originals", ylabel=label)
axes[1].set_yscale("symlog")
axes[1].yaxis.set_major_formatter("{x:g}")
axes[0].legend()
plt.show()

# %%
# The mean of a single record is that record. Row Direct Match Protection tells how many people are
# not published as they are, and its values are those of Hidden Rate: whoever shares a cluster is
# hidden by a tie, and whoever is alone in one is not.
for n_clusters, protection in zip(
    means["param_n_clusters"], means["mean_test_row_protection"], strict=True
):
    print(f"{n_clusters:3d} clusters: Row Direct Match Protection {protection:.1f} %")
