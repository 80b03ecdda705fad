"""Computes the values of the moves of a position of Challenge, for advice, claims, draw offers and analyses.

The source of a value is the best one available: a tablebase of a small pack (``exact``), a proof of a forced
win or loss (``proved``), or the search (``searched depth 6``).

The result assumes best play from the position on, and ignores the limit of actions. A claim must hold in the
game being played, so :func:`is_won` takes the limit into account.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from cardlab.games.challenge.position import Position, apply, legal_moves
from cardlab.games.challenge.search import LONGEST, WON, Search, forced_win
from cardlab.games.challenge.tablebase import MAX_ROUNDS, exact_scores

CERTAIN = 500  # the worth of a win; at most one evaluated move in forty has a higher value
# In all examined deals a forced win takes fewer than four actions per round against the longest defence, so 8
# is a safe bound. If fewer actions are left, the search must prove a win of the tablebase.
ROUND_ACTIONS = 8
OCCURRENCES = 3  # of a position, which end a game

_OPPOSITE = {"won": "lost", "lost": "won", "drawn": "drawn", "": ""}

EXACT, PROVED, SEARCHED = "exact", "proved", "searched depth"


class Value(NamedTuple):
    """The value of a move for its mover.

    ``worth`` is in points of the evaluation: ±``CERTAIN`` for a win or loss, closer to 0 if searched.
    ``result`` is ``won``, ``drawn`` or ``lost`` with best play, "" if unknown. ``source`` says how the value
    was found.
    """

    worth: int
    result: str
    source: str


class Values(NamedTuple):
    """The values of all legal moves, the number of searched nodes, and the expected moves with best play."""

    moves: Mapping[str, Value]
    nodes: int
    line: tuple[str, ...]

    def best(self, preferred: str = "") -> str:
        """Returns a move with the highest worth; among equals the preferred one, then the expected one."""
        expected_move = self.line[0]
        return max(
            self.moves, key=lambda move: (self.moves[move].worth, move == preferred, move == expected_move)
        )

    @property
    def position(self) -> Value:
        """The value of the position: that of the best move."""
        best = self.moves[self.best()]
        unknown = next((value for value in self.moves.values() if not value.result), None)
        return best._replace(result="", source=unknown.source) if unknown and best.result == "drawn" else best


def values(position: Position, earlier: Sequence[Position] = (), *, depth: int, nodes: int) -> Values:
    """Returns the values of all legal moves of a position that is not over.

    ``earlier`` are the earlier positions of the game. Tablebases ignore them, so none is used if a position
    has occurred so often that its next occurrence is a draw. Without a tablebase, ``nodes`` is the budget of
    the proof, and again of the search to ``depth``.
    """
    drawing_keys = _keys_that_draw(position, earlier)
    scores = None if drawing_keys else exact_scores(position)
    if scores is not None:
        exact_values = Values(
            {move: _exact(score) for move, score in scores.items()}, 0, _exact_line(position)
        )
    else:
        exact_values = _proved_or_searched(position, earlier, depth, nodes)
    drawing_moves = {
        move: Value(0, "drawn", EXACT)
        for move in (legal_moves(position) if drawing_keys else ())
        if apply(position, move).key in drawing_keys
    }
    return exact_values._replace(moves={**exact_values.moves, **drawing_moves})


def values_with(
    move: str, position: Position, earlier: Sequence[Position] = (), *, depth: int, nodes: int
) -> Values:
    """Returns the values of all legal moves. If the position is won, tries to prove that ``move`` wins."""
    move_values = values(position, earlier, depth=depth, nodes=nodes)
    if move_values.position.result != "won" or move_values.moves[move].result:
        return move_values
    next_position = apply(position, move)
    next_values = values(next_position, (*earlier, position), depth=depth, nodes=nodes)
    value = next_values.position
    if next_position.mover != position.mover:
        value = Value(-value.worth, _OPPOSITE[value.result], value.source)
    return move_values._replace(moves={**move_values.moves, move: value}) if value.result else move_values


def is_won(position: Position, earlier: Sequence[Position] = (), *, nodes: int, within: int) -> bool:
    """Returns whether the mover can force a win under the rules, in at most ``within`` more actions."""
    scores = exact_scores(position)
    if scores is not None:
        best_score = max(scores.values())
        occurred = [one.key for one in earlier]
        # The quickest win repeats no position, so earlier positions matter only if one has occurred twice.
        max_actions = (MAX_ROUNDS - best_score + 1) * ROUND_ACTIONS
        if best_score <= 0 or (len(set(occurred)) == len(occurred) and max_actions <= within):
            return best_score > 0
    return forced_win(position, nodes=nodes, earlier=earlier, within=within)


def search_moves(
    position: Position, earlier: Sequence[Position], depth: int, nodes: int
) -> tuple[dict[str, int], int, int]:
    """Returns the values of all legal moves by search, the completed depth and the number of nodes."""
    search, worth_by_move, reached = Search(position, earlier), dict[str, int](), -1
    for deep in range(depth + 1):
        nodes_left = nodes - search.nodes
        moves = search.scores(deep, nodes_left)
        if worth_by_move and search.nodes > nodes:
            break
        worth_by_move, reached = moves, deep
    return worth_by_move, reached, search.nodes


def _exact(score: int) -> Value:
    result = "won" if score > 0 else "lost" if score < 0 else "drawn"
    return Value(_certain(score), result, EXACT)


def _certain(value: int) -> int:
    return CERTAIN * ((value > 0) - (value < 0))


def _exact_line(position: Position, length: int = 5) -> tuple[str, ...]:
    """Returns the moves by which the winner wins soonest and the loser loses latest."""
    line: list[str] = []
    while position.winner is None and len(line) < length and (scores := exact_scores(position)):
        line.append(max(scores, key=scores.__getitem__))
        position = apply(position, line[-1])
    return tuple(line)


def _keys_that_draw(position: Position, earlier: Sequence[Position]) -> set[Hashable]:
    """Returns the keys of the positions whose next occurrence draws the game."""
    occurred = Counter(earlier_position.key for earlier_position in (*earlier, position))
    return {key for key, times in occurred.items() if times >= OCCURRENCES - 1}


def _proved_or_searched(position: Position, earlier: Sequence[Position], depth: int, nodes: int) -> Values:
    proof = Search(position, earlier).run(LONGEST, nodes, 0, exact=False)
    if proof.proved is False:
        lost = dict.fromkeys(legal_moves(position), Value(-CERTAIN, "lost", PROVED))
        return Values(lost, proof.nodes, proof.line)
    scores, reached, node_count = search_moves(position, earlier, depth, nodes)
    moves = {move: _searched(worth, reached) for move, worth in scores.items()}
    if proof.proved:
        moves[proof.move] = Value(CERTAIN, "won", PROVED)
    best_move = max(moves, key=lambda move: (moves[move].worth, move == proof.move))
    return Values(moves, proof.nodes + node_count, proof.line if best_move == proof.move else (best_move,))


def _searched(worth: int, depth: int) -> Value:
    if abs(worth) >= WON:
        return Value(_certain(worth), "won" if worth > 0 else "lost", PROVED)
    return Value(max(1 - CERTAIN, min(CERTAIN - 1, worth)), "", f"{SEARCHED} {depth}")
