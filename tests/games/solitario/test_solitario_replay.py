"""Tests the descriptions of steps and the pictures in a replay of Solitario."""

import re

from cardlab.analysis.replay import page
from cardlab.analysis.replay.steps import Steps, classify_event
from cardlab.games.events import Event
from cardlab.games.solitario import rules

STATE = rules.start(
    "1s | 4c 2s | 3b 4b 7d | 4s Vs 1c Cs | 6c 6s Rc 7s Rd | 6b 2d 7c 5s Rb 3s | 2c 4d Cd 3d Vc 6d Vb | "
    "Cb Cc 5c 7b Rs 2b 1b 5b 5d 1d 3c Vd",
    {"undo": True},
)


def kind(action, state=STATE):
    return classify_event(rules, state, Event(1, "solo", action, 5, 5))


def test_choosing_a_foundation_counts_as_a_move():
    assert kind("home 1") == kind("home 1 3") == kind("draw") == kind("give up") == "move"
    assert kind("undo", rules.apply(STATE, "solo", "home 1")) == "move"
    assert kind("pick 1 1") == "pick-up"


def test_replays_may_reveal_face_down_cards():
    steps = Steps(rules, "solo")
    steps.add("deal", STATE)
    known = steps.steps[0]["state"][0]
    assert known["columns"].startswith(" / 1s | 4c / 2s | 3b 4b / 7d | ")
    assert known["stock"].startswith("Cb Cc ")


def test_a_replay_contains_the_pictures_of_its_pack():
    module = page._build_pictures_module(
        ["solitario"], [{"settings": {"pack": "briscola"}, "deal": "1s | 4c Rd"}]
    )
    found = set(re.findall(r'"(solitario/cards/[^"]+)"', module))
    assert found == {f"solitario/cards/{card}.svg" for card in ("1s", "4c", "Rd")}
    assert '"solitario/back.svg"' in module
