"""The tab "Progress" of oTree's admin pages: its page, the data that it polls, and its actions.

The page is opened once, under oTree's lock. Its script polls ``/cardlab/progress/…`` every other second
without the lock (:mod:`cardlab.admin.monitor`). Interventions are handled like moves
(:mod:`cardlab.live.interventions`), except that oTree itself advances participants, under its lock. All
requests require the admin's login, even if oTree's monitor does not, and actions the CSRF token.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from html import escape
from typing import Any, TypeVar

from otree.common import participant_start_url
from otree.database import IN_MEMORY, db
from otree.models import Participant, Session
from otree.views.cbv import AdminSessionPage, AdminView, BaseRESTView
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from cardlab import folders
from cardlab.admin.csv_response import csv_response
from cardlab.admin.end_now import PLACES, end_now
from cardlab.admin.monitor import SessionMonitor
from cardlab.admin.monitor_rows import RULE
from cardlab.admin.report_jobs import ReportKey
from cardlab.admin.report_worker import REPLAY
from cardlab.core import clock
from cardlab.games.tables import NOTICE_COLUMNS, format_utc, guard_formula
from cardlab.guard.login import RequiresLogin
from cardlab.live import help_requests, interventions, notices, withdrawals
from cardlab.live.batch import Answer
from cardlab.live.lab import LAB
from cardlab.live.personal_data import BY_WITHDRAWAL
from cardlab.live.read_session import read_session
from cardlab.sessions import treatments
from cardlab.sessions.arrival import has_withdrawn

PATH = "/cardlab/progress/"  # requests that begin with it take no lock (cardlab.server.asgi)
NO_STORE = {"Cache-Control": "no-store"}
MAX_SELECTED = 2000  # participants of one intervention
MAX_MONITORS = 8  # sessions
NEEDS_DISK = (
    "This page needs a server that stores its data on disk. This server stores them in memory. "
    f"Start the server with: {folders.command('run')}"
)
REPLAY_POLICY = (  # the policy that the replay itself contains
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

logger = logging.getLogger("cardlab.withdrawal")

T = TypeVar("T")

INTERVENTIONS: dict[str, Callable[[str, list[str]], Answer]] = {
    "pause": interventions.pause,
    "go_on": interventions.resume,
    "drop_out": interventions.drop_out,
    "come_back": interventions.come_back,
    "release": interventions.release_seats,
}


class SessionMonitors:
    """The monitors of the sessions viewed most recently. Used only by the event loop."""

    def __init__(self) -> None:
        # Separate from the threads that render pages, so that no page waits for one.
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="progress")
        self._monitors: dict[str, SessionMonitor] = {}  # by session code

    def run_in_thread(self, function: Callable[..., T], *arguments: Any) -> asyncio.Future[T]:
        """Runs a function that reads the database in one of the threads for Progress."""
        return asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)

    async def read_json(self, code: str) -> str | None:
        """Returns the rows of a session as JSON; None if there is no such session."""
        if code not in self._monitors:
            while len(self._monitors) >= MAX_MONITORS:
                del self._monitors[next(iter(self._monitors))]
            self._monitors[code] = SessionMonitor(read_session, code)
        rows = await self.run_in_thread(self._monitors[code].read_json)
        if rows is None:
            self._monitors.pop(code, None)
        return rows

    def drop(self, code: str) -> None:
        """Drops the monitor of a session, with the facts about its participants."""
        self._monitors.pop(code, None)

    async def current_hand(self, code: str, participant: str) -> tuple[str, ...] | None:
        """Returns app, round, hand_id and seat of a participant's hand; None without a hand."""
        monitor = self._monitors.get(code)
        in_thread = asyncio.get_running_loop().run_in_executor
        return await in_thread(None, monitor.current_hand, participant) if monitor else None


class ResearcherView(RequiresLogin):
    """A view that requires the researcher's login, also on a demo server."""

    def intercept_dispatch(self, code: str, **_more: str) -> None:
        """Returns 404 for an invalid session code."""
        if not (code.isascii() and code.isalnum()):
            raise HTTPException(404)


class SessionProgress(ResearcherView, AdminSessionPage):
    """The page of the tab."""

    def get_template_name(self) -> str:
        """Returns the page's template."""
        return "cardlab/Progress.html"

    def vars_for_template(self) -> dict[str, Any]:
        """Returns the template's variables."""
        return {
            "rule": RULE,
            "helps": self.session.config.get("help_button"),
            "longest": notices.MAX_MESSAGE_LENGTH,
            "not_here": NEEDS_DISK if IN_MEMORY else "",
        }


class OldMonitor(ResearcherView, AdminView):
    """oTree's tab "Monitor", which leads to this one."""

    def get(self, request: Request, code: str) -> Response:
        """Redirects."""
        return RedirectResponse(f"/SessionProgress/{code}?{request.url.query}")


class ProgressView(ResearcherView, AdminView):
    """A request by the page's script."""


class ProgressRows(ProgressView):
    """The rows of all participants, the most urgent first."""

    async def get(self, request: Request, code: str) -> Response:
        """Returns the rows as JSON."""
        rows = await LAB.monitors.read_json(code)
        if rows is None:
            raise HTTPException(404)
        return Response(rows, media_type="application/json", headers=NO_STORE)


class ProgressIntervention(ProgressView):
    """An intervention for the chosen participants."""

    async def post(self, request: Request, code: str) -> Response:
        """Applies the intervention; returns the number of participants."""
        form = self.get_post_data()
        codes = form.get("participants", "").split()[:MAX_SELECTED]
        kind = form.get("what")
        if not codes:
            return _message("Select at least one participant.", 400)
        if kind == "message":
            text = _text_in(form)
            if not 0 < len(text) <= notices.MAX_MESSAGE_LENGTH:
                return _message(f"Write a message of 1 to {notices.MAX_MESSAGE_LENGTH} characters.", 400)
            intervention = partial(interventions.send_message, code, codes, text)
        elif kind in INTERVENTIONS:
            intervention = partial(INTERVENTIONS[kind], code, codes)
        else:
            return _message("Unknown action. Reload the page and try again.", 400)
        return _message("", people=await _intervene(intervention))


class ProgressAnswer(ProgressView):
    """The answer to a participant's request for help."""

    async def post(self, request: Request, code: str) -> Response:
        """Sends the answer; without a text, only closes the request."""
        form = self.get_post_data()
        number, text = form.get("number", ""), _text_in(form)
        if len(text) > notices.MAX_MESSAGE_LENGTH:
            return _message(f"Write at most {notices.MAX_MESSAGE_LENGTH} characters.", 400)
        if not re.fullmatch(r"[0-9]{1,9}", number):
            return _message("Unknown request. Reload the page and try again.", 400)
        participant = form.get("participants", "")
        answered_count = await _intervene(
            partial(help_requests.answer_request, code, participant, int(number), text)
        )
        if not answered_count:
            return _message("This request is no longer open: it was answered or withdrawn.", 400)
        return _message("", people=answered_count)


async def _intervene(intervention: Callable[[], Answer]) -> int:
    """Commits an intervention and notifies the pages; returns the number of participants."""
    answer = await LAB.group_commit.submit(intervention, lambda answer: answer)
    if isinstance(answer, Exception):
        raise answer
    interventions.notify(answer)
    return len(answer.message["standings"])


def _text_in(form: Mapping[str, str]) -> str:
    """Returns the text of a form as one line."""
    return " ".join(form.get("text", "").split())


class ProgressAdvance(ResearcherView, AdminView):
    """Advances the chosen participants by one page, like oTree, under its lock."""

    def post(self, request: Request, code: str) -> Response:
        """Advances them; returns the number of those who moved."""
        session = db.get_or_404(Session, code=code)
        codes = self.get_post_data().get("participants", "").split()[:MAX_SELECTED]
        participants = Participant.objects_filter(
            Participant._session_code == code, Participant.code.in_(codes)
        ).order_by("id_in_session")
        moved = 0
        for participant in participants.all():
            old_index = participant._index_in_pages
            session.advance_selected_participants([participant])
            if participant._index_in_pages == old_index:  # past the last page, or held on a waiting page
                continue
            now_ms = clock.now_ms()
            notices.add(
                LAB.page_records, session.id, [participant.id], notices.ADVANCED, now_ms, over_ms=now_ms
            )
            moved += 1
        return _message("", people=moved)


class ProgressEnd(ProgressView):
    """Ends the study now for the chosen participants (:mod:`cardlab.admin.end_now`)."""

    async def post(self, request: Request, code: str) -> Response:
        """Takes them to the results or past the last page; returns the number of those who moved."""
        form = self.get_post_data()
        codes, place = form.get("participants", "").split()[:MAX_SELECTED], form.get("place")
        if not codes:
            return _message("Select at least one participant.", 400)
        if place not in PLACES:
            return _message("Unknown action. Reload the page and try again.", 400)
        result = await end_now(code, codes, place)
        if result.failed:
            numbers = ", ".join(f"P{number}" for number in result.failed)
            return _message(
                f"{len(result.moved)} moved. An error occurred for {numbers}: use Advance one page for them. "
                "The terminal in which the server runs shows the error.",
                400,
            )
        return _message("", people=len(result.moved))


class ProgressWithdraw(ProgressView):
    """Removes the data of a participant who withdraws (:mod:`cardlab.live.withdrawals`)."""

    async def post(self, request: Request, code: str) -> Response:
        """Removes the data; returns sentences about what was done and what is left to do."""
        form = self.get_post_data()
        participant, is_paid = form.get("participants", ""), form.get("paid") == "1"
        if not withdrawals.CODE.fullmatch(participant):
            return _message("Select one participant.", 400)
        try:
            result = await withdrawals.withdraw_now(participant, is_paid, code)
        except Exception:
            logger.exception("A participant could not be withdrawn.")
            return _message(
                "The withdrawal failed. Try again. The server's terminal shows the error.",
                400,
            )
        if result is None:
            return _message("This participant is not in the session.", 400)
        return _message("", sentences=withdrawals.sentences(participant, result))


class ProgressPaid(ProgressView):
    """Removes what was kept to pay a participant who has withdrawn, for the tab Payments."""

    async def post(self, request: Request, code: str) -> Response:
        """Removes the code, the label and the amount, and shows the tab again."""
        participant = self.get_post_data().get("participants", "")
        if withdrawals.CODE.fullmatch(participant):
            await withdrawals.mark_paid_now(participant)
        return RedirectResponse(f"/SessionPayments/{code}", status_code=303)


class ProgressLink(ProgressView):
    """A participant's link, and its QR code as SVG."""

    async def get(self, request: Request, code: str, participant: str) -> Response:
        """Returns the link and the QR code as JSON."""
        if not (participant.isascii() and participant.isalnum()):
            raise HTTPException(404)
        import segno  # only needed here

        link = str(request.base_url).rstrip("/") + participant_start_url(participant)
        svg = segno.make(link, micro=False).svg_inline(scale=5, border=4, omitsize=True)
        return JSONResponse({"link": link, "svg": svg}, headers=NO_STORE)


class ProgressNotices(ProgressView):
    """All messages, pauses, advances and dropouts with their times, as CSV."""

    async def get(self, request: Request, code: str) -> Response:
        """Returns the table, read in a thread."""
        return await LAB.monitors.run_in_thread(_read_notices, code)


class RestNotices(BaseRESTView):
    """The same through the REST interface, for ``lab.py export``."""

    def get(self) -> Response:
        """Returns the table."""
        return _notices_csv(self.request.path_params["code"])


def _read_notices(code: str) -> Response:
    with read_session():
        return _notices_csv(code)


def _notices_csv(code: str) -> Response:
    return csv_response(f"notices_{code}.csv", notice_rows(db.get_or_404(Session, code=code)))


def notice_rows(session: Session) -> list[list[Any]]:
    """Returns all notices of a session as rows of cells, the heading first."""
    participants = {participant.id: participant for participant in session.pp_set}
    rows: list[list[Any]] = [[*NOTICE_COLUMNS]]
    for notice in notices.notices_of_session(LAB.page_records, session.id):
        participant = participants[notice.participant_id]
        if has_withdrawn(participant):  # says when somebody withdrew, but not who
            withdrawn = [session.code, "", "", "", notice.text, "", format_utc(notice.ms), ""]
            rows += [withdrawn] if notice.text == BY_WITHDRAWAL else []
            continue
        cells = [
            session.code,
            participant.code,
            guard_formula(participant.label),
            treatments.treatment_of(participant),
            notice.kind,
        ]
        rows.append([*cells, guard_formula(notice.text), format_utc(notice.ms), format_utc(notice.over_ms)])
    return rows


class ProgressReplay(ProgressView):
    """The replay of a participant's hand so far, with all cards shown; a worker process makes it.

    The page reloads until the replay is ready.
    """

    async def get(self, request: Request, code: str, participant: str) -> Response:
        """Returns the replay, or a page that says why it is not ready."""
        hand = await LAB.monitors.current_hand(code, participant)
        if hand is None:
            return _page("This participant is not playing a hand, so there is nothing to replay.")
        key = ReportKey(code, hand[0], hand[1:])
        if request.query_params.get("begun") != "1":
            LAB.replays.request(key)
        state = LAB.replays.state(key)
        if state["under_way"]:
            return _page(state["words"], reload_query="?begun=1")
        replay = LAB.replays.file(key, REPLAY)
        if replay is None or state["words"]:
            return _page(state["words"] or "Open the replay again from the tab Progress.")
        headers = {**NO_STORE, "Content-Security-Policy": REPLAY_POLICY}
        return Response(replay, media_type="text/html", headers=headers)


def _page(sentence: str, reload_query: str = "") -> Response:
    """Returns a page with one sentence; with ``reload_query``, it reloads with that query after a second."""
    refresh = f'<meta http-equiv="refresh" content="1;url={reload_query}">' if reload_query else ""
    page = (
        f'<!DOCTYPE html><html lang="en"><head>{refresh}<title>Replay of the current '
        "hand</title></head><body><p>"
    )
    return Response(f"{page}{escape(sentence)}</p></body></html>", media_type="text/html", headers=NO_STORE)


def _message(sentence: str, status: int = 200, **fields: Any) -> Response:
    return JSONResponse({"error": sentence, **fields}, status_code=status, headers=NO_STORE)


ROUTES = [
    Route("/SessionProgress/{code}", SessionProgress, name="SessionProgress", methods=["GET"]),
    Route("/SessionMonitor/{code}", OldMonitor, methods=["GET"]),
    Route("/cardlab/advance/{code}", ProgressAdvance, methods=["POST"]),
    Route(PATH + "{code}/rows", ProgressRows, methods=["GET"]),
    Route(PATH + "{code}/do", ProgressIntervention, methods=["POST"]),
    Route(PATH + "{code}/answer", ProgressAnswer, methods=["POST"]),
    Route(PATH + "{code}/end", ProgressEnd, methods=["POST"]),
    Route(PATH + "{code}/withdraw", ProgressWithdraw, methods=["POST"]),
    Route(PATH + "{code}/paid", ProgressPaid, methods=["POST"]),
    Route(PATH + "{code}/link/{participant}", ProgressLink, methods=["GET"]),
    Route(PATH + "{code}/replay/{participant}", ProgressReplay, methods=["GET"]),
    Route(PATH + "{code}/notices.csv", ProgressNotices, methods=["GET"]),
    Route("/api/notices/{code}", RestNotices, methods=["GET"]),
]
