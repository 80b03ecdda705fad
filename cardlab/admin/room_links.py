"""The links of a room's labels on a page to print: a card for each place, with label, QR code and link.

The admin's page of the room leads here. Like the links themselves it needs nothing of the database. Who comes
to a room without a good link or label reads here what to do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from gettext import gettext as _
from typing import Any, NamedTuple

import otree.views.participant
from otree.room import ROOM_DICT
from otree.templating import render
from otree.views.cbv import AdminView
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cardlab.core.patch import Wrapper
from cardlab.guard.login import RequiresLogin

PATH = "/cardlab/links/"  # what begins so takes no lock (cardlab.server.asgi)


class Card(NamedTuple):
    """What lies at one place; ``code`` is an SVG."""

    label: str
    link: str
    code: str


def cards(labels: list[str], links: list[str]) -> list[Card]:
    import segno  # for this page alone

    def code(link: str) -> str:
        return segno.make(link, micro=False).svg_inline(scale=4, border=4, omitsize=True)

    return [Card(label, link, code(link)) for label, link in zip(labels, links)]


class SeatLinks(RequiresLogin, AdminView):
    """The page with the cards."""

    def intercept_dispatch(self, room_name: str) -> None:
        if room_name not in ROOM_DICT or not ROOM_DICT[room_name].has_participant_labels:
            raise HTTPException(404)

    async def get(self, request: Request, room_name: str) -> Response:
        room = ROOM_DICT[room_name]
        labels, links = room.get_participant_labels(), room.get_participant_urls(request)
        drawn = await asyncio.get_running_loop().run_in_executor(None, cards, labels, links)
        page = render("experiment/SeatLinks.html", {"room": room, "cards": drawn})
        page.headers["Cache-Control"] = "no-store"
        return page


class Complaint(dict):
    """What is wrong with a visitor's link, a sentence each; oTree also prints the dict itself on a page."""

    def __str__(self) -> str:
        return " ".join(self.values())


def _validate_room_visitor(
    check: Callable[[Any, dict[str, Any]], dict[str, str]], room: Any, asked: dict[str, Any]
) -> Complaint:
    wrong = Complaint(check(room, asked))
    if "hash" in wrong:
        wrong["hash"] = _("Please open this room by the link or the code of your place, or call for help.")
    if "participant_label" in wrong:
        wrong["participant_label"] = _(
            "There is no such place here. Please check the label, or call for help."
        )
    return wrong


PATCHES = (
    Wrapper(
        *(
            otree.views.participant,
            "validate_room_visitor",
            _validate_room_visitor,
            "feature",
            "d66e5c68eca302ad",
        ),
        "Says what to do with a wrong link; oTree says that a “hash parameter” is invalid.",
    ),
)

ROUTES = [Route(PATH + "{room_name}", SeatLinks, name="SeatLinks")]
