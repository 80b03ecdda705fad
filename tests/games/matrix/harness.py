"""Provides what the shared tests need to know of the matrix card game (``tests/harnesses.py``)."""

import json
import random
import re

from harnesses import Hidden
from hypothesis import strategies as st
from random_play import CREATED_MS, WORDS, Played, Table
from synthetic_actions import hand_rows

from cardlab.games.events import ARRIVE
from cardlab.games.matrix import rules
from cardlab.games.matrix.deal import format_deal
from cardlab.games.matrix.packs import PACKS
from cardlab.games.matrix.robots import ROBOTS
from cardlab.games.record import Opening

CONFIG, PEOPLE = "matrix_two", 2
FIELDS = {"check": False, "games": 10, "gather_seconds": 0}
ASKED = {"players": 2}
ANSWERS = {
    "left_right": ("own", "two"),
    "who_collects": ("upright", "two"),
    "new_cross": ("cross", "stands"),
    "red_card": ("minus5", "plus5"),
    "turning": ("me", "none"),
}

TRACES = ()


def seat(view):
    return view["seat"]


def moves(view):
    if view["seat"] not in view["waiting_for"]:
        return []
    if view["rotator"]:
        return [*(f"rotate {cross['cell']}" for cross in view["crosses"]), "keep"]
    return [f"play {card}" for card in view["hand"]]


# Random hands.

JUNK = ["play", "play 1S", "play 7C ", "rotate", "rotate S", "look", "KEEP", "end completed", "absent", "♥"]
options = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 99).map(str),
        "players": st.sampled_from([2, 4]),
        "pack": st.sampled_from(sorted(PACKS)),
        "court": st.sampled_from(["10", "ladder"]),
        "change_choice": st.booleans(),
        "turn_limit_seconds": st.sampled_from([0, 30]),
        "gather_seconds": st.sampled_from([0, 60]),
        "absent_after": st.sampled_from([0, 2]),
        "robots": st.sampled_from([{}, {"W": "random"}, {"S": "best_response"}]),
    }
)
sent = st.sampled_from([*rules.ROTATIONS, rules.KEEP, *JUNK, *(f"play {c}" for c in PACKS["standard"])])
openings = options.map(lambda chosen: Opening(rules.deal(chosen["seed"], chosen), chosen, source="deals.txt"))


# Hidden cards by the rulings: all except disclosed ones and the seat's own.

REVEALING = []
CARD = re.compile(r"(?<![\w+-])(?:[LR][+-](?:10|[1-9])|(?:10|[2-9AJQK])[SHCD])(?!\w)")


def named(message):
    return set(CARD.findall(json.dumps(message, ensure_ascii=False)))


def unseen(state, seat, _done):
    seen = {card for cross in state.crosses for card in cross} | set(state.hand(seat))
    for turn in state.turns:
        seen |= {*turn.cards, *turn.collected}
    return set(PACKS[state.options["pack"]]) - seen


SETTINGS = [{"change_choice": True}, {"pack": "special"}, {"players": 4, "robot": "greedy", "group_size": 2}]

TURNS = 4  # disclosed before the secret choice
SAFE = 3  # the first cards of each hand are in both deals, to be played


def alike(seat, players=2, pack="standard"):
    """Returns two deals that the seat cannot distinguish in the first turns: its own hand, the crosses, the
    safe cards and the first draws are the same, and all other cards have other places."""
    options = {"players": players, "pack": pack}
    one = format_deal([*PACKS[pack][1::2], *PACKS[pack][::2]], options)
    *sections, stock = (section.split() for section in one.split(" | "))
    others = [hand for other, hand in zip("SWNE", sections[:players]) if other != seat]
    hidden = [card for one in others for card in one[SAFE:]] + stock[2 * TURNS :]
    moved = iter(hidden[5:] + hidden[:5])
    for hidden_hand in others:
        hidden_hand[SAFE:] = [next(moved) for _card in hidden_hand[SAFE:]]
    two = " | ".join(map(" ".join, [*sections, [*stock[: 2 * TURNS], *moved]]))
    return f"{one}\n" * 2, f"{two}\n" * 2


def watched(seat, chooser, players, **fields):
    """Returns the case of a seat, before which the chooser makes a choice that is not disclosed.

    The seed gives the seat to the last participant, so that nothing is played for it when all are moved on.
    In games of four nobody is moved on, because cards would be played for those who leave first.
    """

    def play(table):
        initial = {other: table.tab(other).state["view"]["hand"] for other in table.players}
        play_the_first_turns(table, seat, chooser, fields.get("change_choice"))
        table.act(chooser, f"play {initial[chooser][SAFE]}")
        table.tab(seat).until(lambda message: message["view"]["other_chosen"])

    dealt = {"deal_file": "hidden.txt", "rotate_dealer": False, "players": players, "group_size": players}
    return Hidden(
        "matrix_two",
        alike(seat, players, fields.get("pack", "standard")),
        {**dealt, **fields},
        play,
        participants=players,
        seat=seat,
        leave=players == 2,
        debug=not fields.get("pack"),
    )


def play_the_first_turns(table, watched, chooser, may_change):
    """Plays the cards that are the same in both deals; the watched seat also tries illegal actions."""
    played = dict.fromkeys(table.players, 0)
    message = table.tab(watched).state
    for _turn in range(TURNS):
        for seat in sorted(message["view"]["waiting_for"], key=lambda seat: seat != chooser):
            tab = table.tab(seat)
            hand = tab.until(lambda heard, seat=seat: seat in heard["view"]["waiting_for"])["view"]["hand"]
            if may_change and seat == chooser and played[seat] == 0:
                tab.act(f"play {hand[1]}")
            message = tab.act(f"play {hand[0] if played[seat] < SAFE else hand[-1]}")
            played[seat] += 1
        while rotator := message["view"]["rotator"]:
            message = table.act(rotator, "rotate NW")
        for tab in table.tabs:
            tab.until(lambda heard, now=message: heard["view"]["turn"] == now["view"]["turn"])
        table.tab(watched).refused(f"play {message['view']['crosses'][0]['own']}")
        table.tab(watched).refused("no move")


HIDDEN = {
    "W of two": watched("W", "S", 2, seed=1, games=1),
    "S of two": watched("S", "W", 2, seed=3, games=2, change_choice=True, pack="special"),
    "E of four": watched("E", "S", 4, seed=7, games=1, change_choice=True),
}


# Input of the tests of the analysis.

SIMULATED = {
    "": {"mix": "random:1,minimax:1"},
    "four": {
        "mix": "greedy:1,best_response:3",
        "settings": {"players": "4", "change_choice": "true"},
    },
    "special pack": {
        "strategy": "greedy",
        "settings": {"pack": "special", "court": "ladder"},
        "deals": "two_players_special.txt",
        "hands": 3,
    },
}
REPORTED = ["--mix", "random:1,greedy:1", "--participants", "4", "--hands", "3"]


def replayed(number=1, seed=1, robots=None):
    """Returns a whole random game of two players, one of whom tries a card that they do not have."""
    chance = random.Random(seed)
    settings = {
        "players": 2,
        "pack": "standard",
        "court": "10",
        "change_choice": True,
        "robots": robots or {},
    }
    deal = rules.deal(str(seed), settings)
    state, ms = rules.start(deal, settings), 0
    moves = [(-1, seat, "arrive") for seat in state.seats if seat not in settings["robots"]]
    moves.append((500, "S", "play 99X"))
    while waiting := rules.waiting_for(state):
        seat = chance.choice(waiting)
        action = chance.choice(rules.legal_actions(state, seat))
        ms += chance.choice([700, 2000, 4500])
        moves.append((-1 if seat in settings["robots"] else ms, seat, action))
        state = rules.apply(state, seat, action)
    return hand_rows("matrix", deal, settings, moves, number)


def random_options(chance):
    players = chance.choice([2, 4])
    around = "SWNE"[:players]
    robots = chance.sample(around, chance.randrange(players)) if chance.random() < 0.5 else []
    return {
        "players": players,
        "pack": chance.choice(["standard", "special"]),
        "court": chance.choice(["10", "ladder"]),
        "change_choice": chance.random() < 0.5,
        "turn_limit_seconds": chance.choice([0, 30]),
        "gather_seconds": chance.choice([0, 60]),
        "robots": {seat: chance.choice([*ROBOTS]) for seat in robots},
        "seed": f"{chance.random()}",
    }


def random_game(seed):
    """Plays a random game with late arrivals, absences, refusals, changed choices and departures."""
    chance = random.Random(seed)
    options = random_options(chance)
    opening = Opening(rules.deal(f"{seed}", options), options, 1, 3, source="random.txt", notice="=a notice")
    shown = None if chance.random() < 0.1 else CREATED_MS + chance.randint(100, 100_000)
    table = Table(rules, opening, shown, chance)
    people = table.hand.human_seats
    come = [seat for seat in people if shown and chance.random() < 0.8]
    for seat in come:
        table.note(seat, ARRIVE)
    table.add([])
    leaves, wrong = chance.choice([0, 0, 0.03]), chance.choice([0, 0.1])
    for _step in range(chance.choice([0, 3, 30, 400])):
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
            if legal:
                table.send_action(seat, chance.choice(legal))
    return table


def odd_step(table, seat, come):
    """Takes an occasional step other than a move."""
    what = table.chance.randrange(5)
    if what == 0:
        table.wait(table.chance.choice([5, 40, 70]))
    elif what == 1 and not table.hand.is_over_for(seat):
        table.note(seat, "reconnect" if seat in come else ARRIVE)
        come += [] if seat in come else [seat]
    elif what == 2 and seat in come:
        table.send_action(seat, table.chance.choice(WORDS))
    elif what == 3 and seat in come:
        table.send_action(seat, "keep", table.chance.choice([-1, 1, 7]))
    elif seat in come:
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
    return sorted([cross[axis] for cross in view["crosses"] for axis in ("own", "across")] + view["hand"])
