"""Builds sessions as the server would record and export them, without a database.

The hand socket's functions make the records, and the data page's functions make the exports, written as oTree
writes them. Only the oTree rows are stand-ins.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import without_database  # noqa: F401
from hypothesis import strategies as st
from memory_records import MemoryRecords
from random_play import CREATED_MS
from record_builder import Record, action_events, append_events, closing_events, fold, opening_record

import ttt_solo_app
from cardlab.core.protocol import Message
from cardlab.games.cards import TTT_PACK
from cardlab.games.events import Event
from cardlab.games.record import Opening
from cardlab.games.ttt import board, rules, settings_file

DEAL = "3H 2C 2H 4C 4H 3C | 2H | ck"
OPTIONS = {
    **{name: key.default for name, key in settings_file.KEYS.items()},
    "pay_by": "moves",
    "time_scale_seconds": 60,
    "settings_file": "CardLab.ini",
    "time_limit_seconds": 0,
}
LABELS = [None, "PC_01", "=1+1", "'quoted'", "@home", "-", "Zoë, 2", 'the "first"']


@dataclass
class Session:
    """The records of each participant in order of hands; ``now_ms`` is the server's clock."""

    code: str = "s3ss10n0"
    now_ms: int = CREATED_MS
    labels: list[str | None] = field(default_factory=list)
    records: list[list[Record]] = field(default_factory=list)

    def export(self, function: str = "custom_export", app: ModuleType = ttt_solo_app) -> str:
        """Returns the text of a download of the data page."""
        table, kept = io.StringIO(), MemoryRecords()
        for participant, records in enumerate(self.records, 1):
            for number, record in enumerate(records, 1):
                kept.put(f"{app.__name__}-{self.code}-{self.code}_{participant}-{number}", record)
        with kept.on_the_page():
            rows = getattr(app, function)(self._players(app.__name__))
            csv.writer(table).writerows([_sanitized(cell) for cell in row] for row in rows)
        return table.getvalue()

    def _players(self, app: str) -> list[Any]:
        """Returns the players in oTree's order: everybody's first hand, then everybody's second."""
        session = SimpleNamespace(
            code=self.code,
            is_demo=False,
            _created=CREATED_MS / 1000,
            config={
                "pay_hands": "all",
                "payoff_base": 0,
                "payoff_rate": 1,
                "payoff_floor": 0,
                "seed": 1,
            },
        )
        people = [
            SimpleNamespace(code=f"{self.code}_{n}", label=label, _is_bot=False, id_in_session=n, status="")
            for n, label in enumerate(self.labels, start=1)
        ]
        rounds = max(map(len, self.records), default=0)
        return [
            SimpleNamespace(
                id=number * len(people) + participant.id_in_session,
                session=session,
                participant=participant,
                round_number=number + 1,
                get_folder_name=lambda: app,
            )
            for number in range(rounds)
            for participant in people
        ]


def _sanitized(cell: Any) -> Any:
    """Formats values like oTree's own export, for the types that occur here."""
    if cell is None:
        return ""
    return cell.replace("\n", " ").replace("\r", " ") if isinstance(cell, str) else cell


def played(opening: Opening, actions: list[str], now_ms: int, step_ms: int = 1000, end: str = "") -> Record:
    """Returns the record of ``actions`` sent ``step_ms`` apart, and closed with ``end`` if still open."""
    record = opening_record(opening, now_ms)
    for ms, action in enumerate(actions, start=1):
        hand = fold(rules, record)
        message = Message(1, hand.next_number, action, ms * step_ms)
        events, _sentence = action_events(hand, board.SEAT, message, now_ms + ms * step_ms)
        record = append_events(rules, record, events)
    if end:
        record = append_events(rules, record, closing_events(fold(rules, record), end, now_ms + 60_000))
    return record


def small_session() -> Session:
    """Returns two participants with two hands each: solved, failed, given up with looks, and still open."""
    opening = Opening(DEAL, {**OPTIONS, "MaxRounds": 5, "ViewCkNk": False}, 1, 2, source="static.txt")
    start = CREATED_MS + 10_000
    return Session(
        labels=["=PC_01", None],
        records=[
            [
                played(opening, ["look ck", "T", "pick nk", "U", "P", "T"], start),
                played(opening, list("PPPPP"), start + 100_000),
            ],
            [
                played(opening, ["look ck", "Q", "P", "look nk", "N", "N"], start, end="gave_up"),
                played(opening, ["T", "U"], start + 100_000),
            ],
        ],
    )


# ---------------------------------------------------------------- random play

_options = st.fixed_dictionaries(
    {
        "MaxRounds": st.integers(1, 12),
        "ViewCard": st.sampled_from(["all", "mix", "none"]),
        "ViewCkNk": st.booleans(),
        "DragCkNk": st.booleans(),
        "ViewTarget": st.booleans(),
        "CardsBackFile": st.sampled_from(["dorso1", "dorso3", "our back, v2.png"]),
        "Path": st.sampled_from(["", "logfile"]),
        "pay_by": st.sampled_from(["moves", "time"]),
        "time_scale_seconds": st.sampled_from([1, 60, 0.5]),
    }
)
_looks = st.sampled_from(["look ck", "look nk"])
_words = st.sampled_from(["=1+1", "'U", "+", "@x", "a;b:c", 'a,"b"', "reconnect", "T "])
_sent = st.sampled_from(board.MOVES) | st.sampled_from(board.MOVES) | _looks | _words
_picks = st.lists(st.sampled_from(rules.PICKS), max_size=2)
_deals = st.permutations(TTT_PACK).flatmap(
    lambda cards: st.builds(
        board.format_deal,
        st.just(tuple(cards)),
        st.sampled_from([card for card in cards if card != cards[board.TARGET]]),
        st.sampled_from(board.KEEPERS),
    )
)


@st.composite
def _record(
    draw, now_ms: int, opening: Opening, steps: st.SearchStrategy[int], last: bool
) -> tuple[Record, int]:
    """Draws a hand played at random from ``now_ms`` on, and the server's time at its end. Only a
    participant's ``last`` hand may stay open."""
    if draw(st.integers(0, 9)) == 0:  # advanced before it was shown
        record = opening_record(opening, None)
        return append_events(rules, record, closing_events(fold(rules, record), "advanced", now_ms)), now_ms
    record, ms = opening_record(opening, now_ms), 0
    for _ in range(draw(st.integers(0, 14))):
        ms = max(0, ms + draw(steps))
        now_ms += max(0, ms - (now_ms - fold(rules, record).opening.shown_ms)) + draw(st.integers(0, 40))
        hand = fold(rules, record)
        if draw(st.integers(0, 9)) == 0:
            record = append_events(rules, record, [Event(None, board.SEAT, "reconnect", None, now_ms, None)])
        number = hand.next_number + (draw(st.sampled_from([-1, 1, 5])) if draw(st.integers(0, 9)) == 0 else 0)
        traces = tuple((pick, ms) for pick in draw(_picks))
        message = Message(opening.number, number, draw(_sent), ms, traces)
        record = append_events(rules, record, action_events(hand, board.SEAT, message, now_ms)[0])
    now_ms += draw(st.integers(0, 3000))
    outcome = draw(st.sampled_from(["timeout", "gave_up", "advanced", *([""] if last else [])]))
    if outcome:
        record = append_events(rules, record, closing_events(fold(rules, record), outcome, now_ms))
    return record, now_ms


def sessions(steps: st.SearchStrategy[int]) -> st.SearchStrategy[Session]:
    """Draws sessions of a few participants, with at least one hand begun. ``steps`` are the milliseconds
    between actions by a participant's clock."""

    @st.composite
    def session(draw) -> Session:
        people = draw(st.integers(1, 3))
        practice = draw(st.integers(0, 1))
        openings = [
            Opening(
                draw(_deals),
                {**OPTIONS, **draw(_options)},
                number=n + 1 if n < practice else n + 1 - practice,
                of=practice if n < practice else 3 - practice,
                practice=n < practice,
                source="random.txt",
                sha256="0" * 64,
                notice=draw(st.sampled_from(["", "random.txt, line 1: The heading says CIRCULAR, read"])),
            )
            for n in range(3)
        ]
        made = Session(labels=[draw(st.sampled_from(LABELS)) for _ in range(people)])
        for _ in range(people):
            now_ms, records = CREATED_MS + draw(st.integers(100, 100_000)), []
            count = draw(st.integers(0, 3))
            for number, opening in enumerate(openings[:count], 1):
                record, now_ms = draw(_record(now_ms, opening, steps, number == count))
                records.append(record)
                now_ms += draw(st.integers(300, 5000))
            made.records.append(records)
        return made

    return session().filter(lambda made: any(made.records))
