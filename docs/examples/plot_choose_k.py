"""
Choose k by privacy and utility
===============================

An anonymiser that mixes more neighbours hides people better and keeps less of the data. This
example turns k on a mixed table, draws what each k buys and what it costs, and takes the smallest
k that protects enough.
"""

# %%
import matplotlib.pyplot as plt
from palmerpenguins import load_penguins
from sklearn.model_selection import GridSearchCV

from skprivacy import (
    FAMD,
    KNeighborsAnonymizer,
    PrivacyCurveDisplay,
    PrivacyScorer,
    ResubstitutionSplit,
    smallest_param_meeting,
)

# %%
# Originals
# ---------
# 344 penguins stand for the people: numbers, categories and some missing cells. Distances need
# complete rows, so the missing cells are imputed.
X = load_penguins()
numbers = X.select_dtypes("number").columns
X[numbers] = X[numbers].fillna(X[numbers].median())
X = X.fillna({"sex": "unknown"})
X.head()

# %%
# What shall be kept
# ------------------
# A utility is any function of both tables, greater is better. The strongest change among the
# correlations of the numeric columns says how far a published correlation may be off.


def correlations_kept(X, X_avatars):
    """Return minus the largest change of a correlation: 0 at best."""
    change = X.corr(numeric_only=True) - X_avatars.corr(numeric_only=True)
    return -change.abs().to_numpy().max()


# %%
# Search
# ------
# The scorer asks the anonymiser for avatars once for each k, so privacy and utility speak of the
# same draw. ``ResubstitutionSplit`` scores everybody: it is their avatars that are to be released.
floors = {"hidden_rate": 90, "local_cloaking": 5}
search = GridSearchCV(
    KNeighborsAnonymizer(projection=FAMD(5), random_state=0),
    {"n_neighbors": [2, 3, 5, 7, 10, 15, 20, 30, 50]},
    scoring=PrivacyScorer(
        {
            "hidden_rate": "hidden_rate",
            "local_cloaking": "local_cloaking",
            "utility": correlations_kept,
        },
        projection=FAMD(5),
    ),
    refit=smallest_param_meeting("n_neighbors", floors),
    cv=ResubstitutionSplit(),
    error_score="raise",
).fit(X)
print("smallest k that protects enough:", search.best_params_["n_neighbors"])

# %%
# What k buys
# -----------
# Each metric against k, with the floors and the k that was chosen.
PrivacyCurveDisplay.from_cv_results(
    search.cv_results_, param_name="n_neighbors", floors=floors, best_index=search.best_index_
)
plt.show()

# %%
# What k costs
# ------------
# Every point is a k. Up is safer and right is more useful. There is no single best point; the floor
# decides how far down one may go.
results = search.cv_results_
fig, ax = plt.subplots(layout="constrained")
ax.plot(results["mean_test_utility"], results["mean_test_hidden_rate"], "o", color="black")
for k, utility, hidden in zip(
    results["param_n_neighbors"],
    results["mean_test_utility"],
    results["mean_test_hidden_rate"],
    strict=True,
):
    ax.annotate(f"k = {k}", (utility, hidden), xytext=(6, 4), textcoords="offset points")
ax.axhline(floors["hidden_rate"], color="black", linestyle="--", label="floor of Hidden Rate")
ax.margins(x=0.12)
ax.set(xlabel="Utility (minus the largest change of a correlation)", ylabel="Hidden Rate (%)")
ax.legend()
plt.show()

# %%
# The avatars
# -----------
# The search has fitted the anonymiser with the k that was chosen. Its seed is fixed, so the avatars
# that it makes now are those that were scored.
search.transform(X).head()
