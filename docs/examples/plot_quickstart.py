"""
Quickstart
==========

From a table and its avatars to a report, and to a picture of how many avatars hide each person.
"""

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from skprivacy import FAMD, CloakingDisplay, KNeighborsAnonymizer, privacy_report

# %%
# Originals and avatars
# ---------------------
# The originals are 569 patients with 30 measurements each. Every avatar mixes the 20 nearest
# neighbours of one patient; row i of the avatars belongs to row i of the originals.
X = load_breast_cancer().data
anonymizer = KNeighborsAnonymizer(n_neighbors=20, projection=FAMD(5), random_state=0).fit(X)
X_avatars = anonymizer.transform(X)

# %%
# The report
# ----------
# Distances are taken in the coordinates in which the avatars were made, rows are compared as they
# are. In a notebook the report shows as tables.
report = privacy_report(X, X_avatars, projection=FAMD(5))
print(report)

# %%
# How many avatars hide each patient
# ----------------------------------
# Local Cloaking is the median of a distribution, and Hidden Rate says how much of it is not zero.
# The hatched bar is the patients whose own avatar is strictly the closest to them: whoever links a
# patient to the closest avatar is right about them.
CloakingDisplay.from_estimator(anonymizer, X, projection=FAMD(5))
plt.show()

# %%
# Read on
# -------
# Twenty neighbours are too few here. The next example turns k until the numbers meet their floors.
values = privacy_report(X, X_avatars, projection=FAMD(5), output_dict=True)["metrics"]
print([name for name, metric in values.items() if not metric["meets_target"]])
