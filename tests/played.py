"""Reading what a server exported: the actions table, and every hand of it played again."""

from __future__ import annotations

import csv
import io
import json
from typing import NamedTuple

from server_fixture import LabServer

from games.ttt import rules

APP = "ttt_solo_app"


def table(server: LabServer, session: str, function: str = "custom_export") -> list[dict[str, str]]:
    """The rows of an export, by column."""
    return list(csv.DictReader(io.StringIO(server.export(session, APP, function))))


def complaints(server: LabServer) -> list[str]:
    """What the server has logged beyond the notes of its ordinary work."""
    ordinary = ("Auto-submitting timed out page: ",)
    return [line for line in server.stderr_text().splitlines() if not line.startswith(ordinary)]


class PlayedHand(NamedTuple):
    """One hand of the actions table: its deal row, and the rows after it."""

    dealt: dict[str, str]
    rows: list[dict[str, str]]

    @property
    def deal(self) -> str:
        return self.dealt["action"].removeprefix("deal ")

    @property
    def accepted(self) -> list[tuple[int, str]]:
        """Number and action of every accepted row, the end row left out."""
        return [
            (int(row["action_number"]), row["action"])
            for row in self.rows
            if row["accepted"] == "1" and row["seat"]
        ]

    @property
    def refused(self) -> list[str]:
        return [row["action"] for row in self.rows if row["accepted"] == "0"]

    @property
    def ends(self) -> list[str]:
        """The outcomes of all its end rows: one, or none of an open hand."""
        return [
            row["action"].removeprefix("end ")
            for row in self.rows
            if row["action"].startswith("end ") and row["accepted"] == "1"
        ]

    @property
    def moves(self) -> str:
        return "".join(action for _number, action in self.accepted if action in rules.MOVES)

    def replayed(self) -> rules.State:
        """The state that the rules come to from the rows alone; IllegalAction if they cannot."""
        state = rules.start(self.deal, json.loads(self.dealt["settings"]))
        for number, (row_number, action) in enumerate(self.accepted, 1):
            assert row_number == number, "numbers run without gap and without double"
            state = rules.apply(state, "solo", action)
        return state


def hands(server: LabServer, session: str) -> dict[tuple[str, int], PlayedHand]:
    """The hands of a session by participant code and hand number, from its actions table."""
    found: dict[tuple[str, int], PlayedHand] = {}
    for row in table(server, session):
        key = row["participant_code"], int(row["hand"])
        if row["action_number"] == "0" and row["action"].startswith("deal "):
            assert key not in found, "a hand is dealt once"
            found[key] = PlayedHand(row, [])
        else:
            found[key].rows.append(row)
    return found
