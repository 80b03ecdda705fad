"""The meanings of the columns in oTree's own tables: all apps (wide), one app, and page times.

A column is called ``participant.code``, ``session.config.seed``, ``player.payoff`` in the table of one app,
or ``APP.#.player.payoff`` in the table of all apps. The caller gives the meanings of fields of a researcher's
own apps; a field without one is marked as undescribed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from cardlab.games import study_apps  # noqa: F401  # declares the settings of its apps
from cardlab.games.columns import (
    ExactUnixMs,
    Identifier,
    Integer,
    Number,
    TimedText,
    Timestamp,
    Undescribed,
    UnixSeconds,
    YesNo,
)
from cardlab.games.registry import games_by_name
from cardlab.games.session_config import APPS, settings_of
from cardlab.games.setting import SWITCH
from cardlab.games.tables import PARTICIPANT_COLUMNS

PAGE_TIMES = {
    "session_code": PARTICIPANT_COLUMNS["session_code"],
    "participant_id_in_session": Integer("oTree’s number of the participant, from 1"),
    "participant_code": PARTICIPANT_COLUMNS["participant_code"],
    "page_index": Integer("number of the page in the sequence of all pages; 0 is the arrival"),
    "app_name": "the app of the page",
    "page_name": "the name of the page",
    "epoch_time_completed": UnixSeconds("when the participant left the page; seconds since 1970 (UTC)"),
    "round_number": Integer("the round of the app"),
    "timeout_happened": YesNo("whether a time limit ended the page"),
    "is_wait_page": YesNo("whether it is a waiting page"),
}
"""The columns of the table of page times."""

_PARTICIPANT = {
    "id_in_session": Integer("oTree’s number of the participant in the session, from 1"),
    "code": PARTICIPANT_COLUMNS["participant_code"],
    "label": Identifier(PARTICIPANT_COLUMNS["participant_label"]),  # oTree does not guard it
    "_is_bot": YesNo("whether a bot of oTree played"),
    "_index_in_pages": Integer("number of the current page in the sequence of all pages"),
    "_max_page_index": Integer("number of the last page of the sequence"),
    "_current_app_name": "the app of the current page",
    "_round_number": Integer("the round of the current page"),
    "_current_page_name": "the name of the current page",
    "time_started_utc": Timestamp("when the participant opened the first page"),
    "visited": YesNo("whether the participant opened the first page"),
    "mturk_worker_id": Identifier("the participant’s id on Amazon Mechanical Turk"),
    "mturk_assignment_id": Identifier("the id of the participant’s assignment on Amazon Mechanical Turk"),
    "payoff": Number("the sum of the payoffs of all apps, without the participation fee"),
    "finished": YesNo("whether the participant has reached the end of the study"),
    "treatment": "the participant’s treatment; empty in a session without treatments",
}
_SESSION = {
    "code": PARTICIPANT_COLUMNS["session_code"],
    "label": Identifier("the session’s label from the admin"),
    "mturk_HITId": Identifier("the id of the task on Amazon Mechanical Turk"),
    "mturk_HITGroupId": Identifier("the id of the group of tasks on Amazon Mechanical Turk"),
    "comment": Identifier("the session’s comment from the admin"),
    "is_demo": YesNo("whether the session was created on the demo page"),
}
_CONFIG = {
    "name": "the name of the session config",
    "participation_fee": Number("the amount that every participant gets in addition to the payoff"),
    "real_world_currency_per_point": Number("the amount of money for one point"),
    "doc": "the description of the session config",
}
_PLAYER = {
    "id_in_group": Integer("oTree’s number of the player in the group of the round, from 1"),
    "role": "the player’s role in oTree; empty in an app without roles",
    "payoff": Number("the payoff of the round"),
    "seat": "the seat in the group; empty in games for one and for those without a group",
    "instructions_done_ms": ExactUnixMs("when the instructions were completed; Unix time in milliseconds"),
    "check_attempts": TimedText("the attempts at the comprehension check, a JSON object per line"),
    "check_done_ms": ExactUnixMs("when the comprehension check was passed; Unix time in milliseconds"),
    "results_shown_ms": ExactUnixMs("when the results were first shown; Unix time in milliseconds"),
    "waiting_since_ms": ExactUnixMs("when the browser began to wait for a group; Unix time in milliseconds"),
    "seen_waiting_ms": ExactUnixMs("when the browser was last seen waiting; Unix time in milliseconds"),
}
_GROUP = {
    "id_in_subsession": Integer("oTree’s number of the group in the round, from 1"),
    "opening": TimedText("the first line of the records of the group’s hands"),
}
_SUBSESSION = {
    "round_number": Integer("the number of the round, from 1"),
    "opening": TimedText("the first line of the records of the round’s hands"),
    "openings": TimedText("the first lines of the records of the round’s hands, one per line"),
}
_APP_PLAYERS = {
    "consent_app": {
        "agreed": "whether the participant agreed: yes or no; empty before the answer",
        "answered_ms": ExactUnixMs("when the participant answered; Unix time in milliseconds"),
    },
    "questionnaire_app": {
        "age": Integer("age in years"),
        "gender": "gender as chosen from the list",
        "gender_own": Identifier("gender in the participant’s own words"),
        "field_of_study": Identifier("field of study in the participant’s own words"),
        "difficulty": Integer("how difficult the task was, from 1 (very easy) to 7 (very difficult)"),
        "strategy": Identifier("how the participant proceeded, in their own words"),
        "answered_ms": ExactUnixMs("when the participant answered; Unix time in milliseconds"),
    },
}
_MODELS: Mapping[str, Mapping[str, str]] = {
    "participant": _PARTICIPANT,
    "session": _SESSION,
    "player": _PLAYER,
    "group": _GROUP,
    "subsession": _SUBSESSION,
}


def meaning_of(name: str, own: Mapping[str, str], app: str = "") -> str:
    """Returns the meaning of a column of oTree, with the class of its type if it is known.

    Parameters:
        name: The column, in a table of all apps with ``#`` for the round.
        own: The meanings of fields of a researcher's own apps, by ``app.model.field``.
        app: The app of a table of one app.
    """
    model, _, field = name.partition(".")
    if name.startswith("session.config."):
        return _CONFIG.get(field.removeprefix("config.")) or _setting_meaning(field.removeprefix("config."))
    if ".#." in name:
        app, _, model_field = name.partition(".#.")
        model, _, field = model_field.partition(".")
    described = own.get(f"{app}.{model}.{field}", "")
    if described:
        return described
    known = _APP_PLAYERS.get(app, {}) if model == "player" else {}
    if meaning := known.get(field) or _MODELS.get(model, {}).get(field):
        return meaning
    if model == "player" and app in _game_apps():
        return f"the last answer to the question {field} of the comprehension check"
    if model in ("participant", "session"):
        return Undescribed(f"{field}, which an app stores for the {model}")
    kind = Identifier if isinstance(described, Identifier) else Undescribed
    return kind(f"{field} of the {model} in {app or 'an app'}, which the app does not describe")


@cache
def _game_apps() -> frozenset[str]:
    return frozenset(app for game in games_by_name().values() for app in game.apps)


def _setting_meaning(name: str) -> str:
    """Returns the meaning of a setting, of one app if the name begins with it."""
    app, _, key = name.rpartition(".")
    for game in games_by_name().values():
        game.load_module("session_config")  # declares the settings of its apps
    settings = next((found for one in ([app] if app else APPS) if key in (found := settings_of(one))), None)
    if settings is None:
        return f"the setting {name} of the session config"
    setting = settings[key]
    text = " ".join(part for part in (f"{setting.label}.", setting.help.replace("`", "")) if part)
    return YesNo(text) if setting.values is SWITCH else text
