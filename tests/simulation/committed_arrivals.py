"""Checks who may take part: nobody who comes late or took part in an excluded study, nor newcomers.

A newcomer has no part in the study that the session continues. Those who have one may come too early.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, NamedTuple

from cardlab.games.pay import EXCLUDED, LATE

# A participant's variables: the id of their entry in the register of labels; the team of their earlier part,
# and its size; whether they have no earlier part.
ENTRY, TEAM, NEWCOMER = "study_entry", "study_team", "study_newcomer"
FINISHED = "finished"  # cardlab.sessions.arrival, which needs oTree
HOUR_SECONDS = 3600


class Entry(NamedTuple):
    """An entry of the register of labels."""

    study: str
    session: str
    label: str  # the label's hash
    treatment: str
    team: str
    hour: int | None  # of the start, since 1970


class Arrival(NamedTuple):
    """A participant of a session; ``started`` is "" until they open their start link."""

    code: str
    number: int  # in the session
    label: str
    label_hash: str
    status: str
    started: str  # UTC, in oTree's format
    entry: int | None
    treatment: str
    team: str
    team_size: int
    is_newcomer: bool
    payoff: Decimal
    has_ended: bool  # is past the last page
    has_played: bool  # has a seat at a table, or has begun a hand


class Admission(NamedTuple):
    """The participants of a session at one commit, and the register's entries by id."""

    session: str  # its code
    arrivals: dict[str, Arrival]  # by code
    entries: dict[int, Entry]
    first_start: str = ""  # the earliest by the clock, which may be set; they may have withdrawn since

    def excludes(self, label_hash: str, config: Any) -> bool:
        """Returns whether a label took part in a study that the session excludes."""
        studies = [name.strip() for name in config["exclude_studies"].split(",")]
        return any(entry.label == label_hash and entry.study in studies for entry in self.entries.values())

    def continued_part(self, label_hash: str, config: Any) -> Entry | None:
        """Returns a label's latest entry of the study that the session continues."""
        parts = [
            entry
            for _number, entry in sorted(self.entries.items(), reverse=True)
            if (entry.label, entry.study) == (label_hash, config["continues"])
            and entry.session != self.session
        ]
        return parts[0] if parts else None

    def is_newcomer(self, label_hash: str, config: Any) -> bool:
        """Returns whether a label has no part in the study that the session continues."""
        return config["continues"] != "off" and self.continued_part(label_hash, config) is None

    def is_too_early(self, label_hash: str, config: Any, time: datetime) -> bool:
        """Returns whether a label began the study that the session continues too short a time ago."""
        part = self.continued_part(label_hash, config)
        if part is None or part.hour is None:
            return False
        return part.hour + config["continues_after_hours"] > unix_seconds(time) / HOUR_SECONDS

    def rejects(self, label_hash: str, config: Any, time: datetime) -> bool:
        """Returns whether a visitor without a slot gets none, for any reason."""
        return (
            self.is_closed(time, config)
            or self.excludes(label_hash, config)
            or self.is_newcomer(label_hash, config)
            or self.is_too_early(label_hash, config, time)
        )

    def is_closed(self, time: datetime, config: Any) -> bool:
        """Returns whether the first participant arrived too long before a time."""
        minutes, first = config["late_after_minutes"], self.first_start
        return bool(minutes and first) and time - datetime.fromisoformat(first) > timedelta(minutes=minutes)


def utc(seconds: float) -> datetime:
    """Returns Unix seconds as a UTC time without a time zone, like oTree's times."""
    return datetime.fromtimestamp(seconds, timezone.utc).replace(tzinfo=None)


def unix_seconds(time: datetime) -> float:
    """Returns a UTC time without a time zone as Unix seconds."""
    return time.replace(tzinfo=timezone.utc).timestamp()


def check_admission(before: Admission, now: Admission, config: Any, time: datetime | None) -> None:
    """Checks the participants of a session after a commit; ``before`` is the state before the commit.

    ``time`` is the time of the commit; None if a crash happened since ``before``.
    """
    for each in now.arrivals.values():
        old = before.arrivals.get(each.code)
        if old is None:
            _check_new_slot(before, each, config, time)
        elif old.status in (LATE, EXCLUDED):
            assert each.status == old.status, f"{each.code} was {old.status}, and is '{each.status}' now"
        if each.started and not (old and old.started) and each.status != FINISHED:
            _check_arrival(before, each, config)
        if each.status in (LATE, EXCLUDED):
            _check_kept_out(each)
    own = {each.entry: each.label_hash for each in now.arrivals.values() if each.entry is not None}
    entries = {number: entry.label for number, entry in now.entries.items() if entry.session == now.session}
    assert own == entries, f"the register has the entries {entries}, and the participants {own}"


def _check_new_slot(before: Admission, each: Arrival, config: Any, time: datetime | None) -> None:
    """Checks that there was no reason to turn away the participant of a new slot."""
    is_excluded = before.excludes(each.label_hash, config)
    assert not is_excluded, f"{each.code} gets a slot, although {each.label} took part before"
    is_late = time and before.is_closed(time, config)
    assert not is_late, f"{each.code} gets a slot, although the session is closed"
    if "most_slots" in config:  # otherwise slots are created with the session
        is_newcomer = before.is_newcomer(each.label_hash, config)
        assert not is_newcomer, f"{each.code} gets a slot, although '{each.label}' has no earlier part"
    is_early = time and before.is_too_early(each.label_hash, config, time)
    assert not is_early, f"{each.code} gets a slot, although {each.label} is too early"


def _check_arrival(before: Admission, each: Arrival, config: Any) -> None:
    """Checks the status and register entry of a participant who has just opened their start link."""
    started = datetime.fromisoformat(each.started)
    is_early = before.is_too_early(each.label_hash, config, started)
    assert not is_early, f"{each.code} arrives, although {each.label} is too early"
    is_newcomer, is_late = before.is_newcomer(each.label_hash, config), before.is_closed(started, config)
    is_excluded = is_newcomer or before.excludes(each.label_hash, config)
    due = LATE if is_late else EXCLUDED if is_excluded else ""
    status = each.status if each.status in (LATE, EXCLUDED) else ""
    assert status == due, f"{each.code} arrives with the status '{status}', and not '{due}'"
    has_entry, is_due = each.entry is not None, bool(config["study"] != "off" and each.label and not due)
    assert has_entry == is_due, f"{each.code} arrives, and has {'an' if has_entry else 'no'} entry"
    is_marked = each.is_newcomer == (is_newcomer and not is_late)
    assert is_marked, f"{each.code} arrives, and is {'not ' * is_newcomer}marked as a newcomer"
    part = None if due else before.continued_part(each.label_hash, config)
    team = part.team if part else ""
    size = sum(entry.team == team for entry in before.entries.values()) if team else 0
    has_team = (each.team, each.team_size) == (team, size)
    assert has_team, f"{each.code} has the team '{each.team}' ({each.team_size}), and not '{team}' ({size})"


def _check_kept_out(each: Arrival) -> None:
    assert each.has_ended, f"{each.code} is {each.status}, and the study goes on for them"
    assert not each.has_played, f"{each.code} is {each.status}, and has played"
    assert not each.payoff, f"{each.code} is {each.status}, and has {each.payoff}"
