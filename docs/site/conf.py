"""The configuration of Sphinx; `build.py` prepares the pages and runs it."""

import inspect

from sphinx.util.inspect import stringify_signature

from chrfect import __version__

project = "chrfect"
author = "The chrfect developers"
copyright = "the chrfect developers, Apache-2.0"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
templates_path: list[str] = []
default_role = "code"
suppress_warnings = [
    "misc.highlighting_failure",  # shortened JSON in a block of JSON
    "ref.python",  # a type of an annotation that several public modules have
]

myst_heading_anchors = 4

autodoc_default_options = {
    "members": True,
    "inherited-members": "BaseException, dict, tuple",
    "member-order": "bysource",
}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_rtype = False

html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = f"chrfect {__version__}"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"footer_icons": []}
html_show_search_summary = False  # summaries are fetched, which a page opened from a disk may not do


def show_parameters(_app, what, _name, value, _options, signature, _returns):
    """Show the parameters of a class whose ``__new__`` accepts any, for its messages about names of other tools."""
    if what == "class" and signature and signature.startswith("(*_"):
        return stringify_signature(inspect.signature(value), show_return_annotation=False), None
    return None


def setup(app):
    """Connect the functions of this file to Sphinx."""
    app.connect("autodoc-process-signature", show_parameters)
