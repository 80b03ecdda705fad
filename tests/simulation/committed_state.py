"""Checks what the database holds: after every commit, and above all after every crash.

Reads over a connection of its own, which sees what is committed and never fails.
"""

from __future__ import annotations

import binascii
import pickle
from collections import Counter, defaultdict
from decimal import Decimal
from typing import Any, NamedTuple

from folded_record import FoldedRecord
from simulated_disk import FILE, _connect

from cardlab.core.record_chain import RecordLine
from cardlab.core.transitions import STOPPED

WITHDRAWN = "withdrawn"  # cardlab.sessions.arrival, which needs oTree


class Participant(NamedTuple):
    id: int
    code: str
    index: int
    payoff: str
    status: str
    session: int


class Player(NamedTuple):
    id: int
    participant: int
    round: int
    group: int
    payoff: str
    seat: str


class Group(NamedTuple):
    id: int
    number: int
    round: int
    opening: str


class CommittedState:
    """The committed rows of a session's app, and the folds of all records.

    ``lines`` has the lines of each record as they were seen before, also by earlier lives of the server: they
    must still be there. Lines are lost only with the data of a participant who withdraws (``withdrawing``).
    """

    def __init__(self, app: str, lines: dict[str, list[RecordLine]], withdrawing: set[str]) -> None:
        from cardlab.games.registry import games_by_app

        self.app, self.lines, self.withdrawing = app, lines, withdrawing
        self.rules = games_by_app()[app].rules
        self.connection = _connect(FILE, timeout=0, isolation_level=None)
        self.folds: dict[str, FoldedRecord] = {}
        self._version = -1
        self.participants: dict[str, Participant] = {}
        self.players: dict[tuple[int, int], Player] = {}  # by participant and round
        self.groups: dict[int, Group] = {}
        self.configs: dict[int, dict[str, Any]] = {}  # by session
        self.codes: dict[int, str] = {}  # of sessions
        self.has_seats = "seat" in self._columns(f"{app}_player")
        self.has_openings = "opening" in self._columns(f"{app}_group")

    def _columns(self, table: str) -> list[str]:
        return [name for _n, name, *_rest in self.connection.execute(f"PRAGMA table_info({table})")]

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(statement).fetchall()

    # Reading.

    def look(self) -> bool:
        """Reads and checks what is committed by now; returns whether anything is new."""
        ((version,),) = self.rows("PRAGMA data_version")
        if version == self._version:
            return False
        self._version = version
        self._read_rows()
        self._read_lines()
        self.check()
        return True

    def _read_rows(self) -> None:
        for session, code, config in self.rows("SELECT id, code, config FROM otree_session"):
            if session not in self.configs:
                self.configs[session] = pickle.loads(binascii.a2b_base64(config))
            self.codes[session] = code
        people = "SELECT id, code, _index_in_pages, payoff, status, session_id FROM otree_participant"
        self.participants = {row[1]: Participant(*row) for row in self.rows(people)}
        seat = "seat" if self.has_seats else "'solo'"
        players = f"SELECT id, participant_id, round_number, group_id, _payoff, {seat} FROM {self.app}_player"
        self.players = {(row[1], row[2]): Player(*row) for row in self.rows(players)}
        opening = "opening" if self.has_openings else "''"
        groups = f"SELECT id, id_in_subsession, round_number, {opening} FROM {self.app}_group"
        self.groups = {row[0]: Group(*row) for row in self.rows(groups)}

    def _read_lines(self) -> None:
        found: dict[str, list[RecordLine]] = defaultdict(list)
        statement = "SELECT hand, number, text, digest FROM card_lab_line ORDER BY hand, number"
        for hand, number, *line in self.rows(statement):
            assert number == len(found[hand]) + 1, f"{hand}: line {len(found[hand]) + 1} is missing"
            found[hand].append(RecordLine(*line))
        for hand, before in list(self.lines.items()):
            if hand not in found and any(code in hand for code in self.withdrawing):
                del self.lines[hand]
                self.folds.pop(hand, None)
                continue
            now = found[hand][: len(before)]
            assert now == before, f"{hand} had {len(before)} lines, of which {len(now)} are left"
        for hand, lines in found.items():
            self.lines[hand] = lines
            fold = self.folds.get(hand) or self.folds.setdefault(hand, FoldedRecord(self.rules, hand))
            fold.take(lines)

    # Checks.

    def check(self) -> None:
        self._check_sessions()
        self._check_groups()
        self._check_pay()
        self._check_withdrawn()

    def _check_sessions(self) -> None:
        """A session is there with all its rows, or not at all."""
        for session, wanted, rounds in self.rows(
            f"SELECT id, num_participants, (SELECT count(*) FROM {self.app}_subsession AS round "
            "WHERE round.session_id = session.id) FROM otree_session AS session"
        ):
            people = [each for each in self.participants.values() if each.session == session]
            assert rounds, f"session {self.codes[session]} has no rounds"
            assert len(people) == wanted, f"session {self.codes[session]} has {len(people)} participants"
            missing = [
                (each.code, number)
                for each in people
                for number in range(1, rounds + 1)
                if (each.id, number) not in self.players
            ]
            assert not missing, f"these participants have no player in these rounds: {missing}"
        sessions = set(self.codes)
        assert all(each.session in sessions for each in self.participants.values()), "a slot has no session"

    def _check_groups(self) -> None:
        """Each seat of a group has one participant, in all rounds that they play together."""
        seats = Counter(
            (player.group, player.seat)
            for player in self.players.values()
            if self.has_seats and player.seat and self.groups[player.group].opening
        )
        assert all(count == 1 for count in seats.values()), f"two participants have one seat: {seats}"

    def members(self, group: int) -> set[int]:
        return {player.participant for player in self.players.values() if player.group == group}

    def hand_of(self, code: str, number: int) -> tuple[str, str]:
        """Returns the id of the hand of a participant in a round, and the participant's seat."""
        person = self.participants[code]
        player = self.players[person.id, number]
        owner = str(self.groups[player.group].number) if self.has_openings else code
        return f"{self.app}-{self.codes[person.session]}-{owner}-{number}", player.seat

    def _check_pay(self) -> None:
        """Everybody is paid once for each hand that is over, and for nothing else."""
        from otree.api import cu

        from cardlab.sessions.config import payoff

        for code, person in self.participants.items():
            if person.status == WITHDRAWN:  # their rows stay, empty
                continue
            total = Decimal(0)
            for (participant, number), player in self.players.items():
                if participant != person.id:
                    continue
                hand, seat = self.hand_of(code, number)
                fold = self.folds.get(hand)
                due, paid = Decimal(0), Decimal(player.payoff or 0)
                if fold and fold.hand and seat in fold.hand.seats and fold.hand.is_over_for(seat):
                    left, stopped = fold.hand.seats[seat].left, fold.hand.seats[seat].stopped
                    if left is None or left.outcome != STOPPED or stopped:
                        config, score = self.configs[person.session], fold.hand.result(seat).score
                        number_in_session = self._number(person)
                        due = Decimal(cu(payoff(config, fold.hand.opening, number_in_session, score)))
                assert paid == due, f"{code} is paid {paid} for {hand}, and not {due}"
                total += paid
            assert Decimal(person.payoff or 0) == total, f"{code} has {person.payoff} in all, and not {total}"

    def _number(self, person: Participant) -> int:
        ids = sorted(each.id for each in self.participants.values() if each.session == person.session)
        return ids.index(person.id) + 1

    def _check_withdrawn(self) -> None:
        """The data of somebody who withdraws are all there, or gone from all tables."""
        for code in self.withdrawing:
            if code not in self.participants:
                found = self.tables_with(code)
                assert not found, f"the code of a withdrawn participant is in {found}"

    def tables_with(self, text: str) -> list[str]:
        """Returns the tables in which a text occurs."""
        found = []
        for (table,) in self.rows("SELECT name FROM sqlite_master WHERE type = 'table'"):
            if any(text in str(cell) for row in self.rows(f'SELECT * FROM "{table}"') for cell in row):
                found.append(table)
        return found
