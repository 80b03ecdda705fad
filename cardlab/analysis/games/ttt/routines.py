"""Builds the table of routines: for each participant, sequences against chance and signs of automaticity.

Only finished hands of the game for one player count, without practice. Early and late hands are the halves of
a participant's hands; an odd middle hand is in neither. The first move of a hand has no latency, because its
time includes the orientation in a new deal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from cardlab.analysis import automaticity
from cardlab.analysis.folding import history, reject_malformed_settings
from cardlab.analysis.games.ttt import sequences
from cardlab.analysis.games.ttt.sequences import Played
from cardlab.analysis.source_hand import SourceHand
from cardlab.games.columns import GuardedText, Integer, Number
from cardlab.games.contract import BadFile
from cardlab.games.tables import PARTICIPANT_ID_COLUMNS, guard_formula
from cardlab.games.ttt import APPS, belief, board, measures, rules

FEWEST = 8  # hands of a participant

_IDENTITY = {
    **{name: PARTICIPANT_ID_COLUMNS[name] for name in ("session_code", "treatment", "participant_code")},
    "participant_label": GuardedText("the label from the room or the link"),
}
_EX_GAUSSIAN = {
    "mu": "mean of the normal part of an ex-Gaussian distribution",
    "sigma": "standard deviation of the normal part",
    "tau": "mean of the exponential part, the slow tail",
}
_HALVES = ("early", "late")
COLUMNS: dict[str, str] = {
    **_IDENTITY,
    "hands": Integer("hands that are over, without practice"),
    "noise": Number("noise of a player without memory who plays as accurately as the participant, in moves"),
    **{
        column: Number(meaning)
        for name, statistic in sequences.STATISTICS.items()
        for column, meaning in (
            (name, statistic.meaning),
            (f"{name}_chance", f"mean of `{name}` of players without memory on the same deals"),
            (f"{name}_p", f"probability that such a player shows at least as much routine by `{name}`"),
        )
    },
    "change_hand": Integer(
        "number of the hand, among those that count, at which the times most likely changed"
    ),
    "change_ratio": Number("times from then on divided by times before"),
    "change_p": Number("p of so clear a change if practice alone changes the times"),
    **{
        f"cv_{half}": Number(f"coefficient of variation of the latencies in {half} hands") for half in _HALVES
    },
    "cv_p": Number(
        "one-sided p of so large a fall of the coefficient of variation if only the speed changes"
    ),
    **{
        f"{name}_{half}": Number(f"{meaning}, of the latencies in {half} hands, in ms")
        for half in _HALVES
        for name, meaning in _EX_GAUSSIAN.items()
    },
}


class Person(NamedTuple):
    """A participant: the cells of ``_IDENTITY``, the hands, and for each hand the latencies in ms."""

    identity: dict[str, str]
    hands: list[Played]
    latencies: list[list[int]]


def gather_people(hands: Iterable[SourceHand]) -> list[Person]:
    """Returns the participants with at least ``FEWEST`` hands that count. Raises BadFile."""
    people: dict[tuple[str, str], Person] = {}
    for hand in hands:
        hand.check_app(APPS)
        if hand.row_source:
            raise BadFile(hand.file, "This is a log. Only a table of actions has each move.")
        if hand.cells.get("practice") == "1":
            continue
        with reject_malformed_settings(hand):
            played = _read_hand(hand)
        if played:
            cells = {**hand.cells, **hand.participant_cells(board.SEAT)}
            identity = {name: cells.get(name, "") for name in _IDENTITY}
            identity["participant_label"] = guard_formula(identity["participant_label"])
            key = identity["session_code"], identity["participant_code"]
            person = people.setdefault(key, Person(identity, [], []))
            person.hands.append(played[0])
            person.latencies.append(played[1])
    return [person for person in people.values() if len(person.hands) >= FEWEST]


def _read_hand(hand: SourceHand) -> tuple[Played, list[int]] | None:
    """Returns the hand and its latencies; None if it does not count."""
    hand_history = history(hand, rules)
    state = hand_history.hand.state
    if state.two or not rules.is_over(state) or state.options["ViewCard"] not in belief.VIEWS:
        return None
    layout, first = board.initial_layout(state)
    played = Played(
        layout, state.goal, first, state.options["ViewCard"], state.options["MaxRounds"], state.sequence
    )
    times = [step.event.client_ms for step in hand_history.steps if measures.is_move(step)]
    return played, [
        later - earlier
        for earlier, later in zip(times, times[1:])
        if earlier is not None and later is not None and later > earlier
    ]


def measure_person(person: Person) -> dict[str, Any]:
    """Returns the row of a participant."""
    noise = sequences.fit_noise(person.hands)
    seed = "{session_code}/{participant_code}".format(**person.identity)
    compared = sequences.compare_with_chance(person.hands, noise, seed)
    row: dict[str, Any] = {**person.identity, "hands": len(person.hands), "noise": noise}
    for name, (observed, chance, p) in compared.items():
        row |= {name: observed, f"{name}_chance": chance, f"{name}_p": p}
    return row | _change_cells(person.latencies) | _automaticity_cells(person.latencies)


def _change_cells(latencies: list[list[int]]) -> dict[str, Any]:
    """Returns the cells of the change point in the geometric mean latency of a hand."""
    timed = [(place, fmean(map(math.log, own))) for place, own in enumerate(latencies, 1) if own]
    change = automaticity.find_change([math.exp(log_ms) for _place, log_ms in timed])
    if change is None:
        return {}
    return {"change_hand": timed[change.before][0], "change_ratio": change.ratio, "change_p": change.p}


def _automaticity_cells(latencies: list[list[int]]) -> dict[str, Any]:
    hands = [np.array(own, dtype=float) for own in latencies if own]
    middle = len(hands) // 2
    halves = dict(zip(_HALVES, (hands[:middle], hands[len(hands) - middle :])))
    cells: dict[str, Any] = {"cv_p": automaticity.permute_restructuring(halves["early"], halves["late"])}
    for half, own_hands in halves.items():
        joined = np.concatenate([np.zeros(0), *own_hands])
        cells[f"cv_{half}"] = automaticity.coefficient_of_variation(joined)
        fitted = automaticity.fit_ex_gaussian(joined)
        cells |= {f"{name}_{half}": value for name, value in (fitted._asdict() if fitted else {}).items()}
    return cells


def format_rows(rows: Iterable[dict[str, Any]]) -> Iterator[list[Any]]:
    """Yields the cells of the rows: numbers with five significant digits, as the last differ by machine."""
    for row in rows:
        values = (row.get(name) for name in COLUMNS)
        yield [
            "" if value is None else f"{value:.5g}" if isinstance(value, float) else value for value in values
        ]
