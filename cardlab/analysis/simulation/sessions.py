"""Writes simulated sessions as a table of actions.

The participant codes are derived from everything that defines a session, so different sessions have no code
in common.
"""

import csv
import hashlib
import json
import string
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, TextIO

from cardlab import __version__
from cardlab.analysis import progress
from cardlab.analysis.simulation.plan import Simulation
from cardlab.analysis.simulation.play import app_of_opening, play_hand, seat_tables, table_size
from cardlab.analysis.simulation.response_times import ResponseTimes
from cardlab.games.contract import Policy
from cardlab.games.hand import Hand
from cardlab.games.record import Opening, write_event, write_opening
from cardlab.games.seating import GameTable
from cardlab.games.simulation import Session, find_strategy
from cardlab.games.tables import ACTION_COLUMNS, deal_cells, event_cells, format_utc, guard_formula
from cardlab.row_chain import RowChain, last_digest

CREATED_MS = 1_767_258_000_000  # creation of the first session: 1 January 2026, 09:00 UTC
DAY_MS = 86_400_000  # between the creations of two sessions
INSTRUCTIONS_MS = (600_000, 720_000)  # from a session's creation until a participant can play
GROUP_START_MS = (300, 1500)  # from the completion of a group until a member is at the table
PROGRESS_HANDS = 500  # hands between two updates of the progress display

Rows = list[list[Any]]  # rows of the table of actions


def write_table(simulation: Simulation, file: TextIO) -> int:
    """Writes the table of actions like the server's ``custom_export``, and returns the number of hands."""
    table, hand_count = csv.writer(file), 0
    table.writerow(ACTION_COLUMNS)
    chain = RowChain([*ACTION_COLUMNS])
    for hand_count, rows in enumerate(simulate_hands(simulation), 1):
        table.writerows([*row, chain.digest_next(_written(row))] for row in rows)
        if hand_count % PROGRESS_HANDS == 0:
            progress.show(f"Hands played: {hand_count}")
    progress.show("")
    return hand_count


def _written(row: Sequence[Any]) -> list[str]:
    """Returns the cells as they are written."""
    return ["" if cell is None else str(cell) for cell in row]


def simulate_hands(simulation: Simulation) -> Iterator[Rows]:
    """Yields the rows of each hand in the order of the table: session by session, round by round.

    The rows have no digest yet.
    """
    used_codes: set[str] = set()
    for number in range(1, simulation.sessions + 1):
        yield from _SimulatedSession(simulation, number, used_codes).play()


class _Participant:
    """A simulated participant. ``ready_ms`` is when the next hand can begin."""

    def __init__(
        self, number: int, code: str, label: str, player: Policy, times: Random, treatment: str
    ) -> None:
        self.number, self.play, self.treatment = number, player, treatment
        self.cells = [code, guard_formula(label), 1, treatment]
        self.ready_ms = 0
        self._times = times
        self._response_times = ResponseTimes(times)

    def rest(self, since_ms: int, pause: tuple[int, int]) -> None:
        """Draws when the next hand can begin. ``pause`` is the minimum and maximum in milliseconds."""
        self.ready_ms = since_ms + self._times.randrange(*pause)

    def thinking_ms(self, hand: int) -> int:
        """Draws how long an action takes, in milliseconds; ``hand`` is the number of the hand."""
        return self._response_times.draw_ms(hand)


class _SimulatedSession:
    """One session: its deals by treatment, its tables and its participants."""

    def __init__(self, simulation: Simulation, number: int, used_codes: set[str]) -> None:
        self._simulation, self._number, self._game = simulation, number, simulation.game
        self._created_ms = CREATED_MS + (number - 1) * DAY_MS
        self._dealt = {name: simulation.deal(number, name) for name in simulation.requests}
        codes = _generate_codes(Random(_hash_session(simulation, number, self._dealt)), used_codes)
        self._code = next(codes)
        size = table_size(self._game, next(iter(self._dealt.values())))
        numbers = range(1, 1 + simulation.participants)
        treatments = {
            participant_number: simulation.treatment_of(number, participant_number, size)
            for participant_number in numbers
        }
        shuffled = Random(f"{simulation.session_seed(number)}, groups").sample(numbers, len(numbers))
        self._tables = {  # treatment → tables of each hand
            name: seat_tables(
                self._game,
                session,
                [
                    participant_number
                    for participant_number in shuffled
                    if treatments[participant_number] == name
                ],
                name,
            )
            for name, session in self._dealt.items()
        }
        self._people = self._create_participants(treatments, codes)

    def _create_participants(
        self, treatments: Mapping[int, str], codes: Iterator[str]
    ) -> dict[int, _Participant]:
        """Returns the participants by number. Strategies are shuffled, or assigned by the first seats."""
        simulation, seed = self._simulation, self._simulation.session_seed(self._number)
        known = self._game.load_module("strategies").STRATEGIES
        names = [name for name, count in simulation.counts.items() for _repetition in range(count)]
        Random(f"{seed}, strategies").shuffle(names)
        strategies = dict(enumerate(names, 1))
        if simulation.seats:
            first_tables = [table for hands in self._tables.values() for table in hands[0]]
            strategies = {
                number: simulation.seats[seat]
                for table in first_tables
                for seat, number in table.seats.items()
            }
        participants = {}
        for number, treatment in treatments.items():
            code, name = next(codes), strategies[number]
            strategy = find_strategy(self._game.title, known, name)
            player = strategy.new_policy(Random(f"{seed}, play of participant {number}"))
            times = Random(f"{seed}, times of participant {number}")
            label = f"{simulation.label}{number}" if simulation.label else name
            participants[number] = _Participant(number, code, label, player, times, treatment)
        return participants

    def play(self) -> Iterator[Rows]:
        """Plays all hands round by round, and yields the rows of each."""
        for person in self._people.values():
            person.rest(self._created_ms, INSTRUCTIONS_MS)
        for hand in range(1, max(map(len, self._tables.values())) + 1):
            # Tables of a treatment with fewer hands still count, so that other tables keep their numbers.
            tables = [
                (table, hand <= len(hands)) for hands in self._tables.values() for table in hands[:hand][-1]
            ]
            tables.sort(key=lambda pair: min(pair[0].seats.values()))
            for number, (table, is_played) in enumerate(tables, 1):
                if is_played:
                    yield self._play_table(table, hand, number)

    def _play_table(self, table: GameTable, hand: int, number: int) -> Rows:
        """Plays a hand at the table with a ``number`` in its round, and returns its rows."""
        participants = {seat: self._people[one] for seat, one in table.seats.items()}
        if table.is_new:
            _wait_for_group([*participants.values()])
        first_participant = self._people[min(table.seats.values())]
        hand_state, app = Hand(self._game.rules, table.game), app_of_opening(self._game, table.game)
        owner = first_participant.cells[0] if len(hand_state.seats) == 1 else number
        hand_id = (
            f"{app}-{self._code}-{owner}-{self._dealt[first_participant.treatment].first_round + hand - 1}"
        )
        opening, events = play_hand(self._game, table.game, participants, hand)
        session_cells, hand_cells = [self._code, 0, format_utc(self._created_ms)], [app, hand, hand_id]
        # Rows without a seat have the cells of a participant who plays alone. Rows of a robot have nobody's.
        nobody = ["", "", "", first_participant.treatment]
        solo_cells, solo_number = (
            (first_participant.cells, first_participant.number) if len(participants) == 1 else (nobody, "")
        )
        cells = {"": solo_cells, **dict.fromkeys(hand_state.robots, nobody)}
        cells |= {seat: person.cells for seat, person in participants.items()}
        record = [write_opening(opening), *map(write_event, events)]
        record_end = len(record), last_digest(hand_id, record)
        deal = deal_cells(opening, opening.shown_ms, solo_number, record_end)
        deal_row = [*solo_cells, *hand_cells, "", *deal]
        event_rows = [[*cells[event.seat], *hand_cells, event.seat, *event_cells(event)] for event in events]
        return [[*session_cells, *row] for row in (deal_row, *event_rows)]


def _wait_for_group(group: Sequence[_Participant]) -> None:
    """Lets all members of a group wait for the last one before the first hand."""
    if len(group) > 1:
        complete_ms = max(member.ready_ms for member in group)
        for member in group:
            member.rest(complete_ms, GROUP_START_MS)


def _generate_codes(chance: Random, used_codes: set[str]) -> Iterator[str]:
    """Generates unique codes like oTree's. They begin with a letter, because 1e234567 looks like a number."""
    letters = string.ascii_lowercase
    while True:
        code = "".join([chance.choice(letters), *chance.choices(letters + string.digits, k=7)])
        if code not in used_codes:
            used_codes.add(code)
            yield code


def _hash_session(simulation: Simulation, number: int, session_by_app: Mapping[str, Session]) -> str:
    """Returns a digest of everything that defines a session. It seeds the codes."""
    hands: Any
    if all(session.groups is None for session in session_by_app.values()):
        hands = {
            name: _summarize_openings(session.hands_by_group[0]) for name, session in session_by_app.items()
        }
    else:
        hands = {
            name: [
                [_summarize_openings(way) for way in session.hands_by_group],
                sorted(session.config.items()),
            ]
            for name, session in session_by_app.items()
        }
    if simulation.treatments is None:
        hands = hands[""]
    counts, seed = [*simulation.counts.items()], simulation.session_seed(number)
    summary = [__version__, simulation.game.name, counts, seed, hands]
    if simulation.seats:
        summary.append([*simulation.seats.items()])
    return hashlib.sha256(json.dumps(summary).encode()).hexdigest()


def _summarize_openings(hands: Sequence[Opening]) -> list[Any]:
    return [
        [opening.deal, opening.options, opening.source, opening.sha256, opening.notice] for opening in hands
    ]
