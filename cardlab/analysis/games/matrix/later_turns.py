"""Computes what a choice in the matrix game is worth in the turns that follow.

A turn changes the table: the selected cross is collected, and the two played cards replace it. In a game for
two, the player who collected the lower card may then turn a cross. The points that this earns in the pair's
next turns are exact under these assumptions:

- The player who may turn a cross turns the one that gains most points, or keeps if none does.
- In later turns all cells are equally likely, as with random choice (level 0), and nobody turns a cross.
- A card that is laid in a later turn counts 0 points, the mean of the pack.
- The participant plays the highest card of a column, as the robots do. The other plays one of the cards of a
  column that the participant has not seen, each equally likely. If there is no such card, it counts 0 points.
"""

from __future__ import annotations

from collections.abc import Sequence

from cardlab.games.hand import History
from cardlab.games.matrix import board
from cardlab.games.matrix.packs import COLUMNS as SIDES
from cardlab.games.matrix.packs import PACKS, column, value
from cardlab.games.matrix.state import State, Turn

MOST = 22  # turns of a hand

Points = list[list[float]]  # by own column and the other's, 0 for left and 1 for right


def states_before_turns(history: History) -> dict[int, State]:
    """Returns the state before the choices of each turn, by the number of the turn."""
    states: dict[int, State] = {}
    for step in history.steps:
        if step.is_action:
            states.setdefault(step.before.state.turn, step.before.state)
    return states


def chance_of_collecting(turns: int, pairs: int = 1) -> float:
    """Returns the chance that a cross is selected by a pair within its next ``turns`` turns.

    Each turn selects it with probability 1/4. With two ``pairs``, the other pair plays before each turn.
    """
    return sum(0.25 * 0.75 ** (pairs * turn - 1) for turn in range(1, turns + 1))


def find_later_points(before: State, turn: Turn, seat: str, look_ahead: int) -> tuple[Points, Points]:
    """Returns the expected points of the participant and of the other in the next ``look_ahead`` turns.

    ``before`` is the state before the choices of the turn. Fewer turns are counted at the end of a hand.
    """
    pairs = before.options["players"] // 2
    weight = chance_of_collecting(min(look_ahead, (before.of - turn.number) // pairs), pairs)
    unseen = _unseen_cards(before, seat)
    own, other = [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]
    for i, own_side in enumerate(SIDES):
        for j, other_side in enumerate(SIDES):
            points = _points_on_table(before, turn, seat, (own_side, other_side), unseen)
            own[i][j], other[i][j] = (weight * mean for mean in points)
    return own, other


def _points_on_table(
    before: State, turn: Turn, seat: str, sides: tuple[str, str], unseen: Sequence[str]
) -> tuple[float, float]:
    """Returns the expected points of the participant's and the other's cards on the table after a turn.

    ``sides`` are the participant's column and the other's.
    """
    options, place = before.options, turn.pair.index(seat)
    own_side, other_side = sides
    cell = board.selected_cell(turn.pair, sides if place == 0 else (other_side, own_side))
    points = {
        each: (value(cross[place], options), value(cross[1 - place], options))
        for each, cross in zip(board.CELLS, turn.crosses)
    }
    own_collected, other_collected = points.pop(cell)
    lead = own_collected - other_collected
    held = [value(card, options) for card in before.hand(seat) if column(card) == own_side]
    answers = [value(card, options) for card in unseen if column(card) == other_side] or [0]
    own = other = 0
    for answer in answers:
        table = [*points.values(), (max(held, default=0), answer)]
        gain = _gain_by_turning(table, lead) if options["players"] == 2 else 0
        own += sum(mine for mine, _theirs in table) + gain
        other += sum(theirs for _mine, theirs in table) - gain
    return own / len(answers), other / len(answers)


def _unseen_cards(before: State, seat: str) -> list[str]:
    """Returns the cards that the seat has not seen: in the other hands, or in the stock."""
    first_crosses = before.turns[0].crosses if before.turns else before.crosses
    seen = {card for cross in first_crosses for card in cross}
    seen |= {card for turn in before.turns for card in turn.cards} | {*before.hand(seat)}
    return [card for card in PACKS[before.options["pack"]] if card not in seen]


def _gain_by_turning(table: Sequence[tuple[int, int]], lead: int) -> int:
    """Returns how many points on the table the participant gains when the best cross is turned.

    ``lead`` is the collected card minus the other's, so the participant turns a cross if it is negative.
    """
    if lead == 0:
        return 0
    gains = [across - own for own, across in table]
    return max(0, *gains) if lead < 0 else min(0, *gains)
