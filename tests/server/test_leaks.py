"""Nothing face down is in a page, its headers or a message; in oTree's debug mode neither.

Two servers deal hands that differ only in what nobody can see, one played like the other: whatever a
browser gets must be the same from both, so that not even an encoding of a hidden card can slip through.
"""

from __future__ import annotations

import json
import re

import pytest
from played import hands
from server_fixture import LabServer
from tabs import Tab, Visitor
from visible import assert_hidden, comparable, page_text

from games.ttt import rules

# UP, Target and the first hand's goal are the same in both; C, Ck, N, Nk and the later goal are not.
# The goal of the first hand is told in the instructions where the board does not show it.
DEALT = (
    "2H 3C 3H 4C 2C 4H 2H ck\n3H 2C 2H 4C 4H 3C 3H nk\n",
    "4H 2C 3H 4C 2H 3C 2H ck\n3C 4H 2H 4C 3H 2C 4H nk\n",
)
HIDDEN = {"ShowFileName": "hidden.txt", "ViewCkNk": "FALSE", "ViewTarget": "FALSE", "MaxRounds": "3"}
MODES = {"production": {"OTREE_PRODUCTION": "1"}, "debug": {"OTREE_PRODUCTION": ""}}


def everything_a_browser_gets(server, rows):
    """Every page and every message of a session in which only passes and refused moves are played."""
    (server.folder / "deals" / "ttt" / "hidden.txt").write_text(rows, "utf-8")
    session = server.create_session("ttt_demo", check=True, **HIDDEN)
    visitor = Visitor(server, session.participants[0])
    got = [page_text(visitor)]
    while visitor.name != "Results":
        if visitor.name == "Hand":
            visitor.come()  # a reload
            tab = Tab(server, visitor.code, visitor.index)
            other = Tab(server, visitor.code, visitor.index)
            got += [tab.first, other.first]
            for action in ("P", "Q", "P", "end solved", "P", "P"):
                got.append(tab.say(action, traces=[["pick c", 1], ["pick nk", 2]]))
                if action == "P" and "refused" not in tab.state:
                    got.append(other.hear())
            assert tab.state["over"] == "failed"
            visitor.send()
        else:
            visitor.walk_to("Hand" if visitor.name == "Check" else "Check")
        got.append(page_text(visitor))
    return comparable(got, (visitor.code, session.code))


@pytest.mark.parametrize("mode", MODES)
def test_what_nobody_sees_makes_no_difference(tmp_path, mode):
    seen = []
    for number, rows in enumerate(DEALT):
        with LabServer(tmp_path / f"card_lab_{number}", environment=MODES[mode]) as server:
            seen.append(everything_a_browser_gets(server, rows))
    assert len(seen[0]) > 20
    assert any("vars_for_template" in text for text in seen[0]) == (mode == "debug")
    for one, other in zip(*seen, strict=True):
        assert one == other
    layouts = [" ".join(row.split()[:6]) for rows in DEALT for row in rows.splitlines()]
    for text in seen[0]:
        for layout in layouts:
            assert layout not in text
            assert layout.replace(" ", "\t") not in text
        assert (
            "hidden.txt" not in text or mode == "debug"
        )  # the settings may name the file, not what is in it


SETTINGS = [
    {"ViewCkNk": "TRUE", "ViewCard": "none", "ViewTarget": "TRUE"},
    {"ViewCkNk": "FALSE", "ViewCard": "all", "ViewTarget": "FALSE"},
    {"ViewCkNk": "FALSE", "ViewCard": "mix", "ViewTarget": "FALSE"},
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_messages_name_only_cards_that_are_seen(server, settings):
    session = server.create_session("ttt_demo", **settings)
    visitor = Visitor(server, session.participants[0])
    tab = visitor.sit_down()
    assert not re.search(r"\b[234][HC]\b|[234][♥♣]", visitor.page.text)
    layout = hands(server, session.code)[visitor.code, 1]
    state, looked = layout.replayed(), set()
    assert_hidden(json.dumps(tab.first, ensure_ascii=False), state, looked)
    for action in [
        "look ck",
        "T",
        "look nk",
        "U",
        "T",
        "look ck",
        "look nk",
        "P",
        "T",
        "N",
        "look nk",
        "T",
        "P",
    ]:
        said = tab.say(action, traces=[["pick n", 1]])
        if "refused" not in said:
            state = rules.apply(state, "solo", action)
            looked = looked | {action[5:].capitalize()} if action.startswith("look ") else set()
        assert said["view"]["moves"] == state.moves
        assert_hidden(json.dumps(said, ensure_ascii=False), state, looked)
