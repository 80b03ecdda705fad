"""Builds the table of moves: one tidy row for each move, turn or placement, depending on the game."""

import csv
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TextIO

from cardlab.analysis.folding import history, reject_malformed_settings
from cardlab.analysis.hands import pair_with_game
from cardlab.analysis.source_hand import Row, SourceHand
from cardlab.games.contract import BadFile
from cardlab.games.hand import History
from cardlab.games.registry import Game
from cardlab.games.tables import HAND_COLUMNS, PART_COLUMNS, PARTICIPANT_ID_COLUMNS, guard_formula

# The columns before those of the game.
IDENTITY_COLUMNS = {
    **PART_COLUMNS,
    "participant_code": PARTICIPANT_ID_COLUMNS["participant_code"],
    "participant_label": PARTICIPANT_ID_COLUMNS["participant_label"],
    "practice": HAND_COLUMNS["practice"],
}


def write_table(hands: Iterable[SourceHand], file: TextIO) -> int:
    """Writes the table as CSV and returns the number of rows.

    Raises BadFile if the hands are of different games or from logs.
    """
    table, row_count = csv.writer(file, lineterminator="\n"), 0
    for game, row in iterate_rows(hands):
        if not row_count:
            names = table_columns(game)
            table.writerow(names)
        row["participant_label"] = guard_formula(row["participant_label"])
        table.writerow([row[name] for name in names])
        row_count += 1
    return row_count


def table_columns(game: Game) -> list[str]:
    """Returns the names of the columns."""
    return [*IDENTITY_COLUMNS, *_parts_table(game)[0]]


def iterate_rows(hands: Iterable[SourceHand]) -> Iterator[tuple[Game, Row]]:
    """Yields the game and the row of each move of each hand. Raises BadFile like :func:`write_table`."""
    for game, hand in pair_with_game(hands):
        if hand.row_source:
            raise BadFile(hand.file, "This is a log. Only a table of actions has each move.")
        identity = {name: hand.cells.get(name, "") for name in IDENTITY_COLUMNS} | {"hand": hand.number}
        hand_history = history(hand, game.rules)
        with reject_malformed_settings(hand):
            parts = list(_parts_table(game)[1](hand_history))
        for cells in parts:
            yield game, {**identity, **cells}


def _parts_table(game: Game) -> tuple[dict[str, str], Callable[[History], Iterable[Row]]]:
    """Returns the columns of the game's table of parts, and the function that makes its rows."""
    tables: dict[str, Any] = {**game.measures.PARTS, **game.performance.parts}
    ((columns, make_rows),) = tables.values()  # each game has exactly one
    return columns, make_rows
