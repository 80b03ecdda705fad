"""The table of the moves of hands: one tidy row a move, a turn or a placement, whatever the game calls it."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from cardlab.analysis.folding import history, settings_in_force
from cardlab.analysis.hands import of_one_game
from cardlab.analysis.source_hand import Row, ToldHand
from cardlab.games.contract import BadFile
from cardlab.games.registry import Game
from cardlab.games.tables import HAND_COLUMNS, PART_COLUMNS, PARTICIPANT_ID_COLUMNS, guard_formula

# What stands in front of the columns of the game.
IDENTITY = {
    **PART_COLUMNS,
    "participant_code": PARTICIPANT_ID_COLUMNS["participant_code"],
    "participant_label": PARTICIPANT_ID_COLUMNS["participant_label"],
    "practice": HAND_COLUMNS["practice"],
}


def write(hands: Iterable[ToldHand], file: TextIO) -> int:
    """Write the table as CSV; the number of rows. BadFile if the hands are of different games, or if logs
    tell them."""
    table, written = csv.writer(file, lineterminator="\n"), 0
    for game, row in rows(hands):
        if not written:
            names = columns(game)
            table.writerow(names)
        row["participant_label"] = guard_formula(row["participant_label"])
        table.writerow([row[name] for name in names])
        written += 1
    return written


def columns(game: Game) -> list[str]:
    """The names of the columns."""
    return [*IDENTITY, *_table(game)[0]]


def rows(hands: Iterable[ToldHand]) -> Iterator[tuple[Game, Row]]:
    """The game and the cells by column of each move of each hand; BadFile as :func:`write`."""
    for game, hand in of_one_game(hands):
        if hand.telling:
            raise BadFile(hand.file, "Only a table of actions tells each move; this is a log.")
        own = {name: hand.cells.get(name, "") for name in IDENTITY} | {"hand": hand.number}
        played = history(hand, game.rules)
        with settings_in_force(hand):
            made = list(_table(game)[1](played))
        for cells in made:
            yield game, {**own, **cells}


def _table(game: Game) -> tuple[dict[str, str], Any]:
    """The columns of the game's table of parts, and what makes its rows of a hand."""
    tables = {**game.measures.PARTS, **game.performance.PARTS}
    (table,) = tables.values()  # no game has two
    return table
