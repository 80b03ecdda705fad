"""A ck or nk log read back, whoever wrote it: what does not fit is warned of (ruling 6)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import unquote

from cardlab.games.cards import TTT_PACK
from cardlab.games.contract import BadFile
from cardlab.games.text_file import quote
from cardlab.games.ttt import rules, settings_file
from cardlab.games.ttt.keeper_log.names import VIEWS

_PLACES = {view.lower(): rules.PLACES.index(place) for place, view in VIEWS.items()}
_KEEPERS = {place: keeper for keeper, place in rules.KEEPER_PLACE.items()}
_MOVES = {place: move for move, place in rules.MOVE_PLACE.items()}


class LoggedEvent(NamedTuple):
    """A move, look, pick-up or refused action as a log tells it; actions as in ``rules``. ``by_server`` is a
    pass that the server made for one of two who stayed away."""

    ms: int
    action: str
    accepted: bool = True
    reason: str = ""
    by_server: bool = False


@dataclass(frozen=True)
class LoggedHand:
    """One hand of one file.

    ``participant`` is empty if the log names none. ``partner`` is the code of who had the other keeper, or
    ``ROBOT``; empty if the participant had both. ``keeper`` is whose file it is, None if nothing tells.
    ``goal``, ``first`` and ``options`` are what the ``HS`` line says; without one (the source's logs)
    ``goal`` is None, ``options`` empty, and ``first`` follows from the exchanges, if any.
    ``line`` is where the hand begins. ``ended_ms`` is None for a hand without an end; ``own_moves``
    and ``score`` are those of its ``GE`` line.
    """

    participant: str
    keeper: str | None
    number: int
    layout: rules.Layout
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
        return self.keeper if self.keeper and self.options.get("players") == 2 else rules.SEAT

    @property
    def ended(self) -> bool:
        """Whether the log tells an end of the hand."""
        return self.ended_ms is not None

    @property
    def sequence(self) -> str:
        """The moves, passes included: ``TUPT``."""
        return "".join(
            event.action for event in self.events if event.accepted and event.action in rules.MOVES
        )


@dataclass(frozen=True)
class Log:
    """The hands of a log file, and what in it could not be read or does not fit, by line."""

    hands: list[LoggedHand]
    warnings: list[str]


class _Entry(NamedTuple):
    """One recognised line: its kind in capitals and the fields after the kind."""

    line: int
    ms: int
    kind: str
    fields: list[str]

    def text(self, index: int) -> str:
        return self.fields[index] if index < len(self.fields) else ""


_HEAD_KINDS = ("BEGINS", "USER", "GS")  # in the order in which a head has them
_PLAY_KINDS = ("PR", "PM", "RM", "PP", "RP", "VC", "ER", "GE", "ENDED")
_KINDS = {*_HEAD_KINDS, "ERRORS", "HS", "GC", *_PLAY_KINDS}
_HEAD_WORDS = {"game begins": "BEGINS", "userid": "USER", "errorsmade": "ERRORS"}

_TIME = re.compile(r"([0-9]{1,12})(?:\.([0-9]{1,9}))?")
_NUMBER = re.compile(r"-?[0-9]{1,9}")
_SEAT = re.compile(r"(?<!\S)seat=(ck|nk)(?!\S)")
_OWN_WORDS = re.compile(r"(number|color)\s?keeper", re.IGNORECASE)


@dataclass
class Warnings:
    """Warnings about a file are found in several passes and told in the order of the lines."""

    name: str
    found: list[tuple[int, str]] = field(default_factory=list)

    def add(self, line: int, sentence: str) -> None:
        """A warning about a line."""
        self.found.append((line, sentence))

    def no_end(self, line: int, number: int) -> None:
        """The warning about a hand without an end that begins in this line."""
        self.add(line, f"Hand {number}, dealt here, has no end: the log is cut off or the hand still open.")

    def told(self) -> list[str]:
        """All warnings with the name of the file, in the order of the lines."""
        return [f"{self.name}, line {line}: {sentence}" for line, sentence in sorted(self.found)]


def read(lines: Iterable[str], name: str) -> Log:
    """Read a ck or nk log, of one participant or of several one after the other.

    Fields may be parted by ``:`` or ``;``. What cannot be read is skipped, a hand without an end is
    kept as far as it goes, a deal of fewer than six cards is left out, each with a warning. BadFile if
    no line is one of a log.
    """
    warnings = Warnings(name)
    hands = read_part(lines, 1, warnings)
    if hands is None:
        raise not_a_log(name)
    return Log(hands, warnings.told())


def not_a_log(name: str) -> BadFile:
    """The error to raise for a file without a line of a log."""
    return BadFile(name, "No line of this file is one of a ck or nk log, like '12.345:12.345:GC:3C;…'.")


def read_part(lines: Iterable[str], first_line: int, warnings: Warnings) -> list[LoggedHand] | None:
    """The hands of a part of a log that no participant shares with another part; None if it has no line
    of a log. ``first_line`` is the number of its first line in the file."""
    entries = _entries(lines, first_line, warnings)
    first = next(entries, None)
    if first is None:
        return None
    sections = _sections(itertools.chain([first], entries))
    return [hand for section in sections for hand in _hands(section, warnings)]


def _entries(lines: Iterable[str], first_line: int, warnings: Warnings) -> Iterator[_Entry]:
    """The lines of known kinds; the others are warned of."""
    for number, line in enumerate(lines, start=first_line):
        line = line.removeprefix("\ufeff").strip()
        if not line:
            continue
        entry = _entry(number, line)
        if entry is None:
            warnings.add(number, f"{quote(line)} is no line of a log and is skipped.")
        elif entry.kind not in _KINDS:
            warnings.add(number, f"Lines of the kind {quote(entry.kind)} are not known; this one is skipped.")
        else:
            yield entry


def _entry(number: int, line: str) -> _Entry | None:
    first, *rest = [part.strip() for part in line.replace(";", ":").split(":")]
    ms = _ms(first)
    if ms is None or not rest:
        return None
    if rest[0] == first or _ms(rest[0]) is not None:
        return _Entry(number, ms, rest[1].upper(), rest[2:]) if rest[1:] and rest[1] else None
    words = rest[0].lower()
    for start, kind in _HEAD_WORDS.items():
        if words.startswith(start):
            return _Entry(number, ms, kind, rest[1:])
    if words == "" and [part.lower() for part in rest[1:2]] == ["hand ended"]:
        return _Entry(number, ms, "ENDED", [])
    return None


def _ms(text: str) -> int | None:
    found = _TIME.fullmatch(text)
    return int(found[1]) * 1000 + int((found[2] or "").ljust(3, "0")[:3]) if found else None


def _number(text: str) -> int | None:
    return int(text) if _NUMBER.fullmatch(text) else None


class _Section(NamedTuple):
    """The lines of one participant with one partner, or of a file that begins without a head."""

    participant: str
    partner: str
    entries: list[_Entry]


def _sections(entries: Iterable[_Entry]) -> Iterator[_Section]:
    """A head line that does not continue the head before it begins another section."""
    participant, partner, stage = "", "", -1
    part: list[_Entry] = []
    for entry in entries:
        if entry.kind in _HEAD_KINDS:
            step = _HEAD_KINDS.index(entry.kind)
            if step <= stage:
                yield _Section(participant, partner, part)
                part = []
                # A bare GS is the same person's game started again.
                participant, partner = (participant, partner) if entry.kind == "GS" else ("", "")
            stage = step
            if entry.kind == "USER":
                participant = " ".join(entry.text(0).split()[1:-1])
                partner = entry.text(2).removeprefix("partner").strip()
        elif entry.kind != "ERRORS":
            part.append(entry)
            stage = len(_HEAD_KINDS)
    yield _Section(participant, partner, part)


def _hands(section: _Section, warnings: Warnings) -> Iterator[LoggedHand]:
    of_section = _own_keeper(section.entries)
    number = 0
    for entries in _deals(section.entries):
        start = entries[0]
        told = _number(start.text(0)) if start.kind == "HS" else None
        number = number + 1 if told is None else told
        layout = _layout(entries, warnings)
        if layout is None:
            continue
        goal, first, options = _terms(start, warnings)
        keeper = options.pop("seat", of_section)
        if keeper is None and options.pop("players", None):
            sentence = "Nothing tells whose log this hand of two is; it is read as that of one person."
            warnings.add(start.line, sentence)
        replay = _Replay(layout, first, keeper, warnings)
        for entry in entries:
            if entry.kind in _PLAY_KINDS:
                replay.take(entry)
        if replay.ended_ms is None:
            warnings.no_end(start.line, number)
        yield LoggedHand(
            section.participant,
            keeper,
            number,
            layout,
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


def _own_keeper(entries: list[_Entry]) -> str | None:
    """Whose file it is, from the first line that tells.

    The ``HS`` line of a hand of two says it. Lines about oneself name the keeper in words. In ``RM`` the
    keeper's view is the other keeper's. A first pass of a hand tells it when the ``HS`` line names the first
    mover.
    """
    first = None
    for entry in entries:
        if entry.kind in ("PM", "PR", "VC", "ER"):
            if words := _OWN_WORDS.search(entry.fields[-1] if entry.fields else ""):
                return "ck" if words[1].lower() == "color" else "nk"
            if entry.kind == "PM" and (keeper := _keeper_of_view(entry.text(3))):
                return keeper
        elif entry.kind == "RM" and (keeper := _keeper_of_view(entry.text(3))):
            return rules.other(keeper)
        elif entry.kind == "HS":
            first = _first_mover(entry)
            if seat := _SEAT.search(entry.text(3)):
                return seat[1]
        elif entry.kind in ("PP", "RP") and first:
            return first if entry.kind == "PP" else rules.other(first)
    return None


def _keeper_of_view(view: str) -> str | None:
    return _KEEPERS.get(_PLACES.get(view.lower(), -1))


def _deals(entries: list[_Entry]) -> Iterator[list[_Entry]]:
    """The lines hand by hand. A hand begins with ``HS``, or with a card that the deal before cannot take."""
    hand: list[_Entry] = []
    dealt: set[str] = set()
    playing = False
    for entry in entries:
        view = entry.text(1).lower()
        if entry.kind == "HS" or (entry.kind == "GC" and (playing or view in dealt)):
            if hand:
                yield hand
            hand, dealt, playing = [], set(), False
        if entry.kind == "GC":
            dealt.add(view)
        playing = playing or entry.kind in _PLAY_KINDS
        hand.append(entry)
    if hand:
        yield hand


def _layout(entries: list[_Entry], warnings: Warnings) -> rules.Layout | None:
    """The six cards dealt, or None with a warning."""
    cards: dict[int, str] = {}
    for entry in entries:
        if entry.kind != "GC":
            continue
        card, place = entry.text(0).upper(), _PLACES.get(entry.text(1).lower())
        if card not in TTT_PACK or place is None or card in cards.values():
            warnings.add(entry.line, f"This card cannot be dealt: {quote(entry.text(0))}, {entry.text(1)}.")
        else:
            cards[place] = card
    if len(cards) == len(rules.PLACES):
        return tuple(cards[place] for place in range(len(rules.PLACES)))
    warnings.add(
        entries[0].line, f"The deal that begins here has {len(cards)} of 6 cards; the hand is left out."
    )
    return None


def _first_mover(entry: _Entry) -> str | None:
    first = entry.text(2).lower()
    return first if first in rules.KEEPERS else None


def _terms(start: _Entry, warnings: Warnings) -> tuple[str | None, str | None, dict[str, Any]]:
    """Goal, first mover and options, as far as an ``HS`` line tells them."""
    if start.kind != "HS":
        return None, None, {}
    goal, first = start.text(1).upper(), _first_mover(start)
    if goal not in TTT_PACK or first is None or _number(start.text(0)) is None:
        warnings.add(start.line, "The line should name the hand's number, the goal card and ck or nk.")
    options: dict[str, Any] = {}
    for pair in start.text(3).split():
        key, _, text = pair.partition("=")
        try:
            options[key] = _option(key, unquote(text))
        except ValueError as error:
            warnings.add(start.line, f"A setting is left out: {error}")
    return goal if goal in TTT_PACK else None, first, options


def _option(key: str, text: str) -> Any:
    if (key, text) == ("players", "2"):
        return 2
    if key == "seat" and text in rules.KEEPERS:
        return text
    if key == "block" and _NUMBER.fullmatch(text):
        return int(text)
    if key not in rules.DEFAULT_OPTIONS:
        raise ValueError(f"{quote(key)} is not known.")
    if key in settings_file.KEYS:
        return settings_file.parse_value(key, text)
    if key == "time_scale_seconds":
        return int(text) if _NUMBER.fullmatch(text) else float(text)
    return text


class _Replay:
    """One hand's lines folded into events; what does not fit the board is warned of.

    ``turn`` and ``first`` stay None until something tells whose move it was.
    """

    def __init__(self, layout: rules.Layout, first: str | None, keeper: str | None, warnings: Warnings):
        self.layout, self.first, self.turn, self.keeper = layout, first, first, keeper
        self.warnings = warnings
        self.events: list[LoggedEvent] = []
        self.moves = ""
        self.ended_ms: int | None = None
        self.own_moves: int | None = None
        self.score: int | None = None

    def take(self, entry: _Entry) -> None:
        if self.ended_ms is not None:
            if entry.kind != "ENDED":
                self.warnings.add(entry.line, "This line comes after the end of its hand and is skipped.")
        elif entry.kind in ("PM", "RM"):
            self._exchange(entry)
        elif entry.kind in ("PP", "RP"):
            if self.keeper:
                self._turn_to(self.keeper if entry.kind == "PP" else rules.other(self.keeper), entry)
            self._add(entry, "P", by_server=" by the server" in entry.text(1))
        elif entry.kind in ("PR", "VC"):
            self._touch(entry)
        elif entry.kind == "ER":
            self.events.append(LoggedEvent(entry.ms, entry.text(0), False, entry.text(1)))
        else:
            self._end(entry)

    def _exchange(self, entry: _Entry) -> None:
        place, keeper = _PLACES.get(entry.text(1).lower(), -1), _keeper_of_view(entry.text(3))
        if place not in _MOVES or keeper is None:
            self.warnings.add(
                entry.line, "This line does not name a place and a keeper's place; it is skipped."
            )
            return
        self._expect(entry, entry.text(0), place)
        self._expect(entry, entry.text(2), rules.KEEPER_PLACE[keeper])
        self._turn_to(keeper, entry)
        move = _MOVES[place]
        if move == "T" and not rules.may_enter_target(self.layout, keeper):
            self.warnings.add(entry.line, "This exchange with Target breaks the rule of the keeper on turn.")
        self.layout = rules.swap(self.layout, rules.KEEPER_PLACE[keeper], place)
        self._add(entry, move)

    def _touch(self, entry: _Entry) -> None:
        """A pick-up or a look; neither changes the board."""
        place = _PLACES.get(entry.text(1).lower())
        if place is None or (entry.kind == "VC" and place not in _KEEPERS):
            self.warnings.add(entry.line, "This line does not name a place; it is skipped.")
            return
        self._expect(entry, entry.text(0), place)
        action = rules.PICKS[place] if entry.kind == "PR" else f"look {_KEEPERS[place]}"
        self.events.append(LoggedEvent(entry.ms, action))

    def _expect(self, entry: _Entry, card: str, place: int) -> None:
        if card.upper() != self.layout[place]:
            self.warnings.add(
                entry.line,
                f"The line has {quote(card)} at {rules.PLACES[place]}, where the board, as replayed, "
                f"has {self.layout[place]}; the line is followed by its places.",
            )

    def _turn_to(self, keeper: str, entry: _Entry) -> None:
        """The keeper moves; the turn alternates, so two moves of one in a row hide a pass of the other.

        (The source's own logs seem to tell no own passes.)
        """
        if self.turn is None:
            self.turn = self.first = keeper  # without an HS line, whoever moves first
        elif keeper != self.turn:
            self.warnings.add(
                entry.line, f"{keeper} moves, but {self.turn} is on turn; a pass of {self.turn} is put in."
            )
            self._add(entry, "P")

    def _add(self, entry: _Entry, move: str, by_server: bool = False) -> None:
        self.events.append(LoggedEvent(entry.ms, move, by_server=by_server))
        self.moves += move
        self.turn = self.turn and rules.other(self.turn)

    def _end(self, entry: _Entry) -> None:
        self.ended_ms = entry.ms
        if entry.kind == "ENDED":
            return
        self.own_moves, self.score = _number(entry.text(0)), _number(entry.text(1))
        if self.own_moves is None or self.score is None:
            self.warnings.add(entry.line, "The line should tell own moves and score, two whole numbers.")
        elif self.keeper and self.first:
            own = len(self.moves[0 if self.first == self.keeper else 1 :: 2])
            if own != self.own_moves:
                self.warnings.add(
                    entry.line, f"The line tells {self.own_moves} own moves, but those above are {own}."
                )
