"""What the shared tests know of Triangle Solitaire (``tests/harnesses.py``)."""

import json
import random
import re

from harnesses import Hidden
from hypothesis import strategies as st

from games.record import Opening
from games.triangle import rules
from games.triangle.deal import format_deal, parse_deal
from games.triangle.packs import COMPLETES
from games.triangle.strategies import ACTS

CONFIG, PEOPLE = "triangle_variation_2", 1
FIELDS = {"check": False, "hands": 20}
ANSWERS = {"which_single": "hollow", "which_match": "yes", "no_place": "discarded", "which_side": "minus"}

TRACES = ("pick card", "pick H")


def seat(_view):
    return rules.SEAT


def moves(view):
    """Where the strategies would place the card, which know no more than the view."""
    return [act(view, random.Random(1)) for act in ACTS.values()] if view["card"] else []


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


# What stays hidden: the cards beneath the revealed one.

REVEALING = []
CARD = re.compile(r"\b[HPF][BRG][CST]\b")


def named(said):
    """Of ``left``, which sorted says nothing of the deck's order, tells a test of its own."""
    text = json.dumps({**said, "view": {**said["view"], "left": None}} if "view" in said else said)
    return {card for card in COMPLETES if card in text}


def unseen(state, _seat, _done):
    return set(state.deck[1:]) & set(COMPLETES)


SETTINGS = [{"doubled": 4, "highlight": False}, {"show_left": True}]

SEEN = 8  # cards revealed before the decks part


def decks(variation):
    """Two deals which differ in nothing but the order of the cards beneath the first ones."""
    deal = parse_deal(rules.deal("hidden order", variation))
    seen, beneath = deal.deck[:SEEN], deal.deck[SEEN:]
    return format_deal(deal), format_deal(deal._replace(deck=(*seen, *reversed(beneath))))


def play_what_is_seen(table):
    tab, chance = table.tab(rules.SEAT), random.Random(1)
    for _card in range(SEEN - 1):
        tab.act(ACTS["look_ahead"](tab.state["view"], chance))
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
