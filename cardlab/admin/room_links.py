"""Cards to print for a room: one for each seat, with label, QR code and link.

The admin's page of the room links to them. Also explains an invalid link or label to visitors.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from gettext import gettext as _
from typing import Any, NamedTuple

import otree.views.participant
from otree.room import ROOM_DICT, LabelRoom
from otree.templating import render
from otree.views.cbv import AdminView
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cardlab.core.patch import Wrapper
from cardlab.guard.login import RequiresLogin

PATH = "/cardlab/links/"  # requests that begin with it take no lock (cardlab.server.asgi)


class SeatCard(NamedTuple):
    """The card for one seat; ``code`` is an SVG."""

    label: str
    link: str
    code: str


def make_cards(labels: list[str], links: list[str]) -> list[SeatCard]:
    """Makes the cards of a room."""
    import segno  # only needed here

    def code(link: str) -> str:
        return str(segno.make(link, micro=False).svg_inline(scale=4, border=4, omitsize=True))

    return [SeatCard(label, link, code(link)) for label, link in zip(labels, links)]


class SeatLinks(RequiresLogin, AdminView):
    """The page with the cards."""

    def intercept_dispatch(self, room_name: str) -> None:
        """Returns 404 for a room without labels."""
        room = ROOM_DICT.get(room_name)
        if not isinstance(room, LabelRoom):
            raise HTTPException(404)
        self.room = room

    async def get(self, request: Request, room_name: str) -> Response:
        """Returns the page."""
        labels, links = self.room.get_participant_labels(), self.room.get_participant_urls(request)
        cards = await asyncio.get_running_loop().run_in_executor(None, make_cards, labels, links)
        page = render("cardlab/SeatLinks.html", {"room": self.room, "cards": cards})
        page.headers["Cache-Control"] = "no-store"
        return page


class LinkErrors(dict[str, str]):
    """Error messages about a visitor's link or label; oTree also prints the dict itself on a page."""

    def __str__(self) -> str:
        return " ".join(self.values())


def _validate_room_visitor(
    check: Callable[[Any, dict[str, Any]], dict[str, str]], room: Any, query: dict[str, Any]
) -> LinkErrors:
    errors = LinkErrors(check(room, query))
    if "hash" in errors:
        errors["hash"] = _("Please use the link or QR code for your seat, or ask for help.")
    if "participant_label" in errors:
        errors["participant_label"] = _(
            "There is no seat with this label. Please check the label, or ask for help."
        )
    return errors


PATCHES = (
    Wrapper(
        *(
            otree.views.participant,
            "validate_room_visitor",
            _validate_room_visitor,
            "feature",
            "d66e5c68eca302ad",
        ),
        "Says what to do with a wrong link.",
    ),
)

ROUTES = [Route(PATH + "{room_name}", SeatLinks, name="SeatLinks")]
