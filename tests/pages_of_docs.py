"""Finds the pages of the documentation by file name, wherever they are below docs/."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PARTS = ("tutorials", "how-to", "reference", "explanation")


def paths() -> list[Path]:
    """Returns every page, starting with the four main parts."""
    found = [path for path in DOCS.rglob("*.md") if "_build" not in path.parts]
    return sorted(found, key=lambda path: (path.parent == DOCS, path))


def path_of(*names: str) -> Path:
    """Returns the page with one of these file names: the first name that exists."""
    for name in names:
        for path in paths():
            if path.name == name:
                return path
    raise FileNotFoundError(f"docs has no page {' or '.join(names)}")


def page(*names: str) -> str:
    return path_of(*names).read_text("utf-8")


def all_pages() -> str:
    return "\n".join(path.read_text("utf-8") for path in paths())


class Block(NamedTuple):
    """A fenced code block: its language, text and first line, and whether a comment exempts it."""

    language: str
    code: str
    line: int
    marker: str


FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,})(?P<language>[\w-]*|\{[^\n]*) *\n(?P<code>.*?)^ *(?P=fence) *$",
    re.M | re.S,
)


def blocks(text: str) -> list[Block]:
    """Returns the fenced code blocks of a page, without directives such as {note}."""
    code_blocks = []
    for match in FENCE.finditer(text):
        if match["language"].startswith("{"):
            continue
        before = text[: match.start()].rstrip("\n").rpartition("\n")[2].strip()
        marker = before if before.startswith("<!--") else ""
        code = textwrap.dedent(match["code"])
        code_blocks.append(Block(match["language"], code, text.count("\n", 0, match.start()) + 1, marker))
    return code_blocks
