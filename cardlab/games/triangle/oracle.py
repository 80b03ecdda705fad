"""The best score that is reachable with the whole deck known, computed by OR-Tools' CP-SAT solver.

A player sees one card at a time, so this is an upper benchmark for a hand. The whole hand is one integer
programme: which card goes to which place, when a card may be discarded (only if an earlier card filled each
place that it fits, ruling 16), how a Single of variation 2 changes its place (ruling 18), and the score
(ruling 17).
"""

from __future__ import annotations

import random
from collections import defaultdict
from math import floor
from typing import Any, NamedTuple

from cardlab.games.contract import NotInstalled
from cardlab.games.triangle import rules
from cardlab.games.triangle.loop import CORNERS, INNER_JOINTS, NUMBERS, content_of, next_place
from cardlab.games.triangle.packs import fits, is_complete, match
from cardlab.games.triangle.rules import DISCARD, SEAT, State
from cardlab.games.triangle.scoring import BEST, POINTS
from cardlab.games.triangle.strategies import VIEW_POLICIES

SEED = 0


class SolverNotInstalled(NotInstalled):
    """OR-Tools is not installed."""


class BestPlay(NamedTuple):
    """The best play from a state on: ``actions`` that reach ``score``.

    ``proved`` says that no higher score is possible; ``bound`` is a score that cannot be exceeded.
    ``seconds`` is the duration of the search.
    """

    score: int
    actions: tuple[str, ...]
    proved: bool
    bound: int
    seconds: float


def find_best_play(state: State, time_limit: float = 60) -> BestPlay:
    """Finds the best score from ``state`` on, with actions that reach it; ``time_limit`` is in seconds.

    A proved result is the same on every machine. An unproved one depends on where the limit ends the search,
    but is never worse than the strategies play. Raises SolverNotInstalled.
    """
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        install = "pip install -r requirements-analysis.txt"
        raise SolverNotInstalled(f"The oracle needs OR-Tools, which is not installed: {install}") from None
    known = _best_of_strategies(state)
    if known.score == BEST or rules.is_over(state):
        return known._replace(proved=True, bound=known.score)
    programme = _Programme(cp_model.CpModel(), state)
    programme.add_hint(known.actions)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = time_limit
    solver.parameters.random_seed = SEED
    solver.parameters.num_workers = 1  # more workers find the same score, but not always the same actions
    found = solver.solve(programme.model)
    seconds = solver.wall_time
    if found not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return known._replace(seconds=seconds)
    bound = min(BEST, floor(solver.best_objective_bound + 1e-6))
    actions = programme.solution(solver)
    for action in actions:
        state = rules.apply(state, SEAT, action)
    score = state.score.total
    if score < known.score:
        score, actions = known.score, known.actions
    return BestPlay(score, actions, score == bound, bound, seconds)


def _best_of_strategies(state: State) -> BestPlay:
    """Returns the best play of the strategies, not proved."""
    plays = [_play_strategy(state, name) for name in VIEW_POLICIES]
    score, actions = max(plays, key=lambda play: play[0])
    return BestPlay(score, actions, False, BEST, 0.0)


def _play_strategy(state: State, name: str) -> tuple[int, tuple[str, ...]]:
    chance, actions = random.Random(SEED), list[str]()
    while not rules.is_over(state):
        actions.append(VIEW_POLICIES[name](rules.view(state, SEAT), chance))
        state = rules.apply(state, SEAT, actions[-1])
    return state.score.total, tuple(actions)


class _Programme:
    """The integer programme of a state. Cards are numbered by their position in the remaining deck.

    ``put[card, place]`` is 1 if the card goes to the place, for each pair of a card and a place it fits.
    """

    def __init__(self, model: Any, state: State) -> None:
        self.model, self.state = model, state
        self.put = {
            (number, place): model.new_bool_var(f"{card} to {place}")
            for number, card in enumerate(state.deck)
            for place in NUMBERS
            if fits(card, content_of(state.places, place))
        }
        self.cards_of: dict[int, list[int]] = defaultdict(list)
        self.places_of: dict[int, list[int]] = defaultdict(list)
        for number, place in self.put:
            self.cards_of[place].append(number)
            self.places_of[number].append(place)
        self._cards_go_to_places()
        self._no_fitting_card_is_discarded()
        model.maximize(self._score())

    def add_hint(self, actions: tuple[str, ...]) -> None:
        """Gives the solver actions to start from."""
        places = [rules.PLACES.get(action) for action in actions]
        for (number, place), put in self.put.items():
            self.model.add_hint(put, places[number] == place)

    def solution(self, solver: Any) -> tuple[str, ...]:
        """Returns the actions of the solution."""
        places = {number: place for (number, place), put in self.put.items() if solver.boolean_value(put)}
        cards = range(len(self.state.deck))
        return tuple(f"place {places[number]}" if number in places else DISCARD for number in cards)

    def _is_complete(self, number: int) -> bool:
        return is_complete(self.state.deck[number])

    def _put(self, place: int, completes: bool, until: int | None = None) -> list[Any]:
        """Returns the variables of the Completes, or of the Singles, for a place, up to card ``until``."""
        return [
            self.put[number, place]
            for number in self.cards_of[place]
            if self._is_complete(number) is completes and (until is None or number < until)
        ]

    def _cards_go_to_places(self) -> None:
        """A card goes to one place at most; a place takes one Complete, before it one Single (ruling 18)."""
        for number, places in self.places_of.items():
            self.model.add_at_most_one(self.put[number, place] for place in places)
        for place, numbers in self.cards_of.items():
            self.model.add_at_most_one(self._put(place, completes=True))
            self.model.add_at_most_one(self._put(place, completes=False))
            for single in numbers:
                if not self._is_complete(single):
                    self._single_precedes_matching_complete(single, place, numbers)

    def _single_precedes_matching_complete(self, single: int, place: int, numbers: list[int]) -> None:
        """The Single comes before the Complete of its place, which must have its characteristic."""
        for number in numbers:
            if self._is_complete(number) and (
                number < single or not match(self.state.deck[number], self.state.deck[single])
            ):
                self.model.add_at_most_one(self.put[single, place], self.put[number, place])

    def _no_fitting_card_is_discarded(self) -> None:
        """A discarded card was blocked from each of its places by an earlier card (rulings 16, 18)."""
        for number, places in self.places_of.items():
            goes = [self.put[number, place] for place in places]
            for place in places:
                self.model.add_bool_or(*goes, *self._blocking(number, place))

    def _blocking(self, number: int, place: int) -> list[Any]:
        """Returns the variables of the earlier cards that block this card from the place."""
        card, deck = self.state.deck[number], self.state.deck
        singles = [
            self.put[single, place]
            for single in self.cards_of[place]
            if single < number and not self._is_complete(single)
            if not is_complete(card) or not match(card, deck[single])
        ]
        return [*self._put(place, completes=True, until=number), *singles]

    def _score(self) -> Any:
        """Returns the score as an expression.

        A matching joint has two matching Completes; any other joint between two Completes is a discontinuity.
        """
        matching = {joint: self.model.new_bool_var(f"joint {joint} matches") for joint in NUMBERS}
        discontinuities, sides = [], []
        for joint, matches in matching.items():
            one, other = self._possible_completes(joint), self._possible_completes(next_place(joint))
            self._require_match(matches, one, other)
            self._require_match(matches, other, one)
            broken = self.model.new_bool_var(f"joint {joint} is a discontinuity")
            self.model.add(broken >= sum(one.values()) + sum(other.values()) - 1 - matches)
            discontinuities.append(broken)
        for side, joints in INNER_JOINTS.items():
            whole = self.model.new_bool_var(f"{side} side matches")
            for joint in joints:
                self.model.add_implication(whole, matching[joint])
            sides.append(whole)
        completes = [number for number in range(len(self.state.deck)) if self._is_complete(number)]
        placed = sum(put for (number, _place), put in self.put.items() if self._is_complete(number))
        parts = {
            "sides": sum(sides),
            "corners": sum(matching[joint] for joint in CORNERS.values()),
            "discontinuities": sum(discontinuities),
            "discarded": len(self.state.discards) + len(completes) - placed,
        }
        return sum(POINTS[part] * count for part, count in parts.items())

    def _possible_completes(self, place: int) -> dict[str, Any]:
        """Returns the Completes that may end up in the place, each with its variable (1 if it lies there)."""
        content = content_of(self.state.places, place)
        if is_complete(content):
            return {content: 1}
        return {
            self.state.deck[number]: self.put[number, place]
            for number in self.cards_of[place]
            if self._is_complete(number)
        }

    def _require_match(self, matches: Any, one: dict[str, Any], other: dict[str, Any]) -> None:
        """A joint matches only if each card on one side has a matching card on the other side."""
        self.model.add(matches <= sum(one.values()))
        for card, lies in one.items():
            opposite = sum(put for other_card, put in other.items() if match(card, other_card))
            self.model.add(matches + lies <= 1 + opposite)
