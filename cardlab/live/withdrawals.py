"""Withdraws participants on the running server, and refuses all later requests of their browsers.

:func:`withdraw` is submitted like a move. In one transaction the participant drops out of shared hands and
their data are removed (:mod:`cardlab.live.personal_data`). :func:`complete` then compacts the database and
cleans files. It may be interrupted, and is repeated by withdrawing the same participant again.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import otree.middleware
from otree import common2
from otree.common import get_pages_module
from otree.database import session_scope
from otree.models import Participant, Session
from otree.templating import render
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse
from starlette.types import Scope, Send

from cardlab import folders
from cardlab.core import hand_cache
from cardlab.core.clock import now_ms
from cardlab.games.language import cached_by_language
from cardlab.live import interventions, personal_data, withdrawn_files
from cardlab.live.batch import Answer
from cardlab.live.lab import LAB
from cardlab.live.personal_data import Payment, Removed
from cardlab.live.presence import ParticipantIds
from cardlab.live.read_session import read_session
from cardlab.live.seat import Playable
from cardlab.live.withdrawn_files import FileReport, Withdrawal
from cardlab.sessions import recruiting
from cardlab.sessions.arrival import has_withdrawn
from cardlab.sessions.early_end import skip_to
from cardlab.sessions.money import format_money, ledger_of

if TYPE_CHECKING:
    from cardlab.live.record_store import Records

logger = logging.getLogger("cardlab.withdrawal")

CODE = re.compile(r"[a-z0-9]{8}")
_PATH = re.compile(r"/(?:p|InitializeParticipant|OutOfRangeNotification|seat)/([a-z0-9]{8})(?:/|$)")
GONE = 410  # the HTTP status of the page


class Result(NamedTuple):
    """The result of a withdrawal: the session's code, the open payment, and the files.

    ``is_new`` is False if the participant had withdrawn before, and only files were cleaned.
    """

    session: str
    is_new: bool
    payment: Payment
    files: FileReport


class RefusedCodes:
    """The codes of participants who have withdrawn, as hashes, and the pseudonyms of their empty rows."""

    def __init__(self) -> None:
        self._hashes: set[str] = set()

    def read(self, records: Records) -> None:
        """Reads the hashes from the database."""
        self._hashes = personal_data.refused_hashes(records)

    def add(self, code: str) -> None:
        """Refuses a code from now on."""
        self._hashes.add(personal_data.hash_code(code))

    def discard(self, code: str) -> None:
        """Accepts a code again, because its withdrawal could not be committed."""
        self._hashes.discard(personal_data.hash_code(code))

    def __contains__(self, code: str) -> bool:
        return bool(self._hashes) and personal_data.hash_code(code) in self._hashes

    async def answer(self, scope: Scope, send: Send) -> bool:
        """Answers requests for pages of participants who have withdrawn; returns whether it did."""
        match = _PATH.match(scope["path"]) if self._hashes else None
        if match is None or match[1] not in self:
            return False
        page = HTMLResponse(_removed_page(), GONE, {"Cache-Control": "no-store"})
        await page({"type": "http"}, None, send)  # type: ignore[arg-type]  # it reads no request
        return True


@cached_by_language
def _removed_page() -> bytes:
    """Returns the page that says that the data were removed. It contains no data."""
    return bytes(render("cardlab/Withdrawn.html", {}).body)


# ------------------------------------------------------------------ in the database


class Leaving(NamedTuple):
    """A participant who withdraws, as before the withdrawal."""

    id: int
    session: str
    page_index: int
    payment: Payment


def withdraw(code: str, pseudonym: str, is_paid: bool = False, session: str = "") -> Answer:
    """Removes a participant's data. The message has ``removed`` if there were any.

    It has ``session_id`` if a participant has, or had, this code.

    Args:
        code: the participant's code.
        pseudonym: the code of the row that stays.
        is_paid: whether the participant has been paid, so that nothing is kept for the payment.
        session: if given, the code of their session; with a wrong one nothing happens.
    """
    leaving = _find(code)
    if leaving is None:
        return _repeat(code, is_paid)
    if session not in ("", leaving.session):
        return Answer({"standings": {}})
    payment = Payment() if is_paid else leaving.payment
    LAB.refused_codes.add(code)
    LAB.refused_codes.add(pseudonym)
    standings = interventions.drop_out(leaving.session, [code]).message["standings"]
    standings.pop(code, None)
    removed = personal_data.remove_data(LAB.records, code, pseudonym, payment, now_ms())
    if removed is None:  # the row was read from oTree's connection just now
        raise LookupError("The participant is no longer in the database.")
    message = {"standings": standings, "leaving": leaving, "removed": removed, "advanced": [code]}
    return Answer({**message, "pseudonym": pseudonym, "session_id": removed.session_id})


def withdraw_own(person: ParticipantIds) -> Answer:
    """Removes the data of a participant who requests it at the end, if the session has the button."""
    with session_scope():
        participant = Participant.objects_get(id=person.id)
        has_ended = participant.status not in ("", interventions.DROPPED_STATUS)
        may_withdraw = has_ended and participant.session.config.get("withdraw_button")
    if not may_withdraw:
        return Answer({"standings": {}})
    return withdraw(person.code, personal_data.new_pseudonym())


def _repeat(code: str, is_paid: bool) -> Answer:
    """Returns the answer for a participant who has already withdrawn; removes the payment if it was made."""
    if is_paid:
        personal_data.mark_paid(LAB.records, code)
    found = personal_data.find_withdrawal(LAB.records, code)
    return Answer({"standings": {}, **({"session_id": found[0]} if found else {})})


def _find(code: str) -> Leaving | None:
    with session_scope():
        participant = Participant.objects_first(code=code)
        if participant is None or has_withdrawn(participant):
            return None
        total = ledger_of(participant).total
        parameters = participant._vars.get(recruiting.LINK, {})
        label = parameters.get(recruiting.LABEL) or participant.label or ""
        payment = Payment(code, label, f"{total:f}") if total > 0 else Payment()
        return Leaving(participant.id, participant._session_code, participant._index_in_pages, payment)


def forget(code: str, answer: Answer | Exception) -> Answer | Exception:
    """Removes a participant's data from the server's memory. Call it after the commit, under the lock."""
    if isinstance(answer, Exception):
        LAB.refused_codes.discard(code)
        return answer
    if "removed" not in answer.message:
        return answer
    removed, session = answer.message["removed"], answer.message["leaving"].session
    times = common2.page_completion_buffer
    times[:] = [row for row in times if personal_data.without_person(row, code)]
    for hand in removed.hands:
        hand_cache.drop_hand(hand)
    LAB.prepared_seats.drop(code)
    LAB.seat_browsers.drop(code)
    LAB.monitors.drop(session)
    for reports in (LAB.reports, LAB.replays):
        reports.drop(session)
    LAB.archives.drop(session)
    _forget_logs(session)
    interventions.notify(answer)
    return answer


def _forget_logs(session: str) -> None:
    with session_scope():
        apps = Session.objects_get(code=session).config["app_sequence"]
    for app in apps:
        for page in get_pages_module(app).page_sequence:
            if issubclass(page, Playable):
                page.forget_logs()


def session_of(code: str) -> str | None:
    """Returns the code of the session that a participant is, or was, in; None for an unknown code.

    Needs no lock.
    """
    with read_session():
        participant = Participant.objects_first(code=code)
        if participant and not has_withdrawn(participant):
            return str(participant._session_code)
        found = personal_data.find_withdrawal(LAB.page_records, code)
        return str(Session.objects_get(id=found[0]).code) if found else None


# ------------------------------------------------------------------ afterwards


async def withdraw_now(code: str, is_paid: bool = False, session: str = "") -> Result | None:
    """Withdraws a participant and cleans all files; returns None for an unknown code. Raises its errors."""
    handle = partial(withdraw, code, personal_data.new_pseudonym(), is_paid, session)
    answer = await LAB.group_commit.submit(handle, partial(forget, code))
    if isinstance(answer, Exception):
        raise answer
    if "session_id" not in answer.message:
        return None
    return await complete(code, answer)


async def complete_own(code: str, answer: Answer) -> None:
    """Completes a participant's own withdrawal, and adds remaining tasks to the session's comment."""
    try:
        result = await complete(code, answer)
    except Exception:
        logger.exception("The files of a participant who has withdrawn could not be cleaned.")
        return
    session_id = answer.message["session_id"]

    def tell() -> Answer:
        for fault in result.files.faults:
            LAB.records.tell_researcher(session_id, f"A participant has removed their data. {fault}")
        return Answer({})

    await LAB.group_commit.submit(tell, lambda answer: answer)


async def mark_paid_now(code: str) -> None:
    """Removes the payment data of a participant who has withdrawn; ignores others. Raises its errors."""
    answer = await LAB.group_commit.submit(partial(_repeat, code, True), lambda answer: answer)
    if isinstance(answer, Exception):
        raise answer
    if "session_id" in answer.message:
        await complete(code, answer)


async def complete(code: str, answer: Answer) -> Result:
    """Lets co-players pass waiting pages, compacts the database and cleans files, in threads."""
    queue: Any = otree.middleware.lock2  # a PageQueue
    steps: list[Callable[[], Any]] = [partial(pass_waiting_pages, answer), partial(compact, answer)]
    faults = []
    for step in steps:
        async with queue.hold_between_pages():
            faults.append(await run_in_threadpool(step))
    return await run_in_threadpool(clean, code, answer, [fault for fault in faults if fault])


def pass_waiting_pages(answer: Answer) -> None:
    """Notifies participants who wait for the withdrawn one on pages of oTree."""
    leaving: Leaving | None = answer.message.get("leaving")
    if leaving is None:
        return
    try:
        with session_scope():
            participant = Participant.objects_get(id=leaving.id)
            end = participant._index_in_pages
            if 0 < leaving.page_index < end:
                participant._index_in_pages = leaving.page_index
                skip_to(participant._get_page_instance(), end)
    except Exception:
        logger.exception("Participants who wait for a withdrawn participant could not be notified.")


def compact(answer: Answer) -> str:
    """Compacts the database; returns a sentence if it failed. Call it under the lock."""
    removed: Removed | None = answer.message.get("removed")
    changed = {"card_lab_line", "card_lab_notice", "otree_pagetimebatch", "card_lab_withdrawal"}
    return withdrawn_files.compact(sorted({*(removed.tables if removed else ()), *changed}))


def clean(code: str, answer: Answer, faults: list[str]) -> Result:
    """Cleans all files; returns the result, with ``faults`` of earlier steps. Needs no lock."""
    with read_session():
        session = Session.objects_get(id=answer.message["session_id"]).code
        found = personal_data.find_withdrawal(LAB.page_records, code)
    payment = found[1] if found else Payment()
    pseudonym = answer.message.get("pseudonym") or personal_data.new_pseudonym()
    files = withdrawn_files.clean_files(Withdrawal(code, pseudonym, payment), session)
    files.faults[:0] = faults
    return Result(session, "removed" in answer.message, payment, files)


def paid_command(code: str) -> str:
    """Returns the command that removes the payment data of a participant."""
    return folders.command(f"withdraw {code} --paid")


def sentences(code: str, result: Result) -> list[str]:
    """Returns the result of a withdrawal and the remaining tasks, as sentences for the researcher."""
    rewritten, deleted, faults = result.files
    done = "were removed" if result.is_new else "had been removed before"
    lines = [f"The data of participant {code} of session {result.session} {done}."]
    if rewritten or deleted:
        lines.append(f"Files rewritten: {len(rewritten)}. Files deleted: {len(deleted)}.")
    if result.payment.total:
        lines.append(
            f"To be paid: {format_money(Decimal(result.payment.total))}. The tab Payments keeps the code, "
            "the label and this amount until you have paid. Then press “Paid” there, or run: "
            f"{paid_command(code)}"
        )
    return [*lines, *faults]
