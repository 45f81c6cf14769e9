"""
A good average can hide an exposed group
========================================

The metrics speak of all people together. When a few of them are badly protected, the average
hardly moves. This example exposes twelve patients of one hospital on purpose and shows how the
report by group finds them.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from skprivacy import (
    FAMD,
    CloakingDisplay,
    KNeighborsAnonymizer,
    closer_avatar_counts,
    privacy_report,
)

# %%
# A mistake that the average does not show
# ----------------------------------------
# The patients come from three hospitals, of which the last sent twelve. Its avatars are not
# avatars at all: somebody added a little noise to the originals.
X = load_breast_cancer().data
hospital = np.repeat(["north", "west", "south"], [300, 257, 12])
X_avatars = KNeighborsAnonymizer(50, projection=FAMD(5), random_state=0).fit_transform(X)
rng = np.random.default_rng(0)
south = hospital == "south"
X_avatars[south] = X[south] * rng.normal(1, 0.001, size=X[south].shape)

# %%
# All targets are met
# -------------------
report = privacy_report(X, X_avatars, projection=FAMD(5), output_dict=True)
for name, metric in report["metrics"].items():
    print(f"{name:30} {metric['value']:5.1f}  meets its target: {metric['meets_target']}")

# %%
# One group is not protected
# --------------------------
# With ``groups``, each hospital is measured against all avatars, and the lowest is named.
print(privacy_report(X, X_avatars, projection=FAMD(5), groups=hospital))

# %%
# Groups of fewer than ten patients are pooled, because the value of a very small group points at
# persons. Had the hospital sent nine, its label would not be shown.

# %%
# The same as pictures
# --------------------
famd = FAMD(5).fit(X)
counts = closer_avatar_counts(famd.transform(X), famd.transform(X_avatars))
fig, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for ax, rows, title in zip(axes, [~south, south], ["North and west", "South"], strict=True):
    CloakingDisplay.from_counts(counts[rows], ax=ax)
    ax.set_title(title)
plt.show()
