"""Provides what the shared tests need to know of Triangle Solitaire (``tests/harnesses.py``)."""

import json
import random
import re

from harnesses import Hidden
from hypothesis import strategies as st
from random_play import CREATED_MS, WORDS, Played, Table
from synthetic_actions import hand_rows

from cardlab.games.record import Opening
from cardlab.games.triangle import rules
from cardlab.games.triangle.deal import format_deal, parse_deal
from cardlab.games.triangle.packs import COMPLETES
from cardlab.games.triangle.strategies import VIEW_POLICIES

CONFIG, PEOPLE = "triangle_variation_2", 1
FIELDS = {"check": False, "hands": 20}
ASKED = {"doubled": 2, "mixed_in": 2}
ANSWERS = {
    "which_single": ("hollow", "green"),
    "which_match": ("yes", "no"),
    "no_place": ("discarded", "six"),
    "which_side": ("minus", "whole"),
    "two_singles": ("both", "no"),
    "single_to_place": ("added", "kind"),
}

TRACES = ("pick card", "pick H")


def seat(_view):
    return rules.SEAT


def moves(view):
    """Returns the places that the strategies choose from the view alone."""
    return [act(view, random.Random(1)) for act in VIEW_POLICIES.values()] if view["card"] else []


# Random hands.

JUNK = [
    "place",
    "place 0",
    "place 28",
    "place 7 ",
    "discard 1",
    "mark X 3",
    "unmark H 30",
    "end completed",
    "♥",
]
options = st.fixed_dictionaries(
    {
        "doubled": st.integers(0, 4),
        "mixed_in": st.integers(0, 5),
        "highlight": st.booleans(),
        "show_left": st.booleans(),
    }
)
sent = st.sampled_from([*rules.PLACES, *rules.PLACES, *rules.MARKS, *rules.UNMARKS, rules.DISCARD, *JUNK])
openings = st.builds(
    lambda seed, chosen: Opening(rules.deal(seed, chosen), chosen, source="deals.txt"), st.text(), options
)


# Hidden information: the cards beneath the revealed one.

REVEALING = []
CARD = re.compile(r"\b[HPF][BRG][CST]\b")


def named(said):
    """Returns the cards in a message, without ``left``, which is sorted and has a separate test."""
    text = json.dumps({**said, "view": {**said["view"], "left": None}} if "view" in said else said)
    return {card for card in COMPLETES if card in text}


def unseen(state, _seat, _done):
    return set(state.deck[1:]) & set(COMPLETES)


SETTINGS = [{"doubled": 4, "highlight": False}, {"show_left": True}]

SEEN = 8  # cards revealed before the decks differ


def decks(variation):
    """Returns two deals that differ only in the order of the cards beneath the first ones."""
    deal = parse_deal(rules.deal("hidden order", variation))
    seen, beneath = deal.deck[:SEEN], deal.deck[SEEN:]
    return format_deal(deal), format_deal(deal._replace(deck=(*seen, *reversed(beneath))))


def play_what_is_seen(table):
    tab, chance = table.tab(rules.SEAT), random.Random(1)
    for _card in range(SEEN - 1):
        tab.act(VIEW_POLICIES["look_ahead"](tab.state["view"], chance))
    for action in ("discard", "place 28", "left", "end completed"):
        tab.refused(action)


HARD = {"doubled": 4, "mixed_in": 5}
VARIATIONS = {"triangle_standard": {}, "triangle_hard": HARD, "triangle_learning": {}}
HIDDEN = {
    config: Hidden(
        config,
        tuple(f"{deal}\n" * 2 for deal in decks(variation)),
        {"deal_file": "hidden.txt", "hands": 2},
        play_what_is_seen,
        debug=variation == HARD,
    )
    for config, variation in VARIATIONS.items()
}


# Input of the tests of the analysis.

SIMULATED = {
    "": {"mix": "random:1,look_ahead:1", "hands": 2},
    "both variations": {"strategy": "first_match", "deals": "both.txt", "hands": 3},
    "Singles in the deck": {"settings": {"mixed_in": "9"}},
}
REPORTED = ["--mix", "random:1,look_ahead:1", "--participants", "4", "--hands", "2"]


def replayed(number=1, seed=2):
    """Returns a whole random hand, with a discard by the server, a reminder and a refused place."""
    chance = random.Random(seed)
    settings = {"doubled": 0, "mixed_in": 0, "highlight": True, "show_left": False}
    deal = rules.deal(str(seed), settings)
    state, ms = rules.start(deal, settings), 0
    done = [(500, rules.SEAT, "place 28"), (900, rules.SEAT, f"mark {state.spares[0]} 1")]
    while not rules.is_over(state):
        forced = rules.forced_action(state)
        action = forced or chance.choice(rules.legal_actions(state, rules.SEAT))
        ms += 0 if forced else chance.choice([1000, 3500])
        done.append((-1 if forced else ms, rules.SEAT, action))
        state = rules.apply(state, rules.SEAT, action)
    return hand_rows("triangle", deal, settings, done, number)


def rounds(seed):
    """Returns a session of few hands; only the last hand of each participant may stay open."""
    people, count = 1 + seed % 2, 1 + seed // 2 % 2
    return [
        [
            Played(random_hand(100 * seed + 10 * n + who, n == count - 1), {rules.SEAT: who})
            for who in range(1, people + 1)
        ]
        for n in range(count)
    ]


def random_hand(seed, last):
    """Returns a random hand with refusals, reminders and reconnects; the ``last`` one may stay open."""
    chance = random.Random(seed)
    options = {
        "doubled": chance.choice([0, 0, 4]),
        "mixed_in": chance.choice([0, 0, 5]),
        "highlight": chance.random() < 0.5,
        "show_left": chance.random() < 0.5,
    }
    practice = chance.random() < 0.2
    opening = Opening(rules.deal(f"{seed}", options), options, 1, 2, 3, practice, "random.txt", "0" * 64)
    shown = None if chance.random() < 0.1 else CREATED_MS + chance.randint(100, 100_000)
    table, wrong = Table(rules, opening, shown, chance), chance.choice([0, 0.3])
    for _card in range(chance.choice([0, 5, 60]) if shown else 0):
        if table.hand.is_over:
            break
        table.now += chance.randint(0, 4_000)
        if chance.random() < wrong:
            aside(table)
        if fitting := table.hand.state.fitting_places:  # unless the hand has ended
            table.send_action(rules.SEAT, f"place {chance.choice(fitting)}")
    table.now += chance.randint(0, 3_000)
    if not shown or not last or chance.random() < 0.5:
        table.close(chance.choice(["timeout", "gave_up", "advanced"]))
    return table.record


def aside(table):
    state, what = table.hand.state, table.chance.randrange(4)
    if what == 0:
        table.note(rules.SEAT, "reconnect")
    elif what == 1:
        table.send_action(rules.SEAT, table.chance.choice(WORDS))
    elif what == 2:
        table.send_action(rules.SEAT, table.chance.choice([*rules.PLACES]), table.chance.choice([-1, 0, 4]))
    elif state.spares:
        number = table.chance.randint(1, 27)
        table.send_action(rules.SEAT, f"mark {state.spares[0]} {number}")
        if table.chance.random() < 0.5:
            table.send_action(rules.SEAT, f"unmark {state.spares[0]} {number}")


def in_sight(view):
    lying = [place["complete"] or "".join(place["singles"]) for place in view["places"]]
    return sorted(filter(None, [*lying, view["card"], *view["discards"]]))
