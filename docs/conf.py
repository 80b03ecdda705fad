"""Configuration of Sphinx, which builds the documentation: ``python3 lab.py docs``."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from docutils import nodes
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
autodoc_mock_imports = ["dask", "distributed", "matplotlib", "numpy", "pandas", "pyarrow", "scipy"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
toc_object_entries = False  # each page would copy them into its navigation: half of the time to build
suppress_warnings = ["ref.python"]  # a type in a signature whose name several modules have, such as State
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = "Card Lab"
html_static_path = ["_static"]
html_favicon = "../_static/cardlab/icon.svg"
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
html_permalinks_icon = "#"

# Words that people type into the search box, for the pages that answer them in other words. A page ranks
# higher for each of its words that was typed (search_rank.js).
SEARCH_WORDS = {
    "tutorials/first-session": "demo try game games install quick start begin example plot chart graph",
    "tutorials/analyse-example-data": "plot chart graph statistics pandas",
    "tutorials/first-game": "new own create write add make how long",
    "how-to/create-a-session": "change changing settings after creating during running frozen modify add "
    "seed",
    "how-to/two-treatments": "two treatments one different instructions groups conditions between-subjects "
    "arms randomize random",
    "how-to/use-your-own-deals": "cards custom my change deck decks",
    "how-to/sequence-with-own-app": "survey questionnaires risk task add my own before after several games",
    "how-to/consent-and-screening": "informed ethics privacy personal data protection GDPR exclude",
    "how-to/rehearse": "test testing study try pilot dry bots duration check my before inviting",
    "how-to/seat-30-people": "lab laboratory computers participants start links print labels rooms room "
    "network wifi invite QR cards URL",
    "how-to/run-groups": "pairs partners multiplayer waiting match",
    "how-to/online-with-prolific": "MTurk CloudResearch Sona how many slots need participants crowdsourcing "
    "overbooking no-shows panel recruit",
    "how-to/watch-progress": "monitor see who stuck waiting slow status dashboard progress",
    "how-to/replace-a-computer": "what now crash crashed broken laptop browser frozen died tablet phone lost",
    "how-to/handle-a-dropout": "dropout dropouts left leave quit gone disappeared partner waits stuck",
    "how-to/end-early": "stop abort cancel finish interrupt everyone fire alarm session paying",
    "how-to/solve-problems": "error errors help troubleshooting power failure outage does not work crash",
    "how-to/pay": "money payment payments paying receipt points point worth convert conversion exchange rate "
    "euro euros earn change show-up fee",
    "how-to/export-data": "download CSV Excel get data while during session runs running live R read load "
    "Stata SPSS frame tidyverse",
    "how-to/back-up-and-restore": "power failure outage crash disk broken hard drive lost data loss recover",
    "how-to/new-version": "upgrade upgrading update updating without losing data migrate database",
    "how-to/lab-without-internet": "offline USB stick air-gapped no network",
    "how-to/host-on-a-server": "internet online deploy deployment Heroku cloud SSL TLS HTTPS certificate "
    "password reverse proxy nginx Apache",
    "how-to/analyse-power": "sample size how many participants need",
    "how-to/analyse-replay-a-hand": "watch again see play video replay",
    "how-to/add-a-game": "own new create write my how long",
    "how-to/use-a-game-in-your-project": "embed import existing my own oTree project single one game",
    "reference/data-dictionary": "codebook meaning mean column columns variables what does",
    "explanation/security": "privacy safe safety who can see cheat cheating hidden confidential",
    "explanation/guarantees": "safe safety server crash crashes crashed lost data loss power failure",
}


def setup(app: Sphinx) -> None:
    """Connects what is done with docstrings and for the search."""
    app.connect("autodoc-process-docstring", keep_tables)
    app.connect("builder-inited", write_search_rank)
    app.connect("doctree-read", add_search_words)


def write_search_rank(app: Sphinx) -> None:
    """Gives the browser's ranking the words of SEARCH_WORDS."""
    ranking = (DOCS / "search_rank.js").read_text("utf-8")
    written = Path(app.doctreedir) / "search_rank.js"
    written.write_text(f"const KEYWORDS = {json.dumps(SEARCH_WORDS)};\n{ranking}", "utf-8")
    app.config.html_search_scorer = str(written)


def add_search_words(app: Sphinx, doctree: nodes.document) -> None:
    """Adds the words of SEARCH_WORDS to a page as keywords, which the search finds and nobody reads."""
    if app.env.docname in SEARCH_WORDS:
        words = re.findall(r"\w+", SEARCH_WORDS[app.env.docname])
        doctree += nodes.meta(name="keywords", content=", ".join(words))


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
