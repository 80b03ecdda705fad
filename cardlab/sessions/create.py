"""Creates a session: validates everything first, draws the seed, and leaves nothing behind on failure.

The admin's form, the demo page, REST, bots and the command line use this ``create_session``, under oTree's
lock.
"""

from __future__ import annotations

import inspect
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import otree.session
import otree.views.rest
import sqlalchemy
from otree.channels.consumers import WSCreateSession
from otree.database import db
from otree.models import Session
from otree.room import ROOM_DICT
from otree.session import NON_EDITABLE_FIELDS, SESSION_CONFIGS_DICT, CreateSessionInvalidArgs, SessionConfig
from otree.views.admin import SessionEditPropertiesForm
from wtforms import Field
from wtforms.validators import ValidationError

from cardlab.core.patch import Patch, Wrapper
from cardlab.games.contract import BadFile
from cardlab.games.session_config import setting_for
from cardlab.games.setting import problem_with
from cardlab.games.shared_settings import DRAWN, SHARED
from cardlab.games.text_file import shorten
from cardlab.sessions.add_participants import reason_for_fixed_slots
from cardlab.sessions.comment import tell_researcher
from cardlab.sessions.config import MONEY_FIELDS
from cardlab.sessions.config_check import SessionRefused, check_config
from cardlab.sessions.participant_language import translated
from cardlab.sessions.room_labels import room_fault
from cardlab.sessions.rows import create_rows

logger = logging.getLogger("cardlab.sessions")

MAX_LABEL_LENGTH = 100  # characters of a session's label


class SessionFailed(Exception):
    """Raised for an unexpected error, with a sentence for the researcher; the log has the traceback."""

    __traceback__ = property(lambda self: None, lambda self, value: None)


_otrees_create_session = otree.session.create_session
_otrees_signature = inspect.signature(_otrees_create_session)


def create_session(session_config_name: str, **arguments: Any) -> Session:
    """Creates a session, with the arguments of oTree's function.

    Raises SessionRefused for errors that the researcher can fix, SessionFailed for others.
    """
    _otrees_signature.bind(session_config_name, **arguments)  # oTree reports a TypeError
    if session_config_name not in SESSION_CONFIGS_DICT:
        return _otrees_create_session(session_config_name, **arguments)  # reports the unknown name
    config = SessionConfig(SESSION_CONFIGS_DICT[session_config_name])
    changed_fields = arguments.get("modified_session_config_fields") or {}
    if problem := _check_request(changed_fields, **arguments):
        raise SessionRefused(problem)
    config.update(changed_fields)
    try:
        if problem := reason_for_fixed_slots(config):
            raise SessionRefused(problem)
        check_config(config, arguments["num_participants"] or max(config.get_lcm(), 2), changed_fields)
        seed_field = {"seed": secrets.token_hex(16)} if config.get("seed") == DRAWN else {}
        with _deleted_on_failure():
            config.update(seed_field)
            session = _create(config, **arguments)
            if seed_field:
                tell_researcher(session, f"Seed of this session (drawn at random): {seed_field['seed']}")
            db.commit()
    except BadFile as problem:
        raise SessionRefused(str(problem)) from None
    except CreateSessionInvalidArgs:
        raise
    except Exception as error:
        logger.exception("a session of %s could not be created", session_config_name)
        raise SessionFailed(
            f"an unexpected error, not a wrong setting ({type(error).__name__}: "
            f"{shorten(error)}). The session was not created. For details, see the terminal in "
            "which the server runs."
        ) from None
    return session


def _create(
    config: SessionConfig,
    num_participants: int | None,
    progress_message_fxn: Callable[[str], None] = lambda _sentence: None,
    room_name: str | None = None,
    label: str = "",
    is_mturk: bool = False,
    is_demo: bool = False,
    modified_session_config_fields: Any = None,
) -> Session:
    """Creates the session of a checked config, with the arguments of oTree's function."""
    config.clean()
    multiple = config.get_lcm()
    count = max(multiple, 2) if num_participants is None else num_participants
    if count % multiple:
        raise CreateSessionInvalidArgs(
            f"{count} participants cannot form groups of {multiple}. Choose a multiple of {multiple}."
        )
    attributes = {"label": label, "is_mturk": is_mturk, "is_demo": is_demo}
    return create_rows(config, count, progress_message_fxn, room_name, **attributes)


def _check_request(
    changed: Any,
    *,
    num_participants: Any,
    label: Any = "",
    room_name: Any = None,
    **_others: Any,
) -> str | None:
    """Returns an error message about a request, except for its config; REST passes any JSON."""
    if not isinstance(changed, dict):
        return "modified_session_config_fields must be an object of field names and values."
    if fixed := sorted(changed.keys() & NON_EDITABLE_FIELDS):
        return f"You cannot change {', '.join(fixed)} of a session config for one session."
    if num_participants is not None and (type(num_participants) is not int or num_participants < 1):
        return f"num_participants must be a whole number, 1 or more, not '{shorten(num_participants)}'."
    if room_name is not None and room_name not in [*ROOM_DICT]:
        return f"Unknown room '{shorten(room_name)}'. The rooms are {', '.join(ROOM_DICT)}."
    if room_name is not None and (fault := room_fault(ROOM_DICT[room_name], translated())):
        return str(fault)
    return check_label(label)


def check_label(label: Any) -> str | None:
    """Returns an error message about a session's label; None if it is valid."""
    if label is None or (isinstance(label, str) and len(label) <= MAX_LABEL_LENGTH):
        return None
    return f"label must be a string of at most {MAX_LABEL_LENGTH} characters, not '{shorten(label)}'."


@contextmanager
def _deleted_on_failure() -> Iterator[None]:
    """Deletes a session that was begun within the block if an exception leaves it.

    oTree commits several times during the creation, and its own clean-up is rolled back with the request. An
    incomplete session would break the wide export of all sessions.
    """
    session_ids: list[int] = []

    def note(_mapper: Any, _connection: Any, session: Session) -> None:
        session_ids.append(session.id)

    sqlalchemy.event.listen(Session, "after_insert", note)
    try:
        yield
    except BaseException:
        db.rollback()
        Session.objects_filter(Session.id.in_(session_ids)).delete(synchronize_session=False)
        db.commit()
        raise
    finally:
        sqlalchemy.event.remove(Session, "after_insert", note)


def form_problems(config: SessionConfig, form: dict[str, Any]) -> dict[str, str]:
    """Returns the error messages about the fields of the admin's form, by field name.

    oTree converts a field's text to the type of the config's value, except for empty fields and checkboxes.
    """
    problems = {}
    for key in config.editable_fields():
        text, kind = form.get(config.html_field_name(key), ""), type(config[key])
        if text == "" or kind is bool:
            continue
        try:
            value = kind(text) if kind is not int else _parse_integer(text)
        except (ValueError, ArithmeticError):
            value = text
        if problem := problem_with(key, setting_for(config, key), value):
            problems[config.html_field_name(key)] = problem
    return problems


def _parse_integer(text: Any) -> int:
    """Parses a whole number, which may be written as 1.0. Raises ValueError."""
    number = float(text)
    if not number.is_integer():
        raise ValueError
    return int(number)


async def _receive_form(
    receive: Callable[[WSCreateSession, dict[str, Any]], Awaitable[None]],
    self: WSCreateSession,
    form: dict[str, Any],
) -> None:
    config = SESSION_CONFIGS_DICT.get(form.get("session_config", ""))
    if config and (problems := form_problems(config, form)):
        first_problem = next(iter(problems.values()))
        await self.send_response_to_browser(
            {
                "error": f"Failed to create session: session config: {first_problem}",
                "traceback": "",
                "fields": problems,
            }
        )
    else:
        await receive(self, form)


def validate_amount(_form: SessionEditPropertiesForm, field: Field) -> None:
    """Validates fee and rate in the tab "Edit" of a session."""
    if problem := field.data is not None and problem_with(field.name, SHARED[field.name], field.data):
        raise ValidationError(problem)


def validate_label(_form: SessionEditPropertiesForm, field: Field) -> None:
    """Validates the session's label in the tab "Edit"."""
    if problem := check_label(field.data):
        raise ValidationError(problem)


def _attributes_with_comment(
    attributes: Callable[[Session], dict[str, Any]], session: Session
) -> dict[str, Any]:
    return {**attributes(session), "comment": session.comment or ""}


_CHECKED = "Validates settings, draws the seed, and rolls back after an error."
_AMOUNT = "The tab Edit accepts only amounts that can be paid."
PATCHES = (
    Patch(otree.session, "create_session", create_session, "correctness", "60c442615e34a968", _CHECKED),
    Patch(otree.views.rest, "create_session", create_session, "correctness", "60c442615e34a968", _CHECKED),
    Wrapper(
        *(
            otree.views.rest,
            "session_attrs_for_detail",
            _attributes_with_comment,
            "feature",
            "708854f28820d2a4",
        ),
        "Adds the session's comment.",
    ),
    Wrapper(
        *(WSCreateSession, "post_receive_json", _receive_form, "correctness", "fa8142e42cb257e5"),
        "Says what is wrong with each field; oTree closes the connection.",
    ),
    *(
        Patch(SessionEditPropertiesForm, f"validate_{field}", validate_amount, "correctness", "", _AMOUNT)
        for field in MONEY_FIELDS
    ),
    Patch(
        *(SessionEditPropertiesForm, "validate_label", validate_label, "correctness", ""),
        "The tab Edit limits labels to 100 characters.",
    ),
)
