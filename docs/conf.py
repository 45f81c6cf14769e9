"""Settings of the documentation's build."""

from __future__ import annotations

import inspect

import skprivacy

project = "skprivacy"
author = "skprivacy developers"
project_copyright = "2026, skprivacy developers"
version = release = skprivacy.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "_templates", "examples"]
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "download_all_examples": False,
    "min_reported_time": 60,
    "plot_gallery": True,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
}

html_theme = "furo"
html_title = f"skprivacy {release}"
html_show_sourcelink = False
html_copy_source = False


def _skip_foreign_member(_app, what, _name, member, skip, _options):
    """Leave out the members that scikit-learn's bases bring: it documents them itself."""
    if what != "class":
        return skip
    function = member.fget if isinstance(member, property) else inspect.unwrap(member)
    return skip or not getattr(function, "__module__", "").startswith("skprivacy")


def setup(app):
    """Register what the settings above cannot say."""
    app.connect("autodoc-skip-member", _skip_foreign_member)
