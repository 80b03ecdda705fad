"""Reading what a server exported: the actions table, and every hand of it played again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

from harnesses import BY_APP
from server_fixture import LabServer

from cardlab.games.events import Event
from cardlab.games.ttt.rules import MOVES

APP = "ttt_solo_app"
MATRIX = "matrix_game_app"


def table(
    server: LabServer, session: str, function: str = "custom_export", app: str = APP
) -> list[dict[str, str]]:
    """The rows of an export, by column."""
    return list(csv.DictReader(io.StringIO(server.export(session, app, function))))


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
    def rules(self) -> ModuleType:
        return BY_APP[self.dealt["app"]].rules

    @property
    def settings(self) -> dict[str, Any]:
        return json.loads(self.dealt["settings"])

    def events(self) -> Iterator[Event]:
        """Its rows as events, without the server's times."""
        for row in self.rows:
            number, ms = (int(row[name]) if row[name] else None for name in ("action_number", "client_ms"))
            accepted = {"1": True, "0": False, "": None}[row["accepted"]]
            yield Event(number, row["seat"], row["action"], ms, 0, accepted, row["reason"])

    @property
    def acts(self) -> list[dict[str, str]]:
        """The accepted rows, the end row left out."""
        return [row for row in self.rows if row["accepted"] == "1" and row["seat"]]

    @property
    def accepted(self) -> list[tuple[int, str]]:
        """Number and action of every accepted row, the end row left out."""
        return [(int(row["action_number"]), row["action"]) for row in self.acts]

    def of(self, seat: str) -> list[str]:
        """The accepted actions of a seat."""
        return [row["action"] for row in self.acts if row["seat"] == seat]

    def notes(self, action: str) -> list[str]:
        """The seats of the server's notes of that name, in their order."""
        return [row["seat"] for row in self.rows if row["accepted"] == "" and row["action"] == action]

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
        """The moves of Target the Two, in one word."""
        return "".join(action for _number, action in self.accepted if action in MOVES)

    def moments(self) -> Iterator[tuple[Any, list[tuple[str, str]]]]:
        """Every state that the rules come to from the rows alone, the first before any action, each with what
        was done by then as (seat, action); IllegalAction if they cannot."""
        state, done = self.rules.start(self.deal, self.settings), []
        yield state, []
        for number, row in enumerate(self.acts, 1):
            assert int(row["action_number"]) == number, "numbers run without gap and without double"
            state = self.rules.apply(state, row["seat"], row["action"])
            done.append((row["seat"], row["action"]))
            yield state, [*done]

    def replayed(self) -> Any:
        """The state after all rows."""
        *_, (state, _done) = self.moments()
        return state


def hands_by_id(server: LabServer, session: str, app: str = MATRIX) -> dict[str, PlayedHand]:
    """The hands of a session by ``hand_id``, from its actions table."""
    found: dict[str, PlayedHand] = {}
    for row in table(server, session, app=app):
        key = row["hand_id"]
        if row["action_number"] == "0" and row["action"].startswith("deal "):
            assert key not in found, "a hand is dealt once"
            found[key] = PlayedHand(row, [])
        else:
            found[key].rows.append(row)
    return found


def hands(server: LabServer, session: str) -> dict[tuple[str, int], PlayedHand]:
    """The hands of a session of Target the Two by participant code and hand number."""
    found = hands_by_id(server, session, APP).values()
    by_participant = {(hand.dealt["participant_code"], int(hand.dealt["hand"])): hand for hand in found}
    assert len(by_participant) == len(found), "one hand of that number for each participant"
    return by_participant
