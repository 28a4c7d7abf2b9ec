"""How Sphinx makes the site of these pages: `make docs`."""

import json
import logging
import os
import re
from typing import Any

import fastkappa

project = "fastkappa"
author = "the contributors of fastkappa"
project_copyright = author
release = version = fastkappa.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_codeautolink",
    "sphinx_copybutton",
    "sphinx_design",
    "docs.name_links",
]
codeautolink_concat_default = True
# Names of other libraries lead to their documentation, where a network is there to ask it.
if os.environ.get("FASTKAPPA_INTERSPHINX"):
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {
        "numpy": ("https://numpy.org/doc/stable/", None),
        "pandas": ("https://pandas.pydata.org/docs/", None),
        "sklearn": ("https://scikit-learn.org/stable/", None),
    }
# Names in docstrings must exist; those of other libraries are not followed.
nitpick_ignore_regex = [("py:.*", r"(lightgbm|numpy|pandas|pyarrow|sklearn|xgboost)\..*")]
exclude_patterns = ["_build"]
templates_path = ["_templates"]

# Pages
source_suffix = {".rst": "restructuredtext", ".md": "markdown", ".ipynb": "markdown"}
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
# What is copied from an example is its input.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

# Docstrings
default_role = "py:obj"
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
# Two names that differ in a capital alone are one file on some systems.
autosummary_filename_map = {"fastkappa.results.Leaderboard": "fastkappa.Leaderboard_class"}

# The site
html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "fastkappa"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "benchmarks": [], "changelog": []}
html_theme_options = {
    "logo": {"text": "fastkappa"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button-field"],
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}

# Sphinx leaves doctest flags out of the page, so the few examples with flags have no links.
suppress_warnings = ["codeautolink.match_block"]

# Warnings without a type that `suppress_warnings` could name: the indexes of folders list what is
# there, which may be nothing yet; and other libraries' sites may be out of reach.
for logger, text in (
    ("directives.other", "toctree glob pattern"),
    ("ext.intersphinx", "failed to reach any of the inventories"),
):
    logging.getLogger(f"sphinx.sphinx.{logger}").addFilter(
        lambda record, text=text: text not in str(record.msg)
    )


def is_of_another_library(
    app: Any, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Return True for what a class has from another library, which describes it."""
    function = getattr(member, "fget", None) or getattr(member, "func", None) or member
    owner = getattr(function, "__objclass__", type(member))
    home = getattr(function, "__module__", None) or owner.__module__
    return None if home.startswith("fastkappa") else True


def read_page(app: Any, page: str, text: list[str]) -> None:
    """Write a notebook as a page, and examples without what is meant for doctest alone."""
    path = app.env.doc2path(page)
    if path.suffix == ".ipynb":
        from docs.run_notebooks import as_markdown

        text[0] = as_markdown(json.loads(text[0]), path.name)
    text[0] = text[0].replace("\n\n```\n", "\n```\n")
    text[0] = re.sub(r"^```python\n(?=>>> )", "```pycon\n", text[0], flags=re.MULTILINE)
    text[0] = re.sub(r" *# doctest: .*$", "", text[0], flags=re.MULTILINE)


def write_formula(page: Any, formula: Any) -> None:
    """Write a formula as MathML, which browsers draw without a script."""
    from docutils.nodes import SkipNode, math_block
    from docutils.utils.math import MathError
    from docutils.utils.math.latex2mathml import tex2mathml
    from sphinx.util.logging import getLogger

    block = isinstance(formula, math_block)
    text = formula.astext().replace(r"\dots", r"\ldots")
    try:
        mathml = tex2mathml(text, as_block=block)
    except MathError as error:
        getLogger(__name__).warning("%s in $%s$", error, text, location=formula)
    else:
        page.body.append(f'<div class="formula">{mathml}</div>' if block else mathml)
    raise SkipNode


def setup(app: Any) -> None:
    app.add_html_math_renderer("mathml", (write_formula, None), (write_formula, None))
    app.connect("source-read", read_page)
    app.connect("autodoc-skip-member", is_of_another_library)
