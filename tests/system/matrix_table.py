"""Seats participants of the matrix card game at one table and reads the exports of their session."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import game_table
from exported_hands import MATRIX_APP, ExportedHand, export_rows, hands_by_id
from harnesses import GAMES
from server_fixture import LabServer, LabSession
from tabs import Visitor

from cardlab.games.matrix import rules
from cardlab.games.matrix.state import State

MATRIX_GAME = GAMES["matrix"]
legal_actions = MATRIX_GAME.harness.moves
TURNS = {"standard": 22, "special": 16}


def create_session(server: LabServer, participants: int = 2, **fields: Any) -> LabSession:
    """Creates a session whose participants reach the first game without a check, unless ``fields`` say so."""
    return server.create_session("matrix_two", participants, **{"check": False, "games": 1, **fields})


def is_disclosed(number: int):
    """Returns a condition: the cards of this turn lie open."""
    return lambda message: (message["view"]["last"] or {"turn": 0})["turn"] >= number


class MatrixTable(game_table.GameTable):
    """A table of the matrix card game."""

    def __init__(self, server: LabServer, session: LabSession, visitors: Iterable[Visitor]):
        super().__init__(MATRIX_GAME, server, session, visitors)

    def play(self, turns: int | None = None) -> dict[str, Any]:
        """Plays to the end or until ``turns`` turns and their rotation are done; returns the last message."""
        message = self.tabs[0].state
        while message["over"] is None:
            view = message["view"]
            if turns and is_disclosed(turns)(message) and not view["rotator"]:
                break
            own = [seat for seat in view["waiting_for"] if seat in self.players]
            message = self.act(own[0]) if own else self.tabs[0].until(self._goes_on(message))
        return message

    def _goes_on(self, before: dict[str, Any]):
        """Returns a condition: the view changed and a player here has to act, or the game is over."""
        return lambda message: (
            message["over"]
            or (
                message["view"] != before["view"]
                and set(message["view"]["waiting_for"]) & self.players.keys()
            )
        )

    def play_to_the_end(self) -> None:
        self.play()
        self.until(lambda message: message["over"])

    def game(self) -> ExportedHand:
        """Returns the game as exported in the actions table."""
        number, codes = str(self.tabs[0].state["hand"]), {each.visitor.code for each in self.players.values()}
        (own_game,) = (
            game
            for game in hands_by_id(self.server, self.session.code).values()
            if game.deal_row["hand"] == number and codes & {row["participant_code"] for row in game.rows}
        )
        return own_game

    def rows(self, function: str) -> list[dict[str, str]]:
        """Returns the rows of an export of the session, by column."""
        return session_rows(self.server, self.session, function)


def session_rows(server: LabServer, session: LabSession, function: str) -> list[dict[str, str]]:
    """Returns the rows of an export of a session, by column."""
    return export_rows(server, session.code, function, MATRIX_APP)


def arrive(server: LabServer, codes: Iterable[str]) -> list[Visitor]:
    """Takes the participants, in order, to the board or the wait page."""
    visitors = [Visitor(server, code) for code in codes]
    for visitor in visitors:
        visitor.walk_to("Gather", "Hand")
    return visitors


def together(server: LabServer, participants: int = 2, **fields: Any) -> MatrixTable:
    """Returns the table of a session with one group, at its first game."""
    session = create_session(server, participants, group_size=participants, **fields)
    return MatrixTable(server, session, arrive(server, session.participants))


def groups(server: LabServer, session: LabSession, game: int = 1) -> set[frozenset[int]]:
    """Returns the participants' numbers for each group that plays."""
    by_group: dict[int, set[int]] = {}
    for number, group in server.query(
        "SELECT who.id_in_session, player.group_id FROM matrix_game_app_player AS player "
        "JOIN otree_participant AS who ON who.id = player.participant_id "
        "JOIN matrix_game_app_group AS g ON g.id = player.group_id "
        "WHERE who._session_code = ? AND player.round_number = ? AND g.opening != ''",
        session.code,
        game + 1,
    ):
        by_group.setdefault(group, set()).add(number)
    return {frozenset(members) for members in by_group.values()}


def assert_hidden(message: dict[str, Any], state: State, seat: str) -> None:
    """Checks that the message names no card that the seat has not seen."""
    leaked = MATRIX_GAME.harness.named(message) & MATRIX_GAME.harness.unseen(state, seat, [])
    assert not leaked, (leaked, message)


def stages(game: ExportedHand) -> dict[tuple[int, str | None], State]:
    """Returns the states of a game by disclosed turns and rotator, which identify the time of a view.

    If several states have the same key, it is the first, before anybody has chosen.
    """
    state = rules.start(game.deal, game.settings)
    states = {(0, None): state}
    for row in game.accepted_rows:
        state = rules.apply(state, row["seat"], row["action"])
        states.setdefault((len(state.turns), state.rotator), state)
    return states


def stage(message: dict[str, Any]) -> tuple[int, str | None]:
    """Returns the key of the state, as in ``stages``, at which a message was sent."""
    view = message["view"]
    return (view["last"] or {"turn": 0})["turn"], view["rotator"]
