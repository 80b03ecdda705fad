"""The log of games of Challenge: plain text, one game after another, which the analysing mode reads back.

For example::

    Challenge log 1
    # session ab12cd34 participant ef56gh78 game 3
    size: 2
    after_pickup: opponent
    after_better: pass
    trumps: computer S | participant H
    max_actions: 400
    deal: KS AH AC AD | AS KH KC KD | participant
      1 participant  KD
      2 computer     KS
        participant  resign
    result: computer won (resigned)

Beside the settings a line is a comment (``#``, ``//`` or ``;``), a move with its number, whose it is, and
the card, ``p`` for a pick-up or ``z`` for a pass (of a game that is analysed), or, without a number, a word:
``offer draw``, ``claim win``, ``accept``, ``decline``, ``resign``. The sides are called as in deals: the
first hand's is the computer, even if a person sits there. A log may be written by hand: moves are read in
every spelling in which they can be typed, settings in any order, and those left out have their default.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, NoReturn

from cardlab.games.challenge import commands, rules
from cardlab.games.challenge.deal import SIDES, Deal, format_deal, parse_deal
from cardlab.games.challenge.options import ALLOWED_OPTIONS, NUMBERS, complete_options
from cardlab.games.challenge.packs import SUITS, in_order, size_of
from cardlab.games.challenge.position import PICK_UP
from cardlab.games.contract import BadFile, IllegalAction
from cardlab.games.deal_file import BadDeal
from cardlab.games.hand import History
from cardlab.games.text_file import is_blank_or_comment, numbered_lines, quote

HEADING = "Challenge log "
VERSION = "1"
SETTINGS = ("size", "after_pickup", "after_better", "trumps", "max_actions")
WORDS = (rules.OFFER, rules.CLAIM, rules.ACCEPT, rules.DECLINE, rules.RESIGN)
DEAL, RESULT = "deal", "result"

_SEATS = dict(zip(SIDES, reversed(rules.SEATS), strict=True))
_LINE = re.compile(r"\s*(?:([0-9]{1,9})\.?\s+)?(\S+)(?:\s+(.*\S))?\s*")
_SETTING = re.compile(r"\s*(\w+)\s*:\s*(.*?)\s*")
_TRUMPS = re.compile(rf"{SIDES[0]}\s+([{SUITS}])\s*\|\s*{SIDES[1]}\s+([{SUITS}])")


@dataclass(frozen=True)
class Game:
    """A game of a log.

    ``options`` has the ``SETTINGS`` as ``rules.start`` takes them. ``entries`` are pairs of a side and what
    it did: a card, ``p``, ``z``, or one of ``WORDS``. ``result`` is as in the log, ``about`` has the
    comments, and ``line`` is where the game begins.
    """

    deal: str
    options: dict[str, Any]
    entries: tuple[tuple[str, str], ...]
    result: str
    about: tuple[str, ...] = ()
    line: int = field(default=0, compare=False)

    @property
    def moves(self) -> str:
        """What was played and picked up, as the option ``moves`` of ``rules.start`` has it."""
        return " ".join(what for _side, what in self.entries if what not in WORDS)


# A hand's game, and how it is written.


def of_hand(history: History, about: str = "") -> Game:
    """The game of a hand, and a comment such as who played it."""
    state, entries = history.hand.state, []
    for step in history.steps:
        if step.is_action and (what := _what(step.event.action)):
            entries.append((SIDES[rules.PLAYERS[step.event.seat]], what))
    first = state.positions[0]
    return Game(
        format_deal(Deal(in_order(first.hands[0]), in_order(first.hands[1]), first.mover)),
        {name: state.options[name] for name in SETTINGS},
        tuple(entries),
        _result(state),
        (" ".join(re.split(r'[\s,"]+', about.strip())),) if about else (),
    )


def _what(action: str) -> str:
    """An action as the log has it; empty for what does not stand there."""
    if action == PICK_UP or action.startswith("play "):
        return rules.spelled(action.removeprefix("play "))
    return action if action in WORDS else ""


def _result(state: rules.State) -> str:
    if not state.ended:
        return "open"
    winner = state.winner
    return f"{SIDES[rules.PLAYERS[winner]]} won ({state.ended})" if winner else f"drawn ({state.ended})"


def lines(game: Game) -> Iterator[str]:
    """The lines of a game in a log, none of them empty or with a comma: as they are, they are cells of a CSV
    file too."""
    yield HEADING + VERSION
    for comment in game.about:
        yield f"# {comment}"
    for name in SETTINGS:
        value = game.options[name]
        yield f"{name}: " + (
            f"{SIDES[0]} {value[0]} | {SIDES[1]} {value[1]}" if name == "trumps" else f"{value}"
        )
    yield f"{DEAL}: {game.deal}"
    number = 0
    for side, what in game.entries:
        number += what not in WORDS
        yield f"{'' if what in WORDS else number:>4} {side:<{len(SIDES[1])}}  {what}"
    yield f"{RESULT}: {game.result}"


def write(games: Iterable[Game]) -> str:
    """The text of a log."""
    return "\n".join(line for game in games for line in [*lines(game), ""])


# How it is read.


class _Line(NamedTuple):
    number: int
    text: str


def read(text: str, file: str) -> list[Game]:
    """The games of a log. BadFile says where it is cut or wrong, and what to do."""
    games: list[Game] = []
    reading: _Reading | None = None
    found = [_Line(*line) for line in numbered_lines(text, file) if line[1].strip()]
    for line, before in zip(found, [_Line(1, ""), *found], strict=False):
        if line.text.startswith(HEADING.strip()):
            if reading:
                reading.cut(before)
            reading = _Reading(file, line, found[-1].number)
        elif is_blank_or_comment(line.text):
            if reading:
                reading.about.append(line.text.strip().lstrip("#/;").strip())
        elif reading is None:
            heading = f"A game begins with the line '{HEADING}{VERSION}'"
            raise BadFile(file, f"{heading}, not with {quote(line.text.strip())}.", line.number, 1)
        elif reading.take(line):
            games.append(reading.game())
            reading = None
    if reading:
        reading.cut(found[-1])
    if not games:
        raise BadFile(file, f"There is no game in this file; a game begins with '{HEADING}{VERSION}'.", 1, 1)
    return games


class _Reading:
    """A game that is being read."""

    def __init__(self, file: str, line: _Line, last: int) -> None:
        self.file, self.line, self.last = file, line.number, last
        self.about: list[str] = []
        self.options: dict[str, Any] = {}
        self.deal: tuple[str, _Line, int] | None = None
        self.entries: list[tuple[str, str]] = []
        self.state: rules.State | None = None
        self.result = ""
        version = line.text.removeprefix(HEADING).strip()
        if version != VERSION:
            column = len(HEADING) + 1
            self.wrong(
                line, column, f"This log is of version {quote(version)}; version {VERSION} is read here."
            )

    def wrong(self, line: _Line, column: int, message: str) -> NoReturn:
        if line.number == self.last:
            message += " It is the last line of the file: is the file cut off?"
        raise BadFile(self.file, message, line.number, column)

    def cut(self, line: _Line) -> NoReturn:
        """The game has no end where this line ends."""
        message = (
            f"The game that begins in line {self.line} is cut off here: it has no result. Take the whole "
            f"file, or end the game with the line '{RESULT}: open'."
        )
        raise BadFile(self.file, message, line.number, len(line.text) + 1)

    def take(self, line: _Line) -> bool:
        """One more line; whether it ends the game."""
        found = _SETTING.fullmatch(line.text)
        if not found:
            self._move(line)
            return False
        name, value = found[1].lower(), found[2]
        name_at, at = found.start(1) + 1, found.start(2) + 1
        if name == RESULT:
            self._end(line, value, at)
            return True
        if self.state:
            self.wrong(line, name_at, "The settings of a game stand before its moves.")
        if name in self.options or (name == DEAL and self.deal):
            self.wrong(line, name_at, f"The line '{name}' stands here for the second time.")
        if name == DEAL:
            self.deal = value, line, at
        elif name in SETTINGS:
            self.options[name] = self._value(line, name, value, at)
        else:
            known = ", ".join([*SETTINGS, DEAL])
            self.wrong(line, name_at, f"There is no setting {quote(name)} in a log; there are {known}.")
        return False

    def game(self) -> Game:
        assert self.deal
        options = complete_options(self.options)
        return Game(
            format_deal(parse_deal(self.deal[0])),
            {name: options[name] for name in SETTINGS},
            tuple(self.entries),
            self.result,
            tuple(self.about),
            self.line,
        )

    def _value(self, line: _Line, name: str, text: str, at: int) -> Any:
        if name == "trumps":
            if not (found := _TRUMPS.fullmatch(text)) or found[1] == found[2]:
                self.wrong(line, at, f"Trumps are two suits, as in '{SIDES[0]} S | {SIDES[1]} H'.")
            return found[1] + found[2]
        if name in NUMBERS:
            least, most = NUMBERS[name]
            if not re.fullmatch("[0-9]{1,9}", text) or not least <= int(text) <= most:
                self.wrong(line, at, f"This must be a whole number from {least} to {most}.")
            return int(text)
        if text not in ALLOWED_OPTIONS[name]:
            self.wrong(line, at, f"This must be {' or '.join(ALLOWED_OPTIONS[name])}.")
        return text

    def _begun(self, line: _Line) -> rules.State:
        """The state as it stands, which the first line after the settings begins."""
        if self.state:
            return self.state
        if not self.deal:
            self.wrong(line, 1, f"Before this the line '{DEAL}' is missing.")
        text, at_line, at = self.deal
        try:
            deal = parse_deal(text)
            options = complete_options(self.options)
        except BadDeal as bad:
            self.wrong(at_line, at + bad.at, str(bad))
        except ValueError as bad:  # settings that do not go together
            self.wrong(at_line, 1, str(bad))
        if size_of(card for hand in deal.hands for card in hand) > options["size"]:
            self.wrong(at_line, at, f"A pack of size {options['size']} does not have all of these cards.")
        self.state = rules.start(text, options)
        return self.state

    def _move(self, line: _Line) -> None:
        state = self._begun(line)
        found = _LINE.fullmatch(line.text)
        assert found
        number, side, typed = found.groups()
        side_at = found.start(2) + 1
        if side.lower() not in SIDES:
            self.wrong(
                line, side_at, f"Here stands whose move it is, {' or '.join(SIDES)}, not {quote(side)}."
            )
        if typed is None:
            self.wrong(line, len(line.text) + 1, "What was played is missing: a card, p, or a word.")
        try:
            action = commands.read(typed)
        except ValueError as bad:
            self.wrong(line, found.start(3) + 1, str(bad))
        what = rules.spelled(rules.PASS) if action == rules.PASS else _what(action)
        if not what:
            self.wrong(line, found.start(3) + 1, f"{quote(typed)} is nothing that stands in a log.")
        due = str(len(state.moves) + 1)
        if (number or "") != ("" if what in WORDS else due):
            should = "A word has no number" if what in WORDS else f"The number of this move is {due}"
            self.wrong(line, found.start(2 if number is None else 1) + 1, f"{should}: is a line missing?")
        if action == rules.PASS:  # only who analyses can
            state = replace(state, options={**state.options, "analysing": True})
        try:
            self.state = rules.apply(state, _SEATS[side.lower()], action)
        except IllegalAction as refused:
            self.wrong(line, found.start(3) + 1, f"This cannot be done here: {refused.sentence}")
        self.entries.append((side.lower(), what))

    def _end(self, line: _Line, told: str, at: int) -> None:
        found = _result(self._begun(line))
        self.result = " ".join(told.split())
        if self.result != found:
            self.wrong(line, at, f"By its moves the result of this game is '{found}', not {quote(told)}.")
