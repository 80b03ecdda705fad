"""Validates a whole session config before the session is created: fields, amounts, files and deals."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from otree import settings
from otree.common import get_models_module
from otree.session import CreateSessionInvalidArgs

from cardlab.games import toml_file, treatments
from cardlab.games.contract import BadFile
from cardlab.games.dealing import Config, config_for_app
from cardlab.games.label_file import check_languages
from cardlab.games.session_config import settings_of
from cardlab.games.setting import check_settings
from cardlab.games.shared_settings import SESSION_WIDE, SHARED
from cardlab.games.text_file import quote, shorten
from cardlab.games.treatments import OTREE_FIELDS
from cardlab.sessions.apps import games_of
from cardlab.sessions.config import check_common
from cardlab.sessions.deal_files import read_treatment_file
from cardlab.sessions.participant_language import translated

# The fields of each app; None for an app that does not declare them, which accepts any field.
AppFields = Mapping[str, frozenset[str] | None]


class SessionRefused(CreateSessionInvalidArgs):
    """Raised for an invalid session config, with a sentence for the researcher. REST answers it with 400.

    It hides its traceback, because oTree shows the traceback of any error that prevents a session.
    """

    __traceback__ = property(lambda self: None, lambda self, value: None)

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence.translate({ord("<"): "‹", ord(">"): "›"}))


class _TreatmentConfig(NamedTuple):
    """A config with one of its treatments applied, or without any."""

    config: Config  # with the treatment's fields
    participants: int
    changed: Collection[str]  # fields that were set for this session alone
    where: str  # the start of error messages
    line_of: Callable[[str], int | None]  # finds the treatment file's line for an error message
    by_app: dict[str, Config]  # the config of each app that has a ``check_session``
    checks: dict[str, Callable[[Config, int], None]]  # these functions, which raise BadFile


def check_config(config: Config, participants: int, changed: Collection[str] = ()) -> None:
    """Validates a config for all its apps and treatments. Raises SessionRefused or BadFile.

    Args:
        config: the session config.
        participants: the number of participants.
        changed: the fields that were set for this session alone.
    """
    without = _treatment_config(config, {}, participants, changed, "session config", lambda _sentence: None)
    _refuse_wrong_fields(without, config)
    for app, check_session in without.checks.items():
        check_session(without.by_app[app], participants)
    name = treatments.treatment_file_name(config)
    if name == "":
        return
    found = treatments.read_treatments(name, read_treatment_file)
    for label_file in found.files[1:]:
        check_languages(label_file, translated())
    for treatment in found.treatments:
        line_of = partial(toml_file.line_of, found.files[0].text, treatment.name)
        where = f"{name} [{treatment.name}]"
        within = _treatment_config(config, treatment.fields, participants, (), where, line_of)
        _refuse_wrong_fields(within, config)
        _check_deals(within)


def _treatment_config(
    config: Config,
    fields: Config,
    participants: int,
    changed: Collection[str],
    where: str,
    line_of: Callable[[str], int | None],
) -> _TreatmentConfig:
    apps = config["app_sequence"]
    checks = {app: check for app in apps if (check := getattr(get_models_module(app), "check_session", None))}
    by_app = {app: treatments.config_for_treatment(config, fields, app) for app in checks}
    return _TreatmentConfig({**config, **fields}, participants, changed, where, line_of, by_app, checks)


def _refuse_wrong_fields(within: _TreatmentConfig, config: Config) -> None:
    """Raises SessionRefused with the first error of the fields; ``config`` is without treatment."""
    if wrong := next(filter(None, _wrong_fields(within, config)), None):
        line = within.line_of(wrong)
        raise SessionRefused(f"{within.where}{f', line {line}' if line else ''}: {wrong}")


def _wrong_fields(within: _TreatmentConfig, config: Config) -> Iterator[str | None]:
    """Yields the result of each check of the fields: an error message or None."""
    fields = _fields_by_app(config)
    yield _check_fields(within.config, fields)
    yield check_common(within.config)
    yield _check_own_fields(within.config, fields)
    yield _check_changed(within.config, fields, within.changed)
    for app, in_force in within.by_app.items():
        yield _check_app(in_force, within.config, app)


def _check_deals(within: _TreatmentConfig) -> None:
    """Lets each app check its deals; error messages name the treatment."""
    for app, check_session in within.checks.items():
        try:
            check_session(within.by_app[app], within.participants)
        except BadFile as error:
            in_config = error.file == "session config"
            file = within.where if in_config else f"{within.where}: {error.file}"
            line = within.line_of(error.message) if in_config else error.line
            raise BadFile(file, error.message, line, error.column) from None


def _fields_by_app(config: Config) -> AppFields:
    declared, games = settings.APP_FIELDS, games_of(config)
    return {
        app: frozenset(SHARED if app in games else ()) | declared[app].keys() if app in declared else None
        for app in config["app_sequence"]
    }


def _check_fields(config: Config, fields: AppFields) -> str | None:
    """Returns an error message about missing fields of an app, or fields unknown to all apps."""
    for app, needed in fields.items():
        if missing := needed and sorted(needed - OTREE_FIELDS - config_for_app(config, app).keys()):
            return f"{config['name']} lacks fields that {app} needs: {', '.join(missing)}."
    known = OTREE_FIELDS.union(SHARED, settings.SESSION_CONFIG_DEFAULTS)
    for names in fields.values():
        if names is None:
            return None
        known |= names
    unknown = [key for key in config if key not in known and "." not in key]
    if not unknown:
        return None
    return f"{config['name']} has no field {' or '.join(map(quote, unknown[:5]))}{_hint(unknown[0], known)}"


def _hint(word: str, known: Iterable[str]) -> str:
    """Returns the end of a message about an unknown word: the most similar known word, or a period."""
    similar = difflib.get_close_matches(word, known, 1)
    return f". Did you mean {similar[0]}?" if similar else "."


def _check_own_fields(config: Config, fields: AppFields) -> str | None:
    """Returns an error message about the fields of single apps, ``APP.field``."""
    for key in config:
        app, dot, field = key.partition(".")
        if not dot:
            continue
        if app not in fields:
            problem = f"{app} is not in the app_sequence of {config['name']}"
            return f"'{shorten(key)}': {problem} ({', '.join(fields)}){_hint(app, fields)}."
        if instead := SESSION_WIDE.get(field):
            return f"'{shorten(key)}': {instead}."
        if field in OTREE_FIELDS:
            return f"'{shorten(key)}': {field} applies to the whole session and cannot be set for one app."
        if (known := fields[app]) is not None and field not in known:
            hint = _hint(field, known - OTREE_FIELDS)
            return f"'{shorten(key)}': {app} has no field {quote(field)}{hint}"
    return None


def _check_changed(config: Config, fields: AppFields, changed: Collection[str]) -> str | None:
    """Returns an error message about a changed field that every app overrides."""
    for field in changed:
        own = [f"{app}.{field}" for app, known in fields.items() if known and field in known]
        if own and all(key in config for key in own):
            return (
                f"{field} has no effect, because each app sets it for itself. Set {' or '.join(own)} instead."
            )
    return None


def _check_app(in_force: Config, config: Config, app: str) -> str | None:
    """Returns an error message about an app's settings, with their names in the config."""
    wrong = check_common(in_force) or check_settings(in_force, settings_of(app))
    if wrong and f"{app}.{wrong.split()[0]}" in config:
        return f"{app}.{wrong}"
    return wrong
