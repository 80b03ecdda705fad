"""Places added to a session that runs, for more people than places; and what they read who find none free.

The new participants get what oTree gives to those it makes with a session: a row in every round of every app,
and deals. Everybody else's stay as they are; a session in which that cannot be is refused in a sentence.
"""

from __future__ import annotations

from typing import Any

import otree.views.participant
from otree.common import get_constants, get_models_module
from otree.database import db
from otree.models import Participant, Session
from otree.room import ROOM_DICT
from otree.templating import render
from otree.views.cbv import AdminSessionPage, BaseRESTView, enqueue_admin_message
from starlette.endpoints import HTTPEndpoint
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from cardlab.core.patch import Patch
from cardlab.games.contract import BadFile
from cardlab.games.dealing import config_for_app
from cardlab.games.text_file import shorten
from cardlab.guard.login import RequiresLogin
from cardlab.sessions.comment import tell_researcher
from cardlab.sessions.dealing import lines_of, openings_of_round
from cardlab.sessions.treatments import names_in

PATH = "/cardlab/places/"
FREE = "/cardlab/free/"
MOST = 200  # places at once: a slip of the finger must not hold up those who play
AGAIN_SECONDS = 10  # until the page of who found no place looks again
SECOND = "Create a second session for those who have come too late."


class CannotAdd(Exception):
    """One sentence for the researcher: why there are no further places."""


def add_places(session: Session, count: Any) -> list[Participant]:
    """Add ``count`` participants to a session, all or none; raises CannotAdd.

    Called under oTree's lock; what it adds is there with the commit of the request.
    """
    if type(count) is not int or not 1 <= count <= MOST:
        raise CannotAdd(
            f"The number of places must be a whole number from 1 to {MOST}, not '{shorten(count)}'."
        )
    openings = _openings(session, session.num_participants + count)
    try:
        for round_of_app, text in openings:
            for field, openings_now in text.items():
                setattr(round_of_app, field, openings_now)
        added = _add_rows(session, count)
    except BaseException:
        db.rollback()
        raise
    openings_of_round.cache_clear()
    first, last = added[0].id_in_session, added[-1].id_in_session
    which = f"Places {first} to {last} were" if count > 1 else f"Place {last} was"
    tell_researcher(session, f"{which} added while the session ran.")
    return added


def hindrance(session: Session) -> str | None:
    """Why places cannot be added to a session, as a sentence; None if they can."""
    config = session.config
    if config.get("use_browser_bots"):
        return "This session is played by bots: create a larger one."
    for app in config["app_sequence"]:
        models = get_models_module(app)
        if _share_hands(app, config_for_app(config, app)):
            return (
                f"In {app} participants share a game, and who plays with whom is planned for those that the "
                f"session was created for. {SECOND}"
            )
        creating = getattr(models.Subsession.get_user_defined_target(), "creating_session", None)
        if creating and not hasattr(creating, "deal_again"):
            return (
                f"{app} sees to its players in a creating_session of its own, which cannot be asked for some "
                f"of them alone. {SECOND}"
            )
    return None


def _share_hands(app: str, config: Any) -> bool:
    """Whether several participants play together; an app whose groups are put together on arrival says by
    its ``group_size`` how many."""
    if get_constants(app).get_normalized("players_per_group") is not None:
        return True
    by_arrival = get_models_module(app).Subsession._has_group_by_arrival_time()
    return config["group_size"] > 1 if "group_size" in config else by_arrival


def _openings(session: Session, participants: int) -> list[tuple[Any, dict[str, str]]]:
    """Each round's openings if so many take part, as fields of its subsession; raises CannotAdd if those of
    the participants who are there would change."""
    if wrong := hindrance(session):
        raise CannotAdd(wrong)
    dealt = []
    for app in session.config["app_sequence"]:
        Subsession = get_models_module(app).Subsession
        creating = getattr(Subsession.get_user_defined_target(), "creating_session", None)
        if creating is None:
            continue
        first = Subsession.objects_get(session=session, round_number=1)
        try:
            again = creating.deal_again(first, participants)
        except BadFile as wrong:
            raise CannotAdd(f"The deals of {app} cannot be made again: {wrong}") from None
        for round_of_app, fields in again:
            for field, text in fields.items():
                if _otherwise(session, getattr(round_of_app, field), text):
                    raise CannotAdd(
                        f"{app} would deal otherwise now than when the session was created: a file that it "
                        f"deals from was changed, or Card Lab was. {SECOND}"
                    )
        dealt += again
    return dealt


def _otherwise(session: Session, before: str, now: str) -> bool:
    """Whether openings are not those that there were, with others after them at most, in each treatment."""
    both = [(lines_of(before, name), lines_of(now, name)) for name in names_in(session)]
    return any(there != again[: len(there)] for there, again in both)


def _add_rows(session: Session, count: int) -> list[Participant]:
    """The participants, and their players in every round of every app, as ``otree.session`` makes them."""
    known = session.num_participants
    pages = session.pp_set.order_by("id_in_session").first()._max_page_index
    added = [
        Participant(
            id_in_session=known + number, session=session, _session_code=session.code, _max_page_index=pages
        )
        for number in range(1, count + 1)
    ]
    db.add_all(added)
    for app in session.config["app_sequence"]:
        models = get_models_module(app)
        rounds = models.Subsession.objects_filter(session=session).order_by("round_number").all()
        by_arrival = models.Subsession._has_group_by_arrival_time()
        number = rounds[0]._gbat_next_group_id_in_subsession()
        for in_round in rounds:
            groups = in_round.get_groups()
            if by_arrival:  # until they reach the waiting page they are in one that plays nothing
                group = models.Group(
                    session=session,
                    subsession=in_round,
                    round_number=in_round.round_number,
                    id_in_subsession=number,
                )
                db.add(group)
                members = 0
            elif len(groups) == 1:
                (group,) = groups
                members = len(group.get_players())
            else:
                raise CannotAdd(f"{app} has put its participants into groups of its own by now.")
            db.add_all(
                models.Player(
                    session=session,
                    subsession=in_round,
                    round_number=in_round.round_number,
                    participant=participant,
                    group=group,
                    id_in_group=members + place,
                )
                for place, participant in enumerate(added, 1)
            )
    session.num_participants = known + count
    return session.pp_set.filter(Participant.id_in_session > known).order_by("id_in_session").all()


class Places(RequiresLogin, AdminSessionPage):
    """How many places a session has and how many are taken, and a form to add some."""

    def vars_for_template(self) -> dict[str, Any]:
        participants = self.session.get_participants()
        return {
            "places": len(participants),
            "taken": sum(one.visited for one in participants),
            "hindrance": hindrance(self.session),
            "most": MOST,
        }

    def get_template_name(self) -> str:
        return "experiment/Places.html"

    def post(self, request, code: str) -> Response:
        count = self.get_post_data().get("places", "")
        try:
            added = add_places(self.session, int(count) if count.isdecimal() and len(count) < 9 else count)
        except CannotAdd as wrong:
            enqueue_admin_message("danger", str(wrong))
        else:
            enqueue_admin_message(
                "success", f"Places added: {len(added)}. Who was waiting goes on by itself."
            )
        return self.redirect("Places", code=code)


class RESTPlaces(BaseRESTView):
    """The same for programs, with oTree's key."""

    def post(self, places: Any) -> Response:
        session = db.get_or_404(Session, code=self.request.path_params["code"])
        try:
            added = add_places(session, places)
        except CannotAdd as wrong:
            return Response(str(wrong), status_code=400)
        return JSONResponse(
            {
                "num_participants": session.num_participants,
                "participants": [{"id_in_session": one.id_in_session, "code": one.code} for one in added],
            }
        )


class FreePlace(HTTPEndpoint):
    """Whether who found no place should come again: to a room, or to the link of a session."""

    def get(self, request) -> Response:
        where = request.path_params
        if "room_name" in where:
            session = ROOM_DICT[where["room_name"]].get_session() if where["room_name"] in ROOM_DICT else None
        else:
            session = Session.objects_first(_anonymous_code=where["anonymous_code"])
        free = session is None or session.pp_set.filter_by(visited=False).first() is not None
        return JSONResponse({"free": free}, headers={"Cache-Control": "no-store"})


def session_is_full() -> Response:
    """For who comes when all places are taken: whom to tell. The page goes on by itself when one is free."""
    page = render("experiment/SessionFull.html", {"seconds": AGAIN_SECONDS})
    page.status_code = 503
    page.headers["Retry-After"] = str(AGAIN_SECONDS)
    page.headers["Cache-Control"] = "no-store"
    return page


PATCHES = (
    Patch(
        *(
            otree.views.participant,
            "no_participants_left_http_response",
            session_is_full,
            "feature",
            "57ab245aa3c24784",
        ),
        "Says whom to tell when all places are taken, and goes on when one is free. oTree answers with three "
        "words and 404.",
    ),
)

ROUTES = [
    Route(PATH + "{code}", Places, name="Places"),
    Route("/api/places/{code}", RESTPlaces),
    Route(FREE + "room/{room_name}", FreePlace),
    Route(FREE + "join/{anonymous_code}", FreePlace),
]
