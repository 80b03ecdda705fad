"""Tests Target the Two for two players: seats, views and turns (rulings 1, 5 and 14)."""

import json
from random import Random

import pytest

from cardlab.games.contract import IllegalAction
from cardlab.games.ttt import board, rules

DEAL = "3H 2C 2H 4C 4H 3C | 2H | ck"  # C Ck UP T N Nk


def play(actions, deal=DEAL, **options):
    """Returns the state after ``actions``, each by the seat on turn."""
    state = rules.start(deal, {"players": 2, **options})
    for action in actions:
        (seat,) = rules.waiting_for(state)
        state = rules.apply(state, seat, action)
    return state


def refusal(state, seat, action):
    with pytest.raises(IllegalAction) as refused:
        rules.apply(state, seat, action)
    return str(refused.value)


def seen(state, seat):
    """Returns the keepers whose card the seat sees, and those that a look would turn up for it."""
    view = rules.view(state, seat)
    return [name for name, place in (("ck", "Ck"), ("nk", "Nk")) if view["cards"][place]], view["may_look"]


def test_keepers_are_the_seats_and_alternate():
    state = play("")
    assert rules.seats(state) == ("ck", "nk")
    for move, seat in zip("TUPT", ("ck", "nk", "ck", "nk")):
        assert rules.waiting_for(state) == (seat,)
        assert rules.legal_actions(state, board.other(seat)) == []
        for action in ("U", "P", "look ck", "look nk", "pick up"):
            assert refusal(state, board.other(seat), action) == "It is your partner’s turn. Please wait."
        state = rules.apply(state, seat, move)
    assert state.solved
    assert rules.waiting_for(state) == ()
    assert refusal(state, "ck", "P") == "This hand is over."
    assert refusal(play(""), "solo", "P") == "This seat does not play in this hand."


def test_refusal_out_of_turn_names_a_robot():
    state = play("", robots={"ck": "best"})
    assert refusal(state, "nk", "P") == "It is the robot’s turn. Please wait."


def test_both_have_the_score_of_the_hand():
    state = play("TUPT")
    assert rules.result(state, "ck", 9.0) == rules.result(state, "nk", 9.0)
    assert rules.result(state, "ck", 9.0).score == 800


@pytest.mark.parametrize(
    ("view_card", "sequence", "ck_sees", "nk_sees"),
    [
        ("none", "", ["ck"], ["nk"]),
        ("none", "U", ["ck"], ["nk"]),
        ("mix", "", ["ck"], ["nk"]),
        ("mix", "PP", ["ck"], ["nk"]),
        ("mix", "PU", ["ck", "nk"], ["ck", "nk"]),
        ("all", "", ["ck", "nk"], ["ck", "nk"]),
    ],
)
def test_view_card_says_whose_card_each_sees(view_card, sequence, ck_sees, nk_sees):
    """Face-up cards are visible at any time; others can be looked at only in the player's own turn."""
    state = play(sequence, ViewCard=view_card, ViewCkNk=True)
    assert (seen(state, "ck"), seen(state, "nk")) == ((ck_sees, []), (nk_sees, []))
    state = play(sequence, ViewCard=view_card, ViewCkNk=False)
    own, other = (ck_sees, nk_sees) if state.turn == "ck" else (nk_sees, ck_sees)
    assert seen(state, state.turn) == ([], own)
    assert seen(state, board.other(state.turn)) == ([], [])
    assert other  # cards that the other seat may see only in its own turn


def test_look_is_private_and_ends_with_the_turn():
    before = play("", ViewCard="all")
    after = rules.apply(before, "ck", "look nk")
    assert seen(after, "ck") == (["nk"], ["ck"])
    assert rules.view(after, "nk") == rules.view(before, "nk")
    assert refusal(after, "ck", "look nk") == "This card is already face up."
    assert seen(rules.apply(after, "ck", "U"), "ck") == ([], [])
    hidden = play("", ViewCard="none")
    assert refusal(hidden, "ck", "look nk") == "You cannot look at your partner’s card now."


def test_refused_t_names_the_own_card_if_visible():
    wrong = "2H 3H 2C 4C 3C 4H | 2H | ck"  # 3H is red, 4C black
    assert "3♥" in refusal(play("", wrong, ViewCkNk=True, ViewCard="none"), "ck", "T")
    assert "3♥" not in refusal(play("", wrong, ViewCkNk=False), "ck", "T")
    deal = "2H 3H 2C 4C 4H 3C | 2H | nk"
    assert "3♣" in refusal(play("", deal, ViewCkNk=True, ViewCard="none"), "nk", "T")


def test_server_passes_for_absent_player_and_shows_it():
    state = play("T")
    assert rules.absent_action(state, "nk", "seed") == "P"
    passed = rules.mark_played_by_server(rules.apply(state, "nk", "P"), "nk")
    assert [rules.view(passed, seat)["passed_for"] for seat in board.KEEPERS] == ["nk", "nk"]
    assert rules.view(rules.apply(passed, "ck", "U"), "nk")["passed_for"] is None
    with pytest.raises(ValueError, match="Nobody plays for solo"):
        rules.absent_action(rules.start(DEAL, {}), "solo", "seed")


@pytest.mark.parametrize("view_card", ["all", "mix", "none"])
@pytest.mark.parametrize("face_up", [True, False])
def test_robot_move_is_reported_with_the_earlier_view(view_card, face_up):
    options = {"ViewCard": view_card, "ViewCkNk": face_up, "robots": {"nk": "informed"}}
    for sequence in ("T", "U", "P", "UUC"):
        between = play(sequence, **options)
        answered = rules.apply(rules.apply(between, "nk", "pick up"), "nk", "U")
        assert rules.view(answered, "ck")["before_last"] == rules.view(between, "ck")["cards"]
        assert rules.view(between, "ck")["before_last"] is None
        assert rules.view(rules.apply(answered, "ck", "P"), "ck")["before_last"] is None
    assert rules.view(play("TU"), "ck")["before_last"] is None


def test_server_pass_is_shown_after_a_robot_move():
    passed = rules.mark_played_by_server(play("P", robots={"nk": "informed"}), "ck")
    answered = rules.apply(passed, "nk", "U")
    assert rules.view(answered, "ck")["passed_for"] == "ck"
    assert rules.view(rules.apply(answered, "ck", "U"), "ck")["passed_for"] is None


def test_pair_views_contain_moves_solo_views_do_not():
    state = play("TU")
    for seat in board.KEEPERS:
        view = rules.view(state, seat)
        assert (view["played"], view["waiting_for"], view["seat"]) == ("TU", ["ck"], seat)
    assert (
        not {"played", "seat", "waiting_for", "passed_for"} & rules.view(rules.start(DEAL, {}), "solo").keys()
    )


@pytest.mark.parametrize("view_card", ["all", "mix", "none"])
def test_hidden_cards_do_not_change_a_seats_view(view_card):
    """Exchanges the hidden cards: views stay equal, except for the legality of T."""
    for number in range(40):
        chance = Random(f"{view_card} {number}")
        deal = rules.deal(f"hand {number}", {})
        state = play("", deal, ViewCard=view_card, ViewCkNk=chance.random() < 0.5)
        for _step in range(chance.randrange(6)):
            if rules.is_over(state):
                break
            (seat,) = rules.waiting_for(state)
            state = rules.apply(state, seat, chance.choice(rules.legal_actions(state, seat)))
        for seat in board.KEEPERS:
            view = rules.view(state, seat)
            hidden = [place for place, card in enumerate(view["cards"].values()) if card is None]
            layout, moved = list(state.layout), hidden[1:] + hidden[:1]
            for place, other in zip(hidden, moved):
                layout[place] = state.layout[other]
            changed = board.State(
                tuple(layout), state.goal, state.turn, state.options, state.sequence, state.looked
            )
            assert rules.view(changed, seat)["cards"] == view["cards"]
            assert not {state.layout[place] for place in hidden} - {view["goal"]} & named(view)


def named(view):
    """Returns the cards that a view names, except the goal."""
    text = json.dumps({key: value for key, value in view.items() if key not in ("goal", "before_last")})
    return {card for card in ("2H", "3H", "4H", "2C", "3C", "4C") if f'"{card}"' in text}


def test_initial_layout_reconstructs_the_initial_layout():
    for number in range(20):
        deal = rules.deal(f"hand {number}", {"FirstMove": "nk"})
        state = play("UCNPU", deal, MaxRounds=40) if number % 2 else play("PP", deal)
        assert board.initial_layout(state) == board.parse_deal(deal)[::2]
