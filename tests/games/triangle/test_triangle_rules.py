"""Tests the rules of Triangle Solitaire (rulings 0, 15–18)."""

from collections import Counter

import pytest

from cardlab.games.contract import IllegalAction
from cardlab.games.triangle import rules
from cardlab.games.triangle.deal import DEFAULT_OPTIONS, Deal, format_deal, parse_deal
from cardlab.games.triangle.loop import (
    CORNERS,
    INNER_JOINTS,
    NUMBERS,
    SIDES,
    neighbours,
    next_place,
    previous_place,
)
from cardlab.games.triangle.packs import (
    COMPLETES,
    KIND,
    SINGLE_PACK,
    SINGLES,
    fits,
    match,
    translated_card_name,
)

TOP, RIGHT, LEFT = "H B C H B C H B C", "P R S P R S P R S", "F G T F G T F G T"
STANDARD = f"{TOP} {RIGHT} {LEFT}"


def dealt(places=STANDARD, first="HBC", mixed_in="", spares=None):
    """Returns a deal whose deck begins with ``first``, followed by the other Completes in the pack's order.

    The Singles ``mixed_in`` come at the end of the deck; the remaining Singles are the spares.
    """
    deck = first.split()
    deck += [card for card in COMPLETES if card not in deck] + mixed_in.split()
    singles = Counter(SINGLE_PACK)
    singles.subtract(single for there in places.split() for single in there)
    singles.subtract(card for card in deck if len(card) == 1)
    left = tuple(singles.elements()) if spares is None else tuple(spares)
    return format_deal(Deal(tuple(places.split()), left, tuple(deck)))


def play(*actions, deal=None, **options):
    state = rules.start(deal or dealt(), options)
    for action in actions:
        state = rules.apply(state, "solo", action)
    return state


def refusal(state, action, seat="solo"):
    with pytest.raises(IllegalAction) as refused:
        rules.apply(state, seat, action)
    return str(refused.value)


def may(state):
    return rules.legal_actions(state, "solo")


def seen(state):
    return rules.view(state, "solo")


def to_the_end(state):
    """Takes the first legal action until the hand is over; returns the last state."""
    while not rules.is_over(state):
        state = rules.apply(state, "solo", may(state)[0])
    return state


# Ruling 15: cards and places


def test_there_are_36_singles_and_27_completes():
    assert Counter(SINGLE_PACK) == dict.fromkeys("HPFBRGCST", 4)
    assert len(set(COMPLETES)) == len(COMPLETES) == 27
    assert all([KIND[single] for single in card] == ["fill", "colour", "shape"] for card in COMPLETES)


@pytest.mark.parametrize(
    ("card", "name"),
    [("HBC", "hollow blue circle"), ("PRT", "partial red triangle"), ("FGS", "filled green square")],
)
def test_a_card_has_a_name(card, name):
    assert translated_card_name(card) == name
    assert " ".join(map(translated_card_name, card)) == name


def test_the_27_places_form_a_closed_loop():
    assert [len(numbers) for numbers in SIDES.values()] == [9, 9, 9]
    assert sum(SIDES.values(), ()) == NUMBERS == tuple(range(1, 28))
    assert [next_place(number) for number in NUMBERS] == [*range(2, 28), 1]
    assert all(previous_place(next_place(number)) == number for number in NUMBERS)
    assert neighbours(tuple(map(str, NUMBERS)), 27) == ("26", "1")
    assert neighbours(tuple(map(str, NUMBERS)), 1) == ("27", "2")


def test_joints_are_inside_sides_or_corners():
    assert [len(joints) for joints in INNER_JOINTS.values()] == [8, 8, 8]
    assert sorted([*sum(INNER_JOINTS.values(), ()), *CORNERS.values()]) == list(NUMBERS)
    side_of = {number: side for side, numbers in SIDES.items() for number in numbers}
    assert {corner: (side_of[joint], side_of[next_place(joint)]) for corner, joint in CORNERS.items()} == {
        "right": ("top", "right"),
        "lower": ("right", "left"),
        "left": ("left", "top"),
    }


# Ruling 16: placing and discarding


def test_a_complete_replaces_a_matching_single():
    """The source's example: the hollow blue circle replaces only hollow, blue and circle Singles."""
    state = play()
    assert may(state) == [f"place {number}" for number in range(1, 10)]
    after_it = play("place 4")
    assert seen(after_it)["places"][3] == {
        "place": 4, "side": "top", "singles": [], "complete": "HBC", "marks": []
    }  # fmt: skip
    assert after_it.spares.count("H") == play().spares.count("H") + 1
    assert (after_it.card, len(after_it.deck)) == ("HBS", 26)


def test_a_complete_stays_where_it_is():
    state = play("place 4")
    assert "place 4" not in may(state)
    assert refusal(state, "place 4") == "A full card is already there."


def test_a_card_without_a_match_is_rejected():
    sentence = "The hollow blue circle does not fit there: it is not “partial”."
    assert refusal(play(), "place 10") == sentence


@pytest.mark.parametrize(("card", "other", "shares"), [
    ("HBC", "HRS", True), ("HBC", "PBS", True), ("HBC", "FGC", True), ("HBC", "PRS", False),
    ("HBS", "FGC", False), ("PGC", "FRT", False), ("FRT", "PBC", False), ("HBC", "HBS", True),
])  # fmt: skip
def test_neighbours_match_when_they_share_a_characteristic(card, other, shares):
    assert match(card, other) is match(other, card) is shares


def test_a_fitting_complete_cannot_be_discarded():
    assert refusal(play(), "discard") == "This card still fits somewhere. You have to place it."
    assert rules.forced_action(play()) is None


def test_discarding_a_complete_costs_three_points():
    deal = dealt("H B H B H B H B " + "P R S P R S P R S " + "C F G F G C F G C " + "C", "HBC HBS")
    state = play(deal=deal)
    while state.fitting_places:
        state = rules.apply(state, "solo", may(state)[0])
    card, worth = state.card, state.score.total
    assert rules.forced_action(state) == "discard"
    assert (may(state), rules.waiting_for(state)) == (["discard"], ("solo",))
    gone = rules.apply(state, "solo", "discard")
    assert (gone.discards, gone.score.total) == ((card,), worth - 3)
    assert seen(gone)["discards"] == seen(gone)["last"]["discarded"] == [card]
    assert gone.places == state.places
    assert "does not fit there: it is not" in refusal(state, f"place {unfilled(state)[0]}")


def unfilled(state):
    return [number for number, there in zip(NUMBERS, state.places) if len(there) < 3]


def test_the_view_has_last_placement_and_discards():
    nothing = {"card": None, "place": None, "replaced": [], "discarded": []}
    assert seen(play())["last"] == nothing
    state = play("place 4")
    assert seen(state)["last"] == {"card": "HBC", "place": 4, "replaced": ["H"], "discarded": []}
    state = to_the_end(state)
    last_two = [state.last.card, *state.last.discarded]
    assert last_two == [*parse_deal(dealt()).deck[-len(last_two) :]]


def test_an_empty_deck_ends_the_game():
    state = to_the_end(play())
    assert rules.is_over(state)
    assert (rules.waiting_for(state), may(state), rules.forced_action(state)) == ((), [], None)
    assert (state.card, seen(state)["card"], seen(state)["cards_left"]) == (None, None, 0)
    for action in ("place 1", "discard", "mark H 1", "anything"):
        assert refusal(state, action) == "This hand is over."
    placed, discarded = (rules.result(state, "solo", 1).parts[part] for part in ("placed", "discarded"))
    assert placed + discarded == 27


def test_an_unfinished_hand_scores_as_it_stands():
    state = play("place 1", "place 2", "place 4", deal=dealt(first="HBC PBS HRT"))
    parts = {"sides": 0, "corners": 0, "discontinuities": 0, "discarded": 0, "placed": 3, "seconds": 1.235}
    assert rules.result(state, "solo", 1.23456) == (0, parts, "open")


# Ruling 18: the variations


DOUBLED = STANDARD.replace("H B C H", "HB B CP H", 1)


def test_a_complete_has_to_match_both_singles():
    state = play(deal=dealt(DOUBLED), doubled=2)
    assert [place["singles"] for place in seen(state)["places"][:4]] == [["H", "B"], ["B"], ["C", "P"], ["H"]]
    assert "place 1" in may(state)
    assert "place 3" not in may(state)
    sentence = "The hollow blue circle does not fit there: it is not both “circle” and “partial”."
    assert refusal(state, "place 3") == sentence
    placed = rules.apply(state, "solo", "place 1")
    assert seen(placed)["last"]["replaced"] == ["H", "B"]
    back = Counter(placed.spares)
    back.subtract(state.spares)
    assert +back == {"H": 1, "B": 1}


@pytest.mark.parametrize(
    ("single", "there", "may_join"),
    [("H", "B", True), ("H", "P", False), ("H", "H", False), ("C", "B", True), ("C", "S", False),
     ("H", "BC", False), ("H", "HBC", False), ("G", "B", False), ("T", "F", True)],
)  # fmt: skip
def test_a_single_joins_one_of_another_kind(single, there, may_join):
    assert fits(single, there) is may_join


def test_a_deck_single_joins_a_single():
    state = play(deal=dealt(DOUBLED, first="F HBC"), mixed_in=1)
    fills = [number for number, there in zip(NUMBERS, state.places) if there in "HPF"]
    assert may(state) == [f"place {n}" for n in NUMBERS if n not in (1, 3, *fills)]
    after_it = rules.apply(state, "solo", "place 2")
    assert seen(after_it)["places"][1]["singles"] == ["B", "F"]
    assert seen(after_it)["last"] == {"card": "F", "place": 2, "replaced": [], "discarded": []}
    assert after_it.spares == state.spares
    assert "place 2" not in may(after_it)  # the hollow blue circle is blue, but not filled


@pytest.mark.parametrize(
    ("first", "place", "sentence"),
    [
        ("F", 4, "A place cannot have two fillings. Choose a place with a colour or a shape."),
        ("G", 2, "A place cannot have two colours. Choose a place with a filling or a shape."),
        ("T", 6, "A place cannot have two shapes. Choose a place with a filling or a colour."),
        ("G", 1, "There are already two feature cards there. A third is not allowed."),
    ],
)  # fmt: skip
def test_a_single_that_cannot_join_is_rejected(first, place, sentence):
    assert refusal(play(deal=dealt(DOUBLED, first=first)), f"place {place}") == sentence


def test_single_cannot_go_to_a_filled_place():
    state = play("place 2", deal=dealt(first="HBC F"))
    assert refusal(state, "place 2") == "A full card is already there."


def single_without_a_place():
    """Plays deals by number; returns the first state in which a Single of the deck fits nowhere."""
    for seed in range(100):
        state = rules.start(rules.deal(str(seed), {"mixed_in": 9}), {})
        while state.deck:
            if len(state.card) == 1 and not state.fitting_places:
                return state
            state = rules.apply(state, "solo", may(state)[0])
    raise AssertionError("no such deal")


def test_an_unplaceable_single_becomes_a_spare():
    state = single_without_a_place()
    assert (rules.forced_action(state), may(state)) == ("discard", ["discard"])
    aside = rules.apply(state, "solo", "discard")
    assert (aside.score, aside.discards, aside.places) == (state.score, state.discards, state.places)
    assert aside.spares.count(state.card) == state.spares.count(state.card) + 1
    assert seen(aside)["last"]["discarded"][-1] == state.card


# Ruling 18: planning


def test_reminders_are_laid_and_taken_back():
    spares = seen(play())["spares"]
    laid = "mark S 14", "mark F 14", "mark T 14", "mark R 2"
    marked = play(*laid)
    assert seen(marked)["places"][13]["marks"] == ["F", "S", "T"]
    assert seen(marked)["spares"] == {**spares, "S": 0, "F": 0, "T": 0, "R": 0}
    assert play(*laid, "unmark S 14", "unmark R 2", "unmark F 14", "unmark T 14") == play()


def test_reminders_change_nothing_but_themselves_and_the_spares():
    state, marked = play(), play("mark S 14")
    assert may(state) == may(marked)
    one, two = seen(state), seen(marked)
    assert {key for key in one if one[key] != two[key]} == {"places", "spares"}
    assert rules.result(state, "solo", 1) == rules.result(marked, "solo", 1)


def test_reminders_need_a_spare_single():
    state = play(deal=dealt())
    there = state.spares.count("S")
    for number in range(1, there + 1):
        state = rules.apply(state, "solo", f"mark S {number}")
    assert refusal(state, "mark S 20") == "You have no spare card “square” left."


def test_a_replaced_single_can_be_a_reminder_too():
    places = STANDARD.replace("P R S P R S P R S", "P R S P R SH P R S")
    state = play("place 1", deal=dealt(places))
    assert state.spares.count("H") == 1
    assert "H" in seen(rules.apply(state, "solo", "mark H 14"))["places"][13]["marks"]


def test_filling_a_place_returns_its_reminders():
    state = play("mark S 4", "mark F 4", "mark T 5", "place 4")
    assert [seen(state)["places"][number - 1]["marks"] for number in (4, 5)] == [[], ["T"]]
    assert state.spares.count("S") == play().spares.count("S")
    assert refusal(state, "unmark S 4") == "There is no reminder “square” at this place."


def test_reminders_stay_when_a_single_joins():
    state = play("mark S 2", "place 2", deal=dealt(first="F HBC"))
    assert seen(state)["places"][1] == {
        "place": 2, "side": "top", "singles": ["B", "F"], "complete": None, "marks": ["S"]
    }  # fmt: skip


def test_a_filled_place_needs_no_reminder():
    sentence = "A full card is already there. You need no reminder."
    assert refusal(play("place 4"), "mark S 4") == sentence


# The view


def test_only_highlight_shows_fitting_places():
    assert seen(play())["fits"] is None
    assert seen(play(highlight=True))["fits"] == list(range(1, 10))
    assert seen(to_the_end(play(highlight=True)))["fits"] == []


def test_show_left_never_reveals_the_order():
    assert seen(play())["left"] is None
    deck = "HBC PRT FGS HRC"
    one = seen(play(deal=dealt(first=deck), show_left=True))
    two = seen(play(deal=dealt(first="HBC HRC PRT FGS"), show_left=True))
    assert one == two
    assert one["left"] == [card for card in COMPLETES if card != "HBC"]


def test_the_view_counts_hidden_deck_cards():
    assert (seen(play())["card"], seen(play())["cards_left"]) == ("HBC", 26)
    assert seen(play(deal=dealt(first="F HBC")))["cards_left"] == 27


# Refusals


@pytest.mark.parametrize("seat", ["", "Solo", "S"])
def test_there_is_one_seat(seat):
    assert refusal(play(), "place 1", seat) == "This seat does not play in this hand."
    assert rules.seats(play()) == ("solo",)


@pytest.mark.parametrize(
    "action",
    ["", "place", "place 0", "place 28", "place 01", "place 1 ", "PLACE 1", "place ١", "1", "mark", "mark H",
     "mark HB 1", "mark h 1", "mark H 28", "unmark 1", "discard HBC", "mark H 1 2", "look 1"],
)  # fmt: skip
def test_an_unknown_action_is_rejected_with_a_sentence(action):
    sentence = "Unknown move. Place the card or add a reminder."
    assert refusal(play(), action) == sentence


# Ruling 0: the deal's text, and the options


def test_a_drawn_deal_is_read_back():
    for options in ({}, {"doubled": 9}, {"mixed_in": 9}, {"doubled": 4, "mixed_in": 3}):
        text = rules.deal("seed", options)
        assert text == rules.deal("seed", options) != rules.deal("another seed", options)
        deal = parse_deal(text)
        assert format_deal(deal) == text
        assert (deal.doubled, deal.mixed_in) == (options.get("doubled", 0), options.get("mixed_in", 0))
        assert len(deal.spares) == 9 - deal.doubled - deal.mixed_in


def test_a_deal_has_places_spares_and_deck():
    places, spares, deck = dealt(DOUBLED, first="F HBC").split(" | ")
    assert places.startswith("HB B CP H B C H B C P R")
    assert spares == "H R G C S T"
    assert deck.startswith("F HBC HBS HBT")


def test_a_dash_stands_for_no_spares():
    text = rules.deal("seed", {"doubled": 2, "mixed_in": 7})
    assert text.split(" | ")[1] == "-"
    assert rules.start(text, {}).spares == ()
    assert parse_deal(text.replace("| - |", "| |")) == parse_deal(text)


def test_missing_options_have_their_default():
    assert play().options == DEFAULT_OPTIONS
    assert play(rate=2).options["rate"] == 2


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"doubled": 10}, "The option doubled must be 0 to 9, not '10'."),
        ({"mixed_in": -1}, "The option mixed_in must be 0 to 9, not '-1'."),
        ({"mixed_in": "x"}, "The option mixed_in must be 0 to 9, not 'x'."),
        ({"highlight": "yes"}, "The option highlight must be False or True, not 'yes'."),
        ({"show_left": None}, "The option show_left must be False or True, not 'None'."),
        ({"doubled": 5, "mixed_in": 5}, "The options doubled and mixed_in together must be at most 9, "
         "because there are 9 spare Singles. They are 5 and 5."),
    ],
)  # fmt: skip
def test_an_invalid_option_is_rejected(options, sentence):
    for refused in (lambda: rules.deal("seed", options), lambda: rules.start(dealt(), options)):
        with pytest.raises(ValueError, match="^The option") as caught:
            refused()
        assert str(caught.value) == sentence


def test_variation_1_skips_singles_that_do_not_fit():
    """For any seed, two Singles in a place are never of one kind, and no card is lost."""
    for seed in range(200):
        deal = parse_deal(rules.deal(str(seed), {"doubled": 9}))
        twos = [there for there in deal.places if len(there) == 2]
        assert len(twos) == 9
        assert all(KIND[one] != KIND[other] for one, other in twos)


def test_every_single_is_dealt_alike():
    """The deal favours no Single and no place: each Single is doubled in about 9 of 27 deals."""
    deals = [parse_deal(rules.deal(f"alike {seed}", {"doubled": 9})) for seed in range(600)]
    on_top = Counter(cards[1] for deal in deals for cards in deal.places if len(cards) == 2)
    assert set(on_top) == set(SINGLES)
    assert all(0.85 * 600 < count < 1.15 * 600 for count in on_top.values())
    where = Counter(n for deal in deals for n, cards in zip(NUMBERS, deal.places) if len(cards) == 2)
    assert all(140 < where[number] < 260 for number in NUMBERS)


# ---------------------------------------------------------------- pick-ups


@pytest.mark.parametrize("pick", rules.PICKS)
def test_a_pick_up_changes_nothing(pick):
    state = play()
    assert rules.apply(state, "solo", pick) == state
    assert pick not in rules.legal_actions(state, "solo")


@pytest.mark.parametrize("action", ["pick", "pick 14", "pick X", "pick HBC", "Pick card"])
def test_only_cards_are_picked_up(action):
    assert refusal(play(), action)
