"""Measures whether the measures of routines tell simulated players with and without the trait apart.

    .venv/bin/python benchmarks/routine_recovery.py --people 20 > docs/results/routine_recovery.csv

The hands are those of ``transfer422.txt``. ``random`` and ``informed`` are baselines; ``forgetful`` makes
mistakes but forgets every hand (noise 0.4 moves); ``coin`` takes either route by chance, so it repeats
sequences, but without a habit; ``routinizing`` has one. For ``recovery`` four critical problems come before
and after four extinction problems; ``recovering`` loses its habit in these.

Times of 40 hands with four moves each are lognormal (SD 0.6) and deviate from hand to hand (SD 0.2,
autocorrelation 0.3): ``flat`` and ``practice`` (power −0.3) do not become automatic; ``sudden`` halves at
hand 17; ``restructured`` loses 60 % of the SD within hands in the second half. There are three times as many
of these players.

``flagged`` is the share of players with p < 0.05; it is empty for a measure without a test.
"""

import argparse
import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import fmean, pstdev
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from cardlab.analysis import automaticity
from cardlab.analysis.baselines import Dealt, _build_row
from cardlab.analysis.games.ttt import sequences
from cardlab.analysis.games.ttt.commands import solve
from cardlab.analysis.simulation.source_files import deal_file_reader
from cardlab.games.contract import Policy
from cardlab.games.events import END, Event
from cardlab.games.hand import Hand, History, Step
from cardlab.games.record import Opening
from cardlab.games.registry import games_by_name
from cardlab.games.statistics import Row
from cardlab.games.ttt import board, performance, robots, routinization, simulation, strategies
from cardlab.games.ttt.robots import best, look
from cardlab.games.ttt.routes import ROUTES
from cardlab.games.ttt.solver import LAYOUTS

GAME = games_by_name()["ttt"]
MEASURES = (
    *(routinization.routinization, routinization.persistence),
    *(routinization.hazard_of_leaving, performance.variance_of_moves, performance.variance_of_moves_lost),
)
WITH_TRAIT = {
    "routinization": {"routinizing"},
    "persistence": {"routinizing"},
    "hazard_of_leaving": {"random", "informed", "forgetful", "coin"},
    "recovery": {"recovering"},
    "variance_of_moves": {"random", "forgetful", "coin", "routinizing"},
    "variance_of_moves_lost": {"random", "forgetful", "coin", "routinizing"},
    **dict.fromkeys(sequences.STATISTICS, {"routinizing", "coin"}),
    "change_p": {"sudden"},
    "cv_change": {"restructured"},
    "tau_change": {"restructured"},
}
HANDS, MOVES = 40, 4  # of the players whose times are simulated


def coin(chance: Random) -> Policy:
    """Returns a player who draws one of the routes in each hand, and plays it well."""
    way = ""

    def act(state: board.State, seat: str) -> str:
        nonlocal way
        if not state.sequence:
            way = chance.choice(("422", "442"))
        return look(state, seat) or best(state, seat, way)

    return act


def forgetful(chance: Random) -> Policy:
    """Returns a player without memory between hands, with a noise of 0.4 moves."""
    weights = sequences.Weights(0.4)
    moves = ""

    def act(state: board.State, _seat: str) -> str:
        nonlocal moves
        if not state.sequence:
            layout, first = board.initial_layout(state)
            options = state.options
            hand = sequences.Played(layout, state.goal, first, options["ViewCard"], options["MaxRounds"], "")
            moves = sequences.play_hand(hand, weights, chance)
        return moves[len(state.sequence)]

    return act


class Recovering(strategies.Routinizing):
    """A routinizing player who loses all habits in a hand in which they cannot work."""

    def __call__(self, state: board.State, seat: str) -> str:
        action = super().__call__(state, seat)
        if not state.moves and not robots.routes_compete(state):
            self.strengths |= dict.fromkeys(ROUTES, 0.0)
        return action


def play(opening: Opening, act: Policy) -> History:
    """Returns a hand of one player, without times."""
    start = hand = Hand(GAME.rules, opening)
    steps = []
    while not GAME.rules.is_over(hand.state):
        event = Event(hand.next_number, board.SEAT, act(hand.state, board.SEAT), None, 0)
        before, hand = hand, hand.after(event)
        steps.append(Step(before, event, hand))
    event = Event(
        hand.next_number, "", f"{END}{GAME.rules.result(hand.state, board.SEAT, 0).outcome}", None, 0
    )
    steps.append(Step(hand, event, hand.after(event)))
    return History(start, tuple(steps))


def measure_play(people: int) -> Iterator[tuple[str, str, float, float | None]]:
    """Yields the measure, the players, its value and its p for each simulated participant."""
    known = {name: strategies.STRATEGIES[name].new_policy for name in ("random", "informed", "routinizing")}
    openings = simulation.session({}, "transfer422.txt", None, "1", deal_file_reader("ttt")).hands_by_group[0]
    for players, new_policy in (known | {"coin": coin, "forgetful": forgetful}).items():
        for person in range(people):
            act = new_policy(Random(f"{players} {person}"))
            rows = [_row(number, opening, play(opening, act)) for number, opening in enumerate(openings, 1)]
            for measure in MEASURES:
                value = measure(rows, routinization.Thresholds())
                if value is not None:
                    yield measure.__name__, players, value, None
            hands = [row["played"] for row in rows]
            found = sequences.compare_with_chance(hands, sequences.fit_noise(hands), str(person), players=99)
            for name, (observed, chance, p) in found.items():
                yield name, players, observed - chance, p


def measure_recovery(people: int) -> Iterator[tuple[str, str, float, float | None]]:
    """Yields ``recovery`` for players with and without a habit that ends in extinction problems."""
    kinds: dict[str, list[str]] = {"practice": [], "critical": [], "extinction": []}
    for layout in LAYOUTS:
        if layout[board.TARGET] in ("4C", "4H"):
            row = solve.row(layout, "2H", "ck", "all")
            kinds[row["problem_422"]].append(board.format_deal(layout, "2H", "ck"))
    options = {**GAME.rules.DEFAULT_OPTIONS, "learning_hands": 16}
    known = {name: strategies.STRATEGIES[name].new_policy for name in ("informed", "routinizing")}
    for players, new_policy in (known | {"recovering": Recovering}).items():
        for person in range(people):
            chance = Random(f"{players} {person}")
            drawn = {kind: iter(chance.sample(deals, 16)) for kind, deals in kinds.items()}
            order = ["practice"] * 16 + ["critical"] * 4 + ["extinction"] * 4 + ["critical"] * 4
            openings = [Opening(next(drawn[kind]), options, shown_ms=0) for kind in order]
            act = new_policy(chance)
            rows = [_row(number, opening, play(opening, act)) for number, opening in enumerate(openings, 1)]
            value = routinization.recovery(rows, routinization.Thresholds())
            if value is not None:
                yield "recovery", players, value, None


def _row(number: int, opening: Opening, history: History) -> Row:
    row = _build_row(GAME, Dealt(opening.deal, json.dumps(opening.options), board.SEAT), history)
    layout, first = board.initial_layout(history.hand.state)
    state = history.hand.state
    played = sequences.Played(
        layout, state.goal, first, state.options["ViewCard"], state.options["MaxRounds"], state.sequence
    )
    return {**row, "number": number, "played": played}


def measure_times(people: int) -> Iterator[tuple[str, str, float, float | None]]:
    """Yields the measures of times for players whose times are simulated."""
    places = np.arange(1, HANDS + 1)
    medians = {
        "flat": np.zeros(HANDS),
        "practice": -0.3 * np.log(places),
        "sudden": np.where(places > 16, np.log(0.5), 0),
        "restructured": -0.3 * np.log(places),
    }
    for number, (players, curve) in enumerate(medians.items()):
        chance = np.random.default_rng(number)
        for _person in range(people):
            white = chance.normal(0, 0.2 * np.sqrt(1 - 0.3**2), (1, HANDS))
            white[0, 0] /= np.sqrt(1 - 0.3**2)
            levels = curve + automaticity.correlate_errors(white, 0.3)[0]
            spread = np.where((players == "restructured") & (places > HANDS / 2), 0.4, 1)
            errors = chance.normal(0, 0.6, (HANDS, MOVES)) * spread[:, None]
            latencies = 1000 * np.exp(np.log(1.5) + levels[:, None] + errors)
            yield from _times_of_person(players, latencies)


def _times_of_person(players: str, latencies: Any) -> Iterator[tuple[str, str, float, float | None]]:
    change = automaticity.find_change(np.exp(np.log(latencies).mean(axis=1)))
    yield "change_p", players, change.p, change.p
    early, late = latencies[: HANDS // 2], latencies[HANDS // 2 :]
    cv = automaticity.coefficient_of_variation
    p = automaticity.permute_restructuring(list(early), list(late))
    yield "cv_change", players, cv(late.ravel()) - cv(early.ravel()), p
    taus = [automaticity.fit_ex_gaussian(half.ravel()).tau for half in (early, late)]
    yield "tau_change", players, taus[1] - taus[0], None


def main() -> None:
    """Prints a row of CSV for each measure and kind of player."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=20)
    people = parser.parse_args().people
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["measure", "players", "trait", "participants", "mean", "sd", "flagged"])
    for source, count in ((measure_play, people), (measure_recovery, people), (measure_times, 3 * people)):
        found: dict[tuple[str, str], list[tuple[float, float | None]]] = {}
        for measure, players, value, p in source(count):
            found.setdefault((measure, players), []).append((value, p))
        for measure, players in sorted(found, key=lambda key: (list(WITH_TRAIT).index(key[0]), key[1])):
            values, ps = zip(*found[measure, players])
            flagged = "" if ps[0] is None else f"{fmean(p < 0.05 for p in ps):.2f}"
            trait = int(players in WITH_TRAIT[measure])
            mean, sd = f"{fmean(values):.3f}", f"{pstdev(values):.3f}"
            table.writerow([measure, players, trait, len(values), mean, sd, flagged])
        sys.stdout.flush()


if __name__ == "__main__":
    main()
