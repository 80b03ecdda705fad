"""Builds the table of hands: one tidy row per hand and seat, from tables of actions and from logs.

The numbers equal those of the server's table of hands. Cells that a source does not have are empty.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, TextIO

from cardlab.analysis.folding import history, reject_malformed_settings
from cardlab.analysis.source_hand import Row, SourceHand
from cardlab.games.columns import Integer, Number
from cardlab.games.events import RECONNECT
from cardlab.games.registry import Game, games_by_app
from cardlab.games.tables import HAND_COLUMNS, format_utc, guard_formula

# Columns that depend on the session config and on other hands, which a table of actions does not have.
SERVER_ONLY = ("best_earlier_score", "paid", "payoff")

COLUMNS = {name: meaning for name, meaning in HAND_COLUMNS.items() if name not in SERVER_ONLY} | {
    "client_seconds": Number(
        "from first shown to the end, by the clock of the participant or server that ended it"
    )
}
SEARCHED_HAND = {
    "session_code": "oTree's code of the session",
    "participant_code": "oTree's code of the participant",
    "participant_label": HAND_COLUMNS["participant_label"],
    "hand": HAND_COLUMNS["hand"],
    "hand_id": "unique across sessions and servers",
    "practice": HAND_COLUMNS["practice"],
}
"""The columns that identify a hand and its participant in tables of searches."""
SEARCHED_DEAL = {
    "show_file": "the file with the deal",
    "deal_number": Integer("number of the deal in the file"),
    "deal": "the deal, one line (ruling 0)",
}
"""The columns that identify a deal of a file in such tables."""
SOURCE = {"source": "the file, or the ck and the nk file, that tells the hand"}


@cache
def table_columns(game: Game) -> Sequence[str]:
    """Returns the names of the columns: those of all games, then the game's own."""
    further = [measure.__name__ for measure in game.performance.hand_measures]
    return (*COLUMNS, *game.measures.COLUMNS, *further, *SOURCE)


def write_table(hands: Iterable[SourceHand], file: TextIO) -> int:
    """Writes the table as CSV and returns the number of rows. Raises BadFile if the games differ."""
    row_count, heading = 0, None
    for game, hand in pair_with_game(hands):
        lines = csv_lines(hand, game)
        if heading is None:
            heading = to_csv_lines([table_columns(game)])
            file.writelines(heading)
        file.writelines(lines)
        row_count += len(lines)
    return row_count


def csv_lines(hand: SourceHand, game: Game) -> Sequence[str]:
    """Returns the rows of a hand as CSV. Raises BadFile if its actions cannot be replayed."""
    if hand.lines is not None:
        return hand.lines
    return to_csv_lines(_table_cells(row, game) for row in measure_hand(hand, game))


def _table_cells(row: Row, game: Game) -> Iterator[Any]:
    row["participant_label"] = guard_formula(row.get("participant_label"))
    return map(row.get, table_columns(game))


class _Lines(list[str]):
    """Collects the lines that a ``csv.writer`` writes."""

    write = list.append


def to_csv_lines(rows: Iterable[Iterable[Any]]) -> list[str]:
    """Returns rows as lines of CSV."""
    lines_found = _Lines()
    csv.writer(lines_found, lineterminator="\n").writerows(rows)
    return lines_found


def pair_with_game(hands: Iterable[SourceHand]) -> Iterator[tuple[Game, SourceHand]]:
    """Yields the hands with their game. Raises BadFile at the first hand of another game."""
    first_game: Game | None = None
    for hand in hands:
        game = find_game(hand)
        first_game = first_game or game
        if game is not first_game:
            raise hand.error_at(
                f"This is a hand of {game.app}, but the earlier hands are of {first_game.app}. "
                "Analyse one game at a time."
            )
        yield game, hand


def measure_hand(hand: SourceHand, game: Game, searches: bool = True) -> Iterator[Row]:
    """Yields the rows of a hand with all measures, or without ``searches`` those that need no search.

    Raises BadFile if its actions cannot be replayed.
    """
    if hand.row_source:
        yield from hand.row_source.rows()
        return
    for row in _fold_rows(hand, game):
        with reject_malformed_settings(hand):
            row = add_measures(row, game, searches)
        yield row


def add_measures(row: Row, game: Game, searches: bool = True) -> Row:
    """Adds the measures of the analysis to the row as ``measure_hand`` does, and returns it."""
    row |= _measure_deal(game, tuple([row.get(name) for name in game.performance.deal_columns]))
    return _apply_measures(row, _play_measures(game, searches))


@lru_cache(maxsize=4096)
def _measure_deal(game: Game, cells: Sequence[str | None]) -> Row:
    """Returns the measures that depend only on the deal. Cached, because a session has few deals.

    ``cells`` are the row's ``performance.deal_columns``.
    """
    row = {name: cell for name, cell in zip(game.performance.deal_columns, cells) if cell is not None}
    measures = game.performance.deal_measures
    values = _apply_measures(row, measures)
    return {measure.__name__: values[measure.__name__] for measure in measures}


@cache
def _play_measures(game: Game, searches: bool) -> Sequence[Callable[[Row], Any]]:
    """Returns the measures of a hand that depend on the play, with or without those that need a search."""
    performance = game.performance
    left_out = {*performance.deal_measures, *(() if searches else performance.search_measures)}
    return [measure for measure in performance.hand_measures if measure not in left_out]


def _apply_measures(row: Row, measures: Iterable[Callable[[Row], Any]]) -> Row:
    for measure in measures:
        value = measure(row)
        row[measure.__name__] = "" if value is None else value
    return row


def find_game(hand: SourceHand) -> Game:
    """Returns the game of a hand. Raises BadFile if no game has this app."""
    hand.check_app([*games_by_app()])
    return games_by_app()[hand.cells["app"]]


def _fold_rows(hand: SourceHand, game: Game) -> Iterator[Row]:
    """Yields a row for each seat of a hand."""
    hand_history = history(hand, game.rules)
    for seat, place in hand_history.hand.seats.items():
        own_events = [event for event in hand.events if event.seat == seat]
        accepted_flags = [event.accepted for event in own_events]
        ended_ms = hand_history.hand.ended_ms_for(seat)
        timed = None if ended_ms is None else hand_history.hand.seconds(seat)
        with reject_malformed_settings(hand):
            result = hand_history.hand.result(seat)
            values = game.measures.measure_hand(hand_history, seat)
        client_seconds = timed if place.left else _client_seconds(hand, timed)
        yield {
            **hand.cells,
            **hand.participant_cells(seat),
            "hand": hand.number,
            "seat": seat,
            "deal": hand.deal,
            "outcome": result.outcome,
            "score": result.score,
            "ended_utc": format_utc(ended_ms),
            "seconds": "" if timed is None else round(timed, 3),
            "client_seconds": "" if client_seconds is None else client_seconds,
            "actions": accepted_flags.count(True),
            "refused": accepted_flags.count(False),
            "reconnects": sum([event.is_note(RECONNECT) for event in own_events]),
            "source": hand.file,
            **values,
        }


def _client_seconds(hand: SourceHand, seconds: float | None) -> float | None:
    if seconds is None:
        return None
    latest_ms = max([event.client_ms for event in hand.events if event.client_ms is not None], default=0)
    if hand.end and hand.end.client_ms is None:  # the server ended it, so its clock counts
        latest_ms = max(latest_ms, round(1000 * seconds))
    return latest_ms / 1000
