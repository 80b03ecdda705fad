"""Plays the experiment of a design with simulated participants, and measures them.

In every repeat, strategies play all hands of all participants of the design (:mod:`cardlab.analysis.design`).
Each participant's strategy is drawn by the shares of the treatment, because participants are a sample. A
participant of several sessions keeps their strategy and its memory. The smaller sizes of a curve are the
first participants of the same repeats, so a curve costs no more than its largest size, and its points are
dependent. Random numbers are seeded by the seed, the repeat, the treatment and the participant, so the
result does not depend on the number of processes.

Times are not simulated: all actions take equally long. Hands with the same actions are folded and measured
once (:func:`_measure_hand`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from operator import attrgetter
from random import Random
from typing import Any, NamedTuple

import pandas as pd

from cardlab.analysis import hands, within
from cardlab.analysis.design import MAX_PARTICIPANTS, Arm, Design
from cardlab.analysis.exclusions import HANDS, PARTICIPANTS, Rule, find_excluded
from cardlab.analysis.inference.clusters import find_clusters
from cardlab.analysis.persons import PERSON, VISIT
from cardlab.analysis.simulation import play, response_times, sessions
from cardlab.analysis.source_hand import SourceHand
from cardlab.games.contract import BadFile, Policy
from cardlab.games.events import Event
from cardlab.games.performance import Measure
from cardlab.games.record import Opening, compact_json
from cardlab.games.registry import Game
from cardlab.games.simulation import find_strategy
from cardlab.games.statistics import Row
from cardlab.games.tables import ACTION_COLUMNS, deal_cells, format_utc
from cardlab.games.treatments import MAX_SHARES

MAX_CACHED = 50_000  # hands, to limit the memory
_SEAT_AND_ACTION = attrgetter("seat", "action")

Times = Callable[[int, int], int]  # number of the hand and of the action in it → milliseconds


def constant_time(_hand: int, _action: int) -> int:
    """Returns the same time for all actions, in milliseconds."""
    return response_times.MEDIAN_MS


def varying_time(hand: int, action: int) -> int:
    """Returns different times, in milliseconds, to detect a measure that depends on times."""
    return 1000 + 700 * hand + 90 * action


class _Participant:
    """A simulated participant without a clock. ``sessions`` has the measured hands that count of each."""

    ready_ms = 0

    def __init__(self, play: Policy, times: Times) -> None:
        self.play = play
        self.sessions: list[list[Row]] = []
        self._times, self._actions = times, 0

    def thinking_ms(self, hand: int) -> int:
        """Returns how long the next action of a hand takes, in milliseconds."""
        self._actions += 1
        return self._times(hand, self._actions)

    def rest(self, _since_ms: int, _pause: tuple[int, int]) -> None:
        """Resets the count of actions for the next hand."""
        self._actions = 0


class Played(NamedTuple):
    """The hands of a participant in a session that count, in the order of play.

    ``person`` names the participant, and ``group`` numbers their cluster: all participants who have met.
    ``order`` is the place of the person in the treatment, from 0, divided by the share of the treatment: the
    experiment with n participants has the persons with an order below n.
    """

    condition: str
    person: str
    group: int
    order: float
    hands: list[Row]


def play_experiment(design: Design, repeat: int, size: int, times: Times = constant_time) -> list[Played]:
    """Plays a repeat, and returns it without the exclusions of the design."""
    found = []
    for number, arm in enumerate(design.arms):
        for place, (person, table) in enumerate(_play_treatment(design, repeat, arm, size, times)):
            chance = Random(f"{design.seed}, repeat {repeat}, {arm.name}, exclusion {place}")
            if design.excluded and chance.random() < design.excluded:
                continue
            name, group = f"{number}, {place:05}", number * MAX_PARTICIPANTS * MAX_SHARES + table
            for session in person.sessions:
                rows = _exclude_hands(design, session)
                if not _is_excluded(design, rows):
                    found.append(Played(arm.name, name, group, place / arm.share, rows))
    return found


def _exclude_hands(design: Design, rows: list[Row]) -> list[Row]:
    """Returns the hands without those that rules exclude, with new numbers."""
    columns = [rule.column for rule in design.exclusions if rule.table == HANDS]
    if not columns:
        return rows
    cells = pd.DataFrame([{name: row[name] for name in columns} for row in rows], dtype=object)
    excluded = find_excluded(cells, design.exclusions, HANDS)
    kept = [row for row, is_out in zip(rows, excluded) if not is_out]
    return [row | {"place": place} for place, row in enumerate(kept, 1)]


def _is_excluded(design: Design, rows: list[Row]) -> bool:
    """Returns whether a rule excludes the participant with these hands."""
    columns = [rule.column for rule in design.exclusions if rule.table == PARTICIPANTS]
    if not columns:
        return False
    cells = {measure.__name__: [measure(rows, design.thresholds)] for measure in _measures(design, columns)}
    frame = pd.DataFrame(cells, dtype=object)
    return bool(find_excluded(frame, design.exclusions, PARTICIPANTS).any())


def _measures(design: Design, names: Collection[str]) -> list[Measure]:
    return [measure for measure in design.game.performance.participant_measures if measure.__name__ in names]


def choose_rules(design: Design, rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Returns the rules that can be applied to simulated participants.

    These are the rules about hands, or measures of participants, that do not depend on times.
    """
    size = design.participants[0]
    first, other = (play_experiment(design, 1, size, times) for times in (constant_time, varying_time))
    return tuple(
        rule
        for rule in rules
        if (cells := _list_cells(design, first, rule)) and cells == _list_cells(design, other, rule)
    )


def _list_cells(design: Design, played: Sequence[Played], rule: Rule) -> list[str]:
    """Returns the cells of the column of a rule; none if simulated participants have no such column."""
    if rule.table == HANDS:
        return [repr(row[rule.column]) for one in played for row in one.hands if rule.column in row]
    return [
        repr(measure(one.hands, design.thresholds))
        for measure in _measures(design, [rule.column])
        for one in played
    ]


def measure_people(design: Design, repeat: int, size: int, times: Times = constant_time) -> pd.DataFrame:
    """Returns the rows that ``compare.compare_people`` compares, with the measures of the design.

    ``order`` is that of :class:`Played`.
    """
    played, measures = play_experiment(design, repeat, size, times), _measures(design, design.measures)
    if design.within:
        people = _measure_levels(design, played, measures)
    else:
        people = pd.DataFrame(
            [
                {
                    **{PERSON: one.person, "condition": one.condition, "group": one.group},
                    **{measure.__name__: measure(one.hands, design.thresholds) for measure in measures},
                }
                for one in played
            ],
            columns=[PERSON, "condition", "group", *(measure.__name__ for measure in measures)],
        )
    people["order"] = people[PERSON].map({one.person: one.order for one in played})
    return people if design.within or design.sessions > 1 else people.drop(columns=PERSON)


def _measure_levels(design: Design, played: Sequence[Played], measures: Sequence[Measure]) -> pd.DataFrame:
    participations = [within.Participation(one.person, one.group, one.hands) for one in played]
    try:
        return within.measure_participations(
            design.game, design.thresholds, participations, design.within, measures
        )
    except BadFile as wrong:
        raise BadFile(design.file, f"within: {wrong.message}") from None


def _play_treatment(
    design: Design, repeat: int, arm: Arm, size: int, times: Times
) -> list[tuple[_Participant, int]]:
    """Plays all sessions of a treatment, and returns its participants with their clusters, one by one.

    Participants who come to the same sessions have neighbouring numbers. A cluster has the number of its
    first table.
    """
    participants = _create_participants(design, repeat, arm, size * arm.share, times)
    together = design.session_size or len(participants)
    rooms = design.participants[-1] * arm.share // design.session_size if design.session_size else 1
    tables = [0] * len(participants)
    meetings: list[tuple[int, int]] = []  # a participant, and the number of a hand
    for room, first in enumerate(range(0, len(participants), together)):
        members = participants[first : first + together]
        for session in range(design.sessions):
            for person in members:
                person.sessions.append([])
            deal_number = ((repeat - 1) * rooms + room) * design.sessions + session + 1
            for number, hand in enumerate(_deal_tables(design, deal_number, arm, len(members), session)):
                for table, dealt_table in enumerate(hand):
                    meeting = meetings[-1][1] + 1 if meetings else 0
                    _play_table(design.game, members, dealt_table, meeting)
                    for index in dealt_table.seats.values():
                        meetings.append((first + index, meeting))
                        if session == number == 0:
                            tables[first + index] = first // design.table + table
    groups = _number_groups(meetings, tables)
    # Sorted by cluster, because a smaller size takes the first participants.
    return sorted(zip(participants, groups), key=lambda pair: pair[1])


def _number_groups(meetings: Sequence[tuple[int, int]], tables: Sequence[int]) -> list[int]:
    """Returns the cluster of each participant: the lowest of its members' first tables."""
    clusters = find_clusters(*zip(*meetings))
    cluster_of = {index: int(cluster) for (index, _meeting), cluster in zip(meetings, clusters)}
    lowest: dict[int, int] = {}
    for index, table in enumerate(tables):
        cluster = cluster_of[index]
        lowest[cluster] = min(table, lowest.get(cluster, table))
    return [lowest[cluster_of[index]] for index in range(len(tables))]


def _create_participants(
    design: Design, repeat: int, arm: Arm, count: int, times: Times
) -> list[_Participant]:
    known = design.game.load_module("strategies").STRATEGIES
    strategies = {name: find_strategy(design.game.title, known, name) for name in arm.strategies}
    shares, participants = [float(share) for share in arm.strategies.values()], []
    for number in range(1, count + 1):
        chance = Random(f"{design.seed}, repeat {repeat}, {arm.name}, participant {number}")
        (name,) = chance.choices(list(strategies), shares)
        participants.append(_Participant(strategies[name].new_policy(chance), times))
    return participants


class _DealtTable(NamedTuple):
    """A hand at a table of a treatment.

    ``place`` is its number among the hands that count (0 for practice), ``seats`` has the index of the
    participant in each seat, and ``key`` identifies its deal and settings.
    """

    number: int
    place: int
    opening: Opening
    seats: Mapping[str, int]
    key: tuple[str, str]


def _deal_tables(
    design: Design, deal_number: int, arm: Arm, people: int, visit: int
) -> list[list[_DealtTable]]:
    """Returns the tables of each hand of a session. From the second ``visit`` on, seats are drawn again."""
    hands: list[list[_DealtTable]] = []
    place, keys, indices = 0, {}, list(range(people))
    if visit:
        Random(f"{design.seed}, {arm.name}, seats of session {deal_number}").shuffle(indices)
    session = design.dealing(arm).deal(deal_number)
    for number, tables in enumerate(play.seat_tables(design.game, session, indices), 1):
        place += not tables[0].game.practice
        hand = []
        for game, seats, _new in tables:
            if id(game) not in keys:
                keys[id(game)] = game.deal, compact_json({**game.options, "seed": ""})
            hand.append(_DealtTable(number, 0 if game.practice else place, game, seats, keys[id(game)]))
        hands.append(hand)
    return hands


def _play_table(
    game: Game, participants: Sequence[_Participant], dealt_table: _DealtTable, hand_id: int
) -> None:
    """Plays a hand at a table, and adds its row to each participant if the hand counts."""
    players = {seat: participants[index] for seat, index in dealt_table.seats.items()}
    opening, events = play.play_hand(game, dealt_table.opening, players, dealt_table.number)
    if dealt_table.place:
        rows = _measure_hand(game, opening, events, dealt_table)
        for seat, person in players.items():
            person.sessions[-1].append(rows[seat] | {VISIT: len(person.sessions), "hand_id": str(hand_id)})


_rows_cache: dict[Any, dict[str, Row]] = {}


def _measure_hand(
    game: Game, opening: Opening, events: Sequence[Event], dealt_table: _DealtTable
) -> dict[str, Row]:
    """Returns the rows of the table of hands by seat, with all measures.

    Rows of hands with the same actions are cached. They do not depend on the participant, and must not be
    changed.
    """
    actions = tuple(map(_SEAT_AND_ACTION, events))
    key = game.name, dealt_table.number, dealt_table.place, dealt_table.key, events[-1].server_ms, actions
    if key not in _rows_cache:
        if len(_rows_cache) >= MAX_CACHED:
            _rows_cache.clear()
        hand = _build_source_hand(game, opening, events, dealt_table)
        # Both numbers are equal, because all hands are over.
        numbers = {"place": dealt_table.place, "number": dealt_table.place}
        _rows_cache[key] = {row["seat"]: row | numbers for row in hands.measure_hand(hand, game)}
    return _rows_cache[key]


def _build_source_hand(
    game: Game, opening: Opening, events: Sequence[Event], dealt_table: _DealtTable
) -> SourceHand:
    """Returns the hand as it would be read from a table of actions."""
    is_alone = len(game.rules.seats(game.rules.start(opening.deal, opening.options))) == 1
    person = ["somebody", "", 1, ""] if is_alone else ["", "", "", ""]
    identity = ["power", 0, format_utc(sessions.CREATED_MS), *person]
    row = [
        *identity,
        game.app,
        dealt_table.number,
        f"hand-{dealt_table.number}",
        "",
        *deal_cells(opening, opening.shown_ms),
    ]
    cells = {name: str(cell) for name, cell in zip(ACTION_COLUMNS, row)}
    people_by_seat: dict[str, Sequence[str]] = {
        seat: (f"somebody in {seat}", "", "1") for seat in dealt_table.seats
    }
    return SourceHand("a simulated hand", None, cells, tuple(events), people_by_seat)
