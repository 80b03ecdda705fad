"""The table of hands: one tidy row a hand and seat, from tables of actions and from logs.

The numbers are those of the server's own table of hands; what a source does not tell stays empty.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import TextIO

from analysis.folding import course, settings_in_force
from analysis.told_hand import Row, ToldHand
from games.columns import Number
from games.events import RECONNECT
from games.registry import Game, by_app
from games.tables import HAND_COLUMNS, guarded, utc

# What follows from the session's config and other hands, which no action tells.
NOT_TOLD = ("best_earlier_score", "paid", "payoff")

COLUMNS = {name: meaning for name, meaning in HAND_COLUMNS.items() if name not in NOT_TOLD} | {
    "client_seconds": Number(
        "from first shown to the end, by the clock of who ended it (participant or server)"
    ),
}
SOURCE = {"source": "the file, or the ck and the nk file, that tells the hand"}


def columns(game: Game) -> list[str]:
    """The names of the columns: those of all games, then the game's own."""
    further = [measure.__name__ for measure in game.performance.HAND_MEASURES]
    return [*COLUMNS, *game.measures.COLUMNS, *further, *SOURCE]


def write(hands: Iterable[ToldHand], file: TextIO) -> int:
    """Write the table as CSV; the number of rows. BadFile if the hands are of different games."""
    table, names, written = csv.writer(file, lineterminator="\n"), None, 0
    for game, row in rows(hands):
        if names is None:
            names = columns(game)
            table.writerow(names)
        row["participant_label"] = guarded(row.get("participant_label"))
        table.writerow(map(row.get, names))
        written += 1
    return written


def rows(hands: Iterable[ToldHand]) -> Iterator[tuple[Game, Row]]:
    """The game and the cells by column of each hand and seat; BadFile if the hands are of different games.

    What a source cannot tell is missing. Among the cells of a hand from a table are that table's own.
    """
    first: Game | None = None
    for hand in hands:
        game = game_of(hand)
        first = first or game
        if game is not first:
            raise hand.bad(
                f"This is a hand of {game.app}, those before are of {first.app}; take one game at a time.",
            )
        for row in measured(hand, game):
            yield game, row


def measured(hand: ToldHand, game: Game) -> Iterator[Row]:
    """The rows of a hand with all measures. BadFile if it cannot be played as it is told."""
    if hand.telling:
        yield from hand.telling.rows()
        return
    for row in _folded_rows(hand, game):
        with settings_in_force(hand):
            row = with_further_measures(row, game)
        yield row


def with_further_measures(row: Row, game: Game) -> Row:
    """The row with what the analysis adds to it."""
    for measure in game.performance.HAND_MEASURES:
        value = measure(row)
        row[measure.__name__] = "" if value is None else value
    return row


def game_of(hand: ToldHand) -> Game:
    """The game of a hand. BadFile if it is none that stands."""
    app = hand.cells["app"]
    if app not in by_app():
        known = ", ".join(by_app())
        raise hand.bad(f"This is a hand of {app}; only hands of {known} can be read here.")
    return by_app()[app]


def _folded_rows(hand: ToldHand, game: Game) -> Iterator[Row]:
    """One row for each seat of a hand."""
    played = course(hand, game.rules)
    for seat, place in played.hand.places.items():
        own = [event for event in hand.events if event.seat == seat]
        accepted = [event.accepted for event in own]
        ended_ms = played.hand.ended_for(seat)
        timed = None if ended_ms is None else played.hand.seconds(seat)
        with settings_in_force(hand):
            result = played.hand.result(seat)
            measured = game.measures.of_hand(played, seat)
        yield {
            **hand.cells,
            **hand.who(seat),
            "hand": hand.number,
            "seat": seat,
            "deal": hand.deal,
            "outcome": result.outcome,
            "score": result.score,
            "ended_utc": utc(ended_ms),
            "seconds": "" if timed is None else round(timed, 3),
            "client_seconds": "" if timed is None else timed if place.left else _client_seconds(hand, timed),
            "actions": accepted.count(True),
            "refused": accepted.count(False),
            "reconnects": sum([event.notes(RECONNECT) for event in own]),
            "source": hand.file,
            **measured,
        }


def _client_seconds(hand: ToldHand, seconds: float) -> float:
    timed = [event.client_ms for event in hand.events if event.client_ms is not None]
    if hand.end and hand.end.client_ms is None:  # closed by the server, so by its clock
        timed.append(round(1000 * seconds))
    return max(timed, default=0) / 1000
