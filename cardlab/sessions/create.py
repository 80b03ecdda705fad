"""Making a session: checked before anything is made, its seed drawn, and whole or not at all.

Whoever makes sessions (the admin's form, the demo page, REST, bots, the command line) comes through
``create_session`` here, under oTree's lock. What a game's settings may be, its app says (``check_session``).
"""

from __future__ import annotations

import difflib
import inspect
import logging
import secrets
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import otree.session
import otree.views.rest
import sqlalchemy
from otree import settings
from otree.channels.consumers import WSCreateSession
from otree.common import get_models_module
from otree.database import db
from otree.models import Session
from otree.room import ROOM_DICT
from otree.session import NON_EDITABLE_FIELDS, SESSION_CONFIGS_DICT, CreateSessionInvalidArgs, SessionConfig
from otree.views.admin import SessionEditPropertiesForm
from wtforms import Field
from wtforms.validators import ValidationError

from cardlab.core.patch import Patch, Wrapper
from cardlab.games import treatments
from cardlab.games.contract import BadFile
from cardlab.games.dealing import config_for_app
from cardlab.games.text_file import quote, shorten
from cardlab.games.treatments import OTREE_FIELDS
from cardlab.sessions import completion
from cardlab.sessions.apps import games_of
from cardlab.sessions.comment import tell_researcher
from cardlab.sessions.config import (
    COMMON_FIELDS,
    DRAWN,
    MONEY,
    OF_THE_SESSION,
    check_amount,
    check_common,
    check_rounding,
)
from cardlab.sessions.deal_files import read_treatment_file

logger = logging.getLogger("cardlab.sessions")

LONGEST_LABEL = 100  # characters of a session's label

_no_traceback = property(lambda self: None, lambda self, value: None)


class SessionRefused(CreateSessionInvalidArgs):
    """One sentence for the researcher who asks for a session. REST answers it with 400.

    oTree shows the traceback of whatever hinders a session; a wrong setting is not a crash, so this
    exception has none to show.
    """

    __traceback__ = _no_traceback

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence.translate({ord("<"): "‹", ord(">"): "›"}))


class SessionFailed(Exception):
    """The sentence for an error that is nobody's setting; its traceback is in the server's messages."""

    __traceback__ = _no_traceback


_otrees_create_session = otree.session.create_session
_otrees_signature = inspect.signature(_otrees_create_session)


def create_session(session_config_name: str, **wanted: Any) -> Session:
    """oTree's ``create_session``: with all settings checked before, and nothing left if it fails.

    Raises SessionRefused for what the researcher can put right, SessionFailed for anything else.
    """
    _otrees_signature.bind(session_config_name, **wanted)  # a TypeError is answered by oTree, in words
    if session_config_name not in SESSION_CONFIGS_DICT:
        return _otrees_create_session(session_config_name, **wanted)  # which says so
    config = SessionConfig(SESSION_CONFIGS_DICT[session_config_name])
    changed = wanted.get("modified_session_config_fields") or {}
    if wrong := _check_request(changed, **wanted):
        raise SessionRefused(wrong)
    config.update(changed)
    try:
        check_config(config, wanted["num_participants"] or max(config.get_lcm(), 2), changed)
        drawn = {"seed": secrets.token_hex(16)} if config.get("seed") == DRAWN else {}
        with _whole_or_not_at_all():
            session = _otrees_create_session(
                session_config_name, **{**wanted, "modified_session_config_fields": {**changed, **drawn}}
            )
            if drawn:
                tell_researcher(session, f"The seed drawn for this session: {drawn['seed']}")
            db.commit()
    except BadFile as wrong:
        raise SessionRefused(str(wrong)) from None
    except CreateSessionInvalidArgs:
        raise
    except Exception as error:
        logger.exception("a session of %s could not be made", session_config_name)
        raise SessionFailed(
            "an unexpected error, not a wrong setting. Nothing of the session was kept; the server's "
            f"messages, where it was started, say where it happened ({type(error).__name__}: "
            f"{shorten(error)})."
        ) from None
    return session


def _check_request(
    changed: Any,
    *,
    num_participants: Any,
    label: Any = "",
    room_name: Any = None,
    **_others: Any,
) -> str | None:
    """What is wrong with a request for a session, beside its config; REST lets any JSON through."""
    if not isinstance(changed, dict):
        return "modified_session_config_fields must be names of fields with their values."
    if fixed := sorted(changed.keys() & NON_EDITABLE_FIELDS):
        return f"{', '.join(fixed)} of a session config cannot be changed for one session."
    if num_participants is not None and (type(num_participants) is not int or num_participants < 1):
        return f"num_participants must be a whole number, 1 or more, not '{shorten(num_participants)}'."
    if room_name is not None and room_name not in [*ROOM_DICT]:
        return f"There is no room '{shorten(room_name)}'; the rooms are {', '.join(ROOM_DICT)}."
    return check_label(label)


def check_label(label: Any) -> str | None:
    """What is wrong with the label of a session."""
    if label is None or (isinstance(label, str) and len(label) <= LONGEST_LABEL):
        return None
    return f"label must be a text of at most {LONGEST_LABEL} characters, not '{shorten(label)}'."


def check_config(config: Mapping[str, Any], participants: int, changed: Collection[str] = ()) -> None:
    """Raise SessionRefused or BadFile if the config does not suit every app of its sequence, in every
    treatment that it has.

    ``changed`` names the fields that were set for this session alone.
    """
    _check_config(config, participants, changed)
    if (name := treatments.treatment_file_name(config)) == "":
        return
    if not isinstance(name, str):
        raise SessionRefused(
            f"session config: treatments must be the bare name of a file, not '{shorten(name)}'."
        )
    for treatment in treatments.read_treatments(name, read_treatment_file).treatments:
        where = f"{name} [{treatment.name}]"
        _check_config(config, participants, (), treatment.fields, where)


def _check_config(
    config: Mapping[str, Any],
    participants: int,
    changed: Collection[str],
    treatment: Mapping[str, Any] | None = None,
    where: str = "session config",
) -> None:
    """The same of the config as it holds with the fields of a treatment; ``where`` they stand."""
    own = treatment or {}
    apps = config["app_sequence"]
    declared = settings.APP_FIELDS
    common = dict.fromkeys(games_of(config), COMMON_FIELDS)
    fields = {
        app: common.get(app, frozenset()) | declared[app].keys() if app in declared else None for app in apps
    }
    checks = {app: check for app in apps if (check := getattr(get_models_module(app), "check_session", None))}
    of_apps = {app: treatments.config_for_treatment(config, own, app) for app in checks}
    amounts = (check_amount(key, config[key]) for key in MONEY)
    whole = {**config, **own}
    wrong = next(filter(None, amounts), None) or _check_fields(whole, fields)
    wrong = wrong or check_rounding(config) or completion.check(config)
    wrong = wrong or _check_own_fields(whole, fields) or _check_changed(whole, fields, changed)
    named = (_check_common(in_force, whole, app) for app, in_force in of_apps.items())
    wrong = wrong or next(filter(None, named), None)
    if wrong:
        raise SessionRefused(f"{where}: {wrong}")
    for app, check_session in checks.items():
        try:
            check_session(of_apps[app], participants)
        except BadFile as found:
            if treatment is None:
                raise
            place = where if found.file == "session config" else f"{where}: {found.file}"
            raise BadFile(place, found.message, found.line, found.column) from None


def _check_fields(config: Mapping[str, Any], fields: Mapping[str, frozenset[str] | None]) -> str | None:
    """The fields that an app needs and the config lacks; or those that none of its apps knows.

    ``fields`` has None for an app that does not say what fields it has: then any field may be its own.
    """
    for app, needed in fields.items():
        if lacking := needed and sorted(needed - OTREE_FIELDS - config_for_app(config, app).keys()):
            return f"{app} needs what {config['name']} does not have: {', '.join(lacking)}."
    if None in fields.values():
        return None
    known = OTREE_FIELDS.union(COMMON_FIELDS, settings.SESSION_CONFIG_DEFAULTS, *fields.values())
    unknown = [key for key in config if key not in known and "." not in key]
    if not unknown:
        return None
    return f"{config['name']} has no field {' or '.join(map(quote, unknown[:5]))}{_meant(unknown[0], known)}."


def _meant(word: str, known: Iterable[str]) -> str:
    """What was perhaps meant by a word that nobody knows, to be added to a sentence."""
    meant = difflib.get_close_matches(word, known, 1)
    return f"; perhaps {meant[0]} is meant" if meant else ""


def _check_own_fields(config: Mapping[str, Any], fields: Mapping[str, frozenset[str] | None]) -> str | None:
    """The same of fields that one app has for itself, ``APP.field``."""
    for key in config:
        app, dot, field = key.partition(".")
        if not dot:
            continue
        if app not in fields:
            here = f"{app} is not in the app_sequence of {config['name']}"
            return f"'{shorten(key)}': {here} ({', '.join(fields)}){_meant(app, fields)}."
        if instead := OF_THE_SESSION.get(field):
            return f"'{shorten(key)}': {instead}."
        if field in OTREE_FIELDS:
            return f"'{shorten(key)}': {field} is the session's, and no app has its own."
        if (known := fields[app]) is not None and field not in known:
            return (
                f"'{shorten(key)}': {app} has no field {quote(field)}{_meant(field, known - OTREE_FIELDS)}."
            )
    return None


def _check_changed(
    config: Mapping[str, Any], fields: Mapping[str, frozenset[str] | None], changed: Collection[str]
) -> str | None:
    """What was set for all although each app that has it has its own: it would change nothing."""
    for field in changed:
        own = [f"{app}.{field}" for app, known in fields.items() if known and field in known]
        if own and all(key in config for key in own):
            return f"{field} would change nothing, for each app has its own here: set {' or '.join(own)}."
    return None


def _check_common(in_force: Mapping[str, Any], whole: Mapping[str, Any], app: str) -> str | None:
    """``check_common`` of an app, whose sentence begins with the field as it stands in the whole config."""
    wrong = check_common(in_force)
    if wrong and f"{app}.{wrong.split()[0]}" in whole:
        return f"{app}.{wrong}"
    return wrong


@contextmanager
def _whole_or_not_at_all() -> Iterator[None]:
    """Whatever goes wrong inside, nothing stays of a session that was begun there.

    oTree commits several times on the way, and what it deletes itself at an error is rolled back with the
    request; a session that stays half-made fails the wide export of all sessions from then on.
    """
    begun: list[int] = []

    def note(_mapper, _connection, session: Session) -> None:
        begun.append(session.id)

    sqlalchemy.event.listen(Session, "after_insert", note)
    try:
        yield
    except BaseException:
        db.rollback()
        Session.objects_filter(Session.id.in_(begun)).delete(synchronize_session=False)
        db.commit()
        raise
    finally:
        sqlalchemy.event.remove(Session, "after_insert", note)


async def _receive_form(
    receive: Callable[[WSCreateSession, dict[str, Any]], Awaitable[None]],
    self: WSCreateSession,
    form: dict[str, Any],
) -> None:
    config = SESSION_CONFIGS_DICT.get(form.get("session_config"), {})
    for field in config and config.editable_fields():
        written, kind = form.get(config.html_field_name(field), ""), type(config[field])
        if written != "" and kind not in (bool, str):
            try:
                int(float(written)) if kind is int else kind(written)
            except (ValueError, ArithmeticError):
                wrong = f"session config: {field} must be a number, not '{shorten(written)}'."
                said = {"error": f"Failed to create session: {wrong}", "traceback": ""}
                await self.send_response_to_browser(said)
                return
    await receive(self, form)


def validate_amount(_form: SessionEditPropertiesForm, field: Field) -> None:
    """Fee and rate in the tab "Edit" of a session."""
    if wrong := field.data is not None and check_amount(field.name, field.data):
        raise ValidationError(wrong)


def validate_label(_form: SessionEditPropertiesForm, field: Field) -> None:
    """The session's label there."""
    if wrong := check_label(field.data):
        raise ValidationError(wrong)


def _attributes_with_comment(
    attributes: Callable[[Session], dict[str, Any]], session: Session
) -> dict[str, Any]:
    return {**attributes(session), "comment": session.comment or ""}


_CHECKED = "Checks all settings of a session, draws its seed, and leaves nothing of one that fails."
_AMOUNT = "The tab Edit of a session takes only amounts that can be paid."
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
        "The REST interface also gives the session's comment: what was drawn, and what happened.",
    ),
    Wrapper(
        *(WSCreateSession, "post_receive_json", _receive_form, "correctness", "fa8142e42cb257e5"),
        "Names the field in which there is no number; oTree ends the connection without a word.",
    ),
    *(
        Patch(SessionEditPropertiesForm, f"validate_{field}", validate_amount, "correctness", "", _AMOUNT)
        for field in MONEY
    ),
    Patch(
        *(SessionEditPropertiesForm, "validate_label", validate_label, "correctness", ""),
        "The tab Edit of a session takes only labels of at most 100 characters.",
    ),
)
