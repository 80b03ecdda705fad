"""What the search says of games that were played: the worth of each move, and the choices of people.

A game is searched as a task of its own (``cardlab.analysis.parallel``), which is told all it needs as text
and numbers: deal, settings and moves, and which of them are to be looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from cardlab.analysis.folding import history
from cardlab.analysis.hands import find_game
from cardlab.analysis.source_hand import SourceHand
from cardlab.games.challenge import APPS, measures, planning, rules
from cardlab.games.challenge.measures import Move
from cardlab.games.challenge.packs import pack
from cardlab.games.challenge.planning import Choice
from cardlab.games.challenge.position import Position, apply
from cardlab.games.challenge.rules import State
from cardlab.games.challenge.search import WON, Search
from cardlab.games.challenge.solver import solved
from cardlab.games.hand import History

SOLVED = 3  # the largest pack of which the solver is asked; a second or less, once in a process

MATTER = ("after_pickup", "after_better", "trumps", "size", "max_actions")  # of the settings


class Task(NamedTuple):
    """Moves of a game that are to be looked at: their numbers in it, counted from 0, and how deep and wide.

    With ``every`` depth from 0 on is searched with so many nodes, else the one alone.
    """

    deal: str
    options: dict[str, Any]
    moves: str
    numbers: tuple[int, ...]
    depth: int
    nodes: int


class Worth(NamedTuple):
    """What a move was worth to its mover, in the units of the search's evaluation.

    ``before`` is the worth of the best move, ``after`` that of the chosen one, ``best`` the best one, the
    chosen one if none is better. ``result_before`` and ``result_after`` are ``won``, ``drawn`` or ``lost``
    for the mover if both sides go on best, empty where that is not known. ``proved`` by ``solver`` or
    ``search``.
    """

    before: int
    after: int
    best: str
    result_before: str
    result_after: str

    @property
    def loss(self) -> int:
        """How much less the chosen move was worth than the best."""
        return self.before - self.after

    @property
    def kept(self) -> bool | None:
        """Whether a won position stayed won; None if it was none, or where that is not known."""
        if self.result_before != "won" or not self.result_after:
            return None
        return self.result_after == "won"


def games(hands: Iterable[SourceHand]) -> Iterator[tuple[SourceHand, History]]:
    """The games of Challenge that were played, without those that were taken apart. BadFile for a hand of
    another game."""
    for hand in hands:
        if find_game(hand).apps != APPS:
            raise hand.error_at(
                f"This is a hand of {hand.cells['app']}; only hands of {APPS[0]} can be read here."
            )
        played = history(hand, rules)
        if not played.dealt.state.options["analysing"]:
            yield hand, played


def task(played: History, numbers: Sequence[int], depth: int, nodes: int) -> Task:
    """What is to be looked at of a game."""
    state: State = played.hand.state
    options = {name: state.options[name] for name in MATTER}
    moves = " ".join(map(rules.spelled, state.moves))
    return Task(played.opening.deal, options, moves, tuple(numbers), depth, nodes)


def worths(asked: Task) -> list[Worth]:
    """What the moves of a task were worth."""
    state = rules.start(asked.deal, {**asked.options, "moves": asked.moves})
    positions = state.positions
    return [
        worth(positions[number], positions[:number], state.moves[number], asked.depth, asked.nodes)
        for number in asked.numbers
    ]


def choices(asked: Task) -> list[Choice]:
    """The moves of a task as choices, with their worths at all depths up to that of the task."""
    state = rules.start(asked.deal, {**asked.options, "moves": asked.moves})
    positions, depths = state.positions, range(asked.depth + 1)
    return [
        planning.choice(positions[number], positions[:number], state.moves[number], depths, asked.nodes)
        for number in asked.numbers
    ]


def worth(position: Position, earlier: Sequence[Position], move: str, depth: int, nodes: int) -> Worth:
    """What a move is worth, searched so deep; where the nodes do not suffice, as deep as they do."""
    found = Search(position, earlier).worths(depth, nodes)
    bounded = planning.bounded(found)
    best = max(bounded, key=lambda one: (bounded[one], one == move))
    before, after = solver_results(position, move) or search_results(max(found.values()), found[move])
    return Worth(bounded[best], bounded[move], best, before, after)


def search_results(best: int, chosen: int) -> tuple[str, str]:
    """What the worths prove of the position before a move and of that after it."""
    return _proved(best), _proved(chosen)


def _proved(value: int) -> str:
    return "won" if value >= WON else "lost" if value <= -WON else ""


def solver_results(position: Position, move: str) -> tuple[str, str] | None:
    """The same by the solver; None of a position that it does not reach."""
    cards = {*position.hands[0], *position.hands[1], *position.table}
    size = len(cards) // 4
    if not 1 <= size <= SOLVED or cards != set(pack(size)):
        return None
    known = solved(size, position.form)
    after = apply(position, move)
    score = known.score(after)
    return _won(known.score(position)), _won(score if after.mover == position.mover else -score)


def _won(score: int) -> str:
    return "won" if score > 0 else "lost" if score < 0 else "drawn"


def own_choices(played: History, seat: str) -> list[int]:
    """The numbers of the moves that the participant of a seat chose among several, without advice."""
    made: list[Move] = measures.moves_of(played)
    return [n for n, one in enumerate(made) if one.seat == seat and measures.is_choice(one)]
