"""Defines two players that do not look ahead, as baselines for the search."""

from __future__ import annotations

import random

from cardlab.games.challenge.packs import height, in_order
from cardlab.games.challenge.position import PICK_UP, Position, legal_moves


def random_move(position: Position, chance: random.Random) -> str:
    """Returns a random legal move."""
    return chance.choice(legal_moves(position))


def greedy_move(position: Position) -> str:
    """Returns the lowest playable card that is not a trump of the mover, else the lowest, else a pick-up."""
    cards = [move for move in legal_moves(position) if move != PICK_UP]
    if not cards:
        return PICK_UP
    trump = position.trumps[position.mover]
    return min(in_order(cards), key=lambda card: (card[-1] == trump, height(card)))
