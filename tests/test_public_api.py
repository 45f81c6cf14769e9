"""What a user may import, and what an import costs."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from importlib import metadata, resources

import pytest

import skprivacy

EMPTY = inspect.Parameter.empty

# Each public name with the parameters that the user relies on: name -> default. Settings of
# Displays are their constructors', which users reach by from_... methods only.
COUNTING = {"n_components": None, "tie_tol": 1e-12, "n_jobs": None}
PAIR = {"X": EMPTY, "X_avatars": EMPTY}
PARAMETERS = {
    "FAMD": {
        "n_components": 5,
        "categorical_features": "from_dtype",
        "handle_unknown": "error",
    },
    "HiddenRate": COUNTING,
    "KNeighborsAnonymizer": {
        "n_neighbors": 20,
        "projection": None,
        "random_state": None,
        "n_jobs": None,
    },
    "LocalCloaking": COUNTING,
    "PrivacyScorer": {
        "metrics": None,
        "projection": None,
        "response_method": "transform",
        "raise_exc": True,
    },
    "ResubstitutionSplit": {"n_repeats": 1},
    "RowDirectMatchProtection": {},
    "closer_avatar_counts": {**PAIR, "own_avatar": None, **COUNTING},
    "hidden_rate_score": {**PAIR, "own_avatar": None, **COUNTING, "sample_weight": None},
    "local_cloaking_score": {**PAIR, "own_avatar": None, **COUNTING, "sample_weight": None},
    "row_direct_match_protection_score": {**PAIR, "sample_weight": None},
    "smallest_param_meeting": {"param": EMPTY, "floors": EMPTY},
}
PRIVACY_REPORT_AT_LEAST = {
    **PAIR,
    "own_avatar": None,
    "projection": None,
    "groups": None,
    "sample_weight": None,
    "output_dict": False,
}
DISPLAYS = {
    "CloakingDisplay": {"from_counts", "from_estimator"},
    "PrivacyCurveDisplay": {"from_cv_results", "from_estimator"},
}
NAMES = sorted({*PARAMETERS, *DISPLAYS, "privacy_report"})
RUN_TIME_PACKAGES = {"joblib", "numpy", "scikit-learn", "scipy"}
OPTIONAL_MODULES = {"dask", "distributed", "matplotlib", "pandas", "polars", "pyarrow", "tqdm"}


def parameters(name):
    """Return the parameters of a public name with their defaults."""
    signature = inspect.signature(getattr(skprivacy, name))
    return {key: parameter.default for key, parameter in signature.parameters.items()}


def public_methods(cls):
    """Yield the methods that the package itself writes for a class."""
    for name, member in inspect.getmembers(cls, callable):
        if not name.startswith("_") and member.__module__.startswith("skprivacy"):
            yield f"{cls.__name__}.{name}", member


def public_objects():
    """Yield every public function, class and method of the package with its name."""
    for name in skprivacy.__all__:
        public = getattr(skprivacy, name)
        yield name, public
        if inspect.isclass(public):
            yield from public_methods(public)


def test_the_export_list_is_the_contract():
    assert sorted(skprivacy.__all__) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_there(name):
    assert callable(getattr(skprivacy, name))


@pytest.mark.parametrize("name", sorted(PARAMETERS))
def test_parameters(name):
    assert parameters(name) == PARAMETERS[name]


def test_parameters_of_the_report():
    assert PRIVACY_REPORT_AT_LEAST.items() <= parameters("privacy_report").items()


@pytest.mark.parametrize("name", sorted(DISPLAYS))
def test_ways_to_make_a_display(name):
    methods = {full.partition(".")[2] for full, _ in public_methods(getattr(skprivacy, name))}
    assert methods >= DISPLAYS[name]


@pytest.mark.parametrize("name", NAMES)
def test_docstring_has_a_running_example(name):
    doc = inspect.getdoc(getattr(skprivacy, name)) or ""
    _, heading, examples = doc.partition("\nExamples\n--------\n")
    assert heading, f"{name} has no Examples section"
    assert ">>> " in examples


@pytest.mark.parametrize("name", NAMES)
def test_names_of_the_same_docstring_as_of_the_signature(name):
    doc = inspect.getdoc(getattr(skprivacy, name)) or ""
    section = re.search(r"\nParameters\n-+\n(.*?)(?:\n\n[A-Z][\w ]+\n---|\Z)", doc, re.DOTALL)
    documented = re.findall(r"^(\w[\w, ]*) :", section.group(1), re.MULTILINE) if section else []
    assert [part for line in documented for part in line.split(", ")] == list(parameters(name))


@pytest.mark.parametrize("name", [name for name, _ in public_objects()])
def test_no_public_object_is_undocumented(name):
    summary = (inspect.getdoc(dict(public_objects())[name]) or "").partition("\n")[0]
    assert summary.endswith("."), f"{name} needs a one-line summary"


def test_import_leaves_optional_packages_alone():
    # scikit-learn imports some of them where it finds them, so it is loaded first, without.
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({OPTIONAL_MODULES})); "
        "import sklearn.utils.fixes; "
        "[sys.modules.pop(name) for name in [*sys.modules] if sys.modules[name] is None]; "
        "import skprivacy; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "skprivacy" in done.stdout.split()
    assert sorted(OPTIONAL_MODULES & set(done.stdout.split())) == []


def test_import_without_optional_packages():
    code = f"import sys; sys.modules.update(dict.fromkeys({OPTIONAL_MODULES})); import skprivacy"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_version_is_the_installed_one():
    assert skprivacy.__version__ == metadata.version("skprivacy")


def test_run_time_dependencies_are_exactly_these():
    required = metadata.requires("skprivacy") or []
    run_time = [line for line in required if "extra ==" not in line]
    assert {re.match(r"[\w-]+", line).group() for line in run_time} == RUN_TIME_PACKAGES


def test_console_entry_point():
    (entry,) = metadata.entry_points(group="console_scripts", name="skprivacy")
    assert callable(entry.load())


def test_types_are_published():
    assert resources.files("skprivacy").joinpath("py.typed").is_file()
