"""The page on which participants wait for the others of their group, the same for every game.

Its script (``_static/cardlab/waiting.js``) tells the server every few seconds that somebody is there, and is
answered how many are ready, or led on. Who plays with whom :mod:`cardlab.groups.matchmaking` says, who sits
where the game.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from otree.api import WaitPage
from starlette.responses import JSONResponse

from cardlab.core.clock import now_ms
from cardlab.games.seating import GroupRules
from cardlab.groups import group_rows, notifications, rounds
from cardlab.groups.waiting_room import waiting_room
from cardlab.sessions.config import config_of


class GatherPage(WaitPage):
    """Groups are put together of those who have come. Subclasses say of whom (``groups``), and what comes.

    The player needs ``waiting_since_ms`` and ``seen_waiting_ms``: since when, and when last, their browser
    was here (Unix milliseconds; None: never). Only when its script asks: the server opens pages too, for
    those whom the researcher moves on.
    """

    group_by_arrival_time = True
    template_name = "experiment/Gather.html"

    groups: GroupRules

    @classmethod
    def is_displayed(cls, player) -> bool:
        return rounds.is_matching_due(player)

    @classmethod
    def after_all_players_arrive(cls, group) -> None:
        group_rows.assign_seats(group)

    @classmethod
    def what_next(cls, player) -> list[str]:
        """What happens if somebody does not come: after ``gather_seconds``, and if there are too few people.

        One sentence each; none if nobody is given up.
        """
        return []

    @classmethod
    def vars_for_template(cls, player) -> dict[str, Any]:
        since_ms = player.field_maybe_none("waiting_since_ms")
        return {
            "waited_ms": 0 if since_ms is None else max(0, now_ms() - since_ms),
            "what_next": cls.what_next(player),
            "gather_seconds": config_of(player)["gather_seconds"],
            "begin_signal": config_of(player)["begin_signal"],
        }

    def get(self):
        """The page; or if its script asks, how many are ready, unless the participant may go on.

        Looking costs much and all who wait ask, so most are told what was found for another, and do not even
        come here (:func:`answer`).
        """
        asks = self.request and "here" in self.request.query_params  # no request: the server itself looks
        if asks or self.participant._is_bot:
            _seen(self.player)
            waiting_room().poll(self.player)
        if not asks:
            return super().get()
        player = self.player
        asked = player.subsession_id, player.id_in_subsession
        status = None if self.participant._gbat_grouped else waiting_room().status(*asked)
        if not status:
            answer = super().get()
            if answer.status_code != 200:
                return answer
            status = waiting_room().status(*asked)
        return JSONResponse(status)

    def _run_aapa_and_notify(self, group) -> None:
        """What follows for a new group, and for each that can be put together then: those who go on waiting
        are not told to look, as oTree would do."""
        while group:
            super()._run_aapa_and_notify(group)
            group = self.subsession._gbat_try_to_make_new_group(self._index_in_pages)

    def _mark_completed_and_notify(self, group) -> None:
        self._members = group.get_players()
        super()._mark_completed_and_notify(group)
        for player in self._members:
            notifications.tell_one_who_waits(self._session_pk, self._index_in_pages, player.participant_id)

    def _get_participants_for_this_waitpage(self, group) -> list[Any]:
        """oTree would look them up three times."""
        return [player.participant for player in self._members]


_ADDRESS = re.compile(r"/p/(\w+)/\w+/\w+/(\d+)")


async def answer(scope: Mapping[str, Any], send: Callable[..., Awaitable[None]]) -> bool:
    """Answer a browser that asks again how many are ready, if that was found for another a moment ago; tell
    whether it was answered. It stands before oTree: nobody is kept waiting by those who wait."""
    if scope["method"] != "GET" or scope.get("query_string") != b"here=1":
        return False
    at = _ADDRESS.fullmatch(scope["path"])
    found = waiting_room().cached_status(at[1], int(at[2])) if at else None
    if not found:
        return False
    await JSONResponse(found)({"type": "http"}, None, send)
    return True


def _seen(player) -> None:
    """The player's browser has the page open now."""
    player.seen_waiting_ms = now_ms()
    if player.field_maybe_none("waiting_since_ms") is None:
        player.waiting_since_ms = player.seen_waiting_ms
