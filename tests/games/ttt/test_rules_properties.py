"""Compares random play of Target the Two with a second implementation of rulings 1 and 5."""

import json
from copy import deepcopy

from hypothesis import assume, given
from hypothesis import strategies as st

from cardlab.games.cards import pretty
from cardlab.games.contract import IllegalAction
from cardlab.games.ttt import board, rules

CARDS = ["2H", "3H", "4H", "2C", "3C", "4C"]
LOOKS = ["look ck", "look nk"]
PICKS = ["pick c", "pick ck", "pick up", "pick t", "pick n", "pick nk"]
JUNK = ["", "u", "TT", "look", "look up", "pick", "pick x", " P", "undo"]

options = st.fixed_dictionaries(
    {
        "MaxRounds": st.integers(1, 20),
        "ViewCard": st.sampled_from(["all", "mix", "none"]),
        "ViewCkNk": st.booleans(),
        "ViewTarget": st.booleans(),
        "DragCkNk": st.booleans(),
    }
)
actions = st.lists(st.sampled_from([*"UCNTP", *"UCNTP", *LOOKS, *PICKS, *JUNK]), max_size=30)


@st.composite
def deals(draw):
    layout = draw(st.permutations(CARDS))
    goal = draw(st.sampled_from([card for card in CARDS if card != layout[3]]))
    return f"{' '.join(layout)} | {goal} | {draw(st.sampled_from(['ck', 'nk']))}"


def attempt(state, action):
    """Returns the state after the action and no reason, or the same state and the reason of the refusal."""
    try:
        return rules.apply(state, "solo", action), None
    except IllegalAction as refused:
        return state, str(refused)


@st.composite
def states(draw):
    """Draws any reachable state."""
    state = rules.start(draw(deals()), draw(options))
    for action in draw(actions):
        state, _ = attempt(state, action)
    return state


class Table:
    """A second implementation of the game, written from the rulings, not from the rules."""

    def __init__(self, deal, settings):
        cards, goal, keeper = (part.strip() for part in deal.split("|"))
        self.lies = dict(zip(["C", "Ck", "UP", "T", "N", "Nk"], cards.split(), strict=True))
        self.goal, self.keeper, self.settings = goal, keeper.capitalize(), settings
        self.history = []
        self.turned_up = []

    def over(self):
        return self.lies["T"] == self.goal or len(self.history) == self.settings["MaxRounds"]

    def visible(self):
        """Ruling 5, ViewCard: the keepers whose cards may be seen."""
        exchanged = [move for move in self.history if move != "P"]
        if self.settings["ViewCard"] == "all" or (self.settings["ViewCard"] == "mix" and exchanged):
            return ["Ck", "Nk"]
        return [self.keeper]

    def showing(self):
        """Ruling 5, ViewCkNk: of these, the keepers whose cards are face up now."""
        return self.visible() if self.settings["ViewCkNk"] else self.turned_up

    def accepts(self, action):
        if self.over():
            return False
        if action in PICKS or action in ["U", "C", "N", "P"]:
            return True
        if action == "T":
            own, target = self.lies[self.keeper], self.lies["T"]
            return own[1] == target[1] if self.keeper == "Ck" else own[0] == target[0]
        if action in LOOKS:
            keeper = action.split()[1].capitalize()
            return keeper in self.visible() and keeper not in self.showing()
        return False

    def play(self, action):
        if action in LOOKS:
            self.turned_up.append(action.split()[1].capitalize())
        elif action not in PICKS:
            if action != "P":
                there = "UP" if action == "U" else action
                self.lies[self.keeper], self.lies[there] = self.lies[there], self.lies[self.keeper]
            self.history.append(action)
            self.keeper = "Nk" if self.keeper == "Ck" else "Ck"
            self.turned_up = []

    def view(self):
        faces = {"UP", "T", *self.showing()}
        lookable = [keeper for keeper in ["Ck", "Nk"] if keeper in self.visible() and keeper not in faces]
        return {
            "cards": {place: card if place in faces else None for place, card in self.lies.items()},
            "goal": self.goal if self.settings["ViewTarget"] else None,
            "turn": None if self.over() else self.keeper.lower(),
            "may_look": [] if self.over() else [keeper.lower() for keeper in lookable],
            "moves": len(self.history),
            "left": self.settings["MaxRounds"] - len(self.history),
            "last": self.history[-1] if self.history else None,
            "drag_keepers": self.settings["DragCkNk"],
            "back": "dorso1",
        }


@given(deals(), options, actions)
def test_rules_agree_with_a_second_implementation(deal, settings, chosen):
    state, table = rules.start(deal, settings), Table(deal, settings)
    assert rules.view(state, "solo") == table.view()
    for action in chosen:
        accepted = table.accepts(action)
        after, reason = attempt(state, action)
        assert (reason is None) is accepted, action
        if accepted:
            table.play(action)
        state = after
        assert rules.view(state, "solo") == table.view()
        assert rules.is_over(state) is table.over()
        assert state.layout == tuple(table.lies.values())


@given(deals(), options, actions)
def test_cards_are_conserved(deal, settings, chosen):
    state = rules.start(deal, settings)
    for action in chosen:
        state, _ = attempt(state, action)
        assert sorted(state.layout) == sorted(CARDS)


@given(states(), st.sampled_from("UCNTP"))
def test_turn_alternates_after_every_move(state, move):
    after, reason = attempt(state, move)
    assume(reason is None)
    assert {state.turn, after.turn} == {"ck", "nk"}
    assert after.sequence == state.sequence + move


@given(states(), st.sampled_from([*LOOKS, *PICKS]))
def test_looks_and_pick_ups_keep_cards_and_turn(state, action):
    after, _ = attempt(state, action)
    assert (after.layout, after.turn, after.sequence) == (state.layout, state.turn, state.sequence)


@given(states())
def test_exactly_the_legal_moves_are_accepted(state):
    accepted = [move for move in "UCNTP" if attempt(state, move)[1] is None]
    assert rules.legal_actions(state, "solo") == accepted


@given(states())
def test_exactly_the_offered_looks_are_accepted(state):
    accepted = [keeper for keeper in ("ck", "nk") if attempt(state, f"look {keeper}")[1] is None]
    assert rules.view(state, "solo")["may_look"] == accepted


@given(states(), st.one_of(st.sampled_from([*"UCNTP", *LOOKS, *PICKS, *JUNK]), st.text(max_size=12)))
def test_apply_does_not_change_its_argument(state, action):
    before = deepcopy(state)
    first, second = attempt(state, action), attempt(state, action)
    assert first == second
    assert state == before


@given(states())
def test_view_is_plain_json(state):
    view = rules.view(state, "solo")
    assert json.loads(json.dumps(view)) == view


@given(states(), st.floats(0, 10_000), st.sampled_from(["moves", "time"]))
def test_scores_are_0_to_1000_if_solved(state, seconds, pay_by):
    result = rules.result(state._replace(options={**state.options, "pay_by": pay_by}), "solo", seconds)
    assert 0 <= result.score <= 1000
    assert result.outcome == ("solved" if state.solved else "failed" if rules.is_over(state) else "open")
    if not state.solved:
        assert result.score == 0


# Hidden information


def hidden_places(state):
    cards = rules.view(state, "solo")["cards"]
    return [number for number, place in enumerate(board.PLACES) if cards[place] is None]


@st.composite
def states_that_look_alike(draw):
    """Draws two states that differ only in face-down cards."""
    state = draw(states())
    places = hidden_places(state)
    layout = list(state.layout)
    for place, card in zip(places, draw(st.permutations([layout[place] for place in places])), strict=True):
        layout[place] = card
    return state, state._replace(layout=tuple(layout))


@given(states_that_look_alike())
def test_hidden_cards_do_not_change_the_view(alike):
    one, two = alike
    assert rules.view(one, "solo") == rules.view(two, "solo")
    assert rules.is_over(one) == rules.is_over(two)
    assert rules.result(one, "solo", 10) == rules.result(two, "solo", 10)


@given(states_that_look_alike(), st.sampled_from([*"UCNP", *LOOKS, *PICKS, *JUNK]))
def test_hidden_cards_do_not_change_refusals(alike, action):
    one, two = alike
    assert attempt(one, action)[1] == attempt(two, action)[1]


@given(states_that_look_alike())
def test_hidden_cards_do_not_change_the_target_refusal(alike):
    one, two = (attempt(state, "T")[1] for state in alike)
    assume(one is not None and two is not None)
    assert one == two


@given(states_that_look_alike())
def test_visible_own_card_determines_legal_moves(alike):
    one, two = alike
    assume(board.KEEPER_PLACE[one.turn] not in hidden_places(one))
    assert rules.legal_actions(one, "solo") == rules.legal_actions(two, "solo")


@given(states(), st.sampled_from([*"UCNTP", *LOOKS, *PICKS, *JUNK]))
def test_no_refusal_names_a_hidden_card(state, action):
    reason = attempt(state, action)[1] or ""
    for place in hidden_places(state):
        assert pretty(state.layout[place]) not in reason
        assert state.layout[place] not in reason
