"""Tests a server killed repeatedly during play: every answered action is stored once, in order.

Each player lists the actions that were played. If a kill swallows a response, the player looks at the board
afterwards. At the end the list must equal the exported hand, action by action.
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import requests
from exported_hands import ExportedHand, export_rows, hands_by_id, unexpected_log_lines
from harnesses import GAMES, Game
from server_fixture import LabServer, wait_for
from tabs import Gone, Tab, Visitor

from cardlab import journal
from cardlab.games.hand import Hand
from cardlab.games.record import Opening

KILLS = int(os.environ.get("CARD_LAB_KILLS", "12"))  # shared among the games
KILLS_ON_POSTGRES = 3
PLAYERS = 4
NONSENSE = "no such move"


class Sent(NamedTuple):
    """A message in flight: hand, sequence number, expected actions and text."""

    hand: int
    number: int
    actions: list[str]
    message: str


class Player(threading.Thread):
    """Keeps playing whatever happens to the server, and lists the actions that were played."""

    def __init__(self, server: LabServer, game: Game, code: str):
        super().__init__(daemon=True)
        self.server, self.game, self.code = server, game, code
        self.chance = random.Random()
        self.seats: dict[int, str] = {}  # by hand number
        self.played: dict[int, list[tuple[int, str]]] = {}  # hand -> confirmed numbers and actions
        self.answers = 0  # responses received
        self.in_flight: Sent | None = None
        self.hand = 0  # number of the current hand
        self.last = 10**6  # number of the last hand to play
        self.tab: Tab | None = None
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            while True:
                with contextlib.suppress(*Gone, requests.RequestException):
                    return self.play_despite_kills()
                time.sleep(0.05)  # leaves processor time to the starting server
        except BaseException as failure:  # noqa: BLE001 the test raises it
            self.failure = failure

    def play_despite_kills(self) -> None:
        visitor = Visitor(self.server, self.code)
        while visitor.name != "Results":
            visitor.walk_to("Hand")
            self.tab = tab = Tab(self.server, self.code, visitor.index)
            self.check_action_in_flight(tab)
            while tab.state["over"] is None:
                if moves := self.game.harness.moves(tab.state["view"]):
                    self.act(tab, self.chance.choice([*moves, NONSENSE]))
                else:
                    tab.receive()
            tab.close()
            if self.hand >= self.last:
                break
            visitor.send()
            visitor.walk_to("Hand", "Results")

    def check_action_in_flight(self, tab: Tab) -> None:
        """Checks after reconnecting whether the action in flight was played, and resends it if not."""
        self.hand = tab.state["hand"]
        self.seats[self.hand] = self.game.harness.seat(tab.state["view"])
        played, sent = self.played.setdefault(self.hand, []), self.in_flight
        if sent:
            assert sent.hand == self.hand
            if tab.state["next"] == sent.number:
                self.send(tab, sent)
            else:
                self.note_sent(sent)
        assert tab.state["next"] > len(played)

    def act(self, tab: Tab, action: str) -> None:
        traces = [name for name in self.game.harness.TRACES if self.chance.random() < 0.1]
        message = tab.message(action, traces=[[name, tab.state["clock"]] for name in traces])
        actions = [*traces, *([] if action == NONSENSE else [action])]
        self.send(tab, Sent(tab.state["hand"], tab.state["next"], actions, message))

    def send(self, tab: Tab, sent: Sent) -> None:
        self.in_flight = sent
        tab.send(sent.message)
        message = tab.receive()
        while (
            "refused" not in message and message["next"] == sent.number
        ):  # skips other players' actions that come first
            message = tab.receive()
        assert ("refused" in message) == (f'"{NONSENSE}"' in sent.message), message
        assert message["next"] >= sent.number + len(sent.actions)
        self.note_sent(sent)
        self.answers += 1

    def note_sent(self, sent: Sent) -> None:
        self.played[sent.hand] += [(sent.number + step, action) for step, action in enumerate(sent.actions)]
        self.in_flight = None


def play_through_kills(server: LabServer, game: Game, kills: int) -> None:
    """Kills the server ``kills`` times during play, then compares the exports with the players' lists."""
    session = server.create_session(game.harness.CONFIG, PLAYERS, **game.harness.FIELDS)
    assert server.browser  # fetches its cookies now, because the first kill may come at once
    players = [Player(server, game, code) for code in session.participants]
    for player in players:
        player.start()
    chance = random.Random()

    def answers() -> int:
        for player in players:
            if player.failure:
                raise player.failure
        return sum(player.answers for player in players)

    def go_on(more: int) -> None:
        enough = answers() + more
        assert any(player.is_alive() for player in players), "there were too few hands for so many kills"
        wait_for(
            lambda: answers() >= enough or not any(player.is_alive() for player in players),
            "play to go on",
        )

    for _ in range(kills):
        go_on(chance.choice((0, 1, 10, 50)))
        server.kill9()
        server.start()
    go_on(20)
    last = max(player.hand for player in players) + 1
    for player in players:
        player.last = last
    for player in players:
        player.join(120)
        assert not player.is_alive()
    answers()
    compare(server, game, session.code, players)
    assert unexpected_log_lines(server) == []


def compare(server: LabServer, game: Game, session: str, players: list[Player]) -> None:
    exported = list(hands_by_id(server, session, game.app).values())
    check_journal(server, exported)
    hand_rows = {
        (row["participant_code"], int(row["hand"])): row
        for row in export_rows(server, session, "custom_export_hands", game.app)
    }
    for player in players:
        for number, played in player.played.items():
            hand = hand_of(exported, player.code, number)
            assert list(acts(hand, player.seats[number])) == played
            state = hand.final_state()
            assert hand.outcomes == [game.rules.result(state, game.rules.seats(state)[0], 0).outcome]
            result = game.rules.result(state, player.seats[number], 0)
            assert hand_rows[player.code, number]["outcome"] == result.outcome
    for player in players:  # also for the last hand, whose page is still open
        earned = sum(float(row["payoff"]) for (code, _hand), row in hand_rows.items() if code == player.code)
        assert points(server, session, game.app)[player.code] == pytest.approx(earned)


def check_journal(server: LabServer, exported: list[ExportedHand]) -> None:
    """Checks that the journal has the end of every record; waits for the last one.

    A server that was killed soon after each start has written no journal yet.
    """

    def journals() -> list[Path]:
        return [file for file in (server.folder / "journal").glob("*") if file.suffix != ".lock"]

    (file,) = wait_for(journals, "a journal")
    ends = {
        hand.deal_row["hand_id"]: (int(hand.deal_row["record_lines"]), hand.deal_row["record_digest"])
        for hand in exported
    }

    def journaled() -> dict[str, tuple[int, str]]:
        lines = [*journal.read(file)]
        assert all(line.is_intact for line in lines)
        return {line.entry.hand: line.entry[2:] for line in lines}

    wait_for(lambda: ends.items() <= journaled().items(), "the journal to be complete")


def points(server: LabServer, session: str, app: str) -> dict[str, float]:
    """Returns each participant's earnings in an app from the payments table."""
    rows = csv.DictReader(io.StringIO(server.api(f"/api/payments/{session}").decode()))
    return {row["participant_code"]: float(row[f"{app}_points"]) for row in rows}


def hand_of(exported: list[ExportedHand], code: str, number: int) -> ExportedHand:
    """Returns the one hand of this number at which the participant sat."""
    (only_hand,) = (
        hand
        for hand in exported
        if int(hand.deal_row["hand"]) == number and code in {row["participant_code"] for row in hand.rows}
    )
    return only_hand


def acts(played: ExportedHand, seat: str) -> Iterator[tuple[int, str]]:
    """Yields the seat's actions, each with its sequence number."""
    hand = Hand(played.rules, Opening(played.deal, played.settings))
    for row, event in zip(played.rows, played.events(), strict=True):
        if row["accepted"] == "1" and row["seat"] == seat and row["client_ms"]:
            yield hand.seats[seat].next_number, row["action"]
        hand = hand.after(event)


def shares(kills: int) -> list[int]:
    """Returns each game's share of the kills."""
    return [(kills + place) // len(GAMES) for place in range(len(GAMES))]


@pytest.mark.long(
    "the same as in the matrix game", only=("ttt", "ttt_pair", "triangle", "solitario", "challenge")
)
@pytest.mark.parametrize(("game", "kills"), [*zip(GAMES.values(), shares(KILLS))], ids=GAMES)
def test_sqlite_server_survives_kills(server, game, kills):
    play_through_kills(server, game, kills)


def pay_in_the_last_moment(server: LabServer) -> None:
    """Kills the server right after the last move is answered, and checks that both of the pair are paid."""
    fields = {"MaxRounds": "2", "payoff_base": 1000.0, "gather_seconds": 10_000}
    session = server.create_session("ttt_pair_demo", 2, **fields)
    visitors = [Visitor(server, code) for code in session.participants]

    def at_the_hand() -> bool:
        for visitor in visitors:
            visitor.open_start_link()
            visitor.walk_to("Gather", "Hand")
        return all(visitor.name == "Hand" for visitor in visitors)

    wait_for(at_the_hand, "both to be at their hand")
    tabs = {tab.first["view"]["seat"]: tab for tab in map(Visitor.sit_down, visitors)}
    tabs["ck"].act("P")
    assert points(server, session.code, "ttt_pair_app") == dict.fromkeys(session.participants, 0)
    tabs["nk"].until(lambda message: "nk" in message["view"]["waiting_for"])
    assert tabs["nk"].act("P")["over"]
    server.kill9()
    server.start()
    assert points(server, session.code, "ttt_pair_app") == dict.fromkeys(session.participants, 1000)
    for visitor in visitors:  # going on does not pay it again
        visitor.open_start_link()
        visitor.send()
    assert points(server, session.code, "ttt_pair_app") == dict.fromkeys(session.participants, 1000)


def test_sqlite_hand_is_paid_with_last_move(server):
    pay_in_the_last_moment(server)


@pytest.fixture(scope="module")
def server_on_postgres(tmp_path_factory, postgres):
    with LabServer(tmp_path_factory.mktemp("server") / "card_lab", postgres.new_database()) as running:
        yield running


@pytest.mark.long("the same as on SQLite")
def test_postgresql_hand_is_paid_with_last_move(server_on_postgres):
    pay_in_the_last_moment(server_on_postgres)


@pytest.mark.long("the same as on SQLite")
@pytest.mark.parametrize(("game", "kills"), [*zip(GAMES.values(), shares(KILLS_ON_POSTGRES))], ids=GAMES)
def test_postgresql_server_survives_kills(server_on_postgres, game, kills):
    play_through_kills(server_on_postgres, game, kills)
