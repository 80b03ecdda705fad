"""Participants of the matrix card game who sit at one table, and what a session of it exported."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from played import MATRIX, PlayedHand, hands_by_id, table
from server_fixture import LabServer, LabSession
from tabs import RIGHT_ANSWERS, Tab, Visitor

from games.matrix import rules
from games.matrix.packs import PACKS
from games.matrix.state import State

TURNS = {"standard": 22, "special": 16}


def create(server: LabServer, participants: int = 2, **fields: Any) -> LabSession:
    """A session whose participants come to the first game without a check, unless ``fields`` say so."""
    return server.create_session("matrix_two", participants, **{"check": False, "games": 1, **fields})


def legal(view: dict[str, Any]) -> list[str]:
    """What a browser may send by the view of its seat, if the seat is waited for; else nothing."""
    if view["seat"] not in view["waiting_for"]:
        return []
    if view["rotator"]:
        return [*(f"rotate {cross['cell']}" for cross in view["crosses"]), "keep"]
    return [f"play {card}" for card in view["hand"]]


def disclosed(number: int):
    """The condition that the cards of this turn lie open."""
    return lambda said: (said["view"]["last"] or {"turn": 0})["turn"] >= number


class Seated(NamedTuple):
    """One participant at a table."""

    visitor: Visitor
    tab: Tab


class Table:
    """Everybody who plays one game, by their seats; each acts only on what their own tab was told."""

    def __init__(self, server: LabServer, session: LabSession, visitors: Iterable[Visitor]):
        self.server, self.session = server, session
        seated = [Seated(visitor, visitor.sit_down()) for visitor in visitors]
        self.seated = {each.tab.first["view"]["seat"]: each for each in seated}
        self.chance = random.Random(1)
        self.until(lambda said: not self.seated.keys() & set(said["wait"]["away"]))  # each was told of all

    def tab(self, seat: str) -> Tab:
        return self.seated[seat].tab

    def visitor(self, seat: str) -> Visitor:
        return self.seated[seat].visitor

    @property
    def tabs(self) -> list[Tab]:
        return [each.tab for each in self.seated.values()]

    def act(self, seat: str, action: str | None = None) -> dict[str, Any]:
        """The seat acts as soon as it knows that it is waited for."""
        tab = self.tab(seat)
        tab.until(lambda said: seat in said["view"]["waiting_for"])
        return tab.act(action or self.chance.choice(legal(tab.state["view"])))

    def play(self, turns: int | None = None) -> dict[str, Any]:
        """Play until so many turns are disclosed and the crosses lie, or to the end; the last answer."""
        said = self.tabs[0].state
        while said["over"] is None:
            view = said["view"]
            if turns and disclosed(turns)(said) and not view["rotator"]:
                break
            own = [seat for seat in view["waiting_for"] if seat in self.seated]
            said = self.act(own[0]) if own else self.tabs[0].until(self._goes_on(said))
        return said

    def _goes_on(self, before: dict[str, Any]):
        """The condition that robots or the server have played since, and somebody here is waited for."""
        return lambda said: (
            said["over"]
            or (said["view"] != before["view"] and set(said["view"]["waiting_for"]) & self.seated.keys())
        )

    def until(self, condition) -> None:
        """All tabs hear on until the condition holds for each."""
        for tab in self.tabs:
            tab.until(condition)

    def to_the_end(self) -> None:
        self.play()
        self.until(lambda said: said["over"])

    def next_page(self) -> list[Visitor]:
        """Everybody presses "Next"."""
        visitors = [each.visitor for each in self.seated.values()]
        for visitor in visitors:
            visitor.send()
        return visitors

    def game(self) -> PlayedHand:
        """The game as the actions table has it."""
        number, codes = str(self.tabs[0].state["hand"]), {each.visitor.code for each in self.seated.values()}
        (found,) = (
            game
            for game in hands_by_id(self.server, self.session.code).values()
            if game.dealt["hand"] == number and codes & {row["participant_code"] for row in game.rows}
        )
        return found

    def rows(self, function: str) -> list[dict[str, str]]:
        """An export of the session, by column."""
        return rows_of(self.server, self.session, function)


def rows_of(server: LabServer, session: LabSession, function: str) -> list[dict[str, str]]:
    """An export of a session, by column."""
    return table(server, session.code, function, MATRIX)


def arrive(server: LabServer, codes: Iterable[str]) -> list[Visitor]:
    """Participants who come one after the other, up to the board or to the wait page."""
    visitors = [Visitor(server, code) for code in codes]
    for visitor in visitors:
        while visitor.name not in ("Gather", "Hand"):
            visitor.send(**(RIGHT_ANSWERS["matrix"] if visitor.name == "Check" else {}))
    return visitors


def together(server: LabServer, participants: int = 2, **fields: Any) -> Table:
    """The table of a session with one group, at its first game."""
    session = create(server, participants, group_size=participants, **fields)
    return Table(server, session, arrive(server, session.participants))


def groups(server: LabServer, session: LabSession, game: int = 1) -> set[frozenset[int]]:
    """Who plays the game together: the participants' numbers, for each group that plays."""
    found: dict[int, set[int]] = {}
    for number, group in server.query(
        "SELECT who.id_in_session, player.group_id FROM matrix_game_app_player AS player "
        "JOIN otree_participant AS who ON who.id = player.participant_id "
        "JOIN matrix_game_app_group AS g ON g.id = player.group_id "
        "WHERE who._session_code = ? AND player.round_number = ? AND g.opening != ''",
        session.code,
        game + 1,
    ):
        found.setdefault(group, set()).add(number)
    return {frozenset(members) for members in found.values()}


# A second telling of what a seat may know, from the rulings alone: whatever has lain open, and its own.

_CARD = re.compile(r"(?<![\w+-])(?:[LR][+-](?:10|[1-9])|(?:10|[2-9AJQK])[SHCD])(?!\w)")


def cards_in(text: str) -> set[str]:
    """The names of cards in a text, of either pack."""
    return set(_CARD.findall(text))


def known(state: State, seat: str) -> set[str]:
    """The cards that the seat has seen: crosses, what was played and collected, its own hand."""
    open_ = {card for cross in state.crosses for card in cross}
    for turn in state.turns:
        open_ |= {*turn.cards, *turn.collected}
    return open_ | set(state.hand(seat))


def assert_hidden(text: str, state: State, seat: str) -> None:
    """The text names no card that the seat has not seen."""
    unseen = set(PACKS[state.options["pack"]]) - known(state, seat)
    assert not cards_in(text) & unseen, (cards_in(text) & unseen, text)


def stages(game: PlayedHand) -> dict[tuple[int, str | None], State]:
    """The states of a game by turns disclosed and rotator: all that a frame's view tells of its time.

    Of several states at one stage the first, before anybody has chosen.
    """
    state = rules.start(game.deal, game.settings)
    found = {(0, None): state}
    for row in game.acts:
        state = rules.apply(state, row["seat"], row["action"])
        found.setdefault((len(state.turns), state.rotator), state)
    return found


def stage(said: dict[str, Any]) -> tuple[int, str | None]:
    """Where in its game a message was sent."""
    view = said["view"]
    return (view["last"] or {"turn": 0})["turn"], view["rotator"]
