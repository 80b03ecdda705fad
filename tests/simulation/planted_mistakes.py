"""Plants mistakes that a programmer could make in the server, to test that the simulation finds them."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from functools import cache
from itertools import count
from math import inf
from pathlib import Path

from otree.database import db
from otree.models import Participant, Session

from cardlab.admin import end_now
from cardlab.core import clock
from cardlab.core.transitions import Draft, EngineAnswer
from cardlab.exports import snapshot
from cardlab.groups import matchmaking, waiting_room
from cardlab.live import batch, hand_service, presence, record_store, slots_on_arrival
from cardlab.sessions import early_end, money, rows, study_register, treatment_assignment


def answer_before_commit() -> None:
    """Makes the group commit answer shortly before it commits."""

    def commit_later(self: batch.Batch, handlers: Sequence[Callable[[], batch.Answer]]) -> list[batch.Answer]:
        answers = [handler() for handler in handlers]
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, self.records.commit)  # after the answers
        return answers

    batch.Batch.commit_batch = commit_later


def no_rollback() -> None:
    """Leaves data in the transaction after an error."""
    batch.Batch._rollback = lambda self: False


def pay_again() -> None:
    """Adds the pay of a hand again even if it was already paid."""

    def set_payoff(self: record_store.Records, payee: record_store.Payee, points: float) -> None:
        paid, total = self._payoffs(payee)
        amounts = {"paid": str(paid + int(points)), "total": str(total + int(points))}
        row = {"player_id": payee.player_id, "participant_id": payee.participant_id, **amounts}
        self._flush_otree()
        self.write(record_store._SET_PAYOFF.format(table=payee.model.__tablename__), [row])
        self.write(record_store._SET_TOTAL, [row])
        self._expire_otree(payee)

    record_store.Records.set_payoff = set_payoff


def unflushed_commits() -> None:
    """Lets commits of moves return before they are on disk."""
    connect = record_store._OwnConnection.__call__

    def connect_without_flush(self: record_store._OwnConnection) -> object:
        is_new = self._raw_connection is None
        connection = connect(self)
        if is_new:
            connection.execute("PRAGMA synchronous = normal")
        return connection

    record_store._OwnConnection.__call__ = connect_without_flush


def half_sessions() -> None:
    """Commits a session before its participants exist."""
    add_participants = rows.add_participants

    def add_later(session: Session, number_added: int, lost: Collection[int] = ()) -> list[Participant]:
        db.commit()
        return add_participants(session, number_added, lost)

    rows.add_participants = add_later


def end_before_pay() -> None:
    """Moves participants to the end in one transaction, and pays and ends their hand in the next."""

    def move(participant: Participant, target: int) -> None:
        page = participant._get_page_instance()
        participant._index_in_pages = target
        db.commit()
        page.call_user_defined("before_next_page", timeout_happened=True)

    end_now._move = move


def export_without_wal() -> None:
    """Exports a copy of the database file without its WAL."""

    def connect_to_copy(file: str, copy: Path) -> sqlite3.Connection:
        shutil.copy(file, copy)
        return sqlite3.connect(copy, check_same_thread=False)

    snapshot.connect_to_copy = connect_to_copy


def places_without_rollback() -> None:
    """Counts positions in the sequence of treatments in memory, where no rollback undoes it."""
    numbers: defaultdict[str, Iterator[int]] = defaultdict(lambda: count(1))
    rows._free_places = lambda session, _lost: numbers[session.code]


def late_engine_answers() -> None:
    """Plays an engine's answer even if the hand now asks another question."""
    play = hand_service.play_engine_answer

    def play_any(draft: Draft, answer: EngineAnswer, now_ms: int) -> str:
        question = draft.hand.engine_questions.get(answer.seat, "")
        return play(draft, answer._replace(question=question), now_ms)

    hand_service.play_engine_answer = play_any


def late_from_the_last() -> None:
    """Closes a session some time after its last participant arrived, not its first."""

    def is_closed(session: Session) -> bool:
        minutes = session.config["late_after_minutes"]
        arrivals = [one.time_started_utc for one in session.pp_set if one.time_started_utc]
        now = datetime.fromtimestamp(clock.time(), timezone.utc).replace(tzinfo=None)
        return bool(minutes and arrivals) and now - datetime.fromisoformat(max(arrivals)) > timedelta(
            minutes=minutes
        )

    early_end.is_closed = slots_on_arrival.is_closed = is_closed


def parts_in_memory() -> None:
    """Caches forever where a label took part."""
    study_register._earlier_parts = cache(study_register._earlier_parts)


def slots_for_all() -> None:
    """Lets the room create a slot without checking whether the visitor may take part."""
    slots_on_arrival._is_kept_out = lambda _session, _label: False


def kept_places() -> None:
    """Keeps the positions of excluded participants in the sequence of treatments taken."""

    def free_places(session: Session, _lost: Collection[int]) -> Iterator[int]:
        taken = {one._vars.get(rows.PLACE) for one in session.pp_set}
        return (place for place in count(1) if place not in taken)

    rows._free_places = free_places


def start_in_two_parts() -> None:
    """Marks excluded participants in one transaction, and takes them to the end in the next."""

    def end_early(participant: Participant, status: str) -> None:
        participant.status = status
        db.commit()

    early_end.end_early = end_early


def fee_for_all() -> None:
    """Pays the participation fee to excluded participants, too."""
    money.is_unpaid = lambda _config, _status: False


def lost_for_ever() -> None:
    """Does not offer the treatment of a disappeared participant again."""
    slots_on_arrival.lost_participants = lambda _session: set()


def lost_while_reading() -> None:
    """Counts participants as lost if they send no request, even if their page is connected."""
    presence.Presence.last_seen_ms = lambda _self, _code: 0


def treatment_for_each() -> None:
    """Gives each slot a separate treatment, even if two people play together."""
    treatment_assignment.slots_per_treatment = rows.slots_per_treatment = lambda _config: 1


def groups_of_all() -> None:
    """Matches participants with anybody who waits, regardless of treatment."""

    def numbers_by_treatment(snapshot: matchmaking.Snapshot) -> dict[str, set[int]]:
        names = matchmaking.treatment_names(snapshot.subsession.session)
        return {names[0]: set(snapshot.people)} if names else {"": set(snapshot.people)}

    matchmaking._numbers_by_treatment = numbers_by_treatment


def groups_without_end() -> None:
    """Lets participants wait for a partner without a time limit."""
    matchmaking._limits = lambda _subsession, _config: (0, inf)


def newcomers_let_in() -> None:
    """Lets people without an earlier part continue a study."""
    exclusion = study_register.exclusion

    def exclusion_but_of_newcomers(session: Session, label: str | None) -> str | None:
        reason = exclusion(session, label)
        return None if reason == study_register.NEWCOMER else reason

    study_register.exclusion = exclusion_but_of_newcomers


def hours_rounded_down() -> None:
    """Rounds the hours until a label may continue down, so that the last hour counts as none."""

    def hours_to_wait(session: Session, label: str | None) -> int:
        part, delay = study_register._continued_part(session, label), session.config["continues_after_hours"]
        if part is None or part.hour is None:
            return 0
        return max(0, int(part.hour + delay - clock.time() / study_register.HOUR_SECONDS))

    study_register.hours_to_wait = hours_to_wait


def treatment_of_slot() -> None:
    """Assigns treatments when slots are created, even if their participants continue a study."""
    treatment_assignment._is_assigned_on_arrival = lambda _treatments, _config: False


def teams_of_all() -> None:
    """Matches participants with anybody in their treatment, regardless of their earlier partners."""

    def pools(snapshot: matchmaking.Snapshot) -> Iterator[matchmaking.Pool]:
        for treatment, numbers in matchmaking._numbers_by_treatment(snapshot).items():
            yield matchmaking.Pool(treatment, numbers)

    matchmaking._pools = pools


def partners_not_awaited() -> None:
    """Does not wait for an earlier partner who has not arrived."""
    pools = matchmaking._pools
    matchmaking._pools = lambda snapshot: (pool._replace(may_grow=False) for pool in pools(snapshot))


def loading_pages_ignored() -> None:
    """Does not wait for a partner whose waiting page has not polled yet."""
    is_on_the_way = waiting_room.WaitingRoom.is_on_the_way

    def is_before(self: waiting_room.WaitingRoom, person: waiting_room.ParticipantState, *others) -> bool:
        return person.page != others[1] and is_on_the_way(self, person, *others)

    waiting_room.WaitingRoom.is_on_the_way = is_before


MISTAKES = {
    mistake.__name__: mistake
    for mistake in (
        *(answer_before_commit, no_rollback, pay_again, unflushed_commits, half_sessions, end_before_pay),
        *(
            export_without_wal,
            places_without_rollback,
            late_engine_answers,
            late_from_the_last,
            parts_in_memory,
        ),
        *(slots_for_all, kept_places, start_in_two_parts, fee_for_all, treatment_for_each),
        *(groups_of_all, groups_without_end, lost_for_ever, lost_while_reading),
        *(newcomers_let_in, hours_rounded_down, treatment_of_slot, teams_of_all),
        *(partners_not_awaited, loading_pages_ignored),
    )
}
