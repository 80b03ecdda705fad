"""Ends a session for a participant, and defines what the last page shows, such as a completion code.

A session ends early for a participant who does not consent, is screened out by an app, arrives too late,
took part before in an excluded study, or leaves. They skip all remaining pages
(``cardlab.sessions.early_end``), so nobody waits for them, and are not paid, unless they leave and
``leave_button`` pays them. oTree's ``participant.status`` has the reason.
"""

from __future__ import annotations

from gettext import gettext as _
from gettext import ngettext
from typing import Any, NamedTuple
from urllib.parse import quote

from otree.models import Participant, Session

from cardlab.games.dealing import Config
from cardlab.games.pay import ALONE, EARLY_STATUSES, EXCLUDED, LATE, LEFT, REFUSED, SCREENED_OUT, is_unpaid
from cardlab.games.shared_settings import OFF
from cardlab.sessions import money, study_register
from cardlab.sessions.arrival import FINISHED

CODES = {
    FINISHED: "completion_code",
    REFUSED: "refused_code",
    SCREENED_OUT: "screened_out_code",
    LATE: "late_code",
    LEFT: "refused_code",
    ALONE: "waiting_code",
    EXCLUDED: "excluded_code",
}


def refuse(participant: Participant) -> None:
    """Ends the session for a participant who does not consent. Call it in ``before_next_page``."""
    end_early(participant, REFUSED)


def screen_out(participant: Participant) -> None:
    """Ends the session for a participant outside the target group. Call it in ``before_next_page``."""
    end_early(participant, SCREENED_OUT)


def end_early(participant: Participant, status: str) -> None:
    """Ends the session for a participant, with one of ``EARLY_STATUSES``."""
    participant.status = status
    if status in (REFUSED, SCREENED_OUT):
        study_register.remove_entry(participant)
    participant._update_monitor_table()


class Completion(NamedTuple):
    """The code for the recruitment site, and the link back to it; "" for none.

    ``early`` says that the session has ended early for the participant.
    """

    code: str
    link: str
    early: bool


NO_COMPLETION = Completion("", "", True)


def completion(config: Config, status: str, label: str | None) -> Completion:
    """Returns the code and link for a participant with this status and label.

    Early ends have their own codes, and a link only if it contains the code.
    """
    is_early = is_unpaid(config, status)
    code = config.get(CODES[status if is_early or status == ALONE else FINISHED], OFF)
    if status == LEFT and config.get("left_code", OFF) != OFF:  # a session of an older version has none
        code = config["left_code"]
    url, code = config["completion_url"], "" if code == OFF else code
    if url == OFF or (is_early and not (code and "{code}" in url)):
        return Completion(code, "", is_early or status in (LEFT, ALONE))
    filled = {"label": label or "", "code": code}
    link = url.format(**{name: quote(text, safe="") for name, text in filled.items()})
    return Completion(code, link, is_early)


def completion_of(participant: Participant) -> Completion:
    """Returns the code and link of a participant."""
    return completion(participant.session.config, participant.status, participant.label)


def end_vars(participant: Participant) -> dict[str, Any]:
    """Returns the variables of the last page's template."""
    config = participant.session.config
    shows_earnings = config["show_earnings"] and not is_unpaid(config, participant.status)
    receipt = money.receipt(participant) if shows_earnings else None
    texts = _end_texts(participant.status)
    if study_register.NEWCOMER in participant._vars:
        texts["sentence"] = _newcomer_sentence()
    return {**texts, "receipt": receipt, **completion_of(participant)._asdict()}


def late_vars(config: Config, label: str | None) -> dict[str, Any]:
    """Returns the variables for a visitor who gets no slot, because they come too late."""
    return {**_end_texts(LATE), "receipt": None, **completion(config, LATE, label)._asdict()}


def full_session_vars(config: Config, label: str | None) -> dict[str, Any]:
    """Returns the variables for a visitor who found all slots taken."""
    sentence = _("All seats are taken, so you cannot take part this time.")
    return {**late_vars(config, label), "sentence": sentence}


def excluded_vars(session: Session, label: str | None, reason: str) -> dict[str, Any]:
    """Returns the variables for a visitor who gets no slot, for a reason of ``study_register.exclusion``.

    A visitor who comes too early gets no code, because they can return.
    """
    if reason == study_register.TOO_EARLY:
        return {**_early_texts(session, label), "receipt": None, **NO_COMPLETION._asdict()}
    config, texts = session.config, _end_texts(EXCLUDED)
    if reason == study_register.NEWCOMER:
        texts["sentence"] = _newcomer_sentence()
    return {**texts, "receipt": None, **completion(config, EXCLUDED, label)._asdict()}


def _early_texts(session: Session, label: str | None) -> dict[str, str]:
    hours = study_register.hours_to_wait(session, label)
    sentence = ngettext(
        "This part of the study is not open for you yet. Open this link again in {hours} hour.",
        "This part of the study is not open for you yet. Open this link again in {hours} hours.",
        hours,
    )
    return {"title": _("Welcome back"), "sentence": sentence.format(hours=hours), "icon": "info"}


def _newcomer_sentence() -> str:
    return _("This is for people who took part in an earlier part of the study. There is nothing more to do.")


def _end_texts(status: str) -> dict[str, str]:
    title, sentence = {
        REFUSED: (
            _("Thank you anyway"),
            _("You have not agreed to take part. There is nothing more to do."),
        ),
        SCREENED_OUT: (
            _("Thank you for your answers"),
            _("You do not fit this study’s criteria this time. There is nothing more to do."),
        ),
        LATE: (
            _("Thank you for coming"),
            _("The others have already begun, so you cannot take part this time."),
        ),
        ALONE: (
            _("Thank you for waiting"),
            _("Nobody was free to play with you. The study ends here."),
        ),
        EXCLUDED: (
            _("Thank you for coming"),
            _(
                "You took part in this study, or in one like it, before. This time we need other people. "
                "There is nothing more to do."
            ),
        ),
        LEFT: (_("You have left the study"), _("Thank you. There is nothing more to do.")),
    }.get(status, (_("This is the end"), _("Thank you for taking part!")))
    return {"title": title, "sentence": sentence, "icon": "info" if status in EARLY_STATUSES else "done"}
