"""Compares random play of Solitario with a second implementation of rulings 22 to 24."""

import json
import random
from collections import Counter
from copy import deepcopy
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from cardlab.games.solitario import rules
from cardlab.games.solitario.deal import complete_options, parse_deal
from cardlab.games.solitario.packs import PACKS
from tests.games.solitario.grammar import FINISHES, JUNK, PICKS, PLACED, PLAIN, attempt, options
from tests.games.solitario.plain_klondike import Klondike, Table, laid

RANKS = {
    "briscola": ["1", "2", "3", "4", "5", "6", "7", "V", "C", "R"],
    "tarocco": ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "V", "C", "D", "R"],
    "french": ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"],
}
RED = {"c", "d", "H", "D"}

chances = st.randoms(use_true_random=True)  # drawn as a seed, because a whole hand would need too many draws


def dealt(chosen, chance):
    return rules.start(rules.deal(str(chance.random()), chosen), chosen)


def drawn_move(chance, state):
    """Draws a move: more often of a card than of the stock, and sometimes an undo."""
    moves = list(rules.legal_moves(state))
    if state.before is not None and chance.random() < 0.15:
        return rules.UNDO
    card_moves = [move for move in moves if move not in (rules.DRAW, rules.TURN)]
    return chance.choice(card_moves if card_moves and chance.random() < 0.7 else moves or [rules.GIVE_UP])


def walk(state, chance, steps):
    """Yields the first state, and each action with the state after it, at most until the hand is over."""
    yield "", state
    for _step in range(steps):
        if rules.is_over(state):
            break
        action = drawn_move(chance, state)
        state = rules.apply(state, rules.SEAT, action)
        yield action, state


@st.composite
def states(draw, most=60, **chosen):
    """Draws any reachable state."""
    chance = draw(chances)
    state = dealt({**draw(options), **chosen}, chance)
    *_before, (_action, state) = walk(state, chance, draw(st.integers(0, most)))
    return state


def everything(state):
    columns = [card for column in state.columns for card in (*column.down, *column.up)]
    ranks = RANKS[state.options["pack"]]
    home = [
        rank + suit
        for suit, count in zip(state.pack.suits, state.home, strict=True)
        for rank in ranks[:count]
    ]
    return [*columns, *state.stock, *state.waste, *home]


def whole_pack(pack):
    return Counter(rank + suit for rank in RANKS[pack] for suit in ("SCHD" if pack == "french" else "sbcd"))


def is_well_formed(up, pack, ace_on_two):
    """Returns whether the face-up part goes down by one in alternating colours, to the two or the ace."""
    ranks = [RANKS[pack].index(card[:-1]) for card in up]
    red = [card[-1] in RED for card in up]
    return (
        all(above - below == 1 for above, below in zip(ranks, ranks[1:]))
        and all(above != below for above, below in zip(red, red[1:]))
        and (ace_on_two or 0 not in ranks[1:])
    )


@given(options, chances)
def test_cards_are_conserved_and_columns_well_formed(chosen, chance):
    pack, king = whole_pack(chosen["pack"]), RANKS[chosen["pack"]][-1]
    was_empty = set()
    for action, state in walk(dealt(chosen, chance), chance, 50):
        assert Counter(everything(state)) == pack
        for n, column in enumerate(state.columns):
            assert is_well_formed(column.up, chosen["pack"], chosen["ace_on_two"]), action
            if column.up and n in was_empty and action != rules.UNDO:
                assert column.up[0][:-1] == king
        was_empty = {n for n, column in enumerate(state.columns) if not any(column)}
        assert {suit for suit in state.foundations if suit} == {
            suit for suit, count in zip(state.pack.suits, state.home, strict=True) if count
        }


@given(options, chances)
def test_every_step_follows_the_plain_rules(chosen, chance):
    chosen = {**chosen, "turn_up": "auto", "undo": False}
    state = dealt(chosen, chance)
    pack = PACKS[chosen["pack"]]
    klondike = Klondike(pack, chosen["draw"], chosen["ace_on_two"])
    table = Table(*state.position)
    assert table == laid(*parse_deal(deal_of(state), pack), pack)
    for action, after in walk(state, chance, 45):
        if action == rules.GIVE_UP:
            break
        if action:
            table = klondike.moves(table)[action]
        assert Table(*after.position) == table
        assert sorted(rules.legal_moves(after)) == sorted(klondike.moves(table))


def deal_of(state):
    """Returns the deal of a hand that has not begun."""
    sections = [" ".join((*column.down, *column.up)) for column in state.columns]
    return " | ".join([*sections, " ".join(state.stock)])


def worth(action, before, after):
    """Returns the points of an action by ruling 24, from the action and the face-down cards."""
    kind, *words = action.split()
    points = {"up": 25, "home": 60, "back": -75, "turn": -175}.get(kind, 0)
    if action.startswith("move w"):
        points = 45
    if kind == "home" and words[0] in "sbcdSCHD":
        points = 0  # from base to base
    if before.options["turn_up"] == "auto":
        points += 25 * (face_down(before) - face_down(after))
    return points


def face_down(state):
    return sum(len(column.down) for column in state.columns)


@given(options, chances, st.floats(0, 10_000))
def test_the_score_sums_the_scored_events(chosen, chance, seconds):
    state = dealt(chosen, chance)
    gained = []  # by the actions that have not been taken back
    for _step in range(60):
        aces = shifts(state)
        action = chance.choice(aces) if aces and chance.random() < 0.2 else drawn_move(chance, state)
        if action == rules.GIVE_UP:
            break
        after = rules.apply(state, rules.SEAT, action)
        if action == rules.UNDO:
            gained.pop()
        else:
            gained.append(worth(action, state, after))
        state = after
        assert state.counts.points == sum(gained) == rules.view(state, rules.SEAT)["points"]
        if state.solved:
            break
    result = rules.result(state, rules.SEAT, seconds)
    assert result.parts["seconds"] == int(seconds)
    assert state.solved or result.score == sum(gained) - int(seconds)


def position(state):
    """Returns the contents of the table regardless of the order of columns and foundations."""
    return tuple(sorted(state.columns)), state.home, state.waste, state.stock


def shifts(state):
    """Returns the moves of an ace that lies alone to another foundation."""
    aces = [suit for suit in state.foundations if suit and state.home_of(suit) == 1]
    free = [place for place, there in enumerate(state.foundations, 1) if not there]
    return [f"home {suit} {place}" for suit in aces for place in free]


def reversible_move(chance, state):
    """Draws a move, often one that another move can reverse: home, back, from foundation to foundation."""
    kinds = (
        [move for move in rules.legal_moves(state) if move.startswith(("home", "back", "up"))],
        shifts(state),
    )
    found = chance.choices([*kinds, []], [4, 1, 5])[0]
    return chance.choice(found) if found else drawn_move(chance, state)


def recurred(state, chance, steps):
    """Returns how often a table recurs in a random walk, and checks that its points never exceed those at an
    earlier occurrence. Undone tables do not count."""
    stood, times = [(position(state), 0)], 0
    for _step in range(steps):
        action = reversible_move(chance, state)
        state = rules.apply(state, rules.SEAT, action)
        if rules.is_over(state):
            break
        here, points = position(state), state.counts.points
        if action == rules.UNDO:
            stood.pop()
            assert stood[-1] == (here, points)
            continue
        earlier = [worth for there, worth in stood if there == here]
        times += bool(earlier)
        assert points <= min(earlier, default=points), action
        stood.append((here, points))
    return times


@given(options, chances)
def test_no_cycle_of_actions_gains_points(chosen, chance):
    assert recurred(dealt(chosen, chance), chance, 60) >= 0


def test_random_walks_return_to_earlier_positions():
    """If they did not, the property above would prove nothing."""
    times = 0
    for seed in range(6):
        chance = random.Random(seed)
        pack = chance.choice(list(PACKS))
        times += recurred(dealt({"pack": pack, "draw": 3, "ace_on_two": True}, chance), chance, 100)
    assert times > 30


@given(states())
def test_exactly_the_legal_actions_are_accepted(state):
    legal = rules.legal_actions(state, rules.SEAT)
    tried = [*PLAIN, rules.UNDO, rules.GIVE_UP]
    assert sorted(legal) == sorted(action for action in tried if attempt(state, action)[1] is None)
    assert len(set(legal)) == len(legal)
    assert (rules.waiting_for(state) == ()) is (legal == []) is rules.is_over(state)


@given(states(undo=False))
def test_choosing_a_foundation_changes_nothing_else(state):
    legal = rules.legal_actions(state, rules.SEAT)
    for action in PLACED:
        _home, source, place = action.split()
        after, reason = attempt(state, action)
        foundation = state.foundations[int(place) - 1]
        if source in "sbcdSCHD":
            lies_alone = source in state.foundations and state.home_of(source) == 1
            assert (reason is None) is (lies_alone and foundation == "" and not rules.is_over(state))
            if reason is None:
                assert sorted(after.foundations) == sorted(state.foundations)
                assert (
                    replace(after, foundations=state.foundations, moves=state.moves, last=state.last) == state
                )
            continue
        plain = f"home {source}"
        if plain not in legal:
            assert reason
            continue
        sent = attempt(state, plain)[0]
        suit = next(suit for suit, was, now in zip(state.pack.suits, state.home, sent.home) if was != now)
        assert (reason is None) is (foundation == (suit if suit in state.foundations else ""))
        if reason is None:
            assert after.foundations[int(place) - 1] == suit
            assert replace(after, foundations=sent.foundations, last=sent.last) == sent


@given(states(undo=False))
def test_undo_needs_its_option(state):
    said = "This hand is over." if rules.is_over(state) else "You cannot undo moves in this hand."
    assert attempt(state, rules.UNDO)[1] == said
    assert rules.view(state, rules.SEAT)["may_undo"] is None
    assert state.before is None


@given(options, chances)
def test_undo_restores_all_earlier_tables(chosen, chance):
    state = dealt({**chosen, "undo": True}, chance)
    before = [state]
    for action, after in walk(state, chance, 40):
        if not action or rules.is_over(after):
            continue
        if action == rules.UNDO:
            before.pop()
            assert same(after, before[-1])
            assert after.last == rules.UNDO
        else:
            before.append(after)
        assert after.moves == state.moves + 1
        state = after
    undone = state.undone
    while rules.UNDO in rules.legal_actions(state, rules.SEAT):
        before.pop()
        assert rules.view(state, rules.SEAT)["may_undo"] is True
        state = rules.apply(state, rules.SEAT, rules.UNDO)
        undone += 1
        assert same(state, before[-1])
        assert state.undone == undone
    assert before == [dealt_again(before[0])]
    assert attempt(state, rules.UNDO)[1] == "There is no move to undo."
    assert rules.view(state, rules.SEAT)["may_undo"] is False


def same(one, other):
    """Returns whether two states differ at most in their history."""
    return replace(one, moves=other.moves, undone=other.undone, last=other.last) == other


def dealt_again(state):
    return rules.start(deal_of(state), state.options)


@given(states())
def test_pick_ups_change_nothing(state):
    for pick in PICKS:
        after, reason = attempt(state, pick)
        assert after is state
        assert (reason is None) is not rules.is_over(state)


@given(states(most=25), st.one_of(st.sampled_from([*JUNK, *PLAIN, *PLACED]), st.text()))
def test_apply_does_not_change_its_argument(state, action):
    before = deepcopy(state)
    assert attempt(state, action) == attempt(state, action)
    assert state == before


@given(states(), st.one_of(st.sampled_from(JUNK), st.text()))
def test_an_unknown_move_is_rejected_with_a_sentence(state, action):
    if action not in {*PLAIN, *PLACED, *PICKS, rules.UNDO, rules.GIVE_UP}:
        said = "This hand is over." if rules.is_over(state) else "Unknown move. "
        assert attempt(state, action)[1].startswith(said)


@given(states(), st.text(), st.sampled_from(PLAIN))
def test_only_the_one_seat_plays(state, seat, action):
    if seat != rules.SEAT:
        assert attempt(state, action, seat)[1] == "This seat does not play in this hand."


@given(states())
def test_view_is_plain_json(state):
    view = rules.view(state, rules.SEAT)
    assert json.loads(json.dumps(view)) == view


# Hidden information


@given(states(), chances)
def test_face_down_cards_do_not_change_the_view(state, chance):
    """Waste cards beneath the last drawn ones do not either."""
    draw = state.options["draw"]
    known, beneath = state.waste[-draw:], state.waste[:-draw]
    hidden = [card for column in state.columns for card in column.down] + [*beneath, *state.stock]
    chance.shuffle(hidden)
    cards = iter(hidden)
    columns = tuple(
        column._replace(down=tuple(next(cards) for _card in column.down)) for column in state.columns
    )
    waste = (*(next(cards) for _card in beneath), *known)
    other = replace(state, columns=columns, waste=waste, stock=tuple(cards))
    for function in (rules.view, rules.legal_actions):
        assert function(state, rules.SEAT) == function(other, rules.SEAT)
    assert rules.result(state, rules.SEAT, 1) == rules.result(other, rules.SEAT, 1)
    for action in [*PLAIN, *PLACED, *FINISHES, *JUNK]:
        assert attempt(state, action)[1] == attempt(other, action)[1]


@given(states())
def test_a_view_names_no_face_down_card(state):
    shown = json.dumps(rules.view(state, rules.SEAT))
    for card in [*state.stock, *(card for column in state.columns for card in column.down)]:
        assert f'"{card}"' not in shown


# The deals


@settings(max_examples=50)
@given(options, st.text())
def test_a_drawn_deal_has_every_card_once(chosen, seed):
    text = rules.deal(seed, chosen)
    assert text == rules.deal(seed, chosen)
    state = rules.start(text, chosen)
    assert Counter(everything(state)) == whole_pack(chosen["pack"])
    assert [len(column.down) for column in state.columns] == list(range(7))
    assert all(len(column.up) == 1 for column in state.columns)
    assert deal_of(state) == text


@st.composite
def uncovered(draw):
    """Draws a table whose cards are home or face up in columns, in legal sequences."""
    chosen, chance = draw(options), draw(chances)
    pack, laid_out = PACKS[chosen["pack"]], None
    while laid_out is None:  # most tables with many cards need more than seven columns
        home = tuple(chance.randint(0, len(pack.ranks)) for _suit in pack.suits)
        laid_out = spread(pack, home, chance)
    foundations = tuple(suit if count else "" for suit, count in zip(pack.suits, home, strict=True))
    return rules.State(laid_out, (), complete_options(chosen), foundations=foundations, home=home)


def spread(pack, home, chance):
    """Returns columns of the cards that are not home, the high ones first; None if seven do not suffice."""
    columns = [[] for _column in range(7)]
    for rank, name in reversed([*enumerate(pack.ranks)]):
        for card in [name + suit for suit, count in zip(pack.suits, home, strict=True) if count <= rank]:
            fitting = [column for column in columns if not column or card in pack.next_lower[column[-1]]]
            if not fitting:
                return None
            chance.choice(fitting).append(card)
    chance.shuffle(columns)
    return tuple(rules.Column((), tuple(column)) for column in columns)


@given(uncovered(), st.sampled_from([-40, -1, 0, 1, 20]))
def test_finishing_moves_solve_uncovered_tables(state, more):
    cards = everything_in_columns(state)
    spare = max(0, len(cards) + more)  # moves before the limit
    state = replace(state, moves=rules.MAX_MOVES - spare)
    assert (rules.view(state, rules.SEAT)["finish"] is None) is (not cards or spare < len(cards))
    if not cards or spare < len(cards):
        return
    for hidden in (
        {"stock": cards[:1]},
        {"waste": cards[:1]},
        {"gave_up": True},
        {"columns": (rules.Column(cards[:1], ()), *state.columns[1:])},
    ):
        assert rules.finishing_move(replace(state, **hidden)) is None
    while action := rules.view(state, rules.SEAT)["finish"]:
        state = rules.apply(state, rules.SEAT, action)
    assert state.solved


def everything_in_columns(state):
    return tuple(card for column in state.columns for card in column.up)
