"""Measures of a hand of the matrix card game for the tables of hands and of turns.

An accepted action after a note ``absent`` of its seat is by the server for an absent participant, and
``options["robots"]`` has the robots by seat.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from cardlab.games.columns import Integer, UnixMs, YesNo
from cardlab.games.events import ABSENT, ARRIVE, PERSON
from cardlab.games.hand import History
from cardlab.games.matrix import rules, two_by_two
from cardlab.games.matrix.board import PAIRS, Matrix, matrix
from cardlab.games.matrix.packs import COLUMNS as SIDES
from cardlab.games.matrix.packs import column, value
from cardlab.games.matrix.state import State, Turn

PLAYERS = ("row", "column")  # the first and the second of a pair, in their 2×2 game

COLUMNS = {
    "players": Integer("number of players, 2 or 4"),
    "pack": "the pack, `standard` or `special`",
    "court": "value of court cards: `10`, or `ladder` for 11, 12 and 13",
    "partner": "who plays the other seat of the pair: `person` or the robot's name",
    "partner_score": Integer("the sum of the other seat's pile at the end of the hand"),
    "turns": Integer("turns of the seat with disclosed cards, including those by the server"),
    "free_choices": Integer("own choices with cards of both columns to choose from"),
    "best_responses": Integer("own choices whose column was a best response to the other's"),
    "free_best_responses": Integer("`free_choices` whose column was a best response"),
    "rotations": Integer("crosses that the participant rotated"),
    "kept": Integer("times when the participant could rotate a cross and kept all"),
    "changes": Integer("choices that were changed before the other player had chosen"),
    "played_by_server": Integer("actions by the server for the absent participant"),
    "mean_response_ms": Integer("mean of the participant's response times in the table of turns"),
}


def _each(name: str, meaning: str) -> dict[str, str]:
    """Returns a column for each of the two players of a turn."""
    return {f"first_{name}": meaning, f"second_{name}": meaning}


_PAYOFF = Integer("points that the player collects in this cell: first's column before second's")

TURN_COLUMNS = {
    "turn": Integer("number of the turn, from 1"),
    "disclosed_ms": UnixMs("when both cards were disclosed, Unix time in milliseconds by the server's clock"),
    **_each("seat", "seat of the pair on the N–S axis (first) and on the E–W axis (second)"),
    **_each("by", "who played: `person`, `absent` (the server) or the robot's name"),
    **_each("LL", _PAYOFF),
    **_each("LR", _PAYOFF),
    **_each("RL", _PAYOFF),
    **_each("RR", _PAYOFF),
    "game": "name of the 2×2 game, or `first's / second's` if the orders differ",
    **_each("order", "the player's payoffs from best to worst: `TRPS`"),
    "ties": YesNo("1 if a player has equal payoffs, else 0"),
    "pure_equilibria": "pure equilibria, first's column before second's, separated by spaces",
    "mixed_equilibria": "mixed equilibria, separated by `; `",
    "continua": "continua of equilibria",
    **_each(
        "dominant", "dominant column: `left`, `right`, or `weakly left` if it is never worse; empty if none"
    ),
    **_each("card", "the card played"),
    **_each("column", "the column of that card"),
    **_each("free", YesNo("1 if the player held cards of both columns, else 0")),
    **_each("best", YesNo("1 if the column was a best response, else 0")),
    "equilibrium": YesNo("1 if both columns together are a pure equilibrium, else 0"),
    "cell": "the selected cell: SW, NW, NE or SE",
    **_each("collected", Integer("points collected")),
    "rotator": "the seat that could rotate a cross; empty if none",
    "rotation": "`rotate NW` … or `keep`; empty until decided",
    "rotation_by": "who decided, as in `first_by`",
    **_each(
        "response_ms",
        Integer(
            "milliseconds from when the player could choose to the (last) choice, by the "
            "server's clock; empty unless a person chose"
        ),
    ),
    "rotation_ms": Integer("milliseconds from the disclosure to the rotation; empty unless a person decided"),
}


class Act(NamedTuple):
    """An accepted action with its turn, its actor and a person's response time."""

    turn: int
    seat: str
    action: str
    by: str
    response_ms: int | None
    server_ms: int

    @property
    def is_choice(self) -> bool:
        """Whether it is the choice of a card, not a rotation or a keep."""
        return self.action.startswith("play ")

    @property
    def decides(self) -> tuple[int, str, bool]:
        """A key of the decision. A later action with the same key replaces an earlier one."""
        return self.turn, self.seat, self.is_choice


def measure_hand(history: History, seat: str) -> dict[str, Any]:
    """Returns the values of ``COLUMNS`` for a seat of a hand, and its ``sequence``.

    ``sequence`` has the seat's cards and rotations, with the final choice of each turn.
    """
    state, acts = history.hand.state, find_acts(history)
    own_acts = [act for act in acts if act.seat == seat]
    final = {act.decides: act for act in own_acts}  # a changed choice keeps its place in the sequence
    turns = [turn for turn in state.turns if seat in turn.pair]
    # Actions by the server are nobody's choice.
    by_server = {act.decides for act in final.values() if act.by == ABSENT}
    chosen = [_own(turn, seat, state.options) for turn in turns if (turn.number, seat, True) not in by_server]
    rotated = [act.action for act in own_acts if act.by != ABSENT]
    responses = [act.response_ms for act in final.values() if act.is_choice and act.response_ms is not None]
    partner = pair_partner(state, seat)
    return {
        "sequence": " ".join(act.action.removeprefix("play ") for act in final.values()),
        "players": state.options["players"],
        "pack": state.options["pack"],
        "court": state.options["court"],
        "partner": history.hand.robots.get(partner, PERSON),
        "partner_score": state.score(partner),
        "turns": len(turns),
        "free_choices": sum(free for free, _best in chosen),
        "best_responses": sum(best for _free, best in chosen),
        "free_best_responses": sum(free and best for free, best in chosen),
        "rotations": sum(action in rules.ROTATIONS for action in rotated),
        "kept": rotated.count(rules.KEEP),
        "changes": len(own_acts) - len(final),
        "played_by_server": sum(act.by == ABSENT for act in own_acts),
        "mean_response_ms": round(sum(responses) / len(responses)) if responses else "",
    }


def measure_turns(history: History) -> Iterator[dict[str, Any]]:
    """Yields the values of ``TURN_COLUMNS`` for each turn whose cards were disclosed."""
    state, acts = history.hand.state, find_acts(history)
    final = {act.decides: act for act in acts}
    disclosed = {act.turn: act.server_ms for act in acts if act.is_choice}  # the last choice of each turn
    for turn in state.turns:
        choices = [final[turn.number, seat, True] for seat in turn.pair]
        rotation = final.get((turn.number, turn.rotator, False)) if turn.rotator else None
        yield {
            "turn": turn.number,
            "disclosed_ms": disclosed[turn.number],
            **_both("seat", turn.pair),
            **_both("by", [choice.by for choice in choices]),
            **_game(matrix(turn.crosses, turn.pair, state.options)),
            **_play(turn, state.options),
            "rotator": turn.rotator or "",
            "rotation": turn.rotation or "",
            "rotation_by": rotation.by if rotation else "",
            **_both("response_ms", [_or_empty(choice.response_ms) for choice in choices]),
            "rotation_ms": _or_empty(rotation.response_ms) if rotation else "",
        }


PARTS = {"turns": (TURN_COLUMNS, measure_turns)}


def find_acts(history: History) -> list[Act]:
    """Returns the accepted actions of a hand. The first turn begins when the hand is first shown."""
    acts = []
    open_ms = history.hand.shown_ms  # when the players could begin to act
    arrived: dict[str, int] = {}
    for step in history.steps:
        event = step.event
        if event.is_note(ARRIVE):
            arrived.setdefault(event.seat, event.server_ms)
        if not step.is_action:
            continue
        state, state_after = step.before.state, step.after.state
        by = step.actor
        since_ms = max((ms for ms in (open_ms, arrived.get(event.seat)) if ms is not None), default=None)
        timed = None if by != PERSON else since_ms
        response = None if timed is None else step.before.active_ms(timed, event.server_ms)
        acts.append(Act(state.turn, event.seat, event.action, by, response, event.server_ms))
        if (len(state_after.turns), state_after.rotator) != (len(state.turns), state.rotator):
            open_ms = event.server_ms
    return acts


def turn_game(turn: Turn, options: dict[str, Any]) -> two_by_two.Game:
    """Returns the 2×2 game of a turn. The first of its pair is the row player."""
    return two_by_two.game_from_cells(matrix(turn.crosses, turn.pair, options))


def chosen_columns(turn: Turn) -> tuple[int, int]:
    """Returns the columns that the two cards of a turn select, 0 for left and 1 for right."""
    first, second = (SIDES.index(column(card)) for card in turn.cards)
    return first, second


def find_best_responses(turn: Turn, options: dict[str, Any]) -> tuple[bool, bool]:
    """Returns for each player of a turn whether the column was a best response to the other's."""
    game, (first, second) = turn_game(turn, options), chosen_columns(turn)
    row, column = (two_by_two.best_responses(game, player) for player in PLAYERS)
    return first in row[second], second in column[first]


def pair_partner(state: State, seat: str) -> str:
    """Returns the other seat of the pair."""
    (pair,) = (pair for pair in PAIRS if seat in pair)
    return pair[1 - pair.index(seat)]


def _own(turn: Turn, seat: str, options: dict[str, Any]) -> tuple[bool, bool]:
    """Returns whether the seat had a choice, and whether its column was a best response."""
    place = turn.pair.index(seat)
    return turn.free[place], find_best_responses(turn, options)[place]


def _game(cells: Matrix) -> dict[str, Any]:
    game = two_by_two.game_from_cells(cells)
    kind, equilibria = two_by_two.classify(game), two_by_two.equilibria(game)
    payoffs = {
        f"{player_name}_{first}{second}": cells[i][j][place]
        for i, first in enumerate("LR")
        for j, second in enumerate("LR")
        for place, player_name in enumerate(("first", "second"))
    }
    return {
        **payoffs,
        "game": two_by_two.label(kind),
        **_both("order", kind),
        "ties": int(kind.ties),
        **_equilibria(equilibria),
        **_both("dominant", [_dominant(game, player) for player in PLAYERS]),
    }


def _equilibria(equilibria: two_by_two.Equilibria) -> dict[str, str]:
    points = [((p, p), (q, q)) for p, q in equilibria.mixed]
    return {
        "pure_equilibria": " ".join("LR"[i] + "LR"[j] for i, j in equilibria.pure),
        "mixed_equilibria": "; ".join(map(_mixes, points)),
        "continua": "; ".join(map(_mixes, equilibria.continua)),
    }


def _mixes(block: tuple[two_by_two.Interval, two_by_two.Interval]) -> str:
    return " ".join(_probability(*interval) for interval in block)


def _probability(low: Fraction, high: Fraction) -> str:
    return str(low) if low == high else f"{low}..{high}"


def _dominant(game: two_by_two.Game, player: str) -> str:
    dominance = two_by_two.dominant(game, player)
    if dominance is None:
        return ""
    return SIDES[dominance.choice] if dominance.strict else f"weakly {SIDES[dominance.choice]}"


def _play(turn: Turn, options: dict[str, Any]) -> dict[str, Any]:
    best = find_best_responses(turn, options)
    return {
        **_both("card", turn.cards),
        **_both("column", [column(card) for card in turn.cards]),
        **_both("free", map(int, turn.free)),
        **_both("best", map(int, best)),
        "equilibrium": int(all(best)),
        "cell": turn.cell,
        **_both("collected", [value(card, options) for card in turn.collected]),
    }


def _both(name: str, values: Any) -> dict[str, Any]:
    first, second = values
    return {f"first_{name}": first, f"second_{name}": second}


def _or_empty(ms: int | None) -> int | str:
    return "" if ms is None else ms
