"""Reads the moves of large ck and nk logs, for the ``transform`` command.

A log that Card Lab wrote says each thing in one way, so nearly every line, without its clocks, is one of a
few hundred texts that follow from the board. They are looked up instead of parsed. A participant with any
other line (other programs' logs, damage, a move against the rules) is read by :func:`reading.read_part`, so
hands and warnings are always the same. It takes a sixth of the time.
"""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from operator import length_hint
from sys import intern

from cardlab.games.cards import TTT_PACK
from cardlab.games.ttt import board, rules
from cardlab.games.ttt.keeper_log import reading, writing
from cardlab.games.ttt.keeper_log.names import KEEPER_NAMES
from cardlab.games.ttt.keeper_log.reading import LoggedHand, Warnings, read_part

_CLOCK = r"[0-9]{1,12}\.[0-9]{3}"
# What parts two texts: all lines but those that are read together with the line before.
_BETWEEN = re.compile(rf"\n{_CLOCK}:{_CLOCK}:(?![GH]S:)")
_START = rf"\n({_CLOCK}):{_CLOCK}:HS:([0-9]{{1,9}});(.*)"
_HEAD_AND_START = re.compile(rf"(.*){_START}", re.DOTALL)
_NAMED = re.compile(r":userName ([^\s:;]+) ([^\s:;]+) :gameNum ([0-9]{1,9}):partner ([^\s:;]+)\n")
_ID = re.compile(r"[0-9]{1,9}")
_REFUSED = re.compile(f"ER:.*:({'|'.join(KEEPER_NAMES.values())}) Keeper refused")
_END_AND_START = re.compile(
    rf"GE:([0-9]{{1,9}});([0-9]{{1,9}}):Hand Ended\n({_CLOCK})::Hand Ended(?:{_START})?"
)

_HEAD = writing.head_lines("", 0, 0, 0)
_BEGIN = _HEAD[0].encode()  # whatever follows in this line, it begins a participant


def read(blocks: Iterable[bytes], name: str) -> tuple[list[LoggedHand], list[str]]:
    """Returns the hands of a log and the warnings about it, the same as :func:`reading.read`.

    ``blocks`` are the bytes of the file in pieces of any size. At most one of them and the lines of one
    participant are in memory at a time. Raises BadFile if no line is one of a log.
    """
    warnings = Warnings(name)
    hands: list[LoggedHand] = []
    is_log, line = False, 1
    for part in _participants(blocks):
        found = _hands_by_lookup(part.decode("utf-8", "replace"), line, warnings)
        if found is None:
            lines = (text.decode("utf-8-sig", "replace") for text in io.BytesIO(part))
            found = read_part(lines, line, warnings)
        is_log = is_log or found is not None
        hands += found or ()
        line += part.count(b"\n") + 1
    if not is_log:
        raise reading.not_a_log(name)
    return hands, warnings.in_order()


def _participants(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the file in parts, split before each line that begins a participant as Card Lab writes it."""
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


def _hands_by_lookup(text: str, line: int, warnings: Warnings) -> list[LoggedHand] | None:
    """Returns the hands of one participant; None if any line is not as Card Lab writes it.

    ``line`` is the number of the first line.
    """
    texts = _BETWEEN.split(text.replace("\r\n", "\n").rstrip())
    left = iter(texts)
    begun = _HEAD_AND_START.fullmatch(next(left))
    who = _who(begun[1]) if begun else None
    if begun is None or who is None:
        return None
    participant, partner = who
    _, dealt, number, terms = begun.groups()
    template = _template(terms)
    seat = template.seat if template else board.SEAT
    if seat == board.SEAT:
        partner = ""
    elif not partner:
        return None
    layouts, keeper = _layouts(), template and template.keeper
    hands: list[LoggedHand] = []
    while dealt:
        # The head and each end are several lines in one text.
        start_line = line + len(_HEAD) - 1 + len(texts) - length_hint(left) + 2 * len(hands)
        layout = layouts.get(tuple(itertools.islice(left, len(board.PLACES))))
        template = _template(terms)
        if layout is None or template is None or template.seat != seat:
            return None
        played = _play(_board(layout, template.first, keeper), left)
        if played is None:
            return None
        sequence, keeper, end = played
        hand = template._replace(
            participant=participant,
            number=int(number),
            layout=layout,
            sequence=sequence,
            line=start_line,
            dealt_ms=int(dealt.replace(".", "")),
            partner=partner,
        )
        if end is None:
            hands.append(hand)
            break
        own_moves, score, ended, dealt, number, terms = end.groups()
        is_last_but_lines_follow = not dealt and length_hint(left)
        if is_last_but_lines_follow or int(own_moves) != (len(sequence) + (keeper == template.first)) // 2:
            return None
        ended_ms = int(ended.replace(".", ""))
        hands.append(hand._replace(ended_ms=ended_ms, own_moves=int(own_moves), score=int(score)))
    if not hands[-1].ended:
        warnings.add_open_hand(hands[-1].line, hands[-1].number)
    return hands


def _play(position: _Board, texts: Iterator[str]) -> tuple[str, str | None, re.Match[str] | None] | None:
    """Looks up the lines of one hand up to its end.

    Returns the moves, the keeper whose file it is (None if still unknown) and the match of the end (None if
    the hand has none), or None if a line is not as Card Lab writes it.
    """
    sequence = ""
    for text in texts:
        step = position.get(text)
        if step is None:
            if end := _END_AND_START.fullmatch(text):
                return sequence, position.keeper, end
            step = position.rare_step(text)
            if step is None:
                return None
        move, position = step
        sequence += move
    return sequence, position.keeper, None


def _who(head: str) -> tuple[str, str] | None:
    """Returns the codes of a head's participant and of their partner, which is empty for a single player.

    Returns None if it is not a head as Card Lab writes it.
    """
    named = _NAMED.search(head)
    if named is None:
        return None
    code, own, hands, other = named[1], named[2], int(named[3]), named[4]
    if _ID.fullmatch(own) and head == "\n".join(writing.head_lines(code, int(own), hands, 0)):
        return code, ""
    return (code, other) if head == "\n".join(writing.head_lines(code, 0, hands, 0, other)) else None


@lru_cache(maxsize=1000)
def _template(terms: str) -> LoggedHand | None:
    """Returns a hand without moves and end with the settings of an ``HS`` line.

    Returns None if ``reading`` finds anything wrong with the line.
    """
    if "\n" in terms:
        return None
    warnings = Warnings("")
    texts = [f"HS:1;{terms}", *writing.deal_texts(TTT_PACK), "GE:0;0:Hand Ended"]
    hands = read_part([f"0:0:{text}" for text in texts], 1, warnings)
    if not hands or hands[0].first is None or warnings.by_line:
        return None
    return hands[0]._replace(ended_ms=None, own_moves=None, score=None)


@cache
def _layouts() -> dict[tuple[str, ...], board.Layout]:
    """Returns each layout by what the lines of its six cards say."""
    return {tuple(writing.deal_texts(layout)): layout for layout in itertools.permutations(TTT_PACK)}


class _Board(dict[str, "tuple[str, _Board]"]):
    """What a line of the file of ``keeper`` may say at this board: the text, the move and the next board.

    The move is empty for a look or a pick-up. ``keeper`` is None until a line identifies it.
    """

    def __init__(self, layout: board.Layout, turn: str, keeper: str | None):
        self.keeper = keeper
        self._layout, self._turn = layout, turn

    def rare_step(self, text: str) -> tuple[str, _Board] | None:
        """Returns the step of a text that was not found: the first at this board, or a refused action."""
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
        for keeper in board.KEEPERS if self.keeper is None else (self.keeper,):
            stay = "", _board(layout, turn, keeper)
            for action in (*rules.PICKS, *(f"look {whose}" for whose in board.KEEPERS)):
                if text := writing.action_text(keeper, layout, turn, action):
                    self[intern(text)] = stay
            for move in board.MOVES:
                if move == "T" and not board.may_enter_target(layout, turn):
                    continue
                after = layout
                if move != "P":
                    after = board.swap(layout, board.KEEPER_PLACE[turn], board.MOVE_PLACE[move])
                for by_server in (False, True):
                    if text := writing.action_text(keeper, layout, turn, move, by_server):
                        self[intern(text)] = move, _board(after, board.other(turn), keeper)


_board = cache(_Board)
_KEEPERS = {name: keeper for keeper, name in KEEPER_NAMES.items()}
