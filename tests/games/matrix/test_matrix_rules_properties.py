"""Compares random play of the matrix card game with a second implementation of rulings 11 to 13."""

import json
from collections import Counter
from copy import deepcopy
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cardlab.games.cards import pretty
from cardlab.games.contract import IllegalAction
from cardlab.games.matrix import rules

CORNERS = {"SW": (-1, -1), "NW": (-1, 1), "NE": (1, 1), "SE": (1, -1)}
SEATED = {"S": (0, -1), "W": (-1, 0), "N": (0, 1), "E": (1, 0)}
CLOCKWISE = "SWNE"
STANDARD = [
    rank + suit
    for suit in "SHCD"
    for rank in ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
]
SPECIAL = [f"{side}{sign}{points}" for side in "LR" for sign in "+-" for points in range(1, 11)]
ROTATIONS = [f"rotate {cell}" for cell in CORNERS]
JUNK = ["", "play", "play 1S", "play 7C ", "rotate", "rotate S", "look", "undo", "KEEP"]


def worth(card, court):
    if card[0] in "LR":
        return int(card[1:])
    courts = {"J": 10, "Q": 10, "K": 10} if court == "10" else {"J": 11, "Q": 12, "K": 13}
    points = courts[card[0]] if card[0] in courts else 1 if card[0] == "A" else int(card[:-1])
    return -points if card[-1] in "HD" else points


def is_left(card):
    return card[0] == "L" or card[-1] in "SH"


class Table:
    """The game as a table with a person on each side: directions are arrows, cells are corners."""

    def __init__(self, deal, players, pack, court, change_choice):
        parts = [part.split() for part in deal.split("|")]
        self.players = list(CLOCKWISE[:players])
        self.court, self.change_choice = court, change_choice
        self.hands = dict(zip(self.players, parts))
        self.piles = {seat: [] for seat in self.players}
        vertical_then_horizontal = zip(CORNERS, parts[players : players + 4])
        self.lies = {cell: {"|": one, "-": two} for cell, (one, two) in vertical_then_horizontal}
        self.stock = parts[-1]
        self.turns = {"standard": 22, "special": 16}[pack]
        self.played = 0  # turns whose cards were disclosed
        self.face_down = {}
        self.servers = set()  # seats whose face-down card the server chose
        self.to_rotate = None
        self.last = self.last_but_one = None

    def over(self):
        return self.played == self.turns and not self.to_rotate

    def pair(self):
        turn = self.number()
        return "NE" if len(self.players) == 4 and turn % 2 == 0 else "SW"

    def number(self):
        return self.played if self.to_rotate or self.over() else self.played + 1

    def waits_for(self):
        if self.over():
            return []
        if self.to_rotate:
            return [self.to_rotate]
        return [seat for seat in self.pair() if seat not in self.face_down]

    def may_change(self, seat):
        return self.change_choice and seat in self.face_down

    def accepts(self, seat, action):
        if seat not in self.players or self.over():
            return False
        if action == "keep" or action in ROTATIONS:
            return seat == self.to_rotate
        word, _, card = action.partition(" ")
        if word != "play" or self.to_rotate or card not in self.hands[seat] or seat not in self.pair():
            return False
        return seat not in self.face_down or (self.may_change(seat) and self.face_down[seat] != card)

    def act(self, seat, action, by_server=False):
        if action == "keep" or action in ROTATIONS:
            if action != "keep":
                cross = self.lies[action.split()[1]]
                cross["|"], cross["-"] = cross["-"], cross["|"]
            self.last["rotation"] = action
            self.last["kept_for"] = seat if by_server else None
            pair, self.to_rotate = self.pair(), None
            self.draw(pair)
            return
        self.face_down[seat] = action.split()[1]
        self.servers.discard(seat)
        if by_server:
            self.servers.add(seat)
        if set(self.face_down) == set(self.pair()):
            self.disclose()

    def disclose(self):
        """A seat at arrow (x, y) looks to (−x, −y) and has its left at (y, −x) … turned a quarter."""
        pair = self.pair()
        cards = {seat: self.face_down[seat] for seat in pair}
        towards = [column_arrow(seat, is_left(card)) for seat, card in cards.items()]
        corner = tuple(sum(arrow) for arrow in zip(*towards))
        (cell,) = [name for name, place in CORNERS.items() if place == corner]
        taken = {seat: self.lies[cell][lie(seat)] for seat in pair}
        for seat in pair:
            self.hands[seat].remove(cards[seat])
            self.piles[seat].append(taken[seat])
            self.lies[cell][lie(seat)] = cards[seat]
        self.face_down = {}
        self.played += 1
        values = {seat: worth(card, self.court) for seat, card in taken.items()}
        lowest = [seat for seat in pair if values[seat] == min(values.values())]
        rotator = lowest[0] if len(lowest) == 1 else None
        if len(self.players) == 4 or self.played == self.turns:
            rotator = None
        self.last_but_one = self.last if len(self.players) == 4 else None
        self.last = {
            "turn": self.played,
            "cards": cards,
            "cell": cell,
            "collected": taken,
            "rotator": rotator,
            "rotation": None,
            "chosen_for": self.servers,
            "kept_for": None,
        }
        self.servers = set()
        self.to_rotate = rotator
        if not rotator:
            self.draw(pair)

    def draw(self, pair):
        for seat in pair:
            if self.stock and len(self.hands[seat]) < 7:
                self.hands[seat].append(self.stock.pop(0))

    def view(self, seat):
        crosses = []
        for row in ("far", "near"):
            for left in (True, False):
                x, y = SEATED[seat]
                forth = (x, y) if row == "near" else (-x, -y)
                aside = column_arrow(seat, left)
                place = (forth[0] + aside[0], forth[1] + aside[1])
                (cell,) = [name for name, corner in CORNERS.items() if corner == place]
                own, across = lie(seat), "-" if lie(seat) == "|" else "|"
                crosses.append(
                    {
                        "cell": cell,
                        "row": row,
                        "column": "left" if left else "right",
                        "own": self.lies[cell][own],
                        "across": self.lies[cell][across],
                    }
                )
        in_sight = {card for cross in self.lies.values() for card in cross.values()} | {*self.hands[seat]}
        for turn in filter(None, (self.last, self.last_but_one)):
            in_sight |= {*turn["collected"].values(), *turn["cards"].values()}
        around = [*self.players, *self.players][self.players.index(seat) :][: len(self.players)]
        return {
            "seat": seat,
            "turn": self.number(),
            "of": self.turns,
            "pair": [*self.pair()],
            "waiting_for": self.waits_for(),
            "crosses": crosses,
            "hand": self.hands[seat],
            "chosen": self.face_down.get(seat),
            "may_change": self.may_change(seat),
            "other_chosen": bool(set(self.face_down) - {seat}),
            "rotator": self.to_rotate,
            "players": [
                {
                    "seat": other,
                    "side": relative_side(seat, other),
                    "score": sum(worth(card, self.court) for card in self.piles[other]),
                    "pile": len(self.piles[other]),
                    "hand": len(self.hands[other]),
                }
                for other in around
            ],
            "stock": len(self.stock),
            "last": self.last,
            "last_but_one": self.last_but_one,
            "faces": {
                card: {"value": worth(card, self.court), "column": "left" if is_left(card) else "right"}
                for card in in_sight
            },
        }

    def everything(self):
        """Returns the place of every card, visible or not."""
        crossed = [card for cross in self.lies.values() for card in cross.values()]
        return [*crossed, *self.stock, *sum(self.hands.values(), []), *sum(self.piles.values(), [])]


def column_arrow(seat, left):
    """A seat at (x, y) faces (−x, −y); a quarter turn to the left of that is (y, −x)."""
    x, y = SEATED[seat]
    return (y, -x) if left else (-y, x)


def lie(seat):
    """Returns the way a card lies that is directed toward the seat."""
    return "|" if SEATED[seat][0] == 0 else "-"


def relative_side(seat, other):
    x, y = SEATED[seat]
    arrows = {
        (x, y): "near",
        (-x, -y): "far",
        column_arrow(seat, True): "left",
        column_arrow(seat, False): "right",
    }
    return arrows[SEATED[other]]


options = st.fixed_dictionaries(
    {
        "players": st.sampled_from([2, 4]),
        "pack": st.sampled_from(["standard", "special"]),
        "court": st.sampled_from(["10", "ladder"]),
        "change_choice": st.booleans(),
    }
)


chances = st.randoms(use_true_random=True)  # drawn as a seed, because a whole game would need too many draws


def shuffled(settings, chance):
    cards = list(STANDARD if settings["pack"] == "standard" else SPECIAL)
    chance.shuffle(cards)
    sections = []
    for size in [7] * settings["players"] + [2] * 4:
        sections.append(" ".join(cards[:size]))
        cards = cards[size:]
    return " | ".join([*sections, " ".join(cards)])


def drawn_action(chance, state):
    """Draws a legal action, or sometimes any action of any seat."""
    if chance.random() < 0.15:
        cards = [card for hand in state.hands for card in hand] + list(state.stock)
        odd = [*JUNK, *ROTATIONS, "keep", *(f"play {chance.choice(cards)}" for _ in range(9))]
        return chance.choice([*"SWNE", "", "solo"]), chance.choice(odd)
    open_to = [(seat, action) for seat in rules.seats(state) for action in rules.legal_actions(state, seat)]
    seat = chance.choice(sorted({seat for seat, _ in open_to}))
    return seat, chance.choice([action for who, action in open_to if who == seat])


def attempt(state, seat, action):
    """Returns the state after the action and no reason, or the same state and the reason of the refusal."""
    try:
        return rules.apply(state, seat, action), None
    except IllegalAction as refused:
        return state, str(refused)


@st.composite
def states(draw):
    """Draws any reachable state."""
    settings, chance = draw(options), draw(chances)
    state = rules.start(shuffled(settings, chance), settings)
    for _ in range(draw(st.integers(0, 90))):
        if rules.is_over(state):
            break
        state, _reason = attempt(state, *drawn_action(chance, state))
    return state


def played_out(state, chance, rotate=True):
    """Returns the state at the end of a game, and all states on the way."""
    on_the_way = [state]
    while not rules.is_over(state):
        seat = chance.choice(rules.waiting_for(state))
        moves = rules.legal_actions(state, seat)
        state = rules.apply(state, seat, chance.choice(moves) if rotate or state.rotator is None else "keep")
        on_the_way.append(state)
    return state, on_the_way


def everything(state):
    return [
        *sum(state.hands, ()),
        *sum(state.crosses, ()),
        *state.stock,
        *sum((state.pile(seat) for seat in rules.seats(state)), ()),
    ]


def normalized(view):
    """Sorts the server's choices in a view, because their order does not matter."""
    for turn in filter(None, (view["last"], view["last_but_one"])):
        turn["chosen_for"] = set(turn["chosen_for"])
    return view


@given(options, chances)
def test_rules_agree_with_a_second_implementation(settings, chance):
    deal = shuffled(settings, chance)
    state, table = rules.start(deal, settings), Table(deal, **settings)
    while not table.over():
        seat, action = drawn_action(chance, state)
        accepted = table.accepts(seat, action)
        state, reason = attempt(state, seat, action)
        assert (reason is None) is accepted, (seat, action)
        if accepted:
            by_server = not action.startswith("rotate") and chance.random() < 0.3
            table.act(seat, action, by_server)
            state = rules.mark_played_by_server(state, seat) if by_server else state
        for each in table.players:
            assert normalized(rules.view(state, each)) == table.view(each)
        assert rules.is_over(state) is table.over()
        assert {seat: list(state.pile(seat)) for seat in table.players} == table.piles
        assert {seat: list(state.hand(seat)) for seat in table.players} == table.hands
        assert list(state.stock) == table.stock


@given(options, chances)
def test_cards_are_conserved_and_scores_offset_remaining_cards(settings, chance):
    pack = STANDARD if settings["pack"] == "standard" else SPECIAL
    state, on_the_way = played_out(rules.start(shuffled(settings, chance), settings), chance)
    for each in on_the_way:
        assert sorted(everything(each)) == sorted(pack)
    assert len(state.turns) == {52: 22, 40: 16}[len(pack)]
    scores = [rules.result(state, seat, 1).score for seat in rules.seats(state)]
    assert sum(scores) == -sum(worth(card, settings["court"]) for card in sum(state.crosses, ()))
    assert len({len(state.pile(seat)) for seat in rules.seats(state)}) == 1


@given(options, chances)
def test_payments_along_an_axis_are_deterministic_without_rotation(settings, chance):
    """A card then stays on the axis of its player, until that player (or, of four, the one opposite) collects
    it. So the cards that an axis had at first or that were played along it are either collected along it or
    still there at the end. The source calls this deterministic.
    """
    begun = rules.start(shuffled(settings, chance), settings)
    state, _ = played_out(begun, chance, rotate=False)
    for axis, those in enumerate(["SN", "WE"]):
        played = [card for turn in state.turns for who, card in zip(turn.pair, turn.cards) if who in those]
        collected = [card for seat in rules.seats(state) if seat in those for card in state.pile(seat)]
        at_first = [cross[axis] for cross in begun.crosses]
        in_the_end = [cross[axis] for cross in state.crosses]
        assert Counter(collected) + Counter(in_the_end) == Counter(played) + Counter(at_first)


@given(options, chances)
def test_turns_record_all_and_payoffs_predict_collections(settings, chance):
    _, on_the_way = played_out(rules.start(shuffled(settings, chance), settings), chance)
    for before, after in zip(on_the_way, on_the_way[1:]):
        if len(after.turns) == len(before.turns):
            continue
        turn = after.turns[-1]
        row, column = (0 if is_left(card) else 1 for card in turn.cards)
        gained = tuple(after.score(seat) - before.score(seat) for seat in turn.pair)
        assert rules.payoffs(before)[row][column] == gained
        assert (turn.number, turn.pair, turn.crosses) == (before.turn, before.pair, before.crosses)
        assert all(card in before.hand(seat) for seat, card in zip(turn.pair, turn.cards))
        sides = [{is_left(card) for card in before.hand(seat)} for seat in turn.pair]
        assert turn.free == tuple(len(each) == 2 for each in sides)


@given(states(), st.sampled_from("SWNE"))
def test_exactly_the_legal_actions_are_accepted(state, seat):
    assume(seat in rules.seats(state))
    tried = [*(f"play {card}" for card in everything(state)), *ROTATIONS, "keep"]
    accepted = [action for action in tried if attempt(state, seat, action)[1] is None]
    assert sorted(rules.legal_actions(state, seat)) == sorted(accepted)


@given(states())
def test_awaited_players_can_act_and_play_continues(state):
    assert bool(rules.waiting_for(state)) is not rules.is_over(state)
    for seat in rules.waiting_for(state):
        assert rules.legal_actions(state, seat)
        assert rules.absent_action(state, seat, "seed") in rules.legal_actions(state, seat)


@given(states(), st.sampled_from("SWNE"), st.one_of(st.sampled_from([*JUNK, *ROTATIONS, "keep"]), st.text()))
def test_apply_does_not_change_its_argument(state, seat, action):
    before = deepcopy(state)
    assert attempt(state, seat, action) == attempt(state, seat, action)
    assert state == before


@given(states())
def test_view_is_plain_json(state):
    for seat in rules.seats(state):
        view = rules.view(state, seat)
        assert json.loads(json.dumps(view)) == view


# Hidden information


def in_sight(state, seat):
    """Returns the cards that the seat sees: its hand, the crosses, and each pair's last collected cards."""
    last = sum((turn.collected for turn in state.turns[-len(state.seats) // 2 :]), ())
    return {*state.hand(seat), *sum(state.crosses, ()), *last}


@st.composite
def states_that_look_alike(draw):
    """Draws a seat and two states that differ only in what the seat cannot see: the others' hands, the stock,
    a choice not yet answered, and the consequences of these."""
    state, chance = draw(states()), draw(chances)
    seat = draw(st.sampled_from(rules.seats(state)))
    unseen = [card for hand in state.hands if hand != state.hand(seat) for card in hand] + [*state.stock]
    chance.shuffle(unseen)
    hands = []
    for hand in state.hands:
        own = hand == state.hand(seat)
        hands.append(hand if own else tuple(unseen[: len(hand)]))
        unseen = unseen if own else unseen[len(hand) :]
    other = replace(state, hands=tuple(hands), stock=tuple(unseen))
    if state.choice and state.choice.seat != seat:
        card = chance.choice(other.hand(state.choice.seat))
        other = replace(other, choice=state.choice._replace(card=card))
    turns = (turn._replace(free=(chance.random() < 0.5, chance.random() < 0.5)) for turn in state.turns)
    return seat, state, replace(other, turns=tuple(turns))


@given(states_that_look_alike())
def test_hidden_cards_do_not_change_a_seats_view(alike):
    seat, one, two = alike
    assert rules.view(one, seat) == rules.view(two, seat)
    assert rules.legal_actions(one, seat) == rules.legal_actions(two, seat)
    assert rules.waiting_for(one) == rules.waiting_for(two)
    assert rules.payoffs(one) == rules.payoffs(two)
    assert rules.result(one, seat, 1) == rules.result(two, seat, 1)
    if seat in rules.waiting_for(one):
        assert rules.absent_action(one, seat, "seed") == rules.absent_action(two, seat, "seed")


@given(states_that_look_alike(), st.data())
def test_hidden_cards_do_not_change_refusals(alike, data):
    seat, one, two = alike
    tried = [*JUNK, *ROTATIONS, "keep", *(f"play {card}" for card in everything(one))]
    action = data.draw(st.sampled_from(tried))
    reason = attempt(one, seat, action)[1]
    assert reason == attempt(two, seat, action)[1]
    for card in set(everything(one)) - in_sight(one, seat):
        said = card if card[0] in "LR" else pretty(card)
        assert said not in (reason or "")


@given(states())
def test_view_names_only_visible_cards(state):
    for seat in rules.seats(state):
        text = json.dumps(rules.view(state, seat))
        for card in set(everything(state)) - in_sight(state, seat):
            assert f'"{card}"' not in text


# Counts of action sequences, which are the same by rules and table


def ways_by_rules(state, depth):
    if depth == 0:
        return 1
    return sum(
        ways_by_rules(rules.apply(state, seat, action), depth - 1)
        for seat in rules.seats(state)
        for action in rules.legal_actions(state, seat)
    )


def ways_at_the_table(table, depth):
    if depth == 0:
        return 1
    count = 0
    for seat in table.players:
        for action in [*(f"play {card}" for card in table.hands[seat]), *ROTATIONS, "keep"]:
            if table.accepts(seat, action):
                after = deepcopy(table)
                after.act(seat, action)
                count += ways_at_the_table(after, depth - 1)
    return count


@pytest.mark.parametrize(
    ("seed", "settings", "count"),
    [
        ("five", {"players": 2, "pack": "standard", "court": "10", "change_choice": False}, 7196),
        ("two", {"players": 2, "pack": "special", "court": "10", "change_choice": False}, 2 * 49 * 5 * 14),
        ("three", {"players": 4, "pack": "special", "court": "10", "change_choice": False}, (14 * 7) ** 2),
        pytest.param(
            "thirteen",
            {"players": 2, "pack": "standard", "court": "ladder", "change_choice": True},
            20336,
            marks=pytest.mark.long("takes seconds"),
        ),
    ],
)
def test_rules_and_table_count_equal_lines(seed, settings, count):
    deal = rules.deal(seed, settings)
    assert ways_by_rules(rules.start(deal, settings), 4) == count
    assert ways_at_the_table(Table(deal, **settings), 4) == count
