"""The register of labels that took part in each study. It is kept when sessions are deleted.

A label is stored as a keyed hash (HMAC-SHA-256). Without the key nobody can test whether a label is in the
register. The key is ``secrets/label_key``, which ``lab.py run`` passes on. Servers with the same key can
exchange entries (``cardlab.admin.label_exchange``).

An entry has no participant code, and only the hour of the start, so it does not link a label to the data. It
is created when a participant with a label starts, and removed if they do not consent or are screened out. The
members of a group get the same ``team``, by which a later session finds their partners.
"""

from __future__ import annotations

import hmac
import os
import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from math import ceil
from typing import Any, NamedTuple

import sqlalchemy
from otree import settings
from otree.database import AnyModel, db
from otree.models import Participant, Session

from cardlab.core import clock
from cardlab.games.dealing import Config
from cardlab.games.pay import EXCLUDED
from cardlab.games.shared_settings import OFF
from cardlab.games.text_file import shorten
from cardlab.sessions.comment import tell_researcher
from cardlab.sessions.treatments import treatment_of

KEY_VARIABLE = "CARD_LAB_LABEL_KEY"  # set by cardlab.operations.keys
# In the participant's vars: the id of their entry; the team in the part that they continue, and its size;
# whether they are excluded because they have no earlier part.
ENTRY, TEAM, NEWCOMER = "study_entry", "study_team", "study_newcomer"
TOO_EARLY = "too early"
HOUR_SECONDS = 3600

REGISTER = sqlalchemy.Table(
    "card_lab_study_label",
    AnyModel.metadata,
    sqlalchemy.Column("id", sqlalchemy.Integer, primary_key=True),
    sqlalchemy.Column("study", sqlalchemy.String(40), nullable=False),
    sqlalchemy.Column("session", sqlalchemy.String(16), nullable=False),  # its code
    sqlalchemy.Column("treatment", sqlalchemy.String(40), nullable=False),  # "" for none
    sqlalchemy.Column("label", sqlalchemy.String(64), nullable=False, index=True),  # its hash
    sqlalchemy.Column("key", sqlalchemy.String(8), nullable=False),  # names the key of the hash
    sqlalchemy.Column("team", sqlalchemy.String(40), nullable=False, default=""),
    # When the participant started, in hours since 1970, rounded up; empty in entries of older versions.
    sqlalchemy.Column("hour", sqlalchemy.Integer, nullable=True),
    # SQLite must not use the id of a deleted entry again, because a participant's vars may still have it.
    sqlite_autoincrement=True,  # type: ignore[call-arg]  # the stubs lack it
)
_COLUMNS: Any = REGISTER.c
_NOTE_TEAM = sqlalchemy.text("UPDATE card_lab_study_label SET team = :team WHERE id = :id")
_HASH = re.compile("[0-9a-f]{64}")
_EXCLUDING = "exclude_studies", "exclude_treatments"


class Part(NamedTuple):
    """An earlier participation of a label."""

    study: str
    session: str
    treatment: str
    team: str
    hour: int | None


@cache
def _key() -> bytes:
    return (os.environ.get(KEY_VARIABLE) or f"labels of {settings.SECRET_KEY}").encode()


def key_name() -> str:
    """Returns eight digits that differ between keys."""
    return hmac.new(_key(), b"name of the key", "sha256").hexdigest()[:8]


def keyed_hash(text: str) -> str:
    """Returns the keyed hash of a text. Without the key nobody can test a guess."""
    return hmac.new(_key(), text.encode(), "sha256").hexdigest()


def hash_label(label: str) -> str:
    """Returns the hash of a label, without blanks around it."""
    return keyed_hash(f"label {label.strip()}")


class Entry(NamedTuple):
    """An entry as servers exchange it: ``label`` is the hash, and ``key`` names the key."""

    study: str
    session: str
    treatment: str
    label: str
    key: str
    team: str
    hour: int | None = None


class WrongEntries(ValueError):
    """Raised for entries that cannot be imported, with a sentence for the researcher."""


def entries(study: str = "") -> list[Entry]:
    """Returns all entries, or those of one study."""
    query = sqlalchemy.select([_COLUMNS[name] for name in Entry._fields]).order_by(_COLUMNS.id)
    rows = db._db.execute(query.where(_COLUMNS.study == study) if study else query)
    return [Entry(*row) for row in rows]


def add_entries(new_entries: Collection[Entry]) -> int:
    """Adds the entries of another server that are not here yet; returns how many. Raises WrongEntries."""
    for entry in new_entries:
        if _is_too_long(entry) or not _HASH.fullmatch(entry.label):
            raise WrongEntries(f"This entry is damaged: {shorten(', '.join(map(str, entry)))}.")
        if entry.key != key_name():
            raise WrongEntries(
                f"These labels were hashed with the key {shorten(entry.key)}, but this server has the key "
                f"{key_name()}. Give one server secrets/label_key of the other, and restart it."
            )
    known_entries = set(entries())
    rows = [entry._asdict() for entry in dict.fromkeys(new_entries) if entry not in known_entries]
    if rows:
        db._db.execute(REGISTER.insert(), rows)
    return len(rows)


def _is_too_long(entry: Entry) -> bool:
    return any(
        len(cell) > _COLUMNS[name].type.length
        for name, cell in entry._asdict().items()
        if isinstance(cell, str)
    )


def forget(label: str) -> int:
    """Removes all entries of a label; returns how many."""
    return int(db._db.execute(REGISTER.delete().where(_COLUMNS.label == hash_label(label))).rowcount)


def setting(config: Config, name: str) -> str:
    """Returns a setting of a session; "" if it is off, or missing in a session of an older version."""
    value: str = config.get(name, OFF)
    return "" if value == OFF else value


def names_in(text: str) -> list[str]:
    """Returns the names in a list that is separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def is_bot(participant: Participant) -> bool:
    """Returns whether a bot plays for the participant; bots are never kept out."""
    return bool(participant._is_bot or participant.is_browser_bot)


def is_excluded(participant: Participant) -> bool:
    """Returns whether the session excludes a participant who arrives at a slot, and marks a newcomer.

    Call it before the participant gets an entry, so that a second slot with the same label is found too.
    """
    if is_bot(participant):
        return False
    reason = exclusion(participant.session, participant.label)
    if reason == NEWCOMER:
        participant.vars[NEWCOMER] = True
    return reason is not None


def exclusion(session: Session, label: str | None) -> str | None:
    """Returns why a session excludes a label that has no slot in it yet; None if it does not.

    The reasons are that the label took part in a study or a treatment that the session excludes
    (``EXCLUDED``), took no part in the study that the session continues (``NEWCOMER``), or began that study
    less than ``continues_after_hours`` ago (``TOO_EARLY``).
    """
    if setting(session.config, "continues") and _continued_part(session, label) is None:
        return NEWCOMER
    if hours_to_wait(session, label):
        return TOO_EARLY
    studies, treatments = (names_in(setting(session.config, name)) for name in _EXCLUDING)
    took_part = any(
        part.study in studies or f"{part.study}/{part.treatment}" in treatments
        for part in (_earlier_parts(label) if studies or treatments else ())
    )
    return EXCLUDED if took_part else None


def hours_to_wait(session: Session, label: str | None) -> int:
    """Returns the hours until a label may continue a study, rounded up; 0 if it may now."""
    delay: float = session.config.get("continues_after_hours", 0)  # a session of an older version has none
    part = _continued_part(session, label) if delay else None
    if part is None or part.hour is None:
        return 0
    return max(0, ceil(part.hour + delay - clock.time() / HOUR_SECONDS))


def continued_part(participant: Participant) -> Part | None:
    """Returns the part that a participant continues: the label's latest one in the study, or None."""
    return _continued_part(participant.session, participant.label)


def _continued_part(session: Session, label: str | None) -> Part | None:
    study = setting(session.config, "continues")
    parts = _earlier_parts(label) if study else []
    return next((part for part in parts if part.study == study and part.session != session.code), None)


def _earlier_parts(label: str | None) -> list[Part]:
    """Returns the participations of a label, latest first; none without a label."""
    label, columns = (label or "").strip(), _COLUMNS
    if not label:
        return []
    query = sqlalchemy.select([columns[name] for name in Part._fields])
    own_entries = query.where(columns.label == hash_label(label)).order_by(columns.id.desc())
    return [Part(*row) for row in db._db.execute(own_entries)]


def add_entry(participant: Participant) -> None:
    """Adds a participant who starts, if the session belongs to a study and they have a label.

    If the session continues a study, stores the participant's earlier team.
    """
    part = continued_part(participant)
    if part and part.team:
        members = sqlalchemy.select([_COLUMNS.id]).where(_COLUMNS.team == part.team)
        participant.vars[TEAM] = [part.team, len(list(db._db.execute(members)))]
    study, label = setting(participant.session.config, "study"), (participant.label or "").strip()
    if not study or not label:
        return
    entry = {
        "study": study,
        "session": participant._session_code,
        "treatment": treatment_of(participant),
        "label": hash_label(label),
        "key": key_name(),
        "hour": ceil(clock.time() / HOUR_SECONDS),
    }
    (participant.vars[ENTRY],) = db._db.execute(REGISTER.insert().values(entry)).inserted_primary_key


def note_team(participants: Sequence[Participant], team: str) -> None:
    """Records that participants are in one group."""
    ids = [participant._vars[ENTRY] for participant in participants if ENTRY in participant._vars]
    if ids:
        db._db.execute(_NOTE_TEAM, [{"team": team, "id": entry_id} for entry_id in ids])


def remove_entry(participant: Participant) -> None:
    """Removes a participant's entry: they did not take part after all."""
    entry = participant.vars.pop(ENTRY, None)
    if entry is not None:
        db._db.execute(REGISTER.delete().where(_COLUMNS.id == entry))


def tell_missing_labels(session: Session) -> None:
    """Tells the researcher which studies named in the config have no label that this server can recognize."""
    for sentence in _missing_labels(session.config):
        tell_researcher(session, sentence)


def _missing_labels(config: Config) -> Iterator[str]:
    studies, treatments = (names_in(setting(config, name)) for name in _EXCLUDING)
    continued = {setting(config, "continues")} - {""}
    named_studies = {*studies, *(name.partition("/")[0] for name in treatments)} - {setting(config, "study")}
    for study in sorted(named_studies | continued):
        keys = _keys_of(study)
        if not keys:
            yield f"No label of the study {study} is registered yet. Check its name, or import its labels."
        elif key_name() not in keys:
            yield (
                f"The labels of the study {study} were hashed with another key, so nobody is recognized. "
                "Restore secrets/label_key."
            )


def _keys_of(study: str) -> Collection[Any]:
    query = sqlalchemy.select([_COLUMNS.key]).where(_COLUMNS.study == study)
    return {key for (key,) in db._db.execute(query)}
