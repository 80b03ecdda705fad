"""The harness of Stop in Time for the shared tests (``tests/harnesses.py``)."""

import json
import random
import re

from harnesses import Hidden
from hypothesis import strategies as st
from random_play import CREATED_MS, WORDS, Played, Table
from synthetic_actions import hand_rows

from cardlab.games.record import Opening
from cardlab.games.stopping import rules

CONFIG, PEOPLE = "stopping_standard", 1
FIELDS = {"check": False, "hands": 20}
ASKED = {}
ANSWERS = {"last_card": ("kept",)}

TRACES = ()


def seat(_view):
    return rules.SEAT


def moves(view):
    return view["may"][::-1]  # the first one continues the hand if possible


# Random hands.

openings = st.builds(
    lambda seed, show_left: Opening(rules.deal(seed, {}), {"show_left": show_left}), st.text(), st.booleans()
)
sent = st.sampled_from([*rules.EXAMPLES, "keep 7S", "Next", "next ", "end completed", "♠"])


# Hidden information: the cards that have not been turned up.

REVEALING = []
CARD = re.compile(r"\b(?:10|[2-9AJQK])S\b")


def named(said):
    return set(CARD.findall(json.dumps(said, ensure_ascii=False)))


def unseen(state, _seat, _done):
    return set(rules.WORTH) - set(state.row[: state.turned])


SETTINGS = [{"show_left": False}]


def turn_up_two(table):
    table.act(rules.SEAT, rules.NEXT)
    table.tab(rules.SEAT).refused("keep KS")
    table.act(rules.SEAT, rules.NEXT)


HIDDEN = {
    "row": Hidden(
        "stopping_standard",
        ("7S 2S QS 9S KS\n" * 2, "7S 2S QS 4S 3S\n" * 2),
        {"deal_file": "hidden.txt", "hands": 2},
        turn_up_two,
        untold=("9S KS", "4S 3S"),
    )
}


# Input of the tests of the analysis.

SIMULATED = {"": {"hands": 2}, "none shown": {"settings": {"show_left": "false"}}}
REPORTED = ["--participants", "4", "--hands", "2"]


def replayed(number=1):
    """Returns a hand in which the third card is kept, after an attempt to keep a hidden one."""
    sent = [(500, rules.NEXT), (900, "keep KS"), (1400, rules.NEXT), (4000, rules.KEEP)]
    moves = [(ms, rules.SEAT, action) for ms, action in sent]
    return hand_rows("stopping", "7S 2S QS 9S KS", {"show_left": True}, moves, number)


def rounds(seed):
    """Returns a session of one hand played at random, which may stay open."""
    chance, options = random.Random(seed), {"show_left": seed % 2 == 0}
    table = Table(rules, Opening(rules.deal(f"{seed}", options), options), CREATED_MS, chance)
    for _card in range(chance.choice([0, 1, 9])):
        table.now += 1_000
        table.send_action(rules.SEAT, chance.choice([*rules.EXAMPLES, *WORDS]))
    if chance.random() < 0.5:
        table.close("gave_up")
    return [[Played(table.record, {rules.SEAT: 1})]]


def in_sight(view):
    return [view["card"]]
