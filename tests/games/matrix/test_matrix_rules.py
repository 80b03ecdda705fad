"""Tests the rules of the matrix card game (rulings 0, 11–14)."""

from dataclasses import replace

import pytest

from cardlab.games.cards import FRENCH_PACK
from cardlab.games.contract import IllegalAction
from cardlab.games.matrix import rules
from cardlab.games.matrix.board import CELLS, matrix, selected_cell, side
from cardlab.games.matrix.deal import format_deal, parse_deal
from cardlab.games.matrix.packs import PACKS, SPECIAL_PACK, column, value

# The prisoner's dilemma of the source lies on the table: S and W both left 5 5, both right −3 −3, and who
# plays right against left gets 8 while the other loses 5.
DILEMMA = "5H 8C | 5C 5S | 8S 5D | 3H 3D"
TWO_HANDS = "4S 2D KC AS 9H 10D QC | 7C 6H JS QS 3C 3S 2H"
FOUR_HANDS = f"{TWO_HANDS} | KS AH 2C 4C 6D 7D 9S | 10S 10C JC JD JH 9D 8H"


def dealt(hands=TWO_HANDS, crosses=DILEMMA, pack=FRENCH_PACK):
    """Returns a deal whose stock is the rest of the pack, in the pack's order."""
    there = f"{hands} | {crosses}"
    return f"{there} | {' '.join(card for card in pack if card not in there.split())}"


def play(*actions, deal=None, **options):
    """Returns the state after actions written as ``S 4S`` (for ``play``), ``W keep`` and ``S rotate NW``."""
    state = rules.start(deal or dealt(), options)
    for step in actions:
        seat, action = step.split(" ", 1)
        word = action.split()[0]
        state = rules.apply(state, seat, action if word in ("rotate", "keep") else f"play {action}")
    return state


def refusal(state, seat, action):
    with pytest.raises(IllegalAction) as refused:
        rules.apply(state, seat, action)
    return str(refused.value)


def cross(state, cell):
    return state.crosses[CELLS.index(cell)]


# Ruling 11: the packs


def test_packs_have_52_and_40_cards():
    assert (len(set(FRENCH_PACK)), len(FRENCH_PACK)) == (52, 52)
    assert (len(set(SPECIAL_PACK)), len(SPECIAL_PACK)) == (40, 40)


@pytest.mark.parametrize(
    ("card", "worth", "selects"),
    [
        ("4S", 4, "left"),
        ("2D", -2, "right"),  # the source's cross: 4 and left, −2 and right
        ("AC", 1, "right"),
        ("AH", -1, "left"),
        ("10S", 10, "left"),
        ("10D", -10, "right"),
        ("JH", -10, "left"),
        ("QC", 10, "right"),
        ("KD", -10, "right"),
        ("L+7", 7, "left"),
        ("R-3", -3, "right"),
        ("L-10", -10, "left"),
        ("R+10", 10, "right"),
    ],
)
def test_card_has_a_value_and_selects_a_column(card, worth, selects):
    assert value(card, {"court": "10"}) == worth
    assert column(card) == selects


@pytest.mark.parametrize(("card", "worth"), [("JS", 11), ("QD", -12), ("KC", 13), ("10C", 10), ("AD", -1)])
def test_courts_may_be_worth_11_12_and_13(card, worth):
    assert value(card, {"court": "ladder"}) == worth


@pytest.mark.parametrize("court", ["10", "ladder"])
@pytest.mark.parametrize("pack", PACKS)
def test_pack_is_balanced_between_colours_and_columns(pack, court):
    options = {"court": court}
    values = [value(card, options) for card in PACKS[pack]]
    assert sorted(values) == sorted(-worth for worth in values)
    assert 0 not in values
    assert [column(card) for card in PACKS[pack]].count("left") == len(values) / 2


def test_special_pack_has_each_value_once_per_column():
    for side_of_pack in ("left", "right"):
        values = [value(card, {}) for card in SPECIAL_PACK if column(card) == side_of_pack]
        assert sorted(values) == [*range(-10, 0), *range(1, 11)]


# Ruling 12: seats, columns, cells


@pytest.mark.parametrize(
    ("pair", "columns", "cell"),
    [
        (("S", "W"), ("left", "left"), "NW"),
        (("S", "W"), ("left", "right"), "SW"),
        (("S", "W"), ("right", "left"), "NE"),
        (("S", "W"), ("right", "right"), "SE"),
        (("N", "E"), ("left", "left"), "SE"),
        (("N", "E"), ("left", "right"), "NE"),
        (("N", "E"), ("right", "left"), "SW"),
        (("N", "E"), ("right", "right"), "NW"),
    ],
)
def test_intersection_of_the_columns_is_selected(pair, columns, cell):
    assert selected_cell(pair, columns) == cell


def test_seats_are_in_clockwise_order():
    assert [side("S", seat) for seat in "SWNE"] == ["near", "left", "far", "right"]
    assert [side("E", seat) for seat in "SWNE"] == ["left", "far", "right", "near"]
    assert rules.seats(play()) == ("S", "W")
    assert rules.seats(play(deal=dealt(FOUR_HANDS), players=4)) == ("S", "W", "N", "E")


def test_source_dilemma_has_the_expected_payoffs():
    assert rules.payoffs(play()) == (((5, 5), (-5, 8)), ((8, -5), (-3, -3)))


def test_other_pair_plays_another_game_of_the_crosses():
    state = play("S 4S", "W 7C", deal=dealt(FOUR_HANDS, "5H 8C | 5C 5S | 8S 5D | 3H 3D"), players=4)
    assert state.pair == ("N", "E")
    assert cross(state, "SW") == ("4S", "7C")
    assert rules.payoffs(state) == (((-3, -3), (8, -5)), ((4, 7), (5, 5)))


def test_each_seat_sees_crosses_from_its_side():
    seen = {
        seat: [
            (cross["row"], cross["column"], cross["cell"], cross["own"], cross["across"])
            for cross in rules.view(play(deal=dealt(FOUR_HANDS), players=4), seat)["crosses"]
        ]
        for seat in "SWNE"
    }
    assert seen == {
        "S": [
            ("far", "left", "NW", "5C", "5S"),
            ("far", "right", "NE", "8S", "5D"),
            ("near", "left", "SW", "5H", "8C"),
            ("near", "right", "SE", "3H", "3D"),
        ],
        "W": [
            ("far", "left", "NE", "5D", "8S"),
            ("far", "right", "SE", "3D", "3H"),
            ("near", "left", "NW", "5S", "5C"),
            ("near", "right", "SW", "8C", "5H"),
        ],
        "N": [
            ("far", "left", "SE", "3H", "3D"),
            ("far", "right", "SW", "5H", "8C"),
            ("near", "left", "NE", "8S", "5D"),
            ("near", "right", "NW", "5C", "5S"),
        ],
        "E": [
            ("far", "left", "SW", "8C", "5H"),
            ("far", "right", "NW", "5S", "5C"),
            ("near", "left", "SE", "3D", "3H"),
            ("near", "right", "NE", "5D", "8S"),
        ],
    }


# Ruling 13: a turn


def test_first_choice_is_secret_and_moves_no_card():
    before, after = play(), play("S 4S")
    assert after.choice == ("S", "4S")
    assert replace(after, choice=None) == before
    assert rules.view(after, "S")["chosen"] == "4S"
    other = rules.view(after, "W")
    assert (other["chosen"], other["other_chosen"]) == (None, True)
    assert "4S" not in str(other)


def test_turn_ends_alike_whoever_chooses_first():
    assert play("S 4S", "W 7C") == play("W 7C", "S 4S")


def test_source_example_of_left_against_right_is_reproduced():
    """S plays left and W right: S loses five points and W gets eight."""
    state = play("S 4S", "W 7C")
    assert state.pile("S") == ("5H",)
    assert state.pile("W") == ("8C",)
    assert (state.score("S"), state.score("W")) == (-5, 8)


def test_played_cards_form_a_cross_along_their_axes():
    state = play("S 4S", "W 7C")
    assert cross(state, "SW") == ("4S", "7C")
    assert [cross(state, cell) for cell in ("NW", "NE", "SE")] == [("5C", "5S"), ("8S", "5D"), ("3H", "3D")]


def test_collector_of_the_lower_card_may_rotate():
    state = play("S 4S", "W 7C")
    assert (state.rotator, rules.waiting_for(state)) == ("S", ("S",))
    assert rules.legal_actions(state, "S") == ["rotate SW", "rotate NW", "rotate NE", "rotate SE", "keep"]
    assert rules.legal_actions(state, "W") == []
    assert play("S 2D", "W JS").rotator == "W"


def test_red_cards_count_as_lower_than_black():
    deal = dealt(crosses="8C 9D | 5C 5S | 8S 5D | 3H 3D")  # W collects −9, S 8
    assert play("S 4S", "W 7C", deal=deal).rotator == "W"


@pytest.mark.parametrize("cell", CELLS)
def test_any_cross_may_be_rotated(cell):
    before = play("S 4S", "W 7C")
    after = rules.apply(before, "S", f"rotate {cell}")
    assert cross(after, cell) == cross(before, cell)[::-1]
    assert all(cross(after, other) == cross(before, other) for other in CELLS if other != cell)


def test_keep_rotates_no_cross():
    assert play("S 4S", "W 7C", "S keep").crosses == play("S 4S", "W 7C").crosses


@pytest.mark.parametrize("cards", [("S 4S", "W JS"), ("S 2D", "W 7C")])
def test_after_a_tie_nobody_rotates(cards):
    state = play(*cards)
    assert state.rotator is None
    assert rules.waiting_for(state) == ("S", "W")
    assert refusal(state, "S", "keep") == "No cross can be turned now."


def test_both_draw_after_rotation_the_dealer_first():
    before = play("S 4S", "W 7C")
    assert [len(hand) for hand in before.hands] == [6, 6]
    after = rules.apply(before, "S", "keep")
    assert after.hand("S") == ("2D", "KC", "AS", "9H", "10D", "QC", "AC")
    assert after.hand("W") == ("6H", "JS", "QS", "3C", "3S", "2H", "2C")
    assert after.stock == before.stock[2:]


def test_after_a_tie_both_draw_at_once():
    assert [len(hand) for hand in play("S 4S", "W JS").hands] == [7, 7]


def test_four_players_alternate_in_pairs_without_rotation():
    state = play(deal=dealt(FOUR_HANDS), players=4)
    assert rules.waiting_for(state) == ("S", "W")
    state = play("S 4S", "W 7C", deal=dealt(FOUR_HANDS), players=4)
    assert rules.waiting_for(state) == ("N", "E")
    assert [len(hand) for hand in state.hands] == [7, 7, 7, 7]
    state = play("S 4S", "W 7C", "E 10S", "N KS", deal=dealt(FOUR_HANDS), players=4)
    assert (state.pile("N"), state.pile("E")) == (("3H",), ("3D",))
    assert rules.waiting_for(state) == ("S", "W")
    assert refusal(state, "S", "keep") == "No cross can be turned now."


@pytest.mark.parametrize(("pack", "turns"), [("standard", 22), ("special", 16)])
@pytest.mark.parametrize("players", [2, 4])
def test_game_ends_when_stock_and_hands_are_empty(pack, turns, players):
    state = first_card_each(players=players, pack=pack)
    assert rules.is_over(state)
    assert len(state.turns) == state.of == state.turn == turns
    assert (state.stock, rules.waiting_for(state)) == ((), ())
    for seat in state.seats:
        assert rules.legal_actions(state, seat) == []
        assert refusal(state, seat, "keep") == "This hand is over."
        parts = {"cards": 2 * turns // players, "rotations": 0, "seconds": 7}
        assert rules.result(state, seat, 7) == (state.score(seat), parts, "completed")


def first_card_each(stop=99, **options):
    """Returns a game of so many turns in which everyone plays their first card and nobody rotates."""
    state = rules.start(rules.deal("a seed", options), options)
    while len(state.turns) < stop and not rules.is_over(state):
        seat = rules.waiting_for(state)[0]
        moves = rules.legal_actions(state, seat)
        state = rules.apply(state, seat, "keep" if "keep" in moves else moves[0])
    return state


def test_nobody_rotates_after_the_last_turn():
    state = first_card_each(stop=21)
    if state.rotator:
        state = rules.apply(state, state.rotator, "keep")
    unequal = replace(state, crosses=(("2C", "3C"),) * 4)
    for seat in ("S", "W"):
        unequal = rules.apply(unequal, seat, rules.legal_actions(unequal, seat)[0])
    assert rules.is_over(unequal)
    assert unequal.turns[-1].collected == ("2C", "3C")
    assert unequal.turns[-1].rotator is None


def test_unfinished_hand_scores_the_collected_cards():
    state = play("S 4S", "W 7C", "S rotate NW", "S 2D")
    assert rules.result(state, "S", 1.23456) == (-5, {"cards": 1, "rotations": 1, "seconds": 1.235}, "open")
    assert rules.result(state, "W", 1.23456) == (8, {"cards": 1, "rotations": 0, "seconds": 1.235}, "open")


def test_turns_record_the_situation_and_actions():
    turn, second = play("S 4S", "W 7C", "S rotate NW", "W JS", "S AS").turns
    assert turn == (
        1,
        ("S", "W"),
        (("5H", "8C"), ("5C", "5S"), ("8S", "5D"), ("3H", "3D")),
        ("4S", "7C"),
        (True, True),
        "SW",
        ("5H", "8C"),
        "S",
        "rotate NW",
        (),
        None,
    )
    assert second.crosses == (("4S", "7C"), ("5S", "5C"), ("8S", "5D"), ("3H", "3D"))
    assert (second.number, second.rotator, second.rotation) == (2, None, None)
    assert matrix(turn.crosses, turn.pair, {"court": "10"}) == rules.payoffs(play())


def test_hand_of_one_column_leaves_no_choice():
    hands = "4S AS 9H 7S 6S 7H 8H | 7C 6H JS QS 3C 3S 2H"
    (turn,) = play("S 4S", "W 7C", deal=dealt(hands)).turns
    assert turn.free == (False, True)


# Choices by the server


def test_server_choice_is_revealed_with_the_cards():
    own, servers = play("S 4S"), rules.mark_played_by_server(play("S 4S"), "S")
    assert [rules.view(servers, seat) for seat in "SW"] == [rules.view(own, seat) for seat in "SW"]
    disclosed = rules.apply(servers, "W", "play 7C")
    assert [rules.view(disclosed, seat)["last"]["chosen_for"] for seat in "SW"] == [["S"], ["S"]]
    both = rules.mark_played_by_server(disclosed, "W")
    assert rules.view(both, "S")["last"]["chosen_for"] == ["S", "W"]
    assert rules.view(rules.apply(both, "S", "keep"), "W")["last"]["kept_for"] is None
    kept = rules.mark_played_by_server(rules.apply(both, "S", "keep"), "S")
    assert (kept.turns[-1].chosen_for, kept.turns[-1].kept_for) == (("S", "W"), "S")
    assert rules.view(kept, "W")["last"]["kept_for"] == "S"
    assert rules.apply(rules.apply(kept, "S", "play AS"), "W", "play JS").turns[-1].chosen_for == ()


def test_four_players_see_the_last_two_turns():
    state = play("S 4S", "W 7C", deal=dealt(FOUR_HANDS), players=4)
    assert [rules.view(state, "E")[turn] for turn in ("last_but_one", "last")] == [
        None,
        rules.view(state, "S")["last"],
    ]
    view = rules.view(play("S 4S", "W 7C", "E 10S", "N KS", deal=dealt(FOUR_HANDS), players=4), "E")
    assert [view[turn]["cards"] for turn in ("last_but_one", "last")] == [
        {"S": "4S", "W": "7C"},
        {"N": "KS", "E": "10S"},
    ]
    two = play("S 4S", "W 7C", "S keep", "S AS", "W 6H")
    assert (rules.view(two, "S")["last_but_one"], rules.view(two, "S")["last"]["turn"]) == (None, 2)


# Changes of a choice, if the option allows them


def test_choice_is_final_by_default():
    state = play("S 4S")
    assert rules.legal_actions(state, "S") == []
    assert not rules.view(state, "S")["may_change"]
    assert refusal(state, "S", "play 2D") == "You have already chosen. You cannot change your choice."


def test_choice_can_change_until_the_other_chooses():
    state = play("S 4S", change_choice=True)
    assert rules.view(state, "S")["may_change"]
    assert not rules.view(state, "W")["may_change"]
    assert rules.waiting_for(state) == ("W",)
    assert "play 2D" in rules.legal_actions(state, "S")
    assert "play 4S" not in rules.legal_actions(state, "S")
    assert refusal(state, "S", "play 4S") == "You have already chosen this card."
    changed = play("S 4S", "S 2D", "W 7C", change_choice=True)
    assert changed.turns[0].cards == ("2D", "7C")
    assert "4S" in changed.hand("S")


# Ruling 14: absent players


def test_absent_player_plays_a_card_of_the_hand():
    state = play("S 4S")
    assert rules.absent_action(state, "W", "seed") == rules.absent_action(state, "W", "seed")
    drawn = [rules.absent_action(state, "W", f"seed {number}") for number in range(700)]
    assert set(drawn) == set(rules.legal_actions(state, "W"))
    assert all(60 < drawn.count(action) < 140 for action in set(drawn))


def test_absent_play_does_not_depend_on_others_choice():
    actions = {rules.absent_action(play(*chosen), "W", "seed") for chosen in [(), ("S 4S",), ("S 2D",)]}
    assert len(actions) == 1


def test_absent_rotator_keeps():
    assert rules.absent_action(play("S 4S", "W 7C"), "S", "seed") == "keep"


# Refusals


@pytest.mark.parametrize("card", ["7C", "5C", "AC", "4s", "", "XX", "4S 2D"])
def test_card_not_in_hand_is_refused_uniformly(card):
    assert refusal(play(), "S", f"play {card}") == "You do not have this card."


def test_choosing_waits_for_the_rotation():
    state = play("S 4S", "W 7C")
    assert refusal(state, "S", "play 2D") == "First turn one cross, or keep all."
    assert refusal(state, "W", "play 6H") == "The other player may turn a cross first. Please wait."
    state = replace(state, options={**state.options, "robots": {"S": "random"}})
    assert refusal(state, "W", "play 6H") == "The robot may turn a cross first. Please wait."


@pytest.mark.parametrize("action", ["rotate NW", "keep"])
def test_only_the_rotator_rotates_and_only_once(action):
    state = play("S 4S", "W 7C")
    complaint = "Only the player who collected the lower card may turn a cross."
    assert refusal(state, "W", action) == complaint
    assert refusal(rules.apply(state, "S", action), "S", action) == "No cross can be turned now."


def test_four_players_wait_for_their_pairs_turn():
    state = play(deal=dealt(FOUR_HANDS), players=4)
    assert refusal(state, "N", "play KS") == "The two other players play this turn."
    assert rules.legal_actions(state, "N") == []


@pytest.mark.parametrize("seat", ["", "s", "N", "E", "solo"])
def test_only_the_seats_of_the_game_play(seat):
    assert refusal(play(), seat, "play 4S") == "This seat does not play in this hand."


@pytest.mark.parametrize("action", ["", "play", "PLAY 4S", "4S", "rotate", "rotate nw", "rotate N", "keep "])
def test_unknown_action_error_lists_the_moves(action):
    said = "Unknown move. Play a card, turn a cross or keep all."
    assert refusal(play(), "S", action) == said


# Ruling 0: the deal's text


@pytest.mark.parametrize("pack", PACKS)
@pytest.mark.parametrize("players", [2, 4])
def test_deal_follows_its_seed_and_is_read_back(players, pack):
    options = {"players": players, "pack": pack}
    text = rules.deal("seed", options)
    assert text == rules.deal("seed", options)
    assert text != rules.deal("another seed", options)
    sections = parse_deal(text, options)
    assert format_deal([card for section in sections for card in section], options) == text
    stock = len(PACKS[pack]) - 7 * players - 8
    assert [len(section) for section in sections] == [7] * players + [2, 2, 2, 2, stock]


def test_deal_sections_are_hands_crosses_and_stock():
    state = play(deal=dealt(FOUR_HANDS), players=4)
    assert [hand[0] for hand in state.hands] == ["4S", "7C", "KS", "10S"]
    assert cross(state, "SW") == ("5H", "8C")
    assert cross(state, "NW") == ("5C", "5S")
    assert cross(state, "NE") == ("8S", "5D")
    assert cross(state, "SE") == ("3H", "3D")
    assert state.stock[:3] == ("AC", "6C", "9C")


@pytest.mark.parametrize(
    ("text", "options", "complaint"),
    [
        (dealt().replace("4S", "7C"), {}, "The deal contains 7C 2 times. Each card may appear only once."),
        (dealt().replace("4S", "1S"), {}, "The standard pack has no card '1S'."),
        (dealt(), {"pack": "special"}, "The special pack has no card '4S'."),
        (
            dealt(),
            {"players": 4},
            "A deal for 4 players has 9 sections separated by ' | ' (hands, crosses SW NW NE SE, stock) "
            "with 7 7 7 7 2 2 2 2 16 cards, not 7 7 2 2 2 2 30.",
        ),
        (
            dealt().replace(" KS", ""),
            {},
            "A deal for 2 players has 7 sections separated by ' | ' (hands, crosses SW NW NE SE, stock) "
            "with 7 7 2 2 2 2 30 cards, not 7 7 2 2 2 2 29.",
        ),
        (dealt(), {"players": 3}, "The option players must be 2 or 4, not '3'."),
        (dealt(), {"pack": "tarot"}, "The option pack must be standard or special, not 'tarot'."),
        (dealt(), {"court": 11}, "The option court must be 10 or ladder, not '11'."),
        (dealt(), {"change_choice": "no"}, "The option change_choice must be False or True, not 'no'."),
    ],
)
def test_invalid_deal_or_option_is_refused_in_words(text, options, complaint):
    with pytest.raises(ValueError, match="^The |^A deal") as refused:
        rules.start(text, options)
    assert str(refused.value) == complaint


# Counts of all the ways to play, as perft counts the moves of chess


def ways(state, depth):
    """Returns the number of action sequences of this length, or to the end of the game."""
    if depth == 0 or rules.is_over(state):
        return 1
    return sum(
        ways(rules.apply(state, seat, action), depth - 1)
        for seat in state.seats
        for action in rules.legal_actions(state, seat)
    )


@pytest.mark.parametrize(
    ("options", "counts"), [({}, [14, 14 * 7]), ({"change_choice": True}, [14, 14 * (7 + 6)])]
)
def test_number_of_possible_choices_is_known(options, counts):
    """One of 14 cards, then one of the other player's 7 or, with changes, of the chooser's other 6."""
    assert [ways(play(**options), depth) for depth in (1, 2)] == counts


def test_number_of_possible_turns_is_known():
    """In either order, with 5 continuations if the cell's cards are unequal (SW, NE) and 14 if equal."""
    state = play()
    left = {seat: [column(card) for card in state.hand(seat)].count("left") for seat in "SW"}
    right = {seat: 7 - left[seat] for seat in "SW"}
    unequal = left["S"] * right["W"] + right["S"] * left["W"]
    equal = left["S"] * left["W"] + right["S"] * right["W"]
    assert unequal + equal == 49
    assert ways(state, 3) == 2 * (unequal * 5 + equal * 14)


def test_number_of_possible_endings_is_known():
    """Two cards each and no ties: 2·2 pairs in 2 orders, 5 rotations, 1 pair in 2 orders, nobody rotates."""
    hands, crosses = (("QC", "QD"), ("JS", "JH")), (("AS", "2S"), ("AC", "3C"), ("4S", "5S"), ("6C", "7C"))
    turns = first_card_each(stop=20).turns
    last = turns[-1]._replace(rotator=None, rotation=None)
    state = replace(play(), hands=hands, crosses=crosses, stock=(), turns=(*turns[:-1], last))
    assert state.turn == 21
    assert [ways(state, depth) for depth in range(1, 7)] == [4, 8, 40, 80, 80, 80]
