"""Reads and writes logs of games of Challenge: plain text, one game after another.

For example::

    Challenge log 2
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
    result: computer won (resigned) after 2 moves

A line is a setting, a comment (``#``, ``//`` or ``;``), a move or a statement. A move has its number, its
side and the card, ``p`` for a pick-up or ``z`` for a pass (only in analysed games). A statement has no
number: ``offer draw``, ``claim win``, ``accept``, ``decline`` or ``resign``. The sides have the names of
deals: the first hand's is the computer, even if a person sits there. Logs can be written by hand: moves can
have any spelling that can be typed, and settings any order. Missing settings have their default, and ``size``
that of the deal.

The result has the number of moves, so that a truncated log of a resigned game is detected. Version 1, which
can also be read, did not have it.
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
VERSION = "2"
VERSIONS = ("1", VERSION)  # supported versions
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

    ``options`` has the ``SETTINGS`` for ``rules.start``. ``entries`` are pairs of a side and a card, ``p``,
    ``z`` or one of ``WORDS``. ``about`` has the comments; ``line`` is the game's first line in the file.
    """

    deal: str
    options: dict[str, Any]
    entries: tuple[tuple[str, str], ...]
    result: str
    about: tuple[str, ...] = ()
    line: int = field(default=0, compare=False)

    @property
    def moves(self) -> str:
        """The moves for the option ``moves`` of ``rules.start``."""
        return " ".join(entry for _side, entry in self.entries if entry not in WORDS)


# Writing.


def game_from_history(history: History, about: str = "") -> Game:
    """Returns the game of a hand, with a comment."""
    state, entries = history.hand.state, []
    for step in history.steps:
        if step.is_action and (entry := _log_entry(step.event.action)):
            entries.append((SIDES[rules.PLAYERS[step.event.seat]], entry))
    first_position = state.positions[0]
    return Game(
        format_deal(
            Deal(in_order(first_position.hands[0]), in_order(first_position.hands[1]), first_position.mover)
        ),
        {**{name: state.options[name] for name in SETTINGS}, "size": size_of(first_position.cards)},
        tuple(entries),
        _result(state),
        (" ".join(re.split(r'[\s,"]+', about.strip())),) if about else (),
    )


def lines_of_hand(history: History, source: str) -> Iterator[str]:
    """Yields the lines of a hand's game with a comment on its source; none if it is excluded from the log."""
    if history.hand.state.logged:
        yield from lines(game_from_history(history, source))


def _log_entry(action: str) -> str:
    """Returns an action as in the log; "" if it is not logged."""
    if action == PICK_UP or action.startswith("play "):
        return rules.spelled(action.removeprefix("play "))
    return action if action in WORDS else ""


def _result(state: rules.State) -> str:
    if not state.ended:
        return "open"
    winner = state.winner
    return f"{SIDES[rules.PLAYERS[winner]]} won ({state.ended})" if winner else f"drawn ({state.ended})"


def lines(game: Game) -> Iterator[str]:
    """Yields the lines of a game. None is empty or has a comma, so that they can be cells of a CSV file."""
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
    for side, entry in game.entries:
        number += entry not in WORDS
        yield f"{'' if entry in WORDS else number:>4} {side:<{len(SIDES[1])}}  {entry}"
    yield f"{RESULT}: {game.result} after {_count(number)}"


def _count(moves: int) -> str:
    return f"{moves} move{'' if moves == 1 else 's'}"


def write(games: Iterable[Game]) -> str:
    """Returns the text of a log."""
    return "\n".join(line for game in games for line in [*lines(game), ""])


# Reading.


class _Line(NamedTuple):
    number: int
    text: str


def read(text: str, file: str) -> list[Game]:
    """Returns the games of a log. Raises BadFile with the place where it is truncated or wrong."""
    games: list[Game] = []
    reading: _GameReader | None = None
    found = [_Line(*line) for line in numbered_lines(text, file) if line[1].strip()]
    for line, before in zip(found, [_Line(1, ""), *found], strict=False):
        if line.text.startswith(HEADING.strip()):
            if reading:
                reading.raise_truncated(before)
            reading = _GameReader(file, line, found[-1].number)
        elif is_blank_or_comment(line.text):
            if reading:
                reading.about.append(line.text.strip().lstrip("#/;").strip())
        elif reading is None:
            heading = f"The first line of a game must be '{HEADING}{VERSION}'"
            raise BadFile(file, f"{heading}, not {quote(line.text.strip())}.", line.number, 1)
        elif reading.read_line(line):
            games.append(reading.game())
            reading = None
    if reading:
        reading.raise_truncated(found[-1])
    if not games:
        raise BadFile(
            file, f"This file has no games. The first line of a game is '{HEADING}{VERSION}'.", 1, 1
        )
    return games


class _GameReader:
    """Reads a game line by line."""

    def __init__(self, file: str, line: _Line, last: int) -> None:
        self.file, self.line, self.last = file, line.number, last
        self.about: list[str] = []
        self.options: dict[str, Any] = {}
        self.deal: tuple[str, _Line, int] | None = None
        self.entries: list[tuple[str, str]] = []
        self.state: rules.State | None = None
        self.result = ""
        self.version = line.text.removeprefix(HEADING).strip()
        if self.version not in VERSIONS:
            supported = f"Only the versions {' and '.join(VERSIONS)} can be read."
            self.wrong(line, len(HEADING) + 1, f"This log has version {quote(self.version)}. {supported}")

    def wrong(self, line: _Line, column: int, message: str) -> NoReturn:
        """Raises BadFile."""
        if line.number == self.last:
            message += " This is the last line of the file. Perhaps the file was cut off."
        raise BadFile(self.file, message, line.number, column)

    def raise_truncated(self, line: _Line) -> NoReturn:
        """Raises BadFile for a game without a result. ``line`` is its last line."""
        moves = len(self.state.moves) if self.state else 0
        message = (
            f"The game that begins in line {self.line} has no result. Use the complete file, or "
            f"end the game with the line '{RESULT}: open after {_count(moves)}'."
        )
        raise BadFile(self.file, message, line.number, len(line.text) + 1)

    def read_line(self, line: _Line) -> bool:
        """Reads a line, and returns whether it ends the game."""
        match = _SETTING.fullmatch(line.text)
        if not match:
            self._read_entry(line)
            return False
        name, value = match[1].lower(), match[2]
        name_at, at = match.start(1) + 1, match.start(2) + 1
        if name == RESULT:
            self._read_result(line, value, at)
            return True
        if self.state:
            self.wrong(line, name_at, "The settings of a game must come before its moves.")
        if name in self.options or (name == DEAL and self.deal):
            self.wrong(line, name_at, f"The line '{name}' appears for the second time in this game.")
        if name == DEAL:
            self.deal = value, line, at
        elif name in SETTINGS:
            self.options[name] = self._value(line, name, value, at)
        else:
            setting_names = ", ".join([*SETTINGS, DEAL])
            self.wrong(
                line, name_at, f"Unknown setting {quote(name)}. The settings of a log are {setting_names}."
            )
        return False

    def game(self) -> Game:
        """Returns the game that was read."""
        deal = self.deal[0] if self.deal else ""
        options = self._current_state(_Line(self.line, "")).options
        settings = {name: options[name] for name in SETTINGS}
        about = tuple(self.about)
        return Game(
            format_deal(parse_deal(deal)), settings, tuple(self.entries), self.result, about, self.line
        )

    def _value(self, line: _Line, name: str, text: str, at: int) -> Any:
        if name == "trumps":
            if not (match := _TRUMPS.fullmatch(text)) or match[1] == match[2]:
                self.wrong(
                    line, at, f"Trumps must be two different suits, such as '{SIDES[0]} S | {SIDES[1]} H'."
                )
            return match[1] + match[2]
        if name in NUMBERS:
            minimum, maximum = NUMBERS[name]
            if not re.fullmatch("[0-9]{1,9}", text) or not minimum <= int(text) <= maximum:
                self.wrong(line, at, f"This must be a whole number from {minimum} to {maximum}.")
            return int(text)
        if text not in ALLOWED_OPTIONS[name]:
            self.wrong(line, at, f"This must be {' or '.join(ALLOWED_OPTIONS[name])}.")
        return text

    def _current_state(self, line: _Line) -> rules.State:
        """Returns the state before a line. The first line after the settings starts the game."""
        if self.state:
            return self.state
        if not self.deal:
            self.wrong(line, 1, f"The line '{DEAL}' must come before the moves.")
        text, at_line, at = self.deal
        try:
            deal = parse_deal(text)
            options = complete_options(self.options)
        except BadDeal as bad:
            self.wrong(at_line, at + bad.at, str(bad))
        except ValueError as bad:  # incompatible settings
            self.wrong(at_line, 1, str(bad))
        size = size_of(card for hand in deal.hands for card in hand)
        if self.options.get("size", size) != size:
            self.wrong(at_line, at, f"This deal has the size {size}, not {self.options['size']}.")
        self.state = rules.start(text, {**options, "size": size})
        return self.state

    def _read_entry(self, line: _Line) -> None:
        state = self._current_state(line)
        match = _LINE.fullmatch(line.text)
        if not match:  # never happens: only blank lines do not match, and they are skipped
            return
        number, side, typed = match.groups()
        side_at = match.start(2) + 1
        if side.lower() not in SIDES:
            self.wrong(line, side_at, f"Write the player, {' or '.join(SIDES)}, not {quote(side)}.")
        if typed is None:
            self.wrong(line, len(line.text) + 1, "The move is missing: write a card, p, or a word.")
        try:
            action = commands.read(typed)
        except ValueError as bad:
            self.wrong(line, match.start(3) + 1, str(bad))
        entry = rules.spelled(rules.PASS) if action == rules.PASS else _log_entry(action)
        if not entry:
            self.wrong(line, match.start(3) + 1, f"{quote(typed)} cannot be used in a log.")
        due = str(len(state.moves) + 1)
        if (number or "") != ("" if entry in WORDS else due):
            should = "A word must have no number" if entry in WORDS else f"The number of this move is {due}"
            self.wrong(
                line, match.start(2 if number is None else 1) + 1, f"{should}. Perhaps a line is missing."
            )
        if action == rules.PASS:  # allowed only in analysis
            state = replace(state, options={**state.options, "analysing": True})
        try:
            self.state = rules.apply(state, _SEATS[side.lower()], action)
        except IllegalAction as error:
            self.wrong(line, match.start(3) + 1, f"This move is not allowed: {error.sentence}")
        self.entries.append((side.lower(), entry))

    def _read_result(self, line: _Line, text: str, at: int) -> None:
        state = self._current_state(line)
        self.result, counts, count = (part.strip() for part in " ".join(text.split()).partition(" after "))
        moves = _count(len(state.moves))
        if not counts and self.version != VERSIONS[0]:
            self.wrong(line, at + len(text), f"Add the number of moves, for example 'after {moves}'.")
        if counts and count != moves:
            self.wrong(line, at, f"The game has {moves} up to here, not {count}. Perhaps one is missing.")
        if self.result != (result := _result(state)):
            self.wrong(line, at, f"The moves lead to the result '{result}', not {quote(self.result)}.")
