"""The table of hands: one tidy row a hand and seat, from tables of actions and from logs.

The numbers are those of the server's own table of hands; what a source does not tell stays empty.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, TextIO

from cardlab.analysis.folding import history, of_states, settings_in_force
from cardlab.analysis.source_hand import Row, ToldHand
from cardlab.games.columns import Number
from cardlab.games.contract import BadFile
from cardlab.games.events import RECONNECT, SECOND_TAB, SECOND_TAB_PLAYS, Event
from cardlab.games.hand import History
from cardlab.games.registry import Game, games_by_app
from cardlab.games.tables import HAND_COLUMNS, format_utc, guard_formula

# What follows from the session's config and other hands, which no action tells.
NOT_TOLD = ("best_earlier_score", "paid", "payoff")

COLUMNS = {name: meaning for name, meaning in HAND_COLUMNS.items() if name not in NOT_TOLD} | {
    "client_seconds": Number(
        "from first shown to the end, by the clock of who ended it (participant or server)"
    ),
}
# What of that does not hang on when a hand was played, by whom, or where it is told.
_OF_PLAY = ("seat", "deal", "sequence", "outcome", "actions", "refused", "reconnects")

_GAP = "\x1a"  # in no deal, and in nothing that is told of one

_IDLE = (RECONNECT, SECOND_TAB, SECOND_TAB_PLAYS)  # notes that change nothing in a hand

SOURCE = {"source": "the file, or the ck and the nk file, that tells the hand"}


@cache
def columns(game: Game) -> Sequence[str]:
    """The names of the columns: those of all games, then the game's own."""
    further = [measure.__name__ for measure in game.performance.HAND_MEASURES]
    return (*COLUMNS, *game.measures.COLUMNS, *further, *SOURCE)


@cache
def hanging_on_times(game: Game) -> Sequence[str]:
    """The columns in which hands differ by when something was done in them."""
    further = [measure.__name__ for measure in game.performance.TIMED]
    return ("score", "seconds", "client_seconds", *game.measures.TIMED, *further)


@cache
def differing(game: Game) -> Sequence[str]:
    """The columns in which hands differ that are equal but for their times."""
    names = {*COLUMNS, *hanging_on_times(game), *SOURCE}.difference(_OF_PLAY)
    return tuple(name for name in columns(game) if name in names)


def write(hands: Iterable[ToldHand], file: TextIO) -> int:
    """Write the table as CSV; the number of rows. BadFile if the hands are of different games."""
    written, heading = 0, None
    for game, hand in of_one_game(hands):
        told = lines(hand, game)
        if heading is None:
            heading = as_lines([columns(game)])
            file.writelines(heading)
        file.writelines(told)
        written += len(told)
    return written


def lines(hand: ToldHand, game: Game) -> Sequence[str]:
    """The rows of a hand as CSV. BadFile if it cannot be played as it is told."""
    return as_lines(_cells(row, game) for row in measured(hand, game)) if hand.lines is None else hand.lines


def _cells(row: Row, game: Game) -> Iterator[Any]:
    row["participant_label"] = guard_formula(row.get("participant_label"))
    return map(row.get, columns(game))


class _Lines(list[str]):
    """What a ``csv.writer`` writes, a row each."""

    write = list.append


def as_lines(rows: Iterable[Iterable[Any]]) -> list[str]:
    """Rows as CSV."""
    found = _Lines()
    csv.writer(found, lineterminator="\n").writerows(rows)
    return found


@lru_cache(maxsize=4096)
def as_cell(text: str) -> str:
    """A cell as it stands in CSV."""
    return as_lines([(text, "")])[0].removesuffix(",\n")


def rows(hands: Iterable[ToldHand]) -> Iterator[tuple[Game, Row]]:
    """The game and the cells by column of each hand and seat; BadFile if the hands are of different games.

    What a source cannot tell is missing. Among the cells of a hand from a table are that table's own.
    """
    for game, hand in of_one_game(hands):
        for row in measured(hand, game):
            yield game, row


def of_one_game(hands: Iterable[ToldHand]) -> Iterator[tuple[Game, ToldHand]]:
    """The hands with their game; BadFile at the first that is of another."""
    first: Game | None = None
    for hand in hands:
        game = game_of(hand)
        first = first or game
        if game is not first:
            raise hand.bad(
                f"This is a hand of {game.app}, those before are of {first.app}; take one game at a time.",
            )
        yield game, hand


def measured(hand: ToldHand, game: Game) -> Iterator[Row]:
    """The rows of a hand with all measures. BadFile if it cannot be played as it is told."""
    if hand.telling:
        yield from hand.telling.rows()
        return
    for row in _folded_rows(hand, game):
        with settings_in_force(hand):
            row = with_further_measures(row, game)
        yield row


def with_further_measures(row: Row, game: Game, timed: bool = True) -> Row:
    """The row with what the analysis adds to it, or of that what hangs on no times."""
    row |= _of_deal(game, tuple([row.get(name) for name in _deals_columns(game)]))
    return _with(row, _of_play(game, timed))


def _deals_columns(game: Game) -> Sequence[str]:
    return getattr(game.performance, "DEAL", ())


@lru_cache(maxsize=4096)
def _of_deal(game: Game, cells: Sequence[str | None]) -> Row:
    """The measures that hang on the deal alone, of which a session has few, from the cells that tell it."""
    row = {name: cell for name, cell in zip(_deals_columns(game), cells) if cell is not None}
    measures = getattr(game.performance, "OF_DEAL", ())
    told = _with(row, measures)
    return {measure.__name__: told[measure.__name__] for measure in measures}


@cache
def _of_play(game: Game, timed: bool) -> Sequence[Callable[[Row], Any]]:
    """The other measures of a hand."""
    performance = game.performance
    others = {*getattr(performance, "OF_DEAL", ()), *(() if timed else performance.TIMED)}
    return [measure for measure in performance.HAND_MEASURES if measure not in others]


def _with(row: Row, measures: Iterable[Callable[[Row], Any]]) -> Row:
    for measure in measures:
        value = measure(row)
        row[measure.__name__] = "" if value is None else value
    return row


def game_of(hand: ToldHand) -> Game:
    """The game of a hand. BadFile if it is none that stands."""
    app = hand.cells["app"]
    if app not in games_by_app():
        known = ", ".join(games_by_app())
        raise hand.bad(f"This is a hand of {app}; only hands of {known} can be read here.")
    return games_by_app()[app]


def _folded_rows(hand: ToldHand, game: Game) -> Iterator[Row]:
    """One row for each seat of a hand."""
    played = history(hand, game.rules)
    for seat, place in played.hand.seats.items():
        own = [event for event in hand.events if event.seat == seat]
        accepted = [event.accepted for event in own]
        ended_ms = played.hand.ended_ms_for(seat)
        timed = None if ended_ms is None else played.hand.seconds(seat)
        with settings_in_force(hand):
            result = played.hand.result(seat)
            measured = game.measures.measure_hand(played, seat)
        client_seconds = timed if place.left else _client_seconds(hand, _latest_ms(hand), timed)
        yield {
            **hand.cells,
            **hand.who(seat),
            "hand": hand.number,
            "seat": seat,
            "deal": hand.deal,
            "outcome": result.outcome,
            "score": result.score,
            **_times(ended_ms, timed, client_seconds),
            "actions": accepted.count(True),
            "refused": accepted.count(False),
            "reconnects": sum([event.is_note(RECONNECT) for event in own]),
            "source": hand.file,
            **measured,
        }


def _times(ended_ms: int | None, seconds: float | None, client_seconds: float | None) -> Row:
    return {
        "ended_utc": format_utc(ended_ms),
        "seconds": "" if seconds is None else round(seconds, 3),
        "client_seconds": "" if client_seconds is None else client_seconds,
    }


def _latest_ms(hand: ToldHand) -> int:
    """The latest of the clients' times, 0 if there is none."""
    return max([event.client_ms for event in hand.events if event.client_ms is not None], default=0)


def _client_seconds(hand: ToldHand, latest_ms: int, seconds: float | None) -> float | None:
    if seconds is None:
        return None
    if hand.end and hand.end.client_ms is None:  # closed by the server, so by its clock
        latest_ms = max(latest_ms, round(1000 * seconds))
    return latest_ms / 1000


class Alike:
    """What hands come to that one plays alone, that are over, and that are equal but for their times.

    Of a game whose ``measures`` and ``performance`` have ``TIMED``: the columns that hang on times, with what
    finds the event that tells them, and the measures of a hand that do. All others hang on the states, on
    what was done, and on the settings.

    ``end`` is the place of the row that ends them among the events, and ``timed`` has the places of the
    events that tell the columns ``TIMED``.
    """

    def __init__(self, game: Game, seat: str, state: Any, row: Row, end: int, timed: dict[str, int | None]):
        self.game, self.end, self.timed = game, end, timed
        self._seat, self._state, self._row = seat, state, row
        cells = {**row, **dict.fromkeys(differing(game), _GAP)}
        (line,) = as_lines([map(cells.get, columns(game))])
        self._line = line.replace("%", "%%").replace(_GAP, "%s")

    @classmethod
    def of(cls, hand: ToldHand, events: Sequence[Event]) -> Alike | None:
        """What the hands come to that are equal to one, whose events may have any times; None if they cannot
        be told together: the hand cannot be played as it is told, is not over, times mean more in it than
        when something was done, or its game does not say what hangs on them."""
        game = games_by_app().get(hand.cells["app"])
        timed = game and getattr(game.measures, "TIMED", None)
        notes = [event.action for event in events if event.accepted is None]
        if timed is None or not set(notes).issubset(_IDLE):
            return None
        try:
            history = of_states(hand, events, game.rules)
            if history is None:
                return None
            with settings_in_force(hand):
                return cls._told(hand, game, history)
        except BadFile:
            return None

    @classmethod
    def _told(cls, hand: ToldHand, game: Game, history: History) -> Alike | None:
        events, state = history.events, history.hand.state
        (seat,) = game.rules.seats(state)
        backwards = reversed(range(len(events)))  # for there it is, if notes do not follow
        end = next((place for place in backwards if events[place].end_outcome is not None), None)
        if end is None:
            return None
        own = [event for event in events if event.seat == seat]
        accepted = [event.accepted for event in own]
        row = {
            "settings": hand.cells["settings"],
            "seat": seat,
            "deal": hand.deal,
            "outcome": events[end].end_outcome,
            "actions": accepted.count(True),
            "refused": accepted.count(False),
            "reconnects": sum([event.is_note(RECONNECT) for event in own]) if None in accepted else 0,
            **game.measures.measure_hand(history, seat),
        }
        with_further_measures(row, game, timed=False)
        timed = {name: place_in(events) for name, place_in in game.measures.TIMED.items()}
        return cls(game, seat, state, row, end, timed)

    def by_times(self, seconds: float, client_seconds: float, timed: dict[str, Any]) -> list[Any]:
        """The cells ``hanging_on_times`` of one of these hands; ``timed`` has those of ``measures.TIMED``."""
        row = self._row  # these cells are the last one's
        row["score"] = self.game.rules.result(self._state, self._seat, seconds).score
        row["seconds"], row["client_seconds"] = round(seconds, 3), client_seconds
        row |= timed
        _with(row, self.game.performance.TIMED)
        return [row[name] for name in hanging_on_times(self.game)]

    def row(self, by_times: Sequence[Any]) -> Row:
        """What one of these hands comes to, from the cells ``hanging_on_times``."""
        return {**self._row, **dict(zip(hanging_on_times(self.game), by_times))}

    def line(self, cells: tuple[str, ...]) -> str:
        """The row of one of these hands as CSV, from its cells ``differing``."""
        return self._line % cells
