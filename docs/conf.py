"""Configuration of the documents; `make docs` builds them."""

from importlib.metadata import version as installed_version

project = "optcomp"
author = "The optcomp authors"
copyright = author  # noqa: A001
version = release = installed_version("optcomp")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"optcomp {version}"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "groupwise"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
default_role = "code"

napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_custom_sections = ["Edge cases", "Guarantee", "Guarantees", "Source", "Sources", "Unit", "Units"]
