"""The tab "Progress" of oTree's admin pages: what it asks for while it is open, and what is done from it.

The page itself is oTree's kind, opened once under its lock; its script asks ``/cardlab/progress/…`` every
other second, which takes no lock (:mod:`cardlab.admin.monitor`). What is done to participants goes through
the service like a move (:mod:`cardlab.live.interventions`); who is moved on, through oTree's own pages under
its lock. Everything here wants the admin's login, also where oTree shows its monitor to everybody, and each
deed oTree's token against requests from other sites.
"""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from html import escape
from typing import Any

from otree.common import participant_start_url
from otree.database import IN_MEMORY, db
from otree.models import Participant, Session
from otree.views.cbv import AdminSessionPage, AdminView, BaseRESTView
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from cardlab.admin import monitor
from cardlab.admin.report_jobs import REPLAYS, Key
from cardlab.admin.report_worker import REPLAY
from cardlab.core import clock
from cardlab.games.tables import NOTICE_COLUMNS, format_utc, guard_formula
from cardlab.guard.login import RequiresLogin
from cardlab.live import interventions, notices
from cardlab.live.lab import LAB
from cardlab.live.read_session import read_session
from cardlab.live.service import Answer
from cardlab.sessions import treatments

PATH = "/cardlab/progress/"  # what begins so takes no lock (cardlab.server.asgi)
FRESH = {"Cache-Control": "no-store"}
MOST = 2000  # participants that are chosen at once
KEPT = 8  # sessions that are looked at
NOT_HERE = (
    "This page needs a server that keeps its data on disk, as python3 lab.py run starts it. "
    "This one keeps them in its memory."
)
REPLAYED = (  # the policy that stands in the replay itself
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

DEEDS: dict[str, Callable[[str, list[str]], Answer]] = {
    "pause": interventions.pause,
    "go_on": interventions.resume,
    "drop_out": interventions.drop_out,
    "come_back": interventions.come_back,
    "release": interventions.release_seats,
}


def _in_a_thread(function: Callable[..., Any], *arguments: Any) -> asyncio.Future:
    return asyncio.get_running_loop().run_in_executor(_readers, function, *arguments)


class OfResearcher(RequiresLogin):
    """What is seen and done here is not for a demo's visitors."""

    def intercept_dispatch(self, code: str, **_more: str) -> None:
        if not (code.isascii() and code.isalnum()):
            raise HTTPException(404)


class SessionProgress(OfResearcher, AdminSessionPage):
    """The page."""

    def get_template_name(self) -> str:
        return "experiment/Progress.html"

    def vars_for_template(self) -> dict[str, Any]:
        return {
            "rule": monitor.RULE,
            "longest": notices.MAX_MESSAGE_LENGTH,
            "not_here": NOT_HERE if IN_MEMORY else "",
        }


# Not the threads that all pages share: whoever looks must never keep a page waiting for one.
_readers = ThreadPoolExecutor(2, thread_name_prefix="progress")
_watched: dict[str, monitor.Watched] = {}  # by the session's code; touched by the event loop alone


class ProgressView(OfResearcher, AdminView):
    """What the page asks for."""


class ProgressRows(ProgressView):
    """All participants, who needs help first."""

    async def get(self, request, code: str) -> Response:
        if code not in _watched:
            while len(_watched) >= KEPT:
                del _watched[next(iter(_watched))]
            _watched[code] = monitor.Watched(read_session, code)
        told = await _in_a_thread(_watched[code].told)
        if told is None:
            _watched.pop(code, None)
            raise HTTPException(404)
        return Response(told, media_type="application/json", headers=FRESH)


class ProgressDeed(ProgressView):
    """Something is done to the chosen participants."""

    async def post(self, request, code: str) -> Response:
        form = self.get_post_data()
        chosen = form.get("participants", "").split()[:MOST]
        what = form.get("what")
        if not chosen:
            return _said("Please choose at least one participant.", 400)
        if what == "message":
            text = " ".join(form.get("text", "").split())
            if not 0 < len(text) <= notices.MAX_MESSAGE_LENGTH:
                return _said(f"A message has 1 to {notices.MAX_MESSAGE_LENGTH} characters.", 400)
            deed = partial(interventions.message, code, chosen, text)
        elif what in DEEDS:
            deed = partial(DEEDS[what], code, chosen)
        else:
            return _said("There is no such thing to do.", 400)
        answer = await LAB.group_commit.submit(deed, lambda answer: answer)
        if isinstance(answer, Exception):
            raise answer
        interventions.notify(answer)
        return _said("", people=len(answer.said["told"]))


class ProgressAdvance(OfResearcher, AdminView):
    """The chosen participants are moved on by one page, as oTree does it; under its lock."""

    def post(self, request, code: str) -> Response:
        session = db.get_or_404(Session, code=code)
        chosen = self.get_post_data().get("participants", "").split()[:MOST]
        found = Participant.objects_filter(
            Participant._session_code == code, Participant.code.in_(chosen)
        ).order_by("id_in_session")
        moved = 0
        for participant in found.all():
            before = participant._index_in_pages
            session.advance_selected_participants([participant])
            if participant._index_in_pages == before:  # past the last page, or kept where they wait
                continue
            now = clock.now_ms()
            notices.add(LAB.page_records, session.id, [participant.id], notices.ADVANCED, now, over_ms=now)
            moved += 1
        return _said("", people=moved)


class ProgressLink(ProgressView):
    """A participant's own link, and its QR code as SVG."""

    async def get(self, request, code: str, participant: str) -> Response:
        if not (participant.isascii() and participant.isalnum()):
            raise HTTPException(404)
        import segno  # for this alone

        link = str(request.base_url).rstrip("/") + participant_start_url(participant)
        drawn = segno.make(link, micro=False).svg_inline(scale=5, border=4, omitsize=True)
        return JSONResponse({"link": link, "svg": drawn}, headers=FRESH)


class ProgressNotices(ProgressView):
    """Who was told what, paused, moved on or noted as gone, and when: CSV."""

    async def get(self, request, code: str) -> Response:
        return await _in_a_thread(_table_apart, code)


class NoticesForPrograms(BaseRESTView):
    """The same for ``lab.py export``, which shows the key of the REST interface."""

    def get(self) -> Response:
        return _table(self.request.path_params["code"])


def _table_apart(code: str) -> Response:
    with read_session():
        return _table(code)


def _table(code: str) -> Response:
    session = db.get_or_404(Session, code=code)
    people = {one.id: one for one in session.pp_set}
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(NOTICE_COLUMNS)
    for one in notices.notices_of_session(LAB.page_records, session.id):
        who = people[one.participant_id]
        whose = [code, who.code, guard_formula(who.label), treatments.of(who)]
        rows.writerow(
            [*whose, one.kind, guard_formula(one.text), format_utc(one.ms), format_utc(one.over_ms)]
        )
    headers = {**FRESH, "Content-Disposition": f'attachment; filename="notices_{code}.csv"'}
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


class ProgressReplay(ProgressView):
    """The hand that a participant is at, so far: drawn by a process of its own, like a report; the page asks
    again until it is there. Everything lies open in it."""

    async def get(self, request, code: str, participant: str) -> Response:
        watched = _watched.get(code)
        hand = (
            await asyncio.get_running_loop().run_in_executor(None, watched.at_hand, participant)
            if watched
            else None
        )
        if hand is None:
            return _page("There is no hand to replay: this participant is at none.")
        key = Key(code, hand[0], hand[1:])
        begun = request.query_params.get("begun") == "1"
        if not begun:
            REPLAYS.request(key)
        state = REPLAYS.state(key)
        if state["under_way"]:
            return _page(state["words"], again="?begun=1")
        drawn = REPLAYS.file(key, REPLAY)
        if drawn is None or state["words"]:
            return _page(state["words"] or "Please open the replay again from the tab Progress.")
        return Response(drawn, media_type="text/html", headers={**FRESH, "Content-Security-Policy": REPLAYED})


def _page(words: str, again: str = "") -> Response:
    """A page of one sentence; with ``again``, what it asks for a second later."""
    goes_on = f'<meta http-equiv="refresh" content="1;url={again}">' if again else ""
    page = f'<!DOCTYPE html><html lang="en"><head>{goes_on}<title>Replay so far</title></head><body><p>'
    return Response(f"{page}{escape(words)}</p></body></html>", media_type="text/html", headers=FRESH)


def _said(sentence: str, status: int = 200, **more: Any) -> Response:
    return JSONResponse({"said": sentence, **more}, status_code=status, headers=FRESH)


ROUTES = [
    Route("/SessionProgress/{code}", SessionProgress, name="SessionProgress", methods=["GET"]),
    Route("/cardlab/advance/{code}", ProgressAdvance, methods=["POST"]),
    Route(PATH + "{code}/rows", ProgressRows, methods=["GET"]),
    Route(PATH + "{code}/do", ProgressDeed, methods=["POST"]),
    Route(PATH + "{code}/link/{participant}", ProgressLink, methods=["GET"]),
    Route(PATH + "{code}/replay/{participant}", ProgressReplay, methods=["GET"]),
    Route(PATH + "{code}/notices.csv", ProgressNotices, methods=["GET"]),
    Route("/api/notices/{code}", NoticesForPrograms, methods=["GET"]),
]
