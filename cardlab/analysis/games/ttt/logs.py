"""Reads the hands of ck and nk logs. The two files of a participant have the same hands.

Both have all moves. Looks, pick-ups and rejected actions are only in the file of the keeper whose turn it is,
so all of them are only in both files together. If two play, each has one of the two files.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from cardlab.analysis.games.ttt.hand_logs import HandLogs, events_in_order, fullness, is_move, rows
from cardlab.analysis.games.ttt.replay import replay_logs
from cardlab.analysis.hands import add_measures
from cardlab.analysis.replay.steps import JsonObject
from cardlab.analysis.source_hand import PlayedAction, RecordedHand, Row, SourceHand
from cardlab.games.registry import games_by_name
from cardlab.games.ttt import board, keeper_log
from cardlab.games.ttt.board import KEEPERS

NOUN = "a ck or nk log"


def hands(hand_logs: Iterable[HandLogs], warn: Callable[[str], None]) -> list[SourceHand]:
    """Returns each hand once, in the order of first occurrence."""
    return [LogSourceHand(logs) for logs in merge_files(hand_logs, warn)]


def key(hand: SourceHand) -> tuple[frozenset[str], int, str]:
    """Returns a key that is equal for a hand of a table and the same hand of a log."""
    return frozenset(hand.codes), hand.number, hand.deal.partition(" | ")[0]


class LogSourceHand(SourceHand):
    """A hand of logs, which is also its own row source. Its cells are those of a deal row."""

    def __init__(self, logs: HandLogs) -> None:
        self.logs, codes = logs, logs.codes
        cells = {
            "app": games_by_name()["ttt"].app_for_seats(len(codes)),
            "session_code": "",
            "participant_code": codes.get(board.SEAT, ""),
            "hand": str(logs.longest.number),
            "hand_id": logs.hand_id,
            "action": f"deal {' '.join(logs.longest.layout)}",
        }
        people = {seat: (code, "", "") for seat, code in codes.items() if code or not logs.longest.partner}
        super().__init__(logs.files[0], None, cells, (), people, "", self, True, len(logs.files))

    def rows(self) -> Iterator[Row]:
        """Yields the rows of the hand in the table of hands."""
        for row in rows(self.logs):
            yield add_measures(row, games_by_name()["ttt"])

    def replay(self, seat: str | None) -> JsonObject:
        """Returns the steps of the hand."""
        return replay_logs(self.logs, seat)

    def record(self) -> RecordedHand | None:
        """Returns the parts of the hand that the rules need; None if the log does not have the goal."""
        longest = self.logs.longest
        if not longest.goal or not longest.first:
            return None
        options = {
            "MaxRounds": len(longest.sequence) + 1,
            **longest.options,
            "robots": self.logs.robots,
        }
        deal = board.format_deal(longest.layout, longest.goal, longest.first)
        accepted_events = [(seat, event) for seat, event in events_in_order(self.logs) if event.accepted]
        actions = tuple(PlayedAction(seat, event.action, event.by_server) for seat, event in accepted_events)
        return RecordedHand(deal, options, actions)


def read(lines: Iterable[str], name: str) -> tuple[list[HandLogs], list[str]]:
    """Returns the hands of one file and the warnings about it. Raises BadFile if it is not a log."""
    log = keeper_log.read(lines, name)
    return [HandLogs(hand, None, (name,)) for hand in log.hands], log.warnings


def merge_files(hands: Iterable[HandLogs], warn: Callable[[str], None]) -> list[HandLogs]:
    """Merges the files of each hand. Returns the hands in the order of first occurrence."""
    first_versions: dict[tuple[Any, ...], HandLogs] = {}
    versions_by_key: dict[tuple[Any, ...], list[HandLogs]] = {}
    for hand in hands:
        key = _identity(hand)
        first_version = first_versions.setdefault(key, hand)
        if first_version is not hand:
            versions_by_key.setdefault(key, [first_version]).append(hand)
    return [
        _merge(versions_by_key[key], warn) if key in versions_by_key else hand
        for key, hand in first_versions.items()
    ]


def _identity(hand: HandLogs) -> tuple[Any, ...]:
    """Returns a key that is equal in all files of one hand, without the time if two clocks are involved."""
    longest = hand.longest
    if longest.seat == board.SEAT:
        return (
            longest.participant,
            longest.number,
            longest.layout,
            longest.dealt_ms,
        )
    return *hand.codes.items(), longest.number, longest.layout


def _merge(versions: list[HandLogs], warn: Callable[[str], None]) -> HandLogs:
    longest = max(
        (hand.longest for hand in versions),
        key=lambda version: (*fullness(version), version.first is not None),
    )
    files = tuple(hand.files[0] for hand in versions)
    for hand in versions:
        if not longest.sequence.startswith(hand.longest.sequence):
            warn(
                f"{hand.files[0]}, line {hand.longest.line}: Hand {hand.longest.number} has the "
                f"moves {hand.longest.sequence} here, but {longest.sequence} in another log, "
                "which is used."
            )
    if longest.seat != board.SEAT:
        return HandLogs(longest, None, files, tuple(hand.longest for hand in versions))
    sides = [
        max(
            (hand.longest for hand in versions if hand.longest.keeper == keeper),
            key=fullness,
            default=None,
        )
        for keeper in KEEPERS
    ]
    complete = [side for side in sides if side and fullness(side) == fullness(longest)]
    if len(complete) < len(KEEPERS):
        return HandLogs(longest, None, files)
    touches = [event for side in complete for event in side.events if not is_move(event)]
    moves = [event for event in longest.events if is_move(event)]
    return HandLogs(longest, tuple(moves + touches), files)
