"""Configuration of Sphinx, which builds the documentation: ``python3 lab.py docs``."""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.application import Sphinx

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent))

from cardlab import __version__  # noqa: E402  # the folder above is importable only now

project = "Card Lab"
author = "Card Lab contributors"
copyright = "Card Lab contributors, MIT license"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

exclude_patterns = ["_build"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3  # a link may end in #the-heading, down to ###

# The reference of the Python API is made from docstrings. The statistics packages are large, and reading
# docstrings does not need them. These modules never import oTree.
autodoc_mock_imports = ["dask", "distributed", "matplotlib", "numpy", "ortools", "pandas", "pyarrow", "scipy"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
toc_object_entries = False  # each page would copy them into its navigation: half of the time to build
suppress_warnings = ["ref.python"]  # a type in a signature whose name several modules have, such as State
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = "Card Lab"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
html_permalinks_icon = "#"


def setup(app: Sphinx) -> None:
    """Connects what is done with docstrings."""
    app.connect("autodoc-process-docstring", keep_tables)


def keep_tables(
    _app: Sphinx, what: str, _name: str, _object: object, _options: object, lines: list[str]
) -> None:
    """Shows the indented parts of a module's docstring, such as a table, as they are written.

    The docstrings are plain text. As reStructuredText such a part would be an error.
    """
    if what != "module":
        return
    shown: list[str] = []
    for part in "\n".join(lines).split("\n\n"):
        rows = part.strip("\n").split("\n")
        is_literal = len(shown) > 1 and shown[-2].endswith("::")  # as it is written anyway
        if len({len(row) - len(row.lstrip()) for row in rows}) > 1 and not is_literal:
            shown += ["::", "", *(f"    {row}".replace("``", "") for row in rows), ""]
        else:
            shown += [*rows, ""]
    lines[:] = shown
