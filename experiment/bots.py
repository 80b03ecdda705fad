"""How oTree's bots play a hand: through the functions that the hand socket calls."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from otree.database import db

from experiment import seat as seats
from experiment.folds import fold
from experiment.service import SERVICE


class BotAtTheTable:
    """A bot's place at the hand of the page it is on; ``said`` is the server's latest answer."""

    def __init__(self, bot):
        self.bot = bot
        participant = bot.participant
        self.seat = seats.find(participant.code, participant._index_in_pages)
        self.said = SERVICE.look_and_write(self.seat).said
        self.ms = 0

    def send(self, action: str, traces: Iterable[tuple[str, int]] = (), **changed) -> dict[str, Any]:
        """Send an action as the page would; ``changed`` replaces fields of the message."""
        self.ms += 400
        message = {
            "hand": self.said["hand"],
            "number": self.said["next"],
            "action": action,
            "ms": self.ms,
            "traces": list(traces),
            **changed,
        }
        self.said = SERVICE.receive_and_write(self.seat, json.dumps(message)).said
        db.expire_all()  # what the socket wrote, oTree's own session must read anew
        return self.said

    def look(self) -> dict[str, Any]:
        """What the page shows by now, if others play too."""
        record, _page_index = SERVICE.records.read(self.seat.key)
        self.said = SERVICE.told(self.seat, fold(self.seat.page.rules, record))
        return self.said

    def hand(self):
        """The hand as its record tells now."""
        return self.seat.page.hand(self.bot.player)
