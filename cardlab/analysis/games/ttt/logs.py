"""The hands of ck and nk logs: the two files of a participant tell the same hands, each from its side.

Both have all moves; looks, pick-ups and refused actions stand in the file of the keeper on turn, so
only both together tell how many there were. Where two play, the ck file of one and the nk file of the other
tell one hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from cardlab.analysis.games.ttt.logged import Logged, fullness, rows
from cardlab.analysis.games.ttt.replay import of_log
from cardlab.analysis.hands import add_measures
from cardlab.analysis.replay.steps import JsonObject
from cardlab.analysis.source_hand import Row, SourceHand
from cardlab.games.registry import games_by_name
from cardlab.games.ttt import keeper_log, rules
from cardlab.games.ttt.keeper_log import LoggedEvent, quick
from cardlab.games.ttt.rules import KEEPERS, MOVES

CALLED = "a ck or nk log"


class _Telling(NamedTuple):
    """What the logs of a hand tell, in their own way."""

    logged: Logged

    def rows(self) -> Iterator[Row]:
        for row in rows(self.logged):
            yield add_measures(row, games_by_name()["ttt"])

    def replay(self, seat: str | None) -> JsonObject:
        return of_log(self.logged, seat)


def hands(told: Iterable[Logged], warn: Callable[[str], None]) -> list[SourceHand]:
    """Each hand once, in the order in which they come first."""
    return [_LogHand(logged) for logged in paired(told, warn)]


def key(hand: SourceHand) -> tuple[frozenset[str], int, str]:
    """By which a hand of a table is known to be the same as one of a log: who, which, and the layout."""
    return frozenset(hand.codes), hand.number, hand.deal.partition(" | ")[0]


class _LogHand(SourceHand):
    """A hand of logs. What it has besides its moves is made when it is asked for."""

    line, events, damage, from_log = None, (), "", True

    def __init__(self, logged: Logged) -> None:
        self.logged = logged

    @property
    def row_source(self) -> _Telling:
        return _Telling(self.logged)

    @property
    def file(self) -> str:
        return self.logged.files[0]

    @property
    def source_count(self) -> int:
        return len(self.logged.files)

    @property
    def codes(self) -> set[str]:
        return {code for code in self.logged.codes.values() if code}

    @cached_property
    def cells(self) -> dict[str, str]:
        logged, codes = self.logged, self.logged.codes
        return {
            "app": games_by_name()["ttt"].app_for_seats(len(codes)),
            "session_code": "",
            "participant_code": codes.get(rules.SEAT, ""),
            "hand": str(logged.told.number),
            "hand_id": logged.hand_id,
            "action": f"deal {' '.join(logged.told.layout)}",
        }

    @cached_property
    def people(self) -> dict[str, Sequence[str]]:
        logged = self.logged
        return {
            seat: (code, "", "") for seat, code in logged.codes.items() if code or not logged.told.partner
        }


def read(lines: Iterable[str], name: str) -> tuple[list[Logged], list[str]]:
    """The hands of one file and the warnings about it. BadFile if it is no log."""
    log = keeper_log.read(lines, name)
    return [Logged(hand, None, (name,)) for hand in log.hands], log.warnings


def read_moves(blocks: Iterable[bytes], name: str) -> tuple[list[Logged], list[str]]:
    """The same from the bytes of the file in pieces of any size, fast, and without what is no move."""
    found, warnings = quick.read(blocks, name)
    files = (name,)
    return [Logged(hand, None, files) for hand in found], warnings


def paired(hands: Iterable[Logged], warn: Callable[[str], None]) -> list[Logged]:
    """Each hand once, in the order in which they come first."""
    once: dict[tuple, Logged] = {}
    again: dict[tuple, list[Logged]] = {}
    for hand in hands:
        key = _same(hand)
        known = once.setdefault(key, hand)
        if known is not hand:
            again.setdefault(key, [known]).append(hand)
    return [_merged(again[key], warn) if key in again else hand for key, hand in once.items()]


def _same(hand: Logged) -> tuple[Any, ...]:
    """What is equal of two files that tell the same hand. (The clocks of two PCs need not agree.)"""
    told = hand.told
    if told.seat == rules.SEAT:
        return told.participant, told.number, told.layout, told.dealt_ms
    return *hand.codes.items(), told.number, told.layout


def _merged(tellings: list[Logged], warn: Callable[[str], None]) -> Logged:
    fullest = max(
        (hand.told for hand in tellings), key=lambda told: (*fullness(told), told.first is not None)
    )
    files = tuple(hand.files[0] for hand in tellings)
    for hand in tellings:
        if not fullest.sequence.startswith(hand.told.sequence):
            warn(
                f"{hand.files[0]}, line {hand.told.line}: Hand {hand.told.number} has the moves "
                f"{hand.told.sequence} here, but {fullest.sequence} in another log, which is followed."
            )
    if fullest.seat != rules.SEAT:
        return Logged(fullest, None, files, tuple(hand.told for hand in tellings))
    if fullest.events is None:
        return Logged(fullest, None, files)
    sides = [
        max((hand.told for hand in tellings if hand.told.keeper == keeper), key=fullness, default=None)
        for keeper in KEEPERS
    ]
    if any(side is None or fullness(side) != fullness(fullest) for side in sides):
        return Logged(fullest, None, files)
    touches = [event for side in sides for event in side.events if not _is_move(event)]
    moves = [event for event in fullest.events if _is_move(event)]
    return Logged(fullest, tuple(moves + touches), files)


def _is_move(event: LoggedEvent) -> bool:
    return event.accepted and event.action in MOVES
