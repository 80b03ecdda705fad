"""The pages to show and add slots of a session, and the page of a visitor who finds no free slot."""

from __future__ import annotations

from typing import Any

import otree.views.participant
from otree.database import db
from otree.models import Session
from otree.room import ROOM_DICT
from otree.templating import render
from otree.views.cbv import AdminSessionPage, BaseRESTView, enqueue_admin_message
from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from cardlab.core.patch import Patch
from cardlab.guard.login import RequiresLogin
from cardlab.sessions.add_participants import (
    MAX_ADDED,
    CannotAdd,
    add_slots,
    can_add_visitor,
    reason_not_to_add,
)
from cardlab.sessions.rows import slot_limit

PATH = "/cardlab/slots/"
FREE_PATH = "/cardlab/free/"
RETRY_SECONDS = 10  # until the page of a visitor without a slot retries


class SlotsPage(RequiresLogin, AdminSessionPage):
    """Shows how many slots a session has and how many are taken, and a form to add some."""

    def vars_for_template(self) -> dict[str, Any]:
        """Returns the number of slots and arrivals, and the reason if none can be added."""
        participants = self.session.get_participants()
        return {
            "slots": slot_limit(self.session),
            "taken": sum(participant.visited for participant in participants),
            "hindrance": reason_not_to_add(self.session),
            "most": MAX_ADDED,
        }

    def get_template_name(self) -> str:
        """Returns the template."""
        return "cardlab/AddSlots.html"

    def post(self, request: Request, code: str) -> Response:
        """Adds slots, and shows the page again."""
        count = self.get_post_data().get("slots", "")
        try:
            add_slots(self.session, int(count) if count.isdecimal() and len(count) < 9 else count)
        except CannotAdd as wrong:
            enqueue_admin_message("danger", str(wrong))
        else:
            enqueue_admin_message(
                "success",
                f"Slots added: {count}. People who were waiting for a slot continue automatically.",
            )
        return self.redirect("Slots", code=code)


class RestSlots(BaseRESTView):
    """Adds slots through the REST interface."""

    def post(self, slots: Any) -> Response:
        """Adds slots and returns the new participants."""
        session = db.get_or_404(Session, code=self.request.path_params["code"])
        try:
            participants = add_slots(session, slots)
        except CannotAdd as wrong:
            return Response(str(wrong), status_code=400)
        return JSONResponse(
            {
                "num_participants": slot_limit(session),
                "participants": [
                    {"id_in_session": participant.id_in_session, "code": participant.code}
                    for participant in participants
                ],
            }
        )


class FreeSlot(HTTPEndpoint):
    """Answers the polls of a visitor without a slot, in a room or at a session-wide link."""

    def get(self, request: Request) -> Response:
        """Returns whether there is a free slot."""
        path_params = request.path_params
        if "room_name" in path_params:
            session = (
                ROOM_DICT[path_params["room_name"]].get_session()
                if path_params["room_name"] in ROOM_DICT
                else None
            )
        else:
            session = Session.objects_first(_anonymous_code=path_params["anonymous_code"])
        has_free_slot = (
            session is None
            or session.pp_set.filter_by(visited=False).first() is not None
            or can_add_visitor(session)
        )
        return JSONResponse({"free": has_free_slot}, headers={"Cache-Control": "no-store"})


def full_session_page() -> Response:
    """Returns the page of a visitor who finds all slots taken; it continues when one becomes free."""
    page = render("cardlab/SessionFull.html", {"seconds": RETRY_SECONDS})
    page.status_code = 503
    page.headers["Retry-After"] = str(RETRY_SECONDS)
    page.headers["Cache-Control"] = "no-store"
    return page


PATCHES = (
    Patch(
        *(
            otree.views.participant,
            "no_participants_left_http_response",
            full_session_page,
            "feature",
            "57ab245aa3c24784",
        ),
        "Without a free slot, says whom to contact, and continues when one is free.",
    ),
)

ROUTES = [
    Route(PATH + "{code}", SlotsPage, name="Slots"),
    Route("/api/slots/{code}", RestSlots),
    Route(FREE_PATH + "room/{room_name}", FreeSlot),
    Route(FREE_PATH + "join/{anonymous_code}", FreeSlot),
]
