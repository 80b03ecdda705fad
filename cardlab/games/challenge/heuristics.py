"""Defines players of Challenge that do not look ahead, as alternatives to models of planning.

A heuristic ranks the legal moves by simple properties of the card: rank 0 is the preferred move, and equal
moves have equal ranks. ``FEATURES`` describe a move for a model that weighs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random

from cardlab.games.challenge.packs import height
from cardlab.games.challenge.position import PICK_UP, Position, legal_moves

Key = Callable[[Position, str, str], tuple[int, ...]]  # position, move, suit of the previous card → sort key


def previous_suit(position: Position, earlier: Iterable[Position]) -> str:
    """Returns the suit of the last card that the mover has played in this game, "" if there is none."""
    suit, before = "", None
    for now in (*earlier, position):
        if before is not None and before.mover == position.mover:
            for card in before.hands[position.mover] - now.hands[position.mover]:
                suit = card[-1]
        before = now
    return suit


def _card_height(move: str) -> int:
    return 0 if move == PICK_UP else height(move)


def _is_trump(position: Position, move: str) -> bool:
    return move[-1] == position.trumps[position.mover]


def _greedy(position: Position, move: str, _suit: str) -> tuple[int, ...]:
    return move == PICK_UP, _is_trump(position, move), _card_height(move)


def _hoarding(position: Position, move: str, _suit: str) -> tuple[int, ...]:
    return _is_trump(position, move), move == PICK_UP, _card_height(move)


def _recency(position: Position, move: str, suit: str) -> tuple[int, ...]:
    return move[-1] != suit, *_greedy(position, move, suit)


HEURISTICS: Mapping[str, tuple[str, Key]] = {
    "greedy": (
        "the lowest playable card that is no own trump, else the lowest trump, else a pick-up",
        _greedy,
    ),
    "hoarding": ("as greedy, but picks up rather than play a trump", _hoarding),
    "recency": ("the lowest playable card of the suit of its previous card, else as greedy", _recency),
}
"""The heuristics by name, with their meanings."""

FEATURES = ("pick-up", "cards picked up", "own trump", "other's trump", "height", "suit of previous card")


def ranks(heuristic: str, position: Position, earlier: Iterable[Position], moves: Sequence[str]) -> list[int]:
    """Returns the rank of each move for a heuristic: 0 for the preferred ones."""
    suit, key = previous_suit(position, earlier), HEURISTICS[heuristic][1]
    keys = [key(position, move, suit) for move in moves]
    levels = sorted(set(keys))
    return [levels.index(one) for one in keys]


def features(position: Position, move: str, suit: str) -> tuple[int, ...]:
    """Returns the ``FEATURES`` of a move. ``suit`` is that of the mover's previous card."""
    is_pick_up = move == PICK_UP
    return (
        int(is_pick_up),
        len(position.table) if is_pick_up else 0,
        int(_is_trump(position, move)),
        int(move[-1] == position.trumps[1 - position.mover]),
        _card_height(move),
        int(move[-1] == suit),
    )


def heuristic_move(heuristic: str, position: Position, earlier: Iterable[Position], chance: Random) -> str:
    """Returns a preferred move of a heuristic; among equals one is drawn."""
    moves = legal_moves(position)
    order = ranks(heuristic, position, earlier, moves)
    return chance.choice([move for move, rank in zip(moves, order) if rank == 0])
