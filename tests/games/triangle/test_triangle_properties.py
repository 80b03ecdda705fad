"""Compares random play of Triangle Solitaire with a second implementation of rulings 15 to 18."""

import json
from collections import Counter
from copy import deepcopy
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.contract import IllegalAction
from cardlab.games.triangle import rules
from cardlab.games.triangle.deal import parse_deal

SORTS = ["HPF", "BRG", "CST"]
LETTERS = "".join(SORTS)
PACK = sorted([*LETTERS * 4, *(f + c + s for f in "HPF" for c in "BRG" for s in "CST")])
JUNK = [
    "",
    "place",
    "place 0",
    "place 28",
    "place 7 ",
    "discard 1",
    "mark X 3",
    "mark H",
    "unmark H 30",
    "undo",
]


class Table:
    """A second implementation of the game: heaps of card names on a table, with no derived data."""

    def __init__(self, deal, highlight, show_left):
        places, spares, deck = (section.split() for section in deal.split("|"))
        self.heaps = {n: list(there) for n, there in enumerate(places, 1)}  # letters, or one Complete
        self.beside = {n: [] for n in self.heaps}
        self.pile = [] if spares == ["-"] else spares
        self.deck = deck
        self.gone = []
        self.highlight, self.show_left = highlight, show_left
        self.last = {"card": None, "place": None, "replaced": [], "discarded": []}

    def takes(self, n):
        """Returns whether the revealed card may go to this place."""
        card, heap = self.deck[0], self.heaps[n]
        if any(len(each) == 3 for each in heap):
            return False
        if len(card) == 3:
            return all(letter in card for letter in heap)
        return len(heap) == 1 and not any(card in sort and heap[0] in sort for sort in SORTS)

    def fits(self):
        return [n for n in self.heaps if self.takes(n)] if self.deck else []

    def accepts(self, seat, action):
        if seat != "solo" or not self.deck:
            return False
        if action == "discard":
            return not self.fits()
        word, *others = action.split(" ")
        if action != " ".join([word, *others]) or not others or not others[-1].isascii():
            return False
        if (
            not others[-1].isdigit()
            or str(int(others[-1])) != others[-1]
            or int(others[-1]) not in self.heaps
        ):
            return False
        n = int(others[-1])
        if word == "place" and len(others) == 1:
            return self.takes(n)
        if len(others) != 2 or len(others[0]) != 1 or others[0] not in LETTERS:
            return False
        if word == "mark":
            return others[0] in self.pile and len(self.heaps[n][0]) == 1
        return word == "unmark" and others[0] in self.beside[n]

    def act(self, action):
        word, *others = action.split()
        if word == "mark":
            self.pile.remove(others[0])
            self.beside[int(others[1])].append(others[0])
        elif word == "unmark":
            self.beside[int(others[1])].remove(others[0])
            self.pile.append(others[0])
        elif word == "discard":
            card = self.deck.pop(0)
            (self.gone if len(card) == 3 else self.pile).append(card)
            self.last["discarded"].append(card)
        else:
            n, card, taken = int(others[0]), self.deck.pop(0), []
            if len(card) == 3:
                taken = self.heaps[n]
                self.pile += taken + self.beside[n]
                self.heaps[n], self.beside[n] = [], []
            self.heaps[n].append(card)
            self.last = {"card": card, "place": n, "replaced": taken, "discarded": []}

    def joints(self):
        kinds = []
        for n in self.heaps:
            one, other = self.heaps[n][0], self.heaps[n + 1 if n < 27 else 1][0]
            if len(one) == 1 or len(other) == 1:
                kinds.append("open")
            else:
                kinds.append("match" if {*one} & {*other} else "mismatch")
        return kinds

    def score(self):
        joints = self.joints()
        cut = {"top": joints[0:8], "right": joints[9:17], "left": joints[18:26]}
        sides = {}
        for side, eight in cut.items():
            words = [word for word in ("mismatch", "open", "match") if word in eight]
            sides[side] = words[0]
        corners = {"right": joints[8], "lower": joints[17], "left": joints[26]}
        points = {
            "sides": 5 * list(sides.values()).count("match"),
            "corners": list(corners.values()).count("match"),
            "discontinuities": -2 * joints.count("mismatch"),
            "discarded": -3 * len(self.gone),
        }
        total = sum(points.values())
        return {"total": total, "points": points, "sides": sides, "corners": corners, "joints": joints}

    def view(self):
        order = {letter: n for n, letter in enumerate(LETTERS)}
        completes = [f + c + s for f in "HPF" for c in "BRG" for s in "CST"]
        return {
            "places": [
                {
                    "place": n,
                    "side": ["top", "right", "left"][(n - 1) // 9],
                    "singles": [each for each in heap if len(each) == 1],
                    "complete": heap[0] if len(heap[0]) == 3 else None,
                    "marks": sorted(self.beside[n], key=order.get),
                }
                for n, heap in self.heaps.items()
            ],
            "card": self.deck[0] if self.deck else None,
            "spares": {letter: self.pile.count(letter) for letter in LETTERS},
            "cards_left": len(self.deck[1:]),
            "discards": self.gone,
            "score": self.score(),
            "fits": self.fits() if self.highlight else None,
            "left": [card for card in completes if card in self.deck[1:]] if self.show_left else None,
            "last": self.last,
        }


options = st.fixed_dictionaries(
    {
        "doubled": st.integers(0, 4),
        "mixed_in": st.integers(0, 5),
        "highlight": st.booleans(),
        "show_left": st.booleans(),
    }
)
chances = st.randoms(use_true_random=True)  # drawn as a seed, because a whole game would need too many draws


def dealt(settings, chance):
    return rules.deal(str(chance.random()), settings)


def drawn_action(chance, state):
    """Draws a legal action, or sometimes a reminder or any action."""
    dice = chance.random()
    if dice < 0.1:
        return chance.choice([*JUNK, "discard", *rules.PLACES])
    if dice < 0.4:
        return chance.choice([*rules.MARKS, *rules.UNMARKS])
    if dice < 0.5 and any(state.marks):
        n, marks = chance.choice([(n, marks) for n, marks in enumerate(state.marks, 1) if marks])
        return f"unmark {chance.choice(marks)} {n}"
    return chance.choice(rules.legal_actions(state, "solo") or ["discard"])


def attempt(state, action, seat="solo"):
    """Returns the state after the action and no reason, or the same state and the reason of the refusal."""
    try:
        return rules.apply(state, seat, action), None
    except IllegalAction as refused:
        return state, str(refused)


@st.composite
def states(draw):
    """Draws any reachable state."""
    settings, chance = draw(options), draw(chances)
    state = rules.start(dealt(settings, chance), settings)
    for _ in range(draw(st.integers(0, 60))):
        state, _reason = attempt(state, drawn_action(chance, state))
    return state


def everything(state):
    lying = [card for there in state.places for card in ([there] if len(there) == 3 else there)]
    return sorted([*lying, *state.spares, *sum(state.marks, ()), *state.discards, *state.deck])


@given(options, chances)
def test_rules_agree_with_a_second_implementation(settings, chance):
    deal = dealt(settings, chance)
    state, table = rules.start(deal, settings), Table(deal, settings["highlight"], settings["show_left"])
    while table.deck:
        action = drawn_action(chance, state)
        accepted = table.accepts("solo", action)
        state, reason = attempt(state, action)
        assert (reason is None) is accepted, action
        assert reason is None or reason.endswith(".")
        if accepted:
            table.act(action)
        assert rules.view(state, "solo") == table.view()
    assert rules.is_over(state)
    assert rules.result(state, "solo", 0).score == table.score()["total"]


@given(options, chances)
def test_cards_are_conserved_and_discards_fit_nowhere(settings, chance):
    state = rules.start(dealt(settings, chance), settings)
    steps = 0
    while not rules.is_over(state):
        assert everything(state) == PACK
        before, action = state, chance.choice(rules.legal_actions(state, "solo"))
        state = rules.apply(state, "solo", action)
        steps += 1
        if action == "discard":
            assert rules.forced_action(before) == "discard"
            assert not any(attempt(before, place)[1] is None for place in rules.PLACES)
        else:
            assert rules.forced_action(before) is None
    assert everything(state) == PACK
    assert steps == 27 + settings["mixed_in"]
    parts = rules.result(state, "solo", 0).parts
    assert parts["placed"] + parts["discarded"] == 27


@given(states())
def test_exactly_the_legal_actions_are_accepted(state):
    tried = [*rules.PLACES, "discard"]
    accepted = [action for action in tried if attempt(state, action)[1] is None]
    assert rules.legal_actions(state, "solo") == accepted
    forced = rules.forced_action(state)
    assert forced is None or accepted == [forced]
    assert (rules.waiting_for(state) == ()) is (accepted == []) is rules.is_over(state)


@given(states())
def test_taking_a_reminder_back_restores_the_state(state):
    for mark in rules.MARKS:
        after, reason = attempt(state, mark)
        if reason is None:
            assert rules.apply(after, "solo", f"un{mark}") == state
            assert rules.legal_actions(after, "solo") == rules.legal_actions(state, "solo")
            assert after.score == state.score


@given(states(), st.one_of(st.sampled_from([*JUNK, *rules.PLACES, *rules.MARKS]), st.text()))
def test_apply_does_not_change_its_argument(state, action):
    before = deepcopy(state)
    assert attempt(state, action) == attempt(state, action)
    assert state == before


@given(states(), st.text(), st.text())
def test_only_the_one_seat_plays(state, seat, action):
    if seat != "solo":
        assert attempt(state, action, seat)[1] == "This seat does not play in this hand."


@given(states())
def test_view_is_plain_json(state):
    view = rules.view(state, "solo")
    assert json.loads(json.dumps(view)) == view


# Hidden information


@given(states(), chances)
def test_the_decks_order_does_not_change_the_view(state, chance):
    hidden = list(state.deck[1:])
    chance.shuffle(hidden)
    other = replace(state, deck=(*state.deck[:1], *hidden))
    assert rules.view(state, "solo") == rules.view(other, "solo")
    assert rules.legal_actions(state, "solo") == rules.legal_actions(other, "solo")
    assert rules.forced_action(state) == rules.forced_action(other)
    assert rules.result(state, "solo", 1) == rules.result(other, "solo", 1)
    for action in [*rules.PLACES, "discard", *JUNK]:
        assert attempt(state, action)[1] == attempt(other, action)[1]


@given(states())
def test_a_view_names_only_the_revealed_deck_card(state):
    shown = json.dumps({**rules.view(state, "solo"), "left": None})
    for card in state.deck[1:]:
        assert len(card) == 1 or f'"{card}"' not in shown


# The deals


@given(options, st.text())
def test_a_drawn_deal_has_every_card(settings, seed):
    text = rules.deal(seed, settings)
    deal = parse_deal(text)
    cards = Counter(single for there in deal.places for single in there) + Counter(deal.spares + deal.deck)
    assert sorted(cards.elements()) == PACK
    assert (deal.doubled, deal.mixed_in) == (settings["doubled"], settings["mixed_in"])
    assert everything(rules.start(text, settings)) == PACK
