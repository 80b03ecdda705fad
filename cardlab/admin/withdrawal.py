"""Withdraws a participant through the REST interface, for ``lab.py withdraw``.

Also hides the empty rows that stay of participants who have withdrawn, on oTree's pages and in its answers.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

import otree.views.admin
from otree.common import participant_start_url
from otree.models import Participant, Session
from otree.views import rest
from starlette.concurrency import run_in_threadpool
from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from cardlab.core.patch import Patch, Wrapper
from cardlab.live import withdrawals
from cardlab.sessions.arrival import WITHDRAWN

PATH = "/api/withdraw"  # takes no lock (cardlab.server.asgi), because a withdrawal is handled like a move

logger = logging.getLogger("cardlab.withdrawal")


class RestWithdraw(HTTPEndpoint):
    """Finds or withdraws a participant. The guard has checked the key (``cardlab.guard.rest``)."""

    async def get(self, request: Request) -> Response:
        """Returns the code of the session of ``participant``, a code; removes nothing."""
        code = request.query_params.get("participant", "")
        is_code = withdrawals.CODE.fullmatch(code)
        session = await run_in_threadpool(withdrawals.session_of, code) if is_code else None
        return JSONResponse({"session": session}) if session else _not_found(code)

    async def post(self, request: Request) -> Response:
        """Removes the data of ``participant``, a code; ``paid`` says that nothing has to be paid any more.

        Returns the code of the session, and sentences for the researcher.
        """
        fields = await request.json()
        code, is_paid = fields.pop("participant", None), fields.pop("paid", False)
        if fields or not isinstance(code, str) or not isinstance(is_paid, bool):
            return PlainTextResponse("Send participant, a code, and optionally paid, true or false.\n", 400)
        if not withdrawals.CODE.fullmatch(code):
            return _not_found(code)
        try:
            result = await withdrawals.withdraw_now(code, is_paid)
        except Exception:
            logger.exception("A participant could not be withdrawn.")
            return PlainTextResponse("The withdrawal failed. Run the command again.\n", 500)
        if result is None:
            return _not_found(code)
        lines = withdrawals.sentences(code, result)
        return JSONResponse({"session": result.session, "is_new": result.is_new, "sentences": lines})


def _not_found(code: str) -> Response:
    return PlainTextResponse(f"There is no participant {code[:40]}.\n", 404)


ROUTES = [Route(PATH, RestWithdraw, methods=["GET", "POST"])]


def _start_urls(session: Session, request: Request) -> list[Any]:
    """Returns the start links of the participants who have not withdrawn."""
    codes = session.pp_set.filter(Participant.status != WITHDRAWN).order_by("id_in_session")
    return [
        request.base_url.replace(path=participant_start_url(code))
        for (code,) in codes.with_entities(Participant.code)
    ]


def _session_info(info: Callable[..., Response], self: Any, **fields: Any) -> Response:
    answer = info(self, **fields)
    if answer.status_code != 200:
        return answer
    state = json.loads(answer.body)
    state["participants"] = [one for one in state["participants"] if one["status"] != WITHDRAWN]
    return Response(json.dumps(state))


_REASON = "Participants who have withdrawn are not listed."
PATCHES = (
    Patch(otree.views.admin, "mk_participant_code_urls", _start_urls, "feature", "32715c7d3be19089", _REASON),
    Wrapper(rest.RESTGetSessionInfo, "post", _session_info, "feature", "50ebc86ec402d1e7", _REASON),
    Wrapper(rest.RESTGetSessionInfoLegacy, "get", _session_info, "feature", "50ebc86ec402d1e7", _REASON),
)
