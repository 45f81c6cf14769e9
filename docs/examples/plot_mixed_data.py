"""
Mixed data with missing cells
=============================

Numbers, categories and gaps in one table: impute, project, anonymise, measure.
"""

# %%
import matplotlib.pyplot as plt
from palmerpenguins import load_penguins
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer

from skprivacy import FAMD, KNeighborsAnonymizer, privacy_report

# %%
# The originals
# -------------
# 344 penguins with measured lengths, a species, an island, a sex, and some missing cells. There is
# no distance to a missing cell, so the gaps are filled first: numbers by the median, categories by
# the most frequent one.
penguins = load_penguins()
print(f"{int(penguins.isna().sum().sum())} cells are missing")

imputer = make_column_transformer(
    (SimpleImputer(strategy="median"), make_column_selector(dtype_include="number")),
    (SimpleImputer(strategy="most_frequent"), make_column_selector(dtype_exclude="number")),
    verbose_feature_names_out=False,
).set_output(transform="pandas")
originals = imputer.fit_transform(penguins)

# %%
# The projection
# --------------
# Factor analysis of mixed data turns numbers and categories into coordinates. The anonymiser takes
# its neighbours there, and gives rows of the original kind back.
famd = FAMD(n_components=5).fit(originals)
anonymizer = KNeighborsAnonymizer(n_neighbors=20, projection=famd, random_state=0)
avatars = anonymizer.fit_transform(originals)
avatars.dtypes

# %%
# Both tables in the first two axes. Avatars that kept no structure would be a shapeless cloud;
# avatars that kept too much would sit on top of the originals.
figure, ax = plt.subplots(layout="constrained")
for name, table, marker in (("originals", originals, "o"), ("avatars", avatars, "x")):
    coordinates = famd.transform(table)
    ax.scatter(coordinates[:, 0], coordinates[:, 1], s=14, marker=marker, alpha=0.6, label=name)
ax.set(xlabel="first axis", ylabel="second axis")
ax.legend()
plt.show()

# %%
# The report
# ----------
# Distances are taken in the projected space, rows are compared as they are. The island stands for
# any group that a reader of the report should look at on its own.
print(privacy_report(originals, avatars, projection=FAMD(5), groups=originals["island"]))
