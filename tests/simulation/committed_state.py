"""Checks the database's content after every commit and every crash.

Reads over a separate connection, which sees only committed data and never fails.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from io import StringIO
from typing import Any, NamedTuple, Protocol

from committed_arrivals import ENTRY, NEWCOMER, TEAM, Admission, Arrival, Entry, check_admission, utc
from committed_parts import Partner, Partners, check_treatments, partners_query
from committed_slots import (
    COUNTED,
    TREATMENT,
    TREATMENT_FILES,
    Connections,
    Slot,
    check_places,
    check_slots,
    slot,
    treatments_of,
    variables,
)
from folded_record import FoldedRecord
from simulated_disk import FILE, _connect

from cardlab.core import clock
from cardlab.core.record_chain import RecordLine
from cardlab.core.transitions import STOPPED
from cardlab.games.treatments import Treatments, config_for_treatment

WITHDRAWN = "withdrawn"  # cardlab.sessions.arrival, which needs oTree
RESULTS, END = PLACES = "results", "end"  # cardlab.admin.end_now

_PARTICIPANTS = """
    SELECT id, code, _index_in_pages, _max_page_index, payoff, status, session_id FROM otree_participant
"""
_SLOTS = "SELECT code, label, status, _vars FROM otree_participant"
_ARRIVED = "SELECT code, label, status, time_started_utc, _vars FROM otree_participant WHERE session_id = {}"
_HELD = """
    SELECT participant_id FROM card_lab_notice WHERE over_ms IS NULL AND kind IN ('pause', 'dropped out')
"""
_ENTRIES = "SELECT id, study, session, label, treatment, team, hour FROM card_lab_study_label"
_ENDED = "SELECT participant_id, text FROM card_lab_notice WHERE kind = 'ended'"


class Participant(NamedTuple):
    """A participant's row; ``index`` is that of the page, ``last_index`` of the session's last page."""

    id: int
    code: str
    index: int
    last_index: int
    payoff: str
    status: str
    session: int

    @property
    def is_past_the_end(self) -> bool:
        return self.index > self.last_index


class Player(NamedTuple):
    """A player's row; ``payoff`` is in points."""

    id: int
    participant: int
    round: int
    group: int
    payoff: str
    seat: str


class Group(NamedTuple):
    """A group's row; ``number`` is that in its subsession, ``opening`` "" before its hand is dealt."""

    id: int
    number: int
    round: int
    opening: str


class Seen(Protocol):
    """What earlier checks have seen."""

    lines: dict[str, list[RecordLine]]  # by hand
    slots: dict[int, list[Slot]]  # by session, if it has treatments
    replies: dict[str, set[str]]  # actions by engine question, "" for none
    admissions: dict[int, Admission]  # by session, if it turns anybody away
    tallies: Counter[str]


class CommittedState:
    """The committed rows of a session's app, and the folds of all records.

    Whatever was ``seen`` before, also before crashes, must still be there. Lines disappear only with the data
    of a participant who withdraws (``withdrawing``).
    """

    def __init__(
        self, app: str, seen: Seen, withdrawing: set[str], connections: Callable[[], Connections]
    ) -> None:
        from cardlab.games.registry import games_by_app

        self.app, self.withdrawing, self.connections = app, withdrawing, connections
        self.lines, self.slots, self.replies = seen.lines, seen.slots, seen.replies
        self.admissions, self.tallies = seen.admissions, seen.tallies
        self.rules = games_by_app()[app].rules
        self.connection = _connect(FILE, timeout=0, isolation_level=None)
        self.folds: dict[str, FoldedRecord] = {}
        self._version = -1
        self.participants: dict[str, Participant] = {}
        self.players: dict[tuple[int, int], Player] = {}  # by participant and round
        self.groups: dict[int, Group] = {}
        self.configs: dict[int, dict[str, Any]] = {}  # by session
        self.treatments: dict[int, Treatments] = {}  # by session, if it has any
        self.codes: dict[int, str] = {}  # by session
        self.partners: dict[int, dict[str, Partner]] = {}  # by session with ``same_partner``, and code
        self.ended: Counter[tuple[int, str]] = Counter()  # moves by "End now", by participant and place
        self.has_seats = "seat" in self._columns(f"{app}_player")
        self.has_openings = "opening" in self._columns(f"{app}_group")

    def _columns(self, table: str) -> list[str]:
        return [name for _n, name, *_rest in self.connection.execute(f"PRAGMA table_info({table})")]

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(statement).fetchall()

    # Reading.

    def look(self) -> bool:
        """Reads and checks what is committed; returns whether anything is new."""
        ((version,),) = self.rows("PRAGMA data_version")
        if version == self._version:
            return False
        time = None if self._version < 0 else utc(clock.time())
        self._version = version
        self._read_rows()
        self._read_lines()
        self.check(time)
        return True

    def _read_rows(self) -> None:
        for session, code, config, stored in self.rows("SELECT id, code, config, _vars FROM otree_session"):
            if session not in self.configs:
                self.configs[session] = variables(config)
                if TREATMENT_FILES in (fields := variables(stored)):
                    self.treatments[session] = treatments_of(fields)
            self.codes[session] = code
        self.participants = {row[1]: Participant(*row) for row in self.rows(_PARTICIPANTS)}
        seat = "seat" if self.has_seats else "'solo'"
        players = f"SELECT id, participant_id, round_number, group_id, _payoff, {seat} FROM {self.app}_player"
        self.players = {(row[1], row[2]): Player(*row) for row in self.rows(players)}
        opening = "opening" if self.has_openings else "''"
        groups = f"SELECT id, id_in_subsession, round_number, {opening} FROM {self.app}_group"
        self.groups = {row[0]: Group(*row) for row in self.rows(groups)}
        self.ended = Counter(self.rows(_ENDED))

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
            self._check_searches(fold)

    def _check_searches(self, fold: FoldedRecord) -> None:
        """Checks that each robot played what its engine answered for that position."""
        while fold.searched:
            question, action = fold.searched.pop()
            replies = self.replies.get(question, set())
            assert action in replies, (
                f"{fold.name}: the computer played '{action}', its engine said {replies}"
            )

    # Checks.

    def check(self, time: datetime | None) -> None:
        self._check_sessions()
        self._check_slots()
        self._check_admissions(time)
        self._check_partners(time)
        self._check_groups()
        self._check_pay()
        self._check_ended()
        self._check_withdrawn()

    def _check_sessions(self) -> None:
        """Checks that sessions are committed with all their rows."""
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

    def _check_slots(self) -> None:
        connections = self.connections() if self.treatments else None
        for session, treatments in self.treatments.items():
            rows = self.rows(f"{_SLOTS} WHERE session_id = {session} ORDER BY id")
            now = [slot(*row) for row in rows if row[2] != WITHDRAWN]
            before, config = self.slots.get(session, []), self.configs[session]
            if "most_slots" in config:
                check_slots(now, config)
            if config["continues"] == "off":  # otherwise treatments are assigned on arrival
                check_places(before, now, treatments, config, connections)
            self.slots[session] = now

    def _check_admissions(self, time: datetime | None) -> None:
        """Checks that people who are kept out cannot take part: those who arrived have ended, unpaid."""
        for session in self.admissions.keys() - self.configs.keys():
            del self.admissions[session]  # it was not acknowledged, and a crash has undone it
        if not any(map(self.keeps_out, self.configs)):
            return
        entries = {number: Entry(*entry) for number, *entry in self.rows(_ENTRIES)}
        for session in filter(self.keeps_out, self.configs):
            rows = [row for row in self.rows(_ARRIVED.format(session)) if row[2] != WITHDRAWN]
            before = self.admissions.get(session, Admission(self.codes[session], {}, {}))
            arrivals = {row[0]: self._arrival(*row) for row in rows}
            starts = [each.started for each in arrivals.values() if each.started]
            now = before._replace(
                arrivals=arrivals,
                entries=entries,
                first_start=min(filter(None, [before.first_start, *starts]), default=""),
            )
            check_admission(before, now, self.configs[session], time)
            if self.configs[session]["continues"] != "off":
                check_treatments(before, now, self.treatments[session], self.configs[session])
            self.admissions[session] = now

    def _check_partners(self, time: datetime | None) -> None:
        """Checks that participants who continue a study play only with the partners whom they had there."""
        for session in filter(self._keeps_partners, self.configs):
            held = self.held_participants()
            rows = self.rows(partners_query(self.app, session))
            now = {row[0]: Partner(*row[:-1], row[-1] in held) for row in rows}
            before, connected = self.partners.get(session, now), self.connections().connected
            partners = Partners(self.admissions[session], now, connected, self.configs[session], time)
            self.tallies["partners met again"] += partners.check(before)
            self.partners[session] = now

    def _keeps_partners(self, session: int) -> bool:
        return bool(self.configs[session].get("same_partner"))

    def keeps_out(self, session: int) -> bool:
        """Returns whether a session turns away people who come too late, took part before or did not."""
        config = self.configs[session]
        names = config["exclude_studies"], config["continues"]
        return bool(config["late_after_minutes"]) or names != ("off", "off")

    def _arrival(
        self, code: str, label: str | None, status: str, started: str | None, stored: str
    ) -> Arrival:
        from cardlab.sessions import study_register

        person = self.participants[code]
        has_played = any(self._has_played(code, number) for number in self.rounds_of(person))
        label_hash = study_register.hash_label(label) if label else ""
        payoff = Decimal(person.payoff or 0)
        fields = variables(stored)
        team, team_size = fields.get(TEAM, ("", 0))
        return Arrival(
            *(code, self._number(person), label or "", label_hash, status, started or ""),
            *(fields.get(ENTRY), fields.get(TREATMENT, ""), team, team_size, NEWCOMER in fields),
            *(payoff, person.is_past_the_end, has_played),
        )

    def _has_played(self, code: str, number: int) -> bool:
        """Returns whether a participant has a seat at a table in a round, or has begun their own hand."""
        if not self.has_openings:
            return self.hand_of(code, number)[0] in self.lines
        player = self.players[self.participants[code].id, number]
        return bool(player.seat and self.groups[player.group].opening)

    def _check_groups(self) -> None:
        """Checks that each seat of a group has one participant, and all members the same treatment."""
        seats = Counter(
            (player.group, player.seat)
            for player in self.players.values()
            if self.has_seats and player.seat and self.groups[player.group].opening
        )
        assert all(count == 1 for count in seats.values()), f"two participants have one seat: {seats}"
        treatments = self._treatments_by_code()
        codes = {each.id: each.code for each in self.participants.values() if each.code in treatments}
        met: dict[int, set[str]] = defaultdict(set)
        for player in self.players.values() if treatments and self.has_seats else ():
            if player.seat and player.participant in codes and self.groups[player.group].opening:
                met[player.group].add(treatments[codes[player.participant]])
        mixed = {group: names for group, names in met.items() if len(names) > 1}
        assert not mixed, f"these groups have members of two treatments: {mixed}"

    def _treatments_by_code(self) -> dict[str, str]:
        """Returns the treatments of participants, in sessions with treatments."""
        return {each.code: each.treatment for slots in self.slots.values() for each in slots}

    def members(self, group: int) -> set[int]:
        return {player.participant for player in self.players.values() if player.group == group}

    def rounds_of(self, person: Participant) -> list[int]:
        return [number for participant, number in self.players if participant == person.id]

    def hand_of(self, code: str, number: int) -> tuple[str, str]:
        """Returns the hand id and the seat of a participant in a round."""
        person = self.participants[code]
        player = self.players[person.id, number]
        owner = str(self.groups[player.group].number) if self.has_openings else code
        return f"{self.app}-{self.codes[person.session]}-{owner}-{number}", player.seat

    def _check_pay(self) -> None:
        """Checks that everybody is paid once for each finished hand, and for nothing else."""
        from otree.api import cu

        from cardlab.sessions.config import payoff

        for code, person in self.participants.items():
            if person.status == WITHDRAWN:  # their rows remain, but empty
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
                        config, score = self._config_of(person), fold.hand.result(seat).score
                        number_in_session = self._number(person)
                        due = Decimal(cu(payoff(config, fold.hand.opening, number_in_session, score)))
                assert paid == due, f"{code} is paid {paid} for {hand}, and not {due}"
                total += paid
            assert Decimal(person.payoff or 0) == total, f"{code} has {person.payoff} in all, and not {total}"

    def _config_of(self, person: Participant) -> dict[str, Any]:
        """Returns the config of a participant's session, with their treatment applied."""
        config, treatments = self.configs[person.session], self.treatments.get(person.session)
        if treatments is None:
            return config
        treatment = self._treatments_by_code()[person.code]
        if not treatment:  # they have not arrived
            return config
        return config_for_treatment(config, treatments.fields(treatment), self.app)

    def _check_ended(self) -> None:
        """Checks that participants taken to the results or the end leave all hands in one transaction."""
        twice = [who for who, times in self.ended.items() if times > 1]
        assert not twice, f"these participants were taken to the same place twice: {twice}"
        for person in self.participants.values():
            if not self.is_ended(person) or person.status == WITHDRAWN:
                continue
            assert person.is_past_the_end or not self.ended[person.id, END], (
                f"{person.code} is not at the end"
            )
            for number in self.rounds_of(person):
                hand, seat = self.hand_of(person.code, number)
                fold = self.folds.get(hand)
                is_open = fold and fold.hand and not fold.hand.is_over_for(seat)
                assert not is_open, f"the study has ended for {person.code}, and {hand} goes on"

    def is_ended(self, person: Participant) -> bool:
        """Returns whether "End now" has ended the study for a participant."""
        return bool(self.ended[person.id, RESULTS] or self.ended[person.id, END])

    def held_participants(self) -> set[int]:
        """Returns the ids of participants who are paused or have dropped out, so they join no group."""
        return {number for (number,) in self.rows(_HELD)}

    def figures(self) -> Counter[str]:
        """Returns counts of participants by status, hands of groups, and treatments offered again."""
        seated = Counter(player.group for player in self.players.values() if self.has_seats and player.seat)
        groups = {
            (self.groups[group].number, self.groups[group].round)
            for group, members in seated.items()
            if members > 1
        }
        kept_out = Counter(f"participants: {row.status}" for row in self.participants.values() if row.status)
        places = Counter(
            (session, each.place)
            for session, slots in self.slots.items()
            for each in slots
            if each.status in COUNTED and each.place
        )
        offered_again = sum(count - 1 for count in places.values())
        return kept_out + Counter({"hands of groups": len(groups), "treatments offered again": offered_again})

    def begun_hands(self) -> set[str]:
        """Returns the ids of the hands that have begun."""
        hands = {
            self.hand_of(person.code, number)[0]
            for person in self.participants.values()
            for number in self.rounds_of(person)
        }
        return hands & self.lines.keys()

    def check_export(self, table: str, committed: dict[str, int]) -> None:
        """Checks that an export contains all lines ``committed`` before the request, given as counts by hand.

        The exported lines equal those in the database, and each line is one row.
        """
        table_rows = [*csv.DictReader(StringIO(table, newline=""))]
        rows = Counter(row["hand_id"] for row in table_rows)
        deals = {row["hand_id"]: row for row in table_rows if row["record_lines"]}
        for hand, lines in committed.items():
            if hand not in self.lines:  # the participant who played it alone has withdrawn meanwhile
                continue
            assert hand in deals, f"{hand} is missing in an export"
            exported = int(deals[hand]["record_lines"])
            assert exported >= lines, f"{hand} had {lines} lines, of which {exported} were exported"
            assert rows[hand] == exported, f"{hand} has {exported} lines, and {rows[hand]} rows in an export"
            is_same = deals[hand]["record_digest"] == self.lines[hand][exported - 1].digest
            assert is_same, f"{hand} is exported otherwise than it is in the database"

    def _number(self, person: Participant) -> int:
        ids = sorted(each.id for each in self.participants.values() if each.session == person.session)
        return ids.index(person.id) + 1

    def _check_withdrawn(self) -> None:
        """Checks that a withdrawing participant's data are either complete or gone from all tables."""
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
