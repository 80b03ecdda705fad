"""The images of the backs of the cards, ``_static/backs/``."""

from __future__ import annotations

from pathlib import Path

from cardlab.games.contract import BadFile
from cardlab.games.text_file import shorten

BACKS = Path(__file__).resolve().parent.parent / "_static" / "backs"


def image(back: str) -> str:
    """The static file of a CardsBackFile: ours are SVG, a lab's own image is named in full."""
    return back if "." in back else f"{back}.svg"


def address(back: str) -> str:
    """Where a browser finds it."""
    return f"/static/backs/{image(back)}"


def check(back: str) -> None:
    """BadFile if there is no image of a CardsBackFile."""
    there = sorted(path.name for path in BACKS.iterdir() if path.is_file())
    if image(back) not in there:
        raise BadFile(
            "session config",
            f"CardsBackFile {shorten(back)} is not in _static/backs/. There are: {', '.join(there)}.",
        )
