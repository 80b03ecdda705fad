"""Tests the keys of TTT_Solo.ini, their values, and the precedence of three sources (ruling 5)."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.contract import BadFile
from cardlab.games.ttt import rules, settings_file

DATA = Path(__file__).parents[2] / "data" / "ttt"
SOURCE_INI = (DATA / "TTT_Solo.ini").read_text()


def refused(text):
    with pytest.raises(BadFile) as caught:
        settings_file.read(text, "my.ini")
    assert caught.value.file == "my.ini"
    return caught.value.line, caught.value.column, caught.value.message


def test_source_file_loads_unchanged():
    assert settings_file.read(SOURCE_INI, "TTT_Solo.ini") == {
        "Path": "logfile",
        "ShowFileName": "DynamicExampleCircular.txt",
        "MaxRounds": 20,
        "ViewCard": "all",
        "DragCkNk": True,
        "CardsBackFile": "dorso3",
        "ViewTarget": True,
        "ViewCkNk": False,
        "syntaxinput": "CIRCULAR",
    }


def test_keys_have_the_documented_defaults():
    assert {key: setting.default for key, setting in settings_file.KEYS.items()} == {
        "Path": "",
        "ShowFileName": "game422.txt",
        "MaxRounds": 20,
        "ViewCard": "all",
        "DragCkNk": True,
        "CardsBackFile": "dorso1",
        "ViewTarget": True,
        "ViewCkNk": False,
        "syntaxinput": "LINEAR",
        "Goal": "2H",
        "FirstMove": "ck",
    }


def test_defaults_equal_those_of_the_rules():
    for key, default in rules.DEFAULT_OPTIONS.items():
        if key in settings_file.KEYS:
            assert settings_file.KEYS[key].default == default


def test_every_default_is_valid():
    for key, setting in settings_file.KEYS.items():
        assert settings_file.parse_value(key, str(setting.default)) == setting.default
        assert setting.meaning.endswith(".")


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("Path", r"C:\tmp\logfile.txt", "logfile"),
        ("Path", "/var/data/pilot 2.log", "pilot_2"),
        ("Path", "C:pilot.txt", "pilot"),
        ("Path", r"..\..\etc\passwd", "passwd"),
        ("Path", "logs/autumn/", "autumn"),
        ("Path", "//server/share/autumn.txt", "autumn"),
        ("Path", "", ""),
        ("Path", "OFF", ""),
        ("ShowFileName", "My Hands.txt", "My Hands.txt"),
        ("MaxRounds", "1", 1),
        ("MaxRounds", " 1000 ", 1000),
        ("ViewCard", "MIX", "mix"),
        ("DragCkNk", "false", False),
        ("ViewTarget", "True", True),
        ("CardsBackFile", "DORSO2.BMP", "dorso2"),
        ("CardsBackFile", "dorso1", "dorso1"),
        ("CardsBackFile", "lions.bmp", "lions.bmp"),
        ("CardsBackFile", "dorso4.bmp", "dorso4.bmp"),
        ("Goal", "2h", "2H"),
        ("FirstMove", "NK", "nk"),
        ("syntaxinput", "circular", "CIRCULAR"),
    ],
)
def test_setting_values_are_parsed(key, text, value):
    assert settings_file.parse_value(key, text) == value


@pytest.mark.parametrize(
    ("key", "text"),
    [
        *[("Path", text) for text in ("..", "/", "C:\\", "C:", "???", "nul", r"C:\tmp\COM1.txt")],
        *[
            ("ShowFileName", text)
            for text in ("", "a/b.txt", r"a\b.txt", "..", "C:a.txt", ".hidden", "a\x00b")
        ],
        *[("MaxRounds", text) for text in ("0", "1001", "-1", "2.5", "", "twenty", "1_0", "٣", "9" * 5000)],
        *[("CardsBackFile", text) for text in ("", "../dorso1.bmp", "backs/lions.png", '"x"')],
        ("ViewCard", "both"),
        ("DragCkNk", "yes"),
        ("ViewTarget", "1"),
        ("Goal", "5H"),
        ("FirstMove", "ak"),
        ("syntaxinput", "ROUND"),
    ],
)
def test_refused_value_error_says_what_is_allowed(key, text):
    with pytest.raises(ValueError, match=f"^{key} must be ") as caught:
        settings_file.parse_value(key, text)
    assert settings_file.KEYS[key].allowed in str(caught.value)


@given(st.text(max_size=80))
def test_log_folder_is_one_plain_folder(text):
    try:
        folder = settings_file.parse_value("Path", text)
    except ValueError:
        return
    assert set(folder) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
    assert settings_file.parse_value("Path", folder) == folder


def test_case_comments_and_line_ends_may_vary():
    lines = [
        "\ufeff; mine",
        "[preferences] // all",
        "# and",
        "MAXROUNDS = 12 // usually 20",
        "viewcard=NONE ; hard",
    ]
    assert settings_file.read("\r\n".join(lines), "my.ini") == {"MaxRounds": 12, "ViewCard": "none"}


def test_path_starting_like_a_comment_is_kept():
    assert settings_file.read("[LOGFILE]\nPath = //server/share/pilot.txt", "my.ini") == {"Path": "pilot"}


@pytest.mark.parametrize("text", ["", "\n// nothing\n", "[PREFERENCES]\n", "[LOGFILE]\nPath =\n"])
def test_file_may_omit_any_key(text):
    assert not any(settings_file.read(text, "my.ini").values())


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("[OPTIONS]", (1, 1), "[LOGFILE] and [PREFERENCES]"),
        ("[PREFERENCES", (1, 1), "Unknown section"),
        ("[PREFERENCES]\n  MaxRound=20", (2, 3), "'MaxRound'"),
        ("[PREFERENCES]\nMaxRound=20", (2, 1), "MaxRounds, ViewCard"),
        ("[PREFERENCES]\nMaxRounds =  many", (2, 14), "a whole number from 1 to 1000, not 'many'"),
        ("[PREFERENCES]\nMaxRounds=", (2, 11), "not ''"),
        ("[PREFERENCES]\nViewTarget=TRUE=FALSE", (2, 12), "TRUE or FALSE"),
        ("[PREFERENCES]\nGoal=2H\n\ngoal=2H", (4, 1), "Goal is already set in line 2"),
        ("[PREFERENCES]\nMaxRounds 20", (2, 1), "name = value"),
        ("MaxRounds=20", (1, 1), "MaxRounds must be in the section [PREFERENCES]"),
        ("[LOGFILE]\nMaxRounds=20", (2, 1), "MaxRounds must be in the section [PREFERENCES]"),
        ("[PREFERENCES]\nPath=logs", (2, 1), "Path must be in the section [LOGFILE]"),
        (r"[PREFERENCES]" + "\n" + r"ShowFileName = C:\a.txt", (2, 16), "without a folder"),
    ],
)
def test_refusals_name_line_and_column(text, place, words):
    line, column, message = refused(text)
    assert (line, column) == place
    assert words in message


def test_session_overrides_file_which_overrides_defaults():
    ini = settings_file.read(SOURCE_INI, "TTT_Solo.ini")
    values = settings_file.resolve(
        ini, {"MaxRounds": "12", "ViewCard": " INI ", "ViewTarget": "ini", "Goal": "4c"}
    )
    assert values == {**ini, "MaxRounds": 12, "Goal": "4C", "FirstMove": "ck"}
    assert list(values) == list(settings_file.KEYS)


def test_defaults_hold_without_file_and_session():
    assert settings_file.resolve({}, {}) == {key: each.default for key, each in settings_file.KEYS.items()}
    assert settings_file.resolve({}, dict.fromkeys(settings_file.KEYS, "ini")) == settings_file.resolve(
        {}, {}
    )


def test_session_can_turn_off_the_files_logs():
    assert settings_file.resolve({"Path": "logfile"}, {"Path": "off"})["Path"] == ""


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"MaxRounds": "many"}, "MaxRounds must be a whole number from 1 to 1000, not 'many'."),
        ({"Rounds": "2"}, "Unknown setting 'Rounds'"),
    ],
)
def test_invalid_session_field_is_named(overrides, words):
    with pytest.raises(BadFile) as caught:
        settings_file.resolve({}, overrides)
    assert caught.value.file == "session config"
    assert words in str(caught.value)


def test_notice_says_where_logs_go():
    (notice,) = settings_file.notices(settings_file.resolve({"Path": "logfile"}, {}))
    assert "logs/logfile/" in notice
    assert settings_file.notices(settings_file.resolve({}, {})) == []


@given(
    st.text()
    | st.lists(st.sampled_from(["[PREFERENCES]", "\n", "Goal", "=", "2H", " ", "//", "["])).map("".join)
)
def test_any_text_is_read_or_refused(text):
    place = 1, 1
    try:
        settings_file.read(text, "my.ini")
    except BadFile as error:
        place = error.line, error.column
    assert min(place) >= 1
