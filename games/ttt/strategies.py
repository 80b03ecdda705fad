"""Strategies of Target the Two Solo, for simulations and demonstrations, by name.

Those that know no more than a participant look at all that may be looked at before each move, and keep
in mind what they have seen: ``belief`` says what follows from it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from games.contract import Onlooker, Player, Strategy
from games.ttt import belief, rules, solver
from games.ttt.belief import Belief
from games.ttt.routes import EXCHANGES, ROUTES, compete

_NAMES: dict[tuple[str | None, ...], str] = {cards: name for name, cards in ROUTES.items()}

# The strength that a learner's inclination to look for the best way begins with and keeps. A route gains
# at most 1 a hand, so habit begins to prevail after some five hands. It is chosen, not estimated from data.
INITIAL_STRENGTH = 4.0


def _random(chance: Random) -> Player:
    return lambda state, seat: chance.choice(rules.legal_actions(state, seat))


def _optimal(_chance: Random) -> Player:
    return lambda state, _seat: solver.shortest(state.layout, state.goal, state.turn)[0]


def _always(name: str) -> Callable[[Random], Player]:
    """The maker of a player that plans each hand by this route when it has been dealt."""

    def player(_chance: Random) -> Player:
        plan = ""

        def act(state: rules.State, _seat: str) -> str:
            nonlocal plan
            if not state.sequence:
                plan = _by_route(state, name)
            return plan[state.moves]

        return act

    return player


def _by_route(state: rules.State, name: str) -> str:
    """The shortest sequence by this route, where it exists; elsewhere the shortest of all."""
    if not compete(state.layout[rules.TARGET], state.goal):
        return solver.shortest(state.layout, state.goal, state.turn)
    known, sequence = Belief(state.layout, state.turn, "all"), ""
    while known.layout[rules.TARGET] != state.goal:
        sequence += belief.best_move(known, state.goal, EXCHANGES[name])
        known = belief.moved(known, sequence[-1])
    return sequence


class _Memory:
    """What a participant knows of the cards, from what the view has shown since the hand was dealt."""

    def __init__(self) -> None:
        self._belief: Belief | None = None
        self._moves = 0

    def of(self, view: dict[str, Any], view_card: str) -> Belief:
        """What is known now. All that may be seen must be seen in ``view``."""
        cards = tuple(view["cards"][place] for place in rules.PLACES)
        if not view["moves"] or self._belief is None:
            self._belief = belief.seen(Belief((None,) * len(cards), view["turn"], view_card), cards)
        elif view["moves"] != self._moves:
            self._belief = belief.seen(belief.moved(self._belief, view["last"]), cards)
        self._moves = view["moves"]
        return self._belief


def _informed(_chance: Random) -> Player:
    memory = _Memory()

    def act(state: rules.State, seat: str) -> str:
        view = rules.view(state, seat)
        if view["may_look"]:
            return f"look {view['may_look'][0]}"
        return belief.best_move(memory.of(view, state.options["ViewCard"]), state.goal)

    return act


def _routinizing(chance: Random, habit: float = 1.0) -> Player:
    """Reinforcement as in the basic model of Roth and Erev (1995), over three ways to go about a hand.

    Where the two routes compete, the player either looks for the best way or takes the route 422 or the
    route 442 out of habit; each is chosen with a probability in proportion to its strength. A solved hand
    adds 1 − moves / MaxRounds, its score as a share of the full score, times ``habit``, to the strength of
    the route that it went by, whether search or habit led there. So the first hand is always played by
    search, and practice makes the habit, and of the two routes the more familiar one.
    """
    memory = _Memory()
    strengths = {"search": INITIAL_STRENGTH, **dict.fromkeys(ROUTES, 0.0)}
    way = "search"
    passed: list[str | None] = []  # the cards that lay in Target in this hand

    def act(state: rules.State, seat: str) -> str:
        nonlocal way, passed
        view = rules.view(state, seat)
        if view["may_look"]:
            return f"look {view['may_look'][0]}"
        known = memory.of(view, state.options["ViewCard"])
        if not view["moves"]:
            passed, way = [view["cards"]["T"]], "search"
            if compete(view["cards"]["T"], state.goal):
                way = chance.choices(list(strengths), list(strengths.values()))[0]
        move = belief.best_move(known, state.goal, EXCHANGES.get(way))
        if move == "T":
            passed.append(known.layout[rules.KEEPER_PLACE[known.turn]])
            if passed[-1] == state.goal and tuple(passed) in _NAMES:
                score = 1 - (view["moves"] + 1) / state.options["MaxRounds"]
                strengths[_NAMES[tuple(passed)]] += habit * score
        return move

    return act


def by_view(chance: Random) -> Onlooker:
    """Like ``informed``; ``ViewCard`` is what has been seen. At random where the goal is not shown."""
    known, moves = Belief((None,) * len(rules.PLACES), "ck", "none"), 0

    def act(view: dict[str, Any]) -> str | None:
        nonlocal known, moves
        if not view["turn"]:
            return None
        if view["may_look"]:
            return f"look {view['may_look'][0]}"
        if view["goal"] is None:
            return chance.choice("UCNP")
        cards = tuple(view["cards"][place] for place in rules.PLACES)
        if not view["moves"]:
            known = Belief((None,) * len(cards), view["turn"], "none")
        elif view["moves"] != moves:
            known = belief.moved(known, view["last"])
        both = all(cards[place] for place in rules.KEEPER_PLACE.values())
        known, moves = belief.seen(known._replace(view_card="all" if both else "none"), cards), view["moves"]
        return belief.best_move(known, view["goal"])

    return act


_LOOKS = "it looks at every card that may be looked at, and knows the goal card even if ViewTarget hides it."
_KNOWS_ALL = "it knows all cards, those that lie face down too."


def _always_strategy(name: str) -> Strategy:
    return Strategy(
        _always(name),
        f"The shortest sequence by route {name} where the routes compete (4C in Target, goal 2H), else the "
        f"shortest of all; {_KNOWS_ALL}",
        "Cohen & Bacdayan 1994; Egidi & Narduzzo 1997",
    )


STRATEGIES: dict[str, Strategy] = {
    "random": Strategy(
        _random,
        "Any move that the rules allow, each equally likely; it looks at no card, and never tries a T that "
        "would be refused.",
    ),
    "always_422": _always_strategy("422"),
    "always_442": _always_strategy("442"),
    "optimal": Strategy(_optimal, f"The shortest sequence; {_KNOWS_ALL}"),
    "informed": Strategy(
        _informed,
        f"The least expected number of moves under the information that the hand's ViewCard gives; {_LOOKS}",
    ),
    "routinizing": Strategy(
        _routinizing,
        "As informed, but where the routes 422 and 442 compete it repeats, the more often the more practice "
        f"it has, the route that has been familiar to it, be it the shorter one or not; {_LOOKS}",
        "Roth & Erev 1995, basic model; Egidi & Narduzzo 1997 for the habit",
        scaled=lambda habit: partial(_routinizing, habit=habit),
    ),
}
