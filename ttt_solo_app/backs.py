"""The images of the card backs in ``_static/backs/``."""

from __future__ import annotations

from cardlab import folders
from cardlab.games.contract import BadFile
from cardlab.games.dealing import Config, DealtSession, ReadFile
from cardlab.games.text_file import shorten
from cardlab.pages.app_factory import Openings

BACKS = folders.both("_static/backs")


def image_file(back: str) -> str:
    """Returns the file name of a CardsBackFile: our images are SVG, a lab's own image has its extension."""
    return back if "." in back else f"{back}.svg"


def image_url(back: str) -> str:
    """Returns the URL of the image of a CardsBackFile."""
    return f"/static/backs/{image_file(back)}"


def with_checked_back(openings: Openings) -> Openings:
    """Returns a function that calls ``openings``, and raises BadFile if the card back is missing."""

    def deal_and_check(config: Config, participants: int, at_most: int, read: ReadFile) -> DealtSession:
        session = openings(config, participants, at_most, read)
        check_back(session.hands[0][0].options["CardsBackFile"])
        return session

    return deal_and_check


def check_back(back: str) -> None:
    """Raises BadFile if there is no image of a CardsBackFile."""
    names = sorted({path.name for folder in BACKS for path in folder.glob("*.*") if path.is_file()})
    if image_file(back) not in names:
        raise BadFile(
            "session config",
            f"CardsBackFile {shorten(back)} is not in _static/backs/. There are: {', '.join(names)}.",
        )
