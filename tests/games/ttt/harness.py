"""Provides what the shared tests need to know of Target the Two (``tests/harnesses.py``)."""

import json
import random
import re

from harnesses import Hidden
from hypothesis import strategies as st
from random_play import CREATED_MS, WORDS, Played, Table
from synthetic_actions import SCRIPT_INJECTION, hand_rows

from cardlab.games.cards import TTT_PACK, pretty
from cardlab.games.record import Opening
from cardlab.games.ttt import board, rules

CONFIG, PEOPLE = "ttt_demo", 1
FIELDS = {"ShowFileName": "game422.txt", "MaxRounds": 40}
ASKED = {"ViewCkNk": False}
ANSWERS = {
    "ck_into_target": ("yes", "no", "4C"),
    "nk_into_target": ("no", "yes", "2C"),
    "who_is_next": ("nk", "ck"),
    "when_solved": ("target", "not_yet"),
    "face_down": ("look", "down"),
}

TRACES = rules.PICKS
LOOKS = ("look ck", "look nk")


def seat(_view):
    return board.SEAT


def moves(view):
    """Returns the moves except T, which may be refused."""
    return list("UCNP") if view["turn"] else []


# Random hands.

JUNK = ["u", "TT", "look up", "pick x", " P", "undo", "end solved", "end", "reconnect", "deal", "♥", "=1+1"]
options = st.fixed_dictionaries(
    {
        "MaxRounds": st.integers(1, 20),
        "ViewCard": st.sampled_from(["all", "mix", "none"]),
        "ViewCkNk": st.booleans(),
        "DragCkNk": st.booleans(),
        "ViewTarget": st.booleans(),
        "CardsBackFile": st.just("dorso1"),
        "pay_by": st.sampled_from(["moves", "time"]),
        "time_scale_seconds": st.sampled_from([1, 60]),
    }
)
sent = st.sampled_from([*"UCNTP", *"UCNTP", *LOOKS, *LOOKS, *rules.PICKS, *JUNK])


@st.composite
def deals(draw):
    layout = draw(st.permutations(TTT_PACK))
    goal = draw(st.sampled_from([card for card in TTT_PACK if card != layout[3]]))
    return f"{' '.join(layout)} | {goal} | {draw(st.sampled_from(['ck', 'nk']))}"


openings = st.builds(Opening, deal=deals(), options=options, source=st.just("hands.txt"))


# Hidden cards: a second implementation of ruling 5.

_HARDEST = {"ViewTarget": False, "ViewCkNk": False, "ViewCard": "none"}
REVEALING = [
    (Opening("2H 3C 3H 4C 2C 4H | 2H | ck", _HARDEST), ["U", "T"]),
    (Opening("2H 3H 3C 4C 2C 4H | 2H | ck", _HARDEST), ["T", "look ck", "T"]),
]
CARD = re.compile(r"\b[234][HC]\b|[234][♥♣]")


def named(said):
    text = json.dumps(said, ensure_ascii=False)
    return {card for card in TTT_PACK if any(name in text for name in (card, card.lower(), pretty(card)))}


def unseen(state, _seat, done):
    """Returns all cards but UP, Target, a shown goal, and the keepers' visible cards (ViewCard, ViewCkNk)."""
    looked = set()
    for _by, action in done:
        if action in LOOKS:
            looked.add(action[5:].capitalize())
        elif action in board.MOVES:
            looked.clear()
    cards = dict(zip(("C", "Ck", "UP", "T", "N", "Nk"), state.layout, strict=True))
    exchanged = any(move != "P" for move in state.sequence)
    both = state.options["ViewCard"] == "all" or (state.options["ViewCard"] == "mix" and exchanged)
    allowed = {"Ck", "Nk"} if both else {state.turn.capitalize()}
    shown = allowed if state.options["ViewCkNk"] else looked & allowed
    goal = {state.goal} if state.options["ViewTarget"] else set()
    return set(TTT_PACK) - {cards["UP"], cards["T"], *(cards[keeper] for keeper in shown)} - goal


SETTINGS = [
    {"ViewCkNk": "TRUE", "ViewCard": "none", "ViewTarget": "TRUE"},
    {"ViewCkNk": "FALSE", "ViewCard": "all", "ViewTarget": "FALSE"},
    {"ViewCkNk": "FALSE", "ViewCard": "mix", "ViewTarget": "FALSE"},
]

# UP, Target and the first hand's goal are the same in both; C, Ck, N, Nk and the later goal are not.
# The instructions name the goal of the first hand if the board does not show it.
_DEALT = (
    "2H 3C 3H 4C 2C 4H 2H ck\n3H 2C 2H 4C 4H 3C 3H nk\n",
    "4H 2C 3H 4C 2H 3C 2H ck\n3C 4H 2H 4C 3H 2C 4H nk\n",
)
_LAYOUTS = [" ".join(row.split()[:6]) for rows in _DEALT for row in rows.splitlines()]


def pass_to_the_end(table):
    """Passes to the end, with refused actions in between."""
    tab = table.tab(board.SEAT)
    while tab.state["over"] is None:
        for junk in ("Q", "end solved"):
            tab.refused(junk, traces=[["pick c", 1], ["pick nk", 2]])
        tab.act("P", traces=[["pick c", 1], ["pick nk", 2]])


HIDDEN = {
    "face down": Hidden(
        "ttt_demo",
        _DEALT,
        {"ShowFileName": "hidden.txt", "ViewCkNk": "FALSE", "ViewTarget": "FALSE", "MaxRounds": "3"},
        pass_to_the_end,
        untold=(*_LAYOUTS, *(layout.replace(" ", "\t") for layout in _LAYOUTS)),
    )
}


# Input of the tests of the analysis.

SIMULATED = {
    "": {"mix": "random:1,informed:1,always_442:1", "hands": 4},
    "to be looked at": {
        "mix": "random:1,routinizing:2",
        "deals": "DynamicExampleCircular.txt",
        "settings": {"settings_file": "TTT_Solo.ini", "ViewCard": "mix", "MaxRounds": "7"},
    },
    "drawn": {"strategy": "optimal", "deals": "seed", "hands": 3, "sessions": 2},
}
REPORTED = [
    *("--deals", "transfer422.txt", "--mix", "informed:1,random:1"),
    *("--participants", "6", "--hands", "6"),
]
FACE_DOWN = {**rules.DEFAULT_OPTIONS, "ViewCkNk": False}


def replayed(number=1):
    """Returns a hand solved by T U P T; 2C is face down at Ck, and Ck looks at it in step 1."""
    sent = [
        (2000, "look ck"),
        (3000, "pick t"),
        (3400, "T"),
        (4000, SCRIPT_INJECTION),
        (9900, "U"),
        (10_500, "reconnect"),
        (17_400, "P"),
        (18_000, "T"),
    ]
    moves = [(ms, board.SEAT, action) for ms, action in sent]
    return hand_rows("ttt", "3H 2C 2H 4C 4H 3C | 2H | ck", FACE_DOWN, moves, number)


def rounds(seed):
    """Returns a session of few participants and few hands: open, broken off, without a move, never shown."""
    chance, people, count = random.Random(seed), 1 + seed % 3, 1 + seed // 3 % 3
    return [
        [
            Played(random_hand(f"{seed} {number} {who}", number, number == count, chance), {board.SEAT: who})
            for who in range(1, people + 1)
        ]
        for number in range(1, count + 1)
    ]


def random_hand(seed, number, last, chance):
    shown = {"MaxRounds": chance.choice([2, 8]), "pay_by": chance.choice(["moves", "time"])}
    options = {**rules.DEFAULT_OPTIONS, "time_scale_seconds": 60, "time_limit_seconds": 0, **shown}
    opening = Opening(rules.deal(seed, options), options, number, 3, practice=chance.random() < 0.2)
    seen = chance.random() < 0.9
    table = Table(rules, opening, CREATED_MS + 100_000 * number if seen else None, chance)
    for move in chance.choices([*board.MOVES, *WORDS], k=chance.choice([0, 0, 1, 8]) if seen else 0):
        table.now += chance.randint(0, 4_000)
        table.send_action(board.SEAT, move)
    if not seen or not last or chance.random() < 0.7:
        table.close(chance.choice(["timeout", "gave_up", "advanced"]))
    return table.record


def in_sight(view):
    return sorted(filter(None, [view["goal"], *view["cards"].values()]))
