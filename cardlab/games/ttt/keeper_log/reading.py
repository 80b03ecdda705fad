"""Reads a ck or nk log of any program, and warns of inconsistencies (ruling 6)."""

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import unquote

from cardlab.games.cards import TTT_PACK
from cardlab.games.contract import BadFile
from cardlab.games.text_file import quote
from cardlab.games.ttt import board, rules, settings_file
from cardlab.games.ttt.keeper_log.names import VIEWS

_PLACES = {view.lower(): board.PLACES.index(place) for place, view in VIEWS.items()}
_KEEPERS = {place: keeper for keeper, place in board.KEEPER_PLACE.items()}
_MOVES = {place: move for move, place in board.MOVE_PLACE.items()}


class LoggedEvent(NamedTuple):
    """A move, look, pick-up or rejected action in a log. Actions are written as in ``rules``.

    ``by_server`` marks a pass by the server for an absent participant.
    """

    ms: int
    action: str
    accepted: bool = True
    reason: str = ""
    by_server: bool = False


class LoggedHand(NamedTuple):
    """A hand of a file.

    ``participant`` is empty if the log has no code. ``partner`` is the code of the participant with the other
    keeper, or ``ROBOT``; it is empty if the participant moved both. ``keeper`` is the keeper whose file it
    is, None if unknown. ``goal``, ``first`` and ``options`` are from the ``HS`` line. Without one (as in the
    source's logs) ``goal`` is None, ``options`` is empty, and ``first`` is inferred from the exchanges, if
    any. ``sequence`` has the moves and passes: ``TUPT``. ``line`` is where the hand begins. ``ended_ms`` is
    None for a hand without an end; ``own_moves`` and ``score`` are those of its ``GE`` line.
    """

    participant: str
    keeper: str | None
    number: int
    layout: board.Layout
    sequence: str
    goal: str | None
    first: str | None
    options: dict[str, Any]
    events: tuple[LoggedEvent, ...]
    line: int
    dealt_ms: int
    ended_ms: int | None
    own_moves: int | None
    score: int | None
    partner: str = ""

    @property
    def seat(self) -> str:
        """The participant's seat in the hand."""
        return self.keeper if self.keeper and self.options.get("players") == 2 else board.SEAT

    @property
    def ended(self) -> bool:
        """Whether the log has an end of the hand."""
        return self.ended_ms is not None


@dataclass(frozen=True)
class Log:
    """The hands of a log file, and warnings about unreadable or inconsistent lines."""

    hands: list[LoggedHand]
    warnings: list[str]


_HEAD_KINDS = ("BEGINS", "USER", "GS")  # in the order in which a head has them
_PLAY_KINDS = frozenset(("PR", "PM", "RM", "PP", "RP", "VC", "ER", "GE", "ENDED"))
_KINDS = {*_HEAD_KINDS, "ERRORS", "HS", "GC", *_PLAY_KINDS}
_HEAD_WORDS = {"game begins": "BEGINS", "userid": "USER", "errorsmade": "ERRORS"}

_CLOCK = r"([0-9]{1,12})(?:\.([0-9]{1,9}))?"
_EVENT = re.compile(rf"{_CLOCK}\s*[:;]\s*(?:[0-9]{{1,12}}(?:\.[0-9]{{1,9}})?)\s*[:;](.*)", re.DOTALL)
_HEAD = re.compile(rf"{_CLOCK}\s*[:;]([^:;]*)(?:[:;](.*))?", re.DOTALL)
_SEPARATOR = re.compile("[:;]")
_NUMBER = re.compile(r"-?[0-9]{1,9}")
_SEAT = re.compile(r"(?<!\S)seat=(ck|nk)(?!\S)")
_KEEPER_IN_WORDS = re.compile(r"(number|color)\s?keeper", re.IGNORECASE)


class _Message(NamedTuple):
    """The text of a line after its clocks: its kind in capitals and the fields after the kind.

    ``card``, ``place`` and ``keeper`` are the usual contents of the fields: a card in capitals, the number of
    its place, and the keeper at the place of the second card; None if a field has no such name.
    """

    kind: str
    fields: tuple[str, ...] = ()
    card: str = ""
    place: int | None = None
    keeper: str | None = None

    def text(self, index: int) -> str:
        return self.fields[index] if index < len(self.fields) else ""


class _Entry(NamedTuple):
    """A line of a known kind."""

    line: int
    ms: int
    message: _Message


@dataclass
class Warnings:
    """Warnings about a file, collected in several passes and reported in the order of the lines."""

    name: str
    by_line: list[tuple[int, str]] = field(default_factory=list)

    def add(self, line: int, sentence: str) -> None:
        """Adds a warning about a line."""
        self.by_line.append((line, sentence))

    def in_order(self) -> list[str]:
        """Returns all warnings with the name of the file, in the order of the lines."""
        return [f"{self.name}, line {line}: {sentence}" for line, sentence in sorted(self.by_line)]


def read(lines: Iterable[str], name: str) -> Log:
    """Reads a ck or nk log of one or several participants.

    Fields may be separated by ``:`` or ``;`` (ruling 6). Warns of unreadable lines, which are skipped; of
    hands without an end, which are kept; and of deals of fewer than six cards, which are left out. Raises
    BadFile if no line has the format of a log.
    """
    warnings = Warnings(name)
    entries = _entries(lines, warnings)
    first = next(entries, None)
    if first is None:
        raise BadFile(
            name, "No line of this file has the format of a ck or nk log, such as '12.345:12.345:GC:3C;…'."
        )
    sections = _sections(itertools.chain([first], entries))
    hands = [hand for section in sections for hand in _hands(section, warnings)]
    return Log(hands, warnings.in_order())


def _entries(lines: Iterable[str], warnings: Warnings) -> Iterator[_Entry]:
    """Yields the lines of known kinds, and warns of other lines."""
    for number, line in enumerate(lines, start=1):
        line = line.removeprefix("\ufeff").strip()
        if match := _EVENT.fullmatch(line):
            seconds, decimals, text = match.groups()
            message = _event_message(text)
        elif match := _HEAD.fullmatch(line):
            seconds, decimals, words, text = match.groups()
            message = _head_message(words.strip(), text or "")
        elif not line:
            continue
        else:
            message = None
        if message is None:
            warnings.add(number, f"{quote(line)} does not have the format of a log line and is skipped.")
        elif message.kind not in _KINDS:
            warnings.add(number, f"Unknown kind of line {quote(message.kind)}; the line is skipped.")
        else:
            yield _Entry(number, int(seconds) * 1000 + int((decimals or "").ljust(3, "0")[:3]), message)


@lru_cache(maxsize=4096)  # nearly all lines have one of a few hundred different messages
def _event_message(text: str = "") -> _Message | None:
    """Returns the message of a line with two clocks."""
    kind, *fields = [part.strip() for part in _SEPARATOR.split(text)]
    if not kind:
        return None
    card, view, _other_card, keeper_view, *_ = [*fields, "", "", "", ""]
    keeper = _KEEPERS.get(_PLACES.get(keeper_view.lower(), -1))
    return _Message(kind.upper(), tuple(fields), card.upper(), _PLACES.get(view.lower()), keeper)


def _head_message(words: str, text: str = "") -> _Message | None:
    """Returns the message of a line with one clock."""
    fields = tuple(part.strip() for part in _SEPARATOR.split(text))
    for start, kind in _HEAD_WORDS.items():
        if words.lower().startswith(start):
            return _Message(kind, fields)
    return _Message("ENDED") if words == "" and fields[0].lower() == "hand ended" else None


def _number(text: str) -> int | None:
    return int(text) if _NUMBER.fullmatch(text) else None


class _Section(NamedTuple):
    """The lines of one participant with one partner, or of a file without a head."""

    participant: str
    partner: str
    entries: list[_Entry]


def _sections(entries: Iterable[_Entry]) -> Iterator[_Section]:
    """Splits a log at each head line that does not continue the previous head."""
    participant, partner, stage = "", "", -1
    part: list[_Entry] = []
    for entry in entries:
        kind = entry.message.kind
        if kind in _HEAD_KINDS:
            step = _HEAD_KINDS.index(kind)
            if step <= stage:
                yield _Section(participant, partner, part)
                part = []
                if kind != "GS":  # a single GS line restarts the game of the same person
                    participant, partner = "", ""
            stage = step
            if kind == "USER":
                participant = " ".join(entry.message.text(0).split()[1:-1])
                partner = entry.message.text(2).removeprefix("partner").strip()
        elif kind != "ERRORS":
            part.append(entry)
            stage = len(_HEAD_KINDS)
    yield _Section(participant, partner, part)


def _hands(section: _Section, warnings: Warnings) -> Iterator[LoggedHand]:
    section_keeper = _keeper_of_file(section.entries)
    number = 0
    for entries in _deals(section.entries):
        start = entries[0]
        number_in_log = _number(start.message.text(0)) if start.message.kind == "HS" else None
        number = number + 1 if number_in_log is None else number_in_log
        layout = _layout(entries, warnings)
        if layout is None:
            continue
        goal, first, options = _terms(start, warnings)
        keeper = options.pop("seat", section_keeper)
        if keeper is None and options.pop("players", None):
            sentence = (
                "The log does not say whose log of a two-player hand it is, so it is read as that of "
                "one person."
            )
            warnings.add(start.line, sentence)
        replay = _Replay(layout, first, keeper, warnings)
        for entry in entries:
            if entry.message.kind in _PLAY_KINDS:
                replay.add_line(entry)
        if replay.ended_ms is None:
            warnings.add(
                start.line,
                f"Hand {number}, dealt here, has no end: the log was cut off, or the hand is still open.",
            )
        yield LoggedHand(
            section.participant,
            keeper,
            number,
            layout,
            replay.moves,
            goal,
            replay.first,
            options,
            tuple(replay.events),
            start.line,
            start.ms,
            replay.ended_ms,
            replay.own_moves,
            replay.score,
            section.partner if options.get("players") == 2 else "",
        )


def _keeper_of_file(entries: list[_Entry]) -> str | None:
    """Returns the keeper whose file it is, from the first line that identifies it.

    Such a line is the ``HS`` line of a hand of two, the first pass of a hand whose ``HS`` line names the
    first mover, or a line about a card; None if there is none.
    """
    first_mover = None
    for entry in entries:
        message = entry.message
        if message.kind == "HS":
            first_mover = _first_mover(message)
            keeper = seat[1] if (seat := _SEAT.search(message.text(3))) else None
        elif message.kind in ("PP", "RP"):
            keeper = first_mover and (first_mover if message.kind == "PP" else board.other(first_mover))
        else:
            keeper = _keeper_of_touch(message)
        if keeper:
            return keeper
    return None


def _keeper_of_touch(message: _Message) -> str | None:
    """Returns the keeper whose file has this line about a card; None if the line does not identify it.

    Lines about the file's own keeper have its name. In ``RM`` the keeper's view is the other keeper's.
    """
    if message.kind in ("PM", "PR", "VC", "ER"):
        if words := _KEEPER_IN_WORDS.search(message.fields[-1] if message.fields else ""):
            return "ck" if words[1].lower() == "color" else "nk"
        return message.keeper if message.kind == "PM" else None
    return board.other(message.keeper) if message.kind == "RM" and message.keeper else None


def _deals(entries: list[_Entry]) -> Iterator[list[_Entry]]:
    """Yields the lines of each hand. A hand begins with ``HS``, or with a card whose place has been dealt."""
    hand: list[_Entry] = []
    dealt_keepers: set[str] = set()
    playing = False
    for entry in entries:
        kind = entry.message.kind
        view = entry.message.text(1).lower() if kind == "GC" else ""
        if hand and (kind == "HS" or (kind == "GC" and (playing or view in dealt_keepers))):
            yield hand
            hand, dealt_keepers, playing = [], set(), False
        if kind == "GC":
            dealt_keepers.add(view)
        elif kind in _PLAY_KINDS:
            playing = True
        hand.append(entry)
    if hand:
        yield hand


def _layout(entries: list[_Entry], warnings: Warnings) -> board.Layout | None:
    """Returns the six dealt cards, or None after a warning."""
    cards: dict[int, str] = {}
    for line, _ms, message in entries:
        if message.kind != "GC":
            continue
        card, place = message.card, message.place
        if card not in TTT_PACK or place is None or card in cards.values():
            warnings.add(line, f"This card cannot be dealt: {quote(message.text(0))}, {message.text(1)}.")
        else:
            cards[place] = card
    if len(cards) == len(board.PLACES):
        return tuple(cards[place] for place in range(len(board.PLACES)))
    warnings.add(
        entries[0].line, f"The deal that begins here has {len(cards)} of 6 cards, so the hand is left out."
    )
    return None


def _first_mover(message: _Message) -> str | None:
    first = message.text(2).lower()
    return first if first in board.KEEPERS else None


def _terms(start: _Entry, warnings: Warnings) -> tuple[str | None, str | None, dict[str, Any]]:
    """Returns goal, first mover and options of an ``HS`` line; None and empty for what it lacks."""
    message = start.message
    if message.kind != "HS":
        return None, None, {}
    goal, first = message.text(1).upper(), _first_mover(message)
    if goal not in TTT_PACK or first is None or _number(message.text(0)) is None:
        warnings.add(start.line, "The line must have the hand's number, the goal card and ck or nk.")
    options, errors = _options(message.text(3))
    for error in errors:
        warnings.add(start.line, f"A setting is ignored: {error}")
    return goal if goal in TTT_PACK else None, first, dict(options)


@lru_cache(maxsize=64)  # the hands of a session have few different settings
def _options(text: str) -> tuple[tuple[tuple[str, Any], ...], tuple[str, ...]]:
    """Returns the settings of an ``HS`` line and the errors in it."""
    options: dict[str, Any] = {}
    errors: list[str] = []
    for pair in text.split():
        key, _, value = pair.partition("=")
        try:
            options[key] = _option(key, unquote(value))
        except ValueError as error:
            errors.append(str(error))
    return tuple(options.items()), tuple(errors)


def _option(key: str, text: str) -> Any:
    if (key, text) == ("players", "2"):
        return 2
    if key == "seat" and text in board.KEEPERS:
        return text
    if key == "block" and _NUMBER.fullmatch(text):
        return int(text)
    if key not in rules.DEFAULT_OPTIONS:
        raise ValueError(f"Unknown setting {quote(key)}.")
    if key in settings_file.KEYS:
        return settings_file.parse_value(key, text)
    if key == "time_scale_seconds":
        return int(text) if _NUMBER.fullmatch(text) else float(text)
    return text


class _Replay:
    """Folds the lines of a hand into events, and warns of lines that contradict the board.

    ``turn`` and ``first`` are None until a line identifies the mover.
    """

    def __init__(self, layout: board.Layout, first: str | None, keeper: str | None, warnings: Warnings):
        self.layout, self.first, self.turn, self.keeper = layout, first, first, keeper
        self.warnings = warnings
        self.events: list[LoggedEvent] = []
        self.moves = ""
        self.ended_ms: int | None = None
        self.own_moves: int | None = None
        self.score: int | None = None

    def add_line(self, entry: _Entry) -> None:
        message = entry.message
        kind = message.kind
        if self.ended_ms is not None:
            if kind != "ENDED":
                self.warnings.add(entry.line, "This line comes after the end of its hand and is skipped.")
        elif kind in ("PM", "RM"):
            self._exchange(entry)
        elif kind in ("PP", "RP"):
            if self.keeper:
                self._turn_to(self.keeper if kind == "PP" else board.other(self.keeper), entry)
            self._add(entry, "P", by_server=" by the server" in message.text(1))
        elif kind in ("PR", "VC"):
            self._touch(entry)
        elif kind == "ER":
            self.events.append(LoggedEvent(entry.ms, message.text(0), False, message.text(1)))
        else:
            self._end(entry)

    def _exchange(self, entry: _Entry) -> None:
        _kind, fields, card, place, keeper = entry.message
        if place not in _MOVES or keeper is None:
            self.warnings.add(
                entry.line, "This line does not name a place and a keeper's place; it is skipped."
            )
            return
        keeper_place = board.KEEPER_PLACE[keeper]
        if card != self.layout[place]:
            self._warn_of_card(entry, 0, place)
        if fields[2].upper() != self.layout[keeper_place]:
            self._warn_of_card(entry, 2, keeper_place)
        if keeper != self.turn:
            self._turn_to(keeper, entry)
        move = _MOVES[place]
        if move == "T" and not board.may_enter_target(self.layout, keeper):
            self.warnings.add(
                entry.line, "This exchange with Target breaks the rule of the keeper whose turn it is."
            )
        self.layout = board.swap(self.layout, keeper_place, place)
        self._add(entry, move)

    def _touch(self, entry: _Entry) -> None:
        """Adds a pick-up or a look, which do not change the board."""
        message = entry.message
        place = message.place
        if place is None or (message.kind == "VC" and place not in _KEEPERS):
            self.warnings.add(entry.line, "This line does not name a place; it is skipped.")
            return
        if message.card != self.layout[place]:
            self._warn_of_card(entry, 0, place)
        action = rules.PICKS[place] if message.kind == "PR" else f"look {_KEEPERS[place]}"
        self.events.append(LoggedEvent(entry.ms, action))

    def _warn_of_card(self, entry: _Entry, index: int, place: int) -> None:
        """Warns that the card on the board differs from that in the field with this index."""
        self.warnings.add(
            entry.line,
            f"The line has {quote(entry.message.text(index))} at {board.PLACES[place]}, but the "
            f"replayed board has {self.layout[place]} there; the places of the line are used.",
        )

    def _turn_to(self, keeper: str, entry: _Entry) -> None:
        """Gives the turn to the keeper.

        The turn alternates, so between two consecutive moves of one keeper a pass of the other is missing.
        (The source's own logs seem to leave out passes of the file's own keeper.)
        """
        if self.turn is None:
            self.turn = self.first = keeper  # there is no HS line
        elif keeper != self.turn:
            self.warnings.add(
                entry.line,
                f"{keeper} moves, but it is the turn of {self.turn}; a pass of {self.turn} is added.",
            )
            self._add(entry, "P")

    def _add(self, entry: _Entry, move: str, by_server: bool = False) -> None:
        self.events.append(LoggedEvent(entry.ms, move, True, "", by_server))
        self.moves += move
        self.turn = self.turn and board.other(self.turn)

    def _end(self, entry: _Entry) -> None:
        self.ended_ms = entry.ms
        message = entry.message
        if message.kind == "ENDED":
            return
        self.own_moves, self.score = _number(message.text(0)), _number(message.text(1))
        if self.own_moves is None or self.score is None:
            self.warnings.add(
                entry.line, "The line must have the player's moves and score, two whole numbers."
            )
        elif self.keeper and self.first:
            own_move_count = len(self.moves[0 if self.first == self.keeper else 1 :: 2])
            if own_move_count != self.own_moves:
                self.warnings.add(
                    entry.line,
                    f"The line has {self.own_moves} own moves, but the lines above have {own_move_count}.",
                )
