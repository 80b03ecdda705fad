"""Checks who may take part: nobody who arrives too late, and no label that took part in an excluded study."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, NamedTuple

from cardlab.games.pay import EXCLUDED, LATE

ENTRY = "study_entry"  # a participant's variable: the id of their entry in the register of labels
FINISHED = "finished"  # cardlab.sessions.arrival, which needs oTree


class Entry(NamedTuple):
    """An entry of the register of labels."""

    study: str
    session: str
    label: str  # the label's hash


class Arrival(NamedTuple):
    """A participant of a session; ``started`` is "" until they open their start link."""

    code: str
    label: str
    label_hash: str
    status: str
    started: str  # UTC, in oTree's format
    entry: int | None
    payoff: Decimal
    has_ended: bool  # is past the last page
    has_played: bool  # has a seat at a table, or has begun a hand


class Door(NamedTuple):
    """The participants of a session at one commit, and the register's entries by id."""

    arrivals: dict[str, Arrival]  # by code
    entries: dict[int, Entry]
    first_start: str = ""  # of the participant who arrived first, who may have withdrawn since

    def excludes(self, label_hash: str, config: Any) -> bool:
        """Returns whether a label took part in a study that the session excludes."""
        studies = [name.strip() for name in config["exclude_studies"].split(",")]
        return any(entry.label == label_hash and entry.study in studies for entry in self.entries.values())

    def is_closed(self, time: datetime, config: Any) -> bool:
        """Returns whether the first participant arrived too long before a time."""
        minutes, first = config["late_after_minutes"], self.first_start
        return bool(minutes and first) and time - datetime.fromisoformat(first) > timedelta(minutes=minutes)


def utc(seconds: float) -> datetime:
    """Returns Unix seconds as a UTC time without a time zone, like oTree's times."""
    return datetime.fromtimestamp(seconds, timezone.utc).replace(tzinfo=None)


def check_door(before: Door, now: Door, code: str, config: Any, time: datetime | None) -> None:
    """Checks the participants of a session after a commit; ``before`` is the state before the commit.

    ``code`` is the session's code. ``time`` is the time of the commit; None if a crash happened since
    ``before``.
    """
    for each in now.arrivals.values():
        old = before.arrivals.get(each.code)
        if old is None:
            is_excluded = each.label and before.excludes(each.label_hash, config)
            assert not is_excluded, f"{each.code} gets a slot, although {each.label} took part before"
            is_late = time and before.is_closed(time, config)
            assert not is_late, f"{each.code} gets a slot, although the session is closed"
        elif old.status in (LATE, EXCLUDED):
            assert each.status == old.status, f"{each.code} was {old.status}, and is '{each.status}' now"
        if each.started and not (old and old.started) and each.status != FINISHED:
            _check_arrival(before, each, config)
        if each.status in (LATE, EXCLUDED):
            _check_kept_out(each)
    own = {each.entry: each.label_hash for each in now.arrivals.values() if each.entry is not None}
    entries = {number: entry.label for number, entry in now.entries.items() if entry.session == code}
    assert own == entries, f"the register has the entries {entries}, and the participants {own}"


def _check_arrival(before: Door, each: Arrival, config: Any) -> None:
    """Checks the status and register entry of a participant who has just opened their start link."""
    is_late = before.is_closed(datetime.fromisoformat(each.started), config)
    is_excluded = bool(each.label) and before.excludes(each.label_hash, config)
    due = LATE if is_late else EXCLUDED if is_excluded else ""
    status = each.status if each.status in (LATE, EXCLUDED) else ""
    assert status == due, f"{each.code} arrives with the status '{status}', and not '{due}'"
    has_entry, is_due = each.entry is not None, bool(config["study"] != "off" and each.label and not due)
    assert has_entry == is_due, f"{each.code} arrives, and has {'an' if has_entry else 'no'} entry"


def _check_kept_out(each: Arrival) -> None:
    assert each.has_ended, f"{each.code} is {each.status}, and the study goes on for them"
    assert not each.has_played, f"{each.code} is {each.status}, and has played"
    assert not each.payoff, f"{each.code} is {each.status}, and has {each.payoff}"
