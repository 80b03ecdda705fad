"""Tests how sessions of Target the Two are dealt from config, settings and show files, or refused."""

import pytest
from dealing_files import expect_refusal, files

import settings
from cardlab.games.ttt.dealing import openings
from cardlab.games.ttt.texts import clicks_twice

ROW = "2H 3C 3H 4C 2C 4H 2H ck"  # C T T solves it
FILES = {
    "CardLab.ini": "[PREFERENCES]\nShowFileName = own.txt\n",
    "own.txt": f"{ROW}\n3H 2C 2H 4C 4H 3C 4H nk\n",
    "practice.txt": f"{ROW}\n" * 4,
    "wrong_card.txt": f"C Ck UP T N Nk G FirstMove\n{ROW}\n2H 3C 5H 4C 2C 4H 2H ck\n",
    "twice.txt": "2H 3C 2H 4C 2C 4H 2H ck\n",
    "solved.txt": "3C 3H 4H 2H 2C 4C 2H ck\n",
    "empty.txt": "// nothing\n",
    "too_many.txt": f"{ROW}\n" * 61,
    "sixty.txt": f"{ROW}\n" * 60,
    "headed.txt": f"NK N UP C CK T G FirstMove\n{ROW}\n",
    "unknown_key.ini": "[PREFERENCES]\nMaxRound = 3\n",
    "wrong_value.ini": "[PREFERENCES]\n\nViewCard = some\n",
    "logs.ini": "[LOGFILE]\nPath = C:\\logs\\logfile.txt\n",
}


def dealt(**fields):
    config = {
        **settings.SESSION_CONFIG_DEFAULTS,
        **settings.ttt_solo("a", "b", "c", practice_hands=0),
        **fields,
    }
    return openings(config, 2, 60, files(FILES))


def test_practice_comes_first_with_its_own_numbers():
    hands = [hand for (hand,) in dealt(practice_hands=3).hands]
    assert [hand.practice for hand in hands] == [True, True, True, False, False]
    assert [(hand.number, hand.of, hand.hands) for hand in hands] == [
        *((number, 3, 5) for number in (1, 2, 3)),
        *((number, 2, 5) for number in (1, 2)),
    ]
    assert [hand.source for hand in hands] == ["practice.txt"] * 3 + ["own.txt"] * 2
    assert {len(hand.sha256) for hand in hands} == {64}


def test_config_overrides_the_settings_file():
    (hand,), *_others = dealt(MaxRounds=3, pay_by="time", time_limit_seconds=90, feedback=False).hands
    fields = {"MaxRounds": 3, "pay_by": "time", "time_limit_seconds": 90, "feedback": False}
    assert fields.items() <= hand.options.items()
    assert hand.options["ShowFileName"] == "own.txt"


@pytest.mark.parametrize(
    ("face_up", "clicks", "expected"),
    [("TRUE", "", "once"), ("FALSE", "", "twice"), ("FALSE", "once", "once"), ("TRUE", "twice", "twice")],
)
def test_exchange_takes_two_clicks_where_clicks_look(face_up, clicks, expected):
    (hand,), *_others = dealt(ViewCkNk=face_up).hands
    assert clicks_twice({"click_exchanges": clicks}, hand.options) == (expected == "twice")


def test_doubtful_settings_give_notices():
    assert dealt().notices == []
    (notice,) = dealt(ShowFileName="headed.txt").notices
    assert notice.startswith(
        "headed.txt, line 1: the heading is in CIRCULAR order, but the rows are read in LINEAR order"
    )
    ((hand,),) = dealt(ShowFileName="headed.txt").hands
    assert hand.notice == notice
    (notice,) = dealt(settings_file="logs.ini", ShowFileName="headed.txt", syntaxinput="CIRCULAR").notices
    assert "written to logs/logfile/" in notice
    (notice,) = dealt(ViewTarget="FALSE").notices
    assert notice.startswith("The goal card differs between hands, and ViewTarget is FALSE")


REFUSED = {
    "a missing show file": ({"ShowFileName": "nowhere.txt"}, "nowhere.txt: there is no such show file."),
    "a path": ({"ShowFileName": "../ttt/demo.txt"}, "ShowFileName must be a file in deals/ttt/"),
    "a wrong card": ({"ShowFileName": "wrong_card.txt"}, "wrong_card.txt, line 3, column 7: '5H' is"),
    "a card twice": ({"ShowFileName": "twice.txt"}, "twice.txt, line 1, column 7: The card 2H"),
    "the goal in Target": ({"ShowFileName": "solved.txt"}, "solved.txt, line 1, column 10: The goal card 2H"),
    "an empty show file": (
        {"ShowFileName": "empty.txt"},
        "empty.txt, line 1, column 1: This file has no hands",
    ),
    "too many hands": ({"ShowFileName": "too_many.txt"}, "too_many.txt, line 61, column 1: This file"),
    "too many hands with practice": (
        {"ShowFileName": "sixty.txt", "practice_hands": 1},
        "but a session can have at most 59",
    ),
    "a missing settings file": ({"settings_file": "none.ini"}, "none.ini: there is no such settings file."),
    "an unknown key": ({"settings_file": "unknown_key.ini"}, "unknown_key.ini, line 2, column 1: "),
    "a wrong value": ({"settings_file": "wrong_value.ini"}, "wrong_value.ini, line 3, column 12: "),
    "MaxRounds": ({"MaxRounds": "many"}, "session config: MaxRounds must be a whole number"),
    "ViewCard": (
        {"ViewCard": "both"},
        "ViewCard must be all, mix or none, or ini for the settings file's value, not 'both'.",
    ),
    "a goal that is no card": ({"Goal": "5H"}, "Goal must be one of"),
    "pay_by": ({"pay_by": "luck"}, "pay_by must be moves or time, not 'luck'."),
    "click_exchanges": ({"click_exchanges": "three"}, "click_exchanges must be"),
    "practice": ({"practice_hands": 5}, "practice.txt: practice_hands is 5, but the file has only 4 hands."),
    "a missing practice file": (
        {"practice_hands": 1, "practice_file": "no.txt"},
        "no.txt: there is no such show file.",
    ),
    "less than no practice": ({"practice_hands": -1}, "practice_hands must be a whole number from 0 to 60"),
    "a time scale of nothing": (
        {"time_scale_seconds": 0},
        "time_scale_seconds must be a number more than 0",
    ),
    "practice_hands as text": ({"practice_hands": "2"}, "practice_hands must be a whole number"),
    "practice_hands with a fraction": ({"practice_hands": 1.5}, "not '1.5'."),
    "practice_hands as nothing": ({"practice_hands": None}, "not 'None'."),
    "time_scale_seconds as text": ({"time_scale_seconds": "60"}, "time_scale_seconds must be "),
    "settings_file as a number": ({"settings_file": 5}, "settings_file must be the name of a file"),
    "practice_file as a list": ({"practice_file": []}, "practice_file must be the name of a file"),
    "ShowFileName as a list": ({"ShowFileName": ["own.txt"]}, "there is no such show file."),
}


@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED)
def test_invalid_settings_are_refused_in_a_sentence(refused):
    fields, *words = refused
    expect_refusal(lambda: dealt(**fields), *words)
