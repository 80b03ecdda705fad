"""The hands of ck and nk logs: the two files of a participant tell the same hands, each from its side.

Both have all moves; looks, pick-ups and refused actions stand in the file of the keeper on turn, so
only both together tell how many there were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from games.contract import BadFile
from games.ttt import keeper_log, keeper_log_quick
from games.ttt.keeper_log import LoggedEvent, LoggedHand
from games.ttt.keeper_log_quick import PlayedHand
from games.ttt.rules import KEEPERS, MOVES


class LogHand(NamedTuple):
    """A hand as its logs tell it.

    ``told`` is the fullest telling, a PlayedHand if only the moves were read; ``events`` are those of
    both keepers' files, None where one is missing, ends earlier or was read for its moves alone.
    ``files`` names each file it was read from.
    """

    told: LoggedHand | PlayedHand
    events: tuple[LoggedEvent, ...] | None
    files: tuple[str, ...]


def read(lines: Iterable[str], name: str) -> tuple[list[LogHand], list[str]]:
    """The hands of one file and the warnings about it. BadFile if it is no log."""
    try:
        log = keeper_log.read(lines, name)
    except BadFile:
        raise _no_source(name) from None
    return [LogHand(hand, None, (name,)) for hand in log.hands], log.warnings


def read_moves(blocks: Iterable[bytes], name: str) -> tuple[list[LogHand], list[str]]:
    """The same from the bytes of the file in pieces of any size, fast, and without what is no move."""
    try:
        hands, warnings = keeper_log_quick.read(blocks, name)
    except BadFile:
        raise _no_source(name) from None
    files = (name,)
    return [LogHand(hand, None, files) for hand in hands], warnings


def _no_source(name: str) -> BadFile:
    return BadFile(name, "This is neither a table of actions (custom_export) nor a ck or nk log.")


def paired(hands: Iterable[LogHand], warn: Callable[[str], None]) -> list[LogHand]:
    """Each hand once, in the order in which they come first."""
    once: dict[tuple, LogHand] = {}
    again: dict[tuple, list[LogHand]] = {}
    for hand in hands:
        told = hand.told
        key = (told.participant, told.number, told.layout, told.dealt_ms)
        known = once.setdefault(key, hand)
        if known is not hand:
            again.setdefault(key, [known]).append(hand)
    return [_merged(again[key], warn) if key in again else hand for key, hand in once.items()]


def _merged(tellings: list[LogHand], warn: Callable[[str], None]) -> LogHand:
    fullest = max(
        (hand.told for hand in tellings), key=lambda told: (*_fullness(told), told.first is not None)
    )
    files = tuple(hand.files[0] for hand in tellings)
    for hand in tellings:
        if not fullest.sequence.startswith(hand.told.sequence):
            warn(
                f"{hand.files[0]}, line {hand.told.line}: Hand {hand.told.number} has the moves "
                f"{hand.told.sequence} here, but {fullest.sequence} in another log, which is followed."
            )
    if fullest.events is None:
        return LogHand(fullest, None, files)
    sides = [
        max((hand.told for hand in tellings if hand.told.keeper == keeper), key=_fullness, default=None)
        for keeper in KEEPERS
    ]
    if any(side is None or _fullness(side) != _fullness(fullest) for side in sides):
        return LogHand(fullest, None, files)
    touches = [event for side in sides for event in side.events if not _is_move(event)]
    moves = [event for event in fullest.events if _is_move(event)]
    return LogHand(fullest, tuple(moves + touches), files)


def _fullness(hand: LoggedHand | PlayedHand) -> tuple[bool, int]:
    return hand.ended, len(hand.sequence)


def _is_move(event: LoggedEvent) -> bool:
    return event.accepted and event.action in MOVES
