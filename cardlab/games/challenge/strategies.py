"""Defines the strategies of Challenge for simulations.

None offers a draw, resigns or asks for advice. Those that search know all cards, whatever the option
``show``, and the earlier positions of the game. All except ``random`` decline offers and claims. ``depth_4``
claims a forced win.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from cardlab.games.challenge import planning, rules
from cardlab.games.challenge.heuristics import HEURISTICS, heuristic_move
from cardlab.games.challenge.opponents import greedy_move, random_move
from cardlab.games.challenge.packs import height
from cardlab.games.challenge.position import Position
from cardlab.games.challenge.rules import State
from cardlab.games.challenge.search import best_move
from cardlab.games.contract import Policy, Strategy, ViewPolicy

NODES = 50_000  # budget for a move

MoveChoice = Callable[[Position, tuple[Position, ...]], str]  # position and earlier positions → move


def _declining(choose: Callable[[Random], MoveChoice]) -> Callable[[Random], Policy]:
    """Returns a strategy that uses ``choose`` for its moves and declines all offers and claims."""

    def player(chance: Random) -> Policy:
        choose_move = choose(chance)

        def act(state: State, _seat: str) -> str:
            if state.asked:
                return rules.DECLINE
            return rules.action_of(choose_move(state.position, state.positions[:-1]))

        return act

    return player


def _random(chance: Random) -> Policy:
    def act(state: State, _seat: str) -> str:
        if state.asked:
            return chance.choice((rules.ACCEPT, rules.DECLINE))
        return rules.action_of(random_move(state.position, chance))

    return act


def _greedy(_chance: Random) -> MoveChoice:
    return lambda position, _earlier: greedy_move(position)


def _heuristic(name: str) -> Strategy:
    def choose(chance: Random) -> MoveChoice:
        return lambda position, earlier: heuristic_move(name, position, earlier, chance)

    return Strategy(_declining(choose), f"{HEURISTICS[name][0].capitalize()}; among equals a random one.")


def _searching(depth: int) -> Callable[[Random], MoveChoice]:
    def choose(chance: Random) -> MoveChoice:
        return lambda position, earlier: (
            best_move(position, depth=depth, nodes=NODES, seed=chance.random(), earlier=earlier).move
        )

    return choose


def _claiming(depth: int) -> Callable[[Random], Policy]:
    """Returns a strategy that searches, and claims a win when it has proved one."""

    def player(chance: Random) -> Policy:
        def act(state: State, seat: str) -> str:
            if state.asked:
                return rules.DECLINE
            position, earlier = state.position, state.positions[:-1]
            best = best_move(position, depth=depth, nodes=NODES, seed=chance.random(), earlier=earlier)
            sure = best.proved and rules.CLAIM in rules.legal_actions(state, seat)
            return rules.CLAIM if sure else rules.action_of(best.move)

        return act

    return player


def _softmax(depth: int) -> Strategy:
    def choose(chance: Random) -> MoveChoice:
        return lambda position, earlier: planning.softmax_move(position, earlier, depth, chance)

    return Strategy(
        _declining(choose),
        f"Knows what each move is worth {depth} actions ahead, and takes one with a probability proportional "
        f"to exp(worth / {planning.NOISE}): a player of planning depth {depth}.",
        "After van Opheusden et al. 2023.",
    )


def new_view_policy(chance: Random) -> ViewPolicy:
    """Returns a policy like ``greedy``, but with one random move in ten, so that games of two of them end."""

    def act(view: dict[str, Any]) -> str | None:
        if view["seat"] not in view["waiting_for"] or view["ended"]:
            return None
        if view["asked"]:
            return rules.DECLINE
        trump = view["trumps"][view["seat"]]
        cards = [action.removeprefix("play ") for action in view["may"] if action.startswith("play ")]
        if cards and chance.random() < 0.1:
            card = chance.choice(cards)
        elif cards:
            card = min(cards, key=lambda card: (card[-1] == trump, height(card)))
        else:
            return "pick up"
        return f"play {card}"

    return act


STRATEGIES = {
    "random": Strategy(
        _random,
        "Any move that is allowed, each equally likely; accepts an offered draw or a claim with probability "
        "1/2.",
    ),
    "greedy": Strategy(
        _declining(_greedy),
        "The lowest card that beats and is no trump, else the lowest trump, else picks up.",
    ),
    **{name: _heuristic(name) for name in ("hoarding", "recency")},
    "depth_1": Strategy(_declining(_searching(1)), "The best move by a search that looks one action ahead."),
    "depth_4": Strategy(
        _claiming(4),
        "The best move by a search that looks four actions ahead, as the computer does by default; "
        "claims a win that it sees.",
    ),
    **{f"softmax_depth_{depth}": _softmax(depth) for depth in planning.DEPTHS},
}
