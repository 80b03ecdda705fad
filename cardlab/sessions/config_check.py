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
    """Raised for an invalid session config, with a sentence for the researcher. REST responds with 400.

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
    checks: dict[str, Callable[[Config, int], None]]  # the ``check_session`` of each, which raises BadFile


def check_config(config: Config, participants: int, changed: Collection[str] = ()) -> None:
    """Validates a config for all its apps and treatments. Raises SessionRefused or BadFile.

    Args:
        config: the session config.
        participants: the number of participants.
        changed: the fields that were set for this session alone.
    """
    base_config = _treatment_config(
        config, {}, participants, changed, "session config", lambda _sentence: None
    )
    _refuse_wrong_fields(base_config, config)
    for app, check_session in base_config.checks.items():
        check_session(base_config.by_app[app], participants)
    name = treatments.treatment_file_name(config)
    if name == "":
        return
    treatment_list = treatments.read_treatments(name, read_treatment_file)
    for label_file in treatment_list.files[1:]:
        check_languages(label_file, translated())
    for treatment in treatment_list.treatments:
        line_of = partial(toml_file.line_of, treatment_list.files[0].text, treatment.name)
        location = f"{name} [{treatment.name}]"
        treatment_config = _treatment_config(config, treatment.fields, participants, (), location, line_of)
        _refuse_wrong_fields(treatment_config, config)
        _check_deals(treatment_config)


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


def _refuse_wrong_fields(treatment_config: _TreatmentConfig, config: Config) -> None:
    """Raises SessionRefused with the first error of the fields; ``config`` is without treatment."""
    if problem := next(filter(None, _wrong_fields(treatment_config, config)), None):
        line = treatment_config.line_of(problem)
        raise SessionRefused(f"{treatment_config.where}{f', line {line}' if line else ''}: {problem}")


def _wrong_fields(treatment_config: _TreatmentConfig, config: Config) -> Iterator[str | None]:
    """Yields the result of each check of the fields: an error message or None."""
    fields = _fields_by_app(config)
    yield _check_fields(treatment_config.config, fields)
    yield check_common(treatment_config.config)
    yield _check_own_fields(treatment_config.config, fields)
    yield _check_changed(treatment_config.config, fields, treatment_config.changed)
    for app, app_config in treatment_config.by_app.items():
        yield _check_app(app_config, treatment_config.config, app)


def _check_deals(treatment_config: _TreatmentConfig) -> None:
    """Lets each app check its deals; error messages name the treatment."""
    for app, check_session in treatment_config.checks.items():
        try:
            check_session(treatment_config.by_app[app], treatment_config.participants)
        except BadFile as error:
            in_config = error.file == "session config"
            file = treatment_config.where if in_config else f"{treatment_config.where}: {error.file}"
            line = treatment_config.line_of(error.message) if in_config else error.line
            raise BadFile(file, error.message, line, error.column) from None


def _fields_by_app(config: Config) -> AppFields:
    declared, games = settings.APP_FIELDS, games_of(config)
    return {
        app: frozenset(SHARED if app in games else ()) | declared[app].keys() if app in declared else None
        for app in config["app_sequence"]
    }


def _check_fields(config: Config, fields: AppFields) -> str | None:
    """Returns an error message about missing fields of an app, or fields unknown to all apps."""
    for app, required_fields in fields.items():
        if missing := required_fields and sorted(
            required_fields - OTREE_FIELDS - config_for_app(config, app).keys()
        ):
            return f"{config['name']} lacks fields that {app} needs: {', '.join(missing)}."
    known_fields = OTREE_FIELDS.union(SHARED, settings.SESSION_CONFIG_DEFAULTS)
    for names in fields.values():
        if names is None:
            return None
        known_fields |= names
    unknown = [key for key in config if key not in known_fields and "." not in key]
    if not unknown:
        return None
    hint = _hint(unknown[0], known_fields)
    return f"{config['name']} has no field {' or '.join(map(quote, unknown[:5]))}{hint}"


def _hint(word: str, known_words: Iterable[str]) -> str:
    """Returns the end of a message about an unknown word: the most similar known word, or a period."""
    similar = difflib.get_close_matches(word, known_words, 1)
    return f". Did you mean {similar[0]}?" if similar else "."


def _check_own_fields(config: Config, fields: AppFields) -> str | None:
    """Returns an error message about the fields of single apps, ``APP.field``."""
    for key in config:
        app, dot, field = key.partition(".")
        if not dot:
            continue
        if app not in fields:
            problem = f"{app} is not in the app_sequence of {config['name']}"
            return f"'{shorten(key)}': {problem} ({', '.join(fields)}){_hint(app, fields)}"
        if instead := SESSION_WIDE.get(field):
            return f"'{shorten(key)}': {instead}."
        if field in OTREE_FIELDS:
            return f"'{shorten(key)}': {field} applies to the whole session and cannot be set for one app."
        if (app_fields := fields[app]) is not None and field not in app_fields:
            hint = _hint(field, app_fields - OTREE_FIELDS)
            return f"'{shorten(key)}': {app} has no field {quote(field)}{hint}"
    return None


def _check_changed(config: Config, fields: AppFields, changed: Collection[str]) -> str | None:
    """Returns an error message about a changed field that every app overrides."""
    for field in changed:
        overrides = [
            f"{app}.{field}" for app, app_fields in fields.items() if app_fields and field in app_fields
        ]
        if overrides and all(key in config for key in overrides):
            instead = " or ".join(overrides)
            return f"{field} has no effect, because each app sets it for itself. Set {instead} instead."
    return None


def _check_app(app_config: Config, config: Config, app: str) -> str | None:
    """Returns an error message about an app's settings, with their names in the config."""
    problem = check_common(app_config) or check_settings(app_config, settings_of(app))
    if problem and f"{app}.{problem.split()[0]}" in config:
        return f"{app}.{problem}"
    return problem
