"""The moves of large ck and nk logs, read by whole columns where pyarrow is installed.

As in :mod:`games.ttt.keeper_log.quick` nearly every line, its clocks aside, is one of a few hundred texts.
Here the lines of many participants are parted from their clocks at once and become numbers of texts, and all
hands of a block are played again together, a line of each at a time. A participant whose lines hold anything
else is left to the other readers: hands and warnings are always those that they give.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow

from games.cards import TTT_PACK
from games.ttt import rules
from games.ttt.keeper_log import quick, reading, writing
from games.ttt.keeper_log.names import KEEPER_NAMES, VIEWS
from games.ttt.keeper_log.quick import PlayedHand
from games.ttt.keeper_log.reading import Warnings

_HEAD = len(writing.head("", 0, 0, 0))  # lines
_DEALT = 1 + len(rules.PLACES)  # the lines with which a hand begins
_MOST_LINES = 1000  # of a hand that is read here
_MOST_TEXTS = 100_000  # that are remembered
_SEATS = (*rules.KEEPERS, rules.SEAT)

_ENDED = b":Hand Ended"
_START = re.compile(rb"HS:([0-9]{1,9});(.*)")
_END = re.compile(rb"GE:([0-9]{1,9});[0-9]{1,9}:Hand Ended")
_REFUSED = re.compile(quick.REFUSED.pattern.encode())
_NAMED = {name.encode(): rules.KEEPERS.index(keeper) for keeper, name in KEEPER_NAMES.items()}

# A clock with its colon is looked at as two words of eight bytes. By its width: how it is formed; the bits
# that must be as in that form; what a digit may grow by, and the bits that it does not reach then; all of it.
_CLOCK_BYTES = 16


def _words(width: int) -> Any:
    form = (b"0" * (width - 4) + b".000:" if width > 4 else b"").ljust(_CLOCK_BYTES, b"\0")
    signs = np.frombuffer(form, np.uint8)
    digits, used = signs == ord("0"), signs > 0
    must = np.where(digits, 0xF0, 0xFF) * (used | (width < 5))
    rows = np.stack([signs, must, 6 * digits, 0xF0 * digits, 0xFF * used]).astype(np.uint8)
    return rows.view(np.uint64)


_WORDS = [_words(width) for width in range(_CLOCK_BYTES)]


def read(blocks: Iterable[bytes], name: str) -> tuple[list[PlayedHand], list[str]]:
    """The hands of a log and the warnings about it, as ``quick.read`` gives them. Raises BadFile."""
    warnings = Warnings(name)
    hands: list[PlayedHand] = []
    is_log, above = False, 0
    for block in _whole_participants(blocks):
        lines = _Lines(block)
        for begin, end, found in _participants(lines, above):
            if found is None:
                found = quick.of_participant(lines.text(begin, end), above + begin + 1, warnings)
            elif not found[-1].ended:
                warnings.no_end(found[-1].line, found[-1].number)
            is_log = is_log or found is not None
            hands += found or ()
        above += len(lines.ends)
    if not is_log:
        raise reading.not_a_log(name)
    return hands, warnings.told()


def _whole_participants(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The file cut before lines that begin a participant, into about as many pieces."""
    rest = b""
    for block in blocks:
        rest += block
        if cut := rest.rfind(b"\n" + quick.BEGIN) + 1:
            yield rest[:cut]
            rest = rest[cut:]
    yield rest


class _Meaning(NamedTuple):
    """What a text may be in a log: an action, its column of the steps; the line of the deal and the card that
    it tells; number, first mover and seat of a hand that begins; the own moves of one that ends. -1 or 0 if
    it is none."""

    column: int = 0
    dealt: int = -1
    card: int = 0
    number: int = -1
    first: int = 0
    seat: int = 0
    own_moves: int = -1


@lru_cache(maxsize=_MOST_TEXTS)
def _meaning(text: bytes) -> _Meaning:
    if column := _steps().columns.get(text):
        return _Meaning(column)
    if text in _cards():
        line, card = _cards()[text]
        return _Meaning(dealt=line, card=card)
    if start := _START.fullmatch(text):
        told = quick.terms_of(start[2].decode("utf-8", "replace"))
        if told is None:
            return _Meaning()
        first, seat = map(_SEATS.index, told)
        return _Meaning(number=int(start[1]), first=first, seat=seat)
    if end := _END.fullmatch(text):
        return _Meaning(own_moves=int(end[1]))
    if refused := _REFUSED.fullmatch(text):
        return _Meaning(_steps().refused[_NAMED[refused[1]]])
    return _Meaning()


@cache
def _cards() -> dict[bytes, tuple[int, int]]:
    """The texts of the lines of the deal: which line it is, and which card."""
    return {
        text.encode(): (line, card)
        for card, name in enumerate(TTT_PACK)
        for line, text in enumerate(writing.deal_texts((name,) * len(rules.PLACES)))
    }


class _Steps(NamedTuple):
    """All boards, and what each text changes at each.

    ``after`` has a row for each board, of the number that :func:`_board` gives, and a column for each text of
    an action: the board after it, 0 if it cannot stand there. ``columns`` has the texts, ``refused`` the
    columns of refused actions, by the keeper. ``letters`` is the move of each column, 0 for none, ``keepers``
    whose file the column tells: that of the keeper on turn (0), the other's (1), or Ck's (2) or Nk's (3).
    """

    after: Any
    columns: dict[bytes, int]
    refused: list[int]
    letters: Any
    keepers: Any


_LAYOUTS = list(itertools.permutations(TTT_PACK))
_POWERS = len(TTT_PACK) ** np.arange(len(TTT_PACK))
_CARDS = np.array(list(itertools.permutations(range(len(TTT_PACK)))))
_LAYOUT_OF = np.full(len(TTT_PACK) ** len(TTT_PACK), -1)
_LAYOUT_OF[_CARDS @ _POWERS] = np.arange(len(_CARDS))


def _board(layout: Any, turn: Any, keeper: Any) -> Any:
    """The number of a board of a keeper's file; 0 is none."""
    return 1 + 4 * layout + 2 * turn + keeper


@cache
def _steps() -> _Steps:
    columns: dict[bytes, int] = {}
    found = []
    boards = np.arange(len(_LAYOUTS))
    enters = [[rules.may_enter_target(layout, turn) for layout in _LAYOUTS] for turn in rules.KEEPERS]
    for keeper, turn in itertools.product(range(2), repeat=2):
        for action, places in _actions(rules.KEEPERS[turn]):
            moved = _CARDS.copy()
            moved[:, places] = _CARDS[:, places[::-1]]
            is_move = action in rules.MOVES
            after = _board(_LAYOUT_OF[moved @ _POWERS], turn ^ is_move, keeper)
            if action == "T":
                after = np.where(enters[turn], after, 0)
            letter = ord(action) if is_move else 0
            for cards, text in _texts_of(rules.KEEPERS[keeper], rules.KEEPERS[turn], action, places):
                column = columns.setdefault(text.encode(), len(columns) + 1)
                fits = (_CARDS[:, places] == cards).all(1)
                found.append(
                    (_board(boards, turn, keeper)[fits], column, after[fits], letter, keeper != turn)
                )
    refused = [len(columns) + 1, len(columns) + 2]
    after = np.zeros((_board(len(_LAYOUTS), 0, 0), len(columns) + 3), np.int16)
    letters, keepers = (np.zeros(len(columns) + 3, np.uint8) for _ in range(2))
    for begun, column, then, letter, of_other in found:
        after[begun, column] = then
        letters[column], keepers[column] = letter, of_other
    for keeper, column in enumerate(refused):
        begun = np.arange(1 + keeper, len(after), 2)
        after[begun, column], keepers[column] = begun, 2 + keeper
    return _Steps(after, columns, refused, letters, keepers)


def _actions(turn: str) -> Iterator[tuple[str, list[int]]]:
    """All actions of the keeper on turn, each with the places of the cards that a log names."""
    for move in rules.MOVES:
        yield move, [rules.MOVE_PLACE[move], rules.KEEPER_PLACE[turn]] if move in rules.MOVE_PLACE else []
    for keeper in rules.KEEPERS:
        yield f"look {keeper}", [rules.KEEPER_PLACE[keeper]]
    for place, pick in enumerate(rules.PICKS):
        yield pick, [place]


def _texts_of(keeper: str, turn: str, action: str, places: list[int]) -> Iterator[tuple[list[int], str]]:
    """What the file of ``keeper`` says of the action, by the cards in the places; nothing if it says none."""
    for cards in itertools.permutations(range(len(TTT_PACK)), len(places)):
        layout = [""] * len(rules.PLACES)
        for place, card in zip(places, cards):
            layout[place] = TTT_PACK[card]
        for by_server in (False, True) if action == "P" else (False,):
            if text := writing.action_text(keeper, tuple(layout), turn, action, by_server):
                yield list(cards), text


class _Lines:
    """The lines of whole participants: where each begins and ends, and how wide its clock is, 0 if it begins
    with none."""

    def __init__(self, block: bytes) -> None:
        if b"\r" in block:
            block = block.replace(b"\r\n", b"\n")
        self.block = block
        signs = np.frombuffer(block + bytes(2 * _CLOCK_BYTES), np.uint8)
        ends = np.flatnonzero(signs[: len(block)] == ord("\n"))
        self.ends = ends if block.endswith(b"\n") or not block else np.append(ends, len(block))
        self.begins = np.concatenate(([0], self.ends + 1))[: len(self.ends)]
        self.width, self._twice = _clocks(signs, self.begins)
        behind = np.where(self.width, (1 + self._twice) * (self.width + 1), 0)
        texts, self._codes = _encoded(block, self.begins + behind, self.ends)
        self._meanings = np.array([_meaning(text) for text in texts], np.int64).T
        ended = texts.index(_ENDED) if _ENDED in texts else -1
        self.ended = (self._codes == ended) & (self.width > 0) & ~self._twice

    def told(self, name: str, lines: Any = slice(None)) -> Any:
        """What some lines tell: a field of _Meaning. A line tells what it does behind two clocks alone."""
        told = self._meanings[_Meaning._fields.index(name)][self._codes[lines]]
        return np.where(self._twice[lines], told, _Meaning._field_defaults[name])

    def text(self, begin: int, end: int) -> bytes:
        """Some lines, without the end of the last."""
        return self.block[self.begins[begin] : self.ends[end - 1]]

    def participants(self) -> list[int]:
        """The first line of each participant."""
        odd = np.flatnonzero(~self._twice).tolist()
        starts = map(self.block.startswith, itertools.repeat(quick.BEGIN), self.begins[odd].tolist())
        first = [line for line, starts_one in zip(odd, starts) if starts_one]
        return first if first[:1] == [0] else [0, *first]


def _clocks(signs: Any, begins: Any) -> tuple[Any, Any]:
    """How wide the clocks are with which the lines begin, 0 if it is none, and which have it twice."""
    windows = np.lib.stride_tricks.sliding_window_view(signs, _CLOCK_BYTES)
    found = windows[begins]
    width = (found == ord(":")).argmax(1)
    again = windows[begins + width + 1].view(np.uint64)
    found = found.view(np.uint64)
    again ^= found
    twice = np.zeros(len(begins), bool)
    for one in np.flatnonzero(np.bincount(width, minlength=1)).tolist():
        of_one = width == one
        form, must, sixes, high, used = _WORDS[one]
        differs = found[of_one] ^ form
        wrong = differs & must | (differs + sixes) & high
        is_clock = (wrong[:, 0] | wrong[:, 1]) == 0
        width[of_one] = np.where(is_clock, one, 0)
        other = again[of_one] & used
        twice[of_one] = is_clock & ((other[:, 0] | other[:, 1]) == 0)
    return width, twice


def _encoded(block: bytes, begins: Any, ends: Any) -> tuple[list[bytes], Any]:
    """The texts of a block without those that are equal, and which of them each is."""
    bounds = np.stack([begins, ends], 1).ravel()
    bounds = pyarrow.py_buffer(np.append(bounds, len(block)))
    parts = pyarrow.Array.from_buffers(
        pyarrow.large_binary(), 2 * len(begins), [None, bounds, pyarrow.py_buffer(block)]
    )
    every_other = pyarrow.py_buffer(np.arange(0, 2 * len(begins), 2))
    texts = parts.take(pyarrow.Array.from_buffers(pyarrow.int64(), len(begins), [None, every_other]))
    encoded = texts.dictionary_encode()
    return encoded.dictionary.to_pylist(), np.frombuffer(encoded.indices.buffers()[1], np.int32)


def _participants(lines: _Lines, above: int) -> Iterator[tuple[int, int, list[PlayedHand] | None]]:
    """The lines of each participant, first and past the last, and their hands, None if they are to be read
    otherwise. ``above`` is how many lines stand above these."""
    if not len(lines.ends):
        return
    starts, count = lines.participants(), len(lines.ends)
    bounds = np.array([*starts, count])
    number = lines.told("number")
    at = np.flatnonzero(number >= 0)  # each hand begins here
    owner = np.searchsorted(bounds, at, "right") - 1
    until = np.minimum(np.append(at[1:], count), bounds[owner + 1])[: len(at)]
    opens, closes = np.diff(owner, prepend=-1) > 0, np.diff(owner, append=len(starts)) > 0
    good = (until - at >= _DEALT) & (~opens | (at == bounds[owner] + _HEAD))

    ended = lines.ended[until - 1] & (until - at >= _DEALT + 2)
    own_moves = np.where(ended, lines.told("own_moves", until - 2), 0)
    good &= (ended | closes) & (own_moves >= 0)

    layout = _layouts(lines, np.minimum(at[:, None] + np.arange(1, _DEALT), count - 1))
    first, seat = lines.told("first", at), lines.told("seat", at)
    seats = np.zeros(len(starts), int)
    seats[owner[opens]] = seat[opens]
    good &= (layout >= 0) & (seat == seats[owner])

    steps, column = _steps(), lines.told("column")
    played = at + _DEALT
    length = until - played - 2 * ended
    good &= length <= _MOST_LINES
    length = np.where(good, length, 0)
    keepers = np.zeros(len(starts), int)
    telling = np.flatnonzero(length)[::-1]  # of the hands of a participant the first is the last to tell
    tells = steps.keepers[column[played[telling]]]
    keepers[owner[telling]] = np.where(tells < 2, first[telling] ^ tells, tells - 2)
    keeper = np.where(seat < 2, seat, keepers[owner])
    good &= _played(_board(layout, first, keeper), column, played, length) > 0

    letters = steps.letters[column]
    moves = np.concatenate(([0], np.cumsum(letters > 0)))
    sequences = letters[letters > 0].tobytes().decode()
    begun, over = moves[at], moves[until]
    good &= ~ended | (own_moves == (over - begun + (keeper == first)) // 2)

    clean = np.zeros(len(starts), bool)
    clean[owner] = True
    clean[owner[~good]] = False
    people = [
        _who(lines.text(begin, begin + _HEAD), _SEATS[seats[one]]) if clean[one] else None
        for one, begin in enumerate(starts)
    ]
    whose = [people[one] or ("", "") for one in owner.tolist()]
    clocks = zip(lines.begins[at].tolist(), lines.width[at].tolist())
    told = zip(
        [participant for participant, _partner in whose],
        number[at].tolist(),
        map(_LAYOUTS.__getitem__, layout.tolist()),
        map(rules.KEEPERS.__getitem__, first.tolist()),
        map(sequences.__getitem__, map(slice, begun.tolist(), over.tolist())),
        (above + 1 + at).tolist(),
        [int(lines.block[begin : begin + width].replace(b".", b"")) for begin, width in clocks],
        ended.tolist(),
        map(_SEATS.__getitem__, seat.tolist()),
        [partner for _participant, partner in whose],
        itertools.repeat(None),  # events
    )
    hands = list(map(PlayedHand._make, told))
    own = itertools.pairwise(np.searchsorted(owner, np.arange(len(starts) + 1)).tolist())
    for who, (begin, end), (first_own, past_own) in zip(people, itertools.pairwise(bounds.tolist()), own):
        yield begin, end, hands[first_own:past_own] if who else None


def _who(head: bytes, seat: str) -> tuple[str, str] | None:
    """The codes of the participant in this seat and of their partner, which is empty for who plays alone;
    None if their head is not as Card Lab writes it."""
    who = quick.who_of(head.decode("utf-8", "replace"))
    if who is None or seat == rules.SEAT:
        return who and (who[0], "")
    return who if who[1] else None


def _layouts(lines: _Lines, dealt: Any) -> Any:
    """The numbers of the layouts, from the lines of each deal; -1 if they tell none."""
    in_order = (lines.told("dealt", dealt) == np.arange(len(rules.PLACES))).all(1)
    powers = _POWERS[[rules.PLACES.index(place) for place in VIEWS]]
    return np.where(in_order, _LAYOUT_OF[lines.told("card", dealt) @ powers], -1)


def _played(board: Any, column: Any, begin: Any, length: Any) -> Any:
    """The boards of hands after so many lines each: all hands are played on line by line, the longest first
    among them."""
    order = np.argsort(-length, kind="stable")
    shorter = np.searchsorted(np.sort(length), np.arange(length.max(initial=0)), "right")
    after, board, begin = _steps().after, board[order], begin[order]
    for number, left in enumerate((len(order) - shorter).tolist()):
        board[:left] = after[board[:left], column[begin[:left] + number]]
    found = np.empty_like(board)
    found[order] = board
    return found
