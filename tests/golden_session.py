"""Plays a fixed session of each game with a simulated clock through the server's own functions.

The oTree rows and the database are stand-ins; dealing, records, the ends of pages and exports are the apps'
own. The output is therefore the same on every machine, and ``tests/test_golden.py`` compares it with earlier
output. ``tests/games/<game>/golden.py`` says what is played.
"""

from __future__ import annotations

import csv
import importlib
import io
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import without_database  # noqa: F401
from harnesses import GAMES
from memory_records import MemoryRecords

import settings
from cardlab.games.record import Opening
from cardlab.live.batch import Answer
from cardlab.live.hand_service import HandService
from cardlab.live.interfaces import NoConnections
from cardlab.live.lab import LAB
from cardlab.live.record_store import Payee
from cardlab.live.seat import payee_of, seat_of_player
from cardlab.sessions import participant_language, recruiting

APPS = {name: importlib.import_module(game.app) for name, game in GAMES.items()}

CREATED_MS = 1_795_183_200_123  # 20 November 2026, 14:00 UTC
LABELS = ["PC_01", None, "=1+1", "PC 4"]


class Clock:
    """Simulates the server's clock; the session advances it."""

    def __init__(self) -> None:
        self.ms = CREATED_MS + 60_000
        self.jumps: list[Any] = []

    def now_ms(self) -> int:
        return self.ms


class Row(SimpleNamespace):
    """A player or group row, with the attributes that the apps read."""

    @property
    def payoff(self) -> float:
        return self._payoff

    def get_folder_name(self) -> str:
        return self.app

    def field_maybe_none(self, name: str) -> Any:
        return getattr(self, name)

    def get_players(self) -> list[Row]:
        """Returns the players of a group."""
        return [player for player in self.session.players if player.group is self]


class Participant(SimpleNamespace):
    """A participant's row."""

    def payoff_plus_participation_fee(self) -> float:
        return 5 + self.payoff


class Session:
    """A session of a game: its openings, its rows, its clock."""

    def __init__(self, game: str, config: str, people: int, **fields: Any) -> None:
        chosen = next(each for each in settings.SESSION_CONFIGS if each["name"] == config)
        self.game, self.app, self.clock = game, APPS[game], Clock()
        self.config = {**settings.SESSION_CONFIG_DEFAULTS, **chosen, "seed": 7, **fields}
        self.page = self.app.Hand
        self.row = SimpleNamespace(
            id=1,
            code=f"{game}g0ld",
            is_demo=False,
            _created=CREATED_MS / 1000,
            config=self.config,
            comment="",
            players=[],
        )
        self.people = [
            Participant(
                id=n, code=f"{game}{n}", label=LABELS[n - 1], id_in_session=n, _is_bot=False, players=[],
                payoff=0.0, time_started_utc="2026-11-20 14:00:31.250000", _session_code=self.row.code,
                session=self.row, _index_in_pages=3, status="", _timeout_page_index=None,
                _timeout_expiration_time=None,
                vars={recruiting.LINK: {"STUDY_ID": "s1"}} if n == 1 else {},
                _vars={participant_language.LANGUAGE: "it"} if n == 1 else {},
            )
            for n in range(1, people + 1)
        ]  # fmt: skip
        self.records = MemoryRecords(lambda _participant_id: 3)
        self.service = HandService(self.records, self.clock, NoConnections(), CREATED_MS)
        self.players: list[Row] = self.row.players
        self.records.row_of = lambda payee: self.players[payee.player_id - 1]
        self.openings: dict[int, Opening] = {}

    def new_player(self, participant: Participant, number: int, **fields: Any) -> Row:
        player = Row(
            app=self.app.__name__, session=self.row, participant=participant, round_number=number,
            participant_id=participant.id,
            _payoff=0.0, seat="", results_shown_ms=None, check_attempts="", check_done_ms=None,
            instructions_done_ms=CREATED_MS + 50_000 if number == 1 else None, id=len(self.players) + 1,
            __tablename__=f"{self.app.__name__}_player", group=None, **fields,
        )  # fmt: skip
        participant.players.append(player)
        self.players.append(player)
        return player

    @contextmanager
    def served(self) -> Iterator[HandService]:
        """Provides the service with this session's clock and rows, also for the pages."""
        with ExitStack() as patched:
            patched.enter_context(patch.object(self.page, "opening", self._opening))
            patched.enter_context(patch.object(self.page, "update_logs", lambda *_arguments: []))
            patched.enter_context(patch.object(self.page, "payees", self._payees, create=True))
            patched.enter_context(patch.object(LAB, "service", self.service))
            patched.enter_context(patch("cardlab.core.clock.SERVER", self.clock))
            patched.enter_context(patch("cardlab.live.pauses.paused_ms", lambda _participant: None))
            patched.enter_context(self.records.on_the_page())
            yield self.service

    def ask(self, ask: Callable[[], Answer]) -> dict[str, Any]:
        """Commits one request in a batch and returns the message."""
        with self.served():
            (answer,) = self.service.commit_batch([ask])
        if isinstance(answer, Exception):
            raise answer
        return answer.message

    def _opening(self, player: Row) -> Opening:
        return self.openings[player.round_number]

    def _payees(self, seat: Any, _records: MemoryRecords) -> list[Payee]:
        row = self.page.row(self.players[seat.payee.player_id - 1])
        return [payee_of(self.page, one) for one in self.players if row in (one, one.group)]

    def sit(self, player: Row) -> Seat:
        return Seat(self, player)

    def export(self, function: str = "custom_export") -> str:
        """Returns the text of a download of the data page."""
        text = io.StringIO()
        with self.served():
            for row in getattr(self.app, function)(self.players):
                csv.writer(text).writerow([_sanitized(cell) for cell in row])
        return text.getvalue()

    def exports(self) -> dict[str, str]:
        """Returns every download of the data page, by the name of its function."""
        names = [name for name in dir(self.app) if name.startswith("custom_export")]
        return {name: self.export(name) for name in names}


def _sanitized(cell: Any) -> Any:
    """Formats values like oTree's own export, for the types that occur here."""
    if cell is None:
        return ""
    return cell.replace("\n", " ").replace("\r", " ") if isinstance(cell, str) else cell


class Seat:
    """One participant's page at one hand; each method first advances the session's clock."""

    def __init__(self, session: Session, player: Row) -> None:
        self.session, self.player = session, player
        player.participant._timeout_page_index = None
        with session.served():
            self.seat = seat_of_player(session.page, player)
        self.said: dict[str, Any] = {}
        self.shown_ms = 0

    def look(self, after_ms: int = 700) -> dict[str, Any]:
        """Opens the page, or loads it again."""
        self.session.clock.ms += after_ms
        self.said = self.session.ask(lambda: self.session.service.connect_and_write(self.seat))
        return self.said

    def second_look(self, after_ms: int = 300) -> dict[str, Any]:
        """Opens the page on another computer."""
        self.session.clock.ms += after_ms
        return self.session.ask(lambda: self.session.service.note_second_tab_and_write(self.seat))

    def send(self, action: str, after_ms: int = 1200, traces: tuple = (), **changed: Any) -> dict[str, Any]:
        """Sends an action as the page does; ``changed`` replaces fields of the message."""
        self.session.clock.ms += after_ms
        ms = self.said["clock"] + after_ms
        message = {"hand": self.said["hand"], "number": self.said["next"], "action": action, "ms": ms}
        message |= {"traces": [[name, max(0, ms - 100)] for name in traces], **changed}
        text = json.dumps(message)
        self.said = self.session.ask(lambda: self.session.service.receive_and_write(self.seat, text))
        return self.said

    def again(self) -> dict[str, Any]:
        """Returns the seat's current message, after others may have played."""
        with self.session.served():
            self.said = self.session.service.message_for(self.seat, self.hand())
        return self.said

    def hand(self) -> Any:
        """Returns the hand folded from the record."""
        return self.session.service.hand(self.seat)

    def leave(self, after_ms: int = 900, timeout: bool = False) -> None:
        """Leaves the page: after the hand, moved on by the researcher, or because its time is up."""
        clock, participant = self.session.clock, self.player.participant
        clock.ms += after_ms
        participant._timeout_page_index = 3 if timeout else None
        participant._timeout_expiration_time = clock.ms / 1000 if timeout else None
        with self.session.served():
            self.session.page.before_next_page(self.player, timeout)
            self.session.records.commit()


def solo(game: str, config: str, people: int, **fields: Any) -> tuple[Session, list[list[Row]]]:
    """Returns a session in which everybody plays alone, and each participant's players, hand by hand."""
    session = Session(game, config, people, **fields)
    hands = session.app.deal(session.config, people).hands
    session.openings = {number: for_all for number, (for_all,) in enumerate(hands, 1)}
    rounds = [
        [session.new_player(participant, number) for participant in session.people]
        for number in session.openings
    ]
    return session, [list(column) for column in zip(*rounds)]
