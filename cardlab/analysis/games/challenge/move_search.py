"""Searches played games of Challenge for the values of moves and of alternatives.

Each game is a task for ``cardlab.analysis.parallel``, with its deal, settings, moves and the moves to search.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from cardlab.analysis.folding import history
from cardlab.analysis.source_hand import SourceHand
from cardlab.games.challenge import APPS, measures, planning, rules
from cardlab.games.challenge.planning import Choice
from cardlab.games.challenge.position import Position
from cardlab.games.challenge.rules import State
from cardlab.games.challenge.values import Value, values_with
from cardlab.games.challenge.variants import VARIANTS
from cardlab.games.hand import History

SEARCH_SETTINGS = ("after_pickup", "after_better", "trumps", "size", "max_actions")  # settings of a search


class Task(NamedTuple):
    """A game and the indices of its moves to search, with the depth and node budget of each search.

    With ``drop_out``, choices are searched in all ``VARIANTS``.
    """

    deal: str
    options: dict[str, Any]
    moves: str
    numbers: tuple[int, ...]
    depth: int
    nodes: int
    drop_out: bool = False


class Worth(NamedTuple):
    """The value of a move for its mover.

    ``before`` is the value of the position, ``after`` that of the chosen move. ``best`` is the best move, or
    the chosen one if none is better.
    """

    before: Value
    after: Value
    best: str

    @property
    def loss(self) -> int:
        """The worth of the best move minus that of the chosen move."""
        return self.before.worth - self.after.worth

    @property
    def kept(self) -> bool | None:
        """Whether a won position stayed won; None if it was not won or the result is unknown."""
        if self.before.result != "won" or not self.after.result:
            return None
        return self.after.result == "won"


def played_games(hands: Iterable[SourceHand]) -> Iterator[tuple[SourceHand, History]]:
    """Yields the played games, without games of the analysing mode. Raises BadFile for another game."""
    for hand in hands:
        hand.check_app(APPS)
        hand_history = history(hand, rules)
        if not hand_history.dealt.state.options["analysing"]:
            yield hand, hand_history


def make_task(
    history: History, numbers: Sequence[int], depth: int, nodes: int, drop_out: bool = False
) -> Task:
    """Returns the task to search these moves of a game."""
    state: State = history.hand.state
    options = {name: state.options[name] for name in SEARCH_SETTINGS}
    moves = " ".join(map(rules.spelled, state.moves))
    return Task(history.opening.deal, options, moves, tuple(numbers), depth, nodes, drop_out)


def value_moves(task: Task) -> list[Worth]:
    """Returns the values of the moves of a task."""
    state = rules.start(task.deal, {**task.options, "moves": task.moves})
    positions = state.positions
    return [
        value_move(positions[number], positions[:number], state.moves[number], task.depth, task.nodes)
        for number in task.numbers
    ]


def search_choices(task: Task) -> list[Choice]:
    """Returns the moves of a task as choices, with values at all depths up to that of the task."""
    state = rules.start(task.deal, {**task.options, "moves": task.moves})
    positions, depths = state.positions, range(task.depth + 1)
    searched = VARIANTS if task.drop_out else ()
    return [
        planning.choice(
            positions[number], positions[:number], state.moves[number], depths, task.nodes, searched
        )
        for number in task.numbers
    ]


def value_move(position: Position, earlier: Sequence[Position], move: str, depth: int, nodes: int) -> Worth:
    """Returns the value of a move, searched to ``depth`` or as deep as ``nodes`` positions allow."""
    found = values_with(move, position, earlier, depth=depth, nodes=nodes)
    return Worth(found.position, found.moves[move], found.best(move))


def choice_indices(history: History, seat: str) -> list[int]:
    """Returns the indices of the moves that the participant chose among several, without advice."""
    moves = measures.moves_of(history)
    return [n for n, move in enumerate(moves) if move.seat == seat and measures.is_choice(move)]
