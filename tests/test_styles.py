"""Checks that every CSS class is used, and that every class in use has a style or a script that reads it."""

import re
from pathlib import Path

import otree

ROOT = Path(__file__).parent.parent
# Names filled in by Python or a view: the matrix game's highlights, and the states of a triangle's joint.
FILLED_IN = {"gain", "loss", "even", "possible", "match", "mismatch"}


def styled(folder: Path) -> set[str]:
    """Returns the classes in the selectors of the style sheets below a folder."""
    sheets = "".join(path.read_text("utf-8") for path in folder.rglob("*.css"))
    selectors = re.findall(r"([^{};]+)\{", re.sub(r'/\*.*?\*/|"[^"]*"', "", sheets, flags=re.S))
    return {name for selector in selectors for name in re.findall(r"\.([A-Za-z][\w-]*)", selector)}


def given(path: Path) -> set[str]:
    """Returns the classes that a template or script assigns to elements."""
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
    ]  # these files keep the class names of oTree's pages
    used = set().union(*map(given, ours)) - styled(ROOT / "_static") - OTREE
    queries = [
        query
        for path in READERS
        for query in re.findall(r"""["'`]([^"'`\n]*)["'`]""", path.read_text("utf-8"))
    ]
    read = {name for query in queries for name in re.findall(r"(?<![\w/])\.([A-Za-z][\w-]*)", query)}
    assert used - read == set()


SIZED = r"(?:font-size|border(?:-\w+)*-radius|(?:row-|column-)?gap|border-spacing|(?:padding|margin)[\w-]*"
SIZED += r"|--gap|--pad|--words)"
# Allowed sizes that are not tokens, with the reason.
EXCEPTIONS = {
    "challenge/challenge.css: --gap: 4px": "lanes.js reckons with it in pixels",
    "cardlab/cardlab.css: font-size: 0.9em": "keys, in text of any size",
    "matrix/debriefing.css: font-size: 0.7em": "a shape beside a number",
    "triangle/results.css: font-size: 0.78em": "points in a joint of a card of any size",
}


def raw_sizes(path: Path) -> set[str]:
    """Returns the declarations in a style sheet that use numbers instead of size tokens.

    Calculations with the size of a card, container or window do not count; nor do spacings in em or percent.
    """
    text = re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.S)
    name = path.relative_to(ROOT / "_static").as_posix()
    found = set()
    for declared, value in re.findall(rf"(?<![\w-])({SIZED}): ([^;}}]+)", text):
        plain = re.sub(
            r"\b(?:calc|clamp|min|max)\((?:[^()]|\([^()]*\))*(?:cq|vw|%|--\w)(?:[^()]|\([^()]*\))*\)",
            "",
            value,
        )
        units = "rem|px|pt|em|%" if declared == "font-size" else "rem|px|pt"
        if re.search(rf"\d(?:{units})(?![\w%])", plain):
            found.add(f"{name}: {declared}: {value.strip()}")
    return found


def test_sizes_and_spacings_are_tokens():
    sheets = [*(ROOT / "_static").rglob("*.css")]
    found = set().union(*map(raw_sizes, sheets))
    assert found == set(EXCEPTIONS)
