"""Checks participants who continue an earlier study: their treatment, and that partners meet again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from committed_arrivals import FINISHED, Admission, Arrival, unix_seconds

from cardlab.games.treatments import Treatments, treatment_for_slot

FIRST_GAME = 2  # its round; the first round has the instructions
RELOADING_MS = 6_000  # how long a waiting page counts as open after a poll, at least


class Partner(NamedTuple):
    """A participant and their player of the first game, in a session with ``same_partner``."""

    code: str
    page: int
    waiting_page: int | None  # the last page at which they waited for a group
    is_grouped: bool
    group: int
    since_ms: int | None  # when they came to the waiting page
    seen_ms: int | None  # when they last polled it
    requested_s: int | None  # of their last request for a page
    is_held: bool  # paused or dropped out


def partners_query(app: str, session: int) -> str:
    """Returns the query for the columns of :class:`Partner`, but the last."""
    return (
        "SELECT code, _index_in_pages, _gbat_page_index, coalesce(_gbat_grouped, 0), group_id, "
        "waiting_since_ms, seen_waiting_ms, _last_request_timestamp, participant.id "
        f"FROM {app}_player AS player "
        "JOIN otree_participant AS participant ON participant.id = participant_id "
        f"WHERE player.session_id = {session} AND round_number = {FIRST_GAME}"
    )


def check_treatments(before: Admission, now: Admission, treatments: Treatments, config: Any) -> None:
    """Checks that participants get the treatment of the part that they continue, and keep it.

    A participant whose part has no treatment of the session gets that of their slot. Entries in the register
    have the participants' treatments.
    """
    for each in now.arrivals.values():
        old = before.arrivals.get(each.code)
        if old and old.treatment:
            is_kept = each.treatment == old.treatment
            assert is_kept, f"{each.code} had the treatment {old.treatment}, and has {each.treatment} now"
        elif each.treatment:
            part = before.continued_part(each.label_hash, config)
            of_slot = treatment_for_slot(treatments, config["seed"], each.number, config.get("group_size", 1))
            due = part.treatment if part and part.treatment in treatments.names else of_slot
            assert each.treatment == due, f"{each.code} continues in {each.treatment}, and not in {due}"
        assert each.treatment or not each.started, f"{each.code} has arrived, and has no treatment"
        if each.entry is not None:
            noted = now.entries[each.entry].treatment
            assert noted == each.treatment, f"{each.code} has {each.treatment}, and their entry '{noted}'"


def groups_of(partners: Iterable[Partner]) -> dict[int, list[Partner]]:
    """Returns the members of each group that was formed for the first game."""
    groups: dict[int, list[Partner]] = defaultdict(list)
    for partner in partners:
        if partner.is_grouped:
            groups[partner.group].append(partner)
    return groups


class Partners(NamedTuple):
    """The participants of a session with ``same_partner`` at one commit."""

    admission: Admission
    partners: dict[str, Partner]  # by code; also those who have withdrawn
    connected: set[str]
    config: Any
    time: datetime | None  # None if a crash happened since the commit before

    def check(self, before: dict[str, Partner]) -> int:
        """Checks groups of the first game; returns how many teams have met again since ``before``."""
        meetings = 0
        for members in groups_of(self.partners.values()).values():
            arrivals = [
                self.admission.arrivals[each.code] for each in members if each.code in self.admission.arrivals
            ]
            teams = {arrival.team for arrival in arrivals}
            assert len(teams) <= 1, f"members of different teams are in one group: {sorted(teams)}"
            assert len(arrivals) < 2 or teams != {""}, "participants without a team are in one group"
            if any(before[each.code].is_grouped for each in members if each.code in before):
                continue
            if len(members) > 1:
                self._check_entries(arrivals)
                meetings += 1
            elif self.time and arrivals:
                self._check_alone(members[0])
        return meetings

    def _check_entries(self, arrivals: list[Arrival]) -> None:
        """Checks that the register notes the members of a new group as a team."""
        entries = [self.admission.entries[each.entry] for each in arrivals if each.entry is not None]
        teams = {entry.team for entry in entries}
        assert len(teams) <= 1, f"the register has the teams {teams} for one group"
        assert "" not in teams, "the register does not note a new group as a team"

    def _check_alone(self, each: Partner) -> None:
        """Checks that a participant who is alone in a new group has no partner who is here or may come."""
        others = [other for other in self.partners.values() if self._may_meet(each, other)]
        here = [other.code for other in others if self._is_here(other)]
        assert not here, f"{each.code} plays without {here}, who waits for them"
        waited_ms = self._now_ms - (each.since_ms or 0)
        if waited_ms >= 1000 * self.config["gather_seconds"]:
            return
        coming = [other.code for other in others if self._is_coming(other, each.waiting_page)]
        assert not coming, f"{each.code} plays after {waited_ms} ms without {coming}, who is on the way"
        team = [arrival for arrival in self.admission.arrivals.values() if self._is_on_team(arrival, each)]
        is_complete = len(team) >= min((arrival.team_size for arrival in team), default=0)
        assert is_complete or not self._can_anybody_come(), (
            f"{each.code} plays after {waited_ms} ms, and their partner may still come"
        )

    @property
    def _now_ms(self) -> float:
        return 1000 * unix_seconds(self.time)

    def _is_on_team(self, arrival: Arrival | None, each: Partner) -> bool:
        own = self.admission.arrivals[each.code]
        is_team = arrival is not None and own.team != ""
        return is_team and (arrival.team, arrival.treatment) == (own.team, own.treatment)

    def _may_meet(self, each: Partner, other: Partner) -> bool:
        if other.code == each.code or other.is_held or other.is_grouped:
            return False
        arrival = self.admission.arrivals.get(other.code)
        is_taken_to_the_end = arrival is not None and arrival.status == FINISHED
        return not is_taken_to_the_end and self._is_on_team(arrival, each)

    def _is_here(self, other: Partner) -> bool:
        is_waiting = other.page == other.waiting_page and other.seen_ms is not None
        return is_waiting and 0 <= self._now_ms - (other.seen_ms or 0) < RELOADING_MS

    def _is_coming(self, other: Partner, waiting_page: int) -> bool:
        """Returns whether a participant is before the waiting page, or has just gone to it."""
        if other.page == waiting_page and other.seen_ms is None:
            return 0 <= self._now_ms - 1000 * (other.requested_s or 0) < RELOADING_MS
        return 0 < other.page < waiting_page and other.code in self.connected

    def _can_anybody_come(self) -> bool:
        if self.admission.is_closed(self.time, self.config):
            return False
        has_free_slot = len(self.partners) < self.config.get("most_slots", 0)
        return has_free_slot or any(partner.page == 0 for partner in self.partners.values())
