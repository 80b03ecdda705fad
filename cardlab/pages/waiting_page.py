"""The page on which participants wait for their group, the same for every game.

Its script (``_static/cardlab/waiting.js``) polls every few seconds. The answer is the status, or a redirect
when the group is complete. :mod:`cardlab.groups.matchmaking` forms the groups, the game assigns the seats.
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
from cardlab.live.lab import LAB
from cardlab.pages.board import GroupTexts
from cardlab.pages.shell import ShellPage
from cardlab.pages.texts import waiting_sentences
from cardlab.sessions.config import config_of


class GatherPage(ShellPage, WaitPage):
    """Matches the participants who have arrived into groups. Subclasses set ``groups`` and ``texts``.

    The player needs ``waiting_since_ms`` and ``seen_waiting_ms``: the first and last time that their browser
    was here, in Unix milliseconds. Only the script's polls count, because the server also opens pages of
    participants whom the researcher advances.
    """

    group_by_arrival_time = True
    template_name = "cardlab/Matchmaking.html"

    groups: GroupRules
    texts: GroupTexts

    @classmethod
    def is_displayed(cls, player: Any) -> bool:
        """Returns whether groups are matched before this round."""
        return rounds.is_matching_due(player)

    @classmethod
    def after_all_players_arrive(cls, group: Any) -> None:
        """Assigns the seats of a new group."""
        group_rows.assign_seats(group)

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Returns how long the participant has waited, and what happens next."""
        since_ms = player.field_maybe_none("waiting_since_ms")
        config = config_of(player)
        return {
            "waited_ms": 0 if since_ms is None else max(0, now_ms() - since_ms),
            "sentences": waiting_sentences(config, cls.texts.too_few_sentence(config)),
            "gather_seconds": config["gather_seconds"],
            "begin_signal": config["begin_signal"],
        }

    def get(self) -> Any:
        """Returns the page; for a poll of its script, the status or a redirect.

        A look-up is expensive and every waiting browser polls, so :func:`answer_poll` answers most polls from
        the cache.
        """
        polls = self.request and "here" in self.request.query_params  # no request: the server itself
        if polls or self.participant._is_bot:
            _note_presence(self.player)
            LAB.waiting_room.record_poll(self.player)
        if not polls:
            return super().get()
        slot = self.player.subsession_id, self.player.id_in_subsession
        status = None if self.participant._gbat_grouped else LAB.waiting_room.status(*slot)
        if not status:
            answer = super().get()
            if answer.status_code != 200:
                return answer
            status = LAB.waiting_room.status(*slot)
        return JSONResponse(status)

    def _run_aapa_and_notify(self, group: Any) -> None:
        """Handles a new group, and all others that can be formed now.

        oTree would make the remaining participants' browsers try again.
        """
        while group:
            super()._run_aapa_and_notify(group)
            group = self.subsession._gbat_try_to_make_new_group(self._index_in_pages)

    def _mark_completed_and_notify(self, group: Any) -> None:
        self._members = group.get_players()
        super()._mark_completed_and_notify(group)
        for player in self._members:
            notifications.send_ready(self._session_pk, self._index_in_pages, player.participant_id)

    def _get_participants_for_this_waitpage(self, group: Any) -> list[Any]:
        """Returns the participants without oTree's three queries."""
        return [player.participant for player in self._members]


_PAGE_PATH = re.compile(r"/p/(\w+)/\w+/\w+/(\d+)")


async def answer_poll(scope: Mapping[str, Any], send: Callable[..., Awaitable[None]]) -> bool:
    """Answers a poll from the cached result of another; returns whether it did.

    Runs before oTree's lock is taken, so that polls do not delay other participants.
    """
    if scope["method"] != "GET" or scope.get("query_string") != b"here=1":
        return False
    path = _PAGE_PATH.fullmatch(scope["path"])
    status = LAB.waiting_room.cached_status(path[1], int(path[2])) if path else None
    if not status:
        return False
    nothing: Any = None  # the response does not read the request
    await JSONResponse(status)({"type": "http"}, nothing, send)
    return True


def _note_presence(player: Any) -> None:
    """Records that the player's browser has the page open.

    The wait begins again if it began in the future: the computer's clock was set back before a restart.
    Otherwise ``gather_seconds`` would end that much later.
    """
    player.seen_waiting_ms = now_ms()
    since_ms = player.field_maybe_none("waiting_since_ms")
    if since_ms is None or since_ms > player.seen_waiting_ms:
        player.waiting_since_ms = player.seen_waiting_ms
