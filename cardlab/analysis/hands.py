"""The table of hands: one tidy row a hand and seat, from tables of actions and from logs.

The numbers are those of the server's own table of hands; what a source does not tell stays empty.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, TextIO

from cardlab.analysis.folding import catch_odd_settings, history
from cardlab.analysis.source_hand import Row, SourceHand
from cardlab.games.columns import Number
from cardlab.games.events import RECONNECT
from cardlab.games.registry import Game, games_by_app
from cardlab.games.tables import HAND_COLUMNS, format_utc, guard_formula

# What follows from the session's config and other hands, which no action tells.
SERVER_ONLY = ("best_earlier_score", "paid", "payoff")

COLUMNS = {name: meaning for name, meaning in HAND_COLUMNS.items() if name not in SERVER_ONLY} | {
    "client_seconds": Number(
        "from first shown to the end, by the clock of who ended it (participant or server)"
    )
}
SOURCE = {"source": "the file, or the ck and the nk file, that tells the hand"}


@cache
def table_columns(game: Game) -> Sequence[str]:
    """The names of the columns: those of all games, then the game's own."""
    further = [measure.__name__ for measure in game.performance.hand_measures]
    return (*COLUMNS, *game.measures.COLUMNS, *further, *SOURCE)


def write_table(hands: Iterable[SourceHand], file: TextIO) -> int:
    """Write the table as CSV; the number of rows. BadFile if the hands are of different games."""
    written, heading = 0, None
    for game, hand in pair_with_game(hands):
        lines = csv_lines(hand, game)
        if heading is None:
            heading = to_csv_lines([table_columns(game)])
            file.writelines(heading)
        file.writelines(lines)
        written += len(lines)
    return written


def csv_lines(hand: SourceHand, game: Game) -> Sequence[str]:
    """The rows of a hand as CSV. Raises BadFile if its actions cannot be replayed."""
    if hand.lines is not None:
        return hand.lines
    return to_csv_lines(_table_cells(row, game) for row in measure_hand(hand, game))


def _table_cells(row: Row, game: Game) -> Iterator[Any]:
    row["participant_label"] = guard_formula(row.get("participant_label"))
    return map(row.get, table_columns(game))


class _Lines(list[str]):
    """What a ``csv.writer`` writes, a row each."""

    write = list.append


def to_csv_lines(rows: Iterable[Iterable[Any]]) -> list[str]:
    """Rows as CSV."""
    found = _Lines()
    csv.writer(found, lineterminator="\n").writerows(rows)
    return found


def pair_with_game(hands: Iterable[SourceHand]) -> Iterator[tuple[Game, SourceHand]]:
    """The hands with their game; BadFile at the first that is of another."""
    first: Game | None = None
    for hand in hands:
        game = find_game(hand)
        first = first or game
        if game is not first:
            raise hand.error_at(
                f"This is a hand of {game.app}, but the earlier hands are of {first.app}. "
                "Analyse one game at a time."
            )
        yield game, hand


def measure_hand(hand: SourceHand, game: Game) -> Iterator[Row]:
    """The rows of a hand with all measures. Raises BadFile if its actions cannot be replayed."""
    if hand.row_source:
        yield from hand.row_source.rows()
        return
    for row in _fold_rows(hand, game):
        with catch_odd_settings(hand):
            row = add_measures(row, game)
        yield row


def add_measures(row: Row, game: Game) -> Row:
    """Adds the measures of the analysis to the row, and returns it."""
    row |= _measure_deal(game, tuple([row.get(name) for name in game.performance.deal_columns]))
    return _apply_measures(row, _play_measures(game))


@lru_cache(maxsize=4096)
def _measure_deal(game: Game, cells: Sequence[str | None]) -> Row:
    """The measures that hang on the deal alone, of which a session has few, from the cells that tell it."""
    row = {name: cell for name, cell in zip(game.performance.deal_columns, cells) if cell is not None}
    measures = game.performance.deal_measures
    values = _apply_measures(row, measures)
    return {measure.__name__: values[measure.__name__] for measure in measures}


@cache
def _play_measures(game: Game) -> Sequence[Callable[[Row], Any]]:
    """The other measures of a hand."""
    deal_measures = game.performance.deal_measures
    return [measure for measure in game.performance.hand_measures if measure not in deal_measures]


def _apply_measures(row: Row, measures: Iterable[Callable[[Row], Any]]) -> Row:
    for measure in measures:
        value = measure(row)
        row[measure.__name__] = "" if value is None else value
    return row


def find_game(hand: SourceHand) -> Game:
    """The game of a hand. BadFile if it is none that stands."""
    hand.check_app([*games_by_app()])
    return games_by_app()[hand.cells["app"]]


def _fold_rows(hand: SourceHand, game: Game) -> Iterator[Row]:
    """One row for each seat of a hand."""
    played = history(hand, game.rules)
    for seat, place in played.hand.seats.items():
        own = [event for event in hand.events if event.seat == seat]
        accepted = [event.accepted for event in own]
        ended_ms = played.hand.ended_ms_for(seat)
        timed = None if ended_ms is None else played.hand.seconds(seat)
        with catch_odd_settings(hand):
            result = played.hand.result(seat)
            measured = game.measures.measure_hand(played, seat)
        client_seconds = timed if place.left else _client_seconds(hand, timed)
        yield {
            **hand.cells,
            **hand.who(seat),
            "hand": hand.number,
            "seat": seat,
            "deal": hand.deal,
            "outcome": result.outcome,
            "score": result.score,
            "ended_utc": format_utc(ended_ms),
            "seconds": "" if timed is None else round(timed, 3),
            "client_seconds": "" if client_seconds is None else client_seconds,
            "actions": accepted.count(True),
            "refused": accepted.count(False),
            "reconnects": sum([event.is_note(RECONNECT) for event in own]),
            "source": hand.file,
            **measured,
        }


def _client_seconds(hand: SourceHand, seconds: float | None) -> float | None:
    if seconds is None:
        return None
    latest_ms = max([event.client_ms for event in hand.events if event.client_ms is not None], default=0)
    if hand.end and hand.end.client_ms is None:  # closed by the server, so by its clock
        latest_ms = max(latest_ms, round(1000 * seconds))
    return latest_ms / 1000
