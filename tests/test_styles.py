"""Checks that every CSS class is used, and that every class in use has a style or a reader."""

import re
from pathlib import Path

import otree

ROOT = Path(__file__).parent.parent
# Names that Python or a view fills in: the matrix game's highlights, and the states of a triangle's joint.
FILLED_IN = {"gain", "loss", "even", "possible", "match", "mismatch"}


def styled(folder: Path) -> set[str]:
    """Returns the classes in the selectors of the style sheets below a folder."""
    sheets = "".join(path.read_text("utf-8") for path in folder.rglob("*.css"))
    selectors = re.findall(r"([^{};]+)\{", re.sub(r'/\*.*?\*/|"[^"]*"', "", sheets, flags=re.S))
    return {name for selector in selectors for name in re.findall(r"\.([A-Za-z][\w-]*)", selector)}


def given(path: Path) -> set[str]:
    """Returns the classes that a template or script gives to elements."""
    text = path.read_text("utf-8")
    lists = re.findall(r'class="((?:\{\{.*?\}\}|[^"])*)"', text)
    if path.suffix == ".js":  # such as make("div.card"), but not events such as on("submit.page")
        lists += [
            kind.replace(".", " ")
            for kind in re.findall(r'(?<!\bon\()(?<!\boff\()"[a-z]+\d?((?:\.[a-z][\w-]*)+)"', text)
        ]
        lists += re.findall(r'class(?:List\.\w+\(|Name = )("[\w -]+"(?:, "[\w-]+")?)', text)
    words = (re.sub(r"\{\{.*?\}\}|\{%.*?%\}|\$\{.*?\}", " ", each) for each in lists)
    return {name for each in words for name in re.findall(r"(?<![\w-])[A-Za-z][\w-]*", each)}


PAGES = [
    *ROOT.glob("_static/**/*.js"),
    *ROOT.glob("_templates/**/*.html"),
    *ROOT.glob("*_app/*.html"),
]
READERS = [*ROOT.glob("_static/**/*.js"), *ROOT.glob("tests/browser/*.py")]
OTREE = styled(Path(otree.__file__).parent / "static")


def test_every_styled_class_is_used():
    used = set().union(*map(given, PAGES))
    assert styled(ROOT / "_static") - used - OTREE - FILLED_IN == set()


def test_every_class_has_style_or_reader():
    ours = [
        path for path in PAGES if "otree" not in path.parts
    ]  # those keep the class names of oTree's pages
    used = set().union(*map(given, ours)) - styled(ROOT / "_static") - OTREE
    queries = [
        query
        for path in READERS
        for query in re.findall(r"""["'`]([^"'`\n]*)["'`]""", path.read_text("utf-8"))
    ]
    read = {name for query in queries for name in re.findall(r"(?<![\w/])\.([A-Za-z][\w-]*)", query)}
    assert used - read == set()
