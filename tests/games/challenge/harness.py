"""Provides what the shared tests need to know of Challenge (``tests/harnesses.py``)."""

import json
import random
import re

from harnesses import Hidden
from hypothesis import strategies as st
from random_play import CREATED_MS, WORDS, Played, Table
from synthetic_actions import SCRIPT_INJECTION, hand_rows

from cardlab.games.challenge import rules
from cardlab.games.challenge.options import complete_options
from cardlab.games.challenge.packs import pack
from cardlab.games.events import ARRIVE
from cardlab.games.record import Opening

CONFIG, PEOPLE = "challenge_two", 2
# Small games, so that every kind of end occurs. The engine is asynchronous, and has its own tests.
FIELDS = {"check": False, "games": 20, "size": 4, "max_actions": 80, "depth": 0, "turn_limit_seconds": 0}
FIELDS |= {"gather_seconds": 0}
ASKED = complete_options({})
ANSWERS = {
    "which_beats": ("trump", "any_trump"),
    "what_is_taken": ("all", "may"),
    "who_leads": ("other", "me"),
    "who_wins": ("last", "won"),
}

TRACES = ()


def seat(view):
    return view["seat"]


def moves(view):
    """Returns moves that continue the game, without resignations, offers and claims."""
    if view["seat"] not in view["waiting_for"]:
        return []
    return [action for action in view["may"] if action not in (rules.RESIGN, rules.ACCEPT)]


# Random games.

COMPUTER = {"N": rules.COMPUTER}
FORMS = [{}, {"after_better": "lead"}, {"after_better": "lead", "after_pickup": "picker"}]
JUNK = ["play", "play 10s", "play 7C ", "pick", "PICK UP", "lift", "advise", "end won", "absent", "♥"]
options = st.builds(
    lambda form, one: {**form, **one},
    st.sampled_from(FORMS),
    st.fixed_dictionaries(
        {
            "seed": st.integers(0, 99).map(str),
            "size": st.sampled_from([1, 2, 3, 8]),
            "trumps": st.sampled_from(["SH", "DC"]),
            "show": st.sampled_from(["all", "own"]),
            "computer_sees": st.sampled_from(["all", "own"]),
            "depth": st.sampled_from([0, 4]),
            "hints": st.booleans(),
            "max_actions": st.sampled_from([20, 400]),
            "turn_limit_seconds": st.sampled_from([0, 30]),
            "gather_seconds": st.sampled_from([0, 60]),
            "absent_after": st.sampled_from([0, 2]),
            "robots": st.sampled_from([{}, COMPUTER]),
        }
    ),
)
sent = st.sampled_from([*rules.EXAMPLES, *JUNK, *(f"play {card}" for card in pack(3))])
openings = options.map(lambda chosen: Opening(rules.deal(chosen["seed"], chosen), chosen, source="deals.txt"))


# Hidden cards if players see only their own hands: all others but the top card, whether seen before or not.


def _revealing(actions, **options):
    options = {"size": 3, "show": "own", "hints": True, "robots": COMPUTER, "seed": "1", **options}
    return Opening(rules.deal("revealing", options), options), actions


REVEALING = [
    _revealing(["consult", "play KD", "play KC", "offer draw", "consult", "pick up", "claim win", "play QD"]),
    _revealing(["consult", "lift AS", "play QC", "consult", "pick up", "resign"], computer_sees="own"),
]
RANK_AND_SUIT = r"(?:10|[2-9AJQK])[SHCD]"
# Not counted: keys of the page's dictionary of card names, and the example in the list of commands.
CARD = re.compile(rf'(?:"|&quot;){RANK_AND_SUIT}(?:"|&quot;)(?!:|, (?:"|&quot;)play a card)')


def named(said):
    return set(re.findall(rf"(?<!\w){RANK_AND_SUIT}(?!\w)", json.dumps(said, ensure_ascii=False)))


def unseen(state, seat, _done):
    if state.options["show"] == "all":
        return set()
    position = state.position
    everything = {*position.hands[0], *position.hands[1], *position.table}
    return everything - position.hands[rules.PLAYERS[seat]] - {*position.table[-1:]}


SETTINGS = [{"show": "own"}, {"show": "own", "after_better": "lead", "after_pickup": "picker", "size": 8}]


def watched(seat, hands, lines, debug=True, **fields):
    """Returns a case in which actions like ``S play 7C`` are played, and the watched seat tries some others.

    The watched seat has the same hand in both deals. In the other hand only the played cards are the same.
    """

    def play(table):
        for line in lines:
            who, action = line.split(" ", 1)
            table.act(who, action)
            if table.players.keys() == {*rules.SEATS}:
                number = table.tab(who).state["view"]["moves"]
                table.until(lambda said, number=number: said["view"]["moves"] >= number)
        tab = table.tab(seat)
        tab.until(lambda said: moves(said["view"]))
        for refused in ("play 2S", "lift 2S", "advise 2S +0", "no move"):
            tab.refused(refused)

    deals = [" | ".join([*hands[number], "participant"]) for number in range(2)]
    return Hidden(
        "challenge_own",
        tuple(f"{deal}\n" * 2 for deal in deals),
        {"deal_file": "hidden.txt", "depth": 2, **fields},
        play,
        seat=seat,
        participants=fields.get("group_size", 1),
        debug=debug,
    )


MINE = "JH QH KH AH 9D 8D"
THEIRS = "AC QC 9C 8D"
HIDDEN = {
    # The computer cannot beat a trump, and so picks up whatever else it has.
    "against the computer": watched(
        "S",
        [("9C 8C 7C JD", MINE), ("10C KC QC KD", MINE)],
        ["S play JH", "S play QH", "S play KH"],
        games=2,
    ),
    "of two": watched(
        "N",
        [(THEIRS, "7C 8C JC 7H AH KD"), (THEIRS, "7C 8C JC 10H 6H QD")],
        ["S play 7C", "N play 9C", "S play JC", "N pick up", "S play 8C"],
        seed=1,
        games=1,
        group_size=2,
        draw_offers=False,
        debug=False,
    ),
}


# Input of the tests of the analysis.

SMALL = {"size": "3"}
SIMULATED = {
    "": {"mix": "random:1,greedy:1,depth_4:2", "settings": SMALL},
    "two": {"mix": "random:1,greedy:1", "settings": {"players": "2", "show": "own", "size": "2"}},
    "original form": {
        "strategy": "depth_1",
        "settings": {**SMALL, "after_better": "lead", "after_pickup": "picker", "max_actions": "60"},
        "hands": 3,
    },
}
REPORTED = ["--mix", "random:1,depth_1:1", "--participants", "4", "--hands", "3", "--set", "size=3"]


def replayed(number=1, robots=None, seed=11):
    """Returns a whole game against the computer: offers, claims, advice, switches, lifts and refusals."""
    settings = {"size": 3, "hints": True, "robots": COMPUTER if robots is None else robots, "seed": "a seed"}
    deal, chance = rules.deal(f"replayed {number}", settings), random.Random(f"{seed} {number}")
    state, ms = rules.start(deal, settings), 0
    done = [(-1, "S", ARRIVE), (400, "S", "play 99X"), (500, "S", SCRIPT_INJECTION)]
    first = [rules.OFFER, rules.CLAIM, rules.CONSULT, "mark off", "reconnect"]
    while waiting := rules.waiting_for(state):
        (who,) = waiting
        ms += chance.choice([700, 2000, 4500])
        if who == "S" and first:
            action = first.pop(0)
        elif who == "S":
            action = chance.choice(
                [one for one in rules.legal_actions(state, "S") if one.startswith(("pl", "pi"))]
            )
            done.append((ms, "S", "lift " + action.split()[1])) if action.startswith("play") else None
        else:
            action = rules.robot_action(state, "N", rules.COMPUTER, "a seed")
        done.append((-1 if who in settings["robots"] else ms, who, action))
        if action not in ("reconnect",):
            state = rules.apply(state, who, action)
    return hand_rows("challenge", deal, settings, done, number)


def random_options(chance):
    return {
        **chance.choice(FORMS),
        "size": chance.choice([1, 2, 3, 8]),
        "trumps": chance.choice(["SH", "CD"]),
        "show": chance.choice(["all", "own"]),
        "computer_sees": chance.choice(["all", "own"]),
        "depth": chance.choice([0, 4]),
        "hints": chance.random() < 0.5,
        "max_actions": chance.choice([20, 60]),
        "turn_limit_seconds": chance.choice([0, 30]),
        "gather_seconds": chance.choice([0, 60]),
        "robots": chance.choice([{}, COMPUTER]),
        "seed": f"{chance.random()}",
    }


def random_game(seed):
    """Plays a random game with late arrivals, absences, refusals, offers and departures."""
    chance = random.Random(seed)
    options = random_options(chance)
    deal = rules.deal(f"{seed}", {**options, "dealer": chance.choice(["computer", "participant"])})
    opening = Opening(deal, options, 1, 3, source="random.txt", notice="=a notice")
    shown = None if chance.random() < 0.1 else CREATED_MS + chance.randint(100, 100_000)
    table = Table(rules, opening, shown, chance)
    people = table.hand.human_seats
    come = [seat for seat in people if shown and chance.random() < 0.8]
    for seat in come:
        table.note(seat, ARRIVE)
    table.add([])
    leaves, wrong = chance.choice([0, 0, 0.03]), chance.choice([0, 0.1])
    for _step in range(chance.choice([0, 3, 30, 100])):
        if table.hand.is_over:
            break
        table.now += chance.randint(0, 4_000)
        seat, luck = chance.choice(people), chance.random()
        if luck < leaves:
            table.leave(seat, chance.choice(["advanced", "advanced", "gave_up", "timeout"]))
        elif luck < leaves + wrong:
            odd_step(table, seat, come)
        elif seat in come:
            legal = rules.legal_actions(table.hand.state, seat)
            if legal and (legal != [rules.RESIGN] or chance.random() < 0.02):
                table.send_action(seat, chance.choice([one for one in legal if one != rules.RESIGN] or legal))
    return table


def odd_step(table, seat, come):
    """Takes an occasional step other than a move."""
    what = table.chance.randrange(6)
    if what == 0:
        table.wait(table.chance.choice([5, 40, 70]))
    elif what == 1 and not table.hand.is_over_for(seat):
        table.note(seat, "reconnect" if seat in come else ARRIVE)
        come += [] if seat in come else [seat]
    elif seat not in come:
        return
    elif what == 2:
        table.send_action(seat, table.chance.choice(WORDS))
    elif what == 3:
        table.send_action(seat, rules.OFFER, table.chance.choice([-1, 1, 7]))
    elif what == 4:
        table.send_action(seat, table.chance.choice([*rules.TOGGLES]))
    else:
        table.send_action(seat, "play 2H")


def rounds(seed):
    """Returns a session: an empty round of instructions, and two rounds of games, of which only the last may
    stay open."""
    chance = random.Random(f"session {seed}")
    played = [[]]
    count = chance.randint(1, 2)
    for number in range(count):
        round_hands, who = [], 1
        for group in range(chance.randint(1, 2)):
            table = random_game(1000 * seed + 10 * number + group)
            people = [seat for seat in table.hand.seats if seat not in table.hand.robots]
            for seat in people if number < count - 1 else ():
                table.leave(seat)
            round_hands.append(Played(table.record, dict(zip(people, range(who, 9)))))
            who += len(people)
        played.append(round_hands)
    return played


def in_sight(view):
    return sorted([*view["hand"], *(view["other"] or ()), *view["table"]])
