"""The moves of ck and nk logs, read fast: Transform of a million lines.

A log that Card Lab wrote says each thing in one way, so nearly every line, its clocks aside, is one of a
few hundred texts that follow from the board. They are looked up instead of read. A participant whose
lines hold anything else (other programs' logs, damage, a move against the rules) is left to the careful
reader, :func:`reading.read_part`: hands and warnings are always those that it gives.
"""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from operator import length_hint
from sys import intern
from typing import NamedTuple

from cardlab.games.cards import TTT_PACK
from cardlab.games.ttt import rules
from cardlab.games.ttt.keeper_log import reading, writing
from cardlab.games.ttt.keeper_log.names import KEEPER_NAMES
from cardlab.games.ttt.keeper_log.reading import LoggedHand, Warnings

_CLOCK = r"[0-9]{1,12}\.[0-9]{3}"
# What parts two texts: all lines but those that are read together with the line before.
_BETWEEN = re.compile(rf"\n{_CLOCK}:{_CLOCK}:(?![GH]S:)")
_START = rf"\n({_CLOCK}):{_CLOCK}:HS:([0-9]{{1,9}});(.*)"
_HEAD_AND_START = re.compile(rf"(.*){_START}", re.DOTALL)
_NAMED = re.compile(r":userName ([^\s:;]+) ([^\s:;]+) :gameNum ([0-9]{1,9}):partner ([^\s:;]+)\n")
_ID = re.compile(r"[0-9]{1,9}")
_REFUSED = re.compile(f"ER:.*:({'|'.join(KEEPER_NAMES.values())}) Keeper refused")
_END_AND_START = re.compile(rf"GE:([0-9]{{1,9}});[0-9]{{1,9}}:Hand Ended\n{_CLOCK}::Hand Ended(?:{_START})?")

_HEAD = writing.head("", 0, 0, 0)
_BEGIN = _HEAD[0].encode()  # whatever follows in this line, it begins a participant


class PlayedHand(NamedTuple):
    """One hand of one file as far as its moves go; see :class:`reading.LoggedHand`.

    ``events`` is None: looks, pick-ups and refused actions are not read, nor the times of the moves.
    """

    participant: str
    number: int
    layout: rules.Layout
    first: str | None
    sequence: str
    line: int
    dealt_ms: int
    ended: bool
    seat: str = rules.SEAT
    partner: str = ""
    events: None = None


def read(blocks: Iterable[bytes], name: str) -> tuple[list[PlayedHand], list[str]]:
    """The hands of a log and the warnings about it, as :func:`reading.read` gives them.

    ``blocks`` are the bytes of the file in pieces of any size; no more than one of them and the lines of
    one participant are held at a time. BadFile if no line is one of a log.
    """
    warnings = Warnings(name)
    hands: list[PlayedHand] = []
    is_log, line = False, 1
    for part in _participants(blocks):
        found = _as_written(part.decode("utf-8", "replace"), line, warnings)
        if found is None:
            lines = (text.decode("utf-8-sig", "replace") for text in io.BytesIO(part))
            careful = reading.read_part(lines, line, warnings)
            found = None if careful is None else [_played(hand) for hand in careful]
        is_log = is_log or found is not None
        hands += found or ()
        line += part.count(b"\n") + 1
    if not is_log:
        raise reading.not_a_log(name)
    return hands, warnings.told()


def _participants(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The file cut at the line ends before the lines that begin a participant as Card Lab does."""
    cut, head, rest = b"\n" + _BEGIN, b"", bytearray()
    for block in blocks:
        searched = max(0, len(rest) - len(cut))
        rest += block
        last = rest.rfind(cut, searched)
        if last >= 0:
            for part in rest[:last].split(cut):
                yield head + part
                head = _BEGIN
            del rest[: last + len(cut)]
    yield head + rest


def _played(hand: LoggedHand) -> PlayedHand:
    return PlayedHand(
        hand.participant,
        hand.number,
        hand.layout,
        hand.first,
        hand.sequence,
        hand.line,
        hand.dealt_ms,
        hand.ended,
        hand.seat,
        hand.partner,
    )


def _as_written(text: str, line: int, warnings: Warnings) -> list[PlayedHand] | None:
    """The hands of one participant; None if any line is not as Card Lab writes it. ``line`` is the first."""
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    texts = _BETWEEN.split(text.rstrip())
    left = iter(texts)
    begun = _HEAD_AND_START.fullmatch(next(left))
    who = _who(begun[1]) if begun else None
    if begun is None or who is None:
        return None
    participant, partner = who
    _, dealt, number, terms = begun.groups()
    seat = told[1] if (told := _terms(terms)) else rules.SEAT
    if seat != rules.SEAT and not partner:
        return None
    layouts, keeper = _layouts(), None if seat == rules.SEAT else seat
    hands: list[PlayedHand] = []
    while dealt:
        # The head and each end are several lines in one text.
        start_line = line + len(_HEAD) - 1 + len(texts) - length_hint(left) + 2 * len(hands)
        layout = layouts.get(tuple(itertools.islice(left, len(rules.PLACES))))
        told = _terms(terms)
        if layout is None or told is None or told[1] != seat:
            return None
        first = told[0]
        board, sequence, end = _board(layout, first, keeper), "", None
        for text in left:
            step = board.get(text)
            if step is None:
                end = _END_AND_START.fullmatch(text)
                if end:
                    break
                step = board.seldom(text)
                if step is None:
                    return None
            move, board = step
            sequence += move
        keeper = board.keeper
        hands.append(
            PlayedHand(
                participant,
                int(number),
                layout,
                first,
                sequence,
                start_line,
                int(dealt.replace(".", "")),
                end is not None,
                seat,
                "" if seat == rules.SEAT else partner,
            )
        )
        if end is None:
            break
        own_moves, dealt, number, terms = end.groups()
        if int(own_moves) != (len(sequence) + (keeper == first)) // 2:
            return None
    if length_hint(left):
        return None
    if not hands[-1].ended:
        warnings.no_end(hands[-1].line, hands[-1].number)
    return hands


def _who(head: str) -> tuple[str, str] | None:
    """The codes of the participant whose head this is and of their partner, which is empty for who plays
    alone; None if it is no head as Card Lab writes it."""
    named = _NAMED.search(head)
    if named is None:
        return None
    code, own, hands, other = named[1], named[2], int(named[3]), named[4]
    if _ID.fullmatch(own) and head == "\n".join(writing.head(code, int(own), hands, 0)):
        return code, ""
    return (code, other) if head == "\n".join(writing.head(code, 0, hands, 0, other)) else None


@lru_cache(maxsize=1000)
def _terms(terms: str) -> tuple[str, str] | None:
    """The first mover that an ``HS`` line names after the hand's number, and the participant's seat; None if
    the careful reader finds anything wrong with the line."""
    if "\n" in terms:
        return None
    warnings = Warnings("")
    texts = [f"HS:1;{terms}", *writing.deal_texts(TTT_PACK), "GE:0;0:Hand Ended"]
    hands = reading.read_part([f"0:0:{text}" for text in texts], 1, warnings)
    if not hands or hands[0].first is None or warnings.found:
        return None
    return hands[0].first, hands[0].seat


@cache
def _layouts() -> dict[tuple[str, ...], rules.Layout]:
    """Each layout by what the lines of its six cards say."""
    return {tuple(writing.deal_texts(layout)): layout for layout in itertools.permutations(TTT_PACK)}


class _Board(dict[str, "tuple[str, _Board]"]):
    """What a line may say at this board of the file of ``keeper``, None as long as no line has told whose
    file it is: the move, empty if it is none, and the board after it."""

    def __init__(self, layout: rules.Layout, turn: str, keeper: str | None):
        self.keeper = keeper
        self._layout, self._turn = layout, turn

    def seldom(self, text: str) -> tuple[str, _Board] | None:
        """The step of a text that was not found: of the first at this board, or of a refused action."""
        if not self:
            self._fill()
            if text in self:
                return self[text]
        refused = _REFUSED.fullmatch(text)
        keeper = refused and _KEEPERS[refused[1]]
        if keeper is None or self.keeper not in (None, keeper):
            return None
        return "", _board(self._layout, self._turn, keeper)

    def _fill(self) -> None:
        layout, turn = self._layout, self._turn
        for keeper in rules.KEEPERS if self.keeper is None else (self.keeper,):
            stay = "", _board(layout, turn, keeper)
            for action in (*rules.PICKS, *(f"look {whose}" for whose in rules.KEEPERS)):
                if text := writing.action_text(keeper, layout, turn, action):
                    self[intern(text)] = stay
            for move in rules.MOVES:
                if move == "T" and not rules.may_enter_target(layout, turn):
                    continue
                after = layout
                if move != "P":
                    after = rules.swap(layout, rules.KEEPER_PLACE[turn], rules.MOVE_PLACE[move])
                for by_server in (False, True):
                    if text := writing.action_text(keeper, layout, turn, move, by_server):
                        self[intern(text)] = move, _board(after, rules.other(turn), keeper)


_board = cache(_Board)
_KEEPERS = {name: keeper for keeper, name in KEEPER_NAMES.items()}
