"""The best score that play by the rules can reach when the whole deck is known, by OR-Tools' CP-SAT.

A player sees one card at a time, so this is what hindsight is worth: the line against which a hand can be
measured. The whole hand is one integer programme: which card goes to which place, when a card may be
discarded (only if every place that it fits was filled by an earlier card, ruling 16), what a Single of
variation 2 makes of the place it is laid on, and the score of ruling 17.
"""

from __future__ import annotations

import random
from collections import defaultdict
from math import floor
from typing import Any, NamedTuple

from cardlab.games.contract import NotInstalled
from cardlab.games.triangle import rules
from cardlab.games.triangle.loop import CORNERS, INNER_JOINTS, NUMBERS, after, at
from cardlab.games.triangle.packs import fits, is_complete, match
from cardlab.games.triangle.rules import DISCARD, SEAT, State
from cardlab.games.triangle.scoring import BEST, POINTS
from cardlab.games.triangle.strategies import ACTS

SEED = 0


class NoSolver(NotInstalled):
    """OR-Tools is not there."""


class Best(NamedTuple):
    """What is the best play from a state on.

    ``actions`` lead to ``score`` when they are played from there. ``proved`` says whether nothing can be
    better; ``bound`` is a score that cannot be exceeded. ``seconds`` is how long the search took.
    """

    score: int
    actions: tuple[str, ...]
    proved: bool
    bound: int
    seconds: float


def best_play(state: State, time_limit: float = 60) -> Best:
    """The best score from ``state`` on, with a line of play that reaches it; ``time_limit`` is in seconds.

    The search is the same whenever it is made, but where the limit cuts it off depends on the machine: what
    is proved is repeatable. What is not is still no worse than the strategies play. Raises NoSolver.
    """
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        install = "pip install -r requirements-analysis.txt"
        raise NoSolver(f"The oracle needs OR-Tools, which is not installed: {install}") from None
    known = _by_strategies(state)
    if known.score == BEST or rules.is_over(state):
        return known._replace(proved=True, bound=known.score)
    programme = _Programme(cp_model.CpModel(), state)
    programme.hint(known.actions)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = time_limit
    solver.parameters.random_seed = SEED
    solver.parameters.num_workers = 1  # more would find the same score, but not always the same line
    found = solver.solve(programme.model)
    seconds = solver.wall_time
    if found not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return known._replace(seconds=seconds)
    bound = min(BEST, floor(solver.best_objective_bound + 1e-6))
    line = programme.line(solver)
    score = _after(state, line).score.total
    if score < known.score:
        score, line = known.score, known.actions
    return Best(score, line, score == bound, bound, seconds)


def _after(state: State, actions: tuple[str, ...]) -> State:
    for action in actions:
        state = rules.apply(state, SEAT, action)
    return state


def _by_strategies(state: State) -> Best:
    """The best that the strategies do, not proved."""
    lines = [_played(state, name, random.Random(SEED)) for name in ACTS]
    score, actions = max(lines, key=lambda line: line[0])
    return Best(score, actions, False, BEST, 0.0)


def _played(state: State, name: str, chance: random.Random) -> tuple[int, tuple[str, ...]]:
    actions: list[str] = []
    while not rules.is_over(state):
        actions.append(ACTS[name](rules.view(state, SEAT), chance))
        state = rules.apply(state, SEAT, actions[-1])
    return state.score.total, tuple(actions)


class _Programme:
    """The integer programme of a state. Cards are told by their number in what is left of the deck.

    ``put[card, place]`` says whether the card goes to the place, for every pair that may come about.
    """

    def __init__(self, model: Any, state: State) -> None:
        self.model, self.state = model, state
        self.put = {
            (number, place): model.new_bool_var(f"{card} to {place}")
            for number, card in enumerate(state.deck)
            for place in NUMBERS
            if fits(card, at(state.places, place))
        }
        self.cards_of: dict[int, list[int]] = defaultdict(list)
        self.places_of: dict[int, list[int]] = defaultdict(list)
        for number, place in self.put:
            self.cards_of[place].append(number)
            self.places_of[number].append(place)
        self._cards_go_to_places()
        self._nothing_is_discarded_that_fits()
        model.maximize(self._score())

    def hint(self, actions: tuple[str, ...]) -> None:
        """A line of play to begin with."""
        went = {number: rules.PLACES.get(action) for number, action in enumerate(actions)}
        for (number, place), put in self.put.items():
            self.model.add_hint(put, went[number] == place)

    def line(self, solver: Any) -> tuple[str, ...]:
        """The actions of the solution."""
        went = {number: place for (number, place), put in self.put.items() if solver.boolean_value(put)}
        cards = range(len(self.state.deck))
        return tuple(f"place {went[number]}" if number in went else DISCARD for number in cards)

    def _is_complete(self, number: int) -> bool:
        return is_complete(self.state.deck[number])

    def _put(self, place: int, completes: bool, until: int | None = None) -> list[Any]:
        """Of the Completes, or of the Singles, those that go to the place, all or up to a card."""
        return [
            self.put[number, place]
            for number in self.cards_of[place]
            if self._is_complete(number) is completes and (until is None or number < until)
        ]

    def _cards_go_to_places(self) -> None:
        """A card goes to one place at most; a place takes one Complete, and before it one Single (18)."""
        for number, places in self.places_of.items():
            self.model.add_at_most_one(self.put[number, place] for place in places)
        for place, numbers in self.cards_of.items():
            self.model.add_at_most_one(self._put(place, completes=True))
            self.model.add_at_most_one(self._put(place, completes=False))
            for single in numbers:
                if not self._is_complete(single):
                    self._joins(single, place, numbers)

    def _joins(self, single: int, place: int, numbers: list[int]) -> None:
        """The Single comes before the Complete of its place, which must have its characteristic."""
        joined = self.put[single, place]
        for number in numbers:
            if not self._is_complete(number):
                continue
            if number < single or not match(self.state.deck[number], self.state.deck[single]):
                self.model.add_at_most_one(joined, self.put[number, place])

    def _nothing_is_discarded_that_fits(self) -> None:
        """A card that goes nowhere was kept from each of its places by an earlier card (16, 18)."""
        for number, places in self.places_of.items():
            goes = [self.put[number, place] for place in places]
            for place in places:
                self.model.add_bool_or(*goes, *self._barring(number, place))

    def _barring(self, number: int, place: int) -> list[Any]:
        """The earlier cards that keep this one from the place when they go there."""
        card, deck = self.state.deck[number], self.state.deck
        singles = [
            self.put[single, place]
            for single in self.cards_of[place]
            if single < number and not self._is_complete(single)
            if not is_complete(card) or not match(card, deck[single])
        ]
        return [*self._put(place, completes=True, until=number), *singles]

    def _score(self) -> Any:
        """The score as an expression: a joint that matches has two matching Completes at it, and every joint
        between two Completes that does not is a discontinuity."""
        matching = {joint: self.model.new_bool_var(f"joint {joint} matches") for joint in NUMBERS}
        discontinuities, sides = [], []
        for joint, matches in matching.items():
            one, other = self._lying(joint), self._lying(after(joint))
            self._only_if_they_match(matches, one, other)
            self._only_if_they_match(matches, other, one)
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

    def _lying(self, place: int) -> dict[str, Any]:
        """The Completes that may lie in the place at the end, each with what says whether it does."""
        there = at(self.state.places, place)
        if is_complete(there):
            return {there: 1}
        return {
            self.state.deck[number]: self.put[number, place]
            for number in self.cards_of[place]
            if self._is_complete(number)
        }

    def _only_if_they_match(self, matches: Any, one: dict[str, Any], other: dict[str, Any]) -> None:
        """A joint matches only if, whatever lies on one side of it, a card that matches it lies beyond."""
        self.model.add(matches <= sum(one.values()))
        for card, lies in one.items():
            beyond = sum(put for others, put in other.items() if match(card, others))
            self.model.add(matches + lies <= 1 + beyond)
