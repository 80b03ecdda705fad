"""Reads the actions table that a server exports, and replays its hands."""

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
from cardlab.games.ttt.board import MOVES

TARGET_APP = "ttt_solo_app"
MATRIX_APP = "matrix_game_app"


def export_rows(
    server: LabServer, session: str, function: str = "custom_export", app: str = TARGET_APP
) -> list[dict[str, str]]:
    """Returns the rows of an export, by column."""
    return list(csv.DictReader(io.StringIO(server.export(session, app, function))))


def unexpected_log_lines(server: LabServer) -> list[str]:
    """Returns the lines in the server's log that its ordinary work does not explain."""
    ordinary = ("Auto-submitting timed out page: ",)
    return [line for line in server.stderr_text().splitlines() if not line.startswith(ordinary)]


class ExportedHand(NamedTuple):
    """One hand of the actions table: its deal row, and the rows after it."""

    deal_row: dict[str, str]
    rows: list[dict[str, str]]

    @property
    def deal(self) -> str:
        return self.deal_row["action"].removeprefix("deal ")

    @property
    def rules(self) -> ModuleType:
        return BY_APP[self.deal_row["app"]].rules

    @property
    def settings(self) -> dict[str, Any]:
        return json.loads(self.deal_row["settings"])

    def events(self) -> Iterator[Event]:
        """Yields the rows as events, without the server's times."""
        for row in self.rows:
            number, ms = (int(row[name]) if row[name] else None for name in ("action_number", "client_ms"))
            accepted = {"1": True, "0": False, "": None}[row["accepted"]]
            yield Event(number, row["seat"], row["action"], ms, 0, accepted, row["reason"])

    @property
    def accepted_rows(self) -> list[dict[str, str]]:
        """Returns the accepted rows except the end row."""
        return [row for row in self.rows if row["accepted"] == "1" and row["seat"]]

    @property
    def numbered_actions(self) -> list[tuple[int, str]]:
        """Returns the number and action of every accepted row except the end row."""
        return [(int(row["action_number"]), row["action"]) for row in self.accepted_rows]

    def actions_of(self, seat: str) -> list[str]:
        """Returns the accepted actions of a seat."""
        return [row["action"] for row in self.accepted_rows if row["seat"] == seat]

    def notes(self, action: str) -> list[str]:
        """Returns the seats of the server's notes of that name, in order."""
        return [row["seat"] for row in self.rows if row["accepted"] == "" and row["action"] == action]

    @property
    def refused(self) -> list[str]:
        return [row["action"] for row in self.rows if row["accepted"] == "0"]

    @property
    def outcomes(self) -> list[str]:
        """Returns the outcomes of all end rows: one, or none for an open hand."""
        return [
            row["action"].removeprefix("end ")
            for row in self.rows
            if row["action"].startswith("end ") and row["accepted"] == "1"
        ]

    @property
    def moves(self) -> str:
        """Returns the moves of Target the Two, joined into one word."""
        return "".join(action for _number, action in self.numbered_actions if action in MOVES)

    def replay_steps(self) -> Iterator[tuple[Any, list[tuple[str, str]]]]:
        """Yields the first state and the state after each accepted row, with the actions so far.

        Actions are pairs of seat and action. Raises IllegalAction if the rules refuse one.
        """
        state, done = self.rules.start(self.deal, self.settings), []
        yield state, []
        for number, row in enumerate(self.accepted_rows, 1):
            assert int(row["action_number"]) == number, "numbers run without gap and without double"
            state = self.rules.apply(state, row["seat"], row["action"])
            done.append((row["seat"], row["action"]))
            yield state, [*done]

    def final_state(self) -> Any:
        """Returns the state after all rows."""
        *_, (state, _done) = self.replay_steps()
        return state


def hands_by_id(server: LabServer, session: str, app: str = MATRIX_APP) -> dict[str, ExportedHand]:
    """Returns the hands of a session by ``hand_id``, from its actions table."""
    hands: dict[str, ExportedHand] = {}
    for row in export_rows(server, session, app=app):
        key = row["hand_id"]
        if row["action_number"] == "0" and row["action"].startswith("deal "):
            assert key not in hands, "a hand is dealt once"
            hands[key] = ExportedHand(row, [])
        else:
            hands[key].rows.append(row)
    return hands


def hands_by_participant(server: LabServer, session: str) -> dict[tuple[str, int], ExportedHand]:
    """Returns the hands of a session of Target the Two by participant code and hand number."""
    found = hands_by_id(server, session, TARGET_APP).values()
    by_participant = {(hand.deal_row["participant_code"], int(hand.deal_row["hand"])): hand for hand in found}
    assert len(by_participant) == len(found), "one hand of that number for each participant"
    return by_participant
