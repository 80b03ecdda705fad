"""Tests the settings that sessions of every game refuse, and the card backs of Target the Two."""

import pytest
from golden_session import APPS

import settings
from cardlab.games.contract import BadFile
from cardlab.sessions.config import check_common

BIG = 10**400
REFUSED = {
    "pay_hands": ({"pay_hands": "best"}, "pay_hands must be all or one, not 'best'."),
    "a rate that is no number": ({"payoff_rate": "nan"}, "payoff_rate must be a number, not 'nan'."),
    "a rate of nan": (
        {"payoff_rate": float("nan")},
        "payoff_rate must be a number, not 'nan'.",
    ),
    "an endless floor": ({"payoff_floor": float("inf")}, "payoff_floor must be a number, not 'inf'."),
    "payoff_rate as true": ({"payoff_rate": True}, "payoff_rate must be a number, not 'True'."),
    "payoff_base as nothing": ({"payoff_base": None}, "payoff_base must be a number, not 'None'."),
    "a number too big": ({"payoff_rate": BIG}, "payoff_rate must be a number, not '1000"),
    "a time limit before the start": ({"time_limit_seconds": -5}, "time_limit_seconds must be a number, 0"),
    "time_limit_seconds as text": ({"time_limit_seconds": "60"}, "time_limit_seconds must be a number"),
    "check as text": ({"check": "no"}, "check must be True or False, not 'no'."),
    "light_up as text": ({"light_up": "no"}, "light_up must be True or False, not 'no'."),
    "feedback as a number": ({"feedback": 1}, "feedback must be True or False, not '1'."),
    "a second tab": ({"second_tab": "close"}, "second_tab must be tell or refuse, not 'close'."),
    "a signal": ({"begin_signal": "gong"}, "begin_signal must be title or sound or none, not 'gong'."),
    "no seed": ({"seed": ""}, "seed must be the word drawn, or a text or whole number"),
    "an endless seed": ({"seed": "1" * 101}, "of at most 100 characters, not '111"),
    "a seed that is no number": ({"seed": float("nan")}, "not 'nan'."),
}


def test_defaults_pass_the_check():
    assert check_common(settings.SESSION_CONFIG_DEFAULTS) is None


@pytest.mark.parametrize(("fields", "sentence"), REFUSED.values(), ids=REFUSED)
def test_wrong_common_field_is_refused_in_a_sentence(fields, sentence):
    said = check_common({**settings.SESSION_CONFIG_DEFAULTS, **fields})
    assert sentence in said
    assert "\n" not in said


@pytest.mark.parametrize("back", ["dorso9.png", "dorso9", "../cards/2H.svg"])
def test_back_without_image_is_refused(back):
    with pytest.raises(BadFile, match=r"^session config: CardsBackFile .* is not in _static/backs/\. There"):
        APPS["ttt"].backs.check_back(back)


def test_every_shipped_back_has_its_image():
    for back in ("dorso1", "dorso2", "dorso3"):
        APPS["ttt"].backs.check_back(back)
