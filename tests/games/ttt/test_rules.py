"""Tests the rules of Target the Two (rulings 1 to 5)."""

import json
from random import Random

import pytest

from cardlab.games.contract import IllegalAction
from cardlab.games.ttt import board, rules

DEAL = "3H 2C 2H 4C 4H 3C | 2H | ck"  # C Ck UP T N Nk
OPEN = {"ViewCard": "all", "ViewCkNk": True}


def play(actions, deal=DEAL, **options):
    """Returns the state after ``actions``: a word of moves ("TUP"), or a list with looks among them."""
    state = rules.start(deal, options)
    for action in actions:
        state = rules.apply(state, "solo", action)
    return state


def refusal(state, action, seat="solo"):
    with pytest.raises(IllegalAction) as refused:
        rules.apply(state, seat, action)
    return str(refused.value)


def table(state):
    return " ".join(state.layout)


def shown(state):
    """Returns the keepers whose card is in the view, and those that a look would turn up."""
    view = rules.view(state, "solo")
    up = [keeper for keeper, place in (("ck", "Ck"), ("nk", "Nk")) if view["cards"][place]]
    return up, view["may_look"]


# Ruling 1: the moves


@pytest.mark.parametrize(
    ("first", "move", "after"),
    [
        ("ck", "U", "3H 2H 2C 4C 4H 3C"),
        ("ck", "C", "2C 3H 2H 4C 4H 3C"),
        ("ck", "N", "3H 4H 2H 4C 2C 3C"),
        ("ck", "T", "3H 4C 2H 2C 4H 3C"),
        ("ck", "P", "3H 2C 2H 4C 4H 3C"),
        ("nk", "U", "3H 2C 3C 4C 4H 2H"),
        ("nk", "C", "3C 2C 2H 4C 4H 3H"),
        ("nk", "N", "3H 2C 2H 4C 3C 4H"),
        ("nk", "P", "3H 2C 2H 4C 4H 3C"),
    ],
)
def test_keeper_exchanges_its_card_and_the_turn_passes(first, move, after):
    state = play(move, f"3H 2C 2H 4C 4H 3C | 2H | {first}")
    assert table(state) == after
    assert state.turn == board.other(first)
    assert state.moves == 1


def test_nk_exchanges_with_target_when_numbers_are_equal():
    assert table(play("T", "3H 2C 2H 4C 3C 4H | 2H | nk")) == "3H 2C 2H 4H 3C 4C"


@pytest.mark.parametrize(
    ("deal", "may"),
    [
        ("3H 2C 2H 4C 4H 3C | 2H | ck", True),  # Ck 2C, Target 4C: both black
        ("2C 3H 2H 4C 4H 3C | 2H | ck", False),  # Ck 3H, Target 4C
        ("3H 4H 2H 4C 2C 3C | 2H | ck", False),  # Ck 4H, Target 4C: the number does not help Ck
        ("3H 2C 2H 4C 3C 4H | 2H | nk", True),  # Nk 4H, Target 4C: both fours
        ("3H 2C 2H 4C 4H 3C | 2H | nk", False),  # Nk 3C, Target 4C: the colour does not help Nk
        ("3C 2C 2H 4C 4H 3H | 2H | nk", False),  # Nk 3H, Target 4C
    ],
)
def test_target_needs_equal_colour_or_number(deal, may):
    state = play("", deal)
    assert ("T" in rules.legal_actions(state, "solo")) is may
    if not may:
        refusal(state, "T")


def test_legal_moves_keep_the_sources_order():
    assert rules.legal_actions(play(""), "solo") == ["U", "C", "N", "T", "P"]
    assert rules.legal_actions(play("T"), "solo") == ["U", "C", "N", "P"]


def test_source_sample_game_plays_ctt():
    state = play("CTT", "2H 3C 3H 4C 2C 4H | 2H | ck")
    assert state.solved
    assert rules.is_over(state)


@pytest.mark.parametrize(
    ("layout", "sequence"),
    [
        ("3H 2C 2H 4C 4H 3C", "TUPT"),
        ("3C 2C 4H 4C 2H 3H", "TNPT"),
        ("3H 3C 2H 2C 4C 4H", "PUPT"),
        ("3H 2H 2C 4C 4H 3C", "UUTT"),
        ("2H 4C 4H 2C 3H 3C", "CPUUPT"),  # ruling 3 mends the misprint
    ],
)
def test_printed_plays_solve_with_the_last_move(layout, sequence):
    deal = f"{layout} | 2H | ck"
    assert not rules.is_over(play(sequence[:-1], deal))
    assert play(sequence, deal).solved


@pytest.mark.parametrize("move", ["U", "C", "N", "P"])
def test_only_u_corrects_the_misprinted_fifth_hand(move):
    state = play("CPU" + move, "2H 4C 4H 2C 3H 3C | 2H | ck")
    after = rules.apply(state, "solo", "P")
    solved = "T" in rules.legal_actions(after, "solo") and rules.apply(after, "solo", "T").solved
    assert solved is (move == "U")


def test_solved_hand_takes_no_more_actions():
    state = play("TUPT")
    assert rules.legal_actions(state, "solo") == []
    for action in ("U", "P", "look ck", "pick ck", "nonsense"):
        assert refusal(state, action) == "This hand is over."


def test_hand_ends_after_max_rounds_including_passes():
    assert not rules.is_over(play("PPP", MaxRounds=4))
    state = play("PPPP", MaxRounds=4)
    assert rules.is_over(state)
    assert not state.solved
    assert refusal(state, "P") == "This hand is over."


def test_last_allowed_move_can_solve_the_hand():
    assert rules.result(play("TUPT", MaxRounds=4), "solo", 5).outcome == "solved"


# Ruling 5: visibility


@pytest.mark.parametrize(
    ("view_card", "face_up", "sequence", "up", "may_look"),
    [
        ("all", True, "", ["ck", "nk"], []),
        ("all", True, "P", ["ck", "nk"], []),
        ("all", True, "U", ["ck", "nk"], []),
        ("all", False, "", [], ["ck", "nk"]),
        ("all", False, "P", [], ["ck", "nk"]),
        ("all", False, "U", [], ["ck", "nk"]),
        ("none", True, "", ["ck"], []),
        ("none", True, "P", ["nk"], []),
        ("none", True, "U", ["nk"], []),
        ("none", True, "UU", ["ck"], []),
        ("none", False, "", [], ["ck"]),
        ("none", False, "P", [], ["nk"]),
        ("none", False, "U", [], ["nk"]),
        ("mix", True, "", ["ck"], []),
        ("mix", True, "P", ["nk"], []),
        ("mix", True, "PP", ["ck"], []),
        ("mix", True, "U", ["ck", "nk"], []),
        ("mix", True, "PU", ["ck", "nk"], []),
        ("mix", True, "UP", ["ck", "nk"], []),
        ("mix", False, "", [], ["ck"]),
        ("mix", False, "PP", [], ["ck"]),
        ("mix", False, "U", [], ["ck", "nk"]),
        ("mix", False, "UPP", [], ["ck", "nk"]),
    ],
)
def test_view_card_and_view_ck_nk_determine_visibility(view_card, face_up, sequence, up, may_look):
    state = play(sequence, ViewCard=view_card, ViewCkNk=face_up)
    assert shown(state) == (up, may_look)


def test_looked_at_card_stays_visible_until_turn_passes():
    state = play(["look ck"])
    assert rules.view(state, "solo")["cards"]["Ck"] == "2C"
    assert shown(state) == (["ck"], ["nk"])
    assert shown(rules.apply(state, "solo", "P")) == ([], ["ck", "nk"])


def test_both_keepers_may_be_looked_at_per_turn():
    state = play(["look nk", "look ck"])
    assert shown(state) == (["ck", "nk"], [])


def test_looks_and_pick_ups_keep_the_turn():
    state = play(["look ck", "pick ck", "pick nk", "pick up", "pick t", "pick c", "pick n"])
    assert (state.moves, state.turn, state.sequence) == (0, "ck", "")
    assert table(state) == "3H 2C 2H 4C 4H 3C"


def test_pick_ups_do_not_change_the_view():
    assert rules.view(play(["pick ck", "pick n"]), "solo") == rules.view(play([]), "solo")


@pytest.mark.parametrize("face_up", [True, False])
@pytest.mark.parametrize("view_card", ["all", "mix", "none"])
def test_up_and_target_are_visible_c_n_hidden(view_card, face_up):
    chance = Random(f"{view_card} {face_up}")
    for hand in range(50):
        state = play("", rules.deal(f"hand {hand}", {}), ViewCard=view_card, ViewCkNk=face_up)
        while not rules.is_over(state):
            cards = rules.view(state, "solo")["cards"]
            assert (cards["C"], cards["N"]) == (None, None)
            assert (cards["UP"], cards["T"]) == (state.layout[2], state.layout[3])
            looks = [f"look {keeper}" for keeper in rules.view(state, "solo")["may_look"]]
            state = rules.apply(state, "solo", chance.choice(rules.legal_actions(state, "solo") + looks))


def test_view_is_plain_json_and_counts_moves():
    state = play("TP", MaxRounds=6, ViewCkNk=True, DragCkNk=False, CardsBackFile="dorso3")
    view = rules.view(state, "solo")
    assert json.loads(json.dumps(view)) == view
    assert view == {
        "cards": {"C": None, "Ck": "4C", "UP": "2H", "T": "2C", "N": None, "Nk": "3C"},
        "goal": "2H",
        "turn": "ck",
        "may_look": [],
        "moves": 2,
        "left": 4,
        "last": "P",
        "drag_keepers": False,
        "back": "dorso3",
    }


def test_view_without_last_move_or_turn_has_none():
    assert rules.view(play(""), "solo")["last"] is None
    over = rules.view(play("TUPT"), "solo")
    assert (over["turn"], over["may_look"]) == (None, [])


def test_goal_place_may_show_a_card_back():
    assert rules.view(play("", ViewTarget=True), "solo")["goal"] == "2H"
    assert rules.view(play("", ViewTarget=False), "solo")["goal"] is None


def test_missing_settings_have_the_defaults_of_ruling_5():
    options = rules.start(DEAL, {}).options
    assert {key: options[key] for key in ("MaxRounds", "ViewCard", "ViewCkNk", "DragCkNk", "ViewTarget")} == {
        "MaxRounds": 20,
        "ViewCard": "all",
        "ViewCkNk": False,
        "DragCkNk": True,
        "ViewTarget": True,
    }
    assert (options["CardsBackFile"], options["pay_by"]) == ("dorso1", "moves")


# Refusals: one sentence each, without hidden cards

COLOURS_HIDDEN = (
    "The colours differ. The colour keeper may exchange with Target only if both cards have the same colour."
)
NUMBERS_HIDDEN = (
    "The numbers differ. The number keeper may exchange with Target only if both cards have the same number."
)
CK_REFUSED = "2C 3H 2H 4C 4H 3C | 2H | ck"
NK_REFUSED = "3H 2C 2H 4C 4H 3C | 2H | nk"


def test_ck_refusal_names_visible_cards():
    assert refusal(play("", CK_REFUSED, **OPEN), "T") == (
        "The colours differ: 3♥ is red and 4♣ is black. "
        "The colour keeper may exchange with Target only if both cards have the same colour."
    )


def test_nk_refusal_names_visible_cards():
    assert refusal(play("", NK_REFUSED, **OPEN), "T") == (
        "The numbers differ: 3♣ and 4♣. "
        "The number keeper may exchange with Target only if both cards have the same number."
    )


@pytest.mark.parametrize("view_card", ["all", "mix", "none"])
def test_refusal_does_not_name_a_hidden_keeper(view_card):
    assert refusal(play("", CK_REFUSED, ViewCard=view_card), "T") == COLOURS_HIDDEN
    assert refusal(play("", NK_REFUSED, ViewCard=view_card), "T") == NUMBERS_HIDDEN


def test_refusal_names_only_the_looked_at_keeper():
    assert "3♥" in refusal(play(["look ck"], CK_REFUSED), "T")
    assert refusal(play(["look nk"], CK_REFUSED), "T") == COLOURS_HIDDEN
    assert "3♣" in refusal(play(["look nk"], NK_REFUSED), "T")
    assert refusal(play(["look ck"], NK_REFUSED), "T") == NUMBERS_HIDDEN


def test_visible_card_cannot_be_looked_at():
    for state in (play("", **OPEN), play(["look ck"])):
        assert refusal(state, "look ck") == "This card is already face up."


@pytest.mark.parametrize("face_up", [True, False])
@pytest.mark.parametrize("view_card", ["none", "mix"])
def test_forbidden_keeper_cannot_be_looked_at(view_card, face_up):
    state = play("", ViewCard=view_card, ViewCkNk=face_up)
    assert refusal(state, "look nk") == "You can look only at the card of the keeper whose turn it is."


@pytest.mark.parametrize(
    "action", ["", "u", "X", "UU", "U ", "look", "look c", "pick", "pick CK", "P\n", "♥"]
)
def test_unknown_action_error_lists_the_moves(action):
    assert refusal(play(""), action) == "Unknown move. The moves are U, C, N, T and P."


@pytest.mark.parametrize("seat", ["", "ck", "nk", "SOLO"])
def test_only_the_one_seat_plays(seat):
    assert refusal(play(""), "U", seat) == "This seat does not play in this hand."
    assert rules.seats(play("")) == ("solo",)


# Ruling 4: scoring


@pytest.mark.parametrize(
    ("max_rounds", "score"),
    [
        (20, 800),  # the source's own number
        (4, 0),
        (5, 200),
        (7, 429),  # 428.57
        (32, 875),
        (192, 979),  # 979.17
    ],
)
def test_score_by_moves_is_the_remaining_share(max_rounds, score):
    result = rules.result(play("TUPT", MaxRounds=max_rounds), "solo", 7.25)
    assert result == (score, {"moves": 4, "seconds": 7.25}, "solved")


def test_half_points_are_rounded_up():
    state = play("CTT", "2H 3C 3H 4C 2C 4H | 2H | ck", MaxRounds=16)  # 1000 × 13/16 = 812.5
    assert rules.result(state, "solo", 1).score == 813


@pytest.mark.parametrize(
    ("seconds", "scale", "score"),
    [(0, 60, 1000), (12.5, 60, 792), (30, 60, 500), (60, 60, 0), (300, 60, 0), (30, 120, 750)],
)
def test_score_by_time_is_the_remaining_share(seconds, scale, score):
    state = play("TUPT", pay_by="time", time_scale_seconds=scale)
    assert rules.result(state, "solo", seconds).score == score


def test_score_by_time_counts_a_minute_by_default():
    assert rules.result(play("TUPT", pay_by="time"), "solo", 30).score == 500


def test_result_has_seconds_to_the_millisecond():
    assert rules.result(play("TUPT"), "solo", 7.12345).parts["seconds"] == 7.123


@pytest.mark.parametrize("pay_by", ["moves", "time"])
def test_unsolved_hand_is_worth_nothing(pay_by):
    failed = rules.result(play("PPPP", MaxRounds=4, pay_by=pay_by), "solo", 1)
    assert (failed.score, failed.outcome) == (0, "failed")
    unfinished = rules.result(play("PPP", MaxRounds=4, pay_by=pay_by), "solo", 1)
    assert (unfinished.score, unfinished.outcome) == (0, "open")


# Ruling 0: the deal's text


def test_deal_text_is_read_back():
    assert board.format_deal(*board.parse_deal(DEAL)) == DEAL
    assert board.parse_deal(DEAL) == (("3H", "2C", "2H", "4C", "4H", "3C"), "2H", "ck")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "A deal reads"),
        ("3H 2C 2H 4C 4H 3C", "A deal reads"),
        ("3H 2C 2H 4C 4H 3C | 2H | ck | nk", "A deal reads"),
        ("3H 2C 2H 4C 4H 3C | 2H 3H | ck", "A deal reads"),
        ("3H 2C 2H 4C 4H | 2H | ck", "once"),
        ("3H 2C 2H 4C 4H 4H | 2H | ck", "once"),
        ("3H 2C 2H 4C 4H 5C | 2H | ck", "once"),
        ("3H 2C 2H 4C 4H 3C | 5H | ck", "goal"),
        ("3H 2C 2H 4C 4H 3C | 2H | CK", "first mover"),
    ],
)
def test_invalid_deal_is_refused_with_a_sentence(text, complaint):
    with pytest.raises(ValueError, match=complaint):
        board.parse_deal(text)


def test_drawn_deal_follows_its_seed_and_is_unsolved():
    for number in range(300):
        options = {"Goal": "4C", "FirstMove": "nk"}
        text = rules.deal(f"seed {number}", options)
        assert text == rules.deal(f"seed {number}", options)
        layout, goal, first = board.parse_deal(text)
        assert (goal, first) == ("4C", "nk")
        assert layout[board.TARGET] != "4C"
    assert len({rules.deal(f"seed {number}", {}) for number in range(50)}) > 40
    assert board.parse_deal(rules.deal("a seed", {}))[1:] == ("2H", "ck")
