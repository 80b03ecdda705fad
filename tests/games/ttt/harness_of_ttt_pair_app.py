"""Provides what the shared tests need to know of Target the Two for two (``tests/harnesses.py``)."""

import random

from harnesses import Hidden, own_module
from hypothesis import strategies as st
from random_play import CREATED_MS, WORDS, Played, Table
from synthetic_actions import SCRIPT_INJECTION, hand_rows

from cardlab.games.cards import TTT_PACK
from cardlab.games.events import ARRIVE
from cardlab.games.record import Opening
from cardlab.games.ttt import board, rules
from cardlab.games.ttt.robots import ROBOTS

solo = own_module("ttt", "harness")

CONFIG, PEOPLE = "ttt_pair_demo", 2
FIELDS = {"ShowFileName": "game422.txt", "MaxRounds": 40, "check": False, "gather_seconds": 0}
ASKED = {"ViewCkNk": False, "ViewCard": "none", "players": 2}
ANSWERS = {
    "whose_turn": ("partner", "me"),
    "what_is_seen": ("mine", "up_t"),
    "what_is_told": ("no", "yes"),
    **{name: solo.ANSWERS[name] for name in ("ck_into_target", "nk_into_target", "when_solved")},
}

TRACES = rules.PICKS
LOOKS = solo.LOOKS


def seat(view):
    return view["seat"]


def moves(view):
    """Returns the moves except T, which may be refused."""
    return list("UCNP") if view["seat"] in view["waiting_for"] else []


# Random hands.

HABIT = {"search": 4.0, "422": 3.2, "442": 0.0}
options = st.builds(
    lambda chosen, further: {**chosen, **further},
    solo.options,
    st.fixed_dictionaries(
        {
            "players": st.just(2),
            "seed": st.integers(0, 99).map(str),
            "turn_limit_seconds": st.sampled_from([0, 30]),
            "gather_seconds": st.sampled_from([0, 60]),
            "absent_after": st.sampled_from([0, 2]),
            "robots": st.sampled_from([{}, {}, *({"nk": robot} for robot in ROBOTS), {"ck": "informed"}]),
            "habit": st.just(HABIT),
        }
    ),
)
sent = solo.sent
openings = st.builds(Opening, deal=solo.deals(), options=options, source=st.just("hands.txt"))


# Hidden cards: a second implementation of ruling 5 for two players.

_HARDEST = {**solo._HARDEST, "players": 2, "robots": {}, "seed": "1"}
REVEALING = [
    (Opening("2H 3C 3H 4C 2C 4H | 2H | ck", _HARDEST), ["U", "T"]),
    (Opening("2H 3H 3C 4C 2C 4H | 2H | ck", _HARDEST), ["T", "look ck", "T"]),
]
CARD, named = solo.CARD, solo.named


def unseen(state, seat, done):
    """Returns all cards but UP, Target, a shown goal and the keepers' visible cards.

    The own keeper's card is visible, and the partner's if ViewCard allows it. Unless ViewCkNk, a player must
    look at them, in their own turn.
    """
    looked = set()
    for by, action in done:
        if action in LOOKS and by == seat:
            looked.add(action[5:].capitalize())
        elif action in board.MOVES:
            looked.clear()
    cards = dict(zip(("C", "Ck", "UP", "T", "N", "Nk"), state.layout, strict=True))
    exchanged = any(move != "P" for move in state.sequence)
    both = state.options["ViewCard"] == "all" or (state.options["ViewCard"] == "mix" and exchanged)
    allowed = {"Ck", "Nk"} if both else {seat.capitalize()}
    shown = allowed if state.options["ViewCkNk"] else looked & allowed
    goal = {state.goal} if state.options["ViewTarget"] else set()
    open_now = {cards["UP"], cards["T"], *(cards[keeper] for keeper in shown)}
    return set(TTT_PACK) - open_now - _open_before(state, seat) - goal


def _open_before(state, seat):
    """Returns the cards visible between two moves, because a robot's answer is shown with the own move."""
    mover = "nk" if state.turn == "ck" else "ck"
    if not state.sequence or mover not in state.options["robots"]:
        return set()
    cards = dict(zip(("C", "Ck", "UP", "T", "N", "Nk"), state.layout, strict=True))
    place, keeper = {"U": "UP", "C": "C", "N": "N", "T": "T"}.get(state.sequence[-1]), mover.capitalize()
    if place:
        cards[place], cards[keeper] = cards[keeper], cards[place]
    earlier = state.sequence[:-1].strip("P")
    both = state.options["ViewCard"] == "all" or (state.options["ViewCard"] == "mix" and earlier)
    keepers = ({"Ck", "Nk"} if both else {seat.capitalize()}) if state.options["ViewCkNk"] else set()
    return {cards["UP"], cards["T"], *(cards[keeper] for keeper in keepers)}


SETTINGS = [
    {"ViewCkNk": "TRUE", "ViewCard": "none", "ViewTarget": "TRUE"},
    {"ViewCkNk": "FALSE", "ViewCard": "mix", "ViewTarget": "FALSE"},
]

# UP, Target, the goal and Nk's card are the same in both; C, Ck and N are not, so Ck's legal moves differ.
_DEALT = (
    "2H 3C 3H 4C 2C 4H 2H ck\n3H 2C 2H 4C 4H 3C 3H nk\n",
    "2C 2H 3H 4C 3C 4H 2H ck\n3H 2C 2H 4C 4H 3C 3H nk\n",
)
_LAYOUTS = [" ".join(rows.splitlines()[0].split()[:6]) for rows in _DEALT]


def partner_looks_and_hesitates(table):
    """Lets Ck look, pick cards up, try illegal moves and pass; the watched Nk passes too."""
    ck, nk = table.tab("ck"), table.tab("nk")
    for turn in range(2):
        if not turn:
            ck.act("look ck", traces=[["pick c", 1], ["pick ck", 2]])
            ck.refused("look nk")
        ck.refused("no such move", traces=[["pick up", 3]])
        nk.refused("P")
        nk.refused("look nk")
        table.act("ck", "P")
        nk.until(lambda message: message["view"]["seat"] in message["view"]["waiting_for"])
        nk.act("look nk")
        nk.refused("look ck")
        table.act("nk", "P")
        ck.until(lambda message: message["view"]["seat"] in message["view"]["waiting_for"])


HIDDEN = {
    "the partner's card": Hidden(
        "ttt_pair_demo",
        _DEALT,
        {
            **{"ShowFileName": "hidden.txt", "ViewCkNk": "FALSE", "ViewCard": "none", "MaxRounds": "9"},
            **{"seed": 1, "tutorial": "free"},
        },
        partner_looks_and_hesitates,
        participants=2,
        seat="nk",
        untold=(*_LAYOUTS, *(layout.replace(" ", "\t") for layout in _LAYOUTS)),
    )
}


# Input of the tests of the analysis.

SIMULATED = {
    "": {"mix": "random:1,informed:1", "hands": 3, "settings": {"players": "2"}},
    "exchanged": {
        "mix": "random:1,routinizing:3",
        "settings": {
            **{"players": "2", "blocks": "game422.txt/game442.txt:3, transfer422.txt:2"},
            **{"partners": "mixed", "roles": "exchanged", "ViewCard": "none", "MaxRounds": "7"},
        },
    },
}
REPORTED = [
    *("--deals", "transfer422.txt", "--mix", "informed:1,random:1", "--set", "players=2"),
    *("--participants", "4", "--hands", "6"),
]
FACE_DOWN = {**solo.FACE_DOWN, "players": 2, "robots": {}, "seed": "7", "block": 1}


def replayed(number=1):
    """Returns a hand solved by T U P T; 2C is face down at Ck, and Ck looks at it in step 3."""
    sent = [
        (-1, "ck", "arrive"),
        (-1, "nk", "arrive"),
        (2000, "ck", "look ck"),
        (3000, "ck", "pick t"),
        (3400, "ck", "T"),
        (4000, "nk", SCRIPT_INJECTION),
        (9900, "nk", "U"),
        (10_500, "nk", "reconnect"),
        (17_400, "ck", "P"),
        (18_000, "nk", "T"),
    ]
    return hand_rows("ttt", "3H 2C 2H 4C 4H 3C | 2H | ck", FACE_DOWN, sent, number)


def random_game(seed, number, of):
    """Plays a random hand with late arrivals, absences, refusals and departures."""
    chance = random.Random(seed)
    options = {
        **rules.DEFAULT_OPTIONS,
        **{"players": 2, "seed": seed, "block": 1, "ViewCard": chance.choice(["all", "mix", "none"])},
        **{"MaxRounds": chance.choice([3, 12]), "robots": chance.choice([{}, {}, {"nk": "informed"}])},
        **{"turn_limit_seconds": chance.choice([0, 30]), "gather_seconds": chance.choice([0, 60])},
        "pay_by": chance.choice(["moves", "time"]),
    }
    opening = Opening(rules.deal(seed, options), options, number, of, practice=chance.random() < 0.2)
    table = Table(rules, opening, CREATED_MS + 100_000 * number if chance.random() < 0.9 else None, chance)
    people = table.hand.human_seats
    come = [seat for seat in people if table.hand.shown_ms and chance.random() < 0.8]
    for seat in come:
        table.note(seat, ARRIVE)
    table.add([])
    for _step in range(chance.choice([0, 3, 12])):
        if table.hand.is_over:
            break
        table.now += chance.randint(0, 4_000)
        seat, luck = chance.choice(people), chance.random()
        if luck < 0.05:
            table.leave(seat, chance.choice(["advanced", "gave_up", "timeout"]))
        elif luck < 0.15:
            table.wait(chance.choice([5, 40, 70]))
        elif seat in come and not table.hand.is_over_for(seat):
            table.send_action(seat, chance.choice([*"UCNTP", *WORDS]))
    return table


def rounds(seed):
    """Returns a session of one or two pairs: an empty round of instructions, and hands, of which only the
    last may stay open."""
    chance, played = random.Random(f"session {seed}"), [[]]
    count, pairs = chance.randint(1, 2), chance.randint(1, 2)
    for number in range(1, count + 1):
        round_hands, who = [], 1
        for pair in range(pairs):
            table = random_game(f"{seed} {number} {pair}", number, count)
            people = table.hand.human_seats
            for seat in people if number < count else ():
                table.leave(seat)
            round_hands.append(Played(table.record, dict(zip(people, range(who, 9)))))
            who += len(people)
        played.append(round_hands)
    return played


in_sight = solo.in_sight
