"""Tests the schema of session-config settings: completeness, agreement with the rules, and refusals."""

from decimal import Decimal
from pathlib import Path

import pytest

import settings
from cardlab.games.challenge import options as challenge_options
from cardlab.games.matrix.deal import ALLOWED_OPTIONS as MATRIX_OPTIONS
from cardlab.games.matrix.robots import ROBOTS as MATRIX_ROBOTS
from cardlab.games.session_config import APPS, DEFAULTS, declare_app, settings_of
from cardlab.games.setting import HEADINGS, check_settings, number, one_of, plain_setting, whole_number
from cardlab.games.shared_settings import GROUP, SHARED
from cardlab.games.solitario.deal import ALLOWED_OPTIONS as SOLITARIO_OPTIONS
from cardlab.games.triangle.deal import ALLOWED_OPTIONS as TRIANGLE_OPTIONS
from cardlab.games.ttt.robots import ROBOTS as TTT_ROBOTS
from cardlab.games.ttt.settings_file import KEYS

ROOT = Path(__file__).parents[2]
NO_SETTING = {"name", "display_name", "doc", "app_sequence", "num_demo_participants"}
DECLARED = {
    **{("shared", name): setting for name, setting in SHARED.items()},
    **{("group", name): setting for name, setting in GROUP.items()},
    **{(app, name): setting for app, of in APPS.items() for name, setting in of.settings.items()},
}


@pytest.mark.parametrize("config", settings.SESSION_CONFIGS, ids=lambda config: config["name"])
def test_every_config_field_is_a_setting(config):
    known = {app: settings_of(app) for app in config["app_sequence"]}
    for key in {**settings.SESSION_CONFIG_DEFAULTS, **config}.keys() - NO_SETTING:
        app, dot, field = key.partition(".")
        assert field in known[app] if dot else any(key in of for of in known.values()), key


@pytest.mark.parametrize("app", APPS)
def test_every_setting_is_a_field_of_its_app(app):
    assert APPS[app].settings.keys() == settings.APP_FIELDS[app].keys() - NO_SETTING
    assert SHARED.keys() | {"doc"} == DEFAULTS.keys() == settings.SESSION_CONFIG_DEFAULTS.keys()


@pytest.mark.parametrize(("where", "setting"), DECLARED.items(), ids=lambda each: str(each)[:60])
def test_settings_are_described_with_allowed_defaults(where, setting):
    assert setting.heading in HEADINGS
    assert 3 <= len(setting.label) <= 40
    assert setting.label[0].isupper()
    assert len(setting.help) > 20
    assert setting.help.endswith(".")
    assert check_settings({where[1]: setting.default}, {where[1]: setting}) is None
    for value in setting.values.listed():
        assert check_settings({where[1]: value}, {where[1]: setting}) is None


@pytest.mark.parametrize(
    ("app", "options"),
    [
        ("matrix_game_app", {**MATRIX_OPTIONS, "robot": tuple(MATRIX_ROBOTS)}),
        ("triangle_app", TRIANGLE_OPTIONS),
        ("solitario_app", {name: of for name, of in SOLITARIO_OPTIONS.items() if name != "ace_on_two"}),
        ("challenge_app", challenge_options.ALLOWED_OPTIONS),
        ("ttt_pair_app", {"robot": TTT_ROBOTS}),
    ],
)
def test_settings_allow_what_the_rules_allow(app, options):
    for name, allowed in options.items():
        values = APPS[app].settings[name].values
        assert all(map(values.allows, allowed)), name
        assert {*values.listed()} <= {*allowed}, name


def test_settings_file_keys_are_settings():
    for app in ("ttt_solo_app", "ttt_pair_app"):
        for name, key in KEYS.items():
            values = APPS[app].settings[name].values
            for value in values.listed():
                assert values.problem(value) is None, (name, value)
            if isinstance(key.default, (bool, int)):  # a config may have this type
                assert values.problem(key.default) is None


@pytest.mark.parametrize(
    ("values", "wrong", "sentence"),
    [
        (whole_number(1, 9), 10, "it must be a whole number from 1 to 9, not '10'."),
        (whole_number(0, 9), True, "it must be a whole number from 0 to 9, not 'True'."),
        (whole_number(1, 9), 1.5, "it must be a whole number from 1 to 9, not '1.5'."),
        (number("a number more than 0", 0, above=True), 0, "it must be a number more than 0, not '0'."),
        (number(), float("nan"), "it must be a number, not 'nan'."),
        (number("a multiple of 0.01", step=0.01), 0.005, "it must be a multiple of 0.01, not '0.005'."),
        (one_of(kept="stay", rematched="change"), "mixed", "it must be kept or rematched, not 'mixed'."),
        (SHARED["check"].values, 1, "it must be True or False, not '1'."),
        (SHARED["participation_fee"].values, Decimal("nan"), "it must be a number, 0 or more, not 'NaN'."),
        (
            SHARED["late_code"].values,
            "<b>",
            "it must be off, or a code of letters, digits and . _ -, not '<b>'.",
        ),
        (
            SHARED["study"].values,
            "my study",
            "it must be off, or a name of at most 40 letters, digits, _ and -, not 'my study'.",
        ),
        (
            SHARED["exclude_studies"].values,
            "one; other",
            "it must be off, or names of studies, separated by commas, not 'one; other'.",
        ),
        (
            SHARED["exclude_treatments"].values,
            "control",
            "it must be off, or treatments such as pilot/control (study/treatment), separated by commas, "
            "not 'control'.",
        ),
    ],
)
def test_wrong_values_are_refused_in_a_sentence(values, wrong, sentence):
    setting = plain_setting("it", 1)
    assert check_settings({"it": wrong}, {"it": setting.__class__(1, "Design", "It", values, "")}) == sentence


def test_a_game_may_have_room_for_fewer():
    declared = {"hands": APPS["triangle_app"].settings["hands"]}
    assert check_settings({"hands": 30}, declared, hands=99) is None
    assert check_settings({"hands": 3}, declared, hands=2) == (
        "hands must be a whole number from 1 to 2, not '3'."
    )


def test_an_app_may_declare_defaults_alone():
    try:
        declare_app("my_app", "my", "My app", {"rounds_of_risk": 3, "loud": False}, is_game=False)
        declared = settings_of("my_app")
        assert declared["rounds_of_risk"].label == "Rounds of risk"
        assert check_settings({"loud": 2}, declared) == "loud must be True or False, not '2'."
    finally:
        del settings.APP_FIELDS["my_app"], APPS["my_app"]


@pytest.mark.parametrize(
    "app", [app for app, declared in APPS.items() if declared.about and declared.about.picture]
)
def test_games_have_a_small_demo_picture(app):
    about = APPS[app].about
    picture = ROOT / "_static" / about.picture
    assert 1_000 < picture.stat().st_size < 40_000
    assert all(about)
