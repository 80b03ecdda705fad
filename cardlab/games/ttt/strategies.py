"""Defines the strategies of Target the Two for simulations and demonstrations.

Strategies with the knowledge of a participant look at all visible cards before each move and have perfect
memory (``belief``). In hands of two, each plays the keeper of its seat and knows what this seat has seen.
"""

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from cardlab.games.contract import Policy, Strategy, ViewPolicy
from cardlab.games.ttt import belief, board, rules, solver
from cardlab.games.ttt.belief import Belief
from cardlab.games.ttt.robots import best, cards_in_target, draw_way, look
from cardlab.games.ttt.routes import EXCHANGES, ROUTES, compete

_NAMES: dict[tuple[str | None, ...], str] = {cards: name for name, cards in ROUTES.items()}

# The constant strength of search. A route gains at most 1 per hand, so habits begin to prevail after some
# five hands. The value is chosen, not estimated from data.
INITIAL_STRENGTH = 4.0


def _random(chance: Random) -> Policy:
    return lambda state, seat: chance.choice(rules.legal_actions(state, seat))


def _optimal(_chance: Random) -> Policy:
    return lambda state, _seat: solver.shortest(state.layout, state.goal, state.turn)[0]


def _always(name: str) -> Callable[[Random], Policy]:
    """Returns a strategy that plans each hand by this route after the deal.

    In hands of two, it follows the route as far as its seat can see.
    """

    def player(_chance: Random) -> Policy:
        plan = ""

        def act(state: board.State, seat: str) -> str:
            nonlocal plan
            if state.two:
                return look(state, seat) or best(state, seat, name)
            if not state.sequence:
                plan = _by_route(state, name)
            return plan[state.moves]

        return act

    return player


def _by_route(state: board.State, name: str) -> str:
    """Returns the shortest sequence by this route if the routes compete, else the shortest of all."""
    if not compete(state.layout[board.TARGET], state.goal):
        return solver.shortest(state.layout, state.goal, state.turn)
    known, sequence = Belief(state.layout, state.turn, "all"), ""
    while known.layout[board.TARGET] != state.goal:
        sequence += belief.best_move(known, state.goal, EXCHANGES[name])
        known = belief.after_move(known, sequence[-1])
    return sequence


def _informed(_chance: Random) -> Policy:
    def act(state: board.State, seat: str) -> str:
        return look(state, seat) or best(state, seat)

    return act


class Routinizing:
    """A learner by reinforcement, as in the basic model of Roth and Erev (1995), over three ways of playing.

    If the two routes compete, the player either searches for the best move or takes the route 422 or 442 by
    habit, each with a probability proportional to its strength. A solved hand adds 1 − moves / MaxRounds (its
    score as a share of the full score) times ``habit`` to the strength of its route. It does so whether
    search or habit led to the route, and whichever player solved the hand. So the first hand is always played
    by search, and practice strengthens the more familiar route.
    """

    def __init__(self, chance: Random, habit: float = 1.0) -> None:
        self.strengths = {"search": INITIAL_STRENGTH, **dict.fromkeys(ROUTES, 0.0)}
        self._chance, self._habit = chance, habit
        self._way = "search"
        self._last: board.State | None = None  # after the player's last move

    def __call__(self, state: board.State, seat: str) -> str:
        """Returns the next action in the seat."""
        if action := look(state, seat):
            return action
        if not state.moves or (state.two and state.moves == 1):
            self.remember()
            self._way = draw_way(self.strengths, state, self._chance)
        move = best(state, seat, self._way)
        self._last = rules.apply(state, seat, move)
        return move

    def remember(self) -> None:
        """Learns from the last hand, which is over."""
        last_state, self._last = self._last, None
        if last_state is None:
            return
        cards_passed, moves, max_rounds = (
            cards_in_target(last_state),
            last_state.moves,
            last_state.options["MaxRounds"],
        )
        if last_state.two and not last_state.solved and moves + 1 < max_rounds:  # the partner solved it
            cards_passed, moves = (*cards_passed, last_state.goal), moves + 1
        if cards_passed[-1] == last_state.goal and cards_passed in _NAMES:
            self.strengths[_NAMES[cards_passed]] += self._habit * (1 - moves / max_rounds)


def new_view_policy(chance: Random) -> ViewPolicy:
    """Returns a policy like ``informed`` for views. It plays at random if the goal is hidden."""
    known, moves = Belief((None,) * len(board.PLACES), "ck", "none"), 0

    def act(view: dict[str, Any]) -> str | None:
        nonlocal known, moves
        two = "seat" in view
        if not view["turn"] or (two and view["seat"] != view["turn"]):
            return None
        if view["may_look"]:
            return f"look {view['may_look'][0]}"
        if view["goal"] is None:
            return chance.choice("UCNP")
        cards = tuple(view["cards"][place] for place in board.PLACES)
        moves_played = view["played"] if two else view["last"] or ""
        if not view["moves"] or (two and view["moves"] == 1):  # the first turn of a hand
            first_mover = view["turn"] if not view["moves"] else board.other(view["turn"])
            known, moves = Belief((None,) * len(cards), first_mover, "none"), 0
        for move in moves_played[len(moves_played) - (view["moves"] - moves) :]:
            known = belief.after_move(known, move)
        sees_both = all(cards[place] for place in board.KEEPER_PLACE.values())
        sight = "all" if sees_both else view.get("seat", "none")
        known, moves = belief.after_looking(known._replace(view_card=sight), cards), view["moves"]
        return belief.best_move(known, view["goal"])

    return act


_LOOKS = "it looks at every card that may be looked at, and knows the goal card even if ViewTarget hides it."
_KNOWS_ALL = "it knows all cards, including those that lie face down."


def _always_strategy(name: str) -> Strategy:
    return Strategy(
        _always(name),
        f"The shortest sequence by route {name} where the routes compete (4C in Target, goal 2H), else the "
        f"shortest of all; {_KNOWS_ALL} In a hand of two, it follows this as far as its seat can see.",
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
        Routinizing,
        "As informed, but where the routes 422 and 442 compete it repeats its familiar route, even if the "
        f"other is shorter, and more often with more practice; {_LOOKS}",
        "Roth & Erev 1995, basic model; Egidi & Narduzzo 1997 for the habit",
        scaled=lambda habit: partial(Routinizing, habit=habit),
    ),
}
